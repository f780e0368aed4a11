"""Convert confusion matrices read from files or text to counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from macrof1.counting.confusion import Confusion, square_cells
from macrof1.counts import Rows
from macrof1.errors import InputError, LabelError
from macrof1.message import Argument, Message
from macrof1.reading.crosstabs import aligned_matrix, matrix_notes
from macrof1.reading.matrix_files import MatrixTable, read_matrix_table


def read_matrix(source: str | Path, *, rows: Rows | None = None, labels: Sequence[str] | None = None) -> Confusion:
    """Read a confusion matrix from a file or, for ``"-"``, from standard input.

    Parameters
    ----------
    source
        CSV, TSV or JSON, plain or compressed; see `macrof1.reading.matrix_files`.
    rows
        What a row is: ``"predicted"`` or ``"gold"``; optional if the corner of the matrix says so.
    labels
        Names of the classes, if the file has none.
    """
    name = "standard input" if str(source) == "-" else str(source)
    return counted_matrix(read_matrix_table(source), rows, labels, name)


def counted_matrix(table: MatrixTable, rows: Rows | None, labels: Sequence[str] | None, name: str) -> Confusion:
    """Check a matrix that was read; messages call it `name`."""
    names, cells = aligned_matrix(table.rows, table.columns, table.cells, source=name)
    if names is not None and labels is not None and names != list(labels):
        raise LabelError(
            f"{name} names its classes {names[:5]}",
            argument="labels",
            given=list(labels),
            expected=f"no other labels beside them, given {list(labels)[:5]}",
        )
    found = square_cells(cells, rows=_rows(table, rows, name), labels=names or labels)
    own = matrix_notes(table.rows, table.columns, found.labels, table.cells, name)
    return replace(found, notes=(*own, *found.notes))


def _rows(table: MatrixTable, rows: Rows | None, name: str) -> Any:
    """Return what rows are: as given, or as the corner of the matrix says; both must agree."""
    if rows is None and table.rows_are is None:
        raise InputError(
            Message(f"{name} does not say what its rows are"), argument="rows",
            expected=Message(Argument("rows", "predicted"), " (as in the paper) or ", Argument("rows", "gold"),
                             " (as in scikit-learn)"),
        )  # fmt: skip
    if rows is not None and table.rows_are is not None and rows != table.rows_are:
        raise InputError(
            Message(Argument("rows", rows), f" given, but the corner of {name} says that rows are {table.rows_are}"),
            expected="what the matrix says",
        )
    return rows or table.rows_are
