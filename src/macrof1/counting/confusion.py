"""`Confusion`: the cells of a confusion matrix. Immutable; can be added with ``+`` and converted to `ClassCounts`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from macrof1.counting.named_tables import named_table
from macrof1.counts import (
    PLAIN,
    ClassCounts,
    Column,
    Making,
    Number,
    Rows,
    RowSource,
    checked_column,
    checked_sum,
    exact_sum,
    is_array,
    is_real,
    plain_number,
    plain_numbers,
    summed_facts,
    trusted_counts,
)
from macrof1.errors import CountError, EmptyError, InputError, LabelError, LengthError, counted, quote_some
from macrof1.labels import (
    Label,
    canonical,
    check_comparable,
    check_listed,
    check_unique,
    checked_labels,
    class_order,
    label_key,
)
from macrof1.message import Argument, Message, Note
from macrof1.reading.crosstabs import NamedTable, aligned_matrix, matrix_notes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from macrof1.sampling.patterns import Patterns

_WHAT: Final = "the confusion matrix"
# Up to this many classes, Python has finished all sums before NumPy is loaded.
_SMALL: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Confusion(RowSource):
    """The cells of a confusion matrix, dense for few classes and sparse for many.

    Immutable, and checked: distinct labels, cells in ascending order between the first and the last, none negative.

    Attributes
    ----------
    where
        For sparse cells, the position of each, ``gold * n + predicted`` with positions in ``labels``,
        ascending; None if all n x n cells are stored.
    amounts
        The count (or weight) in each cell: an array, or Python's numbers, which need no NumPy.
    labels, n_rows, n_listed, n_dropped, weighted, making
        As in `ClassCounts`.
    notes
        What was noticed when the cells were read.

    Examples
    --------
    >>> Confusion.from_matrix([[100, 10_000], [0, 100]], rows="predicted", labels=["x", "y"])
    Confusion(labels=('x', 'y'), cells=[('x', 'x', 100), ('y', 'x', 10000), ('y', 'y', 100)])
    """

    labels: tuple[Label | None, ...]
    where: NDArray[np.int64] | None
    amounts: Column
    n_rows: int | None
    n_listed: int | None = None
    n_dropped: int = 0
    weighted: bool = False
    notes: tuple[Note, ...] = ()
    making: Making = PLAIN

    def __post_init__(self) -> None:
        """Check the cells, forbid changes, and mark real cells as weighted: they are sums of weights."""
        check_unique(self.labels)
        n_cells = len(self.labels) ** 2
        if self.where is not None:
            sorted_inside = not len(self.where) or (
                self.where[0] >= 0 and self.where[-1] < n_cells and bool((self.where[1:] > self.where[:-1]).all())
            )
            if not sorted_inside or len(self.where) != len(self.amounts):
                raise CountError(
                    f"cells that lie outside {len(self.labels)} x {len(self.labels)}, are not in ascending order, or "
                    "name a pair twice",
                    expected="the place of every amount",
                )
        elif len(self.amounts) != n_cells:
            raise CountError(
                f"{len(self.amounts):,} cells for {len(self.labels):,} labels", expected=f"{n_cells:,}, all there are"
            )
        least = min(self.amounts, default=0) if not is_array(self.amounts) else self.amounts.min(initial=0)
        if not least >= 0:
            raise CountError(f"{_WHAT}: found {least}", expected="no negative number")
        self._frozen()

    def _frozen(self) -> Confusion:
        if is_array(self.amounts):
            self.amounts.setflags(write=False)
        if self.where is not None:
            self.where.setflags(write=False)
        if is_real(self.amounts):
            object.__setattr__(self, "weighted", True)
        return self

    @classmethod
    def from_matrix(cls, matrix: object, *, rows: Rows, labels: Iterable[object] | None = None) -> Confusion:
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
        InputError.one_of("rows", rows, ("predicted", "gold"))
        listed = None if labels is None else checked_labels(labels)
        return counted_matrix(named_table(matrix) or NamedTable(None, None, matrix), rows, listed, "the matrix")

    @classmethod
    def from_table(cls, table: Column, *, labels: tuple[Label | None, ...], **facts: Any) -> Confusion:
        """Take the cells of a table (gold as rows), all or at `where`, that was just counted: they are not checked."""
        flat = table.ravel()
        if facts.get("n_rows") is None and not facts.get("weighted") and flat.dtype.kind == "i":
            facts["n_rows"] = int(flat.sum())
        found = cls.__new__(cls)
        for name, value in (_DEFAULTS | facts | {"labels": labels, "amounts": flat}).items():
            object.__setattr__(found, name, value)
        return found._frozen()

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
        import numpy as np

        from macrof1.counting.matrix import checked_cells, checked_total

        # Numbers instead of pairs of labels: there may be millions of pairs.
        code: dict[tuple[type, Any], int] = {}
        golds, preds, amounts = [], [], []
        for gold, pred, count in cells:
            golds.append(code.setdefault(label_key(canonical(gold)), len(code)))
            preds.append(code.setdefault(label_key(canonical(pred)), len(code)))
            amounts.append(plain_number(count, "the counts"))
        if not amounts:
            raise EmptyError.nothing("the table of cells")
        seen = [label for _, label in code]
        listed = None if labels is None else checked_labels(labels)
        if checked:
            check_comparable([seen[at] for at in dict.fromkeys(golds)], [seen[at] for at in dict.fromkeys(preds)])
            check_listed(listed, code)
        names = class_order(seen, listed)
        n, place = len(names), {label_key(label): position for position, label in enumerate(names)}
        places = np.array([place[key] for key in code], dtype=np.int64)
        index = places[golds] * n + places[preds]
        order = np.argsort(index, kind="stable")
        starts = np.flatnonzero(np.diff(index[order], prepend=-1))
        amounts = [amounts[at] for at in order.tolist()]
        if len(starts) < len(amounts):
            # Each sum of real weights is rounded once, so that their order does not change a bit.
            ends = [*starts[1:].tolist(), len(amounts)]
            amounts = [exact_sum(amounts[start:end]) for start, end in zip(starts.tolist(), ends, strict=True)]
        values = checked_total(checked_cells(amounts, "the counts"))
        some = values != 0  # a row of weight 0 contributes labels but no cell
        index, values = index[order][starts][some], values[some]
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
        return is_real(self.amounts)

    @property
    def index(self) -> NDArray[np.int64]:
        """Position of every non-empty cell, ``gold * n + predicted``, ascending."""
        import numpy as np

        return np.flatnonzero(self.amounts) if self.where is None else self.where

    @property
    def cells(self) -> NDArray[Any]:
        """The count or weight in every non-empty cell."""
        import numpy as np

        amounts = np.asarray(self.amounts)
        return amounts[amounts != 0] if self.where is None else amounts

    @property
    def rows(self) -> Confusion:
        """The cells themselves: what counts of them come from."""
        return self

    def confusion(self) -> Confusion:
        """Return the cells themselves, as uncounted rows do on demand."""
        return self

    def patterns(self) -> Patterns:
        """Return every cell as a pattern."""
        from macrof1.sampling.patterns import Patterns

        return Patterns.of_cells(self)

    def class_counts(self) -> ClassCounts:
        """Return tp, predicted and actual per class."""
        n, amounts = len(self.labels), self.amounts
        columns: tuple[Column, ...]
        if not is_array(amounts):
            columns = (
                amounts[:: n + 1],
                tuple([exact_sum(amounts[at::n]) for at in range(n)]),
                tuple([exact_sum(amounts[at : at + n]) for at in range(0, n * n, n)]),
            )
        else:
            import numpy as np

            if self.where is None:
                table = amounts.reshape(n, n)
                columns = table.diagonal().copy(), table.sum(0), table.sum(1)
            else:
                gold, pred = np.divmod(self.where, n)
                hit = gold == pred
                columns = tuple(np.zeros(n, amounts.dtype) for _ in range(3))
                np.add.at(columns[0], gold[hit], amounts[hit])
                np.add.at(columns[1], pred, amounts)
                np.add.at(columns[2], gold, amounts)
            for column in columns:
                column.setflags(write=False)
        return trusted_counts(
            labels=self.labels, columns=columns, n_rows=self.n_rows, n_listed=self.n_listed, n_dropped=self.n_dropped,
            weighted=self.weighted, making=self.making,
        )  # fmt: skip

    def predicted_for(self, places: list[int]) -> list[list[Number]]:
        """Return how often each label is predicted in the rows of some gold labels, given by their places."""
        n = len(self.labels)
        if self.where is None:
            return [list(plain_numbers(self.amounts[n * place : n * (place + 1)])) for place in places]
        found = []
        for place in places:
            begin, end = self.where.searchsorted([place * n, (place + 1) * n])
            line: list[Number] = [0] * n
            for at, amount in zip(self.where[begin:end].tolist(), self.amounts[begin:end].tolist(), strict=True):
                line[at - place * n] = amount
            found.append(line)
        return found

    def to_matrix(self, *, rows: Rows) -> NDArray[Any]:
        """Return the dense matrix over all labels; n x n numbers."""
        import numpy as np

        InputError.one_of("rows", rows, ("predicted", "gold"))
        n, cells = len(self.labels), self.cells
        table = np.zeros(n * n, cells.dtype)
        table[self.index] = cells
        return table.reshape(n, n).T.copy() if rows == "predicted" else table.reshape(n, n)

    def records(self) -> list[tuple[Label | None, Label | None, int | float]]:
        """Return ``(gold, predicted, count)`` for every non-empty cell."""
        n = len(self.labels)
        return [
            (self.labels[place // n], self.labels[place % n], count)
            for place, count in zip(self.index.tolist(), self.cells.tolist(), strict=True)
        ]

    def __add__(self, other: Confusion) -> Confusion:
        return Confusion.total((self, other)) if isinstance(other, Confusion) else NotImplemented

    @staticmethod
    def total(parts: Sequence[Confusion]) -> Confusion:
        """Add cells, with the same result in any order: real weights are rounded once."""
        import numpy as np

        from macrof1.counting.matrix import checked_total

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
        return self if other == 0 and isinstance(other, int) else NotImplemented

    def __eq__(self, other: object) -> bool:
        import numpy as np

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
        shown = self.records()[:10] if len(self.amounts) <= 1000 else []
        more = ", …" if len(self.index) > len(shown) else ""
        return f"Confusion(labels={self.labels[:10]}, cells={shown}{more})"


_DEFAULTS: Final[dict[str, Any]] = {
    "where": None, "n_rows": None, "n_listed": None, "n_dropped": 0, "weighted": False, "notes": (), "making": PLAIN,
}  # fmt: skip


def read_matrix(source: str | Path, *, rows: Rows | None = None, labels: Sequence[str] | None = None) -> Confusion:
    """Read a confusion matrix from a file or, for ``"-"``, from standard input.

    CSV, TSV or JSON, plain or compressed; see `macrof1.reading.matrix_files`. `rows` is optional if the corner of the
    matrix says what its rows are, and `labels` name the classes if the file does not.
    """
    from macrof1.reading.files import whole_text
    from macrof1.reading.matrix_files import parse_matrix_table

    name = "standard input" if str(source) == "-" else str(source)
    table = parse_matrix_table(*whole_text(source, expected="a confusion matrix as CSV, TSV or JSON"))
    return counted_matrix(table, rows, labels, name)


def counted_matrix(table: NamedTable, rows: Rows | None, labels: Sequence[Any] | None, name: str) -> Confusion:
    """Check a matrix that was read; messages call it `name`."""
    if rows is None and table.rows_are is None:
        raise InputError(
            Message(f"{name} does not say what its rows are"), argument="rows",
            expected=Message(Argument("rows", "predicted"), " (as in the paper) or ", Argument("rows", "gold"),
                             " (as in scikit-learn)"),
        )  # fmt: skip
    if rows is not None and table.rows_are is not None and rows != table.rows_are:
        raise InputError(
            Message(Argument("rows", rows), f" given, but the corner of {name} says that rows are {table.rows_are}"),
            expected="what the matrix says",
        )
    return _square(table, rows or table.rows_are, None if labels is None else tuple(labels), name)


def _square(table: NamedTable, rows: Any, labels: tuple[Label | None, ...] | None, name: str) -> Confusion:
    """Check a square matrix, in plain Python if it is small or there is no NumPy; its own names may be reordered."""
    n: int
    flat: Column
    names, matrix = aligned_matrix(table, name)
    if names is not None and labels is not None:
        place = {label_key(label): at for at, label in enumerate(names)}
        if place.keys() != set(map(label_key, labels)):
            raise LabelError(
                f"{name} names its classes {quote_some(names, most=5)}",
                argument="labels",
                given=list(labels),
                expected=f"these in any order, given {quote_some(labels, most=5)}",
            )
        order = [place[label_key(label)] for label in labels]
        matrix = [[matrix[row][column] for column in order] for row in order]
    if isinstance(matrix, list | tuple) and len(matrix) <= _SMALL:
        n, flat = _plain_square(matrix)
    else:
        try:
            from macrof1.counting.matrix import checked_matrix
        except ImportError:  # no NumPy in a browser
            n, flat = _plain_square(matrix)
        else:
            cells = checked_matrix(matrix)
            n, flat = len(cells), cells.ravel()
    if rows == "predicted":
        flat = flat.reshape(n, n).T.ravel() if is_array(flat) else tuple(x for at in range(n) for x in flat[at::n])
    total = None if is_real(flat) else int(flat.sum() if is_array(flat) else sum(flat))
    classes = tuple(range(n) if names is None else names) if labels is None else labels
    if len(classes) != n:
        raise LengthError(
            f"{counted(len(classes), 'label')} for a matrix of {counted(n, 'class', 'classes')}",
            expected="one label per row and column",
        )
    found = Confusion(labels=classes, where=None, amounts=flat, n_rows=total, n_listed=n)
    counts = found.class_counts()
    lines = [flat[at : at + n] for at in range(0, n * n, n)]
    notes = (
        *matrix_notes(table, found.labels, lines, name),
        *normalized_notes(counts.actual, counts.predicted),
    )
    return replace(found, notes=notes) if notes else found


def _plain_square(matrix: Sequence[Sequence[Any]]) -> tuple[int, Column]:
    lines = [list(line) if hasattr(line, "__iter__") else [line] for line in matrix]
    n = len(lines)
    if not n or not lines[0]:
        raise EmptyError.nothing(_WHAT)
    if any(len(line) != len(lines[0]) for line in lines):
        raise CountError(f"{_WHAT}: rows differ in length", expected="as many cells in every row")
    if len(lines[0]) != n:
        raise CountError(f"{_WHAT} has shape {n} x {len(lines[0])}", expected="as many rows as columns")
    cells = checked_column([cell for line in lines for cell in line], _WHAT)
    checked_sum(cells)
    if not any(cells):
        raise EmptyError(f"{_WHAT} holds only zeros", expected="at least one counted row")
    return n, tuple(map(float, cells)) if any(isinstance(cell, float) for cell in cells) else tuple(cells)


def normalized_notes(actual: Sequence[Number], predicted: Sequence[Number]) -> tuple[Note, ...]:
    """Say that a matrix seems to hold shares of its rows, its columns or all cells, by their sums."""
    real = any(isinstance(number, float) for number in actual)
    for whole in (1, 100) if real else (100,):
        # Sums of rounded shares lie around the whole; counts must hit it exactly.
        off = min(0.05, 0.005 * len(actual)) * whole if real else 0
        for side, sums in (("gold", actual), ("predicted", predicted)):
            some = [number for number in sums if number]
            if len(some) < 2 or any(abs(number - whole) > off for number in some):
                continue
            lead = f"The cells of every {side} class sum to {whole}: "
            if not real:
                text = "if these are percentages and not counts, class sizes are lost and intervals are wrong."
                return (Note(f"{lead}{text}", code="percentages"),)
            text = (
                "the matrix seems to be normalized, which loses how many rows each class has. These are the scores of "
                "a data set with equally large classes; to score the data, give the counts."
            )
            return (Note(f"{lead}{text}", code="normalized_matrix"),)
        if real and len(actual) > 1 and abs(math.fsum(actual) - whole) <= off:
            text = "they seem to be shares of all rows, which scores do not depend on; intervals need the counts."
            return (Note(f"The cells sum to {whole}: {text}", code="shares"),)
    return ()
