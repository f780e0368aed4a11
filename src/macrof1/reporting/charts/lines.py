"""A quantity that grows towards limits, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from macrof1.reporting.charts.look import quantitative


def lines_chart(
    lines: Mapping[str, Sequence[tuple[float, float]]],
    *,
    limits: Mapping[str, float],
    x_title: str,
    y_title: str,
    title: str,
) -> dict[str, Any]:
    """Draw one line per name over powers of ten, each with its limit as a dashed line."""
    places = sorted({x for line in lines.values() for x, _ in line})
    colour = {"field": "name", "type": "nominal", "sort": list(lines), "legend": None}
    scale = {"type": "log", "domain": [places[0], places[-1]]}
    x = quantitative("x", title=x_title, scale=scale, axis={"format": "~s", "values": places, "labelFlush": False})
    y = quantitative("y", title=y_title, axis={"tickCount": 6})
    ends = [
        {"x": place, "y": limit, "name": name} for name, limit in limits.items() for place in (places[0], places[-1])
    ]
    return {
        "title": {"text": title, "subtitle": "dashed: the limit", "subtitleFontSize": 12, "subtitleColor": "#6b7280"},
        "width": 440,
        "height": 300,
        "layer": [
            {
                "data": {"values": ends},
                "mark": {"type": "line", "strokeDash": [5, 4], "strokeWidth": 1.2},
                "encoding": {"x": x, "y": y, "color": colour},
            },
            {
                "data": {"values": [{"x": a, "y": b, "name": name} for name, line in lines.items() for a, b in line]},
                "mark": {"type": "line", "point": {"size": 50}, "strokeWidth": 1.8},
                # Shapes as well as colours, for greyscale printing.
                "encoding": {"x": x, "y": y, "color": colour, "shape": colour},
            },
            {
                "data": {"values": ends[1::2]},
                "mark": {"type": "text", "align": "left", "dx": 8, "fontSize": 12},
                "encoding": {"x": x, "y": y, "color": colour, "text": {"field": "name"}},
            },
        ],
    }
