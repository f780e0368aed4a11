"""Ratios of many classes as arrays: the same bits as Python's numbers, at the cost of array arithmetic.

A quotient of two doubles is rounded once, so it is Python's quotient of two integers wherever both are below 2**53.
The classes with larger products are left to Python: counts sum to less than 2**63, so there are few of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import Undefined
from macrof1.counting.kernel.integers import exact_total, leanings
from macrof1.counts import ClassCounts
from macrof1.labels import Label

Values: TypeAlias = NDArray[np.float64]

_EXACT = 2.0**53
# Below this, a difference of two products of integers fits in 64 bits.
_FITS = 2.0**62
# Products of two weights between these limits are ordinary doubles.
_SMALL, _LARGE = 2.0**-480, 2.0**480
# Where two products are closer than this, their difference has lost digits.
_NEAR = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class ArrayColumns:
    """The counts of the classes averaged over: arrays of int64, or of float64 for real weights."""

    labels: tuple[Label | None, ...]
    tp: NDArray[Any]
    predicted: NDArray[Any]
    actual: NDArray[Any]
    weights: NDArray[Any] | None = None  # of the units in the mean, where rows with weights are the units

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def real(self) -> bool:
        """Whether the counts are sums of real weights."""
        return self.tp.dtype.kind == "f"

    def in_range(self) -> ArrayColumns:
        """Return the columns themselves, which `array_columns` made only if they are in range."""
        return self

    def square_of(self, beta: float) -> float:
        """Return beta²: an integer for F1, so that integers stay exact."""
        return 1 if beta == 1.0 else beta * beta

    def occurring(self, *, predicted: bool) -> NDArray[np.int64]:
        """Return the places of the classes that occur in gold; with `predicted`, also of those only predicted."""
        return np.flatnonzero((self.actual > 0) | (self.predicted > 0) if predicted else self.actual > 0)

    def at(self, places: Any) -> ArrayColumns:
        """Keep some classes, given by their places."""
        labels = tuple([self.labels[place] for place in np.asarray(places).tolist()])
        weights = None if self.weights is None else self.weights[places]
        return ArrayColumns(labels, self.tp[places], self.predicted[places], self.actual[places], weights)

    def with_empty(self, value: int) -> ArrayColumns:
        """Let a unit with nothing gold and nothing predicted have this precision, recall and F1."""
        empty = (self.predicted == 0) & (self.actual == 0)
        tp, predicted, actual = (
            np.where(empty, number, column)
            for number, column in ((value, self.tp), (1, self.predicted), (1, self.actual))
        )
        return ArrayColumns(self.labels, tp, predicted, actual, self.weights)

    def means_differ(self, undefined: Undefined) -> bool:
        """Whether some class leaves one of the means, so that the means run over different classes."""
        return undefined not in (0, 1) and not (self.predicted.all() and self.actual.all())

    def precision(self, undefined: Undefined = 0) -> Values:
        """Return tp / predicted per class; NaN if an undefined ratio leaves the mean."""
        return self._ratios(self.predicted, undefined)

    def recall(self, undefined: Undefined = 0) -> Values:
        """Return tp / actual per class; NaN if an undefined ratio leaves the mean."""
        return self._ratios(self.actual, undefined)

    def _ratios(self, below: NDArray[Any], undefined: Undefined) -> Values:
        found = np.full(len(self), _value_of(undefined))
        np.divide(self.tp, below, out=found, where=below != 0)
        return self._corrected(found, below >= _EXACT, lambda t, _, __, n: t / n, below)

    def f(self, beta: float = 1.0, undefined: Undefined = 0) -> Values:
        """Return (1 + beta²) tp / (predicted + beta² actual) per class; NaN if an undefined F leaves the mean."""
        square = beta * beta
        predicted, actual = self.predicted.astype(np.float64), self.actual.astype(np.float64)
        below = predicted + square * actual
        defined = (predicted > 0) & (actual > 0) if undefined == "drop_with_parts" else below > 0
        found = np.full(len(self), _value_of(undefined))
        np.divide((1 + square) * self.tp, below, out=found, where=defined)
        large = below >= _EXACT if square == 1 else np.zeros(len(self), np.bool_)
        return self._corrected(found, large & defined, lambda t, p, g, _: 2 * t / (p + g))

    def _corrected(
        self, found: Values, large: NDArray[np.bool_], exactly: Callable[..., float], *more: NDArray[Any]
    ) -> Values:
        """Compute what 53 bits cannot hold in Python's integers; real weights are doubles already."""
        if not self.real and large.any():
            columns = (self.tp, self.predicted, self.actual, *(more or (self.tp,)))
            for at in np.flatnonzero(large).tolist():
                found[at] = exactly(*(column[at].item() for column in columns))
        return found

    def leanings(self, beta: float, undefined: Undefined) -> tuple[Values, Values]:
        """Return the weight of each class in the gap, R + beta² P, and its shift against the heaviest class."""
        square, p, g = beta * beta, self.predicted, self.actual
        found = leanings(self.tp, p, g) if square == 1 and undefined != 1 else None
        if found is not None:
            return found[0], found[1]
        if undefined == 1:
            weight = self.recall(1) + square * self.precision(1)
            # A class that is neither gold nor predicted has P = R = 1, like one with equal margins.
            empty = (p == 0) & (g == 0)
            p, g = np.where(empty, 1, p), np.where(empty, 1, g)
        else:
            weight = self._weights(square)
        ref = int(weight.argmax())
        return weight, self._shifts(weight, p, g, (p[ref].item(), g[ref].item()), square)

    def _weights(self, square: float) -> Values:
        """Return tp (predicted + beta² actual) / (predicted · actual): R + beta² P with one rounding."""
        p, g = self.predicted.astype(np.float64), self.actual.astype(np.float64)
        above, below = self.tp * (p + square * g), p * g
        found = np.zeros(len(self))
        np.divide(above, below, out=found, where=self.tp > 0)
        if square == 1:
            large = (above >= _EXACT) | (below >= _EXACT)
            return self._corrected(found, large & (self.tp > 0), lambda t, p, g, _: t * (p + g) / (p * g))
        large = ((p >= _EXACT) | (g >= _EXACT)) & (self.tp > 0)
        return self._corrected(found, large, lambda t, p, g, _: t * (p + square * g) / (p * g))

    def _shifts(
        self, weight: Values, p: NDArray[Any], g: NDArray[Any], reference: tuple[Any, Any], square: float
    ) -> Values:
        """Return (g p_ref - p g_ref) / ((p + beta² g) (p_ref + beta² g_ref)) without cancellation."""
        p_ref, g_ref = reference
        factor = 1 if square == 1 else square
        below_ref = p_ref + factor * g_ref
        left, right = g * p_ref, p * g_ref
        cross = left - right
        below = (p.astype(np.float64) + square * g) * below_ref
        found = np.zeros(len(self))
        np.divide(cross, below, out=found, where=weight > 0)
        if self.real:
            near = (abs(cross) < _NEAR * left) & ((p != g) | (p_ref != g_ref))
            for at in np.flatnonzero(near).tolist():
                exact = Fraction(g[at].item()) * Fraction(p_ref) - Fraction(p[at].item()) * Fraction(g_ref)
                found[at] = float(exact) / below[at].item()
            return found
        large = (g * float(p_ref) >= _FITS) | (p * float(g_ref) >= _FITS)
        if square == 1:
            large |= (abs(cross) >= _EXACT) | (below >= _EXACT)
        else:
            large |= (p >= _EXACT) | (g >= _EXACT)
        for at in np.flatnonzero(large & (weight > 0)).tolist():
            p_at, g_at = p[at].item(), g[at].item()
            found[at] = (g_at * p_ref - p_at * g_ref) / ((p_at + factor * g_at) * below_ref)
        return found

    def noise_terms(self, beta: float) -> Values:
        """Return tp (predicted + actual - 2 tp) / (predicted + beta² actual)³ per class."""
        t, p, g = (column.astype(np.float64) for column in (self.tp, self.predicted, self.actual))
        below = p + beta * beta * g
        found = np.zeros(len(self))
        np.divide(t * (p + g - t - t), below * below * below, out=found, where=t > 0)
        return found

    def sums(self) -> tuple[Any, Any, Any]:
        """Return the sums of tp, predicted and actual: integers exactly, real weights with one rounding."""
        columns = (self.tp, self.predicted, self.actual)
        tp, predicted, actual = (exact_total(column) if self.real else column.sum().item() for column in columns)
        return tp, predicted, actual

    def dot(self, left: NDArray[Any], right: NDArray[Any]) -> int | float:
        """Return the sum of the products of two columns, rounded once at most."""
        if self.real:
            return exact_total(left * right)
        if float(np.dot(left.astype(np.float64), right.astype(np.float64))) < _FITS:
            return int(np.dot(left, right))
        total: int = sum(map(mul, left.tolist(), right.tolist()))
        return total


def _value_of(undefined: Undefined) -> float:
    return math.nan if isinstance(undefined, str) else float(undefined)


def array_columns(counts: ClassCounts) -> ArrayColumns | None:
    """Take the class set of counts; None if products of two weights could overflow or underflow."""
    inside = slice(counts.n_listed)
    columns = [column[inside] for column in counts.columns]
    if counts.real and any(
        column.max(initial=0) >= _LARGE or ((column > 0) & (column < _SMALL)).any() for column in columns
    ):
        return None
    tp, predicted, actual = columns
    return ArrayColumns(counts.labels[inside], tp, predicted, actual, counts.weights)
