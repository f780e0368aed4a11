"""Counts per class that stay arrays until their numbers are needed: with many classes, conversion costs the most."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import Task
from macrof1.counting.kernel.integers import f1_sum
from macrof1.counts import COLUMNS, PLAIN, ClassCounts, Making, Number
from macrof1.labels import Label

Column: TypeAlias = NDArray[Any]
"""One number per class: int64, or float64 if rows carry real weights."""

# Sets the fields of a frozen type, bypassing its guard.
_put = object.__setattr__


class ArrayCounts(ClassCounts):
    """`ClassCounts` from three arrays; equal to those of the same numbers in tuples."""

    __slots__ = ("_columns", "arrays")

    arrays: tuple[Column, Column, Column]
    """tp, predicted and actual, read-only."""
    _columns: tuple[tuple[Number, ...], ...] | None

    def __init__(
        self,
        *,
        labels: tuple[Label | None, ...],
        tp: Column,
        predicted: Column,
        actual: Column,
        n_rows: int | None,
        n_listed: int | None = None,
        n_dropped: int = 0,
        task: Task = "multiclass",
        weighted: bool = False,
        making: Making = PLAIN,
        read_only: bool = False,
    ) -> None:
        if not read_only:
            for column in (tp, predicted, actual):
                column.setflags(write=False)
        _put(self, "arrays", (tp, predicted, actual))
        _put(self, "_columns", None)
        _put(self, "labels", labels)
        _put(self, "n_rows", n_rows)
        _put(self, "n_listed", n_listed)
        _put(self, "n_dropped", n_dropped)
        _put(self, "task", task)
        _put(self, "weighted", weighted or tp.dtype.kind == "f")
        _put(self, "making", making)

    def _listed(self) -> tuple[tuple[Number, ...], ...]:
        tp, predicted, actual = self.arrays
        columns = tuple(tp.tolist()), tuple(predicted.tolist()), tuple(actual.tolist())
        _put(self, "_columns", columns)
        return columns

    @property
    def tp(self) -> tuple[Number, ...]:
        """Rows in which gold and predicted agree on a label."""
        return (self._columns or self._listed())[0]

    @property
    def predicted(self) -> tuple[Number, ...]:
        """Rows in which a label was predicted."""
        return (self._columns or self._listed())[1]

    @property
    def actual(self) -> tuple[Number, ...]:
        """Rows in which a label is gold."""
        return (self._columns or self._listed())[2]

    @property
    def real(self) -> bool:
        """Whether the counts are real numbers."""
        return bool(self.arrays[0].dtype.kind == "f")

    @property
    def is_empty(self) -> bool:
        """Whether every count is 0."""
        return not (self.arrays[2].any() or self.arrays[1].any())

    @property
    def all_wrong(self) -> bool:
        """Whether no row is right."""
        return not np.count_nonzero(self.arrays[0])

    def mean_f1_at_once(self, undefined: int) -> float | None:
        """Return the mean F1 without a Python number per class: the same bits, faster."""
        tp, predicted, actual = self.arrays
        n = len(tp) if self.n_listed is None else self.n_listed
        total = f1_sum(tp, predicted, actual, n, undefined) if n else None
        return None if total is None else total / n

    def __setattr__(self, name: str, value: object) -> None:
        """Reject changes, as the frozen base class does."""
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the counts as arrays."""
        facts: dict[str, Any] = dict(zip(COLUMNS, self.arrays, strict=True))
        names = ("labels", "n_rows", "n_listed", "n_dropped", "task", "weighted", "making")
        facts |= {name: getattr(self, name) for name in names}
        return partial(ArrayCounts, **facts), ()


def arrays_of(counts: ClassCounts) -> tuple[Column, Column, Column]:
    """Return tp, predicted and actual as arrays: int64, or float64 for real weights."""
    if isinstance(counts, ArrayCounts):
        return counts.arrays
    kind = np.float64 if counts.real else np.int64
    return np.array(counts.tp, kind), np.array(counts.predicted, kind), np.array(counts.actual, kind)
