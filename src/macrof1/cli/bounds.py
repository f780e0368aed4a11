"""`mf1 bounds`: how much the choice of formula could matter here."""

from __future__ import annotations

import warnings
from typing import Annotated

from cyclopts import Parameter

from macrof1.errors import InputError
from macrof1.report.bounds import render_bounds, render_no_flip
from macrof1.report.scores import OutputFormat
from macrof1.scores.bounding import bounds as bounds_of
from macrof1.scores.bounding import no_flip
from macrof1.scores.supremum import witness

__all__ = ["bounds"]


def bounds(
    file: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    /,
    *,
    gold: Annotated[str | None, Parameter(alias="-g")] = None,
    support: str | None = None,
    classes: int | None = None,
    precision: str | None = None,
    recall: str | None = None,
    f1_of_averages: str | None = None,
    averaged_f1: str | None = None,
    versus: str | None = None,
    closeness: str = "0.001",
    input_format: str | None = None,
    format: Annotated[OutputFormat, Parameter(alias="-f")] = "text",
) -> None:
    """Say how large the gap can be: in theory, given reported scores, or on your data.

    `mf1 bounds --classes 3` · `mf1 bounds --precision 0.7 --recall 0.6 --classes 2` ·
    `mf1 bounds --f1-of-averages 0.8` · `mf1 bounds --f1-of-averages 0.9 --versus 0.7` ·
    `mf1 bounds --support 1202,2330` · `mf1 bounds data.csv --gold label`

    Parameters
    ----------
    file
        A data file: the largest gap that any classifier could have on its gold labels, one label per row.
    gold
        Column of the gold labels: a name, or a position counted from 1.
    support
        Gold rows per class instead of a file: 1202,2330.
    classes
        The number of classes. Alone: the supremum of the gap, and a matrix that comes close.
    precision
        Macro precision, with --recall: the range of averaged F1.
    recall
        Macro recall, with --precision.
    f1_of_averages
        F1 of averages: the range of averaged F1.
    averaged_f1
        Averaged F1: the range of F1 of averages.
    versus
        The same score of a second system: can the other formula rank the two differently?
    closeness
        How close to the supremum the matrix of --classes comes.
    input_format
        csv, tsv, jsonl, parquet or arrow, where the name does not tell.
    format
        Output: text, json, csv, markdown or latex.
    """
    if versus is not None:
        if (f1_of_averages is None) == (averaged_f1 is None):
            raise InputError("--versus needs the first system's score: expected --f1-of-averages or --averaged-f1, one")
        given = "f1_of_averages" if averaged_f1 is None else "averaged_f1"
        pair = (f1_of_averages or averaged_f1 or "", versus)
        compared = (
            no_flip(f1_of_averages=pair, n_classes=classes)
            if given == "f1_of_averages"
            else no_flip(averaged_f1=pair, n_classes=classes)
        )
        print(render_no_flip(compared, format))
        return
    labels: list[str] | None = None
    sizes: list[int] | None = None
    if file is not None:
        if support is not None:
            raise InputError("a file and --support given: expected one or the other")
        labels, sizes = _sizes_of(file, gold, input_format)
    elif gold is not None:
        raise InputError("--gold given without a file: expected mf1 bounds FILE --gold COLUMN, or --support")
    elif support is not None:
        sizes = _sizes(support)
    found = bounds_of(
        n_classes=classes,
        precision=precision,
        recall=recall,
        f1_of_averages=f1_of_averages,
        averaged_f1=averaged_f1,
        support=sizes,
    )
    near = witness(classes, closeness=closeness) if classes is not None and not found.given else None
    print(render_bounds(found, format, witness=near, labels=labels))


def _sizes(text: str) -> list[int]:
    sizes = []
    for field in text.split(","):
        if not field.strip().isascii() or not field.strip().isdigit():
            raise InputError(f"--support {text!r}: expected whole numbers of gold rows joined by commas: 1202,2330")
        sizes.append(int(field))
    return sizes


def _sizes_of(file: str, gold: str | None, input_format: str | None) -> tuple[list[str], list[int]]:
    from macrof1.counts.confusion import ClassCounts
    from macrof1.counts.files import count_file_cells
    from macrof1.counts.labels import label_text
    from macrof1.counts.saved import is_saved, load_counts
    from macrof1.counts.sources import opened_one, resolve

    if is_saved(file):
        counts = load_counts(file)
        counts = counts if isinstance(counts, ClassCounts) else counts.class_counts()
    else:
        column = gold
        if file != "-":  # standard input can be read once only
            with opened_one(file, True, input_format) as table:  # type: ignore[arg-type]  # it checks the format
                column = resolve(table, gold, "gold")
        elif gold is None:
            raise InputError("no gold column named for standard input: expected --gold COLUMN, a name or a position")
        with warnings.catch_warnings():
            # Gold against itself: only the sizes of the classes are asked for.
            warnings.simplefilter("ignore", UserWarning)
            counts = count_file_cells(
                file,
                gold=column,
                pred=column,
                file_format=input_format,
            ).class_counts()
    return [label_text(label) for label in counts.labels], [int(size) for size in counts.actual.tolist()]
