"""What commands show: the result on standard output, progress and what does not fit the format on standard error."""

from __future__ import annotations

import shlex
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from macrof1.cli.parsing import Given
from macrof1.cli.streams import say, say_at_the_end
from macrof1.counting.written_files import refuse_foreign, write_whole
from macrof1.reading.progress import Progress
from macrof1.reporting.as_text import printable
from macrof1.request import Request


def print_result(given: Given, result: Any, **options: Any) -> None:
    """Print what a result says, or only its scores, or write it to files; `options` as in `document`."""
    from macrof1.reporting.document import Document
    from macrof1.reporting.rendering import document, render, scores_alone

    found = result if isinstance(result, Document) else document(result, **options)
    page, output = given.options.get("html"), given.options.get("output")
    html = "" if page is None else render(found, "html", command=this_command())
    if given.options.get("quiet"):
        text = scores_alone(getattr(result, "total", result), given["format"], digits=options["digits"])
    else:
        chosen = {name: given.options.get(name) for name in ("table", "details")}
        text = render(found, given["format"], **chosen, command=this_command())
    notes = found.notes() if given["format"] == "csv" else ()  # before anything is printed: they may be refused
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
    """Yield a function that prints the share of long work that is done; None if there is no terminal."""
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield None
        return
    begun, shown = time.monotonic(), ""
    start = begun, 0.0

    def report(done: float) -> None:
        nonlocal shown, start
        now, percent = time.monotonic(), f"{doing} {done:.0%}"
        if done < 0.01:  # what was loaded before the first rows says nothing about the others
            start = now, done
        elif not shown.startswith(f"{percent},") and now - begun >= delay:
            rest = (now - start[0]) / (done - start[1]) * (1 - done)
            left = f"{rest:.0f} s" if rest < 90 else f"{rest / 60:.0f} min" if rest < 5400 else f"{rest / 3600:.1f} h"
            line = f"{percent}, {left} left"
            padded, shown = f"\r{line:<{len(shown)}}", line  # known before it is printed, so that it is always cleared
            print(padded, end="", file=stream, flush=True)

    try:
        yield report
    finally:
        if shown:
            print(f"\r{' ' * len(shown)}\r", end="", file=stream, flush=True)
