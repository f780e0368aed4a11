"""Bounds, and the search for the largest gap: equal to brute force, in exact fractions where that is feasible."""

import itertools
import math
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import macrof1
from macrof1.bounding import largest_gap as searching
from macrof1.bounding.closed_forms import (
    approaching_gap,
    checked_number,
    checked_score,
    gap_supremum,
    harmonic_mean,
    highest_binary_averaged_f1,
    highest_f1_of_averages,
    lowest_averaged_f1,
    lowest_averaged_f1_below,
)
from macrof1.bounding.largest_gap import largest_gap, witness
from macrof1.errors import CountError, EmptyError, InputError

from ..oracles import Exact


def mean(values):
    return sum(values) / Fraction(len(values))


def scores(P, R):
    return mean([harmonic_mean(p, r) for p, r in zip(P, R, strict=True)]), harmonic_mean(mean(P), mean(R))


@pytest.mark.parametrize(("n", "steps"), [(1, 6), (2, 4), (2, 6), (3, 2), (3, 3)])
def test_given_precision_and_recall_the_range_is_that_of_all_configurations(n, steps):
    # The extreme configurations have at most one coordinate inside (0, 1), so that they lie on every such grid.
    points = [Fraction(k, steps) for k in range(steps + 1)]
    found = {}
    for P in itertools.combinations_with_replacement(points, n):
        for R in itertools.product(points, repeat=n):
            A, _ = scores(P, R)
            found.setdefault((mean(P), mean(R)), []).append(A)
    for (p, r), values in found.items():
        assert min(values) == lowest_averaged_f1(p, r, n)
        assert max(values) <= harmonic_mean(p, r)
        assert min(values) >= lowest_averaged_f1(p, r)


def extreme(x, y, n):
    """The configuration that the proof ends with: whole ones, one rest, high precision with low recall."""
    P = [Fraction(1)] * int(x) + [x - int(x)] + [Fraction(0)] * n
    R = [Fraction(1)] * int(y) + [y - int(y)] + [Fraction(0)] * n
    return P[:n], R[:n][::-1]


@pytest.mark.parametrize("n", range(1, 11))
def test_given_f1_of_averages_the_lowest_averaged_f1_is_attained_and_inverted(n):
    for numerator in range(1, 31):
        b = Fraction(numerator, 30)
        low = lowest_averaged_f1_below(b, n)
        attained = []
        for k in range(1, n + 1):
            if b * n * k <= n * (2 * k - n * b):
                A, B = scores(*extreme(Fraction(k), n * b * k / (2 * k - n * b), n))
                assert b == B
                attained.append(A)
        assert low == min(attained)
        assert (low == 0) == (b <= gap_supremum(n))
        high = highest_f1_of_averages(b, n)
        assert high >= b
        if high < 1:
            assert lowest_averaged_f1_below(high, n) == b
        assert lowest_averaged_f1_below(b) <= low
        assert high <= highest_f1_of_averages(b)


def test_100_000_random_configurations_stay_inside():
    rng = np.random.default_rng(7)
    for n in (2, 3, 4, 7, 10):
        P, R = rng.random((2, 20_000, n))
        # Corners are where bounds are met: push many coordinates to 0 and 1.
        for side in (P, R):
            kind = rng.integers(0, 4, side.shape)
            side[kind == 0], side[kind == 1] = 0, 1
        s = P + R
        A = np.divide(2 * P * R, s, out=np.zeros_like(s), where=s > 0).mean(1)
        p, r = P.mean(1), R.mean(1)
        B = np.divide(2 * p * r, p + r, out=np.zeros_like(p), where=p + r > 0)
        for a, b, x, y in zip(A.tolist(), B.tolist(), p.tolist(), r.tolist(), strict=True):
            assert lowest_averaged_f1(x, y, n) - 1e-12 <= a <= harmonic_mean(x, y) + 1e-12
            assert lowest_averaged_f1(x, y) - 1e-12 <= a
            assert lowest_averaged_f1_below(b, n) - 1e-12 <= a
            assert b <= highest_f1_of_averages(a, n) + 1e-12
            assert b - a < min(b, 1 - b) + 1e-12
            assert b - a <= gap_supremum(n) + 1e-12


def test_two_classes_one_label_per_row_on_all_small_tables():
    for a, b, c, d in itertools.product(range(6), repeat=4):
        if not all((a + b, c + d, a + c, b + d)):
            continue
        exact = Exact.of_matrix([[a, b], [c, d]])
        p, r = exact.macro_precision, exact.macro_recall
        found = macrof1.bounds(precision=p, recall=r, n_classes=2) if p else None
        assert exact.averaged_f1 <= highest_binary_averaged_f1(p, r)
        if found is not None:
            assert found.binary.low - 1e-15 <= exact.averaged_f1 <= found.binary.high + 1e-15


def test_pairs_that_no_binary_data_has_are_refused_and_all_others_accepted():
    seen = set()
    for cells in itertools.product(range(5), repeat=4):
        exact = Exact.of_matrix([cells[:2], cells[2:]])
        seen.add((exact.macro_precision, exact.macro_recall))
    for p, r in seen:
        found = macrof1.bounds(precision=p, recall=r, n_classes=2)
        assert found.f1_of_averages.low == pytest.approx(float(harmonic_mean(p, r)))
    for p, r in [(0.7, 0.4), (0.4, 0.7), (0.5, 0.6), (0.9, 0.5)]:
        with pytest.raises(InputError, match="one label per row"):
            macrof1.bounds(precision=p, recall=r, n_classes=2)
        assert macrof1.bounds(precision=p, recall=r).gap.low == 0


def matrices_of(gold):
    """All matrices with these column sums, predictions as rows, as lists of columns."""

    def column(size):
        n = len(gold)
        return [
            tuple(right - left - 1 for left, right in itertools.pairwise((-1, *bars, size + n - 1)))
            for bars in itertools.combinations(range(size + n - 1), n - 1)
        ]

    return itertools.product(*map(column, gold))


TWO = [(1, 1), (2, 5), (4, 4), (1, 7), (3, 9), (9, 3), (1, 50), (50, 1)]


@pytest.mark.parametrize("gold", [*TWO, (1, 1, 1), (2, 3, 1), (1, 2, 4), (3, 3, 2)])
def test_the_largest_gap_is_that_of_all_matrices(gold):
    best = max(Exact.of_matrix(list(zip(*columns, strict=True))).gap for columns in matrices_of(gold))
    found = largest_gap(gold)
    assert found.exact
    assert (found.reason == "proved for two classes") == (gold in TWO)
    assert found.gap == pytest.approx(float(best), abs=1e-15)


def test_the_search_finds_what_enumeration_finds_and_its_limit_holds(monkeypatch):
    draw = random.Random(3)  # noqa: S311  # sizes, not secrets
    monkeypatch.setattr(searching, "_MOST_ENUMERATED", 0)
    for n, most, cases in ((3, 9, 10), (4, 6, 6), (5, 3, 2)):
        for _ in range(cases):
            gold = tuple(draw.randint(2, most) for _ in range(n))
            best = max(searching.float_gap(gold, p) for p in searching._compositions(sum(gold), n))
            found = largest_gap(gold)
            assert found.gap == pytest.approx(best, abs=1e-12), gold
            assert found.limit >= best - 1e-12, gold


@settings(max_examples=25)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=5))
def test_the_witness_has_the_gold_distribution_and_the_gap(gold):
    found = largest_gap(gold)
    table = np.array(found.matrix())
    assert table.sum(0).tolist() == gold
    assert table.sum(1).tolist() == list(found.predicted)
    result = macrof1.score_matrix(table, rows="predicted")
    assert result.gap == pytest.approx(found.gap, abs=1e-12)
    assert result.averaged_f1 == pytest.approx(found.averaged_f1, abs=1e-12)
    assert found.gap <= found.limit < 0.5
    assert not found.exact or found.gap == found.limit


def test_exact_is_said_only_where_the_limit_is_met():
    assert largest_gap([100, 200, 700]).exact
    open_case = largest_gap([250] * 4)
    assert not open_case.exact
    assert 0.001 < open_case.limit - open_case.gap < 0.003
    assert "may have missed" in open_case.reason


def test_many_classes_are_answered():
    found = largest_gap(range(1, 46))
    assert 0.3 < found.gap <= found.limit < found.gap + 1e-3


@given(
    st.lists(st.tuples(st.fractions(0, 1), st.fractions(0, 1)), min_size=3, max_size=3),
    st.lists(st.tuples(st.fractions(0, 1), st.fractions(0, 1)), min_size=3, max_size=3),
)
def test_no_pair_of_systems_flips_against_a_certificate(first, second):
    (A1, B1), (A2, B2) = (scores(*zip(*system, strict=True)) for system in (first, second))
    for n in (3, None):
        if lowest_averaged_f1_below(B1, n) > B2 or highest_f1_of_averages(A2, n) < A1:
            assert A1 > A2
            assert B1 > B2


def test_impossible_supports_and_pairs():
    for support in ([0, 3], [1.5, 2], [-1, 2], [True, 2], ["a"]):
        with pytest.raises(CountError, match="gold rows"):
            largest_gap(support)
    with pytest.raises(EmptyError):
        largest_gap([])
    with pytest.raises(CountError, match="1,000,001 classes: expected at most 1,000,000"):
        largest_gap([1] * 1_000_001)
    assert largest_gap([2**53 - 1, 1]).exact
    with pytest.raises(CountError, match=r"2\*\*53"):
        largest_gap([2**53, 1])
    for closeness in (0, 1, -1, "x"):
        with pytest.raises(InputError, match="closeness"):
            witness(2, closeness=closeness)


def test_the_work_grows_with_the_sizes_of_classes_and_not_with_their_number(monkeypatch):
    calls, most_added = [], searching.most_added

    def counted(*arguments):
        calls.append(1)
        return most_added(*arguments)

    monkeypatch.setattr(searching, "most_added", counted)
    work = []
    for n in (400, 4_000):
        calls.clear()
        found = largest_gap([1 + place % 7 for place in range(n)])
        assert found.gap <= found.limit < 0.5
        assert sum(found.predicted) == sum(found.support)
        work.append(len(calls))
    assert work[1] < 2 * work[0]


def test_what_is_known_and_what_is_left_is_told_whole():
    found = macrof1.bounds(n_classes=3).to_dict()
    whole = {"low": 0.0, "high": 1.0}
    assert found == {
        "given": {},
        "n_classes": 3,
        "averaged_f1": whole,
        "f1_of_averages": whole,
        "gap": {"low": 0.0, "high": 4 / 9},
        "note": "the supremum is approached and never reached",
    }
    one = macrof1.bounds(n_classes=1)
    assert (one.gap.low, one.gap.high, one.note) == (0.0, 0.0, "one class has no gap")
    free = macrof1.bounds(f1_of_averages="0.75").to_dict()
    assert free["n_classes"] is None  # it says that the intervals hold for every number
    assert "any_n" not in free
    assert free["averaged_f1"] == {"low": 0.5, "high": 0.75}
    assert free["gap"] == {"low": 0.0, "high": 0.25}
    two = macrof1.bounds(f1_of_averages="0.75", n_classes=2)
    assert two.any_n.to_dict() == free
    other = macrof1.bounds(averaged_f1="0.5", n_classes=2)
    assert other.f1_of_averages.low == other.averaged_f1.low == other.averaged_f1.high == 0.5
    assert other.any_n.f1_of_averages.high == 0.75
    assert other.gap.high == 1 / 6


def test_given_class_sizes_the_scores_are_free_and_the_gap_ends_at_the_limit():
    met = macrof1.bounds(support=[100, 200, 700])
    assert met.averaged_f1 == met.f1_of_averages
    assert (met.averaged_f1.low, met.averaged_f1.high) == (0.0, 1.0)
    assert (met.gap.low, met.gap.high) == (0.0, met.largest.gap)
    assert met.n_classes == 3
    assert met.note == "one label per row; the limit is met"
    open_case = macrof1.bounds(support=[250] * 4, n_classes=4)
    assert open_case.largest.gap < open_case.largest.limit < open_case.gap.high
    assert open_case.gap.high == pytest.approx(open_case.largest.limit, rel=1e-15)


def test_a_range_is_shown_as_one_number_where_its_ends_meet():
    found = macrof1.bounds(precision="0.25", recall="0.75", n_classes=3)
    assert str(found.f1_of_averages) == "0.3750"
    assert str(found.averaged_f1) == "0.1250 to 0.3750"  # H(0.75, 0.25) / 3


@pytest.mark.parametrize(
    ("p", "r", "low", "high"),
    [
        ("0.5", "0.25", "1/3", "1/3"),  # one class is never predicted
        ("0.25", "0.5", "1/3", "1/3"),
        ("0.5", "0.5", "0", "0.5"),
        ("0.75", "0.75", "2/3", "0.75"),
        ("0.25", "0.25", "0", "0.25"),
        ("0.75", "1", None, "5/6"),
    ],
)
def test_two_classes_at_the_edges(p, r, low, high):
    found = macrof1.bounds(precision=p, recall=r, n_classes=2).binary
    assert found.high == pytest.approx(float(Fraction(high)))
    assert low is None or found.low == pytest.approx(float(Fraction(low)))


def test_numbers_of_classes_up_to_the_most():
    assert macrof1.bounds(n_classes=100_000).gap.high == 0.5
    assert macrof1.bounds(n_classes=np.int64(2)).n_classes == 2
    with pytest.raises(InputError, match="at most 100,000"):
        macrof1.bounds(n_classes=100_001)
    for score in (0, 1, "0.0", "1"):
        assert macrof1.bounds(f1_of_averages=score).f1_of_averages.low == float(score)
    with pytest.raises(InputError) as beyond:
        macrof1.bounds(f1_of_averages=101)
    assert "divide" not in str(beyond.value)
    assert macrof1.bounds(f1_of_averages="75e-2").f1_of_averages.low == 0.75


def test_few_rows_are_proved_by_enumeration_and_more_are_searched():
    assert largest_gap([60, 60, 77]).reason.startswith("all ways")  # 19,701 ways
    assert not largest_gap([60, 60, 80]).reason.startswith("all ways")  # 20,301


def test_the_closed_forms_keep_their_kind_of_number():
    for one in (Fraction(3, 4), 0.75):
        kind = type(one)
        for n in (None, 2, 5):
            for form in (lowest_averaged_f1_below, highest_f1_of_averages):
                for value in (one, one - one, one / one):
                    assert type(form(value, n)) is kind
                    assert form(value, n) == pytest.approx(float(form(Fraction(value), n)))
            assert type(lowest_averaged_f1(one, one - one, n)) is kind
            assert type(lowest_averaged_f1(one, one, n)) is kind
        assert type(harmonic_mean(one - one, one - one)) is kind


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_the_ends_of_the_scores(n):
    zero, one = Fraction(0), Fraction(1)
    assert lowest_averaged_f1_below(zero, n) == lowest_averaged_f1_below(zero) == 0
    assert lowest_averaged_f1_below(one, n) == lowest_averaged_f1_below(one) == 1
    assert highest_f1_of_averages(one, n) == highest_f1_of_averages(one) == 1
    assert highest_f1_of_averages(zero, n) == gap_supremum(n)
    assert highest_f1_of_averages(zero) == Fraction(1, 2)
    assert lowest_averaged_f1(one, one, n) == lowest_averaged_f1(one, one) == 1
    assert lowest_averaged_f1(zero, zero, n) == 0
    assert lowest_averaged_f1(Fraction(1, 2), Fraction(1, 4)) == 0
    assert lowest_averaged_f1(Fraction(3, 4), Fraction(1, 2)) == Fraction(1, 4)


def test_bounds_in_full():
    found = macrof1.bounds(precision="0.75", recall="0.6", n_classes=2)
    high = 2 * 0.75 * 0.6 / 1.35
    assert found.to_dict() == {
        "given": {"precision": 0.75, "recall": 0.6},
        "n_classes": 2,
        "averaged_f1": {"low": 0.5, "high": pytest.approx(high)},
        "f1_of_averages": {"low": pytest.approx(high), "high": pytest.approx(high)},
        "gap": {"low": 0.0, "high": pytest.approx(high - 0.5)},
        "note": "per-class precision and recall anywhere in [0, 1]; data sets come arbitrarily close to the ends",
        "any_n": {
            "given": {"precision": 0.75, "recall": 0.6},
            "n_classes": None,
            "averaged_f1": {"low": pytest.approx(0.35), "high": pytest.approx(high)},
            "f1_of_averages": {"low": pytest.approx(high), "high": pytest.approx(high)},
            "gap": {"low": 0.0, "high": pytest.approx(high - 0.35)},
            "note": found.note,
        },
        "binary": {"low": 0.5, "high": pytest.approx((1 + 2 * 0.5 * 0.2 / 0.7) / 2)},
    }
    assert macrof1.bounds(precision="0.75", recall="0.6", n_classes=3).binary is None
    assert macrof1.bounds(support=[5]).gap.high == 0
    nothing = macrof1.bounds(precision=0, recall=0, n_classes=3)
    assert (nothing.averaged_f1.high, nothing.gap.high, nothing.any_n.n_classes) == (0.0, 0.0, None)
    assert macrof1.bounds(support=[3, 4], n_classes=2).n_classes == 2


@pytest.mark.parametrize("text", ["1e1000", "1E-1000", "5e+12345", Decimal("1e1000")])
def test_exponents_of_four_digits_are_not_expanded(text):
    with pytest.raises(InputError, match=r"such as 0\.75"):
        checked_number(text, "x")


@pytest.mark.parametrize(
    ("text", "number"), [("1e-999", Fraction(1, 10**999)), ("3/4", Fraction(3, 4)), (1, 1), (0, 0)]
)
def test_scores_are_read_exactly(text, number):
    assert checked_score(text, "x") == number
    for wrong in (Fraction(-1, 10**9), 1 + Fraction(1, 10**9)):
        with pytest.raises(InputError, match="from 0 to 1"):
            checked_score(wrong, "x")


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_a_witness_in_full(n):
    found = witness(n, closeness="0.25")
    assert (found.n_classes, found.supremum, found.closeness) == (n, float(gap_supremum(n)), 0.25)
    assert found.gap == float(Exact.of_matrix(found.matrix()).gap)
    assert list(found.to_dict()) == ["n_classes", "supremum", "closeness", "gap", "cells"]
    assert sum(cell["rows"] for cell in found.to_dict()["cells"]) == n + (n - n // 2) * rows_moved(found) * (n > 1)
    assert rows_moved(witness(n, closeness="0.999")) == 1
    assert witness(n).closeness == 0.001


def rows_moved(found):
    return max(rows for _, _, rows in found.cells)


@pytest.mark.parametrize("n", [2, 3, 6, 13])
@pytest.mark.parametrize("closeness", ["0.6", "0.3", "1e-4", "1e-40"])
def test_a_witness_is_never_smaller_than_it_must_be_nor_further_than_asked(n, closeness):
    rows = rows_moved(witness(n, closeness=closeness))
    assert 0 < gap_supremum(n) - approaching_gap(n, rows) <= Fraction(closeness)
    assert rows == 1 or gap_supremum(n) - approaching_gap(n, rows - 1) > Fraction(closeness)
    assert rows <= math.ceil(2 / Fraction(closeness))


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
    assert searching.float_gap(gold, predicted) == pytest.approx(float(exact.gap), abs=1e-14)


@given(st.integers(1, 40), centres, prices, st.integers(0, 120))
def test_no_number_of_predictions_adds_more_than_the_parts_say(g, centre, price, more):
    total = g + more
    source, hub = searching.most_added(g, centre, price, total)
    assert source == pytest.approx(max(value(g, p, centre, price) for p in range(g + 1)), abs=1e-12)
    assert hub == pytest.approx(max(value(g, p, centre, price) for p in range(g, total + 1)), abs=1e-12)


def least_limit(gold, hubs):
    """Minimise the limit over both multipliers by another method, from several places."""
    total, n = sum(gold), len(gold)

    def at(multipliers):
        lam, nu = multipliers
        if not 0 < lam < 1:
            return 1.0
        parts = [searching.most_added(g, lam, nu, total) for g in gold]
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
    found = searching.largest_gap(gold)
    expected = max(found.gap, *(least_limit(gold, hubs) for hubs in range(1, len(gold))))
    # The limit has edges, on which a search by patterns stops a little early.
    assert -1e-9 < found.limit - expected < 3e-5
