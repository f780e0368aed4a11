"""What each real system would report as macro F1 on the same counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from macrof1.catalogue.reader import NamedConvention, conventions
from macrof1.convention import DEFAULT
from macrof1.counting.doubts import check_that_labels_meet, label_doubts
from macrof1.counts import AnyCounts, ClassCounts, Number, class_counts_of, plain_numbers
from macrof1.errors import EmptyError
from macrof1.labels import Label, label_text
from macrof1.message import Argument, Note
from macrof1.result import Result, plain
from macrof1.scoring.definitions import CLASS_SET_WORDS, KIND_NAMES, UNDEFINED_WORDS, mean_f_of_ratios
from macrof1.scoring.identification import PrintedNumber
from macrof1.scoring.macro import columns_of, met_convention, select
from macrof1.scoring.score_result import ScoreResult, row_notes, score_counts

MEASURE_NAMES: Final = {**KIND_NAMES, "positive_f1": "F1 of class 1 alone"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConventionScore(Result):
    """One system's macro F1.

    Attributes
    ----------
    value
        What it would print; None if undefined.
    n_classes
        How many classes it averages over.
    reason
        Formula, class set and undefined-ratio policy, in words.
    prints_it
        Whether it would print a given number; None if no number was given.
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
    """Every system's macro F1 on the same data.

    Attributes
    ----------
    scores
        In the order of the table of conventions.
    notes
        What a reader should know, such as a class set that was not given.
    """

    scores: tuple[ConventionScore, ...]
    notes: tuple[str, ...]

    @property
    def groups(self) -> list[tuple[float | None, list[ConventionScore]]]:
        """The scores grouped by value, largest group first; values equal up to rounding count as equal."""
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
        told = f"{printed.text} is what {', '.join(who)} would print."
        note = Note(told if who else f"No system would print {printed.text}.", code="prints_number")
        return ScoreConventionsResult(scores=scores, notes=(*self.notes, note))

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
            "note_codes": [getattr(note, "code", "") for note in self.notes],
        }


def reasons_of(members: Sequence[ConventionScore]) -> list[tuple[str, list[str]]]:
    """Return the reasons why systems print one value, each with its systems."""
    found: dict[str, list[str]] = {}
    for score in members:
        found.setdefault(score.reason, []).append(score.known.name)
    return list(found.items())


def score_conventions(counts: AnyCounts) -> ScoreConventionsResult:
    """Score the same counts as every real system in the table would."""
    tallied = class_counts_of(counts)
    notes: list[str] = [*counts.rows.notes]
    check_that_labels_meet(tallied)
    if tallied.over is None:
        # Rows left out and labels outside the class set are the same for every system.
        notes += [*label_doubts(tallied), *row_notes(tallied)]
    every = (system_score(known, tallied) for known in conventions())
    found = [score for score in every if score is not None]
    if tallied.n_listed is None and tallied.over is None:
        stand_in = "Some systems average over all declared classes; those seen stand in for them without "
        notes.append(Note(stand_in, Argument("labels"), ".", code="classes_not_declared"))
    nan = [score.known for score in found if _prints_nan(score.known, tallied)]
    for where, (reason, _) in _NAN.items():
        those = [each for each in nan if each.nan_where == where]
        who = [f"{each.name} ({each.nan_versions})" if each.nan_versions else each.name for each in those]
        notes += [Note(f"NaN is printed here by {' and '.join(who)}: {reason}.", code="prints_nan")] if who else []
    return ScoreConventionsResult(scores=tuple(found), notes=tuple(notes))


# When a system prints NaN, and whether that is so of (tp, predicted, actual) of the classes.
_NAN: Final[dict[str, tuple[str, Callable[[list[tuple[Number, Number, Number]]], bool]]]] = {
    "unpredicted": ("a class of the gold labels is never predicted", lambda rows: any(g and not p for _, p, g in rows)),
    "undefined": (
        "a class is never predicted, or never gold, or no row is right",
        lambda rows: not any(t for t, _, _ in rows) or any(bool(g) != bool(p) for _, p, g in rows),
    ),
    "unmatched": ("no row of some class is right", lambda rows: not all(t for t, _, _ in rows)),
    "all_wrong": ("no row is right", lambda rows: not any(t for t, _, _ in rows)),
}


def _prints_nan(known: NamedConvention, counts: ClassCounts) -> bool:
    if not known.nan_where:
        return False
    columns = columns_of(counts, DEFAULT)
    rows = list(zip(*map(plain_numbers, (columns.tp, columns.predicted, columns.actual)), strict=True))
    if known.nan_where == "undefined" and known.classes == "listed" and not all(g for _, _, g in rows):
        return True
    return _NAN[known.nan_where][1](rows)


def system_score(known: NamedConvention, counts: ClassCounts) -> ConventionScore | None:
    """Score counts as one system does; None if its row of the table does not apply to such data."""
    columns = columns_of(counts, DEFAULT)
    n_classes = len(columns)
    if known.classes in ("gold", "seen"):
        n_classes = len(columns.occurring(predicted=known.classes == "seen"))
    fits = known.fewest_classes <= n_classes and (known.most_classes is None or n_classes <= known.most_classes)
    lacks_positive = known.measure == "positive_f1" and _positive(counts.labels) is None
    of_units = counts.over is not None
    if bool(known.over) != of_units or not fits or lacks_positive or (not of_units and counts.task not in known.tasks):
        return None
    stands_in = counts.n_listed is None and known.classes == "listed"
    convention = met_convention(known.convention, counts.labels)
    result = score_counts(counts, convention=replace(convention, classes="union") if stands_in else convention)
    try:
        value, n_classes = _value(result, known.formula)
    except EmptyError:
        value, n_classes = None, 0
    if _prints_nan(known, counts) and not known.nan_versions:
        value = None
    reason = MEASURE_NAMES[known.formula]
    if known.over:
        empty = "" if convention.empty is None else f"; empty ones count as {convention.empty}"
        reason += f" over {n_classes} {known.over}; {UNDEFINED_WORDS[convention.undefined]}{empty}"
    elif known.formula not in ("accuracy", "positive_f1"):
        classes = "all declared classes (here: those seen)" if stands_in else CLASS_SET_WORDS[convention.classes]
        without = "".join(f" without {label_text(label)}" for label in convention.exclude)
        reason += f" over {n_classes}: {classes}{without}; {UNDEFINED_WORDS[convention.undefined]}"
    return ConventionScore(known=known, value=value, n_classes=n_classes, reason=reason)


def _positive(labels: Sequence[Label | None]) -> Label | None:
    """Return the positive label of two, as binary metrics choose it: 1, or true."""
    return next((label for label in labels if label_text(label).lower() in {"1", "true"}), None)


def _value(result: ScoreResult, measure: str) -> tuple[float | None, int]:
    if measure == "positive_f1":
        positive = _positive(result.counts.labels)
        return next((each.f1 for each in result.per_class if each.label == positive), None), 1
    if measure == "averaged_f1_of_ratios":
        found = mean_f_of_ratios(select(result.counts, result.convention), result.undefined)
        return (None if math.isnan(found) else found), result.n_classes
    value: float | None = getattr(result, measure)
    if isinstance(result.undefined, str):
        scores = columns_of(result.counts, result.convention).f(result.beta, result.undefined)
        return value, sum(not math.isnan(score) for score in plain_numbers(scores))
    return value, result.n_classes
