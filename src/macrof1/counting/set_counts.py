"""Per-label sums over rows that carry several labels: shared by files and data frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from macrof1.counting.array_counts import ArrayCounts
from macrof1.counting.cells import Cell, column_label, exact_sum, group_key, groups_in_order
from macrof1.counting.matrix import checked_total
from macrof1.counts import ClassCounts, Group, GroupedCounts
from macrof1.errors import EmptyError, LabelError, MissingLabelError
from macrof1.labels import Label, check_comparable, check_listed, class_order, label_key
from macrof1.message import Argument, Message

LabelSet: TypeAlias = frozenset[tuple[type, Label | None]]
"""The labels of one row, as keys that keep 1, "1" and True distinct."""

# tp, predicted and actual of one label, each a list of amounts to be summed.
_Sums = tuple[list[int | float], list[int | float], list[int | float]]


class Part:
    """The counts of one group."""

    def __init__(self) -> None:
        self.rows = 0
        self.sums: dict[tuple[type, Any], _Sums] = {}

    def add(self, label: tuple[type, Any], place: int, amount: float) -> None:
        """Add to tp, predicted or actual of a label."""
        self.sums.setdefault(label, ([], [], []))[place].append(amount)


def label_set(labels: Any, where: str) -> LabelSet:
    """Read a list of labels."""
    if labels is None or type(labels).__name__ == "NAType" or (isinstance(labels, float) and labels != labels):
        raise MissingLabelError(
            f"{where} has a row without a list", expected="one in every row", hint="no labels is []"
        )
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise LabelError(f"{where} has {labels!r} among lists", expected="a list of labels in every row")
    found = frozenset(label_key(column_label(label, where)) for label in labels)
    if any(label is None for _, label in found):
        raise MissingLabelError(f"{where} has a missing label in the list {list(labels)!r}", expected="labels only")
    return found


def split_labels(text: str, mark: str, where: str) -> LabelSet:
    """Read labels in one field with a separator between them; spaces around a label are dropped.

    Examples
    --------
    >>> sorted(label for _, label in split_labels("red; round", ";", "column 'gold'"))
    ['red', 'round']
    """
    if not text.strip():
        return frozenset()
    labels = [label.strip() for label in text.split(None if mark.isspace() else mark)]
    if not all(labels):
        raise LabelError(f"{where} has an empty label in {text!r}", expected=f"a label on both sides of every {mark!r}")
    return frozenset(map(label_key, labels))


def parts_of(cells: Iterable[Cell]) -> list[tuple[Group, Part]]:
    """Sum cells whose labels are sets, group by group."""
    parts: dict[Any, tuple[Group, Part]] = {}
    for cell in cells:
        _, part = parts.setdefault(group_key(cell.group), (cell.group, Part()))
        part.rows += cell.rows
        for place, keys in enumerate((cell.gold & cell.pred, cell.pred, cell.gold)):
            for key in keys:
                part.add(key, place, cell.amount)
    return list(parts.values())


def grouped_sets(
    parts: Sequence[tuple[Group, Part]],
    listed: tuple[Label | None, ...] | None,
    by: Sequence[str],
    source: str,
    *,
    weighted: bool,
) -> GroupedCounts:
    """Return the counts of every group, and of all together."""
    if not sum(part.rows for _, part in parts):
        raise EmptyError.nothing(source)
    total = Part()
    for _, part in parts:
        total.rows += part.rows
        for label, sums in part.sums.items():
            for place, amounts in enumerate(sums):
                total.sums.setdefault(label, ([], [], []))[place].extend(amounts)
    pooled = _class_counts(total, listed, checked=True, weighted=weighted)
    if not by:
        return GroupedCounts(by=(), groups=(), total=pooled)
    counts = {group_key(group): _class_counts(part, listed, checked=False, weighted=weighted) for group, part in parts}
    ordered = groups_in_order(group for group, _ in parts)
    return GroupedCounts(by=tuple(by), groups=tuple((key, counts[group_key(key)]) for key in ordered), total=pooled)


def _class_counts(part: Part, listed: tuple[Label | None, ...] | None, *, checked: bool, weighted: bool) -> ClassCounts:
    if checked and part.sums:
        check_comparable(
            [label for (_, label), sums in part.sums.items() if sums[2]],
            [label for (_, label), sums in part.sums.items() if sums[1]],
        )
        check_listed(listed, part.sums)
    names = class_order((label for _, label in part.sums), listed)
    if not names:
        raise EmptyError(
            "no row carries any label, gold or predicted",
            expected="at least one",
            hint=Message(Argument("labels"), " names the classes"),
        )
    columns = []
    for place in range(3):
        amounts = [exact_sum(part.sums.get(label_key(name), ([], [], []))[place]) for name in names]
        columns.append(np.array(amounts, dtype=None if amounts else np.int64))
    dtype = np.float64 if any(column.dtype.kind == "f" for column in columns) else np.int64
    tp, predicted, actual = (checked_total(column.astype(dtype)) for column in columns)
    return ArrayCounts(
        labels=names,
        tp=tp,
        predicted=predicted,
        actual=actual,
        n_rows=part.rows,
        n_listed=None if listed is None else len(listed),
        task="multilabel",
        weighted=weighted,
    )
