"""Whatever has an index is paired by it or refused, in every call that takes two of a kind."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import macrof1
from macrof1.errors import InputError

GOLD, PRED, WEIGHT, CLUSTER = ["a", "b", "b", "a"], ["a", "b", "a", "a"], [1, 2, 3, 4], ["x", "x", "y", "y"]
ROWS = ["p", "q", "r", "s"]
OTHER = [1, 0, 3, 2]  # another order of the same rows


def series(values, index, **options):
    return pd.Series(list(values), index=index, **options)


KINDS = {
    "labels": lambda values, index: series(values, index),
    "categoricals": lambda values, index: series(values, index, dtype="category"),
    "sets": lambda values, index: series([{value} for value in values], index),
    "indicators": lambda values, index: pd.DataFrame({x: [int(v == x) for v in values] for x in "ab"}, index=index),
    "coordinates": lambda values, index: xr.DataArray(list(values), coords={"row": list(index)}, dims="row"),
    "mixed index": lambda values, index: series(values, [0 if row == "p" else row for row in index]),
}
CALLS = {
    "score": macrof1.score,
    "count": macrof1.count,
    "averaged_f1": macrof1.averaged_f1,
    "f1_of_averages": macrof1.f1_of_averages,
    "update": lambda gold, pred, **beside: macrof1.Accumulator().update(gold, pred, **beside),
    "identify": lambda gold, pred, **beside: macrof1.identify(gold, pred, "0.5", **beside),
    "compare": lambda gold, pred, **beside: macrof1.compare(gold, {"a": pred, "b": pred}, n_resamples=100, **beside),
    "plan": lambda gold, pred, **beside: macrof1.plan(gold, {"a": pred}, difference=0.1, **beside),
}
BESIDE = {
    "sample_weight": (WEIGHT, set(CALLS)),
    "cluster": (CLUSTER, {"score", "averaged_f1", "f1_of_averages", "compare", "plan"}),
    "by": (CLUSTER, {"identify"}),
    "over": (CLUSTER, {"score", "count", "compare"}),
}


def in_another_order(values):
    return [values[at] for at in OTHER], [ROWS[at] for at in OTHER]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", CALLS)
def test_rows_in_another_order_are_refused(call, kind):
    gold = KINDS[kind](GOLD, ROWS)
    with pytest.raises(InputError, match="different order"):
        CALLS[call](gold, KINDS[kind](*in_another_order(PRED)))
    if call not in ("compare", "plan") or kind != "sets":
        CALLS[call](gold, KINDS[kind](PRED, ROWS))  # in one order, they are taken


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "mixed index"])
@pytest.mark.parametrize(
    ("call", "beside"), [(call, name) for name, (_, calls) in BESIDE.items() for call in sorted(calls)]
)
def test_what_stands_beside_rows_in_another_order_is_refused(call, beside, kind):
    gold, pred = KINDS[kind](GOLD, ROWS), KINDS[kind](PRED, ROWS)
    with pytest.raises(InputError, match="different order"):
        CALLS[call](gold, pred, **{beside: series(*in_another_order(BESIDE[beside][0]))})


@pytest.mark.parametrize("call", ["score", "compare", "plan"])
def test_weights_and_clusters_in_two_orders_are_refused_beside_lists(call):
    weight, cluster = series(WEIGHT, ROWS), series(*in_another_order(CLUSTER))
    with pytest.raises(InputError, match="different order"):
        CALLS[call](GOLD, PRED, sample_weight=weight, cluster=cluster)


def test_axes_in_another_order_are_refused():
    gold, pred = (xr.DataArray(np.eye(2, dtype=int), dims=dims) for dims in (("row", "label"), ("label", "row")))
    with pytest.raises(InputError, match=r"pred \('label', 'row'\): expected one order"):
        macrof1.score(gold, pred)


def test_coordinates_of_the_rows_of_indicators_are_an_index():
    def array(values, ids):
        return xr.DataArray([[int(v == x) for x in "ab"] for v in values], {"id": ("row", ids)}, ("row", "label"))

    gold = array(GOLD, ROWS)
    assert macrof1.score(gold, array(PRED, ROWS)).n_classes == 2
    with pytest.raises(InputError, match="different order"):
        macrof1.score(gold, array([PRED[at] for at in OTHER], [ROWS[at] for at in OTHER]))


def test_coordinates_beside_the_axis_are_an_index_too():
    def array(values, rows):
        return xr.DataArray(list(values), coords={"id": ("row", list(rows)), "n": ("row", [1, 2, 2, 3])}, dims="row")

    gold = array(GOLD, ROWS)
    assert macrof1.score(gold, array(PRED, ROWS)).counts == macrof1.count(GOLD, PRED)
    for call in (CALLS["score"], CALLS["compare"]):
        with pytest.raises(InputError, match="different order"):
            call(gold, array(*in_another_order(PRED)))


def test_columns_of_xarray_are_matched_by_name():
    gold, pred = (
        xr.DataArray([[1, 0], [0, 1]], coords={"row": [7, 8], "label": names}, dims=("row", "label"))
        for names in (["x", "y"], ["y", "x"])
    )
    assert macrof1.score(gold, pred).averaged_f1 == 0
    assert macrof1.score_matrix(gold.assign_coords(row=["y", "x"]), rows="gold").averaged_f1 == 0


def test_units_of_series_of_sets_are_compared():
    gold, pred = (KINDS["sets"](side, ROWS) for side in (GOLD, PRED))
    found = macrof1.compare(gold, {"a": pred, "b": gold}, over=series(CLUSTER, ROWS))
    assert found.systems == macrof1.compare(list(gold), {"a": list(pred), "b": list(gold)}, over=CLUSTER).systems


def test_sentences_in_another_order_are_refused():
    gold, pred = ([[f"B-{label}", "O"] for label in side] for side in (GOLD, PRED))
    assert macrof1.count_spans(series(gold, ROWS), series(pred, ROWS)) == macrof1.count_spans(gold, pred)
    with pytest.raises(InputError, match="different order"):
        macrof1.count_spans(series(gold, ROWS), series(*in_another_order(pred)))


def test_systems_in_two_orders_are_refused_beside_a_list():
    with pytest.raises(
        InputError, match=r"systems\['a'\] and systems\['gold'\] have the same index in a different order"
    ):
        macrof1.compare(GOLD, {"a": series(PRED, ROWS), "gold": series(*in_another_order(PRED))})


def test_rows_of_other_data_are_paired_by_position():
    found = macrof1.score(series(GOLD, [7, 3, 5, 1]), series(PRED, range(4)))
    assert found.counts == macrof1.count(GOLD, PRED)
    with pytest.raises(InputError, match="different indexes that share some names"):
        macrof1.score(series(GOLD, [7, 3, 5, 1]), series(PRED, [3, 5, 1, 0]))


def test_series_of_dask_in_another_order_are_refused():
    frames = pytest.importorskip("dask.dataframe")
    sides = series(GOLD, ROWS), series(*in_another_order(PRED))
    with pytest.raises(InputError, match="different order"):
        macrof1.score(*(frames.from_pandas(side, npartitions=1, sort=False) for side in sides))


def test_what_stands_beside_a_list_is_paired_by_the_index_of_the_other_side():
    sets = [{value} for value in GOLD]
    weights = series(WEIGHT, ROWS)
    values, rows = in_another_order(WEIGHT)
    for gold, pred in ((series(sets, ROWS), sets), (sets, series(sets, ROWS))):
        assert macrof1.score(gold, pred, sample_weight=weights).averaged_f1 == 1
        with pytest.raises(InputError, match="index"):
            macrof1.score(gold, pred, sample_weight=series(values, rows))
