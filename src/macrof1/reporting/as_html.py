"""Documents as HTML: a page that opens anywhere, works offline and prints well, or a fragment for a notebook.

Charts are embedded as SVG; the only script sorts a table by the column whose heading is chosen. Data is always inserted
as text, never as markup.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from macrof1 import __version__
from macrof1.errors import MissingExtraError
from macrof1.reporting.as_text import ended, printable
from macrof1.reporting.charts import DARK_RULES, inline, picture
from macrof1.reporting.document import Chart, Code, Facts, Part, Sentences, Table

_STYLE = """
:root { color-scheme: light dark; --ink: #111827; --soft: #4b5563; --line: #d1d5db; --paper: #fff; --shade: #dbe3ea; }
/* Paper is white: nothing dark is printed. */
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #f3f4f6; --soft: #b6bdc9; --line: #374151; --paper: #111827; --shade: #33415a; }
  DARK_RULES
}
body { font: 16px/1.5 system-ui, "Liberation Sans", sans-serif; color: var(--ink); background: var(--paper);
  max-width: 76rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; margin: 1rem 0; background:
  linear-gradient(to left, var(--paper) 40%, transparent) right / 3rem 100% no-repeat local,
  linear-gradient(to left, var(--shade), transparent) right / 1.1rem 100% no-repeat scroll; }
:focus-visible { outline: 3px solid currentcolor; outline-offset: 2px; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: baseline; }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; min-width: 4.5rem; }
.sorts th { cursor: pointer; } th[aria-sort=ascending]::after { content: " ▲"; }
th[aria-sort=descending]::after { content: " ▼"; }
td { white-space: nowrap; } .text { text-align: left; }
td.text { min-width: 8.5rem; white-space: normal; overflow-wrap: break-word; }
p, pre, ul { max-width: 62rem; } summary { cursor: pointer; }
figure { margin: 1.2rem 0; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; } figcaption { color: var(--soft); font-size: .9rem; }
code, pre { font: .85em ui-monospace, "Liberation Mono", monospace; }
pre { white-space: pre-wrap; word-break: break-word; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; border-top: 1px solid var(--line); }
@media (max-width: 40rem) { figure svg { max-width: none; } figcaption { position: sticky; left: 0; } }
@page { margin: 15mm; }
@media print {
  body { margin: 0; max-width: none; font-size: 10.5pt; } h2 { break-after: avoid; } figure, tr { break-inside: avoid; }
  .wide { overflow: visible; background: none; } figure { overflow: visible; } table { font-size: 9pt; }
  th, td { padding: .15rem .4rem; } figure svg { max-height: 19cm; }
  :root { color-scheme: light; } details { display: none; }
}
""".replace("DARK_RULES", DARK_RULES)


# The heading of a column sorts by it, first up, then down; numbers by value, and a range by its first number.
_SORTING = """
document.querySelectorAll("table.sorts th").forEach((th, at) => {
  th.tabIndex = 0;
  const sort = () => {
    const body = th.closest("table").tBodies[0], up = th.ariaSort !== "ascending";
    const key = row => row.cells[at].textContent, number = text => parseFloat(text.replace(/,/g, "").replace("−", "-"));
    [...body.rows].sort((a, b) => {
      const [x, y] = [number(key(a)), number(key(b))];
      return (up ? 1 : -1) * (isNaN(x) || isNaN(y) ? key(a).localeCompare(key(b)) : x - y);
    }).forEach(row => body.append(row));
    th.parentNode.querySelectorAll("th").forEach(other => { other.ariaSort = "none"; });
    th.ariaSort = up ? "ascending" : "descending";
  };
  th.onclick = sort;
  th.onkeydown = event => { if (event.key === "Enter") sort(); };
});
"""


@dataclass(frozen=True, slots=True)
class Look:
    """The attributes of elements: classes in a page, and inline styles in a notebook, which has its own style sheet."""

    table: str = ""
    number: str = ""
    text: str = " class=text"
    heading: str = "h2"
    scrolls: bool = True


_PAGE = Look()
_CELL = "padding:.15em .7em;border-bottom:1px solid rgba(128,128,128,.35);color:inherit;background:none;text-align:"
NOTEBOOK = Look(
    ' style="border-collapse:collapse;margin:.4em 0;color:inherit;background:none"',
    f' style="{_CELL}right"',
    f' style="{_CELL}left"',
    "b",
    scrolls=False,
)


def page_of(title: str, parts: Sequence[Part], *, command: str | None = None) -> str:
    """Return the parts of a document as one self-contained page; `command` is the command that made it."""
    sorts = any(isinstance(part, Table) and part.sorts for part in parts)
    script = f"<script>{_SORTING}</script>" if sorts else ""
    made = f"macrof1 {__version__}, Python {sys.version_info.major}.{sys.version_info.minor}"
    how = f" · <code>{escape(printable(command))}</code>" if command else ""
    # The summary first.
    ordered = sorted(parts, key=lambda part: not (isinstance(part, Sentences) and part.lead))
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><main><h1>{escape(title)}</h1>{html_of(title, ordered)}</main>"
        f"<footer><p>{made}{how}</p></footer>{script}</body></html>\n"
    )


def html_of(title: str, parts: Iterable[Part], look: Look = _PAGE) -> str:
    """Return the parts of a document as a fragment of HTML."""
    found = []
    for part in parts:
        title = part.title or title
        if isinstance(part, Facts):
            shown = _scrolling(part.table(), title, look)
        elif isinstance(part, Sentences):
            shown = "".join(f"<p>{escape(printable(ended(text)))}</p>" for text in part.items)
        elif isinstance(part, Code):
            shown = "".join(f"<pre><code>{escape(text)}</code></pre>" for text in part.lines)
        elif isinstance(part, Chart):
            try:
                svg = part.svg or picture(part.make() if part.make is not None else {}, "svg").decode("utf-8")
                named = f'<svg role="img" aria-label="{escape(part.caption, quote=True)}" '
                drawing = inline(svg).replace("<svg ", named, 1)
                shown = f"<figure tabindex=0>{drawing}<figcaption>{escape(part.caption)}</figcaption></figure>"
            except MissingExtraError as error:
                shown = f"<p>{escape(str(error))}</p>"
        else:
            above = f"<p>{escape(printable(part.caption))}</p>" if part.caption else ""
            shown = above + _scrolling(part, title, look)
            shown = f"<details><summary>{escape(title)}</summary>{shown}</details>" if part.folded else shown
        if shown:
            heading = f"<{look.heading}>{escape(part.title)}</{look.heading}>" if part.title else ""
            found.append(heading + shown)
    return "".join(found)


def _scrolling(table: Table, section: str, look: Look) -> str:
    if not look.scrolls:
        return table_html(table, look)
    # Scrollable areas must be reachable by keyboard and have an accessible name: that of the section.
    named = f'class=wide tabindex=0 role=group aria-label="{escape(section, quote=True)}"'
    return f"<div {named}>{table_html(table, look)}</div>"


def table_html(table: Table, look: Look = _PAGE) -> str:
    """Return a table with every cell escaped."""
    is_text = []
    for column in range(len(table.header)):
        # Columns of sentences are left-aligned too.
        first = [row[column][0] for row in table.rows if row[column]]
        words = any(map(str.isalpha, first)) and not any(map(str.isdigit, first))
        is_text.append(table.is_text(column) or words)

    def line(fields: Sequence[str], tag: str) -> str:
        cells = (
            f"<{tag}{look.text if words else look.number}>{escape(printable(field))}</{tag}>"
            for words, field in zip(is_text, fields, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    body = "".join(line(row, "td") for row in table.rows)
    sorts = " class=sorts" if table.sorts and look is _PAGE else ""
    return f"<table{look.table}{sorts}><thead>{line(table.header, 'th')}</thead><tbody>{body}</tbody></table>"
