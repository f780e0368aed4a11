"""Groups of rows, and the two ways to average over them."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.reporting.groups import render_groups

from ..oracles import Exact, close
from ..strategies import LABELS

ROWS = st.lists(st.tuples(LABELS, LABELS, st.sampled_from(["u", "v", "w"])), min_size=1, max_size=40)


@given(ROWS)
def test_both_averages_equal_the_definition(rows):
    frame = pl.DataFrame(rows, schema=["gold", "pred", "fold"], orient="row")
    result = macrof1.score_groups(frame, gold="gold", pred="pred", by="fold")
    exact = {}
    for fold in sorted({row[2] for row in rows}):
        gold, pred = zip(*[row[:2] for row in rows if row[2] == fold], strict=True)
        counts = macrof1.count(gold, pred)
        exact[fold] = Exact(list(counts.tp), list(counts.predicted), list(counts.actual))
        assert result[fold].counts == counts
    for formula in ("averaged_f1", "f1_of_averages"):
        mean = sum(getattr(part, formula) for part in exact.values()) / len(exact)
        assert close(result.mean_of_scores(formula), mean, relative=1e-14)
        gold, pred, _ = zip(*rows, strict=True)
        assert result.score_of_pooled_counts(formula) == getattr(macrof1.score(gold, pred), formula)
    assert result.total.n_rows == len(rows) == sum(group.result.n_rows for group in result.groups)


def test_every_format_names_both_averages():
    frame = pl.DataFrame({"gold": list("aabb"), "pred": list("abbb"), "fold": [1, 1, 2, 2], "x": list("uvuv")})
    result = macrof1.score_groups(frame, gold="gold", pred="pred", by=["fold", "x"], beta=2)
    content = json.loads(render_groups(result, "json"))
    assert content["mean_of_scores"]["averaged_f1"] == result.mean_of_scores()
    assert content["score_of_pooled_counts"]["f1_of_averages"] == result.total.f1_of_averages
    assert content["groups"][0]["key"] == {"fold": 1, "x": "u"}
    for output in ("text", "markdown", "latex"):
        shown = render_groups(result, output, digits=2)
        assert "mean of scores" in shown
        assert "score of pooled counts" in shown
        assert "averaged F2" in shown
    lines = render_groups(result, "csv").splitlines()
    assert lines[0] == "scope,fold,x,averaged_f1,f1_of_averages,gap,n_classes,n_rows"
    assert [line.split(",")[0] for line in lines[1:]] == ["group"] * 4 + ["mean_of_scores", "score_of_pooled_counts"]
    with pytest.raises(macrof1.InputError, match='format="yaml"'):
        render_groups(result, "yaml")


def test_groups_with_fewer_classes_are_pointed_out():
    frame = pl.DataFrame({"gold": list("aab"), "pred": list("aab"), "fold": [1, 1, 2]})
    result = macrof1.score_groups(frame, gold="gold", pred="pred", by="fold")
    assert "2 of 2 groups have fewer classes" in result.notes[-1]
    assert result.mean_of_scores() == 1
    same = macrof1.score_groups(frame, gold="gold", pred="pred", by="fold", labels=["a", "b"])
    assert same.notes == []
    assert same.mean_of_scores() == 0.5


def test_a_group_whose_rows_weigh_nothing_is_named():
    frame = pl.DataFrame({"gold": ["a", "b", "a"], "pred": ["a", "a", "b"], "w": [1, 2, 0], "d": ["x", "x", "y"]})
    with pytest.raises(macrof1.InputError, match="d y: all weights are 0"):
        macrof1.score_groups(frame, gold="gold", pred="pred", sample_weight="w", by="d")


def test_runs_on_the_same_rows_are_not_pooled_as_independent_rows():
    rng = np.random.default_rng(0)
    gold = rng.choice(list("aab"), 200)
    pred = np.where(rng.random(200) < 0.8, gold, "a")
    runs = pl.DataFrame({"seed": np.repeat(range(5), 200), "gold": np.tile(gold, 5), "pred": np.tile(pred, 5)})
    found = macrof1.score_groups(runs, gold="gold", pred="pred", by="seed")
    assert found.repeated
    assert any("same gold counts" in note for note in found.notes)
    with pytest.raises(macrof1.InputError, match="same gold counts"):
        found.total.interval()
    assert found[0].interval().low < found[0].averaged_f1
    folds = macrof1.score_groups(runs.rename({"seed": "fold"}), gold="gold", pred="pred", by="fold")
    assert not folds.repeated
    assert folds.total.interval().low < folds.total.averaged_f1
    # Rows that every run has are clusters: then the runs may be taken together.
    named = runs.with_columns(row=pl.Series(np.tile(np.arange(200), 5)))
    known = macrof1.score_groups(named, gold="gold", pred="pred", by="seed", cluster="row")
    single = macrof1.score(gold, pred, cluster=range(200)).interval(method="delta")
    assert known.total.interval(method="delta").standard_error == pytest.approx(single.standard_error)


def test_folds_have_a_corrected_standard_error():
    rng = np.random.default_rng(1)
    gold = rng.choice(list("abc"), 300)
    pred = np.where(rng.random(300) < 0.7, gold, "a")
    found = macrof1.score_groups(
        pl.DataFrame({"fold": np.arange(300) % 5, "gold": gold, "pred": pred}), gold="gold", pred="pred", by="fold"
    )
    scores = [group.result.averaged_f1 for group in found.groups]
    expected = np.sqrt(np.var(scores, ddof=1) * (1 / 5 + 1 / 4))
    assert found.fold_standard_error("averaged_f1") == pytest.approx(expected)


def test_two_folds_have_a_standard_error_and_one_has_none():
    frame = pl.DataFrame({"fold": [1, 1, 2, 2], "g": ["a", "b", "a", "b"], "p": ["a", "b", "a", "a"]})
    found = macrof1.score_groups(frame, gold="g", pred="p", by="fold")
    scores = [group.result.averaged_f1 for group in found.groups]
    variance = (scores[0] - scores[1]) ** 2 / 2
    assert found.fold_standard_error() == pytest.approx((variance * (1 / 2 + 1)) ** 0.5)
    assert macrof1.score_groups(frame.head(2), gold="g", pred="p", by="fold").fold_standard_error() is None
