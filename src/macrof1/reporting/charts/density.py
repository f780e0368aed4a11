"""Densities of one quantity in several settings, stacked vertically."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from macrof1.reporting.charts.look import COLOURS, PALETTE


def density_chart(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    *,
    marks: Mapping[str, float],
    x_title: str,
    mark_title: str,
    title: str,
) -> dict[str, Any]:
    """Draw one curve per setting, all scaled to the same height, with a mark at an expected value.

    Parameters
    ----------
    curves
        Maps each setting to its curve as (value, density) pairs; settings are drawn from top to bottom.
    marks
        Maps each setting to a value to mark with a line.
    """
    values = [value for curve in curves.values() for value, _ in curve]
    x_scale = {"domain": [min(values), max(values)], "nice": True}
    no_axis = {"labels": False, "ticks": False, "title": None, "domain": False}
    last = list(curves)[-1]
    panels = []
    for place, (name, curve) in enumerate(curves.items()):
        axis = {"title": x_title, "labelFlush": False} if name == last else no_axis
        x = {"field": "v", "type": "quantitative", "scale": x_scale, "axis": axis}
        mark = {"type": "rule", "color": "#000000", "strokeWidth": 1.6, "strokeDash": [4, 2]}
        rule = {
            "data": {"values": [{"v": marks[name], "what": mark_title}]},
            "mark": mark,
            "encoding": {"x": {"field": "v", "type": "quantitative"}},
        }
        panels.append({"width": 460, "height": 44, "layer": [_area(name, curve, PALETTE[place % 6], x), rule]})
    return {
        "title": {
            "text": title,
            "subtitle": f"each curve scaled to the same height; dashed: {mark_title}",
            "subtitleFontSize": 12,
            "subtitleColor": COLOURS["neutral"],
        },
        "spacing": 4,
        "vconcat": panels,
    }


def _area(name: str, curve: Sequence[tuple[float, float]], colour: str, x: dict[str, Any]) -> dict[str, Any]:
    """Return one curve, scaled to the height of its panel, with its name next to it."""
    highest = max(height for _, height in curve) or 1.0
    beside = {
        "title": name,
        "titleAngle": 0,
        "titleAlign": "right",
        "titleBaseline": "middle",
        "titleFontSize": 12,
        "titleLimit": 240,
        "labels": False,
        "ticks": False,
        "domain": False,
        "grid": False,
    }
    y = {"field": "d", "type": "quantitative", "stack": None, "axis": beside, "scale": {"domain": [0, 1.05]}}
    return {
        "data": {"values": [{"v": v, "d": d / highest} for v, d in curve]},
        "mark": {"type": "area", "color": colour, "opacity": 0.55, "line": {"color": colour, "strokeWidth": 1.5}},
        "encoding": {"x": x, "y": y},
    }
