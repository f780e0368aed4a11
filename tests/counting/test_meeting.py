"""Two columns without a common label are rejected with the likely cause, unless rows are few or a class set is
given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import macrof1
from macrof1.cli import main
from macrof1.errors import LabelError

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


def lists(gold, pred):
    return macrof1.score(gold, pred)


def arrays(gold, pred):
    return macrof1.score(np.array(gold), np.array(pred))


def series(gold, pred):
    return macrof1.score(pd.Series(gold), pl.Series(pred).to_pandas())


def frame_of(make):
    return lambda gold, pred: macrof1.score_frame(make({"g": gold, "p": pred}), gold="g", pred="p")


def accumulated(gold, pred):
    accumulator = macrof1.Accumulator()
    for one in zip(gold, pred, strict=True):
        accumulator.update(*([label] for label in one))
    return accumulator.score()


def sets(gold, pred):
    return macrof1.score([{label} for label in gold], [{label} for label in pred])


WAYS = {
    "lists": lists,
    "arrays": arrays,
    "series": series,
    "pandas": frame_of(pd.DataFrame),
    "polars": frame_of(pl.DataFrame),
    "arrow": frame_of(pa.table),
    "accumulator": accumulated,
    "sets": sets,
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


def test_types_that_mix_are_told_apart():
    with pytest.raises(LabelError, match="type only"):
        macrof1.score([1, "a", "b"], ["1", 7, "c"])


def test_several_labels_on_both_sides_of_many_rows_are_refused():
    gold, pred = ["a", "b"], ["c", "d"]
    assert macrof1.score(gold * 9, pred * 9).averaged_f1 == 0
    with pytest.raises(LabelError, match="right columns"):
        macrof1.score(gold * 10, pred * 10)
    with pytest.raises(LabelError, match="right columns"):
        macrof1.score([0, 1] * 10, [2, 3] * 10)
    with pytest.raises(LabelError, match="turn scores into labels"):
        macrof1.score(["0", "1"] * 10, ["0.25", "0.75"] * 10)


def test_what_may_be_meant_is_scored():
    # Always wrong, with the same classes on both sides; a constant answer; a declared class set; one class of two.
    assert macrof1.score(["a", "b"] * 50, ["b", "a"] * 50).averaged_f1 == 0
    assert macrof1.score(["a", "b"] * 50, ["c"] * 100).averaged_f1 == 0
    assert macrof1.score(["a"] * 100, ["b", "c"] * 50).averaged_f1 == 0
    assert macrof1.score(["a", "b"] * 50, ["A", "B"] * 50, labels=["a", "b"]).averaged_f1 == 0
    assert macrof1.score(["a", "b"] * 50, ["A", "a"] * 50).averaged_f1 == 0
    assert macrof1.score(["a"], ["b"]).averaged_f1 == 0
    assert macrof1.score(["0", "1"], ["0.25", "0.75"]).averaged_f1 == 0  # a doubt is said
    assert macrof1.score(["0", "1"] * 50, ["a"] * 100).averaged_f1 == 0


def test_counts_of_a_part_are_not_judged():
    part = macrof1.count(["a"], ["A"])
    assert macrof1.score_counts(part + macrof1.count(["a"], ["a"])).n_classes == 2


def test_groups_are_judged_together():
    df = pl.DataFrame({"d": [1, 1, 2], "g": ["a", "b", "a"], "p": ["A", "B", "a"]})
    assert macrof1.score_groups(df, gold="g", pred="p", by="d")[1].averaged_f1 == 0
    with pytest.raises(LabelError, match="none in common"):
        macrof1.score_groups(df.head(2), gold="g", pred="p", by="d")


def test_normalize_takes_them_for_the_same():
    assert macrof1.score(["a", "b"], ["A", "B"], normalize="case").averaged_f1 == 1


@pytest.mark.parametrize("command", [["score"], ["conventions"], ["identify", "0.5"]])
def test_every_command_that_scores_a_file_looks(tmp_path, command, capsys):
    path = tmp_path / "p.csv"
    path.write_text("gold,pred\n0,0.0\n1,1.0\n0,1.0\n", encoding="utf-8")
    assert main([command[0], str(path), *command[1:]]) == 2
    assert "have none in common" in capsys.readouterr().err
    with pytest.raises(LabelError, match="none in common"):
        macrof1.identify(path, "0.5")
