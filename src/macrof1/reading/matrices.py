"""Confusion matrices as text: CSV or TSV with or without labels, or JSON; read as plain lists of numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final, NamedTuple

from macrof1.errors import CountError, EmptyError, FileError, LabelError, counted
from macrof1.reading.dialect import table_of
from macrof1.reading.files import whole_text

# 1,200 is twelve hundred, as spreadsheets copy it; 1,2 is not a number.
_THOUSANDS: Final = re.compile(r"\d{1,3}(,\d{3})+(\.\d*)?")


class MatrixTable(NamedTuple):
    """The cells of a matrix, row by row, and the names of its classes; None where it has none."""

    labels: list[Any] | None
    cells: list[list[Any]]


def read_matrix_table(source: str | Path) -> MatrixTable:
    """Read a confusion matrix from a file or, for ``"-"``, from standard input.

    CSV or TSV: numbers only, or with the labels as first row, first column or both. JSON: nested lists, or an object
    with ``matrix`` and ``labels``. Plain or packed.
    """
    return parse_matrix_table(*whole_text(source, expected="a confusion matrix as CSV, TSV or JSON"))


def parse_matrix_table(text: str, name: str = "the text") -> MatrixTable:
    """Read a confusion matrix from text; `name` is what messages call it."""
    if not text.strip():
        raise EmptyError(f"{name} is empty", expected="a confusion matrix")
    return _from_json(text, name) if text.lstrip()[0] in "[{" else _from_csv(text, name)


def _from_json(text: str, name: str) -> MatrixTable:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name}: no valid JSON ({error})", expected="nested lists of counts") from None
    labels = None
    if isinstance(content, dict):
        if "matrix" not in content:
            raise FileError(
                f"{name} is an object with {sorted(content)[:5]}", expected="an object with 'matrix' (and 'labels')"
            )
        labels, content = content.get("labels"), content["matrix"]
    if not isinstance(content, list) or not all(isinstance(row, list) for row in content):
        raise FileError(f"{name} holds no list of rows", expected="nested lists of counts")
    if labels is not None and not isinstance(labels, list):
        raise FileError(f"{name}: the labels are {labels!r}", expected="a list of names")
    return MatrixTable(labels, content)


def number_of(text: str) -> int | float | None:
    """Return a cell's number, thousands parted by commas or not; None where it is none."""
    text = text.strip()
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    try:
        return int(text) if text.lstrip("+-").isdecimal() else float(text)
    except ValueError:
        return None


def _from_csv(text: str, name: str) -> MatrixTable:
    # Spaces may follow a separator, and stand between numbers in its place.
    table = table_of(re.sub(r'(?<=[,;]) +(?=")', "", text), name=name)
    if all(len(fields) == 1 for _, fields in table):
        table = [(number, fields[0].split()) for number, fields in table]
    width = len(table[0][1])
    # Labels stand in the first row when it ends in text, has a corner that is no number, or is one row too many.
    corner = number_of(table[0][1][0]) is None
    has_header = number_of(table[0][1][-1]) is None or (corner and len(table) == width) or len(table) == width + 1
    body = table[1:] if has_header else table
    if not body:
        raise EmptyError(f"{name} has no rows of counts", expected="a confusion matrix")
    size = len(body)
    # A column too many holds labels only if something says so: a corner, or labels that are no numbers.
    has_index = len(body[0][1]) == size + 1 and (corner or number_of(body[0][1][0]) is None)
    header = [field.strip() for field in table[0][1]] if has_header else None
    if header is not None and len(header) == size + 1:
        header = header[1:]
    index = [row[0].strip() for _, row in body] if has_index else None
    if header is not None and index is not None and header != index:
        raise LabelError(
            f"{name}: columns are {header[:5]} but rows are {index[:5]}",
            expected="the same classes in the same order",
        )
    cells = []
    for number, row in body:
        fields = row[1:] if has_index else row
        if len(fields) != size:
            raise CountError(
                f"{name}, line {number}: {counted(len(fields), 'cell')}",
                expected=f"{size}, as many columns as rows, with or without labels in the first row and column",
            )
        values = [number_of(field) for field in fields]
        if None in values:
            bad = fields[values.index(None)]
            raise CountError(f"{name}, line {number}: {bad!r} is not a number", expected="a count or a weight")
        cells.append(values)
    return MatrixTable(header or index, cells)
