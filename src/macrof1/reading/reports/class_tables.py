"""Tables with a header: rows are classes and averages, or systems."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple, TypeAlias

from macrof1.errors import InputError
from macrof1.reading.reports import printed, vocabulary
from macrof1.reading.reports.printed import Cell, PrintedReport, Separator
from macrof1.reading.reports.vocabulary import AVERAGES, ERRORS, FIELDS, KINDS, RATIOS

_TELLING = frozenset((*RATIOS, *ERRORS))
_FORMATS = {"pipes": "Markdown table", "ampersands": "LaTeX table", "semicolons": "CSV table", "commas": "CSV table"}
Row: TypeAlias = tuple[int, str, dict["Column", str]]
"""The number of a line, the name of the row, and its cells by column."""

_DECIMAL = re.compile(r"\d*[.,]\d+%?")
_WIDE = 5
_MOST_ROWS = 5_000


class Column(NamedTuple):
    """One column: what it measures (None if unknown), for which average, and where its name ends."""

    text: str
    kind: str | None
    role: str | None
    end: int


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a table besides the one that names the rows."""

    separator: Separator
    columns: tuple[Column, ...]
    label: str
    label_last: bool
    unlabelled: bool  # whether every column holds figures, and none names the rows

    @property
    def of_systems(self) -> bool:
        """Whether the rows are systems, each with its averages."""
        return any(column.role == "macro" and column.kind == "f1" for column in self.columns)


def read_header(line: str) -> Header | None:
    """Read a line as the header of a table of figures; None if it is not one."""
    separator = printed.separator_of(line)
    parts: tuple[str, list[Cell], bool] | None = None
    if separator != "spaces":
        texts = [Cell(printed.unmarked(cell), 0) for cell in printed.cells_of(line, separator)]
        if texts and not any(printed.figure_of(cell.text) for cell in texts[1:]):
            first = texts[0].text
            parts = ("", texts, False) if vocabulary.kind_of(first) in _TELLING else (first, texts[1:], False)
    if separator == "spaces" or (parts is None and separator == "commas"):
        separator, parts = "spaces", _aligned_header(line)
    if parts is None:
        return None
    label, texts, label_last = parts
    columns = _named(texts)
    unlabelled = separator != "spaces" and len(columns) == len(printed.cells_of(line, separator))
    header = Header(separator, columns, label, label_last, unlabelled)
    kinds = {column.kind for column in columns if column.kind}
    enough = len(kinds & _TELLING) >= 2 or ("f1" in kinds and bool(kinds & {"accuracy", "support", "cells"}))
    only_f1 = kinds == {"f1"} and len(columns) == 1 and vocabulary.names_labels(label)
    return header if enough or header.of_systems or only_f1 else None


def _aligned_header(line: str) -> tuple[str, list[Cell], bool] | None:
    """Split a header at wide gaps, and at single spaces if both sides name columns."""
    texts: list[Cell] = []
    for found in re.finditer(r"\S+(?: \S+)*", line.replace("\t", "   ")):
        words = found[0].split(" ")
        several = vocabulary.columns_of(words)
        if several is None and vocabulary.kind_of(found[0]) is None:
            rest = vocabulary.columns_of(words[1:])
            several = None if rest is None or texts else [words[0], *rest]
        texts += [Cell(text, found.end()) for text in several or [found[0]]]
    if not texts or any(printed.figure_of(text.text) for text in texts[1:]):
        return None
    if vocabulary.phrase(texts[-1].text) in ("class", "label") and len(texts) > 2:
        return texts[-1].text, texts[:-1], True
    first = texts[0]
    names_rows = vocabulary.names_labels(first.text) or (len(texts) > 1 and not line[:1].isspace())
    return (
        (first.text, texts[1:], False) if names_rows and vocabulary.kind_of(first.text) is None else ("", texts, False)
    )


def _named(texts: Sequence[Cell]) -> tuple[Column, ...]:
    """Find what each column measures; if two measure the same, the plainer name wins."""
    found: list[Column] = []
    for text in texts:
        kind, role, key = vocabulary.kind_of(text.text), None, vocabulary.key_of(text.text)
        if kind is None and key is not None and key.role in AVERAGES and not key.rest:
            kind, role = key.kind, key.role
        found.append(Column(text.text, kind, role, text.end))
    best: dict[tuple[str | None, str | None], Column] = {}

    def strength(column: Column) -> int:
        words, plain = KINDS.get(column.kind or "", ()), vocabulary.phrase(column.text)
        return words.index(plain) if plain in words else len(words)

    for column in sorted(found, key=strength):
        best.setdefault((column.kind, column.role), column)
    kept = set(map(id, best.values()))
    return tuple(column if id(column) in kept else Column(column.text, None, None, column.end) for column in found)


def _read_row(line: str, header: Header) -> tuple[str, dict[Column, str]] | None:
    """Read a line below a header: its name, and the cells by column; None if it is not a row."""
    if header.separator == "spaces":
        return _aligned_row(line, header)
    mark = {"commas": ",", "tabs": "\t", "semicolons": ";"}.get(header.separator)
    if printed.separator_of(line) != header.separator and (mark is None or mark not in line):
        return None
    cells = printed.cells_of(line, header.separator)
    width = len(header.columns) + 1
    if header.separator == "pipes" and not any(cells[width:]):
        cells = cells[:width]
    if len(cells) == len(header.columns) and header.unlabelled:
        cells = ["", *cells]
    if len(cells) != width:
        # Several tabs in a row align columns; they do not mean empty cells.
        return _aligned_row(line, header) if header.separator == "tabs" else None
    found = dict(zip(header.columns, cells[1:], strict=True))
    if all(printed.holds_figure(cell) or column.kind in (None, "cells") for column, cell in found.items()):
        return printed.label_of(cells[0]), found
    return None


def is_damaged(line: str, header: Header) -> bool:
    """Whether a line would be a row, if one cell among its figures were not a word."""
    width = len(header.columns)
    if header.separator == "spaces" or (header.separator == "tabs" and printed.separator_of(line) == "spaces"):
        words = [cell.text for cell in printed.aligned(line)]
        first = next((place for place, cell in enumerate(words) if _DECIMAL.fullmatch(cell)), len(words))
        # Counts may precede the decimals; in a narrow table, the last words of a sentence would look like a row.
        cells = words[-width:] if width >= _WIDE and len(words) > width else words[first:]
        if header.label_last or len(cells) != width or "=" in line or ": " in line:
            return False
    elif printed.separator_of(line) == header.separator:
        cells = printed.cells_of(line, header.separator)[1:]
        if len(cells) != width:
            return False
        cells = [cell for cell, column in zip(cells, header.columns, strict=True) if column.kind not in (None, "cells")]
    else:
        return False
    figures = sum(printed.figure_of(cell) is not None for cell in cells)
    return figures > 1 and sum(not printed.holds_figure(cell) for cell in cells) == 1


def _aligned_row(line: str, header: Header) -> tuple[str, dict[Column, str]] | None:
    cells, width = printed.aligned(line), len(header.columns)
    if header.label_last:
        start = next((place for place, cell in enumerate(cells) if printed.holds_figure(cell.text)), len(cells))
        figures, words = cells[start : start + width], [*cells[:start], *cells[start + width :]]
    else:
        start = len(cells)
        while start > 0 and len(cells) - start < width and printed.holds_figure(cells[start - 1].text):
            start -= 1
        figures, words = cells[start:], cells[:start]
    label = printed.label_of(" ".join(word.text for word in words))
    if not any(printed.figure_of(cell.text) for cell in figures):
        return None
    if len(figures) == width:
        return label, {column: cell.text for column, cell in zip(header.columns, figures, strict=True)}
    key = vocabulary.key_of(label)
    # "macro F1: 0.71" below a table is a separate line, not a row with one cell.
    named = key is not None and key.kind in RATIOS
    if not label or (vocabulary.role_of(label) is None and len(figures) < 2) or named:
        return None
    # Some cells are empty: the others belong to the columns that end where they do, in order.
    found: dict[Column, str] = {}
    columns, start = header.columns, 0
    for number, cell in enumerate(figures):
        last = width - (len(figures) - number - 1)
        best = min(range(start, last), key=lambda place: abs(columns[place].end - cell.end))
        found[columns[best]] = cell.text
        start = best + 1
    return label, found


def read_table(lines: list[str], place: int, header: Header) -> tuple[list[PrintedReport], int]:
    """Read the table below a header; return its reports, and the line after it."""
    rows, end = _rows(lines, place + 1, header)
    is_cut = False
    if rows and not any(line.strip() for line in lines[rows[-1][0] + 1 :]) and header.separator == "spaces":
        # The text may end in the middle of a row of a class, as it does where a log was cut.
        is_cut = vocabulary.role_of(rows[-1][1]) is None and len(rows[-1][2]) < max(len(cells) for _, _, cells in rows)
    rows = rows[:-1] if is_cut else rows
    only_f1 = len(header.columns) == 1 and not header.of_systems
    if not rows or (only_f1 and not any(vocabulary.role_of(label) in AVERAGES for _, label, _ in rows)):
        return [], place
    # A row with one figure too many would take it for a part of its name.
    names = [(number, label.split()) for number, label, _ in rows if vocabulary.role_of(label) is None]
    odd = [number for number, words in names if len(words) > 1 and _DECIMAL.fullmatch(words[-1])]
    if header.separator == "spaces" and 0 < len(odd) < len(names):
        raise _unreadable(lines, odd[0], header)
    rows = _without_index(rows, header)
    if header.of_systems or vocabulary.names_systems(header.label):
        return _systems(header, rows, place), end
    report = _one_report(header, rows, place)
    if is_cut:
        report.remarks.append("the last line breaks off and was not used")
    return [report], end


def _rows(lines: list[str], start: int, header: Header) -> tuple[list[Row], int]:
    rows: list[Row] = []
    end, averaged, gap = start, False, False
    for number in range(start, len(lines)):
        line = lines[number]
        if not line.strip() or printed.is_rule(line):
            gap = gap or not line.strip()
            continue
        if is_damaged(line, header):
            raise _unreadable(lines, number, header)
        row = _read_row(line, header)
        if row is None and not rows and header.separator not in ("spaces", "commas"):
            # Units, or types as Polars prints them: as many cells, and no figure in any.
            n_cells = len(printed.cells_of(line, header.separator))
            if n_cells == len(header.columns) + 1 and not re.search(r"\d\.|\s\d|^\d", line):
                continue
        needs_name = header.separator == "spaces" and not (header.label_last or header.of_systems)
        if row is None or (needs_name and row[0] == ""):
            # If averages of the same table follow, it is never half-read silently.
            same = takewhile(lambda line: read_header(line) is None, lines[number:] if rows and not averaged else ())
            if any(
                later and vocabulary.role_of(later[0]) in AVERAGES
                for later in (_read_row(line, header) for line in same)
            ):
                raise _unreadable(lines, number, header)
            break
        is_average = vocabulary.role_of(row[0]) in (*AVERAGES, "accuracy")
        if averaged and gap and not is_average:
            break
        averaged, gap = averaged or is_average, False
        if len(rows) == _MOST_ROWS and not (header.of_systems or vocabulary.names_systems(header.label)):
            raise InputError(f"line {start} begins a table of more than {_MOST_ROWS:,} rows", expected="fewer classes")
        rows.append((number, *row))
        end = number + 1
    return rows, end


def _unreadable(lines: list[str], number: int, header: Header) -> InputError:
    return InputError(
        f"line {number + 1} of the report cannot be read: {lines[number].strip()[:60]!r}",
        expected=f"a name and {len(header.columns)} figures, as in the rows around it",
    )


def _without_index(rows: list[Row], header: Header) -> list[Row]:
    """Drop a running number that labels the rows, if names follow it."""
    labels = next(
        (column for column in header.columns if column.kind is None and vocabulary.names_labels(column.text)), None
    )
    if labels is not None and all(printed.figure_of(cells.get(labels, "")) is None for _, _, cells in rows):
        return [(number, printed.label_of(cells.get(labels, "")), cells) for number, _, cells in rows]
    for first in (0, 1):
        indexed = [label.startswith(f"{place} ") for place, (_, label, _) in enumerate(rows, first)]
        names = [label.partition(" ")[2] if has else label for has, (_, label, _) in zip(indexed, rows, strict=True)]
        complete = sum(indexed) > 1 and all(
            has or vocabulary.role_of(name) for has, name in zip(indexed, names, strict=True)
        )
        # "1 star" and "2 stars" are names: the header of an index names the column beside it.
        if complete and header.label and header.separator == "spaces" and len(set(names)) == len(names):
            return [(number, name, cells) for name, (number, _, cells) in zip(names, rows, strict=True)]
    return rows


def _one_report(header: Header, rows: Sequence[Row], place: int) -> PrintedReport:
    report = PrintedReport(
        _source(header, rows), place, labelled=bool(header.label) and vocabulary.names_labels(header.label)
    )
    figures_of: list[tuple[str, dict[str, str]]] = []
    for _, label, cells in rows:
        figures_of.append((label, {}))
        for column, text in cells.items():
            if column.kind is not None and (figure := printed.figure_of(text)) is not None:
                figures_of[-1][1][column.kind] = figure
                printed.add_parts(figures_of[-1][1], column.kind, text)
    named = printed.roles_of(figures_of)
    last_class = max((number for number, role in enumerate(named) if role is None), default=-1)
    for number, ((label, figures), role) in enumerate(zip(figures_of, named, strict=True)):
        if role in ("average", "total") and number < last_class and "macro" in named:
            role = None  # a class that happens to have this name
        if role is not None or any(kind in FIELDS for kind in figures):
            report.add_row(label, role, figures)
    return report


def _systems(header: Header, rows: Sequence[Row], place: int) -> list[PrintedReport]:
    """Read rows that are systems: each is a report with averages, and the four cells if they are printed."""
    found = []
    for number, label, cells in rows:
        report = PrintedReport(_FORMATS.get(header.separator, "table"), number, label or f"row {number - place}")
        for column, text in cells.items():
            figure = printed.figure_of(text)
            if column.kind == "cells":
                report.add_cells(text)
            elif column.kind == "accuracy" and figure is not None:
                report.accuracy = figure
            elif column.kind in RATIOS and figure is not None:
                report.add(column.role or ("macro" if header.of_systems else "average"), {column.kind: figure})
        found.append(report)
    return found


def _source(header: Header, rows: Sequence[Row]) -> str:
    words = [vocabulary.phrase(column.text) for column in header.columns]
    roles = {vocabulary.role_of(label) for _, label, _ in rows}
    if header.separator == "spaces" and words[:4] == ["precision", "recall", "f1 score", "support"]:
        may_be_seqeval = "micro" in roles and "accuracy" not in roles
        return "scikit-learn or seqeval report" if may_be_seqeval else "scikit-learn report"
    if words == ["tp", "fp", "fn", "prec", "rec", "f1"]:
        return "Spark NLP log"
    if "f measure" in words and header.label_last:
        return "Weka report"
    return _FORMATS.get(header.separator, "table")
