"""Polars where it can run: not in a process forked without its threads; and what it says of typed files.

Polars may panic on damaged Parquet and Arrow files: an exception in Python, which becomes a `FileError`. Rust then
prints a line to standard error, which is left alone: other threads write there too. Size is checked before decoding,
since a few kilobytes can hold gigabytes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from macrof1.errors import FileError

if TYPE_CHECKING:
    from macrof1.reading.files import InputFile

_ENGINE_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)

# Polars starts its threads within milliseconds; if a fork left them behind, it waits for them forever.
_PATIENCE = 10.0
_FORKED_WITHOUT_EXEC = 0x40  # PF_FORKNOEXEC on Linux

# Of so many pieces of a file, so many rows are looked at for long categories.
_PIECES = 100
_ROWS = 100
_MORE = "the command mf1 takes more"

_forks: list[int] = []
_able: list[int] = []
os.register_at_fork(after_in_child=lambda: _forks.append(os.getpid()))


def check_that_polars_runs() -> None:
    """Refuse to read in a forked process in which Polars would hang."""
    pid = os.getpid()
    if pid in _able:
        return
    forked = pid in _forks
    with suppress(OSError, ValueError, IndexError):  # forked before this module was loaded
        fields = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        forked |= bool(int(fields[6]) & _FORKED_WITHOUT_EXEC)
    if forked:  # ask Polars for something small, with a timeout
        query = pl.LazyFrame({"x": [1]}).group_by("x").agg(pl.len())
        asked = threading.Thread(target=query.collect, kwargs={"engine": "streaming"}, daemon=True)
        asked.start()
        asked.join(_PATIENCE)
        if asked.is_alive():
            problem = "files of this size and format cannot be read in a process that was forked after Polars was used"
            hint = 'start processes with multiprocessing.get_context("spawn"), or read the file before the fork'
            raise FileError(problem, hint=hint)
    _able.append(pid)


@contextmanager
def polars_reads(refused: Callable[[BaseException], FileError]) -> Iterator[None]:
    """Let Polars read; its errors about a file become the error that `refused` makes of them."""
    check_that_polars_runs()
    try:
        yield
    except _ENGINE_ERRORS as error:
        raise refused(error) from None


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


def check_size(path: Path, name: str, *, rows: int, columns: int, cells: int, text: int) -> None:
    """Reject a Parquet or Arrow file with more rows, columns or cells, or more bytes of text in a cell, than these."""

    def refused(error: BaseException) -> FileError:
        reason = " ".join(str(error).split())[:200]
        return FileError(f"{name} cannot be read: {reason}", expected="a whole Parquet or Arrow file")

    with polars_reads(refused):
        lazy = (pl.scan_parquet if path.suffix == ".parquet" else pl.scan_ipc)(path, glob=False)
        schema = lazy.collect_schema()
        # From the file's metadata: no data is read.
        n_rows = int(lazy.select(pl.len()).collect().item())
        for found, most, what in (
            (n_rows, rows, "rows"),
            (len(schema), columns, "columns"),
            (n_rows * len(schema), cells, "cells"),
        ):
            if found > most:
                raise FileError(f"{name} has {found:,} {what}", expected=f"at most {most:,}", hint=_MORE)
        for column, dtype in schema.items():
            if dtype == pl.String:
                pieces, cell = [lazy], pl.col(column)
            elif dtype == pl.Categorical:
                # Decoding a long category costs the same in every row, so samples of the rows suffice.
                pieces = [lazy.slice(start, _ROWS) for start in range(0, n_rows, max(_ROWS, n_rows // _PIECES))]
                cell = pl.col(column).unique().cast(pl.String)
            else:
                continue
            for piece in pieces:
                longest = piece.select(cell.str.len_bytes().max()).collect(engine="streaming").item()
                if longest is not None and longest > text:
                    problem = f"{name} has {longest:,} bytes of text in one cell of column {column!r}"
                    raise FileError(problem, expected=f"at most {text:,}", hint=_MORE)
