"""A scatter plot of two scores, with the line of equality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from macrof1.reporting.charts.look import COLOURS


def scatter_chart(
    points: Sequence[tuple[float, float]], *, x_title: str, y_title: str, title: str, low: float, high: float
) -> dict[str, Any]:
    """Draw points on equal axes from `low` to `high`.

    Examples
    --------
    >>> scatter_chart([(0.2, 0.3)], x_title="a", y_title="b", title="t", low=0, high=1)["title"]["text"]
    't'
    """
    scale = {"domain": [low, high], "nice": False}
    axis = {"labelFlush": False, "tickCount": 7}
    return {
        "title": {"text": title},
        "width": 400,
        "height": 400,
        "layer": [
            {
                "data": {"values": [{"x": low, "y": low}, {"x": high, "y": high}]},
                "mark": {"type": "line", "color": COLOURS["neutral"], "strokeDash": [5, 4], "strokeWidth": 1.2},
                "encoding": {
                    "x": {"field": "x", "type": "quantitative", "title": x_title, "scale": scale, "axis": axis},
                    "y": {"field": "y", "type": "quantitative", "title": y_title, "scale": scale, "axis": axis},
                },
            },
            {
                "data": {"values": [{"x": low + 0.86 * (high - low), "y": low + 0.86 * (high - low)}]},
                "mark": {
                    "type": "text",
                    "text": "both equal",
                    "angle": 315,
                    "dy": 12,
                    "fontSize": 12,
                    "color": COLOURS["neutral"],
                },
                "encoding": {
                    "x": {"field": "x", "type": "quantitative"},
                    "y": {"field": "y", "type": "quantitative"},
                },
            },
            {
                "data": {"values": [{"x": x, "y": y} for x, y in points]},
                "mark": {
                    "type": "circle",
                    "size": 22,
                    "opacity": 0.45,
                    "color": COLOURS["f1_of_averages"],
                    "clip": True,
                    "aria": False,
                },
                "encoding": {
                    "x": {"field": "x", "type": "quantitative"},
                    "y": {"field": "y", "type": "quantitative"},
                },
            },
        ],
    }
