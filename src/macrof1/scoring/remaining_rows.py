"""Scores of the rows that remain without those of one gold class, as ``ignore_index`` leaves them out."""

from __future__ import annotations

import math
from operator import add, mul, sub, truediv
from typing import TYPE_CHECKING, Final

from macrof1.convention import DEFAULT
from macrof1.counts import ClassCounts, Number
from macrof1.scoring import macro
from macrof1.scoring.definitions import Value, Where, is_non_class
from macrof1.scoring.ratios import select

if TYPE_CHECKING:
    from macrof1.counting.confusion import Confusion

# With more classes than this, only the rows of classes that mean "none of the others" are left out.
_MOST_CLASSES: Final = 12


def values_without_rows(counts: ClassCounts, cells: Confusion) -> list[Value]:
    """Compute scores of the rows that remain without those of one gold class, as ``ignore_index`` leaves them out.

    Over the classes that the remaining rows have; and without the class itself, where it is still predicted.
    """
    base = select(counts, DEFAULT)
    found: list[Value] = []
    # Differences of real weights need not be 0 where they should be.
    if len(base) < 2 or counts.real:
        return found
    few = len(base) <= _MOST_CLASSES
    places = [place for place, label in enumerate(base.labels) if few or is_non_class(label)]
    if not places:
        return found
    recall = base.recall()
    sum_r, hits, n_gold = math.fsum(recall), sum(base.tp), sum(base.actual)
    for place, taken in zip(places, cells.predicted_for(places), strict=True):
        rest = n_gold - base.actual[place]
        if not rest:
            continue
        # The class itself has no hits and no weight any more. Any divisor will do for what has no hits.
        tp, actual = list(base.tp), list(base.actual)
        tp[place] = actual[place] = 0
        predicted = list(map(sub, base.predicted, taken))
        told = list(map(add, predicted, actual))
        halves = list(map(truediv, tp, _without_zeros(told)))
        f1, weighted = 2 * math.fsum(halves), 2 * math.fsum(map(mul, halves, actual)) / rest
        p, r = math.fsum(map(truediv, tp, _without_zeros(predicted))), sum_r - recall[place]
        twice, rows, n = 2 * (hits - base.tp[place]), sum(told), len(told) - told.count(0)
        where: Where = ("union", (), (base.labels[place],))
        found += (
            (f1 / n, "averaged_f1", where, 0),
            (macro.f_of_means(p / n, r / n), "f1_of_averages", where, 0),
            (weighted, "weighted_f1", where, 0),
            (twice / rows, "micro_f1", where, 0),
        )
        if predicted[place]:
            n, rows, where = n - 1, rows - predicted[place], ("union", where[2], where[2])
            found += (
                (f1 / n, "averaged_f1", where, 0),
                (macro.f_of_means(p / n, r / n), "f1_of_averages", where, 0),
                (twice / rows, "micro_f1", where, 0),
            )
    return found


def _without_zeros(numbers: list[Number]) -> list[Number]:
    return [number or 1 for number in numbers] if 0 in numbers else numbers
