"""Per-class precision, recall and F: one rounding per ratio, and a stated value where one is undefined.

Python's own integers do the arithmetic: they never overflow, and a quotient of two is rounded once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from macrof1.convention import ClassSet, Undefined, checked_undefined
from macrof1.counting.confusion import ClassCounts
from macrof1.counting.kernel.integers import sum_of_ratios
from macrof1.counting.labels import Label
from macrof1.errors import ConventionError, EmptyError

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
        """Return tp / predicted per class; NaN where an undefined ratio leaves the mean."""
        instead = value_of(undefined)
        return [t / p if p else instead for t, p in zip(self.tp, self.predicted, strict=True)]

    def recall(self, undefined: Undefined = 0) -> list[float]:
        """Return tp / actual per class; NaN where an undefined ratio leaves the mean."""
        instead = value_of(undefined)
        return [t / g if g else instead for t, g in zip(self.tp, self.actual, strict=True)]

    def f(self, beta: float = 1.0, undefined: Undefined = 0) -> list[float]:
        """Return (1 + beta²) tp / (predicted + beta² actual) per class; NaN where an undefined F leaves the mean."""
        square = square_of(beta)
        one_more = 1 + square
        instead = value_of(undefined)
        rows = zip(self.tp, self.predicted, self.actual, strict=True)
        if undefined == "drop_with_parts":
            return [one_more * t / (p + square * g) if p and g else instead for t, p, g in rows]
        if square == 1:
            return [2 * t / (p + g) if p or g else instead for t, p, g in rows]
        # With beta 0 the F is the precision, undefined where nothing was predicted.
        return [one_more * t / (p + square * g) if p or (g and square) else instead for t, p, g in rows]

    def means_differ(self, undefined: Undefined) -> bool:
        """Whether some class leaves one of the means, so that they run over different classes."""
        if undefined in (0, 1):
            return False
        return any(not (p and g) for p, g in zip(self.predicted, self.actual, strict=True))


def value_of(undefined: Undefined) -> float:
    """Return what an undefined ratio counts as; NaN where its class leaves the mean."""
    policy = checked_undefined(undefined)
    return math.nan if isinstance(policy, str) else float(policy)


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
    if classes in ("gold", "seen"):
        keep = [place for place, g in enumerate(actual) if g > 0 or (classes == "seen" and predicted[place] > 0)]
        if not keep:
            where = "gold" if classes == "gold" else "gold or predicted"
            raise EmptyError(f'classes="{classes}" leaves no class: none of the listed labels occurs in {where}')
        labels = tuple(labels[position] for position in keep)
        tp, predicted, actual = ([column[position] for position in keep] for column in (tp, predicted, actual))
    return ClassColumns(labels, tp, predicted, actual)


def mean_f(counts: ClassCounts, *, beta: float, classes: ClassSet, undefined: Undefined) -> float:
    """Return the mean F over the class set."""
    simple = beta == 1.0 and classes in ("union", "listed") and undefined in (0, 1) and not counts.weighted
    if simple and len(counts.labels) > _MANY:
        inside = slice(counts.n_listed)
        below = counts.predicted[inside] + counts.actual[inside]
        # Integers below 2**53 are exact in NumPy's division too: the same bits, sooner.
        if below.min() >= 0 and below.max() < 2**53:
            scores = np.full(len(below), float(undefined))
            np.divide(2 * counts.tp[inside], below, out=scores, where=below != 0)
            return sum_of_ratios(scores) / len(scores)
    return mean(select(counts, classes).f(beta, undefined))


def mean(values: list[float]) -> float:
    """Return the mean of what is defined; its sum is rounded once, the same whatever the order of the classes."""
    total = math.fsum(values)
    if math.isnan(total):
        values = [value for value in values if not math.isnan(value)]
        if not values:
            raise EmptyError(
                "undefined ratios are left out, and none is defined: expected undefined=0 or 1 for such data"
            )
        total = math.fsum(values)
    return total / len(values)


def f_of_averages(columns: ClassColumns, *, beta: float, undefined: Undefined) -> float:
    """Return the F of macro precision and macro recall of the classes."""
    found = f_of_means(mean(columns.precision(undefined)), mean(columns.recall(undefined)), beta)
    if columns.means_differ(undefined):
        return found
    # It is never below the mean F; where the two are equal, rounding must not say otherwise.
    return max(found, mean(columns.f(beta, undefined)))


def f_of_means(precision: float, recall: float, beta: float) -> float:
    """Return the F of macro precision and macro recall; 0 where both are 0."""
    square = beta * beta
    below = square * precision + recall
    return (1 + square) * precision * recall / below if below else 0.0
