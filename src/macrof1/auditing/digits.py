"""How many digits the figures of a report were printed with.

Trailing zeros may be lost. And a figure with seven or more significant digits was not rounded for print: it is the raw
result of a floating-point computation, whose error can exceed half a unit of the last digit. With unit roundoff u,
first-order bounds on the relative error are: 1 u for a precision, recall, or F1 computed from counts; 6 u for an F1
computed from a precision and a recall (1 u each, 1 u for the sum, the product and the quotient); n + 6 u for a mean of
n of them in any order of summation (n - 1 u for the sum, 1 u for the quotient), 2n + 7 u for a weighted mean; 4 u more
for F1 of averages, 1 u more for percentages. 2n + 16 u bounds them all, higher orders included.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from macrof1.auditing.intervals import RATIOS, Key

FLOAT_DIGITS: Final = 7
"""A figure with at least this many significant digits is a floating-point number printed in full."""

_DOUBLE_DIGITS: Final = 10
_DOUBLE, _SINGLE = Fraction(1, 2**53), Fraction(1, 2**24)
_USUAL_CLASSES: Final = 64
_WHOLE = re.compile(r"\d+(?:[.,]0)?%?")
_MOST_LOST = 2


def decimals_of(text: str) -> int:
    """Count the decimals of a number as printed.

    Examples
    --------
    >>> decimals_of("0.80"), decimals_of("84,3 %"), decimals_of("1")
    (2, 1, 0)
    """
    return len(re.sub(r"\D", "", re.split("[.,]", text)[1])) if re.search("[.,]", text) else 0


def column_decimals(texts: Mapping[Key, str]) -> dict[Key, int]:
    """Return the number of decimals of each figure whose column shows that trailing zeros were lost.

    A column holds one kind of figure for every class, with the macro figure below. Zeros were lost if some figure has
    fewer decimals than the longest class figure, and no figure with decimals ends in 0. At most two lost zeros are
    assumed, more only for 0 and 1 (and 100 percent); a macro figure shorter than the floating-point numbers above it
    was rounded. No figure gets more significant digits than the longest has: ``tabulate`` and ``%g`` print 0.0909091
    beside 0.954545.
    """
    found: dict[Key, int] = {}
    for kind in RATIOS:
        column = {key: text for key, text in texts.items() if key[1] == kind}
        classes = [text for key, text in column.items() if key[0] is not None]
        longest = max(map(decimals_of, classes), default=0)
        in_full = any(significant_digits(text) >= FLOAT_DIGITS for text in classes)
        if not in_full and _keeps_zeros(list(column.values())):
            continue
        most = max(map(significant_digits, column.values()), default=0)
        for key, text in column.items():
            lost = longest - decimals_of(text)
            given_back = lost if in_full else min(lost, most - significant_digits(text))
            if given_back > 0 and (
                lost <= (_MOST_LOST if key[0] is not None else 1)
                or (key[0] is not None and (in_full or _WHOLE.fullmatch(text.strip())))
            ):
                found[key] = decimals_of(text) + given_back
    return found


def _keeps_zeros(texts: Sequence[str]) -> bool:
    plain = [text.strip().rstrip("% ") for text in texts]
    return any(text.endswith("0") and decimals_of(text) > 0 and not _WHOLE.fullmatch(text) for text in plain)


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
