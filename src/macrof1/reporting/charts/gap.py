"""The gap of one system: between both scores on one axis, and what each pair of classes contributes to it."""

from __future__ import annotations

from typing import Any

from macrof1.bounding.closed_forms import harmonic_mean, lowest_averaged_f1
from macrof1.convention import FORMULA_NAMES
from macrof1.labels import label_text
from macrof1.reporting.charts.look import COLOURS, layer, quantitative
from macrof1.reporting.lines import printable
from macrof1.scoring.score_result import ScoreResult


def axis_chart(result: ScoreResult) -> dict[str, Any]:
    """Draw both macro F1s from 0 to 1; grey is the range that macro precision and recall allow for averaged F1.

    Examples
    --------
    >>> import macrof1
    >>> chart = axis_chart(macrof1.score_matrix([[100, 10_000], [0, 100]], rows="predicted"))
    >>> [point["value"] for point in chart["layer"][2]["data"]["values"]]
    [0.0196078431372549, 0.504950495049505]
    """
    precision, recall = result.macro_precision, result.macro_recall
    axis = {"grid": False, "tickCount": 11, "format": ".1f"}
    x = quantitative("value", title=None, scale={"domain": [0, 1]}, axis=axis)
    points = [{"value": getattr(result, formula), "name": name} for formula, name in FORMULA_NAMES.items()]
    left = {"low": result.averaged_f1, "high": result.f1_of_averages}
    # The range is only known for F1 over all classes.
    shaded = (
        [{"low": lowest_averaged_f1(precision, recall, result.n_classes), "high": harmonic_mean(precision, recall)}]
        if result.beta == 1 and result.undefined in (0, 1)
        else []
    )
    ends = {"x": {**x, "field": "low"}, "x2": {"field": "high"}}
    name, names = {"field": "name", "type": "nominal"}, list(FORMULA_NAMES.values())
    scale = {"domain": names, "range": [COLOURS[formula] for formula in FORMULA_NAMES]}
    colour = {**name, "title": None, "scale": scale, "legend": {"orient": "top"}}
    shape = {**name, "scale": {"domain": names, "range": ["circle", "diamond"]}}
    return {
        "width": 620,
        "height": 46,
        "layer": [
            layer(shaded, {"type": "bar", "color": "#d1d5db", "height": 26}, **ends),
            layer([left], {"type": "rule", "strokeWidth": 6, "color": COLOURS["gap"]}, **ends),
            layer(points, {"type": "point", "filled": True, "size": 190, "opacity": 1}, x=x, color=colour, shape=shape),
        ],
    }


def pairs_chart(result: ScoreResult) -> dict[str, Any]:
    """Draw a square per pair of classes, darker for larger contributions.

    Examples
    --------
    >>> import macrof1
    >>> chart = pairs_chart(macrof1.score(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"]))
    >>> [(value["row"], value["column"]) for value in chart["data"]["values"]]
    [('cat', 'dog'), ('dog', 'cat')]
    """
    names = [printable(label_text(record.label)) for record in result.per_class]
    values = []
    for pair in result.pairs(most=None):
        one, other = printable(label_text(pair.over_precise)), printable(label_text(pair.over_recalled))
        for row, column in ((one, other), (other, one)):
            values.append({"row": row, "column": column, "points": 100 * pair.contribution})
    axis = {"type": "nominal", "title": None, "sort": names, "scale": {"domain": names}}
    return {
        "width": {"step": 34} if len(names) <= 12 else 420,
        "height": {"step": 34} if len(names) <= 12 else 420,
        "data": {"values": values},
        "mark": {"type": "rect", "stroke": "#e5e7eb"},
        "encoding": {
            "x": {"field": "column", **axis},
            "y": {"field": "row", **axis},
            "color": {
                "field": "points",
                "type": "quantitative",
                "title": ["share of the gap", "(percentage points)"],
                "scale": {"range": ["#ffffff", COLOURS["gap"]], "domainMin": 0},
            },
        },
    }
