"""Do 95% intervals cover in 95 of 100 samples, and are p-values uniform where there is nothing to find?

Prints tables of docs/comparing.md. Takes a while: `.venv/bin/python benchmarks/coverage.py [samples] [table …]`, with
the tables `scores`, `rare`, `one_class`, `gap` and `tests`; all when left out.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

import macrof1
from macrof1.comparing.options import Options
from macrof1.comparing.significance import paired_evidence
from macrof1.convention import FORMULAS
from macrof1.sampling.delta import point, standard_error
from macrof1.sampling.intervals import careful_error, interval, logit_ends, rare_classes
from macrof1.sampling.jackknife import replicates
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.macro_scores import PLAIN, class_places, macro_scores
from macrof1.sampling.patterns import LabelIncidence, Patterns
from macrof1.sampling.smoothing import Smoothed
from macrof1.sampling.student import quantile

Z = quantile(0.95)
RESAMPLES = 500
SHAPES = ("balanced", "skewed", "geometric", "rare tail")
ERRORS = ("spread", "to the largest", "95% right")


def gold_shares(n, shape):
    """Return how often each class is gold."""
    place = np.arange(n)
    shares = {
        "balanced": np.ones(n),
        "skewed": 1 / (place + 1),
        "geometric": 0.7**place,
        # The last third of the classes have one row in fifty together.
        "rare tail": np.where(place < n - n // 3, 0.98 / (n - n // 3), 0.02 / max(1, n // 3)),
    }[shape]
    return shares / shares.sum()


def population(n, shape, seed, errors="spread"):
    """Return cell probabilities, gold as rows: right with a probability of its own for each class."""
    rng = np.random.default_rng([seed, n])
    gold = gold_shares(n, shape)
    right = np.full(n, 0.95) if errors == "95% right" else rng.uniform(0.5, 0.9, n)
    wrong = rng.dirichlet(np.full(n, 2.0), n)
    if errors == "to the largest":
        wrong = wrong + 4 * gold
    np.fill_diagonal(wrong, 0)
    wrong /= wrong.sum(1, keepdims=True)
    return gold[:, None] * (np.diag(right) + (1 - right)[:, None] * wrong)


def truth(cells):
    scores = macro_scores(np.diagonal(cells)[:, None], cells.sum(0)[:, None], cells.sum(1)[:, None])
    found = {formula: float(getattr(scores, formula)[0]) for formula in FORMULAS}
    return {**found, "gap": max(0.0, found["f1_of_averages"] - found["averaged_f1"])}


def as_patterns(table):
    n = len(table)
    gold, pred = np.nonzero(table)
    every = np.arange(len(gold))
    return Patterns(
        labels=tuple(range(n)),
        amounts=table[gold, pred],
        gold=LabelIncidence(every, gold),
        systems=(LabelIncidence(every, pred),),
        hits=(gold == pred,),
        n_listed=n,
    )


def fewest(cells, n_rows):
    """Return the smallest number of gold and of predicted rows that a class is expected to have."""
    return n_rows * cells.sum(1).min(), n_rows * cells.sum(0).min()


def coverage(cells, n_rows, samples, seed=1):
    """Return for both formulas how often the delta and the logit interval cover, their widths, and how often one warns."""
    real, n = truth(cells), len(cells)
    rng = np.random.default_rng([seed, n, n_rows])
    hits = {(formula, method): 0 for formula in FORMULAS for method in ("delta", "logit")}
    width, noted = dict.fromkeys(hits, 0.0), 0
    for table in rng.multinomial(n_rows, cells.reshape(-1), size=samples).reshape(-1, n, n):
        patterns = as_patterns(table)
        at = class_places(patterns, 0)
        found, smoothed, left = point(patterns), Smoothed.of(patterns, 0, at), replicates(patterns)
        noted += any(rare_classes(patterns, 0, at))
        for formula in FORMULAS:
            estimate = found.values[formula]
            reach = Z * standard_error(patterns, 0, found.gradients[formula])
            error = careful_error(patterns, smoothed, formula, left[formula])
            ends = {
                "delta": (max(0.0, estimate - reach), min(1.0, estimate + reach)),
                "logit": logit_ends(estimate, error, Z, smoothed.point.values[formula]),
            }
            for method, (low, high) in ends.items():
                hits[formula, method] += low <= real[formula] <= high
                width[formula, method] += high - low
    covered = {key: 100 * count / samples for key, count in hits.items()}
    ratio = {f: width[f, "logit"] / width[f, "delta"] if width[f, "delta"] else np.inf for f in FORMULAS}
    return covered, ratio, 100 * noted / samples


def score_settings():
    for n, shape, errors, n_rows in product((2, 5, 10, 20), SHAPES, ERRORS, (100, 300, 1000, 3000, 10_000)):
        if not (n == 2 and shape == "rare tail"):
            cells = population(n, shape, 0, errors)
            yield (n, shape, errors, n_rows), cells, min(fewest(cells, n_rows))


def print_scores(samples, rare):
    """Print the settings with at least 5 expected gold and predicted rows of every class, or those with fewer."""
    print("| classes | rows | gold | errors | fewest rows | averaged F1: delta | logit | width | F1 of averages: delta "
          "| logit | width | noted |")  # fmt: skip
    print("|---:|---:|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for (n, shape, errors, n_rows), cells, least in score_settings():
        if (least < 5) != rare or (rare and least < 1):
            continue
        covered, ratio, noted = coverage(cells, n_rows, samples)
        shown = " | ".join(
            f"{covered[f, 'delta']:.1f} | {covered[f, 'logit']:.1f} | {ratio[f]:.2f}" for f in FORMULAS
        )
        print(f"| {n} | {n_rows:,} | {shape} | {errors} | {least:.0f} | {shown} | {noted:.0f} |", flush=True)


def print_one_class(samples):
    """Print how often the interval of the F1 of one class covers, by Wilson and by the delta method."""
    print("| expected gold rows | precision | recall | Wilson | delta |")
    print("|---:|---:|---:|---:|---:|")
    n_rows = 1000
    for gold, precision, recall in product((4, 10, 40, 200), (0.5, 0.9), (0.3, 0.6, 0.95)):
        tp = gold / n_rows * recall
        fp, fn = tp / precision - tp, gold / n_rows - tp
        cells = np.array([[tp, fn], [fp, 1 - tp - fn - fp]])
        real = 2 * tp / (2 * tp + fp + fn)
        rng = np.random.default_rng([gold, int(100 * precision), int(100 * recall)])
        hits = dict.fromkeys(("wilson", "delta"), 0)
        for table in rng.multinomial(n_rows, cells.reshape(-1), size=samples).reshape(-1, 2, 2):
            for method in hits:
                found = interval(as_patterns(table), "f1", label=0, method=method)
                hits[method] += found.low <= real <= found.high
        shown = " | ".join(f"{100 * count / samples:.1f}" for count in hits.values())
        print(f"| {gold} | {precision:.2f} | {recall:.2f} | {shown} |", flush=True)


def print_gap(samples):
    """Print how often the bootstrap interval of the gap covers, with and without taking the noise floor off."""
    print("| classes | rows | gold | true gap | corrected | plain |")
    print("|---:|---:|---|---:|---:|---:|")
    for n, n_rows, shape in product((3, 10), (300, 1000, 3000), ("balanced", "skewed")):
        cells = population(n, shape, 3)
        real = truth(cells)["gap"]
        rng = np.random.default_rng([n, n_rows])
        hits = [0, 0]
        for table in rng.multinomial(n_rows, cells.reshape(-1), size=samples).reshape(-1, n, n):
            found = interval(as_patterns(table), "gap", n_resamples=RESAMPLES, rng=rng)
            hits[0] += found.low <= real <= found.high
            # What was cut off at 0 was below it either way: the true gap is above.
            low = found.low + 2 * found.noise_floor if found.low else 0.0
            hits[1] += low <= real <= found.high + 2 * found.noise_floor
        shown = " | ".join(f"{100 * count / samples:.1f}" for count in hits)
        print(f"| {n} | {n_rows:,} | {shape} | {real:.4f} | {shown} |", flush=True)


def null_p_values(n, n_rows, shape, samples, seed=0):
    """Two systems that err in the same way but on rows of their own: every difference is noise."""
    cells = population(n, shape, seed)
    gold_share = cells.sum(1)
    chance = np.cumsum(cells / gold_share[:, None], axis=1)
    rng = np.random.default_rng(seed + 2)
    found = {(test, formula): [] for test in ("delta", "bootstrap", "randomisation") for formula in FORMULAS}
    for _ in range(samples):
        gold = rng.choice(n, n_rows, p=gold_share)
        shared = rng.random(n_rows) < 0.5  # half of the rows they treat alike
        draws = rng.random((2, n_rows))
        draws[1] = np.where(shared, draws[0], draws[1])
        a, b = (np.minimum((draw[:, None] > chance[gold]).sum(1), n - 1) for draw in draws)
        patterns = joint_patterns(gold, {"a": a, "b": b}, labels=range(n))
        options = Options.checked(
            confidence_level=0.95, method="logit", test="delta", n_resamples=RESAMPLES, rng=rng, convention=PLAIN
        )
        evidence = paired_evidence(patterns, options)
        for test, formula in found:
            found[test, formula].append(evidence.p[test][formula][0, 1])
    return found


def print_tests(samples):
    from scipy.stats import kstest

    print("| test | formula | p ≤ 0.01 | p ≤ 0.05 | p ≤ 0.10 | p ≤ 0.50 | Kolmogorov-Smirnov p |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for (test, formula), values in null_p_values(4, 1000, "skewed", samples // 2).items():
        p = np.array(values)
        shares = " | ".join(f"{100 * (p <= level).mean():.1f}%" for level in (0.01, 0.05, 0.1, 0.5))
        print(f"| {test} | {formula} | {shares} | {kstest(p, 'uniform').pvalue:.2f} |", flush=True)


TABLES = {
    "scores": lambda samples: print_scores(samples, rare=False),
    "rare": lambda samples: print_scores(samples, rare=True),
    "one_class": print_one_class,
    "gap": lambda samples: print_gap(samples // 4),
    "tests": print_tests,
}


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    for name in sys.argv[2:] or TABLES:
        print(f"\n{name}, {samples:,} samples (macrof1 {macrof1.__version__})\n")
        TABLES[name](samples)


if __name__ == "__main__":
    main()
