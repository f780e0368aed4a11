"""The gap between the two formulas: exact, class by class, pair by pair.

With P and R the precision and recall of a class, s = P + R and u = P / s, weighted by s,

    gap = 2 (mean P + mean R) · variance of u.

u depends on the margins alone: u = actual / (actual + predicted). The difference of u between a class and a reference
class is a quotient of integers, so nothing cancels: the gap lies in [0, 0.5), it is 0 exactly when actual / predicted
is the same for all classes with tp > 0, and it is as accurate as its few roundings however small it is. For beta other
than 1, the two formulas are the F-beta of averages and the averaged F-beta.

References: Opitz & Burst, "Macro F1 and Macro F1", arXiv 1911.03347, Lemma and Theorems 1 to 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from macrof1.convention import DEFAULT, Convention
from macrof1.counts import ClassCounts, HasClassCounts, Number, class_counts_of
from macrof1.errors import ConventionError
from macrof1.labels import Label, label_name
from macrof1.message import Argument, Message
from macrof1.result import Result
from macrof1.scoring.ratios import ClassColumns, select


@dataclass(frozen=True, slots=True, kw_only=True)
class GapPair(Result):
    """Two classes and what their difference contributes to the gap (the paper's Lemma)."""

    over_precise: Label | None
    over_recalled: Label | None
    contribution: float


@dataclass(frozen=True, slots=True)
class Spread:
    """Where each class lies between precision and recall.

    Attributes
    ----------
    weight, total
        R + beta² P of each class, 0 if tp is 0; and the sum of all.
    shift
        How much further a class leans towards precision than the reference class does.
    centre
        The weighted mean of `shift`.
    factor
        The factor that turns the weighted sum of squares into the gap.
    """

    weight: list[float]
    total: float
    shift: list[float]
    centre: float
    factor: float

    def gap(self) -> float:
        """Return the gap: the sum of the shares."""
        return math.fsum(self.shares())

    def shares(self) -> list[float]:
        """Return each class's share of the gap."""
        return [self.factor * (w * (v - self.centre) ** 2) for w, v in zip(self.weight, self.shift, strict=True)]

    def square(self, x: int, y: int) -> float:
        """Return the weighted square of the distance between two classes."""
        return self.weight[x] * self.weight[y] * (self.shift[x] - self.shift[y]) ** 2

    def leanings(self) -> list[float]:
        """Return how far each class leans relative to all classes: above 0 to precision, below 0 to recall."""
        return [v - self.centre if w else 0.0 for w, v in zip(self.weight, self.shift, strict=True)]


def spread(columns: ClassColumns, convention: Convention) -> Spread:
    """Place every class between precision and recall, relative to a reference class."""
    undefined = convention.undefined
    if columns.means_differ(undefined):
        raise ConventionError(
            Message(
                Argument("undefined", undefined),
                ": some ratios are undefined and left out, so that the means run over different classes and the gap "
                "has no shares",
            ),
            expected=Message(Argument("undefined", 0), " or ", Argument("undefined", 1)),
        )
    columns = columns.in_range()
    square = columns.square_of(convention.beta)
    rows = zip(columns.tp, columns.predicted, columns.actual, strict=True)
    if undefined == 1:
        weight = [float(r + square * p) for p, r in zip(columns.precision(1), columns.recall(1), strict=True)]
        # A class that is neither gold nor predicted has P = R = 1, like one with equal margins.
        margins = [(p, g) if p or g else (1, 1) for _, p, g in rows]
    else:
        # tp (predicted + beta² actual) / (predicted · actual) is R + beta² P with one rounding.
        weight = [float(t * (p + square * g) / (p * g)) if t else 0.0 for t, p, g in rows]
        margins = list(zip(columns.predicted, columns.actual, strict=True))
    # The heaviest class is the reference, so that v - centre cannot cancel badly.
    p_ref, g_ref = margins[max(range(len(weight)), key=weight.__getitem__)]
    below_ref = p_ref + square * g_ref
    real = isinstance(p_ref, float)
    shift = [
        float((_cross(g, p_ref, p, g_ref) if real else g * p_ref - p * g_ref) / ((p + square * g) * below_ref))
        if w
        else 0.0
        for w, (p, g) in zip(weight, margins, strict=True)
    ]
    total = math.fsum(weight)
    centre = math.fsum(w * v for w, v in zip(weight, shift, strict=True)) / total if total else 0.0
    return Spread(weight, total, shift, centre, float((1 + square) * square / len(columns)))


# A gap below this many times its expected value under agreement is not clearly more than sampling noise: being a sum of
# squares, it exceeds four times its mean by chance in about 5% of samples with two classes, and less often with more.
TIMES_NOISE: Final = 4


def within_noise(columns: ClassColumns, found: Spread, gap: float, beta: float) -> bool | None:
    """Return whether a gap other than 0 is within its sampling noise; None if the counts alone do not decide it.

    In the noise floor (`macrof1.sampling.noise`), w var(v) of a class is tp (predicted + actual - 2 tp) divided by
    (predicted + beta² actual)³. What is subtracted depends on the cells, but is never negative, and at most the sum
    of w² var(v) / Σ w: a row of two classes moves them in opposite directions.
    """
    plain, square, total = beta == 1, beta * beta, found.total
    limit = gap / (TIMES_NOISE * found.factor)
    rest = total - 1 - square  # never above the sum of the other weights: none exceeds 1 + beta²
    high, enough = 0.0, _ABOVE * limit * total / rest if rest > 0 else math.inf
    # The check of lengths costs as much as a class, and one or two classes often decide.
    for t, p, g in zip(columns.tp, columns.predicted, columns.actual):  # noqa: B905
        if t:
            both = p + g
            high += t * (both - t - t) / (both if plain else p + square * g) ** 3
            if high > enough:
                return True
    if high < _BELOW * limit:
        return False
    rows = zip(columns.tp, columns.predicted, columns.actual, found.weight, strict=True)
    low = sum(t * (p + g - t - t) / (p + square * g) ** 3 * (total - w) for t, p, g, w in rows if t)
    return True if low > _ABOVE * limit * total else None


# Far above rounding, so that bounds decide as the noise floor itself would.
_BELOW, _ABOVE = 1 - 1e-9, 1 + 1e-9


def _cross(g: Number, p_ref: Number, p: Number, g_ref: Number) -> Number:
    """Return g p_ref - p g_ref of real numbers without cancellation."""
    left, right = g * p_ref, p * g_ref
    if abs(left - right) < 1e-3 * left:
        return float(Fraction(g) * Fraction(p_ref) - Fraction(p) * Fraction(g_ref))
    return left - right


def gap_pairs(
    counts: ClassCounts | HasClassCounts, convention: Convention = DEFAULT, *, most: int | None = 10
) -> list[GapPair]:
    """Return the pairs of classes that cause the gap, largest contribution first.

    By the paper's Lemma, the gap is a sum over pairs of classes.

    Parameters
    ----------
    most
        How many pairs to return; None for all pairs that contribute.
    """
    columns = select(class_counts_of(counts), convention)
    found = spread(columns, convention)
    pairs = []
    for contribution, i, j in _heaviest(found, most):
        low, high = sorted((i, j), key=found.shift.__getitem__)
        pairs.append(
            GapPair(over_precise=columns.labels[high], over_recalled=columns.labels[low], contribution=contribution)
        )
    return pairs


def _heaviest(found: Spread, most: int | None) -> list[tuple[float, int, int]]:
    """Return contributions with their two classes, largest first; ties in class order."""
    limits = _limits(found)
    best: list[tuple[float, int, int]] = []
    paired: list[int] = []
    for i in sorted(limits, key=limits.__getitem__, reverse=True):
        # The classes that could matter most come first: if few pairs are requested, most classes are never paired.
        if len(best) != most or limits[i] >= -best[-1][0]:
            best += [(-found.square(i, j), min(i, j), max(i, j)) for j in paired]
            best = sorted(best)[:most]
            paired.append(i)
    return [(-negated * found.factor / found.total, i, j) for negated, i, j in best if negated]


def _limits(found: Spread) -> dict[int, float]:
    """Return, for each class with a weight, what no pair with it exceeds; rounded as pairs are, so without a margin."""
    some = [x for x, weight in enumerate(found.weight) if weight]
    shifts = [found.shift[x] for x in some]
    ends = {min(shifts), max(shifts)} if some else set()
    heaviest = max(found.weight)
    return {x: found.weight[x] * heaviest * max(abs(found.shift[x] - end) for end in ends) ** 2 for x in some}


def explain(columns: ClassColumns, convention: Convention = DEFAULT) -> str:
    """Say in one sentence how far apart the formulas are and which classes cause it."""
    if columns.means_differ(convention.undefined):
        return "Undefined ratios are left out: the means run over different classes, and the gap has no shares."
    found = spread(columns, convention)
    shares = found.shares()
    total = math.fsum(shares)
    if len(columns) == 1:
        return "The formulas agree: with one class, both are its F1."
    if not total:
        return "The formulas agree: no class leans further to precision or to recall than the others."
    causes = []
    signed = list(map(math.copysign, shares, found.leanings()))
    for pick, sign, word in ((max, 1, "over-precise"), (min, -1, "over-recalled")):
        worst = pick(range(len(signed)), key=signed.__getitem__)
        if signed[worst]:
            # Only the position among the classes matters: a class with equal margins has P = R, and may still be
            # at one end of the range.
            literal = sign * (columns.actual[worst] - columns.predicted[worst]) > 0
            beside = "" if literal else " compared with the others"
            causes.append(f"class {label_name(columns.labels[worst])} is {word}{beside}")
    return f"The formulas differ by {_points(total)}: {', '.join(causes)}."


def _points(value: float) -> str:
    """Format a score difference in points (hundredths)."""
    hundredths = 100 * value
    if hundredths >= 0.05:
        return f"{hundredths:.1f} points"
    return f"{hundredths:.1g} points"
