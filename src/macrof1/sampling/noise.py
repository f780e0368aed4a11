"""Sampling noise: how large the gap is by chance alone."""

from __future__ import annotations

import numpy as np

from macrof1.convention import DEFAULT, Convention
from macrof1.counting.confusion import Confusion
from macrof1.counting.matrix import arrays_of
from macrof1.counts import ClassCounts
from macrof1.sampling.delta import Sums, class_sums, over, unit_influence
from macrof1.sampling.jackknife import entries
from macrof1.sampling.macro_scores import class_places
from macrof1.sampling.patterns import Patterns
from macrof1.scoring.gap import TIMES_NOISE

_ROUNDING = 1e-13


def noise_floor(patterns: Patterns, system: int = 0, convention: Convention = DEFAULT) -> float:
    """Return about how large the gap is by chance if both formulas truly agree.

    The gap is a weighted variance of v = actual / (predicted + beta² actual) over classes. If v is the same
    for all classes, the gap is 0; in a sample each v still varies, and the expected gap is

        (1 + beta²) beta² / n · [Σ w var(v) − var(Σ w v) / Σ w],    w = R + beta² P,

    with variances by the delta method. For n balanced classes with error rate e, this is about n e (1 - e) / 2N.
    """
    tp, predicted, actual = class_sums(patterns, system)
    at = class_places(patterns, system, convention)
    inside = np.zeros(len(tp))
    inside[at] = 1.0
    square = convention.beta**2
    weight = inside * (over(tp, actual) + square * over(tp, predicted))
    if not weight.any():
        return 0.0
    below = (predicted + square * actual) ** 2
    by_predicted, by_actual = over(-actual, below), over(predicted, below)
    # var(v) of a class: how much each row, or cluster, changes it. A row has a label in gold, predicted, or both.
    units = patterns.units
    if patterns.clusters is None:
        both, in_predicted, in_gold = class_sums(patterns, system, power=2)
        alone = both * (by_predicted + by_actual) ** 2
        alone = alone + (in_predicted - both) * by_predicted**2 + (in_gold - both) * by_actual**2
    else:
        part = entries(patterns, system)
        moved = part.predicted * by_predicted[part.label] + part.actual * by_actual[part.label]
        alone = len(units) / (len(units) - 1) * np.bincount(part.label, units[part.unit] * moved**2, len(tp))
    shared = unit_influence(patterns, system, Sums(np.zeros(len(tp)), weight * by_predicted, weight * by_actual))
    together = patterns.sum_of_squares(shared) / float(weight.sum())
    return (1 + square) * square / len(at) * _above(float(np.dot(weight, alone)), together)


def noise_floor_of_cells(cells: Confusion, counts: ClassCounts, convention: Convention = DEFAULT) -> float:
    """Return the same for one system with one label per row and known counts: faster, if every class counts.

    The rows of a cell together contribute (x + y)², with x from the gold class and y from the predicted one: sums over
    classes, and twice xᵀ N y over the cells N.
    """
    n = len(counts.labels)
    tp, predicted, actual = arrays_of(counts)
    plain = convention.classes in ("union", "listed") and not convention.exclude and counts.n_listed in (None, n)
    if not plain or not predicted.all() or not actual.all():
        return noise_floor(Patterns.of_cells(cells), 0, convention)
    square = convention.beta**2
    weight = tp / actual + square * (tp / predicted)
    total = float(weight.sum())
    if not total:
        return 0.0
    below = (predicted + square * actual) ** 2
    by_predicted, by_actual = actual / below, predicted / below  # the first enters with a minus sign
    alone = tp * (by_actual - by_predicted) ** 2
    alone += (predicted - tp) * by_predicted**2 + (actual - tp) * by_actual**2
    x, y = weight * by_actual, weight * by_predicted
    # In the order of the cells, however they are kept: not a bit depends on how rows were counted.
    amounts = np.asarray(cells.amounts).reshape(-1)
    where = np.flatnonzero(amounts) if cells.where is None else cells.where
    gold, pred = np.divmod(where, n)
    both = (amounts[where] if cells.where is None else amounts) @ (x[gold] * y[pred])
    together = float(actual @ x**2 + predicted @ y**2 - 2 * both) / total
    return (1 + square) * square / n * _above(float(weight @ alone), together)


def _above(one: float, other: float) -> float:
    """Subtract; a difference that rounding alone can make is none."""
    return one - other if one - other > _ROUNDING * one else 0.0


def clearly_above(gap: float, floor: float) -> bool:
    """Return whether a gap is well above its noise floor."""
    return gap >= TIMES_NOISE * floor
