"""Confusion matrices that were read from files or text become counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from macrof1.counting.confusion import Confusion
from macrof1.counting.matrix import Rows
from macrof1.errors import InputError, LabelError
from macrof1.message import Argument, Message
from macrof1.reading.matrices import MatrixTable, parse_matrix_table, read_matrix_table


def read_matrix(source: str | Path, *, rows: Rows | None = None, labels: Sequence[str] | None = None) -> Confusion:
    """Read a confusion matrix from a file or, for ``"-"``, from standard input.

    Parameters
    ----------
    source
        CSV, TSV or JSON, plain or packed; see `macrof1.reading.matrices`.
    rows
        What a row is: ``"predicted"`` or ``"gold"``; left out, where the corner of the matrix says so.
    labels
        Names of the classes, where the file has none.
    """
    name = "standard input" if str(source) == "-" else str(source)
    return _counted(read_matrix_table(source), rows, labels, name)


def parse_matrix(
    text: str, *, rows: Rows | None = None, labels: Sequence[str] | None = None, name: str = "the text"
) -> Confusion:
    """Read a confusion matrix from text; `name` is what messages call it."""
    return _counted(parse_matrix_table(text, name), rows, labels, name)


def _counted(table: MatrixTable, rows: Rows | None, labels: Sequence[str] | None, name: str) -> Confusion:
    if table.labels is not None and labels is not None and table.labels != list(labels):
        raise LabelError(
            f"{name} names its classes {table.labels[:5]}",
            argument="labels",
            given=list(labels),
            expected=f"no other labels beside them, given {list(labels)[:5]}",
        )
    found = Confusion.from_matrix(table.cells, rows=_rows(table, rows, name), labels=table.labels or labels)
    return replace(found, notes=table.notes)


def _rows(table: MatrixTable, rows: Rows | None, name: str) -> Any:
    """Return what rows are: as given, or as the corner of the matrix says; both must agree."""
    if rows is None and table.rows is None:
        raise InputError(
            Message(f"{name} does not say what its rows are"), argument="rows",
            expected=Message(Argument("rows", "predicted"), " (as in the paper) or ", Argument("rows", "gold"),
                             " (as in scikit-learn)"),
        )  # fmt: skip
    if rows is not None and table.rows is not None and rows != table.rows:
        raise InputError(
            Message(Argument("rows", rows), f" given, but the corner of {name} says that rows are {table.rows}"),
            argument="rows",
            expected="what the matrix says",
        )
    return rows or table.rows
