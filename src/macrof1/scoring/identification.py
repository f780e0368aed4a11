"""Which definitions give a printed number: an answer to "which F1 is this?", from the data and the number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from numbers import Number
from typing import TYPE_CHECKING, Any, Literal

from macrof1.counting.doubts import GRAVE, check_that_labels_meet, label_doubts
from macrof1.counts import AnyCounts, GroupedCounts, class_counts_of
from macrof1.errors import InputError, counted
from macrof1.message import shown
from macrof1.reading.numbers import plain_number
from macrof1.result import Result
from macrof1.scoring.definitions import (
    KIND_NAMES,
    DefinedScore,
    definitions,
    group_definitions,
    named,
    rarer_values,
    unit_definitions,
    values_without_rows,
)

if TYPE_CHECKING:
    from macrof1.counting.confusion import Confusion

Reading = Literal["rounded", "truncated"]

# Values closer than this are the same number, however they were computed.
_SAME = 1e-12
_MOST_DECIMALS = 10_000
_NEAREST = 5
# The minus sign and the raised point that are printed in papers.
_TYPESET = str.maketrans({"\u2212": "-", "\u00b7": "."})


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number as printed, exactly, as a fraction of 1: what it could have been before it was rounded or truncated."""

    text: str
    value: Fraction
    decimals: int

    @classmethod
    def read(cls, number: object) -> PrintedNumber:
        """Read a number, a percentage, or text; a number above 1, or below -1, is a percentage."""
        known = isinstance(number, str | Number) and not isinstance(number, bool)
        text, size, decimals = "a very long number", Fraction(101), 0
        with suppress(ValueError):  # not a number, or one of more digits than Python prints
            text = str(number).strip() if known else shown(number)
            size, decimals = plain_number(text.translate(_TYPESET).removeprefix("-"))
        percent = text.endswith("%") or size > 1
        if size > 100 or decimals > _MOST_DECIMALS:
            raise InputError(
                f"{text[:40]!r} is not a score",
                argument="number",
                given=number,
                expected="a number as it was printed, such as 0.7123 or 71.23",
            )
        exact = (-size if text[0] in "-\u2212" else size) / (100 if percent else 1)
        return cls(text, exact, decimals + (2 if percent else 0))

    def holds(self, value: float) -> Reading | None:
        """Return how a value is printed as this number: rounded or truncated; None if it is not."""
        unit, away = Fraction(1, 10**self.decimals), Fraction(value) - self.value
        # Printing a float rounds its decimal digits: ties, and errors in the last bit, may go either way.
        slack = Fraction(1, 10**14)
        if abs(away) <= unit / 2 + slack:
            return "rounded"
        toward_zero = away if self.value >= 0 else -away
        return "truncated" if 0 <= toward_zero <= unit + slack else None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifyMatch(DefinedScore):
    """A definition that gives the printed number, or one of the nearest that do not.

    Attributes
    ----------
    definition, value, words
        As in `DefinedScore`.
    reading
        Whether the number is the value rounded or truncated; None if it is neither.
    """

    reading: Reading | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifyResult(Result):
    """Which definitions give a printed number on some data.

    Attributes
    ----------
    printed
        The number, and what it may have been before it was rounded or truncated.
    scores
        Every definition tried, with its value.
    matches
        Those that give the number: rounded ones first, those with the same value adjacent.
    notes
        Grave doubts about the data.
    """

    _keys = ("value", "matches", "nearest", "tried", "distinct", "expected_by_chance", "notes")

    printed: PrintedNumber
    scores: Sequence[DefinedScore] = field(repr=False)
    matches: tuple[IdentifyMatch, ...]
    notes: tuple[str, ...] = ()

    @property
    def value(self) -> str:
        """The number as printed."""
        return self.printed.text

    @property
    def nearest(self) -> tuple[IdentifyMatch, ...]:
        """The closest definitions among those that do not match, one for each value."""
        centre = float(self.printed.value)
        found: dict[int, IdentifyMatch] = {}
        for score in sorted(self.scores, key=lambda score: abs(score.value - centre)):
            if len(found) == _NEAREST:
                break
            if _rounded(score.value) not in found and self.printed.holds(score.value) is None:
                found[_rounded(score.value)] = _match(score, None)
        return tuple(found.values())

    @property
    def tried(self) -> int:
        """How many definitions were tried."""
        return len(self.scores)

    @property
    def distinct(self) -> int:
        """How many different values they have on this data."""
        return 1 + sum(b - a > _SAME for a, b in pairwise(sorted(score.value for score in self.scores)))

    @property
    def expected_by_chance(self) -> float:
        """How many other values would match if they were spread evenly between the smallest and the largest."""
        values = [score.value for score in self.scores]
        spread = max(values) - min(values)
        if spread <= _SAME:
            return 0.0
        # The interval of a printed number is one and a half units wide.
        return min(float(self.distinct), self.distinct * 1.5 * 10.0**-self.printed.decimals / spread)

    @property
    def groups(self) -> list[tuple[float, list[IdentifyMatch]]]:
        """The matches by value: definitions that agree on this data are grouped together."""
        found: list[tuple[float, list[IdentifyMatch]]] = []
        for match in self.matches:
            if found and abs(found[-1][0] - match.value) <= _SAME:
                found[-1][1].append(match)
            else:
                found.append((match.value, [match]))
        return found

    @property
    def summary(self) -> str:
        """One sentence: what matches, what distinguishes the matches, and how many to expect by chance."""
        groups = self.groups
        tried = f"{counted(self.tried, 'definition')} tried, with {counted(self.distinct, 'value')} on this data"
        if not groups:
            return f"No definition prints {self.value} ({tried}); the nearest is {self.nearest[0].words}."
        if len(groups) == 1:
            same = groups[0][1]
            told = f"{self.value} is {same[0].words}"
            if more := len(same) - 1:
                told += f"; on this data it cannot be told from {counted(more, 'other definition')} with the same value"
            return f"{told} ({tried})."
        apart = " and ".join(f"{members[0].words} ({value:.6f})" for value, members in groups[:3])
        return (
            f"{len(groups)} values print {self.value}: {apart}; more decimals would tell them apart "
            f"({tried}; about {self.expected_by_chance:.1f} expected by chance)."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        groups = [{"value": value, "definitions": [one.definition for one in same]} for value, same in self.groups]
        return {**Result.to_dict(self), "summary": self.summary, "groups": groups}


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifiedRow(Result):
    """One system of a leaderboard: which definitions give its macro F1; None and a note if that is not known."""

    name: str
    result: IdentifyResult | None
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        found = {} if self.result is None else self.result.to_dict()
        return {"name": self.name, **found, "note": self.note}


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifyTableResult(Result):
    """Which definitions give the macro F1 of every system of a leaderboard, in its order."""

    rows: tuple[IdentifiedRow, ...]

    _keys = ("rows", "definitions", "summary")

    @property
    def definitions(self) -> dict[str, int]:
        """How many rows each definition matches, most first."""
        every = (match.definition for row in self.rows if row.result is not None for match in row.result.matches)
        return dict(Counter(every).most_common())

    @property
    def summary(self) -> str:
        """One sentence: how many rows are identified, and what most of them are."""
        known = sum(row.result is not None for row in self.rows)
        told = f"The counts behind {known:,} of {counted(len(self.rows), 'row')} are determined"
        if not known:
            return f"{told}: class sizes and the figures of every class would determine them."
        most = next(iter(self.definitions.items()), None)
        return f"{told}; " + ("no definition prints any." if most is None else f"{most[0]} prints {most[1]:,} of them.")


def identify_counts(
    counts: AnyCounts,
    number: object,
    *,
    grouped: GroupedCounts | None = None,
    cells: Confusion | None = None,
    more: Sequence[DefinedScore] = (),
) -> IdentifyResult:
    """Find every definition that gives a printed number on these counts; groups, cells and `more` add definitions."""
    printed = PrintedNumber.read(number)
    tallied = class_counts_of(counts)
    if tallied.over is None:
        check_that_labels_meet(counts)
        scores = definitions(tallied)
        cells = counts.rows.confusion() if cells is None else cells
        if cells is not None:
            scores += map(named, values_without_rows(tallied, cells))
        scores += map(named, rarer_values(tallied))
    else:
        scores = unit_definitions(tallied)
    scores += more
    scores += group_definitions(grouped) if grouped is not None and grouped.groups else ()
    # Most values are far away: floats decide.
    centre, reach = float(printed.value), 10.0**-printed.decimals + _SAME
    near = [_match(score, printed.holds(score.value)) for score in scores if abs(score.value - centre) <= reach]
    found = sorted((match for match in near if match.reading), key=lambda match: _rarity(match.definition))
    # Rounded before truncated; those of one value stand together, at the place of the most common of them.
    firsts: dict[int, int] = {}
    for place, match in enumerate(found):
        firsts.setdefault(_rounded(match.value), place)
    matches = sorted(found, key=lambda match: (match.reading or "", firsts[_rounded(match.value)]))
    told = label_doubts(tallied) if tallied.over is None else ()
    doubts = [note for note in (*counts.rows.notes, *told) if note.code in GRAVE]
    return IdentifyResult(printed=printed, scores=scores, matches=tuple(matches), notes=tuple(doubts))


# How rare a definition is under the name macro F1, from reading public code: the formulas, the averages that are
# printed in their place, means over batches and groups, then what few people print.
_RARITY = {
    "averaged_f1": 0.0, "f1_of_averages": 1.0, "weighted_f1": 2.0, "micro_f1": 3.0, "accuracy": 3.5,
    "macro_recall": 5.0, "balanced_accuracy": 5.0, "macro_precision": 6.0, "averaged_f1_of_predicted_classes": 2.8,
    "weighted_f1_by_predictions": 6.0,
}  # fmt: skip
_BATCHES = (8, 16, 32, 64, 128, 256)


def _rarity(definition: str) -> float:
    """Return how rare a definition is: what it has beyond its formula makes it rarer."""
    kind, _, options = definition.partition("(")
    if kind in KIND_NAMES or kind.startswith("f1 of class "):
        return _RARITY.get(kind, 7.0) + 3 * (options.count("=") + options.count("without_rows="))
    if kind.startswith("mean over batches"):
        usual = any(kind.startswith(f"mean over batches of {size} ") for size in _BATCHES)
        return (2.5 if usual else 5.0) + (0 if definition.endswith(" of averaged_f1") else 2)
    return 1.5 + 3 * definition.count("=") + definition.count(" over ")


def _match(score: DefinedScore, reading: Reading | None) -> IdentifyMatch:
    return IdentifyMatch(definition=score.definition, value=score.value, words=score.words, reading=reading)


def _rounded(value: float) -> int:
    """Return the value in units of 1e-12; much sooner than `round` does."""
    return int(value * 1e12 + 0.5)
