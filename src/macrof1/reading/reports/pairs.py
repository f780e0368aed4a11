"""Key-value lines: ``Macro-F1: 38.57%``, ``macro precision = 0.5``, ``LOC: precision: 90%; recall: 91%; FB1: 91``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias

from macrof1.reading.reports.printed import NUMBER, PrintedClass, PrintedReport, add_parts, figure_of, label_of, plain
from macrof1.reading.reports.vocabulary import ERRORS, FIELDS, RATIOS, SECTIONS, Key, key_of, kind_of, phrase, role_of

_PAIR = re.compile(
    rf"(?P<key>[^\W\d_][^:=,;|\n]{{0,60}}?)\s*(?:[:=]|\bis\b|\bof\b)\s*(?P<value>{NUMBER}\s?%?(?:\s*\(\d+\s*/\s*\d+\))?)(?![\w.])"
)
_SCOPE = re.compile(
    r"^\s*(?P<scope>[^:=]{1,60}?)\s*(?::|\t|\s{2,}|-\s)\s*(?=(?P<first>[^\W\d_][^:=]{0,30}?)\s*[:=]\s*[\d.])"
)
_HEADING = re.compile(
    r"^[\s#>*=-]*(?P<name>[^:=\d][^:=]{0,60}?|\d{1,4}(?:\.0)?|[^:=\n]{1,60}(?=:\s*$)|(?:class|label)\s*[:=]?\s*\S{1,40})\s*:?[\s#*=-]*$",
    re.IGNORECASE,
)
_BARE = re.compile(rf"^[\s\d.*-]*?(?P<key>[^\W\d_][^:=,;|\n]{{0,60}}?)\s+(?P<value>{NUMBER}\s?%?)\s*$")
_NEXT = re.compile(r"\s+-\s+|\s*[|;]\s*|,\s+")
_QUOTIENT = re.compile(rf"(\d+)\s*/\s*\(?\s*(\d+)(?:\s*\+\s*(\d+))?\s*\)?\s*=\s*({NUMBER}\s*%?)")
_TWO_CELLS = re.compile(rf"^[\s|]*([^|]{{0,99}}[^\W\d_][^|]{{0,99}}?)\s*\|\s*({NUMBER}\s?%?)[\s|]*$")
_QUOTES = re.compile(r"^(['\"])(.+)\1$")  # YAML writes '0' for a class 0
_MACRO = re.compile(r"\bmacro\b|macro[- _]?averag", re.IGNORECASE)
_ROW = re.compile(r"\d[.,]\d.*\d[.,]\d")  # of a table that has its macro average: figures beside it are others
_WIDE = re.compile(r"\s{3,}")  # long gaps would cost the patterns cubic time
_LONGEST_HEADING = 200
_NAMES_MACRO = re.compile(r"\bmacro[- ]?(?:averag\w*|avg|scores?|f)", re.IGNORECASE)
_FEW_ROWS = 2
_NAMED = re.compile(r"\b(?:macro|micro|weighted)[\s-].{0,30}$", re.IGNORECASE)
_VALUE_FIRST = re.compile(
    rf"(?<![\w.])({NUMBER}\s?\\?%?)\s+"
    r"((?:macro|micro|weighted)[\s-](?:averaged?[\s-])?(?:F-?1|F-?score|F-?measure|precision|recall))",
    re.IGNORECASE,
)
_AVERAGED = re.compile("macro|micro|weighted", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_WORDS_OF_PROSE = 9
# As conlleval prints it: such a line is about all classes, whatever the line above it says.
_OVERALL = re.compile(r"\bacc(?:uracy)?\b.*\bprec(?:ision)?\b.*\brec(?:all)?\b.*\bf", re.IGNORECASE)
_SPLITS = {"train": "train", "training": "train", "test": "test", "testing": "test"}
_SPLITS |= dict.fromkeys(("dev", "devel", "development", "val", "valid", "validation"), "dev")
_OTHER_DATA = frozenset({"cv", "fold", "folds", "cross", "validated", "runs", "seeds", "train", "training", "best"})
_CELLS = re.compile(r"\btn\W+fp\W+fn\W+tp\W+(\d+)[\s,;]+(\d+)[\s,;]+(\d+)[\s,;]+(\d+)", re.IGNORECASE)


def is_prose(line: str) -> bool:
    """Whether a line is a sentence, or several: many words beside its figures."""
    words = _WORD.findall(line)
    if len(words) < max(_WORDS_OF_PROSE, 5 * (line.count("=") + line.count(": "))):
        return False
    return sum(key_of(word) is None and role_of(word) is None for word in words[:60]) >= _WORDS_OF_PROSE


def _label_in(name: str, words: tuple[str, ...]) -> str:
    """Return the part of a key that names a class as written: ``0.0`` of ``Class 0.0 precision``."""
    found = re.search(r"[\W_]+".join(map(re.escape, words)), name, re.IGNORECASE) if words else None
    return found[0] if found else " ".join(words)


def _scope_of(line: str) -> tuple[str | None, str]:
    """Split a line into the subject of its figures and the figures: ``LOC: precision: 90%; recall: 91%``."""
    # "Macro-average  prec: -, rec: 0.5": the first figure may be missing.
    name, *rest = re.split(r"\s*(?::|\t|\s{2,})", line.strip(), maxsplit=1)
    if rest and role_of(name) and not key_of(name):
        return name, rest[0]
    found = _SCOPE.match(line)
    if found is None or (kind_of(found["scope"]) is not None and kind_of(found["first"]) is None):
        return None, line
    is_section = bool(SECTIONS.intersection(phrase(found["scope"]).split()))
    return None if is_section else found["scope"], line[found.end() :]


_Average: TypeAlias = tuple[str, tuple[str, ...]]
"""The role of an average, and the other words of its key: "dev", "task a"."""


@dataclass(slots=True)
class PairReader:
    """Collects key-value lines: averages by role, and blocks for single classes; a figure that repeats begins anew."""

    says_macro: bool
    few_rows: bool
    heading: str | None = None
    figures: dict[str | None, dict[str, str]] = field(default_factory=dict)
    averages: dict[_Average, dict[str, str]] = field(default_factory=dict)
    accuracy: str | None = None
    n_classes: int | None = None
    found: list[PrintedReport] = field(default_factory=list)
    line: int = 0
    end: int = 0
    n_prose: int = 0
    n_lines: int = 0
    other_section: bool = False

    @classmethod
    def of(cls, lines: Sequence[str]) -> PairReader:
        """Return a reader for a text: it looks once at what the text speaks of."""
        macro = [line for line in lines if "acro" in line or "ACRO" in line]
        rows = (max(line.count("|"), line.count("&")) > 1 for line in lines)
        few = any(map(_NAMES_MACRO.search, macro)) and sum(islice(filter(None, rows), _FEW_ROWS + 1)) <= _FEW_ROWS
        return cls(any(_MACRO.search(line) and not _ROW.search(line) for line in macro), few)

    def section_ends(self) -> None:
        """Note that a heading begins another section: averages behind it are of another report."""
        self.other_section = bool(self.figures or self.averages or self.accuracy)

    def read(self, line: str, number: int, *, named: bool) -> bool:
        """Read one line; return whether it held a known figure. `named` says whether it may name one."""
        if not (self.figures or self.averages):
            self.line = number
        if not named:
            return self._heading(line)
        prose = is_prose(line)
        if prose and not _AVERAGED.search(line):
            return False
        text = _WIDE.sub("  ", plain(line))
        text = _QUOTIENT.sub(lambda q: f"{q[4]} ({q[1]}/{int(q[2]) + int(q[3] or 0)})", text)  # 92.88% (300/323)
        text = _TWO_CELLS.sub(r"\1: \2", text)
        scope, rest = (None, text) if prose else _scope_of(text)
        cells = _CELLS.search(rest)
        if known := cells is not None:
            self.figures.setdefault(None, {}).update(zip(("tn", "fp", "fn", "tp"), cells.groups(), strict=True))
        if scope is None and _OVERALL.search(rest):
            self.heading = None
        for pair in _PAIR.finditer(rest):
            if pair["key"][-1] in "\"'":
                continue  # in a dictionary that could not be read
            name = pair["key"].strip(" \t*-#>|")
            key = key_of(name)
            if prose:
                # A sentence needs a subject: "macro F1 of 90.6%", not "(F1=0.970)" of whatever it speaks of.
                subject = _NAMED.search(name)
                known |= subject is not None and self._pair(subject[0], pair["value"], None)
                continue
            known |= self._pair(name, pair["value"], scope)
            if scope is None and key is not None and key.role is None and key.rest:
                scope = _label_in(name, key.rest)  # "cat precision: 0.8, recall: 0.7"
        for value, name in _VALUE_FIRST.findall(rest) if prose and not known else ():
            known |= self._pair(name, value, None)
        if not known and not prose:
            for part in _NEXT.split(rest):
                known |= self._bare(part, scope)
        if not known:
            return self._heading(line)
        self.end, self.n_lines, self.n_prose = number + 1, self.n_lines + 1, self.n_prose + prose
        return True

    def _heading(self, line: str) -> bool:
        """Note what a line without figures names: a class, an average, or a section."""
        if line.strip() and len(line) <= _LONGEST_HEADING and (heading := _HEADING.match(line)) is not None:
            words = phrase(heading["name"]).split()
            average = next((role for word in words if (role := role_of(word)) in ("macro", "micro", "weighted")), None)
            section = bool(SECTIONS.intersection(words))
            self.heading = average or (None if section else label_of(_QUOTES.sub(r"\2", heading["name"])))
        return False

    def _bare(self, part: str, scope: str | None) -> bool:
        """Read a name and a figure without a separator, if the name or its line names an average."""
        bare = _BARE.match(part)
        key = None if bare is None else key_of(bare["key"])
        if bare is None or key is None or not _SPLITS.keys() >= set(key.rest):
            return False
        average = key.role if scope is None else role_of(scope)
        named = average not in (None, "total") or (key.kind == "accuracy" and scope is None)
        return named and self._pair(bare["key"], bare["value"], scope)

    def _pair(self, name: str, value: str, scope: str | None) -> bool:
        key, figure = key_of(name), figure_of(value)
        if key is None or figure is None:
            return False
        if key.kind == "n_classes":
            self.n_classes = int(figure) if figure.isdecimal() else None
            return True
        where = self._scope(scope, _label_in(name, key.rest))
        if self.other_section:
            if key.kind != "accuracy" and key.role is None and self.heading and where == f"class {self.heading}":
                self.other_section = False  # the heading names a class, which has no accuracy
            else:
                self._begin_anew()
        if key.kind == "accuracy":
            if key.role is None and not key.rest:
                if self.averages and self.accuracy not in (None, figure):
                    self._begin_anew()
                self.accuracy = self.accuracy or figure
            return key.role is None
        if key.kind not in (*FIELDS, "predicted", "tn"):
            return False
        figures = self._place(key, where)
        if figures.get(key.kind, figure) != figure:
            self._begin_anew()
            figures = self._place(key, where)
        figures.setdefault(key.kind, figure)
        add_parts(figures, key.kind, value)
        return True

    def _place(self, key: Key, where: str | None) -> dict[str, str]:
        """Return the figures of the average that a key names, or of the class or average that it belongs to."""
        if key.role is not None:
            return self.averages.setdefault((key.role, key.rest), {})
        if where is None or where.startswith("class "):
            return self.figures.setdefault(where, {})
        return self.averages.setdefault((where, ()), {})

    def _begin_anew(self) -> None:
        """Close the report that was collected so far: what follows is the next epoch, fold or data set."""
        self.found += self._collected()
        self.figures, self.averages, self.accuracy, self.n_classes = {}, {}, None, None
        self.other_section, self.n_lines, self.n_prose = False, 0, 0

    def _scope(self, scope: str | None, rest: str) -> str | None:
        """Infer the subject of a figure without an average in its key: from its line, its key, or its heading."""
        if scope is not None:
            return role_of(scope) or f"class {label_of(scope)}"
        if rest and not SECTIONS.intersection(phrase(rest).split()):
            return f"class {rest}"
        if self.heading is not None:
            return role_of(self.heading) or f"class {self.heading}"
        return None

    def reports(self) -> list[PrintedReport]:
        """Return what was collected, as reports that hold an average or a class."""
        self._begin_anew()
        return self.found

    def _collected(self) -> list[PrintedReport]:
        report = PrintedReport("key-value lines", self.line, accuracy=self.accuracy, n_classes=self.n_classes)
        report.end, report.in_prose = self.end, self.n_lines == self.n_prose > 0
        report.accuracy_apart = self.accuracy is not None
        for where, figures in self.figures.items():
            ratios = [kind for kind in figures if kind in RATIOS]
            if where is not None:
                if len(ratios) >= 2 or all(kind in figures for kind in ERRORS):
                    report.classes.append(PrintedClass(where.removeprefix("class "), figures))
            elif all(kind in figures for kind in (*ERRORS, "tn")):
                report.add_cells(" ".join(figures[kind] for kind in ("tn", "fp", "fn", "tp")))
            elif ratios and self.says_macro:
                named = [own for (role, _), own in self.averages.items() if role in ("macro", "average")]
                if any(own.get(kind, figures[kind]) != figures[kind] for own in named for kind in ratios):
                    report.remarks.append(f"not used: {' '.join(ratios)} that nothing names")
                    continue
                report.add("macro", figures)
                report.remarks.append("figures without a name of their own are assumed to be macro averages")
        report.of_other_data = all(_OTHER_DATA.intersection(rest) for _, rest in self.averages)
        # Averages whose keys have different words are of one report: no figure twice, no two parts of the data.
        seen = [(role, kind) for (role, _), figures in self.averages.items() for kind in figures]
        parts = {frozenset(_SPLITS[word] for word in rest if word in _SPLITS) for _, rest in self.averages}
        together = len(seen) == len(set(seen)) and len(parts - {frozenset()}) < 2
        rests = [rest for (_, rest), figures in self.averages.items() for _ in figures]  # once per figure
        usual = () if () in rests else max(rests, key=rests.count, default=())
        others: dict[tuple[str, ...], PrintedReport] = {}
        for (role, rest), figures in self.averages.items():
            each = report
            if not together:
                if rest != usual:
                    each = others.setdefault(rest, PrintedReport("key-value lines", self.line, end=self.end))
                each.name = " ".join(rest) or None
            each.add(role, figures)
        lone = [each for each in others.values() if len(each.macro) < 2 and report.macro]
        report.remarks += [f"not used: {' '.join(each.macro)} macro {each.name}" for each in lone if each.macro]
        return [each for each in (report, *others.values()) if each not in lone and (each.averages or each.classes)]
