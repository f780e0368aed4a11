"""Student's t distribution: tails and quantiles, without SciPy."""

from __future__ import annotations

import math
from statistics import NormalDist

# Beyond this many degrees of freedom, t and the normal distribution agree to more digits than anyone prints.
_NORMAL = 1e7
_MANY = 100


def two_sided_p(t: float, df: float = math.inf) -> float:
    """Return the probability of a value at least this far from 0."""
    if df >= _NORMAL:
        return math.erfc(abs(t) / math.sqrt(2))
    below = df + t * t
    return _incomplete_beta(df / 2, 0.5, df / below, t * t / below)


def quantile(confidence_level: float, df: float = math.inf) -> float:
    """Return how many standard errors a two-sided interval extends to each side."""
    z = NormalDist().inv_cdf((1 + confidence_level) / 2)
    if df >= _MANY:
        # Hill's expansion around the normal quantile: accurate to 6 digits from here on, and fast.
        first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + (first + (second + third / df) / df) / df
    # The tail is convex and the normal quantile is smaller than t's: Newton's steps approach it from one side.
    t, wanted = z, 1 - confidence_level
    log_density = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)
    for _ in range(100):
        density = math.exp(log_density - (df + 1) / 2 * math.log1p(t * t / df))
        step = (two_sided_p(t, df) - wanted) / (2 * density)
        t += step
        if abs(step) <= 1e-12 * t:
            break
    return t


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function by its continued fraction; `rest` is 1 - x, without rounding."""
    if x <= 0:
        return 0.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, rest, x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    # No denominator is near 0: for x up to the mean or so, they are at least 2 / (a + b + 2).
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = 1.0
        for term in (even, odd):
            d, c = 1 / (1 + term * d), 1 + term / c
            step *= c * d
            fraction *= c * d
        if abs(step - 1) < 1e-15:
            break
    return math.exp(log_front) * fraction / a
