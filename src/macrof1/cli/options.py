"""Options that several commands share: the same name, the same meaning, the same help everywhere."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from macrof1.cli.parsing import Parameter
from macrof1.convention import ClassSet, Undefined

File: TypeAlias = Annotated[
    str | None,
    Parameter(
        help="CSV, TSV, JSON lines, Parquet or Arrow, plain or compressed (.gz, .zst); - for standard input; a "
        "pattern; a folder of Parquet. Or counts that mf1 count saved: *.counts.json.",
    ),
]
MoreFiles: TypeAlias = Annotated[str, Parameter(help="More of the same; all files are taken as one table.")]
Matrix: TypeAlias = Annotated[
    str | None,
    Parameter(
        help="A confusion matrix instead of predictions: CSV, TSV or JSON, with or without labels; - for standard "
        "input.",
    ),
]
MatrixRows: TypeAlias = Annotated[
    Literal["predicted", "gold"] | None,
    Parameter(help="What a row of the matrix is: predicted (as in the paper) or gold (as in scikit-learn)."),
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
Labels: TypeAlias = Annotated[
    str | None,
    Parameter(help="The class set, in order: a,b,c. Classes in it count although never seen; quotes protect commas."),
]
SeveralLabels: TypeAlias = Annotated[
    str | None,
    Parameter(help='Several labels per row, with this mark between them: ";". Columns of lists need no mark.'),
]
Classes: TypeAlias = Annotated[
    ClassSet,
    Parameter(
        help="Average over the classes in gold or predicted (union), in gold only (gold), those of --labels (listed), "
        "or those of --labels that occur (seen)."
    ),
]
UndefinedRatios: TypeAlias = Annotated[
    Undefined,
    Parameter(help="What a ratio with denominator 0 counts as; drop and drop_with_parts leave it out of the mean."),
]
Beta: TypeAlias = Annotated[float, Parameter(help="Weight of recall against precision.")]
MissingRows: TypeAlias = Annotated[
    Literal["error", "drop", "label"],
    Parameter(
        help="Rows without a label: refuse them (error), leave them out and say so (drop), or make them a class "
        "(label)."
    ),
]
Header: TypeAlias = Annotated[bool, Parameter(help="Whether the first line of a CSV or TSV file names the columns.")]
InputFormat: TypeAlias = Annotated[
    str | None,
    Parameter(help="csv, tsv, jsonl, parquet or arrow, if it cannot be inferred from the file name."),
]
NumberOfClasses: TypeAlias = Annotated[int | None, Parameter(help="The number of classes.")]
Support: TypeAlias = Annotated[
    str | None, Parameter(help="Gold rows of each class: cat=120,dog=80, or 120,80 without names.")
]
Format: TypeAlias = Annotated[
    Literal["text", "json", "csv", "markdown", "latex"],
    Parameter(alias="-f", help="Output: text, json, csv, markdown or latex. Notes beside csv go to standard error."),
]
FormatOrPage: TypeAlias = Annotated[
    Literal["text", "json", "csv", "markdown", "latex", "html"],
    Parameter(
        alias="-f", help="Output: text, json, csv, markdown, latex or html. Notes beside csv go to standard error."
    ),
]
Digits: TypeAlias = Annotated[int | None, Parameter(help="Decimals of every score.")]
Html: TypeAlias = Annotated[str | None, Parameter(help="Also write a report as one HTML file.")]
