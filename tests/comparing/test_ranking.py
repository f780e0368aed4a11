"""Ranks, Kendall's tau and the proof that two systems cannot flip."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata

import macrof1
from macrof1.bounding.closed_forms import highest_f1_of_averages, lowest_averaged_f1_below
from macrof1.comparing.ranking import cannot_flip, kendall_tau, ranks

from ..strategies import matrices

SCORES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])
TWO = st.lists(st.tuples(SCORES, SCORES), min_size=2, max_size=12)


@given(TWO)
def test_ties_share_a_rank(pairs):
    first = [a for a, _ in pairs]
    assert ranks(first) == rankdata([-a for a in first], method="min").tolist()


def test_rounding_makes_no_rank():
    assert ranks([0.1 + 0.2, 0.3, 0.2]) == [1, 1, 3]
    assert kendall_tau([0.1 + 0.2, 0.3], [0.3, 0.4]) is None


@given(TWO)
def test_tau_is_scipys(pairs):
    first, second = zip(*pairs, strict=True)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert kendall_tau(first, second) is None
    else:
        assert kendall_tau(first, second) == pytest.approx(kendalltau(first, second).statistic, abs=1e-12)


@given(matrices(cells=st.integers(0, 9), least=2, most=5))
def test_one_formula_bounds_the_other(matrix):
    found = macrof1.score_matrix(matrix, rows="gold")
    n = found.n_classes
    assert lowest_averaged_f1_below(found.f1_of_averages, n) <= found.averaged_f1 + 1e-12
    assert highest_f1_of_averages(found.averaged_f1, n) >= found.f1_of_averages - 1e-12


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_bounds_are_attained_on_a_grid(n):
    # All per-class precisions and recalls on a grid: nothing lies outside the bounds, and something comes close.
    grid = np.linspace(0, 1, 5)
    sides = np.array(np.meshgrid(*[grid] * n)).reshape(n, -1)
    p = np.repeat(sides, sides.shape[1], axis=1)
    r = np.tile(sides, sides.shape[1])
    total = p + r
    averaged = np.where(total > 0, 2 * p * r / np.where(total > 0, total, 1), 0).mean(0)
    mean_p, mean_r = p.mean(0), r.mean(0)
    both = mean_p + mean_r
    of_averages = np.where(both > 0, 2 * mean_p * mean_r / np.where(both > 0, both, 1), 0)
    for value in np.unique(of_averages.round(9)):
        lowest = averaged[np.isclose(of_averages, value, atol=1e-9)].min()
        assert lowest_averaged_f1_below(float(value), n) <= lowest + 1e-7
    top = of_averages >= 1 - 1e-12
    assert lowest_averaged_f1_below(1.0, n) == pytest.approx(averaged[top].min())
    for value in np.unique(averaged.round(9)):
        highest = of_averages[np.isclose(averaged, value, atol=1e-9)].max()
        assert highest_f1_of_averages(float(value), n) >= highest - 1e-7
    # Theorem 3: without any averaged F1 the other can be this large, and the grid reaches it.
    most = 2 * (n // 2) * -(-n // 2) / n**2
    assert highest_f1_of_averages(0.0, n) == pytest.approx(most)
    assert of_averages[averaged == 0].max() == pytest.approx(most)


@given(matrices(cells=st.integers(0, 9), least=3, most=3), matrices(cells=st.integers(0, 9), least=3, most=3))
def test_what_cannot_flip_does_not(first, second):
    a, b = (macrof1.score_matrix(matrix, rows="gold") for matrix in (first, second))
    settled = cannot_flip((a.averaged_f1, b.averaged_f1), (a.f1_of_averages, b.f1_of_averages), (3, 3))
    assert settled[0][1] == settled[1][0]
    if settled[0][1]:
        assert (a.averaged_f1 > b.averaged_f1) == (a.f1_of_averages > b.f1_of_averages)
        assert a.averaged_f1 != b.averaged_f1


def test_far_apart_cannot_flip_and_close_can():
    assert cannot_flip((0.9, 0.4), (0.91, 0.45), (2, 2))[0][1]
    assert not any(map(any, cannot_flip((0.7, 0.69), (0.71, 0.72), (2, 2))))
    assert [cannot_flip((0.95, 0.5), (0.95, 0.6), (n, n))[1][0] for n in (2, 5, 50)] == [True, True, True]
