"""`mf1 bounds`: how much the choice of formula could matter here."""

from __future__ import annotations

import warnings
from typing import Annotated

from cyclopts import Parameter

from macrof1.bounding.bounds import NoFlipResult, no_flip
from macrof1.bounding.bounds import bounds as bounds_of
from macrof1.bounding.witness import witness
from macrof1.cli.options import Format, Gold, Header, InputFormat, MissingRows, MoreFiles
from macrof1.cli.printing import print_result
from macrof1.cli.reading import given_files, read_counts, reading_options
from macrof1.counting.saved import is_saved
from macrof1.counts import ClassCounts
from macrof1.errors import InputError
from macrof1.labels import Missing, label_key, label_text
from macrof1.reporting.bounds import bounds_notes, no_flip_notes, render_bounds, render_no_flip


def bounds(
    file: Annotated[
        str | None,
        Parameter(
            allow_leading_hyphen=True,
            help="A data file, of which the gold labels are read, one per row: the largest gap that any classifier "
            "could have on them. Files as for mf1 score, or counts that mf1 count saved.",
        ),
    ] = None,
    /,
    *more: MoreFiles,
    gold: Gold = None,
    support: str | None = None,
    classes: int | None = None,
    precision: str | None = None,
    recall: str | None = None,
    f1_of_averages: str | None = None,
    averaged_f1: str | None = None,
    versus: str | None = None,
    closeness: str = "0.001",
    missing: MissingRows = "error",
    header: Header = True,
    input_format: InputFormat = None,
    format: Format = "text",
) -> None:
    """Say how large the gap can be: in theory, given reported scores, or on your data.

    `mf1 bounds --classes 3` · `mf1 bounds --precision 0.7 --recall 0.6 --classes 2` ·
    `mf1 bounds --f1-of-averages 0.8` · `mf1 bounds --f1-of-averages 0.9 --versus 0.7` ·
    `mf1 bounds --support 1202,2330` · `mf1 bounds data.csv --gold label`

    Scores are read as exact, however few digits they have; mf1 audit reads them as rounded.

    Parameters
    ----------
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
    """
    files = given_files(file, more)
    scores = {
        "--precision": precision,
        "--recall": recall,
        "--f1-of-averages": f1_of_averages,
        "--averaged-f1": averaged_f1,
        "--versus": versus,
    }
    beside = next((option for option, value in {"--support": support, **scores}.items() if value is not None), None)
    if files and beside is not None:
        raise InputError(f"{beside} given beside a file of gold labels: expected one or the other")
    if not files and beside is None and classes is None and gold is None:
        raise InputError(
            "nothing given: expected --classes, --precision and --recall, --f1-of-averages, --averaged-f1, --support, "
            "or a file of gold labels"
        )
    if not files and gold is None:
        for option in reading_options(missing, header, input_format):
            raise InputError(f"{option} given without a file: expected mf1 bounds FILE {option} …")
    if versus is not None:
        compared = _versus(f1_of_averages, averaged_f1, versus, classes)
        print_result(render_no_flip(compared, format), format, no_flip_notes(compared))
        return
    labels: list[str] | None = None
    sizes: list[int] | None = None
    n_dropped = 0
    if files:
        labels, sizes, n_dropped = _sizes_of(files, gold, missing, header, input_format)
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
    print_result(
        render_bounds(found, format, witness=near, labels=labels, n_dropped=n_dropped),
        format,
        bounds_notes(found, witness=near, n_dropped=n_dropped),
    )


def _versus(f1_of_averages: str | None, averaged_f1: str | None, other: str, n_classes: int | None) -> NoFlipResult:
    if f1_of_averages is not None and averaged_f1 is None:
        return no_flip(f1_of_averages=(f1_of_averages, other), n_classes=n_classes)
    if averaged_f1 is not None and f1_of_averages is None:
        return no_flip(averaged_f1=(averaged_f1, other), n_classes=n_classes)
    raise InputError("--versus needs the first system's score: expected --f1-of-averages or --averaged-f1, one")


def _sizes(text: str) -> list[int]:
    sizes = []
    for field in text.split(","):
        if not field.strip().isascii() or not field.strip().isdigit():
            raise InputError(f"--support {text!r}: expected whole numbers of gold rows joined by commas: 1202,2330")
        sizes.append(int(field))
    return sizes


def _sizes_of(
    files: list[str], gold: str | None, missing: Missing, header: bool, input_format: str | None
) -> tuple[list[str], list[int], int]:
    """Return the gold classes, how many rows each has, and how many rows lack a label."""
    from macrof1.counting.tables import count_file_cells
    from macrof1.reading.sources import opened, resolve

    if any(map(is_saved, files)):
        counts = read_counts(files, gold=gold, missing=missing, header=header, file_format=input_format)
    else:
        column = gold
        if "-" not in files:  # standard input can be read once only
            with opened(files, header, input_format) as tables:  # type: ignore[arg-type]  # it checks the format
                column = resolve(tables[0], gold, "gold")
        elif gold is None:
            raise InputError("no gold column named for standard input: expected --gold COLUMN, a name or a position")
        with warnings.catch_warnings():
            # Gold against itself: only the sizes of the classes are asked for.
            warnings.simplefilter("ignore", UserWarning)
            counts = count_file_cells(
                files,
                gold=column,
                pred=column,
                missing=missing,
                header=header,
                file_format=input_format,
            )
    tallied = counts if isinstance(counts, ClassCounts) else counts.class_counts()
    if tallied.weighted:
        raise InputError(f"{files[0]} holds weights: expected counts of whole rows")
    # Saved counts may hold classes that were predicted and never gold.
    sizes = {label_key(label): n for label, n in zip(tallied.labels, tallied.actual, strict=True) if n}
    return [label_text(label) for _, label in sizes], list(map(int, sizes.values())), tallied.n_dropped
