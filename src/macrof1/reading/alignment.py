"""Whole columns of tables whose rows must be matched, by id or by position, before equal ones are grouped.

A column is a list if Python reads the table, and a series if Polars does. The few things that are done to columns are
written for both here; what is wrong with ids is found out once, from the places of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.errors import FileError, counted, quote_some
from macrof1.message import Argument, Message
from macrof1.reading.distinct import count_typed
from macrof1.reading.gold_digest import GoldDigest

if TYPE_CHECKING:
    import polars as pl

Array: TypeAlias = NDArray[Any]
Column: TypeAlias = "list[Any] | pl.Series"


def alike(tables: Sequence[dict[str, Column]]) -> list[dict[str, Column]]:
    """Return the columns of several tables as lists, unless all of them are series."""
    columns = [column for table in tables for column in table.values()]
    if all(not isinstance(column, list) for column in columns):
        return list(tables)
    return [{name: to_list(column) for name, column in table.items()} for table in tables]


def to_list(column: Any) -> list[Any]:
    """Return the values of a column."""
    return column if isinstance(column, list) else column.to_list()


def compact(column: Column) -> Column:
    """Store each distinct text once."""
    if isinstance(column, list):
        return column
    import polars as pl

    return column.cast(pl.Categorical(pl.Categories.random())) if column.dtype == pl.String else column


def taken(column: Any, rows: Array) -> Column:
    """Return a column in another order of rows; nothing for row -1."""
    if isinstance(column, list):
        return [None if row < 0 else column[row] for row in rows.tolist()]
    import polars as pl

    places = pl.Series(rows)
    return column.gather(places.set(places < 0, None))  # type: ignore[no-any-return]  # Polars types it


def absent(column: Any) -> Array:
    """Return whether each value is missing."""
    if isinstance(column, list):
        return np.fromiter((value is None for value in column), bool, len(column))
    return column.is_null().to_numpy()  # type: ignore[no-any-return]  # Polars types it


def differs(column: Any, other: Any) -> Array:
    """Return whether each value differs from that of another column."""
    if isinstance(column, list):
        pairs = zip(column, other, strict=True)
        return np.fromiter((a is not b and a != b for a, b in pairs), bool, len(column))
    import polars as pl

    if column.dtype != other.dtype or column.dtype == pl.Categorical:
        column, other = column.cast(pl.String), other.cast(pl.String)
    return column.ne_missing(other).to_numpy()  # type: ignore[no-any-return]  # Polars types it


def digest_of(gold: str, column: Any, ids: Any = None) -> GoldDigest:
    """Return the digest of a column of gold labels, with the ids of their rows if they have some."""
    digest = GoldDigest(gold, None if ids is None else "\0id")
    if isinstance(column, list):
        digest.add(column, ids)
        return digest
    import polars as pl

    from macrof1.reading.scans import grouped_rows

    columns = dict(zip(digest.columns, (column, ids), strict=False))
    grouped_rows(pl.LazyFrame(columns), [gold], None, None, digest)
    return digest


def is_nested(column: Any) -> bool:
    """Return whether some values are lists or objects."""
    if isinstance(column, list):
        return any(isinstance(value, (list, dict)) for value in column)
    return bool(column.dtype.is_nested())


def first_rows(column: Any) -> Array:
    """Return, for every row, the first row with the same value."""
    if isinstance(column, list):
        seen: dict[Any, int] = {}
        return np.fromiter((seen.setdefault(value, row) for row, value in enumerate(column)), np.int64, len(column))
    import polars as pl

    row = pl.LazyFrame({"value": column}).with_row_index("row").select(pl.col("row").min().over("value"))
    return row.collect(engine="streaming").to_series().to_numpy()


def numbered(columns: Sequence[Column]) -> tuple[Array, Array]:
    """Return the first row of each combination of values, and for every row the number of its combination."""
    first = np.zeros(len(columns[0]), np.int64)
    for place, column in enumerate(columns):
        code = first_rows(column)
        if place:  # the first row with the same values so far, and with the same value here
            _, start, number = np.unique(first * len(code) + code, return_index=True, return_inverse=True)
            code = start[number]
        first = code
    starts = first == np.arange(len(first))
    return np.flatnonzero(starts), (np.cumsum(starts) - 1)[first]


def matched(gold_ids: Column, ids: Column, gold_name: str, name: str, *, partly: bool = False) -> Array:
    """Return the row of each gold id in another table, -1 if it may lack one (`partly`); reject other mismatches."""
    gold_ids, ids = _of_one_kind(gold_ids, ids)
    rows = _rows_of_ids(gold_ids, ids)
    if rows is not None and (partly or len(rows) == len(ids)):
        hits = np.bincount(rows[rows >= 0], minlength=len(ids))
        if (hits == 1).all():
            if partly:
                _check_ids(gold_ids, gold_name)
            return rows
    for where, side in ((gold_name, gold_ids), (name, ids)):
        _check_ids(side, where)
    assert rows is not None  # ids that are plain and occur once have been found
    lost = np.flatnonzero(rows < 0)
    if len(lost) and not partly:
        which = f"{len(lost):,} of the {len(gold_ids):,} ids of {gold_name}"
        problem = f"{name} lacks {which} ({quote_some(taken(gold_ids, lost), most=3)})"
        wrong, drop = (Argument("missing_predictions", policy) for policy in ("wrong", "drop"))
        hint = Message(wrong, " counts them as wrong, ", drop, " leaves them out")
        raise FileError(problem, expected="a prediction for every gold row", hint=hint)
    more = np.setdiff1d(np.arange(len(ids)), rows)
    problem = f"{name} has {counted(len(more), 'id', 'ids')} that {gold_name} does not have"
    raise FileError(f"{problem} ({quote_some(taken(ids, more), most=3)})", expected="the same ids in both")


def _of_one_kind(gold_ids: Any, ids: Any) -> tuple[Column, Column]:
    """Compare whole numbers with text as text: formats differ in whether ids have a type."""
    if isinstance(gold_ids, list):
        kinds = [{type(one) for one in side} - {type(None)} for side in (gold_ids, ids)]
        if kinds in ([{str}, {int}], [{int}, {str}]):
            gold_ids, ids = ([None if one is None else str(one) for one in side] for side in (gold_ids, ids))
        return gold_ids, ids
    import polars as pl

    if gold_ids.dtype == ids.dtype:
        return gold_ids, ids
    if gold_ids.dtype.is_integer() and ids.dtype.is_integer():
        return gold_ids.cast(pl.Int128), ids.cast(pl.Int128)
    return gold_ids.cast(pl.String), ids.cast(pl.String)


def _rows_of_ids(gold_ids: Any, ids: Any) -> Array | None:
    """Return the row of each gold id, -1 if there is none; None if rows are not plain or an id occurs twice."""
    if isinstance(gold_ids, list):
        try:
            place = {one: row for row, one in enumerate(ids)}
            found = np.fromiter((place.get(one, -1) for one in gold_ids), np.int64, len(gold_ids))
        except TypeError:
            return None
        return found if len(place) == len(ids) and None not in place else None
    import polars as pl

    if is_nested(gold_ids) or is_nested(ids):
        return None
    small = gold_ids.dtype.is_integer() and gold_ids.dtype not in (pl.Int128, pl.UInt64, pl.UInt128)
    if small and not gold_ids.has_nulls() and not ids.has_nulls():
        low, high = (int(end or 0) for end in (ids.min(), ids.max()))
        if high - low <= 4 * len(ids):  # numbers that lie close together: a table of their rows is faster than a join
            known, own = (side.cast(pl.Int64).to_numpy() for side in (gold_ids, ids))
            order = np.arange(len(ids), dtype=np.int32 if len(ids) < 1 << 31 else np.int64)
            table = np.full(high - low + 1, -1, order.dtype)
            table[own - low] = order
            if not np.array_equal(table[own - low], order):
                return None
            rows: Array = table.take(known - low, mode="clip")
            rows[(known < low) | (known > high)] = -1
            return rows
    left, right = (pl.LazyFrame({"id": side}).with_row_index(row) for side, row in ((gold_ids, "gold"), (ids, "row")))
    pairs = left.join(right, on="id").select("gold", "row").collect(engine="streaming")
    rows = np.full(len(gold_ids), -1, np.int64)
    rows[pairs["gold"].to_numpy()] = pairs["row"].to_numpy()
    return rows if pairs.height == np.count_nonzero(rows >= 0) else None


def _check_ids(ids: Column, name: str) -> None:
    gone = absent(ids)
    if gone.any():
        which = f"{counted(int(gone.sum()), 'row has', 'rows have')} no id (the first is row {int(gone.argmax()) + 1})"
        raise FileError(f"{name}: {which}", expected="one in every row")
    if is_nested(ids):
        raise FileError(f"{name}: ids are lists or objects", argument="id", expected="text or numbers")
    first = first_rows(ids)
    again = np.unique(first[first != np.arange(len(first))])
    if len(again):
        which = f"{counted(len(again), 'id occurs', 'ids occur')} more than once"
        raise FileError(f"{name}: {which} ({quote_some(taken(ids, again), most=3)})", expected="each once")


def grouped(columns: Mapping[str, Any], most: int | None) -> tuple[dict[str, list[Any]], list[int]]:
    """Return the distinct rows and how often each occurs; more than `most` are rejected, unless they are lists."""
    names = list(columns)
    if isinstance(columns[names[0]], list):
        found: dict[Any, list[Any]] = {}
        for row in zip(*columns.values(), strict=True):
            count_typed(found, row)
        rows = [row for row, _ in found.values()]
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), [n for _, n in found.values()]
    import polars as pl

    from macrof1.reading.scans import grouped_rows

    frame = grouped_rows(pl.LazyFrame(dict(columns)), names, most)
    return {name: frame[name].to_list() for name in names}, frame.to_series(-1).to_list()
