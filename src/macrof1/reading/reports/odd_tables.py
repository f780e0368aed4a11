"""Tables without a header of figures: one column per class, lone rows, tables on one line, confusion matrices."""

from __future__ import annotations

import re
from fractions import Fraction

from macrof1.reading.numbers import plain_number
from macrof1.reading.reports import printed
from macrof1.reading.reports.printed import RATIO, PrintedClass, PrintedReport
from macrof1.reading.reports.vocabulary import ERRORS, FIELDS, PYCM, RATIOS, kind_of, role_of

_FOUR = re.compile(r"\(?\s*\d+(?:\s*,\s*|\s+)\d+(?:\s*,\s*|\s+)\d+(?:\s*,\s*|\s+)\d+\s*\)?")
_FAR = 120
_LISTED = re.compile(r"\s*(?P<name>[^\s:=\[\]][^:=\[\]]*?)\s*[:=]\s*(?:array\()?\[(?P<cells>[\d\s.,eE+-]+)\]\)?,?\s*$")
_LABELLED = re.compile(r"\s*(?:Classes|Class|Labels?|Predict)\b\s*:?\s+(?=\S)", re.IGNORECASE)
_BRACKETS = re.compile(r"\[\s*\[[\d\s.,\[\]]*\]\s*\]")
_NAMED = re.compile(r"confusion|classified as|predict", re.IGNORECASE)
_TITLE = re.compile(r"confusion[ _-]?matrix\W*$", re.IGNORECASE)
_COUNTS = re.compile(r"\d\s+\d")
_MOST_CLASSES = 500
_LONGEST_COUNT = 30
_RATIOS = re.compile(rf"(?:\s+{RATIO}%?)+\s*$")


def unnamed_row(line: str, *, alone: bool) -> PrintedReport | None:
    """Read a row without a header that tells what its figures are; `alone`: of few, in a text about macro averages."""
    if printed.separator_of(line) not in ("pipes", "ampersands"):
        return None
    cells = printed.cells_of(line, printed.separator_of(line))
    name, figures = printed.label_of(cells[0]), [figure for cell in cells[1:] if (figure := printed.figure_of(cell))]
    four = [cell for cell in cells if _FOUR.fullmatch(cell)]
    if len(four) == 1 and figures:
        report = PrintedReport("row without a header: tn fp fn tp and figures", name=name, unnamed=figures)
        report.add_cells(four[0])
        return report
    if len(figures) == 3 and alone and all("." in figure for figure in figures):
        report = PrintedReport("row without a header", name=name)
        report.add("macro", dict(zip(RATIOS, figures, strict=True)))
        report.remarks.append("three figures without names, assumed to be macro precision, recall and F1")
        return report
    return None


def one_line_table(line: str) -> PrintedReport | None:
    """Read a table on one line: names of columns and rows, and figures, by row or column, whichever makes F1 fit."""
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
    labels = _row_names(names, n_rows - 1)
    fitting = [rows for rows in (by_rows, by_columns) if all(map(_fits, rows[:-1]))]
    if labels is None or len(fitting) != 1:
        return None
    *classes, macro = fitting[0]
    report = PrintedReport("table on one line")
    report.classes = [PrintedClass(label, row) for label, row in zip(labels, classes, strict=True)]
    report.add("macro", macro)
    return report


def _row_names(names: list[str], n_classes: int) -> list[str] | None:
    """Split the names of the rows; None unless the last of them is the macro average."""
    end = next((place for place in range(len(names)) if role_of(" ".join(names[place:])) == "macro"), None)
    if end is None:
        return None
    words = names[:end]
    if len(words) == n_classes:
        return words
    breaks = [place + 1 for place, word in enumerate(words) if word == words[-1]]
    if len(breaks) == n_classes:
        return [" ".join(words[first:last]) for first, last in zip([0, *breaks], breaks, strict=False)]
    return _numbered(n_classes)


def _fits(row: dict[str, str]) -> bool:
    """Whether F1 is the harmonic mean of precision and recall, to the precision of their decimals."""
    (p, _), (r, _), (f, _) = figures = [plain_number(row[kind]) for kind in RATIOS]
    unit = max(Fraction(1, 10**decimals) for _, decimals in figures)
    return abs((2 * p * r / (p + r) if p + r else Fraction(0)) - f) <= 2 * unit


def read_transposed(lines: list[str], place: int) -> tuple[PrintedReport, int] | None:
    """Read a table with one figure of every class per line; return it with the line after it, or None."""
    first = _row(lines[place])
    if first is None or kind_of(first[0]) not in FIELDS or len(first[1]) < 2:
        return None
    width, named, end = len(first[1]), dict[str, list[str]](), place
    for number in range(place, len(lines)):
        if not lines[number].strip() and not lines[number - 1].strip():
            break
        row = _row(lines[number])
        if row is not None and len(row[1]) == width:
            named.setdefault(*row)
            end = number + 1
    rows: dict[str, list[str]] = {}
    is_pycm = {"PPV", "TPR"} <= named.keys()
    for name, cells in named.items():
        kind = PYCM.get(name) if is_pycm else kind_of(name)
        if kind in FIELDS:
            rows.setdefault(kind, cells)
    if len(rows.keys() & set(RATIOS)) < 2 and not set(ERRORS) <= rows.keys():
        return None
    report = PrintedReport("table with one column per class", place)
    columns = [
        (
            label,
            {kind: figure for kind, cells in rows.items() if (figure := printed.figure_of(cells[column])) is not None},
        )
        for column, label in enumerate(_column_names(lines, place, width))
    ]
    for (label, figures), role in zip(columns, printed.roles_of(columns), strict=True):
        report.add_row(label, role, figures)
    return report, end


def _row(line: str) -> tuple[str, list[str]] | None:
    if not line.strip() or printed.is_rule(line):
        return None
    listed, separator = _LISTED.match(line), printed.separator_of(line)
    if listed is not None:
        name = listed["name"]
        cells = [cell.rstrip(".") for cell in re.split(r"[\s,]+", listed["cells"].strip(" \t,"))]
    elif separator != "spaces":
        name, *cells = printed.cells_of(line, separator)
        while len(cells) > 2 and not printed.holds_figure(cells[-1]):
            cells.pop()  # a description behind the figures
        if not all(map(printed.holds_figure, cells)):
            return None
    else:
        words = [word.text for word in printed.aligned(line)]
        start = len(words)
        while start > 1 and printed.holds_figure(words[start - 1]):
            start -= 1
        name, cells = " ".join(words[:start]), words[start:]
    name = printed.label_of(name)
    return (name, cells) if kind_of(name) is not None and cells else None


def _column_names(lines: list[str], place: int, width: int) -> list[str]:
    """Find the names of the columns above the table; numbers if there are none."""
    just_above = True
    names: list[str] | None = None
    for line in reversed(lines[max(0, place - _FAR + 1) : place]):
        if not line.strip() or printed.is_rule(line):
            if names is not None and not line.strip():
                break
            just_above &= not line.strip()
            continue
        separator = printed.separator_of(line)
        if separator != "spaces":
            if len(cells := printed.cells_of(line, separator)) >= width:
                start = 1 if len(cells) == len(printed.cells_of(lines[place], separator)) else len(cells) - width
                found = [printed.label_of(cell) for cell in cells[start : start + width]]
                names = found if names is None or all(found) else names
            continue  # the first line of the table has the names
        if names is not None:
            break
        if line.count("Class:") == width:
            return [part.strip() for part in line.split("Class:")[1:]]
        plain = _LABELLED.sub("", line, count=1)
        for words in (re.split(r"\s{2,}", plain.strip()), plain.split()):
            if len(words) == width and (plain != line or just_above):
                return words
        just_above = False
    return names or _numbered(width)


def _numbered(width: int) -> list[str]:
    return [f"class {number}" for number in range(1, width + 1)]


def bracketed(text: str) -> list[tuple[PrintedReport, int, int]]:
    """Find matrices in brackets: those that the text calls a confusion matrix, or that are the entire text."""
    found = []
    for match in _BRACKETS.finditer(text):
        cells = [re.findall(r"\d+(?:\.0*)?", row) for row in re.findall(r"\[([^\[\]]+)\]", match[0])]
        # "Confusion matrix:" just before it; a call in source code ends with its arguments.
        before = re.sub(r"\s*(?:array|tensor)?\(?$", "", text[max(0, match.start() - 200) : match.start()])
        alone = not re.sub(r"array|np\.|[\s()=]|dtype\w*", "", text[: match.start()] + text[match.end() :])
        if _square(cells) and (alone or _TITLE.search(before)):
            line = text.count("\n", 0, match.start())
            found.append((_matrix_report(cells, None, line), match.start(), match.end()))
    return found


def lined_up(lines: list[str], place: int) -> tuple[PrintedReport, int] | None:
    """Read a square of integers that begins at a line, if a line just above names a confusion matrix."""
    if not _COUNTS.search(lines[place]) or not any(map(_NAMED.search, lines[max(0, place - 4) : place])):
        return None
    first = _counts(lines[place])
    if first is None:
        return None
    names, cells = [first[0]], [first[1]]
    for line in lines[place + 1 : place + _MOST_CLASSES]:
        row = _counts(line)
        if row is None or len(row[1]) != len(first[1]):
            break
        names.append(row[0])
        cells.append(row[1])
    if not _square(cells):
        return None
    labels = names if all(names) and len(set(names)) == len(names) else None
    return _matrix_report(cells, labels, place), place + len(cells)


def _counts(line: str) -> tuple[str, list[str]] | None:
    """Split a row into its label, before the counts or after a bar, and the counts."""
    body, bar, behind = line.partition("|")
    if bar and re.search(r"\d", behind.split("=")[0]) and not re.search(r"\d", body):
        body, behind = behind, body
    words = body.split()
    start = next((place for place, word in enumerate(words) if all(map(str.isdecimal, words[place:]))), len(words))
    counts = words[start:]
    if len(counts) < 2:
        return None
    return behind.partition("=")[2].strip() or " ".join(words[:start]), counts


def _square(cells: list[list[str]]) -> bool:
    n = len(cells)
    return 2 <= n <= _MOST_CLASSES and all(len(row) == n and max(map(len, row)) <= _LONGEST_COUNT for row in cells)


def _matrix_report(cells: list[list[str]], labels: list[str] | None, line: int) -> PrintedReport:
    """Return a matrix as a report of counts, with its rows taken as gold labels."""
    matrix = [[int(cell.partition(".")[0]) for cell in row] for row in cells]
    report = PrintedReport("confusion matrix", line, n_classes=len(matrix), matrix=matrix)
    report.remarks.append("rows of the matrix are assumed to be gold labels, which changes neither macro F1")
    report.classes = [
        PrintedClass(
            labels[place] if labels else str(place),
            {
                "tp": str(row[place]),
                "fp": str(sum(other[place] for other in matrix) - row[place]),
                "fn": str(sum(row) - row[place]),
            },
        )
        for place, row in enumerate(matrix)
    ]
    return report
