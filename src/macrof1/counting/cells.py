"""The rows of a group-by, and how they become counts: shared by files and data frames.

A cell is one combination of gold, predicted (and group) with its number of rows. Whichever engine grouped the rows,
the rules for missing labels, class sets, groups, weights and counts of rows are applied here, once. Rows may have one
label, or a set of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from macrof1.convention import UNKNOWN_GOLD
from macrof1.counting.confusion import Confusion
from macrof1.counts import (
    EXACT_FLOAT,
    NO_ROWS,
    AnyCounts,
    ClassCounts,
    Group,
    GroupedCounts,
    RowSource,
    checked_sum,
    exact_sum,
    group_text,
    trusted_counts,
)
from macrof1.errors import CountError, EmptyError, LabelError, MissingLabelError, quote_some
from macrof1.labels import (
    Label,
    Missing,
    canonical,
    check_comparable,
    check_listed,
    checked_labels,
    class_order,
    in_order,
    label_key,
)
from macrof1.message import Argument, Message, Note
from macrof1.reading.numbers import decimal_mark, is_number

if TYPE_CHECKING:
    from macrof1.sampling.patterns import Patterns

LabelSet: TypeAlias = frozenset[tuple[type, Label | None]]
"""The labels of one row, as keys that keep 1, "1" and True distinct."""

_PLAIN_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class Cell(NamedTuple):
    """Rows with the same gold label, predicted label and group; `amount` is their number or their total weight."""

    gold: Any
    pred: Any
    rows: int
    amount: int | float
    group: Group = ()

    @property
    def is_whole(self) -> bool:
        """Whether no label is missing."""
        return self.gold is not None and self.pred is not None


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
    gold: str = UNKNOWN_GOLD  # the digest of the gold column

    def grouped(self, cells: list[Cell], by: Sequence[str]) -> GroupedCounts:
        """Return the counts per group, if there are columns to group by, and of all together."""
        self.check_missing(cells)
        sides = [side for cell in self.kept(cells) for side in (cell.gold, cell.pred)]
        if isinstance(cells[0].gold, frozenset):
            listed = self.listed({kind for side in sides for kind, _ in side})
        else:
            listed = self.listed({type(label) for label in sides if label is not None})
        total = self._counted(cells, listed, self.notes, checked=True)
        if not by:
            return GroupedCounts(by=(), groups=(), total=total, gold=self.gold)
        parts: dict[Any, list[Cell]] = {}
        for cell in cells:
            parts.setdefault(group_key(cell.group), []).append(cell)
        ordered = groups_in_order(own[0].group for own in parts.values())
        empty = [group for group in ordered if not self.kept(parts[group_key(group)])]
        if empty:
            raise EmptyError(
                f"{self.source}: all rows of group {group_text(by, empty[0])} lack a label",
                argument="missing",
                expected="a row to score in every group",
                hint=Message("leave the group out, or use ", Argument("missing", "label")),
            )
        groups = tuple((group, self._counted(parts[group_key(group)], listed, checked=False)) for group in ordered)
        return GroupedCounts(by=tuple(by), groups=groups, total=total, gold=self.gold)

    def check_missing(self, cells: list[Cell]) -> None:
        """Reject a table without rows to count."""
        n_rows, n_gone = sum(cell.rows for cell in cells), sum(cell.rows for cell in cells if not cell.is_whole)
        if not n_rows:
            raise EmptyError.nothing(f"{self.source}: the table")
        if n_gone and self.missing == "error":
            raise MissingLabelError.found(rows=n_gone, total=n_rows, where=self.where)
        if n_gone == n_rows and self.missing == "drop":
            raise EmptyError.all_dropped(n_rows).at(self.source)

    def kept(self, cells: list[Cell]) -> list[Cell]:
        """Return the rows that count by the policy for missing labels."""
        return [cell for cell in cells if cell.is_whole] if self.missing == "drop" else cells

    def _counted(
        self, cells: list[Cell], listed: list[object] | None, notes: tuple[Note, ...] = (), *, checked: bool
    ) -> AnyCounts:
        if isinstance(cells[0].gold, frozenset):
            names = None if listed is None else checked_labels(listed)
            return Part(cells).counts(names, checked=checked, weighted=self.weighted, notes=notes)
        kept = self.kept(cells)
        n_rows = sum(cell.rows for cell in kept)
        found = Confusion.from_cells(
            ((cell.gold, cell.pred, cell.amount) for cell in kept), labels=listed, n_rows=n_rows,
            n_dropped=sum(cell.rows for cell in cells) - n_rows, weighted=self.weighted, checked=checked,
        )  # fmt: skip
        return replace(found, notes=notes) if notes else found

    def listed(self, kinds: set[type]) -> list[object] | None:
        """Return the class set in the types of the labels."""
        if self.labels is None:
            return None
        if isinstance(self.labels, str):
            return self.labels  # type: ignore[return-value]  # rejected, with a hint, by the class-set check
        if self.labels_are_text:
            return typed_labels(self.labels, kinds)
        # As in the column itself, 1.0 means 1 beside integers.
        whole = kinds == {int}
        return [whole_number(label) if whole and isinstance(label, float) else label for label in self.labels]


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


def whole_number(value: object) -> object:
    """Return the integer that an integer-valued float stands for: pandas makes integers with nulls floats."""
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
    label = LabelError.located(where, lambda: whole_number(canonical(value)))
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


def checked_weight(value: Any, *, text: bool) -> int | Fraction:
    """Return the weight of a row exactly; in text, a comma is decimal, and refused where it could mean thousands."""
    number: int | float = math.nan
    if text and isinstance(value, str):
        if "," in value and is_number(value) and decimal_mark([value], local=True) == ",":
            value = value.replace(",", ".")
        if _PLAIN_NUMBER.fullmatch(value):
            number = int(value) if value.isdecimal() and len(value) < 4000 else float(value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        number = value
    if not 0 <= number < math.inf:
        raise bad_weight(f"the weight is {value!r}")
    if isinstance(number, int) or number.is_integer():
        return int(number)
    return Fraction(number)


def checked_count(value: Any, where: str = "") -> int:
    """Return how many rows a line stands for; whole numbers with decimals, as pandas writes them, are taken."""
    if isinstance(value, str) and value.isdecimal() and value.isascii() and len(value) < 19:
        return int(value)
    with suppress(CountError):
        number = checked_weight(value, text=True)
        if isinstance(number, int) and number < 2**63 and not re.search(r",|\.\d{3}$", str(value)):  # thousands
            return number
    problem = f"the count is {value!r}"
    raise CountError(
        f"{where}: {problem}" if where else problem,
        argument="count",
        given=value,
        expected="a whole number, 0 or larger, in every row",
    )


def weighted_sum(weights: Sequence[tuple[int | Fraction, int]], where: str) -> int | float:
    """Return the sum of weights, each taken some times, rounded once."""
    if all(isinstance(weight, int) for weight, _ in weights):
        return sum(int(weight) * times for weight, times in weights)
    terms: list[float] = []
    try:
        for weight, times in weights:
            terms.append(float(weight * times))
            if times > 1 or isinstance(weight, int):
                terms.append(float(weight * times - Fraction(terms[-1])))  # what rounding has lost
        return math.fsum(terms)
    except OverflowError:
        raise CountError(f"{where}: the weights sum to infinity", expected="a finite total") from None


def too_heavy(where: str) -> CountError:
    """Report weights whose sum does not fit in a 64-bit integer."""
    return CountError(
        f"{where}: the weights, or their sum, are or could be more than 2**63 - 1",
        argument="weight",
        expected="a total that fits 63 bits",
    )


def bad_weight(problem: str) -> CountError:
    """Report what is no weight."""
    return CountError(problem, argument="weight", expected="a finite number, 0 or larger, in every row")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SetRows(RowSource):
    """The rows behind counts per label: distinct pairs of label sets."""

    cells: tuple[Cell, ...]
    labels: tuple[Label | None, ...]
    n_listed: int | None
    weighted: bool
    notes: tuple[Note, ...] = ()

    def patterns(self) -> Patterns:
        """Return the distinct rows."""
        from macrof1.sampling.joint import patterns_of_cells

        return patterns_of_cells(self)

    def renamed(self, name: Callable[[Any], Any]) -> ClassCounts:
        """Count the same rows with other names of labels; a row with two labels that are now the same has it once."""

        def renamed(labels: LabelSet) -> LabelSet:
            return frozenset(label_key(name(label)) for _, label in labels)

        cells = [cell._replace(gold=renamed(cell.gold), pred=renamed(cell.pred)) for cell in self.cells]
        listed = None if self.n_listed is None else self.labels[: self.n_listed]
        return Part(cells).counts(listed, checked=False, weighted=self.weighted, notes=self.notes)


class Part:
    """The counts of rows with label sets, and the cells they come from, if known."""

    def __init__(self, cells: Sequence[Cell] = (), rows: int = 0) -> None:
        self.cells, self.rows = tuple(cells), rows or sum(cell.rows for cell in cells)
        self.sums: dict[tuple[type, Any], tuple[list[int | float], ...]] = {}  # tp, predicted, actual
        for cell in cells:
            self.add(cell.gold, cell.pred, cell.amount)

    def add(self, gold: AbstractSet[Any], pred: AbstractSet[Any], amount: float) -> None:
        """Add rows with these keys of labels."""
        for place, keys in enumerate((gold & pred, pred, gold)):
            for key in keys:
                self.sums.setdefault(key, ([], [], []))[place].append(amount)

    def counts(
        self, listed: tuple[Label | None, ...] | None, *, checked: bool, weighted: bool, **facts: Any
    ) -> ClassCounts:
        """Return the counts, and their rows with these facts; `checked`: reject sides with nothing in common."""
        if checked and self.sums:
            gold, pred = ([label for (_, label), sums in self.sums.items() if sums[side]] for side in (2, 1))
            check_comparable(gold, pred)
            check_listed(listed, self.sums)
        names = class_order((label for _, label in self.sums), listed)
        if checked and not names:
            raise EmptyError.no_labels()
        rows = [self.sums.get(label_key(name), ([], [], [])) for name in names]
        columns = [checked_sum([exact_sum(row[place]) for row in rows]) for place in range(3)]
        real = any(isinstance(sum(column), float) for column in columns)
        arrays = tuple(np.array(column, np.float64 if real else np.int64) for column in columns)
        own: dict[str, Any] = {"labels": names, "n_listed": None if listed is None else len(listed)}
        own["rows"] = SetRows(cells=self.cells, weighted=weighted, **own, **facts) if self.cells else NO_ROWS
        return trusted_counts(columns=arrays, n_rows=self.rows, task="multilabel", weighted=weighted, **own)


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
    """Read labels in one field with a separator between them; spaces around a label are dropped."""
    if not text.strip():
        return frozenset()
    labels = [label.strip() for label in text.split(None if mark.isspace() else mark)]
    if not all(labels):
        raise LabelError(f"{where} has an empty label in {text!r}", expected=f"a label on both sides of every {mark!r}")
    return frozenset(map(label_key, labels))
