"""How rows became counts, if not in the default way: what a signature adds, and what must agree before they add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from macrof1.errors import CountError
from macrof1.message import Note

if TYPE_CHECKING:
    from macrof1.counts import ClassCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """How rows became counts, if not in the default way.

    Attributes
    ----------
    facts
        What a signature adds: ``("normalize", "case")``, or how entities were found: ``("spans", "iob2-strict")``.
    notes
        What was noticed along the way.
    unusable
        Fraction of the answers that lay outside the class set and were left out or made a class.
    """

    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[Note, ...] = ()
    unusable: float | None = None

    def __add__(self, other: Making) -> Making:
        """Combine two steps."""
        return Making(
            facts=self.facts + other.facts,
            notes=self.notes + other.notes,
            unusable=self.unusable if other.unusable is None else other.unusable,
        )

    @property
    def text(self) -> str:
        """The facts in one phrase."""
        return ", ".join(f"{name} {value}" for name, value in self.facts) or "in the default way"


PLAIN: Final = Making()


class IsMade(Protocol):
    """Counts or cells, which know how they were made."""

    @property
    def making(self) -> Making:
        """How rows became counts."""
        ...

    def class_counts(self) -> ClassCounts:
        """Return tp, predicted and actual per class."""
        ...


def merged_making(parts: Sequence[IsMade]) -> Making:
    """Return how the sum of counts was made; reject parts made in different ways."""
    first = parts[0].making
    if all(part.making is first for part in parts):
        return first if first is PLAIN or first.unusable is None else _with_all_answers(parts)
    for part in parts:
        if part.making.facts != first.facts:
            raise CountError(
                f"cannot add counts made in different ways ({first.text}; {part.making.text})",
                expected="counts made in one way",
            )
    return _with_all_answers(parts)


def _with_all_answers(parts: Sequence[IsMade]) -> Making:
    """Add the answers outside the class set: those that were left out are not in the counts."""
    first = parts[0].making
    notes = tuple(dict.fromkeys(note for part in parts for note in part.making.notes))
    if first.unusable is None:
        return Making(facts=first.facts, notes=notes)
    answers, unusable = 0.0, 0.0
    for part in parts:
        share = part.making.unusable or 0.0
        kept = sum(part.class_counts().predicted)
        every = kept / (1 - share) if ("outside", "drop") in first.facts else kept
        answers, unusable = answers + every, unusable + share * every
    return Making(facts=first.facts, notes=notes, unusable=unusable / answers if answers else 0.0)
