"""Counts know how rows became counts: a score of a result's counts means what the result means, and says so."""

import pickle
import re

import polars as pl
import pytest

import macrof1
from macrof1 import InputError, load_counts, save_counts, score_counts

from .oracles import without_digests

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
