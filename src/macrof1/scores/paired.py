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

from macrof1.convention import FORMULAS, ClassSet, Formula, Undefined
from macrof1.counts.labels import label_key
from macrof1.counts.patterns import Patterns
from macrof1.scores.doubts import paired_doubts, rows_that_differ, unpaired_doubts
from macrof1.scores.resampling import (
    MacroScores,
    Progress,
    bootstrap,
    class_places,
    coin_flips,
    macro_scores,
)
from macrof1.scores.uncertainty import class_sums, influence, point

__all__ = ["Evidence", "TestName", "holm", "paired_evidence", "unpaired_evidence"]

TestName: TypeAlias = Literal["delta", "bootstrap", "randomisation"]
TESTS: Final[tuple[TestName, ...]] = get_args(TestName)
TEST_NAMES: Final[dict[TestName, str]] = {
    "delta": "delta-method Wald test",
    "bootstrap": "bootstrap test",
    "randomisation": "approximate randomisation test",
}

Array: TypeAlias = NDArray[Any]

# Differences closer than this are the same but for rounding: they count as "at least as large".
_ROUNDING = 1e-12
# NumPy's draws without replacement take fewer rows than this.
_MOST_DEALT = 1_000_000_000
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The part of a convention that scoring needs."""

    classes: ClassSet = "union"
    undefined: Undefined = 0
    beta: float = 1.0


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
    sure = np.where(np.abs(difference) <= _ROUNDING, 1.0, 0.0)
    z = np.abs(difference) / np.where(error > 0, error, 1.0)
    tails = np.array([math.erfc(value / math.sqrt(2)) for value in z.reshape(-1).tolist()]).reshape(z.shape)
    return np.where(error > _ROUNDING, tails, sure)


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
    exchanged = _randomisation_p(patterns, rules, scores, n_resamples, rng, half)
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
        as_far = (np.abs(centred[a] - centred[a + 1 :]) >= seen[:, None] - _ROUNDING).sum(1)
        p[a, a + 1 :] = p[a + 1 :, a] = (1 + as_far) / (1 + n_resamples)
    return p


def _flip_probability(draws: dict[Formula, Array]) -> Array:
    averaged, of_averages = draws["averaged_f1"], draws["f1_of_averages"]
    n_systems = len(averaged)
    share = np.zeros((n_systems, n_systems))
    for a in range(n_systems - 1):
        by_averaged, by_averages = averaged[a] - averaged[a + 1 :], of_averages[a] - of_averages[a + 1 :]
        apart = (np.abs(by_averaged) > _ROUNDING) & (np.abs(by_averages) > _ROUNDING)
        share[a, a + 1 :] = share[a + 1 :, a] = ((by_averaged * by_averages < 0) & apart).mean(1)
    return share


def _randomisation_p(
    patterns: Patterns,
    rules: Rules,
    scores: dict[Formula, Array],
    n_resamples: int,
    rng: np.random.Generator,
    progress: Progress | None,
) -> dict[Formula, Array]:
    """Exchange predictions of two systems on random halves of the rows, and score both again."""
    n_systems = len(patterns.systems)
    places = [class_places(patterns, system, rules.classes) for system in range(n_systems)]
    sums = [class_sums(patterns, system) for system in range(n_systems)]
    actual = sums[0][2][:, None]
    tp, predicted = (np.stack([side[i] for side in sums])[:, :, None] for i in (0, 1))
    as_far = {formula: np.zeros((n_systems, n_systems), np.int64) for formula in FORMULAS}
    # Sums of real weights leave something by rounding where nothing is left; a ratio of such rests could be anything.
    nothing = 0.0 if patterns.weights is None else _ROUNDING * float(patterns.masses.sum())
    for part in coin_flips(patterns, n_resamples, rng, progress):
        for a in range(n_systems - 1):
            # Systems with the classes of a are scored with it in one go, the others pair by pair.
            same = [b for b in range(a + 1, n_systems) if np.array_equal(places[a], places[b])]
            groups = [(same, places[a], False)] if same else []
            groups += [([b], np.union1d(places[a], places[b]), True) for b in range(a + 1, n_systems) if b not in same]
            for others, at, varying in groups:
                moved_tp = (part.tp[others] - part.tp[a])[:, at]
                moved = (part.predicted[others] - part.predicted[a])[:, at]
                sides = [(tp[a][at] + moved_tp, predicted[a][at] + moved)]
                sides.append((tp[others][:, at] - moved_tp, predicted[others][:, at] - moved))
                if nothing:
                    sides = [(_cleared(hit, nothing), _cleared(all_of_it, nothing)) for hit, all_of_it in sides]
                first, second = (_rescored(*side, actual[at], rules, varying) for side in sides)
                for formula in FORMULAS:
                    seen = np.abs(scores[formula][a] - scores[formula][others])
                    apart = np.abs(getattr(first, formula) - getattr(second, formula))
                    as_far[formula][a, others] += (apart >= seen[:, None] - _ROUNDING).sum(1)
    p = {}
    for formula in FORMULAS:
        upper = np.triu((1 + as_far[formula]) / (1 + n_resamples), 1)
        p[formula] = upper + upper.T + np.eye(n_systems)
    return p


def _cleared(sums: Array, nothing: float) -> Array:
    return np.where(np.abs(sums) <= nothing, 0.0, sums)


def _rescored(tp: Array, predicted: Array, actual: Array, rules: Rules, varying: bool) -> MacroScores:
    if not varying:
        return macro_scores(tp, predicted, actual, beta=rules.beta, undefined=rules.undefined)
    # One of the two predicts labels that gold never has: whoever holds them after the exchange has those classes.
    seen = (predicted + actual) > 0
    share = seen.shape[-2] / seen.sum(-2)
    hidden = np.where(seen, 0.0, float(rules.undefined))
    full = macro_scores(tp, predicted, actual, beta=rules.beta, undefined=rules.undefined)
    unseen = hidden.mean(-2)
    averaged = (full.averaged_f1 - unseen) * share
    precision, recall = (full.macro_precision - unseen) * share, (full.macro_recall - unseen) * share
    square = rules.beta**2
    below = square * precision + recall
    of_averages = (1 + square) * precision * recall / np.where(below == 0, 1.0, below)
    return MacroScores(averaged, of_averages, precision, recall)


def shuffled_p(
    first: Patterns, second: Patterns, rules: Rules, n_resamples: int, rng: np.random.Generator
) -> dict[Formula, float]:
    """Test counts of two systems by dealing their rows out anew: which system a row came from makes no difference.

    All rows are put together, and as many as the first system had are drawn from them without replacement.
    """
    labels = list(dict.fromkeys(map(label_key, (*first.labels, *second.labels))))
    place = {key: at for at, key in enumerate(labels)}
    n = len(labels)
    keys = []
    for side in (first, second):
        to = np.array([place[label_key(label)] for label in side.labels])
        keys.append(to[side.gold.label] * n + to[side.systems[0].label])
    cells, at = np.unique(np.concatenate(keys), return_inverse=True)
    own = [np.zeros(len(cells), np.int64) for _ in range(2)]
    for counts, part, side in zip(own, np.split(at, [len(keys[0])]), (first, second), strict=True):
        np.add.at(counts, part, side.amounts)
    both = own[0] + own[1]
    n_first, n_both = int(own[0].sum()), int(both.sum())
    if n_both < _MOST_DEALT:
        dealt = rng.multivariate_hypergeometric(both, n_first, size=n_resamples, method="marginals")
    else:
        # NumPy deals no more rows than that one by one; a coin per row is the same for so many.
        dealt = rng.binomial(both, n_first / n_both, size=(n_resamples, len(both)))
    gold, pred = np.divmod(cells, n)
    classes = np.unique(
        [
            place[label_key(side.labels[at])]
            for side in (first, second)
            for at in class_places(side, 0, rules.classes).tolist()
        ]
    )
    # Listed classes and those of gold count whether they are met or not; others only for the side that meets them.
    listed = first.n_listed is not None or second.n_listed is not None
    varying = rules.classes == "seen" or (rules.classes == "union" and not listed)

    def scored(draws: Array) -> MacroScores:
        sides = []
        for chosen, touched in ((gold == pred, gold), (gold >= 0, pred), (gold >= 0, gold)):
            sums = np.zeros((n, len(draws)))
            np.add.at(sums, touched[chosen], draws.T[chosen])
            sides.append(sums[classes])
        return _rescored(sides[0], sides[1], sides[2], rules, varying)

    seen_a, seen_b = scored(own[0][None]), scored(own[1][None])
    drawn_a, drawn_b = scored(dealt), scored(both - dealt)
    found: dict[Formula, float] = {}
    for formula in FORMULAS:
        seen = abs(float(getattr(seen_a, formula)[0] - getattr(seen_b, formula)[0]))
        apart = np.abs(getattr(drawn_a, formula) - getattr(drawn_b, formula))
        found[formula] = float((1 + (apart >= seen - _ROUNDING).sum()) / (1 + n_resamples))
    return found
