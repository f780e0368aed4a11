"""Text that was pasted or dropped: read by the same code that reads files."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from macrof1.counts.confusion import Confusion
from macrof1.counts.files import count_file_cells
from macrof1.counts.matrix import Rows
from macrof1.counts.matrix_files import parse_matrix
from macrof1.counts.sources import GOLD_NAMES, PRED_NAMES
from macrof1.errors import EmptyError, FileError, MacroF1Error
from macrof1.report.table import printable
from macrof1.web.limits import MOST_CLASSES

__all__ = ["holds_predictions", "read_counts", "set_down"]

_ENDINGS = {".csv", ".tsv", ".tab", ".jsonl", ".ndjson"}


@contextmanager
def set_down(text: str, name: str) -> Iterator[Path]:
    """Put text where the readers of files can read it; messages speak of the name that the user knows.

    Only the ending of the name is used, and only a known one: no name can lead to another file.
    """
    shown = printable(name).replace("\\", "/").rpartition("/")[2] or "pasted text"
    if not text.strip():
        raise EmptyError(f"{shown} is empty: expected a table as text")
    if "\0" in text:
        raise FileError(f"{shown} is no text: expected CSV, TSV or JSON lines; the command mf1 takes other formats")
    ending = Path(shown).suffix.lower()
    if ending not in _ENDINGS:
        ending = ".tsv" if "\t" in text.partition("\n")[0] else ".csv"
    with tempfile.TemporaryDirectory(prefix="macrof1-") as folder:
        path = Path(folder, f"dropped{ending}")
        path.write_text(text, encoding="utf-8", newline="")
        try:
            yield path
        except MacroF1Error as error:
            message = str(error).replace(str(path), shown).replace(path.name, shown)
            raise type(error)(message) from None


def read_counts(text: str, *, name: str, rows: Rows) -> tuple[Confusion, str]:
    """Read a confusion matrix, or count predictions; say which of the two it was."""
    if holds_predictions(text):
        with set_down(text, name) as path:
            cells, kind = count_file_cells(path), "predictions"
    else:
        with set_down(text, name) as path:
            cells, kind = parse_matrix(text, rows=rows, name=path.name), "matrix"
    if len(cells.labels) > MOST_CLASSES:
        raise FileError(
            f"{name} has {len(cells.labels):,} classes: expected at most {MOST_CLASSES}; mf1 score takes more"
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
