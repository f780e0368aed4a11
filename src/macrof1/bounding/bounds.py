"""How much could the choice of formula matter? Known figures narrow both macro F1s and the gap."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from macrof1.bounding import closed_forms
from macrof1.bounding.closed_forms import Score
from macrof1.bounding.largest_gap import LargestGapResult, largest_gap
from macrof1.counts import noun_of
from macrof1.errors import InputError, counted
from macrof1.message import Argument, Message
from macrof1.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRange(Result):
    """The possible values of a score."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:.4f}" if self.low == self.high else f"{self.low:.4f} to {self.high:.4f}"


_WHOLE = ScoreRange(low=0.0, high=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsResult(Result):
    """The possible values of both macro F1s and the gap.

    Attributes
    ----------
    given
        What was known.
    n_classes
        The number of classes, or None: the intervals then hold for any number.
    averaged_f1, f1_of_averages, gap
        The possible values.
    any_n
        The same without the number of classes, if that was given and the answer has a simple form.
    binary
        For two classes, one label per row, and given macro precision and recall: the possible averaged F1 if
        both classes occur in gold and in predicted.
    largest
        For given class sizes: the classifier with the largest gap, and the upper limit.
    note
        What the intervals assume.
    over
        What the means are taken over; None for classes.
    """

    given: dict[str, Any]
    n_classes: int | None
    averaged_f1: ScoreRange = _WHOLE
    f1_of_averages: ScoreRange = _WHOLE
    gap: ScoreRange
    note: str
    any_n: BoundsResult | None = None
    binary: ScoreRange | None = None
    largest: LargestGapResult | None = None
    over: str | None = None

    @property
    def summary(self) -> str:
        """The three ranges in one line."""
        return f"averaged F1 {self.averaged_f1}, F1 of averages {self.f1_of_averages}, gap {self.gap}: {self.note}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types; fields that do not apply are left out."""
        content = Result.to_dict(self)
        return {name: value for name, value in content.items() if value is not None or name == "n_classes"}


def bounds(
    *,
    n_classes: int | None = None,
    precision: Score | None = None,
    recall: Score | None = None,
    f1_of_averages: Score | None = None,
    averaged_f1: Score | None = None,
    support: Iterable[int] | None = None,
    over: str = "classes",
) -> BoundsResult:
    """Compute the ranges of both macro F1s and the gap that are consistent with known figures.

    Parameters
    ----------
    n_classes
        The number of classes.
    precision, recall
        Macro precision and macro recall; give both or neither.
    f1_of_averages, averaged_f1
        One of the two macro F1s: the range of the other is returned.
    support
        Gold rows per class: gives the largest gap that any classifier could have on this data, one label per row.
    over
        What the means are taken over, such as "query": the same ranges hold for `n_classes` queries, apart from what
        one label per row implies (`support`, and the narrower range of two classes).

    Notes
    -----
    The intervals of averaged F1, F1 of averages and the gap are exact for per-class precision and recall anywhere
    in [0, 1]: every value inside is attained. For two classes with one label per row `BoundsResult.binary` is narrower.

    Examples
    --------
    >>> found = bounds(precision="0.2937", recall="0.2283")
    >>> str(found.averaged_f1), str(found.f1_of_averages)
    ('0.0000 to 0.2569', '0.2569')
    >>> str(bounds(f1_of_averages=0.9, n_classes=3).averaged_f1)
    '0.8750 to 0.9000'
    >>> bounds(n_classes=3).gap.high
    0.4444444444444444
    """
    n = None if n_classes is None else closed_forms.checked_n_classes(n_classes)
    if not isinstance(over, str) or not over:
        raise InputError.bad_value("over", over, expected="the name of a unit, such as query")
    unit = None if over == "classes" else over
    if [precision, recall].count(None) == 1:
        missing, both = "recall" if recall is None else "precision", "macro precision and macro recall, both or neither"
        raise InputError(f"macro {missing} is missing", argument=missing, expected=both)
    scores = {"precision": precision, "recall": recall, "f1_of_averages": f1_of_averages, "averaged_f1": averaged_f1}
    kinds: dict[str, Any] = {**scores, "support": support}
    given = {name: value for name, value in kinds.items() if value is not None}
    chosen = [name for name in given if name != "recall"]
    if len(chosen) > 1:
        raise InputError.beside(chosen[1], chosen[0], expected="one of them, with or without the number of classes")
    if unit and support is not None:
        raise InputError.beside("support", Argument("over", over), expected="it over classes, with one label per row")
    if support is not None:
        found = largest_gap(support)
        if n is not None and n != len(found.support):
            sizes = Message(Argument("n_classes", n), f" with {counted(len(found.support), 'class size')}")
            raise InputError(sizes, expected="one size per class")
        gap = ScoreRange(low=0.0, high=found.gap if found.exact else math.nextafter(found.limit, math.inf))
        given, note = {"support": list(found.support)}, "one label per row; " + found.reason
        return BoundsResult(given=given, n_classes=len(found.support), gap=gap, note=note, largest=found)
    if given:
        return _of_scores({name: closed_forms.checked_score(value, name) for name, value in given.items()}, n, unit)
    if n is None:
        raise InputError(
            "nothing given",
            expected=Message(
                Argument("n_classes"), ", ", Argument("precision"), " and ", Argument("recall"), ", ",
                Argument("f1_of_averages"), ", ", Argument("averaged_f1"), " or ", Argument("support"),
            ),
        )  # fmt: skip
    supremum = closed_forms.gap_supremum(n)
    note = "the supremum is approached and never reached" if supremum else f"one {noun_of(unit).one} has no gap"
    return BoundsResult(given={}, n_classes=n, gap=_range(Fraction(), supremum), note=note, over=unit)


def _range(low: Fraction, high: Fraction) -> ScoreRange:
    return ScoreRange(low=float(low), high=float(high))


def _of_scores(known: dict[str, Fraction], n: int | None, over: str | None) -> BoundsResult:
    """Return what known scores leave for both formulas; the gap is largest between the far ends."""
    binary, noun = None, noun_of(over).one
    if "precision" in known:
        p, r = known["precision"], known["recall"]
        pair = Message(Argument("precision", float(p)), " with ", Argument("recall", float(r)))
        if [p, r].count(Fraction()) == 1:
            hint = "each needs a true positive"
            raise InputError(pair, argument="precision", expected="both 0 or neither", hint=hint)
        lowest = highest = closed_forms.harmonic_mean(p, r)
        low, high = closed_forms.lowest_averaged_f1(p, r, n), highest
        binary = _binary(p, r, low, high, pair) if n == 2 and over is None else None
    elif "f1_of_averages" in known:
        lowest = highest = high = known["f1_of_averages"]
        low = closed_forms.lowest_averaged_f1_below(high, n)
    else:
        low = high = lowest = known["averaged_f1"]
        highest = closed_forms.highest_f1_of_averages(low, n)
    note = f"per-{noun} precision and recall anywhere in [0, 1]; data sets come arbitrarily close to the ends"
    return BoundsResult(
        given={name: float(value) for name, value in known.items()}, n_classes=n, averaged_f1=_range(low, high),
        f1_of_averages=_range(lowest, highest), gap=_range(Fraction(), highest - low), note=note, binary=binary,
        any_n=None if n is None else _of_scores(known, None, over), over=over,
    )  # fmt: skip


def _binary(p: Fraction, r: Fraction, low: Fraction, high: Fraction, pair: Message) -> ScoreRange:
    """Narrow the averaged F1 of two classes with one label per row, or reject a pair that no such data has."""
    half = Fraction(1, 2)
    if max(p, r) == half > min(p, r):
        # One class is never predicted (recall 1 and 0) or never gold: the other decides alone, and there is no gap.
        return _range(high, high)
    if (p - half) * (r - half) > 0 or p == r:
        return _range(low, closed_forms.highest_binary_averaged_f1(p, r))
    raise InputError(
        Message(pair, " and two classes"),
        argument="precision",
        expected="both above 0.5 or both at most 0.5, as one label per row forces",
        hint="for several labels per row leave the number of classes out",
    )
