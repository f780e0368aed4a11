"""What an audit returns: the verdict on one report, and its inconsistencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from macrof1.counts import COLUMNS, ClassCounts
from macrof1.result import Result

Status: TypeAlias = Literal["fits", "fits if", "contradicts itself"]
Verdict: TypeAlias = Literal["averaged_f1", "f1_of_averages", "either", "neither"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFinding(Result):
    """One inconsistency.

    Attributes
    ----------
    kind
        ``"wrong_figure"``: only this figure can be blamed; ``"one_of"``: one of several figures;
        ``"contradiction"``: no single correction repairs the report.
    figure, published, correction
        Its name (None for a contradiction), as printed, and the smallest correction that repairs the report, if any.
    alternatives
        Other single corrections, in words; not those that a table's other rows rule out.
    message
        The finding in words.
    conflicting
        For a contradiction: minimal, disjoint sets of figures that contradict each other, if floats reveal them.
    """

    kind: Literal["wrong_figure", "one_of", "contradiction"]
    figure: str | None = None
    published: str | None = None
    correction: str | None = None
    alternatives: tuple[str, ...] = ()
    message: str
    conflicting: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation(Result):
    """An innocent explanation that was considered because the figures do not fit as they stand.

    Attributes
    ----------
    name, condition
        A short name, and what would have to be true, to follow "fits if".
    fits
        Whether all figures then fit; None if there was no time to try.
    """

    name: str
    condition: str
    fits: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult(Result):
    """What published figures prove.

    Attributes
    ----------
    verdict
        ``"averaged_f1"`` or ``"f1_of_averages"``: compatible with this formula and impossible under the other;
        ``"either"``; ``"neither"``.
    definition
        What the macro F1 is, if it is neither formula over the printed classes: ``"weighted F1"``,
        ``"averaged F1 over the 8 classes with support"``; None otherwise.
    reason
        Why, in one sentence, with the ranges behind it.
    status
        ``"fits"``: all figures fit as they stand; ``"fits if"``: they fit under the last of `explanations`;
        ``"contradicts itself"``: under none of them.
    explanations
        The explanations that were considered, in the order of trying; the search stops at the first that fits.
    findings
        Figures that contradict others; only if the report contradicts itself.
    not_tested
        What could not be tested, and why.
    notes
        Assumptions made, and other explanations that would look the same.
    published
        The macro F1 as printed, or None.
    decimals, percent
        How the figures are printed: their decimals (those of the macro F1, if given), and whether as percentages.
    averaged_f1, f1_of_averages
        The range of each formula, in [0, 1], given all the other figures; None if the figures contradict
        each other.
    other
        What the other formula would have given, in the format of the macro F1; a range if not determined;
        None without a verdict.
    counts
        The counts behind the figures, if they are determined.
    n_solutions
        How many sets of counts give the figures; None if class sizes are missing or there are too many to list.
    """

    verdict: Verdict
    definition: str | None
    reason: str
    status: Status
    explanations: tuple[Explanation, ...]
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

    @property
    def fits_if(self) -> str | None:
        """What has to be true for the figures to fit, if they do not as they stand."""
        return self.explanations[-1].condition if self.status == "fits if" else None

    def __str__(self) -> str:
        """Print verdict and reason on one line."""
        return f"{self.verdict}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types; the counts as one record per class."""
        content, counts = Result.to_dict(self), self.counts
        if counts is not None:
            rows = zip(counts.labels, counts.tp, counts.predicted, counts.actual, strict=True)
            content["counts"] = [dict(zip(("label", *COLUMNS), row, strict=True)) for row in rows]
        return content
