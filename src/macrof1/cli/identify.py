"""`mf1 identify`: which definitions print a number on this data."""

from __future__ import annotations

from typing import Annotated

from macrof1.cli.options import File, Format, MatrixOptions, PredictionOptions, names_of
from macrof1.cli.parsing import Parameter
from macrof1.cli.printing import print_result
from macrof1.cli.reading import read_counts, read_groups, read_one_matrix
from macrof1.errors import InputError


def identify(
    file: File = None,
    number: Annotated[
        str | None, Parameter(help="The number as printed: 0.7123, or 71.23; trailing zeros count.")
    ] = None,
    /,
    *,
    reading: PredictionOptions,
    by: Annotated[
        str | None, Parameter(help="Columns to group by: fold. Means over groups are then tried too.")
    ] = None,
    matrix: MatrixOptions,
    format: Format = "text",
) -> None:
    """Find out which F1 a number is: every definition that gives it on this data, and the nearest that do not.

    - `mf1 identify preds.csv 0.7123`
    - `mf1 identify preds.csv 71.2 --by fold`
    - `mf1 identify --matrix confusion.csv --rows gold 0.7123`
    """
    from macrof1.reporting.identified import render_identified
    from macrof1.scoring.identification import identify_counts

    if matrix.given and number is None:
        file, number = None, file
    if number is None:
        raise InputError("no number given", expected="a file and a number: mf1 identify preds.csv 0.7123")
    if matrix.given:
        result = identify_counts(read_one_matrix(matrix, [] if file is None else [file], reading, by), number)
    elif by is not None:
        grouped = read_groups([str(file)], names_of(by) or [], **reading.arguments())
        result = identify_counts(grouped.total, number, grouped=grouped)
    else:
        result = identify_counts(read_counts([str(file)], reading), number)
    print_result(render_identified(result, format), format, [])
