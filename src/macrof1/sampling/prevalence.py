"""Scores as they would be where classes are as common as somewhere else, and intervals for rows sampled per class.

With π_j the share of class j there and q_jk how often its rows are predicted as k, the confusion matrix there is
π_j q_jk: every gold row counts with the weight π_j N / g_j. This assumes that a class looks the same there: only the
mix of classes changes.

The number of gold rows of each class is fixed, so a sample varies within classes only: the variance of a score is the
sum over classes of π_j² / g_j times the variance of the derivatives over the cells of row j. It is smoothed as for the
other intervals (`standard_errors`), with the added rows in the rows of their gold classes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from macrof1.counting.confusion import Confusion
from macrof1.counts import ClassCounts, Making, RowSource
from macrof1.errors import CountError, InputError, LabelError, quote_some
from macrof1.labels import label_key, label_name
from macrof1.message import Argument, Message, Note
from macrof1.sampling.delta import Array, influence, over
from macrof1.sampling.patterns import Patterns, one_label
from macrof1.sampling.samples import Ends, Sample, around
from macrof1.sampling.standard_errors import MARGIN, RIGHT, WRONG
from macrof1.sampling.student import quantile
from macrof1.scoring.score_result import ScoreResult

_SMALLEST_SHARE = 1e-9


class StratifiedSample(Sample):
    """What intervals are made of if rows were sampled per gold class."""

    @cached_property
    def _smooth(self) -> StratifiedSample:
        """The sample with half a right row per class, and a quarter of a wrong one in its row and its column."""
        gold, n = self.patterns.gold.label, len(self.patterns.labels)
        cells = np.zeros((n, n))
        cells[gold, self.patterns.systems[0].label] = self.patterns.amounts
        live = np.zeros(n, np.bool_)
        live[self.at] = True
        live &= cells.sum(1) > 0
        cells[live, live] += RIGHT
        if live.sum() > 1:
            apart = (live[:, None] & live[None, :]) & ~np.eye(n, dtype=np.bool_)
            column, row = apart * (cells.sum(0) + MARGIN), apart * (cells.sum(1) + MARGIN)[:, None]
            cells += WRONG * column / np.maximum(column.sum(1), 1e-12)[:, None]
            cells += WRONG * row / np.maximum(row.sum(0), 1e-12)
        there = np.bincount(gold, self.patterns.masses, n)
        at = np.nonzero(cells)
        smooth = replace(
            self.patterns, amounts=cells[at], weights=(there / np.maximum(cells.sum(1), 1e-12))[at[0]],
            **one_label(at[0], [at[1]]),
        )  # fmt: skip
        return StratifiedSample(smooth, self.convention, self.at)

    def delta_error(self, of: str) -> float:
        """Return the delta method's standard error if the number of gold rows of each class is fixed."""
        gold, amounts, n = self.patterns.gold.label, self.patterns.amounts, len(self.patterns.labels)
        moved = influence(self.patterns, self.point.gradients[of])
        rows = np.bincount(gold, amounts, n)
        mean = over(np.bincount(gold, amounts * moved, n), rows)
        within = np.bincount(gold, amounts * (moved - mean[gold]) ** 2, n)
        return math.sqrt(float((within * rows / np.maximum(rows - 1, 1.0)).sum()))

    def error(self, of: str) -> float:
        """Return the larger standard error, with smoothed counts or without."""
        return max(self.delta_error(of), self._smooth.delta_error(of))

    def combined(self, of: str, level: float) -> Ends:
        """Return the ends of the default interval: two of its three parts, as rows of a class vary alone."""
        reach, estimate, error = quantile(level), self.point.values[of], self.error(of)
        if of == "gap":
            away = reach * error + self.noise.floor  # the gap of a sample exceeds the true one by about the floor
            return Ends(max(0.0, estimate - away), min(1.0, estimate + away), error)
        return Ends(*around(estimate, error, reach, self._smooth.point.values[of]), error)


@dataclass(frozen=True, slots=True, eq=False)
class RowsPerClass(RowSource):
    """The rows of a score, weighted to a class mix."""

    cells: Confusion
    weights: Array

    def patterns(self) -> Patterns:
        """Return the cells, with the weight of the gold class of each."""
        found = Patterns.of_cells(self.cells)
        return replace(found, weights=self.weights[found.gold.label], by_class=True)


def score_at_prevalence(result: ScoreResult, prevalence: Mapping[Any, float] | None) -> ScoreResult:
    """Return a score as it would be with another mix of classes; `ScoreResult.at_prevalence` documents it."""
    cells = result.cells
    if cells is None or cells.real or result.weighted or result.rows.n_clusters is not None:
        raise CountError(
            "the score does not come from independent rows with one label each, all of weight 1",
            argument="prevalence",
            expected="the result of score, score_file, score_frame or score_matrix without weights and clusters",
        )
    found = Patterns.of_cells(cells)
    actual = np.bincount(found.gold.label, found.amounts, len(cells.labels))
    place = {label_key(label): at for at, label in enumerate(cells.labels)}
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
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share < math.inf:
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
