"""`mf1 audit`: which macro F1 was published, and whether the figures are consistent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from macrof1.cli.parsing import Given
from macrof1.cli.printing import print_document
from macrof1.cli.progress import progress_bar
from macrof1.errors import InputError

if TYPE_CHECKING:
    from macrof1.auditing.audit_results import AuditResult
    from macrof1.auditing.audited_tables import AuditTableResult
    from macrof1.auditing.audited_texts import AuditTextResult


def audit(given: Given) -> None:
    """Tell which macro F1 was published, and which figures cannot be true together: a proof, or "either".

    - `mf1 audit --precision 0.2937 --recall 0.2283 --f1 0.2095`: one report
    - `mf1 audit --f1 0.86 --per-class cat=1.00/0.50/0.67 --per-class dog=0.67/1.00/0.80`: with figures of the classes
    - `mf1 audit report.txt`, or a notebook, or - for standard input: what a tool printed
    - `mf1 audit leaderboard.csv --support offense=1202,other=2330`: a leaderboard
    """
    from macrof1.reading.leaderboards import named_values
    from macrof1.reporting.rendering import document

    named = ("n_classes", "percent", "decimals", "rounding", "task")
    options: dict[str, Any] = {
        "support": named_values(given["support"], "support", "cat=120,dog=80"),
        **{name: given[name] for name in named},
    }
    figures = {name: given[name] for name in ("precision", "recall", "f1", "accuracy", "correct", "total")}
    with progress_bar("auditing") as progress:
        result = (
            _file(given, {**options, "progress": progress}) if given.words else _one_report(given, figures, options)
        )
    print_document(given, document(result))


def _file(given: Given, options: dict[str, Any]) -> AuditTableResult | AuditTextResult:
    """Audit a leaderboard row by row, or every report in a text."""
    from macrof1.auditing.audited_tables import audit_table
    from macrof1.auditing.audited_texts import audit_text
    from macrof1.reading.files import binary_format, opened_file
    from macrof1.reading.leaderboards import is_delimited, named_values, parse_rows, rows_in
    from macrof1.reading.reports.documents import read_reports
    from macrof1.reading.tables import inspected, is_typed

    request = given.request()
    request.check("audit", "report", "published")
    roles = named_values(given["columns"], "columns", "macro_f1=F-Score,name=Team")
    only_tables = roles or options["support"] or options["n_classes"] or options["decimals"] is not None
    with opened_file(given.words[0]) as opened:
        typed = is_typed(opened)
        text = "" if binary_format(opened.start(8)) is not None else opened.text()
        is_table = only_tables or typed or is_delimited(text)
        if not is_table or (not only_tables and any(report.classes for report in read_reports(text))):
            request.check("audit", "report")
            return audit_text(text, percent=options["percent"], rounding=options["rounding"], task=options["task"])
        rows = rows_in(inspected(opened, True, None)) if typed else parse_rows(text, opened.name)
    return audit_table(rows, columns=roles, **options)


def _one_report(given: Given, figures: dict[str, Any], options: dict[str, Any]) -> AuditResult:
    from macrof1.auditing.audited_figures import audit as audit_figures
    from macrof1.reading.numbers import looks_missing

    per_class = given["per_class"] or ()
    if given["columns"] is not None:
        raise InputError("--columns needs a CSV or TSV file", argument="columns", given=given["columns"])
    if not per_class and all(figures[name] is None for name in ("precision", "recall", "f1")):
        raise InputError(
            "no figures given", expected="a table, or --precision, --recall and --f1 (mf1 audit --help shows more)"
        )
    for name, value in figures.items():
        if value is not None and looks_missing(value):
            raise InputError.bad_value(
                name, value, expected="a number such as 0.80", hint="leave it out if it is not known"
            )
    return audit_figures(**figures, per_class=_per_class(per_class), **options)


def _per_class(given: Sequence[str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for text in given:
        label, equals, values = text.rpartition("=")
        parts = [part.strip() for part in values.split("/")]
        if not equals or not label.strip() or len(parts) != 3 or label.strip() in found:
            raise InputError(
                f"--per-class {text!r}",
                argument="per_class",
                given=text,
                expected="CLASS=PRECISION/RECALL/F1 once per class, with - for a missing figure, such as "
                "cat=0.81/0.77/-",
            )
        found[label.strip()] = dict(zip(("precision", "recall", "f1"), parts, strict=True))
    return found
