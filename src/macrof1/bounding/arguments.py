"""Arguments of questions about bounds: a score, a number of classes; validated and exact."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from operator import index
from typing import TypeAlias

from macrof1.errors import InputError
from macrof1.message import Argument, Message

Score: TypeAlias = float | Fraction | str
"""A score between 0 and 1; text such as ``"0.2937"`` is read as the exact decimal."""


def checked_n_classes(n_classes: int) -> int:
    """Return a number of classes, or reject an invalid one."""
    try:
        n = index(n_classes)
    except TypeError:
        n = 0
    if n < 1 or isinstance(n_classes, bool):
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
