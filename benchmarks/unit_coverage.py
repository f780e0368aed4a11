"""How often intervals over units contain the true score, and how wide they are: simulated queries.

Some are empty, sizes are skewed, nearly all are right, weights or clusters are unequal. "Wide" is the mean width over
that of the central 95% of the sampling distribution. Two systems on the same queries follow, for the interval of their
difference and for false alarms.

Run with: python benchmarks/unit_coverage.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

import macrof1
from macrof1.counting.units import UnitClusters
from macrof1.counts import NO_ROWS, Making, trusted_counts
from macrof1.sampling.student import quantile
from macrof1.sampling.unit_intervals import UnitSample, student_ends, unit_notes

N_SAMPLES, N_TRUE = 2000, 1_000_000
SCORES = ("averaged_f1", "f1_of_averages", "gap", "macro_precision", "macro_recall")
CONVENTION = macrof1.Convention(empty=0)


def even(rng: np.random.Generator, n: int) -> Any:
    return rng.integers(1, 10, n)


def skewed(rng: np.random.Generator, n: int) -> Any:
    return np.minimum(rng.zipf(1.8, n), 500)


def one(_: np.random.Generator, n: int) -> Any:
    return np.ones(n, int)


SETTINGS: dict[str, dict[str, Any]] = {
    "even": {"size": even, "right": 0.6},
    "skewed, empty": {"size": skewed, "right": 0.6, "empty": 0.1},
    "weights": {"size": even, "right": 0.6, "weights": True},
    "clusters": {"size": even, "right": 0.6, "clusters": True},
    "bad": {"size": even, "right": 0.05},
    "good": {"size": even, "right": 0.95},
    "good, skewed": {"size": skewed, "right": 0.97},
    "good, one answer": {"size": one, "right": 0.97},
    "good, 2% empty": {"size": even, "right": 0.95, "empty": 0.02},
    "good, weights": {"size": even, "right": 0.95, "weights": True},
    "good, clusters": {"size": even, "right": 0.95, "clusters": True},
    "nearly perfect": {"size": even, "right": 0.99},
}
# Two systems: how often each is right, and on which share of the queries they differ at all.
PAIRS: dict[str, dict[str, Any]] = {
    "even": {"size": even, "right": (0.6, 0.6), "differ": 1.0},
    "good": {"size": even, "right": (0.95, 0.95), "differ": 1.0},
    "good, other better": {"size": even, "right": (0.95, 0.97), "differ": 1.0},
    "good, nearly alike": {"size": even, "right": (0.95, 0.95), "differ": 0.1},
    "nearly alike, better": {"size": even, "right": (0.95, 0.97), "differ": 0.1},
    "nearly perfect": {"size": even, "right": (0.99, 0.99), "differ": 1.0},
}


def answers(rng: np.random.Generator, actual: Any, right: Any) -> list[Any]:
    """Draw tp and predicted of queries with so many answers."""
    tp = rng.binomial(actual, right)
    return [tp, tp + rng.binomial(actual, (1 - right) / 2) + rng.poisson(1 - right, len(actual))]


def counted(columns: Any, weights: Any = None, rows: Any = NO_ROWS) -> macrof1.ClassCounts:
    """Return counts over queries."""
    n = len(columns[0])
    making = Making(facts=(("over", "query"),))
    return trusted_counts(
        labels=tuple(range(n)), columns=tuple(columns), n_rows=n, task="multilabel", making=making, weights=weights,
        rows=rows,
    )  # fmt: skip


def queries(rng: np.random.Generator, n: int, setting: dict[str, Any]) -> macrof1.ClassCounts:
    """Draw counts of queries; those of a cluster, of which there are n, are about as hard."""
    cluster, right = np.arange(n), setting["right"]
    if "clusters" in setting:
        cluster = np.repeat(cluster, np.ceil(rng.lognormal(0.5, 0.8, n)).astype(int))
        odds = np.log(right / (1 - right)) + rng.normal(0, 0.7, n)[cluster]
        right = 1 / (1 + np.exp(-odds))
    actual = setting["size"](rng, len(cluster))
    empty = rng.random(len(cluster)) < setting.get("empty", 0.0)
    columns = [np.where(empty, 0, column) for column in (*answers(rng, actual, right), actual)]
    weights = rng.exponential(size=n) if "weights" in setting else None
    return counted(columns, weights, UnitClusters(cluster) if "clusters" in setting else NO_ROWS)


def scores() -> None:
    """Print the coverage and the width of 95% intervals, how many come with a note, and the coverage of the others."""
    rng = np.random.default_rng(0)
    print(f"{'queries':18}{'n':>6}   {'   '.join(f'{of:>15}' for of in SCORES)}   noted  covered without a note")
    for name, setting in SETTINGS.items():
        true = macrof1.score_counts(queries(rng, N_TRUE, setting), convention=CONVENTION)
        for n in (5, 20, 50, 200, 1000, 5000):
            found: dict[str, list[Any]] = {of: [] for of in SCORES}
            for _ in range(N_SAMPLES):
                # What `unit_interval` does, with the sample made once for all scores.
                sample = UnitSample([queries(rng, n, setting)], CONVENTION)
                moved, point, reach = sample.moved(), sample.scores(), quantile(0.95, sample.df)
                for of, own in found.items():
                    estimate, error = float(getattr(point, of)[0]), float(np.linalg.norm(moved[of][0]))
                    low, high, _ = student_ends(of, estimate, error, sample.worth, reach)
                    own.append((low, high, estimate, any(unit_notes(moved[of][0], sample.noun, "combined"))))
            cells, noted, quiet = [], [], []
            for of, own in found.items():
                low, high, estimate, note = np.array(own).T
                covered = (low <= getattr(true, of)) & (getattr(true, of) <= high)
                cells.append(cell(covered, low, high, estimate))
                noted.append(f"{note.mean():4.0%}")
                alone = covered[note == 0]
                quiet.append(f"{alone.mean():.1%}" if len(alone) > 0.05 * N_SAMPLES else "-")
            print(f"{name:18}{n:>6}   {'   '.join(cells)}   {' '.join(noted)}   {' '.join(quiet)}", flush=True)


def cell(covered: Any, low: Any, high: Any, estimate: Any) -> str:
    """Return the coverage and the width of intervals, relative to how the estimate varies."""
    ideal = float(np.diff(np.quantile(estimate, [0.025, 0.975]))[0])
    return f"{covered.mean():8.1%} {(high - low).mean() / ideal:5.2f}w"


def pairs() -> None:
    """Print the coverage and the width of intervals of differences, and how often a difference is significant."""
    rng = np.random.default_rng(1)

    def both(n: int, setting: dict[str, Any]) -> dict[str, macrof1.ClassCounts]:
        actual = setting["size"](rng, n)
        first, second = (answers(rng, actual, right) for right in setting["right"])
        same = rng.random(n) >= setting["differ"]
        second = [np.where(same, one, other) for one, other in zip(first, second, strict=True)]
        return {"x": counted([*first, actual]), "y": counted([*second, actual])}

    print(f"\n{'two systems':22}{'n':>6}   {'   '.join(f'{of:>15}' for of in SCORES[:2])}   significant")
    for name, setting in PAIRS.items():
        true = {key: macrof1.score_counts(own, convention=CONVENTION) for key, own in both(N_TRUE, setting).items()}
        null = setting["right"][0] == setting["right"][1]
        for n in (20, 50, 200, 1000):
            found: dict[str, list[Any]] = {of: [] for of in SCORES[:2]}
            for _ in range(N_SAMPLES):
                (pair,) = macrof1.compare(both(n, setting), empty=0, n_resamples=100).comparisons
                sign = 1 if pair.a == "x" else -1
                for of, own in found.items():
                    apart = getattr(pair, of)
                    low, high = sorted(sign * end for end in apart.interval)
                    own.append((low, high, sign * apart.difference, apart.significant))
            cells, alarms = [], []
            for of, own in found.items():
                low, high, estimate, significant = np.array(own).T
                truth = 0.0 if null else getattr(true["x"], of) - getattr(true["y"], of)
                cells.append(cell((low <= truth) & (truth <= high), low, high, estimate))
                alarms.append(f"{significant.mean():.1%}")
            told = "false alarms" if null else "power"
            print(f"{name:22}{n:>6}   {'   '.join(cells)}   {told} {' '.join(alarms)}", flush=True)


if __name__ == "__main__":
    scores()
    pairs()
