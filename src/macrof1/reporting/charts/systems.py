"""Several systems under both formulas: two rankings side by side, or what published figures allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from macrof1.auditing.audited_tables import AuditRow
from macrof1.comparing.result import CompareResult
from macrof1.convention import FORMULA_NAMES
from macrof1.reporting.charts.look import COLOURS, altair
from macrof1.reporting.lines import printable

_MOVES = ("better under averaged F1", "better under F1 of averages", "same rank")


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
