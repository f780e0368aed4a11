"""Tables with names: data frames with an index and columns, whose rows and columns are matched by name.

The rows of a crosstab are the classes of one side and its columns those of the other; they need not be the same, nor
in the same order. pandas, Polars and Arrow frames are recognized by their attributes, so that none is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from macrof1.errors import LabelError, counted, quote_some
from macrof1.labels import Label, checked_labels, in_order, label_key
from macrof1.message import Argument, Message
from macrof1.reading.crosstabs import aligned_matrix, keyed


class NamedTable(NamedTuple):
    """Rows of values with the names of rows and columns; None if they have none."""

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
    # A pandas index, which names the rows, is the last column of an Arrow table.
    for place in (0, -1) if shape[1] > 1 else ():
        if rows is None and columns[place] and all(isinstance(value, str) for value in columns[place]):
            rows = columns.pop(place)
            del names[place]
    default = names == [f"column_{place}" for place in range(len(names))]
    return NamedTable(rows, None if default else names, [list(row) for row in zip(*columns, strict=True)])


def _plain_columns(table: Any, names: Sequence[str]) -> list[list[Any]]:
    found = []
    for name in names:
        column = table[name]
        found.append(column.to_pylist() if hasattr(column, "to_pylist") else column.to_list())
    return found


def _names(index: Any, what: str) -> list[Any] | None:
    """Return the names of an index; None for the default numbers of pandas."""
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


def aligned_indicators(
    sides: Sequence[Any], labels: Iterable[object] | None
) -> tuple[list[Any], tuple[Label | None, ...] | None]:
    """Bring the columns of indicator frames into one order; return them and the labels.

    A label without a column on one side gets zeros there. `labels` sets the order, or names columns that have
    no names.
    """
    listed = None if labels is None else checked_labels(labels)
    tables = [named_table(side) for side in sides]
    values = [_values(side, table) for side, table in zip(sides, tables, strict=True)]
    names = [None if table is None or table.columns is None else checked_labels(table.columns) for table in tables]
    known = [side for side in names if side is not None]
    wanted = _columns_wanted(known, listed) if known else None
    if wanted is None:
        return values, listed  # the columns are in one order, with or without names
    found = [each if own is None else _in_columns(each, own, wanted) for each, own in zip(values, names, strict=True)]
    return found, wanted


def _columns_wanted(
    known: list[tuple[Label | None, ...]], listed: tuple[Label | None, ...] | None
) -> tuple[Label | None, ...] | None:
    """Return the labels of two frames in one order; None if the list renames columns that are already in order."""
    together = dict(map(keyed, (label for side in known for label in side)))
    if listed is not None and not set(map(label_key, listed)) >= together.keys():
        if any(side != known[0] for side in known):
            raise LabelError(
                Message(f"columns are {quote_some(together.values(), most=5)} beside other ", Argument("labels")),
                expected="the names of all columns",
            )
        return None
    alike = all(set(map(label_key, side)) == together.keys() for side in known)
    return listed or (known[0] if alike else tuple(in_order(together.values())))


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
    """Reject pandas objects that hold the same rows in a different order: pairing them would be a guess."""
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
