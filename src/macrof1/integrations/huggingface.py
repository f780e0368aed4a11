"""Both macro F1s for the Hugging Face Trainer: a function from predictions to a flat dict of floats.

It needs no extra: the Trainer passes NumPy arrays.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import ClassSet, Undefined
from macrof1.counting.multilabel import count_multilabel
from macrof1.counts import ClassCounts
from macrof1.entry import score
from macrof1.errors import InputError, LabelError, LengthError
from macrof1.scoring.score_result import ScoreResult, score_counts


def compute_metrics(prediction: Any) -> dict[str, float]:
    """Score an ``EvalPrediction``: pass this function to ``Trainer(compute_metrics=...)``.

    Returns
    -------
    dict
        ``averaged_f1``, ``f1_of_averages``, ``gap``, ``macro_precision`` and ``macro_recall``: select the best model
        with ``metric_for_best_model="averaged_f1"``.

    Examples
    --------
    >>> logits, gold = np.array([[2.0, 1.0], [0.0, 3.0], [1.0, 4.0]]), np.array([0, 0, 1])
    >>> round(compute_metrics((logits, gold))["averaged_f1"], 4)
    0.6667
    """
    return score_predictions(prediction).metrics()


def with_options(
    *,
    ignore_index: int = -100,
    threshold: float = 0.0,
    classes: ClassSet | None = None,
    undefined: Undefined = 0,
    beta: float = 1.0,
) -> Callable[[Any], dict[str, float]]:
    """Return a ``compute_metrics`` with other options, as in `score_predictions`."""
    options = locals()
    return lambda prediction: score_predictions(prediction, **options).metrics()


def score_predictions(
    prediction: Any,
    *,
    ignore_index: int = -100,
    threshold: float = 0.0,
    classes: ClassSet | None = None,
    undefined: Undefined = 0,
    beta: float = 1.0,
) -> ScoreResult:
    """Return the full `ScoreResult` of an ``EvalPrediction`` or a pair of predictions and labels.

    Parameters
    ----------
    prediction
        Labels of any shape, with predictions of the same shape (labels) or with one more axis (scores per class; the
        best class counts): sequence and token classification. Two-dimensional labels of 0 and 1 with scores of the same
        shape are multilabel. If the model outputs are a tuple, its first element is used.
    ignore_index
        Rows or tokens with this gold label are ignored.
    threshold
        Multilabel scores above it count as predicted; use 0 for logits.
    classes
        As in `macrof1.score`; ``"listed"`` averages over every class that has a score. By default ``"union"``.
    undefined, beta
        As in `macrof1.score`.
    """
    scores, gold = _arrays(prediction)
    if scores.shape == gold.shape and scores.dtype.kind == "f":
        return _multilabel(scores, gold, threshold, classes, undefined, beta)
    n = None
    if scores.ndim == gold.ndim + 1 and scores.shape[:-1] == gold.shape and scores.dtype.kind == "f":
        n = scores.shape[-1]
        if np.isnan(scores[gold != ignore_index]).any():
            raise InputError("predictions holds NaN", expected="a number for every class", hint="did the loss diverge?")
        pred = scores.argmax(-1).reshape(-1)
    elif scores.shape == gold.shape and scores.dtype.kind in "biu":
        pred = scores.reshape(-1)
    else:
        raise LengthError(
            f"predictions has shape {scores.shape} ({scores.dtype}) and labels {gold.shape}",
            expected="labels of the same shape, or scores with one axis of classes more",
        )
    flat = gold.reshape(-1)
    kept = flat != ignore_index
    flat, pred = flat[kept], pred[kept]
    if not flat.size:
        return _nothing(n or 1)
    if n is not None and not (flat.min() >= 0 and flat.max() < n):
        outside = flat.min() if flat.min() < 0 else flat.max()
        raise LabelError(
            f"label {outside} is outside the classes", expected=f"0 to {n - 1}, or {ignore_index} to ignore"
        )
    listed = range(n) if classes == "listed" and n is not None else None
    return score(flat, pred, labels=listed, classes=classes or "union", undefined=undefined, beta=beta)


def _arrays(prediction: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    if hasattr(prediction, "predictions") and hasattr(prediction, "label_ids"):
        scores, gold = prediction.predictions, prediction.label_ids
    elif isinstance(prediction, tuple) and len(prediction) >= 2:
        scores, gold = prediction[:2]
    else:
        raise InputError(
            f"prediction is a {type(prediction).__name__}", expected="an EvalPrediction, or predictions and labels"
        )
    if isinstance(scores, (tuple, list)) and scores and isinstance(scores[0], np.ndarray):
        scores = scores[0]
    if isinstance(gold, (tuple, list)) and gold and isinstance(gold[0], np.ndarray):
        gold = gold[0]
    return np.asarray(scores), np.asarray(gold)


def _multilabel(
    scores: NDArray[Any],
    gold: NDArray[Any],
    threshold: float,
    classes: ClassSet | None,
    undefined: Undefined,
    beta: float,
) -> ScoreResult:
    if gold.ndim != 2:
        raise LengthError(
            f"predictions are scores of shape {scores.shape}, as are the labels",
            expected="rows x labels for multilabel, or one axis of classes more in predictions",
        )
    if np.isnan(scores).any():
        raise InputError("predictions holds NaN", expected="a number for every label", hint="did the loss diverge?")
    if not gold.size:
        return _nothing(max(1, gold.shape[1]))
    counts = count_multilabel(gold.astype(np.int64) if gold.dtype.kind == "f" else gold, scores > threshold)
    return score_counts(counts, classes=classes or "union", undefined=undefined, beta=beta)


def _nothing(n: int) -> ScoreResult:
    warnings.warn(
        "no row was left to score, so that both macro F1s are 0 by convention: is the evaluation set empty?",
        UserWarning,
        stacklevel=4,
    )
    zeros = [0] * n
    return score_counts(ClassCounts.of(range(n), tp=zeros, predicted=zeros, actual=zeros, n_rows=0))
