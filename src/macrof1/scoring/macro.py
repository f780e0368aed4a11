"""Both macro F1s, and the result that carries them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from macrof1.catalogue.reader import find_convention
from macrof1.convention import (
    ClassSet,
    Convention,
    Undefined,
    checked_beta,
)
from macrof1.counting.arrays import tally
from macrof1.counting.confusion import ClassCounts, Confusion
from macrof1.counting.labels import Missing
from macrof1.counting.matrix import Rows
from macrof1.counting.multilabel import count_multilabel, looks_multilabel
from macrof1.errors import ConventionError, EmptyError, InputError
from macrof1.sampling.label_sets import RowSets
from macrof1.scoring.ratios import f_of_averages, mean_f, select
from macrof1.scoring.result import ScoreResult


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
    return f_of_averages(select(counts, classes), beta=checked_beta(beta), undefined=undefined)


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
        _check_weights(counts)
        sets = None if sample_weight is not None else RowSets(gold, pred, counts)
        return replace(_result(counts, None, classes, undefined, beta, convention), sets=sets)
    counts, cells = tally(gold, pred, labels=labels, sample_weight=sample_weight, missing=missing, cells=None)
    if sample_weight is not None:
        _check_weights(counts)
    return _result(counts, cells, classes, undefined, beta, convention)


def _check_weights(counts: ClassCounts) -> None:
    """Refuse rows that all weigh nothing. Listed classes may be empty: they score 0 by convention."""
    if counts.n_listed is None and not counts.actual.any() and not counts.predicted.any():
        raise EmptyError("all weights are 0: expected a positive weight in some row")


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
        tallied = counts.class_counts()
        _check_weights(tallied)
        return _result(tallied, counts, classes, undefined, beta, convention)
    if not isinstance(counts, ClassCounts):
        raise InputError(
            f"counts is a {type(counts).__name__}: expected what macrof1.count or macrof1.confusion returns"
        )
    _check_weights(counts)
    return _result(counts, None, classes, undefined, beta, convention)
