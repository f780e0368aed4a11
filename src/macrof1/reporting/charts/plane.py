"""Every class in the precision–recall plane, with F1 contours and each class's share of the gap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from macrof1.labels import label_text
from macrof1.reporting.charts.look import COLOURS, explained, layer
from macrof1.reporting.lines import printable
from macrof1.scoring.score_result import ScoreResult

_LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_MOST_NAMES = 25
_LEANING = {
    "over-precise": COLOURS["over-precise"],
    "over-recalled": COLOURS["over-recalled"],
    "no share": COLOURS["neutral"],
}


def plane_chart(result: ScoreResult, *, title: str = "Precision and recall of every class") -> dict[str, Any]:
    """Draw the classes of a result; the area of a point is the class's share of the gap.

    Examples
    --------
    >>> import macrof1
    >>> chart = plane_chart(macrof1.score(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"]))
    >>> chart["title"]["text"]
    'Precision and recall of every class'
    """
    points = _points(result)
    return {
        "title": explained(
            title,
            [
                f"averaged F1 {result.averaged_f1:.4f}, F1 of averages {result.f1_of_averages:.4f}, "
                f"gap {100 * result.gap:.2f} points",
                "grey: contours of equal F1; cross: macro precision and macro recall",
            ],
        ),
        "width": 420,
        "height": 420,
        "layer": [
            *_contour_layers(),
            _class_layer(points),
            *_name_layers(points),
            _layer(
                [{"p": result.macro_precision, "r": result.macro_recall}],
                {"type": "point", "shape": "cross", "size": 220, "filled": False, "strokeWidth": 1.6, "color": "black"},
            ),
        ],
    }


def _points(result: ScoreResult) -> list[dict[str, Any]]:
    """Place every class in the plane, with its share of the gap and the side it leans towards."""
    centre = result.macro_precision / ((result.macro_precision + result.macro_recall) or 1.0)
    points = []
    for record in result.per_class:
        total = record.precision + record.recall
        lean = record.precision / total - centre if total else 0.0
        points.append(
            {
                "p": record.precision,
                "r": record.recall,
                "share": 100 * record.gap_share,
                "kind": "no share" if not record.gap_share else ("over-precise" if lean > 0 else "over-recalled"),
                "name": printable(label_text(record.label)),
            }
        )
    return points


def _layer(values: Sequence[Mapping[str, Any]], mark: dict[str, Any], **encoding: Any) -> dict[str, Any]:
    """Return a layer over the unit square."""
    unit = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {"labelFlush": False, "tickCount": 6}}
    x, y = {"field": "p", "title": "precision", **unit}, {"field": "r", "title": "recall", **unit}
    return layer(values, mark, x=x, y=y, **encoding)


def _contour_layers() -> list[dict[str, Any]]:
    line = {"type": "line", "color": "#9ca3af", "strokeWidth": 1, "clip": True}
    text = {"type": "text", "align": "left", "dx": 6, "fontSize": 11, "color": COLOURS["neutral"]}
    # At the right edge, where precision is 1, recall is f / (2 - f).
    names = [{"p": 1, "r": f / (2 - f), "f": f"F1 {f}"} for f in _LEVELS]
    return [
        _layer(f1_contours(), line, detail={"field": "level"}, order={"field": "p", "type": "quantitative"}),
        _layer(names, text, text={"field": "f"}),
    ]


def _class_layer(points: list[dict[str, Any]]) -> dict[str, Any]:
    kinds = [kind for kind in _LEANING if any(point["kind"] == kind for point in points)]
    return _layer(
        points,
        {"type": "circle", "opacity": 0.75, "stroke": "white", "strokeWidth": 0.8},
        size={
            "field": "share",
            "type": "quantitative",
            "title": ["share of the gap", "(percentage points)"],
            "scale": {"range": [30, 700], "zero": True},
            "legend": {"offset": 64, "format": ".2~f", "symbolFillColor": COLOURS["neutral"], "tickCount": 3},
        },
        color={
            "field": "kind",
            "type": "nominal",
            "title": "class is",
            "legend": {"offset": 64},
            "scale": {"domain": kinds, "range": [_LEANING[kind] for kind in kinds]},
        },
    )


def _name_layers(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Alternate the names of neighbours above and below to avoid overlap; too many names are left out."""
    in_turn = [] if len(points) > _MOST_NAMES else sorted(points, key=lambda point: (point["p"], point["r"]))
    return [
        _layer(
            in_turn[first::2], {"type": "text", "fontSize": 11, "fontWeight": 600, "dy": away}, text={"field": "name"}
        )
        for first, away in ((0, -22), (1, 24))
    ]


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
