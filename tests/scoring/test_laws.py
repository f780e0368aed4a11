"""Laws that hold for both formulas, checked on random data against exact fractions."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import macrof1
from macrof1.counts import trusted_counts
from macrof1.scoring.macro import mean_f

from ..oracles import Exact, close
from ..strategies import BETAS, SMALL, label_pairs, matrices


def scored(matrix, **options):
    return macrof1.score_matrix(matrix, rows="predicted", **options)


@given(matrices())
@settings(max_examples=300)
def test_every_score_equals_the_exact_one(matrix):
    result, exact = scored(matrix), Exact.of_matrix(matrix)
    for record, p, r, f in zip(result.per_class, exact.precision, exact.recall, exact.f, strict=True):
        assert record.precision == float(p)  # one rounding: the nearest float
        assert record.recall == float(r)
        assert record.f1 == float(f)
    assert close(result.macro_precision, exact.macro_precision)
    assert close(result.macro_recall, exact.macro_recall)
    assert close(result.averaged_f1, exact.averaged_f1)
    assert close(result.f1_of_averages, exact.f1_of_averages)


@given(matrices())
@settings(max_examples=500)
def test_the_gap_and_its_parts(matrix):
    result, exact, n = scored(matrix), Exact.of_matrix(matrix), len(matrix)
    gap = result.gap
    assert close(gap, exact.gap)
    # Theorem 1, the shares and the Lemma.
    shares = [record.gap_share for record in result.per_class]
    assert min(shares) >= 0
    assert math.fsum(shares) == gap
    assert math.fsum(pair.contribution for pair in result.pairs(most=None)) == pytest.approx(gap, rel=1e-13)
    # Both formulas start at the mean of P and R; they differ in what they subtract.
    pairs = zip(exact.precision, exact.recall, strict=True)
    each = sum(((p - r) ** 2 / (p + r) for p, r in pairs if p + r), Fraction()) / n
    p, r = exact.macro_precision, exact.macro_recall
    assert close(gap, (each - ((p - r) ** 2 / (p + r) if p + r else 0)) / 2)
    # Theorem 3, and limits for every number of classes.
    supremum = Fraction(n // 2 * -(-n // 2) * 2, n * n)
    assert gap < supremum or gap == 0 == supremum
    assert exact.gap <= min(exact.f1_of_averages, 1 - exact.f1_of_averages, (1 - exact.averaged_f1) / 2)


@given(st.integers(2, 6), st.integers(10**6, 10**12), st.data())
@settings(max_examples=300)
def test_the_gap_of_nearly_perfect_systems_does_not_cancel(n, diagonal, data):
    matrix = [[diagonal if x == y else data.draw(st.integers(0, 2)) for y in range(n)] for x in range(n)]
    assert close(scored(matrix).gap, Exact.of_matrix(matrix).gap)


@given(matrices(), BETAS, st.sampled_from([0, 1]))
@settings(max_examples=300)
def test_f1_of_averages_is_never_below_under_any_beta_and_policy(matrix, beta, undefined):
    result = scored(matrix, beta=beta, undefined=undefined)
    assert result.averaged_f1 <= result.f1_of_averages


@given(matrices())
def test_transposing_exchanges_precision_and_recall_and_nothing_else(matrix):
    result, transposed = scored(matrix), scored([list(column) for column in zip(*matrix, strict=True)])
    assert (result.averaged_f1, result.gap) == (transposed.averaged_f1, transposed.gap)
    assert result.macro_precision == transposed.macro_recall
    assert [r.precision for r in result.per_class] == [r.recall for r in transposed.per_class]


@given(matrices(most=5), st.randoms())
def test_the_order_of_the_classes_does_not_matter(matrix, random):
    order = list(range(len(matrix)))
    random.shuffle(order)
    result, moved = scored(matrix), scored([[matrix[x][y] for y in order] for x in order])
    assert (result.averaged_f1, result.f1_of_averages) == (moved.averaged_f1, moved.f1_of_averages)
    assert moved.gap == pytest.approx(result.gap, rel=3e-15)


@given(matrices(cells=SMALL))
def test_the_corrected_theorem_2(matrix):
    # The gap is 0 exactly when actual / predicted is constant over classes with tp > 0.
    result = scored(matrix)
    ratios = {Fraction(r.actual, r.predicted) for r in result.per_class if r.tp}
    assert (result.gap == 0) == (len(ratios) <= 1)


@given(matrices(), BETAS, st.sampled_from([0, 1]))
@settings(max_examples=200)
def test_beta_generalises_both_formulas_and_the_gap_and_undefined_ratios_may_count_as_1(matrix, beta, undefined):
    result = scored(matrix, beta=beta, undefined=undefined)
    exact = Exact.of_matrix(matrix, beta=beta, undefined=undefined)
    assert close(result.averaged_f1, exact.averaged_f1, relative=2e-15)
    assert close(result.f1_of_averages, exact.f1_of_averages, relative=2e-15)
    assert close(result.gap, exact.gap, relative=4e-15)
    if not undefined:
        assert [r.f1 for r in result.per_class] == pytest.approx([float(f) for f in exact.f], rel=1e-15)


@given(matrices(cells=SMALL))
def test_beta_0_is_precision_under_both_formulas(matrix):
    result = scored(matrix, beta=0)
    assert result.averaged_f1 == result.macro_precision
    assert result.f1_of_averages == pytest.approx(result.macro_precision, rel=1e-15)
    assert result.gap == 0


@given(label_pairs(), st.data())
def test_weights_are_repetition(pair, data):
    gold, pred = pair
    weights = data.draw(st.lists(st.integers(0, 5), min_size=len(gold), max_size=len(gold)))
    if not any(weights):
        weights[0] = 1
    repeated = [
        list(itertools.chain.from_iterable([label] * w for label, w in zip(side, weights, strict=True)))
        for side in (gold, pred)
    ]
    classes = sorted({*gold, *pred})
    weighted = macrof1.count(gold, pred, sample_weight=weights, labels=classes)
    plain = macrof1.count(*repeated, labels=classes)
    for name in ("tp", "predicted", "actual"):
        assert np.array_equal(getattr(weighted, name), getattr(plain, name))
    assert weighted.weighted
    assert not weighted.real


@given(matrices(cells=SMALL, least=2), st.data())
def test_more_hits_at_fixed_margins_never_shrink_the_gap(matrix, data):
    # Corollary of the identity: the gap is non-decreasing in every tp.
    exact = Exact.of_matrix(matrix)
    n = len(matrix)
    confused = [(x, y) for x in range(n) for y in range(x) if matrix[x][y] and matrix[y][x]]
    assume(confused)
    x, y = data.draw(st.sampled_from(confused))
    moved = [list(row) for row in matrix]
    moved[x][y] -= 1
    moved[y][x] -= 1
    moved[x][x] += 1
    moved[y][y] += 1
    assert Exact.of_matrix(moved).gap >= exact.gap
    assert scored(moved).gap >= scored(matrix).gap * (1 - 1e-14)


def test_arrays_without_a_list_have_no_listed_classes():
    ones = np.ones(300, int)
    arrays = trusted_counts(labels=tuple(range(300)), columns=(ones, ones, ones), n_rows=300)
    assert mean_f(arrays, macrof1.Convention()) == 1
    with pytest.raises(macrof1.InputError, match="without a list"):
        mean_f(arrays, macrof1.Convention(classes="listed"))


def test_beta_0_where_a_class_is_never_predicted():
    result = macrof1.score(["a", "b"], ["a", "a"], beta=0)
    assert result.averaged_f1 == result.macro_precision == 0.25
    assert macrof1.score(["a", "b"], ["a", "a"], beta=0, undefined=1).averaged_f1 == 0.75
