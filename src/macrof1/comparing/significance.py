"""Significance of differences between systems: three tests for every pair, under both formulas.

The null hypothesis is that two systems have the same score on the population that the test rows were drawn
from (Wald test, bootstrap), or that their predictions are exchangeable row by row (randomisation).

All three use the joint patterns of gold and all systems, so that what two systems share cancels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

from macrof1.comparing.options import Options, TestName
from macrof1.comparing.randomisation import ROUNDING, randomisation_p, shuffled_p
from macrof1.comparing.reliability import (
    clusters_that_differ,
    paired_doubts,
    rows_that_differ,
    run_doubts,
    unpaired_doubts,
)
from macrof1.comparing.result import RunScores
from macrof1.comparing.runs import crossed_errors
from macrof1.convention import FORMULAS, Convention, Formula
from macrof1.reading.progress import part_of
from macrof1.sampling.delta import unit_influence
from macrof1.sampling.jackknife import jackknife_influence
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import Array, bootstrap_scores
from macrof1.sampling.samples import Sample, around
from macrof1.sampling.smoothing import pair_added
from macrof1.sampling.student import quantile, two_sided_p

Ends: TypeAlias = tuple[float, float]

# The most deals of one pair, times cells, that take no noticeable time.
_MOST_DEALS = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What resampling and standard errors say about systems and pairs of systems.

    Attributes
    ----------
    intervals
        Per formula, the interval of each system's score.
    pair_errors
        Per formula, the standard error of every difference, systems x systems.
    p
        Per test and formula, the p-value of every difference, systems x systems.
    flip_probability
        The share of resamples in which the two formulas order two systems differently; None without resamples.
    checks
        Per formula, the p-value of a test without a normal approximation, systems x systems: rows exchanged, or counted
        rows reassigned between systems. It decides if there are `doubts`.
    doubts
        Why the normal approximation is not trusted for a pair of systems, by their positions (the smaller first).
    smallest_check
        The smallest p-value that a check can reach, given its number of draws.
    n_differing
        Number of rows on which the predictions of two systems differ; None if rows are not known.
    runs
        Per formula, the runs of each system; None if each has one.
    pair_df
        Per formula, the degrees of freedom of every difference; None if all are normal.
    """

    intervals: dict[Formula, list[Ends]]
    pair_errors: dict[Formula, Array]
    p: dict[TestName, dict[Formula, Array]]
    flip_probability: Array | None
    checks: dict[Formula, Array]
    doubts: dict[tuple[int, int], tuple[str, ...]]
    smallest_check: float
    n_differing: Array | None = None
    runs: dict[Formula, tuple[RunScores, ...]] | None = None
    pair_df: dict[Formula, Array] | None = None

    def doubts_about(self, a: int, b: int) -> tuple[str, ...]:
        """Return why the normal approximation is not trusted for two systems; empty if it is."""
        return self.doubts.get((min(a, b), max(a, b)), ())


def wald_p(difference: Array, error: Array, df: Array | float = math.inf) -> Array:
    """Return two-sided p-values of differences with these standard errors: normal, or t with `df`."""
    # With no standard error, a difference is certain unless it is 0.
    sure = np.where(np.abs(difference) <= ROUNDING, 1.0, 0.0)
    z = np.abs(difference) / np.where(error > 0, error, 1.0)
    every = np.broadcast_to(np.asarray(df, np.float64), z.shape)
    tails = [two_sided_p(t, d) for t, d in zip(z.reshape(-1).tolist(), every.reshape(-1).tolist(), strict=True)]
    return np.where(error > ROUNDING, np.array(tails).reshape(z.shape), sure)


@dataclass(frozen=True, slots=True)
class Systems:
    """Scores of all systems on the same rows, and the influence of each row on them."""

    patterns: Patterns
    samples: list[Sample]
    scores: dict[Formula, Array]

    @classmethod
    def of(cls, patterns: Patterns, convention: Convention) -> Systems:
        """Score every system."""
        samples = [Sample(patterns, system, convention) for system in range(len(patterns.systems))]
        scores = {formula: np.array([found.point.values[formula] for found in samples]) for formula in FORMULAS}
        return cls(patterns, samples, scores)

    def moved(self, formula: Formula, by: Literal["delta", "jackknife"]) -> Array:
        """Return each unit's influence on every system's score, by derivatives or by jackknife: systems x units."""
        found = np.empty((len(self.samples), len(self.patterns.units)))
        for system, sample in enumerate(self.samples):
            own = self.patterns.alone(system)
            if by == "delta":
                values = unit_influence(own.patterns, 0, sample.point.gradients[formula])
            else:
                values = jackknife_influence(own.patterns, sample.left[formula])
            found[system] = own.spread(values)
        return found

    def pair_errors(self, formula: Formula) -> Array:
        """Return the standard error of every difference, systems x systems.

        It is the larger of two: the delta method's with smoothed counts, and the jackknife's. Systems that never differ
        have one too: they may differ in another sample.
        """
        by_delta, by_jackknife = (self._between(self.moved(formula, by)) for by in ("delta", "jackknife"))
        n = len(self.samples)
        added = np.zeros((n, n))
        for a, b in combinations(range(n), 2):
            one, other = (self.samples[system].smoothed for system in (a, b))
            added[a, b] = added[b, a] = pair_added(one, other, formula)
        errors: Array = np.maximum(np.sqrt(by_delta**2 + added), by_jackknife)
        return errors

    def pair_df(self, formula: Formula) -> Array:
        """Return the degrees of freedom of every difference, systems x systems.

        A sum of squares over few rows is uncertain itself: with φ the change due to one of N rows or clusters, its
        relative variance is Σ φ⁴ / (Σ φ²)² - 1 / N, that of χ² with twice the inverse as degrees of freedom.
        """
        moved, units, n = self.moved(formula, "jackknife"), self.patterns.units, len(self.samples)
        found = np.full((n, n), self.patterns.df)
        for a, b in combinations(range(n), 2):
            square = (moved[a] - moved[b]) ** 2
            total = float(units @ square)
            relative = float(units @ square**2) / total**2 - 1 / float(units.sum()) if total else 0.0
            if relative > 0:
                # Rounded, so that not the last bits depend on the order of rows.
                found[a, b] = found[b, a] = min(self.patterns.df, max(1.0, round(2 / relative, 4)))
        return found

    def _between(self, moved: Array) -> Array:
        """Return the standard error of every difference, given the influence of each unit."""
        units = self.patterns.units
        shared = (moved if (units == 1).all() else moved * units) @ moved.T
        own = np.diagonal(shared)
        errors: Array = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * shared, 0.0))
        # For equal systems, what remains is rounding, not a standard error.
        errors[errors < 1e-9 * np.sqrt(own.max() or 1.0)] = 0.0
        return errors


def paired_evidence(patterns: Patterns, options: Options) -> Evidence:
    """Test every pair of systems on the same rows or clusters."""
    options.check_testable()
    convention, n_resamples, rng = options.convention, options.n_resamples, options.rng
    half = part_of(options.step, 0, 1 / 2)
    systems = Systems.of(patterns, convention)
    pair_errors = {formula: systems.pair_errors(formula) for formula in FORMULAS}
    pair_df = {formula: systems.pair_df(formula) for formula in FORMULAS}
    draws = bootstrap_scores(patterns, convention, n_resamples, rng, half)
    differing, worth = rows_that_differ(patterns)
    exchanged = randomisation_p(patterns, convention, systems.scores, n_resamples, rng, half)
    # Exchanging all rows or none gives the same absolute difference, so at least two of the 2^m exchanges are as
    # extreme. Random exchanges may miss both by chance.
    exchangeable = differing if patterns.clusters is None else clusters_that_differ(patterns)
    smallest = np.exp2(1.0 - np.maximum(exchangeable, 1))
    exchanged = {formula: np.maximum(found, smallest) for formula, found in exchanged.items()}
    apart = {formula: _differences(found) for formula, found in systems.scores.items()}
    return Evidence(
        intervals={f: _intervals(systems, draws[f], f, options) for f in FORMULAS},
        pair_errors=pair_errors,
        p={
            "delta": {f: wald_p(apart[f], pair_errors[f], pair_df[f]) for f in FORMULAS},
            "bootstrap": {f: _bootstrap_p(systems.scores[f], draws[f]) for f in FORMULAS},
            "randomisation": exchanged,
        },
        flip_probability=_flip_probability(*(draws[f] for f in FORMULAS)),
        checks=exchanged,
        doubts=paired_doubts(patterns, convention, worth),
        smallest_check=1 / (1 + n_resamples),
        n_differing=differing,
        pair_df=pair_df,
    )


def runs_evidence(patterns: Patterns, options: Options, groups: Sequence[Sequence[int]]) -> Evidence:
    """Test every pair of systems by the means over their runs; `groups` are the positions of each system's runs.

    There is no test of runs without a normal approximation: a pair with doubts is never called significant.
    """
    options.check_testable()
    systems = Systems.of(patterns, options.convention)
    found = {
        f: crossed_errors(
            systems.moved(f, "jackknife"), patterns.units, systems.scores[f].tolist(), groups, patterns.df
        )
        for f in FORMULAS
    }
    intervals, p = {}, {}
    for formula, errors in found.items():
        means = np.array([system.mean for system in errors.systems])
        p[formula] = wald_p(_differences(means), errors.pair_errors, errors.pair_df)
        intervals[formula] = [
            _run_interval(systems.samples[runs[0]], options, system, formula)
            for system, runs in zip(errors.systems, groups, strict=True)
        ]
    n, (_, worth) = len(groups), rows_that_differ(patterns)
    return Evidence(
        intervals=intervals,
        pair_errors={formula: errors.pair_errors for formula, errors in found.items()},
        p={"delta": p},
        flip_probability=None,
        checks={formula: np.ones((n, n)) for formula in FORMULAS},
        doubts=run_doubts(patterns, options.convention, worth, groups),
        smallest_check=0.0,
        runs={formula: errors.systems for formula, errors in found.items()},
        pair_df={formula: errors.pair_df for formula, errors in found.items()},
    )


def _run_interval(sample: Sample, options: Options, system: RunScores, formula: Formula) -> Ends:
    reach = quantile(options.confidence_level, math.inf if system.df is None else system.df)
    # Runs without any mistake have no standard error; the smoothed rows of one of them do.
    error = max(system.standard_error, sample.smoothed.standard_error(formula))
    return around(system.mean, error, reach, sample.smoothed.point.values[formula])


def unpaired_evidence(systems: Sequence[Patterns], options: Options) -> Evidence:
    """Test every pair of systems known only by their counts, as if their test rows were different.

    If the normal approximation is in doubt and a p-value may be significant, the rows of both are shuffled as a check.
    """
    options.check_testable()
    convention, n_resamples = options.convention, options.n_resamples
    share = part_of(options.step, 0, 1 / len(systems))
    draws_of = [bootstrap_scores(part, convention, n_resamples, options.rng, share) for part in systems]
    each = [Systems.of(part, convention) for part in systems]
    intervals, draws, pair_errors, scores = {}, {}, {}, {}
    for formula in FORMULAS:
        scores[formula] = np.concatenate([found.scores[formula] for found in each])
        draws[formula] = np.concatenate([part[formula] for part in draws_of])
        squares = np.array([found.samples[0].error(formula) for found in each]) ** 2
        pair_errors[formula] = np.sqrt(squares[:, None] + squares[None, :])
        intervals[formula] = [
            _intervals(found, drawn[formula], formula, options)[0] for found, drawn in zip(each, draws_of, strict=True)
        ]
    p: dict[TestName, dict[Formula, Array]] = {
        "delta": {f: wald_p(_differences(scores[f]), pair_errors[f]) for f in FORMULAS},
        "bootstrap": {f: _bootstrap_p(scores[f], draws[f]) for f in FORMULAS},
    }
    doubts = unpaired_doubts(systems, convention)
    checks, n_deals = _shuffled(systems, options, p, doubts)
    return Evidence(
        intervals=intervals,
        pair_errors=pair_errors,
        p=p,
        flip_probability=_flip_probability(*(draws[f] for f in FORMULAS)),
        checks=checks,
        doubts=doubts,
        smallest_check=1 / (1 + n_deals),
    )


def _shuffled(
    systems: Sequence[Patterns],
    options: Options,
    p: dict[TestName, dict[Formula, Array]],
    doubts: dict[tuple[int, int], tuple[str, ...]],
) -> tuple[dict[Formula, Array], int]:
    """Shuffle the rows of doubtful pairs that might be significant; return their p-values and the number of deals."""
    n = len(systems)
    checks = {formula: np.zeros((n, n)) for formula in FORMULAS}
    # As many deals as Holm's correction requires, as long as that is cheap.
    wanted = math.ceil(n * (n - 1) / 2 / options.alpha)
    affordable = _MOST_DEALS // max(2 * len(patterns.amounts) for patterns in systems)
    n_deals = max(options.n_resamples, min(wanted, affordable))
    for a, b in doubts:
        if min(found[formula][a, b] for found in p.values() for formula in FORMULAS) <= options.alpha:
            shuffled = shuffled_p(systems[a], systems[b], options.convention, n_deals, options.rng)
            for formula in FORMULAS:
                checks[formula][a, b] = checks[formula][b, a] = shuffled[formula]
    return checks, n_deals


def _intervals(systems: Systems, draws: Array, formula: Formula, options: Options) -> list[Ends]:
    """Return the interval of every system by the requested method."""
    level = options.confidence_level
    if options.method == "bootstrap":
        ends = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=1)
        return list(zip(*ends.tolist(), strict=True))
    if options.method == "combined":
        return [sample.combined(formula, level)[:2] for sample in systems.samples]
    reach = quantile(level, systems.patterns.df)
    found = [(sample.point.values[formula], reach * sample.delta_error(formula)) for sample in systems.samples]
    return [(max(0.0, value - error), min(1.0, value + error)) for value, error in found]


def _differences(scores: Array) -> Array:
    return np.asarray(scores[:, None] - scores[None, :])


def _bootstrap_p(scores: Array, draws: Array) -> Array:
    """Return how often a resampled difference deviates from its mean by at least the observed difference."""
    n_systems, n_resamples = draws.shape
    p = np.ones((n_systems, n_systems))
    centred = draws - draws.mean(1, keepdims=True)
    for a in range(n_systems - 1):
        seen = np.abs(scores[a] - scores[a + 1 :])
        as_far = (np.abs(centred[a] - centred[a + 1 :]) >= seen[:, None] - ROUNDING).sum(1)
        p[a, a + 1 :] = p[a + 1 :, a] = (1 + as_far) / (1 + n_resamples)
    return p


def _flip_probability(averaged: Array, of_averages: Array) -> Array:
    n_systems = len(averaged)
    share = np.zeros((n_systems, n_systems))
    for a in range(n_systems - 1):
        by_averaged, by_averages = averaged[a] - averaged[a + 1 :], of_averages[a] - of_averages[a + 1 :]
        apart = (np.abs(by_averaged) > ROUNDING) & (np.abs(by_averages) > ROUNDING)
        share[a, a + 1 :] = share[a + 1 :, a] = ((by_averaged * by_averages < 0) & apart).mean(1)
    return share
