"""Limits of the precision, recall and F of every class, by Wilson's interval.

Precision is the share of hits among the rows predicted, recall among those that are gold, and F1 is 2J / (1 + J) with
J, the Jaccard index, the share of hits among the rows that are either. Wilson's interval of a share holds for any
number of rows, also if none or all of them are hits. For F-beta, J is F / (2 - F), which is a ratio of counts too.

Rows with weights count as their effective number (Kish), and rows in clusters, or entities of a sentence, as that
number divided by the design effect: how much larger the variance is than that of as many independent rows. It is pooled
over classes, because a class with few errors does not tell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from macrof1.convention import Convention
from macrof1.sampling.delta import Sums, class_sums, over
from macrof1.sampling.jackknife import entries
from macrof1.sampling.macro_scores import Array
from macrof1.sampling.patterns import Patterns


@dataclass(frozen=True, slots=True)
class ClassLimits:
    """One ratio of every class: its value, the variance of it, and its limits.

    If `known` is false, nothing is known of the ratio in another sample: a class that is never predicted has no
    precision. A class that is never gold has constants, by convention, that no sample changes.
    """

    value: Array
    variance: Array
    low: Array
    high: Array
    known: Array

    def outer(self) -> tuple[Array, Array]:
        """Return the limits, with 0 and 1 for ratios of which nothing is known."""
        return np.where(self.known, self.low, 0.0), np.where(self.known, self.high, 1.0)


def wilson(share: Array, n: Array, reach: float) -> tuple[Array, Array]:
    """Return Wilson's limits for shares of n rows, `reach` standard errors to each side.

    Examples
    --------
    >>> [round(float(end), 4) for end in wilson(np.array(0.9), np.array(10), 1.96)]
    [0.5958, 0.9821]
    """
    square = reach * reach / np.where(n > 0, n, 1.0)
    middle = (share + square / 2) / (1 + square)
    to_ends = np.sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    # If none or all are hits, the interval ends exactly there, whatever the rounding.
    low, high = np.maximum(middle - to_ends, 0.0), np.minimum(middle + to_ends, 1.0)
    return np.where(n > 0, np.minimum(low, share), 0.0), np.where(n > 0, np.maximum(high, share), 1.0)


def class_limits(patterns: Patterns, at: Array, convention: Convention, reach: float) -> dict[str, ClassLimits]:
    """Return the limits of the precision, recall and F of the classes `at`, for the only system."""
    sums, squares = (Sums(*(side[at] for side in class_sums(patterns, 0, power=power))) for power in (1, 2))
    gold, undefined = sums.actual > 0, float(convention.undefined)
    both = convention.beta**2
    units = None if patterns.single and patterns.clusters is None else _units(patterns, at)
    found = {}
    # What a hit, a wrong prediction and a missed row add to the ratio's denominator; a hit adds as much above.
    for name, adds in (
        ("precision", (1.0, 1.0, 0.0)),
        ("recall", (1.0, 0.0, 1.0)),
        ("f", (1 + both, 2.0, 2 * both)),
    ):
        above, below = adds[0] * sums.tp, _total(adds, sums)
        share = over(above, below)
        # Independent rows: those of a class differ in weight alone.
        rows = over(below**2, _total([part * part for part in adds], squares))
        plain = over(share * (1 - share), rows)
        hit, wrong, missed = squares.tp, squares.predicted - squares.tp, squares.actual - squares.tp
        spread: Array = (adds[0] * (1 - share)) ** 2 * hit + share**2 * (adds[1] ** 2 * wrong + adds[2] ** 2 * missed)
        worth = rows
        if units is not None:
            label, amounts, parts = units
            x = _total(adds, parts)
            n = len(patterns.units)
            of_clusters = 1.0 if patterns.clusters is None else n / (n - 1)
            spread = of_clusters * np.bincount(label, amounts * (adds[0] * parts.tp - share[label] * x) ** 2, len(at))
            worth = over(below**2, np.bincount(label, amounts * x * x, len(at)))
        variance = over(spread, below**2)
        effect = float(variance.sum() / plain.sum()) if plain.any() else float(rows.sum() / max(worth.sum(), 1e-12))
        low, high = wilson(share, rows / max(1.0, effect), reach)
        if name == "f":
            share, low, high, slope = *(2 * j / (1 + j) for j in (share, low, high)), 2 / (1 + share) ** 2
            variance = variance * slope**2
        known = gold & (below > 0)
        value = np.where(below > 0, share, undefined)
        low, high = (np.where(known, side, value) for side in (low, high))
        found[name] = ClassLimits(value, np.where(known, variance, 0.0), low, high, known | ~gold)
    return found


def _total(adds: tuple[float, ...] | list[float], sums: Sums) -> Array:
    hit, wrong, missed = adds
    total: Array = hit * sums.tp + wrong * (sums.predicted - sums.tp) + missed * (sums.actual - sums.tp)
    return total


def _units(patterns: Patterns, at: Array) -> tuple[Array, Array, Sums]:
    """Return what each sampling unit adds to each of the classes: the class, the number of units, and the counts."""
    part = entries(patterns)
    place = np.full(len(patterns.labels), -1)
    place[at] = np.arange(len(at))
    inside = np.flatnonzero(place[part.label] >= 0)
    sums = Sums(part.tp[inside], part.predicted[inside], part.actual[inside])
    return place[part.label[inside]], patterns.units[part.unit[inside]], sums
