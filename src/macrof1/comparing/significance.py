"""Significance of differences between systems: three tests for every pair, under both formulas.

The null hypothesis is that two systems have the same score on the population that the test rows were drawn
from (Wald test, bootstrap), or that their predictions are exchangeable row by row (randomisation).

All three use the joint patterns of gold and all systems, so that what two systems share cancels.

Several runs (seeds) of each system: rows and runs are both samples, and crossed, as every run predicts every row. With
φ_si the change in the score of run s due to row i, m_i its mean over the S runs of a system, and s² the variance of the
runs' scores, the variance of a difference is

    V = Σ_i (mᵃ_i - mᵇ_i)² + Σ_systems s² / S,

what rows explain plus the variance between runs. Part of s² comes from the rows at hand too, so V is somewhat large
where runs hardly differ; subtracting that part would leave no degrees of freedom to account for few runs, and raise
false alarms to 8-12%. Degrees of freedom are Satterthwaite's. This is two-way clustering (Cameron, Gelbach & Miller
2011) over rows and runs, without its last term.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from macrof1.comparing.compared import Options, RunScores, TestName
from macrof1.comparing.reliability import differing, doubts
from macrof1.convention import FORMULAS, Convention, Formula
from macrof1.errors import InputError
from macrof1.message import Argument, Message
from macrof1.reading.files import part_of
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import ROUNDING, bootstrap_scores, randomisation_p, shuffled_p
from macrof1.sampling.samples import Sample, around
from macrof1.sampling.standard_errors import Array, influence, jackknife_influence, pair_added
from macrof1.sampling.student import quantile, two_sided_p

Ends: TypeAlias = tuple[float, float]
OfBoth: TypeAlias = Mapping[Any, Array]  # by formula
PValues: TypeAlias = dict[TestName, dict[Formula, Array]]

# The most deals of one pair, times cells, that take no noticeable time.
_MOST_DEALS = 1 << 20
# The most draws of rows, times resamples, that nobody asked for and no doubt requires: a second or two.
_MOST_DRAWS = 1 << 28


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What resampling and standard errors say about systems and pairs of systems.

    Numbers of pairs are arrays, systems x systems. `checks` are the p-values of a test without a normal approximation:
    rows exchanged, or counted rows reassigned between systems. They decide if there are `doubts`, which are given by
    the positions of two systems, the smaller first; `smallest_check` is the smallest that they can reach. Without
    resamples there is no `flip_probability`, without rows no `n_differing`, and without several runs no `runs`. Several
    runs have no `checks`: where in doubt, no difference is significant.
    """

    intervals: dict[Formula, list[Ends]]
    pair_errors: dict[Formula, Array]
    pair_df: dict[Formula, Array]
    p: PValues
    doubts: dict[tuple[int, int], tuple[str, ...]]
    flip_probability: Array | None = None
    checks: dict[Formula, Array] | None = None
    smallest_check: float = 0.0
    n_differing: Array | None = None
    runs: dict[Formula, tuple[RunScores, ...]] | None = None

    def doubts_about(self, a: int, b: int) -> tuple[str, ...]:
        """Return why the normal approximation is not trusted for two systems; empty if it is."""
        return self.doubts.get((min(a, b), max(a, b)), ())


def wald_p(difference: Array, error: Array, df: Array | float = math.inf) -> Array:
    """Return two-sided p-values of differences with these standard errors: normal, or t with `df`."""
    # With no standard error, a difference is certain unless it is 0.
    sure = np.where(np.abs(difference) <= ROUNDING, 1.0, 0.0)
    z = np.abs(difference) / np.where(error > 0, error, 1.0)
    return np.where(error > ROUNDING, np.vectorize(two_sided_p, otypes=[float])(z, df), sure)


def p_values(scores: OfBoth, errors: OfBoth, df: OfBoth, draws: OfBoth | None = None) -> PValues:
    """Return the p-values of every pair by the Wald test and, if there are resamples, by the bootstrap."""
    apart = {f: np.subtract.outer(scores[f], scores[f]) for f in FORMULAS}
    p: PValues = {"delta": {f: wald_p(apart[f], errors[f], df[f]) for f in FORMULAS}}
    if draws is not None:
        p["bootstrap"] = {f: bootstrap_p(scores[f], draws[f]) for f in FORMULAS}
    return p


def _squares(shared: Array) -> tuple[Array, Array]:
    """Return the sums of squares of each system, and of the difference between every two, from sums of products."""
    own = np.diagonal(shared)
    apart = np.maximum(own[:, None] + own[None, :] - 2 * shared, 0.0)
    apart[apart < 1e-18 * own.max()] = 0.0  # for equal systems, what remains is rounding
    return own, apart


class Systems:
    """Scores of all systems on the same rows, and the influence of each row on them."""

    def __init__(self, patterns: Patterns, convention: Convention) -> None:
        self.patterns = patterns
        self.samples = [Sample.of(patterns.alone(system), convention) for system in range(len(patterns.systems))]
        self.scores = {f: np.array([found.point.values[f] for found in self.samples]) for f in FORMULAS}

    def moved(self, formula: Formula, by: Literal["delta", "jackknife"]) -> Array:
        """Return each unit's influence on every system's score, by derivatives or by jackknife: systems x units."""
        found = []
        for sample in self.samples:
            own, by_row = sample.patterns, sample.point.gradients[formula]
            moved = influence(own, by_row) if by == "delta" else jackknife_influence(own, sample.left.score(formula))
            found.append(own.spread(moved))
        return np.stack(found)

    def pairs(self, formula: Formula) -> tuple[Array, Array]:
        """Return the standard error of every difference, systems x systems, and its degrees of freedom.

        The error is the larger of two: the delta method's with smoothed counts, and the jackknife's. Systems that never
        differ have one too: they may differ in another sample. A sum of squares over few rows is uncertain itself: with
        φ the change due to one of N rows or clusters, its relative variance is Σ φ⁴ / (Σ φ²)² - 1 / N, that of χ² with
        twice the inverse as degrees of freedom.
        """
        moved, units, n = self.moved(formula, "jackknife"), self.patterns.units, len(self.samples)
        alone, both = (units == 1).all(), (self.moved(formula, "delta"), moved)
        products = ((part if alone else part * units) @ part.T for part in both)
        by_delta, by_jackknife = (np.sqrt(_squares(part)[1]) for part in products)
        added, df = np.zeros((n, n)), np.full((n, n), self.patterns.df)
        for a, b in combinations(range(n), 2):
            added[a, b] = added[b, a] = pair_added(self.samples[a].smoothed, self.samples[b].smoothed, formula)
            square = (moved[a] - moved[b]) ** 2
            total = float(units @ square)
            relative = float(units @ square**2) / total**2 - 1 / float(units.sum()) if total else 0.0
            if relative > 0:
                # Rounded, so that not the last bits depend on the order of rows.
                df[a, b] = df[b, a] = min(self.patterns.df, max(1.0, round(2 / relative, 4)))
        return np.maximum(np.sqrt(by_delta**2 + added), by_jackknife), df


def paired_evidence(patterns: Patterns, options: Options) -> Evidence:
    """Test every pair of systems on the same rows or clusters."""
    convention, n_resamples, rng = options.convention, options.n_resamples, options.rng
    half = part_of(options.step, 0, 1 / 2)
    systems = Systems(patterns, convention)
    pair_errors, pair_df = {}, {}
    for f in FORMULAS:
        pair_errors[f], pair_df[f] = systems.pairs(f)
    affordable, draws = len(patterns.units) * n_resamples <= _MOST_DRAWS, None
    if affordable or "bootstrap" in (options.method, options.test):
        draws = bootstrap_scores(patterns, convention, n_resamples, rng, half)
    p = p_values(systems.scores, pair_errors, pair_df, draws)
    differ = differing(patterns)
    unsure = doubts([[sample.patterns] for sample in systems.samples], convention, differ.worth)
    # A difference that the normal approximation does not call significant needs no other test to agree.
    doubtful = any(p["delta"][f][pair] <= options.alpha for pair in unsure for f in FORMULAS)
    checks = {f: np.zeros_like(pair_errors[f]) for f in FORMULAS}
    if affordable or doubtful or options.test == "randomisation":
        exchanged = randomisation_p(patterns, convention, systems.scores, n_resamples, rng, half)
        # Exchanging all rows or none gives the same absolute difference, so at least two of the 2^m exchanges are as
        # extreme. Random exchanges may miss both by chance.
        smallest = np.exp2(1.0 - np.maximum(differ.units, 1))
        p["randomisation"] = checks = {f: np.maximum(found, smallest) for f, found in exchanged.items()}
    return Evidence(
        intervals=_intervals(systems.samples, draws, options),
        pair_errors=pair_errors,
        p=p,
        flip_probability=flip_probability_of(draws),
        checks=checks,
        doubts=unsure,
        smallest_check=1 / (1 + n_resamples),
        n_differing=differ.rows,
        pair_df=pair_df,
    )


def expanded_runs(gold: Any, systems: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, list[int]]]:
    """Return every run as a column (``a@1``, ``a@2``, …), and the positions of each system's runs."""
    level = _depth(gold)
    columns: dict[str, Any] = {}
    groups = {}
    for name, column in systems.items():
        several = isinstance(column, (list, tuple)) and len(column) > 0 and _depth(column) == level + 1
        runs = {name: column[0] if several else column}
        if several and len(column) > 1:
            runs = {f"{name}@{number}": run for number, run in enumerate(column, start=1)}
        taken = set(runs).intersection(columns)
        if taken:
            raise InputError(
                Message("the runs of ", Argument("systems"), f" give two columns named {min(taken)!r}"),
                expected="other names of systems",
            )
        groups[name] = list(range(len(columns), len(columns) + len(runs)))
        columns |= runs
    return columns, groups


def _depth(column: Any) -> int:
    """Return the nesting depth: 1 for a label per row, 2 for sets or an indicator matrix, one more for runs."""
    shape = getattr(column, "shape", None)
    if isinstance(shape, tuple):
        # A column vector also holds one label per row.
        return 1 if len(shape) == 2 and shape[1] == 1 else len(shape)
    if isinstance(column, AbstractSet):
        return 1
    if isinstance(column, (str, bytes)) or not hasattr(column, "__len__"):
        return 0
    if not len(column):
        return 1
    return 1 + _depth(next(iter(column)))


def crossed_errors(
    moved: Array, units: Array, scores: Sequence[float], groups: Sequence[Sequence[int]], rows_df: float = math.inf
) -> tuple[tuple[RunScores, ...], Array, Array]:
    """Return the runs of each system, and each pair's error of means over runs, and df; `moved` is runs x units."""

    def satterthwaite(rows: Array, total: Array, of_runs: Array) -> Array:
        below = of_runs + rows**2 / rows_df
        df: Array = np.where(below > 0, total**2 / np.where(below > 0, below, 1.0), math.inf)
        return df

    values = [tuple(float(scores[run]) for run in runs) for runs in groups]
    means = np.stack([moved[list(runs)].mean(0) for runs in groups])
    between = np.array([np.var(part, ddof=1) / len(part) if len(part) > 1 else 0.0 for part in values])
    of_runs = between**2 / [max(len(part) - 1, 1) for part in values]
    own, rows = _squares((means * units) @ means.T)
    errors = np.sqrt(rows + between[:, None] + between[None, :])
    own_df = satterthwaite(own, own + between, of_runs).tolist()
    systems = tuple(
        RunScores(
            scores=part,
            mean=math.fsum(part) / len(part),
            sd=float(np.std(part, ddof=1)) if len(part) > 1 else None,
            standard_error_rows=math.sqrt(own[place]),
            standard_error=math.sqrt(own[place] + between[place]),
            df=own_df[place] if math.isfinite(own_df[place]) else None,
        )
        for place, part in enumerate(values)
    )
    return systems, errors, satterthwaite(rows, errors**2, of_runs[:, None] + of_runs[None, :])


def check_runs(options: Options) -> None:
    """Reject tests and intervals that do not know several runs."""
    for argument, usual in (("test", "delta"), ("method", "combined")):
        if getattr(options, argument) != usual:
            raise InputError(
                Message(Argument(argument, getattr(options, argument)), " with several runs"),
                expected=Message(Argument(argument, usual), ", which treats rows and runs as random"),
            )


def runs_evidence(patterns: Patterns, options: Options, groups: Sequence[Sequence[int]]) -> Evidence:
    """Test pairs by means over runs; as only normal tests know runs, a pair with doubts is never significant."""
    systems = Systems(patterns, options.convention)
    each = differing(patterns).worth
    worth = np.array([[each[np.ix_(one, other)].mean() for other in groups] for one in groups])
    intervals, means, runs, pair_errors, pair_df = ({} for _ in range(5))  # type: ignore[var-annotated]  # per formula
    for f in FORMULAS:
        moved, scores = systems.moved(f, "jackknife"), systems.scores[f].tolist()
        runs[f], pair_errors[f], pair_df[f] = crossed_errors(moved, patterns.units, scores, groups, patterns.df)
        means[f] = np.array([system.mean for system in runs[f]])
        intervals[f] = []
        for system, places in zip(runs[f], groups, strict=True):
            smoothed = systems.samples[places[0]].smoothed
            # Runs without any mistake have no standard error; the smoothed rows of one of them do.
            error = max(system.standard_error, smoothed.standard_error(f))
            reach = quantile(options.confidence_level, math.inf if system.df is None else system.df)
            intervals[f].append(around(system.mean, error, reach, smoothed.point.values[f]))
    return Evidence(
        intervals=intervals,
        pair_errors=pair_errors,
        p=p_values(means, pair_errors, pair_df),
        doubts=doubts([[patterns.alone(run) for run in runs] for runs in groups], options.convention, worth),
        runs=runs,
        pair_df=pair_df,
    )


def unpaired_evidence(systems: Sequence[Patterns], options: Options) -> Evidence:
    """Test systems known by counts as if their rows were different; where in doubt, shuffle rows as a check."""
    convention, n_resamples, n = options.convention, options.n_resamples, len(systems)
    share = part_of(options.step, 0, 1 / len(systems))
    samples = [Sample.of(part, convention) for part in systems]
    pair_errors, scores, pair_df = {}, {}, dict.fromkeys(FORMULAS, np.full((n, n), math.inf))
    for formula in FORMULAS:
        scores[formula] = np.array([sample.point.values[formula] for sample in samples])
        squares = np.array([sample.error(formula) for sample in samples]) ** 2
        pair_errors[formula] = np.sqrt(squares[:, None] + squares[None, :])
    draws = None
    affordable = n_resamples * sum(len(part.units) for part in systems) <= _MOST_DRAWS
    if affordable or "bootstrap" in (options.method, options.test):
        each = [bootstrap_scores(part, convention, n_resamples, options.rng, share) for part in systems]
        draws = {f: np.concatenate([part[f] for part in each]) for f in FORMULAS}
    p, unsure = p_values(scores, pair_errors, pair_df, draws), doubts([[part] for part in systems], convention)
    checks = {formula: np.zeros((n, n)) for formula in FORMULAS}
    # As many deals as Holm's correction requires, as long as that is cheap.
    wanted = math.ceil(n * (n - 1) / 2 / options.alpha)
    n_deals = max(n_resamples, min(wanted, _MOST_DEALS // max(2 * len(patterns.amounts) for patterns in systems)))
    for a, b in unsure:
        if min(found[formula][a, b] for found in p.values() for formula in FORMULAS) <= options.alpha:
            shuffled = shuffled_p(systems[a], systems[b], convention, n_deals, options.rng)
            for formula in FORMULAS:
                checks[formula][a, b] = checks[formula][b, a] = shuffled[formula]
    return Evidence(
        intervals=_intervals(samples, draws, options),
        pair_errors=pair_errors,
        pair_df=pair_df,
        p=p,
        flip_probability=flip_probability_of(draws),
        checks=checks,
        doubts=unsure,
        smallest_check=1 / (1 + n_deals),
    )


def _intervals(samples: Sequence[Sample], draws: OfBoth | None, options: Options) -> dict[Formula, list[Ends]]:
    level, method = options.confidence_level, options.method
    return {
        f: [one.ends(f, level, method, None if draws is None else draws[f][at])[:2] for at, one in enumerate(samples)]
        for f in FORMULAS
    }


def bootstrap_p(scores: Array, draws: Array) -> Array:
    """Return how often a resampled difference deviates from its mean by at least the observed difference."""
    n_systems, n_resamples = draws.shape
    p = np.ones((n_systems, n_systems))
    centred = draws - draws.mean(1, keepdims=True)
    for a, b in combinations(range(n_systems), 2):
        as_far = np.abs(centred[a] - centred[b]) >= np.abs(scores[a] - scores[b]) - ROUNDING
        p[a, b] = p[b, a] = (1 + as_far.sum()) / (1 + n_resamples)
    return p


def flip_probability_of(draws: OfBoth | None) -> Array | None:
    """Return the share of resamples, systems x resamples, in which the formulas order two systems differently."""
    if draws is None:
        return None
    averaged, of_averages = (draws[formula] for formula in FORMULAS)
    share = np.zeros((len(averaged), len(averaged)))
    for a, b in combinations(range(len(averaged)), 2):
        leads = averaged[a] - averaged[b], of_averages[a] - of_averages[b]
        apart = (np.abs(leads[0]) > ROUNDING) & (np.abs(leads[1]) > ROUNDING)
        share[a, b] = share[b, a] = ((leads[0] * leads[1] < 0) & apart).mean()
    return share
