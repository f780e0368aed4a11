"""Whether figures can be true together, and which single correction would make them so."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from macrof1.audit_counts import Solution, solve
from macrof1.audit_figures import Figure, Interval
from macrof1.audit_intervals import Key, Report, Room, conflicts, empty, meet, other_part
from macrof1.convention import FORMULAS, Formula

__all__ = ["MACRO_F1", "Outcome", "Repair", "assess", "single_repairs"]

MACRO_F1: Key = (None, "f1")
_MOST_LISTED = 50
_MOST_TRIED = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one reading of a report comes to.

    Attributes
    ----------
    room
        What the figures leave room for, the macro F1 left out.
    solutions
        All whole counts that give the figures, the macro F1 included where one fits; None where not listed.
    fits
        The formulas that can have given the macro F1.
    """

    room: Room
    solutions: list[Solution] | None
    fits: tuple[Formula, ...]
    has_f1: bool

    @property
    def consistent(self) -> bool:
        """Whether all the figures can be true together, under one of the formulas."""
        return self.room.broken is None and (bool(self.fits) or not self.has_f1)


@dataclass(frozen=True, slots=True)
class Repair:
    """One figure whose change makes the report consistent.

    Attributes
    ----------
    correction
        What could stand there, the smallest change.
    low, high
        The smallest and largest value that could stand there, as printed.
    formula
        For a macro F1: the formula that gives the correction.
    without
        What the report comes to once this figure is left out.
    """

    key: Key
    figure: Figure
    correction: str
    low: str
    high: str
    size: tuple[int, int]
    without: Outcome
    formula: Formula | None = None


def assess(report: Report) -> Outcome:
    """Narrow a report, and see which formulas fit its macro F1."""
    room, solutions = solve(report)
    published = report.figures.get(MACRO_F1)
    if published is None or room.broken is not None:
        return Outcome(room, solutions, (), published is not None)
    if not solutions:
        fits = [name for name in FORMULAS if not empty(meet(getattr(room, name), published.bounds))]
        return Outcome(room, solutions, tuple(fits), True)
    kept: dict[int, Solution] = {}
    fits = []
    for name in FORMULAS:
        fitting = [place for place, solution in enumerate(solutions) if solution.inside(name, published.bounds)]
        if fitting:
            fits.append(name)
            kept.update((place, solutions[place]) for place in fitting)
    return Outcome(room, [kept[place] for place in sorted(kept)] or solutions, tuple(fits), True)


def single_repairs(report: Report, outcome: Outcome) -> list[Repair]:
    """Find every figure that alone can be blamed, the smallest correction first."""
    found: list[Repair] = []
    # A figure outside a contradiction does not repair it: the few inside are worth a closer look.
    suspects = set(report.figures).intersection(*conflicts(report))
    for key, figure in report.figures.items():
        if key not in suspects:
            continue
        if key == MACRO_F1:
            if outcome.room.broken is None:
                found += _macro_f1_repairs(figure, outcome)
            continue
        rest = report.without(key)
        without = assess(rest)
        if without.consistent:
            repair = _repair(report, key, figure, without)
            if repair is not None:
                found.append(repair)
    return sorted(found, key=lambda repair: repair.size)


def _macro_f1_repairs(figure: Figure, outcome: Outcome) -> list[Repair]:
    found = []
    for formula in FORMULAS:
        steps = figure.steps_of(getattr(outcome.room, formula))
        if len(steps):
            best = min(steps[0], steps[-1], key=lambda step: _size(figure, step))
            ends = figure.printed(steps[0]), figure.printed(steps[-1])
            size = _size(figure, best)
            found.append(Repair(MACRO_F1, figure, figure.printed(best), *ends, size, outcome, formula))
    return found


def _repair(report: Report, key: Key, figure: Figure, without: Outcome) -> Repair | None:
    """Find the smallest change of one figure, and make sure that it repairs the report."""
    steps = _possible_steps(report, key, figure, without)
    if not steps:
        return None
    if len(steps) <= _MOST_LISTED:
        order = sorted(steps, key=lambda step: _size(figure, step))[:_MOST_TRIED]
    else:
        order = sorted((steps[0], steps[-1]), key=lambda step: abs(step - figure.steps))
    best = next((step for step in order if assess(report.having(key, figure.at(step))).consistent), None)
    if best is None:
        return None
    ends = figure.printed(steps[0]), figure.printed(steps[-1])
    return Repair(key, figure, figure.printed(best), *ends, _size(figure, best), without)


def _possible_steps(report: Report, key: Key, figure: Figure, without: Outcome) -> list[int] | range:
    """List what could be printed for a figure that was left out."""
    if without.solutions:
        values = {_value(report, key, solution) for solution in without.solutions}
        return sorted({step for value in values for step in figure.steps_of((value, value))})
    interval = _interval(report, key, without.room)
    return [] if interval is None or empty(interval) else figure.steps_of(interval)


def _value(report: Report, key: Key, solution: Solution) -> Fraction:
    label, kind = key
    if label is not None:
        return solution.ratio(kind, report.labels.index(label))
    if kind == "total":
        return Fraction(sum(solution.sizes))
    if kind == "correct":
        return Fraction(sum(solution.tp))
    if kind == "accuracy":
        return Fraction(sum(solution.tp), sum(solution.sizes))
    return solution.exact(kind)


def _interval(report: Report, key: Key, room: Room) -> Interval | None:
    label, kind = key
    if label is not None:
        return room.ratios[kind][report.labels.index(label)]
    figures, sizes = report.figures, report.all_sizes
    if kind in ("precision", "recall"):
        f1, other = figures.get(MACRO_F1), "recall" if kind == "precision" else "precision"
        interval = getattr(room, f"macro_{kind}")
        # No formula gives more than the harmonic mean, so the macro F1 bounds its parts from below.
        return (
            interval
            if f1 is None
            else meet(interval, (other_part(f1.bounds, getattr(room, f"macro_{other}"))[0], Fraction(1)))
        )
    total = Fraction(sum(sizes)) if sizes and report.single_label else None
    if total is None and (None, "total") in figures and kind != "total":
        total = figures[None, "total"].bounds[0]
    accuracy, correct = figures.get((None, "accuracy")), figures.get((None, "correct"))
    if kind == "total":
        if total is not None or accuracy is None or correct is None or accuracy.bounds[0] == 0:
            return None if total is None else (total, total)
        return correct.bounds[0] / accuracy.bounds[1], correct.bounds[0] / accuracy.bounds[0]
    if total is None or not total:
        return None
    if kind == "correct":
        return (Fraction(0), total) if accuracy is None else (accuracy.bounds[0] * total, accuracy.bounds[1] * total)
    share = None if correct is None else correct.bounds[0] / total
    return None if share is None else (share, share)


def _size(figure: Figure, step: int) -> tuple[int, int]:
    """Measure a correction: digits changed first, then the distance; swapped neighbours are one change."""
    old, new = figure.printed(figure.steps), figure.printed(step)
    if len(old) != len(new):
        return max(len(old), len(new)), abs(step - figure.steps)
    apart = [place for place, (left, right) in enumerate(zip(old, new, strict=True)) if left != right]
    swapped = len(apart) == 2 and apart[1] == apart[0] + 1 and sorted(old) == sorted(new)
    return 1 if swapped else len(apart), abs(step - figure.steps)
