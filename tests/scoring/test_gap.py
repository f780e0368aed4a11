"""The parts of the gap: which way classes lean, and which pairs cause it."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.convention import Convention
from macrof1.counts import ClassCounts
from macrof1.scoring.gap import explain, gap_pairs, noise_df, noise_times, spread, times_noise, within_noise
from macrof1.scoring.macro import ClassColumns, select

from ..oracles import Exact
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
    assert every == sorted(every, key=lambda pair: -pair.contribution)
    place = {label: at for at, label in enumerate(counts.labels)}
    for pair in every:
        high, low = place[pair.over_precise], place[pair.over_recalled]
        assert found.shift[high] > found.shift[low]
        expected = found.factor / sum(found.weight) * found.weight[high] * found.weight[low]
        assert pair.contribution == pytest.approx(expected * (found.shift[high] - found.shift[low]) ** 2)
        assert pair.contribution > 0
    some = [at for at, weight in enumerate(found.weight) if weight]
    assert len(every) == sum(found.shift[i] != found.shift[j] for i, j in itertools.combinations(some, 2))


def test_a_difference_that_rounds_to_nothing_is_not_explained():
    columns = ClassColumns(("a", "b"), (900_000, 900_000), (1_000_500, 999_500), (1_000_000, 1_000_000))
    assert 0 < spread(columns, Convention()).gap() < 1e-6
    assert explain(columns) == "The formulas differ by less than 0.05 points."


def test_of_equal_contributions_the_first_classes_are_kept():
    # All pairs of an over-precise and an over-recalled class contribute the same: three are asked for.
    counts = ClassCounts.of(list("abcd"), tp=[1] * 4, predicted=[1, 2, 1, 2], actual=[2, 1, 2, 1])
    found = [(pair.over_precise, pair.over_recalled) for pair in gap_pairs(counts, most=3)]
    assert found == [("a", "b"), ("a", "d"), ("c", "b")]


def test_no_pairs_where_nothing_is_right():
    counts = ClassCounts.of(["a", "b"], tp=[0, 0], predicted=[1, 2], actual=[2, 1])
    assert gap_pairs(counts) == []
    convention = Convention()
    found = spread(select(counts, convention), convention)
    assert (found.weight, found.shift, found.centre, found.factor) == ([0, 0], [0, 0], 0, 1)
    assert explain(select(counts, convention), convention).startswith("The formulas agree: no class leans")


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ({"a": (1, 2, 3)}, "The formulas agree: with one class, both are its F1."),
        ({"a": (1, 2, 2), "b": (2, 4, 4)},
         "The formulas agree: no class leans further to precision or to recall than the others."),
        ({"a": (1, 1, 2), "b": (2, 4, 3)},
         "The formulas differ by {} points: class a is over-precise, class b is over-recalled."),
        ({"a": (1, 2, 1), "b": (2, 3, 4)},
         "The formulas differ by {} points: class b is over-precise, class a is over-recalled."),
        ({"a": (1, 2, 2), "b": (2, 4, 3)},
         "The formulas differ by {} points: class a is over-precise compared with the others, "
         "class b is over-recalled."),
        ({"a": (1, 2, 3), "b": (2, 4, 4), "c": (0, 9, 1)},
         "The formulas differ by {} points: class a is over-precise, class b is over-recalled compared with the "
         "others."),
    ],
)  # fmt: skip
def test_explanations(rows, text):
    tp, predicted, actual = zip(*rows.values(), strict=True)
    columns = ClassColumns(tuple(rows), tp, predicted, actual)
    told = text.format(f"{float(100 * Exact(tp, predicted, actual).gap):.1f}")
    assert explain(columns) == explain(columns, Convention()) == told


def test_the_class_that_explains_a_side_is_the_one_with_the_largest_share():
    columns = ClassColumns(tuple("abcd"), (8, 8, 8, 8), (9, 8, 20, 10), (10, 20, 8, 9))
    assert explain(columns).endswith("class b is over-precise, class c is over-recalled.")
    shares = spread(columns, Convention()).shares()
    assert shares[1] > shares[0]
    assert shares[2] > shares[3]


@given(matrices(cells=SMALL, least=2), st.sampled_from([0.5, 1.0, 2.0]), st.sampled_from([0, 1]))
def test_real_weights_have_the_gap_of_their_fractions(matrix, beta, undefined):
    # Thirds are not doubles: products of margins are rounded, and the exact gap is that of the rounded margins.
    real = [[cell / 3 for cell in row] for row in matrix]
    result = macrof1.score_matrix(real, rows="predicted", beta=beta, undefined=undefined)
    counts = result.counts
    columns = (list(map(Fraction, column)) for column in (counts.tp, counts.predicted, counts.actual))
    exact = Exact(*columns, beta=beta, undefined=undefined)
    assert result.gap == pytest.approx(float(exact.gap), rel=1e-12, abs=1e-30)


def noise_bounds(columns, found, beta):
    """Return what the noise floor lies between, over the factor: Σ w var(v) less w² var(v) / Σ w, and without it."""
    square, total = Fraction(beta) ** 2, sum(map(Fraction, found.weight))
    rows = zip(columns.tp, columns.predicted, columns.actual, map(Fraction, found.weight), strict=True)
    parts = [(t * (p + g - 2 * t) / (p + square * g) ** 3, w) for t, p, g, w in rows if t]
    return sum(part * (1 - w / total) for part, w in parts), sum(part for part, _ in parts)


def noise_threshold(columns, found, beta):
    total = sum(found.weight)
    rows = zip(columns.tp, columns.predicted, columns.actual, found.weight, strict=True)
    terms = [(t * (p + g - 2 * t) / (p + beta**2 * g) ** 3, w) for t, p, g, w in rows if t]
    parts = [term * (1 - w / total) for term, w in terms]
    return Fraction(noise_times(parts, [term / w for term, w in terms], beta))


@given(matrices(cells=SMALL, least=2, positive_diagonal=True), st.sampled_from([0.5, 1.0, 2.0]), st.data())
def test_noise_is_decided_by_its_bounds_where_they_decide(matrix, beta, data):
    convention = Convention(beta=beta)
    columns = select(macrof1.score_matrix(matrix, rows="gold").counts, convention)
    found = spread(columns, convention)
    low, high = noise_bounds(columns, found, beta)
    side = data.draw(st.sampled_from([low, high]))
    times = data.draw(st.sampled_from([0.5, 1 - 1e-6, 1 - 1e-12, 1.0, 1 + 1e-12, 1 + 1e-6, 2.0]))
    threshold = noise_threshold(columns, found, beta)
    gap = float(threshold * Fraction(found.factor) * side) * times
    limit = Fraction(gap) / threshold / Fraction(found.factor)
    near = Fraction(1, 10**9)  # decided only where rounding cannot matter
    expected = True if low > (1 + near) * limit else False if high < (1 - near) * limit else None
    assert within_noise(columns, found, gap, beta) is expected


def test_noise_of_rare_classes_is_larger_and_of_fewer_degrees_of_freedom():
    assert (noise_df([5.0]), noise_df([1.0] * 4)) == (1.0, 3.0)
    assert noise_df([1.0, 1.0, 1.0, 0.0]) == noise_df(np.array([1.0, 1.0, 1.0, 0.0])) == pytest.approx(2.0)
    assert times_noise(4.0) == pytest.approx(2.3641, abs=5e-5)  # 2.3719 without the approximation
    assert noise_times([0.0, 0.0], [0.1, 0.1], 1.0) == times_noise(1.0)
    grows = math.exp(3 * 2**2 * (1 + 2**2) ** 2 * 0.001)
    assert noise_times([1.0] * 3, [0.001] * 3, 2.0) == pytest.approx(times_noise(2 / grows**2) * grows)
