"""How commands print: the result on standard output, and what its format has no place for beside it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable

from macrof1.cli.streams import say
from macrof1.reporting.table import printable


def print_result(text: str, output: str, notes: Iterable[str] = ()) -> None:
    """Print a result; CSV is a table and nothing else, so that its notes go to standard error."""
    print(text)
    if output == "csv":
        for note in notes:
            say(f"note: {printable(note)}")


def this_command() -> str:
    """Return the command that is running, as it can be typed again."""
    return shlex.join(["mf1", *sys.argv[1:]])


def write_report(path: str, page: str) -> None:
    """Write an HTML report, and say so beside the result."""
    from macrof1.reporting.reports import write_page

    write_page(path, page)
    say(f"wrote {path}")
