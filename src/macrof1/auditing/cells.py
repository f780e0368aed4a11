"""Per-class counts as evidence: tp, fp and fn of every class, and tn, which gives the number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from macrof1.auditing.figures import Figure
from macrof1.auditing.intervals import ERRORS, Key, Report
from macrof1.convention import Task
from macrof1.errors import InputError

Cells: TypeAlias = Mapping[str, Mapping[str, int | None]]
"""tp, fp, fn and tn of each class; None if not given."""


def with_counts(
    figures: dict[Key, Figure],
    labels: tuple[str, ...],
    sizes: Mapping[str, int],
    cells: Cells,
    *,
    n_classes: int | None,
    task: Task | None,
    where: str = "",
) -> Report:
    """Combine figures, class sizes and per-class counts; `where` is the prefix of error messages.

    With two classes, the four cells of one determine those of the other. If the counts of the listed classes cover all
    rows, no row is left for another class.
    """
    errors = _errors(cells)
    rest = {label: tn for label in errors if (tn := cells[label].get("tn")) is not None}
    n_rows = _n_rows({label: sum(errors[label]) + tn for label, tn in rest.items()}, where)
    if n_rows is not None and len(labels) == 1 and n_classes in (None, 2):
        (label,), ((_, fp, fn),) = labels, errors.values()
        labels, n_classes = (label, f"not {label}"), 2
        errors[labels[1]] = (rest[label], fn, fp)
    listed = len(errors) == len(labels) and n_classes in (None, len(labels))
    predicted, gold = (sum(tp + one[place] for tp, *one in errors.values()) for place in (0, 1))
    all_sizes = {**{label: tp + fn for label, (tp, _, fn) in errors.items()}, **sizes}
    return Report(
        figures,
        labels,
        n_classes or len(labels) or None,
        tuple(all_sizes.get(label) for label in labels),
        # With one label per row, there are as many predicted labels as gold labels.
        task != "multilabel" and not (listed and predicted != gold),
        errors,
        complete=task == "multiclass" or n_classes == len(labels) or (listed and n_rows == predicted == gold),
    )


def _errors(cells: Cells) -> dict[str, tuple[int, int, int]]:
    """Return tp, fp and fn of each class that has all three."""
    found = {}
    for label, of_class in cells.items():
        tp, fp, fn = (of_class.get(kind) for kind in ERRORS)
        if tp is not None and fp is not None and fn is not None:
            found[label] = (tp, fp, fn)
    return found


def _n_rows(by_class: Mapping[str, int], where: str) -> int | None:
    """Return the number of rows, which must be the same for every class; None without tn."""
    if len(set(by_class.values())) > 1:
        (first, one), (second, other) = sorted(by_class.items(), key=lambda item: item[1])[:: len(by_class) - 1]
        raise InputError(
            f"{where}tp, fp, fn and tn of {first} add up to {one} rows, those of {second} to {other}",
            argument="per_class",
            given=dict(by_class),
            expected="the same number of rows for every class",
        )
    return next(iter(by_class.values()), None)
