"""Gold and the predictions of several systems as joint patterns, which keep rows aligned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.confusion import Confusion
from macrof1.counting.encoding import Codes, counted_from_zero, encode
from macrof1.counting.matrix import arrays_of, checked_total, checked_weights
from macrof1.counting.multilabel import has_sets
from macrof1.counting.named_tables import check_same_index
from macrof1.counts import ClassCounts, RowSource
from macrof1.errors import CountError, EmptyError, InputError, LengthError, MissingLabelError, counted
from macrof1.labels import (
    Missing,
    check_comparable,
    check_listed,
    checked_labels,
    checked_missing,
    class_order,
    label_key,
)
from macrof1.message import Argument, Message
from macrof1.sampling.label_sets import joint_sets
from macrof1.sampling.patterns import Patterns, RowFacts, numbered, one_label

# Up to this many rows, finding the distinct ones takes negligible time.
_FEW_ROWS = 1 << 14


def checked_clusters(cluster: Any, n_rows: int) -> NDArray[np.int64]:
    """Return the cluster of every row as a number.

    Examples
    --------
    >>> checked_clusters(["doc 1", "doc 1", "doc 2"], 3).tolist()
    [0, 0, 1]
    """
    codes = encode(cluster, "cluster")
    found = np.asarray(codes.codes if isinstance(codes, Codes) else codes)
    if len(found) != n_rows:
        raise LengthError.differ(gold=n_rows, cluster=len(found))
    if isinstance(codes, Codes) and (found < 0).any():
        raise MissingLabelError(
            f"{counted(int((found < 0).sum()), 'row has', 'rows have')} no cluster",
            argument="cluster",
            expected="a cluster in every row",
            hint="a row that belongs to no other is a cluster of its own",
        )
    return found


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
    """Count the distinct combinations of gold and all systems' labels.

    With `amounts`, each row given stands for that many rows: an engine has grouped them. If most rows are distinct, as
    with many systems, each row stays a pattern of its own: the result is the same, and searching for equal rows would
    not pay off. Rows with different weights or clusters are different rows.

    Examples
    --------
    >>> found = joint_patterns(["a", "a", "a", "b"], {"x": ["a", "a", "a", "a"], "y": ["b", "b", "b", "b"]})
    >>> found.amounts.tolist(), list(found.alone(1).class_counts().tp)
    ([3, 1], [0, 1])
    """
    policy = checked_missing(missing)
    sides = {f"systems[{name!r}]": pred for name, pred in systems.items()}
    check_same_index({"gold": gold, **sides, "sample_weight": sample_weight, "cluster": cluster})
    if any(map(has_sets, (gold, *systems.values()))):
        if missing != "error":
            raise InputError.missing_beside_sets(missing)
        listed = None if labels is None else checked_labels(labels)
        return joint_sets(gold, systems, listed, lambda n_rows: _row_facts(sample_weight, cluster, n_rows, amounts))
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
    columns, facts, n_dropped = _without_missing(columns, facts, policy, n_all)
    for name, column in columns.items():
        check_comparable(columns["gold"].labels, column.labels, names=("gold", name))
    listed = None if labels is None else checked_labels(labels)
    # All labels in order, and every column as positions among them.
    known = [
        {label_key(column.labels[code]): code for code in np.flatnonzero(np.bincount(column.codes)).tolist()}
        for column in columns.values()
    ]
    seen = dict.fromkeys(key for codes in known for key in codes)
    check_listed(listed, seen)
    names = class_order((label for _, label in seen), listed)
    place = {label_key(label): position for position, label in enumerate(names)}
    rows = []
    for column, codes in zip(columns.values(), known, strict=True):
        to = np.zeros(len(column.labels), np.int64)
        to[list(codes.values())] = [place[key] for key in codes]
        rows.append(to[column.codes])
    first, n_alike = _distinct(rows, facts, len(names))
    if first is not None:
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
    weights = None
    if sample_weight is not None:
        weights = checked_weights(sample_weight, n_rows)
        checked_total(weights)
        if not weights.any():
            raise CountError(
                Message(Argument("sample_weight"), " is 0 in every row"), expected="a positive weight in some row"
            )
    clusters = None if cluster is None else checked_clusters(cluster, n_rows)
    return RowFacts(weights, clusters, None if amounts is None else np.asarray(amounts, np.int64))


def _without_missing(
    columns: dict[str, Codes], facts: RowFacts, policy: Missing, n_all: int
) -> tuple[dict[str, Codes], RowFacts, int]:
    """Handle rows in which gold or any system lacks a label: all systems must be scored on the same rows."""
    lacking = {name: column.codes < 0 for name, column in columns.items() if column.n_missing}
    if not lacking:
        return columns, facts, 0
    gone = np.logical_or.reduce(list(lacking.values()))
    n_gone, n_all = facts.total(gone), facts.total(np.ones(n_all, np.bool_))
    if policy == "error":
        where = ", ".join(f"{name}: {facts.total(rows):,}" for name, rows in list(lacking.items())[:5])
        raise MissingLabelError.found(rows=n_gone, total=n_all, where=where)
    if policy == "drop":
        if n_gone == n_all:
            raise EmptyError(f"all {n_all:,} rows lack a label", expected="at least one row with all labels")
        left = {name: Codes(column.codes[~gone], column.labels) for name, column in columns.items()}
        return left, facts.at(~gone), n_gone
    for name in lacking:
        codes, labels = columns[name].codes, columns[name].labels
        columns[name] = Codes(np.where(codes < 0, len(labels), codes), [*labels, None])
    return columns, facts, 0


def _distinct(
    rows: list[NDArray[np.int64]], facts: RowFacts, n_labels: int
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64]]:
    """Return the first row of each distinct combination and its frequency; None if rows are many and mostly distinct.

    Rows with given amounts come from an engine in any order, so they are always sorted. So are few rows, so that a
    small table gives the same bits whoever grouped it.
    """
    n_rows, keys = len(rows[0]), list(rows)
    for fact in (facts.weights, facts.clusters):
        if fact is not None:
            values, kinds = np.unique(fact, return_inverse=True)
            keys.append(kinds)
            n_labels = max(n_labels, len(values))
    key, given = keys[0], facts.amounts
    first, amounts = np.arange(n_rows), np.ones(n_rows, np.int64)
    for row in keys[1:]:
        _, first, key, amounts = np.unique(
            key * n_labels + row, return_index=True, return_inverse=True, return_counts=True
        )
        if given is None and n_rows > _FEW_ROWS and 2 * len(first) > n_rows:
            return None, np.ones(n_rows, np.int64)
    if given is not None:
        amounts = np.zeros(len(first), np.int64)
        np.add.at(amounts, key, given)
    return first, amounts


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class KeptRows(RowSource):
    """The rows behind a score whose weights or clusters are not in its cells, read again for an interval.

    Scoring makes no copy of them, so they must still give the same counts then.
    """

    gold: Any
    pred: Any
    labels: Iterable[object] | None
    missing: Missing
    sample_weight: Any
    cluster: Any
    counts: ClassCounts
    cells: RowSource | None

    @property
    def n_clusters(self) -> int | None:
        """The number of clusters; None if rows are independent."""
        if self.cluster is None:
            return None
        return len(np.unique(checked_clusters(self.cluster, (self.counts.n_rows or 0) + self.counts.n_dropped)))

    @property
    def has_cells(self) -> bool:
        """Whether rows have one label."""
        return self.cells is not None

    def confusion(self) -> Confusion | None:
        """Return the cells, for one label per row."""
        return None if self.cells is None else self.cells.confusion()

    def patterns(self) -> Patterns:
        """Return the distinct rows, with their weights and clusters."""
        found = joint_patterns(
            self.gold, {"pred": self.pred}, labels=self.labels, missing=self.missing,
            sample_weight=self.sample_weight, cluster=self.cluster,
        )  # fmt: skip
        for now, before in zip(arrays_of(found.class_counts()), arrays_of(self.counts), strict=True):
            if now.shape != before.shape or not np.allclose(now, before, rtol=1e-9, atol=0):
                raise CountError.rows_changed()
        return found
