"""Rows that repeat, in every format and frame: by id, or as a whole."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import macrof1
from macrof1.reading import columns

from ..counting.engines import written

N = 6_000
LABELS = [f"c{place % 7}" for place in range(N)]
PREDICTED = [f"c{place % 5}" for place in range(N)]
TEXTS = [f"this is sentence {place} of the corpus, long enough to need an engine" for place in range(N)]


def _frame(n_more=0, *, ids=False):
    columns = {"text": TEXTS, "gold": LABELS, "pred": PREDICTED, "domain": ["news", "web"] * (N // 2)}
    frame = pl.DataFrame(columns)
    if ids:
        frame = frame.with_columns(pl.Series("id", range(N))).with_columns(text=pl.lit("x"))
    return pl.concat([frame, frame.head(n_more)])


def _written(folder, kind, frame):
    path = folder / f"preds.{kind}"
    if kind != "json":
        return written(frame, path)
    path.write_text(json.dumps(list(frame.iter_rows(named=True))))
    return path


def _scored(folder, kind, frame, **options):
    if kind == "frame":
        return macrof1.score_frame(frame, gold="gold", pred="pred", **options)
    return macrof1.score_file(_written(folder, kind, frame), **options)


FILES = ["csv", "tsv", "csv.gz", "jsonl", "json", "parquet", "arrow"]


def _codes(result):
    return [code for code in result.note_codes if code.startswith("repeated")]


def _note(result):
    return next(note for note in result.notes if getattr(note, "code", "").startswith("repeated"))


@pytest.mark.parametrize("kind", FILES)
def test_padding_is_noticed_in_files_of_every_format(tmp_path, kind):
    path = _written(tmp_path, kind, _frame(3))
    result = macrof1.score_file(path)
    assert _note(result).startswith(f"3 rows of {path} repeat another in every column, and all are counted")
    assert "repeated_rows" in result.to_dict()["note_codes"]
    assert _codes(macrof1.score_file(_written(tmp_path, kind, _frame()))) == []


@pytest.mark.parametrize("kind", FILES)
def test_ids_that_repeat_are_noticed_in_files_of_every_format(tmp_path, kind):
    path = _written(tmp_path, kind, _frame(4, ids=True))
    quoted = "'0', '1', '2'" if kind in ("csv", "tsv", "csv.gz") else "0, 1, 2"
    assert _note(macrof1.score_file(path)).startswith(f"4 ids of {path} ({quoted}, … (1 more)) occur more than once")
    assert _codes(macrof1.score_file(_written(tmp_path, kind, _frame(ids=True)))) == []


@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("make", [lambda df: df, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_padding_is_noticed_in_frames_in_memory(make, ids):
    found = macrof1.score_frame(make(_frame(3, ids=ids)), gold="gold", pred="pred")
    assert _codes(found) == (["repeated_ids"] if ids else ["repeated_rows"])
    assert _note(found).startswith("3 ")
    assert _codes(macrof1.score_frame(make(_frame(ids=ids)), gold="gold", pred="pred")) == []


@pytest.mark.parametrize(("kind", "n_second"), [("csv", 3_000), ("csv", 20), ("parquet", 3_000), ("jsonl", 3_000)])
def test_shards_of_ranks_repeat_each_other(tmp_path, kind, n_second):
    frame = _frame()
    shards = [frame[0::2], pl.concat([frame[1::2].head(n_second), frame.head(1)])]
    for rank, shard in enumerate(shards):
        _written(tmp_path, kind, shard).rename(tmp_path / f"rank{rank}.{kind}")
    assert _note(macrof1.score_file(str(tmp_path / f"rank*.{kind}"))).startswith("1 row of ")
    assert [_codes(macrof1.score_file(tmp_path / f"rank{rank}.{kind}")) for rank in range(2)] == [[], []]


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_rows_that_differ_in_something_are_no_repeats(tmp_path, kind):
    again = _frame().head(50).with_columns(pred=pl.lit("c1"))
    frame = pl.concat([_frame(), again.filter(again["pred"] != _frame().head(50)["pred"])])
    assert _codes(_scored(tmp_path, kind, frame)) == []


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_columns_that_most_rows_share_identify_nothing(tmp_path, kind):
    frame = _frame().select("gold", "pred", "domain")
    assert _codes(_scored(tmp_path, kind, frame)) == []


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "frame"])
@pytest.mark.parametrize("n_rows", [60, 400, 6_000])
def test_numbers_of_a_small_range_are_equal_by_chance(tmp_path, kind, n_rows):
    lengths = np.random.default_rng(n_rows).integers(3, 301, n_rows).tolist()
    frame = _frame().head(n_rows).select("gold", "pred").with_columns(length=pl.Series(lengths))
    assert _codes(_scored(tmp_path, kind, frame)) == []
    # Numbers that run, and those of a range in which chance makes no two equal, identify rows.
    for tweets in (range(n_rows), [10**12 + 7 * row * row for row in range(0, 1000 * n_rows, 1000)]):
        ids = frame.with_columns(tweet=pl.Series(tweets))
        assert _codes(_scored(tmp_path, kind, pl.concat([ids, ids.head(2)]))) == ["repeated_rows"]


@pytest.mark.parametrize("kind", ["small.csv", "csv", "parquet", "frame"])
def test_a_row_may_occur_once_in_every_group(tmp_path, kind):
    runs = pl.concat([_frame().with_columns(seed=pl.lit(seed)) for seed in (1, 2)])
    runs = pl.concat([runs.head(40), runs.tail(40)]) if kind == "small.csv" else runs
    padded = pl.concat([runs, runs.head(2)])
    for frame, expected in ((runs, []), (padded, ["repeated_rows"])):
        found = _scored(tmp_path, kind.removeprefix("small."), frame, by="seed")
        assert _codes(found.total) == expected


def test_what_rows_are_grouped_by_is_no_id(tmp_path):
    frame = pl.DataFrame({"id": [0, 1, 2, 3, 0], "gold": list("ababa"), "pred": list("abbba")})
    assert _codes(_scored(tmp_path, "csv", frame)) == ["repeated_ids"]
    assert _codes(_scored(tmp_path, "csv", frame, by="id").total) == []


def test_rows_with_several_labels_repeat_too(tmp_path):
    frame = pl.DataFrame({"text": TEXTS[:30], "gold": [["a"], ["b"]] * 15, "pred": [["a"], ["a", "b"]] * 15})
    padded = pl.concat([frame, frame.head(2)])
    for kind in ("parquet", "jsonl", "frame"):
        assert _codes(_scored(tmp_path, kind, padded)) == ["repeated_rows"]
        assert _codes(_scored(tmp_path, kind, frame)) == []


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_beyond_a_bound_rows_are_not_compared(tmp_path, kind, monkeypatch):
    path = _written(tmp_path, kind, _frame(3))
    monkeypatch.setattr(columns, "MOST_ROWS", N + 2)
    assert _codes(macrof1.score_file(path)) == []


def test_objects_that_cannot_be_compared_are_left_alone():
    frame = pd.DataFrame({"gold": ["a", "b"] * 3, "pred": ["a"] * 6, "x": [object(), 1, "a", None, [1], {}]})
    assert _codes(macrof1.score_frame(frame, gold="gold", pred="pred")) == []
