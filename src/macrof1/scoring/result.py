"""What a score carries: both macro F1s of one system, the gap between them, and what they mean."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from macrof1.convention import (
    CLASS_SETS,
    FORMULA_NAMES,
    ClassSet,
    Convention,
    Signature,
    Undefined,
    checked_beta,
    checked_formula,
    checked_undefined,
)
from macrof1.counting.confusion import ClassCounts, Confusion
from macrof1.counting.labels import Label, dropped_note, label_name
from macrof1.errors import ConventionError, CountError
from macrof1.sampling.intervals import (
    IntervalMethod,
    IntervalResult,
    Measure,
    interval,
)
from macrof1.sampling.label_sets import RowSets
from macrof1.sampling.noise import clearly_above, noise_floor
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import Random
from macrof1.scoring.gap import GapPair, explain, gap_pairs, spread
from macrof1.scoring.ratios import ClassColumns, f_of_averages, mean, mean_f, select


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassScore:
    """One class: its scores, its counts and its share of the gap; NaN where one is undefined and left out."""

    label: Label | None
    precision: float
    recall: float
    f1: float
    actual: int | float
    predicted: int | float
    tp: int | float
    gap_share: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "label": _plain(self.label),
            "precision": _number(self.precision),
            "recall": _number(self.recall),
            "f1": _number(self.f1),
            "actual": self.actual,
            "predicted": self.predicted,
            "tp": self.tp,
            "gap_share": _number(self.gap_share),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreResult:
    """Both macro F1s of one system, the gap between them, and what they mean.

    Every number is computed from the counts when it is asked for.

    Attributes
    ----------
    counts
        True positives, predicted and actual per class.
    cells
        The confusion matrix, or None where it was too large to keep or does not exist (multilabel).
    sets
        The label sets of each row (multilabel), for intervals; None where they were not seen or carry weights.
    classes, undefined, beta
        The convention, as in `Convention`.
    """

    counts: ClassCounts
    cells: Confusion | None = None
    sets: RowSets | None = None
    classes: ClassSet = "union"
    undefined: Undefined = 0
    beta: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what no score could be computed with."""
        if self.classes not in CLASS_SETS:
            raise ConventionError.unknown_value("classes", self.classes, CLASS_SETS)
        if self.undefined != 0 or type(self.undefined) is not int:
            object.__setattr__(self, "undefined", checked_undefined(self.undefined))
        if self.beta != 1.0 or type(self.beta) is not float:
            object.__setattr__(self, "beta", checked_beta(self.beta))

    def _weighted(self) -> bool:
        """Whether rows carried weights: real ones show by themselves, whole ones where they are not one per row."""
        counts = self.counts
        if counts.weighted or counts.n_rows is None or counts.task == "multilabel":
            return counts.weighted
        return int(counts.actual.sum()) != counts.n_rows

    def _columns(self) -> ClassColumns:
        return select(self.counts, self.classes)

    @property
    def averaged_f1(self) -> float:
        """Mean of the per-class F1 scores: the recommended one."""
        return mean_f(self.counts, beta=self.beta, classes=self.classes, undefined=self.undefined)

    @property
    def f1_of_averages(self) -> float:
        """Harmonic mean of macro precision and macro recall."""
        return f_of_averages(self._columns(), beta=self.beta, undefined=self.undefined)

    @property
    def gap(self) -> float:
        """F1 of averages minus averaged F1, by the exact identity; never negative.

        Only where undefined ratios are left out is it a plain difference, of means over different classes.
        """
        columns = self._columns()
        if columns.means_differ(self.undefined):
            return self.f1_of_averages - self.averaged_f1
        return math.fsum(spread(columns, self.beta, self.undefined).shares())

    @property
    def macro_precision(self) -> float:
        """Mean of the per-class precision."""
        return mean(self._columns().precision(self.undefined))

    @property
    def macro_recall(self) -> float:
        """Mean of the per-class recall."""
        return mean(self._columns().recall(self.undefined))

    @property
    def n_classes(self) -> int:
        """Number of classes averaged over."""
        return len(self._columns())

    @property
    def n_rows(self) -> int | None:
        """Number of rows scored, where it is known."""
        return self.counts.n_rows

    @property
    def per_class(self) -> list[ClassScore]:
        """One record per class, in the order of the class set."""
        columns = self._columns()
        no_shares = columns.means_differ(self.undefined)
        rows = zip(
            columns.labels,
            columns.precision(self.undefined),
            columns.recall(self.undefined),
            columns.f(self.beta, self.undefined),
            columns.actual,
            columns.predicted,
            columns.tp,
            [math.nan] * len(columns) if no_shares else spread(columns, self.beta, self.undefined).shares(),
            strict=True,
        )
        return [
            ClassScore(label=label, precision=p, recall=r, f1=f, actual=g, predicted=m, tp=t, gap_share=share)
            for label, p, r, f, g, m, t, share in rows
        ]

    @property
    def explanation(self) -> str:
        """One sentence: how far the formulas differ and which classes cause it."""
        return explain(self._columns(), beta=self.beta, undefined=self.undefined)

    @property
    def noise_floor(self) -> float | None:
        """About how large the gap comes out by chance alone, where both formulas agree in truth.

        By the delta method, from the cells. None where they are not known, are weights, or where some
        ratios are undefined and do not count as 0; and where all rows are right, which leaves no noise to see.

        Examples
        --------
        >>> import macrof1
        >>> result = macrof1.score_matrix([[250, 240], [260, 250]], rows="gold")
        >>> print(f"{result.gap:.6f} {result.noise_floor:.6f}")
        0.000200 0.000250
        """
        if self.cells is None or self.cells.weighted:
            return None
        if self._weighted():
            return None  # whole weights: how many rows stand behind a cell is not known
        columns = self._columns()
        if self.undefined != 0 and not (all(columns.predicted) and all(columns.actual)):
            return None
        return noise_floor(self._patterns(), 0, self._plain_convention()) or None

    @property
    def notes(self) -> list[str]:
        """Sentences on what a reader should know: rows left out, labels outside the class set, a gap within chance."""
        found = row_notes(self.counts)
        floor = self.noise_floor
        if floor is not None and self.gap and not clearly_above(self.gap, floor):
            found.append("The gap is not clearly above what chance alone would give: the formulas may agree in truth.")
        return found

    def pairs(self, *, most: int | None = 10) -> list[GapPair]:
        """Return the pairs of classes that cause the gap, the largest contribution first."""
        return gap_pairs(self.counts, most=most, beta=self.beta, classes=self.classes, undefined=self.undefined)

    def interval(
        self,
        of: Measure = "averaged_f1",
        *,
        label: object = None,
        confidence_level: float = 0.95,
        method: IntervalMethod | None = None,
        n_resamples: int = 1000,
        rng: Random = 0,
    ) -> IntervalResult:
        """Return an interval: how far the score may be off because the rows are a sample.

        Parameters
        ----------
        of
            ``"averaged_f1"``, ``"f1_of_averages"``, ``"gap"``, ``"macro_precision"``, ``"macro_recall"``, or
            ``"f1"`` with the `label` of a class.
        method
            ``"logit"`` (the usual one: around the log odds of the score, with the larger of two standard errors),
            ``"wilson"`` (the usual one for ``"f1"``), ``"delta"`` (normal, by derivatives) or ``"bootstrap"``
            (percentiles of resamples; the usual one for ``"gap"``, corrected for its noise floor).
        n_resamples, rng
            For the bootstrap: how many resamples, and a seed or generator; the same seed gives the same interval.

        Notes
        -----
        ``notes`` of the result say where intervals are known to cover less often than they should. For the gap the
        delta method fails near 0.

        References
        ----------
        Takahashi et al. 2022, "Confidence interval for micro-averaged F1 and macro-averaged F1 scores",
        Applied Intelligence 52, doi 10.1007/s10489-021-02635-5.

        Examples
        --------
        >>> import macrof1
        >>> result = macrof1.score_matrix([[60, 5, 2], [8, 20, 5], [3, 4, 13]], rows="gold")
        >>> found = result.interval("averaged_f1")
        >>> round(found.low, 4), round(found.high, 4), round(found.standard_error, 4)
        (0.6198, 0.8047, 0.0475)
        """
        found = interval(
            self._patterns(),
            of,
            self._plain_convention(),
            label=label,
            confidence_level=confidence_level,
            method=method,
            n_resamples=n_resamples,
            rng=rng,
        )
        notes = found.notes
        n_counted = None if self.cells is None else int(self.cells.cells.sum())
        if n_counted is not None and self.n_rows is not None and n_counted != self.n_rows:
            notes = (
                *notes,
                f"Whole-number weights count as so many rows: {n_counted:,}, from {self.n_rows:,} given; where they "
                "say how much a row matters, the width is wrong, and right in compare(…, sample_weight=…).",
            )
        return replace(found, notes=notes, estimate=found.estimate if of == "f1" else getattr(self, of))

    def _plain_convention(self) -> Convention:
        """Return the convention as it was given, for both formulas."""
        return Convention(formula="averaged_f1", classes=self.classes, undefined=self.undefined, beta=self.beta)

    def _patterns(self) -> Patterns:
        """Return what resampling draws from."""
        if self.cells is not None:
            return Patterns.of_cells(self.cells)
        if self.sets is not None:
            return self.sets.patterns()
        raise CountError(
            "only tp, predicted and actual are known, not how rows combine them: expected the result of score, "
            "score_matrix, or score_counts(macrof1.confusion(gold, pred)), without weights where rows have label sets"
        )

    def convention(self, formula: str = "averaged_f1") -> Convention:
        """Return the convention under which a formula's number was computed."""
        classes = "listed" if self.classes == "union" and self.counts.n_listed is not None else self.classes
        return Convention(formula=checked_formula(formula), classes=classes, undefined=self.undefined, beta=self.beta)

    def signature(self, formula: str = "averaged_f1") -> str:
        """Return one line that tells a reader exactly what was computed.

        Examples
        --------
        >>> import macrof1
        >>> macrof1.score([0, 1, 1], [0, 1, 0]).signature("averaged_f1")  # doctest: +ELLIPSIS
        'averaged_f1|classes:union|n:2|undefined:0|beta:1|task:multiclass|weights:no|version:...'
        """
        return str(
            Signature(
                convention=self.convention(formula),
                n_classes=self.n_classes,
                task=self.counts.task,
                weighted=self._weighted(),
            )
        )

    def __str__(self) -> str:
        """Print the recommended score, named, the other one, and the signature, on one line."""
        return (
            f"{FORMULA_NAMES['averaged_f1']} = {self.averaged_f1:.4f} "
            f"({FORMULA_NAMES['f1_of_averages']} = {self.f1_of_averages:.4f}) {self.signature('averaged_f1')}"
        )

    def metrics(self, *, prefix: str = "") -> dict[str, float]:
        """Return the scores as a flat dict of floats, as loggers and trainers want them; the keys stay the same.

        Examples
        --------
        >>> import macrof1
        >>> macrof1.score([0, 1, 1, 1], [0, 1, 1, 1]).metrics(prefix="val_")["val_averaged_f1"]
        1.0
        """
        names = ("averaged_f1", "f1_of_averages", "gap", "macro_precision", "macro_recall")
        return {f"{prefix}{name}": getattr(self, name) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain JSON types."""
        return {
            "averaged_f1": self.averaged_f1,
            "f1_of_averages": self.f1_of_averages,
            "gap": self.gap,
            "noise_floor": self.noise_floor,
            "macro_precision": self.macro_precision,
            "macro_recall": self.macro_recall,
            "n_classes": self.n_classes,
            "n_rows": self.counts.n_rows,
            "n_dropped": self.counts.n_dropped,
            "n_outside": self.counts.n_outside,
            "task": self.counts.task,
            "weighted": self._weighted(),
            "beta": self.beta,
            "classes": self.convention().classes,
            "undefined": self.undefined,
            "explanation": self.explanation,
            "notes": self.notes,
            "per_class": [record.to_dict() for record in self.per_class],
            "signature": {formula: self.signature(formula) for formula in FORMULA_NAMES},
        }


def row_notes(counts: ClassCounts) -> list[str]:
    """Say which rows were left out, and which labels lie outside the class set."""
    found = [dropped_note(counts.n_dropped)] if counts.n_dropped else []
    if counts.n_outside:
        outside = counts.labels[counts.n_listed :]
        names = ", ".join(map(label_name, outside[:5])) + (", …" if len(outside) > 5 else "")
        they = "they count as errors of the classes they meet, and are not averaged over."
        where = f"the listed classes ({names})"
        if isinstance(counts.n_outside, float):
            found.append(f"Gold or predicted labels of weight {counts.n_outside:,.6g} lie outside {where}: {they}")
        elif counts.n_outside == 1:
            found.append(
                f"1 gold or predicted label lies outside {where}: it counts as an error of the class it meets, and is "
                "not averaged over."
            )
        else:
            found.append(f"{counts.n_outside:,} gold or predicted labels lie outside {where}: {they}")
    return found


def _number(value: float) -> float | None:
    """Return a number that JSON knows: NaN becomes null."""
    return None if math.isnan(value) else value


def _plain(label: Label | None) -> str | int | float | bool | None:
    """Return a label as a JSON type; what JSON does not know becomes text."""
    return label if label is None or isinstance(label, (str, int, float, bool)) else str(label)
