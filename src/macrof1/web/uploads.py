"""Read pasted or dropped tables with the same code that reads files."""

from __future__ import annotations

import base64
import binascii
import contextlib
import csv
import gzip
import io
import math
import re
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import macrof1
from macrof1.counts import NO_ROWS, ClassCounts
from macrof1.errors import EmptyError, FileError, MacroF1Error
from macrof1.labels import label_text
from macrof1.reading.columns import COUNT_NAMES, plain_name
from macrof1.reading.files import InputFile
from macrof1.reading.leaderboards import RowTable, rows_in
from macrof1.reading.matrix_files import parse_printed_matrix
from macrof1.reading.tables import TableFile, inspected
from macrof1.reporting.as_text import printable
from macrof1.scoring.score_result import ScoreResult, score_counts
from macrof1.web import models
from macrof1.web.models import MOST_BYTES, MOST_CLASSES, MOST_TABLE_ROWS, RowsAre

_ENDINGS: Final = {".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json"}
_TYPED: Final = {b"PAR1": "parquet", b"ARROW1": "arrow"}
_MORE: Final = "the command mf1 takes more"
_BLANK: Final = 1000
_LONGEST_LINE: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedTable:
    """A pasted or dropped table: text, or the bytes of a Parquet or Arrow file."""

    content: bytes
    text: str | None
    shown: str  # its name, as the user sees it
    ending: str  # of its name, which tells the format; nothing else of it is used, so it cannot refer to another file

    @classmethod
    def received(cls, request: models.Upload) -> Self:
        """Unpack an upload, and detect its format from its first bytes."""
        shown = printable(request.name).replace("\\", "/").rpartition("/")[2] or "pasted text"
        try:
            content = base64.b64decode(request.data, validate=True) if request.data else request.text.encode("utf-8")
        except (binascii.Error, ValueError):
            raise FileError(f"{shown} was sent in a form that is not base64", expected="the bytes of a file") from None
        if content.startswith(b"\x1f\x8b"):
            try:
                with gzip.GzipFile(fileobj=io.BytesIO(content)) as unpacking:  # it may have several members
                    content = unpacking.read(MOST_BYTES + 1)
            except (EOFError, gzip.BadGzipFile, zlib.error):
                raise FileError(f"{shown} cannot be unpacked", expected="a whole gzip file") from None
        if len(content) > MOST_BYTES:
            large = f"{shown} is larger than {MOST_BYTES // 2**20} MiB"
            raise FileError(large, expected="at most that, unpacked", hint=_MORE)
        typed = next((kind for mark, kind in _TYPED.items() if content.startswith(mark)), None)
        if typed is not None:
            return cls(content=content, text=None, shown=shown, ending=f".{typed}")
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            other = f"{shown} is neither UTF-8 text nor Parquet nor Arrow"
            raise FileError(other, expected="CSV, TSV, JSON lines, or one of these")
        if not text.strip():
            raise EmptyError(f"{shown} is empty", expected="a table")
        first = text[: _LONGEST_LINE + 1].lstrip("\ufeff").partition("\n")[0]
        if not first.strip() and not text[:_BLANK].strip():
            raise FileError(f"{shown} begins with empty lines", expected="the names of the columns in the first line")
        if len(first) > _LONGEST_LINE:
            long = f"the first line of {shown} is longer than {_LONGEST_LINE:,} characters"
            raise FileError(long, expected="a table")
        n, most = 1 + max(first.count(mark) for mark in ",\t;"), models.MOST_COLUMNS
        if n > most and not first.lstrip().startswith(("{", "[")):
            raise FileError(f"{shown} has {n:,} columns", expected=f"at most {most:,}", hint=_MORE)
        ending = Path(shown.lower().removesuffix(".gz")).suffix
        if ending not in _ENDINGS:
            kind = re.match(r"(\{)|\[\s*\{|.*\t", text.lstrip())
            ending = (".jsonl" if kind[1] else ".json" if kind[0][0] == "[" else ".tsv") if kind else ".csv"
        return cls(content=text.encode("utf-8"), text=text, shown=shown, ending=ending)

    @property
    def system(self) -> str:
        """The system whose predictions it holds."""
        return self.shown.partition(".")[0] or self.shown

    @contextmanager
    def opened(self, *, most_rows: int = models.MOST_ROWS, header: bool = True) -> Iterator[TableFile]:
        """Open it like a file; messages use the name that the user knows."""
        with tempfile.TemporaryDirectory(prefix="macrof1-") as folder:
            path = Path(folder, f"upload{self.ending}")
            path.write_bytes(self.content)
            if self.text is None:
                from macrof1.reading.engine import check_size

                limits = {"columns": models.MOST_COLUMNS, "cells": models.MOST_CELLS, "text": models.LONGEST_TEXT}
                check_size(path, self.shown, rows=most_rows, **limits)
            try:
                yield inspected(InputFile(path, self.shown, None, len(self.content)), header, None)
            except csv.Error as error:
                raise FileError(f"{self.shown} cannot be read as a table: {error}", expected="CSV or TSV") from None

    def is_matrix(self) -> bool:
        """Return whether it can be read as a confusion matrix."""
        try:
            parse_printed_matrix(self.text or "", self.shown)
        except MacroF1Error:
            return False
        return True

    def scores(self) -> ScoreResult:
        """Score it as a matrix; both scores are the same whatever its rows are."""
        return read_printed(self.text or "", self.shown, "gold").scores()

    def rows(self) -> RowTable:
        """Return the header and all rows of a table of published figures."""
        n_rows = (self.text or "").count("\n")
        if n_rows <= 2 * MOST_TABLE_ROWS:  # far more would take long to read
            with self.opened(most_rows=MOST_TABLE_ROWS) as table:
                found = rows_in(table)
            n_rows = len(found.rows)
            if n_rows <= MOST_TABLE_ROWS:
                return found
        raise FileError(f"{n_rows:,} rows", expected=f"at most {MOST_TABLE_ROWS:,}", hint="mf1 audit takes more")


class ReadMatrix(NamedTuple):
    """A matrix that was read or counted, predictions as rows, with its original orientation."""

    labels: list[str]
    matrix: list[list[int | float]]
    rows: RowsAre = "predicted"
    notes: tuple[str, ...] = ()
    titled: bool = False  # whether the text itself says what its rows are
    weight: str | None = None  # the column that says how often a row counts
    counts: ClassCounts | None = None  # instead, where rows have several labels or are parts of other units

    def scores(self) -> ScoreResult:
        """Score it."""
        if self.counts is not None:
            return score_counts(self.counts)
        return macrof1.score_matrix(self.matrix, rows="predicted", labels=self.labels)


def have_headers(uploads: Sequence[UploadedTable]) -> bool:
    """Return whether files name their columns: lists of labels whose first lines occur again as labels do not."""
    lists = [(one.text or "").splitlines() for one in uploads]
    if any(not lines or re.search(r"[,;\t|\"{]", "".join(lines)) for lines in lists):
        return True
    labels = {line for lines in lists for line in lines[1:]}
    return not all(lines[0] in labels for lines in lists)


def read_predictions(upload: UploadedTable, *, weight: str | None, **options: Any) -> ReadMatrix:
    """Count the predictions in a table, as the command line does; options as in `Request`."""
    with upload.opened() as table:
        check_labels(table, {"gold": options["gold"], "pred": options["pred"]})
        found = read_files([table], upload.shown, count=weight, **options)
        counts = [name for name in table.columns if plain_name(name) in COUNT_NAMES]
        doubts = [getattr(note, "code", "") for note in found.notes]
        if weight is not None or len(counts) != 1 or "unused_counts" not in doubts:
            return found._replace(weight=weight)
        # Where the command line doubts that lines are rows, they are matrix cells with their counts.
        return read_files([table], upload.shown, count=counts[0], **options)._replace(weight=counts[0])


def read_files(tables: Sequence[Any], shown: str, **options: Any) -> ReadMatrix:
    """Count the predictions in files or open tables, with the notes that only their rows raise."""
    from macrof1.request import Request
    from macrof1.running.jobs import run_score

    result = run_score(Request(files=tuple(tables), labels_are_text=True, **options))
    assert isinstance(result, ScoreResult)  # not by group
    counts, cells = result.counts, None if result.counts.task == "multilabel" else result.cells
    labels = [label_text(label) for label in counts.labels]
    _check_classes(labels, shown, models.MOST_CLASSES if counts.over is None else models.MOST_LABELS)
    kept = counts.with_facts(
        labels=tuple(labels), n_listed=None if cells is None else len(labels), making=replace(result.making, notes=()),
        rows=NO_ROWS,
    )  # fmt: skip
    # The page goes on with the counts alone, and says what they raise; the rest is noticed now or never.
    said = score_counts(kept).notes
    notes = tuple(note for note in result.notes if note not in said and getattr(note, "code", "") != "gap_within_noise")
    if cells is None:
        return ReadMatrix(labels, [], notes=notes, counts=kept)
    return ReadMatrix(labels, cells.to_matrix(rows="predicted").tolist(), notes=notes)


def read_pair(gold_file: UploadedTable, run: UploadedTable, **options: Any) -> ReadMatrix:
    """Count the predictions of one file against the gold labels of another; options as in `Request`."""
    with gold_file.opened() as first, run.opened() as second:
        return read_files([first, second], run.shown, **options)


def read_printed(text: str, shown: str, rows: RowsAre) -> ReadMatrix:
    """Read a confusion matrix as printed by some tool; `rows` if it does not say itself what its rows are."""
    n_lines = text.count("\n")
    if n_lines > 2 * MOST_CLASSES:
        expected = f"a matrix of at most {MOST_CLASSES} classes, or columns such as gold and pred"
        raise FileError(f"{shown} has {n_lines:,} lines", expected=expected)
    found = parse_printed_matrix(text, shown)
    if found.labels is not None and len(found.labels) != len(found.cells):
        raise FileError(f"{shown} has {len(found.labels)} names for {len(found.cells)} classes", expected="one each")
    labels = [label_text(label) for label in found.labels or range(len(found.cells))]
    are = found.rows or rows
    matrix = found.cells if are == "predicted" else [list(column) for column in zip(*found.cells, strict=True)]
    _check_classes(labels, shown)
    wrong = next((cell for row in matrix for cell in row if not math.isfinite(cell) or cell < 0), None)
    if wrong is not None:
        raise FileError(f"{shown} holds {wrong}", expected="finite numbers, 0 or larger")
    return ReadMatrix(labels, matrix, are, notes=found.notes, titled=found.rows is not None)


def _check_classes(labels: list[str], shown: str, most: int = MOST_CLASSES) -> None:
    if len(labels) > most:
        what = "classes" if most == MOST_CLASSES else "units"
        raise FileError(f"{shown} has {len(labels):,} {what}", expected=f"at most {most}", hint=_MORE)
    if len(set(labels)) != len(labels):
        raise FileError(f"{shown} has a class twice, or as 1 and '1'", expected="names that differ as text")
    _check_longest(max(map(len, labels), default=0), shown)


def _check_longest(longest: int, shown: str) -> None:
    if longest > (most := models.LONGEST_NAME):
        raise FileError(f"{shown} has a label of {longest:,} characters", expected=f"at most {most}")


def check_labels(table: TableFile, columns: Mapping[str, str | None]) -> None:
    """Reject far too many or too long labels before their cells are built, which is slow; None: the usual column."""
    if table.in_rows:
        return
    import polars as pl

    from macrof1.reading.scans import whole_frame

    for role, wanted in columns.items():
        column = table.find(wanted, role)
        if str(table.types.get(column)).partition("(")[0] in ("List", "Array", "Struct"):
            return
        label = pl.col(column)
        # The code that reads the table reports its errors.
        with contextlib.suppress(pl.exceptions.PolarsError):
            found = whole_frame(table).select(n=label.n_unique(), longest=label.cast(pl.String).str.len_chars().max())
            n, longest = found.collect(engine="streaming").row(0)
            if n > models.MOST_LABELS:
                raise FileError(f"{table.name} has {n:,} classes", expected=f"at most {MOST_CLASSES}", hint=_MORE)
            _check_longest(longest or 0, table.name)
