"""The innocent explanations of figures that do not fit, each tested on its own, the simplest first.

By default, each row has one label, undefined ratios count as 0, every printed row is in the means, no class is missing
from the table, and every figure is one run's, rounded once. Figures contradict each other only if no explanation that
drops one of these assumptions fits; which ones were tried is part of every result.

Whole numbers of rows prove nothing in the end, since rows may have had weights: a contradiction is one of real numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Literal

from macrof1.auditing.audit_results import Explanation
from macrof1.auditing.feasible import Feasible, Report, empty, mean_of, mean_of_runs, meet, surely_broken
from macrof1.auditing.lookalikes import Definition, definitions_by_counts, other_definitions
from macrof1.auditing.printed_figures import RATIOS, Figure, Key, read_count
from macrof1.auditing.repairs import MACRO_F1, Outcome, assess, tried
from macrof1.bounding.closed_forms import harmonic_mean
from macrof1.convention import FORMULAS
from macrof1.errors import counted, quote_some

_MOST_SUBSETS = 120
_MOST_ZERO_ROWS = 5
_MORE_CLASSES = (1, 2, 3, 5, 10, 30, 100)
_MOST_ZEROS = 20
_LIKELY = Fraction(1, 1000)
# A class with fewer rows than this may be absent from one of ten folds.
_FEW_ROWS = 10
# Above what ends that are wider by 1e-9 add to a harmonic mean.
_CLEAR = 1e-8

_CONDITIONS = {
    "several_labels": "rows have several labels, or labels outside the classes",
    "undefined_as_1": "undefined ratios count as 1",
    "support_0": "rows without support are left out of the means",
    "definition": "the macro figures are weighted or micro averages, accuracy or balanced accuracy",
    "truncated": "figures were truncated, not rounded",
    "rounded_twice": "figures were rounded twice, or computed in single precision",
    "fewer_classes": "the means leave out one or two classes",
    "rows_without_support_cut": f"1 to {_MOST_ZERO_ROWS} rows with support 0 were cut",
    "rows_cut": "other rows were cut",
    "weights": "rows have weights, or averages were computed from rounded figures",
    "means_over_folds": "the figures are means over folds, seeds or groups",
    "means_over_folds_rows_cut": f"the figures are such means, and 1 to {_MOST_ZERO_ROWS} rows with support 0 were cut",
    "folds_without_a_class": "the figures are means over folds, and some fold lacks a class",
}
"""What each explanation says, to follow "fits if"; one of several variants has words of its own if it fits."""

_LOOSE = ("means_over_folds", "folds_without_a_class", "rows_", "fewer_classes")
"""How the names begin of explanations that change the classes, or what is averaged."""

_HOW = {"": "", "twice": ", and figures were rounded twice", "truncated": ", and figures were truncated"}


@dataclass(frozen=True, slots=True)
class Reading:
    """A report read under another assumption, and what the figures then allow."""

    name: str
    condition: str  # follows "fits if"
    report: Report
    outcome: Outcome
    over: str | None = None  # the classes averaged over, if not all printed ones: "the 8 classes with support"
    definition: Definition | None = None  # what gives the macro figures, if it is neither formula

    @property
    def loose(self) -> bool:
        """Whether it gives the macro figures so much room that a wrong figure may fit by chance."""
        return self.name.startswith(_LOOSE)

    @property
    def explanation(self) -> Explanation:
        """The explanation as a result shows it; one that fails stands for all of its kind."""
        if self.outcome.consistent:
            return Explanation(name=self.name, condition=self.condition, fits=True)
        name = self.name
        if name not in _CONDITIONS:
            name = name.removesuffix("_twice").removesuffix("_truncated")
        return Explanation(name=name, condition=_CONDITIONS.get(name, self.condition), fits=False)


def ladder(report: Report, *, free: bool, of_runs: bool | Literal["seeds"] | None = None) -> Iterator[list[Reading]]:
    """Yield the explanations of a contradictory report stage by stage, the simplest first.

    `free` says that one label per row is an assumption, not a fact; `of_runs` that words around the report call its
    figures means over folds, or over "seeds", which have one test set and so the same classes and sizes.
    """
    # Printed counts of rows are neither weights nor means; but next to means there may be counts of all folds.
    exact = (None, "correct") in report.figures or bool(report.errors)
    several = free and report.single_label and not (report.by_tool and (None, "accuracy") in report.figures)
    if of_runs:
        report = replace(report, same_rows=of_runs == "seeds")
        yield _runs(report, "")
    if of_runs is True:
        yield _folds_without_a_class(report, None)
    for how, again in _reprints(report):
        loose = replace(again, single_label=False) if several else again
        if several:
            yield [_reading("several_labels", loose, how)]
        yield list(_empty_classes(again, loose, how))
        if not how and not exact and _looks_like_means(report):
            yield _runs(report, how)
        yield _definitions(again, loose, how)
        if not how:
            other = {"truncated": "truncated", "rounded_twice": "twice"}
            yield [_reading(name, reprinted(report, way) or report) for name, way in other.items()]
            if not report.by_tool:
                yield list(_fewer(report))
        yield list(_zero_rows(again, how))
        yield list(_more(again, how))
        if not exact:
            yield [_reading("weights", replace(again, whole=False), how)]
            yield _runs(again, how)
    sizes = zip(report.labels, report.sizes, strict=True)
    small = frozenset(label for label, size in sizes if size is not None and size < _FEW_ROWS)
    if small and not exact and not report.same_rows:
        yield _folds_without_a_class(report, small)
    yield list(_other_betas(report))


def hopeless(report: Report) -> tuple[Explanation, ...]:
    """Return all explanations, excluded at once, if a class or the macro figures contradict themselves under every one.

    However figures were shortened or averaged, F1 is at most the harmonic mean of precision and recall, unless it is
    F-beta with another beta; a macro F1 could also be the macro recall, or another number that counts of rows give.
    """
    rows: tuple[str | None, ...] = report.labels
    low, high = report.loose(None, "f1")
    least, most = report.loose(None, "recall")
    if report.all_sizes is None and not report.errors and (high < least or low > most):
        rows = (None, *rows)
    broken = any(mean_of_runs(*(report.loose(label, kind) for kind in RATIOS)) is None for label in rows)
    if not broken or any(reading.outcome.consistent for reading in _other_betas(report)):
        return ()
    return tuple(Explanation(name=name, condition=words, fits=False) for name, words in _CONDITIONS.items())


def _reading(
    name: str, report: Report, how: str = "", *, condition: str | None = None, over: str | None = None
) -> Reading:
    """Test one reading of a report; combined with another way of rounding, in real numbers only."""
    condition = (condition or _CONDITIONS[name]) + _HOW[how]
    if how:
        name, report = f"{name}_{how}", replace(report, whole=False)
    return Reading(name, condition, report, tried(report), over)


def reprinted(report: Report, how: str) -> Report | None:
    """Return the report with every figure "truncated", or rounded "twice"; None if that changes nothing."""
    if not how:
        return report
    cut = {key: getattr(figure, how)() for key, figure in report.figures.items()}
    return None if all(cut[key] is figure for key, figure in report.figures.items()) else replace(report, figures=cut)


def _reprints(report: Report) -> list[tuple[str, Report]]:
    return [(how, again) for how in _HOW if (again := reprinted(report, how)) is not None]


def _empty_classes(report: Report, loose: Report, how: str = "") -> Iterator[Reading]:
    """Leave classes without gold rows out of the means, count undefined ratios as 1, or both."""
    undefined = any(_looks_undefined(report, *row) for row in zip(report.labels, report.sizes, strict=True))
    if undefined:
        over = "the classes, undefined ratios as 1"
        yield _reading("undefined_as_1", replace(loose, undefined=1), how, over=over)
    for absent in _absent(report):
        over = f"the {counted(len(report.labels) - len(absent), 'class', 'classes')} with support"
        for value in (0, 1) if undefined else (0,):
            variant = replace(loose, left_out=absent, undefined=value)
            yield _reading("support_0", variant, how, condition=f"the means are over {over}", over=over)


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


def _looks_like_means(report: Report) -> bool:
    """Whether the F1 of some class lies below the harmonic mean of its precision and recall, and none above."""
    below = 0
    for label in report.labels:
        p, r, f = (report.rough(label, kind) for kind in RATIOS)
        if all((label, kind) in report.figures for kind in RATIOS):
            if f[0] > harmonic_mean(p[1], r[1]) + _CLEAR:
                return False
            below += f[1] < harmonic_mean(p[0], r[0]) - _CLEAR
    return below > 1 or (below == 1 and all((None, kind) in report.figures for kind in RATIOS))


def _as_means(report: Report) -> Report:
    return replace(report, tied=False, single_label=False, undefined=1, errors={}, whole=False)


def _runs(report: Report, how: str) -> list[Reading]:
    """Take the figures for means over runs; also with rows without support cut from the table."""
    means, over = _as_means(report), "folds or groups"
    found = [_reading("means_over_folds", means, how, over=over)]
    if not found[0].outcome.consistent:
        for cut, words in _with_zero_rows(means):
            condition = f"{found[0].condition}, and {words}"
            found.append(_reading("means_over_folds_rows_cut", cut, how, condition=condition, over=over))
    return found


def _folds_without_a_class(report: Report, small: frozenset[str] | None) -> list[Reading]:
    """Test classes and macro figures apart: a fold that lacks a class, if any of `small`, averages over others."""
    found = []
    for how, again in _reprints(report):
        means = _as_means(again)
        macro = means.only(key for key in means.figures if key[0] is None)
        of_macro = replace(macro, labels=(), sizes=(), n_classes=None)
        reading = _reading("folds_without_a_class", of_macro, how, over="folds or groups")
        classes = means.only(key for key in means.figures if key[0] is not None)
        if surely_broken(classes) or not (small is None or _means_fit_without(again, small)):
            broken = Outcome(Feasible(broken="the classes do not go with the macro figures"))
            reading = replace(reading, outcome=broken)
        found.append(reading)
    return found


def _means_fit_without(report: Report, small: frozenset[str]) -> bool:
    """Check macro figures that average over n classes in folds that have all, and over fewer where small ones lack."""
    n, tops = len(report.labels), []
    for kind in RATIOS:
        column = {label: report.rough(label, kind) for label in report.labels}
        least = sum(low for label, (low, _) in column.items() if label not in small) / n
        tops.append(min(1.0, sum(high for _, high in column.values()) / max(1, n - len(small))))
        low, high = report.rough(None, kind)
        # The macro F1 may be F1 of averages, which is at most the harmonic mean.
        top = tops[-1] if kind != "f1" else max(tops[-1], harmonic_mean(tops[0], tops[1]))
        if high < least or low > top:
            return False
    return True


def _definitions(report: Report, loose: Report, how: str) -> list[Reading]:
    """Find other averages that go by the name macro, if the figures of the classes are consistent on their own."""
    for each in (report, loose) if loose is not report else (report,):
        each = replace(each, whole=False) if how else each
        of_classes = tried(each.only(key for key in each.figures if key[0] is not None or key[1] not in RATIOS))
        if not of_classes.consistent:
            continue
        parts = tried(each.without(MACRO_F1)).consistent
        known = [definition for definition in other_definitions(each) if parts or definition.weighs]
        if not known and parts and not how and len(of_classes.solutions or ()) == 1:
            known = definitions_by_counts(each, *of_classes.solutions or ())
        if known:
            outcome, name = Outcome(of_classes.room), "the macro figures are {}" + _HOW[how]
            return [Reading("definition", name.format(one.name), each, outcome, definition=one) for one in known]
    none = Outcome(Feasible(broken="no other average gives the macro figures"))
    return [Reading("definition", _CONDITIONS["definition"], report, none)]


def _rows_may_be_cut(report: Report) -> bool:
    return bool(report.labels) and report.n_classes == len(report.labels) and not report.complete


def _with_zero_rows(report: Report) -> Iterator[tuple[Report, str]]:
    """Add more and more classes that are never gold, and have 0 everywhere; also say so in words."""
    zero = read_count(0, "a row that was cut")
    sized = any(size is not None for size in report.sizes)
    for number in range(1, _MOST_ZERO_ROWS + 1) if _rows_may_be_cut(report) else ():
        names = tuple(f"row cut {place}" for place in range(1, number + 1))
        zeros: dict[Key, Figure] = {(name, kind): zero for name in names for kind in RATIOS}
        labels, sizes = report.labels + names, (*report.sizes, *((0 if sized else None,) * number))
        figures = {**report.figures, **zeros}
        more = replace(report, figures=figures, labels=labels, sizes=sizes, n_classes=len(labels))
        yield more, "a row with support 0 was cut" if number == 1 else f"{number} rows with support 0 were cut"


def _zero_rows(report: Report, how: str) -> Iterator[Reading]:
    """Add classes with support 0, which are in the macro averages, but whose rows were cut."""
    over = f"more classes than the {len(report.labels)} printed"
    for cut, condition in _with_zero_rows(report):
        yield _reading("rows_without_support_cut", cut, how, condition=condition, over=over)


def _fewer(report: Report) -> Iterator[Reading]:
    """Leave one or two classes out of the means if all macro figures then fit."""
    given = [kind for kind in RATIOS if (None, kind) in report.figures]
    if report.n_classes != len(report.labels) or len(given) < 2:
        return
    sizes = [size for size in (1, 2) if len(report.labels) > size + 1]
    subsets = [frozenset(some) for size in sizes for some in combinations(report.labels, size)]
    for left_out in subsets[:_MOST_SUBSETS]:
        kept = [label for label in report.labels if label not in left_out]
        # Quickly: can the column means without some classes be the macro precision and recall?
        if not any(
            empty(meet(report.bounds(None, kind), mean_of([report.bounds(label, kind) for label in kept])))
            for kind in ("precision", "recall")
        ):
            names = quote_some(sorted(left_out))
            variant = replace(report, left_out=left_out, single_label=False)
            over = f"the classes without {names}"
            yield _reading("fewer_classes", variant, condition=f"the means leave out {names}", over=over)


def _more(report: Report, how: str = "") -> Iterator[Reading]:
    """Add unprinted classes with support: only if no total is printed, or it exceeds the sum of the supports."""
    total = report.figures.get((None, "total"))
    sizes = [size for size in report.sizes if size is not None]
    if total is not None and len(sizes) == len(report.labels) and total.steps <= sum(sizes):
        return
    over = f"more classes than the {len(report.labels)} printed"
    for extra in _MORE_CLASSES if _rows_may_be_cut(report) else ():
        variant = replace(report, n_classes=len(report.labels) + extra, single_label=False)
        yield _reading("rows_cut", variant, how, condition=f"{counted(extra, 'row was', 'rows were')} cut", over=over)


def _other_betas(report: Report) -> Iterator[Reading]:
    """Take F1 for F-beta with another beta, if that fits every class; the macro F is then tested as a mean only."""
    rows = [label for label in report.labels if all((label, kind) in report.figures for kind in RATIOS)]
    for beta in (Fraction(1, 2), Fraction(2)) if len(rows) > 1 else ():
        square = beta * beta
        fits = True
        for label in rows:
            p, r, f = (report.bounds(label, kind) for kind in RATIOS)
            low, high = (
                (1 + square) * p[end] * r[end] / (square * p[end] + r[end]) if p[end] and r[end] else Fraction(0)
                for end in (0, 1)
            )
            fits &= not empty(meet(f, (low, high)))
        if fits:
            plain = replace(report, tied=False, whole=False, single_label=False, errors={})
            # The macro F is the mean of the classes' F, or F-beta of the averages; only the former is tested.
            keys = [key for key in plain.figures if key != MACRO_F1 and (key[0] is None or key[1] != "f1")]
            name = f"F{float(beta):g}"
            yield Reading(f"f_beta_{float(beta):g}", f"F1 is {name}", plain, tried(plain.only(keys)), name)


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


def rests_on_one_label(report: Report, outcome: Outcome) -> bool:
    """Whether a verdict needs one label per row, which no accuracy or correct rows confirm; totals may count labels."""
    if not report.single_label or any((None, kind) in report.figures for kind in ("accuracy", "correct")):
        return False
    return assess(replace(report, single_label=False)).fits != outcome.fits


def rests_on_empty_classes(report: Report, outcome: Outcome, *, free: bool) -> bool:
    """Whether the other formula would fit if classes without support were left out or undefined ratios counted as 1."""
    loose = replace(report, single_label=False) if free and report.single_label else report
    return _other_formula(outcome, _empty_classes(report, loose))


def _other_formula(outcome: Outcome, readings: Iterable[Reading]) -> bool:
    others = (reading.outcome for reading in readings)
    return any(other.consistent and set(other.fits) - set(outcome.fits) for other in others)


def rests_on_all_classes(report: Report, outcome: Outcome) -> bool:
    """Whether a verdict holds only if no class is missing, with nothing to confirm that none is.

    Macro figures that equal the means of the rows confirm it, given enough decimals: see `_chance`. If the class sizes
    add up to the total, only classes with support 0 can be missing.
    """
    if not report.labels or report.complete or report.n_classes is None:
        return False
    total, sizes = report.figures.get((None, "total")), report.all_sizes
    if total is not None and sizes is not None and total.steps == sum(sizes):
        return _other_formula(outcome, _zero_rows(report, ""))
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
    widths = []
    for kind in RATIOS:
        column = report.column(kind)
        if (None, kind) not in report.figures or (column is None and kind != "f1"):
            continue
        fitting = getattr(outcome.room, formula) if kind == "f1" else mean_of(column or [])
        widths.append(sum((high - low for low, high in (report.bounds(None, kind), fitting)), Fraction(0)))
    smallest = sorted(min(Fraction(1), (len(report.labels) + 1) * width) for width in widths)[:2]
    return math.prod(smallest, start=Fraction(1))
