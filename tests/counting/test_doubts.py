"""Doubts about labels: each names what was seen, does not fire on sound labels, and needs enough rows or labels.

Two columns without a common label are rejected with the likely cause, unless rows are few or a class set is given.
"""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import macrof1
from macrof1.counting.doubts import check_that_labels_meet, label_doubts, never_in_gold, no_common_label, normal_form
from macrof1.counts import ClassCounts
from macrof1.errors import InputError, LabelError
from macrof1.sampling.policies import chosen_names


def counts_of(gold, pred):
    """Return counts of two columns of text, whether or not they have anything in common."""
    labels = tuple(dict.fromkeys([*gold, *pred]))
    golds, preds, hits = Counter(gold), Counter(pred), Counter(g for g, p in zip(gold, pred, strict=True) if g == p)
    tp, predicted, actual = ([counter[label] for label in labels] for counter in (hits, preds, golds))
    return ClassCounts(labels=labels, tp=tp, predicted=predicted, actual=actual, n_rows=len(gold))


def codes(gold, pred):
    return [note.code for note in label_doubts(counts_of(gold, pred))]


@pytest.mark.parametrize(
    ("gold", "pred", "code", "parts"),
    [
        (["1", "a"], [1, "a"], "nearly_equal", ["Labels '1' and 1 differ only in type", "one type"]),
        (["yes", "no"], ["Yes", "no"], "nearly_equal", ["'yes' and 'Yes'", "only in case", 'normalize="case"']),
        (["yes", "no"], ["yes ", "no"], "nearly_equal", ["only in spaces", 'normalize="space"']),
        (["yes", "no"], ["yes.", "no"], "nearly_equal", ["final marks", 'normalize="punctuation"']),
        (["A", "B"], ["A)", "B"], "nearly_equal", ["'A' and 'A)'", 'normalize="punctuation"']),
        (["A", "B"], ["(A)", "**B**"], "nearly_equal", ["1 more such group", 'normalize="punctuation"']),
        (["yes", "no"], ["yes\u200c", "no"], "nearly_equal", [r"yes\u200c", 'normalize="unicode"']),
        (["\u2764", "no"], ["\u2764\ufe0f", "no"], "nearly_equal", ['normalize="unicode"']),
        (["0", "1"], ["LABEL_0", "LABEL_1"], "no_common_label", ["'LABEL_0', 'LABEL_1'", "in gold ('0', '1')"]),
        (["0", "1"], ["False", "True"], "no_common_label", ["both scores are 0", "gold= and pred="]),
        (["0", "1", "1"], ["93%", "20%", "40.5%"], "probabilities", ["look like probabilities", "'20%'"]),
        (["0", "1", "1"], ["0,93", "0,20", "0,45"], "probabilities", ["look like probabilities"]),
        (["0.1", "0.9", "0.4"], ["0", "1", "1"], "probabilities", ["Gold labels look like probabilities"]),
        ([0, 1, -100], [0, 1, 1], "ignored_label", ["gold label -100 (33.3% of the rows)", "leave these rows out"]),
        (["0", "1", "-100"], ["0", "1", "1"], "ignored_label", ["'-100'"]),
        (["a", "b", "nan"], ["a", "b", "b"], "missing_as_text", ["label 'nan' (33.3% of gold)", "field empty"]),
        (["0", "1"], ["[0, 1]", "[1, 0]"], "vectors", ["'[0, 1]', '[1, 0]'", "largest"]),
        (["0", "1"], ["0 1", "1 0"], "vectors", ["lists of numbers"]),
        (["[1, 1]", "[1, 0]"], ["[1, 1]", "[0, 1]"], "vectors", ["indicator matrices"]),
        (["[1, 1]", "[1, 0]"], ["[1, 0]", "[0, 1]"], "vectors", ["Gold labels look like lists"]),
        (["b-per", "i-per", "o"], ["b-per", "o", "o"], "tags", ["'b-per', 'i-per'", "count_spans"]),
        (["B_PER", "I_PER", "O"], ["O", "O", "O"], "tags", ["count_spans"]),
        (["U-PER", "B-ORG", "L-ORG", "O"], ["O"] * 4, "tags", ["count_spans"]),
        (["a/b", "b"], ["a", "b"], "several_labels", ["'a/b'", 'multilabel="/"']),
        (["['a']", "['b']"], ["['a', 'b']", "['b']"], "several_labels", ["lists (JSON, Parquet)"]),
        (["yes", "no"], ["'yes'", "no"], "nearly_equal", ["quotes", 'normalize="punctuation"']),
        (["café", "no"], ["cafe\u0301", "no"], "nearly_equal", ["Unicode form", r"cafe\u0301", 'normalize="unicode"']),
        (["yes", "no"], [" Yes.", "NO"], "nearly_equal", ["1 more such group", 'normalize="case,space,punctuation"']),
        (["0", "1", "1"], ["0.93", "0.2", "0.4"], "probabilities", ["look like probabilities", "'0.2'"]),
        (["0", "1", "1"], ["-2.5", "3.1", "0.4"], "probabilities", ["logits or scores"]),
        (["0", "1"], ["0.0", "1.0"], "decimals", ["'0.0' and '0'", 'normalize="number"']),
        (["0.0", "1.0"], ["0", "1"], "decimals", ["Gold labels have decimals", 'normalize="number"']),
        (["O", "B-PER", "I-PER"], ["O", "O", "O"], "tags", ["count_spans", "O is averaged over"]),
        (["B-PER", "I-PER"], ["B-PER", "I-PER"], "tags", ["every token is scored; "]),
        ([f"row {i}" for i in range(30)], ["a"] * 30, "ids", ["30 distinct labels in 30 rows of the gold", "gold="]),
        (["a"] * 30, list(range(30)), "ids", ["predicted column", "pred="]),
        (["a", "b", "a;b"], ["a", "b", "a"], "several_labels", ["'a;b'", 'multilabel=";"']),
        (["a|b", "b|c", "a|c", "a|b|c"], ["a|b", "b|c", "a|c", "a|b"], "several_labels", ['multilabel="|"']),
        (["yes", "no"] * 9 + list("xyz"), ["yes", "no"] * 9 + ["no"] * 3, "swapped", ["3 gold labels", "swapped"]),
        (["a"] * 4, ["0.1", "0.2", "0.3", "0.4"], "probabilities", ["probabilities ('0.1', '0.2', '0.3' and 1 more)"]),
        (["a"] * 4, ["0.1", "0.2", "0.3", "1.4"], "probabilities", ["look like logits or scores"]),
        (["a"] * 4, ["1%", "20%", "30%", "100%"], "probabilities", ["look like probabilities"]),
        (["a"] * 4, ["1%", "20%", "30%", "101%"], "probabilities", ["look like logits"]),
        (["Yes", "yes", "YES", "yEs"], ["yes"] * 4, "nearly_equal", ["'Yes' and 'yes' and 'YES' differ"]),
        (["Yes", " yes"], ["Yes", " yes"], "nearly_equal", ["differ only in case and spaces"]),
    ],
)  # fmt: skip
def test_a_doubt_is_said_with_what_was_seen_and_what_changes_it(gold, pred, code, parts):
    counts = counts_of(gold, pred)
    note = [note for note in (no_common_label(counts), *label_doubts(counts)) if note][-1]
    assert note.code == code
    for part in parts:
        assert part in note


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        (["cat", "dog"], ["dog", "cat"]),
        (["1", "2", "10"], ["2", "1", "10"]),
        (["0.5", "1.5"], ["1.5", "0.5"]),  # names of classes, in gold too
        ([0, 1, 2], [0, 1, 1]),
        ([True, False], [False, False]),
        (list(range(19)), list(range(19))),  # too few rows to tell ids
        (["O", "A"], ["A", "O"]),
        (["B-52", "O"], ["B-52", "O"]),  # no tag that continues
        (["B-52", "S-52", "O"], ["B-52", "S-52", "O"]),
        (["a, b", "c"], ["c", "c"]),  # one name with a comma
        (["a"] * 5 + list("bcdefgh") * 3, ["a"] * 26),  # a majority classifier
        (["1", "2"], ["1.5", "2"]),
        (["[0, 1]", "[1, 0]"], ["[1, 0]", "[0, 1]"]),  # one-hot codes on both sides are names
        (["e-mail", "i-phone", "letter"], ["e-mail", "letter", "letter"]),
        ([":)", ":("], [":(", ":)"]),
        (["C", "C++"], ["C++", "C"]),
        (["n/a", "x"], ["x", "n/a"]),
        (["-1", "1"], ["1", "-1"]),
        ([-100, 100], [100, -100]),  # predicted, too: a class
    ],
)
def test_sound_labels_raise_no_doubt(gold, pred):
    assert codes(gold, pred) == []
    assert no_common_label(counts_of(gold, pred)) is None


SENTENCES = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]


@pytest.mark.parametrize(
    "call",
    [macrof1.score, macrof1.count, macrof1.averaged_f1, lambda *sides: macrof1.Accumulator().update(*sides),
     lambda gold, pred: macrof1.compare(gold, {"a": pred, "b": pred}),
     lambda gold, pred: macrof1.identify(gold, pred, "0.5")],
    ids=["score", "count", "averaged_f1", "update", "compare", "identify"],
)  # fmt: skip
@pytest.mark.parametrize("make", [list, np.array, pd.Series, lambda side: np.array([*map(tuple, side)], object)])
def test_sentences_of_tags_are_refused_and_the_right_call_is_named(call, make):
    with pytest.raises(InputError, match="count_spans") as refused:
        call(make(SENTENCES), make(SENTENCES))
    assert "sets" not in str(refused.value)


def test_sentences_that_are_tuples_are_doubted():
    found = macrof1.score([*map(tuple, SENTENCES)], [*map(tuple, SENTENCES)])
    assert found.note_codes == ["tags"]
    assert "count_spans" in found.notes[0]


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
        (["B-PER I-PER O", "O O"], ["O O O", "O O"], ["tags"]),  # sentences
        (["['O', 'B-X']", "['B-X', 'O']"], ["['O', 'B-X']", "['O', 'O']"], ["tags"]),
        (["B-PER of O", "O"], ["B-PER of O", "O"], []),
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
    assert f"('{'x' * 40}'; " in note(["x" * 40])
    assert f"('{'x' * 37}…'; " in note(["x" * 41])
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


def test_labels_that_never_meet_are_refused_from_twenty_rows_on():
    for n, pred in ((19, ["c.y", "d.y"]), (20, ["c.y"] * 2), (20, ["b.x", "a.x"]), (20, ["c.y", "a.x"])):
        check_that_labels_meet(counts_of((["a.x", "b.x"] * 10)[:n], (pred * 10)[:n]))
    for pred, cause in (
        (["c.y", "d.y"], "gold labels ('a.x', 'b.x') and predicted ones"),
        (["0.5", "0.25"], "turn scores into labels first"),
        (["0.5", "2"], "right columns"),
    ):
        for n in (10, 200):
            with pytest.raises(LabelError) as refused:
                check_that_labels_meet(counts_of(["a.x", "b.x"] * n, pred * n))
            assert cause in str(refused.value)


def test_the_name_of_a_class_is_listed_or_the_most_frequent_in_gold():
    counts = ClassCounts(
        labels=("A", "a", "B", "b", "C", "c"),
        tp=(0,) * 6,
        predicted=(1, 5, 1, 2, 1, 1),
        actual=(3, 2, 2, 2, 1, 1),
        n_rows=9,
    )
    name, *_ = chosen_names(counts, ("case",))
    assert [name(label) for label in ("A", "a", "B", "b", "C", "c", "d")] == ["A", "A", "b", "b", "C", "C", "d"]
    listed = ClassCounts(labels=("a", "A"), tp=(0, 0), predicted=(0, 9), actual=(0, 9), n_rows=9, n_listed=1)
    assert chosen_names(listed, ("case",))[0]("A") == "a"
    twice = ClassCounts(labels=("a", "A"), tp=(0, 0), predicted=(0, 9), actual=(0, 9), n_rows=9, n_listed=2)
    with pytest.raises(LabelError, match=r"the listed labels .* are one"):
        chosen_names(twice, ("case",))


CASES = {
    "case": (["a", "b"], ["A", "B"], 'normalize="case"'),
    "space": (["a", "b"], [" a", "b "], 'normalize="space"'),
    "unicode": (["caf\u00e9", "th\u00e9"], ["cafe\u0301", "the\u0301"], 'normalize="unicode"'),
    "punctuation": (["yes", "no"], ["yes.", "no."], 'normalize="punctuation"'),
    "number": (["0", "1"], ["0.0", "1.0"], 'normalize="number"'),
    "several": (["yes", "no"], [" Yes.", "No. "], "normalize="),
    "numbered": (["neg", "pos"], ["LABEL_0", "LABEL_1"], "predicted labels are those of a model without"),
    "numbers": (["neg", "pos"], ["0", "1"], "predicted labels are numbers"),
    "gold numbers": (["0", "1"], ["neg", "pos"], "gold labels are numbers"),
    "numbered numbers": (["0", "1"], ["LABEL_0", "LABEL_1"], "predicted labels are those of a model without"),
    "booleans": (["0", "1"], ["False", "True"], "gold labels are numbers"),
}


def frame_of(make):
    return lambda gold, pred: macrof1.score_frame(make({"g": gold, "p": pred}), gold="g", pred="p")


def accumulated(gold, pred):
    accumulator = macrof1.Accumulator()
    for one in zip(gold, pred, strict=True):
        accumulator.update(*([label] for label in one))
    return accumulator.score()


WAYS = {
    "lists": macrof1.score,
    "arrays": lambda gold, pred: macrof1.score(np.array(gold), np.array(pred)),
    "series": lambda gold, pred: macrof1.score(pd.Series(gold), pl.Series(pred).to_pandas()),
    "pandas": frame_of(pd.DataFrame),
    "polars": frame_of(pl.DataFrame),
    "arrow": frame_of(pa.table),
    "accumulator": accumulated,
    "sets": lambda gold, pred: macrof1.score([{label} for label in gold], [{label} for label in pred]),
    "one float": macrof1.averaged_f1,
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("way", WAYS)
def test_labels_that_differ_in_spelling_or_naming_alone_are_refused_everywhere(case, way):
    gold, pred, cause = CASES[case]
    with pytest.raises(LabelError, match="none in common") as refused:
        WAYS[way](gold, pred)
    assert cause in str(refused.value)


@pytest.mark.parametrize(("gold", "pred"), [([1, 2], ["1", "2"]), ([0, 1], [0.5, 1.5]), ([True, False], ["True", "x"])])
@pytest.mark.parametrize("way", ["lists", "accumulator", "sets"])
def test_labels_without_a_type_in_common_are_refused(gold, pred, way):
    with pytest.raises(LabelError):
        WAYS[way](gold, pred)


def test_types_that_mix_and_other_labels_in_many_rows_are_refused():
    with pytest.raises(LabelError, match="type only"):
        macrof1.score([1, "a", "b"], ["1", 7, "c"])
    assert macrof1.score(["a", "b"] * 9, ["c", "d"] * 9).averaged_f1 == 0
    with pytest.raises(LabelError, match="right columns"):
        macrof1.score([0, 1] * 10, [2, 3] * 10)


def test_what_may_be_meant_is_scored():
    # Always wrong, with the same classes on both sides; a constant answer; a declared class set; one class of two.
    assert macrof1.score(["a", "b"] * 50, ["A", "B"] * 50, labels=["a", "b"]).averaged_f1 == 0
    for gold, pred in (("ab", "ba"), ("ab", "cc"), ("aa", "bc"), ("ab", "Aa"), ("01", "aa")):
        assert macrof1.score(list(gold) * 50, list(pred) * 50).averaged_f1 == 0
    assert macrof1.score(["a"], ["b"]).averaged_f1 == 0
    assert macrof1.score(["0", "1"], ["0.25", "0.75"]).averaged_f1 == 0  # a doubt is said


def test_counts_of_a_part_are_not_judged():
    part = macrof1.count(["a"], ["A"])
    assert macrof1.score_counts(part + macrof1.count(["a"], ["a"])).n_classes == 2


def test_groups_are_judged_together():
    df = pl.DataFrame({"d": [1, 1, 2], "g": ["a", "b", "a"], "p": ["A", "B", "a"]})
    assert macrof1.score_groups(df, gold="g", pred="p", by="d")[1].averaged_f1 == 0
    with pytest.raises(LabelError, match="none in common"):
        macrof1.score_groups(df.head(2), gold="g", pred="p", by="d")


def test_parts_that_differ_in_type_alone_raise_a_doubt():
    parts = [([0, 1], [0, 1]), (np.array([0.0, 1.0]), np.array([0.0, 1.0]))]
    summed, batches = sum(macrof1.count(*part) for part in parts), macrof1.Accumulator()
    for part in parts:
        batches.update(*part)
    for result in (
        macrof1.score_counts(summed),
        batches.score(),
        macrof1.score([0, 0.0], [0, 0.0]),
        macrof1.score([1, True], [1, 1]),
    ):
        assert [note.code for note in result.notes] == ["nearly_equal"]
    assert not macrof1.score([1, "a", None, 2.0], [1, "a", None, 2.0], missing="label").notes
