"""Per-class precision, recall and F: one rounding per ratio, and a stated value where one is undefined.

Python's own integers do the arithmetic: they never overflow, and a quotient of two is rounded once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from macrof1.convention import ClassSet, Undefined
from macrof1.counts.confusion import ClassCounts
from macrof1.counts.labels import Label
from macrof1.errors import ConventionError, EmptyError

__all__ = ["ClassColumns", "mean", "mean_f", "select"]

Number: TypeAlias = int | float

# From so many classes on, NumPy divides faster than Python.
_MANY = 256


@dataclass(frozen=True, slots=True)
class ClassColumns:
    """The counts of the classes that are averaged over, one number per class."""

    labels: tuple[Label | None, ...]
    tp: list[Number]
    predicted: list[Number]
    actual: list[Number]

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.labels)

    def precision(self, undefined: Undefined = 0) -> list[float]:
        """Return tp / predicted per class."""
        return [t / p if p else float(undefined) for t, p in zip(self.tp, self.predicted, strict=True)]

    def recall(self, undefined: Undefined = 0) -> list[float]:
        """Return tp / actual per class."""
        return [t / g if g else float(undefined) for t, g in zip(self.tp, self.actual, strict=True)]

    def f(self, beta: float = 1.0, undefined: Undefined = 0) -> list[float]:
        """Return (1 + beta²) tp / (predicted + beta² actual) per class."""
        square = square_of(beta)
        one_more = 1 + square
        return [
            one_more * t / (p + square * g) if p or g else float(undefined)
            for t, p, g in zip(self.tp, self.predicted, self.actual, strict=True)
        ]


def square_of(beta: float) -> Number:
    """Return beta², as an integer for F1, so that integers stay exact."""
    return 1 if beta == 1.0 else beta * beta


def select(counts: ClassCounts, classes: ClassSet) -> ClassColumns:
    """Pick the classes that a convention averages over.

    `"union"` and `"listed"` differ in where the class set comes from, which the counts know already.
    """
    labels = counts.labels
    tp, predicted, actual = counts.tp.tolist(), counts.predicted.tolist(), counts.actual.tolist()
    if classes == "listed" and counts.n_listed is None:
        raise ConventionError('classes="listed" without a list: expected labels= with the classes to average over')
    if counts.n_listed is not None and counts.n_listed < len(labels):
        inside = slice(counts.n_listed)
        labels, tp, predicted, actual = labels[inside], tp[inside], predicted[inside], actual[inside]
    if classes == "gold":
        keep = [position for position, count in enumerate(actual) if count > 0]
        if not keep:
            raise EmptyError('classes="gold" leaves no class: none of the listed labels occurs in gold')
        labels = tuple(labels[position] for position in keep)
        tp, predicted, actual = ([column[position] for position in keep] for column in (tp, predicted, actual))
    return ClassColumns(labels, tp, predicted, actual)


def mean_f(counts: ClassCounts, *, beta: float, classes: ClassSet, undefined: Undefined) -> float:
    """Return the mean F over the class set."""
    if beta == 1.0 and classes != "gold" and len(counts.labels) > _MANY and not counts.weighted:
        inside = slice(counts.n_listed)
        below = counts.predicted[inside] + counts.actual[inside]
        # Integers below 2**53 are exact in NumPy's division too: the same bits, sooner.
        if below.min() >= 0 and below.max() < 2**53:
            scores = np.full(len(below), float(undefined))
            np.divide(2 * counts.tp[inside], below, out=scores, where=below != 0)
            return mean(scores.tolist())
    return mean(select(counts, classes).f(beta, undefined))


def mean(values: list[float]) -> float:
    """Return the mean; its sum is rounded once, and so is the same whatever the order of the classes."""
    return math.fsum(values) / len(values)
