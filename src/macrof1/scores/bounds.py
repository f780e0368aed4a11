"""How large the gap can be: closed forms that hold whatever the data.

Exact on fractions, and as accurate as their arithmetic on floats.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeVar

__all__ = ["harmonic_mean", "highest_binary_averaged_f1", "lowest_averaged_f1"]

Real = TypeVar("Real", float, Fraction)


def harmonic_mean(p: Real, r: Real) -> Real:
    """Return 2 p r / (p + r), and 0 where both are 0."""
    return 2 * p * r / (p + r) if p + r else p


def lowest_averaged_f1(precision: Real, recall: Real, n_classes: int | None = None) -> Real:
    """Return the smallest averaged F1 that macro precision and macro recall leave room for.

    The largest is `harmonic_mean` of the two. Every value between is attained by some per-class
    precision and recall in [0, 1].

    Notes
    -----
    A sum of concave functions is smallest at a corner: as many classes as possible at 0 or 1, and
    high precision paired with low recall. Without the number of classes the limit is
    max(0, precision + recall - 1), which holds for every number. Monotone in both arguments.
    """
    zero = precision - precision
    if n_classes is None:
        return max(zero, precision + recall - 1)
    x, y = n_classes * precision, n_classes * recall
    a, b = math.floor(x), math.floor(y)
    f, g = x - a, y - b
    if a + b <= n_classes - 2:
        return zero
    if a + b == n_classes - 1:
        return harmonic_mean(f, g) / n_classes
    return (a + b - n_classes + 2 * f / (1 + f) + 2 * g / (1 + g)) / n_classes


def highest_binary_averaged_f1(precision: Real, recall: Real) -> Real:
    """Return the largest averaged F1 of two classes with one label per row, both gold and both predicted.

    (1 + H(2P̄ - 1, 2R̄ - 1)) / 2, below the harmonic mean of P̄ and R̄ unless they are equal: the two
    columns of a binary table are not free of each other. Both must be above 1/2, both below, or both 1/2.
    """
    f, g = 2 * precision - 1, 2 * recall - 1
    return (1 + harmonic_mean(f, g)) / 2
