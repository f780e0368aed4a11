"""How far a score may be off because the test set is a sample: intervals for both formulas.

Delta method: with t, p, g the tp, predicted and actual of each class, every score is a function of the counts,
and a row adds the derivatives of the labels that it touches. The sum of the squares over all rows is the
variance. For averaged F1 and F1 of averages this is the variance of Takahashi et al. (2022).

Bootstrap: resamples of the rows, drawn as cells (`scores/resampling.py`); the interval is between percentiles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import ClassSet, Undefined
from macrof1.counts.labels import Label, label_key, label_text
from macrof1.counts.patterns import Patterns
from macrof1.errors import InputError, LabelError, quote_some
from macrof1.scores.resampling import (
    Random,
    bootstrap,
    checked_random,
    checked_resamples,
    class_f,
    class_places,
    macro_scores,
)

__all__ = ["IntervalMethod", "IntervalResult", "Measure", "interval", "noise_floor"]

Measure: TypeAlias = Literal["averaged_f1", "f1_of_averages", "gap", "macro_precision", "macro_recall", "f1"]
"""What an interval can be of; "f1" is the F1 of one class."""

IntervalMethod: TypeAlias = Literal["delta", "bootstrap"]

MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)

Array: TypeAlias = NDArray[Any]

# Below so many rows, or rows per class, simulations show 95% intervals that cover less (docs/comparing.md).
FEW_ROWS = 300
FEW_ROWS_PER_CLASS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalResult:
    """An interval for one score.

    Attributes
    ----------
    of
        What it is an interval of.
    estimate, low, high
        The score and the ends of the interval.
    standard_error
        The standard deviation of the score over samples of this size, as the method estimates it.
    n_resamples
        Resamples drawn; None for the delta method.
    noise_floor
        For the gap: about how large it comes out by chance alone where both formulas agree in truth.
    notes
        Why the interval may cover less often than it says, one sentence each.
    """

    of: Measure
    label: Label | None = None
    estimate: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    method: IntervalMethod
    n_resamples: int | None = None
    noise_floor: float | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        plain = self.label if isinstance(self.label, (str, int, float, bool, type(None))) else str(self.label)
        return {
            "of": self.of,
            **({"label": plain} if self.of == "f1" else {}),
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "standard_error": self.standard_error,
            "confidence_level": self.confidence_level,
            "method": self.method,
            "n_resamples": self.n_resamples,
            **({"noise_floor": self.noise_floor} if self.of == "gap" else {}),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Gradient:
    """Derivatives of one score by tp, predicted and actual of every label."""

    tp: Array
    predicted: Array
    actual: Array

    def __sub__(self, other: Gradient) -> Gradient:
        return Gradient(self.tp - other.tp, self.predicted - other.predicted, self.actual - other.actual)


@dataclass(frozen=True, slots=True)
class Point:
    """The scores of one system in the data, and how each changes with the counts."""

    values: dict[str, float]
    gradients: dict[str, Gradient]


def checked_level(confidence_level: float) -> float:
    """Return the confidence level, or refuse one that is no probability."""
    usable = isinstance(confidence_level, (int, float)) and not isinstance(confidence_level, bool)
    if not usable or not 0 < confidence_level < 1:
        hint = f"; did you mean {confidence_level / 100:g}?" if usable and 50 <= confidence_level < 100 else ""
        raise InputError(
            f"confidence_level={confidence_level!r}: expected a number between 0 and 1, such as 0.95{hint}"
        )
    return float(confidence_level)


def normal_quantile(confidence_level: float) -> float:
    """Return how many standard errors a two-sided interval reaches to each side."""
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + confidence_level) / 2)


def _over(above: Array, below: Array) -> Array:
    """Divide, with 0 where there is nothing to divide by: a class without rows moves with no row."""
    return np.divide(above, below, out=np.zeros_like(above), where=below != 0)


def class_sums(patterns: Patterns, system: int, *, power: int = 1) -> tuple[Array, Array, Array]:
    """Return tp, predicted and actual over all labels of the patterns.

    Rows count with their weight to this power: 1 for scores, 2 for variances, 0 for numbers of rows.
    """
    n = len(patterns.labels)
    touches, hit = patterns.systems[system], patterns.hits[system]
    rows = patterns.amounts.astype(np.float64)
    if patterns.weights is not None:
        rows *= patterns.weights.astype(np.float64) ** power
    weight = rows[touches.pattern]
    tp = np.bincount(touches.label, weight * hit, n)
    predicted = np.bincount(touches.label, weight, n)
    return tp, predicted, np.bincount(patterns.gold.label, rows[patterns.gold.pattern], n)


def point(
    patterns: Patterns, system: int = 0, *, classes: ClassSet = "union", undefined: Undefined = 0, beta: float = 1.0
) -> Point:
    """Compute the scores and their derivatives."""
    tp, predicted, actual = class_sums(patterns, system)
    inside = np.zeros(len(tp))
    at = class_places(patterns, system, classes)
    inside[at] = 1 / len(at)
    scores = macro_scores(tp[at, None], predicted[at, None], actual[at, None], beta=beta, undefined=undefined)
    mean_p, mean_r = float(scores.macro_precision[0]), float(scores.macro_recall[0])
    square = beta * beta
    one, zero = np.ones(len(tp)), np.zeros(len(tp))
    below = predicted + square * actual
    f = _over((1 + square) * tp, below)
    averaged = Gradient(
        inside * _over((1 + square) * one, below), -inside * _over(f, below), -square * inside * _over(f, below)
    )
    precision = Gradient(inside * _over(one, predicted), -inside * _over(_over(tp, predicted), predicted), zero)
    recall = Gradient(inside * _over(one, actual), zero, -inside * _over(_over(tp, actual), actual))
    both = square * mean_p + mean_r
    by_p = (1 + square) * mean_r**2 / both**2 if both else 0.0
    by_r = (1 + square) * square * mean_p**2 / both**2 if both else 0.0
    of_averages = Gradient(by_p * precision.tp + by_r * recall.tp, by_p * precision.predicted, by_r * recall.actual)
    return Point(
        {
            "averaged_f1": float(scores.averaged_f1[0]),
            "f1_of_averages": float(scores.f1_of_averages[0]),
            "gap": float(scores.gap[0]),
            "macro_precision": mean_p,
            "macro_recall": mean_r,
        },
        {
            "averaged_f1": averaged,
            "f1_of_averages": of_averages,
            "gap": of_averages - averaged,
            "macro_precision": precision,
            "macro_recall": recall,
        },
    )


def influence(patterns: Patterns, system: int, gradient: Gradient) -> Array:
    """Return how much one row of each pattern moves a score; the sum over all rows is 0."""
    n = len(patterns.amounts)
    touches, hit = patterns.systems[system], patterns.hits[system]
    moved = gradient.predicted[touches.label] + hit * gradient.tp[touches.label]
    of_gold = np.bincount(patterns.gold.pattern, gradient.actual[patterns.gold.label], n)
    both: Array = np.bincount(touches.pattern, moved, n) + of_gold
    return both if patterns.weights is None else both * patterns.weights


def standard_error(patterns: Patterns, system: int, gradient: Gradient) -> float:
    """Return the delta method's standard error of one score."""
    moved = influence(patterns, system, gradient)
    return math.sqrt(float(np.dot(patterns.amounts, moved * moved)))


def noise_floor(
    patterns: Patterns,
    system: int = 0,
    *,
    classes: ClassSet = "union",
    beta: float = 1.0,
) -> float:
    """Return about how large the gap comes out by chance where both formulas agree in truth.

    The gap is a weighted variance of v = actual / (predicted + beta² actual) over classes. Where v is the same
    for all classes it is 0; in a sample each v still varies, and the expected gap is

        (1 + beta²) beta² / n · [Σ w var(v) − var(Σ w v) / Σ w],    w = R + beta² P,

    with variances by the delta method. For n balanced classes of which a share e is wrong, about n e (1 - e) / 2N.
    """
    tp, predicted, actual = class_sums(patterns, system)
    at = class_places(patterns, system, classes)
    inside = np.zeros(len(tp))
    inside[at] = 1.0
    square = beta * beta
    weight = inside * (_over(tp, actual) + square * _over(tp, predicted))
    if not weight.any():
        return 0.0
    below = (predicted + square * actual) ** 2
    by_predicted, by_actual = _over(-actual, below), _over(predicted, below)
    # var(v) of a class: its fn, fp and tp rows move v by these amounts, times their weight.
    hits, all_predicted, all_actual = class_sums(patterns, system, power=2)
    fn, fp = all_actual - hits, all_predicted - hits
    alone = fn * by_actual**2 + fp * by_predicted**2 + hits * (by_actual + by_predicted) ** 2
    shared = influence(patterns, system, Gradient(np.zeros(len(tp)), weight * by_predicted, weight * by_actual))
    together = float(np.dot(patterns.amounts, shared * shared)) / float(weight.sum())
    return max(0.0, (1 + square) * square / len(at) * (float(np.dot(weight, alone)) - together))


def clearly_above(gap: float, floor: float) -> bool:
    """Tell whether a gap is well above its noise floor.

    Where the formulas agree in truth the gap is a sum of squares: four times its mean is passed by chance in about 1 of
    20 samples with two classes, and more rarely with more.
    """
    return gap >= 4 * floor


def interval(
    patterns: Patterns,
    of: str,
    *,
    system: int = 0,
    label: object = None,
    confidence_level: float = 0.95,
    method: str = "delta",
    n_resamples: int = 1000,
    rng: Random = 0,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
) -> IntervalResult:
    """Compute an interval for one score of one system; `ScoreResult.interval` documents the parameters."""
    if of not in MEASURES:
        raise InputError.unknown_option("interval of", of, MEASURES)
    if method not in get_args(IntervalMethod):
        raise InputError.unknown_option("method", method, get_args(IntervalMethod))
    level = checked_level(confidence_level)
    found = point(patterns, system, classes=classes, undefined=undefined, beta=beta)
    at: int | None = None
    if of == "f1":
        at = _class_at(patterns, system, label, classes)
        estimate, gradient = _one_class(patterns, system, at, beta, undefined)
    elif label is not None:
        raise InputError(f'label={label!r} with {of!r}: expected a label only for the F1 of a class, "f1"')
    else:
        estimate, gradient = found.values[of], found.gradients[of]
    notes = [] if at is not None else _coverage_notes(patterns, system, classes)
    if method == "delta":
        error = standard_error(patterns, system, gradient)
        reach = normal_quantile(level) * error
        low, high = max(0.0, estimate - reach), min(1.0, estimate + reach)
    else:
        draws = _bootstrapped(
            patterns, system, of, at, checked_resamples(n_resamples), checked_random(rng), classes, undefined, beta
        )
        low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2]).tolist()
        error = float(draws.std(ddof=1))
    if error == 0 and of != "gap":
        notes.append(
            "The standard error is 0: the sample shows no variation (all right, or all wrong), which says little "
            "about rows not yet seen."
        )
    floor = None
    if of == "gap":
        floor = noise_floor(patterns, system, classes=classes, beta=beta)
        notes += _gap_notes(estimate, floor, method)
    return IntervalResult(
        of=of,
        label=None if at is None else patterns.labels[at],
        estimate=estimate,
        low=low,
        high=high,
        standard_error=error,
        confidence_level=level,
        method="delta" if method == "delta" else "bootstrap",
        n_resamples=None if method == "delta" else n_resamples,
        noise_floor=floor,
        notes=tuple(notes),
    )


def _class_at(patterns: Patterns, system: int, label: object, classes: ClassSet) -> int:
    places = class_places(patterns, system, classes).tolist()
    known = {label_key(patterns.labels[place]): place for place in places}
    if label_key(label) not in known:
        names = [patterns.labels[place] for place in places]
        raise LabelError(f'label={label!r} is no class here: "f1" expected one of {quote_some(names)}')
    place: int = known[label_key(label)]
    return place


def _one_class(patterns: Patterns, system: int, at: int, beta: float, undefined: Undefined) -> tuple[float, Gradient]:
    tp, predicted, actual = class_sums(patterns, system)
    square = beta * beta
    below = predicted[at] + square * actual[at]
    by_tp, by_predicted, by_actual = np.zeros(len(tp)), np.zeros(len(tp)), np.zeros(len(tp))
    if not below:
        return float(undefined), Gradient(by_tp, by_predicted, by_actual)
    f = (1 + square) * tp[at] / below
    by_tp[at], by_predicted[at], by_actual[at] = (1 + square) / below, -f / below, -square * f / below
    return float(f), Gradient(by_tp, by_predicted, by_actual)


def _bootstrapped(
    patterns: Patterns,
    system: int,
    of: str,
    at: int | None,
    n_resamples: int,
    rng: np.random.Generator,
    classes: ClassSet,
    undefined: Undefined,
    beta: float,
) -> Array:
    places = class_places(patterns, system, classes)
    found = []
    for part in bootstrap(patterns, n_resamples, rng):
        tp, predicted, actual = part.tp[system], part.predicted[system], part.actual
        if at is not None:
            one = [side[at].astype(np.float64) for side in (tp, predicted, actual)]
            found.append(class_f(one[0], one[1], one[2], beta, undefined))
        else:
            scores = macro_scores(tp[places], predicted[places], actual[places], beta=beta, undefined=undefined)
            found.append(getattr(scores, of))
    return np.concatenate(found)


def coverage_notes(n_rows: int, n_classes: int, rare: list[str], empty: list[str]) -> list[str]:
    """Say where intervals are known to cover less often than they should."""
    notes = []
    if n_rows < FEW_ROWS or n_rows < FEW_ROWS_PER_CLASS * n_classes:
        rows, verb = ("row", "is") if n_rows == 1 else ("rows", "are")
        notes.append(
            f"{n_rows:,} {rows} for {n_classes:,} classes {verb} few: "
            "95% intervals may cover in 85 to 93 of 100 samples, or less where classes are rare."
        )
    if empty:
        verb = "is" if len(empty) == 1 else "are"
        shown = ", ".join(empty[:5]) + (", …" if len(empty) > 5 else "")
        notes.append(
            f"{len(empty)} of {n_classes:,} classes {verb} never gold or never predicted ({shown}): the interval does "
            "not know how they would score in another sample, and covers too rarely."
        )
    elif rare:
        verb = "has" if len(rare) == 1 else "have"
        shown = ", ".join(rare[:5]) + (", …" if len(rare) > 5 else "")
        notes.append(
            f"{len(rare)} of {n_classes:,} classes {verb} fewer than 5 gold rows ({shown}): the interval is too narrow."
        )
    return notes


def _coverage_notes(patterns: Patterns, system: int, classes: ClassSet) -> list[str]:
    _, predicted, actual = class_sums(patterns, system, power=0)
    at = class_places(patterns, system, classes).tolist()
    names = {place: label_text(patterns.labels[place]) for place in at}
    empty = [names[place] for place in at if not (predicted[place] and actual[place])]
    rare = [names[place] for place in at if 0 < actual[place] < 5]
    return coverage_notes(patterns.n_rows, len(at), rare, empty)


def _gap_notes(estimate: float, floor: float, method: str) -> list[str]:
    notes = [
        f"By chance alone the gap comes out at about {floor:.2g} in samples of this size where the formulas agree in "
        "truth; a bootstrap adds as much again."
    ]
    if method == "delta":
        notes.append(
            "The delta method fails near a gap of 0, where the gap's derivatives vanish: use method='bootstrap' and "
            "compare with the noise floor."
        )
    if not clearly_above(estimate, floor):
        notes.append("The gap is not clearly above its noise floor: the formulas may agree in truth.")
    return notes
