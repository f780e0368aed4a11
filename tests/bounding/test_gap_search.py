"""The search for the largest gap: each step against brute force, in exact arithmetic where possible."""

from __future__ import annotations

import itertools
import math

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


@given(st.lists(st.integers(1, 60), min_size=2, max_size=12))
def test_a_start_for_every_number_of_hubs(gold):
    found = search._starts(gold)
    assert list(found) == list(range(1, len(gold)))
    for hubs, predicted in found.items():
        assert sum(predicted) == sum(gold)
        small = sorted(range(len(gold)), key=gold.__getitem__)[:hubs]
        for place, p in enumerate(predicted):
            assert p >= gold[place] if place in small else p == 1


@pytest.mark.parametrize(("n", "n_starts"), [(40, 39), (41, 40), (150, 40)])
def test_among_many_classes_forty_numbers_of_hubs_are_tried(n, n_starts):
    hubs = list(search._starts([5] * n))
    assert len(hubs) == n_starts
    assert (hubs[0], hubs[-1]) == (1, n - 1)
    assert max(right - left for left, right in itertools.pairwise(hubs)) <= math.ceil((n - 2) / 39)


@given(st.lists(st.integers(1, 25), min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_a_climb_ends_where_no_single_row_helps(gold, draw):
    first = spread(gold, draw)
    last = search._climbed(gold, first)
    assert sum(last) == sum(gold)
    assert min(last) >= 0
    top = search.float_gap(gold, last)
    assert top >= search.float_gap(gold, first)
    for giver, taker in itertools.permutations(range(len(gold)), 2):
        if last[giver]:
            trial = list(last)
            trial[giver], trial[taker] = trial[giver] - 1, trial[taker] + 1
            assert search.float_gap(gold, trial) <= top + 1e-14


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


def test_the_limit_holds_for_every_start_and_number_of_hubs():
    gold = (3, 4, 5)
    best = max(search.float_gap(gold, p) for p in itertools.product(range(13), repeat=3) if sum(p) == 12)
    for hubs, start in search._starts(gold).items():
        free, fixed = (search._lowest_limit(gold, some, start, 0.0) for some in (None, hubs))
        assert free >= best
        assert fixed <= free + 1e-9
