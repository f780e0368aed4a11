"""A quantity over two parameters: several panels with one colour scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from macrof1.reporting.charts.look import quantitative


def heatmap_chart(
    rows: Sequence[Mapping[str, tuple[Sequence[float], Sequence[float], NDArray[Any]]]],
    *,
    x_title: str,
    y_title: str,
    value_title: str,
    title: str,
) -> dict[str, Any]:
    """Draw panels in rows, each a grid of values.

    Parameters
    ----------
    rows
        For each row of panels: its panels by name, each as (x, y, values) with `values[index of y, index of x]`.
    """
    highest = max(float(values.max()) for row in rows for _, _, values in row.values())
    colour = quantitative(
        "v",
        title=value_title,
        scale={"scheme": "viridis", "domain": [0, highest]},
        legend={"type": "gradient", "gradientLength": 220, "titleLimit": 240},
    )
    panels = [[_panel(name, *grid, x_title, y_title, colour) for name, grid in row.items()] for row in rows]
    return {
        "title": {"text": title, "offset": 14},
        "vconcat": [{"hconcat": line, "spacing": 34} for line in panels],
        "spacing": 26,
    }


def _panel(
    name: str,
    x: Sequence[float],
    y: Sequence[float],
    values: NDArray[Any],
    x_title: str,
    y_title: str,
    colour: dict[str, Any],
) -> dict[str, Any]:
    # A cell extends half a step to each side of its point.
    half_x, half_y = (x[1] - x[0]) / 2, (y[1] - y[0]) / 2
    cells = [
        {
            "x": round(across - half_x, 6),
            # Overlap the next cell a little, to avoid white seams.
            "x2": round(across + 1.04 * half_x, 6),
            "y": round(along - half_y, 6),
            "y2": round(along + 1.04 * half_y, 6),
            "v": round(float(values[j, i]), 5),
        }
        for j, along in enumerate(y)
        for i, across in enumerate(x)
    ]
    return {
        "title": {"text": name, "fontSize": 12, "fontWeight": "normal", "anchor": "middle"},
        "width": 250,
        "height": 250,
        "data": {"values": cells},
        # One description for the whole picture is enough; one per cell would bloat the file.
        "mark": {"type": "rect", "clip": True, "aria": False},
        "encoding": {
            "x": _axis("x", x_title, x[0] - half_x, x[-1] + half_x),
            "x2": {"field": "x2"},
            "y": _axis("y", y_title, y[0] - half_y, y[-1] + half_y),
            "y2": {"field": "y2"},
            "color": colour,
        },
    }


def _axis(field: str, title: str, low: float, high: float) -> dict[str, Any]:
    scale = {"domain": [low, high], "nice": False}
    return quantitative(field, title=title, scale=scale, axis={"grid": False, "tickCount": 5})
