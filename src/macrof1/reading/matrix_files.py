"""Confusion matrices as text: CSV or TSV with or without labels, JSON, and as tools print them.

NumPy, pandas, Polars, R, Weka, Markdown, LaTeX and HTML print matrices with totals, corner cells, axis titles, and
other lines around them.
"""

from __future__ import annotations

import json
import re
from itertools import takewhile
from typing import Any, Final, Literal, NamedTuple, cast

from macrof1.errors import CountError, EmptyError, FileError, LabelError, MacroF1Error, counted
from macrof1.message import Note
from macrof1.reading.crosstabs import NamedTable, aligned_matrix, ends_in_sums, is_total, matrix_notes
from macrof1.reading.dialect import table_of
from macrof1.reading.numbers import DecimalMark, decimal_mark, is_number, number_of
from macrof1.reading.reports.printed import cells_of, is_rule, separator_of, unmarked

_GOLD: Final = re.compile(r"\b(actual|gold|true|truth|reference|expected|target|y_true|label)\b", re.IGNORECASE)
_PREDICTED: Final = re.compile(r"\b(predict\w*|pred|y_pred|system|output|hypothesis)\b( labels?\b)?", re.IGNORECASE)
_AXIS: Final = re.compile(r"\b(?:(rows?|y.axis)|columns?|cols?|x.axis)\b|(↓)|→", re.IGNORECASE)
_WEKA: Final = re.compile(r"\s*([\d\s.]+)\|\s*\S+\s*=\s*(.+)")


def parse_matrix_table(text: str, name: str = "the text") -> NamedTable:
    """Read a confusion matrix from CSV, TSV or JSON, with or without labels; messages call it `name`."""
    if not text.strip():
        raise EmptyError(f"{name} is empty", expected="a confusion matrix")
    return _from_json(text, name) if text.lstrip()[0] in "[{" else _from_csv(text, name)


def _from_json(text: str, name: str) -> NamedTable:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name}: not valid JSON ({error})", expected="nested lists of counts") from None
    labels = None
    if isinstance(content, dict):
        if "matrix" not in content:
            problem = f"{name} is an object with {sorted(content)[:5]}"
            raise FileError(problem, expected="an object with 'matrix' (and 'labels')")
        labels, content = content.get("labels"), content["matrix"]
    if not isinstance(content, list) or not all(isinstance(row, list) for row in content):
        raise FileError(f"{name} holds no list of rows", expected="nested lists of counts")
    if labels is not None and not isinstance(labels, list):
        raise FileError(f"{name}: the labels are {labels!r}", expected="a list of names")
    if labels and len(set(map(len, content))) > 1:
        raise CountError(f"{name} has rows of different lengths", expected="a cell per label in each")
    return NamedTable(labels, labels, content)


def _from_csv(text: str, name: str) -> NamedTable:
    # Spaces may follow a separator, or take its place between numbers.
    separator, table = table_of(re.sub(r'(?<=[,;]) +(?=")', "", text), name=name)
    if all(len(fields) == 1 for _, fields in table):
        table = [(number, fields[0].split()) for number, fields in table]
    try:
        has_header, has_index = _named([fields for _, fields in table])
        body = table[1:] if has_header else table
        if not body or len(body[0][1]) == has_index:
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
    corner = table[0][1][0] if has_header and has_index else ""
    # Rows come first: gold\pred, actual/predicted.
    both = re.search(r"[\\/|]|\bvs\b", corner)
    return NamedTable(index, header, cells, orientation(corner.replace("_", " ")) if both else None)


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
            problem = f"{shown} is not a number" if any(map(is_number, fields)) else "no cell is a number"
            raise CountError(f"{where}: {problem}", expected="a count or a weight")
        values.append(value)
    return values


class PrintedMatrix(NamedTuple):
    """A matrix, the names of its classes, and what its rows are, if the text says so."""

    labels: list[Any] | None
    cells: list[list[int | float]]
    rows: Literal["gold", "predicted"] | None
    notes: tuple[Note, ...] = ()


def parse_printed_matrix(text: str, name: str = "the text") -> PrintedMatrix:
    """Read a matrix as printed by some tool: CSV, TSV or JSON first, then copied output."""
    read: tuple[list[Any] | None, list[list[Any]]]
    try:
        table = parse_matrix_table(text, name)
        read = aligned_matrix(table, name)
    except MacroF1Error as error:
        from macrof1.reading.reports.plain_lines import plain_text  # loads an HTML parser

        plain = plain_text(text).replace("{,}", ",")
        brackets = re.search(r"\[\s*\[.*\]\s*\]", plain, re.DOTALL)
        inner = re.findall(r"\[([^\[\]]*)\]", brackets[0]) if brackets else []
        lines = [re.split(r"[\s,]+", row.strip(" ,\n")) for row in inner] or _rows(plain)
        read = _matrix(lines) or _paragraph(plain) or (None, [])
        table = NamedTable(read[0], None, read[1])
        if not read[1] or any(len(row) != len(read[1]) for row in read[1]):
            raise error from None
    labels, cells = read
    may_end = len(cells) > 2 and set(map(len, cells)) == {len(cells)} and (labels is None or is_total(labels[-1]))
    if may_end and ends_in_sums(cells):  # a last row and column of totals, named so or without a name
        labels, cells = labels and labels[:-1], [row[:-1] for row in cells[:-1]]
    if any(len(row) != len(cells) for row in cells):
        raise CountError(f"{name} is not square", expected="a confusion matrix with as many rows as columns")
    if any(not isinstance(cell, int | float) or isinstance(cell, bool) for row in cells for cell in row):
        raise CountError(f"{name} holds cells that are not numbers", expected="counts or weights")
    names = labels or range(len(cells))
    if not (table.rows or table.columns) and len(read[1]) > len(names):
        table = table._replace(rows=list(range(len(read[1]))))  # totals that nothing names
    notes = tuple(matrix_notes(table, names, cells, name))
    return PrintedMatrix(labels, cells, None if text.lstrip().startswith("{") else orientation(text), notes)


def _rows(text: str) -> list[list[str]]:
    table = []
    for line in map(str.strip, text.splitlines()):
        separator = separator_of(line)
        if not line or is_rule(line) or "<-- classified as" in line:
            continue
        if weka := _WEKA.fullmatch(line):
            cells = [weka[2].strip(), *weka[1].split()]
        elif separator in ("pipes", "ampersands"):
            cells = [unmarked(cell) for cell in cells_of(line, separator)]
        else:
            cells = re.split(r"\t|\s{2,}|\s*\|\s*", line)
            # Single spaces between the numbers are accepted if there is nothing wider.
            if len(cells) < 2 or any(len(cell.split()) > 1 and is_number(cell.split()[-1]) for cell in cells):
                cells = line.split()
        table.append(cells)
    return table


def _matrix(table: list[list[str]]) -> tuple[list[str] | None, list[list[int | float]]] | None:
    """Find the lines that end in the same number of numbers, and the names around them."""
    numbers = [_trailing(row) for row in table]
    width = max(map(len, numbers), default=0)
    places = [place for place, found in enumerate(numbers) if len(found) == width and width >= 2]
    # A numeric header, as for classes called 0 and 1, has no name before it and is one line too many.
    if len(places) == width + 1 and len(table[places[0]]) == width and len(table[places[1]]) == width + 1:
        places = places[1:]
    # No line of numbers may be skipped after the first.
    skipped = (place not in places and found for place, found in enumerate(numbers) if places and place >= places[0])
    if len(places) < 2 or any(skipped):
        return None
    printed = [cell for place in places for cell in numbers[place]]
    mark = decimal_mark(printed)
    # A lone comma between spaces may separate two cells.
    if mark == "," and not all("," in cell or cell in ("0", "1") for cell in printed):
        return None
    cells = [[number_of(cell, mark) for cell in numbers[place]] for place in places]
    if any(None in row for row in cells):
        return None
    index = [" ".join(table[place][: len(table[place]) - width]).strip() for place in places]
    header = next((row[-width:] for row in reversed(table[: places[0]]) if len(row) >= width), None)
    return index if all(index) else header, cast("list[list[int | float]]", cells)


def _paragraph(text: str) -> tuple[list[str] | None, list[list[int | float]]] | None:
    """Find the matrix among other paragraphs: the only one that has lines of counts."""
    tables = [(table, map(_trailing, table)) for table in map(_rows, re.split(r"\n[ \t]*\n", text))]
    lines = [(table, end) for table, ends in tables for end in ends if len(end) > 1]
    found = [table for table, end in lines if all(isinstance(number_of(one), int) for one in end)]
    return _matrix(found[0]) if found and all(table is found[0] for table in found) else None


def _trailing(row: list[str]) -> list[str]:
    return [*takewhile(is_number, reversed(row))][::-1]


def orientation(text: str) -> Literal["gold", "predicted"] | None:
    """Infer what rows are from axis titles: that of the columns is above that of the rows; in one corner, after it."""
    if "<-- classified as" in text:
        return "gold"
    predicted, gold = _PREDICTED.search(text), _GOLD.search(_PREDICTED.sub(lambda title: " " * len(title[0]), text))
    if gold is None or predicted is None:
        return None
    first, last = sorted((gold, predicted), key=lambda match: match.start())
    between = text[first.end() : last.start()]
    in_corner = "\n" not in between
    axes = [axis[1] or axis[2] for axis in _AXIS.finditer(text)]
    if any(axes) and not all(axes):  # rows: actual, columns: predicted
        in_corner = bool(axes[0])
    elif in_corner and len(re.findall(r"\w\w+", between)) > 2:
        return None  # a sentence
    rows_title = first if in_corner else last
    return "gold" if rows_title is gold else "predicted"
