"""The command `mf1`.

The note's own program comes first and loads nothing that it does not need; everything else goes to the app.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `mf1` and return its exit code: 0 fine, 2 the user's input; a bug raises (1)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    from macrof1.errors import MacroF1Error

    try:
        if given and given[0].lstrip("+-")[:1].isdecimal():
            from macrof1.paper.program import run

            print("\n".join(run(given)))
        else:
            from macrof1.cli.app import run_app

            run_app(given)
        sys.stdout.flush()
    except MacroF1Error as error:
        from macrof1.cli.wording import in_options

        print(f"mf1: {in_options(' '.join(str(error).split()))}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of a pipe has seen enough; keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("mf1: interrupted", file=sys.stderr)
        return 130
    return 0
