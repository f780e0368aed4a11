"""Confusion matrices that were read from files or text become counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from macrof1.counting.confusion import Confusion
from macrof1.counting.matrix import Rows
from macrof1.counting.named_tables import aligned_matrix
from macrof1.errors import LabelError
from macrof1.reading.matrices import MatrixTable, parse_matrix_table, read_matrix_table


def read_matrix(source: str | Path, *, rows: Rows, labels: Sequence[str] | None = None) -> Confusion:
    """Read a confusion matrix from a file or, for ``"-"``, from standard input.

    Parameters
    ----------
    source
        CSV, TSV or JSON, plain or packed; see `macrof1.reading.matrices`.
    rows
        What a row is: ``"predicted"`` or ``"gold"``.
    labels
        Names of the classes, where the file has none.
    """
    name = "standard input" if str(source) == "-" else str(source)
    return _counted(read_matrix_table(source), rows, labels, name)


def parse_matrix(text: str, *, rows: Rows, labels: Sequence[str] | None = None, name: str = "the text") -> Confusion:
    """Read a confusion matrix from text; `name` is what messages call it."""
    return _counted(parse_matrix_table(text, name), rows, labels, name)


def _counted(table: MatrixTable, rows: Rows, labels: Sequence[str] | None, name: str) -> Confusion:
    names, cells = aligned_matrix(table.rows, table.columns, table.cells, source=name)
    if names is not None and labels is not None and names != list(labels):
        raise LabelError(
            f"{name} names its classes {names[:5]}",
            argument="labels",
            given=list(labels),
            expected=f"no other labels beside them, given {list(labels)[:5]}",
        )
    return Confusion.from_matrix(cells, rows=rows, labels=names or labels)
