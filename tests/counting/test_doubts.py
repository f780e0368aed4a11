"""Doubts about labels: each is said once, names what was seen, and stays silent on sound labels."""

from __future__ import annotations

from collections import Counter

import pytest

from macrof1.counting.doubts import LabelUse, checked_differences, label_doubts, normal_form
from macrof1.errors import InputError


def doubts(gold, pred):
    actual, predicted = Counter(gold), Counter(pred)
    labels = sorted({*actual, *predicted}, key=str)
    return label_doubts(
        LabelUse(
            labels=labels,
            actual=[actual[label] for label in labels],
            predicted=[predicted[label] for label in labels],
            n_rows=len(gold),
        )
    )


@pytest.mark.parametrize(
    ("gold", "pred", "code", "parts"),
    [
        (["yes", "no"], ["Yes", "no"], "nearly_equal", ["'Yes' and 'yes'", "only in case", 'normalize="case"']),
        (["yes", "no"], ["yes ", "no"], "nearly_equal", ["only in spaces", 'normalize="space"']),
        (["a b", "no"], ["a  b", "no"], "nearly_equal", ['normalize="space"']),
        (["yes", "no"], ["yes.", "no"], "nearly_equal", ["final period", 'normalize="punctuation"']),
        (["yes", "no"], ["'yes'", "no"], "nearly_equal", ["quotes", 'normalize="punctuation"']),
        (["café", "no"], ["cafe\u0301", "no"], "nearly_equal", ["Unicode form", r"cafe\u0301", 'normalize="unicode"']),
        (["ﬁne", "no"], ["fine", "no"], "nearly_equal", ['normalize="unicode"']),
        (["yes", "no"], [" Yes.", "NO"], "nearly_equal", ["1 more such group", 'normalize="case,space,punctuation"']),
        (["0", "1", "1"], ["0.93", "0.2", "0.4"], "probabilities", ["look like probabilities", "'0.2'"]),
        (["0", "1", "1"], ["-2.5", "3.1", "0.4"], "probabilities", ["logits or scores"]),
        (["0", "1"], ["0.0", "1.0"], "decimals", ["'0' and '0.0'", 'normalize="number"']),
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
    (note,) = doubts(gold, pred)
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
    ],
)
def test_sound_labels_raise_no_doubt(gold, pred):
    assert doubts(gold, pred) == []


def test_normal_forms_leave_other_types_alone():
    assert normal_form(3, ("case", "number")) == 3
    assert normal_form(None, ("case",)) is None
    assert normal_form("Straße", ("case",)) == "strasse"


def test_unknown_difference_is_refused():
    with pytest.raises(InputError, match="did you mean 'case'"):
        checked_differences("cases")
