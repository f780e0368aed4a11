"""Whole counts behind figures, against every confusion matrix there is."""

from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from itertools import product

import numpy as np
import pytest

from macrof1.auditing import solver
from macrof1.auditing.feasible import Report, narrow
from macrof1.auditing.printed_figures import RATIOS, read_count, read_ratio
from macrof1.auditing.solver import Solution, macro_hull, solve

from ..oracles import Exact, over
from ..reports import printed

NAMES = ("a", "b", "c")


@cache
def every_table(sizes):
    """Return all true positives and predictions that confusion matrices with these class sizes have."""
    n = len(sizes)
    if n == 2:
        first, second = sizes
        return sorted(
            ((t1, t2), (t1 + second - t2, t2 + first - t1)) for t1 in range(first + 1) for t2 in range(second + 1)
        )
    ways = [[(a, b, size - a - b) for a in range(size + 1) for b in range(size + 1 - a)] for size in sizes]
    return sorted(
        {
            (tuple(rows[x][x] for x in range(n)), tuple(sum(row[x] for row in rows) for x in range(n)))
            for rows in product(*ways)
        }
    )


def values_of(tp, predicted, sizes):
    """Return every figure of a table, by key."""
    exact = Exact(tp, predicted, sizes)
    f1 = [over(2 * t, p + g) for t, p, g in zip(tp, predicted, sizes, strict=True)]
    columns = {"precision": exact.precision, "recall": exact.recall, "f1": f1}
    values = {(NAMES[x], kind): column[x] for kind, column in columns.items() for x in range(len(sizes))}
    values |= {(None, "precision"): exact.macro_precision, (None, "recall"): exact.macro_recall}
    return values | {(None, "accuracy"): F(sum(tp), sum(sizes)), (None, "correct"): F(sum(tp))}


def drawn(rng, sizes, share):
    """Return a report with some figures of a random table, one of them sometimes of another table."""
    tables = every_table(sizes)
    values, others = (values_of(*tables[rng.integers(len(tables))], sizes) for _ in range(2))
    decimals, rounding = int(rng.integers(0, 3)), str(rng.choice(["round", "truncate", "unknown"]))
    figures = {}
    for key, value in values.items():
        if rng.random() < share:
            shown = others[key] if rng.random() < 0.03 else value
            if key[1] == "correct":
                figures[key] = read_count(int(shown), "correct")
            else:
                text = printed(shown, decimals, truncated=rounding == "truncate", percent=False)
                figures[key] = read_ratio(text, str(key), percent=False, rounding=rounding)
    return Report(figures, NAMES[: len(sizes)], len(sizes), sizes, True)


def hull(values):
    values = list(values)
    return min(values), max(values)


@pytest.mark.parametrize("sizes", [(4, 3), (31, 26), (5, 0), (3, 2, 2), (4, 1, 0), (2, 2, 3)])
@pytest.mark.parametrize("share", [0.15, 0.35, 0.7])
def test_solutions_are_exactly_the_tables_that_have_the_figures(sizes, share):
    rng = np.random.default_rng([*sizes, int(100 * share)])
    seen = {True: 0, False: 0}
    for _ in range(6 if sum(sizes) > 50 else 12 if len(sizes) == 3 else 40):
        report = drawn(rng, sizes, share)
        expected = []
        for tp, predicted in every_table(sizes):
            values = values_of(tp, predicted, sizes)
            if all(f.bounds[0] <= values[key] <= f.bounds[1] for key, f in report.figures.items()):
                expected.append((tp, predicted))
        room, solutions = solve(report)
        seen[bool(expected)] += 1
        if solutions is None and not any(label for label, _ in report.figures):
            continue  # three classes of which nothing is known
        if not expected:
            assert room.broken is not None
            assert solutions is None
            continue
        assert sorted((solution.tp, solution.predicted) for solution in solutions) == expected
        of_all = [values_of(*counts, sizes) for counts in expected]
        exact = [Exact(*counts, sizes) for counts in expected]
        assert room.f1_of_averages == hull(one.f1_of_averages for one in exact)
        averaged = [sum(values[name, "f1"] for name in NAMES[: len(sizes)]) / len(sizes) for values in of_all]
        assert room.averaged_f1 == hull(averaged)
    assert seen[True]


def test_too_many_tables_are_not_listed(monkeypatch):
    sizes = (31, 26)
    report = Report({}, NAMES[:2], 2, sizes, True)
    n = len(every_table(sizes))
    monkeypatch.setattr(solver, "_MOST_SOLUTIONS", n)
    assert len(solve(report)[1]) == n
    monkeypatch.setattr(solver, "_MOST_SOLUTIONS", n - 1)
    room, solutions = solve(report)
    assert (room.broken, solutions) == (None, None)
    monkeypatch.undo()
    # One step for every number of true positives of the first class, and one for every pair.
    monkeypatch.setattr(solver, "_MOST_STEPS", 32 + n)
    assert len(solve(report)[1]) == n
    monkeypatch.setattr(solver, "_MOST_STEPS", 32 + n - 1)
    assert solve(report)[1] is None
    # A single class has too many: none is counted, and the figures narrow each other as far as they can.
    monkeypatch.setattr(solver, "_MOST_STEPS", 31)
    room, solutions = solve(report)
    assert (room, solutions) == (narrow(report), None)


def ratio(label, kind, text):
    return {(label, kind): read_ratio(text, f"{label} {kind}", percent=False)}


def test_classes_without_figures_are_too_many_from_three_on():
    assert len(solve(Report({}, NAMES[:2], 2, (1, 1), True))[1]) == 4
    assert solve(Report({}, NAMES, 3, (1, 1, 1), True))[1] is None
    figures = {("a", "f1"): read_ratio("0.7", "a F1", percent=False)}
    assert solve(Report(figures, NAMES, 3, (2, 1, 1), True))[1] is not None


@pytest.mark.parametrize("change", [{"undefined": 1}, {"left_out": frozenset("a")}, {"tied": False}])
def test_only_the_usual_reading_is_solved_by_counts(change):
    report = Report({}, NAMES[:2], 2, (3, 2), True)
    assert solve(report)[1] is not None
    other = replace(report, **change)
    assert solve(other) == (narrow(other), None)


def test_given_counts_are_the_only_solution():
    errors = {"a": (3, 1, 2), "b": (4, 2, 1)}
    report = Report({}, NAMES[:2], 2, (5, 5), True, errors)
    room, (only,) = solve(report)
    assert (only.tp, only.predicted, only.sizes) == ((3, 4), (4, 6), (5, 5))
    exact = Exact((3, 4), (4, 6), (5, 5))
    assert room.averaged_f1 == (exact.averaged_f1, exact.averaged_f1)
    assert solve(replace(report, n_classes=3, single_label=False))[1] is None
    wrong = replace(report, figures={("a", "recall"): read_ratio("0.9", "a recall", percent=False)})
    room, solutions = solve(wrong)
    assert (room.broken, solutions) == ("recall of a does not go with its counts", None)


def test_rows_of_several_labels_are_narrowed_class_by_class():
    def of(**texts):
        return {("a", kind): read_ratio(text, kind, percent=False) for kind, text in texts.items()}

    report = Report(of(recall="0.33"), ("a",), 1, (3,), False)
    room, solutions = solve(report)
    assert solutions is None
    assert room.ratios["recall"] == [(F(1, 3), F(1, 3))]
    # One hit of three gold rows among any number of predictions.
    assert room.ratios["precision"][0] == (F(1, 10**12 + 1), 1)
    assert room.ratios["f1"][0] == (F(2, 10**12 + 4), F(1, 2))
    none, _ = solve(replace(report, figures=of(recall="0.45")))
    assert none.broken == "no whole numbers of rows give the figures of a, with 3 gold rows"
    # 50 numbers of true positives are tried, 51 are not.
    for size, narrowed in ((490, True), (491, True), (510, False)):
        low, high = F(9, 20), F(11, 20)
        hits = range(-(-low * size // 1), high * size // 1 + 1)
        assert (len(hits) <= 50) is narrowed
        found = solve(replace(report, figures=of(recall="0.5"), sizes=(size,)))[0].ratios["recall"][0]
        assert found == ((F(hits[0], size), F(hits[-1], size)) if narrowed else (low, high))


def test_a_solution_knows_its_scores_exactly():
    rng = np.random.default_rng(4)
    for _ in range(50):
        matrix = rng.integers(0, 6, (3, 3))
        tp, predicted, sizes = (
            tuple(map(int, column)) for column in (np.diag(matrix), matrix.sum(axis=0), matrix.sum(axis=1))
        )
        solution, exact = Solution(tp, predicted, sizes), Exact(tp, predicted, sizes)
        values = values_of(tp, predicted, sizes)
        averaged = sum(values[name, "f1"] for name in NAMES) / 3
        expected = {
            "precision": exact.macro_precision,
            "recall": exact.macro_recall,
            "averaged_f1": averaged,
            "f1_of_averages": exact.f1_of_averages,
        }
        for name, value in expected.items():
            assert solution.exact(name) == value
            # An end of an interval is inside, however close the other one is.
            tiny = F(1, 10**30)
            assert solution.inside(name, (value, value + 1))
            assert solution.inside(name, (value - 1, value))
            assert solution.inside(name, (value - 1, value + 1))
            assert not solution.inside(name, (value + tiny, value + 1))
            assert not solution.inside(name, (value - 1, value - tiny))
            assert not solution.inside(name, (value + F(1, 10), value + 1))
            assert not solution.inside(name, (value - 1, value - F(1, 10)))
        for kind in RATIOS:
            assert [solution.ratio(kind, place) for place in range(3)] == [values[name, kind] for name in NAMES]


def test_ranges_over_solutions_are_exact():
    solutions = [Solution((hits, hits), (4, 4), (4, 4)) for hits in (3, 1, 2)]
    assert macro_hull(solutions, "precision") == (F(1, 4), F(3, 4))


@pytest.mark.parametrize(("sizes", "listed"), [((24, 39), 1000), ((6, 142), None)])
def test_a_thousand_solutions_are_listed_and_no_more(sizes, listed):
    found = solve(Report({}, NAMES[:2], 2, sizes, True))[1]
    assert (None if found is None else len(found)) == listed


@pytest.mark.parametrize("kind", ["precision", "recall"])
def test_a_table_just_outside_a_macro_figure_is_no_solution(kind):
    # Floats cannot tell the bound from 1/2.
    figure = replace(read_ratio("0.5", kind, percent=False), below=-F(1, 10**20), above=F(1, 2))
    sizes = (4, 3)
    found = solve(Report({(None, kind): figure}, NAMES[:2], 2, sizes, True))[1]
    expected = [counts for counts in every_table(sizes) if values_of(*counts, sizes)[None, kind] > F(1, 2)]
    assert sorted((solution.tp, solution.predicted) for solution in found) == expected


def test_classes_with_counts_are_not_narrowed_by_size():
    report = Report({}, ("a", "b"), 3, (5, None), False, {"a": (3, 1, 2)})
    room, solutions = solve(report)
    assert (room.broken, solutions) == (None, None)
    assert room.ratios["recall"][0] == (F(3, 5), F(3, 5))
