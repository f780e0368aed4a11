"""The formulas: per-class ratios, both macro F1s, and the other averages printed beside them, all from counts alone.

The arithmetic uses Python's integers: they never overflow, and a quotient of two is rounded once. An undefined ratio
has an explicit value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from operator import mul
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from macrof1.convention import DEFAULT, Convention, Undefined
from macrof1.counts import COLUMNS, EXACT_FLOAT, ClassCounts, Number, exact_sum, is_array, plain_numbers
from macrof1.errors import ConventionError, EmptyError
from macrof1.labels import Label, check_known, label_key
from macrof1.message import Argument, Message

if TYPE_CHECKING:
    from macrof1.counting.array_columns import ArrayColumns

_Columns = TypeVar("_Columns", "ClassColumns", "ArrayColumns")

Column: TypeAlias = tuple[Number, ...]

# Up to this many classes, Python's numbers are as fast as arrays.
_MANY = 256

# Products of two weights between these limits, and sums of a few, are ordinary doubles.
_SMALL, _LARGE = 2.0**-480, 2.0**480
# Products above this keep all their digits.
_SMALLEST = 1e-290


@dataclass(frozen=True, slots=True)
class ClassColumns:
    """The counts of the classes averaged over, one number per class."""

    labels: tuple[Label | None, ...]
    tp: Column
    predicted: Column
    actual: Column
    weights: Column | None = None  # of the units in the mean, where rows with weights are the units

    def __len__(self) -> int:
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
        columns = (self.tp, self.predicted, self.actual, self.weights)
        kept = (None if column is None else tuple([column[place] for place in places]) for column in columns)
        return ClassColumns(labels, *kept)  # type: ignore[arg-type]  # only weights may be None

    def with_empty(self, value: int) -> ClassColumns:
        """Let a unit with nothing gold and nothing predicted have this precision, recall and F1."""
        rows = zip(self.tp, self.predicted, self.actual, strict=True)
        told = [(t, p, g) if p or g else (value, 1, 1) for t, p, g in rows]
        return replace(self, **dict(zip(COLUMNS, zip(*told, strict=True), strict=True)))

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
        shift = [
            float(_cross(g, p_ref, p, g_ref) / ((p + square * g) * below_ref)) if w else 0.0
            for w, (p, g) in zip(weight, margins, strict=True)
        ]
        return weight, shift

    def noise_terms(self, beta: float) -> list[float]:
        """Return tp (predicted + actual - 2 tp) / (predicted + beta² actual)³ per class."""
        square = beta * beta
        rows = zip(self.tp, self.predicted, self.actual, strict=True)
        return [t * (p + g - t - t) / (p + square * g) ** 3 if t else 0.0 for t, p, g in rows]

    def in_range(self) -> ClassColumns:
        """Return columns whose products stay in range, maybe as integer multiples of one unit: scores are ratios."""
        if not isinstance(next(iter(self.predicted), None), float):
            return self
        columns = (self.tp, self.predicted, self.actual)
        largest = max(map(max, columns))
        if largest < _LARGE and not any(0 < number < _SMALL for column in columns for number in column):
            return self
        ratios = [[number.as_integer_ratio() for number in column] for column in columns]
        unit = max(below for column in ratios for _, below in column)
        tp, predicted, actual = (tuple(above * (unit // below) for above, below in column) for column in ratios)
        return ClassColumns(self.labels, tp, predicted, actual, self.weights)

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
    """Return g p_ref - p g_ref; of real numbers, without cancellation."""
    left, right = g * p_ref, p * g_ref
    if isinstance(left, float) and abs(left - right) < 1e-3 * left:
        return float(Fraction(g) * Fraction(p_ref) - Fraction(p) * Fraction(g_ref))
    return left - right


def select(counts: ClassCounts, convention: Convention) -> ClassColumns:
    """Select the classes that a convention averages over; where a class set comes from, the counts already record."""
    inside = slice(counts.n_listed)
    columns = ClassColumns(counts.labels[inside], counts.tp[inside], counts.predicted[inside], counts.actual[inside])
    if counts.weights is not None:
        columns = replace(columns, weights=plain_numbers(counts.weights))
    return _selected(columns, counts, convention)


def columns_of(counts: ClassCounts, convention: Convention) -> ClassColumns | ArrayColumns:
    """Select the same classes; many that were counted as arrays stay arrays, with the same numbers in the end."""
    if len(counts.labels) > _MANY and is_array(counts.columns[0]):
        from macrof1.counting.array_columns import array_columns  # NumPy is there if arrays are

        found = array_columns(counts)
        if found is not None:
            return _selected(found, counts, convention)
    return select(counts, convention)


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
            none = f"none has a label in {where}" if counts.over else f"none of the listed labels occurs in {where}"
            raise EmptyError(Message(Argument("classes", classes), f" leaves no {counts.noun.one}: {none}"))
        found = found.at(occur)
    if counts.over is not None:
        # Labels were left out before rows became counts; empty units have a policy of their own.
        if convention.exclude:
            counted_over = Message(Argument("exclude"), f" with counts over {counts.noun.many}")
            raise ConventionError(counted_over, expected="labels to be left out where rows are counted")
        if convention.empty is None:
            return found
        if convention.empty != "drop":
            return found.with_empty(convention.empty)
        occur = found.occurring(predicted=True)
        if not len(occur):
            raise EmptyError(Message(Argument("empty", "drop"), f" leaves no {counts.noun.one} to average over"))
        return found.at(occur)
    if not convention.exclude:
        return found
    # The rows that these classes took from others stay errors of the others.
    left = set(map(label_key, convention.exclude))
    keep = [place for place, label in enumerate(found.labels) if label_key(label) not in left]
    if not keep:
        raise _none_left()
    return found.at(keep)


def _none_left() -> EmptyError:
    return EmptyError(Message(Argument("exclude"), " leaves no class to average over"), expected="at least one other")


def check_excluded(convention: Convention, labels: Iterable[Label | None]) -> None:
    """Refuse to exclude every class, or a name that is not a class: a typo would silently change the score."""
    if not convention.exclude:
        return
    known = set(map(label_key, labels))
    check_known(convention.exclude, known)
    if known <= set(map(label_key, convention.exclude)):
        raise _none_left()


def met_convention(convention: Convention, labels: Iterable[Label | None]) -> Convention:
    """Exclude only classes that occur: a group, or another system's data, may lack one."""
    if not convention.exclude:
        return convention
    known = set(map(label_key, labels))
    return replace(convention, exclude=tuple(label for label in convention.exclude if label_key(label) in known))


def mean_f(counts: ClassCounts, convention: Convention) -> float:
    """Return the averaged F1: (1/n) Σ 2 tp / (predicted + actual); with beta, the averaged F-beta."""
    undefined, classes = convention.undefined, convention.classes
    whole = classes == "union" or (classes == "listed" and counts.n_listed is not None)
    if whole and not convention.exclude and convention.beta == 1.0 and isinstance(undefined, int):
        n = len(counts.labels) if counts.n_listed is None else counts.n_listed
        plain = counts.weights is None and convention.empty is None and is_array(counts.columns[0])
        total = _array_sums().f1_sum(*counts.columns, n, undefined) if n and plain else None
        if total is not None:
            return float(total / n)
    return mean_of(columns_of(counts, convention), "f", convention)


@cache
def _array_sums() -> Any:
    """Return the sums that counting supplies for arrays: the same bits without a Python number per class."""
    from macrof1.counting.kernel import integers

    return integers


def total_of(values: Any) -> float:
    """Return the sum of a list or an array, rounded once."""
    return float(_array_sums().exact_total(values)) if is_array(values) else math.fsum(values)


def f_of_averages(columns: ClassColumns | ArrayColumns, convention: Convention) -> float:
    """Return the F1 of averages: 2 P̄ R̄ / (P̄ + R̄), with P̄ and R̄ averaged over the classes."""
    precision, recall = (mean_of(columns, of, convention) for of in ("precision", "recall"))
    found = f_of_means(precision, recall, convention.beta)
    if columns.means_differ(convention.undefined):
        return found
    # It is never below the mean F; if the two are equal, rounding must not say otherwise.
    return max(found, mean_of(columns, "f", convention))


def mean_of(columns: ClassColumns | ArrayColumns, ratio: str, convention: Convention) -> float:
    """Return the mean over the classes of their ``"precision"``, ``"recall"`` or ``"f"``."""
    undefined, beta = convention.undefined, convention.beta if ratio == "f" else 1.0
    if is_array(columns.tp) and columns.weights is None and isinstance(undefined, int) and beta == 1.0:
        # Where both margins are the same, F1 is precision or recall.
        margins = {"precision": ("predicted",) * 2, "recall": ("actual",) * 2, "f": ("predicted", "actual")}[ratio]
        below = (getattr(columns, margin) for margin in margins)
        total = _array_sums().f1_sum(columns.tp, *below, len(columns), undefined)
        if total is not None:
            return float(total / len(columns))
    return mean_over(columns, columns.f(beta, undefined) if ratio == "f" else getattr(columns, ratio)(undefined))


def f_of_means(precision: float, recall: float, beta: float = 1.0) -> float:
    """Return the F of a precision and a recall, (1 + beta²) P R / (beta² P + R); 0 if both are 0."""
    square = beta * beta
    below = square * precision + recall
    if not below:
        return 0.0
    product = precision * recall
    # A product too small for a double has lost its digits; recall / below is at most 1.
    return (1 + square) * product / below if product > _SMALLEST else (1 + square) * precision * (recall / below)


def mean_over(columns: ClassColumns | ArrayColumns, values: Any) -> float:
    """Return the mean of the defined values of these units, each with its weight."""
    if columns.weights is None or math.isnan(mean_or_nan(values)):
        return mean(values)
    if not any(weight for weight, value in zip(columns.weights, values, strict=True) if not math.isnan(value)):
        expected = "a positive weight in some row"
        raise EmptyError("all that is averaged over has weight 0", argument="sample_weight", expected=expected)
    return weighted_mean(values, columns.weights)


def mean(values: Any) -> float:
    """Return the mean of the defined values; the sum is rounded once, so class order does not matter."""
    found = mean_or_nan(values)
    if math.isnan(found):
        raise EmptyError(
            "undefined ratios are left out, and none is defined",
            argument="undefined",
            expected=Message(Argument("undefined", 0), " or ", Argument("undefined", 1), " for such data"),
        )
    return found


def mean_or_nan(values: Any) -> float:
    """Return the mean of the defined values of a list or an array; NaN if there are none."""
    if is_array(values):
        gone = values != values
        values = values[~gone] if gone.any() else values
        return total_of(values) / len(values) if len(values) else math.nan
    total = math.fsum(values)
    if total == total:
        return total / len(values)
    defined = [value for value in values if value == value]
    return math.fsum(defined) / len(defined) if defined else math.nan


def weighted_mean(values: Any, weights: Any) -> float:
    """Return the mean of the defined values, each class weighted by its gold rows; 0 if there are none."""
    if is_array(values):
        there = values == values
        values, weights = values[there], weights[there]
        all_weights = total_of(weights) if weights.dtype.kind == "f" else weights.sum().item()
        if weights.dtype.kind == "f" or all_weights <= EXACT_FLOAT:
            return total_of(values * (weights / all_weights)) if all_weights else 0.0
        values, weights = values.tolist(), weights.tolist()
    pairs = [(value, weight) for value, weight in zip(values, weights, strict=True) if not math.isnan(value)]
    total = exact_sum([weight for _, weight in pairs])
    return math.fsum(value * (weight / total) for value, weight in pairs) if total else 0.0


def micro_f(columns: ClassColumns | ArrayColumns, beta: float = 1.0) -> float:
    """Return the F of the pooled counts of all classes: 2 Σ tp / (Σ predicted + Σ actual); 0 if there are none."""
    columns = columns.in_range()
    square = columns.square_of(beta)
    tp, predicted, actual = columns.sums()
    below = predicted + square * actual
    return float((1 + square) * tp / below) if below else 0.0


def covers_rows(counts: ClassCounts) -> bool:
    """Whether counts cover all labels of rows with one label each: as many predictions as gold labels."""
    if counts.task != "multiclass" or counts.over is not None:
        return False
    _, predicted, actual = _all(counts).sums()
    return math.isclose(predicted, actual, rel_tol=1e-9) if counts.real else predicted == actual


def accuracy(counts: ClassCounts | ClassColumns) -> float:
    """Return the fraction of rows that are right, over all labels; for one label per row."""
    right, _, total = _all(counts).sums()
    return right / total if total else 0.0


def balanced_accuracy(counts: ClassCounts | ClassColumns) -> float:
    """Return the mean recall of the classes that occur in gold; for one label per row."""
    found = mean_or_nan(_all(counts).recall("drop"))
    return 0.0 if math.isnan(found) else found


def cohen_kappa(counts: ClassCounts | ClassColumns) -> float:
    """Return Cohen's kappa: how far the accuracy exceeds what the margins alone would give; NaN for one class.

    (n Σ tp − Σ predicted · actual) / (n² − Σ predicted · actual); Cohen 1960, "A coefficient of agreement for nominal
    scales".
    """
    columns = _all(counts)
    right, _, n = columns.sums()
    chance = columns.dot(columns.predicted, columns.actual)
    below = n * n - chance
    return (n * right - chance) / below if below > 0 else math.nan


def mcc(counts: ClassCounts | ClassColumns) -> float:
    """Return Matthews' correlation coefficient for any number of classes; 0 if one side has a single class.

    (n Σ tp − Σ predicted · actual) / √((n² − Σ predicted²) (n² − Σ actual²)); Gorodkin 2004, "Comparing two K-category
    assignments by a K-category correlation coefficient".
    """
    columns = _all(counts)
    right, _, n = columns.sums()
    chance = columns.dot(columns.predicted, columns.actual)
    sides = [n * n - columns.dot(side, side) for side in (columns.predicted, columns.actual)]
    if min(sides) <= 0:
        return 0.0
    above = n * right - chance
    # Integers of any size divide with one rounding, but have no exact square root.
    root = math.sqrt((above / sides[0]) * (above / sides[1]))
    return math.copysign(root, above / sides[0])


def _all(counts: ClassCounts | ClassColumns) -> Any:
    """Return the columns of all labels, including those outside a listed class set: every row counts."""
    if isinstance(counts, ClassColumns):
        return counts.in_range()
    return columns_of(counts.with_facts(n_listed=None), DEFAULT).in_range()
