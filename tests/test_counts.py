"""Counts: built by hand, merged, rejected; they know how rows became counts, so that a score of them says so."""

import pickle
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1 import InputError, load_counts, save_counts, score_counts
from macrof1.counting.matrix import arrays_of
from macrof1.errors import CountError

from .oracles import without_digests
from .strategies import label_pairs

COUNT = st.integers(0, 1000)


def test_counts_as_model_cards_print_them():
    counts = macrof1.ClassCounts.from_errors({"cat": (629, 155, 159), "dog": (10, 0, 5)})
    assert (counts.labels, counts.n_rows, counts.weighted) == (("cat", "dog"), None, False)
    assert (counts.tp, counts.predicted, counts.actual) == ((629, 10), (784, 10), (788, 15))
    assert macrof1.score_counts(counts).per_class[0].precision == 629 / 784


@given(st.dictionaries(st.text(min_size=1), st.tuples(COUNT, COUNT, COUNT), min_size=1))
def test_errors_and_margins_give_the_same_counts(errors):
    counts = macrof1.ClassCounts.from_errors(errors)
    again = macrof1.ClassCounts.of(
        errors,
        tp=[t for t, _, _ in errors.values()],
        predicted=[t + fp for t, fp, _ in errors.values()],
        actual=[t + fn for t, _, fn in errors.values()],
    )
    assert counts == again
    assert arrays_of(counts)[0].tolist() == list(counts.tp)


@given(label_pairs(), label_pairs())
def test_array_counts_and_plain_ones_add_up_alike(first, second):
    parts = [macrof1.count(*first), macrof1.count(*second)]
    plain = [
        macrof1.ClassCounts(labels=c.labels, tp=c.tp, predicted=c.predicted, actual=c.actual, n_rows=c.n_rows)
        for c in parts
    ]
    assert sum(parts) == sum(plain) == macrof1.count([*first[0], *second[0]], [*first[1], *second[1]])


def test_numpy_columns_become_plain_numbers():
    counts = macrof1.ClassCounts.of(["a"], tp=np.array([1]), predicted=np.array([2], np.uint8), actual=[np.int64(3)])
    assert [type(column[0]) for column in (counts.tp, counts.predicted, counts.actual)] == [int, int, int]


def test_counts_of_different_tasks_do_not_add():
    with pytest.raises(CountError, match="counts of one task"):
        macrof1.count([0], [0]) + macrof1.count([{"a"}], [{"a"}])


GOLD = ["cat", "Cat ", "dog", "dog", "bird", "dog", "cat", "bird"]
PRED = ["CAT", "cat", "dog", "fish", "bird", "cat", "Fish", "dog"]
LISTED = {"labels": ["cat", "dog", "bird"], "normalize": "case,space"}
POLICIES = [
    {"normalize": "case,space"},
    {**LISTED, "outside": "drop"},
    {**LISTED, "outside": "class"},
    {**LISTED, "outside": "wrong"},
    {"labels": ["cat", "dog", "bird", "Cat ", "CAT", "fish", "Fish"], "outside": "error"},
]


def kept(counts, tmp_path):
    """Return counts by every way on which a program may hand them on."""
    save_counts(counts, tmp_path / "part.counts.json")
    copied = pickle.loads(pickle.dumps(counts))  # noqa: S301  # our own bytes
    return [counts, copied, load_counts(tmp_path / "part.counts.json")]


@pytest.mark.parametrize("policies", POLICIES)
def test_a_score_of_the_counts_of_a_result_has_its_signature(policies, tmp_path):
    frame = pl.DataFrame({"gold": GOLD, "pred": PRED, "half": [1, 2] * 4})
    frame.write_csv(tmp_path / "preds.csv")
    plain = macrof1.score(GOLD, PRED, **policies)
    for result in (
        plain,
        macrof1.score_frame(frame, gold="gold", pred="pred", **policies),
        macrof1.score_file(tmp_path / "preds.csv", **policies),
        macrof1.score_file(tmp_path / "preds.csv", by="half", **policies).total,
    ):
        assert without_digests(result.signature()) == without_digests(plain.signature())
        for counts in (result.counts, result.cells or result.counts):  # runs on the same rows have no cells
            again = [score_counts(each) for each in kept(counts, tmp_path)]
            # Counts know no order of rows.
            assert [each.signature() for each in again] == [re.sub(r"gold:\w+", "gold:-", result.signature())] * 3
            assert [each.unusable_share for each in again] == [result.unusable_share] * 3
    groups = macrof1.score_file(tmp_path / "preds.csv", by="half", **policies).groups
    for group in groups:
        for counts in (group.result.counts, group.result.cells or group.result.counts):
            assert {score_counts(each).signature() for each in kept(counts, tmp_path)} == {group.result.signature()}


def test_rows_left_out_are_told_again():
    result = macrof1.score(GOLD, PRED, **POLICIES[1])
    assert result.note_codes.count("answers_dropped") == 1
    assert score_counts(result.cells).notes == result.notes
    assert result.notes[0] in score_counts(result.counts).notes


@pytest.mark.parametrize("policies", POLICIES[:4])
@pytest.mark.parametrize("of", ["counts", "cells"])
def test_parts_made_alike_add_up_to_the_whole(policies, of, tmp_path):
    # A sixth of the first part lies outside the class set, a quarter of the other.
    parts = [macrof1.score(GOLD[at], PRED[at], **policies) for at in (slice(0, 6), slice(2, 6))]
    whole = macrof1.score(GOLD[:6] + GOLD[2:6], PRED[:6] + PRED[2:6], **policies)
    counts = [getattr(part, of) for part in parts]
    for place, part in enumerate(counts):
        save_counts(part, tmp_path / f"{place}.counts.json")
    merged = load_counts(sorted(tmp_path.glob("*.counts.json")))
    for result in (score_counts(counts[0] + counts[1]), score_counts(sum(counts)), score_counts(merged)):
        assert result.signature() == re.sub(r"gold:\w+", "gold:-", whole.signature())
        assert result.unusable_share == pytest.approx(whole.unusable_share)


@pytest.mark.parametrize("of", ["counts", "cells"])
def test_parts_made_in_different_ways_do_not_add_up(of, tmp_path):
    made = [
        getattr(macrof1.score(GOLD, PRED, labels=LISTED["labels"], **each), of)
        for each in ({}, {"normalize": "case"}, {"normalize": "case,space"}, {"outside": "drop"}, {"outside": "class"})
    ]
    for place, left in enumerate(made[:4]):
        for right in made[place + 1 : 4]:
            with pytest.raises(InputError, match="different ways"):
                left + right
            save_counts(left, tmp_path / "a.counts.json")
            save_counts(right, tmp_path / "b.counts.json")
            with pytest.raises(InputError, match="different ways"):
                load_counts([tmp_path / "a.counts.json", tmp_path / "b.counts.json"])
    assert made[0] != made[1]


def test_sets_of_labels_know_it_too(tmp_path):
    gold, pred = [{"A", "b"}, {"c"}], [{"a"}, {"C", "b"}]
    result = macrof1.score(gold, pred, normalize="case")
    assert "normalize:case" in result.signature()
    for counts in kept(result.counts, tmp_path):
        assert without_digests(score_counts(counts).signature()) == without_digests(result.signature())


def test_systems_counted_in_different_ways_are_not_compared():
    plain, case, again = (macrof1.score(GOLD, PRED, normalize=each) for each in ("", "case", "case"))
    for of in ("counts", "cells"):
        with pytest.raises(InputError, match=r"'b' was not counted as 'a' was.*normalize case"):
            macrof1.compare({"a": getattr(plain, of), "b": getattr(case, of)})
        found = macrof1.compare({"a": getattr(case, of), "b": getattr(again, of)})
        assert "|normalize:case|" in found.signature("averaged_f1")
