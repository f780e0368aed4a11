"""The largest gap that any classifier could have on a given gold distribution, or with any: data that has it.

With g the gold counts, one label per row, and p the predicted ones, the gap grows with every true positive, so
tp = min(p, g); a matrix with these margins always exists. It remains to choose p, integers with sum N:

    gap = (2/n) · min over λ of Σ s (u - λ)²,   u = g / (g + p),   s = tp (1/p + 1/g).

A class with p >= g (a hub: recall 1) takes rows from classes with p <= g (sources: precision 1). The search tries
every number of hubs; a bound from Lagrange multipliers (λ for the mean, ν for the sum) says how much it can miss.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from macrof1.bounding import closed_forms
from macrof1.bounding.closed_forms import Score
from macrof1.errors import CountError, EmptyError, InputError
from macrof1.message import shown
from macrof1.result import Result

# Up to this many ways to spread the predictions, all are tried: the answer is then proved by enumeration.
_MOST_ENUMERATED = 20_000
# Beyond this, the search takes too long.
_MOST_CLASSES = 1_000_000
# With more classes than this, only some numbers of hubs are tried, and one limit serves all of them.
_MANY = 40
# Distinct class sizes times numbers of hubs: fewer numbers are tried if there are very many sizes.
_MOST_WORK = 20_000
# Beyond this many classes, moving single rows is not worth the time.
_MOST_CLIMBED = 20
# Numbers that agree to within this count as equal.
_MEET = 1e-9
# An upper bound on the rounding error of a few thousand float operations.
_ROUNDING = 1e-12


Cell: TypeAlias = tuple[int, int, int]
"""(gold class, predicted class, rows), classes counted from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attained(Result):
    """A confusion matrix that has a large gap, as its cells."""

    gap: float
    cells: Sequence[Cell] = field(repr=False)

    def matrix(self) -> list[list[int]]:
        """Return the cells as a matrix with predictions as rows."""
        return as_matrix(self.cells)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types, with the cells of the witness."""
        names = ("gold", "predicted", "rows")
        return {**Result.to_dict(self), "cells": [dict(zip(names, cell, strict=True)) for cell in self.cells]}


def as_matrix(cells: Sequence[Cell]) -> list[list[int]]:
    """Return cells as a matrix with predictions as rows."""
    n = 1 + max(gold for gold, _, _ in cells)
    table = [[0] * n for _ in range(n)]
    for gold, pred, rows in cells:
        table[pred][gold] = rows
    return table


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessResult(_Attained):
    """A confusion matrix whose gap is close to the supremum."""

    _keys = ("n_classes", "supremum", "closeness", "gap")

    n_classes: int
    supremum: float
    closeness: float


def witness(n_classes: int, *, closeness: Score = 0.001) -> WitnessResult:
    """Return a confusion matrix whose gap is within a given distance of the supremum (the paper's Theorem 3)."""
    n = closed_forms.checked_n_classes(n_classes)
    close = closed_forms.checked_number(closeness, "closeness")
    if not 0 < close < 1:
        raise InputError.bad_value("closeness", closeness, expected="a distance to the supremum above 0 and below 1")
    supremum = closed_forms.gap_supremum(n)
    # The means of precision and recall only grow beyond their limits, and no F1 exceeds 2 / (2 + rows).
    low, rows = 0, math.ceil(2 / close)
    while rows - low > 1:
        middle = (low + rows) // 2
        low, rows = (middle, rows) if supremum - closed_forms.approaching_gap(n, middle) > close else (low, middle)
    return WitnessResult(
        n_classes=n,
        supremum=float(supremum),
        closeness=float(close),
        gap=float(closed_forms.approaching_gap(n, rows)),
        cells=approaching_cells(n, rows),
    )


def approaching_cells(n: int, rows: int) -> list[Cell]:
    """Return the cells of the matrix with `approaching_gap`: all true positives are 1."""
    hubs = n // 2
    return sorted([(x, x, 1) for x in range(n)] + [(x, x % hubs, rows) for x in range(hubs, n) if hubs])


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestGapResult(_Attained):
    """The largest gap found for a gold distribution, the matrix that has it, and a limit that none can exceed.

    Attributes
    ----------
    support, predicted
        Gold rows per class, and predicted rows per class in the witness.
    gap, averaged_f1, f1_of_averages
        Of the witness.
    limit
        No classifier on this gold distribution has a gap above this.
    exact, reason
        Whether `gap` is the maximum: proved, or equal to the limit; and why, or that it is not known to be.
    cells
        The witness as ``(gold class, predicted class, rows)``, classes counted from 0.
    """

    _keys = ("support", "predicted", "gap", "limit", "exact", "reason", "averaged_f1", "f1_of_averages")

    support: tuple[int, ...]
    predicted: tuple[int, ...]
    limit: float
    exact: bool
    reason: str
    averaged_f1: float
    f1_of_averages: float


def largest_gap(support: Iterable[int]) -> LargestGapResult:
    """Find the largest gap that any classifier could have on gold classes of these sizes, one label per row.

    Parameters
    ----------
    support
        Gold rows of each class, 1 or more.

    Notes
    -----
    Proved for two classes, and by enumeration for few rows; otherwise an attained value with an upper limit.
    """
    gold = _checked(support)
    n, total = len(gold), sum(gold)
    if n == 1:
        return _result(gold, gold, reason="one class has no gap")
    if n == 2:
        # One class is predicted once, the other takes the rest; decreasing in both ratios, so no other can be larger.
        larger = max((total - 1, 1), (1, total - 1), key=lambda p: float_gap(gold, p))
        return _result(gold, larger, reason="proved for two classes")
    if math.comb(total + n - 1, n - 1) <= _MOST_ENUMERATED:
        most = max(_compositions(total, n), key=lambda p: float_gap(gold, p))
        return _result(gold, most, reason="all ways to spread the predictions were tried")
    starts = _starts(gold)
    start = max(starts.values(), key=lambda p: float_gap(gold, p))
    best = _climbed(gold, start)
    if n > _MANY:
        highest = _lowest_limit(gold, None, start, float_gap(gold, best))
    else:
        highest = float_gap(gold, best)
        for hubs, start in starts.items():
            # Only the worst number of hubs counts: the others can stop as soon as they are below it.
            highest = max(highest, _lowest_limit(gold, hubs, start, highest))
    return _result(gold, best, highest=highest, reason="the limit is met")


def _checked(support: Iterable[int]) -> tuple[int, ...]:
    gold = []
    for size in CountError.listed("support", support):
        rows = closed_forms.whole_number(size)
        if rows is None or rows < 1:
            expected = "a whole number of gold rows, 1 or more per class"
            raise CountError(f"a class size of {shown(size)}", argument="support", given=size, expected=expected)
        gold.append(rows)
    if not gold:
        raise EmptyError.nothing("the support")
    if len(gold) > _MOST_CLASSES:
        raise CountError(f"{len(gold):,} classes", argument="support", expected=f"at most {_MOST_CLASSES:,}")
    if sum(gold) > 2**53:
        raise CountError(f"{shown(sum(gold))} gold rows", argument="support", expected="at most 2**53 in all")
    return tuple(gold)


def _result(
    gold: tuple[int, ...], predicted: Sequence[int], *, highest: float | None = None, reason: str
) -> LargestGapResult:
    pairs = list(zip(gold, predicted, strict=True))
    # With very many classes, fractions would have denominators of as many digits; a sum of quotients is rounded once.
    precision = math.fsum(min(g, p) / p for g, p in pairs if p)
    recall = math.fsum(min(g, p) / g for g, p in pairs)
    value = float_gap(gold, predicted)
    met = highest is None or highest - value <= _MEET
    cells = [(x, x, min(g, p)) for x, (g, p) in enumerate(pairs) if p]
    lost = [[x, g - p] for x, (g, p) in enumerate(pairs) if g > p]
    # Sources give their lost rows to hubs in turn; no class is both, so nothing falls on the diagonal.
    for hub, (g, p) in enumerate(pairs):
        room = p - g
        while room > 0:
            rows = min(room, lost[-1][1])
            cells.append((lost[-1][0], hub, rows))
            lost[-1][1] -= rows
            room -= rows
            if not lost[-1][1]:
                lost.pop()
    return LargestGapResult(
        cells=sorted(cells),
        support=gold,
        predicted=tuple(predicted),
        gap=value,
        limit=value if highest is None or met else highest,
        exact=met,
        reason=reason if met else "the search may have missed a larger one, at most the limit",
        averaged_f1=math.fsum(2 * min(g, p) / (g + p) for g, p in pairs) / len(gold),
        f1_of_averages=closed_forms.harmonic_mean(precision, recall) / len(gold),
    )


def _compositions(total: int, n: int) -> Iterable[tuple[int, ...]]:
    for bars in itertools.combinations(range(total + n - 1), n - 1):
        edges = (-1, *bars, total + n - 1)
        yield tuple(right - left - 1 for left, right in itertools.pairwise(edges))


def float_gap(gold: Sequence[int], predicted: Sequence[int]) -> float:
    """Return the gap of given margins as a weighted variance."""
    parts = _parts(gold, predicted)
    centre = _centre(parts)
    return 2 * math.fsum(s * (u - centre) ** 2 for s, u in parts) / len(gold)


def _parts(gold: Sequence[int], predicted: Sequence[int]) -> list[tuple[float, float]]:
    return [(_weight(g, p), g / (g + p)) for g, p in zip(gold, predicted, strict=True) if p]


def _centre(parts: Sequence[tuple[float, float]]) -> float:
    return math.fsum(s * u for s, u in parts) / math.fsum(s for s, _ in parts)


def _weight(g: float, p: float) -> float:
    """Return the precision plus recall of a class with as many true positives as possible."""
    return (p + g) / max(g, p)


def _starts(gold: Sequence[int]) -> dict[int, list[int]]:
    """For each number of hubs to try, make the smallest classes hubs, and predict each of the others once.

    The slope of a hub's part falls about like g / p², so equal slopes need p in proportion to √g.
    """
    n, found = len(gold), {}
    order = sorted(range(n), key=gold.__getitem__)
    tries = max(5, min(_MANY, _MOST_WORK // len(set(gold))))
    for k in sorted({round(1 + step * (n - 2) / (tries - 1)) for step in range(tries)}):
        hubs, room = order[:k], sum(gold) - (n - k)
        predicted = [1] * n
        # From the largest hub down: what a hub takes for itself is not shared.
        share = math.fsum(math.sqrt(gold[place]) for place in hubs)
        for place in reversed(hubs):
            root = math.sqrt(gold[place])
            predicted[place] = max(gold[place], round(room * root / share)) if share > root else room
            room, share = room - predicted[place], share - root
        found[k] = predicted
    return found


def _climbed(gold: Sequence[int], predicted: Sequence[int]) -> list[int]:
    """Move predictions from class to class while the gap grows; steps halve down to 1."""
    p = list(predicted)
    step = max(p) if len(gold) <= _MOST_CLIMBED else 0
    while step:
        trials = []
        for giver, taker in itertools.permutations(range(len(gold)), 2):
            trial, rows = list(p), min(step, p[giver])
            trial[giver], trial[taker] = p[giver] - rows, p[taker] + rows
            trials.append(trial)
        best = max(trials, key=lambda trial: float_gap(gold, trial))
        if float_gap(gold, best) > float_gap(gold, p) + 1e-15:
            p = best
        else:
            step //= 2
    return p


def _lowest_limit(gold: Sequence[int], hubs: int | None, predicted: Sequence[int], enough: float) -> float:
    """Return an upper limit for the gap with so many hubs, or any number; lowered from the multipliers of good choices.

    For every centre λ and price ν, no choice exceeds (2/n) [ν N + Σ max(source, hub)]; with exactly k hubs none exceeds
    (2/n) [ν N + Σ source + the k largest (hub - source)]. Both are convex in λ and ν, so a pattern search lowers them;
    every value along the way is a limit, so it can stop as soon as one is low enough.
    """
    total, n, sizes = sum(gold), len(gold), Counter(gold)

    def at(lam: float, nu: float) -> float:
        sources, more = [], []
        for g, count in sizes.items():
            source, hub = most_added(g, lam, nu, total)
            sources.append(count * source)
            more += [count * max(hub - source, 0.0)] if hubs is None else [hub - source] * count
        chosen = more if hubs is None else sorted(more)[n - hubs :]
        return 2 * (nu * total + math.fsum(sources) + math.fsum(chosen)) / n + _ROUNDING

    g, p = min(zip(gold, predicted, strict=True))
    centre = _centre(_parts(gold, predicted))
    price = max(0.0, g / (g + p) ** 2 - (1 - centre) ** 2 * g / p**2)
    best, step, unit = at(centre, price), 0.1, 3 * max(price, 1 / total)
    while step > 1e-6 and best > enough + 2 * _ROUNDING:
        around = itertools.product(
            (centre - step, centre, centre + step), (price - step * unit, price, price + step * unit)
        )
        lowest, centre, price = min((at(lam, nu), lam, nu) for lam, nu in around)
        if lowest == best:
            step /= 2
        best = lowest
    return best


def most_added(g: int, centre: float, price: float, total: int) -> tuple[float, float]:
    """Return the most that a class can add as a source and as a hub, less the price of its predictions."""

    def value(p: int) -> float:
        return _weight(g, p) * (g / (g + p) - centre) ** 2 - price * p

    # As a source the value is convex in p, so an endpoint is best; p = 0 adds nothing. As a hub it is convex up to a
    # bend, beyond which its slope g / (g + p)² - (1 - λ)² g / p² - ν falls: the best is next to where that passes 0.
    square, root = (1 - centre) ** 2, abs(1 - centre) ** (2 / 3)
    bend = min(total, max(g, math.ceil(g * root / (1 - root)))) if root < 1 else total
    top = bend + bisect_left(range(bend, total), -price, key=lambda p: square * g / p**2 - g / (g + p) ** 2)
    return max(value(1), value(g), 0.0), max(map(value, {g, max(g, top - 1), top}))
