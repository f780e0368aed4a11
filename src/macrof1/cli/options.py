"""Options that several commands share: the same name, the same meaning, the same help everywhere."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from cyclopts import Parameter

from macrof1.counting.matrix import Rows
from macrof1.labels import Missing
from macrof1.reporting.scores import OutputFormat

# A hyphen may lead: - is standard input.
File: TypeAlias = Annotated[
    str | None,
    Parameter(
        allow_leading_hyphen=True,
        help="CSV, TSV, JSON lines, Parquet or Arrow, plain or compressed (.gz, .zst); - for standard input; a "
        "pattern; a folder of Parquet. Or counts that mf1 count saved: *.counts.json.",
    ),
]
MoreFiles: TypeAlias = Annotated[str, Parameter(help="More of the same; all files are taken as one table.")]
Matrix: TypeAlias = Annotated[
    str | None,
    Parameter(
        allow_leading_hyphen=True,
        help="A confusion matrix instead of predictions: CSV, TSV or JSON, with or without labels; - for standard "
        "input.",
    ),
]
MatrixRows: TypeAlias = Annotated[
    Rows | None,
    Parameter(help="What a row of the matrix is: predicted (as in the note) or gold (as in scikit-learn)."),
]
Gold: TypeAlias = Annotated[
    str | None,
    Parameter(
        alias="-g",
        help="Column of the gold labels: a name, or a position counted from 1. Left out: one with a usual name.",
    ),
]
Pred: TypeAlias = Annotated[
    str | None,
    Parameter(
        alias="-p",
        help="Column of the predicted labels: a name, or a position counted from 1. Left out: one with a usual name.",
    ),
]
Weight: TypeAlias = Annotated[str | None, Parameter(help="Column with a weight per row.")]
Classes: TypeAlias = Annotated[
    str | None,
    Parameter(help="The class set, in order: a,b,c. Classes in it count although never seen; quotes protect commas."),
]
SeveralLabels: TypeAlias = Annotated[
    str | None,
    Parameter(help='Several labels per row, with this mark between them: ";". Columns of lists need no mark.'),
]
MissingRows: TypeAlias = Annotated[
    Missing,
    Parameter(
        help="Rows without a label: refuse them (error), leave them out and say so (drop), or make them a class "
        "(label)."
    ),
]
Header: TypeAlias = Annotated[bool, Parameter(help="Whether the first line of a CSV or TSV file names the columns.")]
InputFormat: TypeAlias = Annotated[
    str | None, Parameter(help="csv, tsv, jsonl, parquet or arrow, where the name does not tell.")
]
Format: TypeAlias = Annotated[
    OutputFormat,
    Parameter(alias="-f", help="Output: text, json, csv, markdown or latex. Notes beside csv go to standard error."),
]
Precision: TypeAlias = Annotated[int | None, Parameter(help="Decimals of every score.")]
