"""A progress bar on standard error, for work that takes longer than a second, and only in a terminal."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from macrof1.reading.progress import Progress


@contextmanager
def progress_bar(doing: str = "reading", *, delay: float = 1.0) -> Iterator[Progress | None]:
    """Yield a function that takes the share of the work that is done; None if there is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    # A separate stream: standard error may be redirected while Polars reads.
    stream = _copy(sys.stderr)
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


def _copy(stream: TextIO) -> TextIO:
    try:
        return os.fdopen(os.dup(stream.fileno()), "w", encoding=stream.encoding, errors="replace")
    except OSError:  # no file behind it, as in a notebook
        return stream
