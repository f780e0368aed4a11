"""What commands show: the result on standard output, progress and what does not fit the format on standard error."""

from __future__ import annotations

import os
import shlex
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from macrof1.cli.parsing import Given
from macrof1.cli.streams import say, say_at_the_end
from macrof1.counting.written_files import refuse_foreign, write_whole
from macrof1.reading.progress import Progress
from macrof1.reporting.as_text import printable
from macrof1.request import Request

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


@contextmanager
def running(request: Request, doing: str = "reading") -> Iterator[Request]:
    """Show progress while a request runs, and print warnings as one line each, once the work is done."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        with progress_bar(doing) as progress:
            yield replace(request, progress=progress)
    for warning in caught:
        if issubclass(warning.category, UserWarning):
            say_at_the_end(f"warning: {warning.message}")


@contextmanager
def progress_bar(doing: str, *, delay: float = 1.0) -> Iterator[Progress | None]:
    """Yield a function that takes the share of the work that is done; None if there is no terminal.

    The bar appears on standard error, for work that takes longer than a second.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    stream = sys.stderr
    # A separate stream, since standard error may be redirected while Polars reads; a notebook's has no file behind it.
    with suppress(OSError):
        stream = os.fdopen(os.dup(stream.fileno()), "w", encoding=stream.encoding, errors="replace")
    lock = threading.Lock()
    state: dict[str, Any] = {"done": None, "bar": None, "over": False}

    def show() -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn(doing), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        bar = Bar(*columns, console=Console(file=stream), transient=True)
        # Before the first report, the bar only shows that something is going on.
        bar.add_task(doing, total=None if state["done"] is None else 1.0, completed=state["done"] or 0)
        with lock:
            if not state["over"]:
                state["bar"] = bar
                bar.start()

    def report(done: float) -> None:
        state["done"] = done
        with lock:
            if state["bar"] is not None:
                state["bar"].update(state["bar"].task_ids[0], completed=done, total=1.0)

    timer = threading.Timer(delay, show)
    timer.daemon = True
    timer.start()
    try:
        yield report
    finally:
        timer.cancel()
        with lock:
            state["over"] = True
            if state["bar"] is not None:
                state["bar"].stop()
            if stream is not sys.stderr:
                stream.close()
