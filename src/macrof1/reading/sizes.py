"""How large a typed file is once decoded: told before it is decoded, since a few kilobytes can hold gigabytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from macrof1.errors import FileError

_FIRST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLimits:
    """The most that is taken: rows, columns, cells in all, and bytes of one piece of text."""

    rows: int
    columns: int
    cells: int
    text: int


def check_size(path: Path, kind: Literal["parquet", "arrow"], limits: SizeLimits, *, name: str) -> int:
    """Refuse a Parquet or Arrow file that is too large, and return its number of rows; `name` is for messages."""
    try:
        lazy = pl.scan_parquet(path, glob=False) if kind == "parquet" else pl.scan_ipc(path, glob=False)
        schema = lazy.collect_schema()
        # From the file's own records: no data is read.
        n_rows = int(lazy.select(pl.len()).collect().item())
        for found, most, what in (
            (n_rows, limits.rows, "rows"),
            (len(schema), limits.columns, "columns"),
            (n_rows * len(schema), limits.cells, "cells"),
        ):
            if found > most:
                raise FileError(f"{name} has {found:,} {what}", expected=f"at most {most:,}", hint=_MORE)
        for column, dtype in schema.items():
            _check_text(lazy, column, dtype, limits.text, name)
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        raise FileError(f"{name} cannot be read: {reason}", expected="a whole Parquet or Arrow file") from None
    return n_rows


_MORE = "the command mf1 takes more"


def _check_text(lazy: pl.LazyFrame, column: str, dtype: pl.DataType, most: int, name: str) -> None:
    """Refuse long pieces of text; the first rows are looked at first, since those of a category cost more."""
    if dtype not in (pl.String, pl.Categorical):
        return
    for rows in (lazy.head(_FIRST), lazy):
        text = pl.col(column) if dtype == pl.String else pl.col(column).unique().cast(pl.String)
        longest = rows.select(text.str.len_bytes().max()).collect(engine="streaming").item()
        if longest is not None and longest > most:
            raise FileError(
                f"{name} has {longest:,} bytes of text in one cell of column {column!r}",
                expected=f"at most {most:,}",
                hint=_MORE,
            )
