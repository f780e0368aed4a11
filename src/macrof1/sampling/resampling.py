"""Scores of many resamples at once, as arrays: classes x resamples, and systems x resamples; and tests by exchanging.

A bootstrap resample draws as many rows as the data has, with replacement: a multinomial draw over patterns.
A randomisation swaps two systems' predictions on a random half of the rows: a binomial draw per pattern.
If rows belong to clusters, whole clusters are drawn with all their rows.
Counts are sums of draws, so both reduce to the same sums over the patterns of each label.

Tests without a normal approximation exchange predictions between two systems and rescore both: row by row for systems
on the same rows; for systems known only by counts, the rows are pooled and reassigned at random.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from macrof1.convention import FORMULAS, Convention, Formula
from macrof1.counting.kernel.integers import compiled_path, in_shares
from macrof1.errors import InputError
from macrof1.labels import label_key
from macrof1.reading.files import Step, part_of
from macrof1.sampling.patterns import Patterns, Sums
from macrof1.sampling.standard_errors import Array, MacroScores, f_of_means, macro_scores

# As text: naming the type would load numpy.random, which scoring does not need.
Random: TypeAlias = "int | np.random.Generator | None"
"""A seed, a generator, or None for fresh randomness."""

# At this number a p-value is known to 0.0005, and every score of every resample is kept.
_MOST_RESAMPLES = 1_000_000
# A block of draws (patterns x resamples) of this many numbers fits the processor's caches well enough.
_BLOCK = 1 << 21
# From about this many rows on, preparing a binomial draw takes longer than drawing.
_MANY_ROWS = 64
# Counts of one batch of resamples (systems x classes x resamples) stay below this many numbers.
_PIECE = 1 << 25
# Single-precision floats represent integers up to this exactly.
_EXACT_SINGLE = 1 << 24
# Differences closer than this are equal up to rounding: they count as "at least as large".
ROUNDING = 1e-12
# NumPy's draws without replacement are limited to fewer rows than this.
_MOST_DEALT = 1_000_000_000
# Deals are made in chunks, to hold at most this many numbers, of cells or of classes, in memory.
_MOST_NUMBERS = 1 << 21
# Bytes are added in strips of this many resamples.
_STRIP = 256
# Ratios are summed in strips of at least this many resamples.
_NARROW_STRIP = 16
_LARGEST_BYTE = 255
# Bytes are added faster than floats, but every label costs time at the end: they need this many patterns per label.
_PATTERNS_PER_LABEL = 8


def checked_random(rng: Random) -> np.random.Generator:
    """Return a generator for a seed, or reject an invalid seed."""
    if isinstance(rng, bool) or not (rng is None or isinstance(rng, (int, np.integer, np.random.Generator))):
        raise InputError.bad_value("rng", rng, expected="a seed (a whole number), a numpy.random.Generator, or None")
    if isinstance(rng, (int, np.integer)) and rng < 0:
        raise InputError.bad_value("rng", rng, expected="a seed that is 0 or larger")
    return np.random.default_rng(rng)


def checked_resamples(n_resamples: int) -> int:
    """Return the number of resamples, or reject one that is too small to be useful or needlessly large."""
    return InputError.whole("n_resamples", n_resamples, 100, _MOST_RESAMPLES)


def resamples(
    patterns: Patterns, n_resamples: int, rng: np.random.Generator, step: Step | None = None, *, coins: bool = False
) -> Iterator[Sums]:
    """Count the rows of bootstrap resamples, or those picked by coin flips, as many at a time as memory allows.

    Swapping systems a and b on picked rows gives a ``all_a - picked_a + picked_b``: the picks serve all pairs.
    """
    n, width = len(patterns.units), len(patterns.labels) * (2 * len(patterns.systems) + 1)
    at_once = max(1, min(n_resamples, _PIECE // width))
    for start in range(0, n_resamples, at_once):
        size = min(at_once, n_resamples - start)
        if patterns.clusters is None and not coins:
            draws = _multinomial_blocks(patterns, size, rng)
        elif patterns.clusters is None:
            blocks = _blocks(len(patterns.amounts), size)
            draws = ((block, _tossed(patterns.amounts[block], size, rng)) for block in blocks)
        elif coins:
            draws = _rows_of(patterns, rng.integers(0, 2, (size, n), dtype=np.int8))
        else:  # as many clusters as the data has, with replacement
            draws = _rows_of(patterns, rng.multinomial(n, np.full(n, 1 / n), size=size))
        yield _counted(patterns, size, draws, step, n_resamples)


def bootstrap_scores(
    patterns: Patterns,
    convention: Convention,
    n_resamples: int,
    rng: np.random.Generator,
    step: Step | None = None,
    *,
    of: Iterable[str] = FORMULAS,
    places: Sequence[Any] | None = None,
) -> dict[str, Array]:
    """Return scores of every resample, systems x resamples; `places` are the classes of each system, if not all."""
    if places is None:
        places = [patterns.alone(system).class_places(convention) for system in range(len(patterns.systems))]
    found: dict[str, list[Array]] = {score: [] for score in of}
    for part in resamples(patterns, n_resamples, rng, step):
        each = [rescored((part.tp[s], part.predicted[s], part.actual), at, convention) for s, at in enumerate(places)]
        for score, values in found.items():
            values.append(np.stack([getattr(scores, score) for scores in each]))
    return {score: np.concatenate(values, axis=1) for score, values in found.items()}


def _blocks(n_patterns: int, size: int) -> list[slice]:
    step = max(64, _BLOCK // size)
    return [slice(start, min(start + step, n_patterns)) for start in range(0, n_patterns, step)]


def _rows_of(patterns: Patterns, drawn: Array) -> Iterator[tuple[slice, Array]]:
    assert patterns.clusters is not None  # called only if rows have clusters
    for block in _blocks(len(patterns.amounts), len(drawn)):
        yield block, drawn[:, patterns.clusters[block]] * patterns.amounts[block]


def _multinomial_blocks(patterns: Patterns, size: int, rng: np.random.Generator) -> Iterator[tuple[slice, Array]]:
    """Yield blocks of patterns with their draws, resamples x patterns: a multinomial draw of blocks, then within."""
    amounts = patterns.amounts
    blocks = _blocks(len(amounts), size)
    n_rows = int(amounts.sum())
    shares = np.array([amounts[block].sum() for block in blocks]) / n_rows
    totals = rng.multinomial(n_rows, shares, size=size)
    for position, block in enumerate(blocks):
        counts, drawn = amounts[block], totals[:, position]
        n_block = int(counts.sum())
        if n_block > 4 * len(counts):
            yield block, rng.multinomial(drawn, counts / n_block)
            continue
        # With few rows per pattern, picking rows is faster than a binomial draw per pattern.
        picked = rng.integers(0, n_block, int(drawn.sum()), dtype=np.uint32)
        if not (counts == 1).all():
            picked = np.repeat(np.arange(len(counts), dtype=np.uint32), counts)[picked]
        yield block, counted_picks(picked, np.ascontiguousarray(drawn), len(counts))


def _tossed(amounts: Array, size: int, rng: np.random.Generator) -> Array:
    """Toss a coin for every row; return how many rows of each pattern it picks, resamples x patterns."""
    few = amounts <= 8
    if few.all():  # a bit per row is faster than a binomial draw per pattern
        bits = np.frombuffer(rng.bytes(size * len(amounts)), np.uint8).reshape(size, len(amounts))
        picked: Array = np.bitwise_count(bits & ((1 << amounts) - 1).astype(np.uint8))
        return picked
    if few.any():
        picked = np.empty((size, len(amounts)), np.int64)
        for some in (few, ~few):
            picked[:, some] = _tossed(amounts[some], size, rng)
        return picked
    if int(amounts.sum()) <= _MANY_ROWS * len(amounts):
        return rng.binomial(amounts, 0.5, size=(size, len(amounts)))
    # Pattern by pattern, NumPy prepares its draws from many rows once per pattern, not for every draw.
    return rng.binomial(amounts[:, None], 0.5, size=(len(amounts), size)).T


def _counted(
    patterns: Patterns, size: int, blocks: Iterator[tuple[slice, Array]], step: Step | None, n_resamples: int
) -> Sums:
    """Sum draws into counts: systems x labels x resamples, and labels x resamples for gold."""
    n, n_systems = len(patterns.labels), len(patterns.systems)
    # Single precision holds every sum of draws exactly: sums are of the rows of one class, and with 2^23 of them, a
    # resample has twice as many with a chance of e^-3,000,000.
    exact = patterns.weights is None and patterns.clusters is None
    if exact and patterns.n_rows >= _EXACT_SINGLE:
        sides = (patterns.gold, *patterns.systems)
        most = max(np.bincount(side.label, patterns.amounts[side.pattern]).max() for side in sides)
        exact = bool(2 * most < _EXACT_SINGLE)
    dtype: Any = np.float32 if exact else np.float64
    # Gold labels, then per system its wrong predictions and its hits, or the gold labels that it missed if these are
    # fewer: hits are what is left of gold.
    entries = [(patterns.gold.pattern, patterns.gold.label)]
    by_misses = []
    for touches, hit in zip(patterns.systems, patterns.hits, strict=True):
        wrong = np.flatnonzero(~hit)
        fewer = 2 * len(wrong) < len(hit)
        by_misses.append(exact and patterns.single and fewer)
        own, kept = (patterns.gold, wrong) if by_misses[-1] else (touches, np.flatnonzero(hit))
        entries += [(touches.pattern[wrong], touches.label[wrong]), (touches.pattern[kept], own.label[kept])]
    sums = np.zeros((len(entries), n, size), dtype)
    for block, draws in blocks:
        inside = [slice(*np.searchsorted(at, [block.start, block.stop]).tolist()) for at, _ in entries]
        part = [(at[own] - block.start, label[own]) for (at, label), own in zip(entries, inside, strict=True)]
        if not (exact and add_draws(sums, draws, part)):
            drawn = draws.astype(dtype)
            if patterns.weights is not None:
                drawn *= patterns.weights[block]
            by_pattern = np.ascontiguousarray(drawn.T)
            for own, (at, label) in zip(sums, part, strict=True):
                if len(label):
                    by_label = np.argsort(label, kind="stable")
                    found, starts = np.unique(label[by_label], return_index=True)
                    own[found] += np.add.reduceat(by_pattern[at[by_label]], starts, axis=0)
        if step is not None:
            step(size / n_resamples * (block.stop - block.start) / len(patterns.amounts))
    actual, per_system = sums[0], sums[1:].reshape(n_systems, 2, n, size)
    predicted, tp = per_system[:, 0], per_system[:, 1]
    for own, complement in zip(tp, by_misses, strict=True):
        if complement:
            np.subtract(actual, own, out=own)
    predicted += tp
    return Sums(tp, predicted, actual)


def counted_picks(picked: Array, drawn: Array, n_patterns: int) -> Array:
    """Count the picks of each pattern, resamples x patterns; `drawn` of them belong to each resample in turn."""
    compiled = compiled_path()
    if compiled is not None:
        small = np.empty((len(drawn), n_patterns), np.uint8)
        if compiled.picks(picked, drawn, small) >= 0:
            return small
    draws = np.empty((len(drawn), n_patterns), np.int32)
    # One count per resample: its bins stay in the fastest cache, unlike those of one count for all.
    for resample, part in enumerate(np.split(picked, np.cumsum(drawn)[:-1])):
        draws[resample] = np.bincount(part, minlength=n_patterns)
    return draws


def add_draws(sums: Array, draws: Array, entries: list[tuple[Array, Array]]) -> bool:
    """Add draws (resamples x patterns) to sums (entries x labels x resamples); False if this is not compiled."""
    compiled = compiled_path()
    if compiled is None:
        return False
    _, n_labels, size = sums.shape
    most = int(draws.max(initial=1))
    if most > _LARGEST_BYTE or draws.shape[1] < _PATTERNS_PER_LABEL * n_labels:
        by_pattern = np.ascontiguousarray(draws.T, np.float32)

        def add_floats(share: slice) -> None:
            for own, (at, labels) in zip(sums[share], entries[share], strict=True):
                compiled.add_draws(by_pattern, np.ascontiguousarray(at), np.ascontiguousarray(labels), own)

        in_shares(add_floats, len(entries), draws.size)
        return True
    small = np.ascontiguousarray(draws, np.uint8)
    at, labels = (np.concatenate(columns) for columns in zip(*entries, strict=True))
    starts = np.cumsum([0, *(len(column) for column, _ in entries)])

    def add_bytes(share: slice) -> None:
        first, last = (min(_STRIP * edge, size) for edge in (share.start, share.stop))
        compiled.add_bytes(small, at, labels, starts, most, first, last, sums)

    work = size * len(at) // 8
    in_shares(add_bytes, -(-size // _STRIP), work)
    return True


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
    alone = [patterns.alone(system) for system in range(n_systems)]
    counts, places = [np.array(own.sums()) for own in alone], [own.class_places(convention) for own in alone]
    # If one of two systems predicts labels absent from gold, only the side that holds them has those classes.
    pairs = [
        (a, b, places[a] if np.array_equal(places[a], places[b]) else np.union1d(places[a], places[b]))
        for a, b in combinations(range(n_systems), 2)
    ]
    as_far = {formula: np.zeros((n_systems, n_systems), np.int64) for formula in FORMULAS}
    # Subtracting sums of float weights leaves rounding residue instead of 0; a ratio of residues could be anything.
    nothing = 0.0 if patterns.weights is None else ROUNDING * float(patterns.masses.sum())
    # With many systems, rescoring the pairs takes longer than drawing.
    half = part_of(step, 0, 1 / 2)
    for part in resamples(patterns.where_systems_differ(), n_resamples, rng, half, coins=True):
        picked = [(tp, predicted, None) for tp, predicted in zip(part.tp, part.predicted, strict=True)]
        for a, b, at in pairs:
            # A system keeps the rows that were not picked, and takes the other's predictions on those that were.
            first, second = (
                rescored(picked[other], at, convention, counts[own], picked[own], at is not places[a], nothing)
                for own, other in ((a, b), (b, a))
            )
            for formula in FORMULAS:
                seen = abs(scores[formula][a] - scores[formula][b])
                apart = np.abs(getattr(first, formula) - getattr(second, formula))
                as_far[formula][[a, b], [b, a]] += (apart >= seen - ROUNDING).sum()
            if half is not None:
                half(part.tp.shape[-1] / n_resamples / len(pairs))
    return {formula: (1 + n_far) / (1 + n_resamples) for formula, n_far in as_far.items()}


def rescored(
    plus: Sequence[Any],
    at: Array,
    convention: Convention,
    base: Array | None = None,
    minus: Sequence[Any] = (None, None, None),
    varying: bool = False,
    nothing: float = 0.0,
) -> MacroScores:
    """Score resamples over the classes `at`.

    tp, predicted and actual are those of `base` (3 x classes), with `plus` and without `minus` (classes x resamples);
    what is at most `nothing` is 0. If classes vary, those without rows do not count in a resample.
    """
    compiled, beta, undefined = compiled_path(), convention.beta, float(convention.undefined)
    n, size = plus[0].shape
    base = np.zeros((3, n)) if base is None else base
    # With beta 0, an F is undefined where nothing is predicted; compiled code asks for gold labels, too.
    if compiled is not None and beta**2 and all(side is None or side.dtype == np.float32 for side in plus):
        sums = np.zeros((4, size))

        def add(share: slice) -> None:
            edges = (min(_NARROW_STRIP * edge, size) for edge in (share.start, share.stop))
            compiled.sum_ratios_of(at, base, plus, minus, beta**2, undefined, *edges, sums)

        in_shares(add, -(-size // _NARROW_STRIP), size * len(at))
        precision, recall, averaged = sums[:3] / len(at)
        n_seen = sums[3]
    else:
        sides: list[Array] = []
        for own, more, less in zip(base, plus, minus, strict=True):
            side = own[at, None] + (0.0 if more is None else more[at]) - (0.0 if less is None else less[at])
            sides.append(np.where(np.abs(side) <= nothing, 0.0, side) if nothing else side)
        averaged, _, precision, recall = macro_scores(sides[0], sides[1], sides[2], convention)
        n_seen = ((sides[1] + sides[2]) > 0).sum(0)
    if varying:
        unseen, share = undefined * (len(at) - n_seen) / len(at), len(at) / n_seen
        averaged, precision, recall = ((mean - unseen) * share for mean in (averaged, precision, recall))
    return MacroScores(averaged, f_of_means(precision, recall, beta), precision, recall)


def shuffled_p(
    first: Patterns, second: Patterns, convention: Convention, n_resamples: int, rng: np.random.Generator
) -> dict[Formula, float]:
    """Test the counts of two systems by pooling their rows and reassigning them at random, without replacement."""
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
    # Listed classes always count; others count only for the side that has them.
    listed = first.n_listed is not None or second.n_listed is not None
    varying = convention.classes in ("gold", "seen") or (convention.classes == "union" and not listed)
    every = np.arange(len(classes))
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
        sides = sums, all_of_it - sums
        if convention.classes == "gold":
            for _, predicted, actual in sides:
                predicted[actual == 0] = 0
        scores = [rescored(tuple(side), every, convention, varying=varying) for side in sides]
        return {f: np.abs(getattr(scores[0], f) - getattr(scores[1], f)) for f in FORMULAS}

    all_of_it = summed(both[None])
    seen = {formula: float(found[0]) for formula, found in apart(summed(own[0][None])).items()}
    as_far = dict.fromkeys(FORMULAS, 0)
    n_first, n_both = int(own[0].sum()), int(both.sum())
    step = max(1, _MOST_NUMBERS // max(len(cells), 3 * n))
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
