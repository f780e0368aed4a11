"""The charts of results: the gap on one axis, the precision–recall plane, several systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from macrof1.bounding.closed_forms import harmonic_mean, lowest_averaged_f1
from macrof1.convention import FORMULA_NAMES
from macrof1.labels import label_text
from macrof1.reporting.charts.look import COLOURS, altair, explained, layer, quantitative
from macrof1.reporting.lines import printable

if TYPE_CHECKING:
    from macrof1.auditing.audited_tables import AuditRow
    from macrof1.comparing.result import CompareResult
    from macrof1.scoring.score_result import ScoreResult

_LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_MOST_NAMES = 25
_LEANING = {
    "over-precise": COLOURS["over-precise"],
    "over-recalled": COLOURS["over-recalled"],
    "no share": COLOURS["neutral"],
}
_MOVES = ("better under averaged F1", "better under F1 of averages", "same rank")


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
    line = {"type": "line", "color": "#9ca3af", "strokeWidth": 1, "clip": True}
    level = {"type": "text", "align": "left", "dx": 6, "fontSize": 11, "color": COLOURS["neutral"]}
    # At the right edge, where precision is 1, recall is f / (2 - f).
    levels = [{"p": 1, "r": f / (2 - f), "f": f"F1 {f}"} for f in _LEVELS]
    # Names of neighbours alternate above and below to avoid overlap; too many names are left out.
    in_turn = [] if len(points) > _MOST_NAMES else sorted(points, key=lambda point: (point["p"], point["r"]))
    name = {"type": "text", "fontSize": 11, "fontWeight": 600}
    cross = {"type": "point", "shape": "cross", "size": 220, "filled": False, "strokeWidth": 1.6, "color": "black"}
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
            _layer(f1_contours(), line, detail={"field": "level"}, order={"field": "p", "type": "quantitative"}),
            _layer(levels, level, text={"field": "f"}),
            _class_layer(points),
            *(
                _layer(in_turn[first::2], {**name, "dy": away}, text={"field": "name"})
                for first, away in ((0, -22), (1, 24))
            ),
            _layer([{"p": result.macro_precision, "r": result.macro_recall}], cross),
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


def slope_chart(result: CompareResult) -> Any:
    """Draw rank under averaged F1 on the left and under F1 of averages on the right; crossing lines are flips."""
    alt = altair()
    lines, names, sides = [], [], list(FORMULA_NAMES.values())
    taken: dict[tuple[str, int], int] = {}
    for number, system in enumerate(result.systems):
        move = _MOVES[0] if system.rank_change > 0 else _MOVES[1] if system.rank_change < 0 else _MOVES[2]
        for formula, side in FORMULA_NAMES.items():
            rank = getattr(system, f"rank_{formula}")
            # Tied systems share a rank; stack them, so that names and dots do not overlap.
            row = rank + taken.get((formula, rank), 0)
            taken[formula, rank] = taken.get((formula, rank), 0) + 1
            score = f"{getattr(system, formula):.4f}"
            name = printable(system.name)
            label = f"{name}  {score}  {rank}" if formula == "averaged_f1" else f"{rank}  {score}  {name}"
            lines.append({"system": number, "side": side, "row": row, "move": move})
            names.append({"side": side, "row": row, "label": label, "move": move})
    x = alt.X("side:N", sort=sides, title=None, axis=alt.Axis(orient="top", labelAngle=0, grid=False))
    height = max(120, 18 * len(result.systems))
    scale = alt.Scale(domain=[0.5, len(result.systems) + 0.5], reverse=True, nice=False)
    colour = alt.Color(
        "move:N",
        title=None,
        scale=alt.Scale(domain=list(_MOVES), range=[COLOURS["averaged_f1"], COLOURS["f1_of_averages"], "#9ca3af"]),
        legend=alt.Legend(orient="bottom"),
    )
    y = alt.Y("row:Q", scale=scale, axis=None)
    rising = (
        alt.Chart({"values": lines})
        .mark_line(point=True, strokeWidth=1.6)
        .encode(x=x, y=y, detail="system:N", color=colour)
    )
    texts = [
        alt.Chart({"values": [name for name in names if name["side"] == side]})
        .mark_text(align=align, dx=dx, fontSize=11)
        .encode(x=x, y=y, text="label:N")
        for side, align, dx in zip(sides, ("right", "left"), (-10, 10), strict=True)
    ]
    return alt.layer(rising, *texts).properties(width=420, height=height)


def formulas_chart(rows: Sequence[AuditRow]) -> Any:
    """Draw each formula's value for every row, as a point or as the range that the figures allow."""
    alt = altair()
    values = [
        {"name": row.name, "place": place, "formula": name, "low": interval[0], "high": interval[1]}
        for place, row in enumerate(rows)
        for formula, name in FORMULA_NAMES.items()
        if (interval := getattr(row.result, formula)) is not None
    ]
    names = list(FORMULA_NAMES.values())
    colour = alt.Color(
        "formula:N",
        title=None,
        scale=alt.Scale(domain=names, range=[COLOURS[formula] for formula in FORMULA_NAMES]),
        legend=alt.Legend(orient="top", symbolOpacity=1),
    )
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("name:N", title=None, sort=alt.EncodingSortField("place")), color=colour
    )
    shape = alt.Shape(
        "formula:N",
        title=None,
        scale=alt.Scale(domain=names, range=["circle", "diamond"]),
        legend=alt.Legend(orient="top"),
    )
    lines = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title="macro F1", scale=alt.Scale(zero=False)), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=45).encode(x="high:Q", shape=shape)
    ends = base.mark_point(filled=True, size=45).encode(x="low:Q", shape=shape)
    return alt.layer(lines, points, ends).properties(width=520, height=alt.Step(14))
