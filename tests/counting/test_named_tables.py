"""Named tables: rows and columns are paired by name, never by position alone."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.errors import CountError, LabelError

PAIRS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abde")), min_size=1, max_size=30)


def columns_of(pairs):
    return [gold for gold, _ in pairs], [pred for _, pred in pairs]


def share_a_label(gold, pred):
    return bool(set(gold) & set(pred))


def same(table, rows, gold, pred):
    """Whether a table scores as its labels do, class by class."""
    expected = macrof1.score(gold, pred)
    found = macrof1.score_matrix(table, rows=rows)
    return [(row.label, row.precision, row.recall, row.actual) for row in found.per_class] == [
        (row.label, row.precision, row.recall, row.actual) for row in expected.per_class
    ]


@given(PAIRS.filter(lambda pairs: share_a_label(*columns_of(pairs))), st.booleans(), st.randoms())
def test_crosstabs_score_as_their_labels_do(pairs, margins, order):
    gold, pred = columns_of(pairs)
    table = pd.crosstab(pd.Series(gold), pd.Series(pred), margins=margins)
    assert same(table, "gold", gold, pred)
    assert same(table.T, "predicted", gold, pred)
    plain = pd.crosstab(pd.Series(gold), pd.Series(pred))
    rows, columns = list(plain.index), list(plain.columns)
    order.shuffle(rows)
    order.shuffle(columns)
    assert same(plain.loc[rows, columns], "gold", gold, pred)
    frame = pl.DataFrame({"gold": gold, "pred": pred})
    pivot = frame.pivot("pred", index="gold", values="pred", aggregate_function="len").fill_null(0)
    assert same(pivot, "gold", gold, pred)
    assert same(pivot.to_arrow(), "gold", gold, pred)


def test_rows_and_columns_in_different_orders():
    table = pd.DataFrame([[5, 0], [0, 5]], index=["a", "b"], columns=["b", "a"])
    assert macrof1.score_matrix(table, rows="gold").averaged_f1 == 0
    result = macrof1.score_matrix(table, rows="gold", labels=["b", "a"])
    assert [row.label for row in result.per_class] == ["b", "a"]
    with pytest.raises(LabelError, match="names its classes 'a', 'b'"):
        macrof1.score_matrix(table, rows="gold", labels=["x", "y"])


@pytest.mark.parametrize(
    ("index", "columns", "message"),
    [
        (["a", "b"], ["c", "d"], "the same classes"),
        (["a", "a"], ["a", "b"], "'a' twice"),
        ([0, 1], ["0", "1"], "no label could match"),
        (pd.MultiIndex.from_tuples([("x", 1), ("x", 2)]), ["a", "b"], "several levels"),
    ],
)
def test_tables_that_cannot_be_aligned(index, columns, message):
    with pytest.raises(LabelError, match=message):
        macrof1.score_matrix(pd.DataFrame([[1, 2], [3, 4]], index=index, columns=columns), rows="gold")


def test_totals_are_no_class():
    gold, pred = pd.Series(list("aabbc")), pd.Series(list("abbbc"))
    expected = macrof1.score(gold, pred).averaged_f1
    table = pd.crosstab(gold, pred, margins=True, margins_name="Total")
    assert macrof1.score_matrix(table, rows="gold").averaged_f1 == expected
    only_rows = pd.crosstab(gold, pred)
    only_rows.loc["sum"] = only_rows.sum()
    assert macrof1.score_matrix(only_rows, rows="gold").averaged_f1 == expected
    shares = pd.crosstab(gold, pred, margins=True, normalize=True)
    assert macrof1.score_matrix(shares, rows="gold").averaged_f1 == pytest.approx(expected, rel=1e-12)
    with pytest.raises(LabelError, match="named like a total"):
        macrof1.score_matrix(pd.crosstab(gold, pred, margins=True, normalize="index"), rows="gold")
    with pytest.raises(LabelError, match="hold the sums"):
        macrof1.score_matrix(pd.crosstab(gold, pred, margins=True, margins_name="zzz"), rows="gold")


@pytest.mark.parametrize("cells", [["x", 1], [np.inf, -np.inf], [10**400, 1], [None, 1]])
def test_cells_that_have_no_sum_are_refused_beside_totals(cells):
    names = ["a", "b", "Total"]
    with pytest.raises(CountError, match=r"found|too large"):
        macrof1.score_matrix(pd.DataFrame([[*cells, 0]] * 3, index=names, columns=names, dtype=object), rows="gold")


def test_frames_without_names_are_plain_matrices():
    plain = macrof1.score_matrix([[3, 1], [0, 2]], rows="gold")
    assert macrof1.score_matrix(pd.DataFrame([[3, 1], [0, 2]]), rows="gold").to_dict() == plain.to_dict()
    assert macrof1.score_matrix(pl.DataFrame([[3, 0], [1, 2]]), rows="gold").to_dict() == plain.to_dict()
    named = macrof1.score_matrix(pd.DataFrame([[3, 1], [0, 2]], columns=["x", "y"]), rows="gold")
    assert [row.label for row in named.per_class] == ["x", "y"]


INDICATORS = st.lists(st.tuples(*[st.integers(0, 1)] * 6), min_size=1, max_size=10)


@given(INDICATORS, st.permutations("xyz"), st.permutations("xyz"), st.booleans())
def test_indicator_frames_are_paired_by_column(rows, left, right, polars):
    gold = pd.DataFrame([row[:3] for row in rows], columns=list("xyz"))
    pred = pd.DataFrame([row[3:] for row in rows], columns=list("xyz"))
    expected = macrof1.count(gold.to_numpy(), pred.to_numpy(), labels=list("xyz"))
    sides = [gold[list(left)], pred[list(right)]]
    if polars:
        sides = [pl.DataFrame(side.to_dict("list")) for side in sides]
    found = macrof1.count(*sides)
    by_label = {label: place for place, label in enumerate(found.labels)}
    for name in ("tp", "predicted", "actual"):
        assert [getattr(found, name)[by_label[label]] for label in "xyz"] == list(getattr(expected, name))
    listed = macrof1.count(*sides, labels=list("zyx"))
    assert listed.labels == ("z", "y", "x")
    assert listed.tp == tuple(reversed(expected.tp))


def test_a_label_that_one_side_has_no_column_for_is_never_there():
    found = macrof1.count(pd.DataFrame({"x": [1, 0], "y": [1, 1]}), pd.DataFrame({"y": [1, 0], "z": [0, 1]}))
    assert (found.labels, found.tp, found.predicted, found.actual) == (("x", "y", "z"), (0, 1, 0), (0, 1, 1), (1, 2, 0))
    with pytest.raises(LabelError, match="names of all columns"):
        macrof1.count(pd.DataFrame({"x": [1], "y": [0]}), pd.DataFrame({"y": [1], "x": [0]}), labels=["p", "q"])


def test_columns_in_the_same_order_can_be_renamed():
    frame = pd.DataFrame({"a": [1, 0], "b": [0, 1]})
    assert macrof1.count(frame, frame, labels=["x", "y"]).labels == ("x", "y")


TOTALS = [[5, 1, 6], [2, 7, 9], [7, 8, 15]]
NAMES = ["a", "b", "Total"]
BY_HAND = macrof1.score_matrix([[5, 1], [2, 7]], rows="gold").averaged_f1


@pytest.mark.parametrize(
    ("matrix", "code", "part", "expected"),
    [
        (pd.DataFrame(TOTALS, index=NAMES, columns=NAMES), "totals", "were left out", BY_HAND),
        (pl.DataFrame({"": NAMES, "a": [5, 2, 7], "b": [1, 7, 8], "Total": [6, 9, 15]}), "totals", "left out", BY_HAND),
        (pd.DataFrame([[5, 1, 9], [2, 7, 9], [9, 9, 9]], index=NAMES, columns=NAMES), "totals", "does not hold", None),
        (TOTALS, "totals", "the sums of the others, and are counted as a class", None),
        (np.array(TOTALS), "totals", "the sums of the others, and are counted as a class", None),
        (pd.DataFrame([[1, 5], [7, 2]], index=["a", "b"], columns=["b", "a"]), "matrix_order", "matched", BY_HAND),
        (pl.DataFrame({"": ["a", "b"], "b": [1, 7], "a": [5, 2]}), "matrix_order", "matched", BY_HAND),
    ],
)  # fmt: skip
def test_what_a_matrix_in_python_leaves_in_doubt_is_said(matrix, code, part, expected):
    result = macrof1.score_matrix(matrix, rows="gold")
    assert result.notes[0].code == code
    assert part in result.notes[0]
    assert result.to_dict()["note_codes"][0] == code
    assert expected is None or result.averaged_f1 == expected


@pytest.mark.parametrize(
    "matrix",
    [[[5, 1], [2, 7]], [[5, 1, 0], [2, 7, 1], [0, 0, 3]], [[2, 1], [1, 3]], [[1, 2, 3], [3, 4, 7], [4, 6, 11]],
     [[1, 1], [1, 1]]],
)  # fmt: skip
def test_a_plain_matrix_raises_no_doubt(matrix):
    names = list("abc")[: len(matrix)]
    for each in (matrix, np.array(matrix), pd.DataFrame(matrix, index=names, columns=names)):
        assert not {"totals", "matrix_order"} & set(macrof1.score_matrix(each, rows="gold").note_codes)


def test_an_arrow_table_keeps_its_pandas_index_as_names():
    table = pd.crosstab(pd.Series(list("aabc")), pd.Series(list("abbb")))
    expected = macrof1.score(list("aabc"), list("abbb"))
    found = macrof1.score_matrix(pa.Table.from_pandas(table), rows="gold")
    assert found.counts == macrof1.score_matrix(table, rows="gold").counts
    assert found.averaged_f1 == expected.averaged_f1


def test_a_class_of_few_rows_on_one_side_may_look_like_sums():
    gold, pred = ["a", "b", "c", "c"], ["a", "b", "a", "b"]
    table = pd.crosstab(pd.Series(gold), pd.Series(pred))
    assert macrof1.score_matrix(table, rows="gold").averaged_f1 == macrof1.score(gold, pred).averaged_f1
    with pytest.raises(macrof1.InputError, match="row 'c' holds the sums of the others"):
        macrof1.score_matrix(10 * table, rows="gold")
