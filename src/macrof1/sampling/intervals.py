"""How far a score may be off because the test set is a sample: intervals for both formulas and the gap.

Combined (the default): the hull of three intervals, cut where all classes are at their limits (`samples`).

Wilson (the F1 of one class): given that a row is gold or predicted, being both is a draw with probability J, the
Jaccard index, and F1 is 2J / (1 + J).

Delta method: normal, from the derivatives of the scores (`delta`).

Bootstrap: resamples of the rows, drawn as cells (`resampling`); the interval lies between percentiles. Resampling a
sample adds the noise floor to the gap a second time, so twice the floor is subtracted from the gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from macrof1.convention import DEFAULT, Convention
from macrof1.errors import InputError, LabelError, counted, quote_some
from macrof1.labels import Label, label_key, label_name
from macrof1.message import Argument, Message, Note
from macrof1.result import Result
from macrof1.sampling.class_limits import wilson
from macrof1.sampling.delta import class_sums
from macrof1.sampling.macro_scores import Array, class_places
from macrof1.sampling.noise import Noise
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.prevalence import StratifiedSample
from macrof1.sampling.resampling import Random, bootstrap_scores, checked_random, checked_resamples
from macrof1.sampling.samples import Ends, Sample
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
