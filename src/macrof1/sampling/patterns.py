"""Distinct kinds of rows, how many of each, and which labels each touches: what resampling draws from.

A resampled row is a draw of its pattern, so a whole resample is one multinomial draw over patterns. For
one system, a pattern is a cell of its confusion matrix; for several systems, it is gold with all predictions;
for several labels per row, it is a pair of label sets. The rows themselves are never needed again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import DEFAULT, Convention, Task
from macrof1.counting.confusion import Confusion
from macrof1.counts import ClassCounts, trusted_counts
from macrof1.errors import CountError, EmptyError, InputError
from macrof1.labels import Label, label_key
from macrof1.message import Argument, Message

Weights: TypeAlias = NDArray[np.int64] | NDArray[np.float64]


class Sums(NamedTuple):
    """tp, predicted and actual of every label, or the derivatives of one score with respect to them."""

    tp: NDArray[Any]
    predicted: NDArray[Any]
    actual: NDArray[Any]


@dataclass(frozen=True, slots=True)
class RowFacts:
    """Facts about rows besides labels: weight, cluster, and how many rows each stands for; None if absent."""

    weights: Weights | None = None
    clusters: NDArray[np.int64] | None = None
    amounts: NDArray[np.int64] | None = None

    def total(self, rows: NDArray[np.bool_]) -> int:
        """Return how many rows of the data these rows stand for."""
        return int(rows.sum() if self.amounts is None else self.amounts[rows].sum())

    def at(self, rows: NDArray[Any]) -> RowFacts:
        """Return the facts of a subset of rows."""
        facts = (self.weights, self.clusters, self.amounts)
        weights, clusters, amounts = (None if fact is None else fact[rows] for fact in facts)
        if weights is not None and not weights.any():
            raise EmptyError("the weights of all rows that are left are 0", expected="a positive weight in some row")
        return RowFacts(weights, clusters, amounts)


@dataclass(frozen=True, slots=True)
class LabelIncidence:
    """Which pattern carries which label: two parallel arrays, ordered by pattern."""

    pattern: NDArray[np.int64]
    label: NDArray[np.int64]


def one_label(gold: Any, preds: Sequence[Any]) -> dict[str, Any]:
    """Return the fields of patterns with one label per side, given these labels."""
    every = np.arange(len(gold))
    return {
        "gold": LabelIncidence(every, gold),
        "systems": tuple(LabelIncidence(every, pred) for pred in preds),
        "hits": tuple(gold == pred for pred in preds),
    }


def effective(amounts: NDArray[np.int64], weights: Weights) -> float:
    """Return the effective sample size: the number of rows of equal weight that are worth as much."""
    square = float(np.dot(amounts, np.square(weights, dtype=np.float64)))
    return float(np.dot(amounts, weights)) ** 2 / square if square else 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Patterns:
    """Rows as distinct patterns."""

    labels: tuple[Label | None, ...]  # of gold and of every system; a listed class set comes first
    amounts: NDArray[Any]  # how many rows have each pattern
    gold: LabelIncidence
    systems: tuple[LabelIncidence, ...]  # the predicted labels of each pattern
    hits: tuple[NDArray[np.bool_], ...]  # whether gold also has the predicted label
    n_listed: int | None = None
    n_dropped: int = 0
    task: Task = "multiclass"
    weights: Weights | None = None  # of one row of each pattern, which is one draw whatever its weight
    clusters: NDArray[np.int64] | None = None  # the document, user, … of each pattern, from 0
    by_class: bool = False  # the gold rows of each class are fixed; weights say how common it is elsewhere
    _place: NDArray[np.intp] | None = None
    _alone: dict[int, Patterns] = field(init=False, default_factory=dict)
    _sums: dict[int, Sums] = field(init=False, default_factory=dict)
    samples: dict[Any, Any] = field(init=False, default_factory=dict)  # what intervals are made of, once made

    @classmethod
    def of_cells(cls, cells: Confusion) -> Patterns:
        """Make every cell of a confusion matrix a pattern."""
        if cells.real:
            raise CountError(
                "the counts are sums of real weights",
                expected="whole numbers of rows: the noise of a sample depends on the rows and the weight of each",
                hint=Message("compare takes ", Argument("sample_weight"), " row by row"),
            )
        gold, pred = np.divmod(cells.index, len(cells.labels))
        return cls(
            labels=cells.labels,
            amounts=np.asarray(cells.cells, np.int64),
            n_listed=cells.n_listed,
            n_dropped=cells.n_dropped,
            **one_label(gold, [pred]),
        )

    @property
    def n_rows(self) -> int:
        """Number of rows, the same in every resample."""
        return int(self.amounts.sum())

    def alone(self, system: int) -> Patterns:
        """Return one system on its own: a confusion matrix has far fewer cells than many systems have patterns."""
        if len(self.systems) == 1:
            return self
        if system in self._alone:
            return self._alone[system]
        n = len(self.labels)
        if not self.single or self.weights is not None or self.clusters is not None or n * n > len(self.amounts):
            own = replace(self, systems=(self.systems[system],), hits=(self.hits[system],))
        else:
            cell = self.gold.label * n + self.systems[system].label
            # Sums of integers below 2^53 are exact.
            amounts = np.bincount(cell, self.amounts, n * n).astype(np.int64)
            kept = np.flatnonzero(amounts)
            place = np.zeros(n * n, np.intp)
            place[kept] = np.arange(len(kept))
            gold, pred = np.divmod(kept, n)
            own = replace(self, amounts=amounts[kept], **one_label(gold, [pred]), _place=place[cell])
        return self._alone.setdefault(system, own)

    def differ(self, a: int, b: int) -> NDArray[np.bool_]:
        """Return on which patterns two systems differ."""
        first, second, n = self.systems[a], self.systems[b], len(self.labels)
        differ: NDArray[np.bool_] = np.zeros(len(self.amounts), np.bool_)
        if self.single:
            differ = first.label != second.label
        else:  # sets differ if some label is in only one of them
            differ[np.setxor1d(first.pattern * n + first.label, second.pattern * n + second.label) // n] = True
        return differ

    def where_systems_differ(self) -> Patterns:
        """Return the patterns on which not all systems have the same label; all if there are none, or with sets."""
        kept = np.any([self.differ(0, other) for other in range(1, len(self.systems))], axis=0)
        if not self.single or not kept.any():
            return self
        facts = {
            name: fact[kept] for name in ("amounts", "weights", "clusters") if (fact := getattr(self, name)) is not None
        }
        gold, *preds = (side.label[kept] for side in (self.gold, *self.systems))
        return replace(self, **facts, **one_label(gold, preds))

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of the patterns of a system `alone` for every joint pattern that it came from."""
        return values if self._place is None else values[self._place]

    @property
    def single(self) -> bool:
        """Whether every pattern has exactly one label per side, in the order of the patterns."""
        return self.task == "multiclass"

    @property
    def n_clusters(self) -> int | None:
        """Number of clusters; None if rows are independent."""
        return None if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def df(self) -> float:
        """Degrees of freedom of a standard error: infinite for rows; (Σ m)² / Σ m² - 1 for clusters of sizes m."""
        if self.clusters is None:
            return math.inf
        sizes = np.bincount(self.clusters, self.masses)
        return max(1.0, float(sizes.sum() ** 2 / (sizes @ sizes)) - 1)

    @property
    def units(self) -> NDArray[Any]:
        """How many of each sampling unit there are: rows of each pattern, or one of each cluster."""
        return self.amounts if self.n_clusters is None else np.ones(self.n_clusters, int)

    def sum_of_squares(self, moved: Any) -> float:
        """Return the sum over all sampling units, given a number for each kind of unit."""
        return float((self.units * moved * moved).sum())  # a product of vectors would wait for threads of BLAS

    @property
    def masses(self) -> Weights:
        """The total weight of the rows of each pattern: their number, if rows have no weights."""
        return self.amounts if self.weights is None else self.amounts * self.weights

    @property
    def effective_rows(self) -> float:
        """The effective sample size, (Σ w)² / Σ w² (Kish)."""
        return float(self.n_rows) if self.weights is None else effective(self.amounts, self.weights)

    def _met(self, *sides: LabelIncidence) -> NDArray[np.bool_]:
        """Whether each label occurs on one of these sides."""
        met = np.zeros(len(self.labels), bool)
        met[np.concatenate([side.label for side in sides])] = True
        return met

    def sums(self, power: int = 1) -> Sums:
        """Return tp, predicted and actual of the only system, of rows with their weights to a power: 0 counts rows."""
        power = 1 if self.weights is None else power
        if power in self._sums:
            return self._sums[power]
        n, (touches,), (hit,), rows = len(self.labels), self.systems, self.hits, self.amounts.astype(float)
        if self.weights is not None:
            rows *= self.weights.astype(float) ** power
        weight = rows[touches.pattern]
        sums = (
            np.bincount(touches.label, weight * hit, n),
            np.bincount(touches.label, weight, n),
            np.bincount(self.gold.label, rows[self.gold.pattern], n),
        )
        # Sums over no labels come back as integers.
        found = Sums(*(np.asarray(column, float) for column in sums))
        for column in found:
            column.setflags(write=False)
        return self._sums.setdefault(power, found)

    def class_counts(self) -> ClassCounts:
        """Return tp, predicted and actual of the only system, over the labels in gold or in its predictions."""
        listed = np.arange(len(self.labels)) < (self.n_listed or 0)
        at = np.flatnonzero(listed | self._met(self.gold, *self.systems))
        return trusted_counts(
            labels=self.labels if len(at) == len(self.labels) else tuple(map(self.labels.__getitem__, at.tolist())),
            columns=tuple(column[at].astype(self.masses.dtype) for column in self.sums()),
            n_rows=self.n_rows,
            n_listed=self.n_listed,
            n_dropped=self.n_dropped,
            task=self.task,
            weighted=self.weights is not None,
        )

    def class_places(self, convention: Convention = DEFAULT) -> NDArray[np.intp]:
        """Return the places of the classes averaged over, fixed by the data: one that a resample lacks still counts."""
        seen = self._met(self.gold, *self.systems)
        inside = seen if self.n_listed is None else np.arange(len(self.labels)) < self.n_listed
        if convention.exclude:
            left = set(map(label_key, convention.exclude))
            inside &= [label_key(label) not in left for label in self.labels]
        if convention.classes in ("gold", "seen"):
            inside &= self._met(self.gold) if convention.classes == "gold" else seen
        if not inside.any():
            raise EmptyError("no class is left to average over", expected="at least one")
        return np.flatnonzero(inside)


def numbered(clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the remaining clusters as numbers from 0; reject a single one."""
    names, numbers = np.unique(clusters, return_inverse=True)
    if len(names) < 2:
        expected = "at least two clusters; one alone does not tell how clusters differ"
        raise InputError("all rows belong to one cluster", argument="cluster", expected=expected)
    return numbers
