"""Tables that were pasted or dropped: read by the same code that reads files."""

from __future__ import annotations

import base64
import binascii
import csv
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from macrof1.counting.confusion import Confusion
from macrof1.counting.matrix import Rows
from macrof1.counting.matrix_tables import parse_matrix
from macrof1.counting.tables import count_file_cells
from macrof1.errors import EmptyError, FileError
from macrof1.reading.columns import usual_columns
from macrof1.reading.dialect import separator_of
from macrof1.reading.files import InputFile
from macrof1.reading.leaderboards import RowTable, rows_in
from macrof1.reading.tables import TableFile, inspected
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
    def opened(self) -> Iterator[TableFile]:
        """Open it as the readers of files do; messages speak of the name that the user knows."""
        with tempfile.TemporaryDirectory(prefix="macrof1-") as folder:
            path = Path(folder, f"dropped{self.ending}")
            path.write_bytes(self.content)
            table = inspected(InputFile(path, self.shown, None, len(self.content)), True, None)
            if not table.is_text and table.format != "jsonl":
                self._check_rows(table)
            yield table

    def _check_rows(self, table: TableFile) -> None:
        """Refuse a Parquet or Arrow file with too many rows before they are read."""
        from macrof1.reading.scans import n_rows_of

        n_rows = n_rows_of(table)
        if n_rows > MOST_ROWS:
            raise FileError(
                f"{self.shown} has {n_rows:,} rows: expected at most {MOST_ROWS:,}; the command mf1 takes more"
            )

    def rows(self) -> RowTable:
        """Return all rows and the header of a table of published figures."""
        with self.opened() as table:
            return rows_in(table)


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
    if dropped.text is None or holds_predictions(dropped.text):
        with dropped.opened() as table:
            cells, kind = count_file_cells([table]), "predictions"
    else:
        cells, kind = parse_matrix(dropped.text, rows=rows, name=dropped.shown), "matrix"
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
    fields = [field.strip() for field in next(csv.reader([first], delimiter=separator_of([first])), [])]
    return bool(usual_columns(fields, "gold")) and bool(usual_columns(fields, "pred"))
