"""What intervals are made of: the rows of one system, its scores, standard errors, limits of classes, and noise.

The default interval lies between the outer ends of three intervals, none of which is enough on its own:

- MOVER: the distances from the ratios of each class to their Wilson limits, squared and added, with the delta method's
  covariances between classes (Newcombe 1998; Zou & Donner 2008): right where one class has few rows;
- the score plus and minus its standard error, cut to 0 and 1: the larger of the jackknife's and of smoothed counts;
- the same standard error on the log-odds scale around the smoothed score, stretched to the score: right where many
  classes have few rows.

No end lies further out than where all classes are at their Wilson limits at once. For the gap, the last two give way to
one interval: the gap of a sample exceeds the true gap γ by the noise floor φ on average, with a variance c γ + 2 φ² /
df that grows with γ, as for χ²; the interval holds every γ of which the sample's gap is a usual one.

Limits of classes: precision and recall are shares of hits, and F1 is 2J / (1 + J) with J, the Jaccard index, the share
of hits among the rows that are gold or predicted; for F-beta, J is F / (2 - F). Rows with weights count as their
effective number (Kish), and rows in clusters, or entities of a sentence, as that number divided by the design effect:
how much larger the variance is than that of as many independent rows, pooled over classes, because a class with few
errors does not tell.

Rows sampled per gold class, or scores as they would be where classes are as common as somewhere else: with π_j the
share of class j there and q_jk how often its rows are predicted as k, the confusion matrix there is π_j q_jk: every
gold row counts with the weight π_j N / g_j. This assumes that a class looks the same there: only the mix of classes
changes. The number of gold rows of each class is fixed, so a sample varies within classes only: the variance of a score
is the sum over classes of π_j² / g_j times the variance of the derivatives over the cells of row j, smoothed as for the
other intervals, with the added rows in the rows of their gold classes.

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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from macrof1.convention import FORMULAS, Convention
from macrof1.counting.confusion import Confusion
from macrof1.counts import MOST_WEIGHT, ClassCounts, Making, RowSource
from macrof1.errors import CountError, InputError, LabelError, quote_some
from macrof1.labels import label_key, label_name
from macrof1.message import Argument, Message, Note, shown
from macrof1.sampling import standard_errors
from macrof1.sampling.patterns import Patterns, Sums, one_label
from macrof1.sampling.standard_errors import MARGIN, RIGHT, WRONG, Array, Noise, Replicates, Smoothed
from macrof1.sampling.student import quantile
from macrof1.scoring.score_result import ScoreResult


class ClassLimits(NamedTuple):
    """One ratio of every class: its value, the variance of it, and its limits."""

    value: Array
    variance: Array
    low: Array
    high: Array
    known: Array  # not of a class never predicted; one never gold has constants, by convention


def wilson(share: Array, n: Array, reach: float) -> tuple[Array, Array]:
    """Return Wilson's limits for shares of n rows, `reach` standard errors to each side."""
    square = reach * reach / np.where(n > 0, n, 1.0)
    middle = (share + square / 2) / (1 + square)
    to_ends = np.sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    # If none or all are hits, the interval ends exactly there, whatever the rounding.
    low, high = np.maximum(middle - to_ends, 0.0), np.minimum(middle + to_ends, 1.0)
    return np.minimum(low, share), np.where(n > 0, np.maximum(high, share), 1.0)


def class_limits(
    patterns: Patterns, at: Array, convention: Convention, reach: float, names: Iterable[str]
) -> dict[str, ClassLimits]:
    """Return the limits of ratios (precision, recall, f) of the classes `at`, for the only system."""
    sums, squares = (Sums(*(side[at] for side in patterns.sums(power))) for power in (1, 2))
    gold, undefined = sums.actual > 0, float(convention.undefined)
    both = convention.beta**2
    units = None
    if patterns.clusters is not None:
        # What each sampling unit adds to each of the classes.
        unit, label, parts = standard_errors.entries(patterns)
        place = np.full(len(patterns.labels), -1)
        place[at] = np.arange(len(at))
        inside = np.flatnonzero(place[label] >= 0)
        units = place[label[inside]], patterns.units[unit[inside]], Sums(*(side[inside] for side in parts))
    found = {}
    # What a hit, a wrong prediction and a missed row add to the ratio's denominator; a hit adds as much above.
    adding = {"precision": (1.0, 1.0, 0.0), "recall": (1.0, 0.0, 1.0), "f": (1 + both, 2.0, 2 * both)}
    for name in names:
        adds = adding[name]
        above, below = adds[0] * sums.tp, _total(adds, sums)
        share = standard_errors.over(above, below)
        # Independent rows: those of a class differ in weight alone.
        rows = worth = standard_errors.over(below**2, _total([part * part for part in adds], squares))
        plain = standard_errors.over(share * (1 - share), rows)
        right = (adds[0] * (1 - share)) ** 2
        spread = _total((right, (adds[1] * share) ** 2, (adds[2] * share) ** 2), squares)
        if units is not None:
            label, amounts, parts = units
            x = _total(adds, parts)
            n = len(patterns.units)
            spread = n / (n - 1) * np.bincount(label, amounts * (adds[0] * parts.tp - share[label] * x) ** 2, len(at))
            worth = standard_errors.over(below**2, np.bincount(label, amounts * x * x, len(at)))
        variance = standard_errors.over(spread, below**2)
        effect = float(variance.sum() / plain.sum()) if plain.any() else float(rows.sum() / max(worth.sum(), 1e-12))
        low, high = wilson(share, rows / max(1.0, effect), reach)
        if name == "f":
            share, low, high, slope = *(2 * j / (1 + j) for j in (share, low, high)), 2 / (1 + share) ** 2
            variance = variance * slope**2
        known = gold & (below > 0)
        value = np.where(below > 0, share, undefined)
        low, high = (np.where(known, side, value) for side in (low, high))
        found[name] = ClassLimits(value, np.where(known, variance, 0.0), low, high, known | ~gold)
    return found


def _total(adds: Sequence[float | Array], sums: Sums) -> Array:
    hit, wrong, missed = adds
    total: Array = hit * sums.tp + wrong * (sums.predicted - sums.tp) + missed * (sums.actual - sums.tp)
    return total


class Ends(NamedTuple):
    """The ends of an interval, and the standard error."""

    low: float
    high: float
    error: float


def percentiles(draws: Array, level: float) -> Ends:
    """Return the interval between percentiles of the scores of resamples."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Ends(low, high, float(draws.std(ddof=1)))


class Sample:
    """The rows of one system, the convention, the classes averaged over, and what intervals are made of."""

    def __init__(self, patterns: Patterns, convention: Convention, at: Array | None = None) -> None:
        self.patterns = patterns
        self.convention = convention
        self.at = patterns.class_places(convention) if at is None else at
        self.point = standard_errors.point(patterns.sums(), self.at, convention)
        self._limits: dict[tuple[float, tuple[str, ...]], dict[str, ClassLimits]] = {}
        self._ends: dict[tuple[str, float], Ends] = {}
        self._delta_errors: dict[str, float] = {}

    @classmethod
    def of(cls, patterns: Patterns, convention: Convention) -> Sample:
        """Return the sample of patterns, which keep it for the next interval; intervals share most of their work."""
        key = convention, patterns.class_places(convention).tobytes()
        if key not in patterns.samples:
            patterns.samples[key] = (StratifiedSample if patterns.by_class else Sample)(patterns, convention)
        found: Sample = patterns.samples[key]
        return found

    @cached_property
    def smoothed(self) -> Smoothed:
        """The smoothed counts."""
        return Smoothed(self.patterns, self.at, self.convention)

    @cached_property
    def left(self) -> Replicates:
        """The scores without one row, or one cluster."""
        return Replicates(self.patterns, self.at, self.convention)

    @cached_property
    def noise(self) -> Noise:
        """The noise of the gap."""
        return standard_errors.gap_noise(self.patterns, self.convention, places=self.at)

    def delta_error(self, of: str) -> float:
        """Return the delta method's standard error."""
        if of not in self._delta_errors:
            moved = standard_errors.influence(self.patterns, self.point.gradients[of])
            self._delta_errors[of] = math.sqrt(self.patterns.sum_of_squares(moved))
        return self._delta_errors[of]

    def error(self, of: str) -> float:
        """Return the larger of two standard errors: of smoothed counts, and the jackknife's, or for the gap delta's."""
        if of == "gap":
            return max(self.delta_error(of), self.smoothed.standard_error(of))
        moved = standard_errors.jackknife_influence(self.patterns, self.left.score(of))
        return max(math.sqrt(self.patterns.sum_of_squares(moved)), self.smoothed.standard_error(of))

    def ends(self, of: str, level: float, method: str, draws: Array | None = None) -> Ends:
        """Return the ends of an interval by one method; the bootstrap needs the scores of resamples, `draws`."""
        if method == "combined":
            return self.combined(of, level)
        if method == "bootstrap" and draws is not None:
            return percentiles(draws, level)
        error, estimate = self.delta_error(of), self.point.values[of]
        reach = quantile(level, self.patterns.df) * error
        return Ends(max(0.0, estimate - reach), min(1.0, estimate + reach), error)

    def combined(self, of: str, level: float) -> Ends:
        """Return the ends of the default interval."""
        if (of, level) not in self._ends:
            self._ends[of, level] = self._hull(of, level)
        return self._ends[of, level]

    def _hull(self, of: str, level: float) -> Ends:
        reach = quantile(level, self.patterns.df)
        names = ("f",) if of == "averaged_f1" else ("precision", "recall")
        if (level, names) not in self._limits:
            self._limits[level, names] = class_limits(self.patterns, self.at, self.convention, reach, names)
        limits = self._limits[level, names]
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

    def _mover(self, of: str, limits: dict[str, ClassLimits], reach: float) -> tuple[float, float]:
        """Return the ends by the distances to the limits of the classes, and the covariances between classes."""
        n, square = len(self.at), self.convention.beta**2
        # How much the score changes with the ratios of each class.
        slopes: dict[str, Array | float] = {"f" if of == "averaged_f1" else of.removeprefix("macro_"): 1 / n}
        if of == "gap":
            tp, predicted, actual = (side[self.at] for side in self.patterns.sums())
            weight = standard_errors.over(tp, actual) + square * standard_errors.over(tp, predicted)
            lean = standard_errors.over(actual, predicted + square * actual)
            centre = float(weight @ lean) / float(weight.sum()) if weight.any() else 0.0
            by_recall = (1 + square) * square / n * (lean - centre) ** 2
            slopes = {"precision": square * by_recall, "recall": by_recall}
        elif of == "f1_of_averages":
            precision, recall = (self.point.values[mean] for mean in ("macro_precision", "macro_recall"))
            below = (square * precision + recall) ** 2 or 1.0
            slopes = {
                "precision": (1 + square) * recall**2 / below / n,
                "recall": (1 + square) * square * precision**2 / below / n,
            }
        shared, to_low, to_high = self.delta_error(of) ** 2, 0.0, 0.0
        for name, slope in slopes.items():
            ratio, weights = limits[name], np.square(slope)
            shared -= float((weights * ratio.variance).sum())
            to_low += float((weights * (ratio.value - ratio.low) ** 2).sum())
            to_high += float((weights * (ratio.high - ratio.value) ** 2).sum())
        to_low, to_high = (math.sqrt(max(0.0, part + reach**2 * shared)) for part in (to_low, to_high))
        estimate = self.point.values[of]
        return max(0.0, estimate - to_low), min(1.0, estimate + to_high)

    def outermost(self, of: str, limits: dict[str, ClassLimits]) -> tuple[float, float]:
        """Return the scores with all classes at their lower limits, and with all at their upper limits."""
        means = {
            name: [float(np.where(own.known, side, rest).mean()) for side, rest in ((own.low, 0.0), (own.high, 1.0))]
            for name, own in limits.items()
        }
        if of == "f1_of_averages":
            sides = zip(means["precision"], means["recall"], strict=True)
            low, high = (
                float(standard_errors.f_of_means(np.array(p), np.array(r), self.convention.beta)) for p, r in sides
            )
            return low, high
        low, high = means["f" if of == "averaged_f1" else of.removeprefix("macro_")]
        return low, high

    def _gap_ends(self, reach: float) -> tuple[float, float]:
        """Return the smallest and the largest true gap of which the sample's is a usual one; `slope` is c above."""
        smoothed = standard_errors.gap_noise(self.patterns, self.convention, places=self.at, smoothed=self.smoothed)
        floor, df, _ = max(self.noise, smoothed)
        gap, smooth_gap = self.point.values["gap"], self.smoothed.point.values["gap"]
        slope = max(
            4 * floor / df,
            self.delta_error("gap") ** 2 / gap if gap else 0.0,
            self.smoothed.standard_error("gap") ** 2 / smooth_gap if smooth_gap else 0.0,
        )

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
        # With one degree of freedom the root of the gap is normal: the smallest usual gap is near 0 for longer.
        root = math.sqrt(gap) + reach * math.sqrt(slope) / 2
        further = max(0.0, root**2 - floor * (1 - 1 / df) - ends[1])
        return ends[0], min(1.0, ends[1] + max(0.0, 2 - df) * further)


def around(estimate: float, error: float, reach: float, centre: float) -> tuple[float, float]:
    """Return the outer ends of two intervals: around the estimate, and around `centre` on the log-odds scale."""
    ends = [max(0.0, estimate - reach * error), min(1.0, estimate + reach * error)]
    if 0 < centre < 1:
        odds, step = math.log(centre / (1 - centre)), reach * error / (centre * (1 - centre))
        ends += [0.5 + 0.5 * math.tanh((odds + sign * step) / 2) for sign in (-1, 1)]
    return min(estimate, *ends), max(estimate, *ends)


_SMALLEST_SHARE = 1e-9


class StratifiedSample(Sample):
    """What intervals are made of if rows were sampled per gold class."""

    @cached_property
    def _smooth(self) -> StratifiedSample:
        """The sample with half a right row per class, and a quarter of a wrong one in its row and its column."""
        gold, (pred,), n = self.patterns.gold.label, self.patterns.systems, len(self.patterns.labels)
        cells = np.zeros((n, n))
        cells[gold, pred.label] = self.patterns.amounts
        live = np.zeros(n, np.bool_)
        live[self.at] = True
        live &= cells.sum(1) > 0
        cells[live, live] += RIGHT
        if live.sum() > 1:
            apart = (live[:, None] & live[None, :]) & ~np.eye(n, dtype=np.bool_)
            column, row = apart * (cells.sum(0) + MARGIN), apart * (cells.sum(1) + MARGIN)[:, None]
            cells += WRONG * column / np.maximum(column.sum(1), 1e-12)[:, None]
            cells += WRONG * row / np.maximum(row.sum(0), 1e-12)
        there = np.bincount(gold, self.patterns.masses, n)
        at = np.nonzero(cells)
        smooth = replace(
            self.patterns, amounts=cells[at], weights=(there / np.maximum(cells.sum(1), 1e-12))[at[0]],
            **one_label(at[0], [at[1]]),
        )  # fmt: skip
        return StratifiedSample(smooth, self.convention, self.at)

    def delta_error(self, of: str) -> float:
        """Return the delta method's standard error if the number of gold rows of each class is fixed."""
        gold, amounts, n = self.patterns.gold.label, self.patterns.amounts, len(self.patterns.labels)
        moved = standard_errors.influence(self.patterns, self.point.gradients[of])
        rows = np.bincount(gold, amounts, n)
        mean = standard_errors.over(np.bincount(gold, amounts * moved, n), rows)
        within = np.bincount(gold, amounts * (moved - mean[gold]) ** 2, n)
        return math.sqrt(float((within * rows / np.maximum(rows - 1, 1.0)).sum()))

    def error(self, of: str) -> float:
        """Return the larger standard error, with smoothed counts or without."""
        return max(self.delta_error(of), self._smooth.delta_error(of))

    def combined(self, of: str, level: float) -> Ends:
        """Return the ends of the default interval: two of its three parts, as rows of a class vary alone."""
        reach, estimate, error = quantile(level), self.point.values[of], self.error(of)
        if of == "gap":
            away = reach * error + self.noise.floor  # the gap of a sample exceeds the true one by about the floor
            return Ends(max(0.0, estimate - away), min(1.0, estimate + away), error)
        return Ends(*around(estimate, error, reach, self._smooth.point.values[of]), error)


@dataclass(frozen=True, slots=True, eq=False)
class RowsPerClass(RowSource):
    """The rows of a score, weighted to a class mix."""

    cells: Confusion
    weights: Array
    notes: tuple[Note, ...]

    def patterns(self) -> Patterns:
        """Return the cells, with the weight of the gold class of each."""
        found = Patterns.of_cells(self.cells)
        return replace(found, weights=self.weights[found.gold.label], by_class=True)


def score_at_prevalence(result: ScoreResult, prevalence: Mapping[Any, float] | None) -> ScoreResult:
    """Return a score as it would be with another mix of classes; `ScoreResult.at_prevalence` documents it."""
    cells = result.cells
    if cells is None or cells.real or result.weighted or result.rows.n_clusters is not None:
        raise CountError(
            "the score does not come from independent rows with one label each, all of weight 1",
            argument="prevalence",
            expected="the result of score, score_file, score_frame or score_matrix without weights and clusters",
        )
    found = Patterns.of_cells(cells)
    actual = np.bincount(found.gold.label, found.amounts, len(cells.labels))
    place = {label_key(label): at for at, label in enumerate(cells.labels)}
    shares = actual / actual.sum() if prevalence is None else _checked_shares(prevalence, place, actual)
    weights = shares * actual.sum() / np.where(actual > 0, actual, 1.0)
    rows = RowsPerClass(cells, weights, result.rows.notes)
    largest = np.argsort(-shares)[:5].tolist()
    mix = ", ".join(f"{label_name(cells.labels[at])} {100 * shares[at]:.3g}%" for at in largest)
    given = "the mix of this test set, taken as fixed" if prevalence is None else "a class mix that was asked for"
    note = Note(f"Scores and intervals are for {given} ({mix}{', …' if len(shares) > 5 else ''}).", code="prevalence")
    fact = "fixed" if prevalence is None else ",".join(f"{share:.4g}" for share in shares.tolist()[:50])
    making = result.making + Making(facts=(("prevalence", fact),), notes=(note,))
    weighted: ClassCounts = rows.patterns().class_counts()
    return replace(result, counts=weighted.with_facts(making=making), rows=rows, making=making)


def _checked_shares(prevalence: Mapping[Any, float], place: dict[Any, int], actual: Array) -> Array:
    if not isinstance(prevalence, Mapping) or not prevalence:
        raise InputError.bad_value("prevalence", prevalence, expected='the share of each class, such as {"a": 0.7, …}')
    shares = np.zeros(len(actual))
    for label, share in prevalence.items():
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= MOST_WEIGHT:
            raise InputError(
                Message(Argument("prevalence"), f" has {shown(share)} for {shown(label)}"),
                given=share,
                expected="a share",
            )
        at = place.get(label_key(label))
        if at is None or (share > 0 and not actual[at]):
            known = [label for (_, label), at in place.items() if actual[at]]
            raise LabelError(
                Message(Argument("prevalence"), f" names {shown(label)}, which no gold row has"),
                given=label,
                expected=f"shares of {quote_some(known)}",
            )
        shares[at] = float(share)
    named = set(map(label_key, prevalence))
    missing = [key[1] for key, at in place.items() if actual[at] and key not in named]
    if missing or shares.sum() < _SMALLEST_SHARE:
        what = f" has no share of {quote_some(missing)}" if missing else " is 0 for every class"
        raise InputError(Message(Argument("prevalence"), what), expected="a share of every gold class")
    found: Array = shares / shares.sum()
    return found
