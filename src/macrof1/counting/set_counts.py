"""Per-label sums over rows that carry several labels: shared by files and data frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from macrof1.counting.cells import Cell, column_label, group_key, groups_in_order
from macrof1.counts import ClassCounts, Group, GroupedCounts, RowSource, checked_sum, exact_sum, trusted_counts
from macrof1.errors import EmptyError, InputError, LabelError, MissingLabelError
from macrof1.labels import Label, check_comparable, check_listed, class_order, label_key
from macrof1.message import Argument, Message, Note

if TYPE_CHECKING:
    from macrof1.sampling.patterns import Patterns

LabelSet: TypeAlias = frozenset[tuple[type, Label | None]]
"""The labels of one row, as keys that keep 1, "1" and True distinct."""

# tp, predicted and actual of one label, each a list of amounts to be summed.
_Sums = tuple[list[int | float], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SetRows(RowSource):
    """The rows behind counts per label, as distinct pairs of label sets, and what was noticed when they were read.

    Attributes
    ----------
    cells
        The distinct pairs; None if an engine summed one column per label.
    labels, n_listed, weighted
        As in the counts.
    """

    cells: tuple[Cell, ...] | None
    labels: tuple[Label | None, ...]
    n_listed: int | None
    weighted: bool
    notes: tuple[Note, ...] = ()

    @property
    def is_matrix(self) -> bool:
        """Whether every label has a column of its own."""
        return self.cells is None

    def patterns(self) -> Patterns:
        """Return the distinct rows."""
        from macrof1.sampling.label_sets import patterns_of_cells

        return patterns_of_cells(self) if self.cells is not None else RowSource.patterns(self)

    def renamed(self, name: Callable[[Any], Any]) -> ClassCounts:
        """Count the same rows with other names of labels; a row with two labels that are now the same has it once."""
        if self.cells is None:
            raise InputError(
                Message(Argument("normalize"), " with one column per label"),
                expected="lists of labels",
                hint="rename the columns",
            )
        cells = [replace(cell, gold=_renamed(cell.gold, name), pred=_renamed(cell.pred, name)) for cell in self.cells]
        listed = None if self.n_listed is None else self.labels[: self.n_listed]
        return _pooled(cells).counts(listed, checked=False, weighted=self.weighted, notes=self.notes)


def _renamed(labels: LabelSet, name: Callable[[Any], Any]) -> LabelSet:
    return frozenset(label_key(name(label)) for _, label in labels)


class Part:
    """The counts of one group, and the cells they come from, if known."""

    def __init__(self, cells: list[Cell] | None = None) -> None:
        self.cells = cells
        self.rows = 0
        self.sums: dict[tuple[type, Any], _Sums] = {}

    def add(self, gold: AbstractSet[Any], pred: AbstractSet[Any], amount: float) -> None:
        """Add rows with these keys of labels."""
        for place, keys in enumerate((gold & pred, pred, gold)):
            for key in keys:
                self.sums.setdefault(key, ([], [], []))[place].append(amount)

    def counts(
        self, listed: tuple[Label | None, ...] | None, *, notes: tuple[Note, ...] = (), **options: Any
    ) -> ClassCounts:
        """Return the counts with their cells; options as in `facts`."""
        facts = self.facts(listed, **options)
        rows = SetRows(
            cells=None if self.cells is None else tuple(self.cells),
            notes=notes,
            **{name: facts[name] for name in ("labels", "n_listed", "weighted")},
        )
        return trusted_counts(rows=rows, **facts)

    def facts(self, listed: tuple[Label | None, ...] | None, *, checked: bool, weighted: bool) -> dict[str, Any]:
        """Return what counts are made of; with `checked`, reject sides or class sets that have nothing in common."""
        if checked and self.sums:
            check_comparable(
                [label for (_, label), sums in self.sums.items() if sums[2]],
                [label for (_, label), sums in self.sums.items() if sums[1]],
            )
            check_listed(listed, self.sums)
        names = class_order((label for _, label in self.sums), listed)
        if not names:
            raise EmptyError.no_labels()
        rows = [self.sums.get(label_key(name), ([], [], [])) for name in names]
        columns = [
            checked_sum([each[0] if len(each) == 1 else exact_sum(each) for each in amounts])
            for amounts in zip(*rows, strict=True)
        ]
        real = any(isinstance(sum(column), float) for column in columns)
        arrays = tuple(np.array(column, np.float64 if real else np.int64) for column in columns)
        for array in arrays:
            array.setflags(write=False)
        return {
            "labels": names,
            "columns": arrays,
            "n_rows": self.rows,
            "n_listed": None if listed is None else len(listed),
            "task": "multilabel",
            "weighted": weighted,
        }


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
    groups: dict[Any, tuple[Group, list[Cell]]] = {}
    for cell in cells:
        groups.setdefault(group_key(cell.group), (cell.group, []))[1].append(cell)
    return [(group, _pooled(own)) for group, own in groups.values()]


def _pooled(cells: list[Cell]) -> Part:
    part = Part(cells)
    for cell in cells:
        part.rows += cell.rows
        part.add(cell.gold, cell.pred, cell.amount)
    return part


def grouped_sets(
    parts: Sequence[tuple[Group, Part]],
    listed: tuple[Label | None, ...] | None,
    by: Sequence[str],
    source: str,
    *,
    weighted: bool,
    notes: tuple[Note, ...] = (),
) -> GroupedCounts:
    """Return the counts of every group, and of all together."""
    if not sum(part.rows for _, part in parts):
        raise EmptyError.nothing(source)
    known = [part.cells for _, part in parts]
    total = Part(None if None in known else [cell for cells in known for cell in cells or ()])
    for _, part in parts:
        total.rows += part.rows
        for label, sums in part.sums.items():
            for place, amounts in enumerate(sums):
                total.sums.setdefault(label, ([], [], []))[place].extend(amounts)
    pooled = total.counts(listed, checked=True, weighted=weighted, notes=notes)
    if not by:
        return GroupedCounts(by=(), groups=(), total=pooled)
    counts = {group_key(group): part.counts(listed, checked=False, weighted=weighted) for group, part in parts}
    ordered = groups_in_order(group for group, _ in parts)
    return GroupedCounts(by=tuple(by), groups=tuple((key, counts[group_key(key)]) for key in ordered), total=pooled)
