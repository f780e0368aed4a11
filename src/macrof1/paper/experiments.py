"""The parts of a reproduction: each computes its numbers, draws its figure, and says what became of its claims."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
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
from macrof1.reporting.rendering import records_table
from macrof1.result import Result

Verdict: TypeAlias = Literal["holds", "inside", "outside", "depends", "false"]
VERDICT_WORDS: dict[Verdict, str] = {
    "holds": "true",
    "inside": "inside our range over seeds, as printed",
    "outside": "outside our range over seeds, as printed",
    "depends": "dependent on something that the paper does not give",
    "false": "false as stated",
}


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


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a run: its files by name, its results as plain JSON types, its claims, and what the report shows."""

    files: Mapping[str, bytes]
    summary: dict[str, Any]
    claims: Sequence[Claim] = ()
    shown: Sequence[document.Part] = ()


def csv_bytes(rows: Sequence[Mapping[str, object]]) -> bytes:
    """Return records as CSV, with all digits of floats, so that equal numbers give equal bytes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([repr(value) if isinstance(value, float) else value for value in row.values()] for row in rows)
    return out.getvalue().encode("utf-8")


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
    files = {f"{name}.svg": svg.encode("utf-8"), f"{name}.png": bytes(png), f"{name}.pdf": bytes(pdf)}
    return files, Chart(svg=svg, caption=caption, title=title)


def _tables(_: Settings) -> Part:
    tables, program = table_scores(), program_runs()
    first, second, third, fourth = tables
    better = [first[f"{formula}_decimal"] > second[f"{formula}_decimal"] for formula in FORMULAS]
    same = sum(bool(row["same"]) for row in program)
    claims = [
        Claim(
            "Tables 1 and 2: the formulas rank two classifiers differently",
            "averaged F1 prefers the first, F1 of averages the second",
            f"averaged F1 {first['averaged_f1']} > {second['averaged_f1']}, "
            f"F1 of averages {first['f1_of_averages']} < {second['f1_of_averages']}",
            "holds" if better == [True, False] else "false",
            "exact",
        ),
        Claim(
            "Table 3: a gap close to 0.5",
            "0.504950495049505 and 0.0196078431372549",
            f"{third['f1_of_averages']} and {third['averaged_f1']}, gap {third['gap_decimal']:.4f}",
            "holds" if third["f1_of_averages"] == "51/101" and third["averaged_f1"] == "1/51" else "false",
            "exact",
        ),
        Claim(
            "Table 4: no gap",
            "both 0.0196078431372549",
            f"both {fourth['averaged_f1']}, gap {fourth['gap']}",
            "holds" if fourth["gap"] == "0" else "false",
            "exact: the matrix is symmetric, so that precision equals recall",
        ),
        Claim(
            "The program's two runs",
            f"{len(program)} lines",
            f"{same} of {len(program)} lines the same, character for character",
            "holds" if same == len(program) else "false",
            "exact fractions, rounded once",
        ),
    ]
    exact = "Predictions as rows; both scores as exact fractions."
    lines = [[row["arguments"], row["ours"], "yes" if row["same"] else "no"] for row in program]
    same_lines = "The paper's program on Tables 3 and 4, our lines; equal to the printed ones where marked."
    shown = [
        replace(records_table(tables), title="Tables 1 to 4", caption=exact),
        Table(["arguments", "line", "same"], lines, n_text=3, caption=same_lines),
    ]
    files = {"tables.csv": csv_bytes(tables), "program.csv": csv_bytes(program)}
    return Part(files, {"tables": tables, "program": program}, claims, shown)


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
    found = []
    for key, (name, printed) in _FIGURE_1A.items():
        if not printed:
            continue
        why, span = "gold labels drawn, not fixed", summary[key]
        if key in ("pearson", "spearman"):
            other = summary["stratified"][key]
            why += (
                f": with exactly 950 and 50 gold rows it would be {other['low']:.3f} to {other['high']:.3f}, and the "
                f"paper's figure {'inside' if _inside(printed, other) else 'outside'}; "
                f"p below {summary[key + '_p']['high']:.0e} in every seed"
            )
        ours = f"{span['low']:.4f} to {span['high']:.4f}"
        found.append(Claim(f"Figure 1a: {name}", printed, ours, "inside" if _inside(printed, span) else "outside", why))
    return found


def _fig1a(settings: Settings) -> Part:
    points, seeds, summary = simulation.figure_1a(settings)
    drawn = [(row["averaged_f1"], row["f1_of_averages"]) for row in points]
    chart = scatter_chart(
        drawn,
        x_title="averaged F1",
        y_title="F1 of averages",
        title="A random classifier on 1,000 data sets, classes 95/5",
        # Multiples of 1/20 around all points, the same for both axes.
        low=math.floor(20 * min(map(min, drawn))) / 20,
        high=math.ceil(20 * max(map(max, drawn))) / 20,
    )
    caption = "1,000 data sets of 1,000 rows, gold drawn 95/5, each class predicted with probability 1/2 (first seed)."
    pictures, drawing = _drawn("fig1a", chart, caption, "Figure 1a: a random classifier on two classes, 95/5")
    rows = [
        [name, *(f"{summary[key][end]:.4g}" for end in ("low", "mean", "high"))]
        for key, (name, _) in _FIGURE_1A.items()
    ]
    files = {"fig1a.csv": csv_bytes(points), "fig1a_seeds.csv": csv_bytes(seeds), **pictures}
    table = Table(["statistic", "lowest", "mean", "highest seed"], rows)
    return Part(files, summary, claims_of_figure_1a(summary), [drawing, table])


def _fig1b(settings: Settings) -> Part:
    curves, table = simulation.figure_1b(settings)
    gaps = {row["distribution"]: row["population_gap"] for row in table}
    chart = density_chart(
        {
            name: [(row["gap"], row["density"]) for row in curves if row["distribution"] == name]
            for name in DISTRIBUTIONS
        },
        marks=gaps,
        x_title="gap (F1 of averages minus averaged F1)",
        mark_title="value on endless data",
        title="The gap of a random classifier, 1,000 data sets of 1,000 rows each",
    )
    claim = Claim(
        "Figure 1b: the gap of a random classifier grows with class imbalance",
        "densities for several distributions",
        f"population gap {gaps['2 classes: 70/30']:.4f} at 70/30, {gaps['2 classes: 90/10']:.4f} at 90/10, "
        f"{gaps['2 classes: 99/1']:.4f} at 99/1",
        "depends",
        "the legend of the figure is lost: the distributions are our choice. F1 of averages is 1/n in the population "
        "whatever the distribution",
    )
    caption = (
        "Density of the gap over 1,000 data sets of 1,000 rows. The distributions are our choice: the legend of the "
        "paper's figure is lost."
    )
    pictures, drawing = _drawn("fig1b", chart, caption, "Figure 1b: the gap for other class distributions")
    files = {"fig1b.csv": csv_bytes(curves), "fig1b_table.csv": csv_bytes(table), **pictures}
    return Part(files, {"distributions": table}, [claim], [drawing, records_table(table)])


_MODEL = (
    "Our reading of the experiment: a row gets its correct label with probability x, from chance (1/n) to 1, and one "
    "of the n - 1 others else. "
)


def _fig2(settings: Settings) -> Part:
    model = (
        f"{_MODEL}Gold classes go from equal shares (y = 0) to shares proportional to 1, 2, …, n (y = 1); wrong labels "
        "are equally likely. The paper does not give the path from 0 to 1; the maximum lies at y = 1."
    )
    title = "Figure 2: skewed gold classes, errors spread evenly"
    part = _surface("fig2", settings, "y: skew of the gold classes", title)
    stray = part.summary["13"]["population"]
    claims = [
        *_claims_of_surface("Figure 2", {"4": "2", "13": "2"}, "skewed gold", part.summary),
        Claim(
            "Figure 2: both scores are roughly proportional to x",
            "roughly proportional",
            f"at n = 13 and y = 1 averaged F1 is within {stray['averaged_f1_from_x']:.3f} of x, "
            f"F1 of averages within {stray['f1_of_averages_from_x']:.3f}",
            "holds",
            "population values in closed form; they are close to x itself",
        ),
    ]
    about = Sentences(items=[model], title="Figure 2: skewed gold classes")
    return replace(part, claims=claims, shown=[about, *part.shown])


def _fig3(settings: Settings) -> Part:
    part = _surface("fig3", settings, "y: skew of the errors", "Figure 3: balanced gold classes, skewed errors")
    noise = simulation.noise_floor(settings)
    model = (
        f"{_MODEL}Gold classes have equal shares; wrong labels go from equally likely (y = 0) to likely in proportion "
        "to 1, 2, …, n (y = 1)."
    )
    drawn = [
        f"n = {row['n']}, x = {row['x']}: {row['mean_gap_points']:.3f} drawn, {row['expected_gap_points']:.3f} expected"
        for row in noise
    ]
    claims = [
        *_claims_of_surface("Figure 3", {"4": "0.8", "13": "1.7"}, "balanced gold, skewed errors", part.summary),
        Claim(
            "Figure 3, n = 13: 1.7 percentage points as an effect",
            "1.7",
            f"{part.summary['13']['population']['largest_gap_points']:.2f} in the population",
            "depends",
            "the printed maximum is above the expected one: it contains noise. On balanced data without any effect "
            f"noise alone makes a gap of about n x (1 - x) / (2 N): {'; '.join(drawn)}",
        ),
    ]
    floor = "The noise floor: balanced data, no true gap, 2,000 rows, in points; expected: n x (1 - x) / (2 N)."
    about = Sentences(items=[model], title="Figure 3: balanced gold classes, skewed errors")
    table = replace(records_table(noise), caption=floor)
    files = {**part.files, "noise_floor.csv": csv_bytes(noise)}
    return Part(files, {**part.summary, "noise_floor": noise}, claims, [about, *part.shown, table])


def _surface(figure: Figure, settings: Settings, y_title: str, title: str) -> Part:
    """Return what Figures 2 and 3 have in common: the grids, their heat maps and their maxima."""
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
    chart = heatmap_chart(
        panels,
        x_title="x: probability of a correct label",
        y_title=y_title,
        value_title="gap (percentage points)",
        title=title,
    )
    caption = (
        "Left: one data set of 2,000 rows per point, as in the paper (first seed). Right: the same without noise, in "
        "closed form. One scale of colour for all four."
    )
    largest = (
        "Largest gap in percentage points: in the population, and over single noisy runs on grids of several sizes."
    )
    header = ["classes", "points", "largest gap (mean)", "over seeds", "at"]
    pictures, drawing = _drawn(figure, chart, caption)
    files = {f"{figure}_n{n}.csv": csv_bytes(points[n]) for n in NUMBERS_2_AND_3}
    files |= {f"{figure}_seeds.csv": csv_bytes(maxima), **pictures}
    return Part(files, summary, shown=[drawing, Table(header, rows, n_text=2, caption=largest)])


def _claims_of_surface(figure: str, printed: Mapping[str, str], what: str, summary: Mapping[str, Any]) -> list[Claim]:
    claims = []
    for n, value in printed.items():
        grids, top = summary[n]["grids"], summary[n]["population"]
        inside = [f"{grid} x {grid}" for grid, span in grids.items() if _inside(value, span)]
        without = [f"{grid} x {grid}" for grid, span in grids.items() if not _inside(value, span)]
        listed = ", ".join(f"{s['low']:.2f} to {s['high']:.2f} on {grid} x {grid}" for grid, s in grids.items())
        why = (
            "the paper does not give its grid; the largest of many noisy points grows with their number. "
            f"Inside on {', '.join(inside) or 'none'}" + (f", not on {', '.join(without)}" if without else "")
        )
        claims.append(
            Claim(
                f"{figure}, n = {n}: largest gap in percentage points ({what})",
                value if figure == "Figure 3" else f"up to {value}",
                f"{listed}; population {top['largest_gap_points']:.3f} at x = {top['x']:.3f}, y = {top['y']:.0f}",
                "outside" if not inside else "depends" if without else "inside",
                why,
            )
        )
    return claims


def _theorems(settings: Settings) -> Part:
    sizes = ((1, 9), (2, 4), (3, 2)) if settings.quick else ((1, 9), (2, 4), (2, 8), (3, 2), (4, 1))
    checks = [check_all(n, most) for n, most in sizes]
    matrices = sum(check["matrices"] for check in checks)
    total = {key: sum(int(check[key]) for check in checks) for key in checks[0] if "violations" in key}
    tried = "; ".join(f"n = {n}, cells 0 to {most}" for n, most in sizes)
    every = f"all matrices with {tried}; exact"
    two, three = (next(check for check in checks if check["n"] == n) for n in (2, 3))
    distance = float(gap_supremum(2) - approaching_gap(2, 10**6))

    def counted_for(name: str, paper: str, key: str, more: str = "") -> Claim:
        violations = total[f"{key}_violations"]
        ours = f"{violations} violations in {matrices:,} matrices"
        return Claim(name, paper, ours, "holds" if violations == 0 else "false", every + more)

    claims = [
        counted_for("Theorem 1", "the gap is never negative", "theorem_1"),
        counted_for("Lemma", "the gap is a sum over pairs of classes", "lemma"),
        counted_for(
            "Theorem 3",
            "the supremum is 2 ⌊n/2⌋ ⌈n/2⌉ / n²",
            "theorem_3",
            f"; the sequences come within {distance:.1e} at n = 2; never reached for n > 1",
        ),
        Claim(
            "Theorem 2, as printed",
            "equivalent: the gap is positive; precision and recall differ somewhere; some class has higher precision "
            "and some class higher recall",
            f"{two['theorem_2_violations']} of {two['matrices']:,} matrices with n = 2 and "
            f"{three['theorem_2_violations']:,} of {three['matrices']:,} with n = 3 break it",
            "holds" if total["theorem_2_violations"] == 0 else "false",
            f"smallest: {two['theorem_2_counterexample']}, a constant classifier, has no gap although precision and "
            f"recall differ; {three['theorem_2_positive_gap_one_sided']} has a gap although no class has higher "
            f"precision. True where every class has a true positive ({total['theorem_2_violations_all_tp_positive']} "
            "violations); the next row has the form that is always true",
        ),
        counted_for(
            "Theorem 2, corrected",
            "not in it: the gap is positive exactly when gold / predicted is not the same for all classes with a true "
            "positive",
            "theorem_2_corrected",
        ),
    ]
    printed = [{key: str(value) for key, value in check.items()} for check in checks]
    caption, title = "Violations, in exact arithmetic.", "Lemma and theorems on all small matrices"
    shown = [replace(records_table(checks), caption=caption, title=title)]
    return Part({"theorems.csv": csv_bytes(printed)}, {"checks": checks}, claims, shown)


PARTS: dict[str, Callable[[Settings], Part]] = {
    "tables": _tables,
    "fig1a": _fig1a,
    "fig1b": _fig1b,
    "fig2": _fig2,
    "fig3": _fig3,
    "theorems": _theorems,
}
"""Every part by its name, in the order of the report."""
