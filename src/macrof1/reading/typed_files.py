"""Parquet and Arrow files, opened by Polars: the types of their columns, and their rows as a lazy frame."""

from __future__ import annotations

from typing import Any

import polars as pl

from macrof1.reading.files import InputFile


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
