"""`mf1 audit`: which macro F1 was published, and whether the figures can be true together."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from typing import Annotated, Any

from cyclopts import Parameter

from macrof1.auditing.audit import audit as audit_figures
from macrof1.auditing.figures import Rounding
from macrof1.auditing.result import AuditResult
from macrof1.auditing.table import AuditTableResult, audit_table
from macrof1.cli.printing import print_result, write_report
from macrof1.cli.wording import in_options
from macrof1.convention import Task
from macrof1.errors import InputError
from macrof1.reading.leaderboards import named_values
from macrof1.reporting.audits import AuditFormat, audit_notes, audit_page, render_audit


def audit(
    file: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    /,
    *,
    precision: str | None = None,
    recall: str | None = None,
    f1: str | None = None,
    per_class: Annotated[list[str] | None, Parameter(negative="")] = None,
    support: str | None = None,
    classes: int | None = None,
    accuracy: str | None = None,
    correct: str | None = None,
    total: str | None = None,
    percent: bool | None = None,
    decimals: int | None = None,
    rounding: Rounding = "round",
    task: Task = "multiclass",
    columns: str | None = None,
    format: Annotated[AuditFormat, Parameter(alias="-f")] = "text",
    html: str | None = None,
) -> None:
    """Tell which macro F1 was published, and which figures cannot be true together: a proof, or "either".

    One report: mf1 audit --precision 0.2937 --recall 0.2283 --f1 0.2095

    With figures of the classes: mf1 audit --f1 0.86 --per-class cat=1.00/0.50/0.67 --per-class dog=0.67/1.00/0.80

    A leaderboard: mf1 audit leaderboard.csv --support offense=1202,other=2330

    Parameters
    ----------
    file
        A leaderboard to audit row by row: CSV or TSV with a header; - for standard input. Columns are found by
        their names (macro_f1, offense_precision, accuracy, …).
    precision
        Macro precision, as printed: trailing zeros count.
    recall
        Macro recall, as printed.
    f1
        Macro F1, as printed.
    per_class
        Figures of one class, once per class: cat=0.81/0.77/0.79 for precision, recall and F1; - for one not given.
    support
        Gold rows of each class: cat=120,dog=80.
    classes
        Number of classes.
    accuracy
        Accuracy, as printed.
    correct
        Number of correct rows.
    total
        Number of rows.
    percent
        Whether the figures are percentages.
    decimals
        Decimals that were printed, where trailing zeros were lost.
    rounding
        How figures were cut: round, truncate or unknown.
    task
        One label per row (multiclass) or several (multilabel).
    columns
        Which column of a leaderboard holds what: macro_f1=F-Score,name=Team.
    format
        Output: text, json, csv, markdown, latex or html. Notes beside csv go to standard error.
    html
        Also write a report as one HTML file.
    """
    sizes = named_values(support, "--support", "cat=120,dog=80")
    options: dict[str, Any] = {
        "support": sizes,
        "n_classes": classes,
        "percent": percent,
        "decimals": decimals,
        "rounding": rounding,
        "task": task,
    }
    figures: dict[str, Any] = {"precision": precision, "recall": recall, "f1": f1}
    others: dict[str, Any] = {"accuracy": accuracy, "correct": correct, "total": total}
    result: AuditResult | AuditTableResult
    if file is not None:
        given = next((name for name, value in {**figures, **others}.items() if value is not None), None)
        if given is not None or per_class:
            raise InputError(f"--{given or 'per-class'} given beside a table: expected figures or a table, not both")
        result = audit_table(file, columns=named_values(columns, "--columns", "macro_f1=F-Score,name=Team"), **options)
    else:
        if columns is not None:
            raise InputError("--columns given without a table: expected a CSV or TSV file")
        if not per_class and all(value is None for value in figures.values()):
            raise InputError(
                "no figures given: expected a table, or --precision, --recall and --f1 (mf1 audit --help shows more)"
            )
        found = audit_figures(**figures, **others, per_class=_per_class(per_class or []), **options)
        result = replace(found, notes=tuple(map(in_options, found.notes)))
    if html is not None:
        write_report(html, audit_page(result, command=shlex.join(["mf1", *sys.argv[1:]])))
    print_result(render_audit(result, format), format, audit_notes(result))


def _per_class(given: list[str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for text in given:
        label, equals, values = text.rpartition("=")
        parts = [part.strip() for part in values.split("/")]
        if not equals or not label.strip() or len(parts) != 3 or label.strip() in found:
            raise InputError(
                f"--per-class {text!r}: expected CLASS=PRECISION/RECALL/F1 once per class, with - for a figure that "
                "was not given, such as cat=0.81/0.77/-"
            )
        found[label.strip()] = dict(zip(("precision", "recall", "f1"), parts, strict=True))
    return found
