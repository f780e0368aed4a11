"""Shared by commands that read predictions: what is shown while they read, and which kind of input was named."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from macrof1.cli.parsing import Given
from macrof1.cli.progress import progress_bar
from macrof1.cli.streams import say_at_the_end
from macrof1.errors import InputError
from macrof1.message import Argument, Message
from macrof1.request import Request


def request_of(given: Given) -> Request:
    """Make the request of a command that reads files, or what an option names instead: a matrix or a report."""
    options = given.options
    selectors = ("spans", "matrix", "report", "published")
    chosen = [Argument(name, options[name]) for name in selectors if options.get(name)]
    if len(chosen) > 1:
        raise InputError.beside(chosen[1], chosen[0].bare, expected="one of them")
    if not chosen or chosen[0].value is True:
        return given.request(kind=chosen[0].name if chosen else "rows")
    source = chosen[0]
    for word in given.words:
        expected = f"either predictions or a {source.name}"
        raise InputError.beside(Message(word), source.bare, expected=expected)
    return given.request(kind=source.name, files=[source.value])


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
