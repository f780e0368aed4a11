"""`labels=`, sums of counts, and many classes."""

import copy
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.counting.arrays import confusion

from ..strategies import label_pairs


def test_labels_outside_the_list_are_errors_and_are_reported():
    gold, pred = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 3, 0]
    result = macrof1.score(gold, pred, labels=[0, 1, 2])
    assert result.averaged_f1 == pytest.approx(0.3889, abs=5e-5)  # as scikit-learn with labels=[0, 1, 2]
    assert result.counts.n_outside == 1
    assert "outside the listed classes (3)" in result.notes[0]
    assert macrof1.score(gold, pred).averaged_f1 == pytest.approx(0.2917, abs=5e-5)
    assert macrof1.score(gold, pred, labels=range(5)).averaged_f1 == pytest.approx(0.2333, abs=5e-5)
    assert macrof1.score(gold, pred, labels=range(5), undefined=1).averaged_f1 == pytest.approx(0.4333, abs=5e-5)
    assert macrof1.score(gold, pred, classes="gold").averaged_f1 == pytest.approx(0.3889, abs=5e-5)


@given(label_pairs(), st.permutations(["a", "b", "c", "d", "e"]))
def test_listing_all_labels_only_orders_them(pair, order):
    plain, listed = macrof1.count(*pair), macrof1.count(*pair, labels=order)
    assert listed.labels == tuple(order)
    for label, tp in zip(plain.labels, plain.tp, strict=True):
        assert listed.tp[order.index(label)] == tp


def test_the_class_set_of_a_sum_is_the_union():
    left = macrof1.count(["a", "x"], ["a", "x"], labels=["b", "a"])
    right = macrof1.count(["c"], ["x"], labels=["c", "a"])
    total = left + right
    assert total.labels == ("b", "a", "c", "x")
    assert total.n_listed == 3
    assert total.n_outside == 3
    cells = confusion(["a", "x"], ["a", "x"], labels=["b", "a"]) + confusion(["c"], ["x"], labels=["c", "a"])
    assert cells.class_counts() == total


def test_many_classes_need_no_square_memory():
    rng = np.random.default_rng(1)
    gold, pred = rng.integers(0, 100_000, (2, 200_000))
    tracemalloc.start()
    counts = macrof1.count(gold, pred)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(counts.predicted) == sum(counts.actual) == 200_000
    assert sum(counts.tp) == (gold == pred).sum()
    assert peak < 100_000_000  # a square table would take 80 GB


@pytest.mark.parametrize("weight", [[[1], [2]], [[1, 2]], 3])
@pytest.mark.parametrize("labels", [["a", "b"], [{"a"}, {"b"}]])
def test_weights_have_one_dimension(weight, labels):
    for call in (macrof1.count, macrof1.Accumulator().update):
        with pytest.raises(macrof1.InputError, match=r"sample_weight= has shape .* in one dimension"):
            call(labels, labels, sample_weight=weight)


def test_a_class_of_weight_0_is_still_a_class():
    result = macrof1.score(["a", "b"], ["a", "b"], sample_weight=[1.0, 0.0])
    assert result.n_classes == 2
    assert result.averaged_f1 == 0.5
    assert "weights:yes" in result.signature()


def test_results_of_many_classes_are_equal_if_their_cells_are():
    gold = np.arange(3000)
    one, other = macrof1.score(gold, np.roll(gold, 1)), macrof1.score(gold, np.roll(gold, 2))
    assert one.counts == other.counts
    assert one != other  # the same margins of other pairs
    assert one == macrof1.score(gold, np.roll(gold, 1)) == copy.deepcopy(one)
    assert one.rows == one.cells
    assert one.rows != "cells"
