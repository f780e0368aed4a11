"""The cells of a confusion matrix as Python's numbers: what a matrix in a file is, before NumPy is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from macrof1.counting.shares import normalized_notes
from macrof1.counts import ClassCounts, Number, Rows, checked_column, checked_sum
from macrof1.errors import CountError, EmptyError, InputError
from macrof1.labels import Label, class_names
from macrof1.message import Note

if TYPE_CHECKING:
    from macrof1.counting.confusion import Confusion

_WHAT = "the confusion matrix"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCells:
    """A confusion matrix; `table` has gold as rows.

    Examples
    --------
    >>> MatrixCells.of([[100, 10_000], [0, 100]], rows="predicted").class_counts()
    ClassCounts(labels=(0, 1), tp=[100, 100], predicted=[10100, 100], actual=[100, 10100])
    """

    labels: tuple[Label | None, ...]
    table: tuple[tuple[Number, ...], ...]
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(
        cls, matrix: Sequence[Sequence[Any]], *, rows: Rows, labels: Sequence[Label | None] | None = None
    ) -> MatrixCells:
        """Check a matrix; parameters as in `Confusion.from_matrix`."""
        if rows not in ("predicted", "gold"):
            raise InputError.unknown_value("rows", rows, ("predicted", "gold"))
        lines = [list(line) for line in matrix]
        n = len(lines)
        if not n or not lines[0]:
            raise EmptyError.nothing(_WHAT)
        if any(len(line) != len(lines[0]) for line in lines):
            raise CountError(f"{_WHAT}: rows differ in length", expected="as many cells in every row")
        if len(lines[0]) != n:
            raise CountError(f"{_WHAT} has shape {n} x {len(lines[0])}", expected="as many rows as columns")
        cells = checked_sum(checked_column([cell for line in lines for cell in line], _WHAT))
        if not any(cells):
            raise EmptyError(f"{_WHAT} holds only zeros", expected="at least one counted row")
        if any(isinstance(cell, float) for cell in cells):
            cells = list(map(float, cells))
        table = tuple(tuple(cells[n * at : n * (at + 1)]) for at in range(n))
        found = cls(labels=class_names(labels, n), table=table if rows == "gold" else tuple(zip(*table, strict=True)))
        counts = found.class_counts()
        return replace(found, notes=normalized_notes(counts.actual, counts.predicted))

    @property
    def real(self) -> bool:
        """Whether the cells are real numbers: sums of weights."""
        return isinstance(self.table[0][0], float)

    @property
    def n_rows(self) -> int | None:
        """Number of rows; None for real weights."""
        return None if self.real else int(sum(map(sum, self.table)))

    @property
    def n_listed(self) -> int:
        """A matrix lists its classes."""
        return len(self.labels)

    @property
    def n_dropped(self) -> int:
        """A matrix does not know of rows without labels."""
        return 0

    @property
    def places(self) -> tuple[list[int], list[int]]:
        """The gold and the predicted class of every cell that is not empty."""
        n = range(len(self.labels))
        found = [(gold, pred) for gold in n for pred in n if self.table[gold][pred]]
        return [gold for gold, _ in found], [pred for _, pred in found]

    @property
    def cells(self) -> list[Number]:
        """The count or weight in every cell that is not empty."""
        return [cell for line in self.table for cell in line if cell]

    def class_counts(self) -> ClassCounts:
        """Return tp, predicted and actual per class."""
        return ClassCounts(
            labels=self.labels,
            tp=tuple(line[at] for at, line in enumerate(self.table)),
            predicted=tuple(map(sum, zip(*self.table, strict=True))),
            actual=tuple(map(sum, self.table)),
            n_rows=self.n_rows,
            n_listed=self.n_listed,
            weighted=self.real,
        )

    def predicted_for(self, places: list[int]) -> list[list[Number]]:
        """Return how often each label is predicted in the rows of some gold labels, given by their places."""
        return [list(self.table[place]) for place in places]

    def confusion(self) -> Confusion:
        """Return the cells as arrays."""
        from macrof1.counting.confusion import Confusion

        return replace(Confusion.from_matrix(self.table, rows="gold", labels=self.labels), notes=self.notes)
