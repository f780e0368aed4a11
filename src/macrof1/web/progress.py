"""Progress of a long answer, passed from the computation to the waiting client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from macrof1.reading.progress import Progress

_STEP: Final = 0.01
_watcher: ContextVar[Progress | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(told: Progress | None) -> Iterator[None]:
    """Call `told` with the completed share of the work, from 0 to 1, in steps of one percent."""
    token = _watcher.set(told)
    try:
        yield
    finally:
        _watcher.reset(token)


def watcher() -> Progress | None:
    """Return a function to call with the completed share of the work; None if progress is not tracked.

    Examples
    --------
    >>> seen = []
    >>> with watched(seen.append):
    ...     report = watcher()
    ...     for share in (0.25, 0.251, 0.751):
    ...         report(share)
    >>> seen
    [0.25, 0.751]
    """
    told = _watcher.get()
    if told is None:
        return None
    last = 0.0

    def report(share: float) -> None:
        nonlocal last
        if share - last >= _STEP:
            last = share
            told(share)

    return report
