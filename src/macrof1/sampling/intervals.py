"""How far a score may be off because the test set is a sample: intervals for both formulas.

Logit (the default): around the score on the log-odds scale, so that the interval stays between 0 and 1, with
the larger of two standard errors: the jackknife's (`jackknife`) and that of smoothed counts (`smoothing`), and with
Student's t if classes with few rows make up most of the variance.

Wilson (the F1 of one class): given that a row is gold or predicted, being both is a draw with probability J, the
Jaccard index, and F1 is 2J / (1 + J).

Delta method: normal, from the derivatives of the scores (`delta`).

Bootstrap: resamples of the rows, drawn as cells (`resampling`); the interval lies between percentiles. Resampling a
sample adds the noise floor to the gap a second time, so twice the floor is subtracted from the gap.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from macrof1.convention import DEFAULT, Convention
from macrof1.errors import InputError, LabelError, counted, quote_some
from macrof1.labels import Label, label_key, label_name
from macrof1.message import Argument, Message, Note
from macrof1.result import Result
from macrof1.sampling.delta import Point, class_sums, point, standard_error
from macrof1.sampling.jackknife import jackknife_error, replicates
from macrof1.sampling.macro_scores import Array, class_places
from macrof1.sampling.noise import clearly_above, noise_floor
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import Random, bootstrap_scores, checked_random, checked_resamples
from macrof1.sampling.smoothing import Smoothed
from macrof1.sampling.student import quantile

Measure: TypeAlias = Literal["averaged_f1", "f1_of_averages", "gap", "macro_precision", "macro_recall", "f1"]
"""What an interval can be computed for; "f1" is the F1 of one class."""

IntervalMethod: TypeAlias = Literal["logit", "wilson", "delta", "bootstrap"]
CompareMethod: TypeAlias = Literal["logit", "delta", "bootstrap"]
"""How intervals of macro scores are computed."""

MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)

# Below this many rows, or rows per class, the coverage of 95% intervals by the delta method and the bootstrap is too
# low in simulations (docs/comparing.md).
FEW_ROWS = 300
FEW_ROWS_PER_CLASS = 30
# If a class has fewer gold or predicted rows than this, the coverage of every interval may be too low.
RARE = 10
# With fewer clusters than this, the t distribution does not fully correct the interval.
FEW_CLUSTERS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalResult(Result):
    """An interval for one score.

    Attributes
    ----------
    of
        The score it is for.
    estimate, low, high
        The score and the ends of the interval.
    standard_error
        The standard deviation of the score over samples of this size, as the method estimates it.
    n_resamples
        Resamples drawn; None for other methods.
    n_clusters
        Number of clusters; None if rows are independent.
    noise_floor
        For the gap: the sampling noise, about how large the gap is by chance alone if both formulas truly agree.
    notes
        Why actual coverage may be below the nominal level, one sentence each.
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
    n_clusters: int | None = None
    noise_floor: float | None = None
    notes: tuple[str, ...] = ()


def checked_level(confidence_level: float) -> float:
    """Return the confidence level, or reject one that is not a probability."""
    usable = isinstance(confidence_level, (int, float)) and not isinstance(confidence_level, bool)
    if not usable or not 0 < confidence_level < 1:
        raise InputError.bad_value(
            "confidence_level",
            confidence_level,
            expected="a number between 0 and 1, such as 0.95",
            hint=f"did you mean {confidence_level / 100:g}?" if usable and 50 <= confidence_level < 100 else None,
        )
    return float(confidence_level)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sample:
    """The input of all methods: the rows of one system, the convention, the classes averaged over, and the scores."""

    patterns: Patterns
    convention: Convention
    of: str
    at: Array
    point: Point

    @property
    def measure(self) -> str:
        """The macro score to compute: the F1 of one class is averaged F1 over that class alone."""
        return "averaged_f1" if self.of == "f1" else self.of

    @property
    def estimate(self) -> float:
        return self.point.values[self.measure]

    def delta_error(self) -> float:
        return standard_error(self.patterns, 0, self.point.gradients[self.measure])


class _Ends(NamedTuple):
    low: float
    high: float
    error: float


def interval(
    patterns: Patterns,
    of: str,
    convention: Convention = DEFAULT,
    *,
    label: object = None,
    confidence_level: float = 0.95,
    method: str | None = None,
    n_resamples: int = 1000,
    rng: Random = 0,
) -> IntervalResult:
    """Compute an interval for one score of the only system; `ScoreResult.interval` documents the parameters."""
    if of not in MEASURES:
        raise InputError.unknown_value("of", of, MEASURES)
    level = checked_level(confidence_level)
    one = None
    if of == "f1":
        one = _class_at(patterns, label, convention)
    elif label is not None:
        raise InputError(
            Message(Argument("label", label), f" with {of!r}"), expected='a label only for the F1 of a class, "f1"'
        )
    at = class_places(patterns, 0, convention) if one is None else np.array([one])
    found = point(patterns, 0, convention, places=at)
    sample = _Sample(patterns=patterns, convention=convention, of=of, at=at, point=found)
    chosen = _chosen_method(sample, method)
    floor = noise_floor(patterns, 0, convention) if of == "gap" else None
    if chosen == "bootstrap":
        ends = _percentiles(sample, level, n_resamples, rng, floor)
    else:
        ends = {"wilson": _wilson, "logit": _logit, "delta": _delta}[chosen](sample, level)
    notes = [*_coverage_notes(sample, chosen), *cluster_notes(patterns), *_error_notes(ends, sample, chosen)]
    notes += [] if floor is None else _gap_notes(sample.estimate, floor, chosen)
    return IntervalResult(
        of=of,
        label=None if one is None else patterns.labels[one],
        estimate=sample.estimate,
        low=ends.low,
        high=ends.high,
        standard_error=ends.error,
        confidence_level=level,
        method=chosen,
        n_resamples=int(n_resamples) if chosen == "bootstrap" else None,
        n_clusters=patterns.n_clusters,
        noise_floor=floor,
        notes=tuple(notes),
    )


def _chosen_method(sample: _Sample, method: str | None) -> IntervalMethod:
    """Return the requested method, or the default for the score; reject one that does not apply."""
    # Wilson counts rows that are gold or predicted: independent rows of equal weight, and F1.
    counts_rows = (
        sample.of == "f1"
        and sample.convention.beta == 1
        and sample.patterns.weights is None
        and sample.patterns.clusters is None
    )
    known: tuple[IntervalMethod, ...] = ("delta", "bootstrap")
    if sample.of != "gap":
        known = ("wilson", "logit", *known) if counts_rows else ("logit", *known)
    if method is None:
        return "bootstrap" if sample.of == "gap" else known[0]
    if method not in known:
        raise InputError.unknown_value("method", method, known)
    return method


def _class_at(patterns: Patterns, label: object, convention: Convention) -> int:
    places = class_places(patterns, 0, convention).tolist()
    known = {label_key(patterns.labels[place]): place for place in places}
    if label_key(label) not in known:
        names = [patterns.labels[place] for place in places]
        raise LabelError(
            Message(Argument("label", label), " is not one of the classes"), expected=f"one of {quote_some(names)}"
        )
    place: int = known[label_key(label)]
    return place


def logit_ends(estimate: float, error: float, reach: float, centre: float) -> tuple[float, float]:
    """Return the ends of an interval of this many standard errors on the log-odds scale.

    An estimate of 0 or 1 has no log odds: the interval is then around `centre` and extends to the estimate.

    Examples
    --------
    >>> [round(end, 4) for end in logit_ends(0.9, 0.05, 1.96, 0.9)]
    [0.7518, 0.9639]
    """
    middle = estimate if 0 < estimate < 1 else centre
    odds, step = math.log(middle / (1 - middle)), reach * error / (middle * (1 - middle))
    low, high = (0.5 + 0.5 * math.tanh((odds + sign * step) / 2) for sign in (-1, 1))
    return min(low, estimate), max(high, estimate)


def _logit(sample: _Sample, level: float) -> _Ends:
    patterns, of = sample.patterns, sample.measure
    smoothed = Smoothed.of(patterns, 0, sample.at, sample.convention)
    left = replicates(patterns, 0, sample.convention, places=sample.at)
    error = max(jackknife_error(patterns, left[of]), smoothed.standard_error(of))
    ends = logit_ends(sample.estimate, error, quantile(level, smoothed.df(of)), smoothed.point.values[of])
    return _Ends(*ends, error)


def _wilson(sample: _Sample, level: float) -> _Ends:
    """Compute Wilson's interval for tp among the rows that are gold or predicted, and convert its ends to F1."""
    tp, predicted, actual = (float(side[sample.at[0]]) for side in class_sums(sample.patterns, 0))
    n = predicted + actual - tp
    if not n:
        return _Ends(0.0, 1.0, 0.0)
    square = quantile(level) ** 2
    share = tp / n
    middle = (share + square / (2 * n)) / (1 + square / n)
    reach = math.sqrt(square * (share * (1 - share) / n + square / (4 * n * n))) / (1 + square / n)
    # If none or all are right, the interval ends exactly there, whatever the rounding.
    low, high = min(share, max(0.0, middle - reach)), max(share, min(1.0, middle + reach))
    return _Ends(2 * low / (1 + low), 2 * high / (1 + high), sample.delta_error())


def _delta(sample: _Sample, level: float) -> _Ends:
    error = sample.delta_error()
    reach = quantile(level, sample.patterns.df) * error
    return _Ends(max(0.0, sample.estimate - reach), min(1.0, sample.estimate + reach), error)


def _percentiles(sample: _Sample, level: float, n_resamples: int, rng: Random, floor: float | None) -> _Ends:
    n, generator, of = checked_resamples(n_resamples), checked_random(rng), sample.measure
    draws = bootstrap_scores(sample.patterns, sample.convention, n, generator, of=[of], places=[sample.at])[of][0]
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2]).tolist()
    if floor is not None:
        # The sample's gap exceeds the true gap by about the floor, and that of resamples exceeds it by twice as much.
        low, high = (max(0.0, end - 2 * floor) for end in (low, high))
    return _Ends(low, high, float(draws.std(ddof=1)))


def _error_notes(found: _Ends, sample: _Sample, method: IntervalMethod) -> Iterator[str]:
    if not found.error and sample.of != "gap" and method != "wilson":
        yield Note(
            "The standard error is 0: the sample shows no variation (all right, or all wrong), which says little "
            "about rows not yet seen.",
            code="no_variation",
        )


def coverage_notes(
    n_rows: int, n_classes: int, *, rare: Sequence[str], empty: Sequence[str], method: str
) -> Iterator[str]:
    """Say when actual coverage is known to be too low."""
    if method in ("delta", "bootstrap") and n_rows < max(FEW_ROWS, FEW_ROWS_PER_CLASS * n_classes):
        yield Note(
            f"{counted(n_rows, 'row')} for {counted(n_classes, 'class', 'classes')} "
            f"{'is' if n_rows == 1 else 'are'} few: the actual coverage of a 95% interval may be 85–93%, or less "
            "where classes are rare.",
            code="few_rows",
        )
    if empty:
        yield Note(
            f"{_some(empty, n_classes)} never gold or never predicted ({_shown(empty)}): the interval cannot know how "
            f"{'it' if len(empty) == 1 else 'they'} would score in another sample, and its actual coverage is lower.",
            code="empty_classes",
        )
    if rare:
        yield Note(
            f"{_some(rare, n_classes)} gold or predicted in fewer than {RARE} rows ({_shown(rare)}): the interval's "
            "actual coverage may be lower.",
            code="rare_classes",
        )


def _some(names: Sequence[str], n_classes: int) -> str:
    return f"{len(names):,} of {counted(n_classes, 'class', 'classes')} {'is' if len(names) == 1 else 'are'}"


def _shown(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


def rare_classes(patterns: Patterns, system: int, at: Array) -> tuple[list[str], list[str]]:
    """Name the classes that are gold or predicted on few rows, and those that never are."""
    _, predicted, actual = class_sums(patterns, system, power=0)
    fewest = np.minimum(predicted, actual)

    def named(chosen: Array) -> list[str]:
        return [label_name(patterns.labels[place]) for place in at[chosen].tolist()]

    return named((fewest[at] > 0) & (fewest[at] < RARE)), named(fewest[at] == 0)


def _coverage_notes(sample: _Sample, method: IntervalMethod) -> Iterable[str]:
    if method == "wilson":
        return ()  # valid for any number of rows
    rare, empty = rare_classes(sample.patterns, 0, sample.at)
    return coverage_notes(sample.patterns.n_rows, len(sample.at), rare=rare, empty=empty, method=method)


def cluster_notes(patterns: Patterns) -> Iterator[str]:
    """Say how many clusters there are if they are few."""
    n = patterns.n_clusters
    if n is not None and n < FEW_CLUSTERS:
        yield Note(
            f"{n} clusters are few: below about {FEW_CLUSTERS}, the actual coverage of intervals is lower and tests "
            "raise more false alarms.",
            code="few_clusters",
        )


def _gap_notes(estimate: float, floor: float, method: str) -> Iterator[str]:
    yield Note(
        f"Sampling noise alone makes a gap of about {floor:.2g} in samples of this size where the formulas agree "
        "in truth.",
        code="noise_floor",
    )
    if method == "delta":
        yield Note(
            "The delta method fails near a gap of 0, where the gap's derivatives vanish: use ",
            Argument("method", "bootstrap"),
            ", which is corrected for the noise floor.",
            code="gap_near_0",
        )
    if not clearly_above(estimate, floor):
        yield Note(
            "The gap is not clearly above its noise floor: the two formulas may not really differ.",
            code="gap_within_noise",
        )
