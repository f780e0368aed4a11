"""Other numbers that go by the name macro F1: weighted and micro averages, accuracy, balanced accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from macrof1.auditing.feasible import Report, empty, meet, weighted_mean
from macrof1.auditing.printed_figures import RATIOS, Interval
from macrof1.auditing.repairs import MACRO_F1, assess
from macrof1.auditing.solver import Solution
from macrof1.bounding.closed_forms import harmonic_mean
from macrof1.convention import FORMULAS
from macrof1.counts import ClassCounts
from macrof1.scoring.definitions import definitions

_ZERO = Fraction(0)
_ROUNDED = Fraction(1, 10**12)
_FINE = Fraction(1, 1000)
_PARTS = ("macro_precision", "macro_recall", "weighted_precision")
_TOLERANCE = 1e-9
_MOST_STEPS = 200


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition that fits all macro figures of a report."""

    name: str
    words: str
    weighs: bool = True


_UNSEEN = Definition(
    "weighted F1, possibly (class sizes would tell)",
    "Averages weighted by class sizes, which are not printed, could be these",
)


def other_definitions(report: Report) -> list[Definition]:
    """Return every definition other than the two formulas that gives all the macro figures of a report."""
    printed = {kind for kind in RATIOS if (None, kind) in report.figures}
    if not printed:
        return []
    found = []
    # The micro recall is the weighted recall, and mostly rules out both.
    if "recall" not in printed or _fits(report, "recall", _weighted(report, "recall")):
        for name, words, value in (
            ("weighted F1", "These are the averages weighted by support, called macro", _weighted),
            ("micro F1", "These are the micro averages, called macro", _micro),
        ):
            if all(_fits(report, kind, value(report, kind)) for kind in printed - {"recall"}):
                found.append(Definition(name, words))
    found += _without_sizes(report)
    if printed == {"f1"}:
        accuracy = report.figures.get((None, "accuracy"))
        if accuracy is not None and _fits(report, "f1", accuracy.bounds) and not found:
            found.append(Definition("accuracy", "The macro F1 is the accuracy", False))
    elif "recall" in printed and _fits(report, "f1", report.bounds(None, "recall")):
        # If macro precision is not given, or printed alike, any mean of the two is as well.
        texts = {report.figures[None, kind].text for kind in printed - {"f1"}}
        words = "The macro F1 is the macro recall, which is the balanced accuracy"
        found += [Definition("balanced accuracy", words, False)] if len(texts) > 1 else []
    return found


def definitions_by_counts(report: Report, only: Solution) -> list[Definition]:
    """Return the definitions that fit the only possible counts."""
    # Some fit by chance: the macro F1 needs three decimals, and where a class is left out, its parts are needed too.
    if report.figures[MACRO_F1].unit > _FINE:
        return []
    counts = ClassCounts.of(report.labels, tp=only.tp, predicted=only.predicted, actual=only.sizes)
    values = {score.definition: score for score in definitions(counts)}
    given = [kind for kind in RATIOS if (None, kind) in report.figures]
    found = []
    for score in values.values():
        name, _, options = score.definition.partition("(")
        if name in _PARTS or score.definition in FORMULAS or ("exclude=" in options and len(given) < 3):
            continue
        of_parts = {kind: f"macro_{kind}({options}" if options else f"macro_{kind}" for kind in given if kind != "f1"}
        of_parts = of_parts if name in FORMULAS else {}
        if len(of_parts) == len(given) - 1 and all(
            part in values
            and _fits(report, kind, (Fraction(values[part].value) - _ROUNDED, Fraction(values[part].value) + _ROUNDED))
            for kind, part in {**of_parts, "f1": score.definition}.items()
        ):
            found.append(Definition(score.words, f"The macro F1 is {score.words}"))
    return found


def _without_sizes(report: Report) -> list[Definition]:
    """Return the weighted averages that some unprinted class sizes could give."""
    kinds = [kind for kind in RATIOS if (None, kind) in report.figures]
    columns = [report.column(kind) for kind in kinds]
    if not report.labels and report.n_classes is not None:
        # Whatever the weights, as for any number of classes: between P + R - 1 and the harmonic mean.
        return [_UNSEEN] if assess(replace(report, n_classes=None)).fits else []
    if report.all_sizes is not None or not report.labels or report.n_classes != len(report.labels):
        return []
    known = [column for column in columns if column is not None]
    if len(known) < len(columns):
        return []
    means = [report.bounds(None, kind) for kind in kinds]
    if weights_exist(known, means):
        return [_UNSEEN]
    # Micro averages weigh precision by predictions and recall by gold rows; their F1 is the harmonic mean.
    p, r, f = (report.bounds(None, kind) for kind in RATIOS)
    between = all(weights_exist([column], [mean]) for column, mean in zip(known, means, strict=True))
    if between and not empty(meet(f, (harmonic_mean(p[0], r[0]), harmonic_mean(p[1], r[1])))):
        words = "Micro averages, for class sizes which are not printed, could be these"
        return [Definition("micro F1, possibly (class sizes would tell)", words)]
    return []


def _fits(report: Report, kind: str, value: Interval | None) -> bool:
    return value is not None and not empty(meet(report.bounds(None, kind), value))


def _weighted(report: Report, kind: str) -> Interval | None:
    column = report.column(kind)
    return None if report.all_sizes is None or column is None else weighted_mean(report, column)


def _micro(report: Report, kind: str) -> Interval | None:
    """Return the micro precision or F1: summed true positives over summed predictions, or those and gold rows."""
    sizes, recall, precision = report.all_sizes, report.column("recall"), report.column("precision")
    if sizes is None or recall is None or precision is None or not sum(sizes):
        return None
    tp = [(size * low, size * high) for size, (low, high) in zip(sizes, recall, strict=True)]
    gold, least, most = Fraction(sum(sizes)), sum((low for low, _ in tp), _ZERO), sum((high for _, high in tp), _ZERO)
    pairs = list(zip(tp, precision, strict=True))
    fewest = sum((hits[0] / ends[1] if ends[1] else hits[0] for hits, ends in pairs), _ZERO)
    largest = None  # no upper bound if the precision of a class may be 0
    if all(ends[0] for ends in precision):
        largest = sum((hits[1] / ends[0] for hits, ends in pairs), _ZERO)
    if report.single_label:
        fewest, largest = max(fewest, gold), gold if largest is None else min(largest, gold)
    part, whole = (1, _ZERO) if kind == "precision" else (2, gold)
    low = part * least / (largest + whole) if largest is not None and largest + whole else _ZERO
    return low, min(Fraction(1), part * most / (fewest + whole)) if fewest + whole else Fraction(1)


def weights_exist(columns: Sequence[Sequence[Interval]], means: Sequence[Interval]) -> bool:
    """Whether some class weights put every column's mean in its interval: a linear program, by the simplex method."""
    # It only serves to withhold blame, so its rounding errors, far below the tolerance, are on the safe side.
    # One row per bound: how far each class alone would miss it, above the largest or below the smallest value.
    misses: list[list[float]] = []
    for column, (low, high) in zip(columns, means, strict=True):
        misses.append([float(least - high) for least, _ in column])
        misses.append([float(low - most) for _, most in column])
    return _game_value(misses) <= _TOLERANCE


def _game_value(misses: list[list[float]]) -> float:
    """Return the minimum over weights of the largest miss: the value of a two-player game."""
    # With all misses shifted to be positive, it is one over the largest sum of y >= 0 with misses @ y <= 1.
    shift = 1.0 - min(min(row) for row in misses)
    n_bounds, n_classes = len(misses), len(misses[0])
    # One line per bound: sum over classes of y * miss <= 1, with a slack variable; the last line is the objective.
    table = [
        [miss + shift for miss in row] + [float(other == bound) for other in range(n_bounds)] + [1.0]
        for bound, row in enumerate(misses)
    ]
    aim = [-1.0] * n_classes + [0.0] * n_bounds + [0.0]
    for _ in range(_MOST_STEPS):
        entering = next((place for place, value in enumerate(aim[:-1]) if value < -1e-12), None)
        if entering is None:
            break
        ratios = [(line[-1] / line[entering], place) for place, line in enumerate(table) if line[entering] > 1e-12]
        if not ratios:
            break
        _, leaving = min(ratios)
        pivot = table[leaving][entering]
        table[leaving] = [value / pivot for value in table[leaving]]
        for line in (*(line for place, line in enumerate(table) if place != leaving), aim):
            factor = line[entering]
            if factor:
                line[:] = [value - factor * base for value, base in zip(line, table[leaving], strict=True)]
    return 1.0 / aim[-1] - shift
