"""Plain counts: built by hand, merged, rejected."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.counting.matrix import arrays_of
from macrof1.errors import CountError

from .strategies import label_pairs

COUNT = st.integers(0, 1000)


def test_counts_as_model_cards_print_them():
    counts = macrof1.ClassCounts.from_errors({"cat": (629, 155, 159), "dog": (10, 0, 5)})
    assert (counts.labels, counts.n_rows, counts.weighted) == (("cat", "dog"), None, False)
    assert (counts.tp, counts.predicted, counts.actual) == ((629, 10), (784, 10), (788, 15))
    assert macrof1.score_counts(counts).per_class[0].precision == 629 / 784


@given(st.dictionaries(st.text(min_size=1), st.tuples(COUNT, COUNT, COUNT), min_size=1))
def test_errors_and_margins_give_the_same_counts(errors):
    counts = macrof1.ClassCounts.from_errors(errors)
    again = macrof1.ClassCounts.of(
        errors,
        tp=[t for t, _, _ in errors.values()],
        predicted=[t + fp for t, fp, _ in errors.values()],
        actual=[t + fn for t, _, fn in errors.values()],
    )
    assert counts == again
    assert arrays_of(counts)[0].tolist() == list(counts.tp)


@given(label_pairs(), label_pairs())
def test_array_counts_and_plain_ones_add_up_alike(first, second):
    parts = [macrof1.count(*first), macrof1.count(*second)]
    plain = [
        macrof1.ClassCounts(labels=c.labels, tp=c.tp, predicted=c.predicted, actual=c.actual, n_rows=c.n_rows)
        for c in parts
    ]
    assert sum(parts) == sum(plain) == macrof1.count([*first[0], *second[0]], [*first[1], *second[1]])


def test_numpy_columns_become_plain_numbers():
    counts = macrof1.ClassCounts.of(["a"], tp=np.array([1]), predicted=np.array([2], np.uint8), actual=[np.int64(3)])
    assert [type(column[0]) for column in (counts.tp, counts.predicted, counts.actual)] == [int, int, int]


def test_counts_of_different_tasks_do_not_add():
    with pytest.raises(CountError, match="counts of one task"):
        macrof1.count([0], [0]) + macrof1.count([{"a"}], [{"a"}])
