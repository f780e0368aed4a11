"""Standard errors of smoothed counts: small pseudo-counts are added to every class.

A class predicted twice, correctly both times, shows no error at all; another sample would. The standard error is
computed with half a correct row per class and a quarter of a wrong row in its row and its column of the confusion
matrix, spread over the other classes by their sizes. No cell is ever stored: sums over the wrong rows follow from
sums over classes. A label that is predicted and never gold gets none: its F1 is 0 whatever its few predictions are.
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

    @classmethod
    def of(cls, patterns: Patterns, system: int, at: Array, convention: Convention = DEFAULT) -> Smoothed:
        """Add to the classes `at`, over which the scores are averaged, except those that are never gold."""
        patterns = patterns.alone(system).patterns
        sums = class_sums(patterns, 0)
        every, at = at, at[sums.actual[at] > 0]
        row = row_weight(patterns)
        tp, predicted, actual = (side.copy() for side in sums)
        tp[at] = tp[at] + _RIGHT * row
        for side in (predicted, actual):
            others = 1.0 if _alone(patterns, at) else _received(side[at] / row)
            side[at] = side[at] + (_RIGHT + _WRONG + _WRONG * others) * row
        smooth = Sums(tp, predicted, actual)
        return cls(patterns, at, smooth, point_of_sums(smooth, every, convention))

    def standard_error(self, of: str) -> float:
        """Return the delta-method standard error of one score, with the added rows."""
        gradient = self.point.gradients[of]
        seen = self.patterns.sum_of_squares(unit_influence(self.patterns, 0, gradient))
        return math.sqrt(seen + self.added(gradient))

    def effects(self, of: str) -> tuple[Array, Array]:
        """Return how much a right row of each label changes a score, and a wrong one, whatever is predicted instead."""
        row, gradient = row_weight(self.patterns), self.point.gradients[of]
        right, wrong = (np.zeros(len(self.patterns.labels)) for _ in range(2))
        at = self.at
        right[at] = row * (gradient.tp[at] + gradient.predicted[at] + gradient.actual[at])
        wrong[at] = row * gradient.actual[at]
        if not _alone(self.patterns, at):
            share = class_sums(self.patterns, 0).predicted[at] / row + _MARGIN
            mean = (share @ gradient.predicted[at] - share * gradient.predicted[at]) / (share.sum() - share)
            wrong[at] += row * mean
        return right, wrong

    def added(self, gradient: Sums) -> float:
        """Return the sum of squares over the added rows."""
        at, row, dot = self.at, row_weight(self.patterns), np.dot
        by_pred, by_gold = gradient.predicted[at] * row, gradient.actual[at] * row
        right = by_pred + by_gold + gradient.tp[at] * row
        found = _RIGHT * float(dot(right, right))
        if _alone(self.patterns, at):
            return found + 2 * _WRONG * float(dot(by_pred, by_pred) + dot(by_gold, by_gold))
        sums = class_sums(self.patterns, 0)
        found += _WRONG * _squares(by_gold, by_pred, sums.predicted[at] / row)
        return found + _WRONG * _squares(by_pred, by_gold, sums.actual[at] / row)


def row_weight(patterns: Patterns) -> float:
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


def pair_added(one: Smoothed, other: Smoothed, of: str) -> float:
    """Return the variance that a difference between two systems on the same rows gets from added rows.

    For each class, a quarter of a row that the first system gets right and the second wrong, and another the other way
    round: two systems that happen to agree on a class need not agree on it in another sample.
    """
    effects = [side.effects(of) for side in (one, other)]
    (right, wrong), (other_right, other_wrong) = effects
    return _WRONG * float(((right - other_wrong) ** 2 + (other_right - wrong) ** 2).sum())
