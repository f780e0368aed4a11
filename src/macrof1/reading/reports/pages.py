"""HTML tables and notebooks, turned into lines that the other readers know."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

_QUOTED = re.compile(r"\s*(?:>+|#+|//)[ \t]?")
_LOGGED = re.compile(
    r"\s*(?:\[?\d[\dT:,.\-/ Z+]{7,}\]?)?[\s|-]*\[?(?:INFO|DEBUG|WARNING|WARN|ERROR)\]?"
    r"[:\s|-]?(?:\s?[\w.]+\s?[:|-](?= |$) ?)?"
)
_MULTICOLUMN = re.compile(r"\\multi(?:column|row)\{\d+\}\{[^{}]*\}\{([^{}]*)\}")


class _Tables(HTMLParser):
    """Collects the rows of tables as lines with pipes; other text stays as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.row: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002  # of the parser
        if tag == "tr":
            self.row = []
        elif tag in ("td", "th") and self.row is not None:
            self.row.append("")
        elif tag in ("br", "p", "div", "li"):
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr" and self.row is not None:
            self.parts.append("| " + " | ".join(" ".join(cell.split()) for cell in self.row) + " |\n")
            self.row = None
        elif tag == "table":
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if self.row:
            self.row[-1] += data
        elif self.row is None and data.strip():
            self.parts.append(data)


def plain_text(text: str) -> str:
    """Return text whose HTML tables are lines with pipes and whose LaTeX cells are plain."""
    if re.search(r"<t[rdh]\b", text, re.IGNORECASE):
        tables = _Tables()
        tables.feed(text)
        text = "".join(tables.parts)
    return _without_prefixes(_MULTICOLUMN.sub(r"\1", text))


def _without_prefixes(text: str) -> str:
    """Take off what a log, a quotation or a comment puts before every line."""
    lines = text.splitlines()
    said = [line for line in lines if line.strip()]
    for prefix in (_LOGGED, _QUOTED):
        if len(said) > 2 and all(prefix.match(line) for line in said):
            return "\n".join(prefix.sub("", line, count=1) for line in lines)
    return text


def notebook_outputs(text: str) -> list[tuple[str, str]] | None:
    """Return the text of every output of a notebook with the name of its cell; None where it is no notebook."""
    if not (text.lstrip().startswith("{") and '"cells"' in text and '"nbformat"' in text):
        return None
    try:
        cells = json.loads(text)["cells"]
    except (ValueError, KeyError, TypeError):
        return None
    found = []
    for number, cell in enumerate(cells, 1):
        outputs = cell.get("outputs", []) if isinstance(cell, dict) else []
        shown = "\n".join(filter(None, map(_output, outputs)))
        if shown.strip():
            found.append((f"cell {number}", shown))
    return found


def _output(output: Any) -> str:
    """Return what an output shows as text; plain text before HTML, which holds the same."""
    data = output.get("data", {}) if isinstance(output, dict) else {}
    shown = (
        output.get("text") or data.get("text/plain") or data.get("text/html") or "" if isinstance(output, dict) else ""
    )
    return "".join(shown) if isinstance(shown, list) else str(shown)
