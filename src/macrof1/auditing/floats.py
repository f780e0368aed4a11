"""Figures that a program printed in full, and how large their floating-point error may be.

A figure with seven or more significant digits was not rounded for print. It is the raw result of a floating-point
computation, whose error can exceed half a unit of the last digit. With unit roundoff u, first-order bounds on the
relative error are: 1 u for a precision, recall, or F1 computed from counts; 6 u for an F1 computed from a precision and
a recall (1 u each, 1 u for the sum, the product and the quotient); n + 6 u for a mean of n of them in any order of
summation (n - 1 u for the sum, 1 u for the quotient), 2n + 7 u for a weighted mean; 4 u more for F1 of averages, 1 u
more for percentages. 2n + 16 u bounds them all, higher orders included.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

FLOAT_DIGITS: Final = 7
"""A figure with at least this many significant digits is a floating-point number printed in full."""

_DOUBLE_DIGITS: Final = 10
_DOUBLE, _SINGLE = Fraction(1, 2**53), Fraction(1, 2**24)
_USUAL_CLASSES: Final = 64


def significant_digits(text: str) -> int:
    """Count the significant digits of a printed number, including trailing zeros.

    1.000000 has as many as 0.987654 in the same column.

    Examples
    --------
    >>> significant_digits("0.0350"), significant_digits("12.5%"), significant_digits("0.8834842")
    (3, 3, 7)
    >>> significant_digits("100.0000"), significant_digits("1.000000")
    (6, 6)
    """
    digits = re.sub(r"\D", "", re.split("[eE]", text)[0]).lstrip("0")
    return len(digits) - (digits.rstrip("0") == "1")


def float_slack(texts: Iterable[str], n_classes: int | None) -> Fraction | None:
    """Return how far the figures of a report may be from the exact values; None if none is printed in full.

    Examples
    --------
    >>> float_slack(["0.82", "0.8117"], 3) is None
    True
    >>> round(float(float_slack(["0.6162478590121864"], 2)), 18), round(float(float_slack(["0.8834842"], 2)), 9)
    (2.22e-15, 1.192e-06)
    """
    long = [text for text in texts if significant_digits(text) >= FLOAT_DIGITS]
    if not long:
        return None
    single = all(significant_digits(text) < _DOUBLE_DIGITS for text in long) or any(map(_is_single, long))
    return (2 * (n_classes or _USUAL_CLASSES) + 16) * (_SINGLE if single else _DOUBLE)


def _is_single(text: str) -> bool:
    """Whether a long number is a 32-bit float printed with 64-bit precision: 0.9423076510429382."""
    if significant_digits(text) < _DOUBLE_DIGITS:
        return False
    try:
        value = float(text.strip().rstrip("%").replace(",", "."))
        return bool(struct.unpack("f", struct.pack("f", value))[0] == value)
    except (ValueError, OverflowError):
        return False
