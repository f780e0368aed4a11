"""Simulate false positive rates of tests for clusters, runs and plain pairs, coverage for clusters, and power of plans.

Prints tables for docs/comparing.md: `.venv/bin/python benchmarks/designs.py [samples] [table …]`, with the tables
`pairs`, `clusters`, `runs`, `power` and `correlation`; all by default. Every population has documents, rows or runs
that differ, and two systems with the same error rates (or, for power, a known difference); correlations are taken from
real classifiers.
"""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np

from macrof1.comparing.options import checked_options
from macrof1.comparing.significance import Systems, runs_evidence, wald_p
from macrof1.convention import DEFAULT, FORMULAS
from macrof1.sampling.intervals import interval
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.planning import plan

OPTIONS = checked_options([], n_resamples=100, convention=DEFAULT)


def gold_labels(rng, n, n_rows, skew=0.8):
    share = skew ** np.arange(n)
    return rng.choice(n, n_rows, p=share / share.sum())


def predictions(rng, gold, log_odds, n):
    """Predict rightly with these log odds, row by row; errors lean to the first class."""
    right = rng.random(len(gold)) < 1 / (1 + np.exp(-log_odds))
    lean = np.linspace(2, 1, n)
    return np.where(right, gold, rng.choice(n, len(gold), p=lean / lean.sum()))


def alarms(patterns, df=np.inf):
    systems = Systems.of(patterns, DEFAULT)
    found = []
    for formula in FORMULAS:
        difference = systems.scores[formula][0] - systems.scores[formula][1]
        error = systems.pair_errors(patterns, formula)[0, 1]
        found.append(float(wald_p(np.array([difference]), np.array([error]), df)[0]) <= 0.05)
    return np.array(found)


def shares(hits, samples):
    return " | ".join(f"{100 * value / samples:.1f}" for value in np.ravel(hits))


def print_pairs(samples):
    print("| classes | rows | hard rows in common (sd) | averaged F1 | F1 of averages |")
    print("|---:|---:|---:|---:|---:|")
    for n, n_rows, spread in ((2, 200, 0), (4, 500, 1), (8, 500, 2), (8, 2000, 1), (15, 2000, 2)):
        rng = np.random.default_rng([n, n_rows])
        hits = np.zeros(2)
        for _ in range(samples):
            gold = gold_labels(rng, n, n_rows)
            hard = spread * rng.normal(size=n_rows)
            a, b = (predictions(rng, gold, 1 + hard, n) for _ in range(2))
            hits += alarms(joint_patterns(gold, {"a": a, "b": b}, labels=range(n)))
        print(f"| {n} | {n_rows:,} | {spread} | {shares(hits, samples)} |", flush=True)


def print_clusters(samples):
    """Documents differ in how hard they are, in which classes they hold, and in which system they suit."""
    print("| documents | rows each | averaged F1: rows | clusters | F1 of averages: rows | clusters "
          "| coverage: rows | clusters |")  # fmt: skip
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for n_documents, size in ((20, 30), (30, 15), (50, 20), (100, 8), (200, 5)):
        rng = np.random.default_rng([n_documents, size])
        n, hits, covered = 4, np.zeros((2, 2)), np.zeros(2)
        real = _true_score(n, spread=1.2)
        for _ in range(samples):
            document = np.repeat(np.arange(n_documents), rng.poisson(size - 1, n_documents) + 1)
            topic = rng.dirichlet(np.full(n, 2.0), n_documents)
            gold = (rng.random(len(document))[:, None] > np.cumsum(topic, 1)[document]).sum(1).clip(0, n - 1)
            hard = rng.normal(size=n_documents)
            sides = [
                predictions(rng, gold, 0.8 + (0.85 * hard + 0.85 * rng.normal(size=n_documents))[document], n)
                for _ in range(2)
            ]
            by = dict(zip("ab", sides, strict=True))
            rows = joint_patterns(gold, by, labels=range(n))
            clusters = joint_patterns(gold, by, labels=range(n), cluster=document)
            hits += np.stack([alarms(rows), alarms(clusters, n_documents - 1)], 1)
            for at, patterns in enumerate((rows, clusters)):
                found = interval(patterns, "averaged_f1")
                covered[at] += found.low <= real <= found.high
        print(f"| {n_documents} | {size} | {shares(hits, samples)} | {shares(covered, samples)} |", flush=True)


def _true_score(n, spread):
    from macrof1 import averaged_f1

    rng = np.random.default_rng(0)
    gold = rng.integers(0, n, 2_000_000)
    return averaged_f1(gold, predictions(rng, gold, 0.8 + spread * rng.normal(size=len(gold)), n))


def print_runs(samples):
    """Runs of a system differ by a shift of their own, and by noise of their own on every row."""
    print("| runs | sd of runs | rows | averaged F1: one run | runs | F1 of averages: one run | runs |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for n_runs, spread, n_rows in ((3, 0.1, 500), (3, 0.3, 1000), (5, 0.0, 500), (5, 0.2, 1000), (10, 0.3, 2000)):
        rng = np.random.default_rng([n_runs, n_rows])
        n, hits = 4, np.zeros((2, 2))
        groups = [list(range(n_runs)), list(range(n_runs, 2 * n_runs))]
        for _ in range(samples):
            gold = gold_labels(rng, n, n_rows)
            hard = 1.5 * rng.normal(size=n_rows)
            own = 0.7 * rng.normal(size=(2, n_rows))
            columns = {
                f"{name}@{run}": predictions(rng, gold, 1 + hard + own[at] + spread * rng.normal(), n)
                for at, name in enumerate("ab")
                for run in range(n_runs)
            }
            patterns = joint_patterns(gold, columns, labels=range(n))
            found = runs_evidence(patterns, OPTIONS, groups).p["delta"]
            firsts = joint_patterns(gold, {"a": columns["a@0"], "b": columns["b@0"]}, labels=range(n))
            hits[:, 0] += alarms(firsts)
            hits[:, 1] += [found[formula][0, 1] <= 0.05 for formula in FORMULAS]
        print(f"| {n_runs} | {spread} | {n_rows:,} | {shares(hits, samples)} |", flush=True)


def print_power(samples):
    """Plan from one large pilot, and test as many rows as it says; the true difference is that of the pilot's truth."""
    print("| classes | paired | true difference | rows planned | averaged F1 |")
    print("|---:|---|---:|---:|---:|")
    for n, gain, paired in ((3, 0.25, True), (3, 0.25, False), (6, 0.3, True), (6, 0.3, False), (10, 0.4, True)):
        rng = np.random.default_rng([n, int(100 * gain), paired])

        def draw(n_rows, n=n, gain=gain, rng=rng):
            gold = gold_labels(rng, n, n_rows)
            hard = 1.5 * rng.normal(size=n_rows)
            return gold, *(predictions(rng, gold, 0.8 + shift + hard, n) for shift in (0.0, gain))

        gold, a, b = draw(1_000_000)
        found = Systems.of(joint_patterns(gold, {"a": a, "b": b}), DEFAULT).scores["averaged_f1"]
        difference = float(found[1] - found[0])
        pilot = draw(20_000)
        n_rows = plan(pilot[0], {"a": pilot[1], "b": pilot[2]}, difference=difference, paired=paired).n_rows
        hits = 0
        for _ in range(samples):
            gold, a, b = draw(n_rows)
            if paired:
                hits += alarms(joint_patterns(gold, {"a": a, "b": b}, labels=range(n)))[0]
                continue
            other, _, c = draw(n_rows)
            sides = [joint_patterns(gold, {"a": a}, labels=range(n)), joint_patterns(other, {"c": c}, labels=range(n))]
            one, two = (interval(side, "averaged_f1", method="delta") for side in sides)
            error = np.hypot(one.standard_error, two.standard_error)
            hits += abs(one.estimate - two.estimate) >= 1.959964 * error
        kind = "same rows" if paired else "separate rows"
        print(f"| {n} | {kind} | {difference:.4f} | {n_rows:,} | {100 * hits / samples:.1f} |", flush=True)


def print_correlation(_samples):
    """How much two classifiers have in common on the same rows: what a plan from one system has to assume."""
    from sklearn.datasets import load_breast_cancer, load_digits, make_classification
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    made = {"n_samples": 3000, "n_features": 20, "n_informative": 8, "n_clusters_per_class": 1, "class_sep": 0.8}
    data = {
        "handwritten digits": load_digits(return_X_y=True),
        "breast cancer": load_breast_cancer(return_X_y=True),
        "synthetic, 10% of labels wrong": make_classification(n_classes=3, flip_y=0.1, random_state=0, **made),
        "synthetic, 5% of labels wrong": make_classification(n_classes=8, flip_y=0.05, random_state=1, **made),
    }
    models = [LogisticRegression(), LogisticRegression(C=0.01), SVC(), GaussianNB(), KNeighborsClassifier()]
    models += [RandomForestClassifier(60, random_state=seed) for seed in (0, 1)]
    print("| data | classes | rows | pairs | least | median | most |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, (features, gold) in data.items():
        sides = [cross_val_predict(make_pipeline(StandardScaler(), model), features, gold, cv=3) for model in models]
        found = sorted(_correlation(gold, *pair) for pair in combinations(sides, 2))
        shown = " | ".join(f"{value:.2f}" for value in (found[0], np.median(found), found[-1]))
        print(f"| {name} | {len(set(gold))} | {len(gold):,} | {len(found)} | {shown} |", flush=True)


def _correlation(gold, a, b):
    patterns = joint_patterns(gold, {"a": a, "b": b})
    error = Systems.of(patterns, DEFAULT).pair_errors(patterns, "averaged_f1")[0, 1]
    one, two = (
        interval(joint_patterns(gold, {"a": side}), "averaged_f1", method="delta").standard_error for side in (a, b)
    )
    return (one**2 + two**2 - error**2) / (2 * one * two)


TABLES = {
    "pairs": print_pairs,
    "clusters": print_clusters,
    "runs": print_runs,
    "power": print_power,
    "correlation": print_correlation,
}


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    for name in sys.argv[2:] or TABLES:
        print(f"\n{name}, {samples:,} samples\n")
        TABLES[name](samples)


if __name__ == "__main__":
    main()
