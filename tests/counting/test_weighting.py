"""Weighted and unweighted counts know which they are, and cannot be mixed."""

import itertools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import macrof1
from macrof1.errors import CountError

GOLD, PRED = ["a", "b", "b"], ["a", "a", "b"]
SETS = [{"a"}, {"b"}, {"b"}], [{"a"}, {"a", "b"}, {"b"}]
INDICATORS = np.eye(3, 2, dtype=int), np.ones((3, 2), dtype=int)
MANY = np.arange(3000), np.arange(3000)[::-1].copy()
ROWS = {"labels": (GOLD, PRED), "sets": SETS, "indicators": INDICATORS, "many": MANY}
# Whole weights that sum to the number of rows, ones, and reals: no sum tells the first two from no weights at all.
WEIGHTS = {"balanced": (2, 0, 1), "ones": (1, 1, 1), "real": (0.5, 0.5, 2.5)}


def weights(kind, gold):
    return [weight for weight, _ in zip(itertools.cycle(WEIGHTS[kind]), gold, strict=False)]


@pytest.fixture(params=ROWS)
def rows(request):
    return ROWS[request.param]


@pytest.fixture(params=WEIGHTS)
def kind(request):
    return request.param


def test_counts_say_whether_rows_had_weights(rows, kind):
    weighted = macrof1.count(*rows, sample_weight=weights(kind, rows[0]))
    assert weighted.weighted
    assert not macrof1.count(*rows).weighted
    assert weighted.real == (kind == "real")
    assert pickle.loads(pickle.dumps(weighted)).weighted  # noqa: S301


def test_weighted_and_plain_counts_do_not_add(rows, kind):
    plain, weighted = macrof1.count(*rows), macrof1.count(*rows, sample_weight=weights(kind, rows[0]))
    for left, right in ((plain, weighted), (weighted, plain)):
        with pytest.raises(CountError, match="rows with weights"):
            left + right
        with pytest.raises(CountError, match="rows with weights"):
            sum([left, right])
    assert (weighted + weighted).weighted
    assert not (plain + plain).weighted


def test_whole_and_real_weights_add():
    whole = macrof1.count(GOLD, PRED, sample_weight=[1, 2, 3])
    real = macrof1.count(GOLD, PRED, sample_weight=[0.5, 0.5, 0.5])
    assert (whole + real).actual == (1.5, 6.0)
    assert (whole + real).real


def test_accumulators_refuse_to_mix(rows, kind):
    weight = weights(kind, rows[0])
    plain = macrof1.Accumulator().update(*rows)
    weighted = macrof1.Accumulator().update(*rows, sample_weight=weight)
    with pytest.raises(CountError, match="sample_weight"):
        plain.update(*rows, sample_weight=weight)
    with pytest.raises(CountError, match="sample_weight"):
        weighted.update(*rows)
    for left, right in ((plain, weighted), (weighted, plain)):
        with pytest.raises(CountError, match="weight"):
            left.merge(right)
        assert left.n_rows == len(rows[0])
    assert "weights:yes" in weighted.score().signature()
    assert "weights:no" in plain.score().signature()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("labels", [(GOLD, PRED), ([["a"], ["b"], ["b"]], [["a"], ["a"], ["b"]])])
def test_groups_of_weighted_rows_say_so_one_by_one(frame, labels, kind):
    data = {"gold": labels[0], "pred": labels[1], "w": WEIGHTS[kind], "g": ["x", "x", "y"]}
    result = macrof1.score_groups(frame(data), gold="gold", pred="pred", by="g", sample_weight="w")
    plain = macrof1.score_groups(frame(data), gold="gold", pred="pred", by="g")
    for found, word in ((result, "weights:yes"), (plain, "weights:no")):
        assert word in found.total.signature()
        assert all(word in group.result.signature() for group in found.groups)


def test_groups_and_clusters_of_files_say_so(tmp_path, kind):
    path = tmp_path / "preds.csv"
    lines = [f"{g},{p},{w},{d}" for g, p, w, d in zip(GOLD, PRED, WEIGHTS[kind], "xxy", strict=True)]
    path.write_text("\n".join(["gold,pred,w,doc", *lines]) + "\n")
    for options in ({"by": "doc"}, {"cluster": "doc"}, {"normalize": "case"}, {}):
        result = macrof1.score_file(path, sample_weight="w", **options)
        assert "weights:yes" in getattr(result, "total", result).signature()
        for group in getattr(result, "groups", ()):
            assert "weights:yes" in group.result.signature()
        result = macrof1.score_file(path, **options)
        assert "weights:no" in getattr(result, "total", result).signature()


def test_rows_left_out_are_not_counted_by_their_weight():
    result = macrof1.score(["a", "b", "b"], ["a", "x", "b"], labels=["a", "b"], sample_weight=[5, 7, 1], outside="drop")
    assert result.n_rows is None
    assert result.weighted
