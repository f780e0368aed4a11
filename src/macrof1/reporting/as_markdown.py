"""Documents as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from macrof1.reporting.document import Code, Facts, Part, Sentences, Table
from macrof1.reporting.lines import ended, printable


def markdown_of(parts: Sequence[Part]) -> str:
    """Print the parts of a document as paragraphs and tables."""
    return "\n\n".join(filter(None, map(_part_markdown, parts)))


def _part_markdown(part: Part) -> str:
    if isinstance(part, Sentences):
        said = [markdown_text(ended(item)) for item in part.items]
        # Findings are many and alike: a list. Other sentences are a paragraph.
        return "\n".join(f"- {item}" for item in said) if part.most is not None else " ".join(said)
    if isinstance(part, Code):
        return "\n\n".join(f"`{line}`" for line in part.lines)
    if isinstance(part, Facts):
        return table_markdown(part.table())
    if not isinstance(part, Table):
        return ""
    return "\n\n".join([*([markdown_text(part.caption)] if part.caption else []), table_markdown(part)])


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
