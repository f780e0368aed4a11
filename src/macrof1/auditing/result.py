"""What an audit returns: the verdict on one report, and what cannot be true in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from macrof1.counts import ClassCounts
from macrof1.result import Result

Verdict: TypeAlias = Literal["averaged_f1", "f1_of_averages", "either", "neither"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFinding(Result):
    """Something that cannot be true.

    Attributes
    ----------
    kind
        ``"wrong_figure"``: this figure, and no other, can be blamed; ``"one_of"``: one of several figures;
        ``"contradiction"``: no single correction repairs the report.
    figure
        Its name, or None for a contradiction.
    published, correction
        What is printed, and the smallest correction that repairs the report; None where none was found.
    alternatives
        Other single corrections, in words; not those that a table's other rows rule out.
    message
        All of it in words.
    conflicting
        For a contradiction: sets of figures that cannot be true together, each without a figure to spare, and none
        in two of them; empty where only whole counts show it.
    """

    kind: Literal["wrong_figure", "one_of", "contradiction"]
    figure: str | None
    published: str | None
    correction: str | None
    alternatives: tuple[str, ...]
    message: str
    conflicting: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult(Result):
    """What published figures prove.

    Attributes
    ----------
    verdict
        ``"averaged_f1"`` or ``"f1_of_averages"``: compatible with it, and impossible for the other;
        ``"either"``; ``"neither"``.
    definition
        What the macro F1 is, where it is neither formula over the classes printed: ``"weighted F1"``,
        ``"averaged F1 over the 8 classes with support"``; None otherwise.
    reason
        Why, in one sentence, with the ranges that led to it.
    findings
        Figures that cannot be true with the others.
    not_tested
        What could not be tested, and why.
    notes
        Assumptions that were made, and what else could look like the verdict.
    published
        The macro F1 as printed, or None.
    decimals, percent
        How the figures are printed: their decimals (those of the macro F1 where there is one), and whether in percent.
    averaged_f1, f1_of_averages
        The range of each formula, in [0, 1], given all the other figures; None where the figures contradict
        each other.
    other
        What the other formula would have given, printed as the macro F1 is; a range where it is not determined;
        None without a verdict.
    counts
        The counts behind the figures, where they are determined.
    n_solutions
        How many counts give the figures; None where class sizes are missing or there are too many to list.
    """

    verdict: Verdict
    definition: str | None
    reason: str
    findings: tuple[AuditFinding, ...]
    not_tested: tuple[str, ...]
    notes: tuple[str, ...]
    published: str | None
    decimals: int
    percent: bool
    averaged_f1: tuple[float, float] | None
    f1_of_averages: tuple[float, float] | None
    other: str | None
    counts: ClassCounts | None
    n_solutions: int | None

    def __str__(self) -> str:
        """Print verdict and reason on one line."""
        return f"{self.verdict}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types; the counts as one record per class."""
        return {**Result.to_dict(self), "counts": count_records(self.counts)}


def count_records(counts: ClassCounts | None) -> list[dict[str, Any]] | None:
    """Return counts as one record per class."""
    if counts is None:
        return None
    columns = zip(counts.labels, counts.tp, counts.predicted, counts.actual, strict=True)
    return [
        {"label": label, "tp": int(tp), "predicted": int(predicted), "actual": int(actual)}
        for label, tp, predicted, actual in columns
    ]
