"""`mf1 score`: both macro F1s of a prediction file or a confusion matrix."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from macrof1.cli.options import (
    Cluster,
    ConfidenceLevel,
    ConventionOptions,
    Digits,
    File,
    Format,
    Html,
    MatrixOptions,
    MoreFiles,
    PredictionOptions,
    Report,
    WithIntervals,
    names_of,
)
from macrof1.cli.parsing import Parameter
from macrof1.cli.printing import print_result, this_command, write_report
from macrof1.cli.reading import given_files, read_counts, read_groups, read_one_matrix, read_report_counts
from macrof1.errors import InputError

if TYPE_CHECKING:
    from macrof1.reporting.scores import OutputFormat
    from macrof1.scoring.groups import GroupsResult
    from macrof1.scoring.result import ScoreResult


def score(
    file: File = None,
    /,
    *more: MoreFiles,
    reading: PredictionOptions,
    by: Annotated[
        str | None,
        Parameter(help="Columns to group by: domain,fold. One result per group, and both averages over groups."),
    ] = None,
    cluster: Cluster = None,
    matrix: MatrixOptions,
    report: Report = None,
    convention: ConventionOptions,
    format: Format = "text",
    digits: Digits = None,
    html: Html = None,
    interval: WithIntervals = True,
    confidence_level: ConfidenceLevel = 0.95,
) -> None:
    """Score a prediction file, or a confusion matrix, under both macro F1s.

    `mf1 score preds.csv` · `mf1 score preds.csv --gold label --pred model --labels a,b,c` ·
    `mf1 score --matrix confusion.csv --rows gold` · `mf1 score --report report.txt` ·
    `mf1 score part-*.counts.json -f json`
    """
    from macrof1.reporting.scores import checked_digits
    from macrof1.sampling.intervals import checked_level
    from macrof1.scoring.result import ScoreResult, score_counts

    checked_digits(digits)
    level = checked_level(confidence_level) if interval else None
    files = given_files(file, more)
    rules = asdict(convention)
    if cluster is not None and (report is not None or matrix.given):
        raise InputError(
            f"--cluster given beside --{'matrix' if matrix.given else 'report'}: expected it with predictions"
        )
    result: ScoreResult | GroupsResult
    if report is not None:
        result = score_counts(read_report_counts(report, matrix, files, reading, by), **rules)
    elif matrix.given:
        result = score_counts(read_one_matrix(matrix, files, reading, by), **rules)
    elif by is None and cluster is None:
        result = score_counts(read_counts(files, reading), **rules)
    else:
        result = _scored_groups(files, reading, by, cluster, convention)
    if isinstance(result, ScoreResult):
        _print_score(result, format, digits, level, html)
    elif html is not None:
        raise InputError("--html given beside --by: expected one of them; a report shows one group")
    else:
        from macrof1.reporting.groups import render_groups

        print_result(render_groups(result, format, digits=digits, confidence_level=level), format, result.notes)


def _scored_groups(
    files: list[str], reading: PredictionOptions, by: str | None, cluster: str | None, convention: ConventionOptions
) -> ScoreResult | GroupsResult:
    from macrof1.catalogue.reader import chosen_convention
    from macrof1.entry import scored_groups

    groups = [*(names_of(by) or []), *([] if cluster is None else [cluster])]
    counts = read_groups(files, groups, **reading.arguments())
    return scored_groups(counts, chosen_convention(**asdict(convention)), by=by, cluster=cluster)


def _print_score(
    result: ScoreResult, format: OutputFormat, digits: int | None, level: float | None, html: str | None
) -> None:
    from macrof1.reporting.intervals import ScoreIntervals
    from macrof1.reporting.scores import render_score

    if html is not None:
        from macrof1.reporting.reports import score_page

        write_report(html, score_page(result, command=this_command(), confidence_level=level))
    text = render_score(result, format, digits=digits, confidence_level=level)
    print_result(text, format, [*result.notes, *ScoreIntervals.of(result, level).notes])
