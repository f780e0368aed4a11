"""How many test rows are needed to detect a difference: N = (z₁₋α/₂ + z_power)² v / δ².

v is the variance that one row contributes to the estimated difference. A pilot on N₀ rows gives it: on the same rows
(paired) it is N₀ Σ (φᵃ - φᵇ)², on separate rows (unpaired) N₀ (SEₐ² + SE_b²).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from macrof1.catalogue.reader import chosen_convention
from macrof1.convention import FORMULAS, ClassSet, Convention, Formula, Undefined
from macrof1.errors import InputError, counted
from macrof1.labels import Missing
from macrof1.message import Note
from macrof1.result import Result
from macrof1.sampling.intervals import checked_level, checked_margin, cluster_notes
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.policies import Outside, apply_to_patterns
from macrof1.sampling.standard_errors import Replicates, jackknife_influence
from macrof1.sampling.student import quantile
from macrof1.scoring.macro import check_excluded
from macrof1.scoring.score_result import ScoreResult

# The correlation between the scores of two systems on the same rows in trials (docs/planning.md): low and high.
USUAL_CORRELATION: Final = (0.2, 0.85)
USUAL_POWER: Final = 0.8
_PILOT: Final = "the predictions of one or two systems, by name"


def detectable_difference(standard_error: float, confidence_level: float = 0.95, *, df: float = math.inf) -> float:
    """Return the smallest true difference that a test with this standard error detects with the usual power."""
    return (quantile(confidence_level, df) + quantile(2 * USUAL_POWER - 1, df)) * standard_error


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanResult(Result):
    """How many test rows are needed to detect a difference.

    Attributes
    ----------
    rows
        Rows needed under each formula; `n_rows` are those for averaged F1.
    low, high
        The range of rows needed under each formula given the uncertainty of the pilot: a 95% range for pilots of this
        size and, if there is only one system, the range of correlations between two systems.
    detectable
        Under each formula, the difference that as many rows as in the pilot would detect with this power.
    n_pilot, n_clusters
        Rows of the pilot, and its clusters if it has any; the rows needed then come in clusters of the same size.
    """

    _keys: ClassVar[tuple[str, ...]] = (
        "n_rows", "rows", "low", "high", "detectable", "difference", "power", "confidence_level", "paired", "systems",
        "n_pilot", "n_clusters", "notes",
    )  # fmt: skip

    rows: dict[Formula, int]
    low: dict[Formula, int]
    high: dict[Formula, int]
    detectable: dict[Formula, float]
    difference: float
    power: float
    confidence_level: float
    paired: bool
    systems: tuple[str, ...]
    n_pilot: int
    n_clusters: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Rows needed, for averaged F1."""
        return self.rows["averaged_f1"]


def plan(
    gold: Any,
    systems: Mapping[str, Any],
    *,
    difference: float,
    power: float = USUAL_POWER,
    confidence_level: float = 0.95,
    paired: bool = True,
    cluster: Any = None,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
    normalize: str | Iterable[str] = (),
    outside: Outside = "wrong",
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    exclude: Iterable[object] = (),
    convention: str | Convention | None = None,
) -> PlanResult:
    """Compute how many test rows it takes to detect a difference between two systems.

    Parameters
    ----------
    gold, systems
        A pilot: gold and the predictions of one or two systems, as in `compare`. With only one system, the
        correlation between two systems is taken from trials with similar ones.
    difference
        The true difference to detect: 0.01 is one point.
    power
        The probability of detecting it.
    confidence_level
        A difference is detected if p is at most 1 minus this.
    paired
        Whether both systems will be run on the same rows.
    cluster
        The cluster (document, user, …) of each row; the rows needed then come in clusters of the same size.
    labels, sample_weight, missing, normalize, outside, classes, undefined, beta, exclude, convention
        As in `compare`.

    Examples
    --------
    >>> gold = ["a", "b", "b", "c"] * 50
    >>> found = plan(gold, {"x": ["a", "b", "c", "c"] * 50, "y": ["a", "b", "b", "b"] * 50}, difference=0.02)
    >>> found.n_rows > 1000 and found.low["averaged_f1"] < found.n_rows < found.high["averaged_f1"]
    True
    """
    chosen = chosen_convention(convention, classes=classes, undefined=undefined, beta=beta, exclude=exclude)
    if not isinstance(systems, Mapping):
        raise InputError(f"a pilot of a {type(systems).__name__}", argument="systems", expected=_PILOT)
    found = joint_patterns(gold, systems, labels=labels, missing=missing, sample_weight=sample_weight, cluster=cluster)
    return plan_patterns(
        found, list(systems), chosen, normalize=normalize, outside=outside, difference=difference, power=power,
        paired=paired, confidence_level=confidence_level,
    )  # fmt: skip


def plan_patterns(
    patterns: Patterns,
    systems: Sequence[str],
    chosen: Convention,
    *,
    normalize: Any,
    outside: Any,
    difference: Any,
    power: float,
    paired: bool,
    confidence_level: float,
) -> PlanResult:
    """Plan a test with the distinct rows of a pilot; parameters as in `plan`."""
    patterns, making = apply_to_patterns(patterns, systems, normalize=normalize, outside=outside)
    each = [patterns.alone(system) for system in range(len(systems))]
    check_excluded(chosen, patterns.labels)
    for own in each:
        _ = ScoreResult(counts=own.class_counts(), convention=chosen).averaged_f1  # rejects a class set without a list
    left = [Replicates(own, own.class_places(chosen), chosen) for own in each]
    level, two = checked_level(confidence_level), len(systems) == 2
    if not 1 <= len(systems) <= 2:
        raise InputError(f"a pilot of {len(systems)} systems", argument="systems", expected=_PILOT)
    difference = checked_margin("difference", difference)
    if isinstance(power, bool) or not isinstance(power, (int, float)) or not 0.5 <= power < 1:
        raise InputError.bad_value("power", power, expected="a number from 0.5 to below 1, such as 0.8")
    if not isinstance(paired, bool):
        raise InputError.unknown_value("paired", paired, (True, False))
    reach, n_pilot, units = quantile(level) + quantile(2 * power - 1), patterns.n_rows, patterns.units
    # With one system, the conservative end of the usual range is the answer: an underpowered study cannot be fixed.
    least, most = (1 - correlation for correlation in reversed(USUAL_CORRELATION)) if paired and not two else (1, 1)
    needed: dict[str, Any] = {"rows": {}, "low": {}, "high": {}}
    detectable = {}
    for formula in FORMULAS:
        parts = zip(each, left, strict=True)
        of_each = [own.spread(jackknife_influence(own, part.score(formula))) for own, part in parts]
        squares = (of_each[0] - of_each[1]) ** 2 if paired and two else sum(one**2 for one in of_each)
        total = float(np.dot(units, squares))
        if not total:
            what = "both systems predict the same in every row" if two else "no row moves the score"
            raise InputError(
                f"{what} of the pilot: it does not show how a difference would vary",
                argument="systems",
                expected="a pilot in which they differ" if two else "a pilot with right and wrong predictions",
            )
        # The factor within which the sum of squares lies in 95% of pilots: normal on a log scale. With few rows that
        # matter, their number is uncertain too; the last factor makes up for it in simulations.
        share = float(np.dot(units, squares**2)) / total**2
        spread = math.exp(quantile(0.95) * math.sqrt(max(0.0, share - 1 / int(units.sum())) * (1 + 10 * share)))
        variance = (1 if two else 2) * n_pilot * total
        for name, factor in {"rows": most, "low": least / spread, "high": most * spread}.items():
            needed[name][formula] = max(2, math.ceil(reach**2 * variance * factor / difference**2))
        detectable[formula] = reach * math.sqrt(variance * most / n_pilot)
    notes = [*making.notes, *cluster_notes(patterns)]
    if paired and not two:
        low, high = USUAL_CORRELATION
        usual = (
            f"The pilot has one system: that two systems on the same rows correlate with {low} to {high} is taken "
            "from trials with classifiers of many kinds. A pilot of both says more."
        )
        notes.append(Note(usual, code="usual_correlation"))
    if n_pilot < 300:
        few = f"A pilot of {counted(n_pilot, 'row')} leaves a wide range: plan for its upper end."
        notes.append(Note(few, code="small_pilot"))
    return PlanResult(
        **needed,
        detectable=detectable,
        difference=difference,
        power=float(power),
        confidence_level=level,
        paired=paired,
        systems=tuple(systems),
        n_pilot=n_pilot,
        n_clusters=patterns.n_clusters,
        notes=tuple(notes),
    )
