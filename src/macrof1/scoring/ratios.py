"""Per-class precision, recall and F: one rounding per ratio, and an explicit value for undefined ratios.

The arithmetic uses Python's integers: they never overflow, and a quotient of two is rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from operator import mul
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from macrof1.convention import Convention, Undefined
from macrof1.counts import ClassCounts, Number, exact_sum, is_array
from macrof1.errors import ConventionError, EmptyError
from macrof1.labels import Label, label_key
from macrof1.message import Argument, Message

if TYPE_CHECKING:
    from macrof1.counting.array_columns import ArrayColumns

_Columns = TypeVar("_Columns", "ClassColumns", "ArrayColumns")

Column: TypeAlias = tuple[Number, ...]

# Up to this many classes, Python's numbers are as fast as arrays.
_MANY = 256

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

    def occurring(self, *, predicted: bool) -> list[int]:
        """Return the places of the classes that occur in gold; with `predicted`, also of those only predicted."""
        return [place for place, g in enumerate(self.actual) if g or (predicted and self.predicted[place])]

    def at(self, places: Sequence[int]) -> ClassColumns:
        """Keep some classes, given by their places."""
        labels = tuple([self.labels[place] for place in places])
        columns = (self.tp, self.predicted, self.actual)
        return ClassColumns(labels, *(tuple([column[place] for place in places]) for column in columns))

    def sums(self) -> tuple[Number, Number, Number]:
        """Return the sums of tp, predicted and actual: integers exactly, real weights with one rounding."""
        return exact_sum(self.tp), exact_sum(self.predicted), exact_sum(self.actual)

    def dot(self, left: Sequence[Number], right: Sequence[Number]) -> Number:
        """Return the sum of the products of two columns, rounded once at most."""
        return exact_sum(list(map(mul, left, right)))

    def leanings(self, beta: float, undefined: Undefined) -> tuple[list[float], list[float]]:
        """Return the weight of each class in the gap, R + beta² P, and its shift against the heaviest class."""
        columns = self.in_range()
        square = columns.square_of(beta)
        rows = zip(columns.tp, columns.predicted, columns.actual, strict=True)
        if undefined == 1:
            weight = [float(r + square * p) for p, r in zip(columns.precision(1), columns.recall(1), strict=True)]
            # A class that is neither gold nor predicted has P = R = 1, like one with equal margins.
            margins = [(p, g) if p or g else (1, 1) for _, p, g in rows]
        else:
            # tp (predicted + beta² actual) / (predicted · actual) is R + beta² P with one rounding.
            weight = [float(t * (p + square * g) / (p * g)) if t else 0.0 for t, p, g in rows]
            margins = list(zip(columns.predicted, columns.actual, strict=True))
        # The heaviest class is the reference, so that no difference of two shifts can cancel badly.
        p_ref, g_ref = margins[max(range(len(weight)), key=weight.__getitem__)]
        below_ref = p_ref + square * g_ref
        real = isinstance(p_ref, float)
        shift = [
            float((_cross(g, p_ref, p, g_ref) if real else g * p_ref - p * g_ref) / ((p + square * g) * below_ref))
            if w
            else 0.0
            for w, (p, g) in zip(weight, margins, strict=True)
        ]
        return weight, shift

    def noise_terms(self, beta: float) -> list[float]:
        """Return tp (predicted + actual - 2 tp) / (predicted + beta² actual)³ per class."""
        square = beta * beta
        rows = zip(self.tp, self.predicted, self.actual, strict=True)
        return [t * (p + g - t - t) / (p + square * g) ** 3 if t else 0.0 for t, p, g in rows]

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


def _cross(g: Number, p_ref: Number, p: Number, g_ref: Number) -> Number:
    """Return g p_ref - p g_ref of real numbers without cancellation."""
    left, right = g * p_ref, p * g_ref
    if abs(left - right) < 1e-3 * left:
        return float(Fraction(g) * Fraction(p_ref) - Fraction(p) * Fraction(g_ref))
    return left - right


def select(counts: ClassCounts, convention: Convention) -> ClassColumns:
    """Select the classes that a convention averages over.

    `"union"` and `"listed"` differ in where the class set comes from, which the counts already record.
    """
    inside = slice(counts.n_listed)
    columns = ClassColumns(counts.labels[inside], counts.tp[inside], counts.predicted[inside], counts.actual[inside])
    return _selected(columns, counts, convention)


def columns_of(counts: ClassCounts, convention: Convention) -> ClassColumns | ArrayColumns:
    """Select the same classes; many that were counted as arrays stay arrays, with the same numbers in the end."""
    if len(counts.labels) > _MANY and is_array(counts.columns[0]):
        found = _array_columns()(counts.labels, *counts.columns, counts.n_listed)
        if found is not None:
            return _selected(found, counts, convention)
    return select(counts, convention)


@cache
def _array_columns() -> Callable[..., ArrayColumns | None]:
    """Return what counting supplies for arrays; NumPy is there if they are."""
    from macrof1.counting.array_columns import array_columns

    return array_columns


def _selected(found: _Columns, counts: ClassCounts, convention: Convention) -> _Columns:
    classes = convention.classes
    if classes == "listed" and counts.n_listed is None:
        raise ConventionError(
            Message(Argument("classes", "listed"), " without a list"),
            expected=Message(Argument("labels"), " with the classes to average over"),
        )
    if classes in ("gold", "seen"):
        occur = found.occurring(predicted=classes == "seen")
        if not len(occur):
            where = "gold" if classes == "gold" else "gold or predicted"
            raise EmptyError(
                Message(Argument("classes", classes), f" leaves no class: none of the listed labels occurs in {where}")
            )
        found = found.at(occur)
    if not convention.exclude:
        return found
    # The rows that these classes took from others stay errors of the others.
    left = set(map(label_key, convention.exclude))
    keep = [place for place, label in enumerate(found.labels) if label_key(label) not in left]
    if not keep:
        raise EmptyError(
            Message(Argument("exclude"), " leaves no class to average over"), expected="at least one other"
        )
    return found.at(keep)
