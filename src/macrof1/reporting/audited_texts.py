"""Audits of printed reports: how each was read, and what it proves."""

from __future__ import annotations

from collections import Counter

from macrof1.auditing.result import Verdict
from macrof1.auditing.table import AuditRow
from macrof1.auditing.text import AuditedReport, AuditTextResult
from macrof1.errors import counted
from macrof1.reporting.lines import printable
from macrof1.reporting.table import Table

VERDICT_WORDS: dict[Verdict, str] = {
    "averaged_f1": "averaged F1",
    "f1_of_averages": "F1 of averages",
    "either": "cannot be told",
    "neither": "neither",
}


def rows_of(result: AuditTextResult) -> tuple[AuditRow, ...]:
    """Return the reports as table rows."""
    return tuple(AuditRow(name=report.name, result=report.result) for report in result.reports)


def reports_table(result: AuditTextResult) -> Table:
    """Return one line per report: how it was read, and its verdict."""
    lines = []
    for report in result.reports:
        finding = report.result.findings[0].message if report.result.findings else ""
        what = report.result.definition or VERDICT_WORDS[report.result.verdict]
        lines.append([report.name, report.read_as, what, report.result.published or "–", finding])
    return Table(["name", "read as", "macro F1 is", "published", "finding"], lines, n_text=3, sentences=4)


def summary(result: AuditTextResult) -> str:
    """Count the reports by verdict."""
    verdicts = Counter(report.result.verdict for report in result.reports)
    listed = ", ".join(f"{VERDICT_WORDS[name]} {verdicts[name]:,}" for name in VERDICT_WORDS if verdicts[name])
    wrong = sum(bool(report.result.findings) for report in result.reports)
    also = f" {counted(wrong, 'report')} cannot be true as printed." if wrong else ""
    return f"{counted(len(result.reports), 'report')}: {listed}.{also}"


def read_line(report: AuditedReport) -> str:
    """Say how a report was read."""
    return printable(f"Read as: {report.read_as}")
