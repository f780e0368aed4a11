"""Charts: the style that all share, the ways to save one, those of results, and those of the paper.

A chart is a Vega-Lite specification: a plain dictionary. The same specification serves papers, web pages and notebooks.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from macrof1.bounding.closed_forms import harmonic_mean, lowest_averaged_f1
from macrof1.convention import FORMULA_NAMES
from macrof1.errors import MissingExtraError
from macrof1.labels import label_text
from macrof1.reporting.as_text import printable
from macrof1.reporting.document import Chart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from macrof1.auditing.audited_tables import AuditRow
    from macrof1.comparing.compared import CompareResult
    from macrof1.scoring.score_result import ScoreResult

_THEME = json.loads(files("macrof1.reporting").joinpath("theme.json").read_text(encoding="utf-8"))
COLOURS: dict[str, str] = _THEME["colours"]
CONFIG: dict[str, Any] = _THEME["config"]
# Okabe and Ito's: distinguishable with any colour vision, and in greyscale.
PALETTE: list[str] = CONFIG["range"]["category"]

# CSS rules for dark pages: light strokes on a transparent background.
DARK_RULES = (
    'svg.marks > rect[fill="white"] { fill: none; } '
    + " ".join(
        f'svg.marks [{part}="{light}"] {{ {part}: {dark}; }}'
        for light, dark in _THEME["on_dark"].items()
        for part in ("fill", "stroke")
    )
    + ' svg.marks [stroke="white"] { stroke: #182133; }'
)


def following(svg: str) -> str:
    """Return a drawing that follows the page's dark mode."""
    style = f"<style>@media screen and (prefers-color-scheme: dark) {{ {DARK_RULES} }}</style>"
    return re.sub(r"^<svg[^>]*>", rf"\g<0>{style}", inline(svg))


def inline(svg: str) -> str:
    """Return a drawing without the XML prologue of a separate file."""
    return re.sub(r"^<\?xml[^>]*>\s*", "", svg)


def quantitative(field: str, **more: Any) -> dict[str, Any]:
    """Encode numbers."""
    return {"field": field, "type": "quantitative", **more}


def layer(values: Sequence[Mapping[str, Any]], mark: dict[str, Any], **encoding: Any) -> dict[str, Any]:
    """Return one layer of a chart: data, how each row is drawn, and what its fields mean."""
    return {"data": {"values": list(values)}, "mark": mark, "encoding": encoding}


def explained(title: str, subtitle: str | list[str]) -> dict[str, Any]:
    """Return a title with small print below it."""
    return {"text": title, "subtitle": subtitle, "subtitleFontSize": 12, "subtitleColor": COLOURS["neutral"]}


def altair() -> Any:
    """Return Altair, or say how to install it."""
    try:
        import altair as alt
        import vl_convert  # noqa: F401  # needed to save pictures: fail before the work, not after
    except ImportError:
        package = "Altair and vl-convert"
        raise MissingExtraError.needed(package=package, extra="charts", purpose="drawing charts") from None
    return alt


def specification(chart: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chart with the common style."""
    return {**chart, "config": CONFIG}


def picture(chart: Any, kind: str) -> bytes:
    """Draw a chart as PNG, SVG or PDF."""
    altair()
    import vl_convert

    options = {"scale": 2} if kind == "png" else {}
    drawn = getattr(vl_convert, f"vegalite_to_{kind}")(specification(chart), **options)
    return drawn.encode("utf-8") if kind == "svg" else bytes(drawn)


def drawn(chart: Chart) -> dict[str, Any]:
    """Return the specification of a chart in a document."""
    found: dict[str, Any] = globals()[chart.kind](chart.of)
    return found


_LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_MOST_NAMES = 25
_LEANING = {"over-precise": "over-precise", "over-recalled": "over-recalled", "no share": "neutral"}
_MOVES = ("better under averaged F1", "better under F1 of averages", "same rank")
_FORMULAS = list(FORMULA_NAMES.values())
_FORMULA_COLOURS = [COLOURS[formula] for formula in FORMULA_NAMES]


def nominal(field: str, values: Sequence[str], looks: Sequence[str], **more: Any) -> dict[str, Any]:
    """Encode names, each by a colour or a shape."""
    scale = {"domain": list(values), "range": list(looks)}
    return {"field": field, "type": "nominal", "title": None, "scale": scale, **more}


def axis_chart(result: ScoreResult) -> dict[str, Any]:
    """Draw both macro F1s from 0 to 1; grey is the range that macro precision and recall allow for averaged F1."""
    precision, recall = result.macro_precision, result.macro_recall
    axis = {"grid": False, "tickCount": 11, "format": ".1f"}
    x = quantitative("value", title=None, scale={"domain": [0, 1]}, axis=axis)
    ends = {"x": {**x, "field": "low"}, "x2": {"field": "high"}}
    points = [{"value": getattr(result, formula), "name": name} for formula, name in FORMULA_NAMES.items()]
    shaded = []
    if result.beta == 1 and result.undefined in (0, 1):  # the range is only known for F1 over all classes
        low = lowest_averaged_f1(precision, recall, result.n_classes)
        shaded = [{"low": low, "high": harmonic_mean(precision, recall)}]
    gap = {"low": result.averaged_f1, "high": result.f1_of_averages}
    colour = nominal("name", _FORMULAS, _FORMULA_COLOURS, legend={"orient": "top"})
    shape = nominal("name", _FORMULAS, ["circle", "diamond"])
    return {
        "width": 620,
        "height": 46,
        "layer": [
            layer(shaded, {"type": "bar", "color": "#d1d5db", "height": 26}, **ends),
            layer([gap], {"type": "rule", "strokeWidth": 6, "color": COLOURS["gap"]}, **ends),
            layer(points, {"type": "point", "filled": True, "size": 190, "opacity": 1}, x=x, color=colour, shape=shape),
        ],
    }


def plane_chart(result: ScoreResult) -> dict[str, Any]:
    """Draw the classes of a result; the area of a point is the class's share of the gap."""
    points = []
    centre = result.macro_precision / ((result.macro_precision + result.macro_recall) or 1.0)
    for record in result.per_class:
        total = record.precision + record.recall
        lean = record.precision / total - centre if total else 0.0
        kind = "no share" if not record.gap_share else "over-precise" if lean > 0 else "over-recalled"
        point = {"p": record.precision, "r": record.recall, "share": 100 * record.gap_share, "kind": kind}
        points.append({**point, "name": printable(label_text(record.label))})
    kinds = [kind for kind in _LEANING if any(point["kind"] == kind for point in points)]
    size = quantitative(
        "share",
        title=["share of the gap", "(percentage points)"],
        scale={"range": [30, 700], "zero": True},
        legend={"offset": 64, "format": ".2~f", "symbolFillColor": COLOURS["neutral"], "tickCount": 3},
    )
    looks = [COLOURS[_LEANING[kind]] for kind in kinds]
    colour = nominal("kind", kinds, looks, title="class is", legend={"offset": 64})
    # At the right edge, where precision is 1, recall is f / (2 - f).
    levels = [{"p": 1, "r": f / (2 - f), "f": f"F1 {f}"} for f in _LEVELS]
    # Names of neighbours alternate above and below to avoid overlap; too many names are left out.
    in_turn = [] if len(points) > _MOST_NAMES else sorted(points, key=lambda point: (point["p"], point["r"]))
    unit = {"scale": {"domain": [0, 1]}, "axis": {"labelFlush": False, "tickCount": 6}}
    both = {"x": quantitative("p", title="precision", **unit), "y": quantitative("r", title="recall", **unit)}
    line = {"type": "line", "color": "#9ca3af", "strokeWidth": 1, "clip": True}
    level = {"type": "text", "align": "left", "dx": 6, "fontSize": 11, "color": COLOURS["neutral"]}
    dot = {"type": "circle", "opacity": 0.75, "stroke": "white", "strokeWidth": 0.8}
    name = {"type": "text", "fontSize": 11, "fontWeight": 600}
    cross = {"type": "point", "shape": "cross", "size": 220, "filled": False, "strokeWidth": 1.6, "color": "black"}
    scores = f"averaged F1 {result.averaged_f1:.4f}, F1 of averages {result.f1_of_averages:.4f}"
    told = [f"{scores}, gap {100 * result.gap:.2f} points"]
    told.append("grey: contours of equal F1; cross: macro precision and macro recall")
    return {
        "title": explained("Precision and recall of every class", told),
        "width": 420,
        "height": 420,
        "layer": [
            layer(f1_contours(), line, **both, detail={"field": "level"}, order=quantitative("p")),
            layer(levels, level, **both, text={"field": "f"}),
            layer(points, dot, **both, size=size, color=colour),
            layer(in_turn[::2], {**name, "dy": -22}, **both, text={"field": "name"}),
            layer(in_turn[1::2], {**name, "dy": 24}, **both, text={"field": "name"}),
            layer([{"p": result.macro_precision, "r": result.macro_recall}], cross, **both),
        ],
    }


def f1_contours() -> list[dict[str, float]]:
    """Return points with 2 p r / (p + r) = level: r = level p / (2 p - level)."""
    points = []
    for level in _LEVELS:
        low = level / (2 - level)
        for step in range(61):
            # Denser points where the curve is steep.
            p = low + (1 - low) * (step / 60) ** 2
            points.append({"level": level, "p": p, "r": min(1.0, level * p / (2 * p - level))})
    return points


def slope_chart(result: CompareResult) -> dict[str, Any]:
    """Draw rank under averaged F1 on the left and under F1 of averages on the right; crossing lines are flips."""
    points = []
    taken: Counter[tuple[str, int]] = Counter()
    for number, system in enumerate(result.systems):
        move = _MOVES[0] if system.rank_change > 0 else _MOVES[1] if system.rank_change < 0 else _MOVES[2]
        for formula, side in FORMULA_NAMES.items():
            rank = getattr(system, f"rank_{formula}")
            label = [printable(system.name), f"{getattr(system, formula):.4f}", str(rank)]
            label = label if formula == "averaged_f1" else label[::-1]
            # Tied systems share a rank; stack them, so that names and dots do not overlap.
            row = rank + taken[formula, rank]
            taken[formula, rank] += 1
            points.append({"system": number, "side": side, "row": row, "move": move, "label": "  ".join(label)})
    n = len(result.systems)
    axis = {"orient": "top", "labelAngle": 0, "grid": False}
    scale = {"domain": [0.5, n + 0.5], "reverse": True, "nice": False}
    place = {
        "x": {"field": "side", "type": "nominal", "sort": _FORMULAS, "title": None, "axis": axis},
        "y": quantitative("row", scale=scale, axis=None),
    }
    colour = nominal("move", _MOVES, [*_FORMULA_COLOURS, "#9ca3af"], legend={"orient": "bottom"})
    line = {"type": "line", "point": True, "strokeWidth": 1.6}
    layers = [layer(points, line, **place, detail={"field": "system", "type": "nominal"}, color=colour)]
    for side, align, dx in zip(_FORMULAS, ("right", "left"), (-10, 10), strict=True):
        mark = {"type": "text", "align": align, "dx": dx, "fontSize": 11}
        own = [point for point in points if point["side"] == side]
        layers.append(layer(own, mark, **place, text={"field": "label", "type": "nominal"}))
    return {"width": 420, "height": max(120, 18 * n), "layer": layers}


def formulas_chart(rows: Sequence[AuditRow]) -> dict[str, Any]:
    """Draw each formula's value for every row, as a point or as the range that the figures allow."""
    values = [
        {"name": row.name, "place": place, "formula": name, "low": interval[0], "high": interval[1]}
        for place, row in enumerate(rows)
        for formula, name in FORMULA_NAMES.items()
        if (interval := getattr(row.result, formula)) is not None
    ]
    colour = nominal("formula", _FORMULAS, _FORMULA_COLOURS, legend={"orient": "top", "symbolOpacity": 1})
    both = {"y": {"field": "name", "type": "nominal", "title": None, "sort": {"field": "place"}}, "color": colour}
    shape = nominal("formula", _FORMULAS, ["circle", "diamond"], legend={"orient": "top"})
    low = quantitative("low", title="macro F1", scale={"zero": False})
    dot = {"type": "point", "filled": True, "size": 45}
    return {
        "width": 520,
        "height": {"step": 14},
        "layer": [
            layer(values, {"type": "rule", "strokeWidth": 2}, **both, x=low, x2={"field": "high"}),
            layer(values, dot, **both, x=quantitative("high"), shape=shape),
            layer(values, dot, **both, x=quantitative("low"), shape=shape),
        ],
    }


def scatter_chart(points: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Draw both macro F1s of the data sets of Figure 1a on equal axes, with the line of equality."""
    # Multiples of 1/20 around all points, the same for both axes.
    low, high = math.floor(20 * min(map(min, points))) / 20, math.ceil(20 * max(map(max, points))) / 20
    on_both = {"scale": {"domain": [low, high], "nice": False}, "axis": {"labelFlush": False, "tickCount": 7}}
    plain = {"x": quantitative("x"), "y": quantitative("y")}
    titled = {axis: {**plain[axis], "title": name, **on_both} for axis, name in zip("xy", _FORMULAS, strict=True)}
    grey, near_end = COLOURS["neutral"], low + 0.86 * (high - low)
    line = {"type": "line", "color": grey, "strokeDash": [5, 4], "strokeWidth": 1.2}
    name = {"type": "text", "text": "both equal", "angle": 315, "dy": 12, "fontSize": 12, "color": grey}
    dot = {"type": "circle", "size": 22, "opacity": 0.45, "color": COLOURS["f1_of_averages"], "clip": True}
    return {
        "title": {"text": "A random classifier on 1,000 data sets, classes 95/5"},
        "width": 400,
        "height": 400,
        "layer": [
            layer([{"x": low, "y": low}, {"x": high, "y": high}], line, **titled),
            layer([{"x": near_end, "y": near_end}], name, **plain),
            layer([{"x": x, "y": y} for x, y in points], {**dot, "aria": False}, **plain),
        ],
    }


def density_chart(curves: Mapping[str, Sequence[tuple[float, float]]], marks: Mapping[str, float]) -> dict[str, Any]:
    """Draw the (gap, density) pairs of each setting of Figure 1b, all scaled to one height, with a line at its mark."""
    x_title, marked = "gap (F1 of averages minus averaged F1)", "value on endless data"
    values = [value for curve in curves.values() for value, _ in curve]
    x_scale = {"domain": [min(values), max(values)], "nice": True}
    no_axis = {"labels": False, "ticks": False, "title": None, "domain": False}
    beside = {"titleAngle": 0, "titleAlign": "right", "titleBaseline": "middle", "titleFontSize": 12, "titleLimit": 240}
    dashes = {"type": "rule", "color": "#000000", "strokeWidth": 1.6, "strokeDash": [4, 2]}
    panels = []
    for place, (name, curve) in enumerate(curves.items()):
        axis = {"title": x_title, "labelFlush": False} if name == list(curves)[-1] else no_axis
        x = quantitative("v", scale=x_scale, axis=axis)
        name_beside = {**no_axis, "title": name, **beside, "grid": False}
        y = quantitative("d", stack=None, axis=name_beside, scale={"domain": [0, 1.05]})
        colour, highest = PALETTE[place % 6], max(height for _, height in curve) or 1.0
        area = {"type": "area", "color": colour, "opacity": 0.55, "line": {"color": colour, "strokeWidth": 1.5}}
        shape = layer([{"v": v, "d": d / highest} for v, d in curve], area, x=x, y=y)
        rule = layer([{"v": marks[name], "what": marked}], dashes, x=quantitative("v"))
        panels.append({"width": 460, "height": 44, "layer": [shape, rule]})
    title = "The gap of a random classifier, 1,000 data sets of 1,000 rows each"
    subtitle = f"each curve scaled to the same height; dashed: {marked}"
    return {"title": explained(title, subtitle), "spacing": 4, "vconcat": panels}


def heatmap_chart(
    rows: Sequence[Mapping[str, tuple[Sequence[float], Sequence[float], NDArray[Any]]]], *, title: str, skew: str
) -> dict[str, Any]:
    """Draw Figure 2 or 3: panels (x, y, values) with `values[index of y, index of x]`, in one colour scale."""
    highest = max(float(values.max()) for row in rows for _, _, values in row.values())
    colour = quantitative(
        "v",
        title="gap (percentage points)",
        scale={"scheme": "viridis", "domain": [0, highest]},
        legend={"type": "gradient", "gradientLength": 220, "titleLimit": 240},
    )

    def axis(field: str, title: str, low: float, high: float) -> dict[str, Any]:
        scale = {"domain": [low, high], "nice": False}
        return quantitative(field, title=title, scale=scale, axis={"grid": False, "tickCount": 5})

    def panel(name: str, x: Sequence[float], y: Sequence[float], values: NDArray[Any]) -> dict[str, Any]:
        # A cell extends half a step to each side of its point, and overlaps the next a little, to avoid white seams.
        half_x, half_y = (x[1] - x[0]) / 2, (y[1] - y[0]) / 2
        cells = [
            {
                "x": round(across - half_x, 6),
                "x2": round(across + 1.04 * half_x, 6),
                "y": round(along - half_y, 6),
                "y2": round(along + 1.04 * half_y, 6),
                "v": round(float(values[j, i]), 5),
            }
            for j, along in enumerate(y)
            for i, across in enumerate(x)
        ]
        correct = "x: probability of a correct label"
        across = {"x": axis("x", correct, x[0] - half_x, x[-1] + half_x), "x2": {"field": "x2"}}
        along = {"y": axis("y", f"y: {skew}", y[0] - half_y, y[-1] + half_y), "y2": {"field": "y2"}}
        return {
            "title": {"text": name, "fontSize": 12, "fontWeight": "normal", "anchor": "middle"},
            "width": 250,
            "height": 250,
            # One description for the whole picture is enough; one per cell would bloat the file.
            **layer(cells, {"type": "rect", "clip": True, "aria": False}, **across, **along, color=colour),
        }

    panels = [[panel(name, *grid) for name, grid in row.items()] for row in rows]
    return {
        "title": {"text": title, "offset": 14},
        "vconcat": [{"hconcat": line, "spacing": 34} for line in panels],
        "spacing": 26,
    }
