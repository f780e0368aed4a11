"""The search for the largest gap: each step against brute force, in exact arithmetic where possible."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from macrof1.bounding import gap_search as search
from macrof1.bounding.largest_gap import _gap

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
    assert search.float_gap(gold, predicted) == pytest.approx(float(_gap(gold, predicted)), abs=1e-14)


@given(st.integers(1, 40), centres, prices, st.integers(0, 120))
def test_no_number_of_predictions_adds_more_than_the_parts_say(g, centre, price, more):
    total = g + more
    source, hub = search._parts(g, centre, price, total)
    as_source = [value(g, p, centre, price) for p in range(g + 1)]
    assert source == pytest.approx(max(as_source), abs=1e-12)
    fine = [g + (total - g) * step / 400 for step in range(401)]
    as_hub = [value(g, p, centre, price) for p in (*range(g, total + 1), *fine)]
    assert hub >= max(as_hub) - 1e-12
    # Nor much less: the part is attained, up to the mesh.
    assert hub <= max(as_hub) + 1e-3


@given(st.data())
def test_rounding_keeps_the_sum_and_the_gold_counts(data):
    hubs = data.draw(st.lists(st.integers(1, 30), min_size=1, max_size=6))
    real = [g * data.draw(st.floats(1, 4)) for g in hubs]
    room = data.draw(st.integers(sum(hubs), int(sum(real)) + 9))
    whole = search._rounded(hubs, real, room)
    assert sum(whole) == room
    assert all(p >= g for p, g in zip(whole, hubs, strict=True))
    if abs(room - sum(real)) < 1:
        assert all(abs(p - x) < 1 + 1e-9 for p, x in zip(whole, real, strict=True))


@given(st.lists(st.integers(1, 60), min_size=2, max_size=12))
def test_a_start_for_every_number_of_hubs(gold):
    found = search.starts(gold)
    assert [start.hubs for start in found] == list(range(1, len(gold)))
    for start in found:
        assert sum(start.predicted) == sum(gold)
        small = sorted(range(len(gold)), key=gold.__getitem__)[: start.hubs]
        for place, p in enumerate(start.predicted):
            assert p >= gold[place] if place in small else p == 1


@pytest.mark.parametrize(("n", "n_starts"), [(40, 39), (41, 40), (150, 40)])
def test_among_many_classes_forty_numbers_of_hubs_are_tried(n, n_starts):
    hubs = [start.hubs for start in search.starts([5] * n)]
    assert len(hubs) == n_starts
    assert (hubs[0], hubs[-1]) == (1, n - 1)
    assert max(right - left for left, right in itertools.pairwise(hubs)) <= math.ceil((n - 2) / 39)


@given(st.lists(st.integers(1, 30), min_size=2, max_size=6), st.randoms(use_true_random=False), st.integers(1, 5))
def test_the_best_move_is_the_best_of_all(gold, draw, step):
    p = spread(gold, draw)

    def after(pair):
        giver, taker = pair
        trial, rows = list(p), min(step, p[giver])
        trial[giver], trial[taker] = trial[giver] - rows, trial[taker] + rows
        return search.float_gap(gold, trial)

    pairs = [(a, b) for a, b in itertools.permutations(range(len(gold)), 2) if p[a]]
    move = search._best_move(gold, p, step)
    assert after(move) == pytest.approx(max(map(after, pairs)), abs=1e-12)


def test_among_many_classes_moves_are_to_and_from_the_one_that_is_predicted_most():
    draw = random.Random(1)  # noqa: S311  # sizes, not secrets
    for n, all_pairs in ((45, True), (46, False)):
        gold = [draw.randint(2, 9) for _ in range(n)]
        p = spread(gold, draw)
        p[3] += 100

        def after(pair, gold=gold, p=p):
            trial = list(p)
            trial[pair[0]] -= 1
            trial[pair[1]] += 1
            return search.float_gap(gold, trial)

        pairs = [(a, b) for a, b in itertools.permutations(range(n), 2) if p[a] and (all_pairs or 3 in (a, b))]
        assert after(search._best_move(gold, p, 1)) == pytest.approx(max(map(after, pairs)), abs=1e-12)


@given(st.lists(st.integers(1, 25), min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_a_climb_ends_where_no_single_row_helps(gold, draw):
    first = spread(gold, draw)
    last = search.climbed(gold, first)
    assert sum(last) == sum(gold)
    assert min(last) >= 0
    top = search.float_gap(gold, last)
    assert top >= search.float_gap(gold, first)
    for giver, taker in itertools.permutations(range(len(gold)), 2):
        if last[giver]:
            trial = list(last)
            trial[giver], trial[taker] = trial[giver] - 1, trial[taker] + 1
            assert search.float_gap(gold, trial) <= top + 1e-14


@pytest.mark.parametrize(("n", "climbs"), [(300, True), (301, False)])
def test_beyond_300_classes_there_is_no_climb(n, climbs, monkeypatch):
    steps = []
    monkeypatch.setattr(search, "_best_move", lambda _, __, step: steps.append(step) or (0, 1))
    gold, predicted = [2] * n, [9] + [1] * 7 + [2] * (n - 8)
    assert sum(search.climbed(gold, predicted)) == sum(predicted)
    assert steps == ([9, 4, 2, 1] if climbs else [])


def least_limit(gold, hubs):
    """Minimise the limit over both multipliers by another method, from several places."""
    total, n = sum(gold), len(gold)

    def at(multipliers):
        lam, nu = multipliers
        if not 0 < lam < 1:
            return 1.0
        parts = [search._parts(g, lam, nu, total) for g in gold]
        gains = sorted(hub - source for source, hub in parts)
        chosen = [max(gain, 0.0) for gain in gains] if hubs is None else gains[n - hubs :]
        return 2 * (nu * total + sum(source for source, _ in parts) + sum(chosen)) / n

    tight = {"xatol": 1e-12, "fatol": 1e-14, "maxiter": 4000}
    ends = [
        minimize(at, (lam, times / total), method="Nelder-Mead", options=tight)
        for lam in (0.3, 0.6)
        for times in (0.1, 1.0)
    ]
    again = [minimize(at, end.x, method="Nelder-Mead", options=tight) for end in ends]
    return min(end.fun for end in again)


@pytest.mark.parametrize("gold", [(100, 200, 700), (250, 250, 250, 250), (3, 50, 8, 120), (2, 2, 2)])
def test_the_limit_is_as_low_as_it_can_be(gold):
    found = search.starts(gold)
    attained = max(search.float_gap(gold, search.climbed(gold, start.predicted)) for start in found)
    every = max(least_limit(gold, hubs) for hubs in range(1, len(gold)))
    expected = max(attained, min(least_limit(gold, None), every))
    # The limit has edges, on which a search by patterns stops a little early.
    assert -1e-9 < search.limit(gold, found, attained) - expected < 3e-5


def test_the_limit_holds_for_every_start_and_number_of_hubs():
    gold = (3, 4, 5)
    best = max(search.float_gap(gold, p) for p in itertools.product(range(13), repeat=3) if sum(p) == 12)
    for start in search.starts(gold):
        free = search._lowest(gold, None, start, 0.0)
        fixed = search._lowest(gold, start.hubs, start, 0.0)
        assert free >= best
        assert fixed <= free + 1e-9


def test_a_search_for_a_limit_stops_where_it_is_low_enough():
    gold = (100, 200, 700)
    start = search.starts(gold)[0]
    first = search._lowest(gold, None, start, 1.0)
    assert first <= 1.0
    assert search._lowest(gold, None, start, 0.0) < first
