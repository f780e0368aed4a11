"""Any result as an HTML fragment for notebooks, and its charts.

Colours derive from the notebook's own text colour, so that it is readable in light and dark mode.
"""

from __future__ import annotations

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
    return f'<div class="macrof1" style="{_STYLE}"><b>{escape(found.title)}</b>{first}{more}</div>'


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


def chart_of(result: Any, number: int = 1) -> Any:
    """Return one of the charts in a result's document as an Altair chart."""
    from macrof1.reporting.charts import altair, specification

    charts = [part.make for part in document(result).parts() if isinstance(part, Chart) and part.make is not None]
    if not charts:
        raise InputError(f"{type(result).__name__} has no chart", expected="the result of score or compare, say")
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(charts):
        raise InputError.bad_value("number", number, expected=f"a whole number from 1 to {len(charts)}")
    return altair().Chart.from_dict(specification(charts[number - 1]()))
