"""Groups of labels in memory: what a data frame of the same columns gives."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import macrof1
from macrof1.errors import InputError


def made(rows=120, seed=3):
    rng = np.random.default_rng(seed)
    gold = rng.choice(list("abc"), rows)
    pred = np.where(rng.random(rows) < 0.6, gold, rng.choice(list("abcd"), rows))
    return gold, pred, rng.integers(0, 4, rows), rng.choice(["news", "web"], rows), rng.integers(1, 5, rows)


CONTAINERS = {"lists": list, "arrays": np.array, "pandas": pd.Series, "Polars": pl.Series, "once": iter}
OPTIONS = [
    {}, {"labels": ["a", "b", "z"], "classes": "listed"}, {"exclude": ["d"]}, {"beta": 2, "undefined": 1},
    {"labels": ["a", "b", "c"], "outside": "class"}, {"convention": "weka"},
]  # fmt: skip


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_arrays_give_what_a_frame_gives(container, options):
    gold, pred, fold, domain, _ = made()
    frame = pl.DataFrame({"gold": gold, "pred": pred, "fold": fold, "domain": domain})
    make = CONTAINERS[container]
    for by in (["fold"], ["domain", "fold"]):
        expected = macrof1.score_groups(frame, gold="gold", pred="pred", by=by, **options)
        columns = {name: make(frame[name].to_numpy()) for name in by}
        found = macrof1.score_groups(gold=make(gold), pred=make(pred), by=columns, **options)
        assert found.to_dict() == expected.to_dict()
        assert [one.result.interval() for one in found.groups] == [one.result.interval() for one in expected.groups]


@pytest.mark.parametrize("facts", [("w",), ("document",), ("w", "document")], ids=str)
def test_weights_and_clusters_of_groups(facts):
    gold, pred, fold, _, weight = made()
    frame = pl.DataFrame({"gold": gold, "pred": pred, "fold": fold, "w": weight, "document": np.arange(120) // 3})
    names = {{"w": "sample_weight", "document": "cluster"}[fact]: fact for fact in facts}
    expected = macrof1.score_groups(frame, gold="gold", pred="pred", by="fold", **names)
    arrays = {name: frame[column].to_list() for name, column in names.items()}
    found = macrof1.score_groups(gold=gold, pred=pred, by={"fold": fold}, **arrays)
    for one, other in ((found.total, expected.total), *((found[key], expected[key]) for key in range(4))):
        assert one.averaged_f1 == other.averaged_f1
        ours, theirs = one.interval(), other.interval()
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)


def test_sets_and_indicators_have_groups_too():
    gold = [{"a"}, {"a", "b"}, set(), {"b"}]
    pred = [{"a"}, {"b"}, {"a"}, {"b"}]
    found = macrof1.score_groups(gold=gold, pred=pred, by=[1, 1, 2, 2])
    assert found.by == ("group",)
    assert found[2].averaged_f1 == macrof1.score(gold[2:], pred[2:]).averaged_f1
    wide = [np.array([["a" in row, "b" in row] for row in side], dtype=int) for side in (gold, pred)]
    for make in (np.array, sparse.csr_array):
        numbered = macrof1.score_groups(gold=make(wide[0]), pred=make(wide[1]), by=[1, 1, 2, 2])
        assert numbered.total.averaged_f1 == found.total.averaged_f1


def test_missing_groups_are_one_group_and_runs_are_recognised():
    found = macrof1.score_groups(gold=list("abab"), pred=list("abaa"), by=[np.nan, None, "x", "x"])
    assert [group.key for group in found.groups] == [("x",), (None,)]
    runs = macrof1.score_groups(gold=list("abab"), pred=list("abaa"), by={"seed": [1, 1, 2, 2]})
    assert "rows_repeated" in runs.to_dict()["note_codes"]
    with pytest.raises(InputError, match="same gold counts"):
        runs.total.interval()
