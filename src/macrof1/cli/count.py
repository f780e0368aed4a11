"""`mf1 count`: counts of one part of the data, to be merged and scored elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from macrof1.cli.reading import given_files, names_of, read_parts
from macrof1.counts.labels import Missing
from macrof1.counts.saved import counts_text, is_saved, save_counts
from macrof1.errors import InputError

__all__ = ["count"]


def count(
    file: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    /,
    *more: str,
    output: Annotated[str | None, Parameter(name=["--output", "-o"])] = None,
    gold: Annotated[str | None, Parameter(alias="-g")] = None,
    pred: Annotated[str | None, Parameter(alias="-p")] = None,
    weight: str | None = None,
    labels: str | None = None,
    multilabel: str | None = None,
    missing: Missing = "error",
    header: bool = True,
    input_format: str | None = None,
) -> None:
    """Count prediction files, and save the counts: `mf1 score *.counts.json` merges and scores them.

    Saved counts are given back merged, so that parts can be merged in steps.

    Parameters
    ----------
    file
        As in mf1 score: a file, a pattern, a folder of Parquet, - for standard input; or saved counts.
    more
        More of the same; all files are counted as one table.
    output
        The file to write, PART.counts.json; standard output when left out.
    gold
        Column of the gold labels: a name, or a position counted from 1.
    pred
        Column of the predicted labels: a name, or a position counted from 1.
    weight
        Column with a weight per row.
    labels
        The class set, in order: a,b,c.
    multilabel
        Several labels per row, with this mark between them: ";". Columns of lists need no mark.
    missing
        Rows without a label: refuse them (error), leave them out and say so (drop), or make them a class (label).
    header
        Whether the first line of a CSV or TSV file names the columns.
    input_format
        csv, tsv, jsonl, parquet or arrow, where the name does not tell.
    """
    files = given_files(file, more)
    _check_output(output, files)
    part = read_parts(
        files,
        gold=gold,
        pred=pred,
        weight=weight,
        labels=names_of(labels),
        missing=missing,
        header=header,
        file_format=input_format,
        multilabel=multilabel,
    )
    if output is None or output == "-":
        sys.stdout.write(counts_text(part))
    else:
        save_counts(part.counts, output, missing=part.missing, weight=part.weight)
        print(f"mf1: wrote {output}", file=sys.stderr)


def _check_output(output: str | None, files: list[str]) -> None:
    """Refuse, before any work, a name that would overwrite an input or that `mf1 score` would not know."""
    if output is None or output == "-":
        return
    if any(Path(output).resolve() == Path(file).resolve() for file in files if file != "-"):
        raise InputError(f"--output {output} is one of the files to count: expected another name; it would be lost")
    if not is_saved(output):
        raise InputError(
            f"--output {output}: expected a name that ends in .counts.json, by which mf1 tells saved counts"
        )
