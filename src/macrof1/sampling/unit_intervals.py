"""Intervals over units other than classes: the units themselves are the sample.

With x the F1, precision or recall of each of n units, a mean has the standard error sd(x) / sqrt(n). F1 of averages and
the gap are functions of such means: each unit changes them by the derivative times its distance from the mean. Weights,
and ratios that leave a mean, make it a ratio of two sums, which is linearised in the same way; so do clusters of units,
whose sums are those of their units. Units of unequal weight, or clusters of unequal size, count as their effective
number (Kish).

The default interval lies between the outer ends of two:

- Student's, with n - 1 degrees of freedom: right where values vary;
- Wilson's for a share θ of n / D units. D is the variance of a unit over θ (1 - θ), the most that it can be between 0
  and 1. Where nearly all units are right, how much the others lack is hardly known, so half a unit that is all wrong is
  added to both variances; for the gap, half a unit with a gap of 0.2 (`benchmarks/unit_coverage.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, get_args

import numpy as np

from macrof1.convention import Convention
from macrof1.counting.matrix import arrays_of
from macrof1.counting.units import UnitClusters
from macrof1.counts import CLUSTER, ClassCounts, Noun
from macrof1.errors import EmptyError, InputError, counted
from macrof1.message import Argument, Message, Note
from macrof1.sampling.intervals import CompareMethod, IntervalResult, checked_level
from macrof1.sampling.resampling import Random, checked_random, checked_resamples, counted_picks
from macrof1.sampling.samples import Ends, percentiles, wilson
from macrof1.sampling.standard_errors import Array, MacroScores, f_of_means
from macrof1.sampling.student import quantile
from macrof1.scoring.macro import columns_of

# With fewer units, an interval may cover less than it says, whatever they are like.
FEW_UNITS: Final = 20
# What half a unit that is all wrong adds to n times the variance of a unit, and to n times the most that it can be.
_WRONG: Final = (0.5, 0.5)
_WRONG_IN_GAP: Final = (0.02, 0.1)
# The most draws (units x resamples) that are held in memory at once.
_PIECE: Final = 1 << 22


class UnitSample:
    """One or several systems on the same units: the sums that scores are ratios of, for each unit or cluster.

    `parts` are systems x (above and below the line) x (F1, precision and recall) x units or clusters.
    """

    def __init__(self, systems: Sequence[ClassCounts], convention: Convention) -> None:
        inside = [_inside(own, convention) for own in systems]
        some = np.logical_or.reduce(inside)
        parts = np.zeros((len(systems), 2, 3, len(some)))  # those of a unit that a system is not averaged over are 0
        for sums, own, kept in zip(parts, systems, inside, strict=True):
            columns, undefined = columns_of(own, convention), convention.undefined
            weight = np.ones(len(columns)) if columns.weights is None else np.asarray(columns.weights, float)
            ratios = columns.f(convention.beta, undefined), columns.precision(undefined), columns.recall(undefined)
            values = np.array(ratios, float)
            sums[:, :, kept] = weight * np.array([np.nan_to_num(values), ~np.isnan(values)])
        self.parts, self.beta, self.some = parts[..., some], convention.beta, some
        self.noun, rows = systems[0].noun, systems[0].rows
        self.clusters = None
        if isinstance(rows, UnitClusters):
            _, self.clusters = np.unique(rows.clusters[some], return_inverse=True)
            sizes, self.noun = np.bincount(self.clusters), CLUSTER
            in_order = self.parts[..., np.argsort(self.clusters, kind="stable")]
            self.parts = np.add.reduceat(in_order, np.cumsum(sizes) - sizes, axis=-1)
        if self.n < 2:
            raise InputError(f"there is one {self.noun.one} only", expected="at least two, to tell how they differ")
        below = self.parts[:, 1]
        if not below.sum(-1).all():
            raise EmptyError("all that is averaged over has weight 0", expected="a positive weight in some row")
        # The effective number of units, or clusters, in the ratio that knows the fewest.
        squares = (below**2).sum(-1)
        self.worth = max(1.0, float((below.sum(-1) ** 2 / np.where(squares > 0, squares, 1.0)).min()))
        self.df = max(1.0, self.worth - 1)

    @property
    def n(self) -> int:
        """How many units, or clusters, there are."""
        return int(self.parts.shape[-1])

    @property
    def n_clusters(self) -> int | None:
        """How many clusters there are; None if units are independent."""
        return None if self.clusters is None else self.n

    def moved(self) -> dict[str, Array]:
        """Return how much each unit or cluster moves every score, systems x units: squares sum to the variance."""
        above, below = self.parts[:, 0], self.parts[:, 1]
        total = below.sum(-1, keepdims=True)
        means = above.sum(-1, keepdims=True) / total
        of_f, of_p, of_r = np.moveaxis((above - means * below) / total * math.sqrt(self.n / (self.n - 1)), 1, 0)
        p, r, square = means[:, 1], means[:, 2], self.beta**2
        under = (square * p + r) ** 2
        slope = (1 + square) / np.where(under > 0, under, 1.0)
        of_both = slope * (r * r * of_p + square * p * p * of_r)
        return {
            "averaged_f1": of_f, "f1_of_averages": of_both, "gap": of_both - of_f, "macro_precision": of_p,
            "macro_recall": of_r,
        }  # fmt: skip

    def scores(self, sums: Array | None = None) -> MacroScores:
        """Return the scores of sums of parts, of all units unless others are given; systems are on the last axis."""
        sums = self.parts.sum(-1) if sums is None else sums
        below = sums[..., 1, :]
        f, precision, recall = np.moveaxis(sums[..., 0, :] / np.where(below > 0, below, 1.0), -1, 0)
        return MacroScores(f, f_of_means(precision, recall, self.beta), precision, recall)

    def resampled(self, n_resamples: int, rng: np.random.Generator, *, coins: bool = False) -> Array:
        """Return the sums of as many units drawn with replacement, or of those picked by coins, resamples first."""
        n, flat, found = self.n, self.parts.reshape(-1, self.n).T, []
        step = max(1, _PIECE // n)
        for start in range(0, n_resamples, step):
            size = min(step, n_resamples - start)
            if coins:
                draws = rng.integers(0, 2, (size, n), dtype=np.int8)
            else:
                picked = rng.integers(0, n, size * n, dtype=np.uint32)
                draws = counted_picks(picked, np.full(size, n), n)
            found.append(draws.astype(float) @ flat)
        return np.concatenate(found).reshape(n_resamples, *self.parts.shape[:3])


def _inside(counts: ClassCounts, convention: Convention) -> Array:
    """Return which units a system is averaged over: one that is empty may be left out for one system alone."""
    _, predicted, actual = arrays_of(counts)
    inside = np.ones(len(actual), bool) if convention.classes != "gold" else actual > 0
    if convention.classes == "seen" or convention.empty == "drop":
        inside &= (actual > 0) | (predicted > 0)
    return inside


def unit_interval(
    counts: ClassCounts,
    convention: Convention,
    of: Any,
    *,
    label: object,
    confidence_level: float,
    method: str | None,
    n_resamples: int,
    rng: Random,
) -> IntervalResult:
    """Compute an interval for a score over units; `ScoreResult.interval` documents the parameters."""
    if of == "f1" or label is not None:
        problem = f" for one {counts.noun.one}, where {counts.noun.many} are the sample"
        raise InputError(Message(Argument("label", label), problem), expected="an interval of a macro score")
    chosen: Any = "combined" if method is None else method
    if chosen not in get_args(CompareMethod):
        expected = Message(Argument("method", "combined"), ", delta for Student's interval, or bootstrap")
        sampled = f" with {counts.noun.many} as the sample"
        raise InputError(Message(Argument("method", method), sampled), expected=expected)
    level, sample = checked_level(confidence_level), UnitSample([counts], convention)
    (moved,), estimate = sample.moved()[of], getattr(sample.scores(), of).item()
    error = math.sqrt(float((moved**2).sum()))
    ends = student_ends(of, estimate, error, sample.worth, quantile(level, sample.df), chosen)
    if chosen == "bootstrap":
        drawn = sample.resampled(checked_resamples(n_resamples), checked_random(rng))
        draws = getattr(sample.scores(drawn), of)[:, 0]
        ends = percentiles(draws, level)
        if of == "gap":  # a sample's gap is biased, and that of a resample twice as much
            twice = 2 * float(draws.mean() - estimate)
            ends = Ends(max(0.0, ends.low - twice), min(1.0, ends.high - twice), ends.error)
    return IntervalResult(
        of=of, estimate=estimate, low=ends.low, high=ends.high, standard_error=ends.error, confidence_level=level,
        method=chosen, n_resamples=int(n_resamples) if chosen == "bootstrap" else None, n_clusters=sample.n_clusters,
        notes=tuple(unit_notes(moved, sample.noun, chosen)),
    )  # fmt: skip


def student_ends(of: str, estimate: float, error: float, n: float, reach: float, method: str = "combined") -> Ends:
    """Return Student's interval or, by default, the outer ends of it and Wilson's, for n units (see above)."""
    low, high = max(0.0, estimate - reach * error), min(1.0, estimate + reach * error)
    if method == "combined":
        of_unit, at_most = _WRONG_IN_GAP if of == "gap" else _WRONG
        dispersion = ((n * error) ** 2 + of_unit) / (n * estimate * (1 - estimate) + at_most)
        ends = wilson(np.array(estimate), np.array(n / dispersion), reach)
        low, high = min(low, float(ends[0])), max(high, float(ends[1]))
    return Ends(low, high, error)


def is_doubtful(moved: Array, times: float = 35) -> bool:
    """Return whether units are too few for Student's interval, given how unevenly they move a score.

    With skewness γ it takes about 25 γ² of them (Sugden, Smith & Jones 2000, "Cochran's rule for simple random
    sampling", Journal of the Royal Statistical Society B 62), somewhat more where γ is that of the sample, which is
    mostly too small, and 20 in any case (`benchmarks/unit_coverage.py`).
    """
    square = float((moved**2).mean())
    skewness = float((moved**3).mean()) / square**1.5 if square else math.inf
    return len(moved) < max(FEW_UNITS, times * skewness**2)


def unit_notes(moved: Array, noun: Noun, method: str) -> Iterator[Note]:
    """Say when actual coverage may be too low; the default interval knows skewed values, if there are a few of them."""
    many = counted(len(moved), *noun)
    if not moved.any():
        alike = f"All {many} are alike, which says little about {noun.many} not yet seen."
        yield Note(alike, code="no_variation")
    elif method == "combined" and is_doubtful(moved, 3):
        few = "are few" if len(moved) < FEW_UNITS else "hardly differ"
        yield Note(f"{many} {few}: the actual coverage of the interval may be lower.", code="few_units")
    elif method != "combined" and is_doubtful(moved):
        few = f"{many} are few for scores spread so unevenly: the actual coverage of a 95% "
        yield Note(few, "interval may be 85–93%, or less if they are fewer than 20.", code="few_units")
