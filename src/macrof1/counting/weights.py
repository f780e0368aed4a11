"""Valid row weights, wherever they come from: finite numbers, 0 or larger; integers add up exactly."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from macrof1.counts import EXACT_FLOAT, exact_sum
from macrof1.errors import CountError
from macrof1.reading.numbers import decimal_mark, is_number

_PLAIN_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def checked_weight(value: Any, *, text: bool) -> int | Fraction:
    """Return the weight of a row exactly; in text, a comma is decimal, and refused where it could mean thousands.

    Examples
    --------
    >>> checked_weight("3", text=True), checked_weight("0,5", text=True)
    (3, Fraction(1, 2))
    """
    number: int | float = math.nan
    if text and isinstance(value, str):
        if "," in value and is_number(value) and decimal_mark([value], local=True) == ",":
            value = value.replace(",", ".")
        if _PLAIN_NUMBER.fullmatch(value):
            number = int(value) if value.isdecimal() and len(value) < 4000 else float(value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        number = value
    if not 0 <= number < math.inf:
        raise _bad_weight(f"the weight is {value!r}")
    if isinstance(number, int) or number.is_integer():
        return int(number)
    return Fraction(number)


def checked_count(value: Any) -> int:
    """Return how many rows a line stands for; whole numbers with decimals, as pandas writes them, are taken.

    Examples
    --------
    >>> checked_count("12"), checked_count(3.0)
    (12, 3)
    """
    number = math.nan
    if isinstance(value, str):
        number = float(value) if _PLAIN_NUMBER.fullmatch(value) else math.nan
        if value.isdecimal() and value.isascii() and len(value) < 19:
            return int(value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        number = value
    if not 0 <= number < 2**63 or number != int(number):
        raise CountError(
            f"the count is {value!r}",
            argument="count",
            given=value,
            expected="a whole number, 0 or larger, in every row",
        )
    return int(number)


def weighted_sum(weights: Sequence[tuple[int | Fraction, int]], where: str) -> int | float:
    """Return the sum of weights, each taken some times, rounded once.

    Examples
    --------
    >>> weighted_sum([(3, 2), (1, 1)], "w"), weighted_sum([(Fraction(1, 10), 3), (1, 1)], "w")
    (7, 1.3)
    """
    if all(isinstance(weight, int) for weight, _ in weights):
        return sum(int(weight) * times for weight, times in weights)
    terms: list[float] = []
    try:
        for weight, times in weights:
            terms.append(float(weight * times))
            if times > 1 or isinstance(weight, int):
                terms.append(float(weight * times - Fraction(terms[-1])))  # what rounding has lost
        return math.fsum(terms)
    except OverflowError:
        raise CountError(f"{where}: the weights sum to infinity", expected="a finite total") from None


@dataclass(frozen=True, slots=True)
class WeightSums:
    """What a group-by must return about the weights of one cell, so that no bad weight hides in a sum.

    `total` is exact if the column holds integers, and summed in double precision if it holds reals;
    `approximate` is the double-precision sum, or an upper bound on the sum: it reveals an overflow.
    """

    total: Any
    approximate: float
    least: Any
    most: Any
    n_null: int
    n_fractions: int


def weight_amounts(sums: Sequence[WeightSums], where: str) -> list[int | float]:
    """Return one amount per cell: integers if every weight is one, else reals; reject bad weights."""
    n_null = sum(part.n_null for part in sums)
    if n_null:
        raise _bad_weight(f"{where}: {'1 row has' if n_null == 1 else f'{n_null:,} rows have'} no number as weight")
    bounds = [float(bound) for part in sums for bound in (part.least, part.most, part.approximate)]
    least = min((part.least for part in sums), default=0)
    if not all(map(math.isfinite, bounds)) or least < 0:
        raise _bad_weight(f"{where}: found {'NaN or infinity' if not least < 0 else least}")
    if any(part.n_fractions for part in sums):
        return [float(part.total) for part in sums]
    total = exact_sum([part.approximate for part in sums])
    if any(isinstance(part.total, float) for part in sums):
        if total > EXACT_FLOAT:
            raise CountError(
                f"{where}: whole weights in a column of reals sum to more than 2**53, where they are no longer exact",
                argument="weight",
                expected="a column of integers, or smaller weights",
            )
    elif total >= 2.0**63:
        raise too_heavy(where)
    return [int(part.total) for part in sums]


def too_heavy(where: str) -> CountError:
    """Report weights whose sum does not fit in a 64-bit integer."""
    return CountError(
        f"{where}: the weights, or their sum, are or could be more than 2**63 - 1",
        argument="weight",
        expected="a total that fits 63 bits",
    )


def _bad_weight(problem: str) -> CountError:
    return CountError(problem, argument="weight", expected="a finite number, 0 or larger, in every row")
