"""Reports as papers print them, from random systems whose true formula is known."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .oracles import Exact

LEVELS = ("macro", "classes", "per class", "per class and sizes", "sizes", "everything")


def printed(value, decimals, *, truncated, percent):
    """Print an exact value by rounding half up, or by cutting off."""
    steps = (100 if percent else 1) * Fraction(value) * 10**decimals
    steps = math.floor(steps if truncated else steps + Fraction(1, 2))
    return f"{steps // 10**decimals}.{steps % 10**decimals:0{decimals}d}"


def random_matrix(rng, n, size):
    """Gold rows by predicted columns: a noisy, biased classifier on skewed classes."""
    prior = rng.dirichlet(np.full(n, rng.choice([0.5, 2.0, 20.0])))
    gold = rng.choice(n, size, p=prior)
    scores = rng.normal(0, 1, (size, n)) + rng.normal(0, rng.choice([0, 0.3, 1]), n)
    scores[np.arange(size), gold] += rng.choice([0.0, 0.5, 1.5, 3.0])
    matrix = np.zeros((n, n), dtype=int)
    np.add.at(matrix, (gold, scores.argmax(axis=1)), 1)
    return matrix


def simulate(rng):
    """Return the arguments of an audit, and the formula that is the truth."""
    n = int(rng.integers(2, 21))
    matrix = random_matrix(rng, n, int(rng.choice([30, 300, 3000])))
    tp, actual, predicted = np.diag(matrix).tolist(), matrix.sum(axis=1).tolist(), matrix.sum(axis=0).tolist()
    exact = Exact(tp, predicted, actual)
    truth = str(rng.choice(["averaged_f1", "f1_of_averages"]))
    truncated, percent = bool(rng.integers(2)), bool(rng.integers(2))
    decimals = int(rng.integers(1, 3)) if percent else int(rng.integers(2, 5))

    def show(value):
        return printed(value, decimals, truncated=truncated, percent=percent)

    arguments = {
        "precision": show(exact.macro_precision),
        "recall": show(exact.macro_recall),
        "f1": show(getattr(exact, truth)),
        "percent": percent,
        "rounding": "truncate" if truncated else "round",
    }
    level = str(rng.choice(LEVELS))
    names = [f"class {x}" for x in range(n)]
    if level == "classes":
        arguments["n_classes"] = n
    if level in ("per class", "per class and sizes", "everything"):
        columns = zip(names, exact.precision, exact.recall, exact.f, strict=True)
        arguments["per_class"] = {
            name: {"precision": show(p), "recall": show(r), "f1": show(f)} for name, p, r, f in columns
        }
    if level in ("per class and sizes", "sizes", "everything"):
        arguments["support"] = dict(zip(names, actual, strict=True))
    if level == "everything":
        total = sum(actual)
        arguments |= {"accuracy": show(Fraction(sum(tp), total)), "correct": sum(tp), "total": total}
    return arguments, truth, (tp, predicted, actual)
