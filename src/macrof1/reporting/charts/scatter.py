"""A scatter plot of two scores, with the line of equality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from macrof1.reporting.charts.look import COLOURS, quantitative


def scatter_chart(
    points: Sequence[tuple[float, float]], *, x_title: str, y_title: str, title: str, low: float, high: float
) -> dict[str, Any]:
    """Draw points on equal axes from `low` to `high`.

    Examples
    --------
    >>> scatter_chart([(0.2, 0.3)], x_title="a", y_title="b", title="t", low=0, high=1)["title"]["text"]
    't'
    """
    on_both = {"scale": {"domain": [low, high], "nice": False}, "axis": {"labelFlush": False, "tickCount": 7}}
    plain = {"x": quantitative("x"), "y": quantitative("y")}
    return {
        "title": {"text": title},
        "width": 400,
        "height": 400,
        "layer": [
            {
                "data": {"values": [{"x": low, "y": low}, {"x": high, "y": high}]},
                "mark": {"type": "line", "color": COLOURS["neutral"], "strokeDash": [5, 4], "strokeWidth": 1.2},
                "encoding": {
                    "x": quantitative("x", title=x_title, **on_both),
                    "y": quantitative("y", title=y_title, **on_both),
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
                "encoding": plain,
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
                "encoding": plain,
            },
        ],
    }
