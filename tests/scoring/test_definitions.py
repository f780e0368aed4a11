"""Every definition against a plain implementation in exact fractions; groups, and very many classes."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.counts import ClassCounts, GroupedCounts
from macrof1.scoring.definitions import (
    definitions,
    group_definitions,
    is_non_class,
    named,
    values_of,
    values_without_rows,
)

from ..oracles import f_beta
from ..strategies import SMALL, matrices

NOTHING = object()


def ratio(part, whole, undefined):
    return Fraction(part, whole) if whole else undefined


def mean(values):
    left = [value for value in values if value is not NOTHING]
    return sum(left) / Fraction(len(left)) if left else NOTHING


def both(rows, undefined):
    """Return both macro F1s, macro precision and macro recall, by the book."""
    instead = {0: Fraction(0), 1: Fraction(1)}.get(undefined, NOTHING)
    precision = [ratio(t, p, instead) for t, p, _ in rows]
    recall = [ratio(t, g, instead) for t, _, g in rows]
    f1 = [
        instead if (undefined == "drop_with_parts" and not (p and g)) else ratio(2 * t, p + g, instead)
        for t, p, g in rows
    ]
    means = mean(precision), mean(recall)
    return mean(f1), NOTHING if NOTHING in means else f_beta(*means), *means


def expected(rows, where=""):
    """Return the values of all definitions over some classes; `where` is what their names add."""
    found = {}
    for undefined in (0, 1, "drop", "drop_with_parts"):
        if undefined and all(p and g for _, p, g in rows):
            continue
        parts = [part for part in (where, f"undefined={undefined}" if undefined else "") if part]
        options = f"({', '.join(parts)})" if parts else ""
        names = ("averaged_f1", "f1_of_averages", "macro_precision", "macro_recall")
        values = both(rows, undefined)
        for name, value in zip(names[: 2 if undefined == "drop_with_parts" else 4], values, strict=False):
            if value is not NOTHING:
                found[name + options] = value
    options = f"({where})" if where else ""
    gold = sum(g for *_, g in rows)
    f1, precision, recall = (
        sum(g * value for (*_, g), value in zip(rows, values, strict=True)) / Fraction(gold or 1)
        for values in (
            [ratio(2 * t, p + g, 0) for t, p, g in rows],
            [ratio(t, p, 0) for t, p, _ in rows],
            [ratio(t, g, 0) for t, _, g in rows],
        )
    )
    tp, predicted = sum(t for t, *_ in rows), sum(p for _, p, _ in rows)
    found |= {
        f"weighted_f1{options}": f1,
        f"f1_of_weighted_averages{options}": f_beta(precision, recall),
        f"weighted_precision{options}": precision,
        f"micro_f1{options}": ratio(2 * tp, predicted + gold, 0),
    }
    return found


def of_ratios(rows):
    """Return averaged F1 as harmonic means of precision and recall, undefined where both are 0."""
    found = {}
    for undefined, instead in ((1, Fraction(1)), ("drop", NOTHING)):
        every = []
        for t, p, g in rows:
            parts = ratio(t, p, instead), ratio(t, g, instead)
            every.append(NOTHING if NOTHING in parts else f_beta(*parts) if sum(parts) else instead)
        if not all(t for t, *_ in rows) and mean(every) is not NOTHING:
            found[f"averaged_f1_of_ratios(undefined={undefined})"] = mean(every)
    return found


def every_definition(labels, rows, listed=False):
    found = expected(rows) | of_ratios(rows)
    for classes in ("gold", "seen") if listed else ("gold",):
        kept = [row for row in rows if row[2] or (classes == "seen" and row[1])]
        if kept and len(kept) < len(rows):
            found |= expected(kept, f"classes={classes}")
    if len(rows) > 1:
        for place, label in enumerate(labels):
            found |= expected(rows[:place] + rows[place + 1 :], f"exclude={label}")
    return found


def of_rows(everything):
    n = sum(g for *_, g in everything)
    hits = sum(t for t, *_ in everything)
    chance = sum(p * g for _, p, g in everything)
    found = {"accuracy": Fraction(hits, n)}
    found["balanced_accuracy"] = mean([Fraction(t, g) for t, _, g in everything if g])
    if n * n > chance:
        found["cohen_kappa"] = Fraction(n * hits - chance, n * n - chance)
    below = math.sqrt((n * n - sum(p * p for _, p, _ in everything)) * (n * n - sum(g * g for *_, g in everything)))
    found["mcc"] = (n * hits - chance) / below if below else 0.0
    return found


@given(matrices(cells=SMALL), st.booleans())
def test_every_definition_is_the_plain_one(matrix, listed):
    n = len(matrix)
    labels = [f"c{place}" for place in range(n)]
    rows = [(matrix[x][x], sum(matrix[x]), sum(row[x] for row in matrix)) for x in range(n)]
    if not listed:  # classes that never occur are not in a union
        kept = [x for x in range(n) if rows[x][1] or rows[x][2]]
        labels, rows = [labels[x] for x in kept], [rows[x] for x in kept]
    columns = [tuple(column) for column in zip(*rows, strict=True)]
    counts = ClassCounts(
        labels=tuple(labels), tp=columns[0], predicted=columns[1], actual=columns[2],
        n_rows=sum(columns[2]), n_listed=len(labels) if listed else None,
    )  # fmt: skip
    wanted = every_definition(labels, rows, listed) | of_rows(rows)
    if len(rows) == 2:
        for label, (t, p, g) in zip(labels, rows, strict=True):
            wanted[f"f1 of class {label} alone"] = ratio(2 * t, p + g, 0)
    found = {score.definition: score.value for score in definitions(counts)}
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert found[name] == pytest.approx(float(value), rel=1e-12, abs=1e-14), name


def test_of_many_classes_the_largest_and_those_that_are_none_are_left_out():
    for n, left_out in ((60, 60), (61, 2)):
        gold = ["big", "big", "Other ", *(f"c{place}" for place in range(n - 2))]
        names = [score.definition for score in definitions(macrof1.count(gold, gold))]
        assert sum(name.startswith("averaged_f1(exclude=") for name in names) == left_out
        assert {"averaged_f1(exclude=big)", "averaged_f1(exclude=Other )"} <= set(names)
    assert is_non_class("O")
    assert is_non_class(None)
    assert not is_non_class("Oslo")


def test_definitions_in_words():
    words = {score.definition: score.words for score in definitions(macrof1.count(list("aab"), list("abc")))}
    assert words["averaged_f1"] == "averaged F1"
    assert words["micro_f1(exclude=a)"] == "micro F1 without class a"
    assert words["f1_of_averages(classes=gold)"] == "F1 of averages over classes seen in gold"
    assert (
        words["macro_recall(exclude=b, undefined=1)"]
        == "macro recall alone without class b where undefined ratios count as 1"
    )
    assert words["averaged_f1(undefined=drop)"] == "averaged F1 where undefined ratios are left out"
    assert words["mcc"] == "Matthews' correlation coefficient"


def test_means_over_groups():
    parts = [macrof1.count(list("aabb"), list("abbb")), macrof1.count(list("aab"), list("aab"))]
    grouped = GroupedCounts(by=("fold", "seed"), groups=(((1, 1), parts[0]), ((2, 1), parts[1])), total=sum(parts))
    found = {score.definition: score for score in group_definitions(grouped)}
    each = [{score.definition: score.value for score in definitions(part)} for part in parts]
    shared = each[0].keys() & each[1].keys()
    assert len(found) == len(shared) + 1
    for name in shared:
        assert found[f"mean over fold, seed of {name}"].value == pytest.approx((each[0][name] + each[1][name]) / 2)
    assert found["mean over fold, seed of micro_f1"].words == "nested mean over fold, seed of micro F1"
    last = found["f1 of mean macro_precision and macro_recall over fold, seed"]
    means = [(each[0][name] + each[1][name]) / 2 for name in ("macro_precision", "macro_recall")]
    assert last.value == pytest.approx(2 * means[0] * means[1] / sum(means))
    assert last.words == "F1 of the means over fold, seed of macro precision and macro recall"
    assert group_definitions(GroupedCounts(by=("fold",), groups=(), total=parts[0])) == []


def names_of(counts, start):
    return [score.definition for score in definitions(counts) if score.definition.startswith(start)]


@pytest.mark.parametrize(
    ("labels", "together"),
    [
        (["none", "x"], []),  # one alone is among those left out one at a time
        (["none", "x", "y"], []),
        (["none", "other", "x"], ["averaged_f1(exclude=none, exclude=other)"]),
        (["none", "other", "O"], []),  # none would be left
        (["none", "other", "O", "x", "y"], ["averaged_f1(exclude=O, exclude=none, exclude=other)"]),
        (["x", "y", "z"], []),
    ],
)
def test_all_classes_that_mean_none_are_left_out_together_where_they_are_several(labels, together):
    counts = macrof1.count(labels, labels)
    assert [name for name in names_of(counts, "averaged_f1(") if name.count("exclude") > 1] == together
    kinds = [name for name in (score.definition for score in definitions(counts)) if name.count("exclude") > 1]
    assert len(kinds) == 8 * len(together)


def test_class_sets_that_change_nothing_are_not_tried():
    whole = macrof1.count(["a", "b"], ["b", "a"], labels=["a", "b"])
    assert not [score for score in definitions(whole) if "classes=" in score.definition]
    nothing = ClassCounts.of(["a", "b"], tp=[0, 0], predicted=[0, 0], actual=[0, 0])
    assert not [score for score in definitions(nothing) if "classes=" in score.definition]
    fewer = macrof1.count(["a", "a"], ["b", "a"], labels=["a", "b", "c"])
    assert {where[0] for _, _, where, _ in values_of(fewer)} == {"listed", "gold", "seen"}
    words = {score.definition: score.words for score in definitions(fewer)}
    assert words["averaged_f1(classes=seen)"] == "averaged F1 over declared classes seen in gold or predicted"


def test_definitions_without_a_value_are_left_out():
    only_gold = macrof1.ClassCounts.of(["a", "b"], tp=[0, 0], predicted=[0, 0], actual=[1, 2], task="multilabel")
    found = names_of(only_gold, "macro_")
    assert "macro_recall(undefined=drop)" in found
    assert "macro_precision(undefined=drop)" not in found
    assert not names_of(only_gold, "averaged_f1(undefined=drop_with_parts)")


def test_groups_that_lack_what_a_definition_is_about_have_its_plainer_value():
    whole, lacks = macrof1.count(list("aab"), list("abb")), macrof1.count(list("aab"), list("abc"))
    grouped = GroupedCounts(by=("fold",), groups=(((1,), whole), ((2,), lacks)), total=whole + lacks)
    found = {score.definition: score.value for score in group_definitions(grouped)}
    plain, other = ({score.definition: score.value for score in definitions(part)} for part in (whole, lacks))
    for name, instead in {
        "averaged_f1(undefined=1)": "averaged_f1",
        "averaged_f1(classes=gold)": "averaged_f1",
        "averaged_f1(exclude=c)": "averaged_f1",
        "averaged_f1_of_ratios(undefined=drop)": "averaged_f1",
        "averaged_f1(exclude=a, undefined=1)": "averaged_f1(exclude=a)",
        "averaged_f1(exclude=a)": "averaged_f1(exclude=a)",
    }.items():
        assert found[f"mean over fold of {name}"] == pytest.approx((plain[instead] + other[name]) / 2), name
    # With two classes the F1 of each alone is printed: with three it is not, so that there is no mean of it.
    assert "f1 of class a alone" in plain
    assert "mean over fold of f1 of class a alone" not in found
    last = [name for name in found if name.startswith("f1 of mean")]
    assert "f1 of mean macro_precision(undefined=1) and macro_recall(undefined=1) over fold" in last
    assert not [name for name in last if "exclude" in name]
    assert len(last) == 3 + 1  # undefined as 0, as 1, left out; and of the classes in gold


def test_no_f1_of_means_where_one_of_the_two_is_undefined():
    only_gold = macrof1.ClassCounts.of(["a", "b"], tp=[0, 0], predicted=[0, 0], actual=[1, 2], task="multilabel")
    flipped = macrof1.ClassCounts.of(["a", "b"], tp=[0, 0], predicted=[1, 2], actual=[0, 0], task="multilabel")
    for part in (only_gold, flipped):
        grouped = GroupedCounts(by=("fold",), groups=(((1,), part), ((2,), part)), total=part + part)
        names = [score.definition for score in group_definitions(grouped) if score.definition.startswith("f1 of mean")]
        assert not [name for name in names if "undefined=drop" in name]
        assert [name for name in names if "undefined=1" in name]


KINDS = ("averaged_f1", "f1_of_averages", "weighted_f1", "micro_f1")


def found_in(result):
    values = list(map(named, values_without_rows(result.counts, result.cells)))
    assert len({each.definition for each in values}) == len(values)
    return {each.definition: each.value for each in values}


def expected_without_rows(gold, pred, labels=None, without=None):
    """Score what is left without each class in turn, or those named, over the classes that occur there."""
    wanted = {}
    classes = sorted({*gold, *pred}) if labels is None else labels
    for gone in without or classes:
        left = [(g, p) for g, p in zip(gold, pred, strict=True) if g != gone]
        if len(classes) < 2 or not any(g in classes for g, _ in left):
            continue
        sides = [list(side) for side in zip(*left, strict=True)]
        seen = [label for label in classes if label in {*sides[0], *sides[1]}]
        for exclude in ((), (gone,)) if gone in sides[1] else ((),):
            result = macrof1.score(*sides, labels=seen, exclude=exclude)
            options = f"({', '.join([*(f'exclude={label}' for label in exclude), f'without_rows={gone}'])})"
            wanted |= {
                f"{kind}{options}": getattr(result, kind) for kind in (KINDS[:2] + KINDS[3:] if exclude else KINDS)
            }
    return wanted


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcde")), min_size=1, max_size=25))
def test_they_are_the_scores_of_the_rows_that_are_left(rows):
    gold, pred = (list(side) for side in zip(*rows, strict=True))
    found = found_in(macrof1.score(gold, pred))
    assert found == pytest.approx(expected_without_rows(gold, pred), rel=1e-12, abs=1e-14)


@given(st.lists(st.tuples(st.sampled_from("abcx"), st.sampled_from("abcy")), min_size=1, max_size=25))
def test_with_listed_classes_what_lies_outside_them_stays_an_error(rows):
    gold, pred = (list(side) for side in zip(("a", "a"), *rows, strict=True))
    labels = ["c", "a", "b"]
    found = found_in(macrof1.score(gold, pred, labels=labels))
    assert found == pytest.approx(expected_without_rows(gold, pred, labels), rel=1e-12, abs=1e-14)


def test_of_many_classes_only_those_that_mean_none_of_the_others_lose_their_rows():
    for n in (12, 13, 300):  # the cells of 300 classes are sparse
        labels = ["O", *(f"c{place:03}" for place in range(n - 1))]
        gold, pred = labels * 3, [*labels, *labels[1:], "O", *labels[2:], "O", "c000"]
        found = found_in(macrof1.score(gold, pred))
        wanted = expected_without_rows(gold, pred, without=None if n <= 12 else ["O"])
        assert found == pytest.approx(wanted, rel=1e-12)


def test_real_weights_leave_no_rows_out():
    result = macrof1.score(["a", "b", "b"], ["a", "b", "a"], sample_weight=[0.5, 1.0, 1.0])
    assert found_in(result) == {}
