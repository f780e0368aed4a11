"""Both macro F1s as Keras 3 metrics, on any backend: counts over the epoch, not a mean over its batches.

::

    from macrof1.integrations.keras import AveragedF1, F1OfAverages

    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy",
                  metrics=[AveragedF1(num_classes=3), F1OfAverages(num_classes=3)])

Needs Keras 3 and one of its backends.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from macrof1.convention import ClassSet, Formula, Undefined
from macrof1.counts import ClassCounts
from macrof1.errors import InputError, MissingExtraError, counted
from macrof1.integrations import checked_rules, weights_not_taken
from macrof1.scoring.score_result import ScoreResult, score_counts

try:
    import keras
    from keras import ops
except ImportError as missing:
    raise MissingExtraError.needed(package="Keras 3 and a backend", extra="keras", purpose=__name__) from missing


@keras.saving.register_keras_serializable(package="macrof1")
class AveragedF1(keras.metrics.Metric):
    """Averaged F1, the mean of the per-class F1 scores, over all batches since the last reset.

    Parameters
    ----------
    num_classes
        Number of classes; labels are 0 to ``num_classes - 1``.
    name, dtype
        As in every Keras metric.
    classes
        The class set averaged over: ``"union"`` of gold and predicted, ``"gold"``, or ``"listed"``: all of them.
    undefined, beta
        As in `macrof1.score`.
    ignore_class
        Rows with this gold label are ignored, as in `keras.losses.SparseCategoricalCrossentropy`.
    weighted
        Whether rows have weights (``weighted_metrics``, or a mask); the counts are then sums of weights.

    Notes
    -----
    ``y_true`` holds labels or one-hot rows; ``y_pred`` scores per class (the best class counts), one probability per
    row if there are two classes, or labels. `result()` is that of `macrof1.score` on all rows of the epoch, whatever
    the batch size, in float64 where the backend has it; it is NaN once a label outside the classes was met.
    `full_result()` returns the `ScoreResult` with per-class scores and the signature, or says which label it was.

    Examples
    --------
    >>> metric = AveragedF1(num_classes=2)
    >>> metric.update_state([0, 0, 1, 1], [0, 1, 1, 1])
    >>> round(float(metric.result()), 4)
    0.7333
    """

    formula: ClassVar[Formula] = "averaged_f1"

    def __init__(
        self,
        num_classes: int,
        *,
        name: str | None = None,
        dtype: Any = None,
        classes: ClassSet = "union",
        undefined: Undefined = 0,
        beta: float = 1.0,
        ignore_class: int | None = None,
        weighted: bool = False,
    ) -> None:
        super().__init__(name=name or self.formula, dtype=dtype)
        self.rules = checked_rules(classes=classes, undefined=undefined, beta=beta)
        self.num_classes = InputError.whole("num_classes", num_classes, 1)
        self.ignore_class, self.weighted = ignore_class, weighted
        # JAX has 32 bits unless told otherwise: whole numbers stay exact up to 2**31 rows, floats up to 2**24.
        wide = keras.backend.backend() != "jax"
        self._float = "float64" if wide else "float32"
        kind = self._float if weighted else "int64" if wide else "int32"
        self.counts = self.add_weight(shape=(3, num_classes), initializer="zeros", dtype=kind, name="counts")
        self.n_outside = self.add_weight(shape=(), initializer="zeros", dtype=kind, name="n_outside")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count a batch: gold labels first, as everywhere in Keras."""
        if sample_weight is not None and not self.weighted:
            raise weights_not_taken(" or a mask")
        n, kind = self.num_classes, self.counts.dtype
        gold, pred = ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)
        width = pred.shape[-1] if len(pred.shape) else None
        if keras.backend.standardize_dtype(pred.dtype).startswith(("float", "bfloat")):
            if len(pred.shape) > 1 and width == n:
                one_hot = len(gold.shape) == len(pred.shape) and gold.shape[-1] == n > 1
                gold, pred = ops.argmax(gold, axis=-1) if one_hot else gold, ops.argmax(pred, axis=-1)
            elif n == 2 and (len(pred.shape) == 1 or width == 1):
                pred = pred > 0.5
            else:
                problem = f"y_pred holds scores of shape {tuple(pred.shape)}"
                raise InputError(problem, argument="y_pred", expected=f"{n} scores per row, or labels")
        gold, pred = (ops.cast(ops.reshape(side, (-1,)), "int32") for side in (gold, pred))
        kept = ops.ones_like(gold, dtype="bool")
        if self.ignore_class is not None:
            kept = ops.not_equal(gold, self.ignore_class)
        weight = ops.cast(kept, kind)
        if sample_weight is not None:
            weight = weight * ops.cast(ops.reshape(sample_weight, (-1,)), kind)
        outside = ops.logical_and(kept, (gold < 0) | (gold >= n) | (pred < 0) | (pred >= n))
        self.n_outside.assign_add(ops.sum(ops.cast(outside, kind)))
        # A label outside matches no class: its one-hot row is empty.
        true, told = (ops.cast(ops.expand_dims(side, 1) == ops.arange(n), kind) for side in (gold, pred))
        weight = ops.expand_dims(weight, 1)
        sums = (ops.sum(part * weight, axis=0) for part in (true * told, told, true))
        self.counts.assign_add(ops.stack(list(sums)))

    def result(self) -> Any:
        """Return the score of all batches as a scalar tensor."""
        counts, square = ops.cast(self.counts, self._float), self.rules.beta**2
        tp, predicted, actual = counts[0], counts[1], counts[2]
        seen = predicted + actual > 0
        kept = {"listed": ops.ones_like(seen), "gold": actual > 0}.get(self.rules.classes, seen)
        kept = ops.cast(kept, self._float)
        # Without a row every class counts, and every ratio is undefined.
        kept = ops.where(ops.any(seen), kept, ops.ones_like(kept))
        n = ops.sum(kept)

        def mean(above: Any, below: Any) -> Any:
            ratio = ops.where(below > 0, above / ops.where(below > 0, below, 1.0), float(self.rules.undefined))
            return ops.sum(ratio * kept) / n

        if self.formula == "averaged_f1":
            score = mean((1 + square) * tp, predicted + square * actual)
        else:
            precision, recall = mean(tp, predicted), mean(tp, actual)
            below = square * precision + recall
            # With a beta of 0, F is precision, whatever the recall is.
            above = (1 + square) * precision * recall
            score = ops.where(below > 0, above / ops.where(below > 0, below, 1.0), 0.0) if square else precision
        return ops.where(self.n_outside > 0, float("nan"), score)

    def full_result(self) -> ScoreResult:
        """Return the full result of all batches: both scores, per-class scores, explanation, signature."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of Keras, for NumPy 2
            columns, outside = (ops.convert_to_numpy(state).tolist() for state in (self.counts, self.n_outside))
        if outside:
            problem = f"{counted(int(outside), 'row')} with a label outside the classes"
            raise InputError(problem, expected=f"whole numbers from 0 to {self.num_classes - 1}")
        listed = self.rules.classes == "listed"
        places = [c for c in range(self.num_classes) if listed or columns[1][c] or columns[2][c]]
        tp, predicted, actual = (tuple(column[c] for c in places) for column in columns)
        counts = ClassCounts(
            labels=tuple(places), tp=tp, predicted=predicted, actual=actual, n_listed=len(places) if listed else None,
            n_rows=None if self.weighted else sum(actual), weighted=self.weighted,
        )  # fmt: skip
        return score_counts(counts, convention=self.rules)

    def get_config(self) -> dict[str, Any]:
        """Return what makes the metric anew in a saved model."""
        own = {name: getattr(self, name) for name in ("num_classes", "ignore_class", "weighted")}
        rules = {name: getattr(self.rules, name) for name in ("classes", "undefined", "beta")}
        return {**super().get_config(), **own, **rules}


@keras.saving.register_keras_serializable(package="macrof1")
class F1OfAverages(AveragedF1):
    """F1 of averages, the harmonic mean of macro precision and macro recall; parameters as in `AveragedF1`."""

    formula: ClassVar[Formula] = "f1_of_averages"
