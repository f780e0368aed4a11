"""`mf1 score`: both macro F1s of a prediction file or a confusion matrix."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated

from cyclopts import Parameter

from macrof1.cli.reading import given_files, names_of, read_counts, read_groups
from macrof1.convention import ClassSet, Undefined
from macrof1.counts.confusion import ClassCounts, Confusion
from macrof1.counts.labels import Missing
from macrof1.counts.matrix import Rows
from macrof1.errors import InputError
from macrof1.report.groups import render_groups
from macrof1.report.scores import OutputFormat, checked_digits, render_score
from macrof1.scores.groups import score_grouped_counts
from macrof1.scores.macro import score_counts

__all__ = ["score"]


def score(
    file: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    /,
    *more: str,
    by: str | None = None,
    matrix: str | None = None,
    rows: Rows | None = None,
    gold: Annotated[str | None, Parameter(alias="-g")] = None,
    pred: Annotated[str | None, Parameter(alias="-p")] = None,
    weight: str | None = None,
    labels: str | None = None,
    multilabel: str | None = None,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    convention: str | None = None,
    missing: Missing = "error",
    header: bool = True,
    input_format: str | None = None,
    format: Annotated[OutputFormat, Parameter(alias="-f")] = "text",
    precision: int | None = None,
    html: str | None = None,
) -> None:
    """Score a prediction file, or a confusion matrix, under both macro F1s.

    Parameters
    ----------
    file
        CSV, TSV, JSON lines, Parquet or Arrow, plain or compressed (.gz, .zst); - for standard input; a pattern;
        a folder of Parquet. Or counts that mf1 count saved: *.counts.json.
    more
        More of the same; all files are scored as one table.
    by
        Columns to group by: domain,fold. One result per group, and both averages over groups.
    matrix
        A confusion matrix instead of predictions: CSV, TSV or JSON, with or without labels.
    rows
        What a row of the matrix is: predicted (as in the note) or gold (as in scikit-learn).
    gold
        Column of the gold labels: a name, or a position counted from 1.
    pred
        Column of the predicted labels: a name, or a position counted from 1.
    weight
        Column with a weight per row.
    labels
        The class set, in order: a,b,c. Classes in it count although never seen.
    classes
        Average over the classes in gold or predicted (union), in gold only (gold), those of --labels (listed), or
        those of --labels that occur (seen).
    undefined
        What a ratio with denominator 0 counts as; drop and drop_with_parts leave it out of the mean.
    beta
        Weight of recall against precision.
    convention
        Class set and undefined ratios of a real system, such as weka (mf1 conventions lists them).
    multilabel
        Several labels per row, with this mark between them: ";". Columns of lists need no mark.
    missing
        Rows without a label: refuse them (error), leave them out and say so (drop), or make them a class (label).
    header
        Whether the first line of a CSV or TSV file names the columns.
    input_format
        csv, tsv, jsonl, parquet or arrow, where the name does not tell.
    format
        Output: text, json, csv, markdown or latex.
    precision
        Decimals of every score.
    html
        Also write a report with charts as one HTML file.
    """
    checked_digits(precision)
    files = given_files(file, more)
    counts: Confusion | ClassCounts
    listed = names_of(labels)
    if matrix is not None:
        columns = (by, gold, pred, weight, multilabel)
        counts = _matrix(matrix, rows, listed, given=bool(files) or any(name is not None for name in columns))
    elif rows is not None:
        raise InputError("--rows given without --matrix: expected it only where a confusion matrix is read")
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
            print(render_groups(groups, format, digits=precision))
            return
        counts = read_counts(files, **options)
    result = score_counts(counts, classes=classes, undefined=undefined, beta=beta, convention=convention)
    if html is not None:
        from macrof1.report.reports import score_page, write_page

        write_page(html, score_page(result, command=shlex.join(["mf1", *sys.argv[1:]])))
    print(render_score(result, format, digits=precision))


def _matrix(matrix: str, rows: Rows | None, labels: list[str] | None, *, given: bool) -> Confusion:
    from macrof1.counts.matrix_files import read_matrix

    if given:
        raise InputError("--matrix given beside a prediction file or its columns: expected one or the other")
    if rows is None:
        raise InputError(
            "--matrix needs --rows: expected --rows predicted (as in the note) or --rows gold (scikit-learn)"
        )
    return read_matrix(matrix, rows=rows, labels=labels)
