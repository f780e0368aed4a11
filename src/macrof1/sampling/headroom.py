"""How far thresholds alone could raise each formula, given a score per row and class.

Averaged F1 separates by class: each class takes the threshold with its own best F1. F1 of averages does not, but

    H(X, Y) = min over λ of 2 (λ² X + (1 - λ)² Y),

so for every λ each class can maximise λ² P + (1 - λ)² R on its own. The thresholds of the best λ are polished one
class at a time, and the smallest of the sums over λ is an upper bound for any thresholds.

This reports how far a number could be pushed; it is not a way to tune: thresholds that are good for F1 of averages
give some classes high precision and almost no recall, and others the reverse.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from macrof1.convention import FORMULAS, Formula
from macrof1.counting.encoding import Codes, encode
from macrof1.counting.multilabel import has_sets
from macrof1.errors import CountError, InputError, LabelError, LengthError
from macrof1.labels import checked_labels, label_key
from macrof1.message import Argument, Message
from macrof1.result import Result
from macrof1.sampling.macro_scores import f_of_means, macro_scores
from macrof1.sampling.resampling import Array, Random, checked_random

_LAMBDAS: Final = np.linspace(0.0, 1.0, 201)
_MOST_ROUNDS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedScores(Result):
    """Both scores under thresholds tuned for one formula.

    `thresholds` has one entry per class: labels with at least this score are predicted; None predicts no row.
    """

    averaged_f1: float
    f1_of_averages: float
    thresholds: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadroomResult(Result):
    """How far thresholds alone could raise each formula.

    Attributes
    ----------
    tuned
        Both scores for each tuned formula, on the rows used for tuning.
    held_out
        The same on held-out rows, by cross-validation.
    bound
        No thresholds give a larger F1 of averages on these rows.
    """

    tuned: dict[Formula, TunedScores]
    held_out: dict[Formula, TunedScores] | None
    bound: float
    n_rows: int
    n_classes: int
    n_folds: int | None


def headroom(
    gold: Any, scores: Any, *, labels: Iterable[object] | None = None, n_folds: int = 5, rng: Random = 0
) -> HeadroomResult:
    """Compute how far tuning a threshold per class could raise each formula.

    Parameters
    ----------
    gold
        Several labels per row: an indicator matrix, or a sequence of sets; or one label per row, with `labels`.
    scores
        One number per row and class: probabilities, logits, or anything that grows with confidence.
    labels
        The classes, in the order of the columns of `scores`; required unless gold is an indicator matrix.
    n_folds
        Thresholds are tuned on all folds but one and evaluated on that one; 0 skips this.
    rng
        The seed for assigning rows to folds.

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.random.default_rng(0)
    >>> gold = draws.random((200, 4)) < [0.5, 0.3, 0.1, 0.05]
    >>> found = headroom(gold, gold + draws.normal(size=(200, 4)))
    >>> best = found.tuned["f1_of_averages"]
    >>> best.averaged_f1 < found.tuned["averaged_f1"].averaged_f1 < best.f1_of_averages <= found.bound
    True
    """
    values = _checked_scores(scores)
    truth = _indicators(gold, values, labels)
    n_rows, n_classes = values.shape
    if isinstance(n_folds, bool) or not isinstance(n_folds, int) or n_folds == 1 or not 0 <= n_folds <= n_rows:
        raise InputError.bad_value("n_folds", n_folds, expected="0, or a whole number from 2 to the number of rows")
    thresholds, bound = _tuned(truth, values)
    tuned = {formula: _scored(truth, values, cuts[None]) for formula, cuts in thresholds.items()}
    held_out = None
    if n_folds:
        fold = checked_random(rng).permutation(n_rows) % n_folds
        parts = [_tuned(truth[fold != at], values[fold != at])[0] for at in range(n_folds)]
        held_out = {
            formula: _scored(truth, values, np.stack([p[formula] for p in parts])[fold]) for formula in FORMULAS
        }
    return HeadroomResult(
        tuned={formula: replace(found, thresholds=_plain(thresholds[formula])) for formula, found in tuned.items()},
        held_out=held_out,
        bound=max(bound, tuned["f1_of_averages"].f1_of_averages),
        n_rows=n_rows,
        n_classes=n_classes,
        n_folds=n_folds or None,
    )


def _plain(thresholds: Array) -> tuple[float | None, ...]:
    return tuple(None if np.isinf(cut) else cut for cut in thresholds.tolist())


def _checked_scores(scores: Any) -> Array:
    try:
        values = np.asarray(scores, np.float64)
    except (TypeError, ValueError):
        raise CountError("scores are not numbers", argument="scores", expected="a number per row and class") from None
    if values.ndim != 2 or not values.size:
        raise CountError(
            f"scores have shape {values.shape}", argument="scores", expected="rows x classes, at least one of each"
        )
    if not np.isfinite(values).all():
        raise CountError("scores are NaN or infinite in some rows", argument="scores", expected="finite numbers")
    return values


def _indicators(gold: Any, values: Array, labels: Iterable[object] | None) -> Array:
    n_rows, n_classes = values.shape
    names = None if labels is None else checked_labels(labels)
    if names is not None and len(names) != n_classes:
        raise LengthError(
            f"{len(names)} labels for {n_classes} columns of scores", argument="labels", expected="one name per column"
        )
    shape = getattr(gold, "shape", ())
    if len(shape) == 2:
        matrix = np.asarray(gold.todense() if hasattr(gold, "todense") else gold)
        if matrix.shape != values.shape:
            raise LengthError(
                f"gold has shape {matrix.shape} and scores have {values.shape}", argument="scores", expected="the same"
            )
        if not np.isin(matrix, (0, 1)).all():
            raise LabelError("gold holds numbers other than 0 and 1", argument="gold", expected="an indicator matrix")
        return matrix.astype(np.bool_)
    if names is None:
        raise InputError(
            Message(Argument("labels"), " is missing"),
            expected="the class of each column of scores, where gold is not an indicator matrix",
        )
    place = {label_key(name): at for at, name in enumerate(names)}
    rows = gold if has_sets(gold) else [{label} for label in _labels(gold)]
    if len(rows) != n_rows:
        raise LengthError.differ(gold=len(rows), scores=n_rows)
    found = np.zeros(values.shape, np.bool_)
    for at, row in enumerate(rows):
        for label in row:
            if label_key(label) not in place:
                raise LabelError(f"gold has the label {label!r}", argument="labels", expected="all labels of gold")
            found[at, place[label_key(label)]] = True
    return found


def _labels(gold: Any) -> list[Any]:
    codes = encode(gold, "gold")
    return [codes.labels[code] for code in codes.codes] if isinstance(codes, Codes) else codes.tolist()


def _scored(truth: Array, values: Array, thresholds: Array) -> TunedScores:
    """Score the labels above thresholds, which are the same for all rows or vary by row."""
    pred = values >= thresholds
    tp, predicted, actual = (side.sum(0)[:, None] for side in (truth & pred, pred, truth))
    found = macro_scores(tp, predicted, actual)
    return TunedScores(averaged_f1=float(found.averaged_f1[0]), f1_of_averages=float(found.f1_of_averages[0]))


@dataclass(frozen=True, slots=True)
class _Cuts:
    """Every possible threshold of a class: precision, recall and F1 of each, cuts x classes.

    The first cut predicts nothing; a cut between equal scores is impossible and has an F1 of minus infinity.
    """

    thresholds: Array
    precision: Array
    recall: Array
    f1: Array

    @classmethod
    def of(cls, truth: Array, values: Array) -> _Cuts:
        n_rows, n_classes = values.shape
        order = np.argsort(-values, axis=0, kind="stable")
        ranked = np.take_along_axis(values, order, 0)
        tp = np.vstack([np.zeros(n_classes), np.cumsum(np.take_along_axis(truth, order, 0), 0)])
        predicted = np.arange(n_rows + 1)[:, None]
        actual = truth.sum(0)
        possible = np.vstack([np.ones(n_classes, np.bool_), ranked[:-1] > ranked[1:], np.ones(n_classes, np.bool_)])
        f1 = 2 * tp / np.maximum(predicted + actual, 1)
        return cls(
            thresholds=np.vstack([np.full(n_classes, np.inf), ranked]),
            precision=tp / np.maximum(predicted, 1),
            recall=tp / np.maximum(actual, 1),
            f1=np.where(possible, f1, -np.inf),
        )

    def at(self, side: Array, cut: Array) -> Array:
        """Return one number per class."""
        return np.asarray(np.take_along_axis(side, cut[None], 0)[0])


def _tuned(truth: Array, values: Array) -> tuple[dict[Formula, Array], float]:
    """Return the best thresholds for each formula, and a bound on F1 of averages."""
    cuts = _Cuts.of(truth, values)
    best, score, bound = cuts.f1.argmax(0), -1.0, np.inf
    chosen, possible = best, np.isfinite(cuts.f1)
    for weight in _LAMBDAS:
        mixed = np.where(possible, weight**2 * cuts.precision + (1 - weight) ** 2 * cuts.recall, -np.inf)
        cut = mixed.argmax(0)
        bound = min(bound, 2 * float(cuts.at(mixed, cut).mean()))
        found = _of_averages(cuts, cut)
        if found > score:
            chosen, score = cut, found
    chosen = _polished(cuts, max(chosen, best, key=lambda cut: _of_averages(cuts, cut)))
    thresholds = {"averaged_f1": cuts.at(cuts.thresholds, best), "f1_of_averages": cuts.at(cuts.thresholds, chosen)}
    return thresholds, float(bound)  # type: ignore[return-value]  # the keys are the two formulas


def _of_averages(cuts: _Cuts, cut: Array) -> float:
    return float(f_of_means(cuts.at(cuts.precision, cut).mean(), cuts.at(cuts.recall, cut).mean(), 1.0))


def _polished(cuts: _Cuts, cut: Array) -> Array:
    """Move one class at a time to its best threshold given the others, until none moves."""
    cut = cut.copy()
    n_classes = len(cut)
    for _ in range(_MOST_ROUNDS):
        before = cut.copy()
        for one in range(n_classes):
            precision, recall = cuts.at(cuts.precision, cut), cuts.at(cuts.recall, cut)
            others = precision.sum() - precision[one], recall.sum() - recall[one]
            mean_p = (cuts.precision[:, one] + others[0]) / n_classes
            mean_r = (cuts.recall[:, one] + others[1]) / n_classes
            found = np.where(np.isfinite(cuts.f1[:, one]), f_of_means(mean_p, mean_r, 1.0), -np.inf)
            if found.max() > found[cut[one]] + 1e-15:
                cut[one] = int(found.argmax())
        if (cut == before).all():
            break
    return cut
