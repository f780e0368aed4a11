"""Any result as an HTML fragment for notebooks: both scores on one axis, tables, notes.

Built from `to_dict`, so that every result is shown, and in the same way. Colours derive from the notebook's own text
colour, so that it is readable in light and dark mode.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from macrof1.result import Result

_MOST_ROWS = 40
_MOST_TEXT = 300
_STYLE = (
    "font:13px/1.45 system-ui,sans-serif;color:inherit;max-width:64em",
    "border-collapse:collapse;margin:.4em 0;color:inherit;background:none",
    "padding:.15em .7em;border-bottom:1px solid rgba(128,128,128,.35);color:inherit;background:none;",
)
# What a reader looks for first; the rest is collapsed.
_FIRST = (
    "averaged_f1",
    "f1_of_averages",
    "gap",
    "verdict",
    "definition",
    "reason",
    "explanation",
    "estimate",
    "low",
    "high",
)
_WORDS = (("averaged_f1", "averaged F1"), ("f1_of_averages", "F1 of averages"), ("mcc", "MCC"), ("_f1", " F1"))


def notebook_html(result: Result) -> str:
    """Return a result as HTML.

    Examples
    --------
    >>> import macrof1
    >>> html = notebook_html(macrof1.score(["<a>", "b"], ["<a>", "<a>"]))
    >>> "averaged F1" in html, "&lt;a&gt;" in html, "<script" in html
    (True, True, False)
    """
    facts = result.to_dict()
    notes = facts.pop("notes", None) or []
    tables = {name: facts.pop(name) for name, value in list(facts.items()) if _is_table(value)}
    first = {name: facts.pop(name) for name in _FIRST if facts.get(name) is not None}
    parts = [f"<b>{_title(result)}</b>", _axis(first | tables), _facts(first)]
    if notes:
        parts.append(f"<ul>{''.join(f'<li>{escape(str(note))}</li>' for note in notes)}</ul>")
    parts += [_table(name, rows) for name, rows in tables.items()]
    if facts:
        parts.append(
            _facts(facts) if not first and not tables else f"<details><summary>more</summary>{_facts(facts)}</details>"
        )
    return f'<div class="macrof1" style="{_STYLE[0]}">{"".join(parts)}</div>'


def _title(result: Result) -> str:
    words = re.findall(r"[A-Z][a-z0-9]*", type(result).__name__.removesuffix("Result"))
    return escape(" ".join(words).capitalize())


def _name(key: str) -> str:
    for known, word in _WORDS:
        key = key.replace(known, word)
    return escape(key.replace("_", " ").strip())


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, Mapping) for row in value)


def _value(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 1e6 else f"{value:.6g}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return "<br>".join(f"{_name(str(key))}: {_value(inner)}" for key, inner in list(value.items())[:_MOST_ROWS])
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_value, value[:_MOST_ROWS])) + (" …" if len(value) > _MOST_ROWS else "")
    text = str(value)
    return escape(text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…")


def _facts(facts: Mapping[str, Any]) -> str:
    cell = f"{_STYLE[2]}text-align:left"
    rows = [
        f'<tr><td style="{cell};white-space:nowrap">{_name(key)}</td><td style="{cell}">{_value(value)}</td></tr>'
        for key, value in facts.items()
        if value not in (None, [], {}, "")
    ]
    return f'<table style="{_STYLE[1]}">{"".join(rows)}</table>' if rows else ""


def _table(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    keys = list(dict.fromkeys(key for row in rows for key in row))
    texts = {key for key in keys if any(isinstance(row.get(key), str) for row in rows)}

    def cells(tag: str, row: Mapping[str, Any], shown: Any) -> str:
        return "".join(
            f'<{tag} style="{_STYLE[2]}text-align:{"left" if key in texts else "right"}">{shown(row[key])}</{tag}>'
            for key in keys
        )

    header = cells("th", {key: key for key in keys}, _name)
    body = "".join(f"<tr>{cells('td', {key: row.get(key) for key in keys}, _value)}</tr>" for row in rows[:_MOST_ROWS])
    hidden = f"<div>… and {len(rows) - _MOST_ROWS:,} more</div>" if len(rows) > _MOST_ROWS else ""
    return (
        f'<div style="margin-top:.5em"><b>{_name(name)}</b></div><table style="{_STYLE[1]}"><thead><tr>{header}</tr>'
        f"</thead><tbody>{body}</tbody></table>{hidden}"
    )


def _axis(facts: Mapping[str, Any]) -> str:
    """Draw both scores of the result, or of each of its systems or groups, on one axis from 0 to 1."""
    rows = [("", facts)] if _both(facts) else []
    for value in facts.values():
        if not rows and _is_table(value) and all(map(_both, value)):
            rows = [(str(row.get("name") or row.get("key") or ""), row) for row in value[:_MOST_ROWS]]
    if not rows:
        return ""
    left, width, step = (160 if rows[0][0] else 10), 360, 18
    height = step * len(rows) + 22
    marks = []
    for place, (name, row) in enumerate(rows):
        y = 12 + step * place
        a, b = (left + width * row[key] for key in ("averaged_f1", "f1_of_averages"))
        label = f'<text x="0" y="{y + 4}" fill="currentColor">{escape(name[:24])}</text>' if name else ""
        title = f"<title>averaged F1 {row['averaged_f1']:.4f}, F1 of averages {row['f1_of_averages']:.4f}</title>"
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


def _both(row: Mapping[str, Any]) -> bool:
    return all(isinstance(row.get(key), float) and 0 <= row[key] <= 1 for key in ("averaged_f1", "f1_of_averages"))
