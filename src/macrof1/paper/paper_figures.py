"""The numbers behind the paper's figures, re-run over many seeds, and their population values in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.paper.simulation import (
    Figure,
    cells_of_grid,
    density,
    draw_cells,
    pearson,
    population_gap,
    random_classifier,
    scores_of,
    spearman,
    two_sided_p,
)

Array = NDArray[np.float64]

ROWS_1, DATA_SETS_1, SHARES_1A = 1_000, 1_000, (0.95, 0.05)
ROWS_2_AND_3, NUMBERS_2_AND_3 = 2_000, (4, 13)
POPULATION_GRID = 101

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


def _span(values: list[float]) -> dict[str, float]:
    return {"low": min(values), "high": max(values), "mean": float(np.mean(values))}


def figure_1a(settings: Settings) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, Any]]:
    """Score a uniform random classifier on 1,000 data sets of 1,000 rows, 95/5; per data set, per seed, overall."""
    cells = np.broadcast_to(random_classifier(SHARES_1A), (DATA_SETS_1, 2, 2))
    points: list[dict[str, Any]] = []
    seeds: list[dict[str, Any]] = []
    for number in range(settings.seeds):
        found = scores_of(draw_cells(settings.rng(1, number), ROWS_1, cells))
        a, b = found.averaged_f1, found.f1_of_averages
        r, rho = pearson(a, b), spearman(a, b)
        seeds.append(
            {
                "seed": number,
                "rmsd": float(np.sqrt(np.mean((b - a) ** 2))),
                "pearson": r,
                "pearson_p": two_sided_p(r, DATA_SETS_1),
                "spearman": rho,
                "spearman_p": two_sided_p(rho, DATA_SETS_1),
                "max_f1_of_averages": float(b.max()),
                "max_averaged_f1": float(a.max()),
            }
        )
        if number == 0:
            points = [
                {"averaged_f1": x, "f1_of_averages": y, "gap": g}
                for x, y, g in zip(a.tolist(), b.tolist(), found.gap.tolist(), strict=True)
            ]
    summary: dict[str, Any] = {name: _span([row[name] for row in seeds]) for name in seeds[0] if name != "seed"}
    summary["population"] = population_of_random(SHARES_1A)
    summary["stratified"] = _stratified(settings)
    return points, seeds, summary


def _stratified(settings: Settings) -> dict[str, Any]:
    """Return the correlations for class sizes fixed at 950 and 50, which the paper's figure does not match."""
    sizes = [round(share * ROWS_1) for share in SHARES_1A]
    drawn = []
    for number in range(settings.seeds):
        rng = settings.rng(2, number)
        first = np.stack([rng.binomial(size, 0.5, DATA_SETS_1) for size in sizes], axis=-1)
        drawn.append(scores_of(np.stack([first, np.array(sizes) - first], axis=-2)))
    return {
        name: _span([correlation(each.averaged_f1, each.f1_of_averages) for each in drawn])
        for name, correlation in (("pearson", pearson), ("spearman", spearman))
    }


def population_of_random(shares: tuple[float, ...]) -> dict[str, float]:
    """Return the population scores of a uniform random classifier.

    Precision is the class's share and recall is 1/n, so F1 of averages is 1/n for every distribution.
    """
    n = len(shares)
    averaged = sum(2 * share / (1 + n * share) for share in shares) / n
    return {"averaged_f1": averaged, "f1_of_averages": 1 / n, "gap": 1 / n - averaged}


def figure_1b(settings: Settings) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, Any]]:
    """Simulate the gap of a uniform random classifier for several class distributions; density, table, summary."""
    curves: list[dict[str, Any]] = []
    table: list[dict[str, Any]] = []
    at = np.linspace(0, 0.26, 261)
    for place, (name, shares) in enumerate(DISTRIBUTIONS.items()):
        n = len(shares)
        cells = np.broadcast_to(random_classifier(shares), (DATA_SETS_1, n, n))
        gaps = scores_of(draw_cells(settings.rng(3, place), ROWS_1, cells)).gap
        curves += [
            {"distribution": name, "gap": x, "density": y}
            for x, y in zip(at.tolist(), density(gaps, at).tolist(), strict=True)
        ]
        table.append(
            {
                "distribution": name,
                "population_gap": population_of_random(shares)["gap"],
                "mean_gap": float(gaps.mean()),
                "lowest_gap": float(gaps.min()),
                "highest_gap": float(gaps.max()),
            }
        )
    return curves, table, {"distributions": table}


def _axes(n: int, grid: int) -> tuple[Array, Array]:
    """Return the two axes: x from chance, 1/n, to 1; y from 0 to 1."""
    return np.linspace(1 / n, 1, grid), np.linspace(0, 1, grid)


def surfaces(
    figure: Figure, settings: Settings
) -> tuple[dict[int, list[dict[str, Any]]], list[dict[str, Any]], dict[str, Any]]:
    """Compute Figure 2 or 3: the shown grid per number of classes, the maxima per seed and grid, and a summary.

    One data set of 2,000 rows per point, as in the paper, along with the population value of the point.
    """
    shown: dict[int, list[dict[str, Any]]] = {}
    maxima: list[dict[str, Any]] = []
    summary: dict[str, Any] = {}
    part = 4 if figure == "fig2" else 5
    for n in NUMBERS_2_AND_3:
        spans: dict[str, Any] = {}
        for grid in settings.grids:
            across, along = _axes(n, grid)
            x, y = np.meshgrid(across, along)
            cells = cells_of_grid(figure, n, x, y)
            highest = []
            for number in range(settings.seeds):
                found = scores_of(
                    draw_cells(settings.rng(part * 100_000 + n * 1_000 + grid, number), ROWS_2_AND_3, cells)
                )
                highest.append(100 * float(found.gap.max()))
                maxima.append({"n": n, "grid": grid, "seed": number, "largest_gap_points": highest[-1]})
                if number == 0 and grid == settings.shown_grid:
                    columns = {
                        "x": x,
                        "y": y,
                        "averaged_f1": found.averaged_f1,
                        "f1_of_averages": found.f1_of_averages,
                        "gap_points": 100 * found.gap,
                        "population_gap_points": 100 * population_gap(figure, n, x, y),
                    }
                    lists = [column.ravel().tolist() for column in columns.values()]
                    shown[n] = [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]
            spans[str(grid)] = _span(highest)
        summary[str(n)] = {"grids": spans, "population": worst_population(figure, n)}
    return shown, maxima, summary


def worst_population(figure: Figure, n: int) -> dict[str, float]:
    """Return the largest population gap on 101 x 101 points, its location, and how far both scores deviate from x."""
    x, y = np.meshgrid(*_axes(n, POPULATION_GRID))
    gap = population_gap(figure, n, x, y)
    top = np.unravel_index(int(gap.argmax()), gap.shape)
    edge = scores_of(cells_of_grid(figure, n, x[-1], y[-1]))
    return {
        "largest_gap_points": 100 * float(gap.max()),
        "x": float(x[top]),
        "y": float(y[top]),
        "averaged_f1_from_x": float(np.abs(edge.averaged_f1 - x[-1]).max()),
        "f1_of_averages_from_x": float(np.abs(edge.f1_of_averages - x[-1]).max()),
    }


def noise_floor(settings: Settings) -> list[dict[str, Any]]:
    """Measure the gap due to sampling noise on balanced data, with its first-order value n x (1 - x) / (2 N)."""
    rows = []
    data_sets = 1_000 if settings.quick else 4_000
    for place, (n, x) in enumerate(((4, 0.5), (13, 0.3), (13, 0.5))):
        cells = cells_of_grid("fig3", n, np.full(data_sets, x), np.zeros(data_sets))
        gap = scores_of(draw_cells(settings.rng(6, place), ROWS_2_AND_3, cells)).gap
        rows.append(
            {
                "n": n,
                "x": x,
                "mean_gap_points": 100 * float(gap.mean()),
                "expected_gap_points": 100 * n * x * (1 - x) / (2 * ROWS_2_AND_3),
            }
        )
    return rows


def population_counts(figure: Figure, n: int, x: float, y: float) -> tuple[Array, Array, Array]:
    """Return tp, predicted and gold at a point of a figure, as shares of all rows."""
    cells = cells_of_grid(figure, n, np.array(x), np.array(y))
    return cells.diagonal().copy(), cells.sum(1), cells.sum(0)
