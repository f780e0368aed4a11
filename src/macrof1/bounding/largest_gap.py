"""The largest gap that any classifier could have on a given gold distribution.

With g the gold counts, one label per row, and p the predicted ones, the gap grows with every true positive, so that
tp = min(p, g); a matrix with these margins always exists. What remains is to choose p, whole numbers with sum N:

    gap = (2/n) · min over λ of Σ s (u - λ)²,   u = g / (g + p),   s = tp (1/p + 1/g).

A class with p >= g (a hub: recall 1) takes rows from classes with p <= g (sources: precision 1). The search tries
every number of hubs; a bound from Lagrange's multipliers (λ for the mean, ν for the sum) says how much it can miss.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.errors import CountError, EmptyError

Vector = NDArray[np.float64]

# So many ways to spread the predictions are all tried: the answer is then proved by enumeration.
_MOST_ENUMERATED = 20_000
# With more classes than this only some numbers of hubs are tried, and one limit serves all of them.
_MANY = 40
# Two numbers that meet to this are called the same.
_MEET = 1e-9
# What the rounding of a few thousand float operations could add up to, at most.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestGapResult:
    """The largest gap found on a gold distribution, the matrix that has it, and a limit that none can pass.

    Attributes
    ----------
    support
        Gold rows per class.
    predicted
        Predicted rows per class of the witness.
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
        # Sources give what they lose to hubs in turn; no class is both, so that nothing falls on the diagonal.
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
        """Return plain JSON types."""
        return {
            "support": list(self.support),
            "predicted": list(self.predicted),
            "gap": self.gap,
            "limit": self.limit,
            "exact": self.exact,
            "reason": self.reason,
            "averaged_f1": self.averaged_f1,
            "f1_of_averages": self.f1_of_averages,
            "cells": [{"gold": gold, "predicted": pred, "rows": rows} for gold, pred, rows in self.cells],
        }


def largest_gap(support: Iterable[int]) -> LargestGapResult:
    """Find the largest gap that any classifier could have on gold classes of these sizes, one label per row.

    Parameters
    ----------
    support
        Gold rows of each class, 1 or more.

    Notes
    -----
    Proved for two classes, and for few rows by enumeration; else an attained value beside a limit.

    Examples
    --------
    >>> found = largest_gap([1202, 2330])
    >>> round(found.gap, 4), found.exact, found.matrix()
    (0.3185, True, [[1202, 2329], [0, 1]])
    """
    gold = _checked(support)
    n, total = len(gold), sum(gold)
    if n == 1:
        return _result(gold, gold, limit=None, reason="one class has no gap")
    if n == 2:
        # One class is predicted once, the other takes all else; decreasing in both ratios, so no other can be larger.
        first, second = (1, total - 1), (total - 1, 1)
        larger = first if _gap(gold, first) > _gap(gold, second) else second
        return _result(gold, larger, limit=None, reason="proved for two classes")
    if math.comb(total + n - 1, n - 1) <= _MOST_ENUMERATED:
        best = max(_compositions(total, n), key=lambda p: _gap(gold, p))
        return _result(gold, best, limit=None, reason="all ways to spread the predictions were tried")
    g = np.array(gold, dtype=np.float64)
    starts = _starts(g)
    ranked = sorted(starts, key=lambda start: _float_gap(gold, start.predicted))
    best = max((_climbed(gold, start.predicted) for start in ranked[-3:]), key=lambda p: _gap(gold, p))
    return _result(gold, best, limit=_limit(g, starts, float(_gap(gold, best))), reason="the limit is met")


def _checked(support: Iterable[int]) -> tuple[int, ...]:
    gold = []
    for size in support:
        try:
            rows = index(size)
        except TypeError:
            rows = 0
        if rows < 1 or isinstance(size, bool):
            raise CountError(f"a class size of {size!r}: expected a whole number of gold rows, 1 or more per class")
        gold.append(rows)
    if not gold:
        raise EmptyError.nothing("the support")
    if sum(gold) > 2**53:
        raise CountError(f"{sum(gold):,} gold rows: expected at most 2**53 in all")
    return tuple(gold)


def _result(gold: tuple[int, ...], predicted: Sequence[int], *, limit: float | None, reason: str) -> LargestGapResult:
    precision = [Fraction(min(g, p), p) if p else Fraction() for g, p in zip(gold, predicted, strict=True)]
    recall = [Fraction(min(g, p), g) for g, p in zip(gold, predicted, strict=True)]
    n = len(gold)
    averaged = sum((Fraction(2 * min(g, p), g + p) for g, p in zip(gold, predicted, strict=True)), Fraction()) / n
    total = sum(precision) + sum(recall)
    of_averages = Fraction(2 * sum(precision) * sum(recall) / total / n) if total else Fraction()
    value = of_averages - averaged
    met = limit is None or limit - float(value) <= _MEET
    return LargestGapResult(
        support=gold,
        predicted=tuple(map(int, predicted)),
        gap=float(value),
        limit=float(value) if limit is None or met else limit,
        exact=met,
        reason=reason if met else "the search may have missed a larger one, at most the limit",
        averaged_f1=float(averaged),
        f1_of_averages=float(of_averages),
    )


def _compositions(total: int, n: int) -> Iterable[tuple[int, ...]]:
    """Return all ways to spread predictions over classes."""
    for bars in itertools.combinations(range(total + n - 1), n - 1):
        edges = (-1, *bars, total + n - 1)
        yield tuple(right - left - 1 for left, right in itertools.pairwise(edges))


def _gap(gold: Sequence[int], predicted: Sequence[int]) -> Fraction:
    """Return the exact gap when as many predictions as possible are true."""
    precision = recall = f1 = Fraction()
    for g, p in zip(gold, predicted, strict=True):
        if p:
            precision += Fraction(min(g, p), p)
            recall += Fraction(min(g, p), g)
            f1 += Fraction(2 * min(g, p), g + p)
    return (2 * precision * recall / (precision + recall) - f1) / len(gold)


def _float_gap(gold: Sequence[int], predicted: Sequence[int]) -> float:
    g, p = np.array(gold, dtype=np.float64), np.array(predicted, dtype=np.float64)
    return float(_spread(g, p))


def _spread(g: Vector, p: Vector) -> Any:
    """Return the gap of margins as a weighted variance; many at once along the first axes."""
    tp = np.minimum(g, p)
    weight = tp * (1 / np.maximum(p, 1e-300) + 1 / g)
    u = g / (g + p)
    total = weight.sum(-1)
    centre = (weight * u).sum(-1) / np.where(total > 0, total, 1)
    return 2 * (weight * (u - centre[..., None]) ** 2).sum(-1) / g.shape[-1]


@dataclass(frozen=True, slots=True)
class _Start:
    """Good predictions with a number of hubs, and the multipliers that belong to them."""

    predicted: tuple[int, ...]
    hubs: int
    centre: float
    price: float


def _starts(g: Vector) -> list[_Start]:
    """For the numbers of hubs in question: the smallest classes as hubs, predictions spread with equal slopes."""
    n = len(g)
    order = np.argsort(g, kind="stable")
    numbers = range(1, n) if n <= _MANY else sorted({round(k) for k in np.linspace(1, n - 1, _MANY)})
    found = []
    centre = 0.5
    for k in numbers:
        hubs, sources = order[:k], order[k:]
        real, centre, price = _allocation(g, hubs, sources, centre)
        predicted = np.ones(n, dtype=np.int64)
        predicted[hubs] = _rounded(g, hubs, real)
        found.append(_Start(tuple(predicted.tolist()), k, centre, price))
    return found


def _slope(p: Vector, g: Vector, centre: float) -> Vector:
    """Return the derivative of a hub's part of the gap by its predictions, at a fixed centre."""
    return np.asarray(g / (p + g) ** 2 - g * (1 - centre) ** 2 / p**2)


def _best_hub(g: Vector, centre: float, price: float, most: float) -> Vector:
    """Return where slope = price on the concave branch of each hub, between its gold count and `most`."""
    root = (1 - centre) ** (2 / 3)
    turn = g * root / (1 - root) if root < 1 else np.full_like(g, most)
    low = np.clip(turn, g, most)
    high = np.full_like(g, most)
    # Halving ratios: the same relative accuracy for few and for many predictions. The value is flat around its
    # maximum, so that an error of 1e-8 here is one of 1e-16 there.
    for _ in range(30):
        middle = np.sqrt(low * high)
        above = _slope(middle, g, centre) > price
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return low


def _allocation(
    g: Vector, hubs: NDArray[np.intp], sources: NDArray[np.intp], centre: float
) -> tuple[Vector, float, float]:
    """Spread what the sources leave over the hubs with equal slopes; return it with the centre and the price."""
    room = float(g.sum()) - len(sources)
    p = np.ones(len(g))
    price = 0.0
    for _ in range(8):
        high = float(1 / g[hubs].min())
        low = 1e-18 * high
        for _ in range(36):
            price = math.sqrt(low * high)
            if _best_hub(g[hubs], centre, price, room).sum() > room:
                low = price
            else:
                high = price
        p[hubs] = _best_hub(g[hubs], centre, price, room)
        weight = np.minimum(g, p) * (1 / p + 1 / g)
        moved = float((weight * g / (g + p)).sum() / weight.sum())
        if abs(moved - centre) < 1e-6:
            break
        centre = moved
    return p[hubs], centre, price


def _rounded(g: Vector, hubs: NDArray[np.intp], real: Vector) -> NDArray[np.int64]:
    """Round predictions of hubs to whole numbers with the right sum, none below its gold count."""
    room = int(g.sum()) - (len(g) - len(hubs))
    whole = np.maximum(np.floor(real), g[hubs]).astype(np.int64)
    left = room - int(whole.sum())
    if left >= 0:
        by_rest = np.argsort(-(real - whole), kind="stable")
        whole += left // len(whole)
        whole[by_rest[: left % len(whole)]] += 1
        return whole
    for place in np.argsort(-(whole - g[hubs]), kind="stable").tolist():
        taken = min(-left, int(whole[place] - g[hubs][place]))
        whole[place] -= taken
        left += taken
    return whole


def _parts(g: Vector, centre: float, price: float) -> tuple[Vector, Vector]:
    """Return the most that each class can add as a source and as a hub, less what its predictions cost."""
    total = float(g.sum())

    def value(p: Vector) -> Vector:
        # (tp/p + tp/g) (g/(g+p) - centre)², on either side of p = g
        weight = np.minimum(g, p) * (1 / p + 1 / g)
        return np.asarray(weight * (g / (g + p) - centre) ** 2 - price * p)

    # As a source the value is convex in p: an end is best; p = 0 adds nothing.
    source = np.maximum(np.maximum(value(np.ones_like(g)), value(g)), 0.0)
    hub = np.maximum(np.maximum(value(g), value(_best_hub(g, centre, price, total))), value(np.full_like(g, total)))
    return source, hub


def _limit(g: Vector, starts: Sequence[_Start], attained: float) -> float:
    """Return an upper limit for the gap of all predictions.

    For every centre λ and price ν no choice passes (2/n) [ν N + Σ max(source, hub)]; with exactly k hubs none
    passes (2/n) [ν N + Σ source + the k largest (hub - source)], which is tighter but needed for every k.
    """
    best = max(starts, key=lambda start: _float_gap([*map(int, g)], start.predicted))
    limit = _lowest(g, None, best, attained)
    if limit - attained <= _MEET or len(g) > _MANY:
        return limit
    return min(limit, max(_lowest(g, start.hubs, start, attained) for start in starts))


def _lowest(g: Vector, hubs: int | None, start: _Start, enough: float) -> float:
    """Lower a limit, convex in λ and ν, by a pattern search from the multipliers of an allocation.

    Every value on the way is a limit, so that it may stop as soon as one is low enough.
    """
    total, n = float(g.sum()), len(g)

    def at(lam: float, nu: float) -> float:
        source, hub = _parts(g, lam, nu)
        more = hub - source
        chosen = np.maximum(more, 0) if hubs is None else np.sort(more)[n - hubs :]
        return 2 * float(nu * total + source.sum() + chosen.sum()) / n + _ROUNDING

    centre, price = start.centre, start.price
    best = at(centre, price)
    step_lam, step_nu = 0.05, max(price, 1 / total) / 4
    for _ in range(200):
        if best <= enough + 2 * _ROUNDING or step_lam < 1e-9:
            break
        for side, up in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)):
            lam, nu = centre + side * step_lam, price + up * step_nu
            if 0 < lam < 1 and (value := at(lam, nu)) < best:
                best, centre, price = value, lam, nu
                break
        else:
            step_lam, step_nu = step_lam / 2, step_nu / 2
    return best


def _climbed(gold: Sequence[int], predicted: Sequence[int]) -> tuple[int, ...]:
    """Move predictions from class to class while the gap grows; steps halve down to 1."""
    g = np.array(gold, dtype=np.float64)
    p = np.array(predicted, dtype=np.int64)
    best = _float_gap(gold, predicted)
    n = len(gold)
    if n > 300:
        # A row more or less changes nothing that is worth n² trials.
        return tuple(predicted)
    giver, taker = np.nonzero(~np.eye(n, dtype=bool))
    if len(giver) > 2_000:
        # Many classes: only moves between the largest holder of predictions and the others.
        top = int(p.argmax())
        keep = (giver == top) | (taker == top)
        giver, taker = giver[keep], taker[keep]
    step = max(1, int(p.max()) // 4)
    for _ in range(400):
        moved = np.minimum(step, p[giver])
        trial = np.repeat(p[None, :], len(giver), axis=0)
        rows = np.arange(len(giver))
        trial[rows, giver] -= moved
        trial[rows, taker] += moved
        values = _spread(g, trial.astype(np.float64))
        top = int(values.argmax())
        if values[top] > best + 1e-15:
            best, p = float(values[top]), trial[top]
        elif step == 1:
            break
        else:
            step //= 2
    return tuple(p.tolist())
