"""`mf1 score`: both macro F1s of a prediction file or a confusion matrix."""

from __future__ import annotations

import shlex
import sys

from macrof1.cli.options import (
    Classes,
    File,
    Format,
    Gold,
    Header,
    InputFormat,
    Matrix,
    MatrixRows,
    MissingRows,
    MoreFiles,
    Precision,
    Pred,
    SeveralLabels,
    Weight,
)
from macrof1.cli.printing import print_result, write_report
from macrof1.cli.reading import given_files, names_of, read_counts, read_groups, read_one_matrix
from macrof1.convention import ClassSet, Undefined
from macrof1.counting.confusion import Confusion
from macrof1.counts import ClassCounts
from macrof1.errors import InputError
from macrof1.reporting.groups import render_groups
from macrof1.reporting.scores import checked_digits, render_score
from macrof1.scoring.groups import score_grouped_counts
from macrof1.scoring.result import score_counts


def score(
    file: File = None,
    /,
    *more: MoreFiles,
    by: str | None = None,
    matrix: Matrix = None,
    rows: MatrixRows = None,
    gold: Gold = None,
    pred: Pred = None,
    weight: Weight = None,
    labels: Classes = None,
    multilabel: SeveralLabels = None,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    convention: str | None = None,
    missing: MissingRows = "error",
    header: Header = True,
    input_format: InputFormat = None,
    format: Format = "text",
    precision: Precision = None,
    html: str | None = None,
) -> None:
    """Score a prediction file, or a confusion matrix, under both macro F1s.

    `mf1 score preds.csv` · `mf1 score preds.csv --gold label --pred model --labels a,b,c` ·
    `mf1 score --matrix confusion.csv --rows gold` · `mf1 score part-*.counts.json -f json`

    Parameters
    ----------
    by
        Columns to group by: domain,fold. One result per group, and both averages over groups.
    classes
        Average over the classes in gold or predicted (union), in gold only (gold), those of --labels (listed), or
        those of --labels that occur (seen).
    undefined
        What a ratio with denominator 0 counts as; drop and drop_with_parts leave it out of the mean.
    beta
        Weight of recall against precision.
    convention
        Class set and undefined ratios of a real system, such as weka (mf1 conventions lists them).
    html
        Also write a report with charts as one HTML file.
    """
    checked_digits(precision)
    files = given_files(file, more)
    counts: Confusion | ClassCounts
    listed = names_of(labels)
    if matrix is not None or rows is not None:
        counts = read_one_matrix(
            matrix,
            rows,
            listed,
            files=files,
            by=by,
            gold=gold,
            pred=pred,
            weight=weight,
            multilabel=multilabel,
            missing=missing,
            header=header,
            input_format=input_format,
        )
    else:
        options = {
            "gold": gold,
            "pred": pred,
            "weight": weight,
            "labels": listed,
            "missing": missing,
            "header": header,
            "file_format": input_format,
            "multilabel": multilabel,
        }
        if by is not None:
            if html is not None:
                raise InputError("--html given beside --by: expected one of them; a report shows one group")
            grouped = read_groups(files, names_of(by) or [], **options)
            groups = score_grouped_counts(
                grouped, classes=classes, undefined=undefined, beta=beta, convention=convention
            )
            print_result(render_groups(groups, format, digits=precision), format, groups.notes)
            return
        counts = read_counts(files, **options)
    result = score_counts(counts, classes=classes, undefined=undefined, beta=beta, convention=convention)
    if html is not None:
        from macrof1.reporting.reports import score_page

        write_report(html, score_page(result, command=shlex.join(["mf1", *sys.argv[1:]])))
    print_result(render_score(result, format, digits=precision), format, result.notes)
