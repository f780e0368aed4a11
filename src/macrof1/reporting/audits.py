"""Audits of published figures in every output format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, Literal, TypeAlias, get_args

from macrof1.auditing.audit_results import AuditFinding, AuditResult, Verdict
from macrof1.auditing.audited_tables import AuditRow, AuditTableResult
from macrof1.auditing.audited_texts import AuditTextResult
from macrof1.convention import FORMULA_NAMES
from macrof1.errors import InputError, MissingExtraError, counted
from macrof1.labels import label_text
from macrof1.message import Message
from macrof1.reporting.lines import listed, paragraphs, printable, text_width, wrapped
from macrof1.reporting.table import AS_CSV, Table, json_text, latex_text, markdown_text

Audited: TypeAlias = AuditResult | AuditTableResult | AuditTextResult
AuditFormat: TypeAlias = Literal["text", "json", "csv", "markdown", "latex", "html"]

VERDICTS: dict[str, str] = {**dict(FORMULA_NAMES.items()), "either": "either", "neither": "neither"}
_MEANT: dict[Verdict, str] = {
    "averaged_f1": "averaged F1",
    "f1_of_averages": "F1 of averages",
    "either": "cannot be told",
    "neither": "neither",
}
_MOST_ROWS = 60
# More digits than any figure has.
_DIGITS = Context(prec=99)


def render_audit(result: Audited, output: AuditFormat = "text") -> str:
    """Print an audit of a report, a table or a text as text, JSON, CSV, Markdown, LaTeX or HTML."""
    if output == "json":
        return json_text(result.to_dict())
    if output == "html":
        return audit_page(result)
    if isinstance(result, AuditTextResult):
        return _text_report(result, output)
    rows = result.rows if isinstance(result, AuditTableResult) else (AuditRow(name="", result=result),)
    if output == "csv":
        return _csv(rows, named=isinstance(result, AuditTableResult))
    if output not in get_args(AuditFormat):
        raise InputError.unknown_value("format", output, get_args(AuditFormat))
    if isinstance(result, AuditTableResult):
        return _table_report(result, output)
    return _single_report(result, output)


def _text_report(result: AuditTextResult, output: AuditFormat) -> str:
    """Print the reports in a text: a single one in full, several as a table."""
    if output == "csv":
        return _csv((AuditRow(name=each.name, result=each.result) for each in result.reports), named=True)
    if len(result.reports) == 1:
        (report,) = result.reports
        return "\n\n".join([printable(f"Read as: {report.read_as}"), _single_report(report.result, output)])
    table, findings = _reports_table(result), _told(result)
    if output == "latex":
        return table.to_latex(caption=latex_text(_summary(result)), notes=findings)
    shown = table.to_markdown() if output == "markdown" else table.to_text()
    return "\n\n".join([shown, _summary(result) if output == "markdown" else wrapped(_summary(result))])


def _told(result: AuditTextResult) -> list[str]:
    return [f"{report.name}: {finding.message}" for report in result.reports for finding in report.result.findings]


def _reports_table(result: AuditTextResult) -> Table:
    """Return one line per report: how it was read, and its verdict."""
    lines = []
    for report in result.reports:
        finding = report.result.findings[0].message if report.result.findings else ""
        what = report.result.definition or _MEANT[report.result.verdict]
        lines.append([report.name, report.read_as, what, report.result.published or "–", finding])
    return Table(["name", "read as", "macro F1 is", "published", "finding"], lines, n_text=3, sentences=4)


def _summary(result: AuditTextResult) -> str:
    """Count the reports by verdict."""
    verdicts = Counter(report.result.verdict for report in result.reports)
    verdicts_listed = ", ".join(f"{_MEANT[name]} {verdicts[name]:,}" for name in _MEANT if verdicts[name])
    wrong = sum(bool(report.result.findings) for report in result.reports)
    also = f" {counted(wrong, 'report')} cannot be true as printed." if wrong else ""
    return f"{counted(len(result.reports), 'report')}: {verdicts_listed}.{also}"


def audit_notes(result: Audited) -> list[str]:
    """Return what is printed below the figures and has no column in CSV."""
    if isinstance(result, AuditTextResult):
        return [f"{report.name}: {note}" for report in result.reports for note in report.result.notes]
    if isinstance(result, AuditTableResult):
        return [*result.summary.sentences, *_untested(result), *result.notes]
    return [*(f"Not tested: {gap}." for gap in result.not_tested), *result.notes]


def range_text(result: AuditResult, formula: str) -> str:
    """Print a formula's value in the format of the figures; a range gets one more decimal, rounded outwards."""
    interval = getattr(result, formula)
    if interval is None:
        return "–"
    # Use the shortest digits: rounding the exact binary value outwards would add a unit.
    low, high = (Decimal(repr(value)) * (100 if result.percent else 1) for value in interval)
    ends = [f"{value * (100 if result.percent else 1):.{result.decimals}f}" for value in interval]
    if low == high or ends[0] == ends[1]:
        return ends[0]
    step = Decimal(1).scaleb(-result.decimals - 1)
    return f"{low.quantize(step, ROUND_FLOOR, _DIGITS):f}–{high.quantize(step, ROUND_CEILING, _DIGITS):f}"


def _counts_table(result: AuditResult) -> Table | None:
    counts = result.counts
    if counts is None:
        return None
    columns = (counts.labels, counts.actual, counts.predicted, counts.tp)
    rows = [[label_text(label), *(f"{value:,}" for value in values)] for label, *values in zip(*columns, strict=True)]
    return Table(["class", "gold", "predicted", "correct"], rows)


def _facts(result: AuditResult) -> list[tuple[str, str]]:
    found = [("verdict", VERDICTS[result.verdict])]
    if result.definition is not None:
        found.append(("definition", result.definition))
    if result.published is not None:
        found.append(("published", result.published))
    found += [(name, range_text(result, formula)) for formula, name in FORMULA_NAMES.items()]
    if result.other is not None:
        found.append(("the other formula", result.other))
    if result.n_solutions is not None:
        found.append(("counts that fit", f"{result.n_solutions:,}"))
    return found


def _single_report(result: AuditResult, output: str) -> str:
    table = Table(["", "value"], [list(fact) for fact in _facts(result)], n_text=2)
    sentences = [result.reason, *(f"Cannot be true: {finding.message}" for finding in result.findings)]
    sentences += audit_notes(result)
    counts = _counts_table(result)
    if output == "text":
        parts = [listed(_facts(result)), paragraphs(sentences)]
        return "\n\n".join([*parts, *([counts.to_text()] if counts else [])])
    if output == "markdown":
        parts = [table.to_markdown(), *map(markdown_text, sentences)]
        return "\n\n".join([*parts, *([counts.to_markdown()] if counts else [])])
    first = 1 + len(result.findings)
    return table.to_latex(caption=latex_text(" ".join(sentences[:first])), notes=sentences[first:])


def _csv(rows: Iterable[AuditRow], *, named: bool) -> str:
    """Print one line per report; ranges are in the unit of the published figures, stated in a column."""
    ends = [f"{formula}_{end}" for formula in FORMULA_NAMES for end in ("low", "high")]
    ranks = [f"rank_{formula}_{end}" for formula in FORMULA_NAMES for end in ("best", "worst")] if named else []
    header = [*(["name"] if named else []), "verdict", "unit", "published", *ends, "other", *ranks]
    header += ["n_solutions", "figure", "correction", "finding", "reason"]
    lines = [["" if field is None else str(field) for field in _csv_fields(row, named=named)] for row in rows]
    return Table(header, lines).to_csv()


def _csv_fields(row: AuditRow, *, named: bool) -> list[Any]:
    result, finding = row.result, row.result.findings[0] if row.result.findings else None
    fields: list[Any] = [*([row.name] if named else []), result.verdict]
    fields += ["percent" if result.percent else "fraction", result.published]
    for formula in FORMULA_NAMES:
        interval = getattr(result, formula)
        fields += [None, None] if interval is None else [_in_unit(result, end) for end in interval]
    fields.append(result.other)
    if named:
        fields += [end for formula in FORMULA_NAMES for end in getattr(row, f"rank_{formula}") or (None, None)]
    figure, correction, message = (finding.figure, finding.correction, finding.message) if finding else (None,) * 3
    return [*fields, result.n_solutions, figure, correction, message, result.reason]


def _in_unit(result: AuditResult, value: float) -> float:
    """Return a value in the unit of the figures, without the rounding noise of the product."""
    return round(100 * value, 12) if result.percent else value


def _rank(rank: tuple[int, int] | None) -> str:
    if rank is None:
        return "–"
    return str(rank[0]) if rank[0] == rank[1] else f"{rank[0]}–{rank[1]}"


def _fix(finding: AuditFinding) -> str:
    """Describe a correction briefly enough for a table cell, and say if it is not the only one."""
    if finding.figure is None:
        return "figures contradict each other"
    more = len(finding.alternatives)
    return f"{finding.figure} → {finding.correction or '?'}" + (
        f", or one of {more} others" if more > 1 else ", or one other" if more else ""
    )


def _rows_table(rows: Iterable[AuditRow]) -> Table:
    # Each formula's rank comes right after its score.
    header = ["name", "verdict", "published", "averaged F1", "rank", "F1 of averages", "rank", "finding"]
    lines = [
        [
            row.name,
            VERDICTS[row.result.verdict],
            row.result.published or "–",
            range_text(row.result, "averaged_f1"),
            _rank(row.rank_averaged_f1),
            range_text(row.result, "f1_of_averages"),
            _rank(row.rank_f1_of_averages),
            "".join(map(_fix, row.result.findings[:1])),
        ]
        for row in rows
    ]
    return Table(header, lines, n_text=2, sentences=len(header) - 1)


def _text_tables(rows: list[AuditRow]) -> str:
    """Print the table; if the terminal is too narrow, scores and ranks as separate tables."""
    table = _rows_table(rows)
    if table.text_width() <= text_width():
        return table.to_text()
    header = [*table.header[:4], table.header[5]]
    scores = Table(header, [[*row[:4], row[5]] for row in table.rows], n_text=2)
    header = ["name", "rank by averaged F1", "rank by F1 of averages", "finding"]
    ranks = Table(header, [[row[0], row[4], row[6], row[7]] for row in table.rows], sentences=3)
    return "\n\n".join([scores.to_text(), ranks.to_text()])


def _untested(result: AuditTableResult) -> list[str]:
    """List what was not tested, with the number of rows."""
    found = Counter(gap for row in result.rows for gap in row.result.not_tested)
    total = counted(len(result.rows), "row")
    return [f"Not tested in {n:,} of {total}: {gap}." for gap, n in found.items()]


def _table_report(result: AuditTableResult, output: str) -> str:
    shown, hidden = list(result.rows), 0
    if output == "text" and len(shown) > _MOST_ROWS:
        # Rows that need attention come first, otherwise in their own order.
        usual = result.summary.formula
        order = sorted(
            range(len(shown)),
            key=lambda place: (not shown[place].result.findings, shown[place].result.verdict == usual),
        )
        hidden = len(shown) - _MOST_ROWS
        shown = [shown[place] for place in sorted(order[:_MOST_ROWS])]
    findings = [f"{name}: {message}" for name, message in result.findings]
    sentences = audit_notes(result)
    if output == "latex":
        small_print = [*findings, *_untested(result), *result.notes]
        caption = latex_text(" ".join(result.summary.sentences))
        return _rows_table(shown).to_latex(caption=caption, notes=small_print)
    if output == "markdown":
        items = "\n".join(f"- {markdown_text(finding)}" for finding in findings)
        said = "\n".join(map(markdown_text, sentences))
        return "\n\n".join([_rows_table(shown).to_markdown(), *([items] if items else []), said])
    text = _text_tables(shown)
    if hidden:
        text += "\n" + Message(f"… and {counted(hidden, 'row')} (all of them with ", AS_CSV, ")")
    shown_findings = findings[:_MOST_ROWS]
    if len(findings) > _MOST_ROWS:
        more = counted(len(findings) - _MOST_ROWS, "finding", "findings")
        shown_findings.append(Message(f"… and {more} (all of them with ", AS_CSV, ")"))
    parts = [text, paragraphs(shown_findings), paragraphs(sentences)]
    return "\n\n".join(part for part in parts if part)


def audit_page(result: Audited, *, command: str | None = None) -> str:
    """Return a self-contained HTML page, with a chart of the two formulas if the charts extra is installed."""
    from macrof1.reporting.page import Page

    page = Page("Audit of published macro F1s")
    if isinstance(result, AuditTextResult):
        page.text(_summary(result))
        page.table(_reports_table(result))
        page.section("What cannot be true", _told(result))
        return page.html(command=command)
    if isinstance(result, AuditResult):
        page.table(Table(["", "value"], [list(fact) for fact in _facts(result)], n_text=2))
        page.text(result.reason)
        page.section("What cannot be true", [finding.message for finding in result.findings])
        page.section("Not tested", result.not_tested)
        counts = _counts_table(result)
        if counts is not None:
            page.heading("Counts behind the figures")
            page.table(counts)
        page.section("Notes", result.notes)
        return page.html(command=command)
    page.text(*result.summary.sentences)
    page.section("What cannot be true", [f"{name}: {message}" for name, message in result.findings])
    _chart(page, result)
    page.heading("Rows")
    page.table(_rows_table(result.rows))
    page.section("Notes", [*_untested(result), *result.notes])
    return page.html(command=command)


def _chart(page: Any, result: AuditTableResult) -> None:
    from macrof1.reporting.charts.systems import formulas_chart

    rows = [row for row in result.rows if row.result.averaged_f1 is not None][:_MOST_ROWS]
    if not rows:
        return
    try:
        chart = formulas_chart(rows)
        page.heading("Both formulas")
        page.chart(chart, caption="What each formula gives, row by row; a line is the range that the figures leave.")
    except MissingExtraError as error:
        page.text(str(error))
