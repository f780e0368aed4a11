"""How scores change with rows: their derivatives with respect to the counts, and the resulting variances.

With t, p, g the tp, predicted and actual of each class, every score is a function of the counts, and a row adds the
derivatives of the labels it touches. The sum of squares over all rows is the variance: the delta method. For
averaged F1 and F1 of averages this is the variance of Takahashi et al. (2022). If rows belong to clusters, the
contributions of the rows in a cluster are summed before squaring.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from macrof1.convention import DEFAULT, Convention
from macrof1.sampling.macro_scores import Array, class_places, macro_scores
from macrof1.sampling.patterns import Patterns


class Sums(NamedTuple):
    """tp, predicted and actual of every label, or the derivatives of one score with respect to them."""

    tp: Array
    predicted: Array
    actual: Array


@dataclass(frozen=True, slots=True)
class Point:
    """The scores of one system on the data, and how each changes with the counts."""

    values: dict[str, float]
    gradients: dict[str, Sums]


def over(above: Array, below: Array) -> Array:
    """Divide, with 0 for 0 / 0: no row changes a class without rows."""
    found: Array = np.divide(above, below, out=np.zeros_like(above), where=below != 0)
    return found


def class_sums(patterns: Patterns, system: int, *, power: int = 1) -> Sums:
    """Return tp, predicted and actual over all labels of the patterns.

    Each row counts with its weight to this power: 1 for scores, 2 for variances, 0 for numbers of rows.
    """
    if len(patterns.systems) > 1:
        return class_sums(patterns.alone(system).patterns, 0, power=power)
    n = len(patterns.labels)
    touches, hit = patterns.systems[system], patterns.hits[system]
    rows = patterns.amounts.astype(float)
    if patterns.weights is not None:
        rows *= patterns.weights.astype(float) ** power
    weight = rows[touches.pattern]
    sums = (
        np.bincount(touches.label, weight * hit, n),
        np.bincount(touches.label, weight, n),
        np.bincount(patterns.gold.label, rows[patterns.gold.pattern], n),
    )
    # Sums over no labels come back as integers.
    return Sums(*(np.asarray(column, float) for column in sums))


def point(
    patterns: Patterns, system: int = 0, convention: Convention = DEFAULT, *, places: Array | None = None
) -> Point:
    """Compute the scores and their derivatives; `places` are the classes averaged over, if not all."""
    at = class_places(patterns, system, convention) if places is None else places
    return point_of_sums(class_sums(patterns, system), at, convention)


def point_of_sums(sums: Sums, at: Array, convention: Convention = DEFAULT) -> Point:
    """Compute the scores of counts over the classes `at`, and their derivatives."""
    tp, predicted, actual = sums
    inside = np.zeros(len(tp))
    inside[at] = 1 / len(at)
    scores = macro_scores(tp[at, None], predicted[at, None], actual[at, None], convention)
    mean_p, mean_r = float(scores.macro_precision[0]), float(scores.macro_recall[0])
    square = convention.beta**2
    one, zero = np.ones(len(tp)), np.zeros(len(tp))
    below = predicted + square * actual
    f = over((1 + square) * tp, below)
    averaged = Sums(
        inside * over((1 + square) * one, below), -inside * over(f, below), -square * inside * over(f, below)
    )
    precision = Sums(inside * over(one, predicted), -inside * over(over(tp, predicted), predicted), zero)
    recall = Sums(inside * over(one, actual), zero, -inside * over(over(tp, actual), actual))
    both = square * mean_p + mean_r
    by_p = (1 + square) * mean_r**2 / both**2 if both else 0.0
    by_r = (1 + square) * square * mean_p**2 / both**2 if both else 0.0
    of_averages = Sums(by_p * precision.tp + by_r * recall.tp, by_p * precision.predicted, by_r * recall.actual)
    gradients = {
        "averaged_f1": averaged,
        "f1_of_averages": of_averages,
        "gap": Sums(*(a - b for a, b in zip(of_averages, averaged, strict=True))),
        "macro_precision": precision,
        "macro_recall": recall,
    }
    return Point({score: float(getattr(scores, score)[0]) for score in gradients}, gradients)


def influence(patterns: Patterns, system: int, gradient: Sums) -> Array:
    """Return how much one row of each pattern changes a score; the sum over all rows is 0."""
    if len(patterns.systems) > 1:
        own = patterns.alone(system)
        return own.spread(influence(own.patterns, 0, gradient))
    n = len(patterns.amounts)
    touches, hit = patterns.systems[system], patterns.hits[system]
    moved = gradient.predicted[touches.label] + hit * gradient.tp[touches.label]
    of_gold = np.bincount(patterns.gold.pattern, gradient.actual[patterns.gold.label], n)
    both = np.bincount(touches.pattern, moved, n) + of_gold
    return both if patterns.weights is None else both * patterns.weights


def unit_influence(patterns: Patterns, system: int, gradient: Sums) -> Array:
    """Return how much each sampling unit changes a score: a row of each pattern, or each cluster.

    The sum of squares over all units is the variance; for K clusters it includes the correction K / (K - 1).
    """
    moved = influence(patterns, system, gradient)
    if patterns.clusters is None:
        return moved
    n = len(patterns.units)
    together = np.bincount(patterns.clusters, patterns.amounts * moved, n)
    return together * math.sqrt(n / (n - 1))


def standard_error(patterns: Patterns, system: int, gradient: Sums) -> float:
    """Return the delta-method standard error of one score."""
    return math.sqrt(patterns.sum_of_squares(unit_influence(patterns, system, gradient)))
