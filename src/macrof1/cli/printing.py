"""How commands print: the result goes to standard output, and what does not fit its format to standard error."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from macrof1.cli.parsing import Given
from macrof1.cli.streams import say
from macrof1.counting.written_files import refuse_foreign, write_whole
from macrof1.reporting.lines import printable

if TYPE_CHECKING:
    from macrof1.reporting.document import Document


def print_document(given: Given, found: Document, *, text: str | None = None, table: str | None = None) -> None:
    """Print a document, or another text for it, or write it to a file; and write its page, if one is asked for.

    CSV holds only the table, so its notes go to standard error.
    """
    from macrof1.reporting.rendering import render

    page, output = given.options.get("html"), given.options.get("output")
    html = "" if page is None else render(found, "html", command=this_command())
    if text is None:
        details = given.options.get("details", False)
        text = render(found, given["format"], table=table, details=details, command=this_command())
    for path, content in ((page, html), (output, f"{text}\n")):
        if path is not None and not given.options.get("force"):
            refuse_foreign(path, content)
    if page is not None:
        write_whole(page, html)
        say(f"wrote {page}")
    if output is None:
        print(text)
    else:
        write_whole(output, f"{text}\n")
    if given["format"] == "csv":
        for note in found.notes():
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
