"""Weighted means with unknown weights: a linear program against SciPy's, and by hand."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog

from macrof1.auditing.lookalikes import _game_value, weights_exist

cells = st.integers(0, 20).map(lambda n: F(n, 20))
intervals = st.tuples(cells, cells).map(lambda ends: tuple(sorted(ends)))


def largest_miss(misses):
    """Return the smallest possible largest miss, by SciPy."""
    n = len(misses[0])
    found = linprog(
        [0] * n + [1],
        A_ub=[[*row, -1] for row in misses],
        b_ub=[0] * len(misses),
        A_eq=[[1] * n + [0]],
        b_eq=[1],
        bounds=[(0, None)] * n + [(None, None)],
    )
    return found.fun


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(st.integers(-9, 9), min_size=n, max_size=n), min_size=1)))
def test_the_value_of_a_game_is_that_of_the_linear_program(misses):
    assert _game_value([[float(miss) for miss in row] for row in misses]) == pytest.approx(
        largest_miss(misses), abs=1e-7
    )


@given(st.lists(intervals, min_size=1, max_size=5), intervals)
def test_one_column_can_have_every_mean_between_its_ends(column, mean):
    low, high = min(least for least, _ in column), max(most for _, most in column)
    assert weights_exist([column], [mean]) == (low <= mean[1] and mean[0] <= high)


@given(st.tuples(cells, cells), st.tuples(cells, cells), intervals, intervals)
def test_two_classes_share_one_weight(first, second, mean, other):
    # The weights of the second class that put each mean in its interval: both must have one in common.
    spans = []
    for (a, b), (low, high) in ((first, mean), (second, other)):
        assume(a != b)
        ends = sorted(((low - a) / (b - a), (high - a) / (b - a)))
        spans.append((max(F(0), ends[0]), min(F(1), ends[1])))
    exists = max(low for low, _ in spans) <= min(high for _, high in spans)
    columns = [[(a, a), (b, b)] for a, b in (first, second)]
    assert weights_exist(columns, [mean, other]) == exists


def test_no_more_than_rounding_is_forgiven():
    column = [(F(1, 5), F(1, 5)), (F(4, 5), F(4, 5))]
    for off, exists in ((F(1, 10**10), True), (F(1, 10**8), False)):
        assert weights_exist([column], [(F(4, 5) + off, F(1))]) is exists
        assert weights_exist([column], [(F(0), F(1, 5) - off)]) is exists
