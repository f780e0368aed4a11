"""How commands print: the result goes to standard output, and what does not fit its format to standard error."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

from macrof1.cli.streams import say
from macrof1.reporting.lines import printable


def print_result(text: str, format: str, notes: Iterable[str] = (), *, output: str | None = None) -> None:
    """Print a result, or write it to a file; CSV holds only the table, so its notes go to standard error."""
    if output is None:
        print(text)
    else:
        from macrof1.written_files import write_whole

        write_whole(output, f"{text}\n")
    if format == "csv":
        for note in notes:
            say(f"note: {printable(note)}")


def this_command() -> str:
    """Return the running command, ready to be typed again; a page to share names files, not the folders they are in."""
    return shlex.join(["mf1", *map(_without_folder, sys.argv[1:])])


def _without_folder(argument: str) -> str:
    """Return an argument with an absolute path shortened: relative inside this folder, the name alone elsewhere."""
    option, equals, value = argument.partition("=") if argument.startswith("-") else ("", "", argument)
    path, folder = Path(value), Path(value).parent
    if not path.is_absolute() or folder == folder.parent or not folder.is_dir():
        return argument
    here = Path.cwd()
    return f"{option}{equals}{path.relative_to(here) if path.is_relative_to(here) else path.name}"


def write_report(path: str, page: str) -> None:
    """Write an HTML report, and say so on standard error."""
    from macrof1.written_files import write_whole

    write_whole(path, page)
    say(f"wrote {path}")
