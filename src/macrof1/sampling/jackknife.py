"""Scores without one row, or without one cluster: the jackknife.

A row touches few labels, so all leave-one-out scores follow from the entries of the patterns in one pass, without
recomputing any score from scratch. Near the extremes, where a class has one row or a precision is 2 of 2, the
jackknife shows how far a score can move; derivatives do not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from macrof1.convention import DEFAULT, Convention
from macrof1.sampling.delta import Sums, class_sums
from macrof1.sampling.macro_scores import Array, class_f, class_places, f_of_means, macro_scores, ratio
from macrof1.sampling.patterns import Patterns

# The relative rounding error of a sum of real weights.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Entries:
    """What each sampling unit (a row of each pattern, or a cluster) contributes to each label: parallel arrays."""

    unit: Array
    label: Array
    tp: Array
    predicted: Array
    actual: Array


def entries(patterns: Patterns, system: int = 0) -> Entries:
    """Return each label that a unit touches, once, with how much of it is predicted, gold and both.

    Examples
    --------
    >>> from macrof1.sampling.joint import joint_patterns
    >>> found = entries(joint_patterns(["a", "a", "b"], {"x": ["a", "b", "b"]}))
    >>> list(zip(found.unit.tolist(), found.label.tolist(), found.predicted.tolist(), found.actual.tolist()))
    [(0, 0, 1.0, 1.0), (1, 0, 0.0, 1.0), (2, 1, 1.0, 1.0), (1, 1, 1.0, 0.0)]
    """
    n = len(patterns.labels)
    pred, hit, gold = patterns.systems[system], patterns.hits[system], patterns.gold
    if patterns.single and patterns.clusters is None:
        # A row with one label touches its gold class, and another one if it is wrong.
        wrong = np.flatnonzero(~hit)
        unit = np.concatenate([gold.pattern, wrong])
        label = np.concatenate([gold.label, pred.label[wrong]])
        weight = np.ones(len(unit)) if patterns.weights is None else patterns.weights[unit].astype(float)
        nothing = np.zeros(len(wrong))
        both = weight * np.concatenate([hit, nothing])
        in_gold = weight * np.concatenate([np.ones(len(hit)), nothing])
        return Entries(unit, label, both, both + weight - in_gold, in_gold)
    at = np.arange(len(patterns.amounts)) if patterns.clusters is None else patterns.clusters
    mass = np.ones(len(patterns.amounts)) if patterns.clusters is None else patterns.amounts.astype(float)
    mass = mass if patterns.weights is None else mass * patterns.weights
    touched = np.concatenate([at[pred.pattern] * n + pred.label, at[gold.pattern] * n + gold.label])
    keys, place = np.unique(touched, return_inverse=True)
    of_pred, of_gold = place[: len(pred.pattern)], place[len(pred.pattern) :]
    of_row = mass[pred.pattern]
    tp, predicted = (np.bincount(of_pred, part, len(keys)) for part in (of_row * hit, of_row))
    return Entries(keys // n, keys % n, tp, predicted, np.bincount(of_gold, mass[gold.pattern], len(keys)))


def replicates(
    patterns: Patterns, system: int = 0, convention: Convention = DEFAULT, *, places: Array | None = None
) -> dict[str, Array]:
    """Return every macro score without one unit: a row of each pattern, or each cluster.

    The class set does not change: a class whose only row is removed counts as undefined.
    """
    at = class_places(patterns, system, convention) if places is None else places
    if len(patterns.systems) > 1:
        own = patterns.alone(system)
        found = replicates(own.patterns, 0, convention, places=at)
        return {score: own.spread(values) for score, values in found.items()}
    sums = class_sums(patterns, 0)
    inside = np.zeros(len(patterns.labels))
    inside[at] = 1 / len(at)
    taken, n_units = entries(patterns), len(patterns.units)
    nothing = 0.0 if patterns.weights is None else _ROUNDING * float(patterns.masses.sum())
    parts = (taken.tp, taken.predicted, taken.actual)
    left = Sums(*(side[taken.label] - part for side, part in zip(sums, parts, strict=True)))
    left = Sums(*(np.where(np.abs(side) <= nothing, 0.0, side) for side in left))
    before = macro_scores(sums.tp[at, None], sums.predicted[at, None], sums.actual[at, None], convention)

    def moved(of_class: Callable[[Sums], Array]) -> Array:
        change = of_class(left) - of_class(sums)[taken.label]
        return np.bincount(taken.unit, inside[taken.label] * change, n_units)

    undefined = convention.undefined
    averaged = before.averaged_f1 + moved(lambda of: class_f(*of, convention))
    precision = before.macro_precision + moved(lambda of: ratio(of.tp, of.predicted, undefined))
    recall = before.macro_recall + moved(lambda of: ratio(of.tp, of.actual, undefined))
    return {
        "averaged_f1": averaged,
        "f1_of_averages": f_of_means(precision, recall, convention.beta),
        "macro_precision": precision,
        "macro_recall": recall,
    }


def jackknife_influence(patterns: Patterns, replicate: Array) -> Array:
    """Return how much each unit changes a score, such that the sum of squares over all units is the variance.

    This is sqrt((N - 1) / N) · (θ̄ - θ₍c₎), with θ₍c₎ the score without one unit and θ̄ the mean of these.
    """
    units = patterns.units
    n = int(units.sum())
    centre = float(np.dot(units, replicate)) / n
    return math.sqrt((n - 1) / n) * (centre - replicate)


def jackknife_error(patterns: Patterns, replicate: Array) -> float:
    """Return the jackknife's standard error of one score."""
    return math.sqrt(patterns.sum_of_squares(jackknife_influence(patterns, replicate)))
