"""What intervals are made of: the rows of one system, its scores, standard errors, limits of classes, and noise.

The default interval lies between the outer ends of three intervals, none of which is enough on its own:

- MOVER: the distances from the ratios of each class to their Wilson limits (`class_limits`), squared and added, with
  the delta method's covariances between classes (Newcombe 1998; Zou & Donner 2008): right where one class has few rows;
- the score plus and minus its standard error, cut to 0 and 1: the larger of the jackknife's (`jackknife`) and that of
  smoothed counts (`smoothing`);
- the same standard error on the log-odds scale around the smoothed score, stretched to the score: right where many
  classes have few rows.

No end lies further out than where all classes are at their Wilson limits at once. For the gap, the last two give way to
one interval: the gap of a sample exceeds the true gap γ by the noise floor φ on average, with a variance c γ + 2 φ² /
df that grows with γ, as for χ² (`noise`); the interval holds every γ of which the sample's gap is a usual one.

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
from functools import cached_property
from typing import NamedTuple

import numpy as np

from macrof1.convention import FORMULAS, Convention
from macrof1.sampling.class_limits import ClassLimits, class_limits
from macrof1.sampling.delta import class_sums, over, point, standard_error
from macrof1.sampling.jackknife import jackknife_error, replicates
from macrof1.sampling.macro_scores import Array, class_places, f_of_means
from macrof1.sampling.noise import Noise, gap_noise
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.smoothing import Smoothed
from macrof1.sampling.student import quantile


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
    [0.7483, 0.998]
    """
    ends = [max(0.0, estimate - reach * error), min(1.0, estimate + reach * error)]
    if 0 < centre < 1:
        odds, step = math.log(centre / (1 - centre)), reach * error / (centre * (1 - centre))
        ends += [0.5 + 0.5 * math.tanh((odds + sign * step) / 2) for sign in (-1, 1)]
    return min(estimate, *ends), max(estimate, *ends)
