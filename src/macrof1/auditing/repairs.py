"""Check whether figures are consistent, find the single corrections that would make them so, and describe both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from macrof1.auditing.audit_results import AuditFinding
from macrof1.auditing.feasible import ANY, Feasible, Report, conflicts, empty, meet, other_part, surely_broken
from macrof1.auditing.printed_figures import Figure, Interval, Key
from macrof1.auditing.solver import Solution, solve
from macrof1.convention import FORMULA_NAMES, FORMULAS, Formula

MACRO_F1: Key = (None, "f1")
_MOST_LISTED = 50
_MOST_CONTRADICTIONS = 20
_MOST_TRIED = 5
_MOST_MISPRINTS = 16
_UNKNOWN = (1_000, 0)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one reading of a report."""

    room: Feasible  # what the figures other than the macro F1 allow
    solutions: list[Solution] | None = None  # all counts that give the figures, the macro F1 too if some do, if listed
    fits: tuple[Formula, ...] = ()  # the formulas that can have produced the macro F1
    has_f1: bool = False
    n_tried: int = 0  # how many sets of counts give all figures but the macro F1, if they are listed

    @property
    def consistent(self) -> bool:
        """Whether all the figures are consistent under one of the formulas."""
        return self.room.broken is None and (bool(self.fits) or not self.has_f1)


@dataclass(frozen=True, slots=True)
class Repair:
    """One figure whose change makes the report consistent."""

    key: Key
    figure: Figure
    correction: str | None  # the smallest change; None if the figure can be blamed but no correction was found
    low: str | None  # the smallest possible value, as printed; None if there is none
    high: str | None  # the largest one
    size: tuple[int, int]
    without: Outcome  # of the report without this figure
    formula: Formula | None = None  # for a macro F1: the formula that gives the correction


def assess(report: Report) -> Outcome:
    """Narrow a report, and find the formulas that fit its macro F1."""
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
    return Outcome(room, [kept[place] for place in sorted(kept)] or solutions, tuple(fits), True, len(solutions))


def tried(report: Report) -> Outcome:
    """Assess a report that is probably contradictory: floats reveal most contradictions quickly."""
    if surely_broken(report):
        return Outcome(Feasible(broken="the figures cannot be true together"))
    return assess(report)


def suspects(report: Report) -> list[Key]:
    """Return the figures inside every obvious contradiction: only they can repair the report, and there are few."""
    inside = set(report.figures).intersection(*conflicts(report))
    return [key for key in report.figures if key in inside]


def single_repairs(report: Report, outcome: Outcome) -> list[Repair]:
    """Find every figure that can be blamed on its own, the smallest correction first."""
    found: list[Repair | None] = []
    for key in suspects(report):
        if key == MACRO_F1:
            if outcome.room.broken is None:
                found += [_repair(report, key, outcome, formula) for formula in FORMULAS]
        else:
            without = tried(report.without(key))
            found += [_repair(report, key, without)] if without.consistent else []
    return sorted((repair for repair in found if repair is not None), key=lambda repair: repair.size)


def contradictions(report: Report) -> list[list[Figure]]:
    """Return minimal, disjoint sets of figures that contradict each other: a few, of those that floats reveal."""
    found: list[list[Figure]] = []
    left = list(report.figures)
    while len(found) < _MOST_CONTRADICTIONS and surely_broken(report.only(left)):
        at_once = conflicts(report.only(left))
        keys = [key for key in left if key in min(at_once, key=len)] if at_once else list(left)
        # Whole classes first: that shrinks a large set faster.
        groups = [[key for key in keys if key[0] == label] for label in report.labels]
        for group in (*groups, *([key] for key in keys)):
            fewer = [key for key in keys if key not in group]
            if (fewer or report.errors) and len(fewer) < len(keys) and surely_broken(report.only(fewer)):
                keys = fewer
        found.append([report.figures[key] for key in keys])
        left = [key for key in left if key not in keys]
    return found


def _repair(report: Report, key: Key, without: Outcome, formula: Formula | None = None) -> Repair | None:
    """Find the smallest change to one figure, and make sure that it repairs the report; a macro F1 has a `formula`."""
    figure = report.figures[key]
    steps: list[int] | range
    if without.solutions:
        # Separate values: each comes from counts that give all the other figures.
        values = {each.exact(formula) if formula else _value(report, key, each) for each in without.solutions}
        steps, unbounded = sorted({step for value in values for step in figure.steps_of((value, value))}), False
    else:
        low, high = getattr(without.room, formula) if formula else _interval(report, key, without.room)
        steps, unbounded = figure.steps_of((low, low if high is None else high)), high is None
    if not steps:
        return None
    ends = figure.printed(steps[0]), None if unbounded else figure.printed(steps[-1])
    for step in _candidates(figure, steps):
        changed = replace(report, figures={**report.figures, key: figure.at(step)})
        if without.solutions or tried(changed).consistent:
            return Repair(key, figure, figure.printed(step), *ends, _size(figure, step), without, formula)
    # The others are consistent without it, so it can be blamed even if no correction is known.
    return Repair(key, figure, None, *ends, _UNKNOWN, without, formula)


def _candidates(figure: Figure, steps: list[int] | range) -> list[int]:
    """List changes worth trying, the smallest first; if there are many, only the ends and one-digit misprints."""
    # A range of figures with many decimals has more steps than len() can tell.
    if isinstance(steps, list) or steps[-1] - steps[0] < _MOST_LISTED:
        order = sorted(steps, key=lambda step: _size(figure, step))
        return order[:_MOST_TRIED] + order[_MOST_TRIED:][:: max(1, (len(order) - _MOST_TRIED) // _MOST_TRIED)]
    ends = sorted((steps[0], steps[-1]), key=lambda step: abs(step - figure.steps))
    misprints = [step for step in _misprints(figure) if step in steps and step not in ends]
    return ends + sorted(misprints, key=lambda step: _size(figure, step))[:_MOST_MISPRINTS]


def _misprints(figure: Figure) -> set[int]:
    """Return the values that differ by one wrong digit or two swapped neighbours."""
    digits = str(figure.steps).rjust(figure.decimals + 1, "0")
    places = range(len(digits))
    found = {digits[:place] + digit + digits[place + 1 :] for place in places for digit in "0123456789"}
    found |= {digits[:at] + digits[at + 1] + digits[at] + digits[at + 2 :] for at in places[:-1]}
    return {int(changed) for changed in found} - {figure.steps}


def _value(report: Report, key: Key, solution: Solution) -> Fraction:
    label, kind = key
    if label is not None:
        return solution.ratio(kind, report.labels.index(label))
    correct, total = sum(solution.tp), sum(solution.sizes)
    counts = {"total": Fraction(total), "correct": Fraction(correct), "accuracy": Fraction(correct, total)}
    return counts[kind] if kind in counts else solution.exact(kind)


def _interval(report: Report, key: Key, room: Feasible) -> tuple[Fraction, Fraction | None]:
    """Return the range of a figure, given the others; None for the upper end if unbounded."""
    label, kind = key
    if label is not None:
        return room.ratios[kind][report.labels.index(label)]
    if kind not in ("precision", "recall"):
        return _total_interval(report, kind)
    f1, other = report.figures.get(MACRO_F1), "recall" if kind == "precision" else "precision"
    interval: Interval = getattr(room, f"macro_{kind}")
    if f1 is None:
        return interval
    # No formula gives more than the harmonic mean, so the macro F1 bounds its parts from below.
    return max(interval[0], other_part(f1.bounds, getattr(room, f"macro_{other}"))[0]), interval[1]


def _total_interval(report: Report, kind: str) -> tuple[Fraction, Fraction | None]:
    """Return the range of total, correct or accuracy, given the other two and the class sizes."""
    figures, sizes = report.figures, report.all_sizes
    total: Fraction | None = Fraction(sum(sizes)) if sizes and report.single_label else None
    if total is None and (None, "total") in figures and kind != "total":
        total = Fraction(figures[None, "total"].steps)
    low, high = report.bounds(None, "accuracy")
    correct = Fraction(figures[None, "correct"].steps) if (None, "correct") in figures else None
    if kind == "accuracy":
        return ANY if correct is None or not total else (correct / total, correct / total)
    if kind == "correct":
        return (Fraction(0), None) if total is None else (low * total, high * total)
    if total is not None:
        return total, total
    least = correct or Fraction(0)
    return least / high, least / low if low else None


def _size(figure: Figure, step: int) -> tuple[int, int]:
    """Measure a correction: first digits changed, then distance; swapped neighbours count as one change."""
    old, new = figure.printed(figure.steps), figure.printed(step)
    if len(old) != len(new):
        return max(len(old), len(new)), abs(step - figure.steps)
    apart = [place for place, (left, right) in enumerate(zip(old, new, strict=True)) if left != right]
    swapped = len(apart) == 2 and apart[1] == apart[0] + 1 and sorted(old) == sorted(new)
    return 1 if swapped else len(apart), abs(step - figure.steps)


def capital(words: str) -> str:
    """Capitalise the first letter of a sentence."""
    return words[0].upper() + words[1:]


def finding_of(
    report: Report, outcome: Outcome, blamed: list[Repair], conflicting: list[list[Figure]], usual: Formula | None
) -> AuditFinding:
    """Describe what is wrong, and which corrections would repair it; `usual` is the formula of a table's other rows."""
    published = report.figures.get(MACRO_F1)
    broken = outcome.room.broken or f"neither formula gives the macro F1 {published.text if published else ''}"
    if not blamed:
        sets = [[f"{figure.name} {figure.text}" for figure in figures] for figures in conflicting]
        one_of = [f"at least one of {', '.join(some)} and " * bool(some) + f"{last} is wrong" for *some, last in sets]
        wrong = ": " + ", and ".join(one_of) if one_of else ""
        message = f"{capital(broken)}, and no single correction repairs the report{wrong}."
        names = tuple(tuple(figure.name for figure in figures) for figures in conflicting)
        return AuditFinding(kind="contradiction", message=message, conflicting=names)
    first, *others = blamed
    sentences = [_in_words(repair, usual) for repair in blamed]
    alone = all(repair.key == first.key for repair in others)
    if alone and usual is not None and first.formula == usual:
        sentences = sentences[:1]  # the other rows rule out the correction under the other formula
    return AuditFinding(
        kind="wrong_figure" if alone else "one_of",
        figure=first.figure.name,
        published=first.figure.text,
        correction=first.correction,
        alternatives=tuple(sentences[1:]),
        message=f"{capital(broken)}: {', or '.join(sentences)}.",
    )


def _in_words(repair: Repair, usual: Formula | None) -> str:
    as_others = ", as in the other rows" if usual is not None and repair.formula == usual else ""
    remarks = [f"{FORMULA_NAMES[repair.formula]}{as_others}"] if repair.formula else []
    low, high, printed = repair.low, repair.high, Decimal(repair.figure.printed(repair.figure.steps))
    if repair.correction is None:
        should = "may be wrong"
        remarks.append("which value should stand there is open")
    elif low == high:
        should = f"should be {repair.correction}"
    elif (low is None or Decimal(low) <= printed) and (high is None or printed <= Decimal(high)):
        # The range may have holes, or other figures may narrow it further: it must not include the printed figure.
        should = f"should be {repair.correction}"
        remarks.append("the smallest change")
    else:
        should = f"should be at least {low}" if high is None else f"should lie between {low} and {high}"
        remarks.append(f"the smallest change is {repair.correction}")
    return f"{repair.figure.name} {repair.figure.text} {should}" + (f" ({'; '.join(remarks)})" if remarks else "")
