"""The few statistics that the paper reports, without another dependency."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def pearson(x: Array, y: Array) -> float:
    """Return Pearson's correlation."""
    a, b = x - x.mean(), y - y.mean()
    return float((a * b).sum() / math.sqrt((a * a).sum() * (b * b).sum()))


def spearman(x: Array, y: Array) -> float:
    """Return Spearman's correlation: Pearson's correlation of the ranks, with average ranks for ties."""
    return pearson(_ranks(x), _ranks(y))


def _ranks(values: Array) -> Array:
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place], dtype=np.float64)


def two_sided_p(correlation: float, n: int) -> float:
    """Return the two-sided p-value of a correlation.

    With t = r √((n - 2) / (1 - r²)) and n - 2 degrees of freedom, it is the regularised incomplete beta function
    I(1 - r²; (n - 2)/2, 1/2).
    """
    return _incomplete_beta((n - 2) / 2, 0.5, 1 - correlation**2)


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Evaluate the regularised incomplete beta function by its continued fraction (modified Lentz)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b))
    tiny = 1e-300
    c, d = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    value = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / ((1 + term * d) or tiny)
            c = (1 + term / c) or tiny
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * value / a


def density(values: Array, at: Array) -> Array:
    """Estimate a density with Gaussian kernels and Scott's bandwidth (1.06 σ n^-1/5)."""
    width = max(1.06 * float(values.std(ddof=1)) * len(values) ** -0.2, 1e-9)
    apart = (at[:, None] - values[None, :]) / width
    return np.asarray(np.exp(-0.5 * apart**2).mean(1) / (width * math.sqrt(2 * math.pi)))
