"""Draw the charts for the documentation with the library itself: ``python scripts/make_charts.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

import macrof1
from macrof1.convention import FORMULA_NAMES
from macrof1.reporting.charts import COLOURS, PALETTE, axis_chart, formulas_chart, picture, plane_chart, slope_chart
from macrof1.scoring.system_scores import MEASURE_NAMES, score_conventions

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
OTHER = ("weighted F1", PALETTE[2])
IMAGES = ROOT / "docs" / "images"


def conventions_chart(result: Any) -> dict[str, Any]:
    """Draw what every system would print for the same predictions."""
    rows = [
        {"system": score.known.name, "macro F1": score.value, "formula": MEASURE_NAMES[score.known.formula]}
        for score in result.scores
        if score.value is not None
    ]
    colours = {"domain": list(FORMULA_NAMES.values()), "range": [COLOURS[formula] for formula in FORMULA_NAMES]}
    colours = {name: [*values, other] for (name, values), other in zip(colours.items(), OTHER, strict=True)}
    return {
        "data": {"values": rows},
        "mark": {"type": "point", "filled": True, "size": 70},
        "encoding": {
            "x": {"field": "macro F1", "type": "quantitative", "scale": {"domain": [0, 1]}},
            "y": {"field": "system", "type": "nominal", "sort": {"field": "macro F1", "order": "descending"}},
            "color": {"field": "formula", "type": "nominal", "scale": colours},
            "shape": {"field": "formula", "type": "nominal", "scale": {"domain": colours["domain"]}},
        },
        "width": 420,
    }


def seeds_chart(result: Any) -> dict[str, Any]:
    """Draw the score of every run, and the interval of the mean."""
    runs, means = [], []
    for system in result.systems:
        low, high = system.averaged_f1_interval
        means.append({"system": system.name, "averaged F1": system.averaged_f1, "low": low, "high": high})
        runs += [{"system": system.name, "averaged F1": score} for score in system.runs["averaged_f1"].scores]
    x = {"type": "quantitative", "scale": {"zero": False}, "title": "averaged F1"}
    y = {"field": "system", "type": "nominal", "sort": None, "title": None}
    return {
        "width": 420,
        "height": 120,
        "layer": [
            {
                "data": {"values": means},
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y},
            },
            {
                "data": {"values": means},
                "mark": {"type": "tick", "thickness": 3, "size": 18},
                "encoding": {"x": {**x, "field": "averaged F1"}, "y": y},
            },
            {
                "data": {"values": runs},
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 0.8},
                "encoding": {"x": {**x, "field": "averaged F1"}, "y": y},
            },
        ],
    }


def units_chart(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Draw both formulas for the same predictions, with means over classes and over queries."""
    values = []
    for over, many in (("classes", "images"), ("rows", "queries")):
        for name in ("nearest", "close"):
            result = macrof1.score([set(row["gold"]) for row in rows], [set(row[name]) for row in rows], over=over)
            for formula, words in FORMULA_NAMES.items():
                where = f"{name}, mean over {result.n_classes} {many}"
                values.append({"mean": where, "macro F1": getattr(result, formula), "formula": words})
    colours = {"domain": list(FORMULA_NAMES.values()), "range": [COLOURS[formula] for formula in FORMULA_NAMES]}
    return {
        "data": {"values": values},
        "mark": {"type": "point", "filled": True, "size": 90},
        "encoding": {
            "x": {"field": "macro F1", "type": "quantitative", "scale": {"zero": False}},
            "y": {"field": "mean", "type": "nominal", "sort": None, "title": None},
            "color": {"field": "formula", "type": "nominal", "scale": colours},
            "shape": {"field": "formula", "type": "nominal", "scale": {"domain": colours["domain"]}},
        },
        "width": 420,
    }


def main() -> None:
    """Write every chart to docs/images."""
    fosil = macrof1.score_file(EXAMPLES / "germeval2018" / "fosil_coarse_1.csv")
    reviews = pl.read_csv(EXAMPLES / "tutorials" / "reviews.csv")
    small = macrof1.score(reviews["gold"], reviews["small"])
    counts, seeds = EXAMPLES / "germeval2018" / "counts.csv", EXAMPLES / "tutorials" / "seeds.csv"
    runs = macrof1.compare_file(counts, by="run", count="count", n_resamples=100)
    board = macrof1.audit_table(EXAMPLES / "germeval2018" / "leaderboard.csv")
    answers = pl.read_ndjson(EXAMPLES / "tutorials" / "answers.jsonl")
    systems = score_conventions(macrof1.count(answers["expected"], answers["output"]))
    charts = {
        "axis": {**axis_chart(fosil), "width": 310},  # legible on a phone; site.css enlarges it
        "plane": plane_chart(fosil),
        "reviews": plane_chart(small),
        "ranks": slope_chart(runs),
        "seeds": seeds_chart(macrof1.compare_file(seeds, systems="system", runs="seed", id="row")),
        "leaderboard": formulas_chart(board.rows),
        "conventions": conventions_chart(systems),
        "units": units_chart(pl.read_ndjson(EXAMPLES / "units" / "digits.jsonl").to_dicts()),
    }
    for name, chart in charts.items():
        (IMAGES / f"{name}.svg").write_bytes(picture(chart, "svg"))
        print(f"docs/images/{name}.svg")


if __name__ == "__main__":
    main()
