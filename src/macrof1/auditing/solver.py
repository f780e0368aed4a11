"""The integers behind published figures: which true positives and predictions per class are possible.

With known class sizes, a recall of 65.47 percent among 1,202 rows allows one number of true positives, or a few. All
combinations are tried, unless there are too many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import add
from typing import Any, TypeAlias

from macrof1.auditing.feasible import (
    Feasible,
    Report,
    hull,
    is_any,
    meet,
    narrow,
    one_class,
    roughly_narrowed,
    roughly_one_class,
    totals_broken,
    unnarrowed,
)
from macrof1.auditing.printed_figures import RATIOS, Interval, roughly
from macrof1.bounding.closed_forms import harmonic_mean
from macrof1.convention import FORMULAS

_MOST_STEPS = 10_000
_MOST_SOLUTIONS = 1_000
_MOST_CHOICES = 50
_ANY_NUMBER = 10**12
_ZERO = Fraction(0)
_NO_COUNTS = "no whole numbers of rows give all the figures, with these class sizes"
# Far above the rounding error of a mean of quotients in [0, 1], which is a few 1e-16.
_CLEAR = 1e-13


class TooManyError(Exception):
    """There are too many combinations to try; never leaves this package."""


class Solution:
    """True positives and predictions of every class, and what follows from them; undefined ratios are 0.

    There may be many solutions, so floats select those that matter, which are then computed exactly.
    """

    __slots__ = ("_exact", "near", "predicted", "sizes", "tp")

    def __init__(self, tp: tuple[int, ...], predicted: tuple[int, ...], sizes: tuple[int, ...]) -> None:
        self.tp, self.predicted, self.sizes = tp, predicted, sizes
        rows, n = list(zip(tp, predicted, sizes, strict=True)), len(tp)
        precision, recall = _near(tp, predicted), _near(tp, sizes)
        averaged = math.fsum([2 * t / (p + g) for t, p, g in rows if p + g]) / n
        self.near = {
            "precision": precision,
            "recall": recall,
            "averaged_f1": averaged,
            "f1_of_averages": harmonic_mean(precision, recall),
        }
        self._exact: dict[str, Fraction] = {}

    @classmethod
    def of_errors(cls, rows: Iterable[Sequence[int]]) -> Solution:
        """Return the counts of classes with known true positives, false positives and false negatives."""
        tp, fp, fn = zip(*rows, strict=True)
        return cls(tp, tuple(map(add, tp, fp)), tuple(map(add, tp, fn)))

    def ratio(self, kind: str, place: int) -> Fraction:
        """Return precision, recall or F1 of one class."""
        t, p, g = self.tp[place], self.predicted[place], self.sizes[place]
        part, whole = (t, p) if kind == "precision" else (t, g) if kind == "recall" else (2 * t, p + g)
        return Fraction(part, whole) if whole else _ZERO

    def weighted(self, kind: str) -> Fraction:
        """Return the mean of precision, recall or F1, weighted by class size."""
        total = sum(size * self.ratio(kind, place) for place, size in enumerate(self.sizes) if size)
        return Fraction(total) / sum(self.sizes)

    def exact(self, name: str) -> Fraction:
        """Return macro precision, macro recall, averaged F1 or F1 of averages."""
        if name not in self._exact:
            if name == "f1_of_averages":
                self._exact[name] = harmonic_mean(self.exact("precision"), self.exact("recall"))
            else:
                kind = "f1" if name == "averaged_f1" else name
                n = len(self.tp)
                self._exact[name] = sum((self.ratio(kind, place) for place in range(n)), _ZERO) / n
        return self._exact[name]

    def inside(self, name: str, bounds: Interval) -> bool:
        """Whether a macro figure lies in an interval: exact, with floats deciding the clear cases."""
        low, high = float(bounds[0]), float(bounds[1])
        near = self.near[name]
        if low + _CLEAR < near < high - _CLEAR:
            return True
        if near < low - _CLEAR or near > high + _CLEAR:
            return False
        return bounds[0] <= self.exact(name) <= bounds[1]


def _near(parts: tuple[int, ...], wholes: tuple[int, ...]) -> float:
    """Return the mean of quotients as a float; undefined ones are 0."""
    return math.fsum([part / whole for part, whole in zip(parts, wholes, strict=True) if whole]) / len(parts)


def macro_hull(solutions: list[Solution], name: str) -> Interval:
    """Return the exact range of a macro figure over all solutions."""
    if len(solutions) == 1:
        return solutions[0].exact(name), solutions[0].exact(name)
    values = [solution.near[name] for solution in solutions]
    low, high = min(values) + _CLEAR, max(values) - _CLEAR
    return hull(s.exact(name) for s, value in zip(solutions, values, strict=True) if value <= low or value >= high)


def _realisable(tp: tuple[int, ...], predicted: tuple[int, ...], sizes: tuple[int, ...]) -> bool:
    """Whether a confusion matrix with one label per row can have these counts.

    The false positives and false negatives of each class must fit among all errors (Hall's condition on the
    off-diagonal cells).
    """
    errors = sum(sizes) - sum(tp)
    rows = zip(tp, predicted, sizes, strict=True)
    return sum(predicted) == sum(sizes) and all(p + g - 2 * t <= errors for t, p, g in rows)


_Visit: TypeAlias = Callable[[tuple[int, ...], tuple[int, ...]], None]
"""Takes true positives and predictions of every class."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """One possible number of true positives of a class, and the predictions that go with it."""

    tp: int
    least: int
    most: int


def _whole(interval: Interval) -> range:
    """Return the integers in an interval."""
    return range(math.ceil(interval[0]), math.floor(interval[1]) + 1)


# The search for corrections changes one figure at a time: the other classes stay the same.
@lru_cache(maxsize=64)
def _choices(size: int, others: int, precision: Interval, recall: Interval, f1: Interval) -> list[_Choice]:
    """List the counts that one class's figures allow, given `others` rows of other classes.

    Integer arithmetic throughout, for speed: a quotient rounded up is -(-a // b).
    """
    found: list[_Choice] = []
    # Bounding an unknown recall by precision and F1 avoids trying most numbers; integers then decide.
    ends = (precision, recall, f1)
    left: Any = roughly_one_class(*map(roughly, ends)) if size else one_class(*ends)
    if left is None:
        return found
    (r_low, r_low_of), (r_high, r_high_of) = (end.as_integer_ratio() for end in recall)
    first = max(-(-r_low * size // r_low_of), math.ceil(left[1][0] * size))
    last = min(r_high * size // r_high_of, math.floor(left[1][1] * size))
    if last - first >= _MOST_STEPS:
        raise TooManyError
    (p_low, p_low_of), (p_high, p_high_of) = (end.as_integer_ratio() for end in precision)
    (f_low, f_low_of), (f_high, f_high_of) = (end.as_integer_ratio() for end in f1)
    for tp in range(first, last + 1):
        least, most = tp, tp + others
        if tp == 0:
            if p_low > 0 or f_low > 0:
                continue
        else:
            if p_high == 0 or f_high == 0:
                continue
            least = max(least, -(-tp * p_high_of // p_high), -(-2 * tp * f_high_of // f_high) - size)
            if p_low > 0:
                most = min(most, tp * p_low_of // p_low)
            if f_low > 0:
                most = min(most, 2 * tp * f_low_of // f_low - size)
        if least <= most:
            found.append(_Choice(tp, least, most))
    return found


def solve(report: Report, *, explain: bool = True) -> tuple[Feasible, list[Solution] | None]:
    """Narrow a report, using integer counts if class sizes are known, and list all solutions if there are few.

    Returns what is still possible, and the solutions; None if sizes are missing or there are too many to try. Without
    `explain`, a report without solutions is not searched for the reason.
    """
    if report.undefined or report.left_out or not report.tied or not report.whole:
        return narrow(report), None
    if report.errors and len(report.errors) == len(report.labels) == report.n_classes:
        room = narrow(report)
        counts = Solution.of_errors(map(report.errors.__getitem__, report.labels))
        return room, None if room.broken is not None else [counts]
    sizes = report.all_sizes
    if not report.single_label and totals_broken(report) is None:
        return _class_by_class(report), None
    if sizes is None or sum(sizes) == 0 or totals_broken(report) is not None:
        return narrow(report), None
    # Try the figures as they are; narrow them first only if that leaves too many combinations, or none.
    solutions = _solutions(report, unnarrowed(report), sizes)
    if solutions:
        return _room(solutions), solutions
    if solutions is not None and not explain:
        return Feasible(broken=_NO_COUNTS), None
    # Floats find most contradictions much faster.
    obvious = roughly_narrowed(report).broken
    room = narrow(report) if obvious is None else Feasible(broken=obvious)
    if room.broken is not None:
        return room, None
    if solutions is None:
        solutions = _solutions(report, room, sizes)
        if solutions:
            return _room(solutions), solutions
        if solutions is None:
            return _narrowed(report, room, sizes), None
    room.broken = _NO_COUNTS
    return room, None


def _class_by_class(report: Report) -> Feasible:
    """Narrow each class by its own integer counts, if rows may have several labels and classes are small."""
    room = unnarrowed(report)
    for place, (label, size) in enumerate(zip(report.labels, report.sizes, strict=True)):
        if size is None or not room.ratios or label in report.errors:
            continue
        precision, recall, f1 = (room.ratios[kind][place] for kind in RATIOS)
        if len(_whole((recall[0] * size, recall[1] * size))) > _MOST_CHOICES:
            continue
        some = _choices(size, _ANY_NUMBER, precision, recall, f1)
        if not some:
            room.broken = f"no whole numbers of rows give the figures of {label}, with {size} gold rows"
            return room
        for kind, found in _hulls(_ends(some), size).items():
            room.ratios[kind][place] = meet(room.ratios[kind][place], found)
    return narrow(report, room)


def _solutions(report: Report, room: Feasible, sizes: tuple[int, ...]) -> list[Solution] | None:
    """List all solutions; None if there are too many to try."""
    choices = _all_choices(room, sizes)
    if choices is None:
        return None
    if not all(choices):
        return []
    correct = _correct(report, sum(sizes))
    macro = room.macro_precision, room.macro_recall
    # Most combinations are clearly outside, which floats can show.
    (p_low, p_high), (r_low, r_high) = ((float(low) - _CLEAR, float(high) + _CLEAR) for low, high in macro)
    found: list[Solution] = []
    weighted = [(kind, report.bounds(None, f"weighted_{kind}")) for kind in ("precision", "f1")]
    weighted = [(kind, bounds) for kind, bounds in weighted if not is_any(bounds)]

    def visit(tp: tuple[int, ...], predicted: tuple[int, ...]) -> None:
        if not (r_low <= _near(tp, sizes) <= r_high and p_low <= _near(tp, predicted) <= p_high):
            return
        if not _realisable(tp, predicted, sizes):
            return
        solution = Solution(tp, predicted, sizes)
        if not all(low <= solution.weighted(kind) <= high for kind, (low, high) in weighted):
            return
        if solution.inside("precision", macro[0]) and solution.inside("recall", macro[1]):
            if len(found) == _MOST_SOLUTIONS:
                raise TooManyError
            found.append(solution)

    try:
        if len(sizes) == 2:
            _two(sizes, room, choices, correct, visit)
        else:
            _several(sizes, choices, correct, visit)
    except TooManyError:
        return None
    return found


def _room(solutions: list[Solution]) -> Feasible:
    """Return the ranges of both macro F1s over all solutions; the solutions tell the rest."""
    averaged, of_averages = (macro_hull(solutions, name) for name in FORMULAS)
    return Feasible(averaged_f1=averaged, f1_of_averages=of_averages)


def _ends(choices: list[_Choice]) -> set[tuple[int, int]]:
    """Return the true positives of all choices with the fewest and the most predictions that go with them."""
    return {(choice.tp, p) for choice in choices for p in (choice.least, choice.most)}


def _hulls(seen: set[tuple[int, int]], size: int) -> dict[str, Interval]:
    """Return the ranges of precision, recall and F1 over true positives with predictions."""
    return {
        "precision": _ratio_hull(seen),
        "recall": _ratio_hull({(t, size) for t, _ in seen}),
        "f1": _ratio_hull({(2 * t, p + size) for t, p in seen}),
    }


def _ratio_hull(pairs: Iterable[tuple[int, int]]) -> Interval:
    """Return the exact range of quotients; undefined ones are 0.

    Rounding preserves order, so the smallest is among those that round to the smallest float.
    """
    near = [(part / whole if whole else 0.0, part, whole) for part, whole in pairs]
    low, high = min(near)[0], max(near)[0]
    return hull(Fraction(part, whole) if whole else _ZERO for value, part, whole in near if value in (low, high))


def _all_choices(room: Feasible, sizes: tuple[int, ...]) -> list[list[_Choice]] | None:
    total = sum(sizes)
    free = sum(all(is_any(room.ratios[kind][place]) for kind in RATIOS) for place in range(len(sizes)))
    if free > 2:
        return None
    try:
        return [
            _choices(size, total - size, *(room.ratios[kind][place] for kind in RATIOS))
            for place, size in enumerate(sizes)
        ]
    except TooManyError:
        return None


def _narrowed(report: Report, room: Feasible, sizes: tuple[int, ...]) -> Feasible:
    """Narrow each class by its own integer counts, if there are too many combinations."""
    choices = _all_choices(room, sizes)
    if choices is None:
        return room
    fresh = unnarrowed(report)
    for place, (size, some) in enumerate(zip(sizes, choices, strict=True)):
        for kind, found in _hulls(_ends(some), size).items():
            fresh.ratios[kind][place] = found
    return narrow(report, fresh)


def _correct(report: Report, total: int) -> range:
    """Return how many rows can be correct, according to `correct`, accuracy and weighted recall."""
    low, high = meet(report.bounds(None, "accuracy"), report.bounds(None, "weighted_recall"))
    correct = report.figures.get((None, "correct"))
    low, high = low * total, high * total
    if correct is not None:
        low, high = max(low, correct.bounds[0]), min(high, correct.bounds[1])
    return _whole((low, high))


def _two(sizes: tuple[int, ...], room: Feasible, choices: list[list[_Choice]], correct: range, visit: _Visit) -> None:
    """Solve two classes: their true positives determine everything."""
    (c1, c2), (first, second) = sizes, choices
    by_tp = {choice.tp: (choice.least, choice.most) for choice in second}
    least_tp, most_tp = second[0].tp, second[-1].tp
    # The macro recall in integers: a quotient rounded up is -(-a // b).
    (low, low_of), (high, high_of) = (end.as_integer_ratio() for end in room.macro_recall)
    spans = []
    steps = 0
    for one in first:
        # The other class's true positives must reach `correct` and the macro recall.
        start, stop = max(least_tp, correct.start - one.tp), min(most_tp + 1, correct.stop - one.tp)
        if c1 and c2 and stop - start > 8:
            start = max(start, -((one.tp * low_of - 2 * low * c1) * c2 // (low_of * c1)))
            stop = min(stop, (2 * high * c1 - one.tp * high_of) * c2 // (high_of * c1) + 1)
        steps += 1 + max(0, stop - start)
        # Those that this class's own predictions allow: p1 = t1 + c2 - t2.
        spans.append((one.tp, max(start, one.tp + c2 - one.most), min(stop, one.tp + c2 - one.least + 1)))
    if steps > _MOST_STEPS:
        raise TooManyError
    for t1, start, stop in spans:
        for t2 in range(start, stop):
            span, p2 = by_tp.get(t2), t2 + c1 - t1
            if span is not None and span[0] <= p2 <= span[1]:
                visit((t1, t2), (t1 + c2 - t2, p2))


def _several(sizes: tuple[int, ...], choices: list[list[_Choice]], correct: range, visit: _Visit) -> None:
    """Solve three or more classes: choose class by class, as long as the sums can still be reached."""
    _refuse_the_hopeless(choices)
    n, total = len(sizes), sum(sizes)
    # What the remaining classes can add to the sums of tp and of predictions.
    rest = [(0, 0, 0, 0)] * (n + 1)
    for place in reversed(range(n)):
        some, after = choices[place], rest[place + 1]
        rest[place] = (
            after[0] + min(c.tp for c in some),
            after[1] + max(c.tp for c in some),
            after[2] + min(c.least for c in some),
            after[3] + max(c.most for c in some),
        )
    tps, predictions = [0] * n, [0] * n
    steps = 0

    def choose(place: int, tp_sum: int, p_sum: int) -> None:
        nonlocal steps
        if place == n:
            steps += 1
            visit(tuple(tps), tuple(predictions))
            return
        t_low, t_high, p_low, p_high = rest[place + 1]
        p_start, p_stop = total - p_sum - p_high, total - p_sum - p_low + 1
        t_start, t_stop = correct.start - t_high - tp_sum, correct.stop - t_low - tp_sum
        steps += len(choices[place])
        if steps > _MOST_STEPS:
            raise TooManyError
        for choice in choices[place]:
            if not t_start <= choice.tp < t_stop:
                continue
            tps[place] = choice.tp
            for p in range(max(choice.least, p_start), min(choice.most + 1, p_stop)):
                predictions[place] = p
                choose(place + 1, tp_sum + choice.tp, p_sum + p)

    choose(0, 0, 0)


def _refuse_the_hopeless(choices: list[list[_Choice]]) -> None:
    """Stop early if there are certainly too many combinations.

    The sum of the predictions determines one class, and the number of correct rows perhaps another.
    """
    widths = sorted(sum(choice.most - choice.least + 1 for choice in some) for some in choices)
    if math.prod(widths[:-2]) > 100 * _MOST_STEPS:
        raise TooManyError
