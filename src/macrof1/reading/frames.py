"""Whole columns of a table in the engine, whatever the format: to be joined or aligned, and then grouped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import polars as pl
import polars.selectors as cs
from numpy.typing import NDArray

from macrof1.errors import EmptyError
from macrof1.reading.engine import polars_reads
from macrof1.reading.rows import rows_of
from macrof1.reading.scans import collected_frame, grouped, listed, scan
from macrof1.reading.tables import MixedTypesError, TableFile

_ROWS_AT_ONCE = 1 << 16


def frame_of(table: TableFile, wanted: Sequence[str]) -> pl.LazyFrame:
    """Return some columns of a table, lazily if it has types; text is checked while it is read.

    Text without characters is missing. JSON lines raise `MixedTypesError` if values of a column differ in type.
    """
    names = list(dict.fromkeys(wanted))
    if table.format == "jsonl":
        return _typed_lines(table, names)
    if not table.is_text:
        return scan([table]).select(names)
    return collected_frame(table, names).lazy().with_columns(pl.when(pl.all() != "").then(pl.all()))


def _typed_lines(table: TableFile, names: list[str]) -> pl.LazyFrame:
    rows = rows_of(table, names)
    kinds: dict[str, set[type]] = {name: set() for name in names}
    parts = [pl.LazyFrame(schema=dict.fromkeys(names, pl.Null))]
    while some := [values for _, values in islice(rows, _ROWS_AT_ONCE)]:
        columns = dict(zip(names, zip(*some, strict=True), strict=True))
        for name, column in columns.items():
            kinds[name] |= set(map(type, column)) - {type(None)}
            if len(kinds[name]) > 1 or not kinds[name] <= {str, int, float, bool}:
                raise MixedTypesError
        try:
            parts.append(pl.LazyFrame(columns))
        except (OverflowError, UnicodeEncodeError):  # a number or a character that the engine does not have
            raise MixedTypesError from None
    return pl.concat(parts, how="vertical_relaxed")


def series_of(table: TableFile, wanted: Sequence[str], key: str) -> dict[str, pl.Series]:
    """Return whole columns of the engine; text is stored once per distinct value, except in the `key`."""
    numbered = (cs.string() - cs.by_name(key)).cast(pl.Categorical(pl.Categories.random()))
    with polars_reads(table.unreadable, aloud=table.is_text):
        frame = frame_of(table, wanted).with_columns(numbered).collect(engine="streaming")
    if not frame.height:
        raise EmptyError.nothing(f"{table.name}: the table")
    return frame.to_dict()


def first_rows(columns: Iterable[Any]) -> NDArray[Any]:
    """Return, for every row, the first row with the same values."""
    named = {str(place): column for place, column in enumerate(columns)}
    row = pl.LazyFrame(named).with_row_index("row").select(pl.col("row").min().over(list(named)))
    return row.collect(engine="streaming").to_series().to_numpy()


def distinct_series(columns: dict[str, pl.Series], most: int | None) -> tuple[dict[str, list[Any]], list[int]]:
    """Return the distinct rows of some columns and their frequencies, as `distinct` does."""
    return listed(grouped(pl.LazyFrame(columns), list(columns), most), list(columns))
