"""Cells of printed tables: lines split into them, markup removed, figures distinguished from words."""

from __future__ import annotations

import csv
import html
import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Separator: TypeAlias = Literal["pipes", "ampersands", "tabs", "semicolons", "commas", "spaces"]

RATIO: Final = r"(?:\d+(?:[.,]\d+)?(?:[eE][+-]?\d{1,3})?|\.\d+)"
NUMBER: Final = rf"(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|{RATIO})"
_EMPTY = frozenset({"", "-", "–", "—", "--", "---", "n/a", "na", "nan", "none", "null", "?", "…", "...", "undefined"})
_MARKS = re.compile(
    r"\*\*|__|`|(?<!\\)\$|\\(?:textbf|textit|emph|underline|mathbf|bf|it|uline)\b|[{}]|\\(?=%)|[*†‡_]+$|^[*_]+"
)
# A label such as <title> is not markup.
_TAGS = re.compile(
    r"</?(?:b|i|u|em|strong|code|tt|kbd|span|font|small|mark|sub|sup|a|p|br|div|pre|ul|ol|li|center|t[dhr])\b[^<>]*>",
    re.IGNORECASE,
)
_NUMPY = re.compile(r"(?:np\.|numpy\.)?(?:float|int)(?:16|32|64)\(([^()]*)\)")
_SPREAD = re.compile(
    rf"\(?\s*(?:±|\+/-|\+-|\\pm)\s*{NUMBER}\s*%?\s*\)?|\((?:sd|std|σ)?\s*=?\s*{NUMBER}\s*%?\)(?=\s|$)", re.IGNORECASE
)
_PARTS = re.compile(r"\(\s*(\d+)\s*/\s*(\d+)\s*\)")
_FIGURE = re.compile(rf"[<>~≈]?\s*({NUMBER}\s*%?)")
_PLAIN = re.compile(r"\d+(?:\.\d+)?%?")
_RULE = re.compile(r"(?=[^-=_─━═]*[-=_─━═]{2})[\s|+:=_─━═┼-]+|(?:\\[A-Za-z]+\*?(?:[\[({][^\])}]*[\])}])*\s*)+")
_ROW_END = re.compile(r"\\\\.*$|\\(?:hline|toprule|midrule|bottomrule)")
_SPACED_PERCENT = re.compile(r"(?<=\d) %")
# 2 457 behind two spaces or more is one number of a column, as is one with a no-break or thin space anywhere.
_SPACED_THOUSANDS = re.compile(
    r"(?<=\s\s)\d{1,3}(?: \d{3})+(?=\s\s|\s*$)|(?<!\S)\d{1,3}(?:[\u00a0\u202f\u2009]\d{3})+(?!\S)"
)


def unmarked(text: str) -> str:
    r"""Remove markup for bold, italics, code, links and entities.

    Examples
    --------
    >>> unmarked("**0.68**"), unmarked(r"\textbf{91.2}"), unmarked("<b>0.5</b>"), unmarked("`∅`")
    ('0.68', '91.2', '0.5', '∅')
    """
    if text.count("`") == 2 and text.strip().startswith("`"):
        return text.strip().strip("`")
    plain = _TAGS.sub(" ", html.unescape(text)) if "<" in text or "&" in text else text
    return _MARKS.sub("", _NUMPY.sub(r"\1", plain)).strip()


def without_spread(line: str) -> str:
    """Drop a spread: ``± 0.8``, ``(+/- 15.57%)``."""
    return _SPREAD.sub(" ", line)


def is_empty(text: str) -> bool:
    """Whether a cell says that there is no figure."""
    return text.strip().casefold() in _EMPTY


def figure_of(text: str) -> str | None:
    """Return the figure in a cell as printed, without markup and spread; None if there is none.

    Examples
    --------
    >>> figure_of("**0.68**"), figure_of("75.45% (+/- 25.25%)"), figure_of("2,276"), figure_of("50.50% (101/200)")
    ('0.68', '75.45%', '2,276', '50.50%')
    >>> figure_of("cat"), figure_of("-")
    (None, None)
    """
    if _PLAIN.fullmatch(text):
        return text
    plain = _PARTS.sub("", without_spread(unmarked(text))).strip()
    found = _FIGURE.fullmatch(plain)
    return found[1].replace(" ", "") if found else None


def add_parts(figures: dict[str, str], kind: str, text: str) -> None:
    """Add the two counts printed with precision or recall: ``50.50% (101/200)``."""
    whole = {"precision": "predicted", "recall": "support"}.get(kind)
    found = _PARTS.search(text)
    if whole is not None and found is not None:
        figures.setdefault("tp", found[1])
        figures.setdefault(whole, found[2])


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell and where it ends on its line."""

    text: str
    end: int


def is_rule(line: str) -> bool:
    """Whether a line is only a separator: ``|---|---|``, ``=====``, a LaTeX rule."""
    return bool(_RULE.fullmatch(line.strip()))


def separator_of(line: str) -> Separator:
    """Return what separates the cells of a line."""
    if line.count("|") >= 2 or "│" in line:
        return "pipes"
    if len(re.findall(r"(?<!\\)&", line)) >= 2 and "&amp;" not in line:
        return "ampersands"
    if line.strip().count("\t") >= 2:
        return "spaces" if re.search(r"\t\s*\t", line.strip()) else "tabs"
    if line.count(";") >= 2:
        return "semicolons"
    # Prose has a space after a comma; a line of a CSV file does not.
    return "commas" if line.count(",") >= 2 and not re.search(r"\s{3,}\S", line.strip()) else "spaces"


def cells_of(line: str, separator: Separator) -> list[str]:
    """Split a line that is not aligned by spaces."""
    if separator == "pipes":
        inner = re.sub(r"^\|?|\|?$", "", line.replace("│", "|").strip())
        return [cell.replace(r"\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inner)]
    if separator == "ampersands":
        cells = re.split(r"(?<!\\)&", _ROW_END.sub("", line))
        return [re.sub(r"\\(?=[&#_%])", "", cell).strip() for cell in cells]
    if separator == "tabs":
        return [cell.strip() for cell in line.rstrip("\n").split("\t")]
    mark = ";" if separator == "semicolons" else ","
    return [cell.strip() for cell in next(csv.reader([line.strip()], delimiter=mark))]


def aligned(line: str) -> list[Cell]:
    """Split a line into words, without spreads, and with percent signs joined to their numbers."""
    kept = _SPACED_PERCENT.sub("%", without_spread(line.replace("**", "")))
    kept = _SPACED_THOUSANDS.sub(lambda number: re.sub(r"\D", "", number[0]).rjust(len(number[0])), kept)
    return [Cell(found[0], found.end()) for found in re.finditer(r"\S+", kept)]


def holds_figure(text: str) -> bool:
    """Whether a cell can be in a column of figures."""
    return is_empty(text) or figure_of(text) is not None


def label_of(text: str) -> str:
    """Return the name of a row without markup.

    Examples
    --------
    >>> label_of("**Macro avg**"), label_of("`␣`"), label_of("cat:"), label_of("- dog")
    ('Macro avg', '␣', 'cat', 'dog')
    """
    plain = re.sub(r"^[-•] (?=\S)", "", text.strip())
    if len(plain) > 2 and plain[0] == plain[-1] == "`":
        return plain[1:-1]
    if any(mark in plain for mark in ("**", "\\text", "\\emph", "\\bf", "</", "__")):
        plain = unmarked(plain)
    if len(plain) > 2 and plain[0] == plain[-1] and plain[0] in "*_":
        plain = plain[1:-1]
    return plain.removesuffix(":").strip()
