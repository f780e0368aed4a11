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


def simulate_odd(rng):
    """Return a report of an odd shape: absent classes, few rows, mixed decimals, decimal commas, parts left out."""
    n, size = int(rng.choice([1, 2, 2, 3, 4, 6])), int(rng.choice([1, 3, 8, 20, 60, 400]))
    multilabel, truncated, percent = rng.random() < 0.15, rng.random() < 0.5, rng.random() < 0.5
    if multilabel:
        actual, predicted = (rng.integers(0, size + 1, n).tolist() for _ in range(2))
        pairs = zip(actual, predicted, strict=True)
        tp = [int(rng.integers(max(0, g + p - size), min(g, p) + 1)) for g, p in pairs]
    else:
        gold, other = (
            rng.choice(rng.choice(n, int(rng.integers(1, n + 1)), replace=False), size) for _ in ("gold", "other")
        )
        matrix = np.zeros((n, n), dtype=int)
        np.add.at(matrix, (gold, np.where(rng.random(size) < rng.choice([0, 0.3, 0.7, 0.95, 1]), gold, other)), 1)
        tp, actual, predicted = np.diag(matrix).tolist(), matrix.sum(axis=1).tolist(), matrix.sum(axis=0).tolist()
    exact = Exact(tp, predicted, actual)
    truth = str(rng.choice(["averaged_f1", "f1_of_averages"]))
    mixed, comma, usual = rng.random() < 0.3, rng.random() < 0.2, int(rng.integers(1, 5))

    # A column has one number of decimals.
    decimals_of = {kind: int(rng.integers(1, 5)) if mixed else usual for kind in ("precision", "recall", "f1", "")}

    def show(value, kind=""):
        decimals = decimals_of[kind]
        text = printed(value, decimals, truncated=truncated, percent=percent)
        return text.replace(".", ",") if comma else text

    arguments = {
        "f1": show(getattr(exact, truth), "f1"),
        "n_classes": n,
        "percent": percent,
        "rounding": "unknown" if rng.random() < 0.2 else "truncate" if truncated else "round",
        "task": "multilabel" if multilabel else "multiclass",
    }
    for kind in ("precision", "recall"):
        if rng.random() < 0.75:
            arguments[kind] = show(getattr(exact, f"macro_{kind}"), kind)
    names, share = [f"class {x}" for x in range(n)], rng.choice([0, 0.5, 1])
    columns = zip(names, exact.precision, exact.recall, exact.f, strict=True)
    arguments["per_class"] = {
        name: {kind: show(value, kind) for kind, value in zip(("precision", "recall", "f1"), row, strict=True)}
        for name, *row in columns
        if rng.random() < share
    }
    for figures in arguments["per_class"].values():
        for kind in [kind for kind in figures if rng.random() < 0.3]:
            del figures[kind]
    if rng.random() < 0.5:
        arguments["support"] = {name: g for name, g in zip(names, actual, strict=True) if rng.random() < 0.9}
    if not multilabel and rng.random() < 0.5:
        arguments |= {"accuracy": show(Fraction(sum(tp), size)), "correct": sum(tp), "total": f"{size:,}"}
    return arguments, truth, exact, dict(zip(names, zip(tp, predicted, actual, strict=True), strict=True))


def misprinted(rng, arguments):
    """Return the same report with one digit of one figure changed, and the name of that figure."""
    changed = {**arguments, "per_class": {name: dict(figures) for name, figures in arguments["per_class"].items()}}
    spots = [(changed, kind, f"macro {kind}") for kind in ("precision", "recall", "f1") if kind in changed]
    spots += [(changed, kind, kind) for kind in ("accuracy", "correct", "total") if kind in changed]
    spots += [(figures, kind, f"{name} {kind}") for name, figures in changed["per_class"].items() for kind in figures]
    figures, kind, name = spots[rng.integers(len(spots))]
    text = str(figures[kind])
    place = rng.choice([place for place, mark in enumerate(text) if mark.isdigit()])
    figures[kind] = text[:place] + str(rng.integers(10)) + text[place + 1 :]
    return changed, name.replace("f1", "F1")
