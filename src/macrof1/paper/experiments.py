"""The parts of a reproduction: each computes its numbers, draws its figure, and says what became of its claims."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from importlib.resources import files
from typing import Any, Literal, TypeAlias

import numpy as np

from macrof1.bounding.closed_forms import approaching_gap, gap_supremum
from macrof1.convention import FORMULAS
from macrof1.paper import simulation
from macrof1.paper.program import check_all, program_runs, table_scores
from macrof1.paper.simulation import DISTRIBUTIONS, NUMBERS_2_AND_3, Figure, Settings
from macrof1.reporting import document
from macrof1.reporting.charts import density_chart, heatmap_chart, picture, scatter_chart
from macrof1.reporting.document import Chart, Sentences, Table
from macrof1.reporting.rendering import csv_text, records_table
from macrof1.result import Result

Verdict: TypeAlias = Literal["holds", "inside", "outside", "depends", "false"]
VERDICT_WORDS: dict[Verdict, str] = {
    "holds": "true",
    "inside": "inside our range over seeds, as printed",
    "outside": "outside our range over seeds, as printed",
    "depends": "dependent on something that the paper does not give",
    "false": "false as stated",
}
_CLAIMS: dict[str, dict[str, str]]
_CLAIMS = tomllib.loads(files("macrof1.paper").joinpath("claims.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Claim(Result):
    """One row of the table: what is claimed, what the paper says, what we find, and why the two differ if they do."""

    name: str
    paper: str
    ours: str
    verdict: Verdict
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {"claim": self.name, "paper": self.paper, "ours": self.ours, "verdict": self.verdict, "why": self.why}


def _claim(key: str, verdict: Verdict | bool, **found: Any) -> Claim:
    """Fill in a row of the table of claims with what was found; True stands for "holds", False for "false"."""
    words = {column: text.format(**found) for column, text in _CLAIMS[key].items()}
    told: Verdict = verdict if isinstance(verdict, str) else "holds" if verdict else "false"
    return Claim(verdict=told, **words)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a run: its files by name, its results as plain JSON types, its claims, and what the report shows."""

    files: Mapping[str, bytes]
    summary: dict[str, Any]
    claims: Sequence[Claim] = ()
    shown: Sequence[document.Part] = ()


def csv_bytes(rows: Sequence[Mapping[str, object]]) -> bytes:
    """Return records as CSV, with all digits of floats, so that equal numbers give equal bytes."""
    return f"{csv_text(Table(list(rows[0]), [list(map(str, row.values())) for row in rows]))}\n".encode()


def _drawn(name: str, chart: Any, caption: str, title: str = "") -> tuple[dict[str, bytes], Chart]:
    import vl_convert

    # The renderer numbers ids across all charts, so the same chart would differ from run to run, and a page holds
    # several: number them anew, after the chart's name.
    numbers: dict[str, int] = {}

    def own(match: re.Match[str]) -> str:
        return f"{match[1]}{name}-{numbers.setdefault(match[2], len(numbers))}{match[3]}"

    # The chart is laid out once; the other two formats are converted from the SVG.
    svg = re.sub(r'(id="|url\(#)((?:clip|gradient_)\d+)("|\))', own, picture(chart, "svg").decode("utf-8"))
    png, pdf = vl_convert.svg_to_png(svg, scale=2), vl_convert.svg_to_pdf(svg)
    drawn = {f"{name}.svg": svg.encode("utf-8"), f"{name}.png": bytes(png), f"{name}.pdf": bytes(pdf)}
    return drawn, Chart(svg=svg, caption=caption, title=title)


def _tables(_: Settings) -> Part:
    tables, program = table_scores(), program_runs()
    first, second, third, fourth = tables
    better = [first[f"{formula}_decimal"] > second[f"{formula}_decimal"] for formula in FORMULAS]
    same = sum(bool(row["same"]) for row in program)
    claims = [
        _claim("tables_1_and_2", better == [True, False], first=first, second=second),
        _claim("table_3", (third["f1_of_averages"], third["averaged_f1"]) == ("51/101", "1/51"), **third),
        _claim("table_4", fourth["gap"] == "0", **fourth),
        _claim("program", same == len(program), same=same, lines=len(program)),
    ]
    exact = "Predictions as rows; both scores as exact fractions."
    lines = [[row["arguments"], row["ours"], "yes" if row["same"] else "no"] for row in program]
    same_lines = "The paper's program on Tables 3 and 4, our lines; equal to the printed ones where marked."
    shown = [
        replace(records_table(tables), title="Tables 1 to 4", caption=exact),
        Table(["arguments", "line", "same"], lines, n_text=3, caption=same_lines),
    ]
    written = {"tables.csv": csv_bytes(tables), "program.csv": csv_bytes(program)}
    return Part(written, {"tables": tables, "program": program}, claims, shown)


def _inside(printed: str, span: Mapping[str, float]) -> bool:
    """Return whether any value in a range rounds to the printed figure."""
    half = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
    value = Fraction(printed)
    return float(value - half) <= span["high"] and span["low"] <= float(value + half)


# What Figure 1a's statistics are called, and what the paper prints.
_FIGURE_1A = {
    "rmsd": ("root mean square difference", "0.13"),
    "pearson": ("Pearson's correlation", "0.72"),
    "pearson_p": ("its p-value", ""),
    "spearman": ("Spearman's correlation", "0.69"),
    "spearman_p": ("its p-value", ""),
    "max_f1_of_averages": ("largest F1 of averages", "0.56"),
    "max_averaged_f1": ("largest averaged F1", "0.41"),
}


def claims_of_figure_1a(summary: Mapping[str, Any]) -> list[Claim]:
    """Compare the statistics of Figure 1a with their ranges over seeds."""
    claims = []
    for key, (name, printed) in _FIGURE_1A.items():
        if not printed:
            continue
        row, span, more = "figure_1a", summary[key], {}
        if fixed := summary["stratified"].get(key):
            row, where = "figure_1a_correlation", "inside" if _inside(printed, fixed) else "outside"
            more = {"fixed": fixed, "where": where, "p": summary[f"{key}_p"]}
        verdict: Verdict = "inside" if _inside(printed, span) else "outside"
        claims.append(_claim(row, verdict, name=name, printed=printed, span=span, **more))
    return claims


def _fig1a(settings: Settings) -> Part:
    points, seeds, summary = simulation.figure_1a(settings)
    drawn = [(row["averaged_f1"], row["f1_of_averages"]) for row in points]
    title = "Figure 1a: a random classifier on two classes, 95/5"
    caption = "1,000 data sets of 1,000 rows, gold drawn 95/5, each class predicted with probability 1/2 (first seed)."
    pictures, drawing = _drawn("fig1a", scatter_chart(drawn), caption, title)
    rows = [
        [name, *(f"{summary[key][end]:.4g}" for end in ("low", "mean", "high"))]
        for key, (name, _) in _FIGURE_1A.items()
    ]
    written = {"fig1a.csv": csv_bytes(points), "fig1a_seeds.csv": csv_bytes(seeds), **pictures}
    table = Table(["statistic", "lowest", "mean", "highest seed"], rows)
    return Part(written, summary, claims_of_figure_1a(summary), [drawing, table])


def _fig1b(settings: Settings) -> Part:
    curves, table = simulation.figure_1b(settings)
    gaps = {row["distribution"]: row["population_gap"] for row in table}
    drawn: dict[str, list[tuple[float, float]]] = {name: [] for name in DISTRIBUTIONS}
    for row in curves:
        drawn[row["distribution"]].append((row["gap"], row["density"]))
    title = "Figure 1b: the gap for other class distributions"
    caption = (
        "Density of the gap over 1,000 data sets of 1,000 rows. The distributions are our choice: the legend of the "
        "paper's figure is lost."
    )
    pictures, drawing = _drawn("fig1b", density_chart(drawn, gaps), caption, title)
    written = {"fig1b.csv": csv_bytes(curves), "fig1b_table.csv": csv_bytes(table), **pictures}
    claim = _claim("figure_1b", "depends", gaps=gaps)
    return Part(written, {"distributions": table}, [claim], [drawing, records_table(table)])


_MODEL = (
    "Our reading of the experiment: a row gets its correct label with probability x, from chance (1/n) to 1, and one "
    "of the n - 1 others else. "
)
_CAPTION = (
    "Left: one data set of 2,000 rows per point, as in the paper (first seed). Right: the same without noise, in "
    "closed form. One scale of colour for all four."
)
_LARGEST = "Largest gap in percentage points: in the population, and over single noisy runs on grids of several sizes."
# What varies along y, the model, what the paper prints for each number of classes, and what it claims of the figure.
_SURFACES: dict[Figure, tuple[str, str, str, str, dict[str, str], Verdict]] = {
    "fig2": (
        "skewed gold classes, errors spread evenly", "skew of the gold classes",
        "Gold classes go from equal shares (y = 0) to shares proportional to 1, 2, …, n (y = 1); wrong labels are "
        "equally likely. The paper does not give the path from 0 to 1; the maximum lies at y = 1.",
        "skewed gold", {"4": "up to 2", "13": "up to 2"}, "holds",
    ),
    "fig3": (
        "balanced gold classes, skewed errors", "skew of the errors",
        "Gold classes have equal shares; wrong labels go from equally likely (y = 0) to likely in proportion to 1, 2, "
        "…, n (y = 1).",
        "balanced gold, skewed errors", {"4": "0.8", "13": "1.7"}, "depends",
    ),
}  # fmt: skip


def _surface(figure: Figure, settings: Settings) -> Part:
    """Return Figure 2 or 3: the grids, their heat maps and their maxima."""
    words, skew, model, what, printed, verdict = _SURFACES[figure]
    number = figure[-1]
    title = f"Figure {number}: {words}"
    points, maxima, summary = simulation.surfaces(figure, settings)
    grid = settings.shown_grid
    panels, rows = [], []
    for n in NUMBERS_2_AND_3:
        x, y = [row["x"] for row in points[n][:grid]], [row["y"] for row in points[n][::grid]]
        noisy, population = (
            np.array([row[key] for row in points[n]]).reshape(grid, grid)
            for key in ("gap_points", "population_gap_points")
        )
        panels.append(
            {
                f"n = {n}, one data set of 2,000 rows per point": (x, y, noisy),
                f"n = {n}, population": (x, y, population),
            }
        )
        top = summary[str(n)]["population"]
        rows.append([f"n = {n}", "population", f"{top['largest_gap_points']:.3f}", "", f"x = {top['x']:.3f}"])
        for size, span in summary[str(n)]["grids"].items():
            seeds = f"{span['low']:.3f} to {span['high']:.3f}"
            rows.append([f"n = {n}", f"{size} x {size} points", f"{span['mean']:.3f}", seeds, ""])
    pictures, drawing = _drawn(figure, heatmap_chart(panels, title=title, skew=skew), _CAPTION)
    written = {f"{figure}_n{n}.csv": csv_bytes(points[n]) for n in NUMBERS_2_AND_3}
    written |= {f"{figure}_seeds.csv": csv_bytes(maxima), **pictures}
    header = ["classes", "points", "largest gap (mean)", "over seeds", "at"]
    about, table = Sentences(items=[_MODEL + model], title=title), Table(header, rows, n_text=2, caption=_LARGEST)
    claims = _claims_of_surface(f"Figure {number}", printed, what, summary)
    claims.append(_claim(f"figure_{number}", verdict, **summary["13"]["population"]))
    return Part(written, summary, claims, [about, drawing, table])


def _claims_of_surface(figure: str, printed: Mapping[str, str], what: str, summary: Mapping[str, Any]) -> list[Claim]:
    claims = []
    for n, text in printed.items():
        grids, value = summary[n]["grids"], text.removeprefix("up to ")
        inside = [f"{grid} x {grid}" for grid, span in grids.items() if _inside(value, span)]
        without = [f"{grid} x {grid}" for grid, span in grids.items() if not _inside(value, span)]
        words = {
            "printed": text,
            "listed": ", ".join(f"{s['low']:.2f} to {s['high']:.2f} on {grid} x {grid}" for grid, s in grids.items()),
            "inside": ", ".join(inside) or "none",
            "without": f", not on {', '.join(without)}" if without else "",
        }
        verdict: Verdict = "outside" if not inside else "depends" if without else "inside"
        top = summary[n]["population"]
        claims.append(_claim("largest_gap", verdict, figure=figure, n=n, what=what, top=top, **words))
    return claims


def _theorems(settings: Settings) -> Part:
    sizes = ((1, 9), (2, 4), (3, 2)) if settings.quick else ((1, 9), (2, 4), (2, 8), (3, 2), (4, 1))
    checks = [check_all(n, most) for n, most in sizes]
    total = {key: sum(int(check[key]) for check in checks) for key in checks[0] if "violations" in key}
    tried = "; ".join(f"n = {n}, cells 0 to {most}" for n, most in sizes)
    two, three = (next(check for check in checks if check["n"] == n) for n in (2, 3))
    found = {
        "matrices": sum(check["matrices"] for check in checks),
        "every": f"all matrices with {tried}; exact",
        "distance": float(gap_supremum(2) - approaching_gap(2, 10**6)),
        "two": two,
        "three": three,
        "with_tp": total["theorem_2_violations_all_tp_positive"],
    }
    claims = []
    for key in ("theorem_1", "lemma", "theorem_3", "theorem_2", "theorem_2_corrected"):
        violations = total[f"{key}_violations"]
        claims.append(_claim(key, violations == 0, violations=violations, **found))
    printed = [{key: str(value) for key, value in check.items()} for check in checks]
    caption, title = "Violations, in exact arithmetic.", "Lemma and theorems on all small matrices"
    shown = [replace(records_table(checks), caption=caption, title=title)]
    return Part({"theorems.csv": csv_bytes(printed)}, {"checks": checks}, claims, shown)


PARTS: dict[str, Callable[[Settings], Part]] = {
    "tables": _tables,
    "fig1a": _fig1a,
    "fig1b": _fig1b,
    "fig2": partial(_surface, "fig2"),
    "fig3": partial(_surface, "fig3"),
    "theorems": _theorems,
}
"""Every part by its name, in the order of the report."""
