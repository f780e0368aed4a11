"""`mf1 bounds`: how much the choice of formula could matter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from macrof1.cli.parsing import Given
from macrof1.cli.printing import print_document
from macrof1.cli.reading import running
from macrof1.errors import InputError
from macrof1.request import Request

if TYPE_CHECKING:
    from macrof1.bounding.bounds import NoFlipResult


@dataclass(frozen=True, slots=True)
class _Sizes:
    """How many gold rows each class has, and what is known about their source."""

    sizes: list[int] | None = None
    labels: list[str] | None = None
    n_dropped: int = 0


def bounds(given: Given) -> None:
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
    from macrof1.reporting.rendering import document

    scores = {name: given[name] for name in ("precision", "recall", "f1_of_averages", "averaged_f1")}
    support, versus, n_classes = (given[name] for name in ("support", "versus", "n_classes"))
    request = given.request()
    _check(given, request)
    if versus is not None:
        compared = _versus({**scores, "support": support}, versus, n_classes)
        print_document(given, document(compared))
        return
    of = _sizes_of(request) if request.files else _Sizes() if support is None else _Sizes(_sizes(support))
    with progress_bar("searching"):
        found = bounds_of(n_classes=n_classes, **scores, support=of.sizes)
    near = witness(n_classes, closeness=given["closeness"]) if n_classes is not None and not found.given else None
    print_document(given, document(found, witness=near, labels=of.labels, n_dropped=of.n_dropped))


def _check(given: Given, request: Request) -> None:
    """Reject options that cannot be combined."""
    request.check("bounds", *(("rows", "counts") if request.files else ("nothing",)))
    if request.files:
        return
    if not given.arguments("format", "closeness"):
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


def _sizes_of(request: Request) -> _Sizes:
    """Return the gold classes, the number of rows of each, and the number of rows without a label."""
    from macrof1.counts import class_counts_of
    from macrof1.labels import label_key, label_text
    from macrof1.running.jobs import read_counts

    with running(replace(request, gold_only=True)) as asked:
        tallied = class_counts_of(read_counts(asked, "bounds").total)
    if tallied.real:
        raise InputError(f"{request.files[0]} holds weights", given=request.files[0], expected="counts of whole rows")
    # Saved counts may contain classes that were predicted but never gold.
    sizes = {label_key(label): n for label, n in zip(tallied.labels, tallied.actual, strict=True) if n}
    return _Sizes(list(map(int, sizes.values())), [label_text(label) for _, label in sizes], tallied.n_dropped)
