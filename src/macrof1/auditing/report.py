"""From what was published to a report: figures are read, checked and named, and gaps are noted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, get_args

from macrof1.auditing.figures import Figure, Rounding, looks_missing, plain_number, read_count, read_ratio
from macrof1.auditing.intervals import RATIOS, Key, Report
from macrof1.convention import Task
from macrof1.errors import InputError

_WORDS = {"precision": "precision", "recall": "recall", "f1": "F1"}
_ALIASES = {"p": "precision", "r": "recall", "f": "f1", "f_1": "f1", "fscore": "f1", "f-score": "f1"}


@dataclass(frozen=True, slots=True)
class NotTested:
    """Which figures have nothing to be tested against."""

    has_f1: bool

    def sentences(self, report: Report, *, counted: bool) -> tuple[str, ...]:
        """Name every figure that no other figure can contradict, and why."""
        figures, found = report.figures, []
        complete = bool(report.labels) and len(report.labels) == report.n_classes

        def given(label: str | None, *kinds: str) -> bool:
            return all((label, kind) in figures for kind in kinds)

        def every(kind: str) -> bool:
            return complete and all((label, kind) in figures for label in report.labels)

        if not self.has_f1:
            found.append("the formula: no macro F1 was given")
        elif not (given(None, "precision") or given(None, "recall") or report.labels):
            found.append("macro F1: needs macro precision and macro recall, or figures of the classes")
        found += [
            f"macro {kind}: needs a macro F1, or the {kind} of every class"
            for kind in ("precision", "recall")
            if given(None, kind) and not (self.has_f1 or every(kind) or counted)
        ]
        for label in report.labels:
            for kind in RATIOS:
                others = tuple(other for other in RATIOS if other != kind)
                in_mean = every(kind) and (given(None, kind) if kind != "f1" else self.has_f1)
                if given(label, kind) and not (counted or given(label, *others) or in_mean):
                    found.append(f"{label} {_WORDS[kind]}: needs the other two figures of the class, or class sizes")
        if given(None, "accuracy") and not counted and not (given(None, "correct") and _has_total(report)):
            found.append("accuracy: needs class sizes, or correct and total")
        if given(None, "correct") and not counted and not _has_total(report):
            found.append("correct: needs class sizes, or total")
        if given(None, "total") and report.all_sizes is None and not given(None, "correct"):
            found.append("total: needs class sizes, or correct and accuracy")
        if any(size is not None for size in report.sizes) and not counted:
            missing = report.all_sizes is None
            why = "not every class has one" if missing else "more combinations of counts fit than are listed"
            found.append(
                f"class sizes against whole counts: {why if report.single_label else 'rows have several labels'}"
            )
        return tuple(found)


def _has_total(report: Report) -> bool:
    return (None, "total") in report.figures or (report.all_sizes is not None and report.single_label)


def checked_choices(rounding: str, task: str) -> None:
    """Refuse a way of rounding or a task that is not known."""
    for name, value, known in (("rounding", rounding, get_args(Rounding)), ("task", task, get_args(Task))):
        if value not in known:
            raise InputError.unknown_value(name, value, known)


def checked_n_classes(n_classes: Any, labels: tuple[str, ...]) -> None:
    """Refuse a number of classes that is none, or that is smaller than the classes listed."""
    if n_classes is None:
        return
    if isinstance(n_classes, bool) or not isinstance(n_classes, int) or n_classes < 1:
        raise InputError(f"n_classes={n_classes!r}: expected a whole number, 1 or larger")
    if len(labels) > n_classes:
        raise InputError(
            f"{len(labels)} classes listed ({', '.join(labels[:5])}{', …' if len(labels) > 5 else ''}) but the number "
            f"of classes is {n_classes}: expected at most {n_classes}"
        )


def checked_decimals(decimals: Any) -> int | None:
    """Return the number of decimals, or refuse one that no figure has."""
    if decimals is None:
        return None
    if isinstance(decimals, bool) or not isinstance(decimals, int) or not 0 <= decimals <= 30:
        raise InputError(f"decimals={decimals!r}: expected a whole number from 0 to 30")
    return decimals


def read_report(
    *,
    macro: Mapping[str, Any],
    n_classes: int | None,
    per_class: Mapping[str, Mapping[str, Any]],
    support: Mapping[str, Any],
    accuracy: Any,
    correct: Any,
    total: Any,
    percent: bool | None,
    decimals: int | Mapping[str, int] | None,
    rounding: Rounding,
    task: Task,
) -> tuple[Report, NotTested, tuple[str, ...]]:
    """Read and check everything that was published about one system."""
    checked_choices(rounding, task)
    given: dict[Key, tuple[str, Any]] = {}
    for kind in RATIOS:
        if not looks_missing(macro[kind]):
            given[None, kind] = (f"macro {_WORDS[kind]}", macro[kind])
    for label, figures in per_class.items():
        if not isinstance(figures, Mapping):
            raise InputError(
                f"per_class[{label!r}] is {figures!r}: expected a mapping such as {{'precision': '0.80', …}}"
            )
        for name, value in figures.items():
            kind = _ALIASES.get(str(name).lower(), str(name).lower())
            if kind not in RATIOS:
                raise InputError.unknown_value(f"per_class[{label!r}]", name, RATIOS)
            if not looks_missing(value):
                given[str(label), kind] = (f"{label} {_WORDS[kind]}", value)
    if not looks_missing(accuracy):
        given[None, "accuracy"] = ("accuracy", accuracy)
    in_percent = _percent(dict(given.values()), percent)
    ratios: dict[Key, Figure] = {
        key: read_ratio(value, name, percent=in_percent, decimals=_decimals(decimals, key, name), rounding=rounding)
        for key, (name, value) in given.items()
    }
    counts = {
        (None, kind): value for kind, value in (("correct", correct), ("total", total)) if not looks_missing(value)
    }
    ratios.update({key: read_count(value, key[1]) for key, value in counts.items()})
    if not ratios:
        raise InputError("no figures given: expected at least one of precision, recall, f1 or figures of the classes")
    if in_percent:
        _refuse_a_mixture(ratios)
    labels = tuple(dict.fromkeys([*(str(label) for label in per_class), *(str(label) for label in support)]))
    sizes = {str(label): int(read_count(size, f"size of {label}").bounds[0]) for label, size in support.items()}
    notes = []
    if n_classes is None:
        n_classes = len(labels) or None
        if labels:
            listed = f"{len(labels)} classes with figures are" if len(labels) > 1 else "class with figures is"
            everything = "all classes" if len(labels) > 1 else "the only class"
            notes.append(f"The {listed} taken to be {everything} (n_classes= says otherwise).")
    checked_n_classes(n_classes, labels)
    report = Report(ratios, labels, n_classes, tuple(sizes.get(label) for label in labels), task == "multiclass")
    if report.single_label and (report.n_classes == 2 or report.all_sizes is not None):
        notes.append(
            "Every row is taken to have one gold and one predicted label among the classes "
            '(task="multilabel" says otherwise).'
        )
    return report, NotTested((None, "f1") in ratios), tuple(notes)


def _decimals(decimals: int | Mapping[str, int] | None, key: Key, name: str) -> int | None:
    found: Any = decimals
    if isinstance(decimals, Mapping):
        plain = key[1] if key[0] is None else f"{key[0]} {key[1]}"
        found = decimals.get(plain, decimals.get(name))
    return checked_decimals(found)


def _percent(given: Mapping[str, Any], percent: bool | None) -> bool:
    """Tell percentages from fractions, and refuse a mixture."""
    marked = [name for name, value in given.items() if isinstance(value, str) and value.strip().endswith("%")]
    if percent is False and marked:
        raise InputError(f"{marked[0]} is {given[marked[0]]!r} but percent=False: expected figures without %")
    if percent is not None:
        return percent
    if marked:
        bare = [name for name in given if name not in marked]
        if bare:
            raise InputError(
                f"{marked[0]} is {given[marked[0]]!r} but {bare[0]} is {given[bare[0]]!r}: expected % on all figures "
                "or on none; mixed percentages and fractions cannot be told apart"
            )
        return True
    large = [name for name, value in given.items() if _number(value) > 1]
    small = [name for name, value in given.items() if 0 < _number(value) < 1]
    if large and small:
        raise InputError(
            f"{large[0]} is {given[large[0]]} but {small[0]} is {given[small[0]]}: expected all figures in percent or "
            "all as fractions of 1; if they are percentages, say percent=True"
        )
    return False


def _number(value: Any) -> Fraction:
    """Return a figure as printed; 0 for what is no number, which is refused where it is read."""
    try:
        return plain_number(value)[0]
    except InputError:
        return Fraction(0)


def _refuse_a_mixture(ratios: Mapping[Key, Figure]) -> None:
    """Refuse a macro figure that is a fraction beside others in percent.

    Neither formula is more than twice the smaller of macro precision and macro recall, so an F1 above 2 percent
    with a recall of at most 1 percent is no macro F1 but a slip.
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
            f"{macro[odd].name} is {macro[odd].text} percent beside {macro[other].name} {macro[other].text}: "
            "expected all figures in percent or all as fractions of 1"
        )
