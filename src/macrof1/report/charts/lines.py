"""A few lines over a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["lines_chart"]


def lines_chart(
    lines: Mapping[str, Sequence[tuple[float, float]]],
    *,
    x_title: str,
    y_title: str,
    name_title: str,
    title: str,
    y_format: str = "~e",
) -> dict[str, Any]:
    """Draw one line per name, both axes logarithmic."""
    values = [{"x": x, "y": y, "name": name} for name, line in lines.items() for x, y in line]
    name = {"field": "name", "type": "nominal", "title": name_title, "sort": list(lines)}
    return {
        "title": {"text": title},
        "width": 440,
        "height": 300,
        "data": {"values": values},
        "mark": {"type": "line", "point": {"size": 36}, "strokeWidth": 1.8},
        "encoding": {
            "x": {
                "field": "x",
                "type": "quantitative",
                "title": x_title,
                "scale": {"type": "log"},
                "axis": {"format": "~s", "tickCount": 7},
            },
            "y": {
                "field": "y",
                "type": "quantitative",
                "title": y_title,
                "scale": {"type": "log"},
                "axis": {"format": y_format, "tickCount": 7},
            },
            "color": name,
            # A second sign beside colour, for print in grey.
            "strokeDash": {**name, "legend": None},
        },
    }
