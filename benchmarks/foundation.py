"""Benchmark scoring against scikit-learn, in one run: only the ratios carry over to other machines."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

import numpy as np
from sklearn.metrics import f1_score

import macrof1


def timed(function, repeats):
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return median(times)


def integers(rows, classes, seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, classes, rows)
    return gold, np.where(rng.random(rows) < 0.7, gold, rng.integers(0, classes, rows))


def strings(rows):
    return tuple([f"class {code}" for code in side.tolist()] for side in integers(rows, 10))


def main() -> None:
    cases = [
        ("10M int64, 10 classes", integers(10_000_000, 10), 50, 5, 1),
        ("1M Python strings", strings(1_000_000), 20, 5, 1),
        ("1,000 rows, one call", integers(1000, 10), 50, 2000, 200),
        ("10M int64, 100,000 classes", integers(10_000_000, 100_000), 100, 3, 1),
    ]
    print(f"{'case':<28}{'macrof1':>12}{'scikit-learn':>14}{'ratio':>8}{'target':>8}")
    for name, (gold, pred), target, ours_repeats, theirs_repeats in cases:
        ours = timed(lambda g=gold, p=pred: macrof1.score(g, p).averaged_f1, ours_repeats)
        theirs = timed(lambda g=gold, p=pred: f1_score(g, p, average="macro"), theirs_repeats)
        print(f"{name:<28}{ours * 1e3:>10.3f}ms{theirs * 1e3:>12.1f}ms{theirs / ours:>7.0f}x{target:>7}x")
    program = [sys.executable, "-m", "macrof1", "2", "100", "10000", "0", "100"]
    ours = timed(lambda: subprocess.run(program, check=True, capture_output=True), 9)
    numpy = timed(lambda: subprocess.run([sys.executable, "-c", "import numpy"], check=True), 9)
    print(f"mf1 2 100 10000 0 100 takes {ours / numpy:.2f}x the time of importing NumPy (target: at most 3x)")


if __name__ == "__main__":
    main()
