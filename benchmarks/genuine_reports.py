"""Genuine reports, as scikit-learn lays them out, by many histories; and the same with one digit changed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from tests.oracles import Exact
from tests.reports import mean, printed

GENUINE = (
    "plain", "zero-support row cut", "other rows cut", "seeds", "folds", "rounded twice", "truncated", "real weights",
    "float32", "folds without a class", "folds without a class, unsaid",
)  # fmt: skip
"""Kinds of genuine reports, as `genuine_report` prints them."""


def _labels_of(rng, n, size, separation, bias):
    """Gold and predicted labels of a biased classifier on skewed classes, each class gold at least twice."""
    prior = rng.dirichlet(np.full(n, rng.choice([1.0, 3.0, 20.0])))
    gold = np.concatenate([np.repeat(np.arange(n), 2), rng.choice(n, size, p=prior)])
    scores = rng.normal(0, 1, (len(gold), n)) + bias
    scores[np.arange(len(gold)), gold] += separation
    return gold, scores.argmax(axis=1)


def _table(gold, pred, n, weights=None, kind=np.float64):
    """Precision, recall, F1 and support of every class; macro and weighted averages; accuracy."""
    weights = np.ones(len(gold)) if weights is None else weights
    tp = np.bincount(gold[gold == pred], weights[gold == pred], n).astype(kind)
    predicted, actual = np.bincount(pred, weights, n).astype(kind), np.bincount(gold, weights, n).astype(kind)
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = [np.nan_to_num(tp / predicted), np.nan_to_num(tp / actual)]
        columns.append(np.nan_to_num(kind(2) * tp / (predicted + actual)))
    shares = actual / actual.sum()
    macro, weighted = [column.mean() for column in columns], [(shares * column).sum() for column in columns]
    if kind is np.float64 and np.all(weights == 1):
        # Exactly, so that a value half way between two printed ones is rounded as meant.
        counts = [column.astype(int).tolist() for column in (tp, predicted, actual)]
        exact = Exact(*counts)
        columns = [list(exact.precision), list(exact.recall), list(exact.f)]
        macro = [mean(column) for column in columns]
        weighted = [mean(column, counts[2]) for column in columns]
    return columns, actual, macro, weighted, tp.sum() / actual.sum() if kind is not np.float64 else weighted[1]


def _runs(rng, n, size, kind):
    """Tables of several seeds on one test set, or of the folds of one data set; runs may hardly differ."""
    separation, bias = rng.choice([0.5, 1.5, 3.0]), rng.normal(0, rng.choice([0, 0.3]), n)
    gold, pred = _labels_of(rng, n, size, separation, bias)
    number = int(rng.integers(2, 11))
    if kind == "seeds":
        share = rng.choice([0.02, 0.2, 1.0])  # of rows that a seed may change
        tables = []
        for _ in range(number):
            again = _labels_of(rng, n, size, separation, bias)[1][: len(gold)]
            tables.append(_table(gold, np.where(rng.random(len(gold)) < share, again, pred), n))
        return tables
    order = rng.permutation(len(gold))
    if kind == "folds":
        # Every class is in every fold: dealt out like cards.
        number = min(number, int(np.bincount(gold, minlength=n).min()))
        order = order[np.argsort(gold[order], kind="stable")]
    folds = [order[start::number] for start in range(number)]
    tables = []
    for fold in folds:
        present = np.unique(np.concatenate([gold[fold], pred[fold]]))
        table = _table(gold[fold], pred[fold], n)
        if kind != "folds":
            table = (table[0], table[1], [mean([column[x] for x in present]) for column in table[0]], *table[3:])
        tables.append(table)
    return tables


def genuine_report(rng, kind, decimals=None):
    """Return a report as scikit-learn lays it out, by a kind of genuine history, and its lines as lists of cells."""
    n, size = int(rng.integers(2, 9)), int(rng.choice([40, 200, 1000, 5000]))
    decimals = decimals or int(rng.integers(2, 5))
    heading = ""
    if kind == "seeds" or kind.startswith("folds"):
        tables = _runs(rng, n, size, kind)
        columns = [[mean([Fraction(table[0][k][x]) for table in tables]) for x in range(n)] for k in range(3)]
        macro, weighted = ([mean([Fraction(t[part][k]) for t in tables]) for k in range(3)] for part in (2, 3))
        accuracy, actual = mean([Fraction(t[4]) for t in tables]), sum(np.asarray(t[1]) for t in tables)
        actual = actual / len(tables) if kind == "seeds" else actual
        if (rng.random() < 0.5 or kind == "folds without a class") and "unsaid" not in kind:
            heading = "Mean of 5 seeds" if kind == "seeds" else str(rng.choice(["Average over 10 folds", "5-fold CV"]))
    else:
        gold, pred = _labels_of(rng, n, size, rng.choice([0.5, 1.5, 3.0]), rng.normal(0, rng.choice([0, 0.3, 1]), n))
        if kind == "zero-support row cut":
            extra = int(rng.integers(1, 4))
            rows = rng.choice(len(gold), max(extra, int(0.02 * len(gold))), replace=False)
            pred[rows] = n + np.arange(len(rows)) % extra
            n += extra
        weights = rng.gamma(2, 1, len(gold)) if kind == "real weights" else None
        columns, actual, macro, weighted, accuracy = _table(
            gold, pred, n, weights, np.float32 if kind == "float32" else np.float64
        )
    shown = list(range(n))
    if kind == "zero-support row cut":
        shown = [x for x in shown if actual[x]]
    if kind == "other rows cut":
        shown = sorted(rng.choice(n, max(1, n - int(rng.integers(1, 3))), replace=False).tolist())

    def show(value):
        if kind == "float32":
            return f"{np.float32(value):.{decimals}f}"
        value = Fraction(value)
        if kind == "rounded twice":
            value = Fraction(printed(value, decimals + 1, truncated=False, percent=False))
        return printed(value, decimals, truncated=kind == "truncated", percent=False)

    sizes, total = [str(round(actual[x])) for x in range(n)], str(round(sum(actual)))
    with_support = rng.random() < 0.8 or kind == "plain"
    with_total = kind != "other rows cut" or rng.random() < 0.5
    rows = [[f"class{x}", *(show(column[x]) for column in columns), sizes[x]] for x in shown]
    rows.append(["accuracy", "", "", show(accuracy), total])
    rows += [[name, *map(show, values), total] for name, values in (("macro avg", macro), ("weighted avg", weighted))]
    if not with_support or not with_total:
        rows = [[*row[:4], row[4] if with_support and row[0].startswith("class") else ""] for row in rows]
    return heading, rows


def as_printed(heading, rows):
    """Return rows of cells as the text of a scikit-learn report."""
    lines = [heading, "", f"{'':>12}{'precision':>11}{'recall':>10}{'f1-score':>10}{'support':>10}", ""]
    lines += [f"{row[0]:>12}{row[1]:>11}{row[2]:>10}{row[3]:>10}{row[4]:>10}" for row in rows]
    return "\n".join(lines) + "\n"


def with_a_typo(rng, rows):
    """Change one digit of one figure of a report; return its new rows, and what kind of figure was changed."""
    spots = [(x, y) for x, row in enumerate(rows) for y, cell in enumerate(row) if y and "." in cell]
    x, y = spots[rng.integers(len(spots))]
    text, changed = rows[x][y], [list(row) for row in rows]
    places = [place for place, mark in enumerate(text) if mark.isdigit() and place > text.index(".")][:2]
    place = int(rng.choice(places))
    digit = str(rng.choice([digit for digit in "0123456789" if digit != text[place]]))
    changed[x][y] = text[:place] + digit + text[place + 1 :]
    what = rows[x][0].split()[0]
    return changed, what if what in ("accuracy", "macro", "weighted") else "class"
