"""Tables with names: data frames with an index and columns, whose rows and columns are matched by name.

The rows of a crosstab are the classes of one side and its columns those of the other; they need not be the same, nor
in the same order. pandas, Polars and Arrow frames are recognized by their attributes, so that none is imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from macrof1.errors import LabelError, counted, quote_some
from macrof1.labels import Label, checked_labels, in_order, label_key
from macrof1.message import Argument, Message
from macrof1.reading.crosstabs import NamedTable
from macrof1.reading.matrix_files import orientation


def named_table(table: Any) -> NamedTable | None:
    """Read the names of a data frame, or of an array of xarray; None for anything else."""
    if hasattr(table, "dims") and hasattr(table, "to_pandas"):
        table = table.to_pandas()
    shape = getattr(table, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2 or not hasattr(table, "columns"):
        return None
    if hasattr(table, "index") and hasattr(table, "iloc"):
        titles = orientation(f"{table.index.name} / {table.columns.name}")
        return NamedTable(_names(table.index, "rows"), _names(table.columns, "columns"), table.to_numpy(), titles)
    names = [str(name) for name in (table.column_names if hasattr(table, "column_names") else table.columns)]
    columns = [
        column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
        for column in (table[name] for name in names)
    ]
    rows = None
    # A pandas index, which names the rows, is the last column of an Arrow table.
    for place in (0, -1) if shape[1] > 1 else ():
        if rows is None and columns[place] and all(isinstance(value, str) for value in columns[place]):
            rows = columns.pop(place)
            del names[place]
    default = names == [f"column_{place}" for place in range(len(names))]
    return NamedTable(rows, None if default else names, [list(row) for row in zip(*columns, strict=True)])


def _names(index: Any, what: str) -> list[Any] | None:
    """Return the names of an index; None for the default numbers of pandas."""
    if type(index).__name__ == "MultiIndex":
        raise LabelError(f"the {what} of the frame have names of several levels", expected="one name each")
    names = list(index)
    if type(index).__name__ == "RangeIndex" and names == list(range(len(names))):
        return None
    return names


def aligned_indicators(
    sides: Sequence[Any], labels: Iterable[object] | None
) -> tuple[list[Any], tuple[Label | None, ...] | None]:
    """Bring the columns of indicator frames into one order, with zeros where a side lacks a label; and the labels."""
    import numpy as np

    listed = None if labels is None else checked_labels(labels)
    values, names = [], []
    for side in sides:
        table = named_table(side)
        if table is not None and table.rows is not None and not (hasattr(side, "iloc") or hasattr(side, "dims")):
            raise LabelError(
                "a column of text stands before the indicators",
                expected="one column of 0 and 1 per label, and no other",
            )
        values.append(side if table is None else np.asarray(table.cells))
        names.append(None if table is None or table.columns is None else checked_labels(table.columns))
    known = [side for side in names if side is not None]
    together = {label_key(label): label for side in known for label in side}
    if not known:
        return values, listed
    if listed is not None and not set(map(label_key, listed)) >= together.keys():
        if any(side != known[0] for side in known):
            raise LabelError(
                Message(f"columns are {quote_some(together.values(), most=5)} beside other ", Argument("labels")),
                expected="the names of all columns",
            )
        return values, listed  # the list renames columns that are in one order
    alike = all(set(map(label_key, side)) == together.keys() for side in known)
    wanted = listed or (known[0] if alike else tuple(in_order(together.values())))
    for at, own in enumerate(names):
        if own is None or own == wanted:
            continue
        if len(own) != values[at].shape[1]:
            raise LabelError(
                f"{counted(len(own), 'name')} for {values[at].shape[1]} columns", expected="one name per column"
            )
        place = {label_key(name): column for column, name in enumerate(wanted)}
        moved = np.zeros((values[at].shape[0], len(wanted)), values[at].dtype)
        moved[:, [place[label_key(name)] for name in own]] = values[at]
        values[at] = moved
    return values, wanted


def _indexes_of(side: Any) -> dict[Any, Any]:
    """Return what names the rows: the index of pandas or Dask, or xarray's, as None, and its other coordinates."""
    index = getattr(side, "index", None)
    if index is not None and not callable(index):  # a list has a method of this name
        return {None: index.compute() if hasattr(index, "compute") else index}
    coords, rows = getattr(side, "coords", None), getattr(side, "dims", None)
    if coords is None or not isinstance(rows, tuple):
        return {}
    return {None if name == rows[0] else name: one.to_index() for name, one in coords.items() if one.dims == rows[:1]}


def check_same_index(sides: dict[str, Any]) -> None:
    """Reject what holds the same rows in a different order: pairing them by position would be a guess."""
    axes = {name: side.dims for name, side in sides.items() if isinstance(getattr(side, "dims", None), tuple)}
    for (first, one), (second, other) in combinations(axes.items(), 2):
        if one != other and set(one) == set(other):
            told = f"{first} has the axes {one} and {second} {other}"
            raise LabelError(told, argument=second, expected="one order", hint=f"use {second}.transpose(*{first}.dims)")
    indexed = [(name, key, index) for name, side in sides.items() for key, index in _indexes_of(side).items()]
    for (first, key, one), (second, same_key, other) in combinations(indexed, 2):
        if key != same_key or len(one) != len(other) or one.equals(other):
            continue
        same = Counter(one) == Counter(other)
        # A range may be the index of new predictions, beside the labels of a sample.
        ranges = "RangeIndex" in (type(one).__name__, type(other).__name__)
        if same or not (ranges or key is not None or set(one).isdisjoint(other)):
            how = "the same index in a different order" if same else "different indexes that share some names"
            raise LabelError(
                f"{first} and {second} have {how}",
                argument=second,
                expected="rows that belong together side by side",
                hint=f"use {second}.reindex({first}.index) to pair by index, or .to_numpy() to pair by position",
            )
