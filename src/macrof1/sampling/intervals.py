"""How far a score may be off because the test set is a sample: intervals for both formulas and the gap.

Combined (the default): the smallest and the largest end of three intervals, none of which is enough on its own:

- MOVER: the distances from the ratios of each class to their Wilson limits (`class_limits`), squared and added, with
  the delta method's covariances between classes (Newcombe 1998; Zou & Donner 2008): right where one class has few rows;
- the score plus and minus its standard error, cut to 0 and 1: the larger of the jackknife's (`jackknife`) and that of
  smoothed counts (`smoothing`);
- the same standard error on the log-odds scale around the smoothed score, stretched to the score: right where many
  classes have few rows.

No end lies further out than where all classes are at their Wilson limits at once. For the gap, the last two give way to
one interval: the gap of a sample exceeds the true gap γ by the noise floor φ on average, with a variance c γ + 2 φ² /
df that grows with γ, as for χ² (`noise`); the interval holds every γ of which the sample's gap is a usual one.

Wilson (the F1 of one class): given that a row is gold or predicted, being both is a draw with probability J, the
Jaccard index, and F1 is 2J / (1 + J).

Delta method: normal, from the derivatives of the scores (`delta`).

Bootstrap: resamples of the rows, drawn as cells (`resampling`); the interval lies between percentiles. Resampling a
sample adds the noise floor to the gap a second time, so twice the floor is subtracted from the gap.

References
----------
Wilson 1927, "Probable inference, the law of succession, and statistical inference", JASA 22.
Newcombe 1998, "Interval estimation for the difference between independent proportions: comparison of eleven methods",
Statistics in Medicine 17.
Zou & Donner 2008, "Construction of confidence limits about effect measures: a general approach", Statistics in
Medicine 27.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from macrof1.convention import DEFAULT, FORMULAS, Convention
from macrof1.errors import InputError, LabelError, counted, quote_some
from macrof1.labels import Label, label_key, label_name
from macrof1.message import Argument, Message, Note
from macrof1.result import Result
from macrof1.sampling.class_limits import ClassLimits, class_limits, wilson
from macrof1.sampling.delta import class_sums, over, point, standard_error
from macrof1.sampling.jackknife import jackknife_error, replicates
from macrof1.sampling.macro_scores import Array, class_places, f_of_means
from macrof1.sampling.noise import Noise, gap_noise
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import Random, bootstrap_scores, checked_random, checked_resamples
from macrof1.sampling.smoothing import Smoothed
from macrof1.sampling.student import quantile
from macrof1.scoring.gap import times_noise

Measure: TypeAlias = Literal["averaged_f1", "f1_of_averages", "gap", "macro_precision", "macro_recall", "f1"]
"""What an interval can be computed for; "f1" is the F1 of one class."""

IntervalMethod: TypeAlias = Literal["combined", "wilson", "delta", "bootstrap"]
CompareMethod: TypeAlias = Literal["combined", "delta", "bootstrap"]
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


class Ends(NamedTuple):
    """The ends of an interval, and the standard error."""

    low: float
    high: float
    error: float


class Sample:
    """The rows of one system, the convention, the classes averaged over, and what intervals are made of."""

    def __init__(self, patterns: Patterns, system: int, convention: Convention, at: Array | None = None) -> None:
        self.patterns = patterns.alone(system).patterns
        self.convention = convention
        self.at = class_places(self.patterns, 0, convention) if at is None else at
        self.point = point(self.patterns, 0, convention, places=self.at)
        self._limits: dict[float, dict[str, ClassLimits]] = {}

    @cached_property
    def smoothed(self) -> Smoothed:
        """The smoothed counts."""
        return Smoothed.of(self.patterns, 0, self.at, self.convention)

    @cached_property
    def left(self) -> dict[str, Array]:
        """The scores without one row, or one cluster."""
        return replicates(self.patterns, 0, self.convention, places=self.at)

    @cached_property
    def noise(self) -> Noise:
        """The noise of the gap."""
        return gap_noise(self.patterns, self.at, self.convention)

    def delta_error(self, of: str) -> float:
        """Return the delta method's standard error."""
        return standard_error(self.patterns, 0, self.point.gradients[of])

    def error(self, of: str) -> float:
        """Return the larger of two standard errors: of smoothed counts, and the jackknife's, or for the gap delta's."""
        other = self.delta_error(of) if of == "gap" else jackknife_error(self.patterns, self.left[of])
        return max(other, self.smoothed.standard_error(of))

    def combined(self, of: str, level: float) -> Ends:
        """Return the ends of the default interval."""
        reach = quantile(level, self.patterns.df)
        if level not in self._limits:
            self._limits[level] = class_limits(self.patterns, self.at, self.convention, reach)
        limits = self._limits[level]
        estimate, error = self.point.values[of], self.error(of)
        low, high = self._mover(of, limits, reach)
        if of == "gap":
            score_low, score_high = self._gap_ends(reach)
            averaged, of_averages = (self.combined(formula, level) for formula in FORMULAS)
            least, most = 0.0, of_averages.high - averaged.low
        else:
            score_low, score_high = around(estimate, error, reach, self.smoothed.point.values[of])
            least, most = self.outermost(of, limits)
        low, high = max(min(low, score_low), least), min(max(high, score_high), most)
        return Ends(min(low, estimate), max(high, estimate), error)

    def _slopes(self, of: str) -> dict[str, Array | float]:
        """Return how much a score changes with the ratios of each class."""
        n, square = len(self.at), self.convention.beta**2
        if of == "averaged_f1":
            return {"f": 1 / n}
        precision, recall = (self.point.values[mean] for mean in ("macro_precision", "macro_recall"))
        if of == "gap":
            tp, predicted, actual = (side[self.at] for side in class_sums(self.patterns, 0))
            weight = over(tp, actual) + square * over(tp, predicted)
            lean = over(actual, predicted + square * actual)
            centre = float(weight @ lean) / float(weight.sum()) if weight.any() else 0.0
            by_recall = (1 + square) * square / n * (lean - centre) ** 2
            return {"precision": square * by_recall, "recall": by_recall}
        if of != "f1_of_averages":
            return {of.removeprefix("macro_"): 1 / n}
        below = (square * precision + recall) ** 2 or 1.0
        return {
            "precision": (1 + square) * recall**2 / below / n,
            "recall": (1 + square) * square * precision**2 / below / n,
        }

    def _mover(self, of: str, limits: dict[str, ClassLimits], reach: float) -> tuple[float, float]:
        """Return the ends by the distances to the limits of the classes, and the covariances between classes."""
        shared, below, above = self.delta_error(of) ** 2, 0.0, 0.0
        for name, slope in self._slopes(of).items():
            ratio, square = limits[name], np.square(slope)
            shared -= float((square * ratio.variance).sum())
            below += float((square * (ratio.value - ratio.low) ** 2).sum())
            above += float((square * (ratio.high - ratio.value) ** 2).sum())
        estimate = self.point.values[of]
        return tuple(  # type: ignore[return-value]  # two ends
            min(1.0, max(0.0, estimate + sign * math.sqrt(max(0.0, part + reach**2 * shared))))
            for sign, part in ((-1, below), (1, above))
        )

    def outermost(self, of: str, limits: dict[str, ClassLimits]) -> tuple[float, float]:
        """Return the scores with all classes at their lower limits, and with all at their upper limits."""
        means = {name: [float(side.mean()) for side in limits[name].outer()] for name in limits}
        if of == "f1_of_averages":
            sides = zip(means["precision"], means["recall"], strict=True)
            low, high = (float(f_of_means(np.array(p), np.array(r), self.convention.beta)) for p, r in sides)
            return low, high
        low, high = means[{"averaged_f1": "f"}.get(of, of.removeprefix("macro_"))]
        return low, high

    def _gap_ends(self, reach: float) -> tuple[float, float]:
        """Return the smallest and the largest true gap of which the gap of the sample is a usual one.

        The variance is c γ + 2 φ² / df: c is the delta method's variance over the gap, of the counts or the smoothed
        ones, and at least 4 φ / df, as it is for a sum of squares of equal variances.
        """
        smoothed = gap_noise(self.patterns, self.at, self.convention, self.smoothed)
        floor, df = max(self.noise, smoothed)
        gap, smooth_gap = self.point.values["gap"], self.smoothed.point.values["gap"]
        slopes = [4 * floor / df]
        slopes += [self.delta_error("gap") ** 2 / gap] if gap else []
        slopes += [self.smoothed.standard_error("gap") ** 2 / smooth_gap] if smooth_gap else []
        slope = max(slopes)

        def quantile_of(true: float, sign: int) -> float:
            """Return the largest (1) or smallest (-1) usual gap of a sample: Wilson and Hilferty's quantile of χ²."""
            mean = true + floor
            part = (slope * true + 2 * floor**2 / df) / (9 * mean**2) if mean else 0.0
            return mean * max(0.0, 1 - part + sign * reach * math.sqrt(part)) ** 3

        ends = []
        for sign in (1, -1):
            low, high = 0.0, 1.0
            for _ in range(50):
                middle = (low + high) / 2
                low, high = (low, middle) if quantile_of(middle, sign) > gap else (middle, high)
            ends.append(0.0 if sign == 1 and quantile_of(0.0, 1) >= gap else high)
        return ends[0], ends[1]


def around(estimate: float, error: float, reach: float, centre: float) -> tuple[float, float]:
    """Return the outer ends of two intervals of this many standard errors.

    One is around the estimate, cut to 0 and 1; the other around the smoothed estimate `centre`, on the log-odds scale.

    Examples
    --------
    >>> [round(end, 4) for end in around(0.9, 0.05, 1.96, 0.89)]
    [0.7546, 0.998]
    """
    ends = [max(0.0, estimate - reach * error), min(1.0, estimate + reach * error)]
    if 0 < centre < 1:
        odds, step = math.log(centre / (1 - centre)), reach * error / (centre * (1 - centre))
        ends += [0.5 + 0.5 * math.tanh((odds + sign * step) / 2) for sign in (-1, 1)]
    return min(estimate, *ends), max(estimate, *ends)


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
    if patterns.by_class:
        from macrof1.sampling.prevalence import StratifiedSample  # which builds on this module

        if one is not None or method == "bootstrap":
            what = Argument("method", method) if one is None else Argument("label", label)
            raise InputError(Message(what, " for rows sampled per class"), expected="an interval of a macro score")
        sample: Sample = StratifiedSample(patterns, convention)
    else:
        sample = Sample(patterns, 0, convention, None if one is None else np.array([one]))
    # The F1 of one class is averaged F1 over that class alone.
    measure = "averaged_f1" if of == "f1" else of
    estimate = sample.point.values[measure]
    chosen = _chosen_method(sample, of, method)
    if chosen == "bootstrap":
        ends = _percentiles(sample, measure, level, n_resamples, rng)
    elif chosen == "combined":
        ends = sample.combined(measure, level)
    elif chosen == "wilson":
        # For tp among the rows that are gold or predicted, with its ends converted to F1.
        tp, predicted, actual = (float(side[sample.at[0]]) for side in class_sums(patterns, 0))
        n = predicted + actual - tp
        low, high = (float(end) for end in wilson(np.array(tp / n if n else 0.0), np.array(n), quantile(level)))
        ends = Ends(2 * low / (1 + low), 2 * high / (1 + high), sample.delta_error(measure))
    else:
        error = sample.delta_error(measure)
        reach = quantile(level, patterns.df) * error
        ends = Ends(max(0.0, estimate - reach), min(1.0, estimate + reach), error)
    notes = [*_coverage_notes(sample, chosen), *cluster_notes(patterns)]
    if not ends.error and of != "gap" and chosen in ("delta", "bootstrap"):
        notes.append(
            Note(
                "The standard error is 0: the sample shows no variation (all right, or all wrong), which says little "
                "about rows not yet seen.",
                code="no_variation",
            )
        )
    if of == "gap":
        notes += _gap_notes(estimate, sample.noise, chosen)
    return IntervalResult(
        of=of,
        label=None if one is None else patterns.labels[one],
        estimate=estimate,
        low=ends.low,
        high=ends.high,
        standard_error=ends.error,
        confidence_level=level,
        method=chosen,
        n_resamples=int(n_resamples) if chosen == "bootstrap" else None,
        n_clusters=patterns.n_clusters,
        noise_floor=sample.noise.floor if of == "gap" else None,
        notes=tuple(notes),
    )


def _chosen_method(sample: Sample, of: str, method: str | None) -> IntervalMethod:
    """Return the requested method, or the default for the score; reject one that does not apply."""
    # Wilson counts rows that are gold or predicted: independent rows of equal weight, and F1.
    patterns = sample.patterns
    counts_rows = of == "f1" and sample.convention.beta == 1 and patterns.weights is None and patterns.clusters is None
    known: tuple[IntervalMethod, ...] = ("combined", "delta", "bootstrap")
    known = ("wilson", *known) if counts_rows else known
    if method is not None and method not in known:
        raise InputError.unknown_value("method", method, known)
    return known[0] if method is None else method


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


def _percentiles(sample: Sample, of: str, level: float, n_resamples: int, rng: Random) -> Ends:
    n, generator = checked_resamples(n_resamples), checked_random(rng)
    draws = bootstrap_scores(sample.patterns, sample.convention, n, generator, of=[of], places=[sample.at])[of][0]
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2]).tolist()
    if of == "gap":
        # The sample's gap exceeds the true gap by about the floor, and that of resamples exceeds it by twice as much.
        low, high = (max(0.0, end - 2 * sample.noise.floor) for end in (low, high))
    return Ends(low, high, float(draws.std(ddof=1)))


class FewRows(NamedTuple):
    """Classes, by name, of which a sample says little."""

    rare: list[str]
    never_predicted: list[str]
    never_gold: list[str]


def coverage_notes(n_rows: int, n_classes: int, classes: FewRows, method: str) -> Iterator[str]:
    """Say when actual coverage is known to be too low."""
    if method in ("delta", "bootstrap") and n_rows < max(FEW_ROWS, FEW_ROWS_PER_CLASS * n_classes):
        yield Note(
            f"{counted(n_rows, 'row')} for {counted(n_classes, 'class', 'classes')} "
            f"{'is' if n_rows == 1 else 'are'} few: the actual coverage of a 95% interval may be 85–93%, or less "
            "where classes are rare.",
            code="few_rows",
        )
    rare, never_predicted, never_gold = classes
    if never_gold:
        each = "its F1 is" if len(never_gold) == 1 else "their F1s are"
        yield Note(
            f"{_some(never_gold, n_classes)} never gold ({_shown(never_gold)}): the interval takes it as given that "
            f"{each} what the convention says, whatever is predicted.",
            code="never_gold",
        )
    if never_predicted:
        yield Note(
            f"{_some(never_predicted, n_classes)} never predicted ({_shown(never_predicted)}): the interval cannot "
            f"know how {'it' if len(never_predicted) == 1 else 'they'} would score in another sample, and its actual "
            "coverage is lower.",
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


def few_rows(patterns: Patterns, system: int, at: Array) -> FewRows:
    """Name the classes that are gold or predicted on few rows, and those that never are."""
    _, predicted, actual = (side[at] for side in class_sums(patterns, system, power=0))
    gold = actual > 0
    chosen = (gold & (predicted > 0) & (np.minimum(predicted, actual) < RARE), gold & (predicted == 0), ~gold)
    return FewRows(*([label_name(patterns.labels[place]) for place in at[rows].tolist()] for rows in chosen))


def _coverage_notes(sample: Sample, method: IntervalMethod) -> Iterable[str]:
    if method == "wilson":
        return ()  # valid for any number of rows
    classes = few_rows(sample.patterns, 0, sample.at)
    return coverage_notes(sample.patterns.n_rows, len(sample.at), classes, method)


def cluster_notes(patterns: Patterns) -> Iterator[str]:
    """Say how many clusters there are if they are few."""
    n = patterns.n_clusters
    if n is not None and n < FEW_CLUSTERS:
        yield Note(
            f"{n} clusters are few: below about {FEW_CLUSTERS}, the actual coverage of intervals is lower and tests "
            "raise more false alarms.",
            code="few_clusters",
        )


def _gap_notes(estimate: float, noise: Noise, method: str) -> Iterator[str]:
    if method == "delta":
        yield Note(
            "The delta method fails near a gap of 0, where the gap's derivatives vanish: use ",
            Argument("method", "combined"),
            ", which knows the sampling noise.",
            code="gap_near_0",
        )
    if 0 < estimate < times_noise(noise.df) * noise.floor:
        yield Note(
            f"The gap is not clearly above the sampling noise, which alone makes a gap of about {noise.floor:.2g} in "
            "samples of this size: the two formulas may not really differ.",
            code="gap_within_noise",
        )
