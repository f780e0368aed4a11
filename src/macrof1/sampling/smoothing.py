"""Standard errors of smoothed counts: small pseudo-counts are added to every class.

A class predicted twice, correctly both times, shows no error at all; another sample would. The standard error is
computed with half a correct row per class and a quarter of a wrong row in its row and its column of the confusion
matrix, spread over the other classes by their sizes. No cell is ever stored: sums over the wrong rows follow from
sums over classes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from macrof1.convention import DEFAULT, Convention
from macrof1.sampling.delta import Point, Sums, class_sums, point_of_sums, unit_influence
from macrof1.sampling.macro_scores import Array
from macrof1.sampling.patterns import Patterns

_RIGHT, _WRONG, _MARGIN = 0.5, 0.25, 0.5


@dataclass(frozen=True, slots=True)
class Smoothed:
    """The pseudo-counts of one system, and its scores with them."""

    patterns: Patterns
    at: Array
    sums: Sums
    point: Point
    beta: float

    @classmethod
    def of(cls, patterns: Patterns, system: int, at: Array, convention: Convention = DEFAULT) -> Smoothed:
        """Add to the classes `at`, over which the scores are averaged."""
        patterns = patterns.alone(system).patterns
        sums = class_sums(patterns, 0)
        row = _row_weight(patterns)
        tp, predicted, actual = (side.copy() for side in sums)
        tp[at] = tp[at] + _RIGHT * row
        for side in (predicted, actual):
            others = 1.0 if _alone(patterns, at) else _received(side[at] / row)
            side[at] = side[at] + (_RIGHT + _WRONG + _WRONG * others) * row
        smooth = Sums(tp, predicted, actual)
        return cls(patterns, at, smooth, point_of_sums(smooth, at, convention), convention.beta)

    def standard_error(self, of: str) -> float:
        """Return the delta-method standard error of one score, with the added rows."""
        gradient = self.point.gradients[of]
        seen = self.patterns.sum_of_squares(unit_influence(self.patterns, 0, gradient))
        return math.sqrt(seen + self._added(gradient))

    def df(self, of: str) -> float:
        """Return the degrees of freedom of a standard error, by Satterthwaite's formula over classes.

        The variance of a class with few rows is itself uncertain. If such a class makes up most of the variance, the
        interval uses Student's t; with many rows per class, or many classes, t approaches the normal. F1 rests on the
        rows that are gold or predicted, precision on those predicted, recall on those that are gold.
        """
        tp, predicted, actual = (side[self.at] for side in self.sums)
        if of == "averaged_f1":
            parts = [(1.0, of, predicted + actual - tp)]
        else:
            by_precision, by_recall = self._chain(of)
            parts = [(by_precision, "macro_precision", predicted), (by_recall, "macro_recall", actual)]
        row = _row_weight(self.patterns)
        total, below = 0.0, 0.0
        for factor, score, rows in parts:
            by_tp, by_pred, by_gold = (factor * side[self.at] for side in self.point.gradients[score])
            wrong = (predicted - tp) * by_pred**2 + (actual - tp) * by_gold**2
            variance = wrong + tp * (by_tp + by_pred + by_gold) ** 2
            total += float(variance.sum())
            below += float((variance**2 / np.maximum(rows / row - 1, 0.5)).sum())
        return min(total**2 / below if below else math.inf, self.patterns.df)

    def _chain(self, of: str) -> tuple[float, float]:
        """Return the derivatives of a score with respect to macro precision and macro recall."""
        if of != "f1_of_averages":
            return float(of == "macro_precision"), float(of == "macro_recall")
        square = self.beta**2
        precision, recall = self.point.values["macro_precision"], self.point.values["macro_recall"]
        both = (square * precision + recall) ** 2
        return (1 + square) * recall**2 / both, (1 + square) * square * precision**2 / both

    def _added(self, gradient: Sums) -> float:
        """Return the sum of squares over the added rows."""
        at, row, dot = self.at, _row_weight(self.patterns), np.dot
        by_pred, by_gold = gradient.predicted[at] * row, gradient.actual[at] * row
        right = by_pred + by_gold + gradient.tp[at] * row
        found = _RIGHT * float(dot(right, right))
        if _alone(self.patterns, at):
            return found + 2 * _WRONG * float(dot(by_pred, by_pred) + dot(by_gold, by_gold))
        sums = class_sums(self.patterns, 0)
        found += _WRONG * _squares(by_gold, by_pred, sums.predicted[at] / row)
        return found + _WRONG * _squares(by_pred, by_gold, sums.actual[at] / row)


def _row_weight(patterns: Patterns) -> float:
    """Return the weight of a row such that the rows are worth their effective number: Σ w² / Σ w."""
    if patterns.weights is None:
        return 1.0
    square = np.square(patterns.weights, dtype=float)
    return float(np.dot(patterns.amounts, square)) / float(patterns.masses.sum())


def _alone(patterns: Patterns, at: Array) -> bool:
    """Whether an added wrong row touches only one class: with several labels per row, or no other class."""
    return patterns.task == "multilabel" or len(at) < 2


def _received(margin: Array) -> Array:
    """Return how many wrong rows each class gets from the others if each of them gives one away."""
    share = margin + _MARGIN
    given = 1 / (share.sum() - share)
    received: Array = share * (given.sum() - given)
    return received


def _squares(own: Array, other: Array, margin: Array) -> float:
    """Return Σᵢ Σⱼ≠ᵢ qᵢⱼ (ownᵢ + otherⱼ)², with qᵢⱼ the share of class j in the margins of all but i."""
    dot, share = np.dot, margin + _MARGIN
    below = share.sum() - share
    mean = (dot(share, other) - share * other) / below
    square = (dot(share, other**2) - share * other**2) / below
    return float((own**2 + 2 * own * mean + square).sum())
