"""Every number that goes by the name macro F1, or is printed beside it, as a function of counts.

Both formulas over every class set in use, with undefined ratios as 0, as 1 or left out; weighted and micro
averages, accuracy, balanced accuracy, macro precision and recall alone, Cohen's kappa and MCC.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from operator import mul, sub
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from macrof1.convention import DEFAULT, FORMULA_NAMES, ClassSet, Convention, Empty, Undefined
from macrof1.counts import COLUMNS, ClassCounts, GroupedCounts, class_counts_of, exact_sum
from macrof1.labels import Label, label_text
from macrof1.result import Result
from macrof1.scoring import macro
from macrof1.scoring.macro import ClassColumns, select, value_of
from macrof1.scoring.score_result import ScoreResult

if TYPE_CHECKING:
    from macrof1.counting.confusion import Confusion

# Class names that mean "none of the others"; these classes are often left out of the mean.
_NON_CLASSES = {
    "o", "other", "others", "none", "no_relation", "no relation", "na", "n/a", "neutral", "neu", "negative", "neg",
    "null", "outside", "unknown", "(missing)", "irrelevant", "nil",
}  # fmt: skip

# With more classes than this, only the usual ones are left out in turn; with more than the other, their rows.
_MOST_LEFT_OUT, _MOST_WITHOUT_ROWS = 60, 12

CLASS_SET_WORDS: Final[dict[ClassSet, str]] = {
    "union": "classes seen in gold or predicted, or listed",
    "seen": "declared classes seen in gold or predicted",
    "gold": "classes seen in gold",
    "listed": "all declared classes",
}
UNDEFINED_WORDS: Final[dict[Undefined, str]] = {
    0: "undefined ratios count as 0",
    1: "undefined ratios count as 1",
    "drop": "undefined ratios are left out",
    "drop_with_parts": "classes never gold or never predicted are left out",
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
    """

    definition: str
    value: float
    words: str


Where: TypeAlias = tuple[ClassSet, tuple[Label | None, ...], tuple[Label | None, ...]]
"""A class set in use: which classes; those left out: none, one, or all non-classes; and whose rows are left out."""

_Key: TypeAlias = tuple[str, Where, Undefined]
"""What identifies a definition: its kind, class set and policy."""

Value: TypeAlias = tuple[float, str, Where, Undefined]
"""A value and what identifies its definition; `named` adds its names."""


def _described(where: Where, undefined: Undefined) -> tuple[str, str]:
    """Write the options that are not the default: in Python's spelling, (classes=gold, undefined=1), and in words."""
    classes, left_out, without_rows = where
    parts = [] if classes in ("union", "listed") else [(f"classes={classes}", f" over {CLASS_SET_WORDS[classes]}")]
    parts += [(f"exclude={name}", f" without class {name}") for name in map(label_text, left_out)]
    parts += [(f"without_rows={name}", f" without the rows of class {name}") for name in map(label_text, without_rows)]
    parts += [(f"undefined={undefined}", f" where {UNDEFINED_WORDS[undefined]}")] if undefined != 0 else []
    return _joined(parts)


def _joined(parts: list[tuple[str, str]]) -> tuple[str, str]:
    options = ", ".join(option for option, _ in parts)
    return f"({options})" if parts else "", "".join(words for _, words in parts)


def named(found: Value) -> DefinedScore:
    """Add the names of a definition to its value."""
    value, kind, where, undefined = found
    options, words = _described(where, undefined)
    return DefinedScore(definition=f"{kind}{options}", value=value, words=f"{KIND_NAMES.get(kind, kind)}{words}")


def definitions(counts: ClassCounts) -> list[DefinedScore]:
    """Compute every definition on counts; those that do not apply, or are undefined, are left out."""
    return list(map(named, values_of(counts)))


def values_of(counts: ClassCounts) -> list[Value]:
    """Compute the value of every definition on counts; `named` adds names. Undefined values are left out."""
    base = select(counts, DEFAULT)
    listed = counts.n_listed is not None
    classes: ClassSet = "listed" if listed else "union"
    whole: Where = (classes, (), ())
    found = _means(base, whole)
    if not all(base.tp):
        policies: tuple[Undefined, ...] = (1, "drop")
        found += [(mean_f_of_ratios(base, each), "averaged_f1_of_ratios", whole, each) for each in policies]
    # Over the classes that occur in gold, or at all, if some do not.
    sets: tuple[ClassSet, ...] = ("gold", "seen") if listed else ("gold",)
    for fewer in () if all(base.actual) else sets:
        places = base.occurring(predicted=fewer == "seen")
        if places and len(places) < len(base):
            found += _means(base.at(places), (fewer, (), ()))
    if len(base) > 1:
        # One class at a time: of many, the usual ones and the largest.
        places = list(range(len(base)))
        non_classes = {place for place in places if is_non_class(base.labels[place])}
        if len(base) > _MOST_LEFT_OUT:
            places = sorted({*non_classes, max(places, key=base.actual.__getitem__)})
        groups = [{place} for place in places]
        # Without all classes that mean "none of the others", if there are several.
        groups += [non_classes] if 1 < len(non_classes) < len(base) else []
        for group in groups:
            rest = base.at([place for place in range(len(base)) if place not in group])
            found += _means(rest, (classes, tuple([base.labels[place] for place in sorted(group)]), ()))
    everything = ClassColumns(counts.labels, counts.tp, counts.predicted, counts.actual) if listed else base
    if macro.covers_rows(counts):
        of_rows = (macro.accuracy, macro.balanced_accuracy, macro.cohen_kappa, macro.mcc)
        found += [(measure(everything), measure.__name__, whole, 0) for measure in of_rows]
    if len(everything) == 2:
        alone = zip(everything.labels, everything.f(), strict=True)
        found += [(f1, f"f1 of class {label_text(label)} alone", whole, 0) for label, f1 in alone]
    return [each for each in found if not math.isnan(each[0])]


def rarer_values(counts: ClassCounts) -> list[Value]:
    """Compute what is printed as macro F1 by mistake: for those who ask what a number is, too weak for an audit."""
    base = select(counts, DEFAULT)
    whole: Where = ("union", (), ())  # a listed class set has no name of its own
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
    return found


def is_non_class(label: Label | None) -> bool:
    """Return whether the name of a class means "none of the others": O, Other, None, neutral and the like."""
    return type(label) is not int and label_text(label).strip().lower() in _NON_CLASSES


def _means(columns: ClassColumns, where: Where) -> list[Value]:
    """Return both formulas and the two single means under every policy that makes a difference, and other averages."""
    found: list[Value] = []
    defined = all(columns.predicted) and all(columns.actual)
    policies: tuple[Undefined, ...] = (0,) if defined else (0, 1, "drop", "drop_with_parts")
    for undefined in policies:
        ratios = columns.f(1.0, undefined), columns.precision(undefined), columns.recall(undefined)
        f1, precision, recall = map(macro.mean_or_nan, ratios)
        of_averages = macro.f_of_means(precision, recall)
        if not columns.means_differ(undefined):
            of_averages = max(of_averages, f1)
        found += (f1, "averaged_f1", where, undefined), (of_averages, "f1_of_averages", where, undefined)
        if undefined != "drop_with_parts":  # else as with "drop"
            found += (precision, "macro_precision", where, undefined), (recall, "macro_recall", where, undefined)
    rows = exact_sum(columns.actual)
    shares = [number / rows for number in columns.actual] if rows else columns.actual
    f1, precision, recall = (
        math.fsum(map(mul, each, shares)) for each in (columns.f(), columns.precision(), columns.recall())
    )
    found += (
        (f1, "weighted_f1", where, 0),
        (macro.f_of_means(precision, recall), "f1_of_weighted_averages", where, 0),
        (precision, "weighted_precision", where, 0),
        (macro.micro_f(columns), "micro_f1", where, 0),
    )
    return found


def mean_f_of_ratios(columns: ClassColumns, undefined: Undefined) -> float:
    """Return averaged F1 from precision and recall, also undefined if both are 0; NaN if nothing is defined."""
    instead = value_of(undefined)
    ratios = zip(columns.precision(undefined), columns.recall(undefined), strict=True)
    return macro.mean_or_nan([2 * p * r / (p + r) if p + r else instead for p, r in ratios])


def values_without_rows(counts: ClassCounts, cells: Confusion) -> list[Value]:
    """Compute scores without the rows of a gold class, as ``ignore_index`` does, with and without the class itself."""
    base = select(counts, DEFAULT)
    found: list[Value] = []
    # Differences of real weights need not be 0 where they should be.
    if len(base) < 2 or counts.real:
        return found
    few = len(base) <= _MOST_WITHOUT_ROWS
    places = [place for place, label in enumerate(base.labels) if few or is_non_class(label)]
    kinds: tuple[str, ...] = ("averaged_f1", "f1_of_averages", "micro_f1", "weighted_f1")
    for place, taken in zip(places, cells.predicted_for(places), strict=True):
        # The class itself has no hits and no gold rows any more; it may still be predicted.
        tp, actual = list(base.tp), list(base.actual)
        tp[place] = actual[place] = 0
        predicted = tuple(map(sub, base.predicted, taken))
        if not any(actual):
            continue
        rest = ClassColumns(base.labels, tuple(tp), predicted, tuple(actual))
        there, without = rest.occurring(predicted=True), (base.labels[place],)
        variants: list[tuple[list[int], tuple[Label | None, ...], tuple[str, ...]]] = [(there, (), kinds)]
        if predicted[place]:  # without the class itself, all but the weighted mean change
            variants.append(([other for other in there if other != place], without, kinds[:3]))
        for places_left, left_out, wanted in variants:
            means = _means(rest.at(places_left), ("union", left_out, without))
            found += [each for each in means if each[1] in wanted and each[3] == 0]
    return found


def group_definitions(grouped: GroupedCounts) -> list[DefinedScore]:
    """Compute averages over groups (folds, domains): means of scores, and scores of mean precision and recall."""
    name = ", ".join(grouped.by)
    parts = [class_counts_of(part) for _, part in grouped.groups]
    each = [(set(part.labels), {one[1:]: one[0] for one in values_of(part)}) for part in parts]
    means: dict[_Key, float] = {}
    for key in dict.fromkeys(key for _, scores in each for key in scores):
        means[key] = math.fsum(_in_group(labels, scores, key) for labels, scores in each) / len(each)
    means = {key: value for key, value in means.items() if not math.isnan(value)}
    found = []
    for key, value in means.items():
        of, start = named((value, *key)), f"mean over {name} of"
        told = f"nested {start} {of.words}"
        found.append(DefinedScore(definition=f"{start} {of.definition}", value=value, words=told))
    for (kind, where, undefined), precision in means.items():
        recall = means.get(("macro_recall", where, undefined))
        if kind == "macro_precision" and recall is not None and not where[1]:
            options, words = _described(where, undefined)
            found.append(
                DefinedScore(
                    definition=f"f1 of mean macro_precision{options} and macro_recall{options} over {name}",
                    value=macro.f_of_means(precision, recall),
                    words=f"F1 of the means over {name} of macro precision and macro recall{words}",
                )
            )
    return found


def _in_group(labels: set[Label | None], scores: dict[_Key, float], key: _Key) -> float:
    """Return a value in a group, which may need no policy for undefined ratios, or lack a class; else NaN."""
    kind, where, undefined = key
    whole = next(iter(scores))[1]
    sets = [where, (whole[0], *where[1:])]
    sets += [] if labels.intersection(where[1]) else [whole]
    kinds = [kind, "averaged_f1"] if kind == "averaged_f1_of_ratios" else [kind]
    return next(
        (scores[one, at, policy] for one in kinds for at in sets for policy in (undefined, 0)
         if (one, at, policy) in scores), math.nan,
    )  # fmt: skip


def pooled_groups(grouped: GroupedCounts) -> ClassCounts | None:
    """Return counts over groups, the labels of each pooled; None if precision and recall are both the accuracy."""
    parts = [class_counts_of(part) for _, part in grouped.groups]
    if not parts or all(map(macro.covers_rows, parts)):
        return None
    columns: dict[str, Any] = {name: [exact_sum(getattr(part, name)) for part in parts] for name in COLUMNS}
    return ClassCounts.of(range(len(parts)), **columns, over=", ".join(grouped.by))


def unit_definitions(counts: ClassCounts) -> list[DefinedScore]:
    """Compute what a macro F1 over other units than classes can mean: only rules that make a difference are tried."""
    everything = macro.columns_of(counts, DEFAULT)
    n, n_gold, n_seen = len(everything), *(len(everything.occurring(predicted=also)) for also in (False, True))
    sets: tuple[ClassSet, ...] = ("union", "gold") if 0 < n_gold < n else ("union",)
    empties: tuple[Empty | None, ...] = (0, 1, "drop") if 0 < n_seen < n else (None,)
    policies: tuple[Undefined, ...] = (0,) if all(everything.predicted) and all(everything.actual) else (0, 1)
    kinds = ["averaged_f1", "f1_of_averages", "macro_precision", "macro_recall"]
    found: list[DefinedScore] = []
    for classes, undefined, empty in product(sets, policies, empties):
        if classes == "gold" and empty not in (None, 0):
            continue  # units with something gold are not empty
        parts = [("units=gold", " with something gold")] if classes == "gold" else []
        parts += [(f"undefined={undefined}", f", where {UNDEFINED_WORDS[undefined]}")] if undefined != 0 else []
        if classes == "union" and empty not in (None, undefined):
            told = "without empty ones" if empty == "drop" else f"empty ones count as {empty}"
            parts.append((f"empty={empty}", f", {told}"))
        options, words = _joined(parts)
        result = ScoreResult(counts=counts, convention=Convention(classes=classes, undefined=undefined, empty=empty))
        # Units that stand for several would each count once in a sum.
        pooled = ["micro_f1"] if not found and counts.weights is None else []
        found += [
            DefinedScore(
                definition=f"{kind} over {counts.over}{options}",
                value=getattr(result, kind),
                words=f"{KIND_NAMES[kind]} over {counts.noun.many}{words}",
            )
            for kind in [*kinds, *pooled]
        ]
    return found
