"""Confusion matrices in files: CSV or TSV with or without labels, or JSON."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

from macrof1.counting.confusion import Confusion
from macrof1.counting.matrix import Rows
from macrof1.errors import CountError, EmptyError, FileError, LabelError, counted


def read_matrix(source: str | Path, *, rows: Rows, labels: list[str] | None = None) -> Confusion:
    """Read a confusion matrix from a file or, for ``"-"``, from standard input.

    Parameters
    ----------
    source
        CSV or TSV: numbers only, or with the labels as first row, first column or both. JSON: nested
        lists, or an object with ``matrix`` and ``labels``. Plain or gzip.
    rows
        What a row is: ``"predicted"`` or ``"gold"``.
    labels
        Names of the classes, where the file has none.
    """
    name = "standard input" if str(source) == "-" else str(source)
    return parse_matrix(_read_text(source, name), rows=rows, labels=labels, name=name)


def parse_matrix(text: str, *, rows: Rows, labels: list[str] | None = None, name: str = "the text") -> Confusion:
    """Read a confusion matrix from text; `name` is what messages call it."""
    if not text.strip():
        raise EmptyError(f"{name} is empty: expected a confusion matrix")
    names, cells = _from_json(text, name) if text.lstrip()[0] in "[{" else _from_csv(text, name)
    if names is not None and labels is not None and names != labels:
        raise LabelError(
            f"{name} names its classes {names[:5]}: expected no other labels beside them, given {labels[:5]}"
        )
    return Confusion.from_matrix(cells, rows=rows, labels=names or labels)


def _read_text(source: str | Path, name: str) -> str:
    path = Path(source)
    if str(source) == "-":
        data = sys.stdin.buffer.read()
    elif path.is_dir():
        raise FileError(f"{path} is a directory: expected a file with a confusion matrix")
    elif not path.exists():
        raise FileError(f"no file {str(path)!r}: expected a confusion matrix as CSV, TSV or JSON; check the path")
    else:
        data = path.read_bytes()
    try:
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FileError(f"{name}, line {line}: not UTF-8: expected UTF-8 text") from None
    except (EOFError, gzip.BadGzipFile):
        raise FileError(f"{name}: the compressed data ends too early: expected a whole file") from None


def _from_json(text: str, name: str) -> tuple[list[Any] | None, list[Any]]:
    try:
        content = json.loads(text)
    except ValueError as error:
        raise FileError(f"{name}: no valid JSON ({error}): expected nested lists of counts") from None
    if isinstance(content, dict):
        if "matrix" not in content:
            raise FileError(f"{name}: expected an object with 'matrix' (and 'labels'), found {sorted(content)[:5]}")
        return content.get("labels"), content["matrix"]
    return None, content


def _number(text: str) -> int | float | None:
    text = text.strip()
    try:
        return int(text) if text.lstrip("+-").isdecimal() else float(text)
    except ValueError:
        return None


def _from_csv(text: str, name: str) -> tuple[list[str] | None, list[list[Any]]]:
    first_line = text.lstrip("\n").partition("\n")[0]
    separator = next((mark for mark in (",", "\t", ";") if mark in first_line), " ")
    lines = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
    try:
        table = [(lines.line_num, row) for row in lines if any(field.strip() for field in row)]
    except csv.Error as error:
        raise FileError(f"{name}, line {lines.line_num}: {error}: expected a confusion matrix as CSV") from None
    if not table:
        raise EmptyError(f"{name} has no cells: expected a confusion matrix")
    width = len(table[0][1])
    # Labels stand in the first row when it ends in text, has a corner that is no number, or is one row too many.
    corner = _number(table[0][1][0]) is None
    has_header = _number(table[0][1][-1]) is None or (corner and len(table) == width) or len(table) == width + 1
    body = table[1:] if has_header else table
    if not body:
        raise EmptyError(f"{name} has no rows of counts: expected a confusion matrix")
    size = len(body)
    # A column too many holds labels only if something says so: a corner, or labels that are no numbers.
    has_index = len(body[0][1]) == size + 1 and (corner or _number(body[0][1][0]) is None)
    header = [field.strip() for field in table[0][1]] if has_header else None
    if header is not None and len(header) == size + 1:
        header = header[1:]
    index = [row[0].strip() for _, row in body] if has_index else None
    if header is not None and index is not None and header != index:
        raise LabelError(
            f"{name}: columns are {header[:5]} but rows are {index[:5]}: expected the same classes in the same order"
        )
    cells = []
    for number, row in body:
        fields = row[1:] if has_index else row
        if len(fields) != size:
            raise CountError(
                f"{name}, line {number}: {counted(len(fields), 'cell')}, expected {size}: as many columns as rows, "
                "with or without labels in the first row and column"
            )
        values = [_number(field) for field in fields]
        if None in values:
            bad = fields[values.index(None)]
            raise CountError(f"{name}, line {number}: {bad!r} is no number, expected a count or a weight")
        cells.append(values)
    return header or index, cells
