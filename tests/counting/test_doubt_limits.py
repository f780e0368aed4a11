"""Doubts about labels: how many rows or labels it takes to raise each, and one fewer."""

from __future__ import annotations

from collections import Counter

import pytest

import macrof1
from macrof1.counting.doubts import few_quoted, label_doubts, never_in_gold, no_common_label, normal_form
from macrof1.counting.meeting import check_that_labels_meet
from macrof1.counting.policies import chosen_names
from macrof1.counts import ClassCounts
from macrof1.errors import LabelError


def counts_of(gold, pred):
    """Return counts of two columns of text, whether or not they have anything in common."""
    labels = tuple(dict.fromkeys([*gold, *pred]))
    golds, preds, hits = Counter(gold), Counter(pred), Counter(g for g, p in zip(gold, pred, strict=True) if g == p)
    columns = ([counter[label] for label in labels] for counter in (hits, preds, golds))
    tp, predicted, actual = map(tuple, columns)
    return ClassCounts(labels=labels, tp=tp, predicted=predicted, actual=actual, n_rows=len(gold))


def codes(gold, pred):
    return [note.code for note in label_doubts(counts_of(gold, pred))]


def words(gold, pred):
    return " ".join(map(str, label_doubts(counts_of(gold, pred))))


@pytest.mark.parametrize(
    ("gold", "pred", "found"),
    [
        # Probabilities: three quarters of a column's rows, and not the same fractions on the other side.
        (["a"] * 4, ["0.1", "0.2", "0.3", "a"], ["probabilities"]),
        (["a"] * 4, ["0.1", "0.2", "a", "a"], []),
        (["0.1", "0.2", "0.3", "0.4"], ["0.1", "0.2", "0.3", "0.4"], []),
        (["0.1", "0.2", "x", "y"], ["0.1", "0.2", "0.3", "0.4"], ["probabilities"]),
        (["0.1", "0.2", "0.3", "y"], ["0.1", "0.2", "0.3", "0.4"], []),
        (["1", "0"], ["1.0", "0.0"], ["decimals"]),
        (["1.0", "0.0"], ["1.0", "0.0"], []),
        # Lists of numbers.
        (["a"] * 4, ["[0.1, 0.9]", "[0.2, 0.8]", "[1, 0]", "a"], ["vectors"]),
        (["a"] * 4, ["[0.1, 0.9]", "[0.2, 0.8]", "a", "a"], []),
        (["0 1", "1 0"], ["0 1", "1 0"], []),
        (["0 1", "1 1"], ["0 1", "1 0"], ["vectors"]),
        # Token tags: three quarters of the labels, and an inner tag with its beginning or O.
        (["O", "B-PER", "I-PER", "x"], ["O", "B-PER", "I-PER", "x"], ["tags"]),
        (["O", "I-PER", "x", "y"], ["O", "I-PER", "x", "y"], []),
        (["B-PER", "I-PER"], ["B-PER", "I-PER"], ["tags"]),
        (["B-PER", "B-LOC"], ["B-PER", "B-LOC"], []),
        (["B-PER", "I-LOC"], ["B-PER", "I-LOC"], []),
        (["O", "I-LOC"], ["O", "I-LOC"], ["tags"]),
        # Numbers that mark what is not scored.
        (["-100", "a"], ["a", "a"], ["ignored_label"]),
        (["-100", "a"], ["-100", "a"], []),
        # Several labels in a field.
        (["a;b", "a", "b"], ["a;b", "a", "b"], ["several_labels"]),
        (["a;b", "c"], ["a;b", "c"], []),
        (["a;b", "b;a", "a;c", "c;b", "b;c"], ["a;b", "b;a", "a;c", "c;b", "b;c"], ["several_labels"]),
        (["a+b", "b+a", "a+c", "c+b", "b+c"], ["a+b", "b+a", "a+c", "c+b", "b+c"], []),
        (["a+b", "a"], ["a+b", "a"], ["several_labels"]),
        (["['a', 'b']", "x-"], ["['a', 'b']", "x-"], ["several_labels"]),
        ([";", "a;"], [";", "a;"], []),
        # Nearly equal.
        (["Yes", "yes"], ["Yes", "yes"], ["nearly_equal"]),
        (["yes", "no"], ["yes", "no"], []),
        (["yes.", "yes"], ["yes.", "yes"], ["nearly_equal"]),
    ],
)  # fmt: skip
def test_what_raises_a_doubt(gold, pred, found):
    assert codes(gold, pred) == found


@pytest.mark.parametrize(("n", "distinct", "found"), [(20, 19, True), (20, 18, False), (19, 19, False)])
@pytest.mark.parametrize("side", ["gold", "pred"])
def test_a_column_of_ids_is_one_of_many_distinct_values(n, distinct, found, side):
    ids = [str(1000 + place) for place in range(distinct)] + ["1000"] * (n - distinct)
    other = ["a", "b"] * (n // 2) + ["a"] * (n % 2)
    columns = (ids, other) if side == "gold" else (other, ids)
    notes = label_doubts(counts_of(*columns))
    assert [note.code for note in notes if note.code == "ids"] == ["ids"] * found
    if found:
        assert f"{distinct} distinct labels in {n} rows of the {'gold' if side == 'gold' else 'predicted'}" in notes[0]


def test_columns_are_swapped_if_many_rare_gold_labels_are_never_predicted():
    def gold(rare, common=20):
        return ["a"] * common + ["b"] * common + [f"answer {x}" for x in range(rare)]

    def pred(rare):
        return ["a"] * 20 + ["b"] * 20 + ["a"] * rare

    assert codes(gold(3), pred(3)) == ["swapped"]
    assert codes(gold(2), pred(2)) == []
    # As many as predicted ones at least, and at most half of the rows.
    assert codes(["a"] * 4 + ["x", "y", "z", "w"], ["a"] * 8) == ["swapped"]
    assert codes(["a"] * 3 + ["x", "y", "z", "w"], ["a"] * 7) == []
    four = ["a", "b", "c", "d"] * 5
    assert codes([*four, "x", "y", "z"], four + ["a"] * 3) == []
    assert codes([*four, "x", "y", "z", "w"], four + ["a"] * 4) == ["swapped"]
    assert codes([*four, "x", "y", "z", "w"], [*four, "a", "a", "a", "other"]) == []


def test_doubts_are_put_into_words():
    assert "look like probabilities ('0.1', '0.2', '0.3' and 1 more)" in words(["a"] * 4, ["0.1", "0.2", "0.3", "0.4"])
    assert "look like logits or scores" in words(["a"] * 4, ["0.1", "0.2", "0.3", "1.4"])
    assert "look like logits or scores" in words(["a"] * 4, ["0.1", "0.2", "0.3", "-0.4"])
    assert "look like probabilities" in words(["a"] * 3, ["0.0", "1.0", "0.5"])
    assert "look like probabilities" in words(["a"] * 4, ["1%", "20%", "30%", "100%"])
    assert "look like logits" in words(["a"] * 4, ["1%", "20%", "30%", "101%"])
    assert "Gold labels look like" in words(["0.1", "0.2"], ["a", "b"])
    assert "-100' (50.0% of the rows)" in words(["-100", "a"], ["a", "a"])
    assert "(and 1 more such group)" in words(["Yes", "yes", "No", "no"], ["Yes", "yes", "No", "no"])
    assert "'Yes' and 'yes' and 'YES' differ" in words(["Yes", "yes", "YES", "yEs"], ["Yes", "yes", "YES", "yEs"])
    assert "differ only in case and spaces" in words(["Yes", " yes"], ["Yes", " yes"])
    assert 'normalize="case"' in words(["Yes", "yes"], ["Yes", "yes"])


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (["a", "b", "c", "d"], "'a', 'b', 'c', 'd'"),
        (["a", "b", "c", "d", "e"], "'a', 'b', 'c', 'd' and 1 more"),
        (["x" * 40], repr("x" * 40)),
        (["x" * 41], repr("x" * 37 + "…")),
    ],
)
def test_few_labels_are_quoted(labels, shown):
    assert few_quoted(labels) == shown


@pytest.mark.parametrize(
    ("label", "difference", "form"),
    [
        ("１", "unicode", "1"), ("a\u200bb", "unicode", "ab"), ("a\ufe0f", "unicode", "a"), ("é", "unicode", "é"),
        (" a  b ", "space", "a b"), ("“yes”.", "punctuation", "yes"), ("...", "punctuation", "..."),
        (".5", "punctuation", ".5"), ("STRASSE", "case", "strasse"), ("+1.00", "number", "1"),
        ("007", "number", "7"), ("−1", "number", "-1"), ("-0.0", "number", "0"), ("İ", "case", "i"),
        ("1.5", "number", "1.5"),
        ("1", "number", "1"), (1.0, "number", 1.0), (3, "case", 3), (None, "case", None), ("Straße", "case", "strasse"),
    ],
)  # fmt: skip
def test_normal_forms(label, difference, form):
    assert normal_form(label, (difference,)) == form


def test_predicted_labels_that_are_never_gold_are_counted():
    def note(strange):
        gold = ["a", "b"] * 8
        pred = strange + gold[len(strange) :]
        counts = counts_of(gold, pred)
        scores = macrof1.score_counts(counts)
        return never_in_gold(counts, scores, lambda: scores)

    three = note(["x", "y", "z"])
    assert three.code == "never_in_gold"
    assert "3 predicted labels ('x', 'y', 'z'; 18.8% of the rows) never occur in gold but count as classes" in three
    assert note(["x", "y", "z", "w"]).code == "many_never_in_gold"
    assert "1 predicted label ('x'; 6.2% of the rows) never occurs in gold but counts as a class" in note(["x"])
    assert note([]) is None
    nothing = ClassCounts(labels=("a",), tp=(0,), predicted=(3,), actual=(0,), n_rows=3)
    assert never_in_gold(nothing, None, lambda: None) is None


def test_columns_without_a_common_label():
    assert no_common_label(counts_of(["a", "b"], ["x", "x"])).code == "no_common_label"
    assert no_common_label(counts_of(["a", "b"], ["x", "b"])) is None
    assert no_common_label(counts_of(["a", "b"], ["b", "x"])) is None
    for tp, predicted, actual in (((0,), (0,), (3,)), ((0,), (3,), (0,))):
        one = ClassCounts(labels=("a",), tp=tp, predicted=predicted, actual=actual, n_rows=3)
        assert no_common_label(one) is None


def refused(gold, pred):
    try:
        check_that_labels_meet(counts_of(gold, pred))
    except LabelError as error:
        return str(error)
    return None


def test_labels_that_never_meet_are_refused_from_twenty_rows_on():
    assert refused(["a.x", "b.x"] * 10, ["c.y", "d.y"] * 10).startswith("gold labels ('a.x', 'b.x') and predicted ones")
    assert refused((["a.x", "b.x"] * 10)[:19], (["c.y", "d.y"] * 10)[:19]) is None
    assert refused(["a.x"] * 20, ["c.y", "d.y"] * 10) is None  # one label is a constant answer
    assert refused(["a.x", "b.x"] * 10, ["c.y"] * 20) is None
    assert refused(["a.x", "b.x"] * 10, ["b.x", "a.x"] * 10) is None
    assert refused(["a.x", "b.x"] * 10, ["c.y", "a.x"] * 10) is None
    assert "turn scores into labels first" in refused(["a b.", "c d."] * 10, ["0.5", "0.25"] * 10)
    assert "right columns" in refused(["a b.", "c d."] * 10, ["0.5", "2"] * 10)
    # Fewer rows suffice where the spelling or the naming explains it.
    assert 'normalize="case"' in refused(["a", "b"], ["A", "B"])
    assert 'normalize="case,space,unicode,punctuation,number"' in refused(["a", "b"], ["A.", "B."])
    assert "id2label" in refused(["cat", "dog"], ["LABEL_0", "LABEL_1"])
    assert "the gold labels are numbers" in refused(["0", "1"], ["cat", "dog"])
    assert "the predicted labels are numbers" in refused(["cat", "dog"], ["0", "1"])
    assert "they differ in type only" in str(refused([1, 2], ["1", "2"]))
    listed = counts_of(["a", "b"], ["A", "B"])
    check_that_labels_meet(
        ClassCounts(
            labels=listed.labels, tp=listed.tp, predicted=listed.predicted, actual=listed.actual, n_rows=2, n_listed=2
        )
    )


def test_the_name_of_a_class_is_listed_or_the_most_frequent_in_gold():
    counts = ClassCounts(
        labels=("A", "a", "B", "b", "C", "c"),
        tp=(0,) * 6,
        predicted=(1, 5, 1, 2, 1, 1),
        actual=(3, 2, 2, 2, 1, 1),
        n_rows=9,
    )
    name = chosen_names(counts, ("case",))
    assert [name(label) for label in ("A", "a", "B", "b", "C", "c", "d")] == ["A", "A", "b", "b", "C", "C", "d"]
    listed = ClassCounts(labels=("a", "A"), tp=(0, 0), predicted=(0, 9), actual=(0, 9), n_rows=9, n_listed=1)
    assert chosen_names(listed, ("case",))("A") == "a"
    twice = ClassCounts(labels=("a", "A"), tp=(0, 0), predicted=(0, 9), actual=(0, 9), n_rows=9, n_listed=2)
    with pytest.raises(LabelError, match=r"the listed labels .* are one"):
        chosen_names(twice, ("case",))
