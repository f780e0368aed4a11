"""Confusion matrices as NumPy, pandas, Polars, R, Weka, Markdown, LaTeX and HTML print them.

With totals, corner cells, axis titles, and other lines around them.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any, Final, Literal, NamedTuple, cast

from macrof1.errors import CountError, MacroF1Error
from macrof1.reading.crosstabs import aligned_matrix, ends_in_sums, is_total
from macrof1.reading.matrix_files import parse_matrix_table
from macrof1.reading.numbers import decimal_mark, is_number, number_of
from macrof1.reading.reports.plain_lines import plain_text

_GOLD: Final = re.compile(r"\b(actual|gold|true|truth|reference|expected|y_true|label)\b", re.IGNORECASE)
_PREDICTED: Final = re.compile(r"\b(predict\w*|pred|y_pred|system|output|hypothesis)\b", re.IGNORECASE)
_RULE: Final = re.compile(r"[\s|:+=-]*")
_WEKA: Final = re.compile(r"\s*([\d\s.]+)\|\s*\S+\s*=\s*(.+)")
_COMMAND: Final = re.compile(r"\\(?:textbf|textit|emph|mathbf|text|bf)\s*\{([^{}]*)\}")
_LATEX: Final = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|cline\{[^}]*\}|(?:begin|end)\{[^}]*\}(?:\{[^}]*\})?)"
)


class PrintedMatrix(NamedTuple):
    """A matrix, the names of its classes, and what its rows are, if the text says so."""

    labels: list[Any] | None
    cells: list[list[int | float]]
    rows: Literal["gold", "predicted"] | None


def parse_printed_matrix(text: str, name: str = "the text") -> PrintedMatrix:
    r"""Read a matrix as printed by some tool: CSV, TSV or JSON first, then copied output.

    Examples
    --------
    >>> parse_printed_matrix("array([[5, 1],\n       [2, 7]])")
    PrintedMatrix(labels=None, cells=[[5, 1], [2, 7]], rows=None)
    >>> crosstab = "Predicted  a  b  All\nActual\na  5  1  6\nb  2  7  9\nAll  7  8  15"
    >>> parse_printed_matrix(crosstab)
    PrintedMatrix(labels=['a', 'b'], cells=[[5, 1], [2, 7]], rows='gold')
    """
    try:
        table = parse_matrix_table(text, name)
        found = _totalled(*aligned_matrix(table.rows, table.columns, table.cells, source=name))
    except MacroF1Error as error:
        plain = plain_text(text).replace("{,}", ",")
        brackets = re.search(r"\[\s*\[.*\]\s*\]", plain, re.DOTALL)
        inner = re.findall(r"\[([^\[\]]*)\]", brackets[0]) if brackets else []
        read = _matrix([re.split(r"[\s,]+", row.strip(" ,\n")) for row in inner] or _rows(plain)) or _paragraph(plain)
        found = _totalled(*read) if read is not None else (None, [])
        if not found[1] or any(len(row) != len(found[1]) for row in found[1]):
            raise error from None
    if any(len(row) != len(found[1]) for row in found[1]):
        raise CountError(f"{name} is not square", expected="a confusion matrix with as many rows as columns")
    if any(not isinstance(cell, int | float) or isinstance(cell, bool) for row in found[1] for cell in row):
        raise CountError(f"{name} holds cells that are not numbers", expected="counts or weights")
    return PrintedMatrix(*found, _orientation(text))


def _rows(text: str) -> list[list[str]]:
    """Split lines into cells: at pipes, ampersands, or spaces."""
    table = []
    for line in text.splitlines():
        plain = _LATEX.sub("", line).strip()
        if not plain or _RULE.fullmatch(plain) or "<-- classified as" in plain:
            continue
        if weka := _WEKA.fullmatch(plain):
            table.append([weka[2].strip(), *weka[1].split()])
            continue
        if "&" in plain:
            cells = re.sub(r"\\\\(\[[^\]]*\])?\s*$", "", plain).split("&")
            cells = [re.sub(r"\\(.)", r"\1", _COMMAND.sub(r"\1", cell)) for cell in cells]
        elif "|" in plain:
            cells = re.sub(r"[*`]{1,2}", "", plain).strip("|").split("|")
        else:
            cells = re.split(r"\t|\s{2,}", plain)
            # Single spaces between the numbers are accepted if there is nothing wider.
            if len(cells) < 2 or any(len(cell.split()) > 1 and is_number(cell.split()[-1]) for cell in cells):
                cells = plain.split()
        table.append([cell.strip() for cell in cells])
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
    if header is None and any(index) and len(table[places[0] - 1]) == width - 1 and places[0]:
        header = table[places[0] - 1]
    return index if all(index) else header, cast("list[list[int | float]]", cells)


def _paragraph(text: str) -> tuple[list[str] | None, list[list[int | float]]] | None:
    """Find the matrix among other paragraphs: the only one that has lines of counts."""

    def has_counts(table: list[list[str]]) -> bool:
        ends = map(_trailing, table)
        return any(len(end) > 1 and all(isinstance(number_of(one), int) for one in end) for end in ends)

    counted = list(filter(has_counts, map(_rows, re.split(r"\n[ \t]*\n", text))))
    return _matrix(counted[0]) if len(counted) == 1 else None


def _trailing(row: list[str]) -> list[str]:
    """Return the numbers that end a row, as printed."""
    return [*takewhile(is_number, reversed(row))][::-1]


def _totalled(
    labels: list[Any] | None, cells: list[list[int | float]]
) -> tuple[list[Any] | None, list[list[int | float]]]:
    """Drop a last row or column of totals: one that is named so, or whose numbers are the sums of the others."""
    may_be = len(cells) > 2 and all(len(row) == len(cells) for row in cells)
    if not may_be or not (labels is None or is_total(labels[-1])) or not ends_in_sums(cells):
        return labels, cells
    return (labels[:-1] if labels else None), [row[:-1] for row in cells[:-1]]


def _orientation(text: str) -> Literal["gold", "predicted"] | None:
    r"""Infer what rows are from the axis titles.

    The title of the columns is above that of the rows; in one corner cell, as in ``gold \ predicted``, after it.
    """
    if "<-- classified as" in text:
        return "gold"
    gold, predicted = _GOLD.search(text), _PREDICTED.search(text)
    if gold is None or predicted is None:
        return None
    first, last = sorted((gold, predicted), key=lambda match: match.start())
    in_corner = "\n" not in text[first.start() : last.end()]
    rows_title = first if in_corner else last
    return "gold" if rows_title is gold else "predicted"
