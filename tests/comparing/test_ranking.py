"""Ranks, Kendall's tau and the proof that two systems cannot flip."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata

import macrof1
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
    for n in (1000, 1001, 1_000_000):  # from 1,001 on by limits that hold for any number
        found = [cannot_flip((0.9, low), (0.9, low), (n, n))[0][1] for low in (0.799, 0.801)]
        assert found == [True, False]
