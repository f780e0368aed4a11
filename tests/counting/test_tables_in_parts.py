"""Tables in parts: queries of many files, progress, cells that add up, matrices and their notes, joint rows."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import polars as pl
import pytest

import macrof1
from macrof1.counting import tables
from macrof1.counting.cells import label_set, split_labels
from macrof1.counting.confusion import counted_matrix
from macrof1.counting.joint_tables import joint_rows
from macrof1.counting.tables import _batches, count_file, count_file_groups
from macrof1.errors import ColumnError, CountError, EmptyError, InputError, LabelError, MissingLabelError
from macrof1.reading import scans
from macrof1.reading import tables as reading_tables
from macrof1.reading.matrix_files import parse_matrix_table
from macrof1.sampling.row_scores import RowSizes


def table(kind="parquet", size=10, types=("x",), **partition):
    return SimpleNamespace(
        format=kind, types=dict.fromkeys(types), partition=partition, file=SimpleNamespace(size=size)
    )


def test_many_parquet_files_make_one_query(monkeypatch):
    def sizes(listed):
        return [len(batch) for batch in _batches(listed)]

    assert sizes([table()] * 256) == [256]
    assert sizes([table()] * 257) == [256, 1]
    assert sizes([table("csv")] * 3) == [1, 1, 1]
    assert sizes([table(), table("csv"), table(), table()]) == [1, 1, 2]
    assert sizes([table(), table(types=("y",)), table(types=("y",), part=1)]) == [1, 1, 1]
    monkeypatch.setattr(tables, "_MOST_BYTES", 20)
    assert sizes([table()] * 5) == [2, 2, 1]
    assert sizes([table(size=30)] * 2) == [1, 1]
    assert [one for batch in _batches([table(size=n) for n in range(9)]) for one in [t.file.size for t in batch]] == [
        *range(9)
    ]


def written(path, text):
    path.write_text(text)
    return path


def test_sizes_of_sets_are_kept(tmp_path):
    path = written(tmp_path / "a.csv", "gold,pred\na;b,a\na;b,a\nc,\n")
    found = count_file(path, multilabel=";")
    sizes = RowSizes.of(found.rows)
    assert sorted(zip(*(side.tolist() for side in sizes), strict=True)) == [(1, 0, 0, 1), (2, 1, 1, 2)]
    assert (found.labels, found.tp, found.predicted, found.actual) == (("a", "b", "c"), (2, 0, 0), (2, 0, 0), (2, 2, 1))
    parts = written(tmp_path / "c.csv", "gold,pred,part\na;b,a,x\nb,c,y\n")
    grouped = count_file_groups(parts, by="part", multilabel=";", labels=["a"])
    assert [(group.labels, group.n_listed, group.actual) for _, group in grouped.groups] == [
        (("a", "b"), 1, (1, 1)), (("a", "b", "c"), 1, (0, 1, 0))
    ]  # fmt: skip
    with pytest.raises(LabelError):
        count_file_groups(parts, by="part", multilabel=";", labels=["z"])
    with pytest.raises(LabelError, match="several labels per row, which make no confusion matrix"):
        tables.count_file_cells(path, multilabel=";")
    with pytest.raises(InputError, match="several labels per row"):
        count_file(path, multilabel=";", missing="drop")
    assert RowSizes.of(count_file(written(tmp_path / "b.csv", "gold,pred\na,a\n")).rows) is None


def test_lists_of_labels_are_read():
    assert {label for _, label in label_set(["a", "a", 1.0], "column x")} == {"a", 1}
    for value in (None, float("nan"), pd.NA):
        with pytest.raises(MissingLabelError, match="column x has a row without a list"):
            label_set(value, "column x")
    for value in ("a", b"a", 5):
        with pytest.raises(LabelError, match="among lists"):
            label_set(value, "column x")
    assert {label for _, label in split_labels(" a ; b;a", ";", "w")} == {"a", "b"}
    for text in ("a;;b", ";a", "a;"):
        with pytest.raises(LabelError, match="empty label"):
            split_labels(text, ";", "w")


def parse_matrix(text, rows=None, labels=None):
    return counted_matrix(parse_matrix_table(text, "the text"), rows, labels, "the text").confusion()


@pytest.mark.parametrize(
    ("text", "rows", "codes", "labels"),
    [
        ("1,2\n3,4\n", "gold", [], (0, 1)),
        (",a,b\na,1,2\nb,3,4\n", "gold", [], ("a", "b")),
        (",b,a\na,1,2\nb,3,4\n", "gold", ["matrix_order"], None),
        (",a,b,total\na,1,2,3\nb,3,4,7\ntotal,4,6,10\n", "gold", ["totals"], ("a", "b")),
        (",a,total\na,1,5\ntotal,2,3\n", "gold", ["totals"], ("a", "total")),
        ("1,2,3\n3,4,7\n4,6,10\n", "gold", ["totals"], (0, 1, 2)),
        ("1,2,3\n3,4,7\n4,6,11\n", "gold", [], (0, 1, 2)),
        ("1,1\n1,1\n", "gold", [], (0, 1)),
    ],
)
def test_notes_of_a_matrix(text, rows, codes, labels):
    found = parse_matrix(text, rows=rows)
    assert [note.code for note in found.notes] == codes
    if labels is not None:
        assert found.labels == labels


def test_a_matrix_says_what_its_rows_are_or_is_told():
    with pytest.raises(InputError, match="the text does not say what its rows are"):
        parse_matrix("1,2\n3,4\n")
    by_gold = parse_matrix("1,2\n3,4\n", rows="gold")
    assert by_gold.to_matrix(rows="gold").tolist() == [[1, 2], [3, 4]]
    with pytest.raises(LabelError, match="names its classes"):
        parse_matrix(",a,b\na,1,2\nb,3,4\n", rows="gold", labels=["x", "y"])
    assert parse_matrix(",a,b\na,1,2\nb,3,4\n", rows="gold", labels=["a", "b"]).labels == ("a", "b")
    assert parse_matrix("1,2\n3,4\n", rows="gold", labels=["x", "y"]).labels == ("x", "y")


FRAME = {"gold": ["x", "x", "y"], "a": ["x", "x", "y"], "b": ["y", "y", "y"], "w": [1, 1, 2], "c": [7, 7, None]}


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pl.LazyFrame])
def test_joint_rows_are_distinct_rows(make):
    found = joint_rows(make(FRAME), gold="gold", systems=["a", "b"], weight="w", cluster="c")
    rows = sorted(
        zip(
            found.gold,
            found.systems["a"],
            found.systems["b"],
            found.amounts,
            found.weights,
            found.clusters,
            strict=True,
        )
    )
    assert rows == [("x", "x", "y", 2, 1, 7), ("y", "y", "y", 1, 2, None)]
    plain = joint_rows(make(FRAME), gold="gold", systems="a")
    assert (plain.weights, plain.clusters, sorted(plain.amounts)) == (None, None, [1, 2])
    assert list(plain.systems) == ["a"]
    only = joint_rows(make(FRAME), gold="gold", systems=["a"], cluster="c")
    assert only.weights is None
    assert set(only.clusters) == {7, None}


def test_joint_rows_of_sets_are_the_rows():
    frame = pl.DataFrame({"gold": [["a"], ["a", "b"]], "s": [["a"], []], "w": [0.5, 1.0], "c": ["p", "q"]})
    found = joint_rows(frame, gold="gold", systems=["s"], weight="w", cluster="c")
    assert (found.gold, found.systems) == ([{"a"}, {"a", "b"}], {"s": [{"a"}, set()]})
    assert (found.amounts, found.weights, found.clusters) == ([1, 1], [0.5, 1.0], ["p", "q"])
    plain = joint_rows(frame, gold="gold", systems=["s"])
    assert (plain.weights, plain.clusters) == (None, None)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"systems": ["a", "a"]}, ColumnError, "system 'a' is named twice"),
        ({"systems": ["gold"]}, ColumnError, "cannot be a system too"),
        ({"systems": ["z"]}, ColumnError, "z"),
        ({"systems": ["a"], "weight": "gold"}, CountError, "holds values of type String"),
    ],
)
def test_joint_rows_need_their_columns(options, error, message):
    with pytest.raises(error, match=message):
        joint_rows(pl.DataFrame(FRAME), gold="gold", **options)
    with pytest.raises(EmptyError):
        joint_rows(pl.DataFrame(FRAME).clear(), gold="gold", systems=["a"])


@pytest.mark.parametrize("most", [0, 3, 1 << 20])
def test_blocks_of_a_file_add_up_whenever_they_are_merged(tmp_path, monkeypatch, most):
    rows = [("abc"[n % 3], "abc"[n % 2], n % 4 / (4 if n % 5 else 1), "xy"[n % 2]) for n in range(60)]
    text = "gold,pred,w,part\n" + "".join(f"{g},{p},{w},{k}\n" for g, p, w, k in rows)
    path = written(tmp_path / "a.csv", text)

    def counted():
        return [count_file(path), macrof1.score_file(path, sample_weight="w").cells]

    whole = [*counted(), count_file_groups(path, by="part").total]
    seen = []
    monkeypatch.setattr(reading_tables, "_SMALL", 0)
    monkeypatch.setattr(scans, "_MOST_BYTES", 100)
    monkeypatch.setattr(scans, "_MOST_DISTINCT", most)
    found = [*counted(), count_file_groups(path, by="part", progress=seen.append).total]
    assert [one.records() for one in found] == [one.records() for one in whole]
    assert [one.n_rows for one in found] == [60] * 3
    assert len(seen) > 5
    assert seen == sorted(seen)
    assert (seen[0] < 0.5, seen[-1]) == (True, 1)
    grouped = count_file_groups(path, by="part")
    assert [(key, part.n_rows) for key, part in grouped.groups] == [(("x",), 30), (("y",), 30)]
