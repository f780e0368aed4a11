"""Any result as an HTML fragment for notebooks: both scores on one axis, then its document.

Colours derive from the notebook's own text colour, so that it is readable in light and dark mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any

from macrof1.errors import InputError
from macrof1.reporting.as_html import NOTEBOOK, html_of
from macrof1.reporting.document import Chart, Facts, Part, Table, clipped
from macrof1.reporting.rendering import document
from macrof1.result import Result

_MOST_ROWS = 40
_MOST_TEXT = 300
_STYLE = "font:13px/1.45 system-ui,sans-serif;color:inherit;max-width:64em"


def notebook_html(result: Result) -> str:
    """Return a result as HTML."""
    found = document(result)
    parts = [_cut(part) for part in found.parts() if not isinstance(part, Chart) and part.where != "asked"]
    details = [_cut(part) for part in found.details() if not isinstance(part, Chart)]
    rest = html_of("more", details, NOTEBOOK)
    more = f"<details><summary>more</summary>{rest}</details>" if rest else ""
    first = html_of(found.title, parts, NOTEBOOK)
    axis = _axis(found.scores[:_MOST_ROWS])
    return f'<div class="macrof1" style="{_STYLE}"><b>{escape(found.title)}</b>{axis}{first}{more}</div>'


def _cut(part: Part) -> Any:
    """Shorten what is too long for a cell of a notebook, and say so."""
    if isinstance(part, Facts):
        return replace(part, rows=[replace(fact, value=clipped(fact.value, _MOST_TEXT)) for fact in part.rows])
    if not isinstance(part, Table):
        return part
    rows = [[clipped(field, _MOST_TEXT) for field in row] for row in part.rows[:_MOST_ROWS]]
    hidden = len(part.rows) - _MOST_ROWS
    more = [[f"… and {hidden:,} more", *[""] * (len(part.header) - 1)]] if hidden > 0 else []
    return replace(part, rows=[*rows, *more], folded=False)


def _axis(scores: Sequence[tuple[str, float, float]]) -> str:
    """Draw both scores of the result, or of each of its systems or groups, on one axis from 0 to 1."""
    if not scores or not all(0 <= value <= 1 for _, *both in scores for value in both):
        return ""
    left, width, step = (160 if scores[0][0] else 10), 360, 18
    height = step * len(scores) + 22
    marks = []
    for place, (name, averaged, of_averages) in enumerate(scores):
        y = 12 + step * place
        a, b = (left + width * value for value in (averaged, of_averages))
        label = f'<text x="0" y="{y + 4}" fill="currentColor">{escape(name[:24])}</text>' if name else ""
        title = f"<title>averaged F1 {averaged:.4f}, F1 of averages {of_averages:.4f}</title>"
        marks.append(
            f'<g>{title}{label}<line x1="{left}" x2="{left + width}" y1="{y}" y2="{y}" stroke="currentColor" '
            f'stroke-opacity=".25"/><line x1="{a:.1f}" x2="{b:.1f}" y1="{y}" y2="{y}" stroke="#d97706" '
            f'stroke-width="3"/><circle cx="{a:.1f}" cy="{y}" r="5" fill="#2b8a7e"/>'
            f'<circle cx="{b:.1f}" cy="{y}" r="4.5" fill="none" stroke="#d97706" stroke-width="2"/></g>'
        )
    ticks = "".join(
        f'<text x="{left + width * tick / 4:.0f}" y="{height - 2}" text-anchor="middle" fill="currentColor">'
        f"{tick / 4:g}</text>"
        for tick in range(5)
    )
    key = "● averaged F1  ○ F1 of averages"
    return (
        f'<div style="margin:.3em 0"><span style="color:inherit">{key}</span><br><svg role="img" '
        f'aria-label="both scores on one axis" width="{left + width + 14}" height="{height}" '
        f'style="overflow:visible;font-size:11px">{"".join(marks)}{ticks}</svg></div>'
    )


def chart_of(result: Any, number: int = 1) -> Any:
    """Return one of the charts in a result's document as an Altair chart."""
    from macrof1.reporting.charts import altair, specification

    charts = [part.make for part in document(result).parts() if isinstance(part, Chart) and part.make is not None]
    if not charts:
        raise InputError(f"{type(result).__name__} has no chart", expected="the result of score or compare, say")
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(charts):
        raise InputError.bad_value("number", number, expected=f"a whole number from 1 to {len(charts)}")
    return altair().Chart.from_dict(specification(charts[number - 1]()))
