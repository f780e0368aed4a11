"""The plain lines of a text: HTML tables, notebooks, and logs without the prefixes of their lines."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import groupby
from textwrap import dedent

from macrof1.reading.reports.vocabulary import key_of, role_of

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
_CLOCK = r"(?:[.,]\d+)?(?:\s?(?:Z|UTC|[AP]M|[+-]\d{2}:?\d{2}))?"
_DATE = r"(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|(?:\w{3},? )?\w{3} +\d{1,2}(?: \d{4})?|[IWEF]\d{4})"
_LEVEL = r"(?:INFO|DEBUG|WARNING|WARN|ERROR|CRITICAL|NOTICE|TRACE)\b"
_TIME = rf"[\[(]?(?:{_DATE}[T ,|-]+\d{{1,2}}:\d{{2}}(?::\d{{2}})?|\d{{1,2}}:\d{{2}}:\d{{2}}){_CLOCK}[\])]?"
# A class may be called ERROR: a log level on its own needs punctuation after it.
_FIRST = re.compile(rf"\s*(?:{_TIME}|[\[(]{_LEVEL}[\])]|{_LEVEL}(?=\s*[:|]|\s+-\s)|\[[^\[\]]*\]<std(?:out|err)>)")
_NEXT = re.compile(rf"[\s|:,-]*(?:{_TIME}|[\[(]?{_LEVEL}[\])]?)")
_SOURCE = re.compile(r"[\s|:,-]*(?P<name>\[[^\[\]]*\]|\d+ [\w./]+:\d+\]|[\w./<>]+)(?:(?<=\])|\s*[:|]|\s+-(?=\s|$))")
_END = re.compile(r"^(?: ?[|:-])? ?")
_AFTER_SOURCE = re.compile(r"^(?: ?[:-])? ?")  # here a bar belongs to a table
_QUOTED = re.compile(r"\s*(?:>+ ?|(?:#+|//|\*|--|%|;)(?:[ \t]|$))")
_RANK = re.compile(r"\s*(?:\d+|\[\w+\]|wandb):(?: |$)")  # of a process: every line has the same one
_FEWEST = 2
# fastText's test-label prints the class last, and dashes for 0/0.
_LABEL_LAST = re.compile(r"^(F1-Score : \S+)  (Precision : \S+)  (Recall : \S+) +(?:__label__)?(\S+)$", re.MULTILINE)
# Spark ML prints the figures of classes below their names: "Precision by label:", then "label 0: 0.69".
_BY_LABEL = re.compile(r"^[^\w\n]*(\w[\w -]*?) by label:?\n((?:label .+(?:\n|$))+)", re.MULTILINE)


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
    """Return text without colours, drawn lines and prefixes, with HTML tables as lines with pipes."""
    text = _ASIDE.sub("", text)
    if text.count("\\n") >= _FEWEST_BREAKS:
        # Text with escaped line breaks, as notebooks and JSON show a report that was not printed, moves to the end.
        for string in [found[0] for found in _STRING.finditer(text) if found[0].count("\\n") >= _FEWEST_BREAKS]:
            plain = re.sub(r"\\(.)", lambda mark: _ESCAPED.get(mark[1], mark[1]), string[1:-1])
            text = text.replace(string, "''", 1) + f"\n\n{plain}\n"
    text = _GAP.sub(" " * _WIDEST_GAP, _THOUSANDS.sub("", _COLOURS.sub("", text)).translate(_DRAWN))
    if _PAGE.search(text):
        page = _Page()
        page.feed(text)
        page.close()
        text = "".join(page.parts)
    if "&" in text:
        text = _ROW_END.sub("\n", _MULTICOLUMN.sub(r"\1", text))
    text = _DOUBLE_BARS.sub(lambda found: found[0].replace("||", "|"), without_prefixes(text))
    text = _LABEL_LAST.sub(lambda found: f"{found[4]}: {found[1]}; {found[2]}; {found[3]}".replace("-" * 8, "0"), text)
    text = _BY_LABEL.sub(lambda found: "\n" + re.sub("label (.+?):", rf"class \1 {found[1]}:", found[2]), text)
    # An array that NumPy printed on several lines becomes one.
    return _WRAPPED.sub(lambda found: found[0].replace("\n", " ") + "\n" * found[0].count("\n"), dedent(text))


def notebook_outputs(text: str) -> list[tuple[str, str]] | None:
    """Return the text of every output of a notebook with the name of its cell; None if it is not a notebook."""
    if not (text.lstrip().startswith("{") and '"cells"' in text and '"nbformat"' in text):
        return None
    found = []
    try:
        for number, cell in enumerate(json.loads(text)["cells"], 1):
            shown = []
            for output in cell.get("outputs", []) if isinstance(cell, dict) else []:
                if isinstance(output, dict):  # plain text in preference to HTML, which holds the same
                    data = output.get("data", {})
                    text = output.get("text") or data.get("text/plain") or data.get("text/html") or ""
                    shown.append("".join(text) if isinstance(text, list) else str(text))
            if (whole := "\n".join(filter(None, shown))).strip():
                found.append((f"cell {number}", whole))
    except (ValueError, KeyError, TypeError, AttributeError):  # something else that has cells
        return None
    return found


def without_prefixes(text: str) -> str:
    """Remove the prefixes of log lines, or those of every line of a quotation or a comment."""
    lines = text.splitlines()
    logged = {}
    for number, line in enumerate(lines):
        found = _FIRST.match(line)
        while found is not None:  # dates, times and levels
            logged[number] = found.end()
            found = _NEXT.match(line, found.end())
    if logged:
        return "\n".join(_without_sources(lines, logged))
    said = [line for line in lines if line.strip()]
    if len(said) <= _FEWEST:
        return text
    ranks = {found[0].strip() if (found := _RANK.match(line)) else None for line in said}
    if len(ranks) == 1 and None not in ranks:
        return "\n".join(_RANK.sub("", line, count=1) for line in lines)
    kept = []  # without the marks of blocks of quoted or commented lines, in the middle of code too
    for is_quoted, block in groupby(lines, key=lambda line: bool(_QUOTED.match(line) or not line.strip())):
        whole = list(block)
        several = is_quoted and sum(bool(line.strip()) for line in whole) > _FEWEST
        kept += [_QUOTED.sub("", line, count=1) for line in whole] if several else whole
    return "\n".join(kept)


def _without_sources(lines: list[str], logged: dict[int, int]) -> list[str]:
    """Remove these prefixes, and module names that all lines share, from log lines."""
    separator = _END
    while len(logged) >= _FEWEST:
        found = {number: _SOURCE.match(lines[number], end) for number, end in logged.items()}
        names = {re.sub(r"\d+", "0", match["name"]) if match else "" for match in found.values()}
        # A word that all lines share may be "macro".
        if len(names) != 1 or not all(names) or any(role_of(name) or key_of(name) for name in names):
            break
        logged = {number: match.end() for number, match in found.items() if match is not None}
        separator = _AFTER_SOURCE
    rest = [line[logged.get(number, 0) :] for number, line in enumerate(lines)]
    return [separator.sub("", line, count=1) if number in logged else line for number, line in enumerate(rest)]
