"""Cells of a confusion matrix: dense and sparse, added, compared, shown."""

import pickle
from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.counting.confusion import Confusion
from macrof1.counting.matrix import arrays_of
from macrof1.counts import ClassCounts
from macrof1.errors import CountError, EmptyError, InputError, LengthError

from ..strategies import matrices

TABLE = [[3, 1, 0], [0, 2, 2], [1, 0, 4]]


def dense(table=TABLE, labels=("a", "b", "c"), **more):
    return Confusion.from_table(np.array(table), labels=labels, **more)


def sparse(table=TABLE, labels=("a", "b", "c"), **more):
    records = [(labels[g], labels[p], n) for g, row in enumerate(table) for p, n in enumerate(row) if n]
    return Confusion.from_cells(records, **more)


def test_dense_and_sparse_cells_are_the_same():
    one, other = dense(), sparse()
    assert one == other
    assert (one.where is None, other.where is None) == (True, False)
    assert one.index.tolist() == other.index.tolist() == [0, 1, 4, 5, 6, 8]
    assert one.cells.tolist() == other.cells.tolist() == [3, 1, 2, 2, 1, 4]
    assert one.records() == other.records()
    for side in (one, other):
        counts = side.class_counts()
        assert (counts.tp, counts.predicted, counts.actual) == ((3, 2, 4), (4, 3, 6), (4, 4, 5))
        assert (counts.n_rows, counts.n_listed, counts.n_dropped, counts.weighted) == (13, None, 0, False)
        assert side.to_matrix(rows="gold").tolist() == TABLE
        assert side.predicted_for([2, 0, 1]) == [TABLE[2], TABLE[0], TABLE[1]]
        assert side.to_matrix(rows="predicted").tolist() == np.array(TABLE).T.tolist()
        assert side.confusion() is side
        assert not side.amounts.flags.writeable
        assert side.where is None or not side.where.flags.writeable
        with pytest.raises(InputError, match="rows"):
            side.to_matrix(rows="columns")


@pytest.mark.parametrize("rows", ["gold", "predicted"])
def test_a_matrix_is_read_as_its_rows_are(rows):
    found = Confusion.from_matrix(TABLE, rows=rows)
    assert found.to_matrix(rows=rows).tolist() == TABLE
    assert (found.labels, found.n_listed, found.n_rows) == ((0, 1, 2), 3, 13)
    assert Confusion.from_matrix(TABLE, rows=rows, labels=["x", "y", "z"]).labels == ("x", "y", "z")
    with pytest.raises(LengthError, match="2 labels for a matrix of 3 classes"):
        Confusion.from_matrix(TABLE, rows=rows, labels=["x", "y"])
    with pytest.raises(InputError, match="rows"):
        Confusion.from_matrix(TABLE, rows="x")
    weights = Confusion.from_matrix([[0.5, 1], [1, 2]], rows=rows)
    assert (weights.real, weights.weighted, weights.n_rows) == (True, True, None)


def test_cells_that_are_given_twice_are_summed_and_zeros_give_labels_only():
    found = Confusion.from_cells([("b", "a", 2), ("a", "a", 1), ("b", "a", 3), ("c", "c", 0)])
    assert found.records() == [("a", "a", 1), ("b", "a", 5)]
    assert (found.labels, found.n_rows) == (("a", "b", "c"), 6)
    with pytest.raises(EmptyError):
        Confusion.from_cells([])
    weighted = Confusion.from_cells([("a", "a", 2)], weighted=True)
    assert (weighted.n_rows, weighted.weighted) == (None, True)
    assert Confusion.from_cells([("a", "a", 2)], n_rows=9, n_dropped=4).n_rows == 9
    assert Confusion.from_cells([("a", "a", 0.5)]).n_rows is None
    with pytest.raises(CountError):
        Confusion.from_cells([("a", "a", 2**62), ("b", "b", 2**62)])
    listed = Confusion.from_cells([("a", "b", 1)], labels=["b", "z"])
    assert (listed.labels, listed.n_listed) == (("b", "z", "a"), 2)
    with pytest.raises(InputError):
        Confusion.from_cells([("a", "b", 1)], labels=["y", "z"])
    assert Confusion.from_cells([("a", "b", 1)], labels=["y", "z"], checked=False).n_listed == 2
    with pytest.raises(InputError):
        Confusion.from_cells([("a", 1, 1)])
    assert Confusion.from_cells([("a", 1, 1)], checked=False).n_rows == 1


tables = st.integers(1, 3).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 5), min_size=n, max_size=n), min_size=n, max_size=n)
)


@given(tables, tables, st.booleans(), st.booleans())
def test_sums_are_those_of_all_records(left, right, left_dense, right_dense):
    def of(table, as_dense):
        if not np.any(table):
            table = [[1]]
        labels = tuple("abc"[: len(table)])
        return dense(table, labels, n_dropped=1) if as_dense else sparse(table, labels, n_dropped=1)

    one, other = of(left, left_dense), of(right, right_dense)
    total = one + other
    expected = {}
    for gold, pred, n in (*one.records(), *other.records()):
        expected[gold, pred] = expected.get((gold, pred), 0) + n
    assert {(gold, pred): n for gold, pred, n in total.records()} == expected
    assert total.n_rows == one.n_rows + other.n_rows
    assert total.n_dropped == 2
    assert set(total.labels) == {*one.labels, *other.labels}
    assert sum([one, other]) == total
    assert total.index.tolist() == sorted(total.index.tolist())


def test_what_cannot_be_added_is_refused():
    one = dense()
    with pytest.raises(TypeError):
        one + 1
    for number in (1, -1, 0.0):
        with pytest.raises(TypeError):
            number + one
    assert 0 + one is one
    with pytest.raises(CountError):
        one + dense(weighted=True)
    big = dense([[2**62]], ("a",))
    with pytest.raises(CountError):
        big + big
    unknown = dense(np.array(TABLE) / 2)
    assert (unknown + unknown).n_rows is None
    assert (unknown + unknown).to_matrix(rows="gold").tolist() == np.array(TABLE, float).tolist()


@pytest.mark.parametrize(
    "other",
    [dense([[3, 1, 0], [0, 2, 2], [1, 0, 5]]), dense(labels=("a", "b", "d")), dense(n_rows=14), dense(n_listed=3),
     dense(n_dropped=1), dense([[3, 1, 0], [0, 2, 0], [1, 2, 4]])],
)  # fmt: skip
def test_cells_differ_in_anything_that_counts(other):
    assert dense() != other
    assert dense() != "cells"
    assert dense(labels=(1, 2, 3)) != dense(labels=(True, 2, 3))
    assert dense() == dense()


def test_cells_are_shown_in_short():
    many = tuple(f"c{x:02}" for x in range(12))
    shown = repr(dense(np.eye(12, dtype=int), many))
    assert "('c09', 'c09', 1), …)" in shown.replace("]", "")
    assert "c10" not in shown
    assert repr(dense(np.eye(10, dtype=int), many[:10])).endswith("('c09', 'c09', 1)])")
    huge = Confusion.from_table(np.ones((32, 32), int), labels=tuple(range(32)))
    assert repr(huge).endswith("cells=[], …)")
    small = Confusion.from_table(np.ones((31, 31), int), labels=tuple(range(31)))
    assert "(0, 9, 1)" in repr(small)
    assert "(0, 10, 1)" not in repr(small)


def test_counts_of_arrays_are_counts_of_tuples():
    tp, predicted, actual = np.array([1, 2]), np.array([3, 4]), np.array([5, 6])
    facts = {"labels": ("a", "b"), "n_rows": 11, "n_listed": 1, "n_dropped": 2}
    counts = ClassCounts(tp=tp, predicted=predicted, actual=actual, **facts)
    assert (counts.tp, counts.predicted, counts.actual) == ((1, 2), (3, 4), (5, 6))
    assert counts == ClassCounts(tp=(1, 2), predicted=(3, 4), actual=(5, 6), **facts)
    assert counts == ClassCounts(tp=array("l", [1, 2]), predicted=[3, 4], actual=array("b", [5, 6]), **facts)
    tp[0] = 99
    assert counts.tp == (1, 2)
    assert (counts.task, counts.weighted, counts.real, counts.is_empty) == ("multiclass", False, False, False)
    with pytest.raises(AttributeError):
        counts.n_rows = 5
    with pytest.raises(AttributeError):
        del counts.n_rows
    for columns in ((0, 0, 1), (0, 1, 0), (0, 0, 0)):
        some = dict(zip(("tp", "predicted", "actual"), [[n] for n in columns], strict=True))
        assert ClassCounts(labels=("a",), **some, n_rows=0).is_empty == (not any(columns))
    assert [column.tolist() for column in arrays_of(counts)] == [[1, 2], [3, 4], [5, 6]]
    assert arrays_of(counts)[0].dtype == np.int64
    real = ClassCounts(labels=("a",), tp=(1.5,), predicted=(2.5,), actual=(3.0,), n_rows=None, weighted=True)
    assert [column.tolist() for column in arrays_of(real)] == [[1.5], [2.5], [3.0]]


def test_counted_arrays_are_kept_and_read_only():
    counts = macrof1.count(np.array([0, 1, 1]), np.array([0, 1, 0]), labels=[1]).with_facts(n_dropped=2)
    again = pickle.loads(pickle.dumps(counts))  # noqa: S301  # our own
    assert again == counts
    assert (again.n_rows, again.n_listed, again.n_dropped, again.task) == (3, 1, 2, "multiclass")
    for each in (counts, again):
        assert not any(column.flags.writeable for column in each.columns)
        assert np.shares_memory(arrays_of(each)[0], each.columns[0])


@pytest.mark.parametrize("make", [tuple, np.array], ids=["tuples", "arrays"])
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([3, 1], [2, 4], [5, 6]), "class 'a' has tp=3 but predicted=2 and actual=5"),
        (([1, 7], [2, 9], [5, 6]), "class 'b' has tp=7 but predicted=9 and actual=6"),
        (([1, -1], [2, 4], [5, 6]), "tp: found -1"),
        (([1, 1], [2, 4], [5.0, float("nan")]), "actual: found NaN or infinity"),
        (([1, 1], [2, float("inf")], [5, 6]), "predicted: found NaN or infinity"),
        (([1, 1, 1], [2, 4], [5, 6]), "2 labels with 3, 2, 2 counts"),
        (([1, 1], [2**62, 2**62], [5, 6]), "sum to more than"),
        (([0, 0], [2.0**1000, 1.0], [5, 6]), "too large to be added up"),
        ((["x", "y"], [2, 4], [5, 6]), "tp: found 'x'"),
    ],
)
def test_counts_check_themselves(make, columns, message):
    with pytest.raises(CountError, match=message):
        ClassCounts(labels=("a", "b"), **dict(zip(("tp", "predicted", "actual"), map(make, columns), strict=True)))


def test_counts_of_a_label_that_is_named_twice_are_refused():
    one = {"tp": (1, 1), "predicted": (1, 1), "actual": (1, 1)}
    with pytest.raises(InputError, match="'a' twice"):
        ClassCounts(labels=("a", "a"), **one)
    assert ClassCounts(labels=(1, True), **one).labels == (1, True)
    with pytest.raises(CountError, match="3 of 2 labels are listed"):
        ClassCounts(labels=("a", "b"), n_listed=3, **one)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"where": None, "amounts": np.array([1, 2, 3])}, "3 cells for 2 labels"),
        ({"where": None, "amounts": (1, 2, 3)}, "3 cells for 2 labels"),
        ({"where": np.array([0, 4]), "amounts": np.array([1, 2])}, "cells that lie outside 2 x 2"),
        ({"where": np.array([-1, 3]), "amounts": np.array([1, 2])}, "cells that lie outside 2 x 2"),
        ({"where": np.array([1, 0]), "amounts": np.array([1, 2])}, "not in ascending order"),
        ({"where": np.array([1, 1]), "amounts": np.array([1, 2])}, "not in ascending order"),
        ({"where": np.array([0, 1]), "amounts": np.array([1])}, "the place of every amount"),
        ({"where": np.array([0, 1]), "amounts": np.array([1, -1])}, "no negative number"),
        ({"where": None, "amounts": (1, 2, 3, -4)}, "no negative number"),
        ({"where": None, "amounts": np.array([1, 2, 3, np.nan])}, "no negative number"),
    ],
)
def test_cells_check_themselves(facts, message):
    with pytest.raises(CountError, match=message):
        Confusion(labels=("a", "b"), n_rows=None, **facts)
    with pytest.raises(InputError, match="'a' twice"):
        Confusion(labels=("a", "a"), where=None, amounts=(1, 2, 3, 4), n_rows=10)


@given(matrices(), st.sampled_from(["gold", "predicted"]))
def test_a_matrix_of_pythons_numbers_is_that_of_an_array(matrix, rows):
    plain, arrays = Confusion.from_matrix(matrix, rows=rows), Confusion.from_matrix(np.array(matrix), rows=rows)
    assert isinstance(plain.amounts, tuple)
    assert plain == arrays
    assert plain.class_counts() == arrays.class_counts()
    assert plain + plain == arrays + arrays
    assert (plain.real, plain.n_rows, plain.notes) == (arrays.real, arrays.n_rows, arrays.notes)
    assert plain.cells.tolist() == arrays.cells.tolist()
    assert plain.to_matrix(rows=rows).tolist() == arrays.to_matrix(rows=rows).tolist()
    places = list(range(len(matrix)))
    assert plain.predicted_for(places) == arrays.predicted_for(places)


@pytest.mark.parametrize(
    "matrix",
    [
        [], [[]], [[0, 0], [0, 0]], [[1, 2]], [[1], [2]], [[1, 2], [3]], [[1, -2], [3, 4]], [["a", 1], [1, 1]],
        [[float("nan"), 1], [1, 1]], [[1e308, 1e308], [1, 1]], [[2**63, 1], [1, 1]], [[2**62, 2**62], [1, 1]],
        [[2**60, 0.5], [1, 1]], [[None, 1], [1, 1]], [[10**5000, 1], [1, 1]], [[[1], 1], [1, 1]], [1, 2], [[True]],
    ],
)  # fmt: skip
@pytest.mark.parametrize("small", [50, 0], ids=["python", "numpy"])
def test_what_is_not_a_matrix_is_refused(matrix, small, monkeypatch):
    monkeypatch.setattr("macrof1.counting.confusion._SMALL", small)
    with pytest.raises(InputError) as caught:
        Confusion.from_matrix(matrix, rows="gold")
    assert len(str(caught.value)) < 200
