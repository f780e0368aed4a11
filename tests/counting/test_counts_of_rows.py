"""A column of counts: a line stands for as many rows, in files, frames and comparisons."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import macrof1
from macrof1.comparing.inputs import compare_inputs
from macrof1.counting.frames import count_frame, count_frame_groups
from macrof1.counting.tables import count_file, count_file_groups
from macrof1.errors import CountError, EmptyError, InputError
from macrof1.request import Request

TABLE = pl.DataFrame(
    {
        "gold": ["x", "x", "y", "y", "z"], "pred": ["x", "y", "y", "x", "z"], "n": [4, 1, 3, 2, 0],
        "w": [1, 3, 2, 1, 5], "part": ["p", "p", "q", "q", "q"],
    }
)  # fmt: skip
ROWS = TABLE.select(pl.all().repeat_by("n").explode()).filter(pl.col("gold").is_not_null()).drop("n")
WRITERS = {"csv": pl.DataFrame.write_csv, "parquet": pl.DataFrame.write_parquet, "jsonl": pl.DataFrame.write_ndjson}


def written(folder, ending, frame, name="p"):
    WRITERS[ending](frame, folder / f"{name}.{ending}")
    return str(folder / f"{name}.{ending}")


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("weight", [None, "w"])
def test_a_file_of_counts_is_the_file_of_its_rows(tmp_path, ending, weight):
    found = count_file(written(tmp_path, ending, TABLE), count="n", weight=weight)
    expected = count_file(written(tmp_path, ending, ROWS), weight=weight)
    assert found == expected
    assert (found.n_rows, "z" in found.labels) == (10, False)
    grouped = count_file_groups(written(tmp_path, ending, TABLE), by="part", count="n", weight=weight)
    assert grouped.groups == count_file_groups(written(tmp_path, ending, ROWS), by="part", weight=weight).groups


@pytest.mark.parametrize("make", [lambda df: df, pl.DataFrame.lazy, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
@pytest.mark.parametrize("weight", [None, "w"])
def test_a_frame_of_counts_is_the_frame_of_its_rows(make, weight):
    columns = {"gold": "gold", "pred": "pred", "weight": weight}
    found = count_frame(make(TABLE), **columns, count="n")
    assert found == count_frame(make(ROWS), **columns)
    grouped = count_frame_groups(make(TABLE), by="part", **columns, count="n")
    assert grouped.groups == count_frame_groups(make(ROWS), by="part", **columns).groups


def test_rows_with_several_labels_may_have_counts():
    frame = pl.DataFrame({"gold": [["a"], ["b"]], "pred": [["a"], ["a", "b"]], "n": [3, 2]})
    found = count_frame(frame, gold="gold", pred="pred", count="n")
    assert (found.n_rows, list(found.tp), list(found.predicted)) == (5, [3, 2], [5, 2])
    with pytest.raises(InputError, match="count= with one column per label"):
        count_frame(frame, gold=["gold"], pred=["pred"], count="n")


SYSTEMS = pl.DataFrame(
    {"id": range(6), "gold": list("xxyyzz"), "a": list("xxyyzx"), "b": list("xyyyxz"), "n": [2, 3, 1, 4, 2, 0]}
)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("split", [False, True])
def test_a_comparison_takes_counts_too(tmp_path, ending, split):
    rows = SYSTEMS.select(pl.all().repeat_by("n").explode()).drop_nulls()
    expected = macrof1.compare(rows["gold"].to_list(), {name: rows[name].to_list() for name in "ab"}, n_resamples=100)
    files = [written(tmp_path, ending, SYSTEMS.drop("a", "b") if split else SYSTEMS)]
    if split:
        files += [written(tmp_path, ending, SYSTEMS.select("id", pred=name), name) for name in "ab"]
    options = {"id": "id"} if split else {"systems": ["a", "b"]}
    found = compare_inputs(Request(files=files, gold="gold", count="n", **options), n_resamples=100)
    frame = macrof1.compare_frame(SYSTEMS, gold="gold", systems=["a", "b"], count="n", n_resamples=100)
    for one in (found, frame):
        assert one.n_rows == 12
        assert one.to_dict()["systems"] == expected.to_dict()["systems"]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("count", ["-1", "1.5", "x", ""])
def test_a_count_that_is_none_is_named_with_its_line(tmp_path, count):
    path = tmp_path / "p.csv"
    path.write_text(f"gold,pred,n\na,a,1\nb,b,{count}\n")
    with pytest.raises(CountError, match=f"line 3: the count is '{count}': expected a whole number, 0 or larger"):
        count_file(path, count="n")
    path.write_text(f"gold,a,b,n\nx,x,y,1\nx,y,x,{count}\n")
    with pytest.raises(CountError, match="line 3: the count is"):
        compare_inputs(Request(files=[str(path)], gold="gold", systems=["a", "b"], count="n"))


def test_counts_of_frames_are_checked():
    for bad in ([1, -1], [1, None], [1, 1.5]):
        frame = pd.DataFrame({"gold": ["a", "b"], "pred": ["a", "b"], "other": ["a", "a"], "n": bad})
        with pytest.raises(CountError, match="column 'n' of the pandas frame: the count is"):
            count_frame(frame, gold="gold", pred="pred", count="n")
        with pytest.raises(CountError, match="column 'n' of the pandas frame: the count is"):
            macrof1.compare_frame(frame, gold="gold", systems=["pred", "other"], count="n")


@pytest.mark.usefixtures("reader")
def test_lines_that_stand_for_no_row_are_no_rows(tmp_path):
    (tmp_path / "p.csv").write_text("gold,pred,n\na,a,0\n")
    with pytest.raises(EmptyError):
        count_file(tmp_path / "p.csv", count="n")
