"""The Lemma's pairs: the contribution of each pair of classes to the gap."""

from __future__ import annotations

from typing import Any

from macrof1.labels import label_text
from macrof1.reporting.charts.look import COLOURS
from macrof1.reporting.lines import printable
from macrof1.scoring.result import ScoreResult


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
