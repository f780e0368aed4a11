"""How large the gap can be: closed forms that hold for any data, and the checks of what they are asked with.

The forms are exact on fractions; on floats, as accurate as float arithmetic.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from operator import index
from typing import Any, TypeAlias, TypeVar

from macrof1.errors import InputError
from macrof1.message import Argument, Message

Real = TypeVar("Real", float, Fraction)

Score: TypeAlias = float | Fraction | str
"""A score between 0 and 1; text such as ``"0.2937"`` is read as the exact decimal."""


def harmonic_mean(p: Real, r: Real) -> Real:
    """Return 2 p r / (p + r), or 0 if both are 0."""
    both = p + r
    return 2 * p * r / both if both else p


def lowest_averaged_f1(precision: Real, recall: Real, n_classes: int | None = None) -> Real:
    """Return the smallest averaged F1 that is possible for a macro precision and a macro recall.

    The largest is `harmonic_mean` of the two, and every value in between is attained. A sum of concave functions is
    smallest at a corner: as many classes as possible at 0 or 1, and high precision paired with low recall. Without the
    number of classes, the limit is max(0, precision + recall - 1), which holds for any number.
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
    columns of a binary table are not independent. Both must be above 1/2, both below, or both 1/2.
    """
    f, g = 2 * precision - 1, 2 * recall - 1
    return (1 + harmonic_mean(f, g)) / 2


def gap_supremum(n_classes: int) -> Fraction:
    """Return the supremum of the gap for n classes, which is approached and, for n > 1, never reached.

    2 ⌊n/2⌋ ⌈n/2⌉ / n²: 1/2 for an even number of classes, 1/2 - 1/(2n²) for an odd one (the paper's Theorem 3).
    """
    half = n_classes // 2
    return Fraction(2 * half * (n_classes - half), n_classes**2)


def lowest_averaged_f1_below(f1_of_averages: Real, n_classes: int | None = None) -> Real:
    """Return the smallest averaged F1 that is possible for an F1 of averages; the largest equals the F1 of averages.

    With β = n · F1 of averages: the smallest `lowest_averaged_f1` where n P̄ = k is whole and n R̄ = β k / (2 k - β),
    over k = 1 … n. Between integers it is quasi-concave on the curve H(n P̄, n R̄) = β, so its minimum lies where one of
    the two sums is an integer; by symmetry we may take n P̄. Without the number of classes, max(0, 2 · F1 - 1).
    """
    zero = f1_of_averages - f1_of_averages
    if n_classes is None:
        return max(zero, 2 * f1_of_averages - 1)
    if f1_of_averages <= gap_supremum(n_classes):
        return zero
    beta = n_classes * f1_of_averages
    # n R̄ must not exceed n: β k <= n (2 k - β).
    feasible = (k for k in range(1, n_classes + 1) if beta * k <= n_classes * (2 * k - beta))
    return min(
        lowest_averaged_f1(zero + k / (zero + n_classes), beta * k / (2 * k - beta) / n_classes, n_classes)
        for k in feasible
    )


def highest_f1_of_averages(averaged_f1: Real, n_classes: int | None = None) -> Real:
    """Return the largest F1 of averages that is possible for an averaged F1; the smallest equals the averaged F1.

    The inverse of `lowest_averaged_f1_below`: the largest H(k, Y) / n over k = 1 … n, where Y is the largest n R̄
    whose lowest averaged F1 does not exceed the given one. Without the number of classes, (1 + averaged F1) / 2.
    """
    zero = averaged_f1 - averaged_f1
    if n_classes is None:
        return (1 + averaged_f1) / 2
    best = averaged_f1
    for k in range(1, n_classes + 1):
        room = n_classes * averaged_f1 + (n_classes - k)
        whole = math.floor(room)
        rest = room - whole
        y = min(zero + n_classes, whole + rest / (2 - rest))
        best = max(best, harmonic_mean(zero + k, y) / n_classes)
    return best


def approaching_gap(n: int, rows: int) -> Fraction:
    """Return the gap of the paper's Theorem 3: half of the classes, the hubs, take `rows` rows from each of the others.

    A hub is gold once, and each of the others is predicted once: with more rows, the precision of hubs and the recall
    of the others go to 0 while their recall and precision stay 1, and the gap goes to `gap_supremum`.
    """
    hubs = n // 2
    if not hubs:
        return Fraction()
    # Source x gives `rows` to hub x mod hubs: with an odd number of classes, the first hub serves two sources.
    twice = n % 2
    once = hubs - twice
    sources = n - hubs
    precision = sources + once * Fraction(1, 1 + rows) + twice * Fraction(1, 1 + 2 * rows)
    recall = hubs + sources * Fraction(1, 1 + rows)
    f1 = (sources + once) * Fraction(2, 2 + rows) + twice * Fraction(2, 2 + 2 * rows)
    return (harmonic_mean(precision, recall) - f1) / n


def whole_number(value: Any) -> int | None:
    """Return a whole number of any type; None for anything else."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


def checked_n_classes(n_classes: int) -> int:
    """Return a number of classes, or reject an invalid one."""
    n = whole_number(n_classes)
    if n is None or n < 1:
        raise InputError.bad_value("n_classes", n_classes, expected="a whole number of classes, 1 or more")
    if n > 100_000:
        raise InputError.bad_value(
            "n_classes", n, expected="at most 100,000", hint="leave it out for limits that always hold"
        )
    return n


def checked_number(value: Score, name: str) -> Fraction:
    """Return a number as an exact fraction; text is read as the exact decimal."""
    # A huge exponent would be expanded digit by digit.
    if isinstance(value, str | Decimal) and re.search(r"e[+-]?\d{4,}", str(value), re.IGNORECASE):
        raise InputError.bad_value(name, value, expected="a score such as 0.75")
    try:
        return Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError, TypeError):
        raise InputError(Message(Argument(name, value), " is not a number"), expected="a score such as 0.75") from None


def checked_score(value: Score, name: str) -> Fraction:
    """Return a score from 0 to 1, or reject it."""
    number = checked_number(value, name)
    if not 0 <= number <= 1:
        raise InputError.bad_value(
            name, value, expected="a score from 0 to 1", hint="divide percentages by 100" if 1 < number <= 100 else None
        )
    return number
