"""Gold and the predictions of several systems as joint patterns, which keep rows aligned; also of label sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.counting import multilabel
from macrof1.counting.arrays import common_order
from macrof1.counting.cells import Cell, Part, SetRows
from macrof1.counting.confusion import Confusion
from macrof1.counting.doubts import Difference, normal_form
from macrof1.counting.encoding import Codes, counted_from_zero, encode, kept_rows
from macrof1.counting.matrix import check_unchanged, some_weights
from macrof1.counting.named_tables import aligned_indicators, check_same_index
from macrof1.counts import ClassCounts, RowSource, exact_sum
from macrof1.errors import CountError, EmptyError, InputError, LabelError, LengthError, MissingLabelError, counted
from macrof1.labels import (
    Label,
    Missing,
    check_comparable,
    check_listed,
    checked_labels,
    checked_missing,
    class_order,
    in_order,
    label_key,
)
from macrof1.sampling.patterns import LabelIncidence, Patterns, RowFacts, numbered, one_label

Keys: TypeAlias = AbstractSet[tuple[type, Label | None]]

# Up to this many rows, finding the distinct ones takes negligible time.
_FEW_ROWS = 1 << 14


def checked_clusters(cluster: Any, n_rows: int) -> NDArray[np.int64]:
    """Return the cluster of every row as a number."""
    codes = encode(cluster, "cluster")
    found = np.asarray(codes.codes if isinstance(codes, Codes) else codes)
    if len(found) != n_rows:
        raise LengthError.differ(gold=n_rows, cluster=len(found))
    if isinstance(codes, Codes) and (found < 0).any():
        problem = f"{counted(int((found < 0).sum()), 'row has', 'rows have')} no cluster"
        hint = "a row that belongs to no other is a cluster of its own"
        raise MissingLabelError(problem, argument="cluster", expected="a cluster in every row", hint=hint)
    return found


def ordered_clusters(clusters: Sequence[Any]) -> list[int | None]:
    """Return numbers of clusters, in the order of their names: a seed draws the same ones in any order of rows."""
    names = in_order({label_key(cluster): cluster for cluster in clusters if cluster is not None}.values())
    number = {label_key(name): place for place, name in enumerate(names)}
    return [None if cluster is None else number[label_key(cluster)] for cluster in clusters]


def joint_patterns(
    gold: Any,
    systems: Mapping[str, Any],
    *,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
    sample_weight: Any = None,
    cluster: Any = None,
    amounts: Sequence[int] | None = None,
) -> Patterns:
    """Count the distinct combinations of gold, all systems' labels, weights and clusters; `amounts`: rows of each."""
    policy = checked_missing(missing)
    sides = {f"systems[{name!r}]": pred for name, pred in systems.items()}
    check_same_index({"gold": gold, **sides, "sample_weight": sample_weight, "cluster": cluster})
    if any(map(multilabel.has_sets, (gold, *systems.values()))):
        if missing != "error":
            raise InputError.missing_beside_sets(missing)
        return _joint_sets(gold, systems, labels, sample_weight, cluster, amounts)
    columns = {"gold": counted_from_zero(encode(gold, "gold"))}
    for name, pred in systems.items():
        column = counted_from_zero(encode(pred, f"system {name!r}"))
        if len(column) != len(columns["gold"]):
            problem = f"gold has {len(columns['gold']):,} rows and system {name!r} has {len(column):,}"
            hint = "check that no row was lost on the way"
            raise LengthError(problem, argument="systems", expected="one prediction per gold row", hint=hint)
        columns[f"system {name!r}"] = column
    n_all = len(columns["gold"])
    if not n_all:
        raise EmptyError.nothing("gold")
    facts = _row_facts(sample_weight, cluster, n_all, amounts)
    lacking = {name: column.codes < 0 for name, column in columns.items() if column.n_missing}
    if lacking and policy == "error":
        where = ", ".join(f"{name}: {facts.total(rows):,}" for name, rows in list(lacking.items())[:5])
        n_gone = facts.total(np.logical_or.reduce(list(lacking.values())))
        raise MissingLabelError.found(rows=n_gone, total=facts.total(np.ones(n_all, np.bool_)), where=where)
    # All systems must be scored on the same rows.
    kept, gone = kept_rows(list(columns.values()), policy)
    columns = dict(zip(columns, kept, strict=True))
    n_dropped = 0 if gone is None else facts.total(gone)
    if gone is not None:
        if gone.all():
            raise EmptyError(f"all {n_dropped:,} rows lack a label", expected="at least one row with all labels")
        facts = facts.at(~gone)
    for name, column in columns.items():
        check_comparable(columns["gold"].labels, column.labels, names=("gold", name))
    listed = None if labels is None else checked_labels(labels)
    # All labels in order, and every column as positions among them.
    at = [np.flatnonzero(np.bincount(column.codes)) for column in columns.values()]
    met = [(seen, column.labels) for seen, column in zip(at, columns.values(), strict=True)]
    names, places = common_order(met, listed)
    rows = []
    for column, seen, place in zip(columns.values(), at, places, strict=True):
        to = np.zeros(len(column.labels), np.int64)
        to[seen] = place
        rows.append(to[column.codes])
    first, n_alike = _distinct(rows, facts, len(names))
    rows, facts = [row[first] for row in rows], facts.at(first)
    return Patterns(
        labels=names,
        amounts=n_alike,
        n_listed=None if listed is None else len(listed),
        n_dropped=n_dropped,
        weights=facts.weights,
        clusters=None if facts.clusters is None else numbered(facts.clusters),
        **one_label(rows[0], rows[1:]),
    )


def _row_facts(sample_weight: Any, cluster: Any, n_rows: int, amounts: Sequence[int] | None) -> RowFacts:
    weights = None if sample_weight is None else some_weights(sample_weight, n_rows)
    clusters = None if cluster is None else checked_clusters(cluster, n_rows)
    return RowFacts(weights, clusters, None if amounts is None else np.asarray(amounts, np.int64))


def _distinct(
    rows: list[NDArray[np.int64]], facts: RowFacts, n_labels: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first row of each distinct combination and its frequency; every row if many are mostly distinct."""
    keys, sizes, n_rows = [*rows], [n_labels] * len(rows), len(rows[0])
    for fact in (facts.weights, facts.clusters):
        if fact is not None:
            values, kinds = np.unique(fact, return_inverse=True)
            keys.append(kinds)
            sizes.append(len(values))
    key, size = keys[0], sizes[0]
    for more, n in zip(keys[1:], sizes[1:], strict=True):
        if size * n >> 63 - n_rows.bit_length():  # no room for a row beside so large a key: number the distinct ones
            order, starts = _sorted(key, size)
            key = np.empty(n_rows, np.int64)
            key[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=n_rows))
            size = len(starts)
        key, size = key * n + more, size * n
    order, starts = _sorted(key, size)
    # Rows that an engine grouped come in any order and are sorted; so are few, for the same bits whoever grouped.
    if facts.amounts is None and n_rows > _FEW_ROWS and 2 * len(starts) > n_rows:
        # By gold label, whose counts then lie side by side wherever rows are summed.
        return _sorted(rows[0], n_labels)[0], np.ones(n_rows, np.int64)
    amounts = np.ones(n_rows, np.int64) if facts.amounts is None else facts.amounts
    return order[starts], np.add.reduceat(amounts[order], starts)


def _sorted(key: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows in the order of their keys below `size`, and where each distinct key starts."""
    shift = len(key).bit_length()
    if size >> 63 - shift:
        order = np.argsort(key, kind="stable")
        in_order = key[order]
    else:  # numbers alone are sorted many times as fast as by where they stand
        in_order = np.sort(key << shift | np.arange(len(key)))
        order = in_order & ((1 << shift) - 1)
        in_order >>= shift
    return order, np.flatnonzero(np.concatenate([[True], in_order[1:] != in_order[:-1]]))


def patterns_of_cells(rows: SetRows) -> Patterns:
    """Return the distinct rows behind counts that know them."""
    if rows.weighted:
        raise CountError(
            "only sums of weights are known, not the rows behind them",
            argument="counts",
            expected="whole numbers of rows",
            hint="score with lists and their weights in Python",
        )
    # In one order, whichever engine grouped them: sums of floats depend on it.
    place = {label_key(label): at for at, label in enumerate(rows.labels)}
    cells = sorted(
        rows.cells, key=lambda cell: [sorted(map(place.__getitem__, side)) for side in (cell.gold, cell.pred)]
    )
    amounts = RowFacts(amounts=np.array([cell.rows for cell in cells], np.int64))
    sides = [[getattr(cell, side) for cell in cells] for side in ("gold", "pred")]
    return _of_sets(sides, rows.labels, rows.n_listed, amounts)


def _sets(side: Any, names: Sequence[Label | None], name: str) -> list[Keys]:
    if not multilabel.is_matrix(side):
        return [multilabel.label_keys(labels, name, row) for row, labels in enumerate(side)]
    matrix = multilabel.indicator(side, name)
    keys = [label_key(label) for label in names]
    at, column = matrix.nonzero()
    order = np.lexsort((column, at))
    cuts = np.searchsorted(at[order], np.arange(1, matrix.shape[0]))
    return [frozenset(keys[place] for place in part.tolist()) for part in np.split(column[order], cuts)]


def _joint_sets(
    gold: Any,
    systems: Mapping[str, Any],
    labels: Iterable[object] | None,
    sample_weight: Any,
    cluster: Any,
    amounts: Sequence[int] | None,
) -> Patterns:
    """Find the distinct rows of label sets; rows with weights or clusters are kept separate."""
    listed = None if labels is None else checked_labels(labels)
    sides = {"gold": gold, **{f"system {name!r}": side for name, side in systems.items()}}
    matrices = [multilabel.is_matrix(side) for side in sides.values()]
    if any(matrices) != all(matrices):
        raise LabelError("some columns are indicator matrices and some are not", expected="one kind on all sides")
    lengths = {name: side.shape[0] if all(matrices) else len(side) for name, side in sides.items()}
    for name, length in lengths.items():
        if length != lengths["gold"]:
            problem = f"gold has {lengths['gold']:,} rows and {name} has {length:,}"
            raise LengthError(problem, expected="one set of labels per gold row")
    if not lengths["gold"]:
        raise EmptyError.nothing("gold")
    facts = _row_facts(sample_weight, cluster, lengths["gold"], amounts)
    if all(matrices):
        found, listed = aligned_indicators(list(sides.values()), listed)
        opened = {name: multilabel.opened_matrix(side, name) for name, side in zip(sides, found, strict=True)}
        names = multilabel.classes_of_columns(opened, listed)
        if any(map(multilabel.is_sparse, opened.values())):
            return _of_sets([_sets(side, names, name) for name, side in opened.items()], names, len(names), facts)
        if facts.weights is not None or facts.clusters is not None:
            touches = [LabelIncidence(*multilabel.indicator(side, name).nonzero()) for name, side in opened.items()]
            return _of_touches(touches, np.ones(lengths["gold"], np.int64), names, len(names), facts)
        packed = [np.packbits(multilabel.indicator(side, name), axis=1) for name, side in opened.items()]
        rows = np.ascontiguousarray(np.concatenate(packed, axis=1))
        _, first, alike = np.unique(rows.view(f"V{rows.shape[1]}").ravel(), return_index=True, return_counts=True)
        touches = [LabelIncidence(*np.unpackbits(side[first], axis=1, count=len(names)).nonzero()) for side in packed]
        return _of_touches(touches, alike, names, len(names), facts)
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


def distinct_sets(
    gold: Any, pred: Any, counts: ClassCounts, sample_weight: Any, differences: Iterable[Difference]
) -> ClassCounts:
    """Return counts of label sets with their distinct pairs; columns alike but for `differences` are one class."""
    names, sides, matrix = counts.labels, [gold, pred], multilabel.is_matrix(gold)
    if matrix:
        # As they were counted: the columns of frames in one order.
        sides = [multilabel.opened_matrix(side, "rows") for side in aligned_indicators(sides, names)[0]]
    golds, preds = (map(frozenset, _sets(side, names, "rows")) for side in sides)
    weights = [1] * (counts.n_rows or 0) if sample_weight is None else np.asarray(sample_weight).tolist()
    alike: dict[tuple[Keys, Keys], list[Any]] = {}
    for g, p, weight in zip(golds, preds, weights, strict=True):
        alike.setdefault((g, p), []).append(weight)
    cells = [Cell(g, p, len(each), exact_sum(each)) for (g, p), each in alike.items()]
    listed = None if counts.n_listed is None else names[: counts.n_listed]
    if listed is not None and matrix:
        alone = {label_key(normal_form(name, differences)): name for name in reversed(listed)}
        listed = tuple(name for name in listed if name in alone.values())
    return Part(cells).counts(listed, checked=True, weighted=sample_weight is not None)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class KeptRows(RowSource):
    """The rows behind a score that its cells do not tell; read again for an interval, and unchanged by then."""

    gold: Any
    pred: Any
    labels: Iterable[object] | None
    missing: Missing
    sample_weight: Any
    cluster: Any
    counts: ClassCounts
    cells: RowSource | None

    @property
    def is_matrix(self) -> bool:
        """Whether every label has a column of its own."""
        return self.cells is None and multilabel.is_matrix(self.gold)

    @property
    def n_clusters(self) -> int | None:
        """The number of clusters; None if rows are independent."""
        if self.cluster is None:
            return None
        return len(np.unique(checked_clusters(self.cluster, (self.counts.n_rows or 0) + self.counts.n_dropped)))

    def confusion(self) -> Confusion | None:
        """Return the cells, for one label per row."""
        return None if self.cells is None else self.cells.confusion()

    def patterns(self) -> Patterns:
        """Return the distinct rows, with their weights and clusters."""
        found = joint_patterns(
            self.gold, {"pred": self.pred}, labels=self.labels, missing=self.missing,
            sample_weight=self.sample_weight, cluster=self.cluster,
        )  # fmt: skip
        check_unchanged(found.class_counts(), self.counts)
        return found
