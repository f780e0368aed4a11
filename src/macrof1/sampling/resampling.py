"""Scores of many resamples at once, as arrays: classes x resamples, and systems x resamples.

A bootstrap resample draws as many rows as the data has, with replacement: a multinomial draw over patterns.
A randomisation swaps two systems' predictions on a random half of the rows: a binomial draw per pattern.
If rows belong to clusters, whole clusters are drawn with all their rows.
Counts are sums of draws, so both reduce to the same sums over the patterns of each label.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from macrof1.convention import FORMULAS, Convention
from macrof1.counting.kernel.draws import add_draws, counted_picks
from macrof1.errors import InputError
from macrof1.reading.progress import Step
from macrof1.sampling.delta import Array, macro_scores
from macrof1.sampling.patterns import Patterns

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


def checked_random(rng: Random) -> np.random.Generator:
    """Return a generator for a seed, or reject an invalid seed."""
    if isinstance(rng, bool) or not (rng is None or isinstance(rng, (int, np.integer, np.random.Generator))):
        raise InputError.bad_value("rng", rng, expected="a seed (a whole number), a numpy.random.Generator, or None")
    if isinstance(rng, (int, np.integer)) and rng < 0:
        raise InputError.bad_value("rng", rng, expected="a seed that is 0 or larger")
    return np.random.default_rng(rng)


def checked_resamples(n_resamples: int) -> int:
    """Return the number of resamples, or reject one that is too small to be useful or needlessly large."""
    whole = isinstance(n_resamples, (int, np.integer)) and not isinstance(n_resamples, bool)
    if not whole or not 100 <= n_resamples <= _MOST_RESAMPLES:
        expected = f"a whole number from 100 to {_MOST_RESAMPLES:,} (1,000 is usual)"
        raise InputError.bad_value("n_resamples", n_resamples, expected=expected)
    return int(n_resamples)


class Resamples(NamedTuple):
    """Counts of some resamples: systems x labels x resamples, and labels x resamples for gold."""

    tp: Array
    predicted: Array
    actual: Array


def bootstrap(
    patterns: Patterns, n_resamples: int, rng: np.random.Generator, step: Step | None = None
) -> Iterator[Resamples]:
    """Draw bootstrap resamples, as many at a time as memory allows."""
    n = len(patterns.units)
    for size in _pieces(patterns, n_resamples):
        # As many clusters as the data has, with replacement.
        drawn = None if patterns.clusters is None else rng.multinomial(n, np.full(n, 1 / n), size=size)
        draws = _multinomial_blocks(patterns, size, rng) if drawn is None else _rows_of(patterns, drawn)
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
    for part in bootstrap(patterns, n_resamples, rng, step):
        each = [
            macro_scores(part.tp[s][at], part.predicted[s][at], part.actual[at], convention)
            for s, at in enumerate(places)
        ]
        for score, values in found.items():
            values.append(np.stack([getattr(scores, score) for scores in each]))
    return {score: np.concatenate(values, axis=1) for score, values in found.items()}


def coin_flips(
    patterns: Patterns, n_resamples: int, rng: np.random.Generator, step: Step | None = None
) -> Iterator[Resamples]:
    """Pick each row with probability 1/2, and count the picked rows.

    Swapping systems a and b on the picked rows gives a the counts ``all_a - picked_a + picked_b``: one set of
    picks serves all pairs of systems.
    """
    n, alone = len(patterns.units), patterns.clusters is None
    for size in _pieces(patterns, n_resamples):
        drawn = None if alone else rng.integers(0, 2, (size, n), dtype=np.int8)
        draws = _coin_blocks(patterns, size, rng) if drawn is None else _rows_of(patterns, drawn)
        yield _counted(patterns, size, draws, step, n_resamples)


def _pieces(patterns: Patterns, n_resamples: int) -> Iterator[int]:
    width = len(patterns.labels) * (2 * len(patterns.systems) + 1)
    step = max(1, min(n_resamples, _PIECE // width))
    return (min(step, n_resamples - start) for start in range(0, n_resamples, step))


def _blocks(n_patterns: int, size: int) -> list[slice]:
    step = max(64, _BLOCK // size)
    return [slice(start, min(start + step, n_patterns)) for start in range(0, n_patterns, step)]


def _rows_of(patterns: Patterns, drawn: Array) -> Iterator[tuple[slice, Array]]:
    assert patterns.clusters is not None  # called only if rows have clusters
    for block in _blocks(len(patterns.amounts), len(drawn)):
        yield block, drawn[:, patterns.clusters[block]] * patterns.amounts[block]


def _multinomial_blocks(patterns: Patterns, size: int, rng: np.random.Generator) -> Iterator[tuple[slice, Array]]:
    """Yield blocks of patterns with their draws, resamples x patterns.

    Blocks of patterns first, then patterns within each block: together one multinomial draw.
    """
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


def _coin_blocks(patterns: Patterns, size: int, rng: np.random.Generator) -> Iterator[tuple[slice, Array]]:
    amounts = patterns.amounts
    for block in _blocks(len(amounts), size):
        counts = amounts[block]
        n_block = int(counts.sum())
        if n_block <= 4 * len(counts) and counts.all():
            # With few rows per pattern, a bit per row is faster than a binomial draw per pattern.
            n_flips = size * n_block
            bits = np.unpackbits(np.frombuffer(rng.bytes(-(-n_flips // 8)), np.uint8), count=n_flips)
            rows = bits.reshape(size, n_block)
            starts = np.cumsum(counts) - counts
            yield block, rows if n_block == len(counts) else np.add.reduceat(rows, starts, axis=1, dtype=np.int32)
        elif n_block <= _MANY_ROWS * len(counts):
            yield block, rng.binomial(counts, 0.5, size=(size, len(counts)))
        else:
            # Pattern by pattern, NumPy prepares its draws from many rows once per pattern, not for every draw.
            yield block, rng.binomial(counts[:, None], 0.5, size=(len(counts), size)).T


def _counted(
    patterns: Patterns, size: int, blocks: Iterator[tuple[slice, Array]], step: Step | None, n_resamples: int
) -> Resamples:
    """Sum draws into counts per label, for gold and for every system."""
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
        by_misses.append(exact and patterns.single and 2 * len(wrong) < len(hit))
        kept = wrong if by_misses[-1] else np.flatnonzero(hit)
        entries.append((touches.pattern[wrong], touches.label[wrong]))
        entries.append((touches.pattern[kept], (patterns.gold if by_misses[-1] else touches).label[kept]))
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
    tp = per_system[:, 1]
    for own, complement in zip(tp, by_misses, strict=True):
        if complement:
            np.subtract(actual, own, out=own)
    return Resamples(tp, per_system[:, 0] + tp, actual)
