"""Run `mf1`, also as ``python -m macrof1``."""

import sys


def run() -> int:
    """Run `mf1`; interrupted while it loads, it says so too."""
    try:
        from macrof1.cli import main

        return main()
    except KeyboardInterrupt:
        sys.stderr.write("mf1: interrupted\n")
        return 130


if __name__ == "__main__":
    sys.exit(run())
