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
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter, mul
from typing import TYPE_CHECKING, Any, Final

from macrof1.convention import DEFAULT, Convention
from macrof1.counts import CLASS, AnyCounts, Noun, class_counts_of, is_array, plain_numbers
from macrof1.errors import ConventionError
from macrof1.labels import Label, label_name
from macrof1.message import Argument, Message
from macrof1.result import Result
from macrof1.scoring.macro import ClassColumns, select, total_of

if TYPE_CHECKING:
    from macrof1.counting.array_columns import ArrayColumns


@dataclass(frozen=True, slots=True, kw_only=True)
class GapPair(Result):
    """Two classes and what their difference contributes to the gap (the paper's Lemma)."""

    over_precise: Label | None
    over_recalled: Label | None
    contribution: float


@dataclass(frozen=True, slots=True)
class Spread:
    """Where each class lies between precision and recall; `weight` and `shift` are lists or arrays."""

    weight: Any  # R + beta² P of each class, 0 if tp is 0
    total: float  # of the weights
    shift: Any  # how much further a class leans towards precision than the reference class does
    centre: float  # the weighted mean of `shift`
    factor: float  # what turns the weighted sum of squares into the gap

    def gap(self) -> float:
        """Return the gap: the sum of the shares."""
        return total_of(self.shares())

    def shares(self) -> Any:
        """Return each class's share of the gap, as a list or an array."""
        factor, centre = self.factor, self.centre
        if is_array(self.weight):
            away = self.shift - centre
            return factor * (self.weight * (away * away))
        return [factor * (w * ((v - centre) * (v - centre))) for w, v in zip(self.weight, self.shift, strict=True)]

    def square(self, x: int, y: int) -> float:
        """Return the weighted square of the distance between two classes."""
        return float(self.weight[x] * self.weight[y] * (self.shift[x] - self.shift[y]) ** 2)

    def leanings(self) -> list[float]:
        """Return how far each class leans relative to all classes: above 0 to precision, below 0 to recall."""
        each = zip(plain_numbers(self.weight), plain_numbers(self.shift), strict=True)
        return [v - self.centre if w else 0.0 for w, v in each]

    def ends(self) -> tuple[int, int]:
        """Return the classes with the largest shares on either side: leaning to precision, and to recall."""
        if is_array(self.weight):
            signed = self.shares() * (1 - 2 * (self.shift < self.centre))
            return int(signed.argmax()), int(signed.argmin())
        signed = list(map(math.copysign, self.shares(), self.leanings()))
        return max(range(len(signed)), key=signed.__getitem__), min(range(len(signed)), key=signed.__getitem__)


def spread(columns: ClassColumns | ArrayColumns, convention: Convention) -> Spread:
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
    weight, shift = columns.leanings(convention.beta, undefined)
    if columns.weights is not None:
        scale = len(columns) / total_of(columns.weights)
        each = zip(plain_numbers(weight), plain_numbers(columns.weights), strict=True)
        weight, shift = [w * scale * own for w, own in each], list(plain_numbers(shift))
    square = convention.beta * convention.beta
    total = total_of(weight)
    centre = total_of(_products(weight, shift)) / total if total else 0.0
    return Spread(weight, total, shift, centre, float((1 + square) * square / len(columns)))


def _products(left: Any, right: Any) -> Any:
    return left * right if is_array(left) else list(map(mul, left, right))


def times_noise(df: float) -> float:
    """Return how many times its mean under agreement the gap exceeds in 5% of samples: χ², by Wilson and Hilferty."""
    spread_of_it = 2 / (9 * df)
    return float((1 - spread_of_it + 1.6449 * math.sqrt(spread_of_it)) ** 3)


def noise_df(parts: Any, total: float | None = None) -> float:
    """Return the degrees of freedom that match the variance of these parts of the gap; one is lost to the centre."""
    total = total_of(parts) if total is None else total
    n_some = int((parts > 0).sum()) if is_array(parts) else sum(part > 0 for part in parts)
    if n_some < 2:
        return 1.0
    return max(1.0, total**2 / total_of(_products(parts, parts)) * (1 - 1 / n_some))


def noise_times(parts: Any, variances: Any, beta: float) -> float:
    """Return how many times its floor the gap exceeds by chance in 5% of samples, given the part and var(v) of a class.

    Where classes have few rows, one that leans to one side also weighs more: with u = beta² (1 + beta²)² var(v), its
    part of the gap is about exp(3u) times as large in the mean, and its relative variance exp(6u) times.
    """
    rate = 3 * beta**2 * (1 + beta**2) ** 2
    growth = math.e ** (rate * variances) if is_array(variances) else [math.exp(rate * each) for each in variances]
    grown, total = _products(parts, growth), total_of(parts)
    return times_noise(noise_df(_products(grown, growth), total_of(grown))) * (total_of(grown) / total if total else 1)


def within_noise(columns: ClassColumns | ArrayColumns, found: Spread, gap: float, beta: float) -> bool | None:
    """Return whether a gap other than 0 is within its sampling noise; None if the counts alone do not decide it.

    In the noise floor (`sampling.standard_errors`), w var(v) of a class is tp (predicted + actual - 2 tp) divided by
    (predicted + beta² actual)³. What is subtracted depends on the cells, but is never negative, and at most the sum
    of w² var(v) / Σ w: a row of two classes moves them in opposite directions.
    """
    terms = columns.noise_terms(beta)
    weight, total = found.weight, found.total
    if is_array(weight):
        others, variances = 1 - weight / total, terms / (weight + (weight == 0))
    else:
        others = [1 - w / total for w in weight]
        variances = [term / w if w else 0.0 for term, w in zip(terms, weight, strict=True)]
    parts = _products(terms, others)
    limit = gap / found.factor / noise_times(parts, variances, beta)
    if total_of(terms) < _BELOW * limit:
        return False
    return True if total_of(parts) > _ABOVE * limit else None


# Far above rounding, so that bounds decide as the noise floor itself would.
_BELOW, _ABOVE = 1 - 1e-9, 1 + 1e-9


def gap_pairs(counts: AnyCounts, convention: Convention = DEFAULT, *, most: int | None = 10) -> list[GapPair]:
    """Return the pairs of classes that cause the gap (the paper's Lemma), largest first: `most`, or all that do."""
    columns = select(class_counts_of(counts), convention)
    found = spread(columns, convention)
    weight, shift = found.weight, found.shift
    # Of classes in one place, the first come first in any tie.
    places: dict[tuple[float, float], list[int]] = {}
    for x, place in enumerate(zip(weight, shift, strict=True)):
        if place[0]:
            alike = places.setdefault(place, [])
            alike += [x] if most is None or len(alike) < most else []
    corners = _corners(places)
    # What no pair with a class exceeds; rounded as pairs are, so without a margin.
    limits = {(w, v): max(w * heavy * (v - end) ** 2 for heavy, end in corners) for w, v in places}
    best: list[tuple[float, int, int]] = []
    paired: list[int] = []
    for limit, i in sorted((-limits[place], x) for place, alike in places.items() for x in alike):
        # The classes that could matter most come first: if few pairs are requested, most classes are never paired.
        if len(best) == most and -limit < -best[-1][0]:
            break
        best += [(-found.square(i, j), min(i, j), max(i, j)) for j in paired]
        best = sorted(best)[:most]  # ties in class order
        paired.append(i)
    pairs = []
    for negated, i, j in best:
        if negated:
            low, high = sorted((i, j), key=shift.__getitem__)
            contribution = -negated * found.factor / found.total
            pairs.append(
                GapPair(over_precise=columns.labels[high], over_recalled=columns.labels[low], contribution=contribution)
            )
    return pairs


def _corners(places: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return a few places: for any pair of classes, one is as heavy as the second, and as far from the first."""
    found: list[tuple[float, float]] = []
    for reverse in (False, True):
        side: list[tuple[float, float]] = []
        for weight, shift in sorted(places, key=itemgetter(1), reverse=reverse):
            if not side or weight > side[-1][0]:  # heavier than all that lie further out
                side.append((weight, shift))
        step = -(-len(side) // _MOST_CORNERS) or 1
        found += [(side[min(at + step, len(side)) - 1][0], side[at][1]) for at in range(0, len(side), step)]
    return found


# So many suffice for most data; all classes may lie on a curve.
_MOST_CORNERS: Final = 32

# A smaller difference of scores rounds to 0.0 points, and needs no explanation.
_NO_DIFFERENCE: Final = 0.0005


def explain(columns: ClassColumns | ArrayColumns, convention: Convention = DEFAULT, noun: Noun = CLASS) -> str:
    """Say in one sentence how far apart the formulas are and which classes, or other units, cause it."""
    if columns.means_differ(convention.undefined):
        return f"Undefined ratios are left out: the means run over different {noun.many}, and the gap has no shares."
    found = spread(columns, convention)
    shares = found.shares()
    total = total_of(shares)
    if len(columns) == 1:
        return f"The formulas agree: with one {noun.one}, both are its F1."
    if not total:
        return f"The formulas agree: no {noun.one} leans further to precision or to recall than the others."
    if total < _NO_DIFFERENCE:
        return "The formulas differ by less than 0.05 points."
    causes = []
    for worst, sign, word in zip(found.ends(), (1, -1), ("over-precise", "over-recalled"), strict=True):
        if shares[worst]:
            # Only the position among the classes matters: a class with equal margins has P = R, and may still be
            # at one end of the range.
            literal = sign * (columns.actual[worst] - columns.predicted[worst]) > 0
            beside = "" if literal else " compared with the others"
            causes.append(f"{noun.one} {label_name(columns.labels[worst])} is {word}{beside}")
    return f"The formulas differ by {100 * total:.1f} points: {', '.join(causes)}."
