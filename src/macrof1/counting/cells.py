"""The rows of a group-by, and how they become counts: shared by files and data frames.

A cell is one combination of gold, predicted (and group) with its number of rows. Whichever engine grouped the
rows, the rules for missing labels, class sets and groups are applied here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from macrof1.counting.confusion import Confusion
from macrof1.counting.weights import checked_count
from macrof1.counts import EXACT_FLOAT, Group, GroupedCounts, exact_sum, group_text
from macrof1.errors import CountError, EmptyError, LabelError, MissingLabelError, quote_some
from macrof1.labels import Label, Missing, canonical, in_order, label_key
from macrof1.message import Argument, Message, Note


@dataclass(frozen=True, slots=True)
class Cell:
    """Rows with the same gold label, predicted label and group; `amount` is their number or their total weight."""

    gold: Any
    pred: Any
    rows: int
    amount: int | float
    group: Group = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRules:
    """How cells become counts: the class set, the policy for missing labels, and the data's name in messages."""

    labels: Iterable[object] | None
    missing: Missing
    source: str
    where: str
    weighted: bool = False
    labels_are_text: bool = False
    notes: tuple[Note, ...] = ()

    def grouped(self, cells: list[Cell], by: Sequence[str]) -> GroupedCounts:
        """Return the counts per group, if there are columns to group by, and of all together."""
        kept, n_dropped = self._kept(cells)
        listed = self.listed(_kinds(kept))
        total = replace(self._confusion(kept, listed, n_dropped), notes=self.notes)
        if not by:
            return GroupedCounts(by=(), groups=(), total=total)
        parts: dict[tuple[Any, ...], list[Cell]] = {}
        dropped: dict[tuple[Any, ...], int] = {}
        for cell in kept:
            parts.setdefault(group_key(cell.group), []).append(cell)
        for cell in cells:
            if self.missing == "drop" and (cell.gold is None or cell.pred is None):
                key = group_key(cell.group)
                dropped[key] = dropped.get(key, 0) + cell.rows
                if key not in parts:
                    raise EmptyError(
                        f"{self.source}: all rows of group {group_text(by, cell.group)} lack a label",
                        argument="missing",
                        expected="a row to score in every group",
                        hint=Message("leave the group out, or use ", Argument("missing", "label")),
                    )
        groups = {key: self._confusion(part, listed, dropped.get(key, 0), checked=False) for key, part in parts.items()}
        ordered = groups_in_order([part[0].group for part in parts.values()])
        return GroupedCounts(by=tuple(by), groups=tuple((key, groups[group_key(key)]) for key in ordered), total=total)

    def _confusion(
        self, cells: list[Cell], listed: list[object] | None, n_dropped: int, *, checked: bool = True
    ) -> Confusion:
        return Confusion.from_cells(
            merged((cell.gold, cell.pred, cell.amount) for cell in cells),
            labels=listed,
            n_rows=sum(cell.rows for cell in cells),
            n_dropped=n_dropped,
            weighted=self.weighted,
            checked=checked,
        )

    def _kept(self, cells: list[Cell]) -> tuple[list[Cell], int]:
        n_rows = sum(cell.rows for cell in cells)
        if not n_rows:
            raise EmptyError.nothing(f"{self.source}: the table")
        n_gone = sum(cell.rows for cell in cells if cell.gold is None or cell.pred is None)
        if n_gone and self.missing == "error":
            raise MissingLabelError.found(rows=n_gone, total=n_rows, where=self.where)
        if self.missing != "drop":
            return cells, 0
        if n_gone == n_rows:
            raise EmptyError.all_dropped(n_rows).at(self.source)
        return [cell for cell in cells if cell.gold is not None and cell.pred is not None], n_gone

    def listed(self, kinds: set[type]) -> list[object] | None:
        """Return the class set in the types of the labels."""
        if self.labels is None:
            return None
        if isinstance(self.labels, str):
            return self.labels  # type: ignore[return-value]  # rejected, with a hint, by the class-set check
        listed = list(self.labels)
        return typed_labels(listed, kinds) if self.labels_are_text else [_like_column(label, kinds) for label in listed]


def _kinds(cells: list[Cell]) -> set[type]:
    return {type(label) for cell in cells for label in (cell.gold, cell.pred) if label is not None}


def _like_column(label: object, kinds: set[type]) -> object:
    """Let 1.0 in a class set mean 1 if the column holds integers, as in the column itself."""
    return whole_number(label) if kinds == {int} and isinstance(label, float) else label


def typed_labels(labels: Iterable[object], kinds: set[type]) -> list[object]:
    """Convert labels typed as text to the type of the data's labels, if they all have the same type."""
    typed: list[object] = []
    for label in labels:
        text = str(label)
        if kinds == {int} and text.removeprefix("-").isdecimal():
            typed.append(int(text))
        elif kinds == {bool}:
            typed.append({"true": True, "false": False}.get(text.lower(), text))
        else:
            typed.append(label)
    return typed


def merged(records: Iterable[tuple[Any, Any, int | float]]) -> list[tuple[Any, Any, int | float]]:
    """Merge records of the same pair; real weights are rounded once, so their order does not change a bit."""
    found: dict[Any, tuple[Any, Any, list[int | float]]] = {}
    for gold, pred, amount in records:
        key = label_key(gold), label_key(pred)
        if key in found:
            found[key][2].append(amount)
        else:
            found[key] = gold, pred, [amount]
    return [(gold, pred, exact_sum(amounts)) for gold, pred, amounts in found.values()]


def whole_number(value: object) -> object:
    """Return the integer that an integer-valued float stands for.

    Engines disagree on integers with nulls (pandas makes them floats), so in columns 1.0 is the label 1.
    """
    if not isinstance(value, float) or not value.is_integer():
        return value
    if abs(value) >= EXACT_FLOAT:
        raise LabelError(
            f"{value!r} is a whole number beyond 2**53 in a column of reals, where different ones become equal",
            expected="a column of integers or of text",
        )
    return int(value)


def column_label(value: object, where: str) -> Label | None:
    """Return the label that an engine's value stands for; None if it is missing."""
    try:
        label = whole_number(canonical(value))
    except LabelError as error:
        raise error.at(where) from None
    if label is not None and not isinstance(label, (str, int, bytes)):
        raise LabelError(
            f"{where} holds {quote_some([label])} of type {type(label).__name__}",
            expected="strings, whole numbers or booleans",
        )
    return label


def column_labels(where: str) -> Callable[[Any], Label | None]:
    """Return `column_label` for one column: it examines each distinct value once, not once per cell."""
    known: dict[tuple[type, Any], Label | None] = {}

    def read(value: Any) -> Label | None:
        key = type(value), value
        try:
            return known[key]
        except KeyError:
            return known.setdefault(key, column_label(value, where))
        except TypeError:  # an object of a JSON file, which is not a valid label
            return column_label(value, where)

    return read


def group_value(value: object) -> object:
    """Return an engine's value as plain Python; missing values become None."""
    if hasattr(value, "item") and type(value).__module__ == "numpy":
        value = value.item()
    if type(value).__name__ in {"NAType", "NaTType"} or (isinstance(value, float) and value != value):
        return None
    return whole_number(value)


def times_count(cells: Iterable[Cell], where: str) -> list[Cell]:
    """Take each cell as often as the last value of its group says, which is how many rows a row stands for."""
    found = []
    for cell in cells:
        try:
            n = checked_count(cell.group[-1])
        except CountError as error:
            raise error.at(where) from None
        if n:
            found.append(Cell(cell.gold, cell.pred, cell.rows * n, cell.amount * n, cell.group[:-1]))
    return found


def group_key(group: Group) -> tuple[Any, ...]:
    """Return a dictionary key that keeps 1, "1" and True distinct."""
    return tuple(label_key(value) for value in group)


def groups_in_order(groups: Iterable[Group]) -> list[Group]:
    """Sort groups column by column, each by kind and value; missing last."""
    listed = list(groups)
    if not listed:
        return []
    ranks = []
    for column in range(len(listed[0])):
        distinct = {label_key(group[column]): group[column] for group in listed}
        ranks.append({label_key(value): rank for rank, value in enumerate(in_order(distinct.values()))})
    return sorted(listed, key=lambda group: [rank[label_key(value)] for rank, value in zip(ranks, group, strict=True)])
