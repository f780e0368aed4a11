"""Intervals over units other than classes: the units themselves are the sample.

With x the F1, precision or recall of each of n units, a mean has the standard error sd(x) / sqrt(n), and its interval
is Student's with n - 1 degrees of freedom. F1 of averages and the gap are functions of such means: each unit changes
them by the derivative times its distance from the mean. Weights, and ratios that leave a mean, make it a ratio of two
sums, which is linearised in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import Convention
from macrof1.counts import Noun
from macrof1.errors import InputError, counted
from macrof1.message import Argument, Message, Note
from macrof1.sampling.intervals import MEASURES, IntervalResult, checked_level
from macrof1.sampling.student import quantile
from macrof1.scoring.macro import f_of_means

if TYPE_CHECKING:
    from macrof1.counting.array_columns import ArrayColumns
    from macrof1.scoring.macro import ClassColumns

Array: TypeAlias = NDArray[Any]

# With fewer units, an interval may cover less than it says, whatever they are like.
FEW_UNITS: Final = 20


def parts_of(columns: ClassColumns | ArrayColumns, convention: Convention) -> Array:
    """Return the sums that scores are ratios of, unit by unit: above and below the line of F1, precision and recall."""
    weight = np.ones(len(columns)) if columns.weights is None else np.asarray(columns.weights, float)
    undefined = convention.undefined
    ratios = columns.f(convention.beta, undefined), columns.precision(undefined), columns.recall(undefined)
    values = np.array(ratios, float)
    parts: Array = weight * np.array([np.nan_to_num(values), ~np.isnan(values)])
    return parts


def influences(parts: Array, beta: float) -> tuple[dict[str, float], dict[str, Array]]:
    """Return every score, and how much each unit moves it: sums of squares are variances, but for n / (n - 1)."""
    above, below = parts
    total = below.sum(1, keepdims=True)
    means = above.sum(1, keepdims=True) / total
    of_f, of_p, of_r = (above - means * below) / total
    f, p, r = means[:, 0].tolist()
    square = beta**2
    both, under = f_of_means(p, r, beta), (square * p + r) ** 2
    slopes = ((1 + square) * r * r / under, (1 + square) * square * p * p / under) if under else (0.0, 0.0)
    of_both = slopes[0] * of_p + slopes[1] * of_r
    names = ("averaged_f1", "f1_of_averages", "gap", "macro_precision", "macro_recall")
    moved = (of_f, of_both, of_both - of_f, of_p, of_r)
    return dict(zip(names, (f, both, both - f, p, r), strict=True)), dict(zip(names, moved, strict=True))


def standard_error(moved: Array) -> float:
    """Return the standard error of a score that units move by so much."""
    n = len(moved)
    return math.sqrt(n / (n - 1) * float((moved**2).sum())) if n > 1 else 0.0


def unit_interval(
    columns: ClassColumns | ArrayColumns,
    convention: Convention,
    of: str,
    noun: Noun,
    *,
    label: object = None,
    confidence_level: float = 0.95,
    method: str | None = None,
) -> IntervalResult:
    """Compute an interval for a score over units; `ScoreResult.interval` documents the parameters."""
    if of not in MEASURES:
        raise InputError.unknown_value("of", of, MEASURES)
    if of == "f1" or label is not None:
        problem = f" for one {noun.one}, where {noun.many} are the sample"
        raise InputError(Message(Argument("label", label), problem), expected="an interval of a macro score")
    if method not in (None, "delta"):
        raise InputError(
            Message(Argument("method", method), f" with {noun.many} as the sample"),
            expected=Message(Argument("method", "delta"), ", Student's interval"),
        )
    n, level = len(columns), checked_level(confidence_level)
    if n < 2:
        raise InputError(f"there is one {noun.one} only", expected="at least two, to tell how they differ")
    estimates, moved = influences(parts_of(columns, convention), convention.beta)
    estimate, error = estimates[of], standard_error(moved[of])
    reach = quantile(level, n - 1) * error
    return IntervalResult(
        of=of,
        estimate=estimate,
        low=max(0.0, estimate - reach),
        high=min(1.0, estimate + reach),
        standard_error=error,
        confidence_level=level,
        method="delta",
        notes=tuple(unit_notes(moved[of], noun)),
    )


def is_doubtful(moved: Array) -> bool:
    """Return whether units are too few for Student's interval, given how unevenly they move a score.

    With skewness γ it takes about 25 γ² of them (Sugden, Smith & Jones 2000, "Cochran's rule for simple random
    sampling", Journal of the Royal Statistical Society B 62), somewhat more where γ is that of the sample, which is
    mostly too small, and 20 in any case (`benchmarks/unit_coverage.py`).
    """
    square = float((moved**2).mean())
    skewness = float((moved**3).mean()) / square**1.5 if square else math.inf
    return len(moved) < max(FEW_UNITS, 35 * skewness**2)


def unit_notes(moved: Array, noun: Noun) -> Iterator[Note]:
    """Say when actual coverage may be too low."""
    if not moved.any():
        alike = f"All {counted(len(moved), *noun)} are alike, which says little about {noun.many} not yet seen."
        yield Note(alike, code="no_variation")
    elif is_doubtful(moved):
        few = f"{counted(len(moved), *noun)} are few for scores spread so unevenly: the actual coverage of a 95% "
        yield Note(few, "interval may be 85–93%, or less if they are fewer than 20.", code="few_units")
