"""Student's t against SciPy."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from macrof1.sampling.student import quantile, two_sided_p


@example(1e-6, 5462.0)
@given(st.floats(-30, 30), st.floats(0.5, 1e5))
def test_the_tails_are_scipys(t, df):
    assert two_sided_p(t, df) == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-7, abs=1e-15)


@example(0.999, 100.0)
@given(st.floats(0.01, 0.999), st.floats(1, 1e5))
def test_the_quantiles_are_scipys(level, df):
    assert quantile(level, df) == pytest.approx(stats.t.ppf((1 + level) / 2, df), rel=1e-6)


def test_without_a_limit_it_is_the_normal_distribution():
    assert two_sided_p(1.3) == pytest.approx(2 * stats.norm.sf(1.3), rel=1e-12)
    assert quantile(0.9, math.inf) == pytest.approx(stats.norm.ppf(0.95), rel=1e-12)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("df", [100, 300, 1000])
def test_many_degrees_of_freedom_leave_an_error_of_the_fourth_order(level, df):
    exact = stats.t.ppf((1 + level) / 2, df)
    z = stats.norm.ppf((1 + level) / 2)
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160 / df**4
    assert quantile(level, df) == pytest.approx(exact - fourth, rel=1e-13, abs=20 * abs(fourth) / df)
