"""Documents as HTML: a page that opens anywhere, works offline and prints well, or a fragment for a notebook.

Charts are embedded as SVG; the only script sorts a table by the column whose heading is chosen. Data is always inserted
as text, never as markup.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files

from macrof1 import __version__
from macrof1.errors import MissingExtraError
from macrof1.reporting.as_text import ended, printable
from macrof1.reporting.charts import DARK_RULES, drawn, inline, picture
from macrof1.reporting.document import Chart, Code, Facts, Part, Sentences, Table


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
    script = f"<script>{_beside('sorting.js')}</script>" if sorts else ""
    style = _beside("page.css").replace("DARK_RULES", DARK_RULES)
    made = f"macrof1 {__version__}, Python {sys.version_info.major}.{sys.version_info.minor}"
    how = f" · <code>{escape(printable(command))}</code>" if command else ""
    # The summary first.
    ordered = sorted(parts, key=lambda part: not (isinstance(part, Sentences) and part.lead))
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head><body><main><h1>{escape(title)}</h1>{html_of(title, ordered)}</main>"
        f"<footer><p>{made}{how}</p></footer>{script}</body></html>\n"
    )


@cache
def _beside(name: str) -> str:
    return files("macrof1.reporting").joinpath(name).read_text(encoding="utf-8")


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
                svg = part.svg or picture(drawn(part), "svg").decode("utf-8")
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
