"""Turn what was published into a report: read, check and name figures, and note what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeAlias, get_args

from macrof1.auditing.feasible import Report
from macrof1.auditing.printed_figures import (
    ERRORS,
    FLOAT_DIGITS,
    RATIOS,
    Figure,
    Key,
    Rounding,
    column_decimals,
    float_slack,
    read_count,
    read_ratio,
    significant_digits,
)
from macrof1.convention import Task
from macrof1.errors import InputError
from macrof1.message import Argument, Message, Note
from macrof1.reading.numbers import as_text, is_percentage, looks_missing, plain_number

Cells: TypeAlias = Mapping[str, Mapping[str, int | None]]
"""tp, fp, fn and tn of each class; None if not given."""

_ALIASES = {"p": "precision", "r": "recall", "f": "f1", "f_1": "f1", "fscore": "f1", "f-score": "f1"}
WORDS = {"precision": "precision", "recall": "recall", "f1": "F1"}


def checked_choices(rounding: str, task: str | None) -> None:
    """Reject an unknown rounding mode or task."""
    for name, value, known in (("rounding", rounding, get_args(Rounding)), ("task", task, get_args(Task))):
        if value not in known and not (name == "task" and value is None):
            raise InputError.unknown_value(name, value, known)


def checked_n_classes(n_classes: Any, labels: tuple[str, ...]) -> None:
    """Reject an invalid number of classes, or one smaller than the number of listed classes."""
    if n_classes is None:
        return
    if isinstance(n_classes, bool) or not isinstance(n_classes, int) or n_classes < 1:
        raise InputError(
            Message(Argument("n_classes", n_classes), " is not a number of classes"),
            expected="a whole number, 1 or larger",
        )
    if len(labels) > n_classes:
        raise InputError(
            Message(
                f"{len(labels)} classes listed ({', '.join(labels[:5])}{', …' if len(labels) > 5 else ''}) beside ",
                Argument("n_classes", n_classes),
            ),
            expected=f"at most {n_classes}",
        )


def checked_decimals(decimals: Any) -> int | None:
    """Return the number of decimals, or reject an impossible one."""
    if decimals is None:
        return None
    if isinstance(decimals, bool) or not isinstance(decimals, int) or not 0 <= decimals <= 30:
        raise InputError(
            Message(Argument("decimals", decimals), " is not a number of decimals"),
            expected="a whole number from 0 to 30",
        )
    return decimals


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What was published about one system, as given.

    `averages` are weighted and micro figures, by name and kind; with `each_unit`, percentages and fractions may be
    mixed, as in text: a sign, a figure above 1, or another such figure in the column of a class tells.
    """

    macro: Mapping[str, Any]
    n_classes: int | None
    per_class: Mapping[str, Mapping[str, Any]]
    support: Mapping[str, Any]
    accuracy: Any
    correct: Any
    total: Any
    percent: bool | None
    decimals: int | Mapping[str, int] | None
    rounding: Rounding
    task: Task | None
    averages: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    by_tool: bool = False
    each_unit: bool = False


def read_report(published: Published) -> tuple[Report, tuple[str, ...]]:
    """Read and check everything that was published about one system; return it with notes on what was assumed."""
    checked_choices(published.rounding, published.task)
    per_class, support = published.per_class, published.support
    labels = tuple(dict.fromkeys([*map(str, per_class), *map(str, support)]))
    given = _given(published)
    cells = _cells(published)
    figures = _figures(published, given, bool(cells))
    sizes = {str(label): read_count(size, f"size of {label}").steps for label, size in support.items()}
    checked_n_classes(published.n_classes, labels)
    report = with_counts(figures, labels, sizes, cells, n_classes=published.n_classes, task=published.task)
    report = replace(report, by_tool=published.by_tool)
    notes = []
    all_shown = report.complete and published.task is None
    if labels and published.n_classes is None and not all_shown:
        listed = f"{len(labels)} classes with figures are" if len(labels) > 1 else "class with figures is"
        everything = "all classes" if len(labels) > 1 else "the only class"
        taken = f"The {listed} assumed to be {everything} (otherwise, set "
        notes.append(Note(taken, Argument("n_classes"), ").", code="n_classes_assumed"))
    if report.single_label and (report.n_classes == 2 or report.all_sizes is not None):
        notes.append(
            Note(
                "Every row is assumed to have one gold and one predicted label among the classes (otherwise, set ",
                Argument("task", "multilabel"), ").", code="one_label_assumed",
            )
        )  # fmt: skip
    return report, tuple(notes)


def _given(published: Published) -> dict[Key, tuple[str, Any]]:
    """Return every ratio that was given, with its name."""
    given: dict[Key, tuple[str, Any]] = {}
    for kind in RATIOS:
        if not looks_missing(published.macro[kind]):
            given[None, kind] = (f"macro {WORDS[kind]}", published.macro[kind])
    for label, figures in published.per_class.items():
        if not isinstance(figures, Mapping):
            raise InputError(
                f"the figures of {label!r} are {figures!r}",
                argument="per_class",
                given=figures,
                expected="a mapping such as {'precision': '0.80', …}",
            )
        for name, value in figures.items():
            kind = _ALIASES.get(str(name).lower(), str(name).lower())
            if kind not in (*RATIOS, *ERRORS, "tn"):
                raise InputError.unknown_value(f"per_class[{label!r}]", name, (*RATIOS, *ERRORS))
            if kind in RATIOS and not looks_missing(value):
                given[str(label), kind] = (f"{label} {WORDS[kind]}", value)
    if not looks_missing(published.accuracy):
        given[None, "accuracy"] = ("accuracy", published.accuracy)
    for name, of_average in published.averages.items():
        for kind, value in of_average.items():
            if kind in RATIOS and not looks_missing(value):
                given[None, f"{name}_{kind}"] = (f"{name} {WORDS[kind]}", value)
    return given


def _cells(published: Published) -> dict[str, dict[str, int | None]]:
    """Return tp, fp, fn and tn of each class, as far as they are given."""
    return {
        str(label): {
            kind: None if looks_missing(figures.get(kind)) else read_count(figures[kind], f"{label} {kind}").steps
            for kind in (*ERRORS, "tn")
        }
        for label, figures in published.per_class.items()
        if any(not looks_missing(figures.get(kind)) for kind in ERRORS)
    }


def _figures(published: Published, given: Mapping[Key, tuple[str, Any]], has_counts: bool) -> dict[Key, Figure]:
    """Read every figure as printed: rounded to its decimals, or a floating-point number in full."""
    each = published.each_unit
    in_percent = not each and _percent(dict(given.values()), published.percent)
    columns = (
        {kind for (label, kind), (_, value) in given.items() if label is not None and is_percentage(value)}
        if each
        else ()
    )
    texts = {key: as_text(value, name) for key, (name, value) in given.items()}
    lost = {} if published.decimals is not None else column_decimals(texts)
    n_classes = published.n_classes or len(published.per_class) or None
    slack = float_slack(texts.values(), n_classes)
    figures: dict[Key, Figure] = {}
    for key, (name, value) in given.items():
        decimals = lost.get(key, _decimals(published.decimals, key, name))
        in_full = significant_digits(texts[key]) >= FLOAT_DIGITS or lost.get(key, 0) >= FLOAT_DIGITS
        figures[key] = read_ratio(
            value,
            name,
            percent=in_percent or (each and (is_percentage(value) or (key[0] is not None and key[1] in columns))),
            decimals=decimals,
            rounding=published.rounding,
            slack=slack if in_full else None,
        )
    for kind, count in (("correct", published.correct), ("total", published.total)):
        if not looks_missing(count):
            figures[None, kind] = read_count(count, kind)
    if not figures and not has_counts:
        raise InputError("no figures given", expected="at least one of precision, recall, f1 or figures of the classes")
    if in_percent:
        _refuse_a_mixture(figures)
    return figures


def _decimals(decimals: int | Mapping[str, int] | None, key: Key, name: str) -> int | None:
    found: Any = decimals
    if isinstance(decimals, Mapping):
        plain = key[1] if key[0] is None else f"{key[0]} {key[1]}"
        found = decimals.get(plain, decimals.get(name))
    return checked_decimals(found)


def _percent(given: Mapping[str, Any], percent: bool | None) -> bool:
    """Decide between percentages and fractions, and reject a mixture."""
    marked = [name for name, value in given.items() if isinstance(value, str) and value.strip().endswith("%")]
    if percent is False and marked:
        raise InputError(
            Message(f"{marked[0]} is {given[marked[0]]!r} beside ", Argument("percent", False)),
            expected="figures without %",
        )
    if percent is not None:
        return percent
    if marked:
        bare = [name for name in given if name not in marked]
        if bare:
            raise InputError(
                f"{marked[0]} is {given[marked[0]]!r} but {bare[0]} is {given[bare[0]]!r}",
                argument="percent",
                expected="% on all figures or on none",
                hint="mixed percentages and fractions cannot be told apart",
            )
        return True
    large = [name for name, value in given.items() if number_or_zero(value)[0] and is_percentage(value)]
    small = [name for name, value in given.items() if 0 < number_or_zero(value)[0] < 1]
    if large and small:
        raise InputError(
            f"{large[0]} is {given[large[0]]} but {small[0]} is {given[small[0]]}",
            argument="percent",
            expected="all figures in percent or all as fractions of 1",
            hint=Message("percentages need ", Argument("percent", True)),
        )
    return bool(large)


def number_or_zero(value: Any) -> tuple[Fraction, int]:
    """Return a printed figure and its number of decimals; 0 if it is not a number, which the reader rejects later."""
    try:
        return plain_number(value)
    except InputError:
        return Fraction(0), 0


def _refuse_a_mixture(ratios: Mapping[Key, Figure]) -> None:
    """Reject a macro figure given as a fraction among percentages.

    Neither formula is more than twice the smaller of macro precision and macro recall, so an F1 above 2 percent
    with a recall of at most 1 percent is a mistake, not a macro F1.
    """
    macro = {kind: ratios[None, kind] for kind in RATIOS if (None, kind) in ratios}
    value = {kind: figure.steps * figure.unit * 100 for kind, figure in macro.items()}
    if len(macro) < 3:
        return
    parts = sorted(("precision", "recall"), key=value.__getitem__)
    low, f1 = value[parts[0]], value["f1"]
    odd = parts[0] if 0 < low <= 1 and f1 > 2 else "f1" if 0 < f1 <= 1 and low >= 10 else None
    if odd is not None:
        other = "f1" if odd != "f1" else parts[1]
        raise InputError(
            f"{macro[odd].name} is {macro[odd].text} percent beside {macro[other].name} {macro[other].text}",
            argument="percent",
            expected="all figures in percent or all as fractions of 1",
        )


def with_counts(
    figures: dict[Key, Figure],
    labels: tuple[str, ...],
    sizes: Mapping[str, int],
    cells: Cells,
    *,
    n_classes: int | None,
    task: Task | None,
    where: str = "",
) -> Report:
    """Combine figures, class sizes and per-class counts; `where` is the prefix of error messages.

    With two classes, the four cells of one determine those of the other. If the counts of the listed classes cover all
    rows, no row is left for another class.
    """
    errors = _errors(cells)
    rest = {label: tn for label in errors if (tn := cells[label].get("tn")) is not None}
    n_rows = _n_rows({label: sum(errors[label]) + tn for label, tn in rest.items()}, where)
    if n_rows is not None and len(labels) == 1 and n_classes in (None, 2):
        (label,), ((_, fp, fn),) = labels, errors.values()
        labels, n_classes = (label, f"not {label}"), 2
        errors[labels[1]] = (rest[label], fn, fp)
    listed = len(errors) == len(labels) and n_classes in (None, len(labels))
    predicted, gold = (sum(tp + one[place] for tp, *one in errors.values()) for place in (0, 1))
    all_sizes = {**{label: tp + fn for label, (tp, _, fn) in errors.items()}, **sizes}
    return Report(
        figures,
        labels,
        n_classes or len(labels) or None,
        tuple(all_sizes.get(label) for label in labels),
        # With one label per row, there are as many predicted labels as gold labels.
        task != "multilabel" and not (listed and predicted != gold),
        errors,
        complete=task == "multiclass" or n_classes == len(labels) or (listed and n_rows == predicted == gold),
    )


def _errors(cells: Cells) -> dict[str, tuple[int, int, int]]:
    """Return tp, fp and fn of each class that has all three."""
    found = {}
    for label, of_class in cells.items():
        tp, fp, fn = (of_class.get(kind) for kind in ERRORS)
        if tp is not None and fp is not None and fn is not None:
            found[label] = (tp, fp, fn)
    return found


def _n_rows(by_class: Mapping[str, int], where: str) -> int | None:
    """Return the number of rows, which must be the same for every class; None without tn."""
    if len(set(by_class.values())) > 1:
        (first, one), (second, other) = sorted(by_class.items(), key=lambda item: item[1])[:: len(by_class) - 1]
        raise InputError(
            f"{where}tp, fp, fn and tn of {first} add up to {one} rows, those of {second} to {other}",
            argument="per_class",
            given=dict(by_class),
            expected="the same number of rows for every class",
        )
    return next(iter(by_class.values()), None)


def not_tested(report: Report, *, counted: bool) -> tuple[str, ...]:
    """Name every figure that no other figure can contradict, and what it would take to test it.

    `counted` says whether integer counts were searched for, which tests every figure.
    """

    def has(label: str | None, *kinds: str) -> bool:
        return all((label, kind) in report.figures for kind in kinds)

    labels, found = report.labels, []
    complete = bool(labels) and len(labels) == report.n_classes
    every = {kind: complete and all(has(label, kind) for label in labels) for kind in RATIOS}
    if not has(None, "f1"):
        found.append("the formula: no macro F1 was given")
    elif not (has(None, "precision") or has(None, "recall") or labels):
        found.append("macro F1: needs macro precision and macro recall, or figures of the classes")
    found += [
        f"macro {kind}: needs a macro F1, or the {kind} of every class"
        for kind in ("precision", "recall")
        if has(None, kind) and not (has(None, "f1") or every[kind] or counted)
    ]
    for label in () if counted else labels:
        for kind in RATIOS:
            others = [other for other in RATIOS if other != kind]
            if has(label, kind) and not (has(label, *others) or (every[kind] and has(None, kind))):
                found.append(f"{label} {WORDS[kind]}: needs the other two figures of the class, or class sizes")
    has_total = has(None, "total") or (report.all_sizes is not None and report.single_label)
    if has(None, "accuracy") and not (counted or (has(None, "correct") and has_total)):
        found.append("accuracy: needs class sizes, or correct and total")
    if has(None, "correct") and not (counted or has_total):
        found.append("correct: needs class sizes, or total")
    if has(None, "total") and report.all_sizes is None and not has(None, "correct"):
        found.append("total: needs class sizes, or correct and accuracy")
    if not counted and any(size is not None for size in report.sizes):
        missing = (
            "not every class has one" if report.all_sizes is None else "more combinations of counts fit than are listed"
        )
        why = missing if report.single_label else "rows have several labels"
        found.append(f"class sizes against whole counts: {why}")
    return tuple(found)
