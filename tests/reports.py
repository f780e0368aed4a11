"""Reports as papers print them, from random systems whose true formula is known."""

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


def mean(values, weights=None):
    weights = weights or [1] * len(values)
    return sum((Fraction(w) * v for w, v in zip(weights, values, strict=True)), Fraction(0)) / sum(weights)


def _harmonic(p, r):
    return 2 * p * r / (p + r) if p + r else Fraction(0)


def _macro(printer, truth, columns, counts):
    """Return macro precision, macro recall and macro F1, exactly, as a printer of some kind defines them."""
    tp, predicted, actual = counts
    if printer == "weighted":
        return [mean(column, actual) for column in columns]
    if printer == "micro":
        parts = Fraction(sum(tp), sum(predicted) or 1), Fraction(sum(tp), sum(actual) or 1)
        return [*parts, _harmonic(*parts)]
    if printer == "support 0":
        columns = [[v for v, g in zip(column, actual, strict=True) if g] for column in columns]
    precision, recall, averaged = map(mean, columns)
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
