"""`mf1 audit`: which macro F1 was published, and whether the figures are consistent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from macrof1.auditing.printed_figures import Rounding
from macrof1.cli.options import FormatOrPage, Html, NumberOfClasses
from macrof1.cli.printing import print_result, this_command, write_report
from macrof1.cli.progress import progress_bar
from macrof1.convention import Task
from macrof1.errors import InputError
from macrof1.message import Argument, Message

if TYPE_CHECKING:
    from macrof1.auditing.audit_results import AuditResult
    from macrof1.auditing.audited_tables import AuditTableResult
    from macrof1.auditing.audited_texts import AuditTextResult


def audit(
    file: Annotated[
        str | None,
        "Reports as tools print them: text, Markdown, LaTeX, HTML, JSON or a notebook; - for standard input. Or a "
        "leaderboard to audit row by row, CSV or TSV with a header, whose columns are found by their names "
        "(macro_f1, offense_precision, accuracy, …).",
    ] = None,
    /,
    *,
    precision: Annotated[str | None, "Macro precision, as printed: trailing zeros count."] = None,
    recall: Annotated[str | None, "Macro recall, as printed."] = None,
    f1: Annotated[str | None, "Macro F1, as printed."] = None,
    per_class: Annotated[
        list[str] | None,
        "Figures of one class, once per class: cat=0.81/0.77/0.79 for precision, recall and F1; - for one not given.",
    ] = None,
    support: Annotated[str | None, "Gold rows of each class: cat=120,dog=80."] = None,
    n_classes: NumberOfClasses = None,
    accuracy: Annotated[str | None, "Accuracy, as printed."] = None,
    correct: Annotated[str | None, "Number of correct rows."] = None,
    total: Annotated[str | None, "Number of rows."] = None,
    percent: Annotated[bool | None, "Whether the figures are percentages."] = None,
    decimals: Annotated[int | None, "How many decimals were printed, if trailing zeros were lost."] = None,
    rounding: Annotated[Rounding, "How figures were shortened: round, truncate or unknown."] = "round",
    task: Annotated[
        Task | None, "One label per row (multiclass) or several (multilabel); by default, as the figures tell."
    ] = None,
    columns: Annotated[str | None, "Which column of a leaderboard holds what: macro_f1=F-Score,name=Team."] = None,
    format: FormatOrPage = "text",
    html: Html = None,
) -> None:
    """Tell which macro F1 was published, and which figures cannot be true together: a proof, or "either".

    - `mf1 audit --precision 0.2937 --recall 0.2283 --f1 0.2095`: one report
    - `mf1 audit --f1 0.86 --per-class cat=1.00/0.50/0.67 --per-class dog=0.67/1.00/0.80`: with figures of the classes
    - `mf1 audit report.txt`, or a notebook, or - for standard input: what a tool printed
    - `mf1 audit leaderboard.csv --support offense=1202,other=2330`: a leaderboard
    """
    from macrof1.reading.leaderboards import named_values
    from macrof1.reporting.audits import audit_notes, audit_page, render_audit

    options: dict[str, Any] = {
        "support": named_values(support, "support", "cat=120,dog=80"),
        "n_classes": n_classes,
        "percent": percent,
        "decimals": decimals,
        "rounding": rounding,
        "task": task,
    }
    figures: dict[str, Any] = {"precision": precision, "recall": recall, "f1": f1}
    figures |= {"accuracy": accuracy, "correct": correct, "total": total}
    with progress_bar("auditing") as progress:
        result = (
            _one_report(figures, per_class or [], columns, options)
            if file is None
            else _file(file, {**figures, "per_class": per_class}, columns, {**options, "progress": progress})
        )
    if html is not None:
        write_report(html, audit_page(result, command=this_command()))
    print_result(render_audit(result, format), format, audit_notes(result))


def _file(
    file: str, figures: dict[str, Any], columns: str | None, options: dict[str, Any]
) -> AuditTableResult | AuditTextResult:
    """Audit a leaderboard row by row, or every report in a text."""
    from macrof1.auditing.audited_tables import audit_table
    from macrof1.auditing.audited_texts import audit_text
    from macrof1.reading.files import binary_format, opened_file
    from macrof1.reading.leaderboards import is_delimited, named_values, parse_rows, rows_in
    from macrof1.reading.reports.documents import read_reports
    from macrof1.reading.tables import inspected, is_typed

    for name, value in figures.items():
        if value:
            raise InputError.beside(Argument(name, value), Message("a file"), expected="one of them")
    roles = named_values(columns, "columns", "macro_f1=F-Score,name=Team")
    only_tables = roles or options["support"] or options["n_classes"] or options["decimals"] is not None
    with opened_file(file) as opened:
        typed = is_typed(opened)
        text = "" if binary_format(opened.start(8)) is not None else opened.text()
        is_table = only_tables or typed or is_delimited(text)
        if not is_table or (not only_tables and any(report.classes for report in read_reports(text))):
            return audit_text(text, percent=options["percent"], rounding=options["rounding"], task=options["task"])
        rows = rows_in(inspected(opened, True, None)) if typed else parse_rows(text, opened.name)
    return audit_table(rows, columns=roles, **options)


def _one_report(
    figures: dict[str, Any], per_class: list[str], columns: str | None, options: dict[str, Any]
) -> AuditResult:
    from macrof1.auditing.audited_figures import audit as audit_figures
    from macrof1.reading.numbers import looks_missing

    if columns is not None:
        raise InputError("--columns needs a CSV or TSV file", argument="columns", given=columns)
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


def _per_class(given: list[str]) -> dict[str, dict[str, str]]:
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
