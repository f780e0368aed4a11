"""Check the paper's Lemma and theorems on all small matrices, in exact arithmetic.

Both macro F1s depend only on (tp, predicted, actual) of the classes, in any order: matrices that share these are
checked once and counted with their multiplicity.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from macrof1.bounding.closed_forms import approaching_gap, gap_supremum
from macrof1.paper.program import ExactScores, Margins, margins_of


def check_all(n: int, most: int) -> dict[str, Any]:
    """Check every n x n matrix with cells 0 … most; return the number of violations and smallest counter-examples.

    The paper's Theorem 2 says that three statements are equivalent: (i) the gap is positive; (ii) precision and recall
    differ in some class; (iii) some class has higher precision and some class higher recall.
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


def sequences(numbers: Sequence[int], powers: Sequence[int]) -> list[dict[str, Any]]:
    """Return Theorem 3's matrices with 10^k rows moved, their gap, and its distance to the supremum."""
    rows = []
    for n, power in itertools.product(numbers, powers):
        gap, supremum = approaching_gap(n, 10**power), gap_supremum(n)
        numbers_of_it = {"gap": gap, "supremum": supremum, "distance": supremum - gap}
        rows.append({"n": n, "rows_moved": 10**power, **{key: float(value) for key, value in numbers_of_it.items()}})
    return rows
