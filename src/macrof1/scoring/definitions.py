"""Every number that goes by the name macro F1, or stands beside it, as one table: each a function of counts.

Both formulas, over every class set that is in use, with undefined ratios as 0, as 1 or left out; weighted and micro
averages, accuracy, balanced accuracy, macro precision and recall alone, Cohen's kappa and MCC.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from macrof1.convention import DEFAULT, FORMULA_NAMES, FORMULAS, ClassSet, Convention, Formula, Undefined
from macrof1.counts import ClassCounts, GroupedCounts, class_counts_of
from macrof1.labels import Label, label_text
from macrof1.result import Result
from macrof1.scoring import macro
from macrof1.scoring.ratios import ClassColumns, select

# Names of classes that mean "none of the others", and are often left out of the mean.
_NON_CLASSES = {
    "o", "other", "others", "none", "no_relation", "no relation", "na", "n/a", "neutral", "neu", "negative", "neg",
    "null", "outside", "unknown", "(missing)", "irrelevant", "nil",
}  # fmt: skip

# With more classes than this, only usual ones are left out in turn.
_MOST_LEFT_OUT = 60

_CLASS_SET_NAMES: dict[ClassSet, str] = {
    "union": "classes in gold or predicted",
    "listed": "all listed classes",
    "gold": "classes in gold",
    "seen": "listed classes that occur",
}
_UNDEFINED_NAMES: dict[Undefined, str] = {
    0: "undefined ratios as 0",
    1: "undefined ratios as 1",
    "drop": "undefined ratios left out",
    "drop_with_parts": "classes never gold or never predicted left out",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinedScore(Result):
    """One definition, and what it gives on some data.

    Attributes
    ----------
    definition
        A short name: ``"averaged_f1"``, ``"averaged_f1(classes=gold)"``, ``"micro_f1(exclude=O)"``.
    value
        The number, not rounded.
    words
        The definition for people.
    convention
        How to ask `macrof1.score` for it, where it is one of the two macro F1s; else None.
    """

    _keys = ("definition", "value", "words")

    definition: str
    value: float
    words: str
    convention: Convention | None = None


def definitions(counts: ClassCounts) -> list[DefinedScore]:
    """Compute every definition on counts; those that do not apply, or are not defined, are left out.

    Examples
    --------
    >>> import macrof1
    >>> found = definitions(macrof1.count(["a", "a", "b"], ["a", "b", "b"]))
    >>> [score.definition for score in found][:4]
    ['averaged_f1', 'f1_of_averages', 'macro_precision', 'macro_recall']
    """
    found: list[DefinedScore] = []
    for convention, columns in _class_sets(counts):
        for undefined in _policies(columns):
            found += _macro(columns, replace(convention, undefined=undefined))
        found += _averages(columns, convention)
    found += _of_rows(counts)
    if len(counts.labels) == 2:
        found += _of_each_class(counts)
    return [score for score in found if not math.isnan(score.value)]


def _class_sets(counts: ClassCounts) -> Iterator[tuple[Convention, ClassColumns]]:
    """Yield the class sets that are in use, each with the convention that asks for it."""
    base = select(counts, DEFAULT)
    listed = counts.n_listed is not None
    yield replace(DEFAULT, classes="listed" if listed else "union"), base
    others: tuple[ClassSet, ...] = ("gold", "seen") if listed else ("gold",)
    for classes in others:
        places = [p for p, g in enumerate(base.actual) if g or (classes == "seen" and base.predicted[p])]
        if places and len(places) < len(base):
            yield replace(DEFAULT, classes=classes), _at(base, places)
    if len(base) < 2:
        return
    for place in _left_out(base):
        convention = replace(DEFAULT, classes="listed" if listed else "union", exclude=(base.labels[place],))
        yield convention, _at(base, [other for other in range(len(base)) if other != place])


def _at(columns: ClassColumns, places: Sequence[int]) -> ClassColumns:
    return ClassColumns(
        tuple(columns.labels[p] for p in places),
        tuple(columns.tp[p] for p in places),
        tuple(columns.predicted[p] for p in places),
        tuple(columns.actual[p] for p in places),
    )


def _left_out(columns: ClassColumns) -> list[int]:
    """Return the classes that are left out in turn: all of a few; of many the usual ones and the largest."""
    places = range(len(columns))
    if len(columns) <= _MOST_LEFT_OUT:
        return list(places)
    usual = [place for place in places if is_non_class(columns.labels[place])]
    return sorted({*usual, max(places, key=columns.actual.__getitem__)})


def is_non_class(label: Label | None) -> bool:
    """Tell a class that means "none of the others" by its name: O, Other, None, neutral and the like."""
    return label_text(label).strip().lower() in _NON_CLASSES


def _policies(columns: ClassColumns) -> tuple[Undefined, ...]:
    """Return the policies for undefined ratios that make a difference."""
    if all(columns.predicted) and all(columns.actual):
        return (0,)
    return (0, 1, "drop", "drop_with_parts")


def _macro(columns: ClassColumns, convention: Convention) -> list[DefinedScore]:
    """Return both formulas, and the two means alone."""
    undefined = convention.undefined
    f1 = _mean(columns.f(1.0, undefined))
    precision, recall = _mean(columns.precision(undefined)), _mean(columns.recall(undefined))
    of_averages = macro.f_of_means(precision, recall, 1.0)
    if not columns.means_differ(undefined):
        of_averages = max(of_averages, f1)
    where, words = _options(convention), _phrases(convention)
    values: dict[Formula, float] = {"averaged_f1": f1, "f1_of_averages": of_averages}
    found = [
        DefinedScore(
            definition=f"{formula}{where}",
            value=values[formula],
            words=f"{FORMULA_NAMES[formula]}{words}",
            convention=replace(convention, formula=formula),
        )
        for formula in FORMULAS
    ]
    if undefined == "drop_with_parts":
        return found
    return [
        *found,
        DefinedScore(definition=f"macro_precision{where}", value=precision, words=f"macro precision alone{words}"),
        DefinedScore(definition=f"macro_recall{where}", value=recall, words=f"macro recall alone{words}"),
    ]


def _mean(values: list[float]) -> float:
    """Return the mean of what is defined; NaN where nothing is."""
    defined = [value for value in values if value == value]
    return math.fsum(defined) / len(defined) if defined else math.nan


def _averages(columns: ClassColumns, convention: Convention) -> list[DefinedScore]:
    """Return weighted and micro averages over the classes."""
    where, words = _options(convention), _phrases(convention)
    precision = macro.weighted_mean(columns.precision(0), columns.actual)
    recall = macro.weighted_mean(columns.recall(0), columns.actual)
    values = {
        "weighted_f1": (macro.weighted_mean(columns.f(1.0, 0), columns.actual), "weighted F1"),
        "f1_of_weighted_averages": (
            macro.f_of_means(precision, recall, 1.0),
            "F1 of weighted precision and weighted recall",
        ),
        "weighted_precision": (precision, "weighted precision alone"),
        "micro_f1": (macro.micro_f(columns), "micro F1"),
    }
    return [
        DefinedScore(definition=f"{name}{where}", value=value, words=f"{text}{words}")
        for name, (value, text) in values.items()
    ]


def _of_rows(counts: ClassCounts) -> list[DefinedScore]:
    """Return what needs one label per row, over all labels."""
    if not macro.covers_rows(counts):
        return []
    measures: dict[str, tuple[Callable[[ClassCounts], float], str]] = {
        "accuracy": (macro.accuracy, "accuracy (micro F1 over all classes)"),
        "balanced_accuracy": (macro.balanced_accuracy, "balanced accuracy"),
        "cohen_kappa": (macro.cohen_kappa, "Cohen's kappa"),
        "mcc": (macro.mcc, "Matthews' correlation coefficient"),
    }
    return [
        DefinedScore(definition=name, value=measure(counts), words=words) for name, (measure, words) in measures.items()
    ]


def _of_each_class(counts: ClassCounts) -> list[DefinedScore]:
    """Return the F1 of either class alone: what is printed when one of them is "positive"."""
    columns = ClassColumns(counts.labels, counts.tp, counts.predicted, counts.actual)
    return [
        DefinedScore(definition=f"f1({label_text(label)})", value=f1, words=f"F1 of class {label_text(label)} alone")
        for label, f1 in zip(columns.labels, columns.f(1.0, 0), strict=True)
    ]


def group_definitions(grouped: GroupedCounts) -> list[DefinedScore]:
    """Compute what becomes of groups (folds, domains, seeds): means of scores, and scores of mean precision and recall.

    The score of the pooled counts is what `definitions` computes on the total.
    """
    name = ", ".join(grouped.by)
    parts = [class_counts_of(part) for _, part in grouped.groups]
    each = [{score.definition: score for score in definitions(part)} for part in parts]
    shared = [key for key in each[0] if all(key in other for other in each)] if each else []
    found = [
        DefinedScore(
            definition=f"mean over {name} of {key}",
            value=math.fsum(scores[key].value for scores in each) / len(each),
            words=f"mean over {name} of {each[0][key].words}",
        )
        for key in shared
    ]
    pairs = [("macro_precision", "macro_recall", "macro")]
    for precision, recall, kind in pairs:
        if precision in shared and recall in shared:
            p, r = (math.fsum(scores[key].value for scores in each) / len(each) for key in (precision, recall))
            found.append(
                DefinedScore(
                    definition=f"f1 of mean {precision} and {recall} over {name}",
                    value=macro.f_of_means(p, r, 1.0),
                    words=f"F1 of the means over {name} of {kind} precision and {kind} recall",
                )
            )
    return found


def _options(convention: Convention) -> str:
    """Write what is not the default as Python would: (classes=gold, undefined=1)."""
    parts = []
    if convention.classes not in ("union", "listed"):
        parts.append(f"classes={convention.classes}")
    if convention.exclude:
        parts.append(f"exclude={','.join(map(label_text, convention.exclude))}")
    if convention.undefined != 0:
        parts.append(f"undefined={convention.undefined}")
    return f"({', '.join(parts)})" if parts else ""


def _phrases(convention: Convention) -> str:
    parts = []
    if convention.classes not in ("union", "listed"):
        parts.append(f" over {_CLASS_SET_NAMES[convention.classes]}")
    if convention.exclude:
        parts.append(f" without class {', '.join(map(label_text, convention.exclude))}")
    if convention.undefined != 0:
        parts.append(f", {_UNDEFINED_NAMES[convention.undefined]}")
    return "".join(parts)
