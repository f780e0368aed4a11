"""Gold and the predictions of several systems as joint patterns, which keep rows aligned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.encoding import Codes, counted_from_zero, encode
from macrof1.counting.matrix import checked_total, checked_weights
from macrof1.counting.multilabel import has_sets
from macrof1.counting.named_tables import check_same_index
from macrof1.errors import CountError, EmptyError, InputError, LengthError, MissingLabelError
from macrof1.labels import (
    Label,
    Missing,
    check_comparable,
    check_listed,
    checked_labels,
    checked_missing,
    class_order,
    label_key,
)
from macrof1.message import Argument, Message
from macrof1.sampling.clusters import checked_clusters
from macrof1.sampling.label_sets import joint_sets
from macrof1.sampling.patterns import Patterns, RowFacts, Weights, numbered, one_label

# Up to this many rows, finding the distinct ones takes negligible time.
_FEW_ROWS = 1 << 14


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

    With `amounts`, each row given stands for that many rows: an engine has grouped them.

    If most rows are distinct, as with many systems, each row stays a pattern of its own: the result is the
    same, and searching for equal rows would not pay off. Rows with different weights or clusters are different
    rows.

    Examples
    --------
    >>> found = joint_patterns(["a", "a", "a", "b"], {"x": ["a", "a", "a", "a"], "y": ["b", "b", "b", "b"]})
    >>> found.amounts.tolist(), list(found.class_counts(1).tp)
    ([3, 1], [0, 1])
    """
    policy = checked_missing(missing)
    for pred in systems.values():
        check_same_index({"gold": gold, "pred": pred, "sample_weight": sample_weight, "cluster": cluster})
    if any(map(has_sets, (gold, *systems.values()))):
        if missing != "error":
            raise InputError.missing_beside_sets(missing)
        listed = None if labels is None else checked_labels(labels)
        return joint_sets(gold, systems, listed, lambda n_rows: _row_facts(sample_weight, cluster, n_rows, amounts))
    columns = {"gold": counted_from_zero(encode(gold, "gold"))}
    for name, pred in systems.items():
        column = counted_from_zero(encode(pred, f"system {name!r}"))
        if len(column) != len(columns["gold"]):
            raise LengthError(
                f"gold has {len(columns['gold']):,} rows and system {name!r} has {len(column):,}",
                argument="systems",
                expected="one prediction per gold row",
                hint="check that no row was lost on the way",
            )
        columns[f"system {name!r}"] = column
    n_all = len(columns["gold"])
    if not n_all:
        raise EmptyError.nothing("gold")
    rows = _row_facts(sample_weight, cluster, n_all, amounts)
    columns, rows, n_dropped = _without_missing(columns, rows, policy, n_all)
    gold_labels = columns["gold"].labels
    for name, column in columns.items():
        check_comparable(gold_labels, column.labels, names=("gold", name))
    return _combine(list(columns.values()), rows, None if labels is None else checked_labels(labels), n_dropped)


def _row_facts(sample_weight: Any, cluster: Any, n_rows: int, amounts: Sequence[int] | None) -> RowFacts:
    return RowFacts(
        None if sample_weight is None else _weights(sample_weight, n_rows),
        None if cluster is None else checked_clusters(cluster, n_rows),
        None if amounts is None else np.asarray(amounts, np.int64),
    )


def _weights(sample_weight: Any, n_rows: int) -> Weights:
    weights = checked_weights(sample_weight, n_rows)
    checked_total(weights)
    if not weights.any():
        raise CountError(
            Message(Argument("sample_weight"), " is 0 in every row"), expected="a positive weight in some row"
        )
    return weights


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
    kept = {}
    for name, column in columns.items():
        codes = np.where(column.codes < 0, len(column.labels), column.codes)
        kept[name] = Codes(codes, [*column.labels, None] if column.n_missing else column.labels)
    return kept, facts, 0


def _combine(
    columns: list[Codes], facts: RowFacts, listed: tuple[Label | None, ...] | None, n_dropped: int
) -> Patterns:
    names, rows = _placed(columns, listed)
    keys, n_keys = list(rows), len(names)
    for fact in (facts.weights, facts.clusters):
        if fact is not None:
            values, kinds = np.unique(fact, return_inverse=True)
            keys.append(kinds)
            n_keys = max(n_keys, len(values))
    first, amounts = _distinct(keys, n_keys, facts.amounts)
    gold, *preds = (row if first is None else row[first] for row in rows)
    kept = facts if first is None else facts.at(first)
    return Patterns(
        labels=names,
        amounts=amounts,
        n_listed=None if listed is None else len(listed),
        n_dropped=n_dropped,
        weights=kept.weights,
        clusters=None if kept.clusters is None else numbered(kept.clusters),
        **one_label(gold, preds),
    )


def _placed(
    columns: list[Codes], listed: tuple[Label | None, ...] | None
) -> tuple[tuple[Label | None, ...], list[NDArray[np.int64]]]:
    """Return all labels in order, and every column as positions among them."""
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
    return names, rows


def _distinct(
    rows: list[NDArray[np.int64]], n_labels: int, given: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64]]:
    """Return the first row of each distinct combination and its frequency; None if rows are many and mostly distinct.

    Rows with `given` amounts come from an engine in any order, so they are always sorted. So are few rows, so
    that a small table gives the same bits whoever grouped it.
    """
    n_rows = len(rows[0])
    key = rows[0]
    first, amounts = np.arange(n_rows), np.ones(n_rows, np.int64)
    for row in rows[1:]:
        _, first, key, amounts = np.unique(
            key * n_labels + row, return_index=True, return_inverse=True, return_counts=True
        )
        if given is None and n_rows > _FEW_ROWS and 2 * len(first) > n_rows:
            return None, np.ones(n_rows, np.int64)
    if given is not None:
        amounts = np.zeros(len(first), np.int64)
        np.add.at(amounts, key, given)
    return first, amounts
