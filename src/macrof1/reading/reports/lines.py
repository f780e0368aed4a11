"""Lines of text as rows of cells: separated by pipes, tabs, ampersands or commas, or aligned by spaces."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from macrof1.reading.reports.cells import figure_of, is_empty, unmarked, without_spread

Separator: TypeAlias = Literal["pipes", "ampersands", "tabs", "semicolons", "commas", "spaces"]

_RULE = re.compile(r"(?=[^-=_─━═]*[-=_─━═]{2})[\s|+:=_─━═┼-]+|(?:\\[A-Za-z]+\*?(?:[\[({][^\])}]*[\])}])*\s*)+")
_ROW_END = re.compile(r"\\\\.*$|\\(?:hline|toprule|midrule|bottomrule)")
_SPACED_PERCENT = re.compile(r"(?<=\d) %")


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
