"""`mf1 score`: both macro F1s of a prediction file or a confusion matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from macrof1.cli.options import (
    Beta,
    Classes,
    Digits,
    File,
    Format,
    Gold,
    Header,
    Html,
    InputFormat,
    Labels,
    Matrix,
    MatrixRows,
    MissingRows,
    MoreFiles,
    Pred,
    SeveralLabels,
    UndefinedRatios,
    Weight,
)
from macrof1.cli.parsing import Parameter
from macrof1.cli.printing import print_result, this_command, write_report
from macrof1.cli.reading import Reading, given_files, names_of, read_counts, read_groups, read_one_matrix
from macrof1.errors import InputError

if TYPE_CHECKING:
    from macrof1.scoring.result import ScoreResult


def score(
    file: File = None,
    /,
    *more: MoreFiles,
    by: Annotated[
        str | None,
        Parameter(help="Columns to group by: domain,fold. One result per group, and both averages over groups."),
    ] = None,
    matrix: Matrix = None,
    rows: MatrixRows = None,
    gold: Gold = None,
    pred: Pred = None,
    weight: Weight = None,
    labels: Labels = None,
    multilabel: SeveralLabels = None,
    classes: Classes = "union",
    undefined: UndefinedRatios = 0,
    beta: Beta = 1.0,
    convention: Annotated[
        str | None,
        Parameter(help="Class set and undefined ratios of a real system, such as weka (mf1 conventions lists them)."),
    ] = None,
    missing: MissingRows = "error",
    header: Header = True,
    input_format: InputFormat = None,
    format: Format = "text",
    digits: Digits = None,
    html: Html = None,
) -> None:
    """Score a prediction file, or a confusion matrix, under both macro F1s.

    `mf1 score preds.csv` · `mf1 score preds.csv --gold label --pred model --labels a,b,c` ·
    `mf1 score --matrix confusion.csv --rows gold` · `mf1 score part-*.counts.json -f json`
    """
    from macrof1.reporting.scores import checked_digits, render_score
    from macrof1.scoring.macro import score_counts

    checked_digits(digits)
    files = given_files(file, more)
    rules: dict[str, Any] = {"classes": classes, "undefined": undefined, "beta": beta, "convention": convention}
    reading = Reading(
        gold=gold,
        pred=pred,
        weight=weight,
        labels=labels,
        multilabel=multilabel,
        missing=missing,
        header=header,
        input_format=input_format,
    )
    if matrix is not None or rows is not None:
        result = score_counts(read_one_matrix(matrix, rows, files, reading, by), **rules)
    elif by is not None:
        if html is not None:
            raise InputError("--html given beside --by: expected one of them; a report shows one group")
        _print_groups(files, names_of(by) or [], reading, rules, format, digits)
        return
    else:
        result = score_counts(read_counts(files, reading), **rules)
    if html is not None:
        _write_page(html, result)
    print_result(render_score(result, format, digits=digits), format, result.notes)


def _print_groups(
    files: list[str], by: list[str], reading: Reading, rules: dict[str, Any], output: Format, digits: int | None
) -> None:
    from macrof1.reporting.groups import render_groups
    from macrof1.scoring.groups import score_grouped_counts

    groups = score_grouped_counts(read_groups(files, by, **reading.arguments()), **rules)
    print_result(render_groups(groups, output, digits=digits), output, groups.notes)


def _write_page(path: str, result: ScoreResult) -> None:
    from macrof1.reporting.reports import score_page

    write_report(path, score_page(result, command=this_command()))
