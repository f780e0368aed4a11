"""Confidence intervals to print next to their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from macrof1.convention import FORMULAS, Formula
from macrof1.errors import InputError
from macrof1.message import Note
from macrof1.sampling.intervals import IntervalResult, checked_level
from macrof1.scoring.result import ScoreResult


@dataclass(frozen=True, slots=True)
class ScoreIntervals:
    """The intervals of both scores of one system; None if not requested or not available.

    `notes` say why an interval is missing or unreliable.
    """

    level: float | None
    found: dict[Formula, IntervalResult]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, result: ScoreResult, confidence_level: float | None) -> ScoreIntervals:
        """Compute both intervals, or none if the level is None."""
        if confidence_level is None:
            return cls(None, {})
        level = checked_level(confidence_level)
        try:
            found = {formula: result.interval(formula, confidence_level=level) for formula in FORMULAS}
        except InputError as error:
            return cls(level, {}, (Note("No intervals: ", *error.args[:1], ".", code="no_intervals"),))
        notes = dict.fromkeys(note for each in found.values() for note in each.notes)
        clusters = found["averaged_f1"].n_clusters
        if clusters is not None:
            counted = f"Intervals treat {clusters:,} clusters of rows as the sample."
            notes = {Note(counted, code="clusters"): None, **notes}
        return cls(level, found, tuple(notes))

    @property
    def title(self) -> str:
        """The title of a column of intervals."""
        return "" if self.level is None else f"{100 * self.level:g}% interval"

    def ends(self, formula: Formula, digits: int) -> str:
        """Print both ends; an empty string if there is no interval."""
        each = self.found.get(formula)
        return "" if each is None else f"{each.low:.{digits}f} to {each.high:.{digits}f}"

    def values(self, formula: Formula) -> tuple[float | None, float | None]:
        """Return both ends as numbers."""
        each = self.found.get(formula)
        return (None, None) if each is None else (each.low, each.high)

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON adds to the scores."""
        if self.level is None:
            return {}
        found = {name: each.to_dict() for name, each in self.found.items()}
        return {"intervals": found, "interval_notes": [str(note) for note in self.notes]}
