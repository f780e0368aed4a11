"""Text -> printed reports, in the order in which they stand."""

from __future__ import annotations

from dataclasses import dataclass, field

from macrof1.reading.reports.nested import nested_reports
from macrof1.reading.reports.pairs import PairReader
from macrof1.reading.reports.printed import PrintedReport
from macrof1.reading.reports.tables import TableReader, read_header
from macrof1.reading.reports.unnamed import one_line_table, unnamed_row


def read_reports(text: str) -> list[PrintedReport]:
    """Read every report of a text; refuse a text without one."""
    merged: list[PrintedReport] = []
    for block in _blocks(text):
        if merged and merged[-1].takes(block):
            merged[-1].take(block)
        else:
            merged.append(block)
    return [report for report in merged if _is_report(report)]


def _is_report(report: PrintedReport) -> bool:
    """Whether there is anything to audit: a macro F1, or figures of several classes."""
    return "f1" in report.macro or len(report.classes) > 1 or report.matrix is not None


def _blocks(text: str) -> list[PrintedReport]:
    """Read dictionaries first, then the lines between them."""
    found: list[PrintedReport] = []
    rest, last = list(text), 0
    for report, start, end in nested_reports(text):
        found.append(report)
        for place in range(max(start, last), end):
            if rest[place] != "\n":
                rest[place] = " "
        last = max(last, end)
    return sorted([*found, *_Lines("".join(rest).splitlines()).blocks()], key=lambda report: report.line)


@dataclass(slots=True)
class _Lines:
    """The lines of a text, read as tables and as key-value lines."""

    lines: list[str]
    found: list[PrintedReport] = field(default_factory=list)

    def blocks(self) -> list[PrintedReport]:
        tables, context = TableReader(self.lines), "\n".join(self.lines)
        pairs, begun, place = PairReader(context), 0, 0
        while place < len(self.lines):
            line = self.lines[place]
            header = read_header(line) if line.strip() else None
            if header is not None:
                reports, after = tables.read(place, header)
                if reports:
                    self._keep(pairs, begun)
                    pairs, begun, place = PairReader(context), after, after
                    self.found += reports
                    continue
            if not pairs.read(line):
                self._unnamed(place, context)
            place += 1
        self._keep(pairs, begun)
        return self.found

    def _unnamed(self, place: int, context: str) -> None:
        line = self.lines[place]
        report = unnamed_row(line, context) or one_line_table(line)
        if report is not None:
            report.line = place
            self.found.append(report)

    def _keep(self, pairs: PairReader, line: int) -> None:
        report = pairs.report(line)
        if report is not None:
            self.found.append(report)
