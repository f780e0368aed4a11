"""Sampling noise: how large the gap is by chance alone.

With v = actual / (predicted + beta² actual), the gap is a weighted variance of v over classes. If v is the same for all
classes, the gap is 0; in a sample each v still varies, and the gap is about floor · χ²_df / df with

    floor = (1 + beta²) beta² / n · [Σ w var(v) − var(Σ w v) / Σ w],    w = R + beta² P,

and variances by the delta method. For n balanced classes with error rate e, the floor is about n e (1 - e) / 2N. The
degrees of freedom match the variance of the sum, with the classes taken as independent but for their common centre.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from macrof1.convention import DEFAULT, Convention
from macrof1.sampling.delta import Sums, class_sums, over, unit_influence
from macrof1.sampling.jackknife import entries
from macrof1.sampling.macro_scores import Array, class_places
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.smoothing import Smoothed, row_weight
from macrof1.scoring.gap import noise_df

_ROUNDING = 1e-13


class Noise(NamedTuple):
    """The mean of the gap under agreement, and the degrees of freedom of its distribution."""

    floor: float
    df: float


def system_noise(patterns: Patterns, system: int = 0, convention: Convention = DEFAULT) -> Noise:
    """Return the noise of the gap of one system."""
    own = patterns.alone(system).patterns
    return gap_noise(own, class_places(own, 0, convention), convention)


def gap_noise(
    patterns: Patterns, at: Array, convention: Convention = DEFAULT, smoothed: Smoothed | None = None
) -> Noise:
    """Return the noise of the gap of the only system over the classes `at`, or that of its smoothed counts."""
    raw = class_sums(patterns, 0)
    tp, predicted, actual = raw if smoothed is None else smoothed.sums
    inside = np.zeros(len(tp))
    inside[at] = 1.0
    square = convention.beta**2
    weight = inside * (over(tp, actual) + square * over(tp, predicted))
    total = float(weight.sum())
    if not total:
        return Noise(0.0, 1.0)
    below = (predicted + square * actual) ** 2
    by_predicted, by_actual = over(-actual, below), over(predicted, below)
    # var(v) of a class: how much each row, or cluster, changes it. A row has a label in gold, predicted, or both.
    units = patterns.units
    squares = Sums(*np.zeros((3, len(tp))))
    if patterns.clusters is None and patterns.single:
        alone: Array = np.zeros(len(tp))
        squares = class_sums(patterns, 0, power=2)
    else:
        part = entries(patterns)
        moved = part.predicted * by_predicted[part.label] + part.actual * by_actual[part.label]
        of_clusters = 1.0 if patterns.clusters is None else len(units) / (len(units) - 1)
        alone = of_clusters * np.bincount(part.label, units[part.unit] * moved**2, len(tp))
    if smoothed is not None:
        row = row_weight(patterns)
        added = (row * (more - seen) for more, seen in zip(smoothed.sums, raw, strict=True))
        squares = Sums(*(seen + more for seen, more in zip(squares, added, strict=True)))
    both, in_predicted, in_gold = squares
    alone = alone + both * (by_predicted + by_actual) ** 2
    alone = alone + (in_predicted - both) * by_predicted**2 + (in_gold - both) * by_actual**2
    gradient = Sums(np.zeros(len(tp)), weight * by_predicted, weight * by_actual)
    together = patterns.sum_of_squares(unit_influence(patterns, 0, gradient))
    together += 0.0 if smoothed is None else smoothed.added(gradient)
    one, other = float(weight @ alone), together / total
    # A difference that rounding alone can make is none.
    floor = (1 + square) * square / len(at) * (one - other if one - other > _ROUNDING * one else 0.0)
    return Noise(floor, noise_df((weight * (1 - weight / total) * alone).tolist()))
