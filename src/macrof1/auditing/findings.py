"""Describe what is wrong with a report."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from macrof1.auditing.assumptions import Reading
from macrof1.auditing.definitions import Definition
from macrof1.auditing.figures import Figure
from macrof1.auditing.intervals import Report
from macrof1.auditing.repairs import MACRO_F1, Outcome, Repair
from macrof1.auditing.result import AuditFinding
from macrof1.convention import FORMULA_NAMES, Formula


@dataclass(frozen=True, slots=True)
class Examined:
    """A report and its outcome; if it is contradictory, also what explains it, repairs it, or is wrong with it."""

    report: Report
    outcome: Outcome
    blamed: list[Repair] = field(default_factory=list)
    conflicting: list[list[Figure]] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    cut_fits: tuple[Formula, ...] = ()


def capital(words: str) -> str:
    """Capitalise the first letter of a sentence."""
    return words[0].upper() + words[1:]


def finding_of(examined: Examined, blamed: list[Repair], usual: Formula | None) -> AuditFinding:
    """Describe what is wrong, and which corrections would repair it."""
    report, outcome = examined.report, examined.outcome
    published = report.figures.get(MACRO_F1)
    broken = outcome.room.broken or f"neither formula gives the macro F1 {published.text if published else ''}"
    if not blamed:
        sets = examined.conflicting
        wrong = ": " + ", and ".join(_one_is_wrong(figures) for figures in sets) if sets else ""
        return AuditFinding(
            kind="contradiction",
            figure=None,
            published=None,
            correction=None,
            alternatives=(),
            message=f"{capital(broken)}, and no single correction repairs the report{wrong}.",
            conflicting=tuple(tuple(figure.name for figure in figures) for figures in sets),
        )
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


def _one_is_wrong(figures: list[Figure]) -> str:
    named = [f"{figure.name} {figure.text}" for figure in figures]
    return f"at least one of {', '.join(named[:-1])} and {named[-1]} is wrong" if named[1:] else f"{named[0]} is wrong"


def _inside(repair: Repair) -> bool:
    """Whether the range of corrections includes the printed figure."""
    printed = repair.figure.printed(repair.figure.steps)
    low, high = repair.low, repair.high
    return (low is None or Decimal(low) <= Decimal(printed)) and (high is None or Decimal(printed) <= Decimal(high))


def _in_words(repair: Repair, usual: Formula | None) -> str:
    as_others = ", as in the other rows" if usual is not None and repair.formula == usual else ""
    remarks = [f"{FORMULA_NAMES[repair.formula]}{as_others}"] if repair.formula else []
    if repair.correction is None:
        should = "may be wrong"
        remarks.append("which value should stand there is open")
    elif repair.low == repair.high:
        should = f"should be {repair.correction}"
    elif _inside(repair):
        # The range may have holes, or other figures may narrow it further: it must not include the printed figure.
        should = f"should be {repair.correction}"
        remarks.append("the smallest change")
    else:
        should = f"should lie between {repair.low} and {repair.high}"
        if repair.high is None:
            should = f"should be at least {repair.low}"
        remarks.append(f"the smallest change is {repair.correction}")
    return f"{repair.figure.name} {repair.figure.text} {should}" + (f" ({'; '.join(remarks)})" if remarks else "")
