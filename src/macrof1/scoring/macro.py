"""The formulas: both macro F1s, and the other averages printed beside them, all from counts alone."""

from __future__ import annotations

import math
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from macrof1.convention import DEFAULT, Convention
from macrof1.counts import EXACT_FLOAT, ClassCounts, exact_sum, is_array
from macrof1.errors import EmptyError
from macrof1.message import Argument, Message
from macrof1.scoring.ratios import ClassColumns, columns_of

if TYPE_CHECKING:
    from macrof1.counting.array_columns import ArrayColumns

# Products above this keep all their digits.
_SMALLEST = 1e-290


def mean_f(counts: ClassCounts, convention: Convention) -> float:
    """Return the averaged F1: (1/n) Σ 2 tp / (predicted + actual); with beta, the averaged F-beta."""
    undefined, classes = convention.undefined, convention.classes
    whole = classes == "union" or (classes == "listed" and counts.n_listed is not None)
    if whole and not convention.exclude and convention.beta == 1.0 and isinstance(undefined, int):
        n = len(counts.labels) if counts.n_listed is None else counts.n_listed
        total = _of_arrays().f1_sum(*counts.columns, n, undefined) if n and is_array(counts.columns[0]) else None
        if total is not None:
            return float(total / n)
    return mean(columns_of(counts, convention).f(convention.beta, undefined))


@cache
def _of_arrays() -> ModuleType:
    """Return the sums that counting supplies for arrays: the same bits without a Python number per class."""
    from macrof1.counting.kernel import integers

    return integers


def total_of(values: Any) -> float:
    """Return the sum of a list or an array, rounded once."""
    return float(_of_arrays().exact_total(values)) if is_array(values) else math.fsum(values)


def f_of_averages(columns: ClassColumns | ArrayColumns, convention: Convention) -> float:
    """Return the F1 of averages: 2 P̄ R̄ / (P̄ + R̄), with P̄ and R̄ averaged over the classes."""
    undefined = convention.undefined
    found = f_of_means(mean(columns.precision(undefined)), mean(columns.recall(undefined)), convention.beta)
    if columns.means_differ(undefined):
        return found
    # It is never below the mean F; if the two are equal, rounding must not say otherwise.
    return max(found, mean(columns.f(convention.beta, undefined)))


def f_of_means(precision: float, recall: float, beta: float = 1.0) -> float:
    """Return the F of a precision and a recall, (1 + beta²) P R / (beta² P + R); 0 if both are 0."""
    square = beta * beta
    below = square * precision + recall
    if not below:
        return 0.0
    product = precision * recall
    # A product too small for a double has lost its digits; recall / below is at most 1.
    return (1 + square) * product / below if product > _SMALLEST else (1 + square) * precision * (recall / below)


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
    """Return the mean of the defined values, each class weighted by its gold rows; 0 if there are none.

    Notes
    -----
    ``average="weighted"`` in scikit-learn. The mean recall weighted this way is the accuracy.
    """
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
    """Return the F of the pooled counts of all classes: 2 Σ tp / (Σ predicted + Σ actual); 0 if there are none.

    Notes
    -----
    With one label per row and all classes, it is the accuracy.
    """
    columns = columns.in_range()
    square = columns.square_of(beta)
    tp, predicted, actual = columns.sums()
    below = predicted + square * actual
    return float((1 + square) * tp / below) if below else 0.0


def covers_rows(counts: ClassCounts) -> bool:
    """Whether counts cover all labels of rows with one label each: as many predictions as gold labels."""
    if counts.task != "multiclass":
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

    (n Σ tp − Σ predicted · actual) / (n² − Σ predicted · actual)

    References
    ----------
    Cohen 1960, "A coefficient of agreement for nominal scales".
    """
    columns = _all(counts)
    right, _, n = columns.sums()
    chance = columns.dot(columns.predicted, columns.actual)
    below = n * n - chance
    return (n * right - chance) / below if below > 0 else math.nan


def mcc(counts: ClassCounts | ClassColumns) -> float:
    """Return Matthews' correlation coefficient for any number of classes; 0 if one side has a single class.

    (n Σ tp − Σ predicted · actual) / √((n² − Σ predicted²) (n² − Σ actual²))

    References
    ----------
    Gorodkin 2004, "Comparing two K-category assignments by a K-category correlation coefficient".
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
