"""The kinds of charts in the paper: points, densities and heat maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from macrof1.reporting.charts import COLOURS, PALETTE, explained, layer, quantitative


def scatter_chart(
    points: Sequence[tuple[float, float]], *, x_title: str, y_title: str, title: str, low: float, high: float
) -> dict[str, Any]:
    """Draw points on equal axes from `low` to `high`, with the line of equality."""
    on_both = {"scale": {"domain": [low, high], "nice": False}, "axis": {"labelFlush": False, "tickCount": 7}}
    titled = {"x": quantitative("x", title=x_title, **on_both), "y": quantitative("y", title=y_title, **on_both)}
    plain = {"x": quantitative("x"), "y": quantitative("y")}
    grey, near_end = COLOURS["neutral"], low + 0.86 * (high - low)
    line = {"type": "line", "color": grey, "strokeDash": [5, 4], "strokeWidth": 1.2}
    name = {"type": "text", "text": "both equal", "angle": 315, "dy": 12, "fontSize": 12, "color": grey}
    dot = {"type": "circle", "size": 22, "opacity": 0.45, "color": COLOURS["f1_of_averages"], "clip": True}
    return {
        "title": {"text": title},
        "width": 400,
        "height": 400,
        "layer": [
            layer([{"x": low, "y": low}, {"x": high, "y": high}], line, **titled),
            layer([{"x": near_end, "y": near_end}], name, **plain),
            layer([{"x": x, "y": y} for x, y in points], {**dot, "aria": False}, **plain),
        ],
    }


def density_chart(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    *,
    marks: Mapping[str, float],
    x_title: str,
    mark_title: str,
    title: str,
) -> dict[str, Any]:
    """Draw one curve per setting, from top to bottom, all scaled to the same height.

    `curves` are (value, density) pairs of each setting; `marks` its expected value, which gets a line.
    """
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
        rule = layer([{"v": marks[name], "what": mark_title}], dashes, x=quantitative("v"))
        panels.append({"width": 460, "height": 44, "layer": [shape, rule]})
    subtitle = f"each curve scaled to the same height; dashed: {mark_title}"
    return {"title": explained(title, subtitle), "spacing": 4, "vconcat": panels}


def heatmap_chart(
    rows: Sequence[Mapping[str, tuple[Sequence[float], Sequence[float], NDArray[Any]]]],
    *,
    x_title: str,
    y_title: str,
    value_title: str,
    title: str,
) -> dict[str, Any]:
    """Draw panels in rows, each a grid of values, with one colour scale.

    `rows` are the panels of each row by name, each as (x, y, values) with `values[index of y, index of x]`.
    """
    highest = max(float(values.max()) for row in rows for _, _, values in row.values())
    colour = quantitative(
        "v",
        title=value_title,
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
        across = {"x": axis("x", x_title, x[0] - half_x, x[-1] + half_x), "x2": {"field": "x2"}}
        along = {"y": axis("y", y_title, y[0] - half_y, y[-1] + half_y), "y2": {"field": "y2"}}
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
