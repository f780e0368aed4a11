"""Which differences between systems are real: three tests for every pair, under both formulas.

The null hypothesis is that two systems have the same score on the population that the test rows were drawn
from (delta method, bootstrap), or that their predictions are exchangeable row by row (randomisation).

All three come from the joint patterns of gold and all systems, so that what two systems share cancels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from macrof1.comparing.randomisation import ROUNDING, Rules, randomisation_p, shuffled_p
from macrof1.comparing.reliability import paired_doubts, rows_that_differ, unpaired_doubts
from macrof1.convention import FORMULAS, Formula
from macrof1.sampling.delta import influence, point
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import Progress, bootstrap, class_places, macro_scores

TestName: TypeAlias = Literal["delta", "bootstrap", "randomisation"]
TESTS: Final[tuple[TestName, ...]] = get_args(TestName)
TEST_NAMES: Final[dict[TestName, str]] = {
    "delta": "delta-method Wald test",
    "bootstrap": "bootstrap test",
    "randomisation": "approximate randomisation test",
}

Array: TypeAlias = NDArray[Any]

# Deals of one pair, times cells, for which nobody has to wait.
_MOST_DEALS = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What resampling and the delta method say about systems and about every two of them.

    Attributes
    ----------
    errors
        Per formula the standard error of each system's score (delta method).
    draws
        Per formula the scores of the bootstrap resamples, systems x resamples.
    pair_errors
        Per formula the standard error of every difference, systems x systems.
    p
        Per test and formula the p-value of every difference, systems x systems.
    flip_probability
        The share of resamples in which the two formulas order two systems differently.
    checks
        Per formula the p-value of a test that needs no normal approximation, systems x systems: randomisation of
        rows, or of which system a counted row belongs to. It has the last word where there are `doubts`.
    doubts
        Why the normal approximation is not trusted for two systems, by their places (the smaller first).
    smallest_check
        The smallest p-value that a check can reach, by the number of its draws.
    n_differing
        On how many rows the predictions of two systems differ; None where rows are not known.
    """

    errors: dict[Formula, Array]
    draws: dict[Formula, Array]
    pair_errors: dict[Formula, Array]
    p: dict[TestName, dict[Formula, Array]]
    flip_probability: Array
    checks: dict[Formula, Array]
    doubts: dict[tuple[int, int], tuple[str, ...]]
    smallest_check: float
    n_differing: Array | None = None

    def doubts_about(self, a: int, b: int) -> tuple[str, ...]:
        """Return why the normal approximation is not trusted for two systems; nothing where it is."""
        return self.doubts.get((min(a, b), max(a, b)), ())


def holm(p: Sequence[float]) -> list[float]:
    """Adjust p-values for as many tests as there are, by Holm's step-down method.

    The k-th smallest of m is multiplied by m - k + 1; adjusted values never fall from one to the next larger.

    References
    ----------
    Holm 1979, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> [round(value, 3) for value in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    factors = len(p) - np.arange(len(p))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(np.asarray(p, np.float64)[order] * factors))
    return adjusted.tolist()


def normal_p(difference: Array, error: Array) -> Array:
    """Return two-sided p-values of differences that are normal with these standard errors."""
    # A difference without any error is certain where it is there, and no difference where it is not.
    sure = np.where(np.abs(difference) <= ROUNDING, 1.0, 0.0)
    z = np.abs(difference) / np.where(error > 0, error, 1.0)
    tails = np.array([math.erfc(value / math.sqrt(2)) for value in z.reshape(-1).tolist()]).reshape(z.shape)
    return np.where(error > ROUNDING, tails, sure)


def paired_evidence(
    patterns: Patterns,
    rules: Rules,
    *,
    n_resamples: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Evidence:
    """Test every two systems that were run on the same rows."""
    half = None if progress is None else (lambda fraction: progress(fraction / 2))
    n_systems = len(patterns.systems)
    points = [_point(patterns, system, rules) for system in range(n_systems)]
    scores = {formula: np.array([found.values[formula] for found in points]) for formula in FORMULAS}
    errors, pair_errors = {}, {}
    for formula in FORMULAS:
        moved = np.stack([influence(patterns, s, found.gradients[formula]) for s, found in enumerate(points)])
        shared = (moved * patterns.amounts) @ moved.T
        own = np.diagonal(shared)
        errors[formula] = np.sqrt(own)
        pair_errors[formula] = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * shared, 0.0))
        # What is left of equal systems by rounding is no error.
        pair_errors[formula][pair_errors[formula] < 1e-9 * np.sqrt(own.max() or 1.0)] = 0.0
    draws = _bootstrap_scores(patterns, rules, n_resamples, rng, half)
    differing, worth = rows_that_differ(patterns)
    exchanged = randomisation_p(patterns, rules, scores, n_resamples, rng, half)
    # Exchanging all rows or none gives the same difference: of 2^m exchanges, two at least are as extreme. Drawn
    # exchanges may miss that by luck.
    smallest = np.exp2(1.0 - np.maximum(differing, 1))
    exchanged = {formula: np.maximum(found, smallest) for formula, found in exchanged.items()}
    p = {
        "delta": {f: normal_p(_differences(scores[f]), pair_errors[f]) for f in FORMULAS},
        "bootstrap": {f: _bootstrap_p(scores[f], draws[f]) for f in FORMULAS},
        "randomisation": exchanged,
    }
    return Evidence(
        errors=errors,
        draws=draws,
        pair_errors=pair_errors,
        p=p,  # type: ignore[arg-type]  # the keys are the three names
        flip_probability=_flip_probability(draws),
        checks=exchanged,
        doubts=paired_doubts(patterns, rules.classes, worth),
        smallest_check=1 / (1 + n_resamples),
        n_differing=differing,
    )


def unpaired_evidence(
    systems: Sequence[Patterns],
    rules: Rules,
    *,
    n_resamples: int,
    rng: np.random.Generator,
    alpha: float = 0.05,
    progress: Progress | None = None,
) -> Evidence:
    """Test every two systems of which only the counts are known, as if their test rows were different ones.

    Where the normal approximation is in doubt and a p-value is at most `alpha`, rows of both are shuffled as a check.
    """
    points = [_point(patterns, 0, rules) for patterns in systems]
    share = None if progress is None else (lambda fraction: progress(fraction / len(systems)))
    each = [_bootstrap_scores(patterns, rules, n_resamples, rng, share) for patterns in systems]
    errors, draws, pair_errors, scores = {}, {}, {}, {}
    for formula in FORMULAS:
        scores[formula] = np.array([found.values[formula] for found in points])
        squares = np.array(
            [
                np.dot(patterns.amounts, influence(patterns, 0, found.gradients[formula]) ** 2)
                for patterns, found in zip(systems, points, strict=True)
            ]
        )
        errors[formula] = np.sqrt(squares)
        pair_errors[formula] = np.sqrt(squares[:, None] + squares[None, :])
        draws[formula] = np.concatenate([part[formula] for part in each])
    p = {
        "delta": {f: normal_p(_differences(scores[f]), pair_errors[f]) for f in FORMULAS},
        "bootstrap": {f: _bootstrap_p(scores[f], draws[f]) for f in FORMULAS},
    }
    doubts = unpaired_doubts(systems, rules.classes)
    checks = {formula: np.zeros_like(pair_errors[formula]) for formula in FORMULAS}
    # As many deals as Holm's correction asks for, as long as that is little work.
    wanted = math.ceil(len(systems) * (len(systems) - 1) / 2 / alpha)
    affordable = _MOST_DEALS // max(2 * len(patterns.amounts) for patterns in systems)
    n_deals = max(n_resamples, min(wanted, affordable))
    for a, b in doubts:
        if min(found[formula][a, b] for found in p.values() for formula in FORMULAS) <= alpha:
            shuffled = shuffled_p(systems[a], systems[b], rules, n_deals, rng)
            for formula in FORMULAS:
                checks[formula][a, b] = checks[formula][b, a] = shuffled[formula]
    return Evidence(
        errors=errors,
        draws=draws,
        pair_errors=pair_errors,
        p=p,  # type: ignore[arg-type]  # the keys are two of the three names
        flip_probability=_flip_probability(draws),
        checks=checks,
        doubts=doubts,
        smallest_check=1 / (1 + n_deals),
    )


def _point(patterns: Patterns, system: int, rules: Rules) -> Any:
    return point(patterns, system, classes=rules.classes, undefined=rules.undefined, beta=rules.beta)


def _differences(scores: Array) -> Array:
    return np.asarray(scores[:, None] - scores[None, :])


def _bootstrap_scores(
    patterns: Patterns, rules: Rules, n_resamples: int, rng: np.random.Generator, progress: Progress | None
) -> dict[Formula, Array]:
    n_systems = len(patterns.systems)
    places = [class_places(patterns, system, rules.classes) for system in range(n_systems)]
    found: dict[Formula, list[Array]] = {formula: [] for formula in FORMULAS}
    for part in bootstrap(patterns, n_resamples, rng, progress):
        each = [
            macro_scores(
                part.tp[s][at], part.predicted[s][at], part.actual[at], beta=rules.beta, undefined=rules.undefined
            )
            for s, at in enumerate(places)
        ]
        for formula in FORMULAS:
            found[formula].append(np.stack([getattr(scores, formula) for scores in each]))
    return {formula: np.concatenate(parts, axis=1) for formula, parts in found.items()}


def _bootstrap_p(scores: Array, draws: Array) -> Array:
    """Count how often a difference strays from its mean by as much as the difference that was seen."""
    n_systems, n_resamples = draws.shape
    p = np.ones((n_systems, n_systems))
    centred = draws - draws.mean(1, keepdims=True)
    for a in range(n_systems - 1):
        seen = np.abs(scores[a] - scores[a + 1 :])
        as_far = (np.abs(centred[a] - centred[a + 1 :]) >= seen[:, None] - ROUNDING).sum(1)
        p[a, a + 1 :] = p[a + 1 :, a] = (1 + as_far) / (1 + n_resamples)
    return p


def _flip_probability(draws: dict[Formula, Array]) -> Array:
    averaged, of_averages = draws["averaged_f1"], draws["f1_of_averages"]
    n_systems = len(averaged)
    share = np.zeros((n_systems, n_systems))
    for a in range(n_systems - 1):
        by_averaged, by_averages = averaged[a] - averaged[a + 1 :], of_averages[a] - of_averages[a + 1 :]
        apart = (np.abs(by_averaged) > ROUNDING) & (np.abs(by_averages) > ROUNDING)
        share[a, a + 1 :] = share[a + 1 :, a] = ((by_averaged * by_averages < 0) & apart).mean(1)
    return share
