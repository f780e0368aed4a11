"""Files with several labels per row: text with a separator, and list columns."""

from contextlib import nullcontext

import polars as pl
import pytest

import macrof1
from macrof1.counting.arrays import confusion
from macrof1.counting.multilabel import count_multilabel
from macrof1.errors import ColumnError, CountError, InputError, LabelError, MissingLabelError
from macrof1.running.identifying import count_rows
from tests.oracles import count_file

from .engines import written

GOLD = [["red", "round"], ["red"], [], ["red", "round"], ["big"]]
PRED = [["red"], ["round", "red", "red"], ["red"], ["red"], []]
FOLD = ["1", "1", "2", "2", "2"]
WEIGHT = [1, 2, 3, 4, 5]
SETS = [list(map(set, side)) for side in (GOLD, PRED)]


def write(folder, name, mark=None):
    frame = pl.DataFrame({"gold": GOLD, "pred": PRED, "fold": FOLD, "w": WEIGHT})
    return written(frame if mark is None else frame.with_columns(pl.col("gold", "pred").list.join(mark)), folder / name)


@pytest.mark.parametrize(
    ("name", "mark"),
    [("p.csv", ";"), ("p.csv", " , "), ("p.csv", " "), ("p.csv.gz", "|"), ("p.jsonl", None), ("p.jsonl", ";"),
     ("p.parquet", None), ("p.parquet", ";"), ("p.arrow", None)],
)  # fmt: skip
def test_every_format_gives_the_same_counts(tmp_path, name, mark):
    path = write(tmp_path, name, mark)
    mark = None if mark is None else mark.strip() or " "
    assert count_file(path, multilabel=mark) == count_multilabel(*SETS)
    weighted = macrof1.score_file(path, multilabel=mark, sample_weight="w").counts
    assert weighted == count_multilabel(*SETS, sample_weight=WEIGHT)
    listed = count_file(path, multilabel=mark, labels=["round", "red"])
    assert listed == count_multilabel(*SETS, labels=["round", "red"])
    grouped = count_file(path, by="fold", multilabel=mark)
    assert grouped.total == count_multilabel(*SETS)
    assert dict(grouped.groups)["2",] == count_multilabel(*(side[2:] for side in SETS))
    assert macrof1.score_file(path, multilabel=mark).n_rows == 5
    assert macrof1.score_file(path, by="fold", multilabel=mark)["1"].n_rows == 2


def test_lists_of_numbers_keep_their_types(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"gold": [1, "1"], "pred": [true, 1.0]}\n{"gold": [2], "pred": []}\n')
    found = count_file(path, labels=["2", "1"], labels_are_text=True)
    assert list(map(type, found.labels)) == [str, str, bool, int, int]
    pl.DataFrame({"gold": [[1, 2]], "pred": [[2]]}).write_parquet(tmp_path / "p.parquet")
    found = count_file(tmp_path / "p.parquet", labels=["2", "1"], labels_are_text=True)
    assert (found.labels, list(found.tp)) == ((2, 1), [1, 0])


def test_whole_floats_in_json_are_integers(tmp_path):
    (tmp_path / "p.jsonl").write_text('{"gold": 1.0, "pred": 1}\n{"gold": 2, "pred": 2.0}\n')
    assert count_file(tmp_path / "p.jsonl") == confusion([1, 2], [1, 2])


BAD = {
    "a label is empty": ("p.csv", "gold,pred\na;;b,a\n", {"multilabel": ";"}, LabelError, "empty label in 'a;;b'"),
    "no mark": ("p.csv", "gold,pred\na,a\n", {"multilabel": ""}, InputError, "mark between labels is empty"),
    "dropped": ("p.csv", "gold,pred\na,a\n", {"multilabel": ";", "missing": "drop"}, InputError, "an empty list"),
    "no label at all": ("p.csv", "gold,pred\n,\n", {"multilabel": ";"}, InputError, "no row carries any label"),
    "one side": ("p.jsonl", '{"gold": ["a"], "pred": "a"}\n', {}, ColumnError, "line 1: 'pred' holds one label"),
    "some rows": (
        "p.jsonl", '{"gold": "a", "pred": "a"}\n{"gold": ["a"], "pred": []}\n', {}, ColumnError, "line 2: .*a list",
    ),
    "null": ("p.jsonl", '{"gold": ["a"], "pred": null}\n', {}, ColumnError, "beside lists"),
    "null inside": ("p.jsonl", '{"gold": ["a", null], "pred": []}\n', {}, MissingLabelError, "line 1: .*missing label"),
    "nested": ("p.jsonl", '{"gold": [["a"]], "pred": []}\n', {}, LabelError, "line 1: .*is not a valid label"),
    "number": ("p.jsonl", '{"gold": 1, "pred": "a"}\n', {"multilabel": ";"}, LabelError, "line 1: 'gold' is 1"),
    "first line is data": (
        "p.csv", "a;b,a\nb;a,b\n", {"multilabel": ";", "gold": "1", "pred": "2"}, InputError, "header=False",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "options", "error", "message"), BAD.values(), ids=BAD)
def test_bad_sets_get_one_clear_line(tmp_path, name, text, options, error, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(error, match=message) as caught:
        count_file(tmp_path / name, **options)
    assert "\n" not in str(caught.value)


def test_bad_columns_of_lists(tmp_path):
    path = tmp_path / "p.parquet"
    frame = pl.DataFrame({"gold": [["a"]], "pred": [["a"]], "one": ["a"], "number": [1], "deep": [[["a"]]]})
    frame.with_columns(gone=pl.Series([None], dtype=pl.List(pl.String))).write_parquet(path)
    for options, error, message in (
        ({"pred": "one"}, ColumnError, "'one' of .* beside lists"),
        ({"pred": "number", "multilabel": ";"}, LabelError, "Int64: expected text with ';' between labels, or lists"),
        ({"pred": "gone"}, MissingLabelError, "a row without a list"),
        ({"gold": "deep", "pred": "deep"}, LabelError, "List"),
    ):
        with pytest.raises(error, match=message), pytest.warns() if "deep" in str(options) else nullcontext():
            count_file(path, **options)


@pytest.mark.parametrize("weight", [1.5e308, 2**62])
def test_weights_whose_sum_does_not_fit_are_rejected(tmp_path, weight):
    frame = pl.DataFrame({"gold": [["x"], ["x", "y"]], "pred": [["x"], ["x"]], "w": [weight, weight]})
    frame.write_ndjson(tmp_path / "p.jsonl")
    with pytest.raises(InputError, match=r"sum|beyond 2\*\*53"):
        macrof1.score_file(tmp_path / "p.jsonl", sample_weight="w")
    with pytest.raises(CountError, match="sum"):
        macrof1.score_frame(frame, gold="gold", pred="pred", sample_weight="w")


def saved(path, text):
    path.write_text(text)
    return path


def test_sizes_of_sets_are_kept(tmp_path):
    path = saved(tmp_path / "a.csv", "gold,pred\na;b,a\na;b,a\nc,\n")
    found = count_file(path, multilabel=";")
    rows = count_rows(found.rows)
    sizes = (rows.actual, rows.predicted, rows.tp, rows.weights.tolist())
    assert sorted(zip(*sizes, strict=True)) == [(1, 0, 0, 1), (2, 1, 1, 2)]
    assert (found.labels, found.tp, found.predicted, found.actual) == (("a", "b", "c"), (2, 0, 0), (2, 0, 0), (2, 2, 1))
    parts = saved(tmp_path / "c.csv", "gold,pred,part\na;b,a,x\nb,c,y\n")
    grouped = count_file(parts, by="part", multilabel=";", labels=["a"])
    assert [(group.labels, group.n_listed, group.actual) for _, group in grouped.groups] == [
        (("a", "b"), 1, (1, 1)), (("a", "b", "c"), 1, (0, 1, 0))
    ]  # fmt: skip
    with pytest.raises(LabelError):
        count_file(parts, by="part", multilabel=";", labels=["z"])
    with pytest.raises(InputError, match="several labels per row"):
        count_file(path, multilabel=";", missing="drop")
    assert count_rows(count_file(saved(tmp_path / "b.csv", "gold,pred\na,a\n")).rows) is None
