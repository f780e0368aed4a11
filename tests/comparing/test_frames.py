"""Systems in data frames: the engine groups rows, and the result equals that of `compare` on the same rows."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import macrof1
from macrof1.comparing.inputs import Inputs, compare_inputs
from macrof1.errors import ColumnError, CountError, InputError, LabelError, MissingLabelError


def columns(rows=400, labels=("x", "y", "z"), seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.choice(labels, rows)
    found = {"gold": gold}
    for name, right in (("a", 0.8), ("b", 0.7), ("c", 0.5)):
        found[name] = np.where(rng.random(rows) < right, gold, rng.choice(labels, rows))
    found["weight"] = rng.integers(1, 4, rows)
    found["document"] = np.arange(rows) // 8
    return {name: column.tolist() for name, column in found.items()}


def printed(value):
    """Print numbers without their last bits: rows that are nearly all distinct are summed in the order of the data."""
    if isinstance(value, dict):
        return {name: printed(part) for name, part in value.items()}
    if isinstance(value, list):
        return [printed(part) for part in value]
    return f"{value:.13g}" if isinstance(value, float) else value


def engines(data):
    yield pd.DataFrame(data)
    yield pl.DataFrame(data)
    yield pl.LazyFrame(data)
    yield pl.DataFrame(data).to_arrow()
    frame = pl.DataFrame(data)  # noqa: F841  # the query names it
    yield duckdb.sql("select * from frame")


FACTS = [{}, {"weight": "weight"}, {"cluster": "document"}, {"weight": "weight", "cluster": "document"}]


@pytest.mark.parametrize("facts", FACTS)
def test_every_engine_gives_what_compare_gives(facts):
    data = columns()
    named = {"weight": "sample_weight", "cluster": "cluster"}
    arguments = {named[fact]: data[column] for fact, column in facts.items()}
    systems = {name: data[name] for name in "abc"}
    expected = macrof1.compare(data["gold"], systems, n_resamples=200, test="bootstrap", **arguments)
    for df in engines(data):
        found = macrof1.compare_frame(
            df, gold="gold", systems=["a", "b", "c"], n_resamples=200, test="bootstrap", **facts
        )
        assert printed(found.to_dict()) == printed(expected.to_dict())


def test_order_and_pieces_of_the_rows_make_no_difference():
    data = pl.DataFrame(columns())
    first = macrof1.compare_frame(data, gold="gold", systems=["a", "b"], n_resamples=200)
    shuffled = data.sample(fraction=1, shuffle=True, seed=3)
    assert macrof1.compare_frame(shuffled, gold="gold", systems=["a", "b"], n_resamples=200) == first


@pytest.mark.parametrize("policy", ["drop", "label"])
def test_missing_labels_are_rows_and_not_patterns(policy):
    data = columns(60)
    for row in (3, 4, 5, 17):
        data["b"][row] = None
    systems = {name: data[name] for name in "ab"}
    frame = pl.DataFrame(data)
    with pytest.raises(MissingLabelError, match="4 of 60 rows lack"):
        macrof1.compare_frame(frame, gold="gold", systems=["a", "b"])
    expected = macrof1.compare(data["gold"], systems, missing=policy, n_resamples=100)
    found = macrof1.compare_frame(frame, gold="gold", systems=["a", "b"], missing=policy, n_resamples=100)
    assert found.to_dict() == expected.to_dict()


def test_what_cannot_be_compared_is_refused():
    frame = pl.DataFrame(columns(20))
    with pytest.raises(ColumnError, match="no column 'd'"):
        macrof1.compare_frame(frame, gold="gold", systems=["a", "d"])
    with pytest.raises(ColumnError, match="cannot be a system too"):
        macrof1.compare_frame(frame, gold="gold", systems=["a", "gold"])
    with pytest.raises(ColumnError, match="named twice"):
        macrof1.compare_frame(frame, gold="gold", systems=["a", "a"])
    with pytest.raises(CountError, match="expected numbers"):
        macrof1.compare_frame(frame, gold="gold", systems=["a", "b"], weight="c")
    with pytest.raises(InputError, match="baseline"):
        macrof1.compare_frame(frame, gold="gold", systems=["a", "b"], baseline="z")
    lists = frame.with_columns(pl.concat_list("a", "b").alias("d"))
    with pytest.raises(LabelError, match="among lists"):
        macrof1.compare_frame(lists, gold="gold", systems=["a", "d"])


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("facts", FACTS)
def test_large_files_are_grouped_while_they_are_read(tmp_path, monkeypatch, ending, facts):
    data = columns()
    for row in (3, 4, 5):
        data["b"][row] = None
    path = tmp_path / f"predictions.{ending}"
    frame = pl.DataFrame(data)
    frame.write_parquet(path) if ending == "parquet" else frame.write_csv(path)
    inputs = Inputs(files=[str(path)], gold="gold", systems=["a", "b"], missing="drop", **facts)
    # A small text file is read row by row: both ways must give the same.
    expected = compare_inputs(inputs, n_resamples=100).to_dict()
    monkeypatch.setattr("macrof1.reading.tables._SMALL", 0)
    assert compare_inputs(inputs, n_resamples=100).to_dict() == expected
    named = {"weight": "sample_weight", "cluster": "cluster"}
    arguments = {named[fact]: data[column] for fact, column in facts.items()}
    systems = {name: data[name] for name in "ab"}
    found = macrof1.compare(data["gold"], systems, missing="drop", n_resamples=100, **arguments)
    assert found.to_dict()["systems"] == expected["systems"]


def test_a_short_line_is_found_in_a_grouped_file(tmp_path, monkeypatch):
    monkeypatch.setattr("macrof1.reading.tables._SMALL", 0)
    path = tmp_path / "predictions.csv"
    path.write_text("gold,a,b,note\nx,x,y,1\nx,y,x\ny,y,y,2\n")
    with pytest.raises(InputError, match="line 3"):
        compare_inputs(Inputs(files=[str(path)], gold="gold", systems=["a", "b"]))
