"""How scores move with rows: their derivatives by the counts, and the variances that follow.

With t, p, g the tp, predicted and actual of each class, every score is a function of the counts, and a row adds the
derivatives of the labels that it touches. The sum of the squares over all rows is the variance: the delta method. For
averaged F1 and F1 of averages this is the variance of Takahashi et al. (2022).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import ClassSet, Undefined
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import class_places, macro_scores

Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Gradient:
    """Derivatives of one score by tp, predicted and actual of every label."""

    tp: Array
    predicted: Array
    actual: Array

    def __sub__(self, other: Gradient) -> Gradient:
        return Gradient(self.tp - other.tp, self.predicted - other.predicted, self.actual - other.actual)


@dataclass(frozen=True, slots=True)
class Point:
    """The scores of one system in the data, and how each changes with the counts."""

    values: dict[str, float]
    gradients: dict[str, Gradient]


def over(above: Array, below: Array) -> Array:
    """Divide, with 0 where there is nothing to divide by: a class without rows moves with no row."""
    return np.divide(above, below, out=np.zeros_like(above), where=below != 0)


def class_sums(patterns: Patterns, system: int, *, power: int = 1) -> tuple[Array, Array, Array]:
    """Return tp, predicted and actual over all labels of the patterns.

    Rows count with their weight to this power: 1 for scores, 2 for variances, 0 for numbers of rows.
    """
    n = len(patterns.labels)
    touches, hit = patterns.systems[system], patterns.hits[system]
    rows = patterns.amounts.astype(np.float64)
    if patterns.weights is not None:
        rows *= patterns.weights.astype(np.float64) ** power
    weight = rows[touches.pattern]
    tp = np.bincount(touches.label, weight * hit, n)
    predicted = np.bincount(touches.label, weight, n)
    return tp, predicted, np.bincount(patterns.gold.label, rows[patterns.gold.pattern], n)


def point(
    patterns: Patterns, system: int = 0, *, classes: ClassSet = "union", undefined: Undefined = 0, beta: float = 1.0
) -> Point:
    """Compute the scores and their derivatives."""
    tp, predicted, actual = class_sums(patterns, system)
    inside = np.zeros(len(tp))
    at = class_places(patterns, system, classes)
    inside[at] = 1 / len(at)
    scores = macro_scores(tp[at, None], predicted[at, None], actual[at, None], beta=beta, undefined=undefined)
    mean_p, mean_r = float(scores.macro_precision[0]), float(scores.macro_recall[0])
    square = beta * beta
    one, zero = np.ones(len(tp)), np.zeros(len(tp))
    below = predicted + square * actual
    f = over((1 + square) * tp, below)
    averaged = Gradient(
        inside * over((1 + square) * one, below), -inside * over(f, below), -square * inside * over(f, below)
    )
    precision = Gradient(inside * over(one, predicted), -inside * over(over(tp, predicted), predicted), zero)
    recall = Gradient(inside * over(one, actual), zero, -inside * over(over(tp, actual), actual))
    both = square * mean_p + mean_r
    by_p = (1 + square) * mean_r**2 / both**2 if both else 0.0
    by_r = (1 + square) * square * mean_p**2 / both**2 if both else 0.0
    of_averages = Gradient(by_p * precision.tp + by_r * recall.tp, by_p * precision.predicted, by_r * recall.actual)
    return Point(
        {
            "averaged_f1": float(scores.averaged_f1[0]),
            "f1_of_averages": float(scores.f1_of_averages[0]),
            "gap": float(scores.gap[0]),
            "macro_precision": mean_p,
            "macro_recall": mean_r,
        },
        {
            "averaged_f1": averaged,
            "f1_of_averages": of_averages,
            "gap": of_averages - averaged,
            "macro_precision": precision,
            "macro_recall": recall,
        },
    )


def influence(patterns: Patterns, system: int, gradient: Gradient) -> Array:
    """Return how much one row of each pattern moves a score; the sum over all rows is 0."""
    n = len(patterns.amounts)
    touches, hit = patterns.systems[system], patterns.hits[system]
    moved = gradient.predicted[touches.label] + hit * gradient.tp[touches.label]
    of_gold = np.bincount(patterns.gold.pattern, gradient.actual[patterns.gold.label], n)
    both: Array = np.bincount(touches.pattern, moved, n) + of_gold
    return both if patterns.weights is None else both * patterns.weights


def standard_error(patterns: Patterns, system: int, gradient: Gradient) -> float:
    """Return the delta method's standard error of one score."""
    moved = influence(patterns, system, gradient)
    return math.sqrt(float(np.dot(patterns.amounts, moved * moved)))


def noise_floor(
    patterns: Patterns,
    system: int = 0,
    *,
    classes: ClassSet = "union",
    beta: float = 1.0,
) -> float:
    """Return about how large the gap comes out by chance where both formulas agree in truth.

    The gap is a weighted variance of v = actual / (predicted + beta² actual) over classes. Where v is the same
    for all classes it is 0; in a sample each v still varies, and the expected gap is

        (1 + beta²) beta² / n · [Σ w var(v) − var(Σ w v) / Σ w],    w = R + beta² P,

    with variances by the delta method. For n balanced classes of which a share e is wrong, about n e (1 - e) / 2N.
    """
    tp, predicted, actual = class_sums(patterns, system)
    at = class_places(patterns, system, classes)
    inside = np.zeros(len(tp))
    inside[at] = 1.0
    square = beta * beta
    weight = inside * (over(tp, actual) + square * over(tp, predicted))
    if not weight.any():
        return 0.0
    below = (predicted + square * actual) ** 2
    by_predicted, by_actual = over(-actual, below), over(predicted, below)
    # var(v) of a class: its fn, fp and tp rows move v by these amounts, times their weight.
    hits, all_predicted, all_actual = class_sums(patterns, system, power=2)
    fn, fp = all_actual - hits, all_predicted - hits
    alone = fn * by_actual**2 + fp * by_predicted**2 + hits * (by_actual + by_predicted) ** 2
    shared = influence(patterns, system, Gradient(np.zeros(len(tp)), weight * by_predicted, weight * by_actual))
    together = float(np.dot(patterns.amounts, shared * shared)) / float(weight.sum())
    return max(0.0, (1 + square) * square / len(at) * (float(np.dot(weight, alone)) - together))


def clearly_above(gap: float, floor: float) -> bool:
    """Tell whether a gap is well above its noise floor.

    Where the formulas agree in truth the gap is a sum of squares: four times its mean is passed by chance in about 1 of
    20 samples with two classes, and more rarely with more.
    """
    return gap >= 4 * floor
