"""Measure the false positive rate of tests with few rows or rare classes.

Prints the table that docs/coverage.md quotes ("Tests"). Both systems have the same error rates, so every significant
difference is a false positive; 5% are allowed. Takes a few minutes: `.venv/bin/python benchmarks/few_rows.py
[samples]`.
"""

from __future__ import annotations

import sys

import numpy as np
from coverage import population

import macrof1
from macrof1.counting.arrays import confusion

RESAMPLES = 300
# Classes, rows, gold, share of rows on which the systems do the same by construction.
SETTINGS = [
    (2, 4, "balanced", 0.0),
    (2, 20, "balanced", 0.5),
    (2, 50, "balanced", 0.5),
    (2, 300, "balanced", 0.5),
    (3, 10, "balanced", 0.0),
    (3, 100, "skewed", 0.0),
    (3, 300, "one class rare", 0.0),
    (3, 1000, "one class rare", 0.5),
    (5, 20, "skewed", 0.0),
    (5, 300, "skewed", 0.5),
    (10, 50, "skewed", 0.0),
    (10, 100, "skewed", 0.5),
    (10, 300, "skewed", 0.0),
    (10, 1000, "skewed", 0.5),
    (20, 100, "skewed", 0.0),
    (20, 500, "skewed", 0.0),
]


def probabilities(n, skew):
    cells = population(n, "balanced" if skew == "balanced" else "skewed", n)
    if skew == "one class rare":
        cells[-1] *= 0.004 / cells[-1].sum()
        cells /= cells.sum()
    return cells.sum(1), np.cumsum(cells / cells.sum(1, keepdims=True), axis=1)


def predicted(gold, draws, chance):
    return np.minimum((draws[:, None] > chance[gold]).sum(1), len(chance) - 1)


def paired_sample(n, n_rows, skew, alike, rng):
    """Return gold and two systems on the same rows."""
    share, chance = probabilities(n, skew)
    gold = rng.choice(n, n_rows, p=share)
    draws = rng.random((2, n_rows))
    draws[1] = np.where(rng.random(n_rows) < alike, draws[0], draws[1])
    return gold, predicted(gold, draws[0], chance), predicted(gold, draws[1], chance)


def false_alarms(n, n_rows, skew, alike, samples, seed=0):
    """Return in what share of samples a test alone says p ≤ 0.05, and in what share compare calls it significant."""
    rng = np.random.default_rng([seed, n, n_rows])
    found = dict.fromkeys(("delta", "randomisation", "compare", "unpaired delta", "unpaired compare"), 0)
    formulas = ("averaged_f1", "f1_of_averages")
    for _ in range(samples):
        gold, a, b = paired_sample(n, n_rows, skew, alike, rng)
        other, _, c = paired_sample(n, n_rows, skew, 0.0, rng)
        if len({*gold, *a}) < 2 or len({*other, *c}) < 2:
            continue
        (pair,) = macrof1.compare(gold, {"a": a, "b": b}, n_resamples=RESAMPLES, rng=rng).comparisons
        counts = {"a": confusion(gold, a), "c": confusion(other, c)}
        (apart,) = macrof1.compare(counts, n_resamples=RESAMPLES, rng=rng).comparisons
        for formula in formulas:
            one, two = getattr(pair, formula), getattr(apart, formula)
            found["delta"] += one.p["delta"] <= 0.05
            found["randomisation"] += one.p["randomisation"] <= 0.05
            found["compare"] += one.significant
            found["unpaired delta"] += two.p["delta"] <= 0.05
            found["unpaired compare"] += two.significant
    return {name: 100 * count / samples / len(formulas) for name, count in found.items()}


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    names = ("delta", "randomisation", "`compare`", "delta, counts", "`compare` of counts")
    print(f"| classes | rows | gold | treated alike | {' | '.join(names)} |")
    print("|---:|---:|---|---:|---:|---:|---:|---:|---:|")
    for n, n_rows, skew, alike in SETTINGS:
        got = false_alarms(n, n_rows, skew, alike, samples)
        shown = " | ".join(f"{value:.1f}" for value in got.values())
        print(f"| {n} | {n_rows:,} | {skew} | {100 * alike:.0f}% | {shown} |", flush=True)


if __name__ == "__main__":
    main()
