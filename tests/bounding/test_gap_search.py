"""The search for the largest gap: each step against brute force, in exact arithmetic where possible."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter

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


@given(st.integers(1, 40), centres, prices, st.integers(1, 10**6))
def test_a_hub_is_where_its_slope_equals_the_price_or_at_an_end(g, centre, price, more):
    most = float(g + more)
    p = search._best_hub(g, centre, price, most)
    assert g * (1 - 1e-12) <= p <= most * (1 + 1e-12)
    x = p / g
    slope = (1 / (1 + x) ** 2 - (1 - centre) ** 2 / x**2) / g
    # The slope has its top at x = r / (1 - r), r = (1 - λ)^(2/3), and falls beyond it.
    root = (1 - centre) ** (2 / 3)
    first = max(1.0, root / (1 - root)) * g
    if p == most:
        assert first >= most * (1 - 1e-12) or slope >= price * (1 - 1e-6)
    elif p == pytest.approx(first, rel=1e-12):
        assert slope <= price * (1 + 1e-6) + 1e-15
    else:
        assert slope == pytest.approx(price, rel=1e-5)


@pytest.mark.parametrize("hubs", [(1,), (3, 5, 8), (2, 2, 2, 40), (7, 7, 9)])
@pytest.mark.parametrize("centre", [0.4, 0.6, 0.8])
@pytest.mark.parametrize("guess", [1e-9, 1e-3, 10.0])
def test_at_the_price_hubs_take_all_there_is(hubs, centre, guess):
    room = 40.0 * sum(hubs)
    price = search._price(Counter(hubs), room, centre, guess)
    assert sum(search._best_hub(g, centre, price, room) for g in hubs) == pytest.approx(room, rel=1e-8)


@pytest.mark.parametrize("hubs", [(1, 2), (3, 5, 8), (20, 30)])
@pytest.mark.parametrize("sources", [(100, 400), (500,), (90, 90, 90)])
def test_an_allocation_spends_all_there_is_around_its_own_centre(hubs, sources):
    room = sum(hubs) + sum(sources) - len(sources)
    real, centre, price = search._allocation(hubs, sources, room, 0.5)
    assert sum(real) == pytest.approx(room, rel=1e-6)
    assert real == pytest.approx([search._best_hub(g, centre, price, room) for g in hubs], rel=1e-4)
    parts = [((1 + g) / g, g / (1 + g)) for g in sources]
    parts += [((p + g) / p, g / (g + p)) for g, p in zip(hubs, real, strict=True)]
    assert centre == pytest.approx(sum(s * u for s, u in parts) / sum(s for s, _ in parts), abs=1e-5)


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


def test_rounding_gives_the_spare_rows_to_the_largest_remainders_and_takes_from_the_largest_excess():
    assert search._rounded([1, 1, 1], [2.2, 2.9, 2.5], 7) == [2, 3, 2]
    assert search._rounded([1, 1, 1], [2.2, 2.9, 2.5], 8) == [2, 3, 3]
    assert search._rounded([1, 1], [4.0, 2.0], 9) == [6, 3] or search._rounded([1, 1], [4.0, 2.0], 9) == [5, 4]
    assert search._rounded([5, 1, 1], [5.0, 9.0, 3.0], 12) == [5, 4, 3]


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


@pytest.mark.parametrize(("n", "n_starts"), [(400, 40), (1000, 20), (5000, 5)])
def test_fewer_numbers_of_hubs_are_tried_where_sizes_are_very_many(n, n_starts, monkeypatch):
    monkeypatch.setattr(search, "_allocation", lambda hubs, *_: (list(map(float, hubs)), 0.5, 0.1))
    assert len(search.starts(range(1, n + 1))) == n_starts


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


def test_beyond_300_classes_there_is_no_climb():
    for n, moved in ((300, True), (301, False)):
        gold = [2] * n
        assert (search.climbed(gold, gold) != tuple(gold)) == moved


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
