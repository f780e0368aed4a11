"""The few statistics that the paper reports, without another dependency."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from macrof1.sampling import student

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
    """Return the two-sided p-value of a correlation: t = r √((n - 2) / (1 - r²)) with n - 2 degrees of freedom."""
    rest = 1 - correlation**2
    return student.two_sided_p(correlation * math.sqrt((n - 2) / rest), n - 2) if rest > 0 else 0.0


def density(values: Array, at: Array) -> Array:
    """Estimate a density with Gaussian kernels and Scott's bandwidth (1.06 σ n^-1/5)."""
    width = max(1.06 * float(values.std(ddof=1)) * len(values) ** -0.2, 1e-9)
    apart = (at[:, None] - values[None, :]) / width
    return np.asarray(np.exp(-0.5 * apart**2).mean(1) / (width * math.sqrt(2 * math.pi)))
