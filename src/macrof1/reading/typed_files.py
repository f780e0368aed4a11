"""Parquet and Arrow files, opened by Polars: types of columns, rows as a lazy frame, and size limits.

Size is checked before decoding, since a few kilobytes can hold gigabytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

from macrof1.errors import FileError
from macrof1.reading.engine import polars_reads
from macrof1.reading.files import InputFile

_PIECES = 100
_ROWS = 100
_MORE = "the command mf1 takes more"


def schema_of(file: InputFile, kind: str) -> dict[str, Any]:
    """Return the columns of a Parquet or Arrow file with their types."""
    if kind == "parquet":
        return dict(pl.scan_parquet(file.path, glob=False, hive_partitioning=False).collect_schema())
    return dict(scan_arrow(file).collect_schema())


def scan_arrow(file: InputFile) -> pl.LazyFrame:
    """Read an Arrow file lazily, or a stream whole: a stream has no index for lazy reading."""
    if file.start(6) == b"ARROW1":
        return pl.scan_ipc(file.path, glob=False, hive_partitioning=False)
    return pl.read_ipc_stream(file.path).lazy()


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLimits:
    """The limits: rows, columns, cells in total, and bytes of one string."""

    rows: int
    columns: int
    cells: int
    text: int


def check_size(path: Path, kind: Literal["parquet", "arrow"], limits: SizeLimits, *, name: str) -> int:
    """Reject a Parquet or Arrow file that is too large, and return its number of rows; `name` is for messages."""

    def refused(error: BaseException) -> FileError:
        reason = " ".join(str(error).split())[:200]
        return FileError(f"{name} cannot be read: {reason}", expected="a whole Parquet or Arrow file")

    with polars_reads(refused):
        lazy = pl.scan_parquet(path, glob=False) if kind == "parquet" else pl.scan_ipc(path, glob=False)
        schema = lazy.collect_schema()
        # From the file's metadata: no data is read.
        n_rows = int(lazy.select(pl.len()).collect().item())
        for found, most, what in (
            (n_rows, limits.rows, "rows"),
            (len(schema), limits.columns, "columns"),
            (n_rows * len(schema), limits.cells, "cells"),
        ):
            if found > most:
                raise FileError(f"{name} has {found:,} {what}", expected=f"at most {most:,}", hint=_MORE)
        for column, dtype in schema.items():
            _check_text(lazy, column, dtype, n_rows, limits.text, name)
    return n_rows


def _check_text(lazy: pl.LazyFrame, column: str, dtype: pl.DataType, n_rows: int, most: int, name: str) -> None:
    """Reject long strings. Decoding a long category costs the same in every row, so samples of the rows suffice."""
    if dtype == pl.String:
        pieces, text = [lazy], pl.col(column)
    elif dtype == pl.Categorical:
        pieces = [lazy.slice(start, _ROWS) for start in range(0, n_rows, max(_ROWS, n_rows // _PIECES))]
        text = pl.col(column).unique().cast(pl.String)
    else:
        return
    for piece in pieces:
        longest = piece.select(text.str.len_bytes().max()).collect(engine="streaming").item()
        if longest is not None and longest > most:
            raise FileError(
                f"{name} has {longest:,} bytes of text in one cell of column {column!r}",
                expected=f"at most {most:,}",
                hint=_MORE,
            )
