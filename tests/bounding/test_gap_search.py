"""The search for the largest gap: each step against brute force, in exact arithmetic where possible."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from macrof1.bounding import largest_gap as search

from ..oracles import Exact

sizes = st.lists(st.integers(1, 60), min_size=2, max_size=7)
centres = st.floats(0.02, 0.98)
prices = st.floats(1e-6, 2)


def spread(gold, draw):
    """Draw predictions with the sum of the gold counts."""
    cuts = sorted(draw.randint(0, sum(gold)) for _ in gold[1:])
    return [right - left for left, right in itertools.pairwise([0, *cuts, sum(gold)])]


def value(g, p, centre, price):
    """What a class adds to half of n times the gap, less the price of its predictions."""
    if not p:
        return 0.0
    return min(g, p) * (1 / p + 1 / g) * (g / (g + p) - centre) ** 2 - price * p


@given(sizes, st.randoms(use_true_random=False))
def test_the_gap_of_margins_is_the_exact_one(gold, draw):
    predicted = spread(gold, draw)
    exact = Exact(list(map(min, gold, predicted)), predicted, gold)
    assert search.float_gap(gold, predicted) == pytest.approx(float(exact.gap), abs=1e-14)


@given(st.integers(1, 40), centres, prices, st.integers(0, 120))
def test_no_number_of_predictions_adds_more_than_the_parts_say(g, centre, price, more):
    total = g + more
    source, hub = search.most_added(g, centre, price, total)
    assert source == pytest.approx(max(value(g, p, centre, price) for p in range(g + 1)), abs=1e-12)
    assert hub == pytest.approx(max(value(g, p, centre, price) for p in range(g, total + 1)), abs=1e-12)


def least_limit(gold, hubs):
    """Minimise the limit over both multipliers by another method, from several places."""
    total, n = sum(gold), len(gold)

    def at(multipliers):
        lam, nu = multipliers
        if not 0 < lam < 1:
            return 1.0
        parts = [search.most_added(g, lam, nu, total) for g in gold]
        gains = sorted(hub - source for source, hub in parts)
        return 2 * (nu * total + sum(source for source, _ in parts) + sum(gains[n - hubs :])) / n

    tight = {"xatol": 1e-12, "fatol": 1e-14, "maxiter": 4000}
    ends = [
        minimize(at, (lam, times / total), method="Nelder-Mead", options=tight)
        for lam in (0.3, 0.6)
        for times in (0.1, 1.0)
    ]
    again = [minimize(at, end.x, method="Nelder-Mead", options=tight) for end in ends]
    return min(end.fun for end in again)


@pytest.mark.parametrize("gold", [(100, 200, 700), (250, 250, 250, 250), (3, 50, 8, 120)])
def test_the_limit_is_as_low_as_it_can_be(gold):
    found = search.largest_gap(gold)
    expected = max(found.gap, *(least_limit(gold, hubs) for hubs in range(1, len(gold))))
    # The limit has edges, on which a search by patterns stops a little early.
    assert -1e-9 < found.limit - expected < 3e-5
