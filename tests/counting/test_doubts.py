"""Doubts about labels: each is reported once, names what was seen, and does not fire on sound labels."""

from __future__ import annotations

from collections import Counter

import pytest

from macrof1.counting.doubts import checked_differences, label_doubts, no_common_label
from macrof1.counts import ClassCounts
from macrof1.errors import InputError


def doubts(gold, pred):
    actual, predicted = Counter(gold), Counter(pred)
    labels = sorted({*actual, *predicted}, key=str)
    counts = ClassCounts(
        labels=tuple(labels),
        tp=(0,) * len(labels),
        actual=tuple(actual[label] for label in labels),
        predicted=tuple(predicted[label] for label in labels),
        n_rows=len(gold),
    )
    return [note for note in (no_common_label(counts), *label_doubts(counts)) if note]


@pytest.mark.parametrize(
    ("gold", "pred", "code", "parts"),
    [
        (["yes", "no"], ["Yes", "no"], "nearly_equal", ["'Yes' and 'yes'", "only in case", 'normalize="case"']),
        (["yes", "no"], ["yes ", "no"], "nearly_equal", ["only in spaces", 'normalize="space"']),
        (["a b", "no"], ["a  b", "no"], "nearly_equal", ['normalize="space"']),
        (["yes", "no"], ["yes.", "no"], "nearly_equal", ["final marks", 'normalize="punctuation"']),
        (["A", "B"], ["A)", "B"], "nearly_equal", ["'A' and 'A)'", 'normalize="punctuation"']),
        (["A", "B"], ["(A)", "**B**"], "nearly_equal", ["1 more such group", 'normalize="punctuation"']),
        (["yes", "no"], ["yes!", "no"], "nearly_equal", ['normalize="punctuation"']),
        (["yes", "no"], ["yes,", "no"], "nearly_equal", ['normalize="punctuation"']),
        (["yes", "no"], ["yes\u200c", "no"], "nearly_equal", [r"yes\u200c", 'normalize="unicode"']),
        (["yes", "no"], ["ye\u00ads", "no"], "nearly_equal", ['normalize="unicode"']),
        (["yes", "no"], ["\u200fyes", "no"], "nearly_equal", ['normalize="unicode"']),
        (["\u2764", "no"], ["\u2764\ufe0f", "no"], "nearly_equal", ['normalize="unicode"']),
        (["0", "1"], ["LABEL_0", "LABEL_1"], "no_common_label", ["'LABEL_0', 'LABEL_1'", "in gold ('0', '1')"]),
        (["0", "1"], ["False", "True"], "no_common_label", ["both scores are 0", "gold= and pred="]),
        (["0", "1", "1"], ["93%", "20%", "40.5%"], "probabilities", ["look like probabilities", "'20%'"]),
        (["0", "1", "1"], ["0,93", "0,20", "0,45"], "probabilities", ["look like probabilities"]),
        (["0", "1", "1"], ["9e-05", "1e-3", "0.4"], "probabilities", ["look like probabilities"]),
        (["0.1", "0.9", "0.4"], ["0", "1", "1"], "probabilities", ["Gold labels look like probabilities"]),
        ([0, 1, -100], [0, 1, 1], "ignored_label", ["gold label -100 (33.3% of the rows)", "leave these rows out"]),
        (["0", "1", "-100"], ["0", "1", "1"], "ignored_label", ["'-100'"]),
        (["0", "1"], ["[0, 1]", "[1, 0]"], "vectors", ["'[0, 1]', '[1, 0]'", "largest"]),
        (["0", "1"], ["0 1", "1 0"], "vectors", ["lists of numbers"]),
        (["0", "1"], ["[0.1, 0.9]", "[0.7, 0.3]"], "vectors", ["lists of numbers"]),
        (["[1, 1]", "[1, 0]"], ["[1, 1]", "[0, 1]"], "vectors", ["indicator matrices"]),
        (["b-per", "i-per", "o"], ["b-per", "o", "o"], "tags", ["'b-per', 'i-per'", "spans=True"]),
        (["B_PER", "I_PER", "O"], ["O", "O", "O"], "tags", ["spans=True"]),
        (["U-PER", "B-ORG", "L-ORG", "O"], ["O"] * 4, "tags", ["spans=True"]),
        (["I-PER", "O"], ["I-PER", "O"], "tags", ["spans=True"]),
        (["a/b", "b"], ["a", "b"], "several_labels", ["'a/b'", 'multilabel="/"']),
        (["['a']", "['b']"], ["['a', 'b']", "['b']"], "several_labels", ["lists (JSON, Parquet)"]),
        (["yes", "no"], ["'yes'", "no"], "nearly_equal", ["quotes", 'normalize="punctuation"']),
        (["café", "no"], ["cafe\u0301", "no"], "nearly_equal", ["Unicode form", r"cafe\u0301", 'normalize="unicode"']),
        (["ﬁne", "no"], ["fine", "no"], "nearly_equal", ['normalize="unicode"']),
        (["yes", "no"], [" Yes.", "NO"], "nearly_equal", ["1 more such group", 'normalize="case,space,punctuation"']),
        (["0", "1", "1"], ["0.93", "0.2", "0.4"], "probabilities", ["look like probabilities", "'0.2'"]),
        (["0", "1", "1"], ["-2.5", "3.1", "0.4"], "probabilities", ["logits or scores"]),
        (["0", "1"], ["0.0", "1.0"], "decimals", ["'0.0' and '0'", 'normalize="number"']),
        (["0.0", "1.0"], ["0", "1"], "decimals", ["Gold labels have decimals", 'normalize="number"']),
        (["O", "B-PER", "I-PER"], ["O", "O", "O"], "tags", ["spans=True", "O is averaged over"]),
        (["B-PER", "I-PER"], ["B-PER", "I-PER"], "tags", ["every token is scored; "]),
        ([f"row {i}" for i in range(30)], ["a"] * 30, "ids", ["30 distinct labels in 30 rows of the gold", "gold="]),
        (["a"] * 30, list(range(30)), "ids", ["predicted column", "pred="]),
        (["a", "b", "a;b"], ["a", "b", "a"], "several_labels", ["'a;b'", 'multilabel=";"']),
        (["a|b", "b|c", "a|c", "a|b|c"], ["a|b", "b|c", "a|c", "a|b"], "several_labels", ['multilabel="|"']),
        (["yes", "no"] * 9 + list("xyz"), ["yes", "no"] * 9 + ["no"] * 3, "swapped", ["3 gold labels", "swapped"]),
    ],
)  # fmt: skip
def test_a_doubt_is_said_with_what_was_seen_and_what_changes_it(gold, pred, code, parts):
    note = doubts(gold, pred)[-1]
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
    assert doubts(gold, pred) == []


def test_unknown_difference_is_refused():
    with pytest.raises(InputError, match="did you mean 'case'"):
        checked_differences("cases")
