"""Check that 95% intervals have 95% coverage, and that p-values are uniform under the null hypothesis.

Prints tables for docs/comparing.md. Takes a while: `.venv/bin/python benchmarks/coverage.py [samples] [table …]`, with
the tables `scores`, `rare`, `one_class`, `gap` and `tests`; all by default.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

import macrof1
from macrof1.comparing.options import checked_options
from macrof1.comparing.significance import paired_evidence
from macrof1.convention import DEFAULT, FORMULAS
from macrof1.sampling.intervals import RARE, interval
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.macro_scores import macro_scores
from macrof1.sampling.patterns import LabelIncidence, Patterns
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


def over(above, below):
    return np.divide(above, below, out=np.zeros(np.broadcast(above, below).shape), where=below > 0)


def harmonic(p, r):
    return over(2 * p * r, p + r)


def sides(tables):
    return np.diagonal(tables, axis1=1, axis2=2), tables.sum(1), tables.sum(2)


def scored(tp, predicted, actual):
    f, p, r = over(2 * tp, predicted + actual), over(tp, predicted), over(tp, actual)
    return {"averaged_f1": f.mean(-1), "f1_of_averages": harmonic(p.mean(-1), r.mean(-1))}, p, r


def influences(tables):
    """Return by how much a row of each cell moves both scores: samples x gold x predicted."""
    tp, predicted, actual = sides(tables)
    n = tp.shape[-1]
    _, p, r = scored(tp, predicted, actual)
    f, both, hit = over(2 * tp, predicted + actual), predicted + actual, np.eye(n)
    own = over(f, both)
    averaged = (2 * hit * over(1.0, both)[:, :, None] - own[:, :, None] - own[:, None, :]) / n
    mean_p, mean_r = p.mean(-1), r.mean(-1)
    by_p, by_r = 2 * over(mean_r, mean_p + mean_r) ** 2, 2 * over(mean_p, mean_p + mean_r) ** 2
    of_p = (hit - p[:, None, :]) * over(1.0, predicted)[:, None, :] / n
    of_r = (hit - r[:, :, None]) * over(1.0, actual)[:, :, None] / n
    return {"averaged_f1": averaged, "f1_of_averages": by_p[:, None, None] * of_p + by_r[:, None, None] * of_r}


def total(tables, moved):
    return np.einsum("sij,sij->s", tables, moved**2)


def jackknife_variance(tables):
    """Return the jackknife's variance of both scores."""
    tp, predicted, actual = sides(tables)
    n, n_rows = tp.shape[-1], tables.sum((1, 2))[:, None, None]
    found, p, r = scored(tp, predicted, actual)
    f, right = over(2 * tp, predicted + actual), np.eye(n, dtype=bool)
    missed = over(2 * tp, predicted + actual - 1) - f
    hit = over(2 * np.maximum(tp - 1, 0), predicted + actual - 2) - f
    averaged = np.where(right, hit[:, :, None], missed[:, :, None] + missed[:, None, :]) / n
    changes = []
    for share, below in ((p, predicted), (r, actual)):
        wrong, good = over(tp, below - 1) - share, over(np.maximum(tp - 1, 0), below - 1) - share
        axis = (slice(None), None) if below is predicted else (slice(None), slice(None), None)
        changes.append(share.mean(-1)[:, None, None] + np.where(right, good[axis], wrong[axis]) / n)
    left = {"averaged_f1": found["averaged_f1"][:, None, None] + averaged, "f1_of_averages": harmonic(*changes)}
    variances = {}
    for formula, values in left.items():
        centre = (tables * values).sum((1, 2), keepdims=True) / n_rows
        variances[formula] = ((n_rows - 1) / n_rows)[:, 0, 0] * total(tables, values - centre)
    return variances


def smoothed(tables):
    """Write out what is added: half a right row, a quarter of a wrong one in each row and column."""
    _, predicted, actual = sides(tables)
    apart = 1 - np.eye(predicted.shape[-1])
    column, row = apart * (predicted + 0.5)[:, None, :], apart * (actual + 0.5)[:, :, None]
    spread = column / column.sum(2, keepdims=True) + row / row.sum(1, keepdims=True)
    return tables + 0.5 * np.eye(predicted.shape[-1]) + 0.25 * spread


def degrees(tables):
    """Return the degrees of freedom of both standard errors, of smoothed tables."""
    tp, predicted, actual = sides(tables)
    _, p, r = scored(tp, predicted, actual)
    touched = predicted + actual - tp
    share = tp / touched
    mean_p, mean_r = p.mean(-1, keepdims=True), r.mean(-1, keepdims=True)
    parts = {
        "averaged_f1": [(4 / (1 + share) ** 4 * share * (1 - share) / touched, touched)],
        "f1_of_averages": [
            ((2 * mean_r**2 / (mean_p + mean_r) ** 2) ** 2 * p * (1 - p) / predicted, predicted),
            ((2 * mean_p**2 / (mean_p + mean_r) ** 2) ** 2 * r * (1 - r) / actual, actual),
        ],
    }
    found = {}
    for formula, some in parts.items():
        below = sum((variance**2 / np.maximum(rows - 1, 0.5)).sum(-1) for variance, rows in some)
        found[formula] = sum(variance.sum(-1) for variance, _ in some) ** 2 / below
    return found


def intervals(tables):
    """Return the ends of both kinds of interval for many tables at once: a second way to compute what macrof1 does."""
    from scipy.stats import t as student

    found, _, _ = scored(*sides(tables))
    by_delta, by_rows = influences(tables), jackknife_variance(tables)
    fuller = smoothed(tables)
    centres, _, _ = scored(*sides(fuller))
    by_smoothing, df = influences(fuller), degrees(fuller)
    ends = {}
    for formula, estimate in found.items():
        reach = Z * np.sqrt(total(tables, by_delta[formula]))
        ends[formula, "delta"] = np.maximum(estimate - reach, 0), np.minimum(estimate + reach, 1)
        error = np.sqrt(np.maximum(by_rows[formula], total(fuller, by_smoothing[formula])))
        middle = np.where((estimate > 0) & (estimate < 1), estimate, centres[formula])
        step = student.ppf(0.975, df[formula]) * error / (middle * (1 - middle))
        odds = np.log(middle / (1 - middle))
        low, high = (1 / (1 + np.exp(-(odds + sign * step))) for sign in (-1, 1))
        ends[formula, "logit"] = np.minimum(low, estimate), np.maximum(high, estimate)
    return ends


def check(tables, ends):
    """Compare with macrof1 itself on a few tables."""
    for at, table in enumerate(tables):
        patterns = as_patterns(table)
        for (formula, method), (low, high) in ends.items():
            ours = interval(patterns, formula, method=method)
            assert np.allclose([ours.low, ours.high], [low[at], high[at]], atol=1e-8), (formula, method, table)


def coverage(cells, n_rows, samples, seed=1):
    """Return how often each interval covers, the widths of logit over delta, and how often an interval has a note."""
    real, n = truth(cells), len(cells)
    rng = np.random.default_rng([seed, n, n_rows])
    tables = rng.multinomial(n_rows, cells.reshape(-1), size=samples).reshape(-1, n, n)
    ends = intervals(tables)
    check(tables[:5], {key: (low[:5], high[:5]) for key, (low, high) in ends.items()})
    covered = {
        (formula, method): 100 * ((low <= real[formula]) & (real[formula] <= high)).mean()
        for (formula, method), (low, high) in ends.items()
    }
    width = {key: (high - low).mean() for key, (low, high) in ends.items()}
    ratio = {formula: width[formula, "logit"] / width[formula, "delta"] for formula in FORMULAS}
    noted = 100 * (np.minimum(tables.sum(1), tables.sum(2)).min(1) < RARE).mean()
    return covered, ratio, noted


def score_settings():
    for n, shape, errors, n_rows in product((2, 5, 10, 20), SHAPES, ERRORS, (100, 300, 1000, 3000, 10_000)):
        if not (n == 2 and shape == "rare tail"):
            cells = population(n, shape, 0, errors)
            yield (n, shape, errors, n_rows), cells, min(fewest(cells, n_rows))


def print_scores(samples, rare):
    """Print the settings with at least 5 expected gold and predicted rows of every class, or those with fewer."""
    names = "averaged F1: delta | logit | width | F1 of averages: delta | logit | width"
    print(f"| classes | rows | gold | errors | fewest rows | {names} | noted |")
    print("|---:|---:|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    worst = {}
    for (n, shape, errors, n_rows), cells, least in score_settings():
        if (least < 5) != rare or (rare and least < 1):
            continue
        covered, ratio, noted = coverage(cells, n_rows, samples)
        figures = [(covered[f, "delta"], covered[f, "logit"], ratio[f]) for f in FORMULAS]
        shown = " | ".join(f"{delta:.1f} | {logit:.1f} | {width:.2f}" for delta, logit, width in figures)
        print(f"| {n} | {n_rows:,} | {shape} | {errors} | {least:.0f} | {shown} | {noted:.0f} |", flush=True)
        worst.setdefault((n, n_rows), []).append(np.array(figures))
    print(f"\nThe worst of the settings with as many classes and rows:\n\n| classes | rows | settings | {names} |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for (n, n_rows), every in worst.items():
        low, high = np.min(every, axis=0), np.max(every, axis=0)
        shown = " | ".join(f"{low[at, 0]:.1f} | {low[at, 1]:.1f} | {high[at, 2]:.2f}" for at in range(2))
        print(f"| {n} | {n_rows:,} | {len(every)} | {shown} |", flush=True)


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
        options = checked_options(
            [], confidence_level=0.95, method="logit", test="delta", n_resamples=RESAMPLES, rng=rng, convention=DEFAULT
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
