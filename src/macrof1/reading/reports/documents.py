"""From a document to its printed reports, in text order: sections, tables, dictionaries, key-value lines, prose.

Figures belong together only if the layout says so: they are in one table, or next to each other in one section, with
nothing of their kind between them. In doubt they are separate reports.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_left, bisect_right
from typing import NamedTuple

from macrof1.errors import InputError
from macrof1.reading.reports.class_tables import read_header, read_table
from macrof1.reading.reports.dictionaries import nested_reports
from macrof1.reading.reports.odd_tables import bracketed, lined_up, one_line_table, read_transposed, unnamed_row
from macrof1.reading.reports.pairs import PairReader
from macrof1.reading.reports.plain_lines import notebook_outputs, plain_text
from macrof1.reading.reports.printed import PrintedReport, is_rule
from macrof1.reading.reports.vocabulary import ERRORS, RATIOS, is_neutral, may_name_figures, role_of

_LONGEST_NAME, _LONGEST_HEADING, _MOST_WORDS = 60, 120, 8
_MARKED = re.compile(
    r"#{1,6}\s+\S|\\(?:chapter|(?:sub)*section|paragraph|caption|begin\{(?:table|figure|longtable|tabular))"
    r"|([=*~#─-])\1+\s*[^\W\d_].*"
)
_FIGURE = re.compile(r"\d[.,]\d|\d\s?%")
_RUNS = re.compile(
    r"averag\w+ (?:over|across)|averag\w+ of \d|means? (?:over|of|across)|\bfolds\b|-fold\b|\d fold\b|cross[- ]?valid"
    r"|\bcv\b|±|\+/-|\\pm\b|\bbootstrap",
    re.IGNORECASE,
)
# "Runs" does not tell: each may have had a test set of its own.
_SEEDS = re.compile(r"\b(?:seeds?|restarts|initiali[sz]ations)\b", re.IGNORECASE)
_PARTS = re.compile(
    r"fold|cross|\bcv\b|split|partition|sampl|bootstrap|group|languages|domains|data ?sets|corpora|documents|subjects",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?:[^\s|&,;]+[,;]? ){12,}[^\s|&,;]+\.")  # too many words for a header
_NEAR = 3
_SOME, _TAIL = 100, 2_000
SECONDS = 1.0  # how much processor time the lines of one text may take


class Document(NamedTuple):
    """The reports of a text, and what looks like figures and was left aside: its line, 0 if unknown, and why."""

    reports: list[PrintedReport]
    left_aside: list[tuple[int, str]]


def read_reports(text: str) -> list[PrintedReport]:
    """Read every report in a text, or in the outputs of a notebook; the list may be empty."""
    return read_document(text).reports


def read_document(text: str) -> Document:
    """Read every report in a text or a notebook; reject a text if all that looks like a report is damaged."""
    outputs = notebook_outputs(text)
    document = Document([], [])
    errors: list[InputError] = []
    if outputs is None:
        _read(text, document, errors)
    for name, output in outputs or ():
        inner = Document([], [])
        _read(output, inner, errors)
        for number, report in enumerate(inner.reports, 1):
            own = f"{name}, report {number}" if len(inner.reports) > 1 else name
            report.name = f"{own}: {report.name}" if report.name else own
        document.reports.extend(inner.reports)
        document.left_aside.extend((line, f"{name}: {reason}") for line, reason in inner.left_aside)
    if errors and not document.reports:
        raise errors[0]
    return document


def _read(text: str, document: Document, errors: list[InputError]) -> None:
    text = plain_text(text)
    found: list[PrintedReport] = []
    rest = list(text)
    # Dictionaries and matrices in brackets first, then the lines between them.
    for report, start, end in [*nested_reports(text, errors), *bracketed(text)]:
        report.end = report.line + text.count("\n", start, end) + 1
        found.append(report)
        rest[start:end] = [mark if mark == "\n" else "" for mark in rest[start:end]]
        rest[start] = rest[start] or " "
    lines = "".join(rest).splitlines()
    breaks = [number for number, line in enumerate(lines) if line.strip() and _separates(lines, number)]
    found += _line_blocks(lines, breaks, errors, document.left_aside)
    blocks = sorted(found, key=lambda report: report.line)
    document.left_aside.extend((0, str(error)) for error in errors)
    # Lines that speak of runs: a table of thousands of rows is thousands of reports, so each line is looked at once.
    runs = [number for number, line in enumerate(lines) if _RUNS.search(line)] if blocks else []
    for report in _merged(blocks, breaks):
        telling = [row for row in report.classes if not {*RATIOS, *ERRORS}.isdisjoint(row.figures)]
        if "f1" in report.macro or len(telling) > 1:
            # The heading of the section, the lines just above, and the report itself may speak of runs.
            above = [at for at in range(max(0, report.line - 2 * _NEAR), report.line) if lines[at].strip()][-_NEAR:]
            heading = breaks[: bisect_right(breaks, report.line)][-1:]
            after = range(report.end, min(report.end + _NEAR, len(lines)))
            behind = [at for at in after if "caption" in lines[at]]
            inside = runs[bisect_left(runs, report.line) :][:1]
            around = [at for at in (*heading, *above, *behind) if at in runs] + [at for at in inside if at < report.end]
            said = " ".join([*(lines[at] for at in around), report.name or ""])
            if report.of_runs is None and _RUNS.search(said):
                report.of_runs = "seeds" if _SEEDS.search(said) and not _PARTS.search(said) else True
            document.reports.append(report)
        elif report.macro or len(telling) == 1:
            reason = "only one class" if telling else "macro averages without F1"
            document.left_aside.append((report.line + 1, f"{report.source}: {reason}"))


def _separates(lines: list[str], number: int) -> bool:
    """Whether a line is a heading that begins another section; one such as "Per-class results" does not."""
    plain = lines[number].strip()
    if len(plain) > _LONGEST_HEADING or is_rule(plain):
        return bool(_MARKED.match(plain)) and plain.startswith("\\")
    if _MARKED.match(plain):
        return plain.startswith("\\") or not is_neutral(plain)
    if _FIGURE.search(plain) or plain.startswith(("|", "-", "{", "}", "[", "(", "`", ">", "$", "<")):
        return False
    words = plain.rstrip(":").split()
    near = [*lines[max(0, number - 1) : number], *lines[number + 1 : number + 2]]
    ruled = any(is_rule(line) and "|" not in line for line in near)
    alone = number == 0 or not lines[number - 1].strip()
    if not (ruled or alone) or not 1 <= len(words) <= _MOST_WORDS or plain.endswith((".", ",", ";")):
        return False
    if "=" in plain or "\t" in plain or re.search(r"\S\s{3,}\S|:\s*\S|^[\W\d_]+$", plain):
        return False
    return not is_neutral(plain)


def _merged(blocks: list[PrintedReport], breaks: list[int]) -> list[PrintedReport]:
    merged: list[PrintedReport] = []
    above = [block for block in blocks if block.macro and not block.classes]
    classes = [block for block in blocks if block.classes]
    # Averages stand above their classes if the first of them does, and every table has some above it.
    above_first = bool(above and classes) and above[0].line < classes[0].line
    for block in blocks:
        last = merged[-1] if merged else None
        if last is None or last.in_prose or block.in_prose or any(last.end <= at < block.line for at in breaks):
            merged.append(block)  # a heading stands between them
        elif (last.takes(block) and not (above_first and last.classes and block in above)) or (
            last.macro and not last.classes and block.classes and block.repeats(last)
        ):
            last.take(block)
        else:
            merged.append(block)
    return merged


def _line_blocks(
    lines: list[str], breaks: list[int], errors: list[InputError], left_aside: list[tuple[int, str]]
) -> list[PrintedReport]:
    """Read lines as tables and as key-value lines; of a text that takes too long, the beginning and the end."""
    found: list[PrintedReport] = []
    headings, deadline = set(breaks), time.process_time() + SECONDS
    pairs, place = PairReader.of(lines), 0
    while place < len(lines):
        if place % _SOME == 0 and len(lines) - place > _TAIL and time.process_time() > deadline:
            # A log has its report at the end.
            left_aside.append((place + 1, f"no time left to read the lines up to {len(lines) - _TAIL:,}"))
            place = len(lines) - _TAIL
        line = lines[place]
        is_header, named = may_name_figures(line)
        is_header = is_header and not _SENTENCE.fullmatch(line)
        table = _table(lines, place, is_header, errors) if line.strip() else None
        if table is not None:
            found += pairs.reports()
            near = [line for line in lines[max(0, place - _NEAR) : place] if line.strip() and not is_rule(line)]
            above = [words for line in near if (words := line.strip(" \t#*:=-`~"))]
            fits = above and len(above[-1]) <= _LONGEST_NAME and not re.search(r"\d[.,]\d", above[-1])
            name = above[-1] if fits else None
            reports, place = table
            for report in reports:
                report.name = report.name or name
                report.end = report.end or place
                found += _by_caption(report)
            pairs = PairReader(pairs.says_macro, pairs.few_rows)
            continue
        if place in headings:
            pairs.section_ends()
        if not pairs.read(line, place, named=named):
            row = unnamed_row(line, alone=pairs.few_rows) or (one_line_table(line) if named else None)
            if row is not None:
                row.line, row.end = place, place + 1
                found.append(row)
        place += 1
    return found + pairs.reports()


def _by_caption(report: PrintedReport) -> list[PrintedReport]:
    """Return a table whose heading names an average, as in "macro average measures", as one report per row."""
    role = role_of(report.name or "")
    if role not in ("macro", "micro", "weighted") or report.averages or report.labelled or not report.classes:
        return [report]
    return [
        PrintedReport(report.source, report.line, row.label, averages={role: row.figures}, end=report.end)
        for row in report.classes
    ]


def _table(
    lines: list[str], place: int, is_header: bool, errors: list[InputError]
) -> tuple[list[PrintedReport], int] | None:
    """Read the table that begins at a line, which may be its header, and return it with the line after it, or None."""
    header = read_header(lines[place]) if is_header else None
    if header is not None:
        try:
            reports, after = read_table(lines, place, header)
        except InputError as error:
            errors.append(error)
            after = place + 1
            while after < len(lines) and (not lines[after].strip() or len(_FIGURE.findall(lines[after])) > 1):
                after += 1
            return [], after
        if reports:
            return reports, after
    found = (read_transposed(lines, place) if is_header else None) or lined_up(lines, place)
    return None if found is None else ([found[0]], found[1])
