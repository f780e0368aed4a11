"""The text of a report: HTML tables and notebooks as lines that the other readers understand."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from textwrap import dedent
from typing import Any

from macrof1.reading.reports.prefixes import without_prefixes

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_BARS = dict.fromkeys(map(ord, "│┃║┆┇┊┋╎╏"), "|")
_DASHES = dict.fromkeys(map(ord, "─━═┄┅┈┉╌╍"), "-")
_DRAWN = {**dict.fromkeys(range(0x2500, 0x2580), "+"), **_BARS, **_DASHES, 0xA0: " ", 0x202F: " ", 0xFEFF: None}
_THOUSANDS = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_WRAPPED = re.compile(r"(?<!\[)\[[\d\s.,eE+-]*\n[\d\s.,eE+-]*\](?!\s*\])")
_ASIDE = re.compile(r"<BLANKLINE>|[ \t]+←.*")  # of doctest, and notes behind a row
_DOUBLE_BARS = re.compile(r"^[ \t]*\|\|.*", re.MULTILINE)
_STRING = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"")
_ESCAPED = {"n": "\n", "t": "\t", "r": ""}
_FEWEST_BREAKS = 2
_WIDEST_GAP = 500
_GAP = re.compile(rf"[ \t]{{{_WIDEST_GAP},}}")  # wider than any table; patterns would take quadratic time
_ROW_END = re.compile(r"(?<=\\\\)(?:\[[^\]\n]*\])?[ \t]*(?=\S)")
_PAGE = re.compile(r"<t[rdh]\b|</(?:html|body|pre|code|div|span|p)>|<br ?/?>", re.IGNORECASE)
# Other names in angle brackets are classes, such as <unk>.
_TAG = re.compile(
    r"</?(?:html|head|body|title|meta|link|style|script|h[1-6r]|main|section|article|header|footer|nav|details|summary|figure"
    r"|table|caption|colgroup|col|thead|tbody|tfoot|tr|td|th|pre|code|samp|div|span|p|br|ul|ol|li|dl|dt|dd|a|b|i|u|s|strong|em"
    r"|small|sup|sub|font|center|img|svg|button|input|label|form)\b[^<>]*>",
    re.IGNORECASE,
)
_MULTICOLUMN = re.compile(r"\\multi(?:column|row)\{\d+\}\{[^{}]*\}\{([^{}]*)\}")


class _Page(HTMLParser):
    """Collects the text of a page, and the rows of its tables as lines with pipes."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.row: list[str] | None = None
        self.in_table = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002  # of the parser
        if tag == "tr":
            self.row = []
        elif tag == "table":
            self.in_table = True
        elif tag in ("td", "th") and self.row is not None:
            self.row.append("")
        elif tag in ("br", "p", "div", "li", "pre"):
            self.parts.append("\n")
        elif not _TAG.fullmatch(f"<{tag}>"):
            self.handle_data(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr" and self.row is not None:
            self.parts.append("| " + " | ".join(" ".join(cell.split()) for cell in self.row) + " |\n")
            self.row = None
        elif tag == "table":
            self.in_table = False
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if self.row:
            self.row[-1] += data
        elif self.row is None and (data.strip() or not self.in_table):
            self.parts.append(data)


def plain_text(text: str) -> str:
    r"""Return text without colours, drawn lines and prefixes, with HTML tables as lines with pipes.

    Examples
    --------
    >>> plain_text("\x1b[1m│ F1 │ 0.5 │\x1b[0m")
    '| F1 | 0.5 |'
    """
    text = _with_strings_behind(_ASIDE.sub("", text))
    text = _GAP.sub(" " * _WIDEST_GAP, _THOUSANDS.sub("", _COLOURS.sub("", text)).translate(_DRAWN))
    if _PAGE.search(text):
        page = _Page()
        page.feed(text)
        page.close()
        text = "".join(page.parts)
    if "&" in text:
        text = _ROW_END.sub("\n", _MULTICOLUMN.sub(r"\1", text))
    text = _DOUBLE_BARS.sub(lambda found: found[0].replace("||", "|"), without_prefixes(text))
    return _WRAPPED.sub(_unwrapped, dedent(text))


def _with_strings_behind(text: str) -> str:
    r"""Move text with escaped line breaks, as notebooks and JSON show a report that was not printed, to the end."""
    if text.count("\\n") < _FEWEST_BREAKS:
        return text
    moved = [found[0] for found in _STRING.finditer(text) if found[0].count("\\n") >= _FEWEST_BREAKS]
    for string in moved:
        plain = re.sub(r"\\(.)", lambda mark: _ESCAPED.get(mark[1], mark[1]), string[1:-1])
        text = text.replace(string, "''", 1) + f"\n\n{plain}\n"
    return text


def _unwrapped(found: re.Match[str]) -> str:
    """Join an array that NumPy printed on several lines into one."""
    return found[0].replace("\n", " ") + "\n" * found[0].count("\n")


def notebook_outputs(text: str) -> list[tuple[str, str]] | None:
    """Return the text of every output of a notebook with the name of its cell; None if it is not a notebook."""
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
    """Return what an output shows as text; plain text in preference to HTML, which holds the same."""
    if not isinstance(output, dict):
        return ""
    data = output.get("data", {})
    shown = output.get("text") or data.get("text/plain") or data.get("text/html") or ""
    return "".join(shown) if isinstance(shown, list) else str(shown)
