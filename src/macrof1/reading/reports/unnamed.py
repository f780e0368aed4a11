"""Figures without their header: a row copied from a table, or a table that a slide flattened to one line."""

from __future__ import annotations

import re
from fractions import Fraction

from macrof1.reading.numbers import plain_number
from macrof1.reading.reports.cells import RATIO, cells_of, figure_of, label_of, separator_of
from macrof1.reading.reports.printed import PrintedClass, PrintedReport
from macrof1.reading.reports.vocabulary import RATIOS, kind_of, role_of

_FOUR = re.compile(r"\(?\s*\d+(?:\s*,\s*|\s+)\d+(?:\s*,\s*|\s+)\d+(?:\s*,\s*|\s+)\d+\s*\)?")
_MACRO = re.compile(r"\bmacro[- ]?(?:averag\w*|avg|scores?|f)", re.IGNORECASE)
_FEW_ROWS = 2
_RATIOS = re.compile(rf"(?:\s+{RATIO}%?)+\s*$")


def unnamed_row(line: str, context: str) -> PrintedReport | None:
    """Read a row without a header, if it holds enough to infer what its figures are."""
    if separator_of(line) not in ("pipes", "ampersands"):
        return None
    cells = cells_of(line, separator_of(line))
    name, figures = label_of(cells[0]), [figure for cell in cells[1:] if (figure := figure_of(cell))]
    four = [cell for cell in cells if _FOUR.fullmatch(cell)]
    if len(four) == 1 and figures:
        report = PrintedReport("row without a header: tn fp fn tp and figures", name=name, unnamed=figures)
        report.add_cells(four[0])
        return report
    alone = sum(max(map(line.count, "|&")) > 1 for line in context.splitlines()) <= _FEW_ROWS
    if len(figures) == 3 and alone and all("." in figure for figure in figures) and _MACRO.search(context):
        report = PrintedReport("row without a header", name=name)
        report.add("macro", dict(zip(RATIOS, figures, strict=True)))
        report.remarks.append("three figures without names, assumed to be macro precision, recall and F1")
        return report
    return None


def one_line_table(line: str) -> PrintedReport | None:
    """Read a table whose cells are all on one line: names of columns, names of rows, figures.

    The figures go row by row or column by column, whichever makes the F1 of each class the harmonic mean of its
    precision and recall.
    """
    tail = _RATIOS.search(line)
    if tail is None:
        return None
    words, figures = line[: tail.start()].split(), tail[0].split()
    kinds = [kind_of(word) for word in words]
    start = next((place for place in range(len(words)) if set(kinds[place : place + 3]) == set(RATIOS)), None)
    if start is None or len(figures) % 3 or len(figures) < 9:
        return None
    columns, names = [str(kind) for kind in kinds[start : start + 3]], words[start + 3 :]
    n_rows = len(figures) // 3
    by_rows = [dict(zip(columns, figures[3 * row : 3 * row + 3], strict=True)) for row in range(n_rows)]
    by_columns = [dict(zip(columns, figures[row::n_rows], strict=True)) for row in range(n_rows)]
    labels = _labels(names, n_rows - 1)
    fitting = [rows for rows in (by_rows, by_columns) if all(map(_fits, rows[:-1]))]
    if labels is None or len(fitting) != 1:
        return None
    *classes, macro = fitting[0]
    report = PrintedReport("table on one line")
    report.classes = [PrintedClass(label, row) for label, row in zip(labels, classes, strict=True)]
    report.add("macro", macro)
    return report


def _labels(names: list[str], n_classes: int) -> list[str] | None:
    """Split the names of the rows; None unless the last of them is the macro average."""
    ends = [place for place in range(len(names)) if role_of(" ".join(names[place:])) == "macro"]
    if not ends or n_classes < 2:
        return None
    words = names[: ends[0]]
    if len(words) == n_classes:
        return words
    breaks = [place + 1 for place, word in enumerate(words) if word == words[-1]]
    if len(breaks) == n_classes:
        return [" ".join(words[first:last]) for first, last in zip([0, *breaks], breaks, strict=False)]
    return [f"class {number}" for number in range(1, n_classes + 1)]


def _fits(row: dict[str, str]) -> bool:
    """Whether F1 is the harmonic mean of precision and recall, to the precision of their decimals."""
    figures = [plain_number(row[kind]) for kind in RATIOS]
    p, r, f = (value for value, _ in figures)
    unit = max(Fraction(1, 10**decimals) for _, decimals in figures)
    return abs((2 * p * r / (p + r) if p + r else Fraction(0)) - f) <= 2 * unit
