"""The parts of the gap: which way classes lean, and which pairs cause it."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.convention import Convention
from macrof1.counts import ClassCounts
from macrof1.scoring.gap import _cross, _points, gap_pairs, spread
from macrof1.scoring.ratios import select

from ..strategies import SMALL, matrices


def test_a_class_that_is_never_right_leans_nowhere():
    counts = ClassCounts.of(["a", "b", "c"], tp=[4, 2, 0], predicted=[4, 9, 1], actual=[8, 3, 5])
    found = spread(select(counts, Convention()), Convention())
    assert found.weight[2] == found.shift[2] == found.leanings()[2] == found.shares()[2] == 0
    assert found.leanings()[0] > 0 > found.leanings()[1]
    assert sum(w * lean for w, lean in zip(found.weight, found.leanings(), strict=True)) == pytest.approx(0, abs=1e-15)


@given(matrices(cells=SMALL), st.sampled_from([0.5, 1.0, 2.0]), st.sampled_from([0, 1]))
def test_leanings_are_the_distance_to_the_weighted_mean(matrix, beta, undefined):
    counts = macrof1.score_matrix(matrix, rows="predicted").counts
    convention = Convention(beta=beta, undefined=undefined)
    columns = select(counts, convention)
    found = spread(columns, convention)
    square = beta * beta
    precision, recall = columns.precision(undefined), columns.recall(undefined)
    weight = [r + square * p for p, r in zip(precision, recall, strict=True)]
    assert found.weight == pytest.approx(weight)
    if not any(weight):
        return
    u = [p / w if w else 0.0 for p, w in zip(precision, weight, strict=True)]
    centre = sum(w * x for w, x in zip(weight, u, strict=True)) / sum(weight)
    leanings = [x - centre if w else 0.0 for x, w in zip(u, weight, strict=True)]
    assert found.leanings() == pytest.approx(leanings, abs=1e-12)
    factor = (1 + square) * square / len(weight)
    assert found.shares() == pytest.approx(
        [factor * w * lean**2 for w, lean in zip(weight, leanings, strict=True)], abs=1e-12
    )


@given(matrices(cells=SMALL, least=2), st.integers(1, 4))
def test_pairs_name_the_class_that_leans_to_precision_first(matrix, most):
    counts = macrof1.score_matrix(matrix, rows="predicted").counts
    found = spread(select(counts, Convention()), Convention())
    pairs = gap_pairs(counts, most=most)
    every = gap_pairs(counts, most=None)
    assert pairs == every[:most]
    place = {label: at for at, label in enumerate(counts.labels)}
    for pair in every:
        high, low = place[pair.over_precise], place[pair.over_recalled]
        assert found.shift[high] > found.shift[low]
        expected = found.factor / sum(found.weight) * found.weight[high] * found.weight[low]
        assert pair.contribution == pytest.approx(expected * (found.shift[high] - found.shift[low]) ** 2)
        assert pair.contribution > 0
    some = [at for at, weight in enumerate(found.weight) if weight]
    assert len(every) == sum(found.shift[i] != found.shift[j] for i, j in itertools.combinations(some, 2))


def test_products_of_reals_that_nearly_cancel_are_exact():
    tiny = 2.0**-52
    assert _cross(1.0, 1.0 + tiny, 1.0, 1.0) == tiny
    assert _cross(3.0, 1 / 3, 1.0, 1.0) == pytest.approx(3 * (1 / 3) - 1, abs=1e-16)
    assert _cross(2.0, 3.0, 1.0, 4.0) == 2.0
    assert _cross(1.0, 1.0, 1.0, 1.0) == 0


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.1234, "12.3 points"), (0.0005, "0.1 points"), (0.000499, "0.05 points"), (2e-7, "2e-05 points")],
)
def test_points(value, text):
    assert _points(value) == text


def test_ten_pairs_are_returned_unless_more_are_asked_for():
    counts = ClassCounts.of(range(6), tp=[1] * 6, predicted=[1, 2, 3, 4, 5, 6], actual=[6, 5, 4, 3, 2, 1])
    assert len(gap_pairs(counts)) == 10
    assert len(gap_pairs(counts, most=None)) == 15


def test_reals_that_do_not_cancel_are_not_made_fractions():
    # Near each other the exact difference of products is taken; far apart the difference of rounded products.
    g, p_ref, p, g_ref = 0.1, 0.3, 0.7, 0.01
    assert _cross(g, p_ref, p, g_ref) == g * p_ref - p * g_ref
    near = _cross(0.1, 0.3, 0.3, 0.1)
    assert near == 0
    exact = Fraction(0.1) * Fraction(0.3) - Fraction(0.1000001) * Fraction(0.3)
    assert _cross(0.1, 0.3, 0.1000001, 0.3) == float(exact) != 0.1 * 0.3 - 0.1000001 * 0.3
