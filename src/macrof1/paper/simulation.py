"""The paper's experiments as draws of cell counts, for all rows of many data sets at once, and its statistics.

N independent draws of a (predicted, gold) cell are one multinomial draw of the cells. The gold labels are random too,
as in the paper's Figure 1: with fixed class sizes the correlations there would be higher.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.sampling import student
from macrof1.sampling.delta import over

Array: TypeAlias = NDArray[np.float64]
Figure: TypeAlias = Literal["fig2", "fig3"]


@dataclass(frozen=True, slots=True)
class Scores:
    """Both macro F1s and the gap of many data sets."""

    averaged_f1: Array
    f1_of_averages: Array
    gap: Array


def scores_of_margins(tp: Array, predicted: Array, actual: Array) -> Scores:
    """Compute scores from true positives, predicted and gold; classes are the last axis.

    An undefined ratio is 0, as the paper says.
    """
    precision, recall = over(tp, predicted), over(tp, actual)
    n = tp.shape[-1]
    averaged = over(2 * tp, predicted + actual).mean(-1)
    total_p, total_r = precision.sum(-1), recall.sum(-1)
    of_averages = over(2 * total_p * total_r, total_p + total_r) / n
    weight = precision + recall
    leaning = over(precision, weight)
    centre = over((weight * leaning).sum(-1), weight.sum(-1))
    gap = 2 * (weight * (leaning - centre[..., None]) ** 2).sum(-1) / n
    return Scores(averaged, of_averages, gap)


def scores_of(cells: NDArray[np.int64] | Array) -> Scores:
    """Score confusion matrices with predictions as rows, in the last two axes.

    Examples
    --------
    >>> found = scores_of(np.array([[100, 10_000], [0, 100]]))
    >>> round(float(found.averaged_f1), 6), round(float(found.f1_of_averages), 6)
    (0.019608, 0.50495)
    """
    table = np.asarray(cells, dtype=np.float64)
    tp = np.einsum("...ii->...i", table)
    return scores_of_margins(tp.copy(), table.sum(-1), table.sum(-2))


def random_classifier(shares: Sequence[float]) -> Array:
    """Return cell probabilities, predictions as rows, of a classifier that ignores its input.

    Each class is predicted with probability 1/n, whatever the gold label.
    """
    n = len(shares)
    return np.repeat(np.asarray(shares, dtype=np.float64)[None, :] / n, n, axis=0)


def skewed(n: int, y: Array) -> Array:
    """Return class shares between equal (y = 0) and proportional to 1, 2, …, n (y = 1), along a new last axis."""
    along = np.asarray(y, dtype=np.float64)[..., None]
    return np.asarray((1 - along) / n + along * np.arange(1, n + 1) / (n * (n + 1) / 2))


def cells_of_grid(figure: Figure, n: int, x: Array, y: Array) -> Array:
    """Return cell probabilities, predictions as rows, at points of Figure 2 or 3, as we understand the paper.

    x is the probability that a row is labelled correctly; a wrong label is one of the n - 1 others.
    Figure 2: gold shares `skewed(n, y)`, wrong labels equally likely.
    Figure 3: gold shares equal, wrong labels likely in proportion to `skewed(n, y)`.
    """
    shares = skewed(n, y)
    equal = np.full_like(shares, 1 / n)
    gold, taste = (shares, equal) if figure == "fig2" else (equal, shares)
    diagonal = np.eye(n)
    wrong = taste[..., :, None] * (1 - diagonal)
    wrong = wrong / wrong.sum(-2, keepdims=True)
    right = np.asarray(x, dtype=np.float64)[..., None, None]
    return np.asarray((right * diagonal + (1 - right) * wrong) * gold[..., None, :])


def population_gap(figure: Figure, n: int, x: Array, y: Array) -> Array:
    """Return the population gap, without sampling noise, in closed form.

    Figure 2: tp = x g, predicted = x g + (1 - x)(1 - g)/(n - 1), with g the gold shares.
    Figure 3: tp = x/n, predicted = x/n + (1 - x) w_i Σ_{j≠i} 1/(1 - w_j) / n, with w the skewed shares.
    """
    across = np.asarray(x, dtype=np.float64)[..., None]
    shares = skewed(n, y)
    if figure == "fig2":
        gold = shares
        predicted = across * gold + (1 - across) * (1 - gold) / (n - 1)
    else:
        gold = np.full_like(shares, 1 / n)
        chance = 1 / (1 - shares)
        predicted = across / n + (1 - across) * shares * (chance.sum(-1, keepdims=True) - chance) / n
    return scores_of_margins(*np.broadcast_arrays(across * gold, predicted, gold)).gap


def draw_cells(rng: np.random.Generator, rows: int, probabilities: Array) -> NDArray[np.int64]:
    """Draw the cells of one data set with this many rows for each table of probabilities."""
    shape = probabilities.shape
    flat = probabilities.reshape(*shape[:-2], -1)
    return rng.multinomial(rows, flat / flat.sum(-1, keepdims=True)).reshape(shape)


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
