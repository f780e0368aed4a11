"""Do 95% intervals cover in 95 of 100 samples, and are p-values uniform where there is nothing to find?

Prints the two tables of docs/comparing.md. Takes some minutes: `.venv/bin/python benchmarks/coverage.py [samples]`.
"""

from __future__ import annotations

import sys

import numpy as np

from macrof1.comparing.options import Options
from macrof1.comparing.significance import paired_evidence
from macrof1.convention import FORMULAS
from macrof1.sampling.delta import point, standard_error
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.macro_scores import PLAIN, macro_scores
from macrof1.sampling.patterns import LabelIncidence, Patterns
from macrof1.sampling.resampling import bootstrap
from macrof1.sampling.student import quantile

Z = quantile(0.95)
RESAMPLES = 500


def population(n, skew, seed):
    """Return cell probabilities, gold as rows: right with a probability of its own for each class."""
    rng = np.random.default_rng(seed)
    gold = np.ones(n) if skew == "balanced" else 1 / np.arange(1, n + 1)
    gold /= gold.sum()
    right = rng.uniform(0.5, 0.9, n)
    wrong = rng.dirichlet(np.full(n, 2.0), n)
    np.fill_diagonal(wrong, 0)
    wrong /= wrong.sum(1, keepdims=True)
    return gold[:, None] * (np.diag(right) + (1 - right)[:, None] * wrong)


def truth(cells):
    scores = macro_scores(np.diagonal(cells)[:, None], cells.sum(0)[:, None], cells.sum(1)[:, None])
    return {formula: float(getattr(scores, formula)[0]) for formula in FORMULAS}


def as_patterns(table):
    n = len(table)
    gold, pred = (side.reshape(-1) for side in np.indices((n, n)))
    every = np.arange(n * n)
    return Patterns(
        labels=tuple(range(n)),
        amounts=table.reshape(-1),
        gold=LabelIncidence(every, gold),
        systems=(LabelIncidence(every, pred),),
        hits=(gold == pred,),
        n_listed=n,
    )


def coverage(n, n_rows, skew, samples, seed=0):
    cells = population(n, skew, seed)
    real = truth(cells)
    rng = np.random.default_rng(seed + 1)
    hits = {(formula, method): 0 for formula in FORMULAS for method in ("delta", "bootstrap")}
    for _ in range(samples):
        patterns = as_patterns(rng.multinomial(n_rows, cells.reshape(-1)).reshape(n, n))
        found = point(patterns)
        (part,) = bootstrap(patterns, RESAMPLES, rng)
        draws = macro_scores(part.tp[0], part.predicted[0], part.actual)
        for formula in FORMULAS:
            reach = Z * standard_error(patterns, 0, found.gradients[formula])
            hits[formula, "delta"] += abs(found.values[formula] - real[formula]) <= reach
            low, high = np.quantile(getattr(draws, formula), [0.025, 0.975])
            hits[formula, "bootstrap"] += low <= real[formula] <= high
    return {key: 100 * count / samples for key, count in hits.items()}


def null_p_values(n, n_rows, skew, samples, seed=0):
    """Two systems that err in the same way but on rows of their own: every difference is noise."""
    cells = population(n, skew, seed)
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


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    print("| classes | rows | gold | averaged F1, delta | bootstrap | F1 of averages, delta | bootstrap |")
    print("|---:|---:|---|---:|---:|---:|---:|")
    for skew in ("balanced", "skewed"):
        for n in (2, 5, 10):
            for n_rows in (100, 300, 1000, 3000):
                got = coverage(n, n_rows, skew, samples, seed=n)
                shown = " | ".join(
                    f"{got[formula, method]:.1f}" for formula in FORMULAS for method in ("delta", "bootstrap")
                )
                print(f"| {n} | {n_rows:,} | {skew} | {shown} |", flush=True)
    print()
    print("| test | formula | p ≤ 0.01 | p ≤ 0.05 | p ≤ 0.10 | p ≤ 0.50 | Kolmogorov-Smirnov p |")
    print("|---|---|---:|---:|---:|---:|---:|")
    from scipy.stats import kstest

    for (test, formula), values in null_p_values(4, 1000, "skewed", samples // 2).items():
        p = np.array(values)
        shares = " | ".join(f"{100 * (p <= level).mean():.1f}%" for level in (0.01, 0.05, 0.1, 0.5))
        print(f"| {test} | {formula} | {shares} | {kstest(p, 'uniform').pvalue:.2f} |", flush=True)


if __name__ == "__main__":
    main()
