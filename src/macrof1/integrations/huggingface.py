"""Both macro F1s for Hugging Face: functions from predictions to a flat dict, and a module for `evaluate.load`.

It needs no extra: the Trainer passes NumPy arrays. ``evaluate.load(EVALUATE_MODULE)`` loads the module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from macrof1.convention import ClassSet, Undefined
from macrof1.counting.multilabel import count_multilabel
from macrof1.counting.spans import count_spans
from macrof1.counting.tags import Scheme, SpanMode
from macrof1.counts import Making
from macrof1.entry import score
from macrof1.errors import EmptyError, InputError, LabelError, LengthError
from macrof1.integrations import score_of_nothing
from macrof1.message import Argument, Note
from macrof1.scoring.score_result import ScoreResult, score_counts

EVALUATE_MODULE: Final = str(Path(__file__).with_name("macro_f1"))
"""The path that ``evaluate.load`` takes: ``evaluate.load(EVALUATE_MODULE).compute(predictions=…, references=…)``."""


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


def with_options(**options: Any) -> Callable[[Any], dict[str, float]]:
    """Return a ``compute_metrics`` with other options, as in `score_predictions`.

    Examples
    --------
    >>> entities = with_options(tag_names=["O", "B-PER", "I-PER"])  # or tag_names=model.config.id2label
    >>> predicted, gold = np.array([[1, 2, 0], [1, 0, 0]]), np.array([[1, 2, -100], [0, 1, 0]])
    >>> entities((predicted, gold))["averaged_f1"]
    0.5
    """
    return lambda prediction: score_predictions(prediction, **options).metrics()


def score_predictions(
    prediction: Any,
    *,
    ignore_index: int = -100,
    threshold: float = 0.0,
    classes: ClassSet | None = None,
    undefined: Undefined = 0,
    beta: float = 1.0,
    tag_names: Sequence[str] | Mapping[Any, str] | None = None,
    scheme: Scheme = "iob2",
    mode: SpanMode = "conll",
    tokens: bool = False,
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
    tag_names
        For token classification: the tags that the numbers stand for, in order, or a model's ``id2label``. Entities are
        then scored, as `macrof1.count_spans` counts them.
    scheme, mode
        Of the tags, as in `macrof1.count_spans`.
    tokens
        That every token is meant to be a row, as in part-of-speech tagging: silences the doubt about tags.
    """
    if hasattr(prediction, "predictions") and hasattr(prediction, "label_ids"):
        prediction = prediction.predictions, prediction.label_ids
    if not isinstance(prediction, tuple) or len(prediction) < 2:
        given = f"prediction is a {type(prediction).__name__}"
        raise InputError(given, expected="an EvalPrediction, or predictions and labels")
    outputs, gold = prediction[0], _array(prediction[1])
    scores = _array(outputs[0] if isinstance(outputs, tuple) and hasattr((*outputs, 0)[0], "shape") else outputs)
    convention: dict[str, Any] = {"classes": classes or "union", "undefined": undefined, "beta": beta}
    names = None if tag_names is None else _in_order(tag_names)
    several = scores.shape == gold.shape and scores.dtype.kind == "f" and names is None
    n = scores.shape[-1] if scores.shape[:-1] == gold.shape and scores.dtype.kind == "f" else None
    if (several and np.isnan(scores).any()) or (n is not None and np.isnan(scores[gold != ignore_index]).any()):
        raise InputError("predictions holds NaN", expected="a number for every class", hint="did the loss diverge?")
    if several:
        if gold.ndim != 2:
            raise LengthError(
                f"predictions are scores of shape {scores.shape}, as are the labels",
                expected="rows x labels for multilabel, or one axis of classes more in predictions",
            )
        if not gold.size:
            return score_of_nothing(max(1, gold.shape[1]))
        counts = count_multilabel(gold.astype(np.int64) if gold.dtype.kind == "f" else gold, scores > threshold)
        return score_counts(counts, **convention)
    if names is not None and n not in (None, len(names)):
        raise LengthError(f"{len(names)} tag_names for scores of {n} tags", argument="tag_names", given=len(names),
                          expected="one name per tag")  # fmt: skip
    pred = scores if n is None else scores.argmax(-1)
    if pred.shape != gold.shape or pred.dtype.kind not in "biu" or (names is not None and gold.ndim != 2):
        raise LengthError(
            f"predictions has shape {scores.shape} ({scores.dtype}) and labels {gold.shape}",
            expected="labels of the same shape, or scores with one axis of classes more"
            if names is None
            else "sentences x tokens, or scores with one axis of tags more",
        )
    kept = gold != ignore_index
    if names is not None:
        # Whole entities; tokens to ignore are left out of both sides.
        sides = ([row[here].tolist() for row, here in zip(side, kept, strict=True)] for side in (gold, pred))
        try:
            return score_counts(count_spans(*sides, scheme=scheme, mode=mode, tag_names=names), **convention)
        except EmptyError:
            return score_of_nothing(1)
    gold_left, pred_left = gold[kept], pred[kept]
    if not gold_left.size:
        return score_of_nothing(n or 1)
    if n is not None and not (gold_left.min() >= 0 and gold_left.max() < n):
        outside = gold_left.min() if gold_left.min() < 0 else gold_left.max()
        raise LabelError(
            f"label {outside} is outside the classes", expected=f"0 to {n - 1}, or {ignore_index} to ignore"
        )
    listed = range(n) if classes == "listed" and n is not None else None
    result = score(gold_left, pred_left, labels=listed, **convention)
    doubts = () if tokens or (gold.ndim == 1 and kept.all()) else (_TAGS,)
    return replace(result, making=result.making + Making(notes=doubts))


def _array(side: Any) -> Any:
    try:
        return np.asarray(side)
    except ValueError:  # a list of arrays
        raise LengthError("arrays of different shapes", expected="one array, padded with labels of -100") from None


_TAGS = Note(
    "Predictions look like tokens: every token is scored, and the tag O is averaged over as a class; ",
    Argument("tag_names"), " scores whole entities, ", Argument("tokens", True), " says that rows are meant.",
    code="tags",
)  # fmt: skip


def _in_order(tag_names: Sequence[str] | Mapping[Any, str]) -> list[str]:
    """Return names in the order of their numbers; a model's ``id2label`` has both."""
    if not isinstance(tag_names, Mapping):
        return list(tag_names)
    by_number = {int(number): name for number, name in tag_names.items()}
    if sorted(by_number) != list(range(len(by_number))):
        expected = f"a name for every number from 0 to {len(by_number) - 1}"
        raise InputError.bad_value("tag_names", sorted(by_number), expected=expected)
    return [by_number[number] for number in range(len(by_number))]
