"""How commands print: the result on standard output, and what its format has no place for beside it."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from macrof1.reporting.table import printable


def print_result(text: str, output: str, notes: Iterable[str] = ()) -> None:
    """Print a result; CSV is a table and nothing else, so that its notes go to standard error."""
    print(text)
    if output == "csv":
        for note in notes:
            print(f"mf1: note: {printable(note)}", file=sys.stderr)


def write_report(path: str, page: str) -> None:
    """Write an HTML report, and say so beside the result."""
    from macrof1.reporting.reports import write_page

    write_page(path, page)
    print(f"mf1: wrote {path}", file=sys.stderr)
