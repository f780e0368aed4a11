"""What a set of published figures allows, by exact interval arithmetic.

Every step only removes values that are impossible, so an empty interval proves that the figures are inconsistent, and a
formula whose range excludes the published macro F1 cannot have produced it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any

from macrof1.auditing.printed_figures import RATIOS, Figure, Interval, Key, roughly
from macrof1.bounding.closed_forms import harmonic_mean, highest_binary_averaged_f1, lowest_averaged_f1

ANY: Interval = (Fraction(0), Fraction(1))
_ROUGHLY_ANY: Any = (0.0, 1.0)
_ROUNDS = 3
_SINGLE_PRECISION = 2e-5  # more than any computation in it is off
_FINEST = 2 * 10**70
_DINKELBACH = 1e-12
_AVERAGES = frozenset({"accuracy", *(f"{name}_{kind}" for name in ("weighted", "micro") for kind in RATIOS)})


@dataclass(frozen=True, slots=True)
class Report:
    """What was published about one system."""

    figures: dict[Key, Figure]  # by class (None for macro figures, accuracy, correct and total) and kind
    labels: tuple[str, ...]  # the classes that have figures or a size
    n_classes: int | None  # how many are averaged over
    sizes: tuple[int | None, ...]  # gold rows of each class in `labels`
    single_label: bool  # every row has one gold and one predicted label, all among the classes
    errors: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)  # tp, fp and fn, of classes that have them
    left_out: frozenset[str] = frozenset()  # classes that are not in the means
    # Whether the F1 of a class is the harmonic mean H of its precision and recall. Means over folds or groups are at
    # most H, since H is concave; their weighted averages and sizes are not tested, unless all have the same rows.
    tied: bool = True
    same_rows: bool = False  # means are over runs on the same rows, so that weighted averages are linear as well
    undefined: int = 0  # what a ratio with denominator 0 counts as
    complete: bool = False  # `labels` are known to be all classes; otherwise that is assumed as long as it fits
    by_tool: bool = False  # a tool printed it as one table, with a row per class; its total is the sum of the sizes
    # Whether figures follow from whole numbers of rows; not so if rows have weights, or if averages were computed from
    # rounded figures.
    whole: bool = True

    def without(self, key: Key) -> Report:
        """Return the report with one figure left out."""
        return self.only(other for other in self.figures if other != key)

    def only(self, keys: Iterable[Key]) -> Report:
        """Return the report with these figures only."""
        return replace(self, figures={key: self.figures[key] for key in keys if key in self.figures})

    def bounds(self, label: str | None, kind: str) -> Interval:
        """Return the range of one figure, unrestricted if it was not published."""
        figure = self.figures.get((label, kind))
        return ANY if figure is None else figure.bounds

    def rough(self, label: str | None, kind: str) -> Any:
        """Return the range of one figure as floats, a little wider."""
        figure = self.figures.get((label, kind))
        return _ROUGHLY_ANY if figure is None else figure.rough

    def loose(self, label: str | None, kind: str) -> Any:
        """Return the range of one figure as floats, wider by a unit and single precision: however it was shortened."""
        figure = self.figures.get((label, kind))
        more = 0.0 if figure is None else float(figure.unit) + _SINGLE_PRECISION
        low, high = self.rough(label, kind)
        return max(0.0, low - more), min(1.0, high + more)

    def counted(self, label: str, kind: str) -> Interval | None:
        """Return precision, recall or F1 of a class whose counts are given, as both ends of an interval."""
        if label not in self.errors:
            return None
        tp, fp, fn = self.errors[label]
        part, whole = {"precision": (tp, tp + fp), "recall": (tp, tp + fn), "f1": (2 * tp, 2 * tp + fp + fn)}[kind]
        return (Fraction(part, whole) if whole else Fraction(self.undefined),) * 2

    def column(self, kind: str) -> list[Interval] | None:
        """Return a figure of every class, from counts or as printed; None if a class has neither."""
        if any(label not in self.errors and (label, kind) not in self.figures for label in self.labels):
            return None
        return [self.counted(label, kind) or self.bounds(label, kind) for label in self.labels]

    @property
    def averaged(self) -> Sequence[int]:
        """The positions of the classes in the means; those without figures come last."""
        places, gone = range(self.n_classes or len(self.labels)), self.left_out
        return [place for place in places if not gone.intersection(self.labels[place : place + 1])] if gone else places

    @property
    def all_sizes(self) -> tuple[int, ...] | None:
        """The class sizes, if every class has one."""
        sizes = tuple(size for size in self.sizes if size is not None)
        return sizes if sizes and len(sizes) == self.n_classes else None


@dataclass(slots=True)
class Feasible:
    """What the figures other than the macro F1 allow; if all possible counts are listed, only the last two ranges."""

    ratios: dict[str, list[Interval]] = field(default_factory=dict)  # of every class, also of those without figures
    macro_precision: Interval = ANY
    macro_recall: Interval = ANY
    averaged_f1: Interval = ANY
    f1_of_averages: Interval = ANY
    broken: str | None = None  # why nothing is possible, in words


def meet(left: Interval, right: Interval) -> Interval:
    """Return the intersection; empty if its first end is larger than its second."""
    low, high = left
    return right[0] if right[0] > low else low, right[1] if right[1] < high else high


def empty(interval: Interval) -> bool:
    """Whether an interval is empty."""
    return interval[0] > interval[1]


def narrow(report: Report, room: Feasible | None = None, *, rough: bool = False) -> Feasible:
    """Narrow every quantity until nothing changes or an interval is empty; `room` is what is known already.

    In floats (`rough`) this is much faster than in fractions, and still a proof: intervals start out wider by 1e-9, and
    each step is monotone, so that errors below 1e-14 rule out nothing possible.
    """
    if room is None:
        room = unnarrowed(report, rough=rough)
    room.broken = (
        totals_broken(report)
        or (_narrow_classes(report, room) if room.ratios else None)
        or _narrow_macro(report, room)
        or _averages_broken(report, room)
    )
    return room


def surely_broken(report: Report) -> bool:
    """Whether floats already show that the figures with the macro F1 are inconsistent."""
    room, printed = narrow(report, rough=True), report.rough(None, "f1")
    return room.broken is not None or all(empty(meet(one, printed)) for one in (room.averaged_f1, room.f1_of_averages))


def unnarrowed(report: Report, *, rough: bool = False) -> Feasible:
    """Return the range that every figure gives by itself, in fractions or in floats."""
    bounds, unknown = (report.rough, _ROUGHLY_ANY) if rough else (report.bounds, ANY)
    room = Feasible(macro_precision=bounds(None, "precision"), macro_recall=bounds(None, "recall"))
    if report.labels:
        without = [unknown] * ((report.n_classes or 0) - len(report.labels))
        room.ratios = {kind: [bounds(label, kind) for label in report.labels] + without for kind in RATIOS}
        for place, label in enumerate(report.labels):
            for kind in RATIOS if label in report.errors else ():
                both = _with_counts(report, label, kind)
                room.ratios[kind][place] = roughly(both) if rough else both
    return room


def _with_counts(report: Report, label: str, kind: str) -> Interval:
    """Intersect what a per-class figure and the counts of the class allow."""
    return meet(report.bounds(label, kind), report.counted(label, kind) or ANY)


def totals_broken(report: Report) -> str | None:
    """Check class sizes, accuracy, correct and total against each other."""
    return next(iter(_totals_conflict(report).values()), None)


def _totals_conflict(report: Report) -> dict[tuple[Key, ...], str]:
    """Return the first contradiction among the totals: the figures involved, and a sentence."""
    total, correct = report.figures.get((None, "total")), report.figures.get((None, "correct"))
    if total is None and correct is None:
        return {}
    accuracy, sizes = report.figures.get((None, "accuracy")), report.all_sizes
    n_rows = None if total is None else total.steps
    keys: tuple[Key, ...] = ((None, "total"),)
    if (report.single_label or report.by_tool) and sizes is not None and report.tied:
        # Sums of weights are printed rounded.
        apart = 0 if report.whole else (len(sizes) + 1) / 2
        if total is not None and abs(sum(sizes) - total.steps) > apart:
            return {keys: f"the class sizes add up to {sum(sizes)}, not to the total {total.text}"}
        n_rows, keys = sum(sizes), ()
    if n_rows is None or correct is None:
        return {}
    keys = (*keys, (None, "correct"))
    if correct.steps > n_rows:
        return {keys: f"{correct.text} correct rows are more than the total {n_rows}"}
    if accuracy is not None and n_rows:
        share = Fraction(correct.steps, n_rows)
        if empty(meet(accuracy.bounds, (share, share))):
            keys = (*keys, (None, "accuracy"))
            return {keys: f"{correct.text} of {n_rows} rows are not an accuracy of {accuracy.text}"}
    return {}


def _narrow_classes(report: Report, room: Feasible) -> str | None:
    columns = precision, recall, f1 = [room.ratios[kind] for kind in RATIOS]
    for place, label in enumerate(report.labels if report.errors else ()):
        for kind, column in zip(("precision", "recall", "F1"), columns, strict=True):
            if empty(column[place]):
                return f"{kind} of {label} does not go with its counts"
    places = report.averaged
    # The cache is for fractions only: an equal float would hit the same entry.
    narrowed = roughly_one_class if isinstance(precision[0][0], float) else one_class
    macro = [room.macro_precision, room.macro_recall]
    for _ in range(_ROUNDS):
        before = [*precision, *recall, *f1, *macro]
        for place, ends in enumerate(zip(precision, recall, f1, strict=True)):
            left = narrowed(*ends) if report.tied else mean_of_runs(*ends)
            if left is None:
                name = report.labels[place] if place < len(report.labels) else "a class without figures"
                return f"precision, recall and F1 of {name} cannot be true together"
            precision[place], recall[place], f1[place] = left
        for which, column in enumerate((precision, recall)):
            sums = _sums([column[place] for place in places])
            macro[which] = mean = meet(macro[which], (sums[0] / len(places), sums[1] / len(places)))
            if empty(mean):
                return f"macro {RATIOS[which]} is not the mean of the classes' {RATIOS[which]}"
            if sums[0] != sums[1]:  # each class gets what a mean that they can have leaves for it, given the others
                least_left, most_left = len(places) * mean[0] - sums[1], len(places) * mean[1] - sums[0]
                for place in places:
                    least, most = column[place]
                    column[place] = meet((least, most), (least_left + most, most_left + least))
        if before == [*precision, *recall, *f1, *macro]:
            break
    room.macro_precision, room.macro_recall = macro
    return None


# The search for corrections changes one figure at a time, and meets most classes again and again.
@lru_cache(maxsize=4096)
def one_class(p: Interval, r: Interval, f: Interval) -> tuple[Interval, Interval, Interval] | None:
    """Narrow precision, recall and F1 of one class against each other; None if nothing is left."""
    left = roughly_one_class(p, r, f)
    return None if left is None else (_outwards(left[0]), _outwards(left[1]), _outwards(left[2]))


def roughly_one_class(p: Interval, r: Interval, f: Interval) -> tuple[Interval, Interval, Interval] | None:
    """Return what `one_class` does, in floats or fractions."""
    free_p, free_r = is_any(p), is_any(r)
    if (free_p and free_r) or ((free_p or free_r) and is_any(f)):
        return p, r, f
    f = meet(f, (harmonic_mean(p[0], r[0]), harmonic_mean(p[1], r[1])))
    if f[0] > f[1]:
        return None
    p = meet(p, other_part(f, r))
    r = meet(r, other_part(f, p))
    return None if p[0] > p[1] or r[0] > r[1] else (p, r, f)


def mean_of_runs(p: Interval, r: Interval, f: Interval) -> tuple[Interval, Interval, Interval] | None:
    """Return what `one_class` does if the figures are means over runs: F1 is at most the harmonic mean."""
    f = meet(f, (lowest_averaged_f1(p[0], r[0]), harmonic_mean(p[1], r[1])))
    return None if f[0] > f[1] else (p, r, f)


def is_any(interval: Interval) -> bool:
    """Whether an interval is 0 to 1; numbers compare with integers much faster than floats with fractions."""
    return interval[1] == 1 and interval[0] == 0


def _outwards(interval: Interval) -> Interval:
    """Round long ends outwards, to keep sums over many classes fast; an interval that only grows proves the same."""
    low, high = interval
    return (
        low if low.denominator <= _FINEST else Fraction(math.floor(low * _FINEST), _FINEST),
        high if high.denominator <= _FINEST else Fraction(math.ceil(high * _FINEST), _FINEST),
    )


def conflicts(report: Report) -> list[set[Key]]:
    """Return the sets of figures that obviously contradict each other, whatever the others are: by floats."""
    found: list[set[Key]] = [set(keys) for keys in _totals_conflict(report)]
    counted = [label for label in report.labels if label in report.errors]
    found += [{(label, kind)} for label in counted for kind in RATIOS if empty(_with_counts(report, label, kind))]
    narrowed = roughly_one_class if report.tied else mean_of_runs
    for label in report.labels:
        if narrowed(*(report.rough(label, kind) for kind in RATIOS)) is None:
            found.append({(label, kind) for kind in RATIOS})
    if report.labels and report.n_classes == len(report.labels):
        averaged = [report.labels[place] for place in report.averaged]
        for kind in ("precision", "recall"):
            if empty(meet(report.rough(None, kind), mean_of([report.rough(label, kind) for label in averaged]))):
                found.append({(label, kind) for label in (None, *averaged)})
    return found


def mean_of(column: Sequence[Interval]) -> Interval:
    """Return the range of the mean of a column."""
    low, high = _sums(column)
    return low / len(column), high / len(column)


def _sums(column: Sequence[Interval]) -> Interval:
    (low, high), *rest = column
    for least, most in rest:
        low, high = low + least, high + most
    return low, high


def other_part(f: Interval, part: Interval) -> Interval:
    """Return the precision that F1 and recall allow, or the recall that F1 and precision allow."""
    below, above = 2 * part[1] - f[0], 2 * part[0] - f[1]
    low: Any = 0 if not f[0] else f[0] * part[1] / below if below > 0 else 2
    high: Any = min(1, f[1] * part[0] / above) if above > 0 else 1
    return low, high


def _narrow_macro(report: Report, room: Feasible) -> str | None:
    p, r = room.macro_precision, room.macro_recall
    top = harmonic_mean(p[1], r[1])
    n_classes = None if report.n_classes is None else len(report.averaged)
    averaged = (lowest_averaged_f1(p[0], r[0], n_classes if report.tied else None), top)
    if room.ratios:
        averaged = meet(averaged, mean_of([room.ratios["f1"][place] for place in report.averaged]))
    if n_classes == 2 and report.single_label and report.undefined == 0 and report.tied:
        (p_least, p_most), (r_least, r_most) = ((2 * low, 2 * high) for low, high in (p, r))
        if min(p_least, r_least) > 1:
            averaged = meet(averaged, (averaged[0], highest_binary_averaged_f1(p[1], r[1])))
        elif p_least > 1 > r_most or p_most < 1 < r_least:
            both = "macro precision and macro recall lie both above 0.5 or both below"
            return f"with two classes and one label per row, {both}"
    if empty(averaged):
        return "the classes' F1 scores do not go with macro precision and macro recall"
    room.averaged_f1 = averaged
    low = harmonic_mean(p[0], r[0])
    # The mean of several such scores lies between the mean F1 of the classes and the harmonic mean.
    room.f1_of_averages = (max(averaged[0], low) if report.tied else averaged[0], top)
    return None


def _averages_broken(report: Report, room: Feasible) -> str | None:
    """Check weighted and micro averages and accuracy against each other, and against the classes."""
    printed = {key[1] for key in report.figures if key[1] in _AVERAGES}
    if not printed:
        return None
    bounds = report.rough if isinstance(room.macro_precision[0], float) else report.bounds
    given = {kind: bounds(None, kind) for kind in printed}
    # Each is the share of gold labels that were found.
    same: list[str] = [kind for kind in ("weighted_recall", "micro_recall") if kind in given]
    if "accuracy" in given and (report.single_label or report.by_tool):
        # With one label per row, micro precision and micro F1 are the accuracy as well.
        whole = ("micro_precision", "micro_f1") if report.single_label and report.complete else ()
        same += ["accuracy", *(kind for kind in whole if kind in given)]
    for one, other in combinations(same, 2):
        if empty(meet(given[one], given[other])):
            return f"{_words(one)} is not {_words(other)}"
    for name in ("weighted", "micro"):
        p, r, f = (given.get(f"{name}_{kind}") for kind in RATIOS)
        if p is not None and r is not None and f is not None:
            top, tied = harmonic_mean(p[1], r[1]), name == "micro" and report.tied
            least = harmonic_mean(p[0], r[0]) if tied else lowest_averaged_f1(p[0], r[0])
            if empty(meet(f, (least, top))):
                return f"{name} F1 does not go with {name} precision and recall"
    if not room.ratios or not (report.tied or report.same_rows):
        return None
    for kind in RATIOS:
        names = [f"weighted_{kind}", *(same if kind == "recall" else ())]
        average = weighted_mean(report, room.ratios[kind])
        for name in names:
            if average is not None and name in given and empty(meet(given[name], average)):
                return f"{_words(name)} does not go with the {_words(kind)} of the classes"
    return None


def _words(kind: str) -> str:
    return kind.replace("_", " ").replace("f1", "F1")


def weighted_mean(report: Report, column: Sequence[Interval]) -> Interval | None:
    """Return the range of the mean of a column weighted by class sizes; None if unknown classes may have any share."""
    known = column[: len(report.labels)]
    if any(size is None for size in report.sizes):
        return None
    sizes, zero = [size or 0 for size in report.sizes], column[0][0] - column[0][0]
    total, listed = report.figures.get((None, "total")), sum(sizes)
    n_rows = listed if total is None else max(total.steps, listed)
    if not n_rows or (len(column) > len(known) and total is None):
        return None
    ends = []
    for end, sign in ((0, -1), (1, 1)):
        values = [each[end] for each in known]
        mean = sum((size * value for size, value in zip(sizes, values, strict=True)), zero) / (listed or 1)
        # Sums of weights are printed rounded to whole rows: the extreme mean, by Dinkelbach's method.
        while not report.whole and listed:
            rows = zip(sizes, values, strict=True)
            weights = [max(2 * size + (sign if value > mean else -sign), 0) for size, value in rows]
            better = sum((w * value for w, value in zip(weights, values, strict=True)), zero) / sum(weights)
            if sign * (better - mean) <= _DINKELBACH:
                break
            mean = better
        # What is not listed is anything from 0 to 1.
        ends.append((mean * listed + end * (n_rows - listed)) / n_rows)
    return ends[0], ends[1]
