"""What `identify` finds, and what it costs: python benchmarks/identify.py [--data-sets 2000] [--rows 1000000].

Of random data sets, each definition in turn makes a number with four decimals: it must be among the matches, and few
others may be. Then the time of `identify` beside that of `score`, on the same rows.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

import macrof1
from macrof1.scoring.definitions import Valued, definitions, values_without_rows
from macrof1.scoring.identification import identify_counts


def rows(seed, n, classes):
    """Return gold and predicted labels of classes of different sizes."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(classes, 2.0))
    gold = rng.choice(classes, n, p=weights)
    return gold, np.where(rng.random(n) < rng.uniform(0.4, 0.95), gold, rng.choice(classes, n, p=weights))


def found_among(n_data_sets):
    """Say how often the definition that made a number is found, and how many unrelated values match it."""
    found, unrelated = 0, []
    for seed in range(n_data_sets):
        cells = macrof1.score(*rows(seed, 500, 2 + seed % 12)).cells
        counts = cells.class_counts()
        every = definitions(counts) + [Valued(*found).named() for found in values_without_rows(counts, cells)]
        made = every[seed % len(every)]
        result = identify_counts(cells, f"{made.value:.4f}")
        found += made.definition in [match.definition for match in result.matches]
        unrelated.append(sum(abs(value - made.value) > 1e-12 for value, _ in result.groups))
    print(
        f"{found:,} of {n_data_sets:,} data sets: the definition is among the matches; unrelated values: median "
        f"{statistics.median(unrelated):g}, mean {statistics.mean(unrelated):.2f}, most {max(unrelated)}"
    )


def times(n_rows, kind, turns):
    """Compare `identify` with `score`, turn by turn, from labels to a number."""
    gold, pred = (side.astype(kind) for side in rows(1, n_rows, 20))
    ratios, each = [], []
    for _ in range(turns):
        start = time.perf_counter()
        result = macrof1.score(gold, pred)
        shown = f"{result.averaged_f1:.4f}"
        middle = time.perf_counter()
        macrof1.identify(gold, pred, shown)
        end = time.perf_counter()
        each.append((middle - start, end - middle))
        ratios.append((end - middle) / (middle - start))
    score, identify = (min(side) for side in zip(*each, strict=True))
    print(
        f"{n_rows:,} rows of {gold.dtype}: score {1e3 * score:.2f} ms, identify {1e3 * identify:.2f} ms: "
        f"{identify / score:.2f} times; median of {turns} turns {statistics.median(ratios):.2f}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    found_among(given.data_sets)
    times(given.rows, np.int64, turns=50)
    times(given.rows, np.str_, turns=5)
