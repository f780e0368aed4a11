"""The integers behind published figures: which true positives and predictions per class are possible.

With known class sizes, a recall of 65.47 percent among 1,202 rows allows one number of true positives, or a few. All
combinations are tried, unless there are too many.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import add
from typing import Any, NamedTuple, TypeAlias

from macrof1.auditing import feasible
from macrof1.auditing.feasible import Feasible, Report, is_any, meet, narrow, totals_broken, unnarrowed
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


@dataclass(frozen=True, slots=True)
class Solution:
    """Counts of every class, and what follows from them, exactly, with undefined ratios as 0."""

    tp: tuple[int, ...]
    predicted: tuple[int, ...]
    sizes: tuple[int, ...]

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
        if name == "f1_of_averages":
            return harmonic_mean(self.exact("precision"), self.exact("recall"))
        kind = "f1" if name == "averaged_f1" else name
        return sum((self.ratio(kind, place) for place in range(len(self.tp))), _ZERO) / len(self.tp)

    def inside(self, name: str, bounds: Interval) -> bool:
        """Whether a macro figure lies in an interval."""
        return bounds[0] <= self.exact(name) <= bounds[1]


def _near(parts: tuple[int, ...], wholes: tuple[int, ...]) -> float:
    """Return the mean of quotients as a float; undefined ones are 0."""
    return math.fsum([part / whole for part, whole in zip(parts, wholes, strict=True) if whole]) / len(parts)


def macro_hull(solutions: list[Solution], name: str) -> Interval:
    """Return the exact range of a macro figure over all solutions."""
    values = [solution.exact(name) for solution in solutions]
    return min(values), max(values)


class _Choice(NamedTuple):
    """One possible number of true positives of a class, and the fewest and most predictions that go with it."""

    tp: int
    least: int
    most: int


# The search for corrections changes one figure at a time: the other classes stay the same.
@lru_cache(maxsize=64)
def _choices(size: int, others: int, precision: Interval, recall: Interval, f1: Interval) -> list[_Choice]:
    """List the counts that one class's figures allow, given `others` rows of other classes."""
    # Integer arithmetic throughout, for speed: a quotient rounded up is -(-a // b).
    found: list[_Choice] = []
    # Bounding an unknown recall by precision and F1 avoids trying most numbers; integers then decide.
    ends = (precision, recall, f1)
    left: Any = feasible.roughly_one_class(*map(roughly, ends)) if size else feasible.one_class(*ends)
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


def solve(report: Report) -> tuple[Feasible, list[Solution] | None]:
    """Narrow a report, by integer counts if class sizes are known, and list all solutions; None if too many."""
    if report.undefined or report.left_out or not report.tied or not report.whole:
        return narrow(report), None
    if report.errors and len(report.errors) == len(report.labels) == report.n_classes:
        room = narrow(report)
        counts = Solution.of_errors(map(report.errors.__getitem__, report.labels))
        return room, None if room.broken is not None else [counts]
    sizes = report.all_sizes
    if not report.single_label and totals_broken(report) is None:
        return _class_by_class(report, unnarrowed(report)), None
    if sizes is None or sum(sizes) == 0 or totals_broken(report) is not None:
        return narrow(report), None
    # Try the figures as they are; narrow them first only if that leaves too many combinations, or none.
    room = unnarrowed(report)
    solutions = _solutions(report, room, sizes)
    if not solutions:
        # Floats find most contradictions much faster.
        obvious = narrow(report, rough=True).broken
        room = narrow(report) if obvious is None else Feasible(broken=obvious)
        if room.broken is None and solutions is None:
            solutions = _solutions(report, room, sizes)
            if solutions is None:
                return _class_by_class(report, room), None
    if not solutions:
        room.broken = room.broken or _NO_COUNTS
        return room, None
    averaged, of_averages = (macro_hull(solutions, name) for name in FORMULAS)
    return Feasible(averaged_f1=averaged, f1_of_averages=of_averages), solutions


def _class_by_class(report: Report, room: Feasible) -> Feasible:
    """Narrow each small class by its own integer counts, where the classes cannot be combined."""
    sizes = report.all_sizes if report.single_label else None
    for place, (label, size) in enumerate(zip(report.labels, report.sizes, strict=True)):
        if size is None or not room.ratios or label in report.errors:
            continue
        precision, recall, f1 = (room.ratios[kind][place] for kind in RATIOS)
        if (recall[1] - recall[0]) * size >= _MOST_CHOICES:
            continue
        some = _choices(size, _ANY_NUMBER if sizes is None else sum(sizes) - size, precision, recall, f1)
        if not some:
            room.broken = f"no whole numbers of rows give the figures of {label}, with {size} gold rows"
            return room
        # The fewest and the most predictions that go with the true positives of each choice.
        ends = {(choice.tp, p) for choice in some for p in (choice.least, choice.most)}
        for kind, pairs in (
            ("precision", ends),
            ("recall", {(t, size) for t, _ in ends}),
            ("f1", {(2 * t, p + size) for t, p in ends}),
        ):
            exact = [Fraction(part, whole) if whole else _ZERO for part, whole in pairs]  # undefined ones are 0
            room.ratios[kind][place] = meet(room.ratios[kind][place], (min(exact), max(exact)))
    return narrow(report, room)


def _solutions(report: Report, room: Feasible, sizes: tuple[int, ...]) -> list[Solution] | None:
    ratios, total = [[room.ratios[kind][place] for kind in RATIOS] for place in range(len(sizes))], sum(sizes)
    if sum(all(map(is_any, of_class)) for of_class in ratios) > 2:
        return None
    macro = room.macro_precision, room.macro_recall
    # Most combinations are clearly outside, which floats can show.
    (p_low, p_high), (r_low, r_high) = ((float(low) - _CLEAR, float(high) + _CLEAR) for low, high in macro)
    weighted = [(kind, report.bounds(None, f"weighted_{kind}")) for kind in ("precision", "f1")]
    weighted = [(kind, bounds) for kind, bounds in weighted if not is_any(bounds)]
    found: list[Solution] = []
    try:
        choices = [_choices(size, total - size, *of_class) for size, of_class in zip(sizes, ratios, strict=True)]
        if not all(choices):
            return []
        low, high = meet(report.bounds(None, "accuracy"), report.bounds(None, "weighted_recall"))
        printed = report.figures.get((None, "correct"))
        rows_right = (low * total, high * total)
        fewest, most = rows_right if printed is None else meet(rows_right, printed.bounds)
        correct = range(math.ceil(fewest), math.floor(most) + 1)
        pairs = _two(sizes, room, choices, correct) if len(sizes) == 2 else _several(sizes, choices, correct)
        for tp, predicted in pairs:
            if not (r_low <= _near(tp, sizes) <= r_high and p_low <= _near(tp, predicted) <= p_high):
                continue
            # One label per row: the false positives and false negatives of each class must fit among all errors (Hall's
            # condition on the off-diagonal cells).
            errors, rows = total - sum(tp), zip(tp, predicted, sizes, strict=True)
            if sum(predicted) != total or any(p + g - 2 * t > errors for t, p, g in rows):
                continue
            solution = Solution(tp, predicted, sizes)
            if not all(low <= solution.weighted(kind) <= high for kind, (low, high) in weighted):
                continue
            if solution.inside("precision", macro[0]) and solution.inside("recall", macro[1]):
                if len(found) == _MOST_SOLUTIONS:
                    return None
                found.append(solution)
    except TooManyError:
        return None
    return found


_Counts: TypeAlias = Iterator[tuple[tuple[int, ...], tuple[int, ...]]]  # true positives and predictions of every class


def _two(sizes: tuple[int, ...], room: Feasible, choices: list[list[_Choice]], correct: range) -> _Counts:
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
                yield (t1, t2), (t1 + c2 - t2, p2)


def _several(sizes: tuple[int, ...], choices: list[list[_Choice]], correct: range) -> _Counts:
    """Solve three or more classes: choose class by class, as long as the sums can still be reached."""
    n, total = len(sizes), sum(sizes)
    # What the remaining classes can add to the sums of tp and of predictions.
    rest = [(0, 0, 0, 0)] * (n + 1)
    for place in reversed(range(n)):
        some, (t_low, t_high, p_low, p_high) = choices[place], rest[place + 1]
        t_low, t_high = t_low + min(c.tp for c in some), t_high + max(c.tp for c in some)
        rest[place] = t_low, t_high, p_low + min(c.least for c in some), p_high + max(c.most for c in some)
    tps, predictions = [0] * n, [0] * n
    steps = 0

    def choose(place: int, tp_sum: int, p_sum: int) -> _Counts:
        nonlocal steps
        if place == n:
            steps += 1
            yield tuple(tps), tuple(predictions)
            return
        t_low, t_high, p_low, p_high = rest[place + 1]
        p_start, p_stop = total - p_sum - p_high, total - p_sum - p_low + 1
        t_start, t_stop = correct.start - t_high - tp_sum, correct.stop - t_low - tp_sum
        steps += len(choices[place])
        if steps > _MOST_STEPS:
            raise TooManyError
        for tp, least, most in choices[place]:
            if t_start <= tp < t_stop:
                tps[place] = tp
                for predictions[place] in range(max(least, p_start), min(most + 1, p_stop)):
                    yield from choose(place + 1, tp_sum + tp, p_sum + predictions[place])

    yield from choose(0, 0, 0)
