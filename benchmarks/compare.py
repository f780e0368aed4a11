"""Benchmark resampling cells against resampling rows with scikit-learn, and a whole comparison, in one run."""

from __future__ import annotations

import os
import time

import numpy as np
from sklearn.metrics import f1_score

import macrof1


def seconds(function):
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def data(rows, classes, right, seed):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, classes, rows)
    return gold, [np.where(rng.random(rows) < share, gold, rng.integers(0, classes, rows)) for share in right]


def main() -> None:
    n_resamples, timed = 1000, 5
    gold, (pred,) = data(1_000_000, 10, [0.7], 0)
    counting, scored = seconds(lambda: macrof1.score(gold, pred))
    options = {"method": "bootstrap", "n_resamples": n_resamples}
    scored.interval("averaged_f1", **options)
    ours, found = min(
        (seconds(lambda: scored.interval("averaged_f1", **options)) for _ in range(5)), key=lambda x: x[0]
    )
    rng = np.random.default_rng(0)

    def by_rows():
        picked = rng.integers(0, len(gold), len(gold))
        return f1_score(gold[picked], pred[picked], average="macro")

    by_rows()
    theirs = seconds(lambda: [by_rows() for _ in range(timed)])[0] / timed * n_resamples
    print(f"{n_resamples:,} resamples of 1,000,000 rows, 10 classes (interval {found.low:.4f} to {found.high:.4f}):")
    print(f"  macrof1, cells              {ours:10.4f} s")
    print(f"  macrof1, counting included  {ours + counting:10.4f} s")
    print(f"  scikit-learn, rows          {theirs:10.1f} s ({timed} resamples timed)")
    print(f"  ratio                       {theirs / ours:10,.0f} (target: 1,000)")
    gold, preds = data(100_000, 10, np.linspace(0.6, 0.85, 50), 1)
    took, result = seconds(
        lambda: macrof1.compare(gold, {f"system {i}": pred for i, pred in enumerate(preds)}, n_resamples=n_resamples)
    )
    print(f"50 systems, 100,000 rows, {n_resamples:,} resamples, {result.pairs:,} pairs, three tests each:")
    print(f"  macrof1.compare             {took:10.1f} s on {os.cpu_count()} cores (target: 2)")


if __name__ == "__main__":
    main()
