"""Both macro F1s with scikit-learn's own signature: functions, scorers, and a report with both macro F1s by name.

`averaged_f1_score` is a drop-in replacement for ``f1_score(..., average="macro")`` and many times faster;
`f1_of_averages_score` is the other macro F1. Labels compare as in scikit-learn: ``True``, ``1`` and ``1.0`` are one.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from macrof1.convention import FORMULA_NAMES, FORMULAS, Convention, Undefined, checked_beta
from macrof1.counting.arrays import confusion, tally
from macrof1.counting.confusion import Confusion
from macrof1.counting.multilabel import count_multilabel
from macrof1.counts import ClassCounts, GroupedCounts
from macrof1.errors import ConventionError, EmptyError, LabelError, LengthError, MissingExtraError, counted
from macrof1.labels import checked_labels, label_key, label_text
from macrof1.message import Argument, Message
from macrof1.reporting.as_text import shown_digits, table_text
from macrof1.reporting.document import Table
from macrof1.scoring.group_scores import GroupsResult, score_grouped_counts
from macrof1.scoring.macro import ClassColumns, f_of_averages, mean_or_nan

try:
    from sklearn.base import clone, is_classifier
    from sklearn.exceptions import UndefinedMetricWarning
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import check_cv
    from sklearn.utils import _safe_indexing, check_consistent_length, indexable
except ImportError as missing:
    raise MissingExtraError.needed(package="scikit-learn", extra="sklearn", purpose=__name__) from missing


ZeroDivision: TypeAlias = float | Literal["warn"]
"""What an undefined ratio counts as: 0, 1, NaN (left out of the mean), or "warn": 0 with a warning."""


def averaged_f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
    beta: float = 1.0,
) -> float:
    """Mean of the per-class F1 scores: scikit-learn's ``f1_score(..., average="macro")``.

    Parameters
    ----------
    y_true, y_pred
        One label per row, or indicator matrices (dense or sparse) for multilabel data.
    labels
        The classes to average over, seen or not; for indicator matrices, column indices.
    sample_weight
        A non-negative number per row.
    zero_division
        What F1 counts as for a class that is neither gold nor predicted: 0, 1, NaN (such a class is left out of
        the mean), or ``"warn"``: 0 with an `UndefinedMetricWarning`.
    beta
        Weight of recall against precision; 1 is F1.

    References
    ----------
    Opitz & Burst, "Macro F1 and Macro F1", arXiv 1911.03347.

    Examples
    --------
    >>> averaged_f1_score(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])
    0.7333333333333334
    """
    columns = _listed(_counts(y_true, y_pred, sample_weight), labels)
    beta = checked_beta(beta)
    when = "neither gold nor predicted" if beta else "never predicted"
    wholes = (p + beta * g for p, g in zip(columns.predicted, columns.actual, strict=True))
    return mean_or_nan(columns.f(beta, _policy(zero_division, "F1 is", when, wholes)))


def f1_of_averages_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
    beta: float = 1.0,
) -> float:
    """Harmonic mean of macro precision and macro recall; parameters as in `averaged_f1_score`.

    `zero_division` is what the precision of a class that is never predicted and the recall of a class that is never
    gold count as.

    Notes
    -----
    Never below `averaged_f1_score`, except with ``zero_division=nan``, where the three means may leave out different
    classes. scikit-learn has no such score.

    Examples
    --------
    >>> round(f1_of_averages_score(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"]), 4)
    0.7895
    """
    columns = _listed(_counts(y_true, y_pred, sample_weight), labels)
    undefined = _policy(zero_division, *_PARTS, (*columns.predicted, *columns.actual))
    return _of_averages(columns, Convention(undefined=undefined, beta=beta))


averaged_f1_scorer = make_scorer(averaged_f1_score, zero_division=0)
f1_of_averages_scorer = make_scorer(f1_of_averages_score, zero_division=0)
SCORERS = {"averaged_f1": averaged_f1_scorer, "f1_of_averages": f1_of_averages_scorer}
"""Both scorers by name: ``cross_validate(model, X, y, scoring=SCORERS)``; scikit-learn registers only its own names."""


def cross_validated(
    estimator: Any,
    X: Any,  # noqa: N803  # scikit-learn's name
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
) -> GroupsResult:
    """Cross-validate, count every fold, and score the pooled counts, with the folds and their mean beside them.

    A mean over folds is not the macro F1 of the data: small classes are missing from folds. Both are returned by name.

    Parameters
    ----------
    estimator, X, y, cv, groups
        As in `sklearn.model_selection.cross_validate`.

    Returns
    -------
    GroupsResult
        ``total`` scores all test rows together; ``mean_of_scores()`` is the mean over folds, with
        ``fold_standard_error()``; ``groups`` has one result per fold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> found = cross_validated(KNeighborsClassifier(), *load_iris(return_X_y=True), cv=5)
    >>> round(found.total.averaged_f1, 4), round(found.mean_of_scores("averaged_f1"), 4)
    (0.9733, 0.9732)
    """
    X, y, groups = indexable(X, y, groups)  # noqa: N806  # as above
    parts: list[tuple[tuple[int], Confusion]] = []
    for fold, (train, test) in enumerate(check_cv(cv, y, classifier=is_classifier(estimator)).split(X, y, groups), 1):
        model = clone(estimator).fit(_safe_indexing(X, train), _safe_indexing(y, train))
        gold, pred = _side(_safe_indexing(y, test)), _side(model.predict(_safe_indexing(X, test)))
        parts.append(((fold,), confusion(*_comparable(gold, pred))))
    total = parts[0][1].total([part for _, part in parts])
    return score_grouped_counts(GroupedCounts(by=("fold",), groups=tuple(parts), total=total))


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Iterable[object] | None = None,
    target_names: Sequence[str] | None = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: ZeroDivision = "warn",
) -> str | dict[str, Any]:
    """Report precision, recall and F1 per class, and both macro F1s by name.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, zero_division
        As in `averaged_f1_score`.
    target_names
        Names to print for the classes, in their order.
    digits
        Decimals of the text.
    output_dict
        Return the numbers as a dict: one entry per class, ``accuracy`` (if all classes are included), ``averaged_f1``
        and ``f1_of_averages``; all but accuracy have precision, recall, f1-score and support.

    Examples
    --------
    >>> print(classification_report(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"]))
                    precision  recall  f1-score  support
    ──────────────  ─────────  ──────  ────────  ───────
    cat                  1.00    0.50      0.67        2
    dog                  0.67    1.00      0.80        2
    accuracy                               0.75        4
    averaged F1          0.83    0.75      0.73        4
    F1 of averages       0.83    0.75      0.79        4
    """
    shown_digits(digits)
    counts = _counts(y_true, y_pred, sample_weight)
    columns = _listed(counts, labels)
    names = [label_text(label) for label in columns.labels] if target_names is None else list(target_names)
    if len(names) != len(columns):
        problem = f"{len(names)} target_names for {counted(len(columns), 'class', 'classes')}"
        raise LengthError(problem, argument="target_names", given=len(names), expected="one name per class")
    if len(set(names)) < len(names):
        expected = "different names for different classes"
        raise LabelError("two classes go by the same name", argument="target_names", expected=expected)
    undefined = _policy(zero_division, *_PARTS, (*columns.predicted, *columns.actual))
    precision, recall, f1 = columns.precision(undefined), columns.recall(undefined), columns.f(1.0, undefined)
    total = math.fsum(columns.actual) if counts.real else sum(columns.actual)
    report: dict[str, Any] = {
        name: dict(zip(_ENTRY, numbers, strict=True))
        for name, *numbers in zip(names, precision, recall, f1, columns.actual, strict=True)
    }
    whole = counts.task == "multiclass" and set(map(label_key, counts.labels)) <= set(map(label_key, columns.labels))
    if whole and total:
        report["accuracy"] = sum(columns.tp) / total
    of_averages = _of_averages(columns, Convention(undefined=undefined))
    for formula, average in zip(FORMULAS, (mean_or_nan(f1), of_averages), strict=True):
        averages = mean_or_nan(precision), mean_or_nan(recall), average, total
        report[formula] = dict(zip(_ENTRY, averages, strict=True))
    if output_dict:
        return report
    titles: dict[str, str] = dict(FORMULA_NAMES)  # type: ignore[arg-type]  # formulas are names
    rows = []
    for name, entry in report.items():
        ratios = ["", "", entry] if isinstance(entry, float) else [entry[key] for key in _RATIOS]
        numbers = [ratio if ratio == "" else f"{ratio:.{digits}f}" for ratio in ratios]
        support = total if isinstance(entry, float) else entry["support"]
        rows.append([titles.get(name, name), *numbers, f"{support}"])
    return table_text(Table(["", *_ENTRY], rows))


_RATIOS = ("precision", "recall", "f1-score")
_ENTRY = (*_RATIOS, "support")
_PARTS = ("Precision or recall is", "never predicted, or never gold")


def _counts(y_true: Any, y_pred: Any, sample_weight: Any) -> ClassCounts:
    check_consistent_length(y_true, y_pred, sample_weight)
    gold, pred = _side(y_true), _side(y_pred)
    for side in (gold, pred):
        first = side[0] if isinstance(side, (list, tuple)) and side else None
        if isinstance(first, (set, frozenset)) or len(getattr(side, "shape", ())) == 2:
            return count_multilabel(gold, pred, sample_weight=sample_weight)
    gold, pred = _comparable(gold, pred)
    counts, _ = tally(gold, pred, labels=None, sample_weight=sample_weight, missing="error", cells=False)
    return counts


def _side(values: Any) -> Any:
    """Return rows without an index (scikit-learn pairs by position), with numbers as an array."""
    if hasattr(values, "tocsr"):
        return values
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    elif isinstance(values, (list, tuple)) and values and not isinstance(values[0], (str, set, frozenset)):
        values = np.asarray(values)
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] == 1:
        return values.ravel()
    return values


def _comparable(*sides: Any) -> list[Any]:
    """Convert numbers to one type: labels that scikit-learn considers equal must be one label."""
    if not all(isinstance(side, np.ndarray) and side.dtype.kind in "biuf" for side in sides):
        return list(sides)
    found = []
    for side in sides:
        whole = side.view(np.uint8) if side.dtype.kind == "b" else side
        if side.dtype.kind == "f" and np.isfinite(side).all():
            fractions = side[side != np.floor(side)]
            if len(fractions):
                hint = "turn scores into labels first (a threshold, or argmax)"
                raise LabelError(f"{fractions[0].item()!r} is a fraction", expected="classes", hint=hint)
            whole = side.astype(np.int64)
        found.append(whole)
    return found


def _listed(counts: ClassCounts, labels: Iterable[object] | None) -> ClassColumns:
    """Select the classes to average over; a listed class that was never seen has counts of 0."""
    tp, predicted, actual = counts.tp, counts.predicted, counts.actual
    if labels is None:
        return ClassColumns(counts.labels, tp, predicted, actual)
    names = checked_labels(labels.tolist() if isinstance(labels, np.ndarray) else labels)
    place = {label_key(label): position for position, label in enumerate(counts.labels)}
    if counts.task == "multilabel" and not all(label_key(name) in place for name in names):
        n = len(counts.labels)
        problem = Message(Argument("labels", list(names)), f" for {counted(n, 'indicator column')}")
        raise LabelError(problem, argument="labels", expected=f"column numbers from 0 to {n - 1}")
    if counts.task == "multiclass" and counts.labels and isinstance(counts.labels[0], int):
        # Numbers were converted to one type above; convert the list too.
        names = tuple(int(name) if isinstance(name, (bool, float)) else name for name in names)
    at = [place.get(label_key(name)) for name in names]
    tp, predicted, actual = (tuple(0 if x is None else column[x] for x in at) for column in (tp, predicted, actual))
    return ClassColumns(names, tp, predicted, actual)


def _policy(zero_division: ZeroDivision, what: str, when: str, wholes: Iterable[float]) -> Undefined:
    """Return what undefined ratios count as; warn if that was not said and a ratio has a denominator of 0."""
    if isinstance(zero_division, str) and zero_division == "warn":
        if not all(wholes):
            warnings.warn(
                f"{what} not defined for a class that is {when}, and counts as 0: use zero_division to set what it "
                "counts as",
                UndefinedMetricWarning,
                stacklevel=3,
            )
        return 0
    if isinstance(zero_division, (int, float, np.number)) and not isinstance(zero_division, bool):
        if zero_division in (0, 1):
            return 1 if zero_division else 0
        if math.isnan(zero_division):
            return "drop"
    raise ConventionError.unknown_value("zero_division", zero_division, ("warn", 0, 1, "nan"))


def _of_averages(columns: ClassColumns, convention: Convention) -> float:
    try:
        return f_of_averages(columns, convention)
    except EmptyError:
        return math.nan
