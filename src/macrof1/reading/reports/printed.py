"""What printed reports are made of: lines split into cells, figures as text, classes and averages."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from macrof1.reading.reports.vocabulary import ERRORS, RATIOS, phrase, role_of

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
    """Remove markup for bold, italics, code, links and entities."""
    if text.count("`") == 2 and text.strip().startswith("`"):
        return text.strip().strip("`")
    untagged = _TAGS.sub(" ", html.unescape(text)) if "<" in text or "&" in text else text
    return _MARKS.sub("", _NUMPY.sub(r"\1", untagged)).strip()


def plain(text: str) -> str:
    """Remove markup, and a spread: ``± 0.8``, ``(+/- 15.57%)``."""
    return _SPREAD.sub(" ", unmarked(text))


def figure_of(text: str) -> str | None:
    """Return the figure in a cell as printed, without markup and spread; None if there is none."""
    if _PLAIN.fullmatch(text):
        return text
    found = _FIGURE.fullmatch(_PARTS.sub("", plain(text)).strip())
    return found[1].replace(" ", "") if found else None


def add_parts(figures: dict[str, str], kind: str, text: str) -> None:
    """Add the two counts printed with precision or recall: ``50.50% (101/200)``."""
    whole = {"precision": "predicted", "recall": "support"}.get(kind)
    found = _PARTS.search(text)
    if whole is not None and found is not None:
        figures.setdefault("tp", found[1])
        figures.setdefault(whole, found[2])


class Cell(NamedTuple):
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
    kept = _SPACED_PERCENT.sub("%", _SPREAD.sub(" ", line.replace("**", "")))
    kept = _SPACED_THOUSANDS.sub(lambda number: re.sub(r"\D", "", number[0]).rjust(len(number[0])), kept)
    return [Cell(found[0], found.end()) for found in re.finditer(r"\S+", kept)]


def holds_figure(text: str) -> bool:
    """Whether a cell can be in a column of figures: it has one, or says that there is none."""
    return text.strip().casefold() in _EMPTY or figure_of(text) is not None


def label_of(text: str) -> str:
    """Return the name of a row without markup."""
    name = re.sub(r"^[-•] (?=\S)", "", text.strip())
    if len(name) > 2 and name[0] == name[-1] == "`":
        return name[1:-1]
    if any(mark in name for mark in ("**", "\\text", "\\emph", "\\bf", "</", "__")):
        name = unmarked(name)
    if len(name) > 2 and name[0] == name[-1] and name[0] in "*_":
        name = name[1:-1]
    return name.removesuffix(":").strip()


@dataclass(slots=True)
class PrintedClass:
    """One class and its figures as printed, by kind: precision, recall, f1, support, tp, fp, fn."""

    label: str
    figures: dict[str, str]


@dataclass(slots=True)
class PrintedReport:
    """The contents of one report, figure by figure as printed."""

    source: str  # the format it was read as: ``"scikit-learn report"``, ``"Markdown table"``
    line: int = 0
    name: str | None = None
    end: int = 0  # the line after it
    in_prose: bool = False  # whether all its figures are from sentences, which belong to no table
    classes: list[PrintedClass] = field(default_factory=list)
    averages: dict[str, dict[str, str]] = field(default_factory=dict)
    """Figures of the averages by role: macro, micro, weighted, samples, average, total."""
    accuracy: str | None = None
    accuracy_apart: bool = False  # whether the accuracy is not from the table itself, and may be of something else
    n_classes: int | None = None
    matrix: list[list[int]] | None = None  # a confusion matrix with gold labels as rows
    unnamed: list[str] = field(default_factory=list)  # figures next to counts that the text does not name
    remarks: list[str] = field(default_factory=list)  # how unnamed figures were identified, and what was not used
    of_other_data: bool = False
    """Whether its names say that it does not belong to the table above it: "5-fold CV macro F1"."""
    of_runs: bool | Literal["seeds"] | None = None
    """Whether words around it say that its figures are means over folds, seeds or runs; None if they say nothing."""
    labelled: bool = False  # whether a header says that its rows are classes
    unsure_average: bool = False
    """Whether its weighted average is called "avg / total", which may also be the micro average."""

    @property
    def macro(self) -> dict[str, str]:
        """The macro figures; if none are called macro, those of an average without another name."""
        return self.averages.get("macro") or self.averages.get("average") or {}

    @property
    def kinds(self) -> list[str]:
        """The kinds of figures that the classes have."""
        seen = {kind for row in self.classes for kind in row.figures}
        return [kind for kind in (*RATIOS, "support", *ERRORS) if kind in seen]

    def add(self, role: str, figures: dict[str, str]) -> None:
        """Add the figures of an average; the first of a kind is kept."""
        self.averages[role] = {**figures, **self.averages.get(role, {})}

    def add_row(self, label: str, role: str | None, figures: dict[str, str]) -> None:
        """Add a class, an average or the accuracy."""
        if role == "accuracy":
            # If the header is shifted, the support may look like the F1.
            ratios = [text for text in figures.values() if re.search(r"[.,%]", text)]
            self.accuracy = next(iter([*ratios, *figures.values()]), None)
        elif role is not None:
            self.add(role, figures)
            self.unsure_average |= role == "weighted" and phrase(label) == "avg total"
            self.of_runs = self.of_runs or (True if role == "run" else None)
        else:
            self.classes.append(PrintedClass(label, figures))

    def add_cells(self, text: str) -> None:
        """Add the cells of a two-class table, printed as tn fp fn tp, as the counts of both classes."""
        numbers = re.findall(r"\d+", text)
        if len(numbers) == 4:
            tn, fp, fn, tp = numbers
            positive, negative = {"tp": tp, "fp": fp, "fn": fn}, {"tp": tn, "fp": fn, "fn": fp}
            self.classes = [PrintedClass("negative", negative), PrintedClass("positive", positive)]
            self.n_classes = 2

    def takes(self, other: PrintedReport) -> bool:
        """Whether the text that follows belongs to this report: it adds figures and repeats none."""
        if (self.macro.get("f1") and other.macro.get("f1")) or (self.matrix and other.matrix):
            return False
        if self.classes and other.classes:
            # A table that has its matrix does not take the table of the next run.
            alone = [one.matrix is not None and one.source == "confusion matrix" for one in (self, other)]
            return alone[0] != alone[1] and len(self.classes) == len(other.classes)
        if self.classes and other.of_other_data:
            return False
        if other.classes and (self.macro or self.accuracy) and not other.matrix:
            return False
        both = self.averages.keys() & other.averages.keys()
        repeats = any(self.averages[role].keys() & other.averages[role].keys() for role in both)
        return not repeats and not (self.accuracy and other.accuracy)

    def repeats(self, above: PrintedReport) -> bool:
        """Whether no average of this report differs from one above it; flair prints the macro F1 before its table."""
        return all(
            above.averages[role].get(kind, text) == text
            for role, figures in self.averages.items() if role in above.averages
            for kind, text in figures.items()
        ) and (not self.averages or self.macro.get("f1") == above.macro.get("f1"))  # fmt: skip

    def take(self, other: PrintedReport) -> None:
        """Add the figures that follow in the text."""
        if not self.classes or (self.matrix and other.classes):
            self.classes, self.source = other.classes or self.classes, other.source if other.classes else self.source
        for role, figures in other.averages.items():
            self.add(role, figures)
        if other.accuracy and not self.accuracy:
            # An accuracy beside a table of classes may be of something else: tokens, exact matches.
            self.accuracy, self.accuracy_apart = other.accuracy, other.accuracy_apart or not other.classes
        elif self.accuracy and other.classes:
            self.accuracy_apart = True
        self.end = max(self.end, other.end)
        self.line = min(self.line, other.line)
        self.n_classes = self.n_classes or other.n_classes
        self.matrix = self.matrix or other.matrix
        self.name = self.name or other.name
        self.remarks += other.remarks


def roles_of(rows: Sequence[tuple[str, Mapping[str, str]]]) -> list[str | None]:
    """Return the role of every row, None for a class; a class may be called "micro", "average" or "total".

    A name of one word is a class if "macro avg" has the same role and kinds of figures, or if the supports add up only
    with it.
    """
    roles = [role_of(name) for name, _ in rows]
    sizes: list[int | None] = []
    for _, figures in rows:  # a support is a whole number; pandas prints 110.0 for 110
        size = re.fullmatch(r"(\d{1,3}(?:,\d{3})+|\d+)(?:\.0+)?", figures.get("support", ""))
        sizes.append(int(size[1].replace(",", "")) if size else None)
    bare = {place for place, (name, _) in enumerate(rows) if roles[place] and len(phrase(name).split()) == 1}
    sure = [place for place, role in enumerate(roles) if role is not None and place not in bare]
    totals = {sizes[place] for place in sure if sizes[place]}
    odd = {place for place in bare if sizes[place] is not None and sizes[place] not in totals}
    adds_up = sum(size or 0 for place, size in enumerate(sizes) if roles[place] is None or place in odd) in totals
    found = list(roles)
    for place in bare:
        own = rows[place][1]
        others = [rows[other][1] for other in sure if roles[other] == roles[place]]
        if (place in odd and adds_up) or any(own.keys() == other.keys() and own != other for other in others):
            found[place] = None
    return found
