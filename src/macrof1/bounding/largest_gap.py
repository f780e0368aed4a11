"""The largest gap that any classifier could have on a given gold distribution.

With g the gold counts, one label per row, and p the predicted ones, the gap grows with every true positive, so
tp = min(p, g); a matrix with these margins always exists. It remains to choose p, integers with sum N:

    gap = (2/n) · min over λ of Σ s (u - λ)²,   u = g / (g + p),   s = tp (1/p + 1/g).

A class with p >= g (a hub: recall 1) takes rows from classes with p <= g (sources: precision 1). The search tries
every number of hubs; a bound from Lagrange multipliers (λ for the mean, ν for the sum) says how much it can miss.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import Any

from macrof1.bounding.closed_forms import harmonic_mean
from macrof1.bounding.gap_search import MEET, climbed, float_gap, limit, starts
from macrof1.errors import CountError, EmptyError
from macrof1.message import shown
from macrof1.result import Result

# Up to this many ways to spread the predictions, all are tried: the answer is then proved by enumeration.
_MOST_ENUMERATED = 20_000
# Beyond this, the search takes too long.
_MOST_CLASSES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestGapResult(Result):
    """The largest gap found for a gold distribution, the matrix that has it, and a limit that none can exceed.

    Attributes
    ----------
    support
        Gold rows per class.
    predicted
        Predicted rows per class in the witness.
    gap
        The gap of the witness.
    limit
        No classifier on this gold distribution has a gap above this.
    exact
        Whether `gap` is the maximum: proved, or equal to the limit.
    reason
        Why it is exact, or that it is not known to be.
    averaged_f1, f1_of_averages
        Scores of the witness.
    """

    support: tuple[int, ...]
    predicted: tuple[int, ...]
    gap: float
    limit: float
    exact: bool
    reason: str
    averaged_f1: float
    f1_of_averages: float

    @property
    def cells(self) -> list[tuple[int, int, int]]:
        """The witness as ``(gold class, predicted class, rows)``, classes counted from 0."""
        found = [(x, x, min(g, p)) for x, (g, p) in enumerate(zip(self.support, self.predicted, strict=True)) if p]
        lost = [[x, g - p] for x, (g, p) in enumerate(zip(self.support, self.predicted, strict=True)) if g > p]
        # Sources give their lost rows to hubs in turn; no class is both, so nothing falls on the diagonal.
        for hub, (g, p) in enumerate(zip(self.support, self.predicted, strict=True)):
            room = p - g
            while room > 0:
                rows = min(room, lost[-1][1])
                found.append((lost[-1][0], hub, rows))
                lost[-1][1] -= rows
                room -= rows
                if not lost[-1][1]:
                    lost.pop()
        return sorted(found)

    def matrix(self) -> list[list[int]]:
        """Return the witness as a matrix with predictions as rows."""
        n = len(self.support)
        table = [[0] * n for _ in range(n)]
        for gold, pred, rows in self.cells:
            table[pred][gold] = rows
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types, with the cells of the witness."""
        names = ("gold", "predicted", "rows")
        return {**Result.to_dict(self), "cells": [dict(zip(names, cell, strict=True)) for cell in self.cells]}


def largest_gap(support: Iterable[int]) -> LargestGapResult:
    """Find the largest gap that any classifier could have on gold classes of these sizes, one label per row.

    Parameters
    ----------
    support
        Gold rows of each class, 1 or more.

    Notes
    -----
    Proved for two classes, and by enumeration for few rows; otherwise an attained value with an upper limit.

    Examples
    --------
    >>> found = largest_gap([1202, 2330])
    >>> round(found.gap, 4), found.exact, found.matrix()
    (0.3185, True, [[1202, 2329], [0, 1]])
    """
    gold = _checked(support)
    n, total = len(gold), sum(gold)
    if n == 1:
        return _result(gold, gold, highest=None, reason="one class has no gap")
    if n == 2:
        # One class is predicted once, the other takes the rest; decreasing in both ratios, so no other can be larger.
        first, second = (1, total - 1), (total - 1, 1)
        larger = first if _gap(gold, first) > _gap(gold, second) else second
        return _result(gold, larger, highest=None, reason="proved for two classes")
    if math.comb(total + n - 1, n - 1) <= _MOST_ENUMERATED:
        best = max(_compositions(total, n), key=lambda p: _gap(gold, p))
        return _result(gold, best, highest=None, reason="all ways to spread the predictions were tried")
    found = starts(gold)
    best = climbed(gold, max((start.predicted for start in found), key=lambda p: float_gap(gold, p)))
    return _result(gold, best, highest=limit(gold, found, float_gap(gold, best)), reason="the limit is met")


def _checked(support: Iterable[int]) -> tuple[int, ...]:
    gold = []
    for size in support:
        try:
            rows = index(size)
        except TypeError:
            rows = 0
        if rows < 1 or isinstance(size, bool):
            raise CountError(
                f"a class size of {shown(size)}",
                argument="support",
                given=size,
                expected="a whole number of gold rows, 1 or more per class",
            )
        gold.append(rows)
    if not gold:
        raise EmptyError.nothing("the support")
    if len(gold) > _MOST_CLASSES:
        raise CountError(f"{len(gold):,} classes", argument="support", expected=f"at most {_MOST_CLASSES:,}")
    if sum(gold) > 2**53:
        raise CountError(f"{shown(sum(gold))} gold rows", argument="support", expected="at most 2**53 in all")
    return tuple(gold)


def _result(gold: tuple[int, ...], predicted: Sequence[int], *, highest: float | None, reason: str) -> LargestGapResult:
    pairs = list(zip(gold, predicted, strict=True))
    # With very many classes, fractions would have denominators of as many digits; a sum of quotients is rounded once.
    precision = math.fsum(min(g, p) / p for g, p in pairs if p)
    recall = math.fsum(min(g, p) / g for g, p in pairs)
    value = float_gap(gold, predicted)
    met = highest is None or highest - value <= MEET
    return LargestGapResult(
        support=gold,
        predicted=tuple(map(int, predicted)),
        gap=value,
        limit=value if highest is None or met else highest,
        exact=met,
        reason=reason if met else "the search may have missed a larger one, at most the limit",
        averaged_f1=math.fsum(2 * min(g, p) / (g + p) for g, p in pairs) / len(gold),
        f1_of_averages=harmonic_mean(precision, recall) / len(gold),
    )


def _compositions(total: int, n: int) -> Iterable[tuple[int, ...]]:
    """Return all ways to spread predictions over classes."""
    for bars in itertools.combinations(range(total + n - 1), n - 1):
        edges = (-1, *bars, total + n - 1)
        yield tuple(right - left - 1 for left, right in itertools.pairwise(edges))


def _gap(gold: Sequence[int], predicted: Sequence[int]) -> Fraction:
    """Return the exact gap if as many predictions as possible are true."""
    precision = recall = f1 = Fraction()
    for g, p in zip(gold, predicted, strict=True):
        if p:
            precision += Fraction(min(g, p), p)
            recall += Fraction(min(g, p), g)
            f1 += Fraction(2 * min(g, p), g + p)
    return (2 * precision * recall / (precision + recall) - f1) / len(gold)
