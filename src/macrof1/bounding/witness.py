"""The paper's Theorem 3 as a tool: data whose gap is arbitrarily close to the supremum."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from macrof1.bounding.arguments import Score, checked_n_classes, checked_number
from macrof1.bounding.closed_forms import gap_supremum, harmonic_mean
from macrof1.errors import InputError
from macrof1.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessResult(Result):
    """A confusion matrix whose gap is close to the supremum.

    Attributes
    ----------
    rows_moved
        How many rows each large cell holds; all true positives are 1.
    """

    _keys = ("n_classes", "supremum", "closeness", "gap")

    n_classes: int
    supremum: float
    closeness: float
    gap: float
    rows_moved: int
    exact_gap: Fraction = field(repr=False)

    @property
    def cells(self) -> list[tuple[int, int, int]]:
        """The witness as ``(gold class, predicted class, rows)``, classes counted from 0."""
        hubs = self.n_classes // 2
        found = [(x, x, 1) for x in range(self.n_classes)]
        if hubs:
            found += [(x, x % hubs, self.rows_moved) for x in range(hubs, self.n_classes)]
        return sorted(found)

    def matrix(self) -> list[list[int]]:
        """Return the witness as a matrix with predictions as rows."""
        table = [[0] * self.n_classes for _ in range(self.n_classes)]
        for gold, pred, rows in self.cells:
            table[pred][gold] = rows
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types, with the cells of the witness."""
        names = ("gold", "predicted", "rows")
        return {**Result.to_dict(self), "cells": [dict(zip(names, cell, strict=True)) for cell in self.cells]}


def witness(n_classes: int, *, closeness: Score = 0.001) -> WitnessResult:
    """Return a confusion matrix whose gap is within a given distance of the supremum.

    Half of the classes (the hubs) are gold once and take the rows of the others, which are predicted once:
    the precision of hubs and the recall of the others go to 0 while their recall and precision stay 1.

    Examples
    --------
    >>> found = witness(2, closeness=0.01)
    >>> found.matrix(), round(found.gap, 4)
    ([[1, 148], [0, 1]], 0.49)
    """
    n = checked_n_classes(n_classes)
    close = checked_number(closeness, "closeness")
    if not 0 < close < 1:
        raise InputError.bad_value("closeness", closeness, expected="a distance to the supremum above 0 and below 1")
    supremum = gap_supremum(n)
    # The means of precision and recall only grow beyond their limits, and no F1 exceeds 2 / (2 + rows).
    low, high = 0, math.ceil(2 / close)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if supremum - approaching_gap(n, middle) > close else (low, middle)
    reached = approaching_gap(n, high)
    return WitnessResult(
        n_classes=n,
        supremum=float(supremum),
        closeness=float(close),
        gap=float(reached),
        rows_moved=high,
        exact_gap=reached,
    )


def approaching_gap(n: int, rows: int) -> Fraction:
    """Return the gap of the witness with this many rows moved from each source."""
    hubs = n // 2
    if not hubs:
        return Fraction()
    # Source x gives `rows` to hub x mod hubs: with an odd number of classes, the first hub serves two sources.
    twice = n % 2
    once = hubs - twice
    sources = n - hubs
    precision = sources + once * Fraction(1, 1 + rows) + twice * Fraction(1, 1 + 2 * rows)
    recall = hubs + sources * Fraction(1, 1 + rows)
    f1 = (sources + once) * Fraction(2, 2 + rows) + twice * Fraction(2, 2 + 2 * rows)
    return (harmonic_mean(precision, recall) - f1) / n
