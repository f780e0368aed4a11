"""Audit published figures: which macro F1 they report, whether they are consistent, and how to correct them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from macrof1.auditing import explanations, repairs
from macrof1.auditing.audit_results import AuditFinding, AuditResult, Explanation, Status, Verdict
from macrof1.auditing.feasible import Report, empty, meet
from macrof1.auditing.lookalikes import other_definitions
from macrof1.auditing.printed_figures import Figure, Interval, Rounding
from macrof1.auditing.published import Published, not_tested, read_report
from macrof1.auditing.repairs import MACRO_F1, Outcome, Repair, assess, capital, tried
from macrof1.convention import FORMULA_NAMES, FORMULAS, Formula, Task
from macrof1.counts import ClassCounts
from macrof1.errors import counted
from macrof1.message import Argument, Note

SECONDS = 5.0  # how long an audit of one report may search for explanations

LOOKALIKES: dict[Verdict, str] = {
    "averaged_f1": "This rules out F1 of averages, but not every other definition: F1 averaged over "
    "folds, seeds or data sets, and F1 weighted by class size, can look the same.",
    "f1_of_averages": "This rules out averaged F1, but not every other definition: averages over "
    "folds, seeds or data sets, and averages weighted by class size, can look the same.",
}


@dataclass(frozen=True, slots=True)
class Examined:
    """A report and its outcome; if it does not fit as it stands, also what explains it or is wrong with it."""

    report: Report
    outcome: Outcome
    blamed: list[Repair] = field(default_factory=list)
    conflicting: list[list[Figure]] = field(default_factory=list)
    readings: list[explanations.Reading] = field(default_factory=list)  # the simplest explanations that fit
    considered: tuple[Explanation, ...] = ()  # all that were tried
    said: bool = False  # the text itself calls the figures means over folds, seeds or runs


def audit(
    *,
    precision: Any = None,
    recall: Any = None,
    f1: Any = None,
    n_classes: int | None = None,
    per_class: Mapping[str, Mapping[str, Any]] | None = None,
    support: Mapping[str, Any] | None = None,
    accuracy: Any = None,
    correct: Any = None,
    total: Any = None,
    percent: bool | None = None,
    decimals: int | Mapping[str, int] | None = None,
    rounding: Rounding = "round",
    task: Task | None = None,
) -> AuditResult:
    """Determine which macro F1 was published and whether the figures are consistent.

    All arithmetic is exact: every verdict other than ``"either"`` is a proof.

    Parameters
    ----------
    precision, recall, f1
        Macro precision, macro recall and macro F1, as printed: text (``"0.80"``: trailing zeros count), Decimals, or
        floats, whose shortest digits count.
    n_classes
        Number of classes; by default, the number in `per_class` and `support`.
    per_class
        Figures of each class: ``{"cat": {"precision": "0.81", "recall": "0.77", "f1": "0.79"}, …}``, or its counts:
        ``{"cat": {"tp": 8, "fp": 2, "fn": 4}, …}``.
    support
        Gold rows of each class: ``{"cat": 120, …}``. If every class has one, the audit also searches for the underlying
        counts.
    accuracy, correct, total
        Accuracy, number of correct rows, number of rows.
    percent
        Whether the figures are percentages; by default, they are if there is a % sign or a figure above 1.
    decimals
        Number of printed decimals, if trailing zeros were lost: for all figures, or by name
        (``"precision"``, ``"cat recall"``, …).
    rounding
        ``"round"``, ``"truncate"`` or ``"unknown"``.
    task
        ``"multiclass"``: one label per row, and all classes are listed; ``"multilabel"``: neither. By default, one
        label per row is assumed as long as the figures allow it, but never as the only basis for a verdict.

    Notes
    -----
    As long as the figures allow it, undefined ratios are assumed to count as 0, and the mean is assumed to be over
    exactly the listed classes. Figures with seven or more significant digits are read as floating-point numbers printed
    in full.

    Examples
    --------
    >>> result = audit(precision="0.2937", recall="0.2283", f1="0.2095")
    >>> result.verdict
    'averaged_f1'
    >>> print(result.reason)
    F1 of averages would be 0.256852 to 0.256954, not 0.2095; averaged F1 can be 0.000000 to 0.256954.
    """
    published = Published(
        macro={"precision": precision, "recall": recall, "f1": f1}, n_classes=n_classes,
        per_class={} if per_class is None else per_class, support={} if support is None else support, accuracy=accuracy,
        correct=correct, total=total, percent=percent, decimals=decimals, rounding=rounding, task=task,
    )  # fmt: skip
    return audit_published(published)


def audit_published(published: Published, *, of_runs: bool | Literal["seeds"] | None = None) -> AuditResult:
    """Audit what was published; `of_runs` says that the text calls it a mean over folds, or over "seeds"."""
    report, notes = read_report(published)
    free = published.task is None
    result = judge(examine(report, free=free, of_runs=of_runs), notes, free=free)
    if published.rounding != "round" or result.status == "contradicts itself" or result.verdict == "either":
        return result
    # Say so if the verdict would differ had the figures been truncated instead of rounded.
    cut = explanations.reprinted(report, "truncated")
    outcome = None if cut is None else assess(cut)
    if outcome is None or not outcome.consistent or outcome.fits == (result.verdict,):
        return result
    fitting = " and ".join(FORMULA_NAMES[name] for name in outcome.fits) or "together"
    words = f"If the figures were truncated instead of rounded, they would fit {fitting} ("
    note = Note(words, Argument("rounding", "truncate"), ").", code="truncated")
    return replace(result, notes=(*result.notes, note))


def examine(report: Report, *, free: bool = True, of_runs: bool | Literal["seeds"] | None = None) -> Examined:
    """Search for the simplest explanation that fits all figures; blame one only if all were tried and none does."""
    outcome = assess(report)
    if outcome.consistent:
        return Examined(report, outcome)
    deadline = time.monotonic() + SECONDS
    excluded = explanations.hopeless(report)
    considered = {explanation.name: explanation for explanation in excluded}
    for stage in explanations.ladder(report, free=free, of_runs=of_runs) if not excluded else ():
        fitting = [reading for reading in stage if reading.outcome.consistent]
        for reading in stage:
            if not reading.outcome.consistent:
                considered.setdefault(reading.explanation.name, reading.explanation)
        if fitting:
            tested = (*considered.values(), fitting[0].explanation)
            return Examined(report, outcome, readings=fitting, considered=tested, said=bool(of_runs))
        if time.monotonic() > deadline:
            words = "one of the explanations holds that there was no time to try"
            not_tried = Explanation(name="not_tried", condition=words, fits=None)
            return Examined(report, outcome, considered=(*considered.values(), not_tried))
    blamed = repairs.single_repairs(report, outcome)
    conflicting = [] if blamed else repairs.contradictions(report)
    return Examined(report, outcome, blamed, conflicting, considered=tuple(considered.values()))


def judge(
    examined: Examined, notes: tuple[str, ...] = (), *, usual: Formula | None = None, free: bool = True
) -> AuditResult:
    """Reach a verdict, which gives way to the `usual` one of the table's rows that fit as they stand."""
    report, outcome, blamed = examined.report, examined.outcome, examined.blamed
    findings: tuple[AuditFinding, ...] = ()
    status: Status = "fits"
    if examined.readings:
        report, outcome, status = examined.readings[0].report, explanations.together(examined.readings), "fits if"
        # What is no longer assumed.
        gone = {"n_classes_assumed"} if examined.readings[0].over else set()
        gone |= set() if report.single_label else {"one_label_assumed"}
        notes = tuple(note for note in notes if getattr(note, "code", None) not in gone)
    elif examined.considered and examined.considered[-1].fits is None:
        status = "fits if"
    elif not outcome.consistent:
        status = "contradicts itself"
        if usual is not None:
            blamed = sorted(blamed, key=lambda repair: repair.formula not in (None, usual))
        findings = (repairs.finding_of(report, outcome, blamed, examined.conflicting, usual),)
    published, figures = examined.report.figures.get(MACRO_F1), report.figures.values()
    verdict, reason, basis = _verdict(examined, outcome, blamed, published)
    if verdict in FORMULAS and len(outcome.fits) == 1:
        doubt, decides = _doubt(examined, report, outcome, free=free)
        if doubt is not None:
            verdict, reason, notes = "either", f"{reason} {doubt}", (*notes, *decides)
    if status != "fits" and usual is not None and verdict in FORMULAS and verdict != usual:
        verdict, reason = "either", f"{reason} But the rows that fit as they stand follow {FORMULA_NAMES[usual]}."
    if basis is not None and basis.room.broken is not None:
        basis = None
    solutions = None if basis is None else basis.solutions
    ranges: dict[Formula, Interval | None] = dict.fromkeys(FORMULAS)
    if basis is not None:
        ranges = {name: getattr(basis.room, name) for name in FORMULAS}
    other = counts = None
    if verdict in FORMULAS:
        rest = ranges[FORMULAS[1 - FORMULAS.index(verdict)]]
        if rest is not None and published is not None:
            steps = published.steps_of(rest)
            other = " to ".join(dict.fromkeys(map(published.printed, (steps[0], steps[-1]))))
        same = [definition.name for definition in other_definitions(report) if "possibly" not in definition.name]
        notes = (*notes, LOOKALIKES[verdict], *([f"The same figures fit {' and '.join(same)}."] if same else ()))
    if solutions is not None and len(solutions) == 1:
        tp, predicted, actual = solutions[0].tp, solutions[0].predicted, solutions[0].sizes
        counts = ClassCounts.of(report.labels, tp=tp, predicted=predicted, actual=actual, n_rows=sum(actual))
    return AuditResult(
        verdict=verdict,
        definition=definition_of(verdict, examined),
        reason=reason,
        status=status,
        explanations=examined.considered,
        findings=findings,
        not_tested=not_tested(report, counted=solutions is not None or outcome.room.broken is not None),
        notes=notes,
        published=None if published is None else published.text,
        decimals=published.decimals if published else max((figure.decimals for figure in figures), default=4),
        percent=any(figure.scale == 100 for figure in figures),
        averaged_f1=_floats(ranges["averaged_f1"]),
        f1_of_averages=_floats(ranges["f1_of_averages"]),
        other=other,
        counts=counts,
        n_solutions=None if solutions is None else len(solutions),
    )


def definition_of(verdict: Verdict, examined: Examined) -> str | None:
    """Name the definition of the macro F1, if it is neither formula over the printed classes."""
    if not examined.readings:
        return None
    reading = examined.readings[0]
    if reading.definition is not None:
        return reading.definition.name
    name = FORMULA_NAMES[verdict] if verdict in FORMULAS else "macro F1"
    if reading.name == "truncated":
        return f"{name} of truncated figures"
    return None if reading.over is None else f"{name} over {reading.over}"


def _doubt(examined: Examined, report: Report, outcome: Outcome, *, free: bool) -> tuple[str | None, tuple[Note, ...]]:
    """Return the assumption that a verdict depends on, as a sentence, and a note on how to settle it."""
    is_it = f"the macro F1 is {FORMULA_NAMES[outcome.fits[0]]} ("
    if examined.readings and examined.readings[0].loose and not examined.said:
        # A report that fits as it stands once one figure is left out makes a typo as good an explanation.
        left = (tried(examined.report.without(key)) for key in repairs.suspects(examined.report))
        if examined.outcome.room.broken is None or any(one.consistent for one in left):
            return f"But only if {examined.readings[0].condition}; one wrong figure would explain as much.", ()
    if not examined.readings and free and explanations.rests_on_one_label(report, outcome):
        told = Note(f"With one label per row {is_it}", Argument("task", "multiclass"), ").", code="one_label_decides")
        return "But only if every row has one label, which the figures do not say.", (told,)
    if not examined.readings and explanations.rests_on_empty_classes(report, outcome, free=free):
        return "But not if rows without support were left out of the means.", ()
    if explanations.rests_on_all_classes(report, outcome):
        n = report.n_classes or 0
        told = Note(f"If there are {n} classes, {is_it}", Argument("n_classes", n), ").", code="all_classes_decide")
        return "But only if no class is missing from the figures, which they do not show.", (told,)
    return None, ()


def _floats(interval: Interval | None) -> tuple[float, float] | None:
    return None if interval is None else (float(interval[0]), float(interval[1]))


def _verdict(
    examined: Examined, outcome: Outcome, blamed: list[Repair], published: Figure | None
) -> tuple[Verdict, str, Outcome | None]:
    """Return the verdict, its reason, and the outcome that it is based on."""
    definition = examined.readings[0].definition if examined.readings else None
    if definition is not None:
        plain = examined.outcome
        why = plain.room.broken or f"neither formula gives {published.text if published else ''}"
        return "neither", f"{definition.words}: as macro averages {why}.", plain
    if not examined.readings and examined.considered and examined.considered[-1].fits is None:
        return "either", "The figures do not fit as they stand, and there was no time to try every explanation.", None
    if outcome.room.broken is None:
        return (*_verdict_of(outcome, published), outcome)
    # Leave out each figure that can be blamed: a verdict needs the same answer every time.
    if not blamed:
        return "neither", f"The figures contradict each other: {outcome.room.broken}.", None
    verdicts = [_verdict_of(repair.without, published) for repair in blamed]
    left_out = f"Leaving out {blamed[0].figure.name} {blamed[0].figure.text}, which cannot be true with the others: "
    if len({verdict for verdict, _ in verdicts}) == 1:
        verdict, reason = verdicts[0]
        reason = reason if reason.startswith("F1") else reason[0].lower() + reason[1:]
        return verdict, left_out + reason, blamed[0].without
    return "either", f"The figures contradict each other ({outcome.room.broken}), and it is open which is wrong.", None


def _verdict_of(outcome: Outcome, published: Figure | None) -> tuple[Verdict, str]:
    room = outcome.room
    if published is None:
        return "either", "No macro F1 was given, so there is no formula to tell."
    shown = {name: published.shown(getattr(room, name)) for name in FORMULAS}
    text = published.text
    averaged, of_averages = (FORMULA_NAMES[name] for name in FORMULAS)
    if len(outcome.fits) == 1:
        fitting: Formula = outcome.fits[0]
        failing = FORMULAS[1 - FORMULAS.index(fitting)]
        would = f"{capital(FORMULA_NAMES[failing])} would be {shown[failing]}, not {text}"
        if not empty(meet(getattr(room, failing), published.bounds)) and outcome.n_tried:
            # The range consists of separate values, one per set of counts.
            several = counted(outcome.n_tried, "set of counts gives", "sets of counts give")
            would = f"{several} the other figures, and {FORMULA_NAMES[failing]} is {text} in none"
            would = f"{capital(would)} (it lies between {shown[failing].replace(' to ', ' and ')})"
        return fitting, f"{would}; {FORMULA_NAMES[fitting]} can be {shown[fitting]}."
    ranges = f"{averaged} can be {shown['averaged_f1']}, {of_averages} {shown['f1_of_averages']}"
    if outcome.fits:
        return "either", f"Both formulas can give {text}: {ranges}."
    return "neither", f"Neither formula gives {text}: {ranges}."
