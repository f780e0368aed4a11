"""Scores as they would be where classes are as common as somewhere else, and intervals for rows sampled per class.

With π_j the share of class j there and q_jk how often its rows are predicted as k, the confusion matrix there is
π_j q_jk: every gold row counts with the weight π_j N / g_j. This assumes that a class looks the same there: only the
mix of classes changes.

The number of gold rows of each class is fixed, so a sample varies within classes only: the variance of a score is the
sum over classes of π_j² / g_j times the variance of the derivatives over the cells of row j. It is smoothed as for the
other intervals (`smoothing`), with the added rows in the rows of their gold classes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from macrof1.convention import Convention
from macrof1.counting.confusion import Confusion
from macrof1.counts import ClassCounts, Making, RowSource
from macrof1.errors import CountError, InputError, LabelError, quote_some
from macrof1.labels import label_key, label_name
from macrof1.message import Argument, Message, Note
from macrof1.sampling.delta import Point, Sums, point_of_sums
from macrof1.sampling.macro_scores import Array
from macrof1.sampling.patterns import Patterns, one_label
from macrof1.sampling.samples import Ends, Sample, around
from macrof1.sampling.student import quantile
from macrof1.scoring.score_result import ScoreResult

_RIGHT, _WRONG, _MARGIN = 0.5, 0.25, 0.5
_SMALLEST_SHARE = 1e-9


@dataclass(frozen=True, slots=True)
class _Table:
    """A confusion matrix with gold as rows, weighted to a class mix, and its scores."""

    shares: Array
    rows: Array
    chances: Array
    point: Point

    @classmethod
    def of(cls, cells: Array, shares: Array, at: Array, convention: Convention) -> _Table:
        rows = cells.sum(1)
        chances = cells / np.where(rows > 0, rows, 1.0)[:, None]
        there = shares[:, None] * chances
        sums = Sums(np.diagonal(there).copy(), there.sum(0), there.sum(1))
        return cls(shares, rows, chances, point_of_sums(sums, at, convention))

    def standard_error(self, of: str) -> float:
        """Return the delta method's standard error if the number of gold rows of each class is fixed."""
        by_tp, by_predicted, _ = self.point.gradients[of]
        moved = np.broadcast_to(by_predicted, self.chances.shape).copy()
        moved[np.diag_indices(len(by_tp))] += by_tp
        mean = (self.chances * moved).sum(1)
        within = (self.chances * (moved - mean[:, None]) ** 2).sum(1)
        return math.sqrt(float((self.shares**2 * within / np.maximum(self.rows - 1, 1.0)).sum()))


class StratifiedSample(Sample):
    """What intervals are made of if rows were sampled per gold class."""

    def __init__(self, patterns: Patterns, convention: Convention) -> None:
        super().__init__(patterns, 0, convention)
        n = len(patterns.labels)
        self._cells = np.zeros((n, n))
        self._cells[patterns.gold.label, patterns.systems[0].label] = patterns.amounts
        weights = patterns.masses
        self._shares = np.bincount(patterns.gold.label, weights, n) / float(weights.sum())
        self._table = _Table.of(self._cells, self._shares, self.at, convention)

    @cached_property
    def _smooth(self) -> _Table:
        """Half a right row per class, and a quarter of a wrong one in its row and its column, as in `smoothing`."""
        cells = self._cells.copy()
        live = np.zeros(len(cells), np.bool_)
        live[self.at] = True
        live &= cells.sum(1) > 0
        cells[live, live] += _RIGHT
        if live.sum() > 1:
            apart = (live[:, None] & live[None, :]) & ~np.eye(len(cells), dtype=np.bool_)
            column, row = apart * (cells.sum(0) + _MARGIN), apart * (cells.sum(1) + _MARGIN)[:, None]
            cells += _WRONG * column / np.maximum(column.sum(1), 1e-12)[:, None]
            cells += _WRONG * row / np.maximum(row.sum(0), 1e-12)
        return _Table.of(cells, self._shares, self.at, self.convention)

    def delta_error(self, of: str) -> float:
        """Return the delta method's standard error."""
        return self._table.standard_error(of)

    def error(self, of: str) -> float:
        """Return the larger standard error, with smoothed counts or without."""
        return max(self.delta_error(of), self._smooth.standard_error(of))

    def combined(self, of: str, level: float) -> Ends:
        """Return the ends of the default interval: two of its three parts, as rows of a class vary alone."""
        reach, estimate, error = quantile(level), self.point.values[of], self.error(of)
        if of == "gap":
            return Ends(max(0.0, estimate - reach * error), min(1.0, estimate + reach * error), error)
        return Ends(*around(estimate, error, reach, self._smooth.point.values[of]), error)


@dataclass(frozen=True, slots=True, eq=False)
class RowsPerClass(RowSource):
    """The rows of a score, weighted to a class mix."""

    cells: Confusion
    weights: Array

    def patterns(self) -> Patterns:
        """Return the cells, with the weight of the gold class of each."""
        gold, pred = np.divmod(self.cells.index, len(self.cells.labels))
        return Patterns(
            labels=self.cells.labels,
            amounts=np.asarray(self.cells.cells, np.int64),
            n_listed=self.cells.n_listed,
            n_dropped=self.cells.n_dropped,
            weights=self.weights[gold],
            by_class=True,
            **one_label(gold, [pred]),
        )


def score_at_prevalence(result: ScoreResult, prevalence: Mapping[Any, float] | None) -> ScoreResult:
    """Return a score as it would be with another mix of classes; `ScoreResult.at_prevalence` documents it."""
    cells = result.cells
    if cells is None or cells.real or result.weighted or result.rows.n_clusters is not None:
        raise CountError(
            "the score does not come from independent rows with one label each, all of weight 1",
            argument="prevalence",
            expected="the result of score, score_file, score_frame or score_matrix without weights and clusters",
        )
    counts = Patterns.of_cells(cells).class_counts()
    actual = np.zeros(len(cells.labels))
    place = {label_key(label): at for at, label in enumerate(cells.labels)}
    for label, n in zip(counts.labels, counts.actual, strict=True):
        actual[place[label_key(label)]] = n
    shares = actual / actual.sum() if prevalence is None else _checked_shares(prevalence, place, actual)
    weights = shares * actual.sum() / np.where(actual > 0, actual, 1.0)
    rows = RowsPerClass(cells, weights)
    largest = np.argsort(-shares)[:5].tolist()
    mix = ", ".join(f"{label_name(cells.labels[at])} {100 * shares[at]:.3g}%" for at in largest)
    given = "the mix of this test set, taken as fixed" if prevalence is None else "a class mix that was asked for"
    note = Note(f"Scores and intervals are for {given} ({mix}{', …' if len(shares) > 5 else ''}).", code="prevalence")
    fact = "fixed" if prevalence is None else ",".join(f"{share:.4g}" for share in shares.tolist()[:50])
    making = result.making + Making(facts=(("prevalence", fact),), notes=(note,))
    weighted: ClassCounts = rows.patterns().class_counts()
    return replace(result, counts=weighted.with_facts(making=making), rows=rows, making=making)


def _checked_shares(prevalence: Mapping[Any, float], place: dict[Any, int], actual: Array) -> Array:
    """Return the share of every label, in its place; reject shares that leave a class open."""
    if not isinstance(prevalence, Mapping) or not prevalence:
        raise InputError.bad_value("prevalence", prevalence, expected='the share of each class, such as {"a": 0.7, …}')
    shares = np.zeros(len(actual))
    for label, share in prevalence.items():
        usable = isinstance(share, (int, float)) and not isinstance(share, bool) and 0 <= share < math.inf
        if not usable:
            raise InputError(
                Message(Argument("prevalence"), f" has {share!r} for {label!r}"), given=share, expected="a share"
            )
        at = place.get(label_key(label))
        if at is None or (share > 0 and not actual[at]):
            known = [label for (_, label), at in place.items() if actual[at]]
            raise LabelError(
                Message(Argument("prevalence"), f" names {label!r}, which no gold row has"),
                given=label,
                expected=f"shares of {quote_some(known)}",
            )
        shares[at] = float(share)
    named = set(map(label_key, prevalence))
    missing = [key[1] for key, at in place.items() if actual[at] and key not in named]
    if missing or shares.sum() < _SMALLEST_SHARE:
        what = f" has no share of {quote_some(missing)}" if missing else " is 0 for every class"
        raise InputError(Message(Argument("prevalence"), what), expected="a share of every gold class")
    found: Array = shares / shares.sum()
    return found
