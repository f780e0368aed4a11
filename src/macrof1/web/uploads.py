"""Tables that were pasted or dropped: read by the same code that reads files."""

from __future__ import annotations

import base64
import binascii
import csv
import io
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import polars as pl

from macrof1.counting.confusion import Confusion
from macrof1.counting.matrix import Rows
from macrof1.counting.tables import count_file_cells
from macrof1.errors import EmptyError, FileError, MacroF1Error
from macrof1.reading.matrices import parse_matrix
from macrof1.reading.sources import GOLD_NAMES, PRED_NAMES
from macrof1.reporting.table import printable
from macrof1.web.limits import MOST_BYTES, MOST_CLASSES, MOST_ROWS
from macrof1.web.models import Dropped

_ENDINGS = {".csv", ".tsv", ".tab", ".jsonl", ".ndjson"}
_TYPED = {b"PAR1": ".parquet", b"ARROW1": ".arrow"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedTable:
    """What was pasted or dropped: text, or a Parquet or Arrow file as it is.

    Attributes
    ----------
    shown
        The name that the user knows.
    ending
        Tells the readers of files the format. Nothing else of a name is used: no name can lead to another file.
    """

    content: bytes
    text: str | None
    shown: str
    ending: str

    @classmethod
    def received(cls, request: Dropped) -> Self:
        """Unpack what the page sent, and tell what it is by its first bytes."""
        shown = printable(request.name).replace("\\", "/").rpartition("/")[2] or "pasted text"
        content = _decoded(request.data, shown) if request.data else request.text.encode("utf-8", "surrogatepass")
        if content.startswith(b"\x1f\x8b"):
            content = _unpacked(content, shown)
        if len(content) > MOST_BYTES:
            raise _too_large(shown)
        typed = next((ending for mark, ending in _TYPED.items() if content.startswith(mark)), None)
        if typed is not None:
            return cls(content=content, text=None, shown=shown, ending=typed)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise FileError(
                f"{shown} is neither UTF-8 text nor Parquet nor Arrow: expected CSV, TSV, JSON lines, or one of these"
            )
        if not text.strip():
            raise EmptyError(f"{shown} is empty: expected a table")
        ending = Path(shown.lower().removesuffix(".gz")).suffix
        if ending not in _ENDINGS:
            ending = ".tsv" if "\t" in text.partition("\n")[0] else ".csv"
        return cls(content=text.encode("utf-8"), text=text, shown=shown, ending=ending)

    @contextmanager
    def set_down(self) -> Iterator[Path]:
        """Put the table where the readers of files can read it; messages speak of the name that the user knows."""
        with tempfile.TemporaryDirectory(prefix="macrof1-") as folder:
            path = Path(folder, f"dropped{self.ending}")
            path.write_bytes(self.content)
            try:
                yield path
            except MacroF1Error as error:
                message = str(error).replace(str(path), self.shown).replace(path.name, self.shown)
                raise type(error)(message) from None

    def frame(self, path: Path) -> pl.LazyFrame:
        """Open a Parquet or Arrow file that was set down; one with too many rows is refused before they are read."""
        try:
            lazy = pl.scan_parquet(path) if self.ending == ".parquet" else pl.scan_ipc(path)
            n_rows = lazy.select(pl.len()).collect().item()
        except (pl.exceptions.PolarsError, OSError) as error:
            reason = " ".join(str(error).split())[:200]
            raise FileError(f"{self.shown} cannot be read: {reason}; expected a whole Parquet or Arrow file") from None
        if n_rows > MOST_ROWS:
            raise FileError(
                f"{self.shown} has {n_rows:,} rows: expected at most {MOST_ROWS:,}; the command mf1 takes more"
            )
        return lazy

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of a Parquet or Arrow file."""
        with self.set_down() as path:
            return self.frame(path).collect().to_dicts()


def _decoded(data: str, shown: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise FileError(f"{shown} was sent in a form that is no base64: expected the bytes of a file") from None


def _unpacked(content: bytes, shown: str) -> bytes:
    """Unpack gzip, no further than is taken; several gzip files may follow each other in one."""
    unpacked = b""
    while content and len(unpacked) <= MOST_BYTES:
        unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            unpacked += unpacking.decompress(content, MOST_BYTES + 1 - len(unpacked))
        except zlib.error:
            raise FileError(f"{shown} cannot be unpacked: expected a whole gzip file") from None
        if len(unpacked) <= MOST_BYTES and not unpacking.eof:
            raise FileError(f"{shown} ends too early: expected a whole gzip file")
        content = unpacking.unused_data
    return unpacked


def _too_large(shown: str) -> FileError:
    return FileError(
        f"{shown} is larger than {MOST_BYTES // 2**20} MiB: expected at most that; the command mf1 takes more"
    )


def read_counts(request: Dropped, *, rows: Rows) -> tuple[Confusion, str]:
    """Read a confusion matrix, or count predictions; say which of the two it was."""
    dropped = DroppedTable.received(request)
    with dropped.set_down() as path:
        if dropped.text is None:
            dropped.frame(path)
        if dropped.text is None or holds_predictions(dropped.text):
            cells, kind = count_file_cells(path), "predictions"
        else:
            cells, kind = parse_matrix(dropped.text, rows=rows, name=path.name), "matrix"
    if len(cells.labels) > MOST_CLASSES:
        raise FileError(
            f"{dropped.shown} has {len(cells.labels):,} classes: expected at most {MOST_CLASSES}; mf1 score takes more"
        )
    return cells, kind


def holds_predictions(text: str) -> bool:
    """Tell predictions by their header, or by being records."""
    first = text.lstrip("\ufeff \t\r\n").partition("\n")[0].strip()
    if first.startswith("{"):
        return '"matrix"' not in text[:10_000]
    separator = next((mark for mark in (",", "\t", ";") if mark in first), ",")
    names = {field.strip().lower() for field in next(csv.reader(io.StringIO(first), delimiter=separator), [])}
    return bool(names & set(GOLD_NAMES)) and bool(names & set(PRED_NAMES))
