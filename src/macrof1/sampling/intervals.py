"""How far a score may be off because the test set is a sample: intervals for both formulas.

Delta method: by the derivatives of the scores (`scores/derivatives.py`).

Bootstrap: resamples of the rows, drawn as cells (`scores/resampling.py`); the interval is between percentiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import ClassSet, Undefined
from macrof1.errors import InputError, LabelError, quote_some
from macrof1.labels import Label, label_key, label_text
from macrof1.sampling.delta import Gradient, class_sums, clearly_above, noise_floor, point, standard_error
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import (
    Random,
    bootstrap,
    checked_random,
    checked_resamples,
    class_f,
    class_places,
    macro_scores,
)

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
        raise InputError.unknown_value("interval of", of, MEASURES)
    if method not in get_args(IntervalMethod):
        raise InputError.unknown_value("method", method, get_args(IntervalMethod))
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
