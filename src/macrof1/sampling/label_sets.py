"""Rows that carry several labels as patterns: distinct combinations of label sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from macrof1.counting.cells import Cell, SetRows, grouped_sets, parts_of
from macrof1.counting.doubts import Difference, normal_form
from macrof1.counting.matrix import arrays_of
from macrof1.counting.multilabel import classes_of_columns, indicator, is_matrix, is_sparse, label_keys, opened_matrix
from macrof1.counting.named_tables import aligned_indicators
from macrof1.counts import ClassCounts, RowSource, exact_sum
from macrof1.errors import CountError, EmptyError, LabelError, LengthError
from macrof1.labels import Label, check_comparable, check_listed, class_order, label_key
from macrof1.sampling.patterns import NO_FACTS, LabelIncidence, Patterns, RowFacts, numbered

Keys: TypeAlias = AbstractSet[tuple[type, Label | None]]


@dataclass(frozen=True, slots=True, eq=False)
class RowSets(RowSource):
    """The rows that multilabel counts came from, kept as given: scoring makes no copy of them.

    They are read again only when resamples are requested, and must still give the same counts then.
    """

    gold: Any
    pred: Any
    counts: ClassCounts

    @property
    def is_matrix(self) -> bool:
        """Whether every label has a column of its own."""
        return is_matrix(self.gold)

    def distinct(self, sample_weight: Any, differences: Iterable[Difference]) -> ClassCounts:
        """Return the counts with the distinct pairs of label sets behind them.

        The columns of a matrix that are one label but for `differences` are one class.
        """
        names, sides = self.counts.labels, [self.gold, self.pred]
        if self.is_matrix:
            # As they were counted: the columns of frames in one order.
            sides = [opened_matrix(side, "rows") for side in aligned_indicators(sides, names)[0]]
        gold, pred = (map(frozenset, _sets(side, names, "rows")) for side in sides)
        weights = [1] * (self.counts.n_rows or 0) if sample_weight is None else np.asarray(sample_weight).tolist()
        alike: dict[tuple[Keys, Keys], list[Any]] = {}
        for g, p, weight in zip(gold, pred, weights, strict=True):
            alike.setdefault((g, p), []).append(weight)
        cells = [Cell(g, p, len(each), exact_sum(each)) for (g, p), each in alike.items()]
        listed = None if self.counts.n_listed is None else names[: self.counts.n_listed]
        if listed is not None and self.is_matrix:
            alone = {label_key(normal_form(name, differences)): name for name in reversed(listed)}
            listed = tuple(reversed(alone.values()))
        found = grouped_sets(parts_of(cells), listed, (), "gold and pred", weighted=sample_weight is not None).total
        assert isinstance(found, ClassCounts)  # what it counts here
        return found

    def patterns(self) -> Patterns:
        """Return the distinct combinations of gold and predicted sets."""
        n_listed = self.counts.n_listed
        listed = None if n_listed is None else self.counts.labels[:n_listed]
        found = joint_sets(self.gold, {"pred": self.pred}, listed, lambda _: NO_FACTS)
        if not all(map(np.array_equal, arrays_of(found.class_counts()), arrays_of(self.counts))):
            raise CountError.rows_changed()
        return found


def patterns_of_cells(rows: SetRows) -> Patterns:
    """Return the distinct rows behind counts that know them."""
    if rows.cells is None or rows.weighted:
        raise CountError(
            "only sums of weights are known, not the rows behind them",
            argument="counts",
            expected="whole numbers of rows",
            hint="score with lists and their weights in Python",
        )
    amounts = RowFacts(amounts=np.array([cell.rows for cell in rows.cells], np.int64))
    sides = [[getattr(cell, side) for cell in rows.cells] for side in ("gold", "pred")]
    return _of_sets(sides, rows.labels, rows.n_listed, amounts)


def _sets(side: Any, names: Sequence[Label | None], name: str) -> list[Keys]:
    if not is_matrix(side):
        return [label_keys(labels, name, row) for row, labels in enumerate(side)]
    matrix = indicator(side, name)
    keys = [label_key(label) for label in names]
    at, column = matrix.nonzero()
    order = np.lexsort((column, at))
    cuts = np.searchsorted(at[order], np.arange(1, matrix.shape[0]))
    return [frozenset(keys[place] for place in part.tolist()) for part in np.split(column[order], cuts)]


def joint_sets(
    gold: Any,
    systems: Mapping[str, Any],
    listed: tuple[Label | None, ...] | None,
    row_facts: Callable[[int], RowFacts],
) -> Patterns:
    """Find the distinct rows of gold and all systems; `row_facts` returns weights and clusters of that many rows.

    Rows with weights or clusters are kept separate.
    """
    sides = {"gold": gold, **{f"system {name!r}": side for name, side in systems.items()}}
    matrices = [is_matrix(side) for side in sides.values()]
    if any(matrices) != all(matrices):
        raise LabelError("some columns are indicator matrices and some are not", expected="one kind on all sides")
    lengths = {name: side.shape[0] if all(matrices) else len(side) for name, side in sides.items()}
    for name, length in lengths.items():
        if length != lengths["gold"]:
            problem = f"gold has {lengths['gold']:,} rows and {name} has {length:,}"
            raise LengthError(problem, expected="one set of labels per gold row")
    if not lengths["gold"]:
        raise EmptyError.nothing("gold")
    facts = row_facts(lengths["gold"])
    if all(matrices):
        found, listed = aligned_indicators(list(sides.values()), listed)
        opened = {name: opened_matrix(side, name) for name, side in zip(sides, found, strict=True)}
        names = classes_of_columns(opened, listed)
        if any(map(is_sparse, opened.values())):
            return _of_sets([_sets(side, names, name) for name, side in opened.items()], names, len(names), facts)
        if facts.weights is not None or facts.clusters is not None:
            touches = [LabelIncidence(*indicator(side, name).nonzero()) for name, side in opened.items()]
            return _of_touches(touches, np.ones(lengths["gold"], np.int64), names, len(names), facts)
        packed = [np.packbits(indicator(side, name), axis=1) for name, side in opened.items()]
        rows = np.ascontiguousarray(np.concatenate(packed, axis=1))
        _, first, amounts = np.unique(rows.view(f"V{rows.shape[1]}").reshape(-1), return_index=True, return_counts=True)
        touches = [LabelIncidence(*np.unpackbits(side[first], axis=1, count=len(names)).nonzero()) for side in packed]
        return _of_touches(touches, amounts, names, len(names), facts)
    sets = [_sets(side, (), name) for name, side in sides.items()]
    keys: list[dict[tuple[type, Any], None]] = [dict.fromkeys(chain.from_iterable(rows)) for rows in sets]
    for name, own in zip(sides, keys, strict=True):
        check_comparable([label for _, label in keys[0]], [label for _, label in own], names=("gold", name))
    seen = dict.fromkeys(chain.from_iterable(keys))
    if not seen and listed is None:
        raise EmptyError.no_labels()
    if seen:
        check_listed(listed, seen)
    names = class_order((label for _, label in seen), listed)
    return _of_sets(sets, names, None if listed is None else len(listed), facts)


def _of_sets(
    sets: Sequence[Sequence[Keys]], labels: tuple[Label | None, ...], n_listed: int | None, facts: RowFacts
) -> Patterns:
    place = {label_key(label): position for position, label in enumerate(labels)}
    kinds = list(zip(*([frozenset(keys) for keys in side] for side in sets), strict=True))
    amounts = [1] * len(kinds) if facts.amounts is None else facts.amounts.tolist()
    if facts.weights is None and facts.clusters is None:
        alike: dict[tuple[Keys, ...], int] = {}
        for row, amount in zip(kinds, amounts, strict=True):
            alike[row] = alike.get(row, 0) + amount
        kinds, amounts = list(alike), list(alike.values())
    touches = []
    for side in range(len(sets)):
        pairs = sorted((at, place[key]) for at, pattern in enumerate(kinds) for key in pattern[side])
        table = np.array(pairs, np.int64).reshape(-1, 2)
        touches.append(LabelIncidence(table[:, 0].copy(), table[:, 1].copy()))
    return _of_touches(touches, np.array(amounts, np.int64), labels, n_listed, facts)


def _of_touches(
    touches: list[LabelIncidence], amounts: Any, labels: tuple[Label | None, ...], n_listed: int | None, facts: RowFacts
) -> Patterns:
    keys = [side.pattern * len(labels) + side.label for side in touches]
    return Patterns(
        labels=labels,
        amounts=amounts,
        gold=touches[0],
        systems=tuple(touches[1:]),
        hits=tuple(np.isin(pred, keys[0]) for pred in keys[1:]),
        n_listed=n_listed,
        task="multilabel",
        weights=facts.weights,
        clusters=None if facts.clusters is None else numbered(facts.clusters),
    )
