"""Rows that belong together: documents, users, conversations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import Convention
from macrof1.counting.confusion import Confusion
from macrof1.counting.encoding import Codes, encode
from macrof1.counts import ClassCounts, Group, GroupedCounts, RowSource
from macrof1.errors import InputError, LengthError, MissingLabelError, counted
from macrof1.labels import label_key
from macrof1.sampling.patterns import Patterns, numbered, one_label
from macrof1.scoring.group_scores import GroupScore, GroupsResult, score_grouped_counts
from macrof1.scoring.score_result import ScoreResult, score_counts


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
        raise _without_cluster(int((found < 0).sum()))
    return found


def _without_cluster(n: int) -> MissingLabelError:
    return MissingLabelError(
        f"{counted(n, 'row has', 'rows have')} no cluster",
        argument="cluster",
        expected="a cluster in every row",
        hint="a row that belongs to no other is a cluster of its own",
    )


@dataclass(frozen=True, slots=True, eq=False)
class ClusteredRows(RowSource):
    """The rows of a score, by cluster."""

    found: Patterns

    @property
    def n_clusters(self) -> int | None:
        """The number of clusters."""
        return self.found.n_clusters

    def patterns(self) -> Patterns:
        """Return what resampling draws from."""
        return self.found


def cluster_patterns(parts: Iterable[tuple[Any, Confusion | ClassCounts]], total: Confusion) -> Patterns:
    """Return patterns from counts per cluster: the key and the counts of each, and their sum."""
    place = {label_key(label): at for at, label in enumerate(total.labels)}
    numbers: dict[Any, int] = {}
    cells: list[tuple[NDArray[Any], ...]] = []
    for key, part in parts:
        if not isinstance(part, Confusion):
            raise InputError(
                "clusters of rows with several labels",
                argument="cluster",
                expected="one label per row here; score takes label sets and their clusters from memory",
            )
        if key is None:
            raise _without_cluster(part.n_rows or 1)
        to = np.array([place[label_key(label)] for label in part.labels])
        gold, pred = np.divmod(part.index, len(part.labels))
        number = numbers.setdefault(key, len(numbers))
        cells.append((to[gold], to[pred], part.cells, np.full(len(gold), number)))
    gold, pred, amounts, clusters = (np.concatenate(side) for side in zip(*cells, strict=True))
    whole = amounts.dtype.kind == "i"
    return Patterns(
        labels=total.labels,
        amounts=amounts if whole else np.ones(len(gold), np.int64),
        n_listed=total.n_listed,
        n_dropped=total.n_dropped,
        weights=None if whole else amounts,
        clusters=numbered(clusters),
        **one_label(gold, [pred]),
    )


def score_clusters(counts: GroupedCounts, convention: Convention) -> ScoreResult:
    """Score counts per cluster: all rows together, with intervals that treat clusters as the sampling unit."""
    result = score_counts(counts.total, convention=convention)
    return replace(result, rows=ClusteredRows(_of_keys(counts.groups, counts.total)))


def score_grouped_clusters(counts: GroupedCounts, convention: Convention) -> GroupsResult:
    """Score counts per group and cluster; the cluster is the last grouping column."""
    merged: dict[Group, list[tuple[Group, Confusion | ClassCounts]]] = {}
    for key, part in counts.groups:
        merged.setdefault(key[:-1], []).append((key, part))
    sums = tuple((key, sum(part for _, part in parts)) for key, parts in merged.items())
    found = score_grouped_counts(
        GroupedCounts(by=counts.by[:-1], groups=sums, total=counts.total),  # type: ignore[arg-type]  # sums of counts
        convention,
    )
    groups = tuple(
        GroupScore(
            key=group.key,
            result=replace(group.result, rows=ClusteredRows(_of_keys(merged[group.key], group.result.cells))),
        )
        for group in found.groups
    )
    # Clusters that occur in every group show how the groups are paired.
    total = replace(found.total, rows=ClusteredRows(_of_keys(counts.groups, counts.total)))
    return replace(found, groups=groups, total=total)


def _of_keys(groups: Sequence[tuple[Group, Confusion | ClassCounts]], total: Any) -> Patterns:
    return cluster_patterns(((key[-1], part) for key, part in groups), total)
