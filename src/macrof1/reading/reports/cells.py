"""Cells of printed tables: markup removed, figures distinguished from words."""

from __future__ import annotations

import html
import re
from typing import Final

NUMBER: Final = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?(?:[eE][+-]?\d{1,3})?|\.\d+)"
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
    plain = _PARTS.sub("", without_spread(unmarked(text))).strip()
    found = _FIGURE.fullmatch(plain)
    return found[1].replace(" ", "") if found else None


def parts_of(text: str) -> tuple[str, str] | None:
    """Return the two counts printed with a ratio: ``50.50% (101/200)``."""
    found = _PARTS.search(text)
    return (found[1], found[2]) if found else None
