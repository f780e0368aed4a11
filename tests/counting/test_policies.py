"""Policies for nearly equal labels and for answers outside the class set, applied to cells from any source."""

import functools

import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

import macrof1
from macrof1.counting.doubts import DIFFERENCES, normal_form

from .engines import written

GOLD = ["a", "b", "a", "b", "a", "b"]
PRED = ["a", "b", "b", "Sorry", "A", "The answer is b"]


def test_normalised_labels_are_one_class_named_as_in_gold():
    result = macrof1.score(GOLD, PRED, normalize="case")
    assert result.counts.labels == ("Sorry", "The answer is b", "a", "b")
    by_hand = macrof1.score(GOLD, ["a", "b", "b", "Sorry", "a", "The answer is b"])
    assert result.averaged_f1 == by_hand.averaged_f1
    assert "|normalize:case|" in result.signature()
    assert "normalize" not in by_hand.signature()


LABELS = st.text(alphabet="aAbB .é", min_size=1, max_size=3)


@given(rows=st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=12))
def test_normalising_cells_equals_normalising_rows(rows):
    gold, pred = ([normal_form(row[side], DIFFERENCES) for row in rows] for side in (0, 1))
    by_rows = macrof1.score(gold, pred)
    by_cells = macrof1.score([g for g, _ in rows], [p for _, p in rows], normalize=DIFFERENCES)
    assert by_cells.averaged_f1 == pytest.approx(by_rows.averaged_f1, abs=1e-15)
    assert by_cells.f1_of_averages == pytest.approx(by_rows.f1_of_averages, abs=1e-15)
    assert by_cells.n_classes == by_rows.n_classes


def test_dropping_leaves_the_rows_out_and_says_how_it_flatters():
    result = macrof1.score(GOLD, PRED, labels=["a", "b"], outside="drop")
    kept = [(g, p) for g, p in zip(GOLD, PRED, strict=True) if p in "ab"]
    by_hand = macrof1.score(*zip(*kept, strict=True), labels=["a", "b"])
    assert (result.averaged_f1, result.n_rows) == (by_hand.averaged_f1, 3)
    assert result.note_codes[0] == "answers_dropped"
    assert "flatter" in result.notes[0]
    assert "|outside:drop|unusable:0.5000|" in result.signature()
    assert result.averaged_f1 > macrof1.score(GOLD, PRED, labels=["a", "b"]).averaged_f1


@given(
    gold=st.lists(st.sampled_from("ab"), min_size=1, max_size=9),
    pred=st.lists(st.sampled_from("abxyz"), min_size=9, max_size=9),
)
def test_every_policy_equals_the_same_done_to_rows(gold, pred):
    pred = pred[: len(gold)]
    options = {"labels": ["a", "b"]}
    strange = ["?"] if set(pred) & set("xyz") else []  # a class that no answer is in is not averaged over
    as_class = macrof1.score(gold, ["?" if p in "xyz" else p for p in pred], labels=["a", "b", *strange])
    assert macrof1.score(gold, pred, outside="class", **options).averaged_f1 == as_class.averaged_f1
    kept = [(g, p) for g, p in zip(gold, pred, strict=True) if p in "ab"]
    assume(kept)
    dropped = macrof1.score(*map(list, zip(*kept, strict=True)), **options)
    assert macrof1.score(gold, pred, outside="drop", **options).averaged_f1 == dropped.averaged_f1


def test_groups_are_settled_alike(tmp_path):
    path = tmp_path / "preds.csv"
    path.write_text("fold,gold,pred\n1,Yes,yes\n1,no,no\n2,yes,YES\n2,no,Sorry\n")
    found = macrof1.score_file(path, by="fold", normalize="case", labels=["yes", "no"], outside="class")
    assert found["1"].averaged_f1 == 1.0
    assert found["2"].counts.labels == ("yes", "no", "(outside)")
    assert found.total.n_rows == 4
    assert "normalize:case|outside:class" in found.total.signature()


ROWS = st.lists(st.tuples(st.sets(LABELS, max_size=3), st.sets(LABELS, max_size=3)), min_size=1, max_size=8)


@given(rows=ROWS, weights=st.none() | st.lists(st.integers(1, 5), min_size=8, max_size=8))
def test_normalising_sets_equals_normalising_the_labels_of_each_row(rows, weights):
    assume(any(gold or pred for gold, pred in rows))
    sides = [[row[side] for row in rows] for side in (0, 1)]
    ready = [[{normal_form(label, DIFFERENCES) for label in row} for row in side] for side in sides]
    weights = None if weights is None else weights[: len(rows)]
    found = macrof1.score(*sides, normalize=DIFFERENCES, sample_weight=weights)
    expected = macrof1.score(*ready, sample_weight=weights)
    assert found.averaged_f1 == pytest.approx(expected.averaged_f1, abs=1e-15)
    assert found.f1_of_averages == pytest.approx(expected.f1_of_averages, abs=1e-15)
    assert (found.n_classes, found.n_rows) == (expected.n_classes, expected.n_rows)
    assert "normalize:case,space" in found.signature()


GOLD_SETS, PRED_SETS = [{"x", "y"}, {"y"}, {"x"}, {"y"}], [{"x"}, {"Y"}, {"x", "y", "Y"}, {"y"}]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "frame", "matrix", "sparse", "sets"])
def test_several_labels_are_normalised_and_doubted_wherever_they_come_from(tmp_path, kind):
    frame = pl.DataFrame({"gold": list(map(sorted, GOLD_SETS)), "pred": list(map(sorted, PRED_SETS))})
    if kind in ("csv", "jsonl", "parquet"):
        rows = frame.select(pl.all().list.join(";")) if kind == "csv" else frame
        path = written(rows, tmp_path / f"sets.{kind}")
        call = functools.partial(macrof1.score_file, path, multilabel=";" if kind == "csv" else None)
    elif kind == "frame":
        call = functools.partial(macrof1.score_frame, frame, gold="gold", pred="pred")
    elif kind == "sets":
        call = functools.partial(macrof1.score, GOLD_SETS, PRED_SETS)
    else:
        names = ["x", "y", "Y"]
        sides = [pd.DataFrame([[int(name in row) for name in names] for row in side], columns=names)
                 for side in (GOLD_SETS, PRED_SETS)]  # fmt: skip
        sides[1] = sides[1][["Y", "x", "y"]]  # columns are paired by name
        if kind == "sparse":
            call = functools.partial(macrof1.score, *(sparse.csr_matrix(side[names]) for side in sides), labels=names)
        else:
            call = functools.partial(macrof1.score, *sides)
    result = call()
    assert result.note_codes == ["never_in_gold", "nearly_equal"]
    assert "('Y'; 33.3% of all predicted ones)" in result.notes[0]
    assert 'normalize="case"' in result.notes[1]
    assert result.to_dict()["note_codes"] == result.note_codes
    expected = macrof1.score(GOLD_SETS, [{label.lower() for label in row} for row in PRED_SETS])
    once = call(normalize="case")
    assert once.note_codes == []
    assert once.averaged_f1 == expected.averaged_f1
    assert once.counts.labels == ("x", "y")
    assert once.interval().low == pytest.approx(expected.interval().low)
    assert "|normalize:case|" in once.signature()


def test_groups_of_sets_are_normalised_alike(tmp_path):
    path = tmp_path / "sets.csv"
    path.write_text("fold,gold,pred\n1,x;y,X\n1,y,y\n2,x,x;Y\n2,y,y\n")
    found = macrof1.score_file(path, by="fold", multilabel=";", normalize="case")
    assert found["1"].averaged_f1 == pytest.approx((1 + 2 / 3) / 2)
    assert found["2"].counts.labels == found.total.counts.labels == ("x", "y")


def test_listed_labels_do_not_raise_the_doubt_that_gold_lacks_them():
    assert macrof1.score(GOLD_SETS, PRED_SETS, labels=["x", "y", "Y"]).note_codes == ["nearly_equal"]
    assert macrof1.score(GOLD_SETS, PRED_SETS, classes="gold").note_codes == ["nearly_equal"]
