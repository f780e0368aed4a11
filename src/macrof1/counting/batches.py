"""Counts that grow batch by batch, with the same result however the data is split into batches.

Every cell is a Python integer. Real weights are integer multiples of 2**-1074, the smallest double, so they are
added as integers too: nothing is rounded until the counts are requested, and then only once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.confusion import Confusion
from macrof1.counting.encoding import counted_from_zero, encode, kept_rows
from macrof1.counting.kernel import integers
from macrof1.counting.matrix import checked_weights
from macrof1.counting.multilabel import count_multilabel, looks_multilabel, paired_rows
from macrof1.counting.named_tables import check_same_index
from macrof1.counts import ClassCounts
from macrof1.errors import CountError, EmptyError, InputError, LengthError, counted, guarded
from macrof1.labels import Missing, checked_labels, checked_missing, label_key
from macrof1.message import Argument, Message

_Key = tuple[type, Any]

# The unit of real weights: every double is an integer multiple of 2**-1074.
_UNIT = 1074
# One call costs as much as a few thousand rows: smaller batches are buffered until there are that many rows.
_SMALL = 1 << 12
_BLOCK = 1 << 16


class CountAccumulator:
    """Counts of batches; see `macrof1.Accumulator`, which also scores them."""

    @guarded
    def __init__(self, *, labels: Iterable[object] | None = None, missing: Missing = "error") -> None:
        self._listed = None if labels is None else checked_labels(labels)
        self._missing = checked_missing(missing)
        self._cells: dict[tuple[_Key, _Key], int] = {}
        self._sets: ClassCounts | None = None
        self._real = False
        self._weighted: bool | None = None
        self._held: tuple[list[Any], list[Any]] = ([], [])
        self._held_as: Any = None
        self._n_held = 0
        self._n_rows = 0
        self._n_dropped = 0

    @property
    def n_rows(self) -> int:
        """Rows counted so far."""
        return self._n_rows + self._n_held

    def update(self, gold: Any, pred: Any, *, sample_weight: Any = None) -> Self:
        """Count one more batch: one label per row, or indicator matrices or sets for several.

        A batch is counted completely or not at all: after an error the accumulator is unchanged.
        """
        if sample_weight is None and not self._weighted and self._sets is None and self._hold(gold, pred):
            return self
        self._count_held()
        return self._update(gold, pred, sample_weight)

    def _hold(self, gold: Any, pred: Any) -> bool:
        """Keep a copy of a small batch that cannot contain errors; False for any other."""
        kind: Any = type(gold)
        if kind is not type(pred):
            return False
        if kind is np.ndarray:
            kind = gold.dtype
            if kind.kind not in "iu" or pred.dtype != kind or gold.ndim != 1 or pred.shape != gold.shape:
                return False
        elif kind is not list or len(gold) != len(pred) or not integers.are_strings(gold, pred):
            return False
        n_rows = len(gold)
        if not 0 < n_rows <= _SMALL:
            return False
        if self._n_held and (kind != self._held_as or self._n_held + n_rows > _BLOCK):
            self._count_held()
        self._held_as = kind
        self._n_held += n_rows
        if kind is list:
            self._held[0].extend(gold)
            self._held[1].extend(pred)
        else:
            self._held[0].append(gold.copy())
            self._held[1].append(pred.copy())
        return True

    def _count_held(self) -> None:
        if not self._n_held:
            return
        gold, pred = self._held if self._held_as is list else map(np.concatenate, self._held)
        self._held, self._n_held = ([], []), 0
        self._update(gold, pred, None)

    @guarded
    def _update(self, gold: Any, pred: Any, sample_weight: Any) -> Self:
        gold, pred = paired_rows(gold, pred, sample_weight=sample_weight)
        if looks_multilabel(gold, pred):
            if self._cells:
                raise CountError("several labels per row after batches with one", expected="batches of the same task")
            if self._missing != "error":
                raise InputError.missing_beside_sets(self._missing)
            self._check_weighted(sample_weight is not None)
            options = {"labels": self._listed, "sample_weight": sample_weight}
            part = count_multilabel(gold, pred, **options, checked=False)
            self._sets = part if self._sets is None else self._sets + part
            self._weighted = sample_weight is not None
            self._n_rows += part.n_rows or 0
            return self
        if self._sets is not None:
            raise CountError("one label per row after batches with several", expected="batches of the same task")
        check_same_index({"gold": gold, "pred": pred, "sample_weight": sample_weight})
        codes = [counted_from_zero(encode(side, name)) for side, name in ((gold, "gold"), (pred, "pred"))]
        n_rows = len(codes[0])
        if n_rows != len(codes[1]):
            raise LengthError.differ(gold=n_rows, pred=len(codes[1]))
        weight = None if sample_weight is None else checked_weights(sample_weight, n_rows)
        if not n_rows:
            return self
        self._check_weighted(weight is not None)
        codes, gone = kept_rows(codes, self._missing, " of this batch")
        if gone is not None and weight is not None:
            weight = weight[~gone]
        n_pred = len(codes[1].labels)
        flat = codes[0].codes.astype(np.int64) * n_pred + codes[1].codes
        places, amounts = _amounts(flat, len(codes[0].labels) * n_pred, weight)
        real = weight is not None and weight.dtype.kind == "f"
        names = [list(map(label_key, side.labels)) for side in codes]
        keys = [(names[0][place // n_pred], names[1][place % n_pred]) for place in places]
        self._add(zip(keys, amounts, strict=True), real=real)
        self._weighted = weight is not None
        self._n_rows += len(flat)
        self._n_dropped += n_rows - len(flat)
        return self

    def merge(self, other: CountAccumulator) -> Self:
        """Add everything another accumulator counted; the other one stays unchanged."""
        if not isinstance(other, CountAccumulator):
            raise InputError(f"other is a {type(other).__name__}", expected="an Accumulator")
        if other._missing != self._missing:
            into = " into ", Argument("missing", self._missing)
            raise CountError(Message("cannot merge ", Argument("missing", other._missing), *into), expected="one rule")
        self._count_held()
        other._count_held()
        keys = [None if side._listed is None else list(map(label_key, side._listed)) for side in (self, other)]
        if keys[0] != keys[1]:
            raise CountError(
                Message("cannot merge accumulators with different ", Argument("labels")), expected="the same class set"
            )
        if other._weighted is not None:
            self._check_weighted(other._weighted)
        if other._sets is not None or (self._sets is not None and other._n_rows):
            if self._cells or other._cells:
                raise CountError("cannot merge multilabel into multiclass counts", expected="the same task")
            if other._sets is not None:
                self._sets = other._sets if self._sets is None else self._sets + other._sets
        if other._weighted is not None:
            self._weighted = other._weighted
        self._add(other._cells.items(), real=other._real)
        self._n_rows += other._n_rows
        self._n_dropped += other._n_dropped
        return self

    def counts(self) -> Confusion | ClassCounts:
        """Return the counts so far: cells, or for several labels per row the counts per label."""
        self._count_held()
        if self._sets is not None:
            if not self._sets.labels:
                raise EmptyError.no_labels()
            return self._sets
        if not self._cells:
            dropped = f" (left out: {counted(self._n_dropped, 'row')} without a label)" if self._n_dropped else ""
            raise EmptyError(f"no row was counted yet{dropped}", expected="update() with at least one row")
        scale = 1 << _UNIT
        if self._real and sum(self._cells.values()) >> _UNIT >= 1 << 1023:
            raise CountError("the weights sum to infinity", expected="a finite total")
        return Confusion.from_cells(
            # A quotient of integers is rounded once.
            ((g, p, n / scale if self._real else n) for ((_, g), (_, p)), n in self._cells.items()),
            labels=self._listed,
            n_rows=self._n_rows,
            n_dropped=self._n_dropped,
            weighted=bool(self._weighted),
        )

    def _check_weighted(self, weighted: bool) -> None:
        if self._weighted is not None and self._weighted != weighted:
            raise CountError(
                Message("batches with and without ", Argument("sample_weight")),
                expected="weights in all of them or in none",
            )

    def _add(self, amounts: Iterable[tuple[tuple[_Key, _Key], int]], *, real: bool) -> None:
        """Add to the cells; the first real weights change the unit of all of them."""
        if real and not self._real:
            self._cells = {key: amount << _UNIT for key, amount in self._cells.items()}
            self._real = True
        shift = _UNIT if self._real and not real else 0
        for key, amount in amounts:
            self._cells[key] = self._cells.get(key, 0) + (amount << shift)


def _amounts(flat: NDArray[np.int64], n_cells: int, weight: NDArray[Any] | None) -> tuple[list[int], list[int]]:
    """Return the non-empty cells and their contents: rows, or weights as integer multiples of the smallest double."""
    if weight is None and n_cells <= max(4096, len(flat)):
        found = np.bincount(flat)
        places = np.flatnonzero(found)
        return places.tolist(), found[places].tolist()
    places, cell, counts = np.unique(flat, return_inverse=True, return_counts=True)
    if weight is None:
        return places.tolist(), counts.tolist()
    if weight.dtype.kind == "i":
        return places.tolist(), _integer_sums(cell, len(places), weight)
    mantissa, exponent = np.frexp(weight)
    whole = np.ldexp(mantissa, 53).astype(np.int64)  # weight = whole * 2**(exponent - 53)
    totals = [0] * len(places)
    for power in np.unique(exponent).tolist():
        chosen = exponent == power
        # The smallest doubles have fewer digits than their exponent leaves room for: those digits are 0.
        by = power - 53 + _UNIT
        for at, value in enumerate(_integer_sums(cell[chosen], len(places), whole[chosen])):
            totals[at] += value << by if by >= 0 else value >> -by
    return places.tolist(), totals


def _integer_sums(cell: NDArray[Any], n: int, numbers: NDArray[np.int64]) -> list[int]:
    """Sum integers per cell; sums of halves stay below 2**63 for 2**31 rows."""
    high, low = np.zeros(n, np.int64), np.zeros(n, np.int64)
    np.add.at(high, cell, numbers >> 32)
    np.add.at(low, cell, numbers & 0xFFFFFFFF)
    return [(more << 32) + less for more, less in zip(high.tolist(), low.tolist(), strict=True)]
