"""The paper's own program, tables and theorems, in exact fractions.

The paper prints a Haskell program that reads ``n`` and the n x n cells, row by row, predictions as rows, and prints
four lines. `run` prints the same lines in the same number format. It deviates from the printed program where that
deviates from the paper's text: an undefined ratio is 0, not NaN; a wrong number of cells, a negative cell or one beyond
63 bits is an error.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from macrof1.bounding.closed_forms import gap_supremum, harmonic_mean
from macrof1.errors import CountError, counted

Margins: TypeAlias = tuple[tuple[int, int, int], ...]
"""(tp, predicted, actual) of every class."""

_MOST = 2**63 - 1
_MOST_DIGITS = 30

TABLES: dict[str, tuple[tuple[int, ...], ...]] = {
    "Table 1": ((5, 10), (5, 10)),
    "Table 2": ((1, 1), (9, 19)),
    "Table 3": ((100, 10_000), (0, 100)),
    "Table 4": ((100, 5_000), (5_000, 100)),
}
"""Predictions as rows. Table 2 is the only matrix with the gold sizes of Table 1, 10 and 20, and the printed scores."""

_PRINTED_RUNS = {
    "Table 3": (
        '("macroF1 benevolent",0.504950495049505)',
        '("macroF1 non-benevolent",1.96078431372549e-2)',
        '("delta",0.48534265191225007)',
        '("delta calculated",0.48534265191225007)',
    ),
    "Table 4": (
        '("macroF1 benevolent",1.96078431372549e-2)',
        '("macroF1 non-benevolent",1.96078431372549e-2)',
        '("delta",0.0)',
        '("delta calculated",0.0)',
    ),
}


@dataclass(frozen=True, slots=True)
class ExactScores:
    """Per-class precision and recall as fractions, and what follows from them by the paper's definitions."""

    precision: tuple[Fraction, ...]
    recall: tuple[Fraction, ...]

    @classmethod
    def of(cls, margins: Sequence[tuple[int, int, int]]) -> ExactScores:
        """Take (tp, predicted, actual) of every class; undefined ratios are 0, as the paper says."""
        return cls(
            tuple(Fraction(t, p) if p else Fraction() for t, p, _ in margins),
            tuple(Fraction(t, g) if g else Fraction() for t, _, g in margins),
        )

    @classmethod
    def of_matrix(cls, matrix: Sequence[Sequence[int]]) -> ExactScores:
        """Take a matrix with predictions as rows."""
        return cls.of(margins_of(matrix))

    @property
    def averaged_f1(self) -> Fraction:
        """Mean of the per-class F1 scores."""
        return sum(map(harmonic_mean, self.precision, self.recall), Fraction()) / len(self.precision)

    @property
    def f1_of_averages(self) -> Fraction:
        """Harmonic mean of macro precision and macro recall."""
        return harmonic_mean(sum(self.precision, Fraction()), sum(self.recall, Fraction())) / len(self.precision)

    @property
    def gap(self) -> Fraction:
        """F1 of averages minus averaged F1."""
        return self.f1_of_averages - self.averaged_f1

    @property
    def lemma(self) -> Fraction:
        """The gap as given by the paper's Lemma: a sum over pairs of classes."""
        some = [(p, r) for p, r in zip(self.precision, self.recall, strict=True) if p + r]
        pairs = sum(
            ((p * s - q * r) ** 2 / ((p + r) * (q + s)) for (p, r), (q, s) in itertools.combinations(some, 2)),
            Fraction(),
        )
        return 2 * pairs / (len(self.precision) * sum(p + r for p, r in some)) if pairs else Fraction()


def margins_of(matrix: Sequence[Sequence[int]]) -> Margins:
    """Return (tp, predicted, actual) of every class of a matrix with predictions as rows."""
    return tuple((matrix[x][x], sum(matrix[x]), sum(row[x] for row in matrix)) for x in range(len(matrix)))


def run(arguments: Sequence[str]) -> list[str]:
    """Return the four lines for ``n`` and n² cells given as text."""
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
        cells = counted(len(flat), "cell")
        raise CountError(
            f"{cells} for n = {n}", given=len(flat), expected=f"{n} x {n} = {n * n}, row by row, predictions as rows"
        )
    if sum(flat) > _MOST:
        raise CountError(f"the cells sum to {sum(flat)}", expected=f"a total of at most 2**63 - 1 = {_MOST:,}")
    return [flat[start : start + n] for start in range(0, n * n, n)]


def haskell_double(value: float) -> str:
    """Print a float as Haskell's ``show`` does: decimal from 0.1 to 10⁷, scientific otherwise."""
    if value == 0:
        return "0.0"
    if 0.1 <= abs(value) < 1e7:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *rest = digits
    assert isinstance(exponent, int)  # the value is finite
    mantissa = "".join(map(str, rest)) or "0"
    return f"{'-' if sign else ''}{first}.{mantissa}e{exponent + len(rest)}"


def table_scores() -> list[dict[str, Any]]:
    """Return both macro F1s of the paper's four tables, as fractions and as decimals."""
    rows: list[dict[str, Any]] = []
    for name, matrix in TABLES.items():
        exact = ExactScores.of_matrix(matrix)
        scores = {key: getattr(exact, key) for key in ("averaged_f1", "f1_of_averages", "gap")}
        rows.append(
            {
                "table": name,
                "matrix": str([list(row) for row in matrix]),
                **{key: str(value) for key, value in scores.items()},
                **{f"{key}_decimal": float(value) for key, value in scores.items()},
            }
        )
    return rows


def program_runs() -> list[dict[str, Any]]:
    """Run the program on the two tables shown in the paper, and compare the output line by line."""
    rows: list[dict[str, Any]] = []
    for name, printed in _PRINTED_RUNS.items():
        matrix = TABLES[name]
        arguments = [str(len(matrix)), *(str(cell) for row in matrix for cell in row)]
        rows += [
            {"table": name, "arguments": " ".join(arguments), "printed": line, "ours": ours, "same": line == ours}
            for line, ours in zip(printed, run(arguments), strict=True)
        ]
    return rows


def check_all(n: int, most: int) -> dict[str, Any]:
    """Check the Lemma and the theorems on every n x n matrix with cells 0 … most; count violations, give examples.

    Both macro F1s depend only on (tp, predicted, actual) of the classes, in any order: matrices that share these are
    checked once and counted with their multiplicity.
    """
    times: Counter[Margins] = Counter()
    smallest: dict[Margins, list[list[int]]] = {}
    for flat in itertools.product(range(most + 1), repeat=n * n):
        matrix = [list(flat[start : start + n]) for start in range(0, n * n, n)]
        margins = tuple(sorted(margins_of(matrix)))
        times[margins] += 1
        # product() does not start with the fewest rows, but matrices with the same margins have equally many.
        smallest.setdefault(margins, matrix)

    found: Counter[str] = Counter()
    refuting: list[Margins] = []
    one_sided: list[Margins] = []
    largest, supremum = Fraction(), gap_supremum(n)
    for margins, count in times.items():
        exact = ExactScores.of(margins)
        gap = exact.gap
        largest = max(largest, gap)
        leanings = {p > r for p, r in zip(exact.precision, exact.recall, strict=True) if p != r}
        ratios = {Fraction(g, p) for t, p, g in margins if t}
        # Theorem 2: the gap is positive; P and R differ somewhere; each is the higher one somewhere: equivalent.
        refuted = len({gap > 0, len(leanings) > 0, len(leanings) == 2}) > 1
        violated = {
            "theorem_1_violations": gap < 0,
            "lemma_violations": gap != exact.lemma,
            "theorem_2_violations": refuted,
            "theorem_2_violations_all_tp_positive": refuted and all(t for t, _, _ in margins),
            "theorem_2_corrected_violations": (gap > 0) != (len(ratios) > 1),
            "theorem_3_violations": gap > supremum or (n > 1 and gap == supremum),
        }
        found.update({name: count * is_so for name, is_so in violated.items()})
        refuting += [margins] if refuted else []
        one_sided += [margins] if gap > 0 and len(leanings) < 2 else []

    def example(those: list[Margins]) -> list[list[int]] | None:
        """Return the matrix with the fewest rows."""
        return smallest[min(those, key=lambda one: (sum(p for _, p, _ in one), one))] if those else None

    return {
        "n": n,
        "most": most,
        "matrices": times.total(),
        **found,
        "largest_gap": str(largest),
        "supremum": str(supremum),
        "theorem_2_counterexample": example(refuting),
        "theorem_2_positive_gap_one_sided": example(one_sided),
    }
