"""Key-value lines: ``Macro-F1: 38.57%``, ``macro precision = 0.5``, ``LOC: precision: 90%; recall: 91%; FB1: 91``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from macrof1.reading.reports.cells import NUMBER, figure_of, parts_of, unmarked, without_spread
from macrof1.reading.reports.lines import label_of
from macrof1.reading.reports.printed import PrintedClass, PrintedReport
from macrof1.reading.reports.vocabulary import ERRORS, FIELDS, RATIOS, SECTIONS, key_of, kind_of, phrase, role_of

_PAIR = re.compile(
    rf"(?P<key>[^\W\d_][^:=,;|\n]{{0,60}}?)\s*(?:[:=]|\bis\b)\s*(?P<value>{NUMBER}\s?%?(?:\s*\(\d+\s*/\s*\d+\))?)(?![\w.])"
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
_BY_LABEL = re.compile(r"^\W*(?P<kind>\w[\w -]*?) (?:by|per|of each) (?:label|class)\b[^\d]*$", re.IGNORECASE)
_LABELLED = re.compile(
    rf"^\s*(?:label|class)?\s*(?P<label>\S.{{0,60}}?)\s*(?:[:=]|\bis\b)\s*(?P<value>{NUMBER}%?)\s*$", re.IGNORECASE
)
_QUOTIENT = re.compile(rf"(\d+)\s*/\s*\(?\s*(\d+)(?:\s*\+\s*(\d+))?\s*\)?\s*=\s*({NUMBER}\s*%?)")
_CELLS = re.compile(r"\btn\W+fp\W+fn\W+tp\W+(\d+)[\s,;]+(\d+)[\s,;]+(\d+)[\s,;]+(\d+)", re.IGNORECASE)


def _label_in(name: str, words: tuple[str, ...]) -> str:
    """Return the part of a key that names a class as written: ``0.0`` of ``Class 0.0 precision``."""
    found = re.search(r"[\W_]+".join(map(re.escape, words)), name, re.IGNORECASE) if words else None
    return found[0] if found else " ".join(words)


def _with_parts(found: re.Match[str]) -> str:
    """Write ``300/( 323 + 0) = 92.88%`` as ``92.88% (300/323)``."""
    return f"{found[4]} ({found[1]}/{int(found[2]) + int(found[3] or 0)})"


def _scope_of(line: str) -> tuple[str | None, str]:
    """Split a line into the subject of its figures and the figures: ``LOC: precision: 90%; recall: 91%``."""
    found = _SCOPE.match(line)
    if found is None or (kind_of(found["scope"]) is not None and kind_of(found["first"]) is None):
        name, colon, rest = line.partition(":")
        return (name.strip(), rest) if colon and role_of(name) and not key_of(name) else (None, line)
    is_section = bool(SECTIONS.intersection(phrase(found["scope"]).split()))
    return None if is_section else found["scope"], line[found.end() :]


def _heading_of(name: str) -> str | None:
    """Return the class or the average that a heading names; None if it names a section of the text."""
    words = phrase(name).split()
    average = next((role for word in words if (role := role_of(word)) in ("macro", "micro", "weighted")), None)
    return average or (None if SECTIONS.intersection(words) else label_of(name))


@dataclass(slots=True)
class PairReader:
    """Collects the key-value lines of a report: averages by role, and blocks for single classes."""

    context: str
    heading: str | None = None
    figures: dict[str | None, dict[str, str]] = field(default_factory=dict)
    accuracy: str | None = None
    n_classes: int | None = None
    by_label: str | None = None

    def read(self, line: str) -> bool:
        """Read one line; return whether it held a known figure."""
        plain = _QUOTIENT.sub(_with_parts, without_spread(unmarked(line)))
        if self._by_label(plain):
            return True
        scope, rest = _scope_of(plain)
        known = self._cells(rest)
        for pair in _PAIR.finditer(rest):
            name = pair["key"].strip(" \t*-#>|")
            known |= self._pair(name, pair["value"], scope)
            key = key_of(name)
            if scope is None and key is not None and key.role is None and key.rest:
                scope = _label_in(name, key.rest)  # "cat precision: 0.8, recall: 0.7"
        if not known:
            for part in _NEXT.split(rest):
                known |= self._bare(part, scope)
        if not known and (heading := _HEADING.match(line)) is not None:
            self.heading = _heading_of(heading["name"])
        return known

    def _by_label(self, line: str) -> bool:
        """Read figures named by a heading, class by class: ``Precision by label:``, then ``label 0: 0.69``."""
        heading = _BY_LABEL.match(line)
        if heading is not None:
            kind = kind_of(heading["kind"])
            self.by_label = kind if kind in FIELDS else None
            return kind is not None
        found = None if self.by_label is None else _LABELLED.match(line)
        if found is None or key_of(found["label"]) is not None:
            self.by_label = self.by_label if not line.strip() else None
            return False
        self.figures.setdefault(f"class {found['label']}", {}).setdefault(str(self.by_label), found["value"])
        return True

    def _bare(self, part: str, scope: str | None) -> bool:
        """Read a name and a figure without a separator, if the name or its line names an average."""
        bare = _BARE.match(part)
        key = None if bare is None else key_of(bare["key"])
        if bare is None or key is None or key.rest:
            return False
        average = key.role if scope is None else role_of(scope)
        named = average not in (None, "total") or (key.kind == "accuracy" and scope is None)
        return named and self._pair(bare["key"], bare["value"], scope)

    def _cells(self, line: str) -> bool:
        """Read the cells of a two-class table: ``tn, fp, fn, tp: 1442 267 311 628``."""
        found = _CELLS.search(line)
        if found is not None:
            self.figures.setdefault(None, {}).update(zip(("tn", "fp", "fn", "tp"), found.groups(), strict=True))
        return found is not None

    def _pair(self, name: str, value: str, scope: str | None) -> bool:
        key, figure = key_of(name), figure_of(value)
        if key is None or figure is None:
            return False
        if key.kind == "n_classes":
            self.n_classes = int(figure) if figure.isdecimal() else None
            return True
        if key.kind == "accuracy":
            if key.role is None and not key.rest:
                self.accuracy = self.accuracy or figure
            return key.role is None
        if key.kind not in (*FIELDS, "predicted", "tn"):
            return False
        where = key.role or self._scope(scope, _label_in(name, key.rest))
        figures = self.figures.setdefault(where, {})
        figures.setdefault(key.kind, figure)
        parts = parts_of(value)
        if parts is not None and key.kind in ("precision", "recall"):
            figures.setdefault("tp", parts[0])
            figures.setdefault("predicted" if key.kind == "precision" else "support", parts[1])
        return True

    def _scope(self, scope: str | None, rest: str) -> str | None:
        """Infer the subject of a figure without an average in its key: from its line, its key, or its heading."""
        if scope is not None:
            return role_of(scope) or f"class {label_of(scope)}"
        if rest and not SECTIONS.intersection(phrase(rest).split()):
            return f"class {rest}"
        if self.heading is not None:
            return role_of(self.heading) or f"class {self.heading}"
        return None

    def report(self, line: int) -> PrintedReport | None:
        """Return what was collected as a report; None if no average or class has figures."""
        report = PrintedReport("key-value lines", line, accuracy=self.accuracy, n_classes=self.n_classes)
        for where, figures in self.figures.items():
            ratios = [kind for kind in figures if kind in RATIOS]
            if where is not None and where.startswith("class "):
                if len(ratios) >= 2 or all(kind in figures for kind in ERRORS):
                    report.classes.append(PrintedClass(where.removeprefix("class "), figures))
            elif where is not None:
                report.add(where, figures)
            elif all(kind in figures for kind in (*ERRORS, "tn")):
                report.add_cells(" ".join(figures[kind] for kind in ("tn", "fp", "fn", "tp")))
            elif ratios and re.search(r"\bmacro\b|macro[- _]?averag", self.context, re.IGNORECASE):
                report.add("macro", figures)
                report.remarks.append("figures without a name of their own are assumed to be macro averages")
        return report if report.averages or report.classes else None
