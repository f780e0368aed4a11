"""The paper's own program: a confusion matrix as arguments, four lines out.

The paper prints a Haskell program that reads ``n`` and the n x n cells, row by row, predictions as rows.
This one prints the same lines in the same number format, in exact arithmetic. It deviates from the printed program
where that deviates from the paper's text: an undefined ratio is 0, not NaN; a wrong number of cells, a negative cell or
one beyond 63 bits is an error.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from macrof1.errors import CountError, counted

_MOST = 2**63 - 1


def run(arguments: Sequence[str]) -> list[str]:
    """Return the four lines for ``n`` and n² cells given as text.

    Examples
    --------
    >>> for line in run(["2", "100", "10000", "0", "100"]):
    ...     print(line)
    ("macroF1 benevolent",0.504950495049505)
    ("macroF1 non-benevolent",1.96078431372549e-2)
    ("delta",0.48534265191225007)
    ("delta calculated",0.48534265191225007)
    """
    cells = _cells(arguments)
    n = len(cells)
    tp = [cells[x][x] for x in range(n)]
    precision = [_over(tp[x], sum(cells[x])) for x in range(n)]
    recall = [_over(tp[x], sum(row[x] for row in cells)) for x in range(n)]
    of_averages = _harmonic(sum(precision, Fraction()) / n, sum(recall, Fraction()) / n)
    averaged = sum(map(_harmonic, precision, recall), Fraction()) / n
    results = {
        "macroF1 benevolent": of_averages,
        "macroF1 non-benevolent": averaged,
        "delta": of_averages - averaged,
        "delta calculated": _lemma(precision, recall),
    }
    return [f'("{name}",{haskell_double(float(value))})' for name, value in results.items()]


def _over(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction()


def _harmonic(p: Fraction, r: Fraction) -> Fraction:
    return 2 * p * r / (p + r) if p + r else Fraction()


def _lemma(precision: list[Fraction], recall: list[Fraction]) -> Fraction:
    """Sum over pairs of classes, as in the paper's Lemma; classes with P = R = 0 contribute nothing."""
    sums = [p + r for p, r in zip(precision, recall, strict=True)]
    total = Fraction()
    for x, y in itertools.combinations([x for x, s in enumerate(sums) if s], 2):
        total += (precision[x] * recall[y] - precision[y] * recall[x]) ** 2 / (sums[x] * sums[y])
    return 2 * total / (len(sums) * sum(sums)) if total else total


def _cells(arguments: Sequence[str]) -> list[list[int]]:
    for text in arguments:
        if not re.fullmatch(r"\d+", text, re.ASCII):
            raise CountError(
                f"{text!r} is not a count", given=text, expected="whole numbers, 0 or larger (n, then the n x n cells)"
            )
    n, *flat = map(int, arguments)
    if n < 1:
        raise CountError(f"n is {n}", given=n, expected="at least 1 class")
    if len(flat) != n * n:
        raise CountError(
            f"{counted(len(flat), 'cell')} for n = {n}",
            given=len(flat),
            expected=f"{n} x {n} = {n * n}, row by row, predictions as rows",
        )
    if sum(flat) > _MOST:
        raise CountError(f"the cells sum to {sum(flat)}", expected=f"a total of at most 2**63 - 1 = {_MOST:,}")
    return [flat[start : start + n] for start in range(0, n * n, n)]


def haskell_double(value: float) -> str:
    """Print a float as Haskell's ``show`` does: decimal from 0.1 to 10⁷, scientific otherwise.

    Examples
    --------
    >>> haskell_double(0.5), haskell_double(0.0196078431372549), haskell_double(0.0)
    ('0.5', '1.96078431372549e-2', '0.0')
    """
    if value == 0:
        return "0.0"
    if 0.1 <= abs(value) < 1e7:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *rest = digits
    assert isinstance(exponent, int)  # the value is finite
    mantissa = "".join(map(str, rest)) or "0"
    return f"{'-' if sign else ''}{first}.{mantissa}e{exponent + len(rest)}"
