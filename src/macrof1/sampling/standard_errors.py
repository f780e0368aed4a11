"""Macro scores of counts, how they change with rows, and the resulting standard errors; the sampling noise of the gap.

Delta method: with t, p, g the tp, predicted and actual of each class, every score is a function of the counts, and a
row adds the derivatives of the labels it touches. The sum of squares over all rows is the variance. For averaged F1 and
F1 of averages this is the variance of Takahashi et al. (2022). If rows belong to clusters, the contributions of the
rows in a cluster are summed before squaring. All functions are about the only system of their patterns.

Where derivatives say too little, the jackknife and smoothed counts say more.

Jackknife: a row touches few labels, so all scores without one row, or without one cluster, follow from the entries of
the patterns in one pass. Where a class has one row or a precision is 2 of 2, they show how far a score can move.

Smoothing: a class predicted twice, correctly both times, shows no error at all; another sample would. The standard
error is computed with half a correct row per class and a quarter of a wrong row in its row and its column of the
confusion matrix, spread over the other classes by their sizes. No cell is stored: sums over the wrong rows follow from
sums over classes. A label that is predicted and never gold gets none: its F1 is 0 whatever its few predictions are.

Noise: with v = actual / (predicted + beta² actual), the gap is a weighted variance of v over classes. If v is the same
for all classes, the gap is 0; in a sample each v still varies, and the gap is about floor · χ²_df / df with

    floor = (1 + beta²) beta² / n · [Σ w var(v) − var(Σ w v) / Σ w],    w = R + beta² P,

and variances by the delta method. For n balanced classes with error rate e, the floor is about n e (1 - e) / 2N. The
degrees of freedom match the variance of the sum, with the classes taken as independent but for their common centre;
what 5% of gaps exceed is corrected for classes of few rows (`scoring.gap.noise_times`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import DEFAULT, Convention, Undefined
from macrof1.errors import ConventionError
from macrof1.message import Argument, Message
from macrof1.sampling.patterns import Patterns, Sums
from macrof1.scoring.gap import noise_df, noise_times

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


class Point(NamedTuple):
    """The scores of one system on the data, and how each changes with the counts."""

    values: dict[str, float]
    gradients: dict[str, Sums]


def ratio(above: Array, below: Array, undefined: Undefined) -> Array:
    """Divide, with the given value for undefined ratios."""
    return np.where(below == 0, float(undefined), above / np.where(below == 0, 1.0, below))


def over(above: Array, below: Array) -> Array:
    """Divide, with 0 for 0 / 0: no row changes a class without rows."""
    found: Array = np.divide(above, below, out=np.zeros_like(above), where=below != 0)
    return found


def class_f(tp: Array, predicted: Array, actual: Array, convention: Convention = DEFAULT) -> Array:
    """Return the F of every class and resample; with beta 0 it is the precision, undefined if nothing is predicted."""
    square = convention.beta**2
    return ratio((1 + square) * tp, predicted + square * actual, convention.undefined)


def f_of_means(precision: Array, recall: Array, beta: float) -> Array:
    """Return the F of macro precision and macro recall; 0 if both are 0, and with beta 0 the precision."""
    square = beta * beta
    if not square:
        return precision
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


def point(sums: Sums, at: Array, convention: Convention = DEFAULT) -> Point:
    """Compute the scores of counts over the classes `at`, and their derivatives."""
    tp, predicted, actual = sums
    inside = np.zeros(len(tp))
    inside[at] = 1 / len(at)
    scores = macro_scores(tp[at, None], predicted[at, None], actual[at, None], convention)
    mean_p, mean_r = scores.macro_precision.item(), scores.macro_recall.item()
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
    return Point({score: getattr(scores, score).item() for score in gradients}, gradients)


def influence(patterns: Patterns, gradient: Sums) -> Array:
    """Return how much each unit (a row of a pattern, or a cluster) changes a score: the squares sum to the variance."""
    n = len(patterns.amounts)
    (touches,), (hit,) = patterns.systems, patterns.hits
    of_pred = gradient.predicted[touches.label] + hit * gradient.tp[touches.label]
    of_gold = gradient.actual[patterns.gold.label]
    if not patterns.single:
        of_pred, of_gold = np.bincount(touches.pattern, of_pred, n), np.bincount(patterns.gold.pattern, of_gold, n)
    moved: Array = of_pred + of_gold
    if patterns.weights is not None:
        moved = moved * patterns.weights
    if patterns.clusters is None:
        return moved
    n = len(patterns.units)
    return np.bincount(patterns.clusters, patterns.amounts * moved, n) * math.sqrt(n / (n - 1))


# What smoothing adds to a class, and to the margins by which its wrong rows are spread.
RIGHT, WRONG, MARGIN = 0.5, 0.25, 0.5
# The relative rounding error of a difference of two parts of the noise.
_NO_NOISE = 1e-13


class Entries(NamedTuple):
    """What each sampling unit (a row of each pattern, or a cluster) contributes to each label: parallel arrays."""

    unit: Array
    label: Array
    sums: Sums


def entries(patterns: Patterns) -> Entries:
    """Return each label that a unit touches, once, with how much of it is predicted, gold and both."""
    n = len(patterns.labels)
    (pred,), (hit,), gold = patterns.systems, patterns.hits, patterns.gold
    at = np.arange(len(patterns.amounts)) if patterns.clusters is None else patterns.clusters
    mass = np.ones(len(patterns.amounts)) if patterns.clusters is None else patterns.amounts.astype(float)
    mass = mass if patterns.weights is None else mass * patterns.weights
    touched = np.concatenate([at[pred.pattern] * n + pred.label, at[gold.pattern] * n + gold.label])
    keys, place = np.unique(touched, return_inverse=True)
    of_pred, of_gold = np.split(place, [len(pred.pattern)])
    of_row = mass[pred.pattern]
    tp, predicted = (np.bincount(of_pred, part, len(keys)) for part in (of_row * hit, of_row))
    actual = np.bincount(of_gold, mass[gold.pattern], len(keys))
    return Entries(keys // n, keys % n, Sums(tp, predicted, actual))


class Replicates:
    """Macro scores over the classes `at` without one unit; a class may lose its only row, not its place."""

    def __init__(self, patterns: Patterns, at: Array, convention: Convention = DEFAULT) -> None:
        self._patterns, self._convention = patterns, convention
        self._inside = np.zeros(len(patterns.labels))
        self._inside[at] = 1 / len(at)
        self._by_class = patterns.single and patterns.weights is None and patterns.clusters is None
        sums = patterns.sums()
        self._before = macro_scores(sums.tp[at, None], sums.predicted[at, None], sums.actual[at, None], convention)
        self._label: Any = slice(None)
        if self._by_class:
            # All rows of a class that are right change it alike, and so do those wrongly predicted, and those missed.
            taken = Sums(*np.array([[1.0, 0, 0], [1, 1, 0], [1, 0, 1]])[:, :, None])
        else:
            self._unit, self._label, taken = entries(patterns)
        # Both are sums in the order of the patterns: where a unit has all of a class, not even rounding is left.
        self._left = Sums(*(side[self._label] - part for side, part in zip(sums, taken, strict=True)))

    def _moved(self, of_class: Callable[[Sums], Array]) -> Array:
        """Return how much the mean of a score of classes moves without each unit."""
        patterns = self._patterns
        change: Array = self._inside[self._label] * (of_class(self._left) - of_class(patterns.sums())[self._label])
        if not self._by_class:
            return np.bincount(self._unit, change, len(patterns.units))
        right, predicted, missed = map(np.asarray, change)
        (pred,), (hit,), gold = patterns.systems, patterns.hits, patterns.gold.label
        return np.where(hit, right[gold], missed[gold] + predicted[pred.label])

    def score(self, of: str) -> Array:
        """Return one score without each unit."""
        if of == "f1_of_averages":
            return f_of_means(self.score("macro_precision"), self.score("macro_recall"), self._convention.beta)
        if of == "averaged_f1":
            return self._before.averaged_f1 + self._moved(lambda sums: class_f(*sums, self._convention))
        before: Array = getattr(self._before, of)
        below, undefined = "predicted" if of == "macro_precision" else "actual", self._convention.undefined
        return before + self._moved(lambda sums: ratio(sums.tp, getattr(sums, below), undefined))


def jackknife_influence(patterns: Patterns, replicate: Array) -> Array:
    """Return sqrt((N - 1) / N) · (θ̄ - θ₍c₎), with θ₍c₎ the score without a unit: the squares sum to the variance."""
    units = patterns.units
    n = int(units.sum())
    centre = float((units * replicate).sum()) / n
    return math.sqrt((n - 1) / n) * (centre - replicate)


class Smoothed:
    """Counts and scores with rows added to the classes `at` that are averaged over, except those never gold."""

    def __init__(self, patterns: Patterns, at: Array, convention: Convention = DEFAULT) -> None:
        raw = patterns.sums()
        self.patterns, self.at = patterns, at[raw.actual[at] > 0]
        # The weight of a row such that the rows are worth their effective number: Σ w² / Σ w.
        self.row = 1.0
        if patterns.weights is not None:
            squares = np.square(patterns.weights, dtype=float)
            self.row = float(np.dot(patterns.amounts, squares)) / float(patterns.masses.sum())
        # With several labels per row, or no other class, an added wrong row touches only one class.
        self._alone = patterns.task == "multilabel" or len(self.at) < 2
        self._margins = [side[self.at] / self.row + MARGIN for side in (raw.predicted, raw.actual)]
        more: list[Array | float] = [RIGHT]
        for share in self._margins:
            given = 0.0 if self._alone else 1 / (share.sum() - share)
            # How many wrong rows each class gets from the others if each of them gives one away.
            received = 1.0 if self._alone else share * (np.sum(given) - given)
            more.append(RIGHT + WRONG + WRONG * received)
        self.sums = Sums(*(side.copy() for side in raw))
        for side, added in zip(self.sums, more, strict=True):
            side[self.at] += added * self.row
        self.point = point(self.sums, at, convention)

    def standard_error(self, of: str) -> float:
        """Return the delta-method standard error of one score, with the added rows."""
        gradient = self.point.gradients[of]
        return math.sqrt(self.patterns.sum_of_squares(influence(self.patterns, gradient)) + self.added(gradient))

    def added(self, gradient: Sums) -> float:
        """Return the sum of squares over the added rows."""
        by_tp, by_pred, by_gold = (side[self.at] * self.row for side in gradient)
        found = RIGHT * float(((by_pred + by_gold + by_tp) ** 2).sum())
        if self._alone:
            return found + 2 * WRONG * float((by_pred**2 + by_gold**2).sum())
        for own, other, share in zip((by_gold, by_pred), (by_pred, by_gold), self._margins, strict=True):
            # Σᵢ Σⱼ≠ᵢ qᵢⱼ (ownᵢ + otherⱼ)², with qᵢⱼ the share of class j in the margins of all but i.
            mean, square = (_of_others(share, part) for part in (other, other**2))
            found += WRONG * float((own**2 + 2 * own * mean + square).sum())
        return found

    def effects(self, of: str) -> tuple[Array, Array]:
        """Return how much a right row of each label changes a score, and a wrong one, whatever is predicted instead."""
        by_tp, by_pred, by_gold = (side[self.at] * self.row for side in self.point.gradients[of])
        right, wrong = np.zeros((2, len(self.patterns.labels)))
        right[self.at] = by_tp + by_pred + by_gold
        wrong[self.at] = by_gold + (0.0 if self._alone else _of_others(self._margins[0], by_pred))
        return right, wrong


def _of_others(share: Array, values: Array) -> Array:
    own = share * values
    found: Array = (own.sum() - own) / (share.sum() - share)
    return found


def pair_added(one: Smoothed, other: Smoothed, of: str) -> float:
    """Return the variance of a difference due to added rows that only one of two systems gets right."""
    (right, wrong), (other_right, other_wrong) = (side.effects(of) for side in (one, other))
    # Two that happen to agree on a class need not agree on it in another sample: a quarter of a row each way.
    return WRONG * float(((right - other_wrong) ** 2 + (other_right - wrong) ** 2).sum())


class Noise(NamedTuple):
    """The mean of the gap under agreement, the degrees of freedom of its distribution, and what 5% of gaps exceed."""

    floor: float
    df: float
    limit: float


def gap_noise(
    patterns: Patterns,
    convention: Convention = DEFAULT,
    *,
    places: Array | None = None,
    smoothed: Smoothed | None = None,
) -> Noise:
    """Return about how large the gap is by chance if both formulas truly agree; or that of smoothed counts."""
    at = patterns.class_places(convention) if places is None else places
    raw = patterns.sums()
    tp, predicted, actual = raw if smoothed is None else smoothed.sums
    inside = np.zeros(len(tp))
    inside[at] = 1.0
    square = convention.beta**2
    weight = inside * (over(tp, actual) + square * over(tp, predicted))
    total = float(weight.sum())
    if not total:
        return Noise(0.0, 1.0, 0.0)
    below = (predicted + square * actual) ** 2
    by_predicted, by_actual = over(-actual, below), over(predicted, below)
    # var(v) of a class: how much each row, or cluster, changes it. A row has a label in gold, predicted, or both.
    units = patterns.units
    alone: Array = np.zeros(len(tp))
    squares = Sums(alone, alone, alone)
    if patterns.clusters is None and patterns.single:
        squares = patterns.sums(2)
    else:
        unit, label, part = entries(patterns)
        moved = part.predicted * by_predicted[label] + part.actual * by_actual[label]
        of_clusters = 1.0 if patterns.clusters is None else len(units) / (len(units) - 1)
        alone = of_clusters * np.bincount(label, units[unit] * moved**2, len(tp))
    if smoothed is not None:
        added = (smoothed.row * (more - seen) for more, seen in zip(smoothed.sums, raw, strict=True))
        squares = Sums(*(seen + more for seen, more in zip(squares, added, strict=True)))
    both, in_predicted, in_gold = squares
    alone = alone + both * (by_predicted + by_actual) ** 2
    alone = alone + (in_predicted - both) * by_predicted**2 + (in_gold - both) * by_actual**2
    gradient = Sums(np.zeros(len(tp)), weight * by_predicted, weight * by_actual)
    together = patterns.sum_of_squares(influence(patterns, gradient))
    together += 0.0 if smoothed is None else smoothed.added(gradient)
    one, other = float(weight @ alone), together / total
    # A difference that rounding alone can make is none.
    floor = (1 + square) * square / len(at) * (one - other if one - other > _NO_NOISE * one else 0.0)
    parts = weight * (1 - weight / total) * alone
    return Noise(floor, noise_df(parts), floor * noise_times(parts, alone, convention.beta))
