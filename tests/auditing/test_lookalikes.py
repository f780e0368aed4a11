"""Other numbers that go by the name of macro F1, from counts and from printed figures."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog

from macrof1.auditing.explanations import ladder
from macrof1.auditing.lookalikes import (
    Definition,
    _game_value,
    _micro,
    _weighted,
    definitions_by_counts,
    other_definitions,
    weights_exist,
)
from macrof1.auditing.printed_figures import RATIOS
from macrof1.auditing.solver import Solution

from ..oracles import over
from ..reports import printed
from .test_explanations import report_of


def names(report):
    return [definition.name for definition in other_definitions(report)]


def drawn(seed, *, multilabel=False):
    """Return true positives, predictions and gold rows of three classes."""
    rng = np.random.default_rng(seed)
    if multilabel:
        actual, predicted = rng.integers(0, 30, 3), rng.integers(0, 30, 3)
        return [*map(int, rng.integers(0, np.minimum(actual, predicted) + 1))], predicted.tolist(), actual.tolist()
    matrix = rng.integers(0, 12, (3, 3)) + 8 * np.eye(3, dtype=int)
    return np.diag(matrix).tolist(), matrix.sum(axis=0).tolist(), matrix.sum(axis=1).tolist()


def show(value, decimals=3):
    return printed(value, decimals, truncated=False, percent=False)


def micro(tp, predicted, actual):
    hits, p, g = sum(tp), sum(predicted), sum(actual)
    return over(hits, p), over(hits, g), over(2 * hits, p + g)


def weighted(tp, predicted, actual):
    n = sum(actual)
    columns = (predicted, actual, [p + g for p, g in zip(predicted, actual, strict=True)])
    return tuple(
        sum(g * over(factor * t, whole) for g, t, whole in zip(actual, tp, column, strict=True)) / n
        for factor, column in zip((1, 1, 2), columns, strict=True)
    )


def rows_of(tp, predicted, actual, decimals=3):
    return {
        label: " ".join(show(v, decimals) for v in (over(t, p), over(t, g), over(2 * t, p + g)))
        for label, t, p, g in zip("abc", tp, predicted, actual, strict=True)
    }


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("multilabel", [False, True])
def test_micro_and_weighted_averages_lie_in_their_ranges(seed, multilabel):
    counts = drawn(seed, multilabel=multilabel)
    report = report_of(
        None, rows_of(*counts), sizes=dict(zip("abc", counts[2], strict=True)), single_label=not multilabel
    )
    for kind, exact, mean in zip(RATIOS, micro(*counts), weighted(*counts), strict=True):
        # The micro recall is the weighted recall.
        low, high = _weighted(report, kind) if kind == "recall" else _micro(report, kind)
        assert low <= exact <= high
        assert 0 <= low <= high <= 1
        least, most = _weighted(report, kind)
        assert least <= mean <= most
        assert most - least <= F(1, 1000)
    if not multilabel:
        # With one label per row, there are as many predictions as gold rows: all three are the accuracy.
        assert _micro(report, "precision") == _weighted(report, "recall") == _micro(report, "f1")


@pytest.mark.parametrize("seed", range(4))
def test_averages_called_macro_are_named(seed):
    counts = drawn(seed)
    sizes, rows = dict(zip("abc", counts[2], strict=True)), rows_of(*counts)
    as_weighted = report_of(" ".join(map(show, weighted(*counts))), rows, sizes=sizes)
    assert "weighted F1" in names(as_weighted)
    as_micro = report_of(" ".join(map(show, micro(*counts))), rows, sizes=sizes)
    assert "micro F1" in names(as_micro)
    # One figure off, and it is neither.
    for place in range(3):
        texts = [show(v) for v in weighted(*counts)]
        texts[place] = show(F(texts[place]) + F(1, 50))
        assert not {"weighted F1", "micro F1"} & {*names(report_of(" ".join(texts), rows, sizes=sizes))}
    parts = " ".join([*map(show, weighted(*counts)[:2]), "-"])
    assert "weighted F1" in names(report_of(parts, rows, sizes=sizes))
    assert other_definitions(report_of("- - -", rows, sizes=sizes)) == []


def test_accuracy_and_balanced_accuracy_go_by_the_name_of_macro_f1():
    def with_accuracy(macro, accuracy, rows=None):
        found = report_of(macro, rows)
        return replace(
            found, figures={**found.figures, (None, "accuracy"): report_of(f"- - {accuracy}").figures[None, "f1"]}
        )

    accuracy = Definition("accuracy", "The macro F1 is the accuracy", False)
    assert other_definitions(with_accuracy("- - 0.71", "0.71")) == [accuracy]
    assert other_definitions(with_accuracy("- - 0.71", "0.73")) == []
    assert accuracy not in other_definitions(with_accuracy("0.71 0.75 0.71", "0.71"))
    (balanced,) = other_definitions(report_of("0.71 0.75 0.75"))
    assert (balanced.name, balanced.weighs) == ("balanced accuracy", False)
    assert other_definitions(report_of("0.71 0.75 0.73")) == []
    # Where macro precision is printed alike, every mean of the two is.
    assert other_definitions(report_of("0.75 0.75 0.75")) == []
    assert other_definitions(report_of("- 0.75 0.75")) == []


POSSIBLY = "{}, possibly (class sizes would tell)"


@pytest.mark.parametrize(
    ("macro", "rows", "found"),
    [
        ("0.75 0.65 0.72", {"a": "0.80 0.70 0.75", "b": "0.60 0.50 0.60"}, ["weighted F1"]),
        ("0.75 0.55 0.63", {"a": "0.80 0.70 0.75", "b": "0.60 0.50 0.60"}, ["micro F1"]),
        ("0.75 0.55 0.70", {"a": "0.80 0.70 0.75", "b": "0.60 0.50 0.60"}, []),
        ("0.85 0.55 0.63", {"a": "0.80 0.70 0.75", "b": "0.60 0.50 0.60"}, []),
        ("- - 0.72", {"a": "0.80 0.70 0.75", "b": "0.60 0.50 -"}, []),
        ("- - 0.72", {"a": "- - 0.75", "b": "- - 0.60"}, ["weighted F1"]),
        ("- - 0.77", {"a": "- - 0.75", "b": "- - 0.60"}, []),
    ],
)
def test_sizes_that_are_not_printed_could_give_the_averages(macro, rows, found):
    assert names(report_of(macro, rows)) == [POSSIBLY.format(name) for name in found]
    # Where the sizes are printed, or classes are missing, nothing is possible that is not so.
    assert not any("possibly" in name for name in names(report_of(macro, rows, n_classes=3)))
    assert not any("possibly" in name for name in names(report_of(macro, rows, sizes={"a": 5, "b": 5})))


def test_macro_figures_alone_could_be_weighted_by_sizes():
    assert names(report_of("0.60 0.40 0.45", n_classes=2)) == [POSSIBLY.format("weighted F1")]
    assert names(report_of("0.60 0.40 0.60", n_classes=2)) == []
    assert names(report_of("0.60 0.40 0.45")) == []


def test_the_only_counts_name_a_definition():
    counts = [31, 20, 11], [40, 36, 15], [50, 25, 16]
    solution, sizes = Solution(*map(tuple, counts)), dict(zip("abc", counts[2], strict=True))
    f1 = [over(2 * t, p + g) for t, p, g in zip(*counts, strict=True)]
    precision, recall = ([over(t, w) for t, w in zip(counts[0], column, strict=True)] for column in counts[1:])

    def found(f1, macro="- -"):
        report = report_of(f"{macro} {f1}", dict.fromkeys("abc", "- - -"), sizes=sizes)
        return [definition.name for definition in definitions_by_counts(report, solution)]

    def mean(values):
        return sum(values) / len(values)

    p, r = mean(precision), mean(recall)
    assert found(show(weighted(*counts)[2], 3)) == ["weighted F1"]
    assert found(show(weighted(*counts)[2], 2)) == []  # two decimals fit something by chance
    # The two formulas are no other definitions, and neither is a part of them.
    for value in (mean(f1), 2 * p * r / (p + r), p, weighted(*counts)[0]):
        assert found(show(value, 6)) == []
    assert found(show(r, 6)) == ["balanced accuracy"]
    # Where other macro figures are given, they must fit as well.
    assert found(show(weighted(*counts)[2], 6), f"{show(p)} {show(r)}") == []
    # A class left out must show in all three.
    rest = [mean(column[1:]) for column in (precision, recall, f1)]
    assert found(show(rest[2], 5)) == found(show(rest[2], 5), f"- {show(rest[1])}") == []
    assert found(show(rest[2], 5), f"{show(rest[0])} {show(rest[1])}") == ["averaged F1 without class a"]
    assert found(show(rest[2], 5), f"{show(rest[0])} 0.123") == []
    assert found(show(rest[2], 5), f"0.123 {show(rest[1])}") == []


def explained(report, *, free=True):
    """Return the names of the definitions that explain a report."""
    stages = ladder(report, free=free)
    found = [reading.definition for stage in stages for reading in stage if reading.outcome.consistent]
    return {definition.name for definition in found if definition is not None}


def test_a_definition_explains_figures_that_are_consistent_otherwise():
    rows = {"a": "0.900 0.800 0.847", "b": "0.500 0.600 0.545"}
    sizes = {"a": 90, "b": 10}
    macro = "0.860 0.780 0.817"
    assert explained(report_of(macro, rows, sizes=sizes, single_label=False)) == {"weighted F1"}
    broken = {**rows, "b": "0.500 0.600 0.900"}
    assert explained(report_of(macro, broken, sizes=sizes, single_label=False)) == set()
    # With one label per row the rows contradict each other; where that is an assumption it is dropped.
    assert "weighted F1" in explained(report_of(macro, rows, sizes=sizes))
    # The macro recall under the name of F1 explains nothing if macro precision and recall are wrong themselves.
    assert explained(report_of("0.20 0.30 0.30", rows)) == set()
    assert explained(report_of("0.70 0.75 0.75")) == {"balanced accuracy"}


cells = st.integers(0, 20).map(lambda n: F(n, 20))
intervals = st.tuples(cells, cells).map(lambda ends: tuple(sorted(ends)))


def largest_miss(misses):
    """Return the smallest possible largest miss, by SciPy."""
    n = len(misses[0])
    found = linprog(
        [0] * n + [1],
        A_ub=[[*row, -1] for row in misses],
        b_ub=[0] * len(misses),
        A_eq=[[1] * n + [0]],
        b_eq=[1],
        bounds=[(0, None)] * n + [(None, None)],
    )
    return found.fun


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(st.integers(-9, 9), min_size=n, max_size=n), min_size=1)))
def test_the_value_of_a_game_is_that_of_the_linear_program(misses):
    assert _game_value([[float(miss) for miss in row] for row in misses]) == pytest.approx(
        largest_miss(misses), abs=1e-7
    )


@given(st.lists(intervals, min_size=1, max_size=5), intervals)
def test_one_column_can_have_every_mean_between_its_ends(column, mean):
    low, high = min(least for least, _ in column), max(most for _, most in column)
    assert weights_exist([column], [mean]) == (low <= mean[1] and mean[0] <= high)


@given(st.tuples(cells, cells), st.tuples(cells, cells), intervals, intervals)
def test_two_classes_share_one_weight(first, second, mean, other):
    # The weights of the second class that put each mean in its interval: both must have one in common.
    spans = []
    for (a, b), (low, high) in ((first, mean), (second, other)):
        assume(a != b)
        ends = sorted(((low - a) / (b - a), (high - a) / (b - a)))
        spans.append((max(F(0), ends[0]), min(F(1), ends[1])))
    exists = max(low for low, _ in spans) <= min(high for _, high in spans)
    columns = [[(a, a), (b, b)] for a, b in (first, second)]
    assert weights_exist(columns, [mean, other]) == exists


def test_no_more_than_rounding_is_forgiven():
    column = [(F(1, 5), F(1, 5)), (F(4, 5), F(4, 5))]
    for off, exists in ((F(1, 10**10), True), (F(1, 10**8), False)):
        assert weights_exist([column], [(F(4, 5) + off, F(1))]) is exists
        assert weights_exist([column], [(F(0), F(1, 5) - off)]) is exists
