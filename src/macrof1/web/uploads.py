"""Tables that were pasted or dropped: read by the same code that reads files."""

from __future__ import annotations

import base64
import binascii
import contextlib
import csv
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from macrof1.errors import EmptyError, FileError, MacroF1Error, counted
from macrof1.reading.kinds import file_holds_matrix, holds_predictions
from macrof1.reporting.table import printable
from macrof1.web.limits import (
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_BYTES,
    MOST_CELLS,
    MOST_CLASSES,
    MOST_COLUMNS,
    MOST_LABELS,
    MOST_PARTS,
    MOST_ROWS,
    MOST_TABLE_ROWS,
)
from macrof1.web.models import RowsAre, Upload

_ENDINGS: Final = {".csv", ".tsv", ".tab", ".jsonl", ".ndjson"}
_TYPED: Final = {b"PAR1": "parquet", b"ARROW1": "arrow"}
_MORE: Final = "the command mf1 takes more"
_PIECE: Final = 4096
_BLANK: Final = 1000
_LONGEST_LINE: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedTable:
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
    def received(cls, request: Upload) -> Self:
        """Unpack what the page sent, and tell what it is by its first bytes."""
        shown = printable(request.name).replace("\\", "/").rpartition("/")[2] or "pasted text"
        content = _decoded(request.data, shown) if request.data else request.text.encode("utf-8")
        if content.startswith(b"\x1f\x8b"):
            content = _unpacked(content, shown)
        if len(content) > MOST_BYTES:
            raise FileError(
                f"{shown} is larger than {MOST_BYTES // 2**20} MiB", expected="at most that, unpacked", hint=_MORE
            )
        typed = next((kind for mark, kind in _TYPED.items() if content.startswith(mark)), None)
        if typed is not None:
            return cls(content=content, text=None, shown=shown, ending=f".{typed}")
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise FileError(
                f"{shown} is neither UTF-8 text nor Parquet nor Arrow",
                expected="CSV, TSV, JSON lines, or one of these",
            )
        if not text.strip():
            raise EmptyError(f"{shown} is empty", expected="a table")
        _check_first_line(text, shown)
        ending = Path(shown.lower().removesuffix(".gz")).suffix
        if ending not in _ENDINGS:
            ending = ".tsv" if "\t" in text.partition("\n")[0] else ".csv"
        return cls(content=text.encode("utf-8"), text=text, shown=shown, ending=ending)

    @contextmanager
    def as_file(self, *, most_rows: int = MOST_ROWS) -> Iterator[Path]:
        """Put the table where the readers of files can read it; messages speak of the name that the user knows."""
        with tempfile.TemporaryDirectory(prefix="macrof1-") as folder:
            path = Path(folder, f"upload{self.ending}")
            path.write_bytes(self.content)
            if self.text is None:
                self._check_size(path, most_rows)
            try:
                yield path
            except csv.Error as error:
                raise FileError(f"{self.shown} cannot be read as a table: {error}", expected="CSV or TSV") from None
            except MacroF1Error as error:
                raise self._renamed(error, path) from None

    def _renamed(self, error: MacroF1Error, path: Path) -> MacroF1Error:
        def named(text: str) -> str:
            return text.replace(str(path), self.shown).replace(path.name, self.shown)

        message = error.message
        return type(error)(type(message)(*(named(part) if isinstance(part, str) else part for part in message.parts)))

    def _check_size(self, path: Path, most_rows: int) -> None:
        from macrof1.reading.sizes import SizeLimits, check_size

        limits = SizeLimits(rows=most_rows, columns=MOST_COLUMNS, cells=MOST_CELLS, text=LONGEST_TEXT)
        check_size(path, "parquet" if self.ending == ".parquet" else "arrow", limits, name=self.shown)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of a Parquet or Arrow file."""
        from macrof1.reading.columns import read_table

        with self.as_file(most_rows=MOST_TABLE_ROWS) as path:
            columns, table, _ = read_table(path)
            return [dict(zip(columns, row, strict=True)) for row in zip(*table.values(), strict=True)]


def _check_first_line(text: str, shown: str) -> None:
    """Refuse what no table begins with, and what would take long to read as one."""
    first = text[: _LONGEST_LINE + 1].lstrip("\ufeff").partition("\n")[0]
    if not first.strip() and not text[:_BLANK].strip():
        raise FileError(f"{shown} begins with empty lines", expected="the names of the columns in the first line")
    if len(first) > _LONGEST_LINE:
        raise FileError(f"the first line of {shown} is longer than {_LONGEST_LINE:,} characters", expected="a table")
    n_columns = 1 + max(first.count(mark) for mark in ",\t;")
    if n_columns > MOST_COLUMNS and not first.lstrip().startswith(("{", "[")):
        raise FileError(f"{shown} has {n_columns:,} columns", expected=f"at most {MOST_COLUMNS:,}", hint=_MORE)


def _decoded(data: str, shown: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise FileError(f"{shown} was sent in a form that is not base64", expected="the bytes of a file") from None


def _unpacked(content: bytes, shown: str) -> bytes:
    """Unpack gzip, no further than is taken; several gzip files may follow each other in one."""
    unpacked = bytearray()
    at, n_parts = 0, 0
    while at < len(content) and len(unpacked) <= MOST_BYTES:
        n_parts += 1
        if n_parts > MOST_PARTS:
            raise FileError(f"{shown} is packed in more than {MOST_PARTS:,} parts", expected="one", hint=_MORE)
        unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            # In pieces: what follows a part is copied once per piece, not once per part.
            while at < len(content) and not unpacking.eof and len(unpacked) <= MOST_BYTES:
                piece = unpacking.unconsumed_tail or content[at : at + _PIECE]
                if not unpacking.unconsumed_tail:
                    at += len(piece)
                unpacked += unpacking.decompress(piece, MOST_BYTES + 1 - len(unpacked))
            unpacked += unpacking.flush() if unpacking.eof else b""
        except zlib.error:
            raise FileError(f"{shown} cannot be unpacked", expected="a whole gzip file") from None
        if len(unpacked) <= MOST_BYTES and not unpacking.eof:
            raise FileError(f"{shown} ends too early", expected="a whole gzip file")
        at -= len(unpacking.unused_data)
    return bytes(unpacked)


def read_counts(request: Upload, *, rows: RowsAre) -> tuple[Any, str]:
    """Read a confusion matrix, or count predictions; say which of the two it was."""
    table = UploadedTable.received(request)
    with table.as_file() as path:
        if table.text is None or holds_predictions(table.text):
            from macrof1.counting.tables import count_file_cells

            check_labels(path, table.shown)
            cells, kind = count_file_cells(path), "predictions"
        else:
            n_lines = table.text.count("\n")
            if n_lines > 2 * MOST_CLASSES:
                raise FileError(
                    f"{table.shown} has {n_lines:,} lines",
                    expected=f"a matrix of at most {MOST_CLASSES} classes, or columns such as gold and pred",
                )
            from macrof1.reading.matrices import parse_matrix

            cells, kind = parse_matrix(table.text, rows=rows, name=path.name), "matrix"
    _check_classes(cells, table.shown)
    return cells, kind


def read_own(file: str, *, rows: RowsAre) -> Any:
    """Read the file that the explorer is started with: predictions or a matrix, whichever it holds."""
    if file_holds_matrix(file):
        from macrof1.reading.matrices import read_matrix

        cells = read_matrix(file, rows=rows)
    else:
        from macrof1.counting.tables import count_file_cells

        cells = count_file_cells(file)
    _check_classes(cells, file)
    return cells


def _check_classes(cells: Any, shown: str) -> None:
    if len(cells.labels) > MOST_CLASSES:
        raise FileError(f"{shown} has {len(cells.labels):,} classes", expected=f"at most {MOST_CLASSES}", hint=_MORE)
    _check_longest(max((len(str(label)) for label in cells.labels), default=0), shown)


def _check_longest(longest: int, shown: str) -> None:
    if longest > LONGEST_NAME:
        raise FileError(f"{shown} has a label of {counted(longest, 'character')}", expected=f"at most {LONGEST_NAME}")


def check_labels(path: Path, shown: str, columns: Mapping[str, str | None] | None = None) -> None:
    """Refuse far too many labels, or far too long ones, before their cells are made, which takes long.

    Parameters
    ----------
    columns
        The columns of labels by their role; None stands for the usual name.
    """
    import polars as pl

    from macrof1.reading.sources import opened_one, resolve, scan

    with opened_one(path, header=True, file_format=None) as table:
        if table.format == "jsonl":
            return
        for role, wanted in (columns or {"gold": None, "pred": None}).items():
            column = resolve(table, wanted, role)
            if table.types.get(column) in (pl.List, pl.Array, pl.Struct):
                return
            label = pl.col(column)
            # What is wrong with the table is said by those who read it.
            with contextlib.suppress(pl.exceptions.PolarsError):
                found = scan([table]).select(n=label.n_unique(), longest=label.cast(pl.String).str.len_chars().max())
                n, longest = found.collect(engine="streaming").row(0)
                if n > MOST_LABELS:
                    raise FileError(f"{shown} has {n:,} classes", expected=f"at most {MOST_CLASSES}", hint=_MORE)
                _check_longest(longest or 0, shown)
