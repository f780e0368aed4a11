"""Edge cases of per-class ratios: beta, tiny and huge weights, empty class sets."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import macrof1
from macrof1.convention import Convention
from macrof1.counts import trusted_counts
from macrof1.errors import ConventionError, EmptyError
from macrof1.scoring import macro
from macrof1.scoring.ratios import ClassColumns, select


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("scale", [1e-200, 1e-155, 1e-100, 1.0])
def test_the_f_of_tiny_means_keeps_its_digits(beta, scale):
    p, r = 0.75 * scale, 0.25 * scale
    square = Fraction(beta) ** 2
    exact = (1 + square) * Fraction(p) * Fraction(r) / (square * Fraction(p) + Fraction(r))
    assert macro.f_of_means(p, r, beta) == pytest.approx(float(exact), rel=1e-14, abs=0)
    assert macro.f_of_means(0.0, 0.0, beta) == 0
    assert macro.f_of_means(0.5, 0.0, beta) == 0


def test_undefined_ratios():
    columns = ClassColumns(("a", "b", "c", "d"), (1, 0, 0, 0), (2, 0, 3, 0), (1, 4, 0, 0))
    assert columns.precision(0) == [0.5, 0, 0, 0]
    assert columns.recall(1) == [1, 0, 1, 1]
    assert columns.f(1.0, 1) == [2 / 3, 0, 0, 1]
    assert columns.f(2.0, 1) == [5 / 6, 0, 0, 1]
    assert columns.f(0.0, 1) == [0.5, 1, 0, 1]  # the precision
    parts = columns.f(1.0, "drop_with_parts")
    assert parts[0] == 2 / 3
    assert all(map(math.isnan, parts[1:]))
    assert [math.isnan(value) for value in columns.f(1.0, "drop")] == [False, False, False, True]
    assert columns.means_differ("drop")
    assert not columns.means_differ(0)
    assert not ClassColumns(("a",), (0,), (1,), (1,)).means_differ("drop")
    assert ClassColumns(("a",), (0,), (0,), (1,)).means_differ("drop_with_parts")


def test_class_sets_that_leave_nothing_say_where_they_looked():
    counts = macrof1.count(["x"], ["y"], labels=["x", "z"])
    assert select(counts, Convention(classes="gold")).labels == ("x",)
    assert select(counts, Convention(classes="seen")).labels == ("x",)
    with pytest.raises(EmptyError, match=r"occurs in gold$"):
        select(macrof1.count(["x"], ["y"], labels=["y"]), Convention(classes="gold"))
    empty = macrof1.ClassCounts.of(["z"], tp=[0], predicted=[0], actual=[0], n_rows=0)
    with pytest.raises(EmptyError, match=r"occurs in gold or predicted$"):
        select(empty, Convention(classes="seen"))
    with pytest.raises(ConventionError, match="without a list"):
        select(macrof1.count(["x"], ["x"]), Convention(classes="listed"))


def test_weighted_means_are_of_what_is_defined():
    assert macro.weighted_mean([1.0, math.nan, 0.0], (1, 5, 3)) == 0.25
    assert macro.weighted_mean([math.nan], (1,)) == 0
    assert macro.weighted_mean([1.0], (0,)) == 0


def test_chance_corrected_measures_at_the_edges():
    one = macrof1.count(["a", "a"], ["a", "a"])
    assert math.isnan(macro.cohen_kappa(one))
    assert macro.mcc(one) == 0
    worst = macrof1.count(["a", "b"] * 5, ["b", "a"] * 5)
    assert macro.mcc(worst) == -1
    assert macro.cohen_kappa(worst) == -1
    empty = macrof1.ClassCounts.of(["a"], tp=[0], predicted=[0], actual=[0], n_rows=0)
    assert macro.accuracy(empty) == macro.balanced_accuracy(empty) == macro.micro_f(select(empty, Convention())) == 0
    reals = macrof1.count(["a", "b"], ["b", "a"], sample_weight=[0.1, 0.2])
    assert macro.covers_rows(reals)
    assert not macro.covers_rows(macrof1.ClassCounts.of(["a"], tp=[1.0], predicted=[1.5], actual=[1.0]))


@pytest.mark.parametrize(
    ("number", "whole"),
    [(2.0**-480, False), (2.0**-481, True), (math.nextafter(2.0**480, 0), False), (2.0**480, True), (0.0, False)],
)
def test_reals_become_integers_exactly_where_products_would_leave_the_range(number, whole):
    for place in range(3):
        columns = [[1.5, 2.0], [1.5, 2.0], [1.5, 2.0]]
        columns[place][1] = number
        found = ClassColumns(("a", "b"), *map(tuple, columns)).in_range()
        assert isinstance(found.tp[0], int) == whole
        unit = Fraction(found.tp[0]) / Fraction(columns[0][0])
        for column, moved in zip(columns, (found.tp, found.predicted, found.actual), strict=True):
            assert [Fraction(value) * unit for value in column] == list(map(Fraction, moved))


def test_integers_and_no_classes_at_all_stay_as_they_are():
    huge = ClassColumns(("a",), (1,), (10**300,), (3,))
    empty = ClassColumns((), (), (), ())
    assert huge.in_range() is huge
    assert empty.in_range() is empty
    for number, exact in ((2**480, False), (2**480 + 1, True)):
        for columns in (ClassColumns(("a",), (1,), (number,), (3,)), ClassColumns(("a",), (1,), (3,), (number,))):
            assert isinstance(columns.square_of(0.5), Fraction) == exact
            assert columns.square_of(0.5) == 0.25
            assert columns.square_of(3.0) == 9


def test_only_the_listed_labels_are_averaged_over():
    counts = macrof1.count(["x", "y", "w"], ["y", "y", "x"], labels=["z", "y", "x"])
    found = select(counts, Convention(classes="listed"))
    assert (found.labels, found.tp, found.predicted, found.actual) == (("z", "y", "x"), (0, 1, 0), (0, 2, 1), (0, 1, 1))
    assert select(counts, Convention(classes="seen")).labels == ("y", "x")
    one = macrof1.ClassCounts.of(["gold", "told", "none"], tp=[0, 0, 0], predicted=[0, 1, 0], actual=[1, 0, 0])
    assert select(one, Convention(classes="gold")).labels == ("gold",)
    assert select(one, Convention(classes="seen")).labels == ("gold", "told")


def test_sums_of_integers_are_exact_and_of_no_numbers_0():
    assert macro.exact_sum((10**400, 1)) == 10**400 + 1
    assert macro.exact_sum(()) == 0
    assert macro.exact_sum((0.1,) * 10) == 1  # one rounding
    huge = trusted_counts(labels=("a", "b"), columns=((10**400, 0), (10**400,) * 2, (10**400,) * 2), n_rows=None)
    assert macro.accuracy(huge) == 0.5
    assert macro.cohen_kappa(huge) == 0
    assert macro.micro_f(select(huge, Convention())) == 0.5


def test_margins_of_one_class_that_differ_by_a_rounding_leave_nothing_to_correct_for_chance():
    more = math.nextafter(0.3, 1)
    for predicted, actual in ((more, 0.3), (0.3, more), (0.3, 0.3)):
        one = macrof1.ClassCounts.of(["a"], tp=[0.3], predicted=[predicted], actual=[actual])
        assert macro.covers_rows(one)
        assert macro.mcc(one) == 0
    ahead = macrof1.ClassCounts.of(["a"], tp=[0.3], predicted=[more], actual=[0.3])
    assert math.isnan(macro.cohen_kappa(ahead))


def test_margins_that_differ_by_more_than_rounding_are_not_those_of_all_rows():
    def of(predicted):
        return macrof1.ClassCounts.of(["a"], tp=[1.0], predicted=[predicted], actual=[1.0])

    assert macro.covers_rows(of(1 + 1e-10))
    assert not macro.covers_rows(of(1 + 1e-8))
    spans = macrof1.ClassCounts.of(["a"], tp=[1], predicted=[1], actual=[1], task="spans")
    assert not macro.covers_rows(spans)
