"""A published figure, read as printed: the values that it could be rounded from.

``0.80`` rounded is anything from 0.795 to 0.805, ``0.8`` anything from 0.75 to 0.85: trailing zeros count, and may have
been lost. All arithmetic uses exact fractions.

A figure with seven or more significant digits was not rounded for print: it is the raw result of a floating-point
computation, whose error can exceed half a unit of the last digit. With unit roundoff u, first-order bounds on the
relative error are: 1 u for a precision, recall, or F1 computed from counts; 6 u for an F1 computed from a precision and
a recall (1 u each, 1 u for the sum, the product and the quotient); n + 6 u for a mean of n of them in any order of
summation (n - 1 u for the sum, 1 u for the quotient), 2n + 7 u for a weighted mean; 4 u more for F1 of averages, 1 u
more for percentages. 2n + 16 u bounds them all, higher orders included.
"""

from __future__ import annotations

import contextlib
import math
import numbers
import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from macrof1.errors import CountError, InputError
from macrof1.message import Argument, Message, shown
from macrof1.reading.numbers import plain_number

Key: TypeAlias = tuple[str | None, str]
"""A figure: its class (None for figures of the whole report) and what it measures."""

RATIOS: Final = ("precision", "recall", "f1")
ERRORS: Final = ("tp", "fp", "fn")

Interval: TypeAlias = tuple[Fraction, Fraction]  # the smallest and the largest value, both included

Rounding: TypeAlias = Literal["round", "truncate", "unknown"]  # how figures were shortened; "unknown" allows both ways

_GROUPED = re.compile(r"\d+|\d{1,3}(,\d{3})+|\d{1,3}([.\s'’]\d{3})+")
_FLOATED = re.compile(r"\d+\.0{1,2}|\d+\.0{4,}")
_MOST_DECIMALS = 60
_ROUGH = 1e-9
_ZERO, _ONE = Fraction(0), Fraction(1)

FLOAT_DIGITS: Final = 7
"""A figure with at least this many significant digits is a floating-point number printed in full."""

_DOUBLE_DIGITS: Final = 10
_DOUBLE, _SINGLE = Fraction(1, 2**53), Fraction(1, 2**24)
_USUAL_CLASSES: Final = 64
_WHOLE = re.compile(r"\d+(?:[.,]0)?%?")
_MOST_LOST = 2


def roughly(interval: Interval) -> Any:
    """Return an interval as floats, wider by 1e-9, cut to 0 to 1; an empty one stays as it is."""
    low, high = (end.numerator / end.denominator for end in interval)
    # Rounding keeps the order, so that only equal floats leave it open.
    if low > high or (low == high and interval[0] > interval[1]):
        return interval
    return max(0.0, low - _ROUGH), min(1.0, high + _ROUGH)


@dataclass(frozen=True, slots=True)
class Figure:
    """One published figure."""

    name: str  # what it is, in words: "macro F1", "OFFENSE precision", "total"
    text: str  # as printed
    steps: int  # the printed number in units of its last decimal
    unit: Fraction  # one step of its last decimal, as a fraction of 1
    decimals: int = 0  # as printed, so in percent for a percentage
    scale: int = 1  # 100 for a percentage
    below: Fraction = _ZERO  # how far the true value may lie below the printed one; 0 twice for a count
    above: Fraction = _ZERO
    floating: bool = False  # it is a floating-point number printed in full, and so was not rounded to its decimals
    bounds: Interval = field(init=False)  # the smallest and largest true value, as a fraction of 1, or a whole number
    rough: tuple[float, float] = field(init=False, repr=False, compare=False)  # the same, as floats, a little wider

    def __post_init__(self) -> None:
        exact = self.steps * self.unit
        bounds = (exact, exact) if self.is_count else (max(_ZERO, exact - self.below), min(_ONE, exact + self.above))
        object.__setattr__(self, "bounds", bounds)
        object.__setattr__(self, "rough", roughly(bounds))

    @property
    def is_count(self) -> bool:
        """Whether it is a whole number of rows, which nobody rounds."""
        return self.below == self.above == 0

    def printed(self, steps: int) -> str:
        """Print a number of units in the format of this figure."""
        return f"{Decimal(steps).scaleb(-self.decimals):.{self.decimals}f}"

    def at(self, steps: int) -> Figure:
        """Return the same figure with a different printed number."""
        return replace(self, text=self.printed(steps), steps=steps)

    def truncated(self) -> Figure:
        """Return the same figure, truncated instead of rounded; counts stay the same."""
        return self if self.is_count or self.floating else replace(self, below=_ZERO, above=self.unit)

    def twice(self) -> Figure:
        """Return the same figure, rounded twice (0.8449, 0.845, 0.85), or computed in single precision; not a count."""
        if self.is_count:
            return self
        more = max(self.unit / 20, (2 * _USUAL_CLASSES + 16) * _SINGLE) if not self.floating else 200 * _SINGLE
        if not self.below:
            more += self.unit / 2
        return replace(self, below=self.below + more, above=self.above + more)

    def steps_of(self, interval: Interval) -> range:
        """Return the numbers of units that the values of an interval could be printed as."""
        low, high = interval
        if self.below == 0 < self.above:
            return range(math.floor(low / self.unit), math.floor(high / self.unit) + 1)
        first, last = math.ceil((low - self.above) / self.unit), math.floor((high + self.below) / self.unit)
        # Nothing below 0 is ever printed, nor a ratio above 1.
        return range(max(0, first), (last if self.is_count else min(last, int(1 / self.unit))) + 1)

    def shown(self, interval: Interval) -> str:
        """Print an interval on this figure's scale, its ends rounded outwards; one value if the ends are equal."""
        return shown_interval(interval, decimals=self.decimals, scale=self.scale)


def shown_interval(interval: Interval, *, decimals: int, scale: int) -> str:
    """Print an interval with two more decimals, its ends rounded outwards; one value if the ends are equal."""
    places = decimals + 2
    low, high = (end * scale * 10**places for end in interval)
    ends = [round(low)] if low == high else [math.floor(low), math.ceil(high)]
    return " to ".join(f"{Decimal(end).scaleb(-places):.{places}f}" for end in ends)


@lru_cache(maxsize=65_536)
def read_ratio(
    text: str,
    name: str,
    *,
    percent: bool,
    decimals: int | None = None,
    rounding: Rounding = "round",
    slack: Fraction | None = None,
) -> Figure:
    """Read a precision, recall, F1 or accuracy; `decimals` restores lost zeros, `slack` bounds the error of a float."""
    number, seen = plain_number(text, name)
    if decimals is not None and seen > decimals:
        problem = Message(f"{name} is {text!r}, with {seen} decimals, beside ", Argument("decimals", decimals))
        raise InputError(problem, expected=f"at least {seen}")
    places = seen if decimals is None else decimals
    if places > _MOST_DECIMALS:
        raise InputError(
            f"{name} is {text!r}, with {places} decimals", given=text, expected=f"at most {_MOST_DECIMALS}"
        )
    scale = 100 if percent else 1
    if number > scale:
        hint = "a percentage is at most 100" if percent else Message("percentages need ", Argument("percent", True))
        raise InputError(f"{name} is {text!r}", given=text, expected=f"a number from 0 to {scale}", hint=hint)
    unit = Fraction(1, scale * 10**places)
    below, above = _ZERO if rounding == "truncate" else unit / 2, unit / 2 if rounding == "round" else unit
    if slack is not None:
        below = above = unit / 2 + slack
    return Figure(name, text, int(number * 10**places), unit, places, scale, below, above, slack is not None)


def read_count(value: Any, name: str) -> Figure:
    """Read a number of rows, accepting thousands separators if they are unambiguous."""
    whole: int | None = None
    number: Any = value
    if isinstance(value, str) and len(text := value.strip()) < 40:
        if _FLOATED.fullmatch(text):
            whole = int(text.partition(".")[0])
        elif _GROUPED.fullmatch(text) and not re.fullmatch(r"[^.]*[1-9][^.]*\.000", text):
            # 3.532 and 3.000.000 can only be thousands; 3.000 could be 3.
            whole = int(re.sub(r"\D", "", text))
    elif isinstance(value, (numbers.Real, Decimal)) and not isinstance(value, bool):
        with contextlib.suppress(ArithmeticError):
            # The size first: Decimal("1e999999999") would take hours as an integer.
            whole = int(number) if abs(number) < 2**99 and int(number) == number else None
    if whole is None or whole < 0:
        expected = "a whole number of rows, such as 3532 or 3,532"
        raise CountError(f"{name} is {shown(value)}", given=value, expected=expected)
    return Figure(name, str(whole), whole, _ONE)


def decimals_of(text: str) -> int:
    """Count the decimals of a number as printed: 1 in "84,3 %"."""
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
        plain = [text.strip().rstrip("% ") for text in column.values()]
        keeps = any(text.endswith("0") and decimals_of(text) > 0 and not _WHOLE.fullmatch(text) for text in plain)
        if keeps and not in_full:
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


def significant_digits(text: str) -> int:
    """Count the significant digits of a printed number, trailing zeros too; 1.000000 has as many as 0.987654."""
    digits = re.sub(r"\D", "", re.split("[eE]", text)[0]).lstrip("0")
    return len(digits) - (digits.rstrip("0") == "1")


def float_slack(texts: Iterable[str], n_classes: int | None) -> Fraction | None:
    """Return how far the figures of a report may be from the exact values; None if none is printed in full."""
    long = [text for text in texts if significant_digits(text) >= FLOAT_DIGITS]
    if not long:
        return None
    doubles = [text for text in long if significant_digits(text) >= _DOUBLE_DIGITS]
    single = not doubles or any(map(_is_single, doubles))
    return (2 * (n_classes or _USUAL_CLASSES) + 16) * (_SINGLE if single else _DOUBLE)


def _is_single(text: str) -> bool:
    """Whether a long number is a 32-bit float printed with 64-bit precision: 0.9423076510429382."""
    value = float(min(number_or_zero(text)[0], Fraction(100)))  # a larger figure is rejected later
    return bool(struct.unpack("f", struct.pack("f", value))[0] == value)


def number_or_zero(value: Any) -> tuple[Fraction, int]:
    """Return a printed figure and its number of decimals; 0 if it is not a number, which the reader rejects later."""
    try:
        return plain_number(value)
    except InputError:
        return _ZERO, 0
