"""Documents as HTML, as Markdown, and as LaTeX for a paper, with figures and signature in the caption."""

from __future__ import annotations

import re
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

# The number of lines that fit on a page; longer tables run over several. The number of columns that fit across it.
_ONE_PAGE = 48
_MOST_COLUMNS = 8
_LATEX = str.maketrans({
    "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%", "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # Characters that pdfLaTeX does not support directly.
    "−": "$-$", "≤": r"$\le$", "≥": r"$\ge$", "→": r"$\to$", "←": r"$\leftarrow$", "×": r"$\times$",
    "†": r"\textdagger{}",
})  # fmt: skip


def markdown_of(parts: Sequence[Part]) -> str:
    """Print the parts of a document as paragraphs and tables."""
    found = []
    for part in parts:
        if isinstance(part, Sentences):
            said = [markdown_text(ended(item)) for item in part.items]
            # Findings are many and alike: a list. Other sentences are a paragraph.
            found.append("\n".join(f"- {item}" for item in said) if part.most is not None else " ".join(said))
        elif isinstance(part, Code):
            found += [f"`{line}`" for line in part.lines]
        elif isinstance(part, Facts):
            found.append(table_markdown(part.table()))
        elif isinstance(part, Table):
            found += [markdown_text(part.caption), table_markdown(part)]
    return "\n\n".join(filter(None, found))


def table_markdown(table: Table) -> str:
    """Return a Markdown table, with the cells escaped."""

    def line(fields: Sequence[str]) -> str:
        return f"| {' | '.join(map(markdown_text, fields))} |"

    rule = ["---" if table.is_text(column) else "---:" for column in range(len(table.header))]
    return "\n".join([line(table.header), f"|{'|'.join(rule)}|", *map(line, table.rows)])


def markdown_text(text: str) -> str:
    """Escape Markdown syntax."""
    escaped = re.sub(r"([\\|*`\[]|(?<!\w)_|_(?!\w))", r"\\\1", printable(text)).replace("<", "&lt;")
    # At the start of a line, these would start a heading, a quotation or a list item.
    return re.sub(r"^(\d*)(#|>|[-+](?=\s)|(?<=\d)[.)](?=\s))", r"\1\\\2", escaped)


def latex_text(text: str) -> str:
    """Escape LaTeX special characters."""
    escaped = printable(text).translate(_LATEX)
    # At the start of a line, the preceding line break command would take these as its argument.
    return "{}" + escaped if escaped.startswith(("[", "*")) else escaped


def latex_of(title: str, parts: Sequence[Part]) -> str:
    """Typeset the parts of a document: the first table carries the figures, the signature and the sentences."""
    tables, sentences, figures, lines, advice = [], [], [], [], []
    for part in parts:
        if isinstance(part, Sentences):
            sentences += [latex_text(ended(item)) for item in part.items]
        elif isinstance(part, Code):
            # Lines may break after each part of a signature.
            lines += [latex_text(line).replace(r"\textbar{}", r"\textbar{}\allowbreak{}") for line in part.lines]
        elif isinstance(part, Facts) and part.in_caption:
            figures += [
                f"{fact.name} {fact.value}" + (f" ({fact.beside})" if fact.beside else "") for fact in part.rows
            ]
            advice += [f"% {printable(fact.name)}: {fact.advice}" for fact in part.rows if fact.advice]
        elif isinstance(part, Facts):
            tables.append(part.table())
        elif isinstance(part, Table):
            is_wide = part.breaks and len(part.header) > _MOST_COLUMNS
            tables += part.split(lambda places: len(places) <= _MOST_COLUMNS) if is_wide else [part]
    found = list(advice)
    for place, table in enumerate(tables):
        said = table.caption or (table.title if place else "") or title
        caption = [latex_text(ended(said.rstrip(":")))]
        if not place:
            caption += [latex_text(f"{'; '.join(figures)}.")] if figures else []
            caption += [rf"\texttt{{{line}}}" for line in lines]
        found.append(table_latex(table, caption=" ".join(caption), notes=[] if place else sentences))
    return "\n".join(found if tables else [*found, *sentences, *(rf"\texttt{{{line}}}" for line in lines)])


def table_latex(table: Table, *, caption: str, notes: Sequence[str] = ()) -> str:
    """Typeset a table that floats, or runs over several pages if need be. `caption` and `notes` are LaTeX."""
    n = len(table.header)
    # Columns of sentences are wrapped.
    long = [
        table.is_text(column) and (column == table.words or any(len(row[column]) > 40 for row in table.rows))
        for column in range(n)
    ]
    wide = rf"p{{{0.22 if n > 4 else 0.8 / (1 + sum(long)):.2g}\linewidth}}"
    columns = "".join(wide if long[place] else "l" if table.is_text(place) else "r" for place in range(n))
    head, *lines = (" & ".join(map(latex_text, line)) + r" \\" for line in (table.header, *table.rows))
    if len(lines) > _ONE_PAGE:
        start = [r"% needs \usepackage{booktabs,longtable}", r"{\footnotesize\setlength{\tabcolsep}{3pt}"]
        start += [rf"\begin{{longtable}}{{{columns}}}", r"\toprule", head, r"\midrule", r"\endhead"]
        # Here the small print may also run over a page.
        end = [r"\end{longtable}", rf"\noindent {' '.join(notes)}\par}}"] if notes else [r"\end{longtable}}"]
        return "\n".join([*start, r"\bottomrule", r"\endfoot", *lines, rf"\caption{{{caption}}}", *end])
    tabular = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *lines, r"\bottomrule"]
    tabular.append(r"\end{tabular}")
    below = [r"\par\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize {' '.join(notes)}}}"] if notes else []
    start = [r"% needs \usepackage{booktabs}", r"\begin{table}", r"\centering", r"\small\setlength{\tabcolsep}{4pt}"]
    return "\n".join([*start, *tabular, *below, rf"\caption{{{caption}}}", r"\end{table}"])


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
