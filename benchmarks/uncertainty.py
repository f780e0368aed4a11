"""Simulate how well intervals cover, how wide they are, and how often tests raise false alarms.

One command makes every table: `.venv/bin/python benchmarks/uncertainty.py [samples] [table …]`. Each table is printed
and written to `benchmarks/results/`; docs/coverage.md quotes a few lines of each. Intervals of plain rows are computed
a second time here, for many tables at once, and checked against the package on some of them.
"""

from __future__ import annotations

import sys
from itertools import combinations, product
from pathlib import Path

import numpy as np

import macrof1
from macrof1.comparing.compared import FewDiffering, checked_options
from macrof1.comparing.reliability import differing
from macrof1.comparing.reliability import doubts as doubts_about
from macrof1.comparing.significance import Systems, runs_evidence, wald_p
from macrof1.convention import DEFAULT, FORMULAS
from macrof1.sampling.intervals import RARE, few_rows, interval
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.patterns import Patterns, one_label
from macrof1.sampling.planning import plan
from macrof1.sampling.samples import Sample, StratifiedSample, wilson
from macrof1.sampling.student import quantile

RESULTS = Path(__file__).parent / "results"
Z = quantile(0.95)
SCORES = ("averaged_f1", "f1_of_averages", "macro_precision", "macro_recall", "gap")
HEADS = ("averaged F1", "F1 of averages", "macro precision", "macro recall", "gap")
OPTIONS = checked_options([], n_resamples=100, convention=DEFAULT)


# Populations: cell probabilities, gold as rows.


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


def population(n, shape, errors="spread"):
    """Return a population in which each class is right with a probability of its own."""
    rng = np.random.default_rng([0, n])
    gold = gold_shares(n, shape)
    right = np.full(n, 0.95) if errors == "95% right" else rng.uniform(0.5, 0.9, n)
    wrong = rng.dirichlet(np.full(n, 2.0), n)
    if errors == "to the largest":
        wrong = wrong + 4 * gold
    np.fill_diagonal(wrong, 0)
    wrong /= wrong.sum(1, keepdims=True)
    return gold[:, None] * (np.diag(right) + (1 - right)[:, None] * wrong)


def uniform_errors(sizes, right):
    """Return a population with these class sizes whose errors go to the other classes by their sizes."""
    shares = np.array(sizes, float) / sum(sizes)
    wrong = np.tile(shares, (len(shares), 1))
    np.fill_diagonal(wrong, 0)
    wrong /= wrong.sum(1, keepdims=True)
    return shares[:, None] * (np.diag(np.full(len(shares), right)) + (1 - right) * wrong)


def rarely_predicted(n_rows, expected):
    """Return three classes, the last of which is predicted on so many rows, rightly in nine of ten."""
    share = expected / n_rows
    cells = np.zeros((3, 3))
    cells[:, 2] = share * np.array([0.067, 0.033, 0.9])
    for gold, size, (one, other) in ((0, 0.6, (0.85, 0.15)), (1, 0.3, (0.15, 0.85)), (2, 0.1, (0.6, 0.4))):
        rest = size - cells[gold, 2]
        cells[gold, :2] = rest * one, rest * other
    return cells


def grid():
    """Yield the name of each setting, its population, and the number of rows."""
    for right in (0.9999, 0.9998, 0.9995):
        yield f"9,000/980/20, {right:.2%} right", uniform_errors([9000, 980, 20], right), 10_000
    yield "700/280/20, 99.8% right", uniform_errors([700, 280, 20], 0.998), 1000
    for n, n_rows in ((4, 50), (4, 150), (10, 1000), (50, 5000)):
        yield f"{n} equal classes, 99% right", uniform_errors([1] * n, 0.99), n_rows
    for rows in (1, 2, 5, 10, 20):
        yield f"a class of {rows} among 1,000, 90% right", uniform_errors([600, 400, rows], 0.9), 1000 + rows
        yield f"a class of {rows} among 10,000, 98% right", uniform_errors([6000, 4000, rows], 0.98), 10_000 + rows
    for expected, n_rows in product((1, 2, 3, 6, 10, 15, 30), (1000, 5000)):
        yield f"a class predicted {expected} times", rarely_predicted(n_rows, expected), n_rows
    yield "97/3", np.array([[0.95, 0.02], [0.012, 0.018]]), 200
    for n_rows in (50, 1000, 1_000_000):
        yield "2 classes, 60/40", np.array([[0.5, 0.1], [0.1, 0.3]]), n_rows
    for n, shape, errors in product((2, 5, 10, 20, 50), ("balanced", "skewed", "geometric"), ("spread", "95% right")):
        for n_rows in (100, 300, 1000, 10_000):
            if 5 * n <= n_rows and not (shape == "geometric" and n > 10):
                yield f"{n} {shape}, {errors}", population(n, shape, errors), n_rows
    yield "6 rare tail, 95% right", population(6, "rare tail", "95% right"), 300
    yield "6 rare tail, spread", population(6, "rare tail"), 10_000
    yield "10 skewed, to the largest", population(10, "skewed", "to the largest"), 1000
    yield "3 skewed, spread", population(3, "skewed"), 1_000_000


# The default interval a second time, for many tables at once.


def over(above, below):
    return np.divide(above, below, out=np.zeros(np.broadcast(above, below).shape), where=below > 0)


def harmonic(p, r):
    return over(2 * p * r, p + r)


def sides(tables):
    return np.diagonal(tables, axis1=1, axis2=2).astype(float), tables.sum(1), tables.sum(2)


def scored(tables):
    tp, predicted, actual = sides(tables)
    averaged = over(2 * tp, predicted + actual).mean(-1)
    p, r = over(tp, predicted).mean(-1), over(tp, actual).mean(-1)
    found = dict(zip(SCORES, (averaged, harmonic(p, r), p, r), strict=False))
    return {**found, "gap": np.maximum(found["f1_of_averages"] - averaged, 0)}


def influences(tables):
    """Return by how much a row of each cell moves the scores (samples x gold x predicted), and how means move B."""
    tp, predicted, actual = sides(tables)
    n, hit = tp.shape[-1], np.eye(tp.shape[-1])
    p, r, both = over(tp, predicted), over(tp, actual), predicted + actual
    own = over(over(2 * tp, both), both)
    averaged = (2 * hit * over(1.0, both)[:, :, None] - own[:, :, None] - own[:, None, :]) / n
    of_p = (hit - p[:, None, :]) * over(1.0, predicted)[:, None, :] / n
    of_r = (hit - r[:, :, None]) * over(1.0, actual)[:, :, None] / n
    mean_p, mean_r = p.mean(-1), r.mean(-1)
    by_p, by_r = 2 * over(mean_r, mean_p + mean_r) ** 2, 2 * over(mean_p, mean_p + mean_r) ** 2
    of_averages = by_p[:, None, None] * of_p + by_r[:, None, None] * of_r
    moved = (averaged, of_averages, of_p, of_r, of_averages - averaged)
    return dict(zip(SCORES, moved, strict=True)), by_p, by_r


def variance(tables, moved):
    return np.einsum("sij,sij->s", tables, moved**2)


def jackknife(tables):
    tp, predicted, actual = sides(tables)
    n, n_rows, right = tp.shape[-1], tables.sum((1, 2))[:, None, None], np.eye(tp.shape[-1], dtype=bool)
    f = over(2 * tp, predicted + actual)
    missed, hit = over(2 * tp, predicted + actual - 1) - f, over(2 * (tp - 1), predicted + actual - 2) - f
    left = {"averaged_f1": np.where(right, hit[:, :, None], missed[:, :, None] + missed[:, None, :]) / n}
    for score, below, axis in (
        ("macro_precision", predicted, (slice(None), None)),
        ("macro_recall", actual, (slice(None), slice(None), None)),
    ):
        share = over(tp, below)
        wrong, good = over(tp, below - 1) - share, over(tp - 1, below - 1) - share
        left[score] = share.mean(-1)[:, None, None] + np.where(right, good[axis], wrong[axis]) / n
    left["f1_of_averages"] = harmonic(left["macro_precision"], left["macro_recall"])
    found = {}
    for score, values in left.items():
        centre = (tables * values).sum((1, 2), keepdims=True) / n_rows
        found[score] = ((n_rows - 1) / n_rows)[:, 0, 0] * variance(tables, values - centre)
    return found


def smoothed(tables):
    """Write out what is added: half a right row, a quarter of a wrong one in each row and column."""
    _, predicted, actual = sides(tables)
    live = (actual > 0)[:, :, None] & (actual > 0)[:, None, :]
    right = np.eye(predicted.shape[-1])
    apart = live * (1 - right)
    column, row = apart * (predicted + 0.5)[:, None, :], apart * (actual + 0.5)[:, :, None]
    spread = over(column, column.sum(2, keepdims=True)) + over(row, row.sum(1, keepdims=True))
    return tables + 0.5 * right * live + 0.25 * spread


def combined(tables):
    """Return the ends of the default interval of every score but the gap, of the delta method, and of all limits."""
    tp, predicted, actual = sides(tables)
    n, found = tp.shape[-1], scored(tables)
    moved, by_p, by_r = influences(tables)
    fuller = smoothed(tables)
    centres, (more, _, _), by_rows = scored(fuller), influences(fuller), jackknife(tables)
    ratios = {}
    touched = predicted + actual - tp
    for name, below in (("p", predicted), ("r", actual), ("f", touched)):
        share = over(tp, below)
        low, high = wilson(share, below, Z)
        spread = over(share * (1 - share), below)
        if name == "f":
            low, high, spread = 2 * low / (1 + low), 2 * high / (1 + high), spread * 4 / (1 + share) ** 4
            share = 2 * share / (1 + share)
        known, never = below > 0, actual == 0
        inner = [np.where(known & ~never, end, share) for end in (low, high)]
        outer = [np.where(never, share, end) for end in (low, high)]
        ratios[name] = share, np.where(known & ~never, spread, 0), inner, [end.mean(-1) for end in outer]
    one = np.full(len(tables), 1 / n)
    parts = {
        "averaged_f1": {"f": one}, "macro_precision": {"p": one}, "macro_recall": {"r": one},
        "f1_of_averages": {"p": by_p / n, "r": by_r / n},
    }  # fmt: skip
    box = {score: ratios[name][3] for score, name in zip(("averaged_f1", *SCORES[2:4]), "fpr", strict=True)}
    box["f1_of_averages"] = [harmonic(*pair) for pair in zip(ratios["p"][3], ratios["r"][3], strict=True)]
    ends = {}
    for score, slopes in parts.items():
        estimate, plain = found[score], variance(tables, moved[score])
        shared, reach = plain.copy(), [0.0, 0.0]
        for name, slope in slopes.items():
            share, spread, inner, _ = ratios[name]
            shared -= (slope[:, None] ** 2 * spread).sum(-1)
            for side, end in enumerate(inner):
                reach[side] = reach[side] + (slope[:, None] ** 2 * (share - end) ** 2).sum(-1)
        by_limits = [np.sqrt(np.maximum(part + Z**2 * shared, 0)) for part in reach]
        error = np.sqrt(np.maximum(by_rows[score], variance(fuller, more[score])))
        centre = centres[score]
        odds, step = np.log(centre / (1 - centre)), Z * error / (centre * (1 - centre))
        low = np.minimum.reduce([estimate - by_limits[0], estimate - Z * error, 1 / (1 + np.exp(step - odds))])
        high = np.maximum.reduce([estimate + by_limits[1], estimate + Z * error, 1 / (1 + np.exp(-step - odds))])
        ends[score, "combined"] = (
            np.minimum(np.maximum(low, np.maximum(box[score][0], 0)), estimate),
            np.maximum(np.minimum(high, np.minimum(box[score][1], 1)), estimate),
        )
        ends[score, "delta"] = [np.clip(estimate + sign * Z * np.sqrt(plain), 0, 1) for sign in (-1, 1)]
        ends[score, "limits"] = box[score]
    return found, ends


def as_patterns(table):
    gold, pred = np.nonzero(table)
    n = len(table)
    return Patterns(labels=tuple(range(n)), amounts=table[gold, pred], n_listed=n, **one_label(gold, [pred]))


def measured(cells, n_rows, samples):
    """Return, per score, coverage and mean width over the ideal of delta and default, and the width of all limits."""
    n = len(cells)
    rng = np.random.default_rng([1, n, n_rows])
    tables = rng.multinomial(n_rows, (cells / cells.sum()).reshape(-1), size=samples).reshape(-1, n, n)
    truth = {score: float(value[0]) for score, value in scored((cells / cells.sum())[None]).items()}
    found, ends = combined(tables)
    for at in range(3):
        sample = Sample(as_patterns(tables[at]), DEFAULT)
        for score in SCORES[:4]:
            low, high = (side[at] for side in ends[score, "combined"])
            assert np.allclose(sample.combined(score, 0.95)[:2], [low, high], atol=1e-8), (score, tables[at])
    gaps = [Sample(as_patterns(table), DEFAULT) for table in tables[: min(samples, 500)]]
    some = [sample.combined("gap", 0.95) for sample in gaps]
    ends["gap", "combined"] = [np.array([getattr(end, side) for end in some]) for side in ("low", "high")]
    plain = [interval(sample.patterns, "gap", method="delta") for sample in gaps]
    ends["gap", "delta"] = [np.array([getattr(end, side) for end in plain]) for side in ("low", "high")]
    result = {}
    for score in SCORES:
        ideal = np.subtract(*np.quantile(found[score], [0.975, 0.025]))
        figures = []
        for method in ("delta", "combined", "limits"):
            low, high = ends.get((score, method), (np.nan, np.nan))
            covered = np.mean((low <= truth[score] + 1e-12) & (truth[score] <= high + 1e-12))
            figures.append((100 * covered, np.mean(np.subtract(high, low)) / ideal if ideal > 1e-12 else np.nan))
        result[score] = figures
    tp, predicted, actual = sides(tables)
    wrong = (actual - tp).sum(1)
    few = (np.minimum(predicted, actual).min(1) < RARE) | ((wrong > 0) & (wrong < min(RARE, n_rows / 100)))
    noted = 100 * few.mean()
    enough = (np.minimum(predicted, actual).mean(0) >= 10).all() and ((predicted + actual - 2 * tp).mean(0) >= 5).all()
    return result, noted, enough


def scores(samples):
    """Coverage, and mean width over the ideal (the central 95% of the sampling distribution), of default intervals."""
    yield "Each cell: coverage of the delta method → of the default, mean width of the default over the ideal, and in "
    yield "brackets that of all classes at their Wilson limits. `noted`: share of samples in which a note warns."
    yield ""
    yield f"| population | rows | {' | '.join(HEADS)} | noted |"
    yield f"|---|---:|{'---:|' * 5}---:|"
    low, wide = [], []
    for name, cells, n_rows in grid():
        result, noted, enough = measured(cells, n_rows, samples)
        shown = []
        for score in SCORES:
            (delta, _), (covered, width), (_, limits) = result[score]
            shown.append(f"{delta:.1f} → {covered:.1f}, {width:.2f}" + ("" if np.isnan(limits) else f" ({limits:.1f})"))
            low += [f"{name}, {n_rows:,} rows, {score}: {covered:.1f} (noted {noted:.0f}%)"] if covered < 93 else []
            wide += [f"{name}, {n_rows:,} rows, {score}: {width:.2f}"] if enough and width > 2 else []
        yield f"| {name} | {n_rows:,} | {' | '.join(shown)} | {noted:.0f}% |"
    yield ""
    yield f"Coverage below 93%: {'; '.join(low) or 'none'}."
    yield "Wider than 2 × ideal with 10 gold rows, 10 predicted rows and 5 errors of every class: "
    yield f"{'; '.join(wide) or 'none'}."


def errors(_samples):
    """The lower end with e errors among 2,000 rows of two classes, and a third class of k rows without errors."""
    some = (0, 1, 2, 3, 5, 10, 15, 20)
    yield f"| k | score | {' | '.join(f'e = {e}' for e in some)} |"
    yield f"|---:|---|{'---:|' * len(some)}"
    for k, (score, head) in product((10, 20, 50), zip(SCORES[:4], HEADS, strict=False)):
        lows = [
            macrof1.score_matrix([[1000 - e, e, 0], [0, 1000, 0], [0, 0, k]], rows="gold").interval(score).low
            for e in some
        ]
        yield f"| {k} | {head} | {' | '.join(f'{low:.3f}' for low in lows)} |"


# Rows with weights, clusters, several labels; other class mixes.


def gold_labels(rng, n, n_rows, skew=0.8):
    share = skew ** np.arange(n)
    return rng.choice(n, n_rows, p=share / share.sum())


def predictions(rng, gold, log_odds, n):
    """Predict rightly with these log odds, row by row; errors lean to the first class."""
    right = rng.random(len(gold)) < 1 / (1 + np.exp(-log_odds))
    lean = np.linspace(2, 1, n)
    return np.where(right, gold, rng.choice(n, len(gold), p=lean / lean.sum()))


def _weighted(rng, n_rows):
    gold = gold_labels(rng, 4, n_rows)
    weight = rng.lognormal(0, 0.8, n_rows)
    return gold, predictions(rng, gold, 1 + 0.5 * np.log(weight), 4), {"sample_weight": weight}


def _clustered(kind, n_clusters):
    def draw(rng, scale):
        sizes = {
            "equal": np.full(n_clusters * scale, 20.0),
            "lognormal": 10 * rng.lognormal(0, 1, n_clusters * scale),
            "pareto": 8 * (1 + rng.pareto(2, n_clusters * scale)),
        }[kind]
        document = np.repeat(np.arange(len(sizes)), np.maximum(1, np.minimum(sizes, 2000)).astype(int))
        topic = rng.dirichlet(np.full(4, 2.0), len(sizes))
        gold = (rng.random(len(document))[:, None] > np.cumsum(topic, 1)[document]).sum(1).clip(0, 3)
        return gold, predictions(rng, gold, 0.8 + rng.normal(size=len(sizes))[document], 4), {"cluster": document}

    return draw


def _label_sets(rng, n_rows):
    gold = rng.random((n_rows, 5)) < [0.4, 0.3, 0.2, 0.1, 0.05]
    return gold, gold ^ (rng.random((n_rows, 5)) < np.where(gold, 0.2, 0.05)), {}


def _subset(rng, n_rows):
    gold = gold_labels(rng, 6, n_rows)
    return gold, predictions(rng, gold, np.ones(n_rows), 6), {"exclude": [0]}


DESIGNS = {
    "weights, 300 rows": (_weighted, 300), "weights, 2,000 rows": (_weighted, 2000),
    "25 lognormal clusters": (_clustered("lognormal", 25), 1),
    "100 lognormal clusters": (_clustered("lognormal", 100), 1),
    "60 Pareto clusters": (_clustered("pareto", 60), 1), "50 clusters of 20": (_clustered("equal", 50), 1),
    "20 clusters of 20": (_clustered("equal", 20), 1),
    "label sets, 200 rows": (_label_sets, 200), "label sets, 2,000 rows": (_label_sets, 2000),
    "5 of 6 classes, 300 rows": (_subset, 300),
}  # fmt: skip


def designs(samples):
    """Coverage, and mean width over the ideal, of the default interval for other kinds of rows."""
    yield f"| rows | {' | '.join(HEADS)} |"
    yield f"|---|{'---:|' * 5}"
    for name, (draw, size) in DESIGNS.items():
        rng = np.random.default_rng(len(name))
        big = draw(rng, 4000 if size == 1 else 1_000_000)
        whole = macrof1.score(big[0], big[1], **big[2])
        truth = {score: getattr(whole, score) for score in SCORES}
        covered, width, seen = np.zeros(5), np.zeros(5), []
        for _ in range(samples):
            gold, pred, extra = draw(rng, size)
            result = macrof1.score(gold, pred, **extra)
            sample = Sample(result.rows.patterns(), result.convention)
            seen.append([sample.point.values[score] for score in SCORES])
            ends = [sample.combined(score, 0.95) for score in SCORES]
            covered += [low <= truth[score] <= high for score, (low, high, _) in zip(SCORES, ends, strict=True)]
            width += [end.high - end.low for end in ends]
        ideal = np.subtract(*np.quantile(np.array(seen), [0.975, 0.025], axis=0))
        shown = [
            f"{100 * hit / samples:.1f}, {w / samples / i:.2f}" for hit, w, i in zip(covered, width, ideal, strict=True)
        ]
        yield f"| {name} | {' | '.join(shown)} |"


def prevalence(samples):
    """Coverage, and mean width over the ideal, at another class mix; so many rows of each class were sampled."""
    yield f"| classes | rows each | mix there | {' | '.join(HEADS)} | noted |"
    yield f"|---:|---:|---|{'---:|' * 6}"
    for rows, right, mix in (
        (100, (0.9, 0.8, 0.7), (0.7, 0.2, 0.1)), (30, (0.9, 0.8, 0.7), (0.7, 0.2, 0.1)),
        (100, (0.95, 0.9), (0.99, 0.01)), (500, (0.98, 0.9), (0.999, 0.001)),
        (50, (0.9, 0.8, 0.7, 0.6, 0.85), (0.5, 0.3, 0.1, 0.07, 0.03)),
        (500, (0.9, 0.8, 0.7, 0.6, 0.85), (0.5, 0.3, 0.1, 0.07, 0.03)), (20, (0.97, 0.97, 0.97), (0.6, 0.3, 0.1)),
        (100, (0.9, 0.8, 0.7), (1, 1, 1)),
    ):  # fmt: skip
        n, share = len(mix), np.array(mix) / sum(mix)
        rng = np.random.default_rng([n, rows])
        wrong = rng.dirichlet(np.full(n, 2.0), n)
        np.fill_diagonal(wrong, 0)
        chance = np.diag(right) + (1 - np.array(right))[:, None] * wrong / wrong.sum(1, keepdims=True)
        truth = {score: float(value[0]) for score, value in scored((share[:, None] * chance)[None]).items()}
        covered, width, seen, noted = np.zeros(5), np.zeros(5), [], 0
        for _ in range(samples):
            table = [rng.multinomial(rows, line).tolist() for line in chance]
            there = macrof1.score_matrix(table, rows="gold").at_prevalence(dict(enumerate(share.tolist())))
            sample = StratifiedSample(there.rows.patterns(), DEFAULT)
            seen.append([sample.point.values[score] for score in SCORES])
            ends = [sample.combined(score, 0.95) for score in SCORES]
            covered += [low <= truth[score] <= high for score, (low, high, _) in zip(SCORES, ends, strict=True)]
            noted += bool(few_rows(sample.patterns, sample.at).rare)
            width += [end.high - end.low for end in ends]
        ideal = np.subtract(*np.quantile(np.array(seen), [0.975, 0.025], axis=0))
        shown = [
            f"{100 * hit / samples:.1f}, {w / samples / i:.2f}" for hit, w, i in zip(covered, width, ideal, strict=True)
        ]
        yield f"| {n} | {rows} | {'/'.join(map(str, mix))} | {' | '.join(shown)} | {100 * noted / samples:.0f}% |"


# Differences.


def pair_of(patterns):
    """Return the difference in averaged F1, its standard error and degrees of freedom, doubts, and the p-values."""
    systems = Systems(patterns, DEFAULT)
    found = []
    for formula in FORMULAS:
        one, two = systems.scores[formula]
        error, df = (part[:1, 1] for part in systems.pairs(formula))
        found.append((one - two, float(error[0]), float(df[0]), float(wald_p(np.array([one - two]), error, df)[0])))
    each = [[sample.patterns] for sample in systems.samples]
    doubts = doubts_about(each, DEFAULT, differing(patterns).worth).get((0, 1), ())
    return *found[0][:3], doubts, [p for *_, p in found]


def two_systems(rng, n_rows, shares, right, alike):
    """Return gold and two systems that do the same on a share of the rows by construction."""
    n = len(shares)
    gold = rng.choice(n, n_rows, p=shares)
    same = rng.random(n_rows) < alike
    draws, others = rng.random((2, n_rows)), (gold + rng.integers(1, n, (2, n_rows))) % n
    draws[1], others[1] = np.where(same, draws[0], draws[1]), np.where(same, others[0], others[1])
    return gold, *(np.where(draws[at] < right[at], gold, others[at]) for at in range(2))


def differences(samples):
    """A true difference δ: how often 95% intervals hold it, and how often it is called significant, non-inferior with
    the margin δ, or equivalent within δ (all but power must be 5% or less), and equivalent within 3 δ (power)."""
    yield "| population | rows | δ | covered | significant | non-inferior | equivalent | within 3 δ | doubts | rare |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for name, sizes, right, n_rows in (
        ("50/30/2", (50, 30, 2), (0.98, 0.97), 300), ("50/30/2", (50, 30, 2), (0.98, 0.97), 1000),
        ("50/30/2", (50, 30, 2), (0.98, 0.97), 5000), ("4 equal", (1, 1, 1, 1), (0.8, 0.78), 500),
        ("4 equal", (1, 1, 1, 1), (0.8, 0.78), 3000), ("10 skewed", tuple(1 / np.arange(1, 11)), (0.8, 0.79), 2000),
        ("10 skewed", tuple(1 / np.arange(1, 11)), (0.8, 0.78), 20_000),
    ):  # fmt: skip
        shares = np.array(sizes, float) / sum(sizes)
        gold, a, b = two_systems(np.random.default_rng(0), 2_000_000, shares, right, 0.5)
        truth = macrof1.averaged_f1(gold, a) - macrof1.averaged_f1(gold, b)
        rng, hits = np.random.default_rng(n_rows), np.zeros(7)
        for _ in range(samples):
            gold, a, b = two_systems(rng, n_rows, shares, right, 0.5)
            found, error, df, doubts, p = pair_of(joint_patterns(gold, {"a": a, "b": b}, labels=range(len(shares))))
            reach = quantile(0.9, df) * error
            rare = any(not isinstance(doubt, FewDiffering) for doubt in doubts)
            hits += [
                abs(found - truth) <= quantile(0.95, df) * error, p[0] <= 0.05 and not doubts,
                -found - reach >= -truth and not rare, abs(found) + reach <= truth and not rare,
                abs(found) + reach <= 3 * truth and not rare, bool(doubts), rare,
            ]  # fmt: skip
        shown = " | ".join(f"{100 * hit / samples:.1f}" for hit in hits)
        yield f"| {name} | {n_rows:,} | {truth:.4f} | {shown} |"


def null(samples):
    """Systems with the same error rates: how often p ≤ 0.05 (averaged F1, F1 of averages)."""
    yield "| systems | rows | false alarms | in doubt |"
    yield "|---|---:|---:|---:|"
    for n, n_rows, spread in ((2, 200, 0), (4, 500, 1), (8, 500, 2), (8, 2000, 1), (15, 2000, 2)):
        rng, hits, doubts = np.random.default_rng([n, n_rows]), np.zeros(2), 0
        for _ in range(samples):
            gold, hard = gold_labels(rng, n, n_rows), spread * rng.normal(size=n_rows)
            a, b = (predictions(rng, gold, 1 + hard, n) for _ in range(2))
            *_, doubt, p = pair_of(joint_patterns(gold, {"a": a, "b": b}, labels=range(n)))
            hits, doubts = hits + (np.array(p) <= 0.05), doubts + bool(doubt)
        name = f"{n} classes, hard rows in common (sd {spread})"
        yield f"| {name} | {n_rows:,} | {_percent(hits, samples)} | {100 * doubts / samples:.0f}% |"
    for kind, n_clusters in (("equal", 20), ("equal", 50), ("lognormal", 25), ("lognormal", 100), ("pareto", 60)):
        rng, hits, n_all = np.random.default_rng(n_clusters), np.zeros(2), 0
        for _ in range(samples):
            gold, a, extra = _clustered(kind, n_clusters)(rng, 1)
            b = predictions(rng, gold, 0.8 + rng.normal(size=extra["cluster"].max() + 1)[extra["cluster"]], 4)
            hits += np.array(pair_of(joint_patterns(gold, {"a": a, "b": b}, labels=range(4), **extra))[-1]) <= 0.05
            n_all += len(gold)
        yield f"| {n_clusters} {kind} clusters | {n_all / samples:,.0f} | {_percent(hits, samples)} | |"


def _percent(hits, samples):
    return ", ".join(f"{100 * hit / samples:.1f}" for hit in hits)


def runs(samples):
    """Several runs of each system, which differ in every class: false alarms, and power where a system is better."""
    yield "| runs | spread of runs | rows | better by (log odds) | averaged F1, F1 of averages | called significant |"
    yield "|---|---:|---:|---:|---:|---:|"
    for counts, spread, n_rows, gain in (
        ((2, 2), 0.5, 500, 0), ((3, 3), 0.5, 500, 0), ((5, 5), 0.5, 500, 0), ((10, 10), 0.5, 500, 0),
        ((10, 2), 0.5, 500, 0), ((10, 3), 0.3, 1000, 0), ((5, 1), 0.3, 1000, 0), ((3, 3), 0.05, 500, 0),
        ((10, 10), 0.05, 500, 0), ((2, 2), 0.1, 1000, 0.4), ((3, 3), 0.1, 1000, 0.4), ((5, 5), 0.3, 1000, 0.6),
    ):  # fmt: skip
        rng, hits, stars, n = np.random.default_rng([*counts, n_rows]), np.zeros(2), 0, 4
        groups = [list(range(counts[0])), list(range(counts[0], sum(counts)))]
        for _ in range(samples):
            gold, hard = gold_labels(rng, n, n_rows), 1.5 * rng.normal(size=n_rows)
            own = 0.7 * rng.normal(size=(2, n_rows))
            columns = {
                f"{at}@{run}": predictions(rng, gold, 1 + gain * at + hard + own[at] + shift[gold], n)
                for at in range(2)
                for run, shift in enumerate(spread * rng.normal(size=(counts[at], n)))
            }
            patterns = joint_patterns(gold, columns, labels=range(n))
            found = runs_evidence(patterns, OPTIONS, groups)
            p = [found.p["delta"][formula][0, 1] for formula in FORMULAS]
            hits += np.array(p) <= 0.05
            stars += p[0] <= 0.05 and not found.doubts
        shown = f"{_percent(hits, samples)} | {100 * stars / samples:.1f}"
        yield f"| {counts[0]} and {counts[1]} | {spread} | {n_rows:,} | {gain} | {shown} |"


def plans(samples):
    """How often the range that a plan prints holds the rows really needed, and the power with the rows planned."""
    yield "| classes | pilot | range holds | range (× rows) | power |"
    yield "|---:|---:|---:|---:|---:|"
    for n, gain, pilot in (
        (3, 0.25, 100),
        (3, 0.25, 300),
        (3, 0.25, 1000),
        (6, 0.3, 100),
        (6, 0.3, 300),
        (6, 0.3, 1000),
    ):
        rng = np.random.default_rng([n, pilot])

        def draw(n_rows, n=n, gain=gain, rng=rng):
            gold, hard = gold_labels(rng, n, n_rows), 1.5 * rng.normal(size=n_rows)
            return gold, {
                name: predictions(rng, gold, 0.8 + shift + hard, n) for name, shift in (("a", 0), ("b", gain))
            }

        gold, systems = draw(1_000_000)
        truth = abs(macrof1.averaged_f1(gold, systems["a"]) - macrof1.averaged_f1(gold, systems["b"]))
        needed = plan(gold, systems, difference=truth).n_rows
        held, widths, alarms = 0, [], 0
        for _ in range(samples):
            found = plan(*draw(pilot), difference=truth, labels=range(n))
            held += found.low["averaged_f1"] <= needed <= found.high["averaged_f1"]
            widths.append([found.low["averaged_f1"] / found.n_rows, found.high["averaged_f1"] / found.n_rows])
        for _ in range(min(samples, 500)):
            gold, systems = draw(needed)
            alarms += pair_of(joint_patterns(gold, systems, labels=range(n)))[-1][0] <= 0.05
        low, high = np.median(widths, axis=0)
        shown = f"{100 * held / samples:.1f} | {low:.2f}–{high:.2f} | {100 * alarms / min(samples, 500):.1f}"
        yield f"| {n} | {pilot} | {shown} |"


def gaps(samples):
    """A true gap of 0 (symmetric confusion): how often it is called clearly above noise, which should be 5%."""
    yield "| classes | rows | called clear | mean gap / floor |"
    yield "|---:|---:|---:|---:|"
    for n, n_rows in product((2, 5, 10, 20, 50), (1000, 5000)):
        rng, shares = np.random.default_rng([n, n_rows]), gold_shares(n, "skewed")
        wrong = np.minimum(rng.random((n, n)) * shares[:, None], 0.5 * shares[None, :]) / n
        wrong = np.tril(wrong, -1) + np.tril(wrong, -1).T
        cells = wrong + np.diag(shares - wrong.sum(1))
        clear, ratio = 0, []
        for table in rng.multinomial(n_rows, (cells / cells.sum()).reshape(-1), size=samples).reshape(-1, n, n):
            result = macrof1.score_matrix(table.tolist(), rows="gold")
            clear += result.gap > 0 and "gap_within_noise" not in result.note_codes
            ratio.append((result.gap, result.noise_floor or 0.0))
        gap, floor = np.mean(ratio, axis=0)
        yield f"| {n} | {n_rows:,} | {100 * clear / samples:.1f} | {gap / floor:.2f} |"


def one_class(samples):
    """Coverage of the interval of the F1 of one class, by Wilson and by the delta method."""
    yield "| expected gold rows | precision | recall | Wilson | delta |"
    yield "|---:|---:|---:|---:|---:|"
    for gold, precision, recall in product((4, 10, 40, 200), (0.5, 0.9), (0.3, 0.6, 0.95)):
        tp = gold / 1000 * recall
        fp, fn = tp / precision - tp, gold / 1000 - tp
        cells = np.array([[tp, fn], [fp, 1 - tp - fn - fp]])
        rng, hits = np.random.default_rng([gold, int(100 * precision), int(100 * recall)]), np.zeros(2)
        for table in rng.multinomial(1000, cells.reshape(-1), size=samples).reshape(-1, 2, 2):
            for at, method in enumerate(("wilson", "delta")):
                found = interval(as_patterns(table), "f1", label=0, method=method)
                hits[at] += found.low <= 2 * tp / (2 * tp + fp + fn) <= found.high
        yield f"| {gold} | {precision} | {recall} | {' | '.join(f'{100 * hit / samples:.1f}' for hit in hits)} |"


def correlation(_samples):
    """How much two real classifiers have in common on the same rows: what a plan from one system has to assume."""
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
    yield "| data | classes | rows | pairs | least | median | most |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for name, (features, gold) in data.items():
        sides = [cross_val_predict(make_pipeline(StandardScaler(), model), features, gold, cv=3) for model in models]
        found = []
        for pair in combinations(sides, 2):
            error = pair_of(joint_patterns(gold, dict(zip("ab", pair, strict=True))))[1]
            one, two = (interval(joint_patterns(gold, {"a": side}), "averaged_f1").standard_error for side in pair)
            found.append((one**2 + two**2 - error**2) / (2 * one * two))
        shown = " | ".join(f"{value:.2f}" for value in (min(found), np.median(found), max(found)))
        yield f"| {name} | {len(set(gold))} | {len(gold):,} | {len(found)} | {shown} |"


TABLES = {
    table.__name__: table
    for table in (scores, errors, designs, prevalence, differences, null, runs, plans, gaps, one_class, correlation)
}


def main() -> None:
    arguments = sys.argv[1:]
    samples = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 1000
    RESULTS.mkdir(exist_ok=True)
    for name in arguments or TABLES:
        table = TABLES[name]
        lines = [f"# {name}", "", " ".join(table.__doc__.split()), "", f"{samples:,} samples each.", ""]
        print(*lines, sep="\n", flush=True)
        for line in table(samples):
            print(line, flush=True)
            lines.append(line)
        (RESULTS / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
