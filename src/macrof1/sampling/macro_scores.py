"""Macro scores as arrays: of many resamples or many systems at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import DEFAULT, Convention, Undefined
from macrof1.errors import ConventionError, EmptyError
from macrof1.labels import label_key
from macrof1.message import Argument, Message
from macrof1.sampling.patterns import Patterns

Array: TypeAlias = NDArray[Any]


def class_places(patterns: Patterns, system: int, convention: Convention = DEFAULT) -> Array:
    """Return the positions of the classes that a system is averaged over.

    The class set is fixed by the data: a class that a resample happens to miss still counts.
    """
    at = patterns.class_places(system)
    if convention.exclude:
        left = set(map(label_key, convention.exclude))
        at = np.asarray([place for place in at.tolist() if label_key(patterns.labels[place]) not in left], int)
    if convention.classes not in ("gold", "seen"):
        return _some(at)
    met = np.zeros(len(patterns.labels), bool)
    met[patterns.alone(system).patterns.gold.label] = True
    if convention.classes == "seen":
        met[patterns.alone(system).patterns.systems[0].label] = True
    return _some(at[met[at]])


def _some(places: Array) -> Array:
    """Reject an empty class set."""
    if not len(places):
        raise EmptyError("no class is left to average over", expected="at least one")
    return places


def check_counted(undefined: Undefined) -> None:
    """Reject conventions that leave ratios out: the number of classes averaged over would vary between samples."""
    if undefined not in (0, 1):
        raise ConventionError(
            Message(
                Argument("undefined", undefined), " leaves ratios out, and intervals and tests are not available then"
            ),
            expected=Message(Argument("undefined", 0), " or 1"),
        )


@dataclass(frozen=True, slots=True)
class MacroScores:
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


def class_f(tp: Array, predicted: Array, actual: Array, convention: Convention = DEFAULT) -> Array:
    """Return the F of every class and resample."""
    square = convention.beta**2
    below = predicted + square * actual
    empty = None if below.all() else (predicted + actual) == 0
    return ratio((1 + square) * tp, below, convention.undefined, empty=empty)


def ratio(above: Array, below: Array, undefined: Undefined, *, empty: Array | None = None) -> Array:
    """Divide, with the given value for undefined ratios."""
    if empty is None and below.all():
        quotient: Array = above / below
        return quotient
    nothing = below == 0 if empty is None else empty
    return np.where(nothing, float(undefined), above / np.where(below == 0, 1.0, below))


def macro_scores(tp: Array, predicted: Array, actual: Array, convention: Convention = DEFAULT) -> MacroScores:
    """Score counts given as arrays with classes on the second-to-last axis and resamples on the last."""
    check_counted(convention.undefined)
    tp, predicted, actual = (np.asarray(side, float) for side in (tp, predicted, actual))
    precision = ratio(tp, predicted, convention.undefined).mean(-2)
    recall = ratio(tp, actual, convention.undefined).mean(-2)
    averaged = class_f(tp, predicted, actual, convention).mean(-2)
    return MacroScores(averaged, f_of_means(precision, recall, convention.beta), precision, recall)


def f_of_means(precision: Array, recall: Array, beta: float) -> Array:
    """Return the F of macro precision and macro recall; 0 if both are 0."""
    square = beta * beta
    below = square * precision + recall
    return (1 + square) * precision * recall / np.where(below == 0, 1.0, below)
