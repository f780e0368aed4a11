"""`mf1 conventions`: what real systems would call macro F1 on the same predictions."""

from __future__ import annotations

from macrof1.catalogue.reader import conventions as known_conventions
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
    Weight,
)
from macrof1.cli.printing import print_result
from macrof1.cli.reading import given_files, names_of, read_counts, read_one_matrix, reading_options
from macrof1.counting.confusion import Confusion
from macrof1.counts import ClassCounts
from macrof1.errors import InputError
from macrof1.reporting.conventions import render_catalogue, render_conventions
from macrof1.reporting.scores import checked_digits
from macrof1.scoring.definitions import score_conventions


def conventions(
    file: File = None,
    /,
    *more: MoreFiles,
    matrix: Matrix = None,
    rows: MatrixRows = None,
    gold: Gold = None,
    pred: Pred = None,
    weight: Weight = None,
    labels: Classes = None,
    missing: MissingRows = "error",
    header: Header = True,
    input_format: InputFormat = None,
    format: Format = "text",
    precision: Precision = None,
) -> None:
    """Print what scikit-learn, torchmetrics, Weka and others would call macro F1 on this very file, grouped by value.

    Some systems average over all classes that were declared, seen or not: --labels declares them. Without a file: print
    the table of conventions, with a source for every row.
    """
    checked_digits(precision)
    files = given_files(file, more)
    listed = names_of(labels)
    columns = {"--gold": gold, "--pred": pred, "--weight": weight}
    counts: Confusion | ClassCounts
    if matrix is not None or rows is not None:
        counts = read_one_matrix(
            matrix,
            rows,
            listed,
            files=files,
            gold=gold,
            pred=pred,
            weight=weight,
            missing=missing,
            header=header,
            input_format=input_format,
        )
    elif files:
        counts = read_counts(
            files,
            gold=gold,
            pred=pred,
            weight=weight,
            labels=listed,
            missing=missing,
            header=header,
            file_format=input_format,
        )
    else:
        given = [name for name, value in {**columns, "--labels": labels}.items() if value is not None]
        for option in (*given, *reading_options(missing, header, input_format)):
            raise InputError(f"{option} given without a file: expected mf1 conventions FILE {option} …")
        print(render_catalogue(known_conventions(), format))
        return
    result = score_conventions(counts)
    print_result(render_conventions(result, format, digits=precision), format, result.notes)
