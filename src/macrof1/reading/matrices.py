"""Confusion matrices as text: CSV or TSV with or without labels, or JSON; read as plain lists of numbers."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any, Final, NamedTuple

from macrof1.errors import CountError, EmptyError, FileError, LabelError, counted
from macrof1.message import Note
from macrof1.reading.dialect import table_of
from macrof1.reading.files import whole_text


class MatrixTable(NamedTuple):
    """The cells of a matrix, row by row; the names of its classes and what its rows are, None where it does not say."""

    labels: list[Any] | None
    cells: list[list[Any]]
    rows: str | None = None
    notes: tuple[Note, ...] = ()


_CORNER_WORDS: Final = {
    "gold": frozenset(("gold", "true", "truth", "actual", "reference", "target", "expected")),
    "predicted": frozenset(("pred", "predicted", "prediction", "predictions", "predict", "system", "model", "output")),
}
_TOTAL_WORDS: Final = frozenset(("total", "totals", "all", "sum", "sums", "σ", "∑", "gesamt", "grand total"))


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


def _number(text: str) -> int | float | None:
    text = text.strip()
    try:
        return int(text) if text.lstrip("+-").isdecimal() else float(text)
    except ValueError:
        return None


def _from_csv(text: str, name: str) -> MatrixTable:
    # Spaces may follow a separator, and stand between numbers in its place.
    table = table_of(re.sub(r'(?<=[,;]) +(?=")', "", text), name=name)
    if all(len(fields) == 1 for _, fields in table):
        table = [(number, fields[0].split()) for number, fields in table]
    table, notes = _without_totals(table, name)
    width = len(table[0][1])
    # Labels stand in the first row when it ends in text, has a corner that is no number, or is one row too many.
    corner = _number(table[0][1][0]) is None
    has_header = _number(table[0][1][-1]) is None or (corner and len(table) == width) or len(table) == width + 1
    body = table[1:] if has_header else table
    if not body:
        raise EmptyError(f"{name} has no rows of counts", expected="a confusion matrix")
    size = len(body)
    # A column too many holds labels only if something says so: a corner, or labels that are no numbers.
    has_index = len(body[0][1]) == size + 1 and (corner or _number(body[0][1][0]) is None)
    header = [field.strip() for field in table[0][1]] if has_header else None
    if header is not None and len(header) == size + 1:
        header = header[1:]
    index = [row[0].strip() for _, row in body] if has_index else None
    order, more = _column_order(header, index, name)
    notes += more
    cells = []
    for number, row in body:
        fields = row[1:] if has_index else row
        if len(fields) != size:
            raise CountError(
                f"{name}, line {number}: {counted(len(fields), 'cell')}",
                expected=f"{size}, as many columns as rows, with or without labels in the first row and column",
            )
        values = [_number(field) for field in fields]
        if None in values:
            bad = fields[values.index(None)]
            raise CountError(f"{name}, line {number}: {bad!r} is not a number", expected="a count or a weight")
        cells.append(values if order is None else [values[place] for place in order])
    rows = _rows_by_corner(table[0][1][0]) if has_header and has_index else None
    return MatrixTable(index or header, cells, rows, notes)


def _column_order(
    header: list[str] | None, index: list[str] | None, name: str
) -> tuple[list[int] | None, tuple[Note, ...]]:
    """Return how columns must be put to stand in the order of the rows; None where they do."""
    if header is None or index is None or header == index:
        return None, ()
    if sorted(header) != sorted(index) or len(set(header)) < len(header):
        raise LabelError(
            f"{name}: columns are {header[:5]} but rows are {index[:5]}", expected="the same classes in both"
        )
    note = Note(f"The columns of {name} were put in the order of its rows, from which it differs.", code="matrix_order")
    return [header.index(label) for label in index], (note,)


def _rows_by_corner(corner: str) -> str | None:
    r"""Tell what rows are by a corner such as ``gold\pred`` or ``actual/predicted``: rows come first.

    Examples
    --------
    >>> _rows_by_corner("gold\\pred"), _rows_by_corner("Predicted / True"), _rows_by_corner("label")
    ('gold', 'predicted', None)
    """
    sides = [
        {role for role in _CORNER_WORDS for word in re.findall(r"[a-z]+", part.lower()) if word in _CORNER_WORDS[role]}
        for part in re.split(r"[\\/|]+|\bvs\b", corner)
    ]
    known = [side for side in sides if side]
    if len(known) == 2 and all(len(side) == 1 for side in known) and known[0] != known[1]:
        return next(iter(known[0]))
    return None


def _without_totals(
    table: list[tuple[int, list[str]]], name: str
) -> tuple[list[tuple[int, list[str]]], tuple[Note, ...]]:
    """Leave out a row and a column of totals, where they are the sums of the others: they are no class."""
    numbers = [[_number(field) for field in fields] for _, fields in table]
    if len(table) < 3 or len(table[0][1]) < 3 or any(len(row) != len(numbers[0]) for row in numbers):
        return table, ()
    named = [_is_total(table[0][1][-1]), _is_total(table[-1][1][0])]
    # Without names both must be there: a class whose cells happen to be sums of others' is possible in one direction.
    bare = not any(named) and all(number is not None for row in numbers for number in row)
    column = (named[0] or bare) and _are_sums(numbers[0 if bare else 1 :])
    row = (named[1] or bare) and _are_sums([list(each) for each in zip(*numbers, strict=True)][0 if bare else 1 :])
    if bare and not (column and row):
        return table, ()
    if column:
        table = [(number, fields[:-1]) for number, fields in table]
    if row:
        table = table[:-1]
    if not column and not row:
        return table, ()
    what = " and ".join(word for word, found in (("row", row), ("column", column)) if found)
    return table, (Note(f"The {what} of totals in {name} was left out: it is the sum of the others.", code="totals"),)


def _is_total(text: str) -> bool:
    return text.strip().lower().rstrip(":.") in _TOTAL_WORDS


def _are_sums(lines: list[list[int | float | None]]) -> bool:
    """Whether the last number of every line is the sum of those before it; a label may stand first."""
    for first in (0, 1):
        parts = [line[first:] for line in lines]
        if all(None not in line and len(line) > 1 and math.isclose(sum(line[:-1]), line[-1]) for line in parts):  # type: ignore[arg-type]  # no None is left
            return any(line[-1] for line in parts)
    return False
