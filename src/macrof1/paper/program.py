"""The paper's own program: a confusion matrix as arguments, four lines out.

The paper prints a Haskell program that reads ``n`` and the n x n cells, row by row, predictions as rows.
This one prints the same lines in the same number format, in exact arithmetic. It deviates from the printed program
where that deviates from the paper's text: an undefined ratio is 0, not NaN; a wrong number of cells, a negative cell or
one beyond 63 bits is an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from macrof1.errors import CountError, counted
from macrof1.paper.exact import ExactScores

_MOST = 2**63 - 1
_MOST_DIGITS = 30


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
    exact = ExactScores.of_matrix(_cells(arguments))
    results = {
        "macroF1 benevolent": exact.f1_of_averages,
        "macroF1 non-benevolent": exact.averaged_f1,
        "delta": exact.gap,
        "delta calculated": exact.lemma,
    }
    return [f'("{name}",{haskell_double(float(value))})' for name, value in results.items()]


def _cells(arguments: Sequence[str]) -> list[list[int]]:
    for text in arguments:
        if not re.fullmatch(r"\d+", text, re.ASCII):
            raise CountError(
                f"{text!r} is not a count", given=text, expected="whole numbers, 0 or larger (n, then the n x n cells)"
            )
    longest = max(map(len, arguments), default=0)
    if longest > _MOST_DIGITS:
        raise CountError(f"a number of {longest:,} digits", expected=f"counts of at most {_MOST_DIGITS} digits")
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
