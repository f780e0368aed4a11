"""What `identify` finds, and what it costs: python benchmarks/identify.py [--data-sets 2000] [--rows 1000000].

Of random data sets, each definition in turn makes a number with four decimals: it must be among the matches, and few
others may be. Before that, the CPU time of `identify` beside that of `score`, on the same rows.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

import macrof1
from macrof1.scoring.definitions import definitions, named, values_without_rows
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
        every = definitions(counts) + list(map(named, values_without_rows(counts, cells)))
        made = every[seed % len(every)]
        result = identify_counts(cells, f"{made.value:.4f}")
        found += made.definition in [match.definition for match in result.matches]
        unrelated.append(sum(abs(value - made.value) > 1e-12 for value, _ in result.groups))
    print(
        f"{found:,} of {n_data_sets:,} data sets: the definition is among the matches; unrelated values: median "
        f"{statistics.median(unrelated):g}, mean {statistics.mean(unrelated):.2f}, most {max(unrelated)}"
    )


def times(n_rows, classes, kind, turns):
    """Compare the CPU time of `identify` with that of `score`, turn by turn, from labels to a number."""
    gold, pred = rows(1, n_rows, classes)
    if kind == "strings":
        gold, pred = ([f"class {label}" for label in side.tolist()] for side in (gold, pred))
    each = []
    for _ in range(turns):
        start = time.process_time()
        result = macrof1.score(gold, pred)
        shown = f"{result.averaged_f1:.4f}"
        middle = time.process_time()
        macrof1.identify(gold, pred, shown)
        each.append((middle - start, time.process_time() - middle))
    score, identify = (1e3 * statistics.median(side) for side in zip(*each, strict=True))
    ratio = statistics.median(after / before for before, after in each)
    print(
        f"{n_rows:,} rows, {classes} classes, {kind}: score {score:.2f} ms, identify {identify:.2f} ms, "
        f"{ratio:.2f} times (medians of {turns} turns)"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    for n_classes in (2, 10, 12, 20):
        times(given.rows, n_classes, "int64", turns=300)
    for n_classes in (2, 10, 20):
        times(given.rows, n_classes, "strings", turns=11)
    found_among(given.data_sets)
