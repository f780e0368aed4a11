"""Dictionaries of figures as JSON and Python print them in the middle of text; numbers keep their digits."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, TypeAlias

from macrof1.errors import InputError
from macrof1.reading.reports import vocabulary
from macrof1.reading.reports.printed import PrintedReport, figure_of, roles_of
from macrof1.reading.reports.vocabulary import ERRORS, FIELDS, PYCM, RATIOS

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<open>[\[{(]) | (?P<close>[\]})]) | (?P<comma>,) | (?P<colon>:)
    | (?P<string>"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
    | (?P<call>[A-Za-z_][\w.]*\() | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%?)
    | (?P<word>[A-Za-z_]\w*|\.\.\.|<[^<>\n]*>)
    )""",
    re.VERBOSE,
)
_START = re.compile(r"OrderedDict\(\[\(|\{\s*(?:[\"']|-?\d+(?:\.\d+)?\s*:)|\[\s*\{")
_MORE = re.compile(r"[\s\S]{0,200}?[\"']\s*:\s*[\d.]")
_BLANK = re.compile(r"\s*\Z")
_WRAPPERS = ("float", "int", "array", "ict", "Decimal", "tensor", "str_")
_DEEPEST = 40
_Others: TypeAlias = dict[tuple[str, ...], dict[str, str]]
"""Figures of averages by their role and the other words of their keys: "doc", "dev"."""

_SPREADS = frozenset({"std", "sd", "stdev", "var", "variance", "stderr", "se", "ci", "low", "high", "min", "max"})


class Number(str):
    """A number as printed."""

    __slots__ = ()


class NotALiteralError(Exception):
    """The text here is not a dictionary; never raised outside this module."""


@dataclass(slots=True)
class _Parser:
    text: str
    is_broken: bool = False
    too_deep: int = 0

    def token(self, place: int) -> tuple[str, str, int]:
        found = _TOKEN.match(self.text, place)
        if found is None:
            if _BLANK.match(self.text, place):
                return "end", "", len(self.text)
            raise NotALiteralError
        kind = found.lastgroup or ""
        return kind, found[kind], found.end()

    def value(self, place: int, depth: int) -> tuple[Any, int]:
        kind, text, end = self.token(place)
        if depth > _DEEPEST:
            self.too_deep = max(self.too_deep, place)
            raise NotALiteralError
        if kind == "open":
            return self.mapping(end, depth) if text == "{" else self.sequence(end, depth)
        if kind == "string":
            try:
                return str(json.loads(text)), end
            except ValueError:
                return text[1:-1] if text[0] == '"' else re.sub(r"\\(.)", r"\1", text[1:-1]), end
        if kind == "number":
            return Number(text), end
        if kind == "call":
            inner, end = self.sequence(end, depth)
            if not any(name in text for name in _WRAPPERS):
                return None, end
            if "ict" in text and inner and isinstance(inner[0], list):
                return {pair[0]: pair[1] for pair in inner[0] if isinstance(pair, list) and len(pair) == 2}, end
            return next((item for item in inner if isinstance(item, dict)), inner[0] if inner else None), end
        if kind == "word":
            return (Number("nan") if text.lower() == "nan" else None), end
        raise NotALiteralError

    def mapping(self, place: int, depth: int) -> tuple[dict[Any, Any], int]:
        found: dict[Any, Any] = {}
        while True:
            try:
                kind, _, end = self.token(place)
                if kind in ("close", "end"):
                    return found, end
                place = end if kind == "comma" else self.item(found, place, depth + 1)
            except NotALiteralError:
                if not found:
                    raise
                # Cut off here; if more of its figures follow, it is broken.
                self.is_broken |= _MORE.match(self.text, place) is not None
                return found, place

    def item(self, found: dict[Any, Any], place: int, depth: int) -> int:
        """Add a key and its value, and return where they end; a key at the end of the text has none."""
        if self.token(place)[0] == "open":
            raise NotALiteralError
        key, end = self.value(place, depth)
        if self.token(end)[0] in ("comma", "close") and not (found or isinstance(key, (dict, list))):
            return self.sequence(place, depth)[1] - 1  # a set: it ends with its bracket
        kind, _, end = self.token(end)
        if kind != "colon" or isinstance(key, (dict, list)):
            raise NotALiteralError
        if self.token(end)[0] == "end":
            return len(self.text)
        found[key], end = self.value(end, depth)
        return end

    def sequence(self, place: int, depth: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        while True:
            kind, _, end = self.token(place)
            if kind in ("close", "end"):
                return found, end
            if kind == "comma":
                place = end
            elif kind == "word" and self.text[end : end + 1] == "=":
                # A keyword such as dtype=float32 says nothing about the values.
                place = self.value(end + 1, depth + 1)[1]
            else:
                item, place = self.value(place, depth + 1)
                found.append(item)


def nested_reports(text: str, errors: list[InputError]) -> list[tuple[PrintedReport, int, int]]:
    """Read every dictionary of figures, with its start and end, cut-off ones too; add damage to `errors`."""
    found = []
    place = last = 0
    while (match := _START.search(text, place)) is not None:
        parser, start = _Parser(text), match.start()
        try:
            value, place = parser.value(start, 0)
        except NotALiteralError:
            # What is nested too deeply is left behind at once: every level of it would be read that deeply.
            place = max(start + 1, parser.too_deep)
            continue
        title, last = text[last:start].rpartition("\n")[2].strip(" \t=:"), place
        reports = _reports_of(value, title)
        line = text.count("\n", 0, start)
        if parser.is_broken and reports:
            # Something unreadable stands in it, behind which it goes on.
            damaged = f"line {line + 1} of the report cannot be read to its end: {text[place:].strip()[:40]!r}"
            errors.append(InputError(damaged, expected="a dictionary as Python or JSON prints it"))
            continue
        for report in reports:
            report.line = line
            found.append((report, start, place))
    return found


def _reports_of(value: Any, title: str) -> list[PrintedReport]:
    if isinstance(value, list):
        return _records(value, title)
    if not isinstance(value, dict):
        return []
    rows = _rows(value)
    report, others = _flat_report(value, rows, title)
    found = [report] if report.classes or report.averages else []
    beside = _beside(others, report)
    if not found and len(beside) == 1:
        # A prefix that all keys share, such as eval_, carries no information.
        beside[0].accuracy, beside[0].name = report.accuracy, None
    found += beside
    for key, item in ((str(name), item) for name, item in value.items()):
        deep = isinstance(item, dict) and any(isinstance(inner, dict) for inner in item.values())
        if key in rows or (vocabulary.kind_of(key) is not None and not deep):
            continue
        inner = _reports_of(item, key)
        of_classes = (
            found and found[0] is report and vocabulary.names_labels(key) and len(inner) == 1 and not report.classes
        )
        # Classes under a key go with the averages beside it: dep_las_per_type not with cats_macro_f.
        own = {word for word in vocabulary.phrase(key).split() if not vocabulary.is_neutral(word)}
        averages = [
            set(vocabulary.phrase(str(name)).split())
            for name in value
            if (known := vocabulary.key_of(str(name))) and known.role
        ]
        if of_classes and (not own or any(own & words for words in averages)):
            report.take(inner.pop())
        for each in inner:
            each.name = each.name or key
        found += inner
    return found


def _flat_report(value: dict[Any, Any], rows: dict[str, dict[str, str]], title: str) -> tuple[PrintedReport, _Others]:
    """Read the figures of one dictionary, without nested ones; also return the figures of other reports."""
    name = value.get("name")
    report = PrintedReport("dictionary", name=name if isinstance(name, str) else None)
    others: _Others = {}
    # Next to a macro average, or among classes, "average" is the name of a class.
    sure = any(vocabulary.role_of(key) == "macro" for key in rows) or (bool(title) and vocabulary.names_labels(title))
    for (key, figures), role in zip(rows.items(), roles_of(list(rows.items())), strict=True):
        report.add_row(key, None if sure and role in ("average", "total") else role, figures)
    for key, item in value.items():
        # Where a key names an average alone, the words before the dictionary may name the figure.
        known = vocabulary.key_of(
            f"{title} {key}" if vocabulary.role_of(str(key)) and vocabulary.key_of(str(key)) is None else str(key)
        )
        if known is None or not _is_figure(item):
            continue
        if known.kind == "accuracy":
            report.accuracy = report.accuracy or str(item)
        elif known.kind in (*RATIOS, *ERRORS) and known.role is not None:
            if known.rest:
                others.setdefault((known.role, *known.rest), {}).setdefault(known.kind, str(item))
            else:
                report.add(known.role, {known.kind: str(item)})
    if {"macro", "micro", "weighted"} & set(report.averages) and report.classes and "support" in report.kinds:
        report.source = "scikit-learn report as a dictionary"
    return report, others


def _rows(value: dict[Any, Any]) -> dict[str, dict[str, str]]:
    """Return figures by class or average, whichever way the dictionary is nested."""
    found: dict[str, dict[str, str]] = {}
    is_pycm = {"PPV", "TPR", "TNR"} <= value.keys()
    for key, item in value.items():
        kind = PYCM.get(str(key)) if is_pycm else vocabulary.kind_of(str(key))
        if isinstance(item, dict):
            figures = {
                str(vocabulary.kind_of(str(inner))): str(figure)
                for inner, figure in item.items()
                if _is_figure(figure) and vocabulary.kind_of(str(inner)) is not None
            }
            if len(figures.keys() & set(FIELDS)) >= (1 if vocabulary.role_of(str(key)) else 2):
                found[str(key)] = figures
            elif kind in FIELDS:
                for label, figure in item.items():
                    if _is_figure(figure):
                        found.setdefault(str(label), {})[str(kind)] = str(figure)
    return found


def _is_figure(value: Any) -> bool:
    """Whether a value is a number, or text that is one: "0.80"."""
    return isinstance(value, Number) or (isinstance(value, str) and figure_of(value) is not None)


def _records(items: list[Any], title: str) -> list[PrintedReport]:
    report, found = PrintedReport("list of records"), []
    rows: list[tuple[str, dict[str, str]]] = []
    for item in items:
        if not isinstance(item, dict):
            continue
        labels = [value for key, value in item.items() if vocabulary.names_labels(str(key))]
        label = next((value for value in labels if not isinstance(value, (dict, list))), None)
        figures = {
            kind: str(value)
            for key, value in item.items()
            if _is_figure(value) and (kind := vocabulary.kind_of(str(key)))
        }
        if label is not None and len(figures) >= 2:
            rows.append((str(label), figures))
        else:
            found += _reports_of(item, title)
    for (name, figures), role in zip(rows, roles_of(rows), strict=True):
        report.add_row(name, role, figures)
    return [report, *found] if report.classes else found


def _beside(others: _Others, report: PrintedReport) -> list[PrintedReport]:
    """Return averages of another kind, such as over documents, as separate reports; lone figures are named."""
    found = []
    for (role, *rest), figures in others.items():
        if role not in ("macro", "average") or _SPREADS.intersection(rest):
            continue
        if len(figures) > 1 or not report.macro:
            name = " ".join(["macro", *rest])
            found.append(PrintedReport("dictionary", name=name, averages={"macro": figures}))
        else:
            report.remarks.append(f"not used: {' '.join([*figures, role, *rest])}")
    return found
