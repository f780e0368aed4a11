"""A leaderboard under both formulas: one line per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from macrof1.auditing.table import AuditRow
from macrof1.convention import FORMULA_NAMES
from macrof1.reporting.charts.look import COLOURS, altair


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
