"""Per-class precision, recall and F: one rounding per ratio, and an explicit value for undefined ratios.

The arithmetic uses Python's integers: they never overflow, and a quotient of two is rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from macrof1.convention import Convention, Undefined
from macrof1.counts import ClassCounts, Number
from macrof1.errors import ConventionError, EmptyError
from macrof1.labels import Label, label_key
from macrof1.message import Argument, Message

Column: TypeAlias = tuple[Number, ...]

# Products of two weights between these limits, and sums of a few, are ordinary doubles.
_SMALL, _LARGE = 2.0**-480, 2.0**480


@dataclass(frozen=True, slots=True)
class ClassColumns:
    """The counts of the classes averaged over, one number per class."""

    labels: tuple[Label | None, ...]
    tp: Column
    predicted: Column
    actual: Column

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.labels)

    def precision(self, undefined: Undefined = 0) -> list[float]:
        """Return tp / predicted per class; NaN if an undefined ratio leaves the mean."""
        instead = value_of(undefined)
        return [t / p if p else instead for t, p in zip(self.tp, self.predicted, strict=True)]

    def recall(self, undefined: Undefined = 0) -> list[float]:
        """Return tp / actual per class; NaN if an undefined ratio leaves the mean."""
        instead = value_of(undefined)
        return [t / g if g else instead for t, g in zip(self.tp, self.actual, strict=True)]

    def f(self, beta: float = 1.0, undefined: Undefined = 0) -> list[float]:
        """Return (1 + beta²) tp / (predicted + beta² actual) per class; NaN if an undefined F leaves the mean."""
        columns = self.in_range()
        square = columns.square_of(beta)
        one_more = 1 + square
        instead = value_of(undefined)
        rows = zip(columns.tp, columns.predicted, columns.actual, strict=True)
        if undefined == "drop_with_parts":
            return [float(one_more * t / (p + square * g)) if p and g else instead for t, p, g in rows]
        # With beta 0 the F is the precision, undefined if nothing was predicted.
        return [float(one_more * t / (p + square * g)) if p or (g and square) else instead for t, p, g in rows]

    def means_differ(self, undefined: Undefined) -> bool:
        """Whether some class leaves one of the means, so that the means run over different classes."""
        if undefined in (0, 1):
            return False
        return any(not (p and g) for p, g in zip(self.predicted, self.actual, strict=True))

    def without(self, exclude: Collection[Label | None]) -> ClassColumns:
        """Leave classes out of the mean; the rows they took from other classes stay errors of those classes."""
        left = set(map(label_key, exclude))
        keep = [place for place, label in enumerate(self.labels) if label_key(label) not in left]
        if not keep:
            raise EmptyError(
                Message(Argument("exclude"), " leaves no class to average over"), expected="at least one other"
            )
        return self.at(keep)

    def at(self, places: Sequence[int]) -> ClassColumns:
        """Keep some classes, given by their places."""
        labels = tuple([self.labels[place] for place in places])
        columns = (self.tp, self.predicted, self.actual)
        return ClassColumns(labels, *(tuple([column[place] for place in places]) for column in columns))

    def in_range(self) -> ClassColumns:
        """Return columns whose products neither overflow nor underflow: unchanged, or as integer multiples of one unit.

        All scores are ratios, which a common unit does not change; Python's integers are unbounded.
        """
        if not isinstance(next(iter(self.predicted), None), float):
            return self
        columns = (self.tp, self.predicted, self.actual)
        largest = max(map(max, columns))
        if largest < _LARGE and not any(0 < number < _SMALL for column in columns for number in column):
            return self
        ratios = [[number.as_integer_ratio() for number in column] for column in columns]
        unit = max(below for column in ratios for _, below in column)
        return ClassColumns(self.labels, *(tuple(above * (unit // below) for above, below in c) for c in ratios))

    def square_of(self, beta: float) -> int | float | Fraction:
        """Return beta²: an integer for F1, so that integers stay exact; a fraction beside integers of any size."""
        if beta == 1.0:
            return 1
        huge = any(isinstance(number, int) and number > _LARGE for number in self.predicted + self.actual)
        return Fraction(beta) ** 2 if huge else beta * beta


def value_of(undefined: Undefined) -> float:
    """Return the value of an undefined ratio; NaN if its class leaves the mean."""
    return math.nan if isinstance(undefined, str) else float(undefined)


def select(counts: ClassCounts, convention: Convention) -> ClassColumns:
    """Select the classes that a convention averages over.

    `"union"` and `"listed"` differ in where the class set comes from, which the counts already record.
    """
    classes = convention.classes
    inside = slice(counts.n_listed)
    found = ClassColumns(counts.labels[inside], counts.tp[inside], counts.predicted[inside], counts.actual[inside])
    if classes == "listed" and counts.n_listed is None:
        raise ConventionError(
            Message(Argument("classes", "listed"), " without a list"),
            expected=Message(Argument("labels"), " with the classes to average over"),
        )
    if classes in ("gold", "seen"):
        keep = [place for place, g in enumerate(found.actual) if g or (classes == "seen" and found.predicted[place])]
        if not keep:
            where = "gold" if classes == "gold" else "gold or predicted"
            raise EmptyError(
                Message(Argument("classes", classes), f" leaves no class: none of the listed labels occurs in {where}")
            )
        found = found.at(keep)
    return found.without(convention.exclude) if convention.exclude else found
