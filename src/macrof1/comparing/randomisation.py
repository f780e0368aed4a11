"""Tests without a normal approximation: exchange predictions between two systems, and rescore both.

Systems on the same rows exchange their predictions row by row; for systems known only by counts, the rows are pooled
and reassigned at random.
"""

from __future__ import annotations

import numpy as np

from macrof1.convention import FORMULAS, Convention, Formula
from macrof1.labels import label_key
from macrof1.reading.progress import Step, part_of
from macrof1.sampling.delta import Array, MacroScores, class_sums, f_of_means, macro_scores
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import coin_flips

# Differences closer than this are equal up to rounding: they count as "at least as large".
ROUNDING = 1e-12
# NumPy's draws without replacement are limited to fewer rows than this.
_MOST_DEALT = 1_000_000_000
# Deals are made in chunks, to hold at most this many numbers, of cells or of classes, in memory.
_PIECE = 1 << 21
# So many systems exchange predictions with one at a time.
_TOGETHER = 16


def randomisation_p(
    patterns: Patterns,
    convention: Convention,
    scores: dict[Formula, Array],
    n_resamples: int,
    rng: np.random.Generator,
    step: Step | None,
) -> dict[Formula, Array]:
    """Exchange predictions of two systems on random halves of the rows, or clusters, and rescore both."""
    n_systems = len(patterns.systems)
    sums = [class_sums(patterns.alone(system)) for system in range(n_systems)]
    actual = sums[0][2][:, None]
    tp, predicted = (np.stack([side[i] for side in sums])[:, :, None] for i in (0, 1))
    as_far = {formula: np.zeros((n_systems, n_systems), np.int64) for formula in FORMULAS}
    # Subtracting sums of float weights leaves rounding residue instead of 0; a ratio of residues could be anything.
    nothing = 0.0 if patterns.weights is None else ROUNDING * float(patterns.masses.sum())
    # A system, those scored together with it, their classes, and whether exchanging changes the classes. Systems with
    # the same classes are scored together, a few at a time so that caches hold them; the others pair by pair.
    places = [patterns.alone(system).class_places(convention) for system in range(n_systems)]
    groups: list[tuple[int, list[int], Array | slice, bool]] = []
    for a, own in enumerate(places):
        same = [b for b in range(a + 1, n_systems) if np.array_equal(own, places[b])]
        at = slice(None) if len(own) == len(patterns.labels) else own  # a slice takes all labels without a copy
        groups += [(a, same[start : start + _TOGETHER], at, False) for start in range(0, len(same), _TOGETHER)]
        groups += [(a, [b], np.union1d(own, places[b]), True) for b in range(a + 1, n_systems) if b not in same]
    # With many systems, rescoring the pairs takes longer than drawing.
    half = part_of(step, 0, 1 / 2)
    n_pairs = n_systems * (n_systems - 1) // 2
    for part in coin_flips(patterns, n_resamples, rng, half):
        # A system keeps the rows that were not picked, and takes the other's predictions on those that were.
        kept_tp, kept = (side.astype(part.tp.dtype) for side in (tp - part.tp, predicted - part.predicted))
        for a, others, at, varying in groups:
            sides = [
                (kept_tp[a, at] + part.tp[others][:, at], kept[a, at] + part.predicted[others][:, at]),
                (kept_tp[others][:, at] + part.tp[a, at], kept[others][:, at] + part.predicted[a, at]),
            ]
            if nothing:
                sides = [tuple(np.where(np.abs(x) <= nothing, 0.0, x) for x in side) for side in sides]  # type: ignore[misc]  # two
            first, second = (_rescored(*side, actual[at], convention, varying) for side in sides)
            for formula in FORMULAS:
                seen = np.abs(scores[formula][a] - scores[formula][others])
                apart = np.abs(getattr(first, formula) - getattr(second, formula))
                as_far[formula][a, others] += (apart >= seen[:, None] - ROUNDING).sum(1)
            if half is not None:
                half(part.tp.shape[-1] / n_resamples * len(others) / n_pairs)
    p = {}
    for formula in FORMULAS:
        upper = np.triu((1 + as_far[formula]) / (1 + n_resamples), 1)
        p[formula] = upper + upper.T + np.eye(n_systems)
    return p


def _rescored(tp: Array, predicted: Array, actual: Array, convention: Convention, varying: bool) -> MacroScores:
    full = macro_scores(tp, predicted, actual, convention)
    if not varying:
        return full
    # One of the two predicts labels absent from gold: after the exchange, only the side holding them has those classes.
    seen = (predicted + actual) > 0
    share = seen.shape[-2] / seen.sum(-2)
    unseen = np.where(seen, 0.0, float(convention.undefined)).mean(-2)
    precision, recall = (full.macro_precision - unseen) * share, (full.macro_recall - unseen) * share
    of_averages = f_of_means(precision, recall, convention.beta)
    return MacroScores((full.averaged_f1 - unseen) * share, of_averages, precision, recall)


def shuffled_p(
    first: Patterns, second: Patterns, convention: Convention, n_resamples: int, rng: np.random.Generator
) -> dict[Formula, float]:
    """Test the counts of two systems by reassigning their rows: under the null hypothesis rows are exchangeable.

    All rows are pooled, and as many as the first system had are drawn from them without replacement.
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
    sides = [(side.labels, side.class_places(convention).tolist()) for side in (first, second)]
    classes = np.unique([place[label_key(labels[at])] for labels, places in sides for at in places])
    # Listed classes and gold classes always count; others count only for the side that predicts them.
    listed = first.n_listed is not None or second.n_listed is not None
    varying = convention.classes == "seen" or (convention.classes == "union" and not listed)
    gold, pred = np.divmod(cells, n)
    hits = np.flatnonzero(gold == pred)
    by_pred = np.argsort(pred, kind="stable")
    golds, gold_starts = np.unique(gold, return_index=True)
    preds, pred_starts = np.unique(pred[by_pred], return_index=True)

    def summed(dealt: Array) -> Array:
        """Return tp, predicted and actual, each classes x deals, of deals x cells."""
        sums = np.zeros((3, n, len(dealt)))
        sums[0, gold[hits]] = dealt[:, hits].T
        sums[1, preds] = np.add.reduceat(dealt[:, by_pred], pred_starts, axis=1).T
        sums[2, golds] = np.add.reduceat(dealt, gold_starts, axis=1).T
        return sums[:, classes]

    def apart(sums: Array) -> dict[Formula, Array]:
        # What one side does not get, the other does.
        scores = [_rescored(side[0], side[1], side[2], convention, varying) for side in (sums, all_of_it - sums)]
        return {f: np.abs(getattr(scores[0], f) - getattr(scores[1], f)) for f in FORMULAS}

    all_of_it = summed(both[None])
    seen = {formula: float(found[0]) for formula, found in apart(summed(own[0][None])).items()}
    as_far = dict.fromkeys(FORMULAS, 0)
    n_first, n_both = int(own[0].sum()), int(both.sum())
    step = max(1, _PIECE // max(len(cells), 3 * n))
    # The draws do not depend on the chunk size.
    for size in (min(step, n_resamples - start) for start in range(0, n_resamples, step)):
        if n_both < _MOST_DEALT:
            dealt = rng.multivariate_hypergeometric(both, n_first, size=size, method="marginals")
        else:
            # NumPy cannot draw this many rows without replacement; a coin flip per row is equivalent for so many.
            dealt = rng.binomial(both, n_first / n_both, size=(size, len(both)))
        for formula, found in apart(summed(dealt)).items():
            as_far[formula] += int((found >= seen[formula] - ROUNDING).sum())
    return {formula: (1 + n_far) / (1 + n_resamples) for formula, n_far in as_far.items()}
