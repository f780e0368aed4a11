"""`mf1 bounds`: how much the choice of formula could matter."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from macrof1.cli.options import Format, GoldOptions, MoreFiles, PredictionOptions
from macrof1.cli.printing import print_result
from macrof1.cli.reading import given_files, read_parts, refuse_without_file
from macrof1.errors import InputError
from macrof1.message import Argument, Message

if TYPE_CHECKING:
    from macrof1.bounding.bounds import NoFlipResult


@dataclass(frozen=True, slots=True)
class _Sizes:
    """How many gold rows each class has, and what is known about their source."""

    sizes: list[int] | None = None
    labels: list[str] | None = None
    n_dropped: int = 0


def bounds(
    file: Annotated[
        str | None,
        "A data file with one gold label per row: the largest gap that any classifier could have on it. Files "
        "as for mf1 score, or counts that mf1 count saved.",
    ] = None,
    /,
    *more: MoreFiles,
    reading: GoldOptions,
    support: Annotated[str | None, "Gold rows per class instead of a file: 1202,2330."] = None,
    n_classes: Annotated[
        int | None, "The number of classes. Alone: the supremum of the gap, and a matrix that comes close."
    ] = None,
    precision: Annotated[str | None, "Macro precision, with --recall: the range of averaged F1."] = None,
    recall: Annotated[str | None, "Macro recall, with --precision."] = None,
    f1_of_averages: Annotated[str | None, "F1 of averages: the range of averaged F1."] = None,
    averaged_f1: Annotated[str | None, "Averaged F1: the range of F1 of averages."] = None,
    versus: Annotated[
        str | None, "The same score of a second system: can the other formula rank the two differently?"
    ] = None,
    closeness: Annotated[str, "How close to the supremum the matrix of --n-classes comes."] = "0.001",
    format: Format = "text",
) -> None:
    """Show how large the gap can be: in theory, given reported scores, or on your data.

    - `mf1 bounds --n-classes 3`
    - `mf1 bounds --precision 0.7 --recall 0.6 --n-classes 2`
    - `mf1 bounds --f1-of-averages 0.8`
    - `mf1 bounds --f1-of-averages 0.9 --versus 0.7`
    - `mf1 bounds --support 1202,2330`
    - `mf1 bounds data.csv --gold label`

    Scores are read as exact, however few digits they have; mf1 audit reads them as rounded.
    """
    from macrof1.bounding.bounds import bounds as bounds_of
    from macrof1.bounding.witness import witness
    from macrof1.cli.progress import progress_bar
    from macrof1.reporting.bounds import bounds_notes, no_flip_notes, render_bounds, render_no_flip

    files = given_files(file, more)
    scores = {
        "precision": precision,
        "recall": recall,
        "f1_of_averages": f1_of_averages,
        "averaged_f1": averaged_f1,
    }
    _check(files, reading, {"support": support, **scores, "versus": versus}, n_classes)
    if versus is not None:
        compared = _versus({**scores, "support": support}, versus, n_classes)
        print_result(render_no_flip(compared, format), format, no_flip_notes(compared))
        return
    of = _sizes_of(files, reading) if files else _Sizes() if support is None else _Sizes(_sizes(support))
    with progress_bar("searching"):
        found = bounds_of(n_classes=n_classes, **scores, support=of.sizes)
    near = witness(n_classes, closeness=closeness) if n_classes is not None and not found.given else None
    print_result(
        render_bounds(found, format, witness=near, labels=of.labels, n_dropped=of.n_dropped),
        format,
        bounds_notes(found, witness=near, n_dropped=of.n_dropped),
    )


def _check(files: list[str], reading: GoldOptions, beside: dict[str, Any], n_classes: int | None) -> None:
    """Reject options that cannot be combined."""
    given = [Argument(name, value) for name, value in beside.items() if value is not None]
    if files:
        for each in given:
            raise InputError.beside(each, Message("a file of gold labels"), expected="one of them")
        return
    refuse_without_file(reading.given(), "bounds")
    if not given and n_classes is None:
        raise InputError(
            "nothing given",
            expected="--n-classes, --precision and --recall, --f1-of-averages, --averaged-f1, --support, or a file of "
            "gold labels",
        )


def _versus(beside: dict[str, Any], other: str, n_classes: int | None) -> NoFlipResult:
    from macrof1.bounding.bounds import no_flip

    given = {name: (value, other) for name, value in beside.items() if value is not None}
    if list(given) not in (["f1_of_averages"], ["averaged_f1"]):
        raise InputError(
            "--versus needs the first system's score",
            argument="versus",
            given=other,
            expected="either --f1-of-averages or --averaged-f1",
        )
    return no_flip(**given, n_classes=n_classes)


def _sizes(text: str) -> list[int]:
    sizes = []
    for field in text.split(","):
        if not field.strip().isascii() or not field.strip().isdigit() or len(field) > 30:
            raise InputError(
                f"--support {text!r}",
                argument="support",
                given=text,
                expected="numbers of gold rows separated by commas, such as 1202,2330",
            )
        sizes.append(int(field))
    return sizes


def _sizes_of(files: list[str], reading: GoldOptions) -> _Sizes:
    """Return the gold classes, the number of rows of each, and the number of rows without a label."""
    from macrof1.counting.saved import holds_counts
    from macrof1.counting.tables import count_gold
    from macrof1.counts import ClassCounts
    from macrof1.labels import label_key, label_text
    from macrof1.reading.files import opened_files

    counts: Any
    with opened_files(files) as opened:
        if any(map(holds_counts, opened)):
            counts = read_parts(opened, PredictionOptions(**asdict(reading))).counts
        else:
            counts = count_gold(opened, **reading.arguments())
    tallied = counts if isinstance(counts, ClassCounts) else counts.class_counts()
    if tallied.real:
        raise InputError(f"{files[0]} holds weights", given=files[0], expected="counts of whole rows")
    # Saved counts may contain classes that were predicted but never gold.
    sizes = {label_key(label): n for label, n in zip(tallied.labels, tallied.actual, strict=True) if n}
    return _Sizes(list(map(int, sizes.values())), [label_text(label) for _, label in sizes], tallied.n_dropped)
