"""Progress of a long answer, passed from the computation to the waiting client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

Told = Callable[[float], None]
_STEP: Final = 0.01
_watcher: ContextVar[Told | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(told: Told | None) -> Iterator[None]:
    """Call `told` with the completed share of the work, from 0 to 1, in steps of one percent."""
    token = _watcher.set(told)
    try:
        yield
    finally:
        _watcher.reset(token)


def telling() -> Callable[[float, float], None] | None:
    """Return a function to call with the work done and the total; None if progress is not tracked.

    Examples
    --------
    >>> seen = []
    >>> with watched(seen.append):
    ...     tell = telling()
    ...     for done in (250, 251, 751):
    ...         tell(done, 1000)
    >>> seen
    [0.25, 0.751]
    """
    told = _watcher.get()
    if told is None:
        return None
    last = 0.0

    def tell(done: float, total: float) -> None:
        nonlocal last
        share = min(1.0, done / total)
        if share - last >= _STEP:
            last = share
            told(share)

    return tell


def advancing() -> Told | None:
    """Return a function to call with each completed share of the work; None if progress is not tracked.

    Examples
    --------
    >>> seen = []
    >>> with watched(seen.append):
    ...     advance = advancing()
    ...     for share in (0.25, 0.001, 0.5):
    ...         advance(share)
    >>> seen
    [0.25, 0.751]
    """
    tell = telling()
    if tell is None:
        return None
    done = 0.0

    def advance(share: float) -> None:
        nonlocal done
        done += share
        tell(done, 1.0)

    return advance
