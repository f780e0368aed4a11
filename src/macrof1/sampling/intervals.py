"""How far a score may be off because the test set is a sample: intervals for both formulas and the gap.

- combined (the default): the hull of three intervals, cut where all classes are at their limits (`samples`);
- Wilson (the F1 of one class): given that a row is gold or predicted, being both is a draw with probability J, the
  Jaccard index, and F1 is 2J / (1 + J);
- delta method: normal, from the derivatives of the scores (`delta`);
- bootstrap: between percentiles of resamples of the rows, drawn as cells (`resampling`). Resampling a sample adds the
  noise floor to the gap a second time, so twice the floor is subtracted from the gap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from macrof1.convention import Convention
from macrof1.errors import InputError, LabelError, counted, quote_some
from macrof1.labels import Label, label_key, label_name
from macrof1.message import Argument, Message, Note
from macrof1.result import Result
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import Random, bootstrap_scores, checked_random, checked_resamples
from macrof1.sampling.samples import Ends, Sample, wilson
from macrof1.sampling.standard_errors import Array, over
from macrof1.sampling.student import quantile

Measure: TypeAlias = Literal["averaged_f1", "f1_of_averages", "gap", "macro_precision", "macro_recall", "f1"]
"""What an interval can be computed for; "f1" is the F1 of one class."""

IntervalMethod: TypeAlias = Literal["combined", "wilson", "delta", "bootstrap"]
CompareMethod: TypeAlias = Literal["combined", "delta", "bootstrap"]
"""How intervals of macro scores are computed."""

MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)

# Below this many rows, or rows per class, delta method and bootstrap cover too little in simulations.
FEW_ROWS, FEW_ROWS_PER_CLASS = 300, 30
# If a class has fewer gold or predicted rows than this, the coverage of every interval may be too low.
RARE = 10
# With fewer clusters than this, the t distribution does not fully correct the interval.
FEW_CLUSTERS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalResult(Result):
    """An interval for one score.

    Attributes
    ----------
    of, estimate, low, high
        What it is for, the score, and the ends of the interval.
    standard_error
        The standard deviation of the score over samples of this size, as the method estimates it.
    n_resamples, n_clusters
        Resamples drawn, and number of clusters; None for other methods, and for independent rows.
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
    return _between_0_and_1("confidence_level", confidence_level, "such as 0.95", (50, 99.999))


def checked_margin(argument: str, difference: Any) -> float:
    """Return a difference of scores, or reject what is none."""
    return _between_0_and_1(argument, difference, "such as 0.01 for one point", (1, 20))


def _between_0_and_1(argument: str, value: Any, example: str, percent: tuple[float, float]) -> float:
    """Return a number; `percent` is the range in which it was probably meant as a percentage."""
    usable = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not usable or not 0 < value < 1:
        hint = f"did you mean {value / 100:g}?" if usable and percent[0] <= value <= percent[1] else None
        raise InputError.bad_value(argument, value, expected=f"a number between 0 and 1, {example}", hint=hint)
    return float(value)


def interval(
    patterns: Patterns,
    of: Measure,
    convention: Convention,
    *,
    label: object,
    confidence_level: float,
    method: str | None,
    n_resamples: int,
    rng: Random,
) -> IntervalResult:
    """Compute an interval for one score of the only system; `ScoreResult.interval` documents the parameters."""
    level = checked_level(confidence_level)
    one = None
    if of == "f1":
        places = patterns.class_places(convention).tolist()
        one = {label_key(patterns.labels[place]): place for place in places}.get(label_key(label))
        if one is None:
            names = [patterns.labels[place] for place in places]
            raise LabelError(
                Message(Argument("label", label), " is not one of the classes"), expected=f"one of {quote_some(names)}"
            )
    elif label is not None:
        raise InputError(
            Message(Argument("label", label), f" with {of!r}"), expected='a label only for the F1 of a class, "f1"'
        )
    if patterns.by_class and (one is not None or method == "bootstrap"):
        what = Argument("method", method) if one is None else Argument("label", label)
        raise InputError(Message(what, " for rows sampled per class"), expected="an interval of a macro score")
    known: tuple[IntervalMethod, ...] = ("combined", "delta", "bootstrap")
    # Wilson counts rows that are gold or predicted: independent rows of equal weight, and F1.
    if of == "f1" and convention.beta == 1 and patterns.weights is None and patterns.clusters is None:
        known = ("wilson", *known)
    chosen: IntervalMethod = known[0] if method is None else InputError.one_of("method", method, known)
    sample = Sample.of(patterns, convention) if one is None else Sample(patterns, convention, np.array([one]))
    # The F1 of one class is averaged F1 over that class alone.
    measure = "averaged_f1" if of == "f1" else of
    estimate, noise = sample.point.values[measure], sample.noise if of == "gap" else None
    draws: Array | None = None
    if chosen == "bootstrap":
        n, generator = checked_resamples(n_resamples), checked_random(rng)
        (draws,) = bootstrap_scores(patterns, convention, n, generator, of=[measure], places=[sample.at])[measure]
    ends = sample.ends(measure, level, chosen, draws)
    if chosen == "wilson":
        # For tp among the rows that are gold or predicted, with its ends converted to F1.
        tp, predicted, actual = (float(side[one]) for side in patterns.sums())
        n_either = predicted + actual - tp
        share = np.array(tp / n_either if n_either else 0.0)
        low, high = (float(end) for end in wilson(share, np.array(n_either), quantile(level)))
        ends = Ends(2 * low / (1 + low), 2 * high / (1 + high), ends.error)
    if noise is not None and draws is not None:
        # The sample's gap exceeds the true one by about the floor, and that of resamples by twice as much.
        low, high = (max(0.0, end - 2 * noise.floor) for end in ends[:2])
        ends = Ends(low, high, ends.error)
    notes: list[str] = []
    if chosen != "wilson":  # which is valid for any number of rows
        notes += coverage_notes(patterns.n_rows, len(sample.at), few_rows(patterns, sample.at), chosen)
    notes += cluster_notes(patterns)
    if not ends.error and of != "gap" and chosen in ("delta", "bootstrap"):
        alike = "The standard error is 0: the sample shows no variation (all right, or all wrong), which says "
        notes.append(Note(alike, "little about rows not yet seen.", code="no_variation"))
    if noise is not None and chosen == "delta":
        fails = "The delta method fails near a gap of 0, where the gap's derivatives vanish: use "
        usual = Argument("method", "combined"), ", which knows the sampling noise."
        notes.append(Note(fails, *usual, code="gap_near_0"))
    if noise is not None and 0 < estimate < noise.limit:
        alone = f"which alone makes a gap of about {noise.floor:.2g} in samples of this size"
        text = f"The gap is not clearly above the sampling noise, {alone}: the two formulas may not really differ."
        notes.append(Note(text, code="gap_within_noise"))
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
        noise_floor=None if noise is None else noise.floor,
        notes=tuple(notes),
    )


class FewRows(NamedTuple):
    """Classes of which a sample says little, and how many rows are wrong."""

    rare: Sequence[Label | None]
    never_predicted: Sequence[Label | None] = ()
    never_gold: Sequence[Label | None] = ()
    n_wrong: int = RARE
    of_equal_weight: bool = False


# Classes of which a sample says little: what they are, what follows, what one and several are called, and the code.
_LITTLE_KNOWN: Final = (
    ("never_gold", "never gold",
     "the interval takes it as given that {} what the convention says, whatever is predicted",
     ("its F1 is", "their F1s are"), "never_gold"),
    ("never_predicted", "never predicted",
     "the interval cannot know how {} would score in another sample, and its actual coverage is lower",
     ("it", "they"), "empty_classes"),
    ("rare", f"gold or predicted in fewer than {RARE} rows",
     "the interval's actual coverage may be lower",
     ("", ""), "rare_classes"),
)  # fmt: skip


def coverage_notes(n_rows: int, n_classes: int, classes: FewRows, method: str) -> Iterator[str]:
    """Say when actual coverage is known to be too low."""
    if method in ("delta", "bootstrap") and n_rows < max(FEW_ROWS, FEW_ROWS_PER_CLASS * n_classes):
        yield Note(
            f"{counted(n_rows, 'row')} for {counted(n_classes, 'class', 'classes')} "
            f"{'is' if n_rows == 1 else 'are'} few: the actual coverage of a 95% interval may be 85–93%, or less "
            "where classes are rare.",
            code="few_rows",
        )
    for of, what, then, words, code in _LITTLE_KNOWN:
        labels = getattr(classes, of)
        if labels:
            are, they = ("is", words[0]) if len(labels) == 1 else ("are", words[1])
            equal = " of equal weight" if of == "rare" and classes.of_equal_weight else ""
            which = ", ".join(map(label_name, labels[:5])) + (", …" if len(labels) > 5 else "")
            how_many = f"{len(labels):,} of {counted(n_classes, 'class', 'classes')} {are} {what}{equal}"
            yield Note(f"{how_many} ({which}): {then.format(they)}.", code=code)
    if not classes.rare and 0 < classes.n_wrong < min(RARE, n_rows / 100):
        n_wrong = counted(classes.n_wrong, "row is", "rows are")
        yield Note(f"Only {n_wrong} wrong: the interval's actual coverage may be lower.", code="few_errors")


def few_rows(patterns: Patterns, at: Array) -> FewRows:
    """Return the classes gold or predicted on few rows (of weights, few effective ones), and those that never are."""
    tp, *sides = (side[at] for side in patterns.sums(0))
    n_wrong = round(max(float(side.sum() - tp.sum()) for side in sides)) if len(at) > 1 else RARE
    if patterns.weights is not None:
        sums, squares = (patterns.sums(power)[1:] for power in (1, 2))
        sides = [over(side[at] ** 2, square[at]) for side, square in zip(sums, squares, strict=True)]
    predicted, actual = sides
    gold = actual > 0
    chosen = (gold & (predicted > 0) & (np.minimum(predicted, actual) < RARE), gold & (predicted == 0), ~gold)
    rare, unseen, foreign = ([patterns.labels[place] for place in at[rows].tolist()] for rows in chosen)
    return FewRows(rare, unseen, foreign, n_wrong=n_wrong, of_equal_weight=patterns.weights is not None)


def cluster_notes(patterns: Patterns) -> Iterator[str]:
    """Say how many clusters there are if they are few."""
    n = patterns.n_clusters
    if n is not None and n < FEW_CLUSTERS:
        yield Note(
            f"{n} clusters are few: below about {FEW_CLUSTERS}, the actual coverage of intervals is lower and tests "
            "raise more false alarms.",
            code="few_clusters",
        )
