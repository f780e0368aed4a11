"""Distinct kinds of rows, how many of each, and which labels each touches: what resampling draws from.

A resampled row is a draw of its pattern, so that a whole resample is one multinomial draw over patterns. For
one system a pattern is a cell of its confusion matrix; for several systems it is gold with all predictions;
for several labels per row it is a pair of label sets. Rows themselves are never needed again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import Task
from macrof1.counts.arrays import _check_same_index
from macrof1.counts.codes import Codes, encode
from macrof1.counts.confusion import ClassCounts, Confusion
from macrof1.counts.labels import (
    Label,
    Missing,
    canonical,
    check_comparable,
    check_listed,
    checked_labels,
    checked_missing,
    class_order,
    label_key,
)
from macrof1.counts.multilabel import _indicator, _is_indicator, _is_sparse
from macrof1.errors import CountError, EmptyError, LabelError, LengthError, MissingLabelError

__all__ = ["LabelSets", "Patterns", "Touches", "joint_patterns"]


@dataclass(frozen=True, slots=True)
class Touches:
    """Which pattern carries which label: two parallel arrays, ordered by pattern."""

    pattern: NDArray[np.int64]
    label: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Patterns:
    """Rows as distinct patterns.

    Attributes
    ----------
    labels
        All labels of gold and of every system; a listed class set comes first.
    amounts
        How many rows have each pattern.
    gold
        The gold labels of each pattern.
    systems
        The predicted labels of each pattern, one entry per system.
    hits
        Parallel to `systems`: whether gold has the predicted label too.
    """

    labels: tuple[Label | None, ...]
    amounts: NDArray[np.int64]
    gold: Touches
    systems: tuple[Touches, ...]
    hits: tuple[NDArray[np.bool_], ...]
    n_listed: int | None = None
    n_dropped: int = 0
    task: Task = "multiclass"

    @classmethod
    def of_cells(cls, cells: Confusion) -> Patterns:
        """Take every cell of a confusion matrix as a pattern."""
        if cells.weighted:
            raise CountError(
                "the counts are real weights: expected whole numbers of rows, since the noise of a sample depends on "
                "how many rows there are"
            )
        gold, pred = np.divmod(cells.index, len(cells.labels))
        every = np.arange(len(gold))
        return cls(
            labels=cells.labels,
            amounts=np.asarray(cells.cells, np.int64),
            gold=Touches(every, gold),
            systems=(Touches(every, pred),),
            hits=(gold == pred,),
            n_listed=cells.n_listed,
            n_dropped=cells.n_dropped,
        )

    @property
    def n_rows(self) -> int:
        """Number of rows, which every resample has too."""
        return int(self.amounts.sum())

    def class_counts(self, system: int = 0) -> ClassCounts:
        """Return tp, predicted and actual of one system, over the labels that gold or this system has."""
        n = len(self.labels)
        touches, hit = self.systems[system], self.hits[system]
        columns = [np.zeros(n, np.int64) for _ in range(3)]
        sides = (
            (touches.label[hit], touches.pattern[hit]),
            (touches.label, touches.pattern),
            (self.gold.label, self.gold.pattern),
        )
        for column, (label, pattern) in zip(columns, sides, strict=True):
            np.add.at(column, label, self.amounts[pattern])
        at = self.class_places(system, inside=False)
        for column in columns:
            column.setflags(write=False)
        tp, predicted, actual = (column[at] for column in columns)
        return ClassCounts(
            labels=tuple(self.labels[place] for place in at.tolist()),
            tp=tp,
            predicted=predicted,
            actual=actual,
            n_rows=self.n_rows,
            n_listed=self.n_listed,
            n_dropped=self.n_dropped,
            task=self.task,
        )

    def class_places(self, system: int, *, inside: bool = True) -> NDArray[np.int64]:
        """Return where in `labels` the classes of one system stand: listed, or seen in gold or predicted."""
        n_listed = self.n_listed
        if inside and n_listed is not None:
            return np.arange(n_listed)
        seen = np.zeros(len(self.labels), np.bool_)
        seen[self.gold.label] = True
        seen[self.systems[system].label] = True
        seen[: n_listed or 0] = True
        return np.flatnonzero(seen)


def joint_patterns(
    gold: Any,
    systems: Mapping[str, Any],
    *,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
) -> Patterns:
    """Count the distinct combinations of gold and all systems' labels.

    Where most rows are distinct, as with many systems, each row stays a pattern of its own: the result is the
    same, and looking for equal rows would not pay.

    Examples
    --------
    >>> found = joint_patterns(["a", "a", "b"], {"x": ["a", "a", "a"], "y": ["b", "b", "b"]})
    >>> found.amounts.tolist(), found.class_counts(1).tp.tolist()
    ([2, 1], [0, 1])
    """
    policy = checked_missing(missing)
    if any(_is_indicator(side) or _holds_sets(side) for side in (gold, *systems.values())):
        return _joint_sets(gold, systems, labels)
    columns = {"gold": _codes(encode(gold, "gold"))}
    for name, pred in systems.items():
        _check_same_index(gold, pred)
        column = _codes(encode(pred, f"system {name!r}"))
        if len(column) != len(columns["gold"]):
            raise LengthError(
                f"gold has {len(columns['gold']):,} rows and system {name!r} has {len(column):,}: "
                "expected one prediction per gold row; check that no row was lost on the way"
            )
        columns[f"system {name!r}"] = column
    n_all = len(columns["gold"])
    if not n_all:
        raise EmptyError.nothing("gold")
    columns, n_dropped = _without_missing(columns, policy, n_all)
    gold_labels = columns["gold"].labels
    for name, column in columns.items():
        check_comparable(gold_labels, column.labels, names=("gold", name))
    return _combine(list(columns.values()), None if labels is None else checked_labels(labels), n_dropped)


def _codes(column: Codes | NDArray[Any]) -> Codes:
    if isinstance(column, Codes):
        return column
    values, codes = np.unique(column, return_inverse=True)
    return Codes(codes, values.tolist())


def _without_missing(columns: dict[str, Codes], policy: Missing, n_all: int) -> tuple[dict[str, Codes], int]:
    """Treat rows where gold or any system lacks a label: all systems must be scored on the same rows."""
    lacking = {name: column.codes < 0 for name, column in columns.items() if column.n_missing}
    if not lacking:
        return columns, 0
    gone = np.logical_or.reduce(list(lacking.values()))
    n_gone = int(gone.sum())
    if policy == "error":
        where = ", ".join(f"{name}: {int(rows.sum()):,}" for name, rows in list(lacking.items())[:5])
        raise MissingLabelError.found(rows=n_gone, total=n_all, where=where)
    if policy == "drop":
        if n_gone == n_all:
            raise EmptyError(f"all {n_all:,} rows lack a label: nothing is left to compare")
        return {name: Codes(column.codes[~gone], column.labels) for name, column in columns.items()}, n_gone
    kept = {}
    for name, column in columns.items():
        codes = np.where(column.codes < 0, len(column.labels), column.codes)
        kept[name] = Codes(codes, [*column.labels, None] if column.n_missing else column.labels)
    return kept, 0


def _combine(columns: list[Codes], listed: tuple[Label | None, ...] | None, n_dropped: int) -> Patterns:
    seen = [np.flatnonzero(np.bincount(column.codes, minlength=len(column.labels))) for column in columns]
    keys = [
        {label_key(column.labels[code]): code for code in at.tolist()} for column, at in zip(columns, seen, strict=True)
    ]
    found = dict.fromkeys(key for known in keys for key in known)
    check_listed(listed, found)
    names = class_order((label for _, label in found), listed)
    place = {label_key(label): position for position, label in enumerate(names)}
    rows = []
    for column, known in zip(columns, keys, strict=True):
        to = np.zeros(len(column.labels), np.int64)
        to[list(known.values())] = [place[key] for key in known]
        rows.append(to[column.codes])
    first, amounts = _distinct(rows, len(names))
    gold, *preds = (row if first is None else row[first] for row in rows)
    every = np.arange(len(gold))
    return Patterns(
        labels=names,
        amounts=amounts,
        gold=Touches(every, gold),
        systems=tuple(Touches(every, pred) for pred in preds),
        hits=tuple(gold == pred for pred in preds),
        n_listed=None if listed is None else len(listed),
        n_dropped=n_dropped,
    )


def _distinct(rows: list[NDArray[np.int64]], n_labels: int) -> tuple[NDArray[np.int64] | None, NDArray[np.int64]]:
    """Return the first row of every distinct combination and how often it occurs; None where most are distinct."""
    n_rows = len(rows[0])
    key = rows[0]
    first, amounts = np.arange(n_rows), np.ones(n_rows, np.int64)
    for row in rows[1:]:
        _, first, key, amounts = np.unique(
            key * n_labels + row, return_index=True, return_inverse=True, return_counts=True
        )
        if 2 * len(first) > n_rows:
            return None, np.ones(n_rows, np.int64)
    return first, amounts


def _holds_sets(side: Any) -> bool:
    return isinstance(side, (list, tuple)) and bool(side) and isinstance(side[0], (set, frozenset))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelSets:
    """The rows of one label column where a row may carry several labels: a copy that nobody changes later."""

    rows: tuple[frozenset[tuple[type, Any]], ...]

    @classmethod
    def of(cls, side: Any, names: tuple[Label | None, ...] | None, name: str) -> LabelSets:
        """Read an indicator matrix, whose columns `names` names, or a sequence of label collections."""
        if _is_indicator(side) or len(getattr(side, "shape", ())) == 2:
            matrix = _indicator(side, name)
            keys = [label_key(label) for label in (range(matrix.shape[1]) if names is None else names)]
            at, labels = matrix.nonzero() if not _is_sparse(matrix) else matrix.tocoo().coords
            order = np.lexsort((labels, at))
            cuts = np.searchsorted(at[order], np.arange(1, matrix.shape[0]))
            return cls(rows=tuple(frozenset(keys[i] for i in part.tolist()) for part in np.split(labels[order], cuts)))
        rows = []
        for place, labels in enumerate(side):
            if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
                raise LabelError(f"{name} row {place} is {labels!r}: expected a set of labels in every row")
            rows.append(frozenset(label_key(canonical(label)) for label in labels))
        return cls(rows=tuple(rows))


def _joint_sets(gold: Any, systems: Mapping[str, Any], labels: Iterable[object] | None) -> Patterns:
    """Find distinct rows of label sets."""
    listed = None if labels is None else checked_labels(labels)
    indicators = [_is_indicator(side) for side in (gold, *systems.values())]
    if any(indicators) != all(indicators):
        raise LabelError("some of the systems are indicator matrices and some are not: expected one kind on all sides")
    if all(indicators):
        widths = {side.shape[1] for side in (gold, *systems.values())}
        if len(widths) > 1:
            raise LengthError(f"indicator matrices with {sorted(widths)} columns: expected the same columns everywhere")
        (width,) = widths
        listed = tuple(range(width)) if listed is None else listed
        if len(listed) != width:
            raise LengthError(f"{len(listed)} labels for {width} indicator columns: expected one name per column")
    sides = {
        name: LabelSets.of(side, listed, name)
        for name, side in (("gold", gold), *((f"system {name!r}", side) for name, side in systems.items()))
    }
    return patterns_of_sets(sides, listed)


def patterns_of_sets(sides: Mapping[str, LabelSets], listed: tuple[Label | None, ...] | None) -> Patterns:
    """Count the distinct combinations of label sets; the first side is gold."""
    lengths = {name: len(side.rows) for name, side in sides.items()}
    n_gold = next(iter(lengths.values()))
    for name, length in lengths.items():
        if length != n_gold:
            raise LengthError(
                f"gold has {n_gold:,} rows and {name} has {length:,}: expected one set of labels per gold row"
            )
    if not n_gold:
        raise EmptyError.nothing("gold")
    counted = Counter(zip(*(side.rows for side in sides.values()), strict=True))
    found = dict.fromkeys(key for pattern in counted for labels in pattern for key in labels)
    if not found and listed is None:
        raise EmptyError("no row carries any label: expected at least one, or labels= to name the classes")
    names = class_order((label for _, label in found), listed)
    place = {label_key(label): position for position, label in enumerate(names)}
    touches = []
    for side in range(len(sides)):
        pairs = [(at, place[key]) for at, pattern in enumerate(counted) for key in pattern[side]]
        table = np.array(sorted(pairs), np.int64).reshape(-1, 2)
        touches.append(Touches(table[:, 0].copy(), table[:, 1].copy()))
    n = len(names)
    gold, *preds = touches
    gold_flat = gold.pattern * n + gold.label
    return Patterns(
        labels=names,
        amounts=np.array(list(counted.values()), np.int64),
        gold=gold,
        systems=tuple(preds),
        hits=tuple(np.isin(pred.pattern * n + pred.label, gold_flat) for pred in preds),
        n_listed=None if listed is None else len(listed),
        task="multilabel",
    )
