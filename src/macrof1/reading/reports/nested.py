"""Dictionaries of figures: by class and average, by figure, as parallel lists, or flat with descriptive keys."""

from __future__ import annotations

from typing import Any, TypeAlias

from macrof1.errors import InputError
from macrof1.reading.reports.cells import figure_of
from macrof1.reading.reports.literals import Number, literals
from macrof1.reading.reports.printed import PrintedClass, PrintedReport, roles_of
from macrof1.reading.reports.vocabulary import (
    AVERAGES,
    ERRORS,
    FIELDS,
    RATIOS,
    key_of,
    kind_of,
    names_labels,
    phrase,
    role_of,
)

_RETURNED = (*RATIOS, "support")
_Others: TypeAlias = dict[tuple[str, ...], dict[str, str]]
"""Figures of averages by their role and the other words of their keys: "doc", "dev"."""

_SPREADS = frozenset({"std", "sd", "stdev", "var", "variance", "stderr", "se", "ci", "low", "high", "min", "max"})


def nested_reports(text: str) -> list[tuple[PrintedReport, int, int]]:
    """Read every dictionary in a text that holds figures, with its start and end."""
    found = []
    for literal in literals(text):
        line = text.count("\n", 0, literal.start)
        reports = _reports_of(literal.value, literal.title)
        if not reports and isinstance(literal.value, list):
            reports = _tuple(literal.value, "\n".join(text[: literal.start].rsplit("\n", 2)[-2:]))
        if literal.is_broken and reports:
            raise InputError(
                f"line {line + 1} of the report cannot be read to its end: {text[literal.end :].strip()[:40]!r}",
                expected="a dictionary as Python or JSON prints it",
            )
        for report in reports:
            report.line = line
            found.append((report, literal.start, literal.end))
    return found


def _reports_of(value: Any, title: str) -> list[PrintedReport]:
    """Read one value; several reports if it holds several."""
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
    deeper = {
        str(key): item
        for key, item in value.items()
        if str(key) not in rows and (kind_of(str(key)) is None or _holds_dictionaries(item))
    }
    for key, item in deeper.items():
        inner = _reports_of(item, key)
        if found and found[0] is report and names_labels(key) and len(inner) == 1 and not report.classes:
            report.take(inner.pop())
        for each in inner:
            each.name = each.name or key
        found += inner
    return found


def _tuple(items: list[Any], before: str) -> list[PrintedReport]:
    """Read the tuple that ``precision_recall_fscore_support`` returns: figures of all classes, or of one average."""
    if len(items) != len(_RETURNED):
        return []
    report = PrintedReport("tuple of precision_recall_fscore_support")
    if all(isinstance(item, list) and len(item) == len(items[0]) > 1 and _numbers(item) for item in items):
        for place in range(len(items[0])):
            figures = {kind: str(item[place]).rstrip(".") for kind, item in zip(_RETURNED, items, strict=True)}
            report.classes.append(PrintedClass(str(place), figures))
    elif _numbers(items[:3]) and items[3] is None:
        named = [role for word in phrase(before).split() if (role := role_of(word)) in AVERAGES]
        report.add(str(named[-1]) if named else "average", dict(zip(RATIOS, map(str, items), strict=False)))
        if not named:
            report.remarks.append("the text does not say which average it is; assumed to be macro")
    return [report] if report.classes or report.averages else []


def _flat_report(value: dict[Any, Any], rows: dict[str, dict[str, str]], title: str) -> tuple[PrintedReport, _Others]:
    """Read the figures of one dictionary, without nested ones; also return the figures of other reports."""
    name = value.get("name")
    report = PrintedReport("dictionary", name=name if isinstance(name, str) else None)
    others: _Others = {}
    # Next to a macro average, or among classes, "average" is the name of a class.
    sure = any(role_of(key) == "macro" for key in rows) or (bool(title) and names_labels(title))
    for (key, figures), role in zip(rows.items(), roles_of(list(rows.items())), strict=True):
        report.add_row(key, None if sure and role in ("average", "total") else role, figures)
    for key, item in value.items():
        if _is_figure(item):
            # Where a key names an average alone, the words before the dictionary may name the figure.
            name = f"{title} {key}" if role_of(str(key)) and key_of(str(key)) is None else str(key)
            _scalar(report, others, name, item)
    if {"macro", "micro", "weighted"} & set(report.averages) and report.classes and "support" in report.kinds:
        report.source = "scikit-learn report as a dictionary"
    return report, others


def _rows(value: dict[Any, Any]) -> dict[str, dict[str, str]]:
    """Return figures by class or average, whichever way the dictionary is nested."""
    found: dict[str, dict[str, str]] = {}
    for key, item in value.items():
        kind = kind_of(str(key))
        if isinstance(item, dict):
            figures = {
                str(kind_of(str(inner))): str(figure)
                for inner, figure in item.items()
                if _is_figure(figure) and kind_of(str(inner)) is not None
            }
            if len(figures.keys() & set(FIELDS)) >= (1 if role_of(str(key)) else 2):
                found[str(key)] = figures
            elif kind in FIELDS:
                for label, figure in item.items():
                    if _is_figure(figure):
                        found.setdefault(str(label), {})[str(kind)] = str(figure)
    found.update(_side_by_side(value))
    return found


def _side_by_side(value: dict[Any, Any]) -> dict[str, dict[str, str]]:
    """Read lists of equal length: one per figure, and possibly one of labels."""
    lists = {str(key): item for key, item in value.items() if isinstance(item, list) and item}
    figures = {kind: item for key, item in lists.items() if (kind := kind_of(key)) in FIELDS and _numbers(item)}
    if len(figures) < 2 or len({len(item) for item in figures.values()}) != 1:
        return {}
    size = len(next(iter(figures.values())))
    labels = next((item for key, item in lists.items() if names_labels(key) and len(item) == size), None)
    if labels is None and set(figures) <= {"precision", "recall"}:
        return {}  # the points of a curve
    return {
        str(label): {str(kind): str(item[place]) for kind, item in figures.items()}
        for place, label in enumerate(labels or range(size))
    }


def _holds_dictionaries(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(item, dict) for item in value.values())


def _is_figure(value: Any) -> bool:
    """Whether a value is a number, or text that is one: "0.80"."""
    return isinstance(value, Number) or (isinstance(value, str) and figure_of(value) is not None)


def _numbers(item: list[Any]) -> bool:
    return all(isinstance(each, Number) for each in item)


def _records(items: list[Any], title: str) -> list[PrintedReport]:
    """Read a list of dictionaries, each naming its class."""
    report, found = PrintedReport("list of records"), []
    rows: list[tuple[str, dict[str, str]]] = []
    for item in items:
        if not isinstance(item, dict):
            continue
        label = next(
            (value for key, value in item.items() if names_labels(str(key)) and not isinstance(value, (dict, list))),
            None,
        )
        figures = {kind: str(value) for key, value in item.items() if _is_figure(value) and (kind := kind_of(str(key)))}
        if label is not None and len(figures) >= 2:
            rows.append((str(label), figures))
        else:
            found += _reports_of(item, title)
    for (name, figures), role in zip(rows, roles_of(rows), strict=True):
        report.add_row(name, role, figures)
    return [report, *found] if report.classes else found


def _scalar(report: PrintedReport, others: _Others, name: str, item: str) -> None:
    """Assign a flat figure by what its key says."""
    key = key_of(name)
    if key is None:
        return
    if key.kind == "accuracy":
        report.accuracy = report.accuracy or str(item)
    elif key.kind in (*RATIOS, *ERRORS) and key.role is not None:
        if key.rest:
            others.setdefault((key.role, *key.rest), {}).setdefault(key.kind, str(item))
        else:
            report.add(key.role, {key.kind: str(item)})


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
