"""Parquet and Arrow files, opened by Polars: the types of their columns, and their rows as a lazy frame."""

from __future__ import annotations

import os
from typing import Any

import polars as pl

from macrof1.errors import FileError
from macrof1.reading.files import InputFile

# A damaged Parquet or Arrow file makes the engine panic in places; that is a damaged file, too.
ENGINE_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


# Polars' threads do not survive a fork: in a child it would wait for them for ever.
_in_child: list[bool] = []
os.register_at_fork(after_in_child=lambda: _in_child.append(True))


def refuse_in_a_child() -> None:
    """Refuse to wait for ever."""
    if _in_child:
        raise FileError(
            "files of this size and format cannot be read in a process that was forked after Polars was loaded",
            hint='start processes with multiprocessing.get_context("spawn"), or read the file before the fork',
        )


def schema_of(file: InputFile, kind: str) -> dict[str, Any]:
    """Return the columns of a Parquet or Arrow file with their types."""
    refuse_in_a_child()
    if kind == "parquet":
        return dict(pl.scan_parquet(file.path, glob=False, hive_partitioning=False).collect_schema())
    return dict(scan_arrow(file).collect_schema())


def scan_arrow(file: InputFile) -> pl.LazyFrame:
    """Read an Arrow file lazily, or a stream whole."""
    if file.start(6) == b"ARROW1":
        return pl.scan_ipc(file.path, glob=False, hive_partitioning=False)
    return pl.read_ipc_stream(file.path).lazy()  # a stream has no index to read lazily by
