"""What a comparison found: systems, pairs of systems, flips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from macrof1.comparing.significance import TestName
from macrof1.convention import Formula

NULL_HYPOTHESES: dict[TestName, str] = {
    "delta": "both systems have the same score on the data that the test rows were drawn from",
    "bootstrap": "both systems have the same score on the data that the test rows were drawn from",
    "randomisation": "it makes no difference which of the two systems made which prediction, row by row",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScore:
    """One system: both scores with intervals, its rank under each, and the gap.

    `rank_change` is how many ranks the system gains where averaged F1 replaces F1 of averages.
    """

    name: str
    averaged_f1: float
    f1_of_averages: float
    gap: float
    rank_averaged_f1: int
    rank_f1_of_averages: int
    n_classes: int
    averaged_f1_interval: tuple[float, float] | None = None
    f1_of_averages_interval: tuple[float, float] | None = None

    @property
    def rank_change(self) -> int:
        """Ranks gained under averaged F1, compared with F1 of averages."""
        return self.rank_f1_of_averages - self.rank_averaged_f1

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "name": self.name,
            "averaged_f1": self.averaged_f1,
            "f1_of_averages": self.f1_of_averages,
            "gap": self.gap,
            "rank_averaged_f1": self.rank_averaged_f1,
            "rank_f1_of_averages": self.rank_f1_of_averages,
            "rank_change": self.rank_change,
            "n_classes": self.n_classes,
            "averaged_f1_interval": _listed(self.averaged_f1_interval),
            "f1_of_averages_interval": _listed(self.f1_of_averages_interval),
        }


def _listed(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How far apart two systems are under one formula, and whether that is more than noise.

    `p` and `p_holm` map the name of a test to its p-value, plain and corrected for all pairs. `p_decides` is the
    corrected p-value that decides `significant`: that of the test chosen, or, where the pair has `doubts`, the larger
    of it and that of a randomisation.
    """

    difference: float
    standard_error: float | None
    p: dict[TestName, float]
    p_holm: dict[TestName, float]
    significant: bool | None
    p_decides: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "difference": self.difference,
            "standard_error": self.standard_error,
            "p": dict(self.p),
            "p_holm": dict(self.p_holm),
            "significant": self.significant,
            "p_decides": self.p_decides,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPair:
    """Two systems; differences are `a` minus `b`.

    `n_differing` is on how many rows their predictions differ, where rows are known. `doubts` say why tests that lean
    on the normal distribution are not trusted for this pair; a randomisation has the last word there.
    """

    a: str
    b: str
    averaged_f1: Difference
    f1_of_averages: Difference
    flip: bool
    flip_probability: float | None
    cannot_flip: bool
    n_differing: int | None = None
    doubts: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "a": self.a,
            "b": self.b,
            "averaged_f1": self.averaged_f1.to_dict(),
            "f1_of_averages": self.f1_of_averages.to_dict(),
            "flip": self.flip,
            "flip_probability": self.flip_probability,
            "cannot_flip": self.cannot_flip,
            "n_differing": self.n_differing,
            "doubts": list(self.doubts),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """Two systems whose order differs: each formula prefers another one.

    `size` is the sum of both leads, which is also the difference between the two systems' gaps. `probability` is
    the share of resamples in which the order differs too.
    """

    averaged_f1_prefers: str
    f1_of_averages_prefers: str
    averaged_f1_lead: float
    f1_of_averages_lead: float
    probability: float | None

    @property
    def size(self) -> float:
        """Both leads together."""
        return self.averaged_f1_lead + self.f1_of_averages_lead

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "averaged_f1_prefers": self.averaged_f1_prefers,
            "f1_of_averages_prefers": self.f1_of_averages_prefers,
            "averaged_f1_lead": self.averaged_f1_lead,
            "f1_of_averages_lead": self.f1_of_averages_lead,
            "size": self.size,
            "probability": self.probability,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareResult:
    """Two rankings of the same systems.

    Attributes
    ----------
    systems
        The systems, the best under averaged F1 first.
    comparisons
        Every two of them.
    flips
        The pairs whose order differs between the formulas, the largest first.
    kendall_tau
        Between the two rankings (tau-b); None where all systems are tied under one formula.
    paired
        Whether all systems were scored on the same rows, known row by row; None without any counts.
    test
        Which test decides what is significant; None where there is nothing to test with.
    """

    systems: tuple[SystemScore, ...]
    comparisons: tuple[SystemPair, ...]
    flips: tuple[Flip, ...]
    kendall_tau: float | None
    paired: bool | None
    test: TestName | None
    confidence_level: float
    n_resamples: int | None
    n_rows: int | None
    signatures: dict[Formula, str]
    notes: tuple[str, ...]

    @property
    def pairs(self) -> int:
        """Number of pairs of systems."""
        return len(self.comparisons)

    @property
    def discordant_pairs(self) -> int:
        """Number of pairs whose order differs between the formulas."""
        return len(self.flips)

    @property
    def rank_changes(self) -> int:
        """Number of systems whose rank differs between the formulas."""
        return sum(1 for system in self.systems if system.rank_change)

    @property
    def settled_pairs(self) -> int:
        """Number of pairs that provably keep their order, whatever their errors: one formula's scores prove it."""
        return sum(1 for pair in self.comparisons if pair.cannot_flip)

    @property
    def null_hypothesis(self) -> str | None:
        """What the test would have to refute, in plain words."""
        return None if self.test is None else NULL_HYPOTHESES[self.test]

    def signature(self, formula: Formula = "averaged_f1") -> str:
        """Return the line that says what was computed."""
        return self.signatures[formula]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain JSON types."""
        return {
            "systems": [system.to_dict() for system in self.systems],
            "pairs": self.pairs,
            "discordant_pairs": self.discordant_pairs,
            "kendall_tau": self.kendall_tau,
            "rank_changes": self.rank_changes,
            "settled_pairs": self.settled_pairs,
            "flips": [flip.to_dict() for flip in self.flips],
            "comparisons": [pair.to_dict() for pair in self.comparisons],
            "paired": self.paired,
            "test": self.test,
            "null_hypothesis": self.null_hypothesis,
            "confidence_level": self.confidence_level,
            "n_resamples": self.n_resamples,
            "n_rows": self.n_rows,
            "notes": list(self.notes),
            "signature": dict(self.signatures),
        }
