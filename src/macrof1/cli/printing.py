"""How commands print: the result goes to standard output, and what does not fit its format to standard error."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable

from macrof1.cli.streams import say
from macrof1.reporting.lines import printable


def print_result(text: str, format: str, notes: Iterable[str] = (), *, output: str | None = None) -> None:
    """Print a result, or write it to a file; CSV holds only the table, so its notes go to standard error."""
    if output is None:
        print(text)
    else:
        from macrof1.reading.outputs import write_whole

        write_whole(output, f"{text}\n")
    if format == "csv":
        for note in notes:
            say(f"note: {printable(note)}")


def this_command() -> str:
    """Return the running command, ready to be typed again."""
    return shlex.join(["mf1", *sys.argv[1:]])


def write_report(path: str, page: str) -> None:
    """Write an HTML report, and say so on standard error."""
    from macrof1.reading.outputs import write_whole

    write_whole(path, page)
    say(f"wrote {path}")
