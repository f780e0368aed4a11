"""Turn what was published into a report: read, check and name figures, and note what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, get_args

from macrof1.auditing import printed_figures
from macrof1.auditing.feasible import Report
from macrof1.auditing.printed_figures import ERRORS, RATIOS, Figure, Key, Rounding, read_count, read_ratio
from macrof1.convention import Task
from macrof1.errors import InputError
from macrof1.message import Argument, Message, Note, shown
from macrof1.reading.numbers import as_text, is_percentage, looks_missing

Cells: TypeAlias = Mapping[str, Mapping[str, int | None]]  # tp, fp, fn and tn of each class; None if not given

_ALIASES = {"p": "precision", "r": "recall", "f": "f1", "f_1": "f1", "fscore": "f1", "f-score": "f1"}
_ONE_UNIT = "all figures in percent or all as fractions of 1"
WORDS = {"precision": "precision", "recall": "recall", "f1": "F1"}


def checked_choices(rounding: str, task: str | None) -> None:
    """Reject an unknown rounding mode or task."""
    InputError.one_of("rounding", rounding, get_args(Rounding))
    if task is not None:
        InputError.one_of("task", task, get_args(Task))


def checked_mapping(name: str, value: Any, example: str) -> None:
    """Reject figures or sizes of classes that are not given by class."""
    if not isinstance(value, Mapping):
        expected = f"a mapping such as {example}"
        raise InputError(f"{name} is {shown(value)}", argument=name, given=value, expected=expected)


def checked_n_classes(n_classes: Any, labels: tuple[str, ...]) -> None:
    """Reject an invalid number of classes, or one smaller than the number of listed classes."""
    if n_classes is None:
        return
    InputError.whole("n_classes", n_classes, 1, 10**15)
    if len(labels) > n_classes:
        names = ", ".join(labels[:5]) + (", …" if len(labels) > 5 else "")
        problem = Message(f"{len(labels)} classes listed ({names}) beside ", Argument("n_classes", n_classes))
        raise InputError(problem, expected=f"at most {n_classes}")


def checked_decimals(decimals: Any) -> int | None:
    """Return the number of decimals, or reject an impossible one."""
    return None if decimals is None else InputError.whole("decimals", decimals, 0, 30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What was published about one system, as given."""

    macro: Mapping[str, Any]
    n_classes: int | None
    per_class: Mapping[str, Mapping[str, Any]]
    support: Mapping[str, Any]
    accuracy: Any = None
    correct: Any = None
    total: Any = None
    percent: bool | None = None
    decimals: int | Mapping[str, int] | None = None
    rounding: Rounding = "round"
    task: Task | None = None
    averages: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # weighted and micro ones, by name and kind
    by_tool: bool = False
    each_unit: bool = False  # percentages and fractions may be mixed: a % sign or a figure above 1 tells for its column


def read_report(published: Published) -> tuple[Report, tuple[str, ...]]:
    """Read and check everything that was published about one system; return it with notes on what was assumed."""
    checked_choices(published.rounding, published.task)
    per_class, support = published.per_class, published.support
    checked_mapping("support", support, "{'cat': 120}")
    checked_mapping("per_class", per_class, "{'cat': {'precision': '0.80', …}}")
    labels = tuple(dict.fromkeys([*map(str, per_class), *map(str, support)]))
    checked_n_classes(published.n_classes, labels)
    figures = _figures(published, _given(published))
    cells: dict[str, dict[str, int | None]] = {}
    for label, row in per_class.items():
        told = [kind for kind in (*ERRORS, "tn") if not looks_missing(row.get(kind))]
        if told and told != ["tn"]:
            cells[str(label)] = {kind: read_count(row[kind], f"{label} {kind}").steps for kind in told}
    if not figures and not cells:
        raise InputError("no figures given", expected="at least one of precision, recall, f1 or figures of the classes")
    sizes = {str(label): read_count(size, f"size of {label}").steps for label, size in support.items()}
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
    macro = published.macro
    given: dict[Key, tuple[str, Any]] = {(None, kind): (f"macro {WORDS[kind]}", macro[kind]) for kind in RATIOS}
    for label, figures in published.per_class.items():
        if not isinstance(figures, Mapping):
            problem, example = f"the figures of {label!r} are {figures!r}", "{'precision': '0.80', …}"
            raise InputError(problem, argument="per_class", given=figures, expected=f"a mapping such as {example}")
        for name, value in figures.items():
            kind = _ALIASES.get(str(name).lower(), str(name).lower())
            if kind not in (*RATIOS, *ERRORS, "tn"):
                raise InputError.unknown_value(f"per_class[{label!r}]", name, (*RATIOS, *ERRORS))
            if kind in RATIOS and not looks_missing(value):
                given[str(label), kind] = (f"{label} {WORDS[kind]}", value)
    given[None, "accuracy"] = ("accuracy", published.accuracy)
    for average, row in published.averages.items():
        given |= {(None, f"{average}_{kind}"): (f"{average} {WORDS[kind]}", row.get(kind)) for kind in RATIOS}
    return {key: (name, value) for key, (name, value) in given.items() if not looks_missing(value)}


def _figures(published: Published, given: Mapping[Key, tuple[str, Any]]) -> dict[Key, Figure]:
    """Read every figure as printed: rounded to its decimals, or a floating-point number in full."""
    each = published.each_unit
    in_percent = not each and _percent(dict(given.values()), published.percent)
    columns = {key[1] for key, (_, value) in given.items() if key[0] is not None and is_percentage(value)}
    texts = {key: as_text(value, name) for key, (name, value) in given.items()}
    lost = {} if published.decimals is not None else printed_figures.column_decimals(texts)
    slack = printed_figures.float_slack(texts.values(), published.n_classes or len(published.per_class) or None)
    figures: dict[Key, Figure] = {}
    decimals: Any = published.decimals
    for key, (name, value) in given.items():
        if isinstance(published.decimals, Mapping):
            plain = key[1] if key[0] is None else f"{key[0]} {key[1]}"
            decimals = published.decimals.get(plain, published.decimals.get(name))
        digits = max(printed_figures.significant_digits(texts[key]), lost.get(key, 0))
        percent = in_percent or (each and (is_percentage(value) or (key[0] is not None and key[1] in columns)))
        figures[key] = read_ratio(
            texts[key],
            name,
            percent=percent,
            decimals=lost.get(key, checked_decimals(decimals)),
            rounding=published.rounding,
            slack=slack if digits >= printed_figures.FLOAT_DIGITS else None,
        )
    for kind, count in (("correct", published.correct), ("total", published.total)):
        if not looks_missing(count):
            figures[None, kind] = read_count(count, kind)
    if in_percent:
        _refuse_a_mixture(figures)
    return figures


def _percent(given: Mapping[str, Any], percent: bool | None) -> bool:
    """Decide between percentages and fractions, and reject a mixture."""
    marked = [name for name, value in given.items() if isinstance(value, str) and value.strip().endswith("%")]
    if percent is False and marked:
        problem = Message(f"{marked[0]} is {given[marked[0]]!r} beside ", Argument("percent", False))
        raise InputError(problem, expected="figures without %")
    if percent is not None:
        return percent
    numbers = {name: printed_figures.number_or_zero(value)[0] for name, value in given.items()}
    large = marked or [name for name, number in numbers.items() if number > 1]
    # Beside a percent sign, 1 alone could be either.
    small = [name for name, number in numbers.items() if name not in marked and 0 < number < (2 if marked else 1)]
    if large and small:
        problem = Message(f"{large[0]} is {given[large[0]]} but {small[0]} is {given[small[0]]}")
        hint = Message("percentages need ", Argument("percent", True))
        raise InputError(problem, argument="percent", expected=_ONE_UNIT, hint=hint)
    return bool(large)


def _refuse_a_mixture(figures: Mapping[Key, Figure]) -> None:
    """Reject a macro figure given as a fraction among percentages."""
    # Neither formula is more than twice the smaller of macro precision and macro recall, so an F1 above 2 percent
    # with a recall of at most 1 percent is a mistake, not a macro F1.
    if not all((None, kind) in figures for kind in RATIOS):
        return
    value = {kind: figures[None, kind].steps * figures[None, kind].unit * 100 for kind in RATIOS}
    least, most = sorted(("precision", "recall"), key=value.__getitem__)
    low, f1 = value[least], value["f1"]
    if (0 < low <= 1 and f1 > 2) or (0 < f1 <= 1 and low >= 10):
        odd, other = (figures[None, kind] for kind in ((least, "f1") if low <= 1 else ("f1", most)))
        problem = f"{odd.name} is {odd.text} percent beside {other.name} {other.text}"
        raise InputError(problem, argument="percent", expected=_ONE_UNIT)


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
    """Combine figures, class sizes and per-class counts; `where` is the prefix of error messages."""
    errors = {}
    for label, row in cells.items():
        tp, fp, fn = (row.get(kind) for kind in ERRORS)
        if tp is not None and fp is not None and fn is not None:
            errors[label] = (tp, fp, fn)
    rest = {label: tn for label in errors if (tn := cells[label].get("tn")) is not None}
    rows = {label: sum(errors[label]) + tn for label, tn in rest.items()}
    n_rows = next(iter(rows.values()), None)
    if len(set(rows.values())) > 1:
        (first, one), (second, other) = sorted(rows.items(), key=lambda item: item[1])[:: len(rows) - 1]
        problem = f"{where}tp, fp, fn and tn of {first} add up to {one} rows, those of {second} to {other}"
        raise InputError(problem, argument="per_class", given=rows, expected="the same number of rows for every class")
    # With two classes, the four cells of one determine those of the other.
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
        # If the counts of the listed classes cover all rows, no row is left for another class.
        complete=task == "multiclass" or n_classes == len(labels) or (listed and n_rows == predicted == gold),
    )


def not_tested(report: Report, *, counted: bool) -> tuple[str, ...]:
    """Name every figure that no other can contradict, and what would test it; whole counts (`counted`) test all."""

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
        why = "more combinations of counts fit than are listed" if report.all_sizes else "not every class has one"
        found.append(f"class sizes against whole counts: {why if report.single_label else 'rows have several labels'}")
    return tuple(found)
