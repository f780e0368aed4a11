"""`mf1 conventions`: what real systems would call macro F1 on the same predictions."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from macrof1.catalogue import conventions as known_conventions
from macrof1.cli.reading import names_of, read_counts
from macrof1.counts.confusion import ClassCounts, Confusion
from macrof1.counts.labels import Missing
from macrof1.counts.matrix import Rows
from macrof1.errors import InputError
from macrof1.report.conventions import render_catalogue, render_conventions
from macrof1.report.scores import OutputFormat
from macrof1.scores.known import score_conventions

__all__ = ["conventions"]


def conventions(
    file: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    /,
    *,
    matrix: str | None = None,
    rows: Rows | None = None,
    gold: Annotated[str | None, Parameter(alias="-g")] = None,
    pred: Annotated[str | None, Parameter(alias="-p")] = None,
    labels: str | None = None,
    missing: Missing = "error",
    header: bool = True,
    format: Annotated[OutputFormat, Parameter(alias="-f")] = "text",
    precision: int | None = None,
) -> None:
    """Print what scikit-learn, torchmetrics, Weka and others would call macro F1 on this very file, grouped by value.

    Without a file: print the table of conventions, with a source for every row.

    Parameters
    ----------
    file
        CSV, TSV, JSON lines, Parquet or Arrow, plain or compressed (.gz, .zst); - for standard input.
    matrix
        A confusion matrix instead of predictions: CSV, TSV or JSON, with or without labels.
    rows
        What a row of the matrix is: predicted (as in the note) or gold (as in scikit-learn).
    gold
        Column of the gold labels: a name, or a position counted from 1.
    pred
        Column of the predicted labels: a name, or a position counted from 1.
    labels
        The classes that were declared: a,b,c. Some systems average over all of them, seen or not.
    missing
        Rows without a label: refuse them (error), leave them out (drop), or make them a class (label).
    header
        Whether the first line of a CSV or TSV file names the columns.
    format
        Output: text, json, csv, markdown or latex.
    precision
        Decimals of every score.
    """
    listed = names_of(labels)
    if matrix is not None:
        from macrof1.counts.matrix_files import read_matrix

        if file is not None:
            raise InputError("--matrix given beside a prediction file: expected one or the other")
        if rows is None:
            raise InputError("--matrix needs --rows: expected --rows predicted or --rows gold")
        counts: Confusion | ClassCounts = read_matrix(matrix, rows=rows, labels=listed)
    elif file is None:
        print(render_catalogue(known_conventions(), format))
        return
    else:
        counts = read_counts(
            [file], gold=gold, pred=pred, weight=None, labels=listed, missing=missing, header=header, file_format=None
        )
    print(render_conventions(score_conventions(counts), format, digits=precision))
