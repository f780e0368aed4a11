"""`mf1 count`: counts of one part of the data, to be merged and scored elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from macrof1.cli.options import (
    Classes,
    File,
    Gold,
    Header,
    InputFormat,
    MissingRows,
    MoreFiles,
    Pred,
    SeveralLabels,
    Weight,
)
from macrof1.cli.reading import given_files, names_of, read_parts
from macrof1.counting.saved import counts_text, is_saved, save_counts
from macrof1.errors import InputError
from macrof1.labels import dropped_note


def count(
    file: File = None,
    /,
    *more: MoreFiles,
    output: Annotated[str | None, Parameter(name=["--output", "-o"])] = None,
    gold: Gold = None,
    pred: Pred = None,
    weight: Weight = None,
    labels: Classes = None,
    multilabel: SeveralLabels = None,
    missing: MissingRows = "error",
    header: Header = True,
    input_format: InputFormat = None,
) -> None:
    """Count prediction files, and save the counts: `mf1 score *.counts.json` merges and scores them.

    Saved counts are given back merged, so that parts can be merged in steps.

    Parameters
    ----------
    output
        The file to write, PART.counts.json; standard output when left out.
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
    if part.counts.n_dropped:
        print(f"mf1: note: {dropped_note(part.counts.n_dropped)}", file=sys.stderr)


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
