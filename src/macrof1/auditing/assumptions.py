"""The assumptions behind a verdict, and what the figures say without them.

By default, each row has one label, undefined ratios count as 0, every printed row is in the means, and no class is
missing from the table. If the figures contradict each other only under one of these assumptions, it is dropped, and the
result says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations

from macrof1.auditing.feasible import Feasible, Report, conflicts, empty, is_any, mean_of, meet
from macrof1.auditing.printed_figures import RATIOS
from macrof1.auditing.repairs import MACRO_F1, Outcome, assess, tried
from macrof1.bounding.closed_forms import harmonic_mean
from macrof1.convention import FORMULAS
from macrof1.errors import counted, quote_some
from macrof1.message import Argument, Note

_EVIDENCE = ("accuracy", "correct", "total")
_MOST_SUBSETS = 120
_MOST_EXTRA = 3
_MOST_ZEROS = 20
_LIKELY = Fraction(1, 1000)
# Far above what ends that are wider by 1e-9 add to a harmonic mean.
_CLEAR = 1e-7


@dataclass(frozen=True, slots=True)
class Reading:
    """A report read under different assumptions.

    Attributes
    ----------
    note
        What was assumed instead, in a sentence.
    over
        The classes averaged over, if not all printed ones: "the 8 classes with support".
    """

    report: Report
    outcome: Outcome
    note: Note
    over: str | None = None


def other_readings(report: Report, *, free: bool) -> list[Reading]:
    """Return the readings that make a contradictory report consistent while dropping the fewest assumptions.

    `free` says that one label per row is an assumption, not a fact.
    """
    for stage in (_labels(report, free), _empty_classes(report, free), _folds(report, free)):
        found = [reading for reading in stage if reading.outcome.consistent]
        if found:
            return found
    return []


def other_class_sets(report: Report) -> list[Reading]:
    """Return the readings whose means are over fewer or more classes than those printed."""
    classes = [{label for label, _ in figures} for figures in conflicts(report)]
    if any(len(labels) == 1 and None not in labels for labels in classes):
        return []  # one class contradicts itself, whatever the class set
    return [reading for reading in (*_fewer(report), *_more(report)) if reading.outcome.consistent]


def rests_on_one_label(report: Report, outcome: Outcome) -> bool:
    """Whether a verdict holds only if every row has one label, with no printed figure to confirm it."""
    if not report.single_label or len(outcome.fits) != 1 or says_one_label(report):
        return False
    return assess(replace(report, single_label=False)).fits != outcome.fits


def rests_on_empty_classes(report: Report, outcome: Outcome, *, free: bool) -> bool:
    """Whether the other formula would fit if classes without support were left out or undefined ratios counted as 1."""
    readings = (reading.outcome for reading in _empty_classes(report, free))
    return any(other.consistent and set(other.fits) - set(outcome.fits) for other in readings)


def rests_on_all_classes(report: Report, outcome: Outcome) -> bool:
    """Whether a verdict holds only if no class is missing, with nothing to confirm that none is.

    Macro figures that equal the means of the rows confirm it, given enough decimals: see `_chance`.
    """
    total, sizes = report.figures.get((None, "total")), report.all_sizes
    counted_out = total is not None and sizes is not None and total.bounds[0] == sum(sizes)
    if not report.labels or report.complete or counted_out or report.n_classes is None:
        return False
    any_number = replace(report.only((None, kind) for kind in RATIOS), labels=(), sizes=(), errors={}, n_classes=None)
    if assess(replace(any_number, single_label=False, left_out=frozenset())).fits == outcome.fits:
        return False
    return report.n_classes > len(report.labels) or _chance(report, outcome) > _LIKELY


def _chance(report: Report, outcome: Outcome) -> Fraction:
    """Return the probability that the rows fit the macro figures by chance although classes are missing.

    One more class with value x shifts the mean by (x - mean) / (n + 1). The shift is invisible if x, anywhere in [0,
    1], is so close to the mean of the rows that both means print alike. F1 follows from precision and recall, so at
    most two figures count.
    """
    (formula,) = outcome.fits
    of_rows = {kind: column for kind in RATIOS if (column := report.column(kind)) is not None}
    widths = []
    for kind in RATIOS:
        if (None, kind) not in report.figures or (kind not in of_rows and kind != "f1"):
            continue
        fitting = getattr(outcome.room, formula) if kind == "f1" else mean_of(of_rows[kind])
        widths.append(sum((high - low for low, high in (report.bounds(None, kind), fitting)), Fraction(0)))
    smallest = sorted(min(Fraction(1), (len(report.labels) + 1) * width) for width in widths)[:2]
    return math.prod(smallest, start=Fraction(1))


def says_one_label(report: Report) -> bool:
    """Whether the report has figures that imply one label per row: accuracy, correct rows, a total."""
    return any((None, kind) in report.figures for kind in _EVIDENCE)


def truncated(report: Report) -> Report | None:
    """Return the report with every figure truncated instead of rounded; None if that changes nothing."""
    cut = {key: figure.truncated() for key, figure in report.figures.items()}
    return None if all(cut[key] is figure for key, figure in report.figures.items()) else report.of(cut)


def without_totals(report: Report) -> Report:
    """Return the report without accuracy, correct rows and total."""
    return report.only([key for key in report.figures if key not in {(None, kind) for kind in _EVIDENCE}])


def together(readings: list[Reading]) -> Outcome:
    """Combine several readings into one outcome: a verdict needs all of them to agree."""
    outcomes = [reading.outcome for reading in readings]
    if len(outcomes) == 1:
        return outcomes[0]
    room = Feasible(ratios=outcomes[0].room.ratios)
    for name in ("macro_precision", "macro_recall", *FORMULAS):
        ends = [getattr(outcome.room, name) for outcome in outcomes]
        setattr(room, name, (min(low for low, _ in ends), max(high for _, high in ends)))
    fits = tuple(name for name in FORMULAS if any(name in outcome.fits for outcome in outcomes))
    return Outcome(room, None, fits, outcomes[0].has_f1)


def _loose(report: Report, free: bool) -> Report:
    return replace(report, single_label=False) if free and report.single_label else report


def _read(report: Report, note: Note, over: str | None = None) -> Reading:
    return Reading(report, tried(report), note, over)


def _labels(report: Report, free: bool) -> Iterator[Reading]:
    if free and report.single_label:
        words = "Rows are assumed to have several labels, or labels outside the classes: with one label per row "
        yield _read(_loose(report, free), Note(words, "the figures contradict each other.", code="several_labels"))


def _empty_classes(report: Report, free: bool) -> Iterator[Reading]:
    """Leave classes without gold rows out of the means, count undefined ratios as 1, or both."""
    loose = _loose(report, free)
    undefined = any(map(partial(_looks_undefined, report), report.labels, report.sizes))
    if undefined:
        as_one = Note("Undefined ratios are assumed to count as 1, not as 0.", code="undefined_as_1")
        yield _read(replace(loose, undefined=1), as_one, "the classes, undefined ratios as 1")
    for absent in _absent(report):
        kept = len(report.labels) - len(absent)
        over = f"the {counted(kept, 'class', 'classes')} with support"
        words = f"Rows without support are assumed to be left out of the means, which are over {over}."
        left_out = Note(words, code="support_0")
        yield _read(replace(loose, left_out=absent), left_out, over)
        if undefined:
            yield _read(replace(loose, left_out=absent, undefined=1), left_out, over)


def _absent(report: Report) -> list[frozenset[str]]:
    """Return the classes that may have no gold rows: support 0, or no printed support and only zeros."""
    if any(size is not None for size in report.sizes):
        found = [label for label, size in zip(report.labels, report.sizes, strict=True) if size == 0]
        nested = [found] if found else []
    else:
        zeros = [label for label in report.labels if all(report.bounds(label, kind)[0] == 0 for kind in RATIOS)]
        zeros = [label for label in zeros if any((label, kind) in report.figures for kind in RATIOS)]
        # All-zero classes are interchangeable: only the number left out matters.
        nested = [zeros[:number] for number in range(1, min(len(zeros), _MOST_ZEROS) + 1)]
    return [frozenset(some) for some in nested if len(some) < len(report.labels)]


def _looks_undefined(report: Report, label: str, size: int | None) -> bool:
    """Whether a class may have a 0/0 ratio: never predicted but a precision of 1, no gold rows but a recall."""
    tp, fp, fn = report.errors.get(label, (1, 1, 1))
    if tp + fp == 0 or tp + fn == 0:
        return True
    precision, recall = report.bounds(label, "precision"), report.bounds(label, "recall")
    no_hits = recall[0] == 0 and (label, "recall") in report.figures
    return (precision[1] == 1 and no_hits) or (size == 0 and recall[1] == 1)


def _folds(report: Report, free: bool) -> Iterator[Reading]:
    """Treat the per-class figures as means over folds or groups: the F1 of a class then lies below H(P, R)."""
    below, above = _off(report)
    all_given = all((None, kind) in report.figures for kind in RATIOS)
    if above or not below or (below < 2 and not all_given):
        return
    words = (
        "F1 of a class lies below the harmonic mean of its precision and recall: the figures are assumed to be means "
    )
    yield _read(
        replace(_loose(report, free), tied=False, undefined=1),
        Note(words, "over folds, seeds or groups.", code="means_over_folds"),
        "folds or groups",
    )


def _off(report: Report) -> tuple[int, int]:
    """Count the classes whose F1 lies below and above the harmonic mean of precision and recall."""
    below = above = 0
    for label in report.labels:
        p, r, f = (report.rough(label, kind) for kind in RATIOS)
        if f[1] > harmonic_mean(p[0], r[0]) + _CLEAR and f[0] < harmonic_mean(p[1], r[1]) - _CLEAR:
            continue
        p, r, f = (report.bounds(label, kind) for kind in RATIOS)
        if is_any(p) or is_any(r) or is_any(f):
            continue
        below += f[1] < harmonic_mean(p[0], r[0])
        above += f[0] > harmonic_mean(p[1], r[1])
    return below, above


def _fewer(report: Report) -> Iterator[Reading]:
    """Leave one or two classes out of the means if all macro figures then fit."""
    given = [kind for kind in RATIOS if (None, kind) in report.figures]
    if report.n_classes != len(report.labels) or len(given) < 2:
        return
    subsets = [
        frozenset(some)
        for size in (1, 2)
        if len(report.labels) > size + 1
        for some in combinations(report.labels, size)
    ]
    for left_out in subsets[:_MOST_SUBSETS]:
        if _means_fit(report, left_out):
            names = quote_some(sorted(left_out))
            note = Note(
                f"The means are assumed to leave out {names}, which makes all macro figures fit.", code="subset"
            )
            yield _read(replace(report, left_out=left_out, single_label=False), note, f"the classes without {names}")


def _means_fit(report: Report, left_out: frozenset[str]) -> bool:
    """Check quickly whether the column means without some classes can be the macro precision and recall."""
    kept = [label for label in report.labels if label not in left_out]
    means = {kind: mean_of([report.bounds(label, kind) for label in kept]) for kind in ("precision", "recall")}
    return not any(empty(meet(report.bounds(None, kind), mean)) for kind, mean in means.items())


def _more(report: Report) -> Iterator[Reading]:
    """Add unprinted classes, unless accuracy is printed and macro precision and recall are the means of the rows."""
    if not report.labels or MACRO_F1 not in report.figures or report.n_classes != len(report.labels) or report.complete:
        return
    means_given = any((None, kind) in report.figures for kind in ("precision", "recall"))
    if says_one_label(report) and means_given and _means_fit(report, frozenset()):
        return
    over = f"more classes than the {len(report.labels)} printed"
    for extra in range(1, _MOST_EXTRA + 1):
        n_classes = len(report.labels) + extra
        unseen = "one class that is" if extra == 1 else f"{extra} classes that are"
        words = f"The rows do not have these means; with {unseen} not printed they could ("
        note = Note(words, Argument("n_classes", n_classes), ").", code="more_classes")
        yield _read(replace(report, n_classes=n_classes, single_label=False), note, over)
