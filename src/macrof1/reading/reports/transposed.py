"""Tables whose rows are figures and whose columns are classes, as pandas, caret and PyCM print them."""

from __future__ import annotations

import re

from macrof1.reading.reports.cells import aligned, cells_of, figure_of, holds_figure, is_rule, label_of, separator_of
from macrof1.reading.reports.printed import PrintedReport, roles_of
from macrof1.reading.reports.vocabulary import ERRORS, FIELDS, RATIOS, kind_of

_FAR = 120
_LISTED = re.compile(r"\s*(?P<name>[^\s:=\[\]][^:=\[\]]*?)\s*[:=]\s*(?:array\()?\[(?P<cells>[\d\s.,eE+-]+)\]\)?,?\s*$")
_LABELLED = re.compile(r"\s*(?:Classes|Class|Labels?|Predict)\b\s*:?\s+(?=\S)", re.IGNORECASE)


def read_transposed(lines: list[str], place: int) -> tuple[PrintedReport, int] | None:
    """Read a table with one figure of every class per line; return it with the line after it, or None."""
    first = _row(lines[place])
    if first is None or first[0] not in FIELDS or len(first[1]) < 2:
        return None
    width, rows, end = len(first[1]), {first[0]: first[1]}, place + 1
    for number in range(place + 1, len(lines)):
        if not lines[number].strip() and not lines[number - 1].strip():
            break
        row = _row(lines[number])
        if row is not None and len(row[1]) == width:
            if row[0] in FIELDS and row[0] not in rows:
                rows[row[0]] = row[1]
            end = number + 1
    if len(rows.keys() & set(RATIOS)) < 2 and not set(ERRORS) <= rows.keys():
        return None
    report = PrintedReport("table with one column per class", place)
    columns = [
        (label, {kind: figure for kind, cells in rows.items() if (figure := figure_of(cells[column])) is not None})
        for column, label in enumerate(_labels(lines, place, width))
    ]
    for (label, figures), role in zip(columns, roles_of(columns), strict=True):
        report.add_row(label, role, figures)
    return report, end


def _row(line: str) -> tuple[str, list[str]] | None:
    """Return what a line measures and its cells, if it begins with a known name."""
    if not line.strip() or is_rule(line):
        return None
    listed, separator = _LISTED.match(line), separator_of(line)
    if listed is not None:
        name = listed["name"]
        cells = [cell.rstrip(".") for cell in re.split(r"[\s,]+", listed["cells"].strip(" \t,"))]
    elif separator != "spaces":
        name, *cells = cells_of(line, separator)
        if not all(map(holds_figure, cells)):
            return None
    else:
        words = [word.text for word in aligned(line)]
        start = len(words)
        while start > 1 and holds_figure(words[start - 1]):
            start -= 1
        name, cells = " ".join(words[:start]), words[start:]
    kind = kind_of(label_of(name))
    return (kind, cells) if kind is not None and cells else None


def _labels(lines: list[str], place: int, width: int) -> list[str]:
    """Find the names of the columns above the table; numbers if there are none."""
    for number in range(place - 1, max(-1, place - _FAR), -1):
        line = lines[number]
        if not line.strip() or is_rule(line):
            continue
        separator = separator_of(line)
        if separator != "spaces":
            cells = [label_of(cell) for cell in cells_of(line, separator)]
            return cells[-width:] if len(cells) >= width else _numbered(width)
        if line.count("Class:") == width:
            return [part.strip() for part in line.split("Class:")[1:]]
        plain = _LABELLED.sub("", line, count=1)
        for names in (re.split(r"\s{2,}", plain.strip()), plain.split()):
            if len(names) == width and (plain != line or number == _above(lines, place)):
                return names
        ends = [cell.end for cell in aligned(lines[place])[-width:]]
        if number == _above(lines, place) and (joined := _by_ends(line, ends)) is not None:
            return joined
    return _numbered(width)


def _by_ends(line: str, ends: list[int]) -> list[str] | None:
    """Join the words of a header that end above the same column, with none left over."""
    names: list[list[str]] = [[] for _ in ends]
    for word in aligned(line):
        column = next((number for number, end in enumerate(ends) if word.end <= end), None)
        if column is None or figure_of(word.text) is not None:
            return None
        names[column].append(word.text)
    return [" ".join(words) for words in names] if all(names) else None


def _above(lines: list[str], place: int) -> int:
    """Return the nearest non-empty line above."""
    return next((number for number in range(place - 1, -1, -1) if lines[number].strip()), -1)


def _numbered(width: int) -> list[str]:
    return [f"class {number}" for number in range(1, width + 1)]
