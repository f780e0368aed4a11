"""Every number that goes by the name macro F1, or is printed beside it, as a function of counts.

Both formulas over every class set in use, with undefined ratios as 0, as 1 or left out; weighted and micro
averages, accuracy, balanced accuracy, macro precision and recall alone, Cohen's kappa and MCC.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from operator import mul
from typing import Final, NamedTuple, TypeAlias

from macrof1.convention import DEFAULT, FORMULA_NAMES, FORMULAS, ClassSet, Convention, Undefined, checked_formula
from macrof1.counts import ClassCounts, GroupedCounts, class_counts_of, exact_sum
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
    "averaged_f2": "averaged F2",
    "f2_of_averages": "F2 of averages",
    "averaged_f0.5": "averaged F0.5",
    "f0.5_of_averages": "F0.5 of averages",
    "macro_jaccard": "macro Jaccard index",
    "weighted_f1_by_predictions": "weighted F1 with gold and predicted exchanged",
    "averaged_f1_of_predicted_classes": "averaged F1 over classes in predicted",
}


_OF_ROWS: Final[dict[str, Callable[[ClassColumns], float]]] = {
    "accuracy": macro.accuracy,
    "balanced_accuracy": macro.balanced_accuracy,
    "cohen_kappa": macro.cohen_kappa,
    "mcc": macro.mcc,
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


Where: TypeAlias = tuple[ClassSet, tuple[Label | None, ...], tuple[Label | None, ...]]
"""A class set in use: which classes; those left out: none, one, or all non-classes; and whose rows are left out."""

_Key: TypeAlias = tuple[str, Where, Undefined]
"""What identifies a definition: its kind, class set and policy."""

Value: TypeAlias = tuple[float, str, Where, Undefined]
"""A value and what identifies its definition; a plain tuple is made in a tenth of the time of a `Valued`."""


_Ratios: TypeAlias = tuple[list[float], list[float], list[float]]
"""F1, precision and recall of every class."""


def _ratios(columns: ClassColumns, undefined: Undefined = 0) -> _Ratios:
    return columns.f(1.0, undefined), columns.precision(undefined), columns.recall(undefined)


def _options(where: Where, undefined: Undefined) -> str:
    """Write the options that are not the default in Python's spelling: (classes=gold, undefined=1)."""
    classes, left_out, without_rows = where
    parts = [] if classes in ("union", "listed") else [f"classes={classes}"]
    parts += [f"exclude={label_text(label)}" for label in left_out]
    parts += [f"without_rows={label_text(label)}" for label in without_rows]
    parts += [f"undefined={undefined}"] if undefined != 0 else []
    return f"({', '.join(parts)})" if parts else ""


def _in_words(where: Where, undefined: Undefined) -> str:
    """Write the same options in words."""
    classes, left_out, without_rows = where
    told = "" if classes in ("union", "listed") else f" over {_CLASS_SET_NAMES[classes]}"
    for label in left_out:
        told += f" without class {label_text(label)}"
    for label in without_rows:
        told += f" without the rows of class {label_text(label)}"
    return f"{told}, {_UNDEFINED_NAMES[undefined]}" if undefined != 0 else told


class Valued(NamedTuple):
    """A definition and its value, without its name in words."""

    value: float
    kind: str
    where: Where
    undefined: Undefined

    @property
    def definition(self) -> str:
        """A short name, as in `DefinedScore`."""
        return f"{self.kind}{_options(self.where, self.undefined)}"

    @property
    def words(self) -> str:
        """The definition in words."""
        return f"{KIND_NAMES.get(self.kind, self.kind)}{_in_words(self.where, self.undefined)}"

    def named(self) -> DefinedScore:
        """Add the name in words and the convention that requests it."""
        convention = None
        classes, left_out, without_rows = self.where
        if self.kind in FORMULAS and not without_rows:
            convention = Convention(
                formula=checked_formula(self.kind), classes=classes, undefined=self.undefined, exclude=left_out
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

    For callers that have the counts behind a published number and ask what it is. Undefined values are left out. Each
    item is ``(value, kind, where, undefined)``: the first is the number, the second one of `KIND_NAMES`, or the F1 of a
    single class.

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
    whole: Where = (classes, (), ())
    ratios = _ratios(base)
    found = _means(base, whole, ratios)
    if not all(base.tp):
        policies: tuple[Undefined, ...] = (1, "drop")
        found += [(mean_f_of_ratios(base, each), "averaged_f1_of_ratios", whole, each) for each in policies]
    found += _with_fewer_classes(base, ("gold", "seen") if listed else ("gold",))
    if len(base) > 1:
        found += _with_one_left_out(base, classes, ratios)
        found += _without_non_classes(base, classes)
    everything = ClassColumns(counts.labels, counts.tp, counts.predicted, counts.actual) if listed else base
    if macro.covers_rows(counts):
        found += [(measure(everything), name, whole, 0) for name, measure in _OF_ROWS.items()]
    if len(everything) == 2:
        alone = zip(everything.labels, everything.f() if listed else ratios[0], strict=True)
        found += [(f1, f"f1 of class {label_text(label)} alone", whole, 0) for label, f1 in alone]
    return [each for each in found if each[0] == each[0]]


def rarer_values(counts: ClassCounts) -> list[Value]:
    """Compute what is printed as macro F1 by mistake: other betas, Jaccard, one class, predicted classes, exchanged.

    Beside `values_of`, for those who ask what a number is; an audit that names a definition needs better evidence.
    """
    base = select(counts, DEFAULT)
    whole: Where = ("listed" if counts.n_listed is not None else "union", (), ())
    found: list[Value] = []
    for name, beta in (("2", 2.0), ("0.5", 0.5)):
        averaged, precision, recall = map(macro.mean_or_nan, (base.f(beta), base.precision(), base.recall()))
        found += [
            (averaged, f"averaged_f{name}", whole, 0),
            (macro.f_of_means(precision, recall, beta), f"f{name}_of_averages", whole, 0),
        ]
    f1, predicted = base.f(), exact_sum(base.predicted)
    found.append((macro.mean_or_nan([one / (2 - one) for one in f1]), "macro_jaccard", whole, 0))
    if predicted:
        exchanged = math.fsum(map(mul, f1, (number / predicted for number in base.predicted)))
        found.append((exchanged, "weighted_f1_by_predictions", whole, 0))
        told = [one for one, number in zip(f1, base.predicted, strict=True) if number]
        if len(told) < len(f1):
            found.append((macro.mean_or_nan(told), "averaged_f1_of_predicted_classes", whole, 0))
    if 2 < len(base) <= _MOST_LEFT_OUT:
        alone = zip(base.labels, f1, strict=True)
        found += [(one, f"f1 of class {label_text(label)} alone", whole, 0) for label, one in alone]
    return [each for each in found if each[0] == each[0]]


def _with_fewer_classes(base: ClassColumns, sets: tuple[ClassSet, ...]) -> list[Value]:
    """Average over the classes that occur in gold, or at all, if some do not."""
    found: list[Value] = []
    for classes in () if all(base.actual) else sets:
        places = [p for p, g in enumerate(base.actual) if g or (classes == "seen" and base.predicted[p])]
        if places and len(places) < len(base):
            found += _means(base.at(places), (classes, (), ()))
    return found


def _without_non_classes(base: ClassColumns, classes: ClassSet) -> list[Value]:
    """Leave out all classes that mean "none of the others", if there are several."""
    left_out = tuple([label for label in base.labels if is_non_class(label)])
    if not 1 < len(left_out) < len(base):
        return []
    kept = [place for place, label in enumerate(base.labels) if not is_non_class(label)]
    return _means(base.at(kept), (classes, left_out, ()))


def _with_one_left_out(base: ClassColumns, classes: ClassSet, ratios: _Ratios) -> list[Value]:
    """Leave out one class at a time: from sums, if every ratio is defined."""
    found: list[Value] = []
    places = _left_out(base)
    tp, predicted, actual = base.tp, base.predicted, base.actual
    # Differences of real weights may underflow to 0.
    if isinstance(actual[0], float) or not (all(predicted) and all(actual)):
        for place in places:
            others = [other for other in range(len(base)) if other != place]
            found += _means(base.at(others), (classes, (base.labels[place],), ()))
        return found
    f1, precision, recall = ratios
    sum_f1, sum_p, sum_r = math.fsum(f1), math.fsum(precision), math.fsum(recall)
    heavy_f1, heavy_p = math.fsum(map(mul, f1, actual)), math.fsum(map(mul, precision, actual))
    hits, n_predicted, n_actual, n = sum(tp), sum(predicted), sum(actual), len(base) - 1
    for place in places:
        where = (classes, (base.labels[place],), ())
        gold, left = actual[place], hits - tp[place]
        rest = n_actual - gold
        p, r = (sum_p - precision[place]) / n, (sum_r - recall[place]) / n
        weighted_p, weighted_r = (heavy_p - gold * precision[place]) / rest, left / rest
        found += (
            ((sum_f1 - f1[place]) / n, "averaged_f1", where, 0),
            (macro.f_of_means(p, r), "f1_of_averages", where, 0),
            (p, "macro_precision", where, 0),
            (r, "macro_recall", where, 0),
            ((heavy_f1 - gold * f1[place]) / rest, "weighted_f1", where, 0),
            (macro.f_of_means(weighted_p, weighted_r), "f1_of_weighted_averages", where, 0),
            (weighted_p, "weighted_precision", where, 0),
            (2 * left / (n_predicted - predicted[place] + rest), "micro_f1", where, 0),
        )
    return found


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


def _means(columns: ClassColumns, where: Where, ratios: _Ratios | None = None) -> list[Value]:
    """Return both formulas and the two single means under every policy that makes a difference, and other averages.

    `ratios` are those with undefined ones as 0, if they are known already.
    """
    if ratios is None:
        ratios = _ratios(columns)
    found = _both(columns, where, 0, ratios)
    if not (all(columns.predicted) and all(columns.actual)):
        policies: tuple[Undefined, ...] = (1, "drop", "drop_with_parts")
        for undefined in policies:
            found += _both(columns, where, undefined, _ratios(columns, undefined))
    rows = exact_sum(columns.actual)
    shares = [number / rows for number in columns.actual] if rows else columns.actual
    f1, precision, recall = [math.fsum(map(mul, each, shares)) for each in ratios]
    found += (
        (f1, "weighted_f1", where, 0),
        (macro.f_of_means(precision, recall), "f1_of_weighted_averages", where, 0),
        (precision, "weighted_precision", where, 0),
        (macro.micro_f(columns), "micro_f1", where, 0),
    )
    return found


def _both(columns: ClassColumns, where: Where, undefined: Undefined, ratios: _Ratios) -> list[Value]:
    """Return both formulas and, unless they are as under another policy, the two single means."""
    f1, precision, recall = map(macro.mean_or_nan, ratios)
    of_averages = macro.f_of_means(precision, recall)
    if not columns.means_differ(undefined):
        of_averages = max(of_averages, f1)
    found: list[Value] = [(f1, "averaged_f1", where, undefined), (of_averages, "f1_of_averages", where, undefined)]
    if undefined != "drop_with_parts":
        found += (precision, "macro_precision", where, undefined), (recall, "macro_recall", where, undefined)
    return found


def mean_f_of_ratios(columns: ClassColumns, undefined: Undefined) -> float:
    """Return averaged F1 from precision and recall, also undefined if both are 0; NaN if nothing is defined."""
    instead = value_of(undefined)
    ratios = zip(columns.precision(undefined), columns.recall(undefined), strict=True)
    return macro.mean_or_nan([2 * p * r / (p + r) if p + r else instead for p, r in ratios])


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
        if kind == "macro_precision" and recall is not None and not where[1]:
            options = _options(where, undefined)
            found.append(
                DefinedScore(
                    definition=f"f1 of mean macro_precision{options} and macro_recall{options} over {name}",
                    value=macro.f_of_means(precision, recall),
                    words=f"F1 of the means over {name} of macro precision and macro recall"
                    f"{_in_words(where, undefined)}",
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
    sets = [where, (whole[0], *where[1:])]
    sets += [] if labels.intersection(where[1]) else [whole]
    kinds = [kind, "averaged_f1"] if kind == "averaged_f1_of_ratios" else [kind]
    return next(
        (scores[one, at, policy] for one in kinds for at in sets for policy in (undefined, 0)
         if (one, at, policy) in scores), math.nan,
    )  # fmt: skip
