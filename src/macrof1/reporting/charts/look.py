"""The style that all charts share, and the ways to save one.

A chart is a Vega-Lite specification: a plain dictionary, usually made with Altair. The same specification serves
papers, web pages and notebooks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from macrof1.counting.written_files import write_whole
from macrof1.errors import InputError, MissingExtraError

PictureFormat: TypeAlias = Literal["png", "svg", "pdf"]

COLOURS = {
    "averaged_f1": "#0072B2",
    "f1_of_averages": "#D55E00",
    "gap": "#CC79A7",
    "over-precise": "#00664f",
    "over-recalled": "#6d4bb8",
    "neutral": "#6b7280",
}
"""Okabe and Ito's palette: distinguishable with any colour vision, and in greyscale."""

PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#F0E442"]

CONFIG: dict[str, Any] = {
    "font": "Helvetica, Arial, 'Liberation Sans', sans-serif",
    "background": "white",
    "view": {"stroke": None},
    "range": {"category": PALETTE, "heatmap": {"scheme": "viridis"}, "ramp": {"scheme": "viridis"}},
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "gridColor": "#e5e7eb",
        "domainColor": "#6b7280",
        "tickColor": "#6b7280",
        "labelLimit": 240,
    },
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 240},
    "title": {"fontSize": 14, "anchor": "start", "fontWeight": 600},
    "header": {"labelFontSize": 12, "titleFontSize": 13},
}


_ON_DARK = {
    "#000": "#f3f4f6",
    "#000000": "#f3f4f6",
    "black": "#f3f4f6",
    "#6b7280": "#b6bdc9",
    "#9ca3af": "#8b95a5",
    "#d1d5db": "#4b5a73",
    "#e5e7eb": "#3b4556",
    COLOURS["averaged_f1"]: "#6cc0f2",
    COLOURS["f1_of_averages"]: "#f5a25d",
    COLOURS["gap"]: "#e69ac3",
    COLOURS["over-precise"]: "#5fd3ae",
    COLOURS["over-recalled"]: "#c3a6ff",
}

DARK_RULES = (
    'svg.marks > rect[fill="white"] { fill: none; } '
    + " ".join(
        f'svg.marks [{part}="{light}"] {{ {part}: {dark}; }}'
        for light, dark in _ON_DARK.items()
        for part in ("fill", "stroke")
    )
    + ' svg.marks [stroke="white"] { stroke: #182133; }'
)
"""CSS rules for dark pages: light strokes on a transparent background."""


def following(svg: str) -> str:
    """Return a drawing that follows the page's dark mode, without the XML prologue of a separate file.

    Examples
    --------
    >>> following('<?xml version="1.0"?> <svg class="marks"><path/></svg>').startswith('<svg class="marks"><style>')
    True
    """
    drawing = re.sub(r"^<\?xml[^>]*>\s*", "", svg)
    return re.sub(
        r"^<svg[^>]*>",
        rf"\g<0><style>@media screen and (prefers-color-scheme: dark) {{ {DARK_RULES} }}</style>",
        drawing,
    )


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
        raise MissingExtraError.needed(
            package="Altair and vl-convert", extra="charts", purpose="drawing charts"
        ) from None
    return alt


def specification(chart: Any) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart, with the common style."""
    spec = dict(chart) if isinstance(chart, dict) else chart.to_dict()
    # Altair sets a few entries of a config section itself: keep ours for the rest of that section.
    own = spec.get("config", {})
    merged = {key: {**CONFIG[key], **own[key]} if isinstance(CONFIG.get(key), dict) else own[key] for key in own}
    return {**spec, "config": {**CONFIG, **merged}}


def picture(chart: Any, kind: PictureFormat) -> bytes:
    """Draw a chart as PNG, SVG or PDF."""
    altair()
    import vl_convert

    spec = specification(chart)
    if kind == "svg":
        return vl_convert.vegalite_to_svg(spec).encode("utf-8")
    if kind == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec))
    return bytes(vl_convert.vegalite_to_png(spec, scale=2))


def save_chart(chart: Any, path: Path) -> None:
    """Write a chart in the format given by the file extension."""
    kinds: dict[str, PictureFormat] = {".png": "png", ".svg": "svg", ".pdf": "pdf"}
    ending = path.suffix.lower()
    if ending not in kinds:
        raise InputError.unknown_value("picture", path.suffix, kinds)
    write_whole(path, picture(chart, kinds[ending]))
