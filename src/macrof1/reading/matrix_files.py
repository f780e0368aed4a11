"""Confusion matrices as text: CSV or TSV with or without labels, or JSON; read as plain lists of numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final, NamedTuple

from macrof1.errors import CountError, EmptyError, FileError, LabelError, counted
from macrof1.reading.dialect import table_of
from macrof1.reading.files import whole_text
from macrof1.reading.numbers import DecimalMark, decimal_mark, is_number, number_of


class MatrixTable(NamedTuple):
    """The cells of a matrix, row by row, and the names of its rows and columns; None if they have none.

    `rows_are` is what a row is according to the corner: gold or predicted.
    """

    rows: list[Any] | None
    columns: list[Any] | None
    cells: list[list[Any]]
    rows_are: str | None = None


_CORNER_WORDS: Final = {
    "gold": frozenset(("gold", "true", "truth", "actual", "reference", "target", "expected")),
    "predicted": frozenset(("pred", "predicted", "prediction", "predictions", "predict", "system", "model", "output")),
}


def read_matrix_table(source: str | Path) -> MatrixTable:
    """Read a confusion matrix from a file or, for ``"-"``, from standard input.

    CSV or TSV: numbers only, or with the labels as first row, first column or both. JSON: nested lists, or an object
    with ``matrix`` and ``labels``. Plain or compressed.
    """
    return parse_matrix_table(*whole_text(source, expected="a confusion matrix as CSV, TSV or JSON"))


def parse_matrix_table(text: str, name: str = "the text") -> MatrixTable:
    """Read a confusion matrix from text; messages call it `name`."""
    if not text.strip():
        raise EmptyError(f"{name} is empty", expected="a confusion matrix")
    return _from_json(text, name) if text.lstrip()[0] in "[{" else _from_csv(text, name)


def _from_json(text: str, name: str) -> MatrixTable:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name}: not valid JSON ({error})", expected="nested lists of counts") from None
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
    return MatrixTable(labels, labels, content)


def _from_csv(text: str, name: str) -> MatrixTable:
    # Spaces may follow a separator, or take its place between numbers.
    separator, table = table_of(re.sub(r'(?<=[,;]) +(?=")', "", text), name=name)
    if all(len(fields) == 1 for _, fields in table):
        table = [(number, fields[0].split()) for number, fields in table]

    try:
        has_header, has_index = _named([fields for _, fields in table])
        body = table[1:] if has_header else table
        if not body:
            raise EmptyError(f"{name} has no rows of counts", expected="a confusion matrix")
        header = [cell.strip() for cell in table[0][1]] if has_header else None
        if header is not None and has_index and len(header) == len(body[0][1]):
            header = header[1:]
        width = len(body[0][1]) - has_index
        numbers = [field for _, fields in body for field in fields[has_index:] if is_number(field)]
        mark = decimal_mark(numbers, local=separator == ";")
        cells = [_cells(fields[has_index:], width, mark, f"{name}, line {number}") for number, fields in body]
    except CountError as error:
        raise (error if str(error.args[0]).startswith(name) else error.at(name)) from None
    index = [fields[0].strip() for _, fields in body] if has_index else None
    if header is not None and len(header) != width:
        raise LabelError(f"{name}: {counted(len(header), 'name')} for {counted(width, 'column')}", expected="one each")
    if (index is None or header is None) and len(cells) != width:
        problem = f"{name} has {counted(len(cells), 'row')} of {counted(width, 'cell')}"
        raise CountError(problem, expected="as many rows as columns, or names for both")
    return MatrixTable(index, header, cells, _rows_by_corner(table[0][1][0]) if has_header and has_index else None)


def _rows_by_corner(corner: str) -> str | None:
    r"""Infer what rows are from a corner such as ``gold\pred`` or ``actual/predicted``: rows come first.

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


def _named(table: list[list[str]]) -> tuple[bool, bool]:
    """Return whether the first row names the columns, and whether the first column names the rows."""
    first, body = table[0], table[1:]
    names_below = bool(body) and not any(is_number(fields[0]) for fields in body)
    numbers_below = all(is_number(fields[0]) for fields in body)
    if not first[0].strip():
        return True, True
    if not all(map(is_number, first[1:])) or (len(first) == 1 and not is_number(first[0])):
        # Columns have names. So do rows if their first cells are not numbers, or if there is one cell too many.
        return True, names_below or any(len(fields) > len(first) for fields in body) or len(body) == len(first) - 1
    if is_number(first[0]):
        return False, False
    # The corner is a title above numeric names, or it is the name of the first row.
    return (True, True) if body and numbers_below else (False, True)


def _cells(fields: list[str], width: int, mark: DecimalMark, where: str) -> list[int | float]:
    if len(fields) != width:
        raise CountError(
            f"{where}: {counted(len(fields), 'cell')}",
            expected=f"{width} as in the row above, with or without names in the first row and column",
        )
    values: list[int | float] = []
    for field in fields:
        value = number_of(field, mark)
        if value is None:
            shown = repr(field if len(field) <= 40 else f"{field[:37]}…")
            raise CountError(f"{where}: {shown} is not a number", expected="a count or a weight")
        values.append(value)
    return values
