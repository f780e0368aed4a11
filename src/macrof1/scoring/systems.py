"""What each real system would call macro F1 on the same counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from macrof1.catalogue.reader import NamedConvention, conventions
from macrof1.convention import FORMULA_NAMES
from macrof1.counts import ClassCounts, HasClassCounts, class_counts_of
from macrof1.errors import EmptyError
from macrof1.message import Argument, Note
from macrof1.result import Result, plain
from macrof1.scoring.identification import PrintedNumber
from macrof1.scoring.result import ScoreResult, row_notes, score_counts


@dataclass(frozen=True, slots=True, kw_only=True)
class ConventionScore(Result):
    """One system's macro F1.

    Attributes
    ----------
    value
        What it would print; None where it is not defined.
    n_classes
        How many classes it averages over.
    reason
        Formula, class set and policy, in words.
    prints_it
        Whether it would print a number that was asked for; None where none was.
    """

    known: NamedConvention
    value: float | None
    n_classes: int
    reason: str
    prints_it: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {**self.known.to_dict(), "value": self.value, "n_classes": self.n_classes, "reason": self.reason,
            **({} if self.prints_it is None else {"prints_it": self.prints_it})}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreConventionsResult(Result):
    """Every system's macro F1 of the same data.

    Attributes
    ----------
    scores
        In the order of the table of conventions.
    notes
        What a reader should know, such as a class set that was not declared.
    """

    scores: tuple[ConventionScore, ...]
    notes: tuple[str, ...]

    @property
    def groups(self) -> list[tuple[float | None, list[ConventionScore]]]:
        """The scores grouped by value, the largest group first; equal up to rounding counts as equal."""
        by_value: dict[float | None, list[ConventionScore]] = {}
        for score in self.scores:
            by_value.setdefault(None if score.value is None else round(score.value, 12), []).append(score)
        found = [(members[0].value, members) for members in by_value.values()]
        return sorted(found, key=lambda group: (group[0] is None, -len(group[1]), -(group[0] or 0.0)))

    def marked(self, number: object) -> ScoreConventionsResult:
        """Mark the systems that would print a number, rounded or truncated to its decimals."""
        printed = PrintedNumber.read(number)
        scores = tuple(
            replace(score, prints_it=score.value is not None and printed.holds(score.value) is not None)
            for score in self.scores
        )
        who = [score.known.name for score in scores if score.prints_it]
        note = (
            f"{printed.text} is what {', '.join(who)} would print." if who else f"No system would print {printed.text}."
        )
        return ScoreConventionsResult(scores=scores, notes=(*self.notes, Note(note, code="prints_number")))

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "conventions": [score.to_dict() for score in self.scores],
            "groups": [
                {
                    "value": value,
                    "names": [score.known.name for score in members],
                    "reasons": [{"reason": reason, "names": names} for reason, names in reasons_of(members)],
                }
                for value, members in self.groups
            ],
            "notes": plain(self.notes),
        }


def reasons_of(members: Sequence[ConventionScore]) -> list[tuple[str, list[str]]]:
    """Return the reasons why systems print one value, each with the systems that have it."""
    found: dict[str, list[str]] = {}
    for score in members:
        found.setdefault(score.reason, []).append(score.known.name)
    return list(found.items())


def score_conventions(counts: ClassCounts | HasClassCounts) -> ScoreConventionsResult:
    """Score the same counts as every real system in the table would.

    Examples
    --------
    >>> import macrof1
    >>> counts = macrof1.count([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 3, 0], labels=range(5))
    >>> for value, members in score_conventions(counts).groups:
    ...     print(round(value, 4), *(score.known.name for score in members))  # doctest: +ELLIPSIS
    0.2333 scikit-learn pycm ignite ...
    0.2917 scikit-learn-nan torchmetrics torcheval river
    0.3889 weka semeval-2018-7
    0.5833 yardstick
    0.5 spark-mllib
    0.4333 scikit-learn-1
    """
    tallied = class_counts_of(counts)
    found = []
    # Rows left out, labels outside the class set: the same for every system.
    notes = row_notes(tallied)
    undeclared = tallied.n_listed is None
    for known in conventions():
        if tallied.task not in known.tasks:
            continue
        convention = known.convention
        stands_in = undeclared and convention.classes == "listed"
        if stands_in:
            convention = replace(convention, classes="union")
        result = score_counts(tallied, convention=convention)
        value, n_classes = _value(result, known.formula)
        reason = _reason(known, n_classes, stands_in)
        found.append(ConventionScore(known=known, value=value, n_classes=n_classes, reason=reason))
    if undeclared:
        notes.append(
            Note(
                "Some systems average over all declared classes; those seen stand in for them without ",
                Argument("labels"),
                ".",
                code="classes_not_declared",
            )
        )
    if _some_unpredicted(tallied):
        notes += [
            Note(
                f"{score.known.nan_where_unpredicted} print NaN here for {score.known.name}: a class of the gold "
                "labels is never predicted.",
                code="prints_nan",
            )
            for score in found
            if score.known.nan_where_unpredicted
        ]
    return ScoreConventionsResult(scores=tuple(found), notes=tuple(notes))


def _some_unpredicted(counts: ClassCounts) -> bool:
    inside = slice(counts.n_listed)
    return any(g and not p for g, p in zip(counts.actual[inside], counts.predicted[inside], strict=True))


def _value(result: ScoreResult, measure: str) -> tuple[float | None, int]:
    try:
        value: float = getattr(result, measure)
    except EmptyError:
        return None, 0
    if result.undefined == "drop_with_parts":
        return value, sum(record.f1 == record.f1 for record in result.per_class)
    if result.undefined == "drop":
        return value, sum(bool(record.actual or record.predicted) for record in result.per_class)
    return value, result.n_classes


CLASS_SET_WORDS = {
    "union": "classes seen in gold or predicted, or listed",
    "seen": "declared classes seen in gold or predicted",
    "gold": "classes seen in gold",
    "listed": "all declared classes",
}
MEASURE_NAMES = {**{str(formula): name for formula, name in FORMULA_NAMES.items()}, "weighted_f1": "weighted F1"}
UNDEFINED_WORDS = {
    0: "undefined ratios count as 0",
    1: "undefined ratios count as 1",
    "drop": "undefined ratios are left out",
    "drop_with_parts": "classes never gold or never predicted are left out",
}


def _reason(known: NamedConvention, n_classes: int, stands_in: bool) -> str:
    convention = known.convention
    name = MEASURE_NAMES.get(known.formula, known.formula)
    classes = "all declared classes (here: those seen)" if stands_in else CLASS_SET_WORDS[convention.classes]
    return f"{name} over {n_classes}: {classes}; {UNDEFINED_WORDS[convention.undefined]}"
