"""Tables that carry names: data frames with an index and columns, whose rows and columns are paired by name.

A crosstab lists as rows the classes of one side and as columns those of the other; they need not be the same ones, nor
in the same order. Frames of pandas, Polars and Arrow are told by what they offer, so that none is imported.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from macrof1.errors import LabelError, counted, quote_some
from macrof1.labels import Label, check_comparable, checked_labels, in_order, label_key
from macrof1.message import Argument, Message

_TOTALS: Final = {"all", "total", "totals", "sum", "margin", "margins", "grand total"}


class NamedTable(NamedTuple):
    """Rows of values with the names of rows and columns; None where they have none."""

    rows: list[Any] | None
    columns: list[Any] | None
    values: Any


def named_table(table: Any) -> NamedTable | None:
    """Read the names of a data frame; None for anything else."""
    shape = getattr(table, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2 or not hasattr(table, "columns"):
        return None
    if hasattr(table, "index") and hasattr(table, "iloc"):
        return NamedTable(_names(table.index, "rows"), _names(table.columns, "columns"), table.to_numpy())
    names = [str(name) for name in (table.column_names if hasattr(table, "column_names") else table.columns)]
    columns = _plain_columns(table, names)
    rows = None
    if columns and shape[1] > 1 and all(isinstance(value, str) for value in columns[0]):
        rows, names, columns = columns[0], names[1:], columns[1:]
    default = names == [f"column_{place}" for place in range(len(names))]
    return NamedTable(rows, None if default else names, [list(row) for row in zip(*columns, strict=True)])


def _plain_columns(table: Any, names: Sequence[str]) -> list[list[Any]]:
    found = []
    for name in names:
        column = table[name]
        found.append(column.to_pylist() if hasattr(column, "to_pylist") else column.to_list())
    return found


def _names(index: Any, what: str) -> list[Any] | None:
    """Return the names of an index; None for the numbers that pandas gives where nobody named anything."""
    if type(index).__name__ == "MultiIndex":
        raise LabelError(f"the {what} of the frame have names of several levels", expected="one name each")
    names = list(index)
    if type(index).__name__ == "RangeIndex" and names == list(range(len(names))):
        return None
    return names


def matrix_and_labels(matrix: Any, labels: Iterable[object] | None) -> tuple[Any, Sequence[Label | None] | None]:
    """Return the cells of a confusion matrix and its classes; a data frame brings its own."""
    listed = None if labels is None else checked_labels(labels)
    table = named_table(matrix)
    if table is None:
        return matrix, listed
    names, cells = aligned_matrix(table.rows, table.columns, table.values)
    if names is None or listed is None:
        return cells, names or listed
    place = {label_key(name): at for at, name in enumerate(names)}
    if place.keys() != set(map(label_key, listed)):
        raise LabelError(
            f"the frame names its classes {quote_some(names, most=5)}",
            argument="labels",
            given=listed,
            expected=f"these in any order, given {quote_some(listed, most=5)}",
        )
    order = [place[label_key(name)] for name in listed]
    return [[cells[row][column] for column in order] for row in order], listed


class AlignedMatrix(NamedTuple):
    """A square matrix of numbers, and its classes; None where nothing names them."""

    labels: list[Label | None] | None
    cells: Any


def aligned_matrix(
    rows: Sequence[Any] | None, columns: Sequence[Any] | None, cells: Any, *, source: str = "the table"
) -> AlignedMatrix:
    """Bring the rows and columns of a crosstab into one order; classes that one side lacks get zeros."""
    if rows is None or columns is None:
        names = columns if rows is None else rows
        return AlignedMatrix(None if names is None else list(checked_labels(names)), cells)
    row_names, column_names = checked_labels(rows), checked_labels(columns)
    values = [list(row) for row in cells]
    row_names, column_names, values = _without_totals(row_names, column_names, values, source)
    check_comparable(row_names, column_names, names=("row", "column"))
    if {label_key(name) for name in row_names}.isdisjoint(map(label_key, column_names)):
        raise LabelError(
            f"{source}: rows are {quote_some(row_names, most=5)} and columns {quote_some(column_names, most=5)}",
            expected="the same classes as rows and as columns",
        )
    keys = [label_key(name) for name in row_names]
    same = keys == [label_key(name) for name in column_names]
    labels = list(row_names) if same else in_order(dict(map(_keyed, (*row_names, *column_names))).values())
    if same:
        return AlignedMatrix(labels, values)
    row_at = {key: place for place, key in enumerate(keys)}
    column_at = {label_key(name): place for place, name in enumerate(column_names)}
    places = [(row_at.get(label_key(name)), column_at.get(label_key(name))) for name in labels]
    return AlignedMatrix(
        labels,
        [[0 if r is None or c is None else values[r][c] for _, c in places] for r, _ in places],
    )


def _keyed(label: Label | None) -> tuple[Any, Label | None]:
    return label_key(label), label


def _without_totals(
    rows: tuple[Label | None, ...], columns: tuple[Label | None, ...], values: list[list[Any]], source: str
) -> tuple[tuple[Label | None, ...], tuple[Label | None, ...], list[list[Any]]]:
    """Leave out the sums that crosstabs may have as last row and column; refuse sums under another name."""
    n, m = len(rows), len(columns)
    row_sums = n > 1 and all(_equal(values[-1][c], [values[r][c] for r in range(n - 1)]) for c in range(m))
    column_sums = m > 1 and all(_equal(row[-1], row[:-1]) for row in values)
    named = [str(names[-1]).strip().casefold() in _TOTALS for names in (rows, columns)]
    other = named[0] != named[1] or label_key(rows[-1]) != label_key(columns[-1])
    if row_sums and named[0] and (other or column_sums):
        rows, values = rows[:-1], values[:-1]
        if column_sums and named[1]:
            columns, values = columns[:-1], [row[:-1] for row in values]
    elif column_sums and named[1] and other:
        columns, values = columns[:-1], [row[:-1] for row in values]
    elif named[0] != named[1]:
        raise LabelError(
            f"{source}: {(rows if named[0] else columns)[-1]!r} is named like a total, and holds no sums of the others",
            expected="classes only, or totals that are sums",
        )
    elif row_sums and column_sums and n > 2 and label_key(rows[-1]) == label_key(columns[-1]) and any(values[-1]):
        raise LabelError(
            f"{source}: row and column {rows[-1]!r} hold the sums of the others",
            expected="classes only",
            hint="leave the totals out",
        )
    return rows, columns, values


def _equal(total: Any, parts: Sequence[Any]) -> bool:
    try:
        return math.isclose(total, math.fsum(parts), rel_tol=1e-9, abs_tol=1e-12)
    except (TypeError, ValueError, OverflowError):  # what is no number is refused where cells are checked
        return False


def aligned_indicators(
    gold: Any, pred: Any, labels: Iterable[object] | None
) -> tuple[Any, Any, tuple[Label | None, ...] | None]:
    """Bring the columns of two indicator frames into one order, and refuse rows in different orders.

    A label that one side has no column for gets zeros there. `labels` chooses the order, or names columns that have
    no names.
    """
    check_same_index({"gold": gold, "pred": pred})
    listed = None if labels is None else checked_labels(labels)
    tables = [named_table(side) for side in (gold, pred)]
    values = [_values(side, table) for side, table in zip((gold, pred), tables, strict=True)]
    names = [None if table is None or table.columns is None else checked_labels(table.columns) for table in tables]
    known = [side for side in names if side is not None]
    if not known:
        return values[0], values[1], listed
    together = dict(map(_keyed, (label for side in known for label in side)))
    if listed is not None and not set(map(label_key, listed)) >= together.keys():
        if any(side != known[0] for side in known):
            raise LabelError(
                Message(f"columns are {quote_some(together.values(), most=5)} beside other ", Argument("labels")),
                argument="labels",
                expected="the names of all columns",
            )
        return values[0], values[1], listed  # other names for columns that stand in one order
    alike = all(set(map(label_key, side)) == together.keys() for side in known)
    wanted = listed or (known[0] if alike else tuple(in_order(together.values())))
    sides = [
        found if own is None else _in_columns(found, own, wanted) for found, own in zip(values, names, strict=True)
    ]
    return sides[0], sides[1], wanted


def _values(side: Any, table: NamedTable | None) -> Any:
    if table is None:
        return side
    import numpy as np

    if table.rows is not None and not hasattr(side, "iloc"):
        raise LabelError(
            "a column of text stands before the indicators", expected="one column of 0 and 1 per label, and no other"
        )
    return np.asarray(table.values)


def _in_columns(values: Any, own: tuple[Label | None, ...], wanted: tuple[Label | None, ...]) -> Any:
    import numpy as np

    if own == wanted:
        return values
    if len(own) != values.shape[1]:
        raise LabelError(f"{counted(len(own), 'name')} for {values.shape[1]} columns", expected="one name per column")
    place = {label_key(name): at for at, name in enumerate(own)}
    found = np.zeros((values.shape[0], len(wanted)), values.dtype)
    for at, name in enumerate(wanted):
        if label_key(name) in place:
            found[:, at] = values[:, place[label_key(name)]]
    return found


def check_same_index(sides: dict[str, Any]) -> None:
    """Refuse pandas objects that hold the same rows in a different order: pairing them is a guess."""
    indexed = [(name, side) for name, side in sides.items() if hasattr(side, "index") and hasattr(side, "iloc")]
    for name, side in indexed[1:]:
        first, other = indexed[0]
        if len(side) != len(other) or other.index.equals(side.index):
            continue
        if other.index.sort_values().equals(side.index.sort_values()):
            raise LabelError(
                Message(f"{first} and {name} have the same pandas index in a different order"),
                argument=name,
                expected="rows that belong together side by side",
                hint=f"use {name}.reindex({first}.index) to pair by index, or .to_numpy() to pair by position",
            )
