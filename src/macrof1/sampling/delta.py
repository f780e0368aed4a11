"""Macro scores of counts, how they change with rows, and the resulting variances: the delta method.

With t, p, g the tp, predicted and actual of each class, every score is a function of the counts, and a row adds the
derivatives of the labels it touches. The sum of squares over all rows is the variance. For averaged F1 and F1 of
averages this is the variance of Takahashi et al. (2022). If rows belong to clusters, the contributions of the rows in a
cluster are summed before squaring. All functions are about the only system of their patterns.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import DEFAULT, Convention, Undefined
from macrof1.errors import ConventionError
from macrof1.message import Argument, Message
from macrof1.sampling.patterns import Patterns

Array: TypeAlias = NDArray[Any]


class MacroScores(NamedTuple):
    """Scores of many resamples, one number each."""

    averaged_f1: Array
    f1_of_averages: Array
    macro_precision: Array
    macro_recall: Array

    @property
    def gap(self) -> Array:
        """F1 of averages minus averaged F1; rounding must not make it negative."""
        above: Array = np.maximum(self.f1_of_averages - self.averaged_f1, 0.0)
        return above


class Sums(NamedTuple):
    """tp, predicted and actual of every label, or the derivatives of one score with respect to them."""

    tp: Array
    predicted: Array
    actual: Array


class Point(NamedTuple):
    """The scores of one system on the data, and how each changes with the counts."""

    values: dict[str, float]
    gradients: dict[str, Sums]


def ratio(above: Array, below: Array, undefined: Undefined, *, empty: Array | None = None) -> Array:
    """Divide, with the given value for undefined ratios."""
    if empty is None and below.all():
        quotient: Array = above / below
        return quotient
    nothing = below == 0 if empty is None else empty
    return np.where(nothing, float(undefined), above / np.where(below == 0, 1.0, below))


def over(above: Array, below: Array) -> Array:
    """Divide, with 0 for 0 / 0: no row changes a class without rows."""
    found: Array = np.divide(above, below, out=np.zeros_like(above), where=below != 0)
    return found


def class_f(tp: Array, predicted: Array, actual: Array, convention: Convention = DEFAULT) -> Array:
    """Return the F of every class and resample."""
    square = convention.beta**2
    below = predicted + square * actual
    empty = None if below.all() else (predicted + actual) == 0
    return ratio((1 + square) * tp, below, convention.undefined, empty=empty)


def f_of_means(precision: Array, recall: Array, beta: float) -> Array:
    """Return the F of macro precision and macro recall; 0 if both are 0."""
    square = beta * beta
    below = square * precision + recall
    return (1 + square) * precision * recall / np.where(below == 0, 1.0, below)


def macro_scores(tp: Array, predicted: Array, actual: Array, convention: Convention = DEFAULT) -> MacroScores:
    """Score counts given as arrays with classes on the second-to-last axis and resamples on the last."""
    if convention.undefined not in (0, 1):
        # The number of classes averaged over would vary between samples.
        raise ConventionError(
            Message(Argument("undefined", convention.undefined), " leaves ratios out, and intervals and tests are not "
                    "available then"),
            expected=Message(Argument("undefined", 0), " or 1"),
        )  # fmt: skip
    tp, predicted, actual = (np.asarray(side, float) for side in (tp, predicted, actual))
    precision = ratio(tp, predicted, convention.undefined).mean(-2)
    recall = ratio(tp, actual, convention.undefined).mean(-2)
    averaged = class_f(tp, predicted, actual, convention).mean(-2)
    return MacroScores(averaged, f_of_means(precision, recall, convention.beta), precision, recall)


def class_sums(patterns: Patterns, *, power: int = 1) -> Sums:
    """Return tp, predicted and actual over all labels of the patterns.

    Each row counts with its weight to this power: 1 for scores, 2 for variances, 0 for numbers of rows.
    """
    n = len(patterns.labels)
    touches, hit = patterns.systems[0], patterns.hits[0]
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


def point(sums: Sums, at: Array, convention: Convention = DEFAULT) -> Point:
    """Compute the scores of counts over the classes `at`, and their derivatives."""
    tp, predicted, actual = sums
    inside = np.zeros(len(tp))
    inside[at] = 1 / len(at)
    scores = macro_scores(tp[at, None], predicted[at, None], actual[at, None], convention)
    mean_p, mean_r = float(scores.macro_precision[0]), float(scores.macro_recall[0])
    square = convention.beta**2
    one, zero = np.ones(len(tp)), np.zeros(len(tp))
    below = predicted + square * actual
    by_f = inside * over(over((1 + square) * tp, below), below)
    averaged = Sums(inside * over((1 + square) * one, below), -by_f, -square * by_f)
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


def influence(patterns: Patterns, gradient: Sums) -> Array:
    """Return how much each sampling unit changes a score: a row of each pattern, or each cluster.

    The sum over all units is 0, and that of squares is the variance; for K clusters it includes the correction
    K / (K - 1).
    """
    n = len(patterns.amounts)
    touches, hit = patterns.systems[0], patterns.hits[0]
    of_pred = gradient.predicted[touches.label] + hit * gradient.tp[touches.label]
    of_gold = np.bincount(patterns.gold.pattern, gradient.actual[patterns.gold.label], n)
    moved: Array = np.bincount(touches.pattern, of_pred, n) + of_gold
    if patterns.weights is not None:
        moved = moved * patterns.weights
    if patterns.clusters is None:
        return moved
    n = len(patterns.units)
    return np.bincount(patterns.clusters, patterns.amounts * moved, n) * math.sqrt(n / (n - 1))


def standard_error(patterns: Patterns, gradient: Sums) -> float:
    """Return the delta-method standard error of one score."""
    return math.sqrt(patterns.sum_of_squares(influence(patterns, gradient)))
