"""Measure the cost of notes: `score` with and without reading them, alternating in one run.

    python benchmarks/notes.py

`score` makes notes on demand. "Doubts" are the notes on labels; "all notes" also includes the sampling noise of the
gap, which is a separate statistic. Each figure is what they add to calls that read only both scores and the gap: the
median over many rounds, each of which times all three.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import macrof1


def scores_only(gold: Any, pred: Any) -> macrof1.results.ScoreResult:
    """Read what everybody reads."""
    result = macrof1.score(gold, pred)
    for name in ("averaged_f1", "f1_of_averages", "gap"):
        getattr(result, name)
    return result


def costs(calls: list[Callable[[], object]]) -> tuple[float, list[float]]:
    """Return the CPU seconds of the first call, and what each other one adds to it: medians over many rounds.

    A round times all calls one after the other, in random order: a call leaves its traces in the cache, and the
    processor's clock changes between rounds.
    """
    random = np.random.default_rng(1)
    start = time.process_time()
    calls[0]()
    once = time.process_time() - start
    n_calls = max(1, int(1e-3 / once))
    rounds = []
    for _ in range(max(15, min(1_000, int(2 / (n_calls * once))))):
        spent = [0.0] * len(calls)
        for place in random.permutation(len(calls)).tolist():
            start = time.process_time()
            for _ in range(n_calls):
                calls[place]()
            spent[place] = (time.process_time() - start) / n_calls
        rounds.append(spent)
    return median(first for first, *_ in rounds), [
        median(spent[place] / spent[0] - 1 for spent in rounds) for place in range(1, len(calls))
    ]


def main() -> None:
    """Print one line per kind of labels and number of rows."""
    random = np.random.default_rng(0)
    print(f"{'rows':>9} {'classes':>7}  {'labels':12} {'score':>12} {'doubts':>8} {'all notes':>10}")
    for n_rows, n_classes in ((1_000, 2), (1_000, 3), (1_000, 20), (1_000_000, 20)):
        gold = random.integers(0, n_classes, n_rows)
        pred = np.where(random.random(n_rows) < 0.7, gold, random.integers(0, n_classes, n_rows))
        words = np.array([f"Class {number}" for number in range(n_classes)])
        sides = {
            "int array": (gold, pred),
            "int list": (gold.tolist(), pred.tolist()),
            "str list": (words[gold].tolist(), words[pred].tolist()),
            "str array": (words[gold], words[pred]),
        }
        for kind, (left, right) in sides.items():
            alone, (doubts, notes) = costs(
                [
                    lambda: scores_only(left, right),  # noqa: B023  # called before the loop goes on
                    lambda: scores_only(left, right)._doubts(),  # noqa: B023
                    lambda: scores_only(left, right).notes,  # noqa: B023
                ]
            )
            spent = f"{alone * 1e6:,.0f} µs"
            print(f"{n_rows:>9,} {n_classes:>7}  {kind:12} {spent:>12} {doubts:>+8.1%} {notes:>+10.1%}")


if __name__ == "__main__":
    main()
