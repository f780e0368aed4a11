"""Ratios and averages: against scikit-learn, at the edges, with weights of any finite size; which counts are scored."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

import macrof1
from macrof1.convention import Convention
from macrof1.counts import ClassCounts, trusted_counts
from macrof1.errors import ConventionError, EmptyError, LabelError
from macrof1.scoring import macro
from macrof1.scoring.macro import ClassColumns, check_excluded, met_convention, select
from macrof1.scoring.score_result import check_weights

from ..oracles import Exact
from ..strategies import BETAS, label_pairs

THEIRS = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "cohen_kappa": metrics.cohen_kappa_score,
    "mcc": metrics.matthews_corrcoef,
    "micro_f1": lambda gold, pred, **rest: metrics.f1_score(gold, pred, average="micro", zero_division=0, **rest),
    "weighted_f1": lambda gold, pred, **rest: metrics.f1_score(gold, pred, average="weighted", zero_division=0, **rest),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", THEIRS)
@given(label_pairs(labels=st.integers(0, 4)), st.data())
def test_the_other_averages_are_those_of_scikit_learn(name, pair, data):
    gold, pred = pair
    weight = data.draw(st.sampled_from([st.integers(1, 5), st.floats(0.1, 5)]))
    weights = data.draw(st.none() | st.lists(weight, min_size=len(gold), max_size=len(gold)))
    ours = getattr(macrof1.score(gold, pred, sample_weight=weights), name)
    theirs = THEIRS[name](gold, pred, sample_weight=weights)
    assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12, nan_ok=True)


def test_listed_classes_narrow_the_means_and_nothing_else():
    gold, pred = [0, 0, 1, 2, 2, 3], [0, 1, 1, 2, 3, 3]
    result = macrof1.score(gold, pred, labels=[0, 2])
    assert result.micro_f1 == metrics.f1_score(gold, pred, labels=[0, 2], average="micro")
    assert result.weighted_f1 == pytest.approx(metrics.f1_score(gold, pred, labels=[0, 2], average="weighted"))
    assert result.accuracy == metrics.accuracy_score(gold, pred)


def test_what_needs_all_rows_is_none_where_they_are_not_known():
    several = macrof1.score([{"a"}, {"a", "b"}], [{"a"}, {"b"}])
    card = macrof1.score_counts(macrof1.ClassCounts.from_errors({"cat": (629, 155, 159)}))
    for result in (several, card):
        assert [result.accuracy, result.balanced_accuracy, result.cohen_kappa, result.mcc] == [None] * 4
    assert several.micro_f1 == 2 / 3 * 2 / (1 + 2 / 3)


@pytest.mark.parametrize("scale", [5e-324, 1e-320, 1e-163, 1e-100, 1.0, 1e100, 1e155, 1e298])
@pytest.mark.parametrize("beta", [1.0, 0.5, 3.0])
def test_scores_do_not_depend_on_the_unit_of_the_weights(scale, beta):
    matrix = [[1, 100], [0, 1]]
    expected = macrof1.score_matrix(matrix, rows="predicted", beta=beta)
    result = macrof1.score_matrix(np.array(matrix) * scale, rows="predicted", beta=beta)
    for name in ("averaged_f1", "f1_of_averages", "gap", "micro_f1", "weighted_f1", "accuracy", "cohen_kappa", "mcc"):
        assert getattr(result, name) == pytest.approx(getattr(expected, name), rel=1e-14), name


WEIGHT = st.just(0.0) | st.floats(5e-324, 1e307, allow_subnormal=True)


@given(st.lists(WEIGHT, min_size=9, max_size=9), BETAS)
def test_every_finite_weight_is_scored_right_or_refused(cells, beta):
    matrix = [cells[:3], cells[3:6], cells[6:]]
    assume(any(map(any, matrix)))
    try:
        result = macrof1.score_matrix(matrix, rows="gold", beta=beta)
    except macrof1.InputError as error:
        assert "the weights sum to" in str(error)  # noqa: PT017  # refused in words, or right
        return
    counts = result.counts
    exact = Exact(*(list(map(Fraction, column)) for column in (counts.tp, counts.predicted, counts.actual)), beta=beta)
    for name in ("averaged_f1", "f1_of_averages"):
        # The smallest doubles have few digits.
        assert getattr(result, name) == pytest.approx(float(getattr(exact, name)), rel=1e-13, abs=1e-300)
    assert result.gap >= 0
    assert math.isfinite(result.gap)
    assert result.gap == pytest.approx(float(exact.gap), rel=1e-9, abs=1e-300)


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
    empty = ClassCounts.of(["z"], tp=[0], predicted=[0], actual=[0], n_rows=0)
    with pytest.raises(EmptyError, match=r"occurs in gold or predicted$"):
        select(empty, Convention(classes="seen"))
    with pytest.raises(ConventionError, match="without a list"):
        select(macrof1.count(["x"], ["x"]), Convention(classes="listed"))


def test_weighted_means_are_of_what_is_defined():
    assert macro.weighted_mean([1.0, math.nan, 0.0], (1, 5, 3)) == 0.25
    assert macro.weighted_mean([math.nan], (1,)) == 0
    assert macro.weighted_mean([1.0], (0,)) == 0
    # Whole numbers that floats do not hold are divided exactly.
    values = [0.014041700164018955, 0.7197046864039541, 0.39882354222426875]
    weights = [35965266981527491, 282743881011187130, 282031834462129830]
    exact = math.fsum(value * (weight / sum(weights)) for value, weight in zip(values, weights, strict=True))
    assert macro.weighted_mean(np.array(values), np.array(weights)) == exact


def test_chance_corrected_measures_at_the_edges():
    one = macrof1.count(["a", "a"], ["a", "a"])
    assert math.isnan(macro.cohen_kappa(one))
    assert macro.mcc(one) == 0
    worst = macrof1.count(["a", "b"] * 5, ["b", "a"] * 5)
    assert macro.mcc(worst) == -1
    assert macro.cohen_kappa(worst) == -1
    empty = ClassCounts.of(["a"], tp=[0], predicted=[0], actual=[0], n_rows=0)
    assert macro.accuracy(empty) == macro.balanced_accuracy(empty) == macro.micro_f(select(empty, Convention())) == 0
    reals = macrof1.count(["a", "b"], ["b", "a"], sample_weight=[0.1, 0.2])
    assert macro.covers_rows(reals)
    assert not macro.covers_rows(ClassCounts.of(["a"], tp=[1.0], predicted=[1.5], actual=[1.0]))


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
    one = ClassCounts.of(["gold", "told", "none"], tp=[0, 0, 0], predicted=[0, 1, 0], actual=[1, 0, 0])
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
        one = ClassCounts.of(["a"], tp=[0.3], predicted=[predicted], actual=[actual])
        assert macro.covers_rows(one)
        assert macro.mcc(one) == 0
    ahead = ClassCounts.of(["a"], tp=[0.3], predicted=[more], actual=[0.3])
    assert math.isnan(macro.cohen_kappa(ahead))


def test_margins_that_differ_by_more_than_rounding_are_not_those_of_all_rows():
    def of(predicted):
        return ClassCounts.of(["a"], tp=[1.0], predicted=[predicted], actual=[1.0])

    assert macro.covers_rows(of(1 + 1e-10))
    assert not macro.covers_rows(of(1 + 1e-8))
    spans = ClassCounts.of(["a"], tp=[1], predicted=[1], actual=[1], task="spans")
    assert not macro.covers_rows(spans)


def test_all_weights_0_are_refused_and_no_rows_are_not():
    def check(**options):
        check_weights(ClassCounts(labels=("a",), tp=(0,), predicted=(0,), actual=(0,), **options))

    check(n_rows=0, n_listed=1)
    check(n_rows=2, n_listed=1, task="multilabel")  # rows without a label
    for options in ({}, {"n_rows": 0}, {"n_rows": 2, "n_listed": 1}, {"n_rows": 1, "n_listed": 1}, {"n_listed": 1}):
        with pytest.raises(EmptyError, match="all weights are 0"):
            check(**options)
    check_weights(ClassCounts(labels=("a",), tp=(0,), predicted=(1,), actual=(0,)))


def test_classes_to_exclude_are_known_and_not_all():
    convention = Convention(exclude=("a", "b"))
    check_excluded(convention, ["a", "b", "c"])
    check_excluded(Convention(), [])
    with pytest.raises(EmptyError, match="leaves no class"):
        check_excluded(convention, ["a", "b"])
    with pytest.raises(LabelError, match="names 'b', which is not a class of this data"):
        check_excluded(convention, ["a", "c"])
    assert met_convention(convention, ["a", "c"]) == Convention(exclude=("a",))
    assert met_convention(Convention(beta=2.0), ["a"]) == Convention(beta=2.0)
