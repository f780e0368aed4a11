"""Confusion matrices in the middle of text, as NumPy, pandas, Weka, DL4J and PyCM print them."""

from __future__ import annotations

import re

from macrof1.reading.reports.printed import PrintedClass, PrintedReport

_BRACKETS = re.compile(r"\[\s*\[[\d\s.,\[\]]*\]\s*\]")
_NAMED = re.compile(r"confusion|classified as|predict", re.IGNORECASE)
_TITLE = re.compile(r"confusion[ _-]?matrix\W*$", re.IGNORECASE)
_COUNTS = re.compile(r"\d\s+\d")
_MOST_CLASSES = 500
_LONGEST_COUNT = 30


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
    first = _cells(lines[place])
    if first is None:
        return None
    names, cells = [first[0]], [first[1]]
    for line in lines[place + 1 : place + _MOST_CLASSES]:
        row = _cells(line)
        if row is None or len(row[1]) != len(first[1]):
            break
        names.append(row[0])
        cells.append(row[1])
    if not _square(cells):
        return None
    labels = names if all(names) and len(set(names)) == len(names) else None
    return _matrix_report(cells, labels, place), place + len(cells)


def _cells(line: str) -> tuple[str, list[str]] | None:
    """Split a row into its label, before the counts or after a bar, and the counts."""
    body, bar, behind = line.partition("|")
    if bar and re.search(r"\d", behind.split("=")[0]) and not re.search(r"\d", body):
        body, behind = behind, body
    words = body.split()
    start = next((place for place, word in enumerate(words) if all(map(str.isdecimal, words[place:]))), len(words))
    counts = words[start:]
    if len(counts) < 2:
        return None
    label = behind.partition("=")[2].strip() or " ".join(words[:start])
    return label, counts


def _square(cells: list[list[str]]) -> bool:
    """Whether cells are a matrix of counts, none of them too long for a number."""
    return 2 <= len(cells) <= _MOST_CLASSES and all(
        len(row) == len(cells) and max(map(len, row)) <= _LONGEST_COUNT for row in cells
    )


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
