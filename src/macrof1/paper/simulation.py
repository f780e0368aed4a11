"""The numbers behind the paper's figures, drawn again over many seeds, and without noise.

N independent draws of a (predicted, gold) cell are one multinomial draw of the cells, so all rows of many data sets are
drawn at once. The gold labels are random too, as in the paper's Figure 1: with fixed class sizes the correlations there
would be higher.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.sampling.standard_errors import MacroScores, macro_scores
from macrof1.sampling.student import two_sided_p as student_p

Array: TypeAlias = NDArray[np.float64]
Figure: TypeAlias = Literal["fig2", "fig3"]
Records: TypeAlias = list[dict[str, Any]]

_ROWS_1, _DATA_SETS_1, _SHARES_1A = 1_000, 1_000, (0.95, 0.05)
_ROWS_2_AND_3, NUMBERS_2_AND_3 = 2_000, (4, 13)
_POPULATION_GRID = 101

DISTRIBUTIONS: dict[str, tuple[float, ...]] = {
    "2 classes: 70/30": (0.7, 0.3),
    "2 classes: 90/10": (0.9, 0.1),
    "2 classes: 95/5": (0.95, 0.05),
    "2 classes: 99/1": (0.99, 0.01),
    "3 classes: 80/10/10": (0.8, 0.1, 0.1),
    "4 classes: 40/30/20/10": (0.4, 0.3, 0.2, 0.1),
    "4 classes: 85/5/5/5": (0.85, 0.05, 0.05, 0.05),
    "5 classes: halving": (16 / 31, 8 / 31, 4 / 31, 2 / 31, 1 / 31),
    "10 classes: 55, then 5 each": (0.55, *[0.05] * 9),
}
"""Our choice for Figure 1b: the legend of the paper's figure is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings that determine every number of a run."""

    seed: int = 0
    seeds: int = 20
    quick: bool = False

    def rng(self, part: int, number: int) -> np.random.Generator:
        """Return the generator for one seed of one part, so that parts do not affect each other."""
        return np.random.default_rng([self.seed, part, number])

    @property
    def grids(self) -> tuple[int, ...]:
        """Points per axis of Figures 2 and 3: the paper does not give them."""
        return (10, 20) if self.quick else (10, 20, 50, 100)

    @property
    def shown_grid(self) -> int:
        """Points per axis of the picture."""
        return 20 if self.quick else 50


def scores_of(cells: NDArray[np.int64] | Array) -> MacroScores:
    """Score many confusion matrices with predictions as rows, in the last two axes; an undefined ratio is 0."""
    margins = (np.einsum("...ii->...i", cells), cells.sum(-1), cells.sum(-2))
    return macro_scores(*(side.swapaxes(-1, -2) for side in margins))


def draw_cells(rng: np.random.Generator, rows: int, probabilities: Array) -> NDArray[np.int64]:
    """Draw the cells of one data set with this many rows for each table of probabilities."""
    shape = probabilities.shape
    flat = probabilities.reshape(*shape[:-2], -1)
    return rng.multinomial(rows, flat / flat.sum(-1, keepdims=True)).reshape(shape)


def random_classifier(shares: Sequence[float]) -> Array:
    """Return cell probabilities, predictions as rows, of a classifier that predicts each class with probability 1/n."""
    n = len(shares)
    return np.repeat(np.asarray(shares, dtype=np.float64)[None, :] / n, n, axis=0)


def _drawn_at_random(rng: np.random.Generator, shares: Sequence[float]) -> MacroScores:
    n = len(shares)
    cells = np.broadcast_to(random_classifier(shares), (_DATA_SETS_1, n, n))
    return scores_of(draw_cells(rng, _ROWS_1, cells))


def population_of_random(shares: Sequence[float]) -> dict[str, float]:
    """Return the population scores of a uniform random classifier: F1 of averages is 1/n for every distribution."""
    found = scores_of(random_classifier(shares)[None])
    return {name: float(getattr(found, name)[0]) for name in ("averaged_f1", "f1_of_averages", "gap")}


def _records(**columns: Any) -> Records:
    lists = [np.ravel(column).tolist() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


def _span(values: list[float]) -> dict[str, float]:
    return {"low": min(values), "high": max(values), "mean": float(np.mean(values))}


def figure_1a(settings: Settings) -> tuple[Records, Records, dict[str, Any]]:
    """Score a uniform random classifier on 1,000 data sets of 1,000 rows, 95/5; per data set, per seed, overall."""
    drawn = [_drawn_at_random(settings.rng(1, number), _SHARES_1A) for number in range(settings.seeds)]
    seeds = []
    for number, found in enumerate(drawn):
        a, b = found.averaged_f1, found.f1_of_averages
        r, rho = pearson(a, b), spearman(a, b)
        seeds.append(
            {
                "seed": number,
                "rmsd": float(np.sqrt(np.mean((b - a) ** 2))),
                "pearson": r,
                "pearson_p": two_sided_p(r, _DATA_SETS_1),
                "spearman": rho,
                "spearman_p": two_sided_p(rho, _DATA_SETS_1),
                "max_f1_of_averages": float(b.max()),
                "max_averaged_f1": float(a.max()),
            }
        )
    summary: dict[str, Any] = {name: _span([row[name] for row in seeds]) for name in seeds[0] if name != "seed"}
    summary["population"] = population_of_random(_SHARES_1A)
    # With class sizes fixed at 950 and 50, the paper's figure is not matched.
    sizes, fixed = np.array([round(share * _ROWS_1) for share in _SHARES_1A]), []
    for number in range(settings.seeds):
        rng = settings.rng(2, number)
        first = np.stack([rng.binomial(size, 0.5, _DATA_SETS_1) for size in sizes], axis=-1)
        fixed.append(scores_of(np.stack([first, sizes - first], axis=-2)))
    summary["stratified"] = {
        name: _span([correlation(each.averaged_f1, each.f1_of_averages) for each in fixed])
        for name, correlation in (("pearson", pearson), ("spearman", spearman))
    }
    shown = drawn[0]
    points = _records(averaged_f1=shown.averaged_f1, f1_of_averages=shown.f1_of_averages, gap=shown.gap)
    return points, seeds, summary


def figure_1b(settings: Settings) -> tuple[Records, Records]:
    """Simulate the gap of a uniform random classifier for several class distributions; return densities and a table."""
    curves: Records = []
    table: Records = []
    at = np.linspace(0, 0.26, 261)
    for place, (name, shares) in enumerate(DISTRIBUTIONS.items()):
        gaps = _drawn_at_random(settings.rng(3, place), shares).gap
        curves += _records(distribution=[name] * len(at), gap=at, density=density(gaps, at))
        table.append(
            {
                "distribution": name,
                "population_gap": population_of_random(shares)["gap"],
                "mean_gap": float(gaps.mean()),
                "lowest_gap": float(gaps.min()),
                "highest_gap": float(gaps.max()),
            }
        )
    return curves, table


def skewed(n: int, y: Array) -> Array:
    """Return class shares between equal (y = 0) and proportional to 1, 2, …, n (y = 1), along a new last axis."""
    along = np.asarray(y, dtype=np.float64)[..., None]
    return np.asarray((1 - along) / n + along * np.arange(1, n + 1) / (n * (n + 1) / 2))


def cells_of_grid(figure: Figure, n: int, x: Array, y: Array) -> Array:
    """Return cell probabilities, predictions as rows, at points of Figure 2 or 3, as the report describes them."""
    shares = skewed(n, y)
    equal = np.full_like(shares, 1 / n)
    # Figure 2: skewed gold, wrong labels equally likely; Figure 3: equal gold, skewed wrong labels.
    gold, taste = (shares, equal) if figure == "fig2" else (equal, shares)
    diagonal = np.eye(n)
    wrong = taste[..., :, None] * (1 - diagonal)
    wrong = wrong / wrong.sum(-2, keepdims=True)
    right = np.asarray(x, dtype=np.float64)[..., None, None]
    return np.asarray((right * diagonal + (1 - right) * wrong) * gold[..., None, :])


def _grid(n: int, points: int) -> list[Array]:
    """Return the points of a figure: x from chance, 1/n, to 1; y from 0 to 1."""
    return [*np.meshgrid(np.linspace(1 / n, 1, points), np.linspace(0, 1, points))]


def surfaces(figure: Figure, settings: Settings) -> tuple[dict[int, Records], Records, dict[str, Any]]:
    """Compute Figure 2 or 3: the shown grid per number of classes, the maxima per seed and grid, and a summary."""
    shown: dict[int, Records] = {}
    maxima: Records = []
    summary: dict[str, Any] = {}
    part = 4 if figure == "fig2" else 5
    for n in NUMBERS_2_AND_3:
        spans: dict[str, Any] = {}
        for grid in settings.grids:
            x, y = _grid(n, grid)
            cells = cells_of_grid(figure, n, x, y)
            highest = []
            for number in range(settings.seeds):
                rng = settings.rng(part * 100_000 + n * 1_000 + grid, number)
                found = scores_of(draw_cells(rng, _ROWS_2_AND_3, cells))
                highest.append(100 * float(found.gap.max()))
                maxima.append({"n": n, "grid": grid, "seed": number, "largest_gap_points": highest[-1]})
                if number == 0 and grid == settings.shown_grid:
                    shown[n] = _records(
                        x=x,
                        y=y,
                        averaged_f1=found.averaged_f1,
                        f1_of_averages=found.f1_of_averages,
                        gap_points=100 * found.gap,
                        population_gap_points=100 * scores_of(cells).gap,
                    )
            spans[str(grid)] = _span(highest)
        summary[str(n)] = {"grids": spans, "population": worst_population(figure, n)}
    return shown, maxima, summary


def worst_population(figure: Figure, n: int) -> dict[str, float]:
    """Return the largest population gap on 101 x 101 points, its location, and how far both scores deviate from x."""
    x, y = _grid(n, _POPULATION_GRID)
    found = scores_of(cells_of_grid(figure, n, x, y))
    top = np.unravel_index(int(found.gap.argmax()), found.gap.shape)
    return {
        "largest_gap_points": 100 * float(found.gap.max()),
        "x": float(x[top]),
        "y": float(y[top]),
        "averaged_f1_from_x": float(np.abs(found.averaged_f1[-1] - x[-1]).max()),
        "f1_of_averages_from_x": float(np.abs(found.f1_of_averages[-1] - x[-1]).max()),
    }


def pearson(x: Array, y: Array) -> float:
    """Return Pearson's correlation."""
    return float(np.corrcoef(x, y)[0, 1])


def spearman(x: Array, y: Array) -> float:
    """Return Spearman's correlation: Pearson's correlation of the ranks, with average ranks for ties."""
    return pearson(_ranks(x), _ranks(y))


def _ranks(values: Array) -> Array:
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[place], dtype=np.float64)


def two_sided_p(correlation: float, n: int) -> float:
    """Return the two-sided p-value of a correlation: t = r √((n - 2) / (1 - r²)) with n - 2 degrees of freedom."""
    rest = 1 - correlation**2
    return student_p(correlation * math.sqrt((n - 2) / rest), n - 2) if rest > 0 else 0.0


def density(values: Array, at: Array) -> Array:
    """Estimate a density with Gaussian kernels and Scott's bandwidth (1.06 σ n^-1/5)."""
    width = max(1.06 * float(values.std(ddof=1)) * len(values) ** -0.2, 1e-9)
    apart = (at[:, None] - values[None, :]) / width
    return np.asarray(np.exp(-0.5 * apart**2).mean(1) / (width * math.sqrt(2 * math.pi)))
