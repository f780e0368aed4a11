"""`mf1 score`: both macro F1s of a prediction file or a confusion matrix."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from macrof1.cli.options import (
    ConventionOptions,
    Digits,
    File,
    Format,
    Html,
    MatrixOptions,
    MoreFiles,
    PredictionOptions,
    Report,
    names_of,
)
from macrof1.cli.parsing import Parameter
from macrof1.cli.printing import print_result, this_command, write_report
from macrof1.cli.reading import given_files, read_counts, read_groups, read_one_matrix, read_report_counts
from macrof1.errors import InputError


def score(
    file: File = None,
    /,
    *more: MoreFiles,
    reading: PredictionOptions,
    by: Annotated[
        str | None,
        Parameter(help="Columns to group by: domain,fold. One result per group, and both averages over groups."),
    ] = None,
    matrix: MatrixOptions,
    report: Report = None,
    convention: ConventionOptions,
    format: Format = "text",
    digits: Digits = None,
    html: Html = None,
) -> None:
    """Score a prediction file, or a confusion matrix, under both macro F1s.

    `mf1 score preds.csv` · `mf1 score preds.csv --gold label --pred model --labels a,b,c` ·
    `mf1 score --matrix confusion.csv --rows gold` · `mf1 score --report report.txt` ·
    `mf1 score part-*.counts.json -f json`
    """
    from macrof1.reporting.scores import checked_digits, render_score
    from macrof1.scoring.result import score_counts

    checked_digits(digits)
    files = given_files(file, more)
    rules = asdict(convention)
    if report is not None:
        result = score_counts(read_report_counts(report, matrix, files, reading, by), **rules)
    elif matrix.given:
        result = score_counts(read_one_matrix(matrix, files, reading, by), **rules)
    elif by is None:
        result = score_counts(read_counts(files, reading), **rules)
    else:
        from macrof1.reporting.groups import render_groups
        from macrof1.scoring.groups import score_grouped_counts

        if html is not None:
            raise InputError("--html given beside --by: expected one of them; a report shows one group")
        groups = score_grouped_counts(read_groups(files, names_of(by) or [], **reading.arguments()), **rules)
        print_result(render_groups(groups, format, digits=digits), format, groups.notes)
        return
    if html is not None:
        from macrof1.reporting.reports import score_page

        write_report(html, score_page(result, command=this_command()))
    print_result(render_score(result, format, digits=digits), format, result.notes)
