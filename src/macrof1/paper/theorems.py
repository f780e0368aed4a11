"""Check the paper's Lemma and theorems on all small matrices, in exact arithmetic.

Both macro F1s depend only on (tp, predicted, actual) of the classes, in any order: matrices that share these are
checked once and counted with their multiplicity.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from macrof1.bounding.closed_forms import gap_supremum
from macrof1.bounding.witness import approaching_gap
from macrof1.paper.exact import ExactScores, Margins, margins_of

Matrix: TypeAlias = tuple[tuple[int, ...], ...]


def _matrices(n: int, most: int) -> Iterator[Matrix]:
    for flat in itertools.product(range(most + 1), repeat=n * n):
        yield tuple(flat[start : start + n] for start in range(0, n * n, n))


def check_all(n: int, most: int) -> dict[str, Any]:
    """Check every n x n matrix with cells 0 … most; return the number of violations and smallest counter-examples.

    The paper's Theorem 2 says that three statements are equivalent: (i) the gap is positive; (ii) precision and recall
    differ in some class; (iii) some class has higher precision and some class higher recall.
    """
    times: Counter[Margins] = Counter()
    smallest: dict[Margins, Matrix] = {}
    for matrix in _matrices(n, most):
        margins = tuple(sorted(margins_of(matrix)))
        times[margins] += 1
        # product() does not start with the fewest rows, but matrices with the same margins have equally many.
        smallest.setdefault(margins, matrix)

    found: Counter[str] = Counter()
    example: Margins | None = None
    one_sided: Margins | None = None
    largest = Fraction()
    for margins, count in times.items():
        exact = ExactScores.of(margins)
        gap = exact.gap
        largest = max(largest, gap)
        leanings = {p > r for p, r in zip(exact.precision, exact.recall, strict=True) if p != r}
        ratios = {Fraction(g, p) for t, p, g in margins if t}
        refuted = len({gap > 0, len(leanings) > 0, len(leanings) == 2}) > 1
        violated = {
            "theorem_1_violations": gap < 0,
            "lemma_violations": gap != exact.lemma,
            "theorem_2_violations": refuted,
            "theorem_2_violations_all_tp_positive": refuted and all(t for t, _, _ in margins),
            "theorem_2_corrected_violations": (gap > 0) != (len(ratios) > 1),
            "theorem_3_violations": gap > gap_supremum(n) or (n > 1 and gap == gap_supremum(n)),
        }
        found.update({name: count * is_so for name, is_so in violated.items()})
        if refuted:
            example = min(filter(None, [example, margins]), key=_size)
        if gap > 0 and len(leanings) < 2:
            one_sided = min(filter(None, [one_sided, margins]), key=_size)
    return {
        "n": n,
        "most": most,
        "matrices": times.total(),
        **found,
        "largest_gap": str(largest),
        "supremum": str(gap_supremum(n)),
        "theorem_2_counterexample": None if example is None else [list(row) for row in smallest[example]],
        "theorem_2_positive_gap_one_sided": None if one_sided is None else [list(row) for row in smallest[one_sided]],
    }


def _size(margins: Margins) -> tuple[int, Margins]:
    """Order examples by their number of rows."""
    return sum(p for _, p, _ in margins), margins


def sequences(numbers: Sequence[int], powers: Sequence[int]) -> list[dict[str, Any]]:
    """Return Theorem 3's matrices with 10^k rows moved, their gap, and its distance to the supremum."""
    rows = []
    for n in numbers:
        for power in powers:
            gap = approaching_gap(n, 10**power)
            rows.append(
                {
                    "n": n,
                    "rows_moved": 10**power,
                    "gap": float(gap),
                    "supremum": float(gap_supremum(n)),
                    "distance": float(gap_supremum(n) - gap),
                }
            )
    return rows
