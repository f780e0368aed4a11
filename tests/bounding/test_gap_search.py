"""The search for the largest gap: each step against brute force, in exact arithmetic where possible."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from fractions import Fraction

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


def test_a_hub_takes_all_where_no_slope_stops_it():
    # With a centre of 0 the slope grows without end; with a price of 0 nothing is too dear.
    assert search._best_hub(3, 0.0, 0.5, 40.0) == 40.0
    assert search._best_hub(3, -0.5, 0.5, 40.0) == 40.0
    assert search._best_hub(3, 0.5, 0.0, 40.0) == 40.0
    assert search._best_hub(40, 0.5, 0.1, 40.0) == 40.0
    # Too dear from the start: the predictions at which the slope is largest, or the gold count.
    assert search._best_hub(3, 0.9, 5.0, 40.0) == 3.0
    root = 0.5 ** (2 / 3)
    assert search._best_hub(3, 0.5, 5.0, 40.0) == pytest.approx(3 * root / (1 - root))


@given(st.integers(1, 40), st.floats(-1.0, 2.0), st.floats(1e-6, 0.2), st.integers(1, 10**6))
def test_the_slope_at_a_hub_is_the_price_to_nine_digits(g, centre, price, more):
    most = float(g + more)
    p = search._best_hub(g, centre, price, most)
    if not 1.0001 * g < p < 0.9999 * most:
        return
    x = Fraction(p) / g
    bend = (1 - Fraction(centre)) ** 2
    slope = (1 / (1 + x) ** 2 - bend / x**2) / g
    steep = 2 / (1 + x) ** 3 - 2 * bend / x**3  # how fast it falls
    if steep * x > slope * g / 100:
        assert float(slope) == pytest.approx(price, rel=1e-7)


def test_rounding_where_the_sum_is_too_large_takes_from_the_largest_excess():
    assert search._rounded([5, 1, 1], [5.0, 9.0, 3.0], 16) == [5, 8, 3]
    assert search._rounded([1, 1], [2.0, 2.0], 4) == [2, 2]
    assert search._rounded([1, 1], [2.0, 2.0], 3) == [1, 2]
    assert search._rounded([1, 1], [2.0, 2.0], 5) in ([3, 2], [2, 3])
    assert search._rounded([1, 4, 4], [6.0, 5.0, 4.0], 9) == [1, 4, 4]
    assert search._rounded([2, 3], [1.9999999, 3.9999999], 6) == [2, 4]  # never below the gold count


@pytest.mark.parametrize("hubs", [None, 1, 2, 3])
def test_a_limit_is_what_no_class_adds_more_than_plus_rounding(hubs):
    gold, total = (3, 50, 8, 8), 69
    for centre, price in ((0.5, 0.01), (0.3, 0.002), (0.7, 0.05)):
        parts = [search._parts(g, centre, price, total) for g in gold]
        gains = sorted((hub - source for source, hub in parts), reverse=True)
        gained = sum(max(gain, 0) for gain in gains) if hubs is None else sum(gains[:hubs])
        expected = 2 / 4 * (price * total + sum(source for source, _ in parts) + gained)
        found = search._lowest(gold, hubs, search.Start((), 2, centre, price), enough=10.0)
        assert found - expected == pytest.approx(1e-12, rel=0.01)


def test_a_search_for_a_limit_never_ends_above_its_start():
    gold = (3, 50, 8, 120)
    least = least_limit(gold, None)
    for centre in (0.1, 0.5, 0.9):
        for price in (1e-15, 1e-3, 0.5):
            start = search.Start((), 2, centre, price)
            first = search._lowest(gold, None, start, enough=10.0)
            last = search._lowest(gold, None, start, enough=0.0)
            assert last <= first
            assert last == pytest.approx(least, abs=1e-3)


def test_a_limit_stops_as_soon_as_it_is_met_up_to_rounding():
    gold = (100, 200, 700)
    start = search.starts(gold)[0]
    least = search._lowest(gold, None, start, 0.0)
    assert search._lowest(gold, None, start, least) == pytest.approx(least, abs=1e-9)
    between = (least + search._lowest(gold, None, start, 10.0)) / 2
    assert least < search._lowest(gold, None, start, between) <= between


@pytest.mark.parametrize(
    ("gold", "tried"),
    [
        ((250, 250, 250, 250), [None, 1, 2, 3]),  # not met: every number of hubs
        ((5,) * 40, [None, *range(1, 40)]),
        ((5,) * 41, [None]),  # too many: one limit for all
    ],
)
def test_every_number_of_hubs_has_its_limit_unless_classes_are_many(gold, tried, monkeypatch):
    found, asked, lowest = search.starts(gold), [], search._lowest

    def recorded(gold, hubs, start, _):
        asked.append(hubs)
        return lowest(gold, hubs, start, 10.0)  # without the search

    monkeypatch.setattr(search, "_lowest", recorded)
    search.limit(gold, found, 0.1)
    assert asked == tried


def test_a_limit_that_is_met_at_once_is_not_refined(monkeypatch):
    gold = (100, 200, 700)
    for above, asked in ((5e-10, 1), (5e-9, 3)):
        calls = []
        monkeypatch.setattr(search, "_lowest", lambda *_, above=above, calls=calls: calls.append(1) or 0.25 + above)
        assert search.limit(gold, search.starts(gold), 0.25) == 0.25 + above
        assert len(calls) == asked


def test_the_limit_is_the_worst_number_of_hubs_or_that_of_all_if_lower(monkeypatch):
    gold = (100, 200, 700)
    found = search.starts(gold)
    for limits, least in (({None: 0.5, 1: 0.3, 2: 0.4}, 0.4), ({None: 0.35, 1: 0.3, 2: 0.4}, 0.35),
                          ({None: 0.5, 1: 0.1, 2: 0.1}, 0.25)):  # fmt: skip
        monkeypatch.setattr(search, "_lowest", lambda _, hubs, *__, limits=limits: limits[hubs])
        assert search.limit(gold, found, 0.25) == least


def test_allocations_of_golden_sizes():
    # By hand: one hub takes all that the sources leave; equal hubs share it.
    real, centre, price = search._allocation([4], [10, 10], 22, 0.5)
    assert real == pytest.approx([22])
    parts = [(1.1, 10 / 11), (1.1, 10 / 11), (26 / 22, 4 / 26)]
    assert centre == pytest.approx(sum(s * u for s, u in parts) / sum(s for s, _ in parts), abs=1e-6)
    assert price <= 1 / 4
    real, _, _ = search._allocation([4, 4], [10, 10], 26, 0.5)
    assert real == pytest.approx([13, 13])
    real, _, _ = search._allocation([4, 9], [1000], 1012, 0.5)
    # Far out the slope is (1 - bend) g / p²: shares grow with the roots of the sizes.
    assert real[1] / real[0] == pytest.approx(1.5, rel=0.05)


@given(st.lists(st.integers(1, 60), min_size=2, max_size=9))
def test_starts_lie_near_what_their_allocations_say(gold):
    order = sorted(gold)
    for start in search.starts(gold):
        hubs, sources = order[: start.hubs], order[start.hubs :]
        room = sum(gold) - len(sources)
        taken = sorted(p for p, g in zip(start.predicted, gold, strict=True))
        assert sum(taken) == sum(gold)
        assert 0 < start.centre < 1
        assert start.price > 0
        real = [search._best_hub(g, start.centre, start.price, room) for g in hubs]
        if sum(real) == pytest.approx(room, rel=1e-6):
            mine = [p for p, place in zip(start.predicted, _places(gold, start.hubs), strict=True) if place]
            assert sorted(mine) == pytest.approx(sorted(real), abs=1 + 1e-3 * room)


def _places(gold, k):
    """Return which classes are the k smallest."""
    small = sorted(range(len(gold)), key=gold.__getitem__)[:k]
    return [place in small for place in range(len(gold))]
