"""How far a long call is: one kind of function for reading, resampling and the paper's experiments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[float], None]  # called with the share of the work that is done, from 0 to 1

Step: TypeAlias = Callable[[float], None]  # called with each share of the work when it is done


def adding(progress: Progress | None) -> Step | None:
    """Return a function that takes each share of the work when it is done, and reports their sum."""
    if progress is None:
        return None
    total = 0.0

    def done(share: float) -> None:
        nonlocal total
        total += share
        progress(min(1.0, total))

    return done


def part_of(progress: Progress | None, start: float, share: float) -> Progress | None:
    """Return a function for one part of the work, which begins when a share of `start` is done."""
    return None if progress is None else lambda done: progress(start + share * done)
