"""Checks on numbers given as counts: integers below 2**63, or real weights, never negative."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.counts import (
    MOST,
    MOST_WEIGHT,
    ClassCounts,
    check_exact,
    checked_sum,
    plain_number,
    sum_too_large,
    too_large,
)
from macrof1.errors import CountError, EmptyError, LengthError
from macrof1.message import Argument, Message

Numbers: TypeAlias = NDArray[Any]


def arrays_of(counts: ClassCounts) -> tuple[Numbers, Numbers, Numbers]:
    """Return tp, predicted and actual as arrays: int64, or float64 for real weights."""
    kind = np.float64 if counts.real else np.int64
    tp, predicted, actual = (np.asarray(column, kind) for column in counts.columns)
    return tp, predicted, actual


def check_unchanged(now: ClassCounts, before: ClassCounts) -> None:
    """Reject rows that have changed since they were counted; real weights may be rounded in another order."""
    same = partial(np.allclose, rtol=1e-9, atol=0) if before.real else np.array_equal
    sides = zip(arrays_of(now), arrays_of(before), strict=True)
    if not all(one.shape == other.shape and same(one, other) for one, other in sides):
        raise CountError.rows_changed()


def is_masked_array(values: Any) -> bool:
    """Whether values are a masked array, without loading NumPy's module for them if nobody else did."""
    return "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray)


def checked_cells(values: Any, what: str) -> Numbers:
    """Return a read-only-safe copy as int64, or as float64 if there are fractions; reject anything else."""
    if is_masked_array(values) and np.ma.is_masked(values):
        raise CountError(f"{what}: found masked values", expected="a number everywhere; fill or drop them first")
    if isinstance(values, np.ndarray):
        array = np.asarray(values)  # np.matrix would stay two-dimensional in every sum
    else:
        try:
            array = np.array(values.todense() if hasattr(values, "todense") else values)
        except Exception:  # noqa: BLE001  # a foreign array may raise anything
            raise CountError(f"{what}: rows differ in length or hold no numbers", expected="numbers only") from None
        if array.dtype.kind in "fO" and isinstance(values, Sequence) and not isinstance(values, str):
            # Python integers that NumPy would round or wrap silently.
            flat = itertools.chain.from_iterable(row if isinstance(row, Sequence) else (row,) for row in values)
            check_exact(list(flat), what)
    if array.dtype.kind == "O":
        numbers = [plain_number(value, what) for value in array.ravel().tolist()]
        check_exact(numbers, what)
        kind = np.float64 if any(isinstance(value, float) for value in numbers) else np.int64
        array = np.array(numbers, dtype=kind).reshape(array.shape)
    if array.dtype.kind not in "iuf":
        raise CountError(f"{what}: found values of type {array.dtype}", expected="whole numbers or real weights")
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise CountError(f"{what}: found NaN or infinity", expected="finite numbers, 0 or larger")
        array = array.astype(np.float64)
    else:
        if array.dtype.kind == "u" and array.size and int(array.max()) > MOST:
            raise too_large(int(array.max()))
        array = array.astype(np.int64)
    if array.size and array.min() < 0:
        raise CountError(f"{what}: found {array.min().item()}", expected="no negative number")
    return array


def checked_weights(sample_weight: Any, n_rows: int, name: str = "sample_weight") -> Numbers:
    """Return one weight per row, or reject weights of another shape; `name` is that of the argument."""
    weights = checked_cells(sample_weight, name)
    if weights.ndim != 1:
        problem = Message(Argument(name), f" has shape {weights.shape}")
        raise CountError(problem, argument=name, expected="one number per row, in one dimension")
    if len(weights) != n_rows:
        raise LengthError.differ(gold=n_rows, **{name: len(weights)})
    return weights


def some_weights(sample_weight: Any, n_rows: int) -> Numbers:
    """Return one weight per row, with a sum that fits; reject all-zero weights."""
    weights = checked_total(checked_weights(sample_weight, n_rows))
    if n_rows and not weights.any():
        raise EmptyError("all weights are 0", argument="sample_weight", expected="a positive weight in some row")
    return weights


def checked_total(values: Numbers) -> Numbers:
    """Reject counts whose sum does not fit in 63 bits, where NumPy would wrap silently."""
    if values.dtype.kind == "f":
        with np.errstate(over="ignore"):  # overflow is what we check for
            total = values.sum()
        suspect = not total < MOST_WEIGHT
    else:
        if values.size and values.min() < 0:
            raise sum_too_large()
        suspect = float(values.sum(dtype=np.float64)) >= 2.0**62
    if suspect:
        checked_sum(values.ravel().tolist())
    return values


def checked_matrix(matrix: object) -> Numbers:
    """Return a square, non-empty matrix of counts or weights."""
    what = "the confusion matrix"
    table = checked_cells(matrix, what)
    if table.size == 0:
        raise EmptyError.nothing(what)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        shape = " x ".join(map(str, table.shape))
        raise CountError(f"{what} has shape {shape}", expected="as many rows as columns")
    checked_total(table)
    if not table.any():
        raise EmptyError(f"{what} holds only zeros", expected="at least one counted row")
    return table
