"""The bootstrap's interval: percentiles of the scores of resamples."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import Convention
from macrof1.sampling.macro_scores import class_f, macro_scores
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import Random, bootstrap, checked_random, checked_resamples

Array: TypeAlias = NDArray[Any]


def percentile_ends(
    patterns: Patterns,
    of: str,
    convention: Convention,
    *,
    places: list[int],
    level: float,
    n_resamples: int,
    rng: Random,
) -> tuple[float, float, float]:
    """Return both ends of the interval of a score over the classes at `places`, and its standard error."""
    n, generator = checked_resamples(n_resamples), checked_random(rng)
    draws = np.concatenate([
        _scores(part.tp[0][places], part.predicted[0][places], part.actual[places], of, convention)
        for part in bootstrap(patterns.in_numpy(), n, generator)
    ])  # fmt: skip
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high, float(draws.std(ddof=1))


def _scores(tp: Array, predicted: Array, actual: Array, of: str, convention: Convention) -> Array:
    tp, predicted, actual = (side.astype(np.float64) for side in (tp, predicted, actual))
    found: Array = (
        class_f(tp, predicted, actual, convention)[0]
        if of == "f1"
        else getattr(macro_scores(tp, predicted, actual, convention), of)
    )
    return found
