"""The parts of a reproduction: each computes its numbers, draws its figure, and returns finished files."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from macrof1.bounding.closed_forms import gap_supremum
from macrof1.counts import ClassCounts
from macrof1.paper.errata import errata
from macrof1.paper.output import Part, csv_bytes
from macrof1.paper.paper_figures import (
    DISTRIBUTIONS,
    NUMBERS_2_AND_3,
    Settings,
    figure_1a,
    figure_1b,
    noise_floor,
    population_counts,
    surfaces,
    worst_population,
)
from macrof1.paper.paper_tables import program_runs, table_scores
from macrof1.paper.simulation import Figure
from macrof1.paper.theorems import check_all, sequences
from macrof1.reporting.charts.look import picture
from macrof1.reporting.charts.paper_charts import density_chart, heatmap_chart, lines_chart, scatter_chart
from macrof1.reporting.charts.result_charts import plane_chart
from macrof1.scoring.score_result import score_counts


def _pictures(name: str, chart: Any) -> dict[str, bytes]:
    import vl_convert

    # The chart is laid out once; the other two formats are converted from the SVG.
    svg = _own_ids(name, picture(chart, "svg").decode("utf-8"))
    return {
        f"{name}.svg": svg.encode("utf-8"),
        f"{name}.png": bytes(vl_convert.svg_to_png(svg, scale=2)),
        f"{name}.pdf": bytes(vl_convert.svg_to_pdf(svg)),
    }


def _own_ids(name: str, svg: str) -> str:
    """Prefix the ids in an SVG with its name: one page holds several, perhaps from different runs.

    The renderer numbers ids across all charts, so the same chart would also differ from run to run.
    """
    numbers: dict[str, int] = {}

    def own(match: re.Match[str]) -> str:
        number = numbers.setdefault(match[2], len(numbers))
        return f"{match[1]}{name}-{number}{match[3]}"

    return re.sub(r'(id="|url\(#)((?:clip|gradient_)\d+)("|\))', own, svg)


def _tables(_: Settings) -> Part:
    tables, program = table_scores(), program_runs()
    files = {"tables.csv": csv_bytes(tables), "program.csv": csv_bytes(program)}
    return Part(files, {"tables": tables, "program": program})


def _fig1a(settings: Settings) -> Part:
    points, seeds, summary = figure_1a(settings)
    drawn = [(row["averaged_f1"], row["f1_of_averages"]) for row in points]
    # Multiples of 1/20 around all points, the same for both axes.
    low = math.floor(20 * min(map(min, drawn))) / 20
    high = math.ceil(20 * max(map(max, drawn))) / 20
    chart = scatter_chart(
        drawn,
        x_title="averaged F1",
        y_title="F1 of averages",
        title="A random classifier on 1,000 data sets, classes 95/5",
        low=low,
        high=high,
    )
    files = {"fig1a.csv": csv_bytes(points), "fig1a_seeds.csv": csv_bytes(seeds), **_pictures("fig1a", chart)}
    return Part(files, summary)


def _fig1b(settings: Settings) -> Part:
    curves, table, summary = figure_1b(settings)
    chart = density_chart(
        {
            name: [(row["gap"], row["density"]) for row in curves if row["distribution"] == name]
            for name in DISTRIBUTIONS
        },
        marks={row["distribution"]: row["population_gap"] for row in table},
        x_title="gap (F1 of averages minus averaged F1)",
        mark_title="value on endless data",
        title="The gap of a random classifier, 1,000 data sets of 1,000 rows each",
    )
    files = {"fig1b.csv": csv_bytes(curves), "fig1b_table.csv": csv_bytes(table), **_pictures("fig1b", chart)}
    return Part(files, summary)


def _heatmap(figure: Figure, y_title: str, title: str) -> Callable[[Settings], Part]:
    def part(settings: Settings) -> Part:
        shown, maxima, summary = surfaces(figure, settings)
        rows = []
        grid = settings.shown_grid
        for n in NUMBERS_2_AND_3:
            x = [row["x"] for row in shown[n][:grid]]
            y = [row["y"] for row in shown[n][::grid]]

            def values(key: str, n: int = n) -> Any:
                return np.array([row[key] for row in shown[n]]).reshape(grid, grid)

            rows.append(
                {
                    f"n = {n}, one data set of 2,000 rows per point": (x, y, values("gap_points")),
                    f"n = {n}, population": (x, y, values("population_gap_points")),
                }
            )
        chart = heatmap_chart(
            rows,
            x_title="x: probability of a correct label",
            y_title=y_title,
            value_title="gap (percentage points)",
            title=title,
        )
        files = {f"{figure}_n{n}.csv": csv_bytes(shown[n]) for n in NUMBERS_2_AND_3}
        files |= {f"{figure}_seeds.csv": csv_bytes(maxima), **_pictures(figure, chart)}
        if figure == "fig3":
            summary["noise_floor"] = noise_floor(settings)
            files["noise_floor.csv"] = csv_bytes(summary["noise_floor"])
        return Part(files, summary)

    return part


def _plane(_: Settings) -> Part:
    worst = worst_population("fig2", 13)
    tp, predicted, actual = population_counts("fig2", 13, worst["x"], worst["y"])
    counts = ClassCounts.of([str(x) for x in range(1, 14)], tp=tp, predicted=predicted, actual=actual)
    result = score_counts(counts)
    chart = plane_chart(result, title="Where Figure 2's gap comes from: the 13 classes at its maximum")
    rows = [record.to_dict() for record in result.per_class]
    return Part({"plane.csv": csv_bytes(rows), **_pictures("plane", chart)}, {"point": worst, "gap": result.gap})


def _theorems(settings: Settings) -> Part:
    sizes = ((1, 9), (2, 4), (3, 2)) if settings.quick else ((1, 9), (2, 4), (2, 8), (3, 2), (4, 1))
    checks = [check_all(n, most) for n, most in sizes]
    steps = sequences((2, 3, 4, 5, 13), range(7))
    drawn = (2, 3, 5)
    chart = lines_chart(
        {f"{n} classes": [(row["rows_moved"], row["gap"]) for row in steps if row["n"] == n] for n in drawn},
        limits={f"{n} classes": float(gap_supremum(n)) for n in drawn},
        x_title="rows that each source class loses",
        y_title="gap",
        title="Theorem 3: the gap approaches its supremum",
    )
    printed = [{key: str(value) for key, value in check.items()} for check in checks]
    files = {"theorems.csv": csv_bytes(printed), "theorem3.csv": csv_bytes(steps), **_pictures("theorem3", chart)}
    return Part(files, {"checks": checks, "sequences": steps})


def _errata(_: Settings) -> Part:
    rows = list(map(asdict, errata()))
    return Part({"errata.csv": csv_bytes(rows)}, {"errata": len(rows)})


PARTS: dict[str, Callable[[Settings], Part]] = {
    "tables": _tables,
    "fig1a": _fig1a,
    "fig1b": _fig1b,
    "fig2": _heatmap("fig2", "y: skew of the gold classes", "Figure 2: skewed gold classes, errors spread evenly"),
    "fig3": _heatmap("fig3", "y: skew of the errors", "Figure 3: balanced gold classes, skewed errors"),
    "plane": _plane,
    "theorems": _theorems,
    "errata": _errata,
}
"""Every part by its name, in the order of the report."""
