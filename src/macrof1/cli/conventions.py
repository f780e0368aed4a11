"""`mf1 conventions`: what real systems would report as macro F1 on the same predictions."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from macrof1.cli.options import Digits, File, Format, MatrixOptions, MoreFiles, PolicyOptions, PredictionOptions
from macrof1.cli.printing import print_result
from macrof1.cli.reading import given_files, read_one_matrix, read_parts, refuse_without_file
from macrof1.message import Argument


def conventions(
    file: File = None,
    /,
    *more: MoreFiles,
    reading: PredictionOptions,
    policies: PolicyOptions,
    matrix: MatrixOptions,
    number: Annotated[
        str | None, "A number as printed, such as 0.7123: the systems that would print it are marked."
    ] = None,
    format: Format = "text",
    digits: Digits = None,
) -> None:
    """Print what scikit-learn, torchmetrics, Weka and others would call macro F1 on this file, grouped by value.

    Some systems average over all declared classes, seen or not: --labels declares them. Without a file, print the
    table of conventions, with a source for every row.
    """
    from macrof1.counting.policies import apply_policies
    from macrof1.reporting.conventions import render_catalogue, render_conventions
    from macrof1.reporting.table import checked_digits
    from macrof1.scoring.system_scores import score_conventions

    checked_digits(digits)
    files = given_files(file, more)
    if not (matrix.given() or files):
        from macrof1.catalogue.reader import conventions as known_conventions

        marked = [] if number is None else [Argument("number", number)]
        refuse_without_file([*reading.given(), *policies.given(), *marked], "conventions")
        print(render_catalogue(known_conventions(), format))
        return
    read: Any = read_one_matrix(matrix, files, reading) if matrix.given() else read_parts(files, reading).counts
    counts, making = apply_policies(read, **policies.arguments())
    result = score_conventions(counts)
    result = replace(result, notes=(*making.notes, *result.notes))
    result = result if number is None else result.marked(number)
    print_result(render_conventions(result, format, digits=digits), format, result.notes)
