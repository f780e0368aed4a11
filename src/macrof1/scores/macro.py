"""Both macro F1s, and the result that carries them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from macrof1.catalogue import find_convention
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
from macrof1.counts.arrays import tally
from macrof1.counts.confusion import ClassCounts, Confusion
from macrof1.counts.label_sets import RowSets
from macrof1.counts.labels import Label, Missing
from macrof1.counts.matrix import Rows
from macrof1.counts.multilabel import count_multilabel, looks_multilabel
from macrof1.counts.patterns import Patterns
from macrof1.errors import ConventionError, CountError, InputError
from macrof1.scores.gap import GapPair, explain, gap_pairs, spread
from macrof1.scores.ratios import ClassColumns, mean, mean_f, select
from macrof1.scores.resampling import Random
from macrof1.scores.uncertainty import IntervalMethod, IntervalResult, Measure, interval

__all__ = [
    "ClassScore",
    "ScoreResult",
    "averaged_f1",
    "f1_of_averages",
    "score",
    "score_counts",
    "score_matrix",
]


def averaged_f1(
    counts: ClassCounts, *, beta: float = 1.0, classes: ClassSet = "union", undefined: Undefined = 0
) -> float:
    """Arithmetic mean of the per-class F1 scores: the recommended macro F1.

    (1/n) Σ 2 tp / (predicted + actual); a class where that is 0/0 counts as `undefined`.

    Notes
    -----
    In [0, 1]. Also known as macro F1, macro-averaged F1, and ``average="macro"`` in scikit-learn.
    With `beta`, the mean of (1 + beta²) tp / (predicted + beta² actual).

    References
    ----------
    Opitz & Burst, "Macro F1 and Macro F1", arXiv 1911.03347.

    Examples
    --------
    >>> import macrof1
    >>> averaged_f1(macrof1.count([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2]))
    0.8222222222222223
    """
    return mean_f(counts, beta=checked_beta(beta), classes=classes, undefined=undefined)


def f1_of_averages(
    counts: ClassCounts, *, beta: float = 1.0, classes: ClassSet = "union", undefined: Undefined = 0
) -> float:
    """Harmonic mean of macro precision and macro recall.

    2 P̄ R̄ / (P̄ + R̄), with P̄ and R̄ averaged over all classes; 0 when both are 0.

    Notes
    -----
    In [0, 1] and never below `averaged_f1`: the harmonic mean is concave (Jensen). Also known as macro F1.
    With `beta`, (1 + beta²) P̄ R̄ / (beta² P̄ + R̄).

    References
    ----------
    Sokolova & Lapalme 2009; Opitz & Burst, "Macro F1 and Macro F1", arXiv 1911.03347.

    Examples
    --------
    >>> import macrof1
    >>> f1_of_averages(macrof1.count([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2]))
    0.8602150537634408
    """
    columns = select(counts, classes)
    return _of_averages(mean(columns.precision(undefined)), mean(columns.recall(undefined)), checked_beta(beta))


def _of_averages(precision: float, recall: float, beta: float) -> float:
    square = beta * beta
    below = square * precision + recall
    return (1 + square) * precision * recall / below if below else 0.0


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
            raise ConventionError.unknown_option("classes", self.classes, CLASS_SETS)
        object.__setattr__(self, "undefined", checked_undefined(self.undefined))
        if self.beta != 1.0 or type(self.beta) is not float:
            object.__setattr__(self, "beta", checked_beta(self.beta))

    def _columns(self) -> ClassColumns:
        return select(self.counts, self.classes)

    @property
    def averaged_f1(self) -> float:
        """Mean of the per-class F1 scores: the recommended one."""
        return mean_f(self.counts, beta=self.beta, classes=self.classes, undefined=self.undefined)

    @property
    def f1_of_averages(self) -> float:
        """Harmonic mean of macro precision and macro recall."""
        return _of_averages(self.macro_precision, self.macro_recall, self.beta)

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
    def notes(self) -> list[str]:
        """Sentences on what a reader of the numbers should know: rows left out, labels outside the class set."""
        found = []
        counts = self.counts
        if counts.n_dropped:
            found.append(f"{counts.n_dropped:,} rows without a label were left out.")
        if counts.n_outside:
            outside = counts.labels[counts.n_listed :]
            names = ", ".join(str(label) for label in outside[:5]) + (", …" if len(outside) > 5 else "")
            found.append(
                f"{counts.n_outside:,} gold or predicted labels lie outside the listed classes ({names}): "
                "they count as errors of the classes they meet, and are not averaged over."
            )
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
        method: IntervalMethod = "delta",
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
            ``"delta"`` (normal, by derivatives; fast) or ``"bootstrap"`` (percentiles of resamples).
        n_resamples, rng
            For the bootstrap: how many resamples, and a seed or generator; the same seed gives the same interval.

        Notes
        -----
        ``notes`` of the result say where intervals are known to cover less often than they should. For the gap the
        delta method fails near 0; the bootstrap comes with the noise floor of the gap.

        References
        ----------
        Takahashi et al. 2022, "Confidence interval for micro-averaged F1 and macro-averaged F1 scores",
        Applied Intelligence 52, doi 10.1007/s10489-021-02635-5.

        Examples
        --------
        >>> result = score_matrix([[60, 5, 2], [8, 20, 5], [3, 4, 13]], rows="gold")
        >>> found = result.interval("averaged_f1")
        >>> round(found.low, 4), round(found.high, 4), round(found.standard_error, 6)
        (0.6306, 0.8125, 0.046407)
        """
        found = interval(
            self._patterns(),
            of,
            label=label,
            confidence_level=confidence_level,
            method=method,
            n_resamples=n_resamples,
            rng=rng,
            classes=self.classes,
            undefined=self.undefined,
            beta=self.beta,
        )
        return found if of == "f1" else replace(found, estimate=getattr(self, of))

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
        >>> score([0, 1, 1], [0, 1, 0]).signature("averaged_f1")  # doctest: +ELLIPSIS
        'averaged_f1|classes:union|n:2|undefined:0|beta:1|task:multiclass|weights:no|version:...'
        """
        return str(
            Signature(
                convention=self.convention(formula),
                n_classes=self.n_classes,
                task=self.counts.task,
                weighted=self.counts.weighted,
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
        >>> score([0, 1, 1, 1], [0, 1, 1, 1]).metrics(prefix="val_")["val_averaged_f1"]
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
            "macro_precision": self.macro_precision,
            "macro_recall": self.macro_recall,
            "n_classes": self.n_classes,
            "n_rows": self.counts.n_rows,
            "n_dropped": self.counts.n_dropped,
            "n_outside": self.counts.n_outside,
            "task": self.counts.task,
            "weighted": self.counts.weighted,
            "beta": self.beta,
            "classes": self.convention().classes,
            "undefined": self.undefined,
            "explanation": self.explanation,
            "notes": self.notes,
            "per_class": [record.to_dict() for record in self.per_class],
            "signature": {formula: self.signature(formula) for formula in FORMULA_NAMES},
        }


def _number(value: float) -> float | None:
    """Return a number that JSON knows: NaN becomes null."""
    return None if math.isnan(value) else value


def _plain(label: Label | None) -> str | int | float | bool | None:
    """Return a label as a JSON type; what JSON does not know becomes text."""
    return label if label is None or isinstance(label, (str, int, float, bool)) else str(label)


def score(
    gold: Any,
    pred: Any,
    *,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    convention: str | Convention | None = None,
) -> ScoreResult:
    """Score predictions under both macro F1s.

    Parameters
    ----------
    gold, pred
        One label per row: lists, tuples, NumPy arrays, pandas and Polars Series, categoricals, Arrow arrays.
        For several labels per row: indicator matrices (NumPy, SciPy sparse) or sequences of sets.
    labels
        The class set, in order; what was seen, when left out. Labels outside it are errors of the
        classes they meet, are not averaged over, and are reported in ``result.notes``.
    sample_weight
        A non-negative number per row.
    missing
        Rows without a label: ``"error"``, ``"drop"`` (and report) or ``"label"`` (a class of its own).
    classes
        The class set averaged over: ``"union"`` of gold and predicted (or `labels`), ``"gold"``: only those
        that occur in gold.
    undefined
        What precision, recall and F1 count as where their denominator is 0.
    beta
        Weight of recall against precision in both formulas.
    convention
        The class set and the policy of a real system, instead of `classes` and `undefined`: ``"weka"``, … (see
        `macrof1.conventions`), or a `Convention`.

    Returns
    -------
    ScoreResult
        ``averaged_f1``, ``f1_of_averages``, ``gap``, ``per_class``, ``signature(...)`` and more.

    Examples
    --------
    >>> result = score(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])
    >>> round(result.averaged_f1, 4), round(result.f1_of_averages, 4), round(result.gap, 4)
    (0.7333, 0.7895, 0.0561)
    >>> result.explanation
    'The formulas differ by 5.6 points: class cat is over-precise, class dog is over-recalled.'
    """
    if looks_multilabel(gold, pred):
        if missing != "error":
            raise InputError(f"missing={missing!r} with several labels per row: a row without labels is an empty set")
        counts = count_multilabel(gold, pred, labels=labels, sample_weight=sample_weight)
        sets = None if sample_weight is not None else RowSets.of(gold, pred, counts)
        return replace(_result(counts, None, classes, undefined, beta, convention), sets=sets)
    counts, cells = tally(gold, pred, labels=labels, sample_weight=sample_weight, missing=missing, cells=None)
    return _result(counts, cells, classes, undefined, beta, convention)


def _result(
    counts: ClassCounts,
    cells: Confusion | None,
    classes: ClassSet,
    undefined: Undefined,
    beta: float,
    convention: str | Convention | None,
) -> ScoreResult:
    """Score under options, or under a convention that stands for them."""
    if convention is not None:
        if classes != "union" or undefined != 0:
            raise ConventionError("convention= given beside classes= or undefined=: expected one or the other")
        if isinstance(convention, Convention):
            if beta != 1.0:
                raise ConventionError("beta= given beside a Convention, which has its own: expected one or the other")
            chosen, beta = convention, convention.beta
        else:
            chosen = find_convention(convention, task=counts.task).convention
        classes, undefined = chosen.classes, chosen.undefined
    return ScoreResult(counts=counts, cells=cells, classes=classes, undefined=undefined, beta=beta)


def score_matrix(
    matrix: object,
    *,
    rows: Rows,
    labels: Iterable[object] | None = None,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    convention: str | Convention | None = None,
) -> ScoreResult:
    """Score a confusion matrix under both macro F1s.

    Parameters
    ----------
    matrix
        Square: nested sequences, a NumPy array or a data frame, of counts or non-negative real weights.
    rows
        What a row is: ``"predicted"`` as in the note, or ``"gold"`` as in scikit-learn. Both macro F1s come
        out the same either way; precision and recall of a class do not.
    labels
        Names of the classes, in the order of rows and columns.
    classes, undefined, beta, convention
        As in `score`.

    Examples
    --------
    >>> print(score_matrix([[100, 10_000], [0, 100]], rows="predicted").f1_of_averages)
    0.504950495049505
    """
    cells = Confusion.from_matrix(matrix, rows=rows, labels=labels)
    return score_counts(cells, classes=classes, undefined=undefined, beta=beta, convention=convention)


def score_counts(
    counts: ClassCounts | Confusion,
    *,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    convention: str | Convention | None = None,
) -> ScoreResult:
    """Score counts that were made, merged or loaded before.

    Examples
    --------
    >>> import macrof1
    >>> parts = macrof1.count(["a", "b"], ["a", "a"]) + macrof1.count(["b"], ["b"])
    >>> score_counts(parts).averaged_f1 == score(["a", "b", "b"], ["a", "a", "b"]).averaged_f1
    True
    """
    if isinstance(counts, Confusion):
        return _result(counts.class_counts(), counts, classes, undefined, beta, convention)
    if not isinstance(counts, ClassCounts):
        raise InputError(
            f"counts is a {type(counts).__name__}: expected what macrof1.count or macrof1.confusion returns"
        )
    return _result(counts, None, classes, undefined, beta, convention)
