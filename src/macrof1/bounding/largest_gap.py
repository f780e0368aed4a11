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
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import index
from typing import Any

from macrof1.bounding.closed_forms import (
    Score,
    approaching_gap,
    checked_n_classes,
    checked_number,
    gap_supremum,
    harmonic_mean,
)
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
_MOST_CLIMBED = 300
# Numbers that agree to within this count as equal.
_MEET = 1e-9
# An upper bound on the rounding error of a few thousand float operations.
_ROUNDING = 1e-12


class _Attained(Result):
    """A confusion matrix that has a large gap, as its cells."""

    __slots__ = ()

    @property
    def cells(self) -> list[tuple[int, int, int]]:
        """The witness as ``(gold class, predicted class, rows)``, classes counted from 0."""
        raise NotImplementedError

    def matrix(self) -> list[list[int]]:
        """Return the witness as a matrix with predictions as rows."""
        cells = self.cells
        n = 1 + max(gold for gold, _, _ in cells)
        table = [[0] * n for _ in range(n)]
        for gold, pred, rows in cells:
            table[pred][gold] = rows
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types, with the cells of the witness."""
        names = ("gold", "predicted", "rows")
        return {**Result.to_dict(self), "cells": [dict(zip(names, cell, strict=True)) for cell in self.cells]}


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessResult(_Attained):
    """A confusion matrix whose gap is close to the supremum.

    Attributes
    ----------
    rows_moved
        How many rows each large cell holds; all true positives are 1.
    """

    _keys = ("n_classes", "supremum", "closeness", "gap")

    n_classes: int
    supremum: float
    closeness: float
    gap: float
    rows_moved: int
    exact_gap: Fraction = field(repr=False)

    @property
    def cells(self) -> list[tuple[int, int, int]]:
        """The witness as ``(gold class, predicted class, rows)``, classes counted from 0."""
        hubs = self.n_classes // 2
        found = [(x, x, 1) for x in range(self.n_classes)]
        if hubs:
            found += [(x, x % hubs, self.rows_moved) for x in range(hubs, self.n_classes)]
        return sorted(found)


def witness(n_classes: int, *, closeness: Score = 0.001) -> WitnessResult:
    """Return a confusion matrix whose gap is within a given distance of the supremum (the paper's Theorem 3).

    Examples
    --------
    >>> found = witness(2, closeness=0.01)
    >>> found.matrix(), round(found.gap, 4)
    ([[1, 148], [0, 1]], 0.49)
    """
    n = checked_n_classes(n_classes)
    close = checked_number(closeness, "closeness")
    if not 0 < close < 1:
        raise InputError.bad_value("closeness", closeness, expected="a distance to the supremum above 0 and below 1")
    supremum = gap_supremum(n)
    # The means of precision and recall only grow beyond their limits, and no F1 exceeds 2 / (2 + rows).
    low, high = 0, math.ceil(2 / close)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if supremum - approaching_gap(n, middle) > close else (low, middle)
    gap = approaching_gap(n, high)
    return WitnessResult(
        n_classes=n,
        supremum=float(supremum),
        closeness=float(close),
        gap=float(gap),
        rows_moved=high,
        exact_gap=gap,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestGapResult(_Attained):
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
        classes = list(enumerate(zip(self.support, self.predicted, strict=True)))
        found = [(x, x, min(g, p)) for x, (g, p) in classes if p]
        lost = [[x, g - p] for x, (g, p) in classes if g > p]
        # Sources give their lost rows to hubs in turn; no class is both, so nothing falls on the diagonal.
        for hub, (g, p) in classes:
            room = p - g
            while room > 0:
                rows = min(room, lost[-1][1])
                found.append((lost[-1][0], hub, rows))
                lost[-1][1] -= rows
                room -= rows
                if not lost[-1][1]:
                    lost.pop()
        return sorted(found)


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
        return _result(gold, gold, reason="one class has no gap")
    if n == 2:
        # One class is predicted once, the other takes the rest; decreasing in both ratios, so no other can be larger.
        larger = max((total - 1, 1), (1, total - 1), key=lambda p: float_gap(gold, p))
        return _result(gold, larger, reason="proved for two classes")
    if math.comb(total + n - 1, n - 1) <= _MOST_ENUMERATED:
        best = max(_compositions(total, n), key=lambda p: float_gap(gold, p))
        return _result(gold, best, reason="all ways to spread the predictions were tried")
    found = _starts(gold)
    best = _climbed(gold, max((start.predicted for start in found), key=lambda p: float_gap(gold, p)))
    return _result(gold, best, highest=_limit(gold, found, float_gap(gold, best)), reason="the limit is met")


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


def _result(
    gold: tuple[int, ...], predicted: Sequence[int], *, highest: float | None = None, reason: str
) -> LargestGapResult:
    pairs = list(zip(gold, predicted, strict=True))
    # With very many classes, fractions would have denominators of as many digits; a sum of quotients is rounded once.
    precision = math.fsum(min(g, p) / p for g, p in pairs if p)
    recall = math.fsum(min(g, p) / g for g, p in pairs)
    value = float_gap(gold, predicted)
    met = highest is None or highest - value <= _MEET
    return LargestGapResult(
        support=gold,
        predicted=tuple(predicted),
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


def float_gap(gold: Sequence[int], predicted: Sequence[int]) -> float:
    """Return the gap of given margins as a weighted variance."""
    parts = [(_weight(g, p), g / (g + p)) for g, p in zip(gold, predicted, strict=True) if p]
    centre = math.fsum(s * u for s, u in parts) / math.fsum(s for s, _ in parts)
    return 2 * math.fsum(s * (u - centre) ** 2 for s, u in parts) / len(gold)


def _weight(g: float, p: float) -> float:
    """Return the precision plus recall of a class with as many true positives as possible."""
    return (p + g) / max(g, p)


@dataclass(frozen=True, slots=True)
class _Start:
    """Good predictions for a given number of hubs, and their multipliers."""

    predicted: tuple[int, ...]
    hubs: int
    centre: float
    price: float


def _starts(gold: Sequence[int]) -> list[_Start]:
    """For each number of hubs to try, make the smallest classes hubs, and predict each of the others once.

    The slope of a hub's part falls about like g / p², so equal slopes need p in proportion to √g.
    """
    n = len(gold)
    order = sorted(range(n), key=gold.__getitem__)
    tries = max(5, min(_MANY, _MOST_WORK // len(set(gold))))
    found = []
    for k in sorted({round(1 + step * (n - 2) / (tries - 1)) for step in range(tries)}):
        hubs, room = order[:k], sum(gold) - (n - k)
        predicted = [1] * n
        # From the largest hub down: what a hub takes for itself is not shared.
        share = math.fsum(math.sqrt(gold[place]) for place in hubs)
        for place in reversed(hubs):
            root = math.sqrt(gold[place])
            predicted[place] = max(gold[place], round(room * root / share)) if share > root else room
            room, share = room - predicted[place], share - root
        sums = [math.fsum(moment) for moment in zip(*map(_moments, gold, predicted), strict=True)]
        centre, first = sums[1] / sums[0], order[0]
        x = predicted[first] / gold[first]
        price = (1 / (1 + x) ** 2 - ((1 - centre) / x) ** 2) / gold[first]
        found.append(_Start(tuple(predicted), k, centre, max(price, 0.0)))
    return found


def _moments(g: int, p: int) -> tuple[float, float, float]:
    """Return s, s u and s u² of a class."""
    if not p:
        return 0.0, 0.0, 0.0
    s, u = _weight(g, p), g / (g + p)
    return s, s * u, s * u * u


def _climbed(gold: Sequence[int], predicted: Sequence[int]) -> tuple[int, ...]:
    """Move predictions from class to class while the gap grows; steps halve down to 1."""
    p = list(predicted)
    step = max(p) if len(gold) <= _MOST_CLIMBED else 0
    best = float_gap(gold, p)
    while step:
        trial = _best_move(gold, p, step)
        value = float_gap(gold, trial)
        if value > best + 1e-15:
            best, p = value, trial
        else:
            step //= 2
    return tuple(p)


def _best_move(gold: Sequence[int], p: list[int], step: int) -> list[int]:
    """Return the predictions after `step` of them moved from one class to another, where the gap is largest then."""
    places = range(len(gold))
    pairs: Iterable[tuple[int, int]] = itertools.permutations(places, 2)
    if len(gold) > _MANY:
        # Many classes: only moves between the class with the most predictions and the others.
        top = max(places, key=p.__getitem__)
        pairs = [pair for place in places if place != top for pair in ((top, place), (place, top))]
    now = list(map(_moments, gold, p))
    sums = [math.fsum(moment) for moment in zip(*now, strict=True)]

    def gap_after(pair: tuple[int, int]) -> float:
        giver, taker = pair
        rows = min(step, p[giver])
        less, more = _moments(gold[giver], p[giver] - rows), _moments(gold[taker], p[taker] + rows)
        changes = zip(sums, less, now[giver], more, now[taker], strict=True)
        s, su, suu = (total + a - b + c - d for total, a, b, c, d in changes)
        return suu - su * su / s

    giver, taker = max((pair for pair in pairs if p[pair[0]]), key=gap_after)
    rows, moved = min(step, p[giver]), list(p)
    moved[giver], moved[taker] = p[giver] - rows, p[taker] + rows
    return moved


def _limit(gold: Sequence[int], found: Sequence[_Start], attained: float) -> float:
    """Return an upper limit for the gap over all predictions.

    For every centre λ and price ν, no choice exceeds (2/n) [ν N + Σ max(source, hub)]; with exactly k hubs none
    exceeds (2/n) [ν N + Σ source + the k largest (hub - source)], which is tighter but must be computed for every k.
    """
    best = max(found, key=lambda start: float_gap(gold, start.predicted))
    lowest = _lowest(gold, None, best, attained)
    if lowest - attained <= _MEET or len(gold) > _MANY:
        return lowest
    highest = attained
    for start in found:
        # Only the worst number of hubs counts: the others can stop as soon as they are below it.
        highest = max(highest, _lowest(gold, start.hubs, start, highest))
    return min(lowest, highest)


def _lowest(gold: Sequence[int], hubs: int | None, start: _Start, enough: float) -> float:
    """Lower a limit, convex in λ and ν, by a pattern search from the multipliers of a start.

    Every value along the way is a limit, so the search can stop as soon as one is low enough.
    """
    total, n, sizes = sum(gold), len(gold), Counter(gold)

    def at(lam: float, nu: float) -> float:
        sources, more = [], []
        for g, count in sizes.items():
            source, hub = _parts(g, lam, nu, total)
            sources.append(count * source)
            more += [count * max(hub - source, 0.0)] if hubs is None else [hub - source] * count
        chosen = more if hubs is None else sorted(more)[n - hubs :]
        return 2 * (nu * total + math.fsum(sources) + math.fsum(chosen)) / n + _ROUNDING

    best, centre, price = at(start.centre, start.price), start.centre, start.price
    step, unit = 0.1, 3 * max(start.price, 1 / total)
    while step > 1e-6 and best > enough + 2 * _ROUNDING:
        around = itertools.product(
            (centre - step, centre, centre + step), (price - step * unit, price, price + step * unit)
        )
        lowest, centre, price = min((at(lam, nu), lam, nu) for lam, nu in around)
        if lowest == best:
            step /= 2
        best = lowest
    return best


def _parts(g: int, centre: float, price: float, total: int) -> tuple[float, float]:
    """Return the most that a class can add as a source and as a hub, less the cost of its predictions."""

    def value(p: float) -> float:
        return _weight(g, p) * (g / (g + p) - centre) ** 2 - price * p

    # As a source the value is convex in p, so an endpoint is best; p = 0 adds nothing.
    source = max(value(1), value(g), 0.0)
    hub = max(value(g), value(_best_hub(g, centre, price, total)), value(total))
    return source, hub


def _best_hub(g: int, centre: float, price: float, most: int) -> float:
    """Return the predictions at which a hub's slope equals the price, between its gold count and `most`.

    In x = p / g the slope is h(x) / g with h(x) = 1 / (1 + x)² - (1 - λ)² / x²: past its maximum it falls like 1 / x².
    """
    bend = (1 - centre) ** 2
    root = abs(1 - centre) ** (2 / 3)
    high = most / g
    low = max(1.0, root / (1 - root)) if root < 1 else high
    target = price * g

    def h(x: float) -> float:
        return 1 / (1 + x) ** 2 - bend / x**2

    if low >= high or h(high) >= target:
        return most
    if h(low) <= target:
        return low * g
    # 1 / √h is almost a straight line, so Newton's method needs few steps.
    wanted = 1 / math.sqrt(target)
    x = min(max(low, math.sqrt((1 - bend) / target)), high)
    for _ in range(30):
        value = h(x)
        slope = -2 / (1 + x) ** 3 + 2 * bend / x**3
        moved = x + (wanted - 1 / math.sqrt(value)) / (-0.5 * slope * value**-1.5) if slope else low
        x, before = min(max(moved, (low + x) / 2), high), x
        if math.isclose(x, before):
            break
    return x * g
