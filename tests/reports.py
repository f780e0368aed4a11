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


PRINTERS = (
    "float64", "float32", "truncated", "several labels", "weighted", "micro", "dropped", "support 0", "undefined as 1",
)  # fmt: skip


def _several_labels(rng, n, size):
    actual = rng.integers(0, size + 1, n)
    predicted = np.clip(actual * rng.uniform(0.3, 2.0, n), 0, size).astype(int)
    tp = (rng.uniform(0.1, 1, n) * np.minimum(actual, predicted)).astype(int)
    return tp.tolist(), predicted.tolist(), actual.tolist()


def _one_label(rng, n, size):
    matrix = random_matrix(rng, n, size)
    return np.diag(matrix).tolist(), matrix.sum(axis=0).tolist(), matrix.sum(axis=1).tolist()


def _mean(values, weights=None):
    weights = weights or [1] * len(values)
    return sum((Fraction(w) * v for w, v in zip(weights, values, strict=True)), Fraction(0)) / sum(weights)


def _harmonic(p, r):
    return 2 * p * r / (p + r) if p + r else Fraction(0)


def _macro(printer, truth, columns, counts):
    """Return macro precision, macro recall and macro F1, exactly, as a printer of some kind defines them."""
    tp, predicted, actual = counts
    if printer == "weighted":
        return [_mean(column, actual) for column in columns]
    if printer == "micro":
        parts = Fraction(sum(tp), sum(predicted) or 1), Fraction(sum(tp), sum(actual) or 1)
        return [*parts, _harmonic(*parts)]
    if printer == "support 0":
        columns = [[v for v, g in zip(column, actual, strict=True) if g] for column in columns]
    precision, recall, averaged = map(_mean, columns)
    return [precision, recall, averaged if truth == "averaged_f1" else _harmonic(precision, recall)]


def _float_macro(kind, truth, counts):
    """Return class figures and macro figures as floating-point programs compute and print them."""
    tp, predicted, actual = (np.asarray(column, dtype=kind) for column in counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = (np.nan_to_num(tp / part).astype(kind) for part in (predicted, actual))
        f1 = np.nan_to_num(kind(2) * precision * recall / (precision + recall)).astype(kind)
    p, r = kind(precision.mean()), kind(recall.mean())
    averaged = kind(f1.mean())
    of_averages = kind(2) * p * r / (p + r) if p + r else kind(0)
    macro = [p, r, averaged if truth == "averaged_f1" else of_averages]
    return [[str(v) for v in column] for column in (precision, recall, f1)], [str(v) for v in macro]


def simulate_tool(rng, printer=None):
    """Return what a tool of some kind prints: its arguments, the truth, and the kind.

    The task is never said, and truncated figures are not said to be truncated.
    """
    printer = printer or str(rng.choice(PRINTERS))
    n, size = int(rng.integers(2, 13)), int(rng.choice([30, 300, 3000]))
    counts = (_several_labels if printer == "several labels" or rng.random() < 0.2 else _one_label)(rng, n, size)
    truth = printer if printer in ("weighted", "micro") else str(rng.choice(["averaged_f1", "f1_of_averages"]))
    if printer == "support 0":
        counts = (*tuple([*column, 0] for column in counts[:1]), counts[1] + [0], counts[2] + [0])
    if printer == "undefined as 1":
        counts = (counts[0] + [0], counts[1] + [0], counts[2] + [int(rng.integers(1, 9))])
    tp, predicted, actual = counts
    if sum(actual) == 0:
        return simulate_tool(rng, printer)
    exact, decimals, truncated = Exact(tp, predicted, actual), int(rng.integers(2, 5)), printer == "truncated"
    columns = [list(exact.precision), list(exact.recall), list(exact.f)]
    if printer == "undefined as 1":
        columns[0] = [Fraction(1) if not p else v for v, p in zip(columns[0], predicted, strict=True)]
        columns[1] = [Fraction(1) if not g else v for v, g in zip(columns[1], actual, strict=True)]
        none = [not p and not g for p, g in zip(predicted, actual, strict=True)]
        columns[2] = [Fraction(1) if empty else v for v, empty in zip(columns[2], none, strict=True)]
    if printer.startswith("float"):
        shown, macro = _float_macro(getattr(np, printer), truth, counts)
    else:
        shown = [[printed(v, decimals, truncated=truncated, percent=False) for v in column] for column in columns]
        figures = _macro(printer, truth, columns, counts)
        macro = [printed(v, decimals, truncated=truncated, percent=False) for v in figures]
    return _arguments(rng, printer, shown, macro, counts), truth, printer


def _arguments(rng, printer, shown, macro, counts):
    kinds, names = ("precision", "recall", "f1"), [f"class {x}" for x in range(len(counts[0]))]
    arguments = {kind: text for kind, text in zip(kinds, macro, strict=True) if kind == "f1" or rng.random() < 0.9}
    level = str(rng.choice(["macro", "classes", "sizes", "errors"]))
    listed = range(len(names))
    if printer == "dropped":
        listed, level = (
            sorted(rng.choice(len(names), max(1, len(names) - int(rng.integers(1, 4))), replace=False)),
            "sizes",
        )
    if level == "macro":
        return arguments | ({"n_classes": len(names)} if rng.random() < 0.5 and printer != "support 0" else {})
    arguments["per_class"] = {names[x]: {k: column[x] for k, column in zip(kinds, shown, strict=True)} for x in listed}
    if level == "sizes":
        arguments["support"] = {names[x]: counts[2][x] for x in listed}
    if level == "errors":
        tp, predicted, actual = counts
        for x in listed:
            errors = {"tp": tp[x], "fp": predicted[x] - tp[x], "fn": actual[x] - tp[x]}
            arguments["per_class"][names[x]] |= errors
    return arguments


def is_sound(result, truth, printer, arguments):
    """Whether nothing that an audit says about a tool's figures is false."""
    codes = {getattr(note, "code", None) for note in result.notes}
    if printer == "truncated" and "truncated" in codes:
        # It says that the verdict holds for rounded figures only.
        return not result.findings
    if result.findings:
        return False
    if result.verdict == "neither":
        return result.definition is not None
    if truth in ("weighted", "micro"):
        # A formula may give the same; but where the classes and their sizes are known, a note names the truth.
        sizes = "support" in arguments or any("tp" in row for row in arguments.get("per_class", {}).values())
        named = any("same figures fit" in note and truth in note for note in result.notes)
        return result.verdict == "either" or named or not sizes
    return result.verdict in (truth, "either")


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
        macro = [_mean(column) for column in columns]
        weighted = [_mean(column, counts[2]) for column in columns]
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
            table = (table[0], table[1], [_mean([column[x] for x in present]) for column in table[0]], *table[3:])
        tables.append(table)
    return tables


def genuine_report(rng, kind, decimals=None):
    """Return a report as scikit-learn lays it out, by a kind of genuine history, and its lines as lists of cells."""
    n, size = int(rng.integers(2, 9)), int(rng.choice([40, 200, 1000, 5000]))
    decimals = decimals or int(rng.integers(2, 5))
    heading = ""
    if kind == "seeds" or kind.startswith("folds"):
        tables = _runs(rng, n, size, kind)
        mean = [[_mean([Fraction(table[0][k][x]) for table in tables]) for x in range(n)] for k in range(3)]
        macro, weighted = ([_mean([Fraction(t[part][k]) for t in tables]) for k in range(3)] for part in (2, 3))
        accuracy, actual = _mean([Fraction(t[4]) for t in tables]), sum(np.asarray(t[1]) for t in tables)
        actual = actual / len(tables) if kind == "seeds" else actual
        columns = mean
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
