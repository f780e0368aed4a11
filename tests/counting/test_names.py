"""Names of rows and columns: which tables have them, and how two sides are brought together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from macrof1.counting.named_tables import aligned_indicators, check_same_index, matrix_and_labels, named_table
from macrof1.errors import LabelError


def test_which_tables_have_names():
    assert named_table([[1, 2]]) is None
    assert named_table(np.zeros((2, 2))) is None
    assert named_table(pd.Series([1])) is None
    plain = named_table(pd.DataFrame([[1, 2], [3, 4]]))
    assert (plain.rows, plain.columns, plain.values.tolist()) == (None, None, [[1, 2], [3, 4]])
    shifted = named_table(pd.DataFrame([[1, 2]], index=[1], columns=[0, 2]))
    assert (shifted.rows, shifted.columns) == ([1], [0, 2])
    sliced = named_table(pd.DataFrame([[1], [2], [3]]).iloc[1:])
    assert sliced.rows == [1, 2]
    with pytest.raises(LabelError, match="the columns of the frame have names of several levels"):
        named_table(pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])))
    with pytest.raises(LabelError, match="the rows of the frame"):
        named_table(pd.DataFrame([[1]], index=pd.MultiIndex.from_tuples([("a", "b")])))
    for make in (pl.DataFrame, pa.table):
        named = named_table(make({"row": ["a", "b"], "a": [1, 2], "b": [3, 4]}))
        assert (named.rows, named.columns, named.values) == (["a", "b"], ["a", "b"], [[1, 3], [2, 4]])
        without = named_table(make({"a": [1, 2], "b": [3, 4]}))
        assert (without.rows, without.columns, without.values) == (None, ["a", "b"], [[1, 3], [2, 4]])
        default = named_table(make({"column_0": [1, 2], "column_1": [3, 4]}))
        assert (default.rows, default.columns) == (None, None)
        alone = named_table(make({"a": ["x", "y"]}))
        assert (alone.rows, alone.columns, alone.values) == (None, ["a"], [["x"], ["y"]])


def test_a_matrix_takes_the_names_of_its_frame_in_the_order_that_is_asked_for():
    frame = pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"], columns=["a", "b"])
    cells, labels = matrix_and_labels(frame, None)
    assert (np.array(cells).tolist(), list(labels)) == ([[1, 2], [3, 4]], ["a", "b"])
    cells, labels = matrix_and_labels(frame, ["b", "a"])
    assert (np.array(cells).tolist(), list(labels)) == ([[4, 3], [2, 1]], ["b", "a"])
    with pytest.raises(LabelError, match="the frame names its classes 'a', 'b'"):
        matrix_and_labels(frame, ["a", "c"])
    with pytest.raises(LabelError, match="the frame names its classes"):
        matrix_and_labels(frame, ["a"])
    assert matrix_and_labels([[1]], ["x"]) == ([[1]], ("x",))
    cells, labels = matrix_and_labels(pd.DataFrame([[1, 2], [3, 4]]), ["x", "y"])
    assert list(labels) == ["x", "y"]


LEFT = pd.DataFrame([[1, 0], [0, 1]], columns=["a", "b"])


@pytest.mark.parametrize(
    ("other", "labels", "gold", "pred", "names"),
    [
        (LEFT, None, [[1, 0], [0, 1]], [[1, 0], [0, 1]], ("a", "b")),
        (LEFT[["b", "a"]], None, [[1, 0], [0, 1]], [[1, 0], [0, 1]], ("a", "b")),
        (LEFT[["b", "a"]], ["b", "a"], [[0, 1], [1, 0]], [[0, 1], [1, 0]], ("b", "a")),
        (LEFT[["a"]], None, [[1, 0], [0, 1]], [[1, 0], [0, 0]], ("a", "b")),
        (LEFT.rename(columns={"b": "c"}), None, [[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 0, 1]], ("a", "b", "c")),
        (LEFT, ["x", "y"], [[1, 0], [0, 1]], [[1, 0], [0, 1]], ("x", "y")),
        (LEFT, ["a", "b", "z"], [[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 1, 0]], ("a", "b", "z")),
        (np.array([[1, 1], [0, 0]]), None, [[1, 0], [0, 1]], [[1, 1], [0, 0]], ("a", "b")),
    ],
)
def test_two_sides_are_brought_into_one_order_of_columns(other, labels, gold, pred, names):
    (left, right), found = aligned_indicators([LEFT, other], labels)
    assert (np.asarray(left).tolist(), np.asarray(right).tolist(), found) == (gold, pred, names)


def test_columns_that_do_not_go_together_are_refused():
    with pytest.raises(LabelError, match="columns are 'a', 'b' beside other labels="):
        aligned_indicators([LEFT, LEFT[["b", "a"]]], ["x", "y"])
    texts = pl.DataFrame({"id": ["r", "s"], "a": [1, 0], "b": [0, 1]})
    with pytest.raises(LabelError, match="a column of text stands before the indicators"):
        aligned_indicators([texts, texts], None)
    plain = np.array([[1, 0]])
    assert aligned_indicators([plain, plain], ["x", "y"])[1] == ("x", "y")
    assert aligned_indicators([plain, plain], None)[1] is None


def test_rows_are_paired_by_position_unless_their_index_says_otherwise():
    one, other = pd.Series([1, 2], index=["x", "y"]), pd.Series([1, 2], index=["y", "x"])
    with pytest.raises(
        LabelError, match=r"gold and pred have the same pandas index in a different order.*pred.reindex"
    ):
        check_same_index({"gold": one, "pred": other})
    with pytest.raises(LabelError, match="gold and sample_weight"):
        check_same_index({"gold": one, "pred": [1, 2], "sample_weight": other})
    check_same_index({"gold": one, "pred": one})
    check_same_index({"gold": one, "pred": pd.Series([1, 2])})
    check_same_index({"gold": one, "pred": other.iloc[:1]})
    check_same_index({"gold": [1], "pred": other})
