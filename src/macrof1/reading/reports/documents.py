"""From text to printed reports, in text order."""

from __future__ import annotations

import re

from macrof1.reading.reports.class_tables import read_header, read_table
from macrof1.reading.reports.dictionaries import nested_reports
from macrof1.reading.reports.embedded_matrices import bracketed, lined_up
from macrof1.reading.reports.odd_tables import one_line_table, read_transposed, unnamed_row
from macrof1.reading.reports.pairs import PairReader
from macrof1.reading.reports.plain_lines import notebook_outputs, plain_text
from macrof1.reading.reports.printed import PrintedReport
from macrof1.reading.reports.table_cells import is_rule
from macrof1.reading.reports.vocabulary import ERRORS, RATIOS

_LONGEST_NAME = 60


def read_reports(text: str) -> list[PrintedReport]:
    """Read every report in a text, or in the outputs of a notebook; the list may be empty."""
    outputs = notebook_outputs(text)
    if outputs is None:
        return _merged(_blocks(plain_text(text)))
    found = []
    for name, output in outputs:
        reports = _merged(_blocks(plain_text(output)))
        for number, report in enumerate(reports, 1):
            own = f"{name}, report {number}" if len(reports) > 1 else name
            report.name = f"{own}: {report.name}" if report.name else own
        found += reports
    return found


def _merged(blocks: list[PrintedReport]) -> list[PrintedReport]:
    """Join what belongs together: a table of classes and the averages that follow it."""
    merged: list[PrintedReport] = []
    for block in blocks:
        if merged and merged[-1].takes(block):
            merged[-1].take(block)
        else:
            merged.append(block)
    return [report for report in _with_averages_above(merged) if _is_report(report)]


def _with_averages_above(reports: list[PrintedReport]) -> list[PrintedReport]:
    """Join averages with the classes below them, if those have no averages of their own."""
    found: list[PrintedReport] = []
    for report in reports:
        above = found[-1] if found else None
        if above is not None and above.macro and not above.classes and report.classes and report.repeats(above):
            above.take(report)
        else:
            found.append(report)
    return found


def _is_report(report: PrintedReport) -> bool:
    """Whether there is anything to audit: a macro F1, or figures of several classes."""
    telling = [row for row in report.classes if not {*RATIOS, *ERRORS}.isdisjoint(row.figures)]
    return "f1" in report.macro or len(telling) > 1


def _blocks(text: str) -> list[PrintedReport]:
    """Read dictionaries and matrices in brackets first, then the lines between them."""
    found: list[PrintedReport] = []
    rest = list(text)
    for report, start, end in [*nested_reports(text), *bracketed(text)]:
        found.append(report)
        rest[start:end] = [mark if mark == "\n" else "" for mark in rest[start:end]]
        rest[start] = rest[start] or " "
    return sorted([*found, *_line_blocks("".join(rest).splitlines())], key=lambda report: report.line)


def _line_blocks(lines: list[str]) -> list[PrintedReport]:
    """Read lines as tables and as key-value lines."""
    found: list[PrintedReport] = []
    context = "\n".join(lines)
    pairs, place = PairReader(context), 0
    while place < len(lines):
        table = _table(lines, place) if lines[place].strip() else None
        if table is not None:
            found += pairs.reports()
            name = _name(lines, place)
            reports, place = table
            for report in reports:
                report.name = report.name or name
            found += reports
            pairs = PairReader(context)
            continue
        if not pairs.read(lines[place], place):
            row = unnamed_row(lines[place], context) or one_line_table(lines[place])
            if row is not None:
                row.line = place
                found.append(row)
        place += 1
    return found + pairs.reports()


def _name(lines: list[str], place: int) -> str | None:
    """Return the heading just above a table."""
    near = [line for line in lines[max(0, place - 3) : place] if line.strip() and not is_rule(line)]
    above = [name for line in near if (name := line.strip(" \t#*:=-`~"))]
    fits = above and len(above[-1]) <= _LONGEST_NAME and not re.search(r"\d[.,]\d", above[-1])
    return above[-1] if fits else None


def _table(lines: list[str], place: int) -> tuple[list[PrintedReport], int] | None:
    """Read the table that begins at a line, and return it with the line after it; None if there is no table."""
    header = read_header(lines[place])
    if header is not None:
        reports, after = read_table(lines, place, header)
        if reports:
            return reports, after
    found = read_transposed(lines, place) or lined_up(lines, place)
    return None if found is None else ([found[0]], found[1])
