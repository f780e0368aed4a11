"""A progress bar on standard error, for work that takes longer than a second, and only in a terminal."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO


@contextmanager
def progress_bar(doing: str = "reading", *, delay: float = 1.0) -> Iterator[Callable[[float, float], None] | None]:
    """Yield a function that takes the work done and the total; None if there is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    # A separate stream: standard error may be redirected while Polars reads.
    stream = _copy(sys.stderr)
    lock = threading.Lock()
    state: dict[str, Any] = {"done": 0, "total": None, "bar": None, "over": False}

    def show() -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

        columns = (TextColumn(doing), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        bar = Progress(*columns, console=Console(file=stream), transient=True)
        bar.add_task(doing, total=state["total"], completed=state["done"])
        with lock:
            if not state["over"]:
                state["bar"] = bar
                bar.start()

    def report(done: float, total: float) -> None:
        state["done"], state["total"] = done, total
        with lock:
            if state["bar"] is not None:
                state["bar"].update(state["bar"].task_ids[0], completed=done, total=total)

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


def _copy(stream: TextIO) -> TextIO:
    try:
        return os.fdopen(os.dup(stream.fileno()), "w", encoding=stream.encoding, errors="replace")
    except OSError:  # no file behind it, as in a notebook
        return stream


@contextmanager
def advancing(doing: str) -> Iterator[Callable[[float], None] | None]:
    """Yield a function that takes each completed share of the work; None if there is no terminal."""
    with progress_bar(doing) as report:
        done = 0.0

        def advance(fraction: float) -> None:
            nonlocal done
            done += fraction
            if report is not None:
                report(done, 1.0)

        yield None if report is None else advance
