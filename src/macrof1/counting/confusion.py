"""`Confusion`: the cells of a confusion matrix. Immutable; can be added with ``+`` and converted to `ClassCounts`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.array_counts import ArrayCounts
from macrof1.counting.matrix import checked_cells, checked_matrix, checked_total
from macrof1.counting.named_tables import matrix_and_labels, named_table
from macrof1.counting.shares import normalized_notes
from macrof1.counts import PLAIN, ClassCounts, Making, Rows, checked_sum, exact_sum, summed_facts
from macrof1.errors import EmptyError, InputError
from macrof1.labels import (
    Label,
    canonical,
    check_comparable,
    check_listed,
    checked_labels,
    class_names,
    class_order,
    label_key,
)
from macrof1.message import Note
from macrof1.reading.crosstabs import matrix_notes

Counts: TypeAlias = NDArray[Any]
"""One number per class or cell: int64, or float64 if rows carry real weights."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Confusion:
    """The cells of a confusion matrix, dense for few classes and sparse for many.

    Attributes
    ----------
    labels
        All labels seen or listed. The class set comes first, labels outside it last.
    where
        For sparse cells, the position of each, ``gold * n + predicted`` with positions in ``labels``,
        ascending; None if all n x n cells are stored.
    amounts
        The count (or weight) in each cell.
    n_rows, n_listed, n_dropped, weighted
        As in `ClassCounts`.
    notes
        What was noticed when the cells were read.
    making
        As in `ClassCounts`.

    Examples
    --------
    >>> Confusion.from_matrix([[100, 10_000], [0, 100]], rows="predicted", labels=["x", "y"])
    Confusion(labels=('x', 'y'), cells=[('x', 'x', 100), ('y', 'x', 10000), ('y', 'y', 100)])
    """

    labels: tuple[Label | None, ...]
    where: NDArray[np.int64] | None
    amounts: Counts
    n_rows: int | None
    n_listed: int | None = None
    n_dropped: int = 0
    weighted: bool = False
    notes: tuple[Note, ...] = ()
    making: Making = PLAIN

    def __post_init__(self) -> None:
        """Forbid changes, and mark real cells as weighted: they are sums of weights, whoever made them."""
        self.amounts.setflags(write=False)
        if self.where is not None:
            self.where.setflags(write=False)
        if self.real:
            object.__setattr__(self, "weighted", True)

    @classmethod
    def from_matrix(
        cls,
        matrix: object,
        *,
        rows: Rows,
        labels: Iterable[object] | None = None,
    ) -> Confusion:
        """Read a square matrix of counts or non-negative real weights.

        Parameters
        ----------
        matrix
            Nested sequences, a two-dimensional array, or a data frame such as a crosstab, whose rows and columns are
            matched by name: a class missing on one side gets zeros, and totals are left out.
        rows
            What a row is: ``"predicted"`` as in the paper, or ``"gold"`` as in scikit-learn.
        labels
            Names of the classes in the order of rows and columns; by default 0, 1, 2, …, or a frame's own names.
        """
        if rows not in ("predicted", "gold"):
            raise InputError.unknown_value("rows", rows, ("predicted", "gold"))
        cells, listed = matrix_and_labels(matrix, labels)
        table = checked_matrix(cells)
        n = len(table)
        names = class_names(listed, n)
        gold_by_pred = table.T if rows == "predicted" else table
        found = cls.from_table(gold_by_pred, labels=names, n_listed=n)
        named = named_table(matrix)
        sides = (None, None) if named is None else (named.rows, named.columns)
        notes = (
            *matrix_notes(*sides, names, table, "the matrix"),
            *normalized_notes(gold_by_pred.sum(1).tolist(), gold_by_pred.sum(0).tolist()),
        )
        return replace(found, notes=notes) if notes else found

    @classmethod
    def from_table(
        cls,
        table: Counts,
        *,
        labels: tuple[Label | None, ...],
        n_rows: int | None = None,
        n_listed: int | None = None,
        n_dropped: int = 0,
        weighted: bool = False,
    ) -> Confusion:
        """Take the cells of a table (gold as rows) that is known to be valid."""
        flat = table.reshape(-1)
        if n_rows is None and not weighted and flat.dtype.kind == "i":
            n_rows = int(flat.sum())
        return cls(
            labels=labels,
            where=None,
            amounts=flat,
            n_rows=n_rows,
            n_listed=n_listed,
            n_dropped=n_dropped,
            weighted=weighted,
        )

    @classmethod
    def from_cells(
        cls,
        cells: Iterable[tuple[object, object, int | float]],
        *,
        labels: Iterable[object] | None = None,
        n_rows: int | None = None,
        n_dropped: int = 0,
        weighted: bool = False,
        checked: bool = True,
    ) -> Confusion:
        """Collect ``(gold, predicted, count)`` records, such as a group-by returns; repeated pairs are summed.

        With ``checked=False``, gold, predicted and listed labels need not have anything in common: a group of
        rows may lack every class that the whole data set has.
        """
        totals: dict[tuple[tuple[type, Any], tuple[type, Any]], int | float] = {}
        seen: dict[tuple[type, Any], Label | None] = {}
        for gold, pred, count in cells:
            gold_key, pred_key = label_key(canonical(gold)), label_key(canonical(pred))
            seen[gold_key], seen[pred_key] = gold_key[1], pred_key[1]
            totals[gold_key, pred_key] = totals.get((gold_key, pred_key), 0) + count
        if not totals:
            raise EmptyError.nothing("the table of cells")
        listed = None if labels is None else checked_labels(labels)
        if checked:
            check_comparable([gold[1] for gold, _ in totals], [pred[1] for _, pred in totals])
            check_listed(listed, seen)
        names = class_order(seen.values(), listed)
        place = {label_key(label): position for position, label in enumerate(names)}
        n = len(names)
        index = np.array([place[gold] * n + place[pred] for gold, pred in totals], dtype=np.int64)
        values = checked_cells(list(totals.values()), "the counts")
        checked_total(values)
        order = np.argsort(index)
        order = order[values[order] != 0]  # a row of weight 0 contributes labels but no cell
        index, values = index[order], values[order]
        if n_rows is None and not weighted and values.dtype.kind == "i":
            n_rows = int(values.sum())
        return cls(
            labels=names,
            where=index,
            amounts=values,
            n_rows=n_rows,
            n_listed=None if listed is None else len(listed),
            n_dropped=n_dropped,
            weighted=weighted,
        )

    @property
    def real(self) -> bool:
        """Whether the cells are real numbers: sums of weights that are not all integers."""
        return self.amounts.dtype.kind == "f"

    @property
    def index(self) -> NDArray[np.int64]:
        """Position of every non-empty cell, ``gold * n + predicted``, ascending."""
        return np.flatnonzero(self.amounts) if self.where is None else self.where

    @property
    def cells(self) -> Counts:
        """The count or weight in every non-empty cell."""
        return self.amounts[self.amounts != 0] if self.where is None else self.amounts

    def confusion(self) -> Confusion:
        """Return the cells themselves, as uncounted rows do on demand."""
        return self

    def class_counts(self) -> ClassCounts:
        """Return tp, predicted and actual per class."""
        n = len(self.labels)
        if self.where is None:
            table = self.amounts.reshape(n, n)
            columns = [table.diagonal().copy(), table.sum(0), table.sum(1)]
        else:
            gold, pred = np.divmod(self.where, n)
            hit = gold == pred
            columns = [np.zeros(n, self.amounts.dtype) for _ in range(3)]
            places = (gold[hit], self.amounts[hit]), (pred, self.amounts), (gold, self.amounts)
            for column, (place, amounts) in zip(columns, places, strict=True):
                np.add.at(column, place, amounts)
        tp, predicted, actual = columns
        return ArrayCounts(
            labels=self.labels,
            tp=tp,
            predicted=predicted,
            actual=actual,
            n_rows=self.n_rows,
            n_listed=self.n_listed,
            n_dropped=self.n_dropped,
            weighted=self.weighted,
            making=self.making,
        )

    def predicted_for(self, places: list[int]) -> list[list[int | float]]:
        """Return how often each label is predicted in the rows of some gold labels, given by their places."""
        n = len(self.labels)
        if self.where is None:
            table = self.amounts.reshape(n, n)[places]
        else:
            table = np.zeros((len(places), n), self.amounts.dtype)
            for row, place in zip(table, places, strict=True):
                begin, end = np.searchsorted(self.where, [place * n, (place + 1) * n])
                row[self.where[begin:end] - place * n] = self.amounts[begin:end]
        found: list[list[int | float]] = table.tolist()
        return found

    def to_matrix(self, *, rows: Rows) -> Counts:
        """Return the dense matrix over all labels; n x n numbers."""
        if rows not in ("predicted", "gold"):
            raise InputError.unknown_value("rows", rows, ("predicted", "gold"))
        n = len(self.labels)
        table = np.zeros(n * n, self.amounts.dtype)
        table[self.index] = self.cells
        return table.reshape(n, n).T.copy() if rows == "predicted" else table.reshape(n, n)

    def records(self) -> list[tuple[Label | None, Label | None, int | float]]:
        """Return ``(gold, predicted, count)`` for every non-empty cell."""
        n = len(self.labels)
        return [
            (self.labels[place // n], self.labels[place % n], count)
            for place, count in zip(self.index.tolist(), self.cells.tolist(), strict=True)
        ]

    def __add__(self, other: Confusion) -> Confusion:
        """Add cells of more data; label sets may differ."""
        return Confusion.total((self, other)) if isinstance(other, Confusion) else NotImplemented

    @staticmethod
    def total(parts: Sequence[Confusion]) -> Confusion:
        """Add cells, with the same result in any order: real weights are rounded once."""
        facts = summed_facts(parts)
        place = {label_key(label): position for position, label in enumerate(facts["labels"])}
        places = []
        for part in parts:
            new_place = np.array([place[label_key(label)] for label in part.labels], dtype=np.int64)
            gold, pred = np.divmod(part.index, len(part.labels))
            places.append(new_place[gold] * len(place) + new_place[pred])
        index, inverse = np.unique(np.concatenate(places), return_inverse=True)
        amounts = np.concatenate([part.cells for part in parts])
        cells = np.zeros(len(index), amounts.dtype)
        if amounts.dtype.kind == "f" and len(parts) > 2:
            each: list[list[float]] = [[] for _ in index]
            for at, amount in zip(inverse.tolist(), amounts.tolist(), strict=True):
                each[at].append(amount)
            cells[:] = list(map(exact_sum, each))
        else:
            checked_sum([part.cells.sum().item() for part in parts])  # integers would wrap silently
            np.add.at(cells, inverse, amounts)
        notes = tuple(note for part in parts for note in part.notes)
        return Confusion(where=index, amounts=checked_total(cells), notes=notes, **facts)

    def __radd__(self, other: object) -> Self:
        """Let ``sum()`` start from 0."""
        return self if other == 0 and isinstance(other, int) else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Compare labels with their types, and every cell."""
        if not isinstance(other, Confusion):
            return NotImplemented
        return (
            list(map(label_key, self.labels)) == list(map(label_key, other.labels))
            and (self.n_rows, self.n_listed, self.n_dropped) == (other.n_rows, other.n_listed, other.n_dropped)
            and self.making.facts == other.making.facts
            and np.array_equal(self.index, other.index)
            and np.array_equal(self.cells, other.cells)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash

    def __repr__(self) -> str:
        """Show labels and cells, abbreviated if there are many."""
        shown = self.records()[:10] if len(self.amounts) <= 1000 else []
        more = ", …" if len(self.index) > len(shown) else ""
        return f"Confusion(labels={self.labels[:10]}, cells={shown}{more})"
