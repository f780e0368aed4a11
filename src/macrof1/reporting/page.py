"""A self-contained HTML file that opens anywhere, works offline, and prints well.

Charts are embedded as SVG, so it needs no scripts at all. Data is always inserted as text, never as markup.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from macrof1 import __version__
from macrof1.reporting.charts.look import DARK_RULES, picture
from macrof1.reporting.lines import printable
from macrof1.reporting.table import Table

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


def _is_words(cells: Iterable[str]) -> bool:
    """Whether a column holds sentences, which are left-aligned, rather than numbers."""
    first = [cell[0] for cell in cells if cell]
    return any(map(str.isalpha, first)) and not any(map(str.isdigit, first))


class Page:
    """Collects headings, sentences, tables and charts into one HTML document.

    Examples
    --------
    >>> page = Page("Scores")
    >>> page.text("averaged F1 is <b>not</b> markup")
    >>> "&lt;b&gt;not" in page.html()
    True
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self._parts: list[str] = []
        self._section = title

    def heading(self, text: str) -> None:
        """Start a section."""
        self._section = text
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def text(self, *paragraphs: str) -> None:
        """Add paragraphs."""
        self._parts += [f"<p>{escape(printable(text))}</p>" for text in paragraphs]

    def section(self, heading: str, paragraphs: Sequence[str]) -> None:
        """Add a section of paragraphs, if there are any."""
        if paragraphs:
            self.heading(heading)
            self.text(*paragraphs)

    def code(self, *texts: str) -> None:
        """Add preformatted text: a command, a signature, LaTeX."""
        self._parts += [f"<pre><code>{escape(text)}</code></pre>" for text in texts]

    def table(self, table: Table) -> None:
        """Add a table."""
        is_text = [
            column < table.n_text or _is_words(str(row[column]) for row in table.rows)
            for column in range(len(table.header))
        ]

        def line(fields: Any, tag: str) -> str:
            cells = (
                f"<{tag}{' class=text' if words else ''}>{escape(printable(field))}</{tag}>"
                for words, field in zip(is_text, fields, strict=True)
            )
            return f"<tr>{''.join(cells)}</tr>"

        body = "".join(line(row, "td") for row in table.rows)
        head = line(table.header, "th")
        # Scrollable areas must be reachable by keyboard and have an accessible name: that of the section.
        named = f'class=wide tabindex=0 role=group aria-label="{escape(self._section, quote=True)}"'
        self._parts.append(f"<div {named}><table><thead>{head}</thead><tbody>{body}</tbody></table></div>")

    def folded(self, title: str, table: Table) -> None:
        """Add a long table that is collapsed by default and not printed."""
        self._parts.append(f"<details><summary>{escape(title)}</summary>")
        self.table(table)
        self._parts.append("</details>")

    def chart(self, chart: Any, *, caption: str) -> None:
        """Draw a chart and add it."""
        self.drawing(picture(chart, "svg").decode("utf-8"), caption=caption)

    def drawing(self, svg: str, *, caption: str) -> None:
        """Add a chart that is already drawn."""
        drawing = re.sub(r"^<\?xml[^>]*>\s*", "", svg)
        label = escape(caption, quote=True)
        drawing = drawing.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
        self._parts.append(f"<figure tabindex=0>{drawing}<figcaption>{escape(caption)}</figcaption></figure>")

    def html(self, *, command: str | None = None) -> str:
        """Return the whole document; `command` is the command that made it."""
        made = f"macrof1 {__version__}, Python {sys.version_info.major}.{sys.version_info.minor}"
        how = f" · <code>{escape(command)}</code>" if command else ""
        return (
            "<!doctype html>\n"
            f'<html lang="en"><head><meta charset="utf-8"><title>{escape(self.title)}</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<style>{_STYLE}</style></head><body><main><h1>{escape(self.title)}</h1>{''.join(self._parts)}</main>"
            f"<footer><p>{made}{how}</p></footer></body></html>\n"
        )
