"""Every number that goes by the name macro F1, or is printed beside it, as a function of counts.

Both formulas over every class set in use, with undefined ratios as 0, as 1 or left out; weighted and micro
averages, accuracy, balanced accuracy, macro precision and recall alone, Cohen's kappa and MCC.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final, NamedTuple, Protocol, TypeAlias, runtime_checkable

from macrof1.convention import DEFAULT, FORMULA_NAMES, FORMULAS, ClassSet, Convention, Undefined, checked_formula
from macrof1.counts import ClassCounts, GroupedCounts, Number, class_counts_of
from macrof1.labels import Label, label_text
from macrof1.result import Result
from macrof1.scoring import macro
from macrof1.scoring.ratios import ClassColumns, select, value_of

# Class names that mean "none of the others"; these classes are often left out of the mean.
_NON_CLASSES = {
    "o", "other", "others", "none", "no_relation", "no relation", "na", "n/a", "neutral", "neu", "negative", "neg",
    "null", "outside", "unknown", "(missing)", "irrelevant", "nil",
}  # fmt: skip

# With more classes than this, only the usual ones are left out in turn.
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


KIND_NAMES: Final[dict[str, str]] = {
    **{str(formula): words for formula, words in FORMULA_NAMES.items()},
    "averaged_f1_of_ratios": "averaged F1 where precision and recall of 0 make it undefined",
    "macro_precision": "macro precision alone",
    "macro_recall": "macro recall alone",
    "weighted_f1": "weighted F1",
    "f1_of_weighted_averages": "F1 of weighted precision and weighted recall",
    "weighted_precision": "weighted precision alone",
    "micro_f1": "micro F1",
    "accuracy": "accuracy (micro F1 over all classes)",
    "balanced_accuracy": "balanced accuracy",
    "cohen_kappa": "Cohen's kappa",
    "mcc": "Matthews' correlation coefficient",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinedScore(Result):
    """One definition and its value on some data.

    Attributes
    ----------
    definition
        A short name: ``"averaged_f1"``, ``"averaged_f1(classes=gold)"``, ``"micro_f1(exclude=O)"``.
    value
        The unrounded value.
    words
        The definition in words.
    convention
        How to request it from `macrof1.score`, if it is one of the two macro F1s; else None.
    """

    _keys = ("definition", "value", "words")

    definition: str
    value: float
    words: str
    convention: Convention | None = None


# With more classes than this, only the rows of classes that mean "none of the others" are left out.
_MOST_WITHOUT_ROWS = 12


class _ClassSet(NamedTuple):
    """A class set in use: which classes, and those left out: none, one, or all non-classes; and whose rows are."""

    classes: ClassSet
    left_out: tuple[Label | None, ...]
    without_rows: tuple[Label | None, ...] = ()

    def options(self, undefined: Undefined = 0) -> str:
        """Write the options that are not the default in Python's spelling: (classes=gold, undefined=1)."""
        parts = [] if self.classes in ("union", "listed") else [f"classes={self.classes}"]
        parts += [f"exclude={label_text(label)}" for label in self.left_out]
        parts += [f"without_rows={label_text(label)}" for label in self.without_rows]
        parts += [f"undefined={undefined}"] if undefined != 0 else []
        return f"({', '.join(parts)})" if parts else ""

    def words(self, undefined: Undefined = 0) -> str:
        """Write the same options in words."""
        over = "" if self.classes in ("union", "listed") else f" over {_CLASS_SET_NAMES[self.classes]}"
        without = "".join([f" without class {label_text(label)}" for label in self.left_out])
        without += "".join([f" without the rows of class {label_text(label)}" for label in self.without_rows])
        return over + without + (f", {_UNDEFINED_NAMES[undefined]}" if undefined != 0 else "")


_Key: TypeAlias = tuple[str, _ClassSet, Undefined]
"""What identifies a definition: its kind, class set and policy."""

Value: TypeAlias = tuple[float, str, _ClassSet, Undefined]
"""A value and what identifies its definition; a plain tuple is made in a tenth of the time of a `Valued`."""


class Valued(NamedTuple):
    """A definition and its value, without its name in words."""

    value: float
    kind: str
    where: _ClassSet
    undefined: Undefined

    @property
    def definition(self) -> str:
        """A short name, as in `DefinedScore`."""
        return f"{self.kind}{self.where.options(self.undefined)}"

    @property
    def words(self) -> str:
        """The definition in words."""
        return f"{KIND_NAMES.get(self.kind, self.kind)}{self.where.words(self.undefined)}"

    def named(self) -> DefinedScore:
        """Add the name in words and the convention that requests it."""
        convention = None
        if self.kind in FORMULAS and not self.where.without_rows:
            convention = Convention(
                formula=checked_formula(self.kind),
                classes=self.where.classes,
                undefined=self.undefined,
                exclude=self.where.left_out,
            )
        return DefinedScore(definition=self.definition, value=self.value, words=self.words, convention=convention)


def definitions(counts: ClassCounts) -> list[DefinedScore]:
    """Compute every definition on counts; those that do not apply, or are undefined, are left out.

    Examples
    --------
    >>> import macrof1
    >>> found = definitions(macrof1.count(["a", "a", "b"], ["a", "b", "b"]))
    >>> [score.definition for score in found][:4]
    ['averaged_f1', 'f1_of_averages', 'macro_precision', 'macro_recall']
    """
    return [Valued(*found).named() for found in values_of(counts)]


def values_of(counts: ClassCounts) -> list[Value]:
    """Compute the value of every definition on counts; `Valued` adds names and words on demand.

    For callers that have the counts behind a published number and ask what it is: an audit, `identify`. Undefined
    values are left out. Each item is ``(value, kind, where, undefined)``: the first is the number, the second one of
    `KIND_NAMES`, or the F1 of a single class.

    Examples
    --------
    >>> from macrof1.counts import ClassCounts
    >>> counts = ClassCounts.from_errors({"cat": (629, 155, 159), "dog": (80, 40, 20)})
    >>> [Valued(*found).definition for found in values_of(counts) if f"{found[0]:.4f}" == "0.7913"]
    ['micro_f1']
    """
    base = select(counts, DEFAULT)
    listed = counts.n_listed is not None
    classes: ClassSet = "listed" if listed else "union"
    whole = _ClassSet(classes, ())
    found = [*_macro(base, whole), *_averages(base, whole)]
    if not all(base.tp):
        policies: tuple[Undefined, ...] = (1, "drop")
        found += [(mean_f_of_ratios(base, each), "averaged_f1_of_ratios", whole, each) for each in policies]
    others: tuple[ClassSet, ...] = ("gold", "seen") if listed else ("gold",)
    for other in others:
        places = [p for p, g in enumerate(base.actual) if g or (other == "seen" and base.predicted[p])]
        if places and len(places) < len(base):
            columns = _at(base, places)
            found += [*_macro(columns, _ClassSet(other, ())), *_averages(columns, _ClassSet(other, ()))]
    if len(base) > 1:
        found += _with_one_left_out(base, classes)
        found += _without_non_classes(base, classes)
    found += _of_rows(counts, whole)
    return [each for each in found if each[0] == each[0]]


def _without_non_classes(base: ClassColumns, classes: ClassSet) -> list[Value]:
    """Leave out all classes that mean "none of the others", if there are several."""
    kept = [place for place, label in enumerate(base.labels) if not is_non_class(label)]
    if not 0 < len(kept) < len(base) - 1:
        return []
    where = _ClassSet(classes, tuple(label for label in base.labels if is_non_class(label)))
    return [*_macro(_at(base, kept), where), *_averages(_at(base, kept), where)]


def _with_one_left_out(base: ClassColumns, classes: ClassSet) -> list[Value]:
    """Leave out one class at a time: from sums, if every ratio is defined."""
    found: list[Value] = []
    # Differences of real weights may underflow to 0.
    real = isinstance(base.actual[0], float)
    if real or not (all(base.predicted) and all(base.actual)):
        for place in _left_out(base):
            columns = _at(base, [other for other in range(len(base)) if other != place])
            where = _ClassSet(classes, (base.labels[place],))
            found += [*_macro(columns, where), *_averages(columns, where)]
        return found
    f1, precision, recall = base.f(), base.precision(), base.recall()
    sums = [math.fsum(each) for each in (f1, precision, recall)]
    tp, predicted, actual = sum(base.tp), sum(base.predicted), sum(base.actual)
    heavy = [math.fsum(map(mul, each, base.actual)) for each in (f1, precision)]
    n = len(base) - 1
    for place in _left_out(base):
        where = _ClassSet(classes, (base.labels[place],))
        gold, hits = base.actual[place], base.tp[place]
        p, r = (sums[1] - precision[place]) / n, (sums[2] - recall[place]) / n
        rest = actual - gold
        weighted_p = (heavy[1] - gold * precision[place]) / rest
        found += [
            ((sums[0] - f1[place]) / n, "averaged_f1", where, 0),
            (macro.f_of_means(p, r, 1.0), "f1_of_averages", where, 0),
            (p, "macro_precision", where, 0),
            (r, "macro_recall", where, 0),
            ((heavy[0] - gold * f1[place]) / rest, "weighted_f1", where, 0),
            (macro.f_of_means(weighted_p, (tp - hits) / rest, 1.0), "f1_of_weighted_averages", where, 0),
            (weighted_p, "weighted_precision", where, 0),
            (2 * (tp - hits) / (predicted - base.predicted[place] + rest), "micro_f1", where, 0),
        ]
    return found


@runtime_checkable
class HasCells(Protocol):
    """A confusion matrix."""

    def predicted_for(self, place: int) -> list[Number]:
        """Return how often each label is predicted in the rows of one gold label."""
        ...


def values_without_rows(counts: ClassCounts, cells: HasCells) -> list[Value]:
    """Compute scores of the rows that remain without those of one gold class, as ``ignore_index`` leaves them out.

    Over the classes that the remaining rows have; and without the class itself, where it is still predicted.
    """
    base = select(counts, DEFAULT)
    found: list[Value] = []
    # Differences of real weights need not be 0 where they should be.
    if len(base) < 2 or counts.real:
        return found
    few = len(base) <= _MOST_WITHOUT_ROWS
    for place in [place for place, label in enumerate(base.labels) if few or is_non_class(label)]:
        label, taken = base.labels[place], cells.predicted_for(place)
        tp, actual = ([*column[:place], 0, *column[place + 1 :]] for column in (base.tp, base.actual))
        predicted = [n - less for n, less in zip(base.predicted, taken, strict=False)]
        seen = [at for at in range(len(base)) if actual[at] or predicted[at]]
        if not any(actual):
            continue
        columns = _at(ClassColumns(base.labels, tuple(tp), tuple(predicted), tuple(actual)), seen)
        f1, precision, recall = columns.f(), columns.precision(), columns.recall()
        weighted = macro.weighted_mean(f1, columns.actual)  # the class itself has no weight any more
        hits, rows = 2 * sum(tp), sum(predicted) + sum(actual)
        for left_out in ((), (label,)) if place in seen else ((),):
            if left_out:
                for ratios in (f1, precision, recall):
                    del ratios[seen.index(place)]
                rows -= predicted[place]
            where = _ClassSet("union", left_out, (label,))
            found += [
                (_mean(f1), "averaged_f1", where, 0),
                (macro.f_of_means(_mean(precision), _mean(recall), 1.0), "f1_of_averages", where, 0),
                (weighted, "weighted_f1", where, 0),
                (hits / rows, "micro_f1", where, 0),
            ]
    return found


def _at(columns: ClassColumns, places: Sequence[int]) -> ClassColumns:
    return ClassColumns(
        tuple(columns.labels[p] for p in places),
        tuple(columns.tp[p] for p in places),
        tuple(columns.predicted[p] for p in places),
        tuple(columns.actual[p] for p in places),
    )


def _left_out(columns: ClassColumns) -> list[int]:
    """Return the classes to leave out one at a time: all if they are few, else the usual ones and the largest."""
    places = range(len(columns))
    if len(columns) <= _MOST_LEFT_OUT:
        return list(places)
    usual = [place for place in places if is_non_class(columns.labels[place])]
    return sorted({*usual, max(places, key=columns.actual.__getitem__)})


def is_non_class(label: Label | None) -> bool:
    """Return whether the name of a class means "none of the others": O, Other, None, neutral and the like."""
    return type(label) is not int and label_text(label).strip().lower() in _NON_CLASSES


def _macro(columns: ClassColumns, where: _ClassSet) -> list[Value]:
    """Return both formulas and the two single means, under every policy that makes a difference."""
    defined = all(columns.predicted) and all(columns.actual)
    policies: tuple[Undefined, ...] = (0,) if defined else (0, 1, "drop", "drop_with_parts")
    found = []
    for undefined in policies:
        f1 = _mean(columns.f(1.0, undefined))
        precision, recall = _mean(columns.precision(undefined)), _mean(columns.recall(undefined))
        of_averages = macro.f_of_means(precision, recall, 1.0)
        if not columns.means_differ(undefined):
            of_averages = max(of_averages, f1)
        found += [
            (f1, "averaged_f1", where, undefined),
            (of_averages, "f1_of_averages", where, undefined),
        ]
        if undefined != "drop_with_parts":
            found += [
                (precision, "macro_precision", where, undefined),
                (recall, "macro_recall", where, undefined),
            ]
    return found


def _mean(values: list[float]) -> float:
    """Return the mean of the defined values; NaN if there are none."""
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def mean_f_of_ratios(columns: ClassColumns, undefined: Undefined) -> float:
    """Return averaged F1 from precision and recall, also undefined if both are 0; NaN if nothing is defined."""
    instead = value_of(undefined)
    ratios = zip(columns.precision(undefined), columns.recall(undefined), strict=True)
    return _mean([2 * p * r / (p + r) if p + r else instead for p, r in ratios])


def _averages(columns: ClassColumns, where: _ClassSet) -> list[Value]:
    """Return weighted and micro averages over the classes."""
    precision = macro.weighted_mean(columns.precision(0), columns.actual)
    recall = macro.weighted_mean(columns.recall(0), columns.actual)
    return [
        (macro.weighted_mean(columns.f(1.0, 0), columns.actual), "weighted_f1", where, 0),
        (macro.f_of_means(precision, recall, 1.0), "f1_of_weighted_averages", where, 0),
        (precision, "weighted_precision", where, 0),
        (macro.micro_f(columns), "micro_f1", where, 0),
    ]


def _of_rows(counts: ClassCounts, where: _ClassSet) -> list[Value]:
    """Return what needs one label per row, over all labels; with two classes also the F1 of each class alone."""
    found: list[Value] = []
    if macro.covers_rows(counts):
        measures: dict[str, Callable[[ClassCounts], float]] = {
            "accuracy": macro.accuracy,
            "balanced_accuracy": macro.balanced_accuracy,
            "cohen_kappa": macro.cohen_kappa,
            "mcc": macro.mcc,
        }
        found += [(measure(counts), name, where, 0) for name, measure in measures.items()]
    if len(counts.labels) == 2:
        columns = ClassColumns(counts.labels, counts.tp, counts.predicted, counts.actual)
        found += [
            (f1, f"f1 of class {label_text(label)} alone", where, 0)
            for label, f1 in zip(columns.labels, columns.f(1.0, 0), strict=True)
        ]
    return found


def group_definitions(grouped: GroupedCounts) -> list[DefinedScore]:
    """Compute averages over groups (folds, domains, seeds): means of scores, and scores of mean precision and recall.

    The score of the pooled counts is what `definitions` computes on the total.
    """
    name = ", ".join(grouped.by)
    parts = [class_counts_of(part) for _, part in grouped.groups]
    each = [(set(part.labels), {one[1:]: one[0] for one in values_of(part)}) for part in parts]
    means: dict[_Key, float] = {}
    for key in dict.fromkeys(key for _, scores in each for key in scores):
        means[key] = math.fsum(_in_group(labels, scores, key) for labels, scores in each) / len(each)
    means = {key: value for key, value in means.items() if not math.isnan(value)}
    found = []
    for key, value in means.items():
        one = Valued(value, *key)
        words = f"mean over {name} of {one.words}"
        found.append(DefinedScore(definition=f"mean over {name} of {one.definition}", value=value, words=words))
    for (kind, where, undefined), precision in means.items():
        recall = means.get(("macro_recall", where, undefined))
        if kind == "macro_precision" and recall is not None and not where.left_out:
            options = where.options(undefined)
            found.append(
                DefinedScore(
                    definition=f"f1 of mean macro_precision{options} and macro_recall{options} over {name}",
                    value=macro.f_of_means(precision, recall, 1.0),
                    words=f"F1 of the means over {name} of macro precision and macro recall{where.words(undefined)}",
                )
            )
    return found


def _in_group(labels: set[Label | None], scores: dict[_Key, float], key: _Key) -> float:
    """Return the value of a definition in a group, which may lack what distinguishes it from a plainer one.

    A group without undefined ratios needs no policy for them, and one without a class cannot leave it out; NaN if the
    definition does not apply.
    """
    kind, where, undefined = key
    whole = next(iter(scores))[1]
    sets = [where, where._replace(classes=whole.classes)]
    sets += [] if labels.intersection(where.left_out) else [whole]
    kinds = [kind, "averaged_f1"] if kind == "averaged_f1_of_ratios" else [kind]
    return next(
        (scores[one, at, policy] for one in kinds for at in sets for policy in (undefined, 0)
         if (one, at, policy) in scores), math.nan,
    )  # fmt: skip
