"""How often intervals over units contain the true score: simulated queries, with empty ones and sizes that are skewed.

Run with: python benchmarks/unit_coverage.py
"""

from __future__ import annotations

import numpy as np

import macrof1
from macrof1.counts import Making, trusted_counts
from macrof1.sampling.unit_intervals import unit_interval

N_SAMPLES, N_TRUE = 1000, 1_000_000
SETTINGS = {
    "even": {"size": lambda rng, n: rng.integers(1, 10, n), "right": 0.6, "empty": 0.0},
    "skewed": {"size": lambda rng, n: np.minimum(rng.zipf(1.8, n), 500), "right": 0.6, "empty": 0.1},
    "good": {"size": lambda rng, n: rng.integers(1, 10, n), "right": 0.95, "empty": 0.0},
    "good, one answer": {"size": lambda _, n: np.ones(n, int), "right": 0.97, "empty": 0.2},
}


def queries(rng: np.random.Generator, n: int, setting: dict[str, object]) -> macrof1.ClassCounts:
    """Draw tp, predicted and actual of queries."""
    actual = setting["size"](rng, n)
    tp = rng.binomial(actual, setting["right"])
    predicted = tp + rng.binomial(actual, (1 - setting["right"]) / 2) + rng.poisson(1 - setting["right"], n)
    empty = rng.random(n) < setting["empty"]
    columns = tuple(np.where(empty, 0, column) for column in (tp, predicted, actual))
    making = Making(facts=(("over", "query"),))
    return trusted_counts(labels=tuple(range(n)), columns=columns, n_rows=n, task="multilabel", making=making)


def main() -> None:
    """Print the coverage of 95% intervals, and how many come with a note."""
    rng = np.random.default_rng(0)
    convention = macrof1.Convention(empty=0)
    print(f"{'queries':18}{'n':>6}  averaged F1  F1 of averages  noted  covered without a note")
    for name, setting in SETTINGS.items():
        true = macrof1.score_counts(queries(rng, N_TRUE, setting), convention=convention)
        truth = {of: getattr(true, of) for of in ("averaged_f1", "f1_of_averages")}
        for n in (5, 20, 50, 200, 1000, 5000):
            inside, noted, quiet = dict.fromkeys(truth, 0), 0, [0, 0]
            for _ in range(N_SAMPLES):
                counts = queries(rng, n, setting)
                for of, value in truth.items():
                    found = unit_interval(counts, convention, of)
                    covered = found.low <= value <= found.high
                    inside[of] += covered
                    noted += bool(found.notes) and of == "averaged_f1"
                    if not found.notes:
                        quiet = [quiet[0] + covered, quiet[1] + 1]
            shares = "  ".join(f"{inside[of] / N_SAMPLES:>12.1%}" for of in truth)
            alone = f"{quiet[0] / quiet[1]:.1%}" if quiet[1] > N_SAMPLES / 10 else "-"
            print(f"{name:18}{n:>6}{shares}{noted / N_SAMPLES:>10.0%}  {alone}", flush=True)


if __name__ == "__main__":
    main()
