"""Which definitions give a printed number: an answer to "which F1 is this?", from the data and the number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

from macrof1.counting.meeting import check_that_labels_meet
from macrof1.counts import ClassCounts, GroupedCounts, HasClassCounts, class_counts_of
from macrof1.errors import InputError, counted
from macrof1.message import Argument, Message, shown
from macrof1.result import Result, plain
from macrof1.scoring.definitions import (
    DefinedScore,
    HasCells,
    Value,
    Valued,
    group_definitions,
    values_of,
    values_without_rows,
)

Reading = Literal["rounded", "truncated"]

# Values closer than this are the same number, however they were computed.
_SAME = 1e-12
_MOST_DECIMALS = 10_000
_NO_SCORE = Decimal("inf")


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number as printed: what it could have been before it was rounded or truncated.

    Examples
    --------
    >>> PrintedNumber.read("71.23").decimals, PrintedNumber.read("0.7123").holds(0.71234)
    (4, 'rounded')
    """

    text: str
    value: Fraction
    decimals: int

    @classmethod
    def read(cls, number: object) -> PrintedNumber:
        """Read a number, a percentage, or text; a number above 1, or below -1, is a percentage."""
        text = (number if isinstance(number, str) else shown(number)).strip()
        try:
            value = Decimal(text.removesuffix("%").strip().replace(",", "."))
        except InvalidOperation:
            value = _NO_SCORE
        # Nobody prints this many digits.
        if not value.is_finite() or -int(value.as_tuple().exponent) > _MOST_DECIMALS:
            value = _NO_SCORE
        percent = text.endswith("%") or abs(value) > 1
        if isinstance(number, bool) or abs(value) > (100 if percent else 1):
            raise InputError(
                Message(Argument("number", text)),
                given=number,
                expected="a score as it was printed, such as 0.7123 or 71.23",
            )
        decimals = max(0, -int(value.as_tuple().exponent))
        return cls(text, Fraction(value) / (100 if percent else 1), decimals + (2 if percent else 0))

    def holds(self, value: float) -> Reading | None:
        """Return how a value is printed as this number: rounded or truncated; None if it is not."""
        # Floats decide, unless the value is so close to a limit that only exact arithmetic can.
        width = 10.0**-self.decimals
        centre = float(self.value)
        off = value - centre
        if abs(off) < width / 2 - _SAME:
            return "rounded"
        beyond = off if centre >= 0 else -off
        if width / 2 + _SAME < beyond < width - _SAME:
            return "truncated"
        if not -width / 2 - _SAME < beyond < width + _SAME:
            return None
        unit = Fraction(1, 10**self.decimals)
        away = Fraction(value) - self.value
        # Printing a float rounds its decimal digits: ties, and errors in the last bit, may go either way.
        slack = Fraction(1, 10**14)
        if abs(away) <= unit / 2 + slack:
            return "rounded"
        toward_zero = away if self.value >= 0 else -away
        return "truncated" if -slack <= toward_zero <= unit + slack else None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifyMatch(Result):
    """A definition that gives the printed number, or one of the nearest that do not.

    Attributes
    ----------
    definition, value, words
        As in `DefinedScore`.
    reading
        Whether the number is the value rounded or truncated; None if it is neither.
    """

    definition: str
    value: float
    words: str
    reading: Reading | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifyResult(Result):
    """Which definitions give a printed number on some data.

    Attributes
    ----------
    value
        The number as printed.
    matches
        Every definition that gives it, rounded ones first; definitions with the same value are adjacent.
    nearest
        The closest definitions among those that do not match, one for each value.
    tried, distinct
        How many definitions were tried, and how many different values they have on this data.
    expected_by_chance
        How many other values would match if they were spread evenly between the smallest and the largest.
    """

    value: str
    matches: tuple[IdentifyMatch, ...]
    nearest: tuple[IdentifyMatch, ...]
    tried: int
    distinct: int
    expected_by_chance: float

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
        chance = f"about {self.expected_by_chance:.1f} expected by chance"
        return (
            f"{len(groups)} values print {self.value}: {apart}; more decimals would tell them apart "
            f"({tried}; {chance})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        return {**Result.to_dict(self), "summary": self.summary, "groups": plain([
            {"value": value, "definitions": [match.definition for match in members]} for value, members in self.groups
        ])}  # fmt: skip


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
    """Which definitions give the macro F1 of every system of a leaderboard.

    Attributes
    ----------
    rows
        In the order of the leaderboard.
    definitions
        How many rows each definition matches, most first.
    """

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
    counts: ClassCounts | HasClassCounts,
    number: object,
    *,
    grouped: GroupedCounts | None = None,
    cells: HasCells | None = None,
    more: Sequence[DefinedScore] = (),
    most: int = 5,
) -> IdentifyResult:
    """Find every definition that gives a printed number on these counts.

    Parameters
    ----------
    counts
        Of all rows together.
    number
        As it was printed: ``"0.7123"``, ``"71.23"``.
    grouped
        Counts per group, for means over groups.
    cells
        The confusion matrix, for scores without the rows of a gold class; not needed if `counts` is one.
    more
        Definitions that are not functions of counts, computed elsewhere.
    most
        How many of the nearest to list.
    """
    printed = PrintedNumber.read(number)
    check_that_labels_meet(counts)
    tallied = class_counts_of(counts)
    plain_values = values_of(tallied)
    if cells is None and isinstance(counts, HasCells):
        cells = counts
    if cells is not None:
        plain_values += values_without_rows(tallied, cells)
    others = [*more, *group_definitions(grouped)] if grouped is not None and grouped.groups else more
    found: list[Value | DefinedScore] = [*plain_values, *others]
    values = [each[0] for each in plain_values] + [score.value for score in others]
    centre = float(printed.value)
    away = [abs(value - centre) for value in values]
    # Most values are far away, and floats are enough to rule them out.
    reach = 10.0**-printed.decimals + _SAME
    near = {
        place: reading
        for place, off in enumerate(away)
        if off <= reach and (reading := printed.holds(values[place])) is not None
    }
    matches = [_match(found[place], reading) for place, reading in near.items()]
    rest = (found[place] for place in sorted(range(len(found)), key=away.__getitem__) if place not in near)
    order = {match.definition: place for place, match in enumerate(matches)}
    values.sort()
    distinct = 1 + sum(b - a > _SAME for a, b in pairwise(values))
    firsts = {_rounded(match.value): order[match.definition] for match in reversed(matches)}
    # For each value the plainest definition comes first: the one with the fewest options.
    matches.sort(
        key=lambda m: (
            str(m.reading),  # rounded before truncated
            firsts[_rounded(m.value)],
            m.definition.count("=") + m.definition.count(" over "),
            order[m.definition],
        )
    )
    return IdentifyResult(
        value=printed.text,
        matches=tuple(matches),
        nearest=_nearest(rest, most),
        tried=len(found),
        distinct=distinct,
        expected_by_chance=_by_chance(distinct, values[-1] - values[0], printed),
    )


def _rounded(value: float) -> int:
    """Return the value in units of 1e-12; much sooner than `round` does."""
    return int(value * 1e12 + 0.5)


def _match(found: Value | DefinedScore, reading: Reading | None) -> IdentifyMatch:
    score = Valued(*found) if isinstance(found, tuple) else found
    return IdentifyMatch(definition=score.definition, value=score.value, words=score.words, reading=reading)


def _nearest(others: Iterable[Value | DefinedScore], most: int) -> tuple[IdentifyMatch, ...]:
    found: dict[int, IdentifyMatch] = {}
    for other in others:
        value = _rounded(other[0] if isinstance(other, tuple) else other.value)
        if value not in found:
            found[value] = _match(other, None)
        if len(found) == most:
            break
    return tuple(found.values())


def _by_chance(n_values: int, spread: float, printed: PrintedNumber) -> float:
    """Return how many values a printed number matches by chance: its interval is one and a half units wide."""
    return min(float(n_values), n_values * 1.5 * 10.0**-printed.decimals / spread) if spread > _SAME else 0.0
