"""Explanations: which fit, which do not, and what a verdict may rest on."""

from dataclasses import replace
from fractions import Fraction as F

import pytest

import macrof1
from macrof1.auditing.explanations import (
    _absent,
    _chance,
    _looks_like_means,
    _looks_undefined,
    _more,
    hopeless,
    ladder,
    rests_on_all_classes,
    together,
)
from macrof1.auditing.feasible import Report
from macrof1.auditing.printed_figures import RATIOS, read_count, read_ratio
from macrof1.auditing.repairs import assess


def report_of(macro=None, rows=None, *, sizes=None, single_label=True, counts=None, **more):
    """Return a report: macro="P R F", rows={"a": "P R F"}, with - for what is not printed."""

    def read(label, line):
        pairs = zip(RATIOS, line.split(), strict=True)
        words = "macro" if label is None else label
        return {
            (label, kind): read_ratio(text, f"{words} {kind}", percent=False) for kind, text in pairs if text != "-"
        }

    rows = rows or {}
    figures = {} if macro is None else read(None, macro)
    for label, line in rows.items():
        figures |= read(label, line)
    figures |= {(None, kind): read_count(n, kind) for kind, n in (counts or {}).items()}
    labels = tuple(rows)
    sizes = tuple((sizes or {}).get(label) for label in labels)
    return Report(figures, labels, more.pop("n_classes", len(labels) or None), sizes, single_label, **more)


def simplest(report, *, free=True, of_runs=None):
    """Return the readings of the first stage that fits."""
    for stage in ladder(report, free=free, of_runs=of_runs):
        fitting = [reading for reading in stage if reading.outcome.consistent]
        if fitting:
            return fitting
    return []


def named(report, **options):
    """Return the name of every explanation that fits, at whatever stage."""
    stages = ladder(report, free=options.pop("free", True), **options)
    return {reading.name for stage in stages for reading in stage if reading.outcome.consistent}


def test_several_labels_are_tried_first_and_only_where_one_is_an_assumption():
    # With one label per row, two classes cannot have these means.
    report = report_of("0.60 0.40 0.45", {"a": "- - -", "b": "- - -"})
    (reading,) = simplest(report)
    assert (reading.name, reading.over, reading.report.single_label) == ("several_labels", None, False)
    assert reading.report == replace(report, single_label=False)
    assert "several_labels" not in named(report, free=False)
    assert "several_labels" not in named(replace(report, single_label=False))
    # A tool that prints accuracy as a row of its table has one label per row.
    accuracy = {(None, "accuracy"): read_ratio("0.60", "accuracy", percent=False)}
    assert "several_labels" not in named(replace(report, by_tool=True, figures={**report.figures, **accuracy}))


def test_classes_without_support_may_be_left_out_of_the_means():
    rows = {"a": "0.80 0.80 0.80", "b": "0.60 0.60 0.60", "c": "0.00 0.00 0.00"}
    report = report_of("0.70 0.70 0.70", rows, sizes={"a": 10, "b": 10, "c": 0})
    (reading,) = simplest(report)
    assert (reading.name, reading.over) == ("support_0", "the 2 classes with support")
    assert reading.report.left_out == {"c"}
    assert reading.condition == "the means are over the 2 classes with support"
    one = report_of("0.80 0.80 0.80", {"a": rows["a"], "c": rows["c"]}, sizes={"a": 10, "c": 0})
    assert [reading.over for reading in simplest(one, free=False)] == ["the 1 class with support"]


def test_undefined_ratios_may_count_as_1():
    rows = {"a": "0.80 0.80 0.80", "b": "1.00 0.00 0.00"}
    report = report_of("0.90 0.40 0.40", rows, errors={"a": (8, 2, 2), "b": (0, 0, 2)})
    (reading,) = simplest(report, free=False)
    assert (reading.name, reading.over) == ("undefined_as_1", "the classes, undefined ratios as 1")
    assert (reading.report.undefined, reading.report.left_out) == (1, frozenset())


@pytest.mark.parametrize(
    ("rows", "sizes", "absent"),
    [
        ({"a": "0.8 0.8 0.8", "b": "0.0 0.0 0.0"}, {"a": 5, "b": 0}, [{"b"}]),
        ({"a": "0.8 0.8 0.8", "b": "0.0 0.0 0.0"}, {"a": 5}, []),
        ({"a": "0.8 0.8 0.8", "b": "0.0 0.0 0.0"}, {"a": 5, "b": 1}, []),
        ({"a": "0.8 0.8 0.8", "b": "0.0 0.0 0.0"}, {}, [{"b"}]),
        ({"a": "0.8 0.8 0.8", "b": "- - 0.0"}, {}, [{"b"}]),
        ({"a": "0.8 0.8 0.8", "b": "- - -"}, {}, []),
        ({"a": "0.8 0.8 0.8", "b": "0.0 0.1 0.0"}, {}, []),
        ({"a": "0.0 0.0 0.0"}, {}, []),  # a mean over no class
        ({"a": "0.0 0.0 0.0", "b": "0.0 0.0 0.0"}, {}, [{"a"}]),
        ({"a": "0.0 0.0 0.0", "b": "0.0 0.0 0.0"}, {"a": 0, "b": 0}, []),
        (dict.fromkeys("abc", "0.0 0.0 0.0") | {"d": "0.8 0.8 0.8"}, {}, [{"a"}, {"a", "b"}, {"a", "b", "c"}]),
        (dict.fromkeys("abc", "0.0 0.0 0.0") | {"d": "0.8 0.8 0.8"}, {"a": 0, "b": 0, "d": 7}, [{"a", "b"}]),
    ],
)
def test_classes_that_may_have_no_gold_rows(rows, sizes, absent):
    assert _absent(report_of(None, rows, sizes=sizes)) == absent


@pytest.mark.parametrize(
    ("line", "size", "errors", "undefined"),
    [
        ("1.00 0.00 0.00", None, None, True), ("1.00 - 0.00", None, None, False),
        ("0.50 0.00 0.00", None, None, False), ("1.00 0.50 0.67", None, None, False),
        ("- 0.00 0.00", None, None, True), ("0.00 1.00 0.00", 0, None, True), ("0.00 1.00 0.00", 1, None, False),
        ("0.00 0.50 0.00", 0, None, False), ("0.00 - 0.00", 0, None, True), ("0.50 0.50 0.50", None, (0, 0, 3), True),
        ("0.50 0.50 0.50", None, (0, 3, 0), True), ("0.50 0.50 0.50", None, (0, 1, 1), False),
        ("0.50 0.50 0.50", None, (1, 0, 0), False),
    ],
)  # fmt: skip
def test_what_looks_undefined(line, size, errors, undefined):
    report = report_of(None, {"a": line}, errors={} if errors is None else {"a": errors})
    assert _looks_undefined(report, "a", size) is undefined


def test_means_over_folds_lie_below_the_harmonic_mean():
    low, high, plain = "0.80 0.80 0.60", "0.80 0.80 0.90", "0.80 0.80 0.80"
    assert _looks_like_means(report_of(None, {"a": low, "b": low, "d": plain, "e": "0.8 - 0.1"}))
    assert not _looks_like_means(report_of(None, {"a": low, "b": low, "c": high}))
    # At the end of the range nothing is off.
    assert not _looks_like_means(report_of(None, {"a": "0.805 0.805 0.80", "b": "0.795 0.795 0.80"}))
    (reading,) = simplest(report_of("0.80 0.80 0.60", {"a": low}))
    assert (reading.name, reading.over) == ("means_over_folds", "folds or groups")
    assert (reading.report.tied, reading.report.undefined, reading.report.single_label) == (False, 1, False)
    assert [reading.name for reading in simplest(report_of("0.80 0.80 0.70", {"a": low, "b": plain}))] == [
        "means_over_folds"
    ]
    # F1 above the harmonic mean is no mean of anything.
    assert named(report_of("0.80 0.80 0.75", {"a": low, "b": high})) == set()
    # A number of correct rows is not a mean.
    counted = report_of("0.80 0.80 0.60", {"a": low, "b": low}, counts={"correct": 9})
    assert not any("means" in name for name in named(counted))


def test_a_row_with_support_0_that_was_cut_explains_the_means():
    # Five classes, of which one is never gold: 4/5 of the means of the rows.
    rows = dict.fromkeys("abcd", "0.70 0.70 0.70")
    sizes = dict.fromkeys("abcd", 10)
    report = report_of("0.56 0.56 0.56", rows, sizes=sizes, counts={"total": 40}, by_tool=True)
    assert "rows_without_support_cut" in named(report)
    assert "rows_cut" not in named(report)  # the sizes add up to the total
    assert "rows_without_support_cut" not in named(replace(report, complete=True))
    # All three figures are scaled by the same factor.
    assert named(report_of("0.56 0.70 0.63", rows, sizes=sizes, counts={"total": 40}, by_tool=True)) == set()


def test_rows_with_support_may_be_cut_if_no_total_says_otherwise():
    rows = {"a": "0.90 0.90 0.90", "b": "0.80 0.80 0.80"}
    sizes = {"a": 10, "b": 10}
    assert "rows_cut" in named(report_of("0.60 0.60 0.60", rows, sizes=sizes))
    assert "rows_cut" in named(report_of("0.60 0.60 0.60", rows, sizes=sizes, counts={"total": 90}))
    assert "rows_cut" not in named(report_of("0.60 0.60 0.60", rows, sizes=sizes, counts={"total": 20}))


def test_figures_rounded_twice_or_with_weights_fit():
    # H of 0.8449 and 0.8449 is 0.8449, printed as 0.845 and copied as 0.85.
    rows = {"a": "0.8449 0.8449 0.85", "b": "0.60 0.60 0.60"}
    assert "rounded_twice" in named(report_of("- - 0.72", rows))
    # No whole number of 7 rows is a recall of 0.60; with weights it may be.
    sevenths = report_of(None, {"a": "0.60 0.60 0.60", "b": "0.50 0.50 0.50"}, sizes={"a": 7, "b": 8})
    assert "weights" in named(sevenths, free=False)


def test_folds_that_lack_a_class_explain_means_only_if_words_or_sizes_allow_it():
    rows = {"a": "0.90 0.90 0.90", "b": "0.40 0.40 0.40", "c": "0.80 0.80 0.80"}
    large = report_of("0.80 0.80 0.80", rows, sizes={"a": 90, "b": 90, "c": 90}, counts={"total": 270}, by_tool=True)
    assert named(large) == set()
    assert "folds_without_a_class" in named(large, of_runs=True)
    assert named(large, of_runs="seeds") == set()  # all on one test set
    uneven = {"a": "0.90 0.90 0.85", "b": "0.50 0.50 0.45"}  # thirds of the sums: a row was cut
    assert "means_over_folds_rows_cut" in named(report_of("0.47 0.47 0.43", uneven), of_runs=True)
    broken = {**large.figures, ("a", "f1"): read_ratio("0.99", "F1", percent=False)}  # above precision and recall
    assert "folds_without_a_class" not in named(replace(large, figures=broken), of_runs=True)
    small = replace(large, sizes=(90, 5, 90), figures={**large.figures, (None, "total"): read_count(185, "total")})
    assert "folds_without_a_class" in named(small)
    # Even so, a mean over fewer classes is bounded.
    above = {(None, kind): read_ratio("0.96", kind, percent=False) for kind in RATIOS}
    assert "folds_without_a_class" in named(replace(small, figures={**small.figures, **above}))
    below = {(None, kind): read_ratio("0.50", kind, percent=False) for kind in RATIOS}
    assert named(replace(small, figures={**small.figures, **below})) == set()
    # The two largest of each column have means of 0.6575, 0.5575 and 0.6025 at most, whose harmonic mean is 0.6034.
    rows = {"a": "0.60 0.50 0.55", "b": "0.20 0.20 0.20", "c": "0.50 0.40 0.44"}
    for macro, fits in (("0.65 0.55 0.60", True), ("- - 0.60", True), ("- - 0.65", False), ("0.70 0.55 0.60", False)):
        lower = report_of(macro, rows, sizes={"a": 90, "b": 5, "c": 90}, counts={"total": 185}, by_tool=True)
        assert ("folds_without_a_class" in named(lower)) == fits


@pytest.mark.parametrize("macro", ["0.166660 0.222222 0.190476", "0.21848592 0.17511125 0.19441861"])
def test_errors_of_single_precision_are_not_ruled_out_at_once(macro):
    assert hopeless(report_of(macro, n_classes=3)) == ()
    assert hopeless(report_of(macro[:-1] + "9", {"a": macro})) == ()
    assert hopeless(report_of("0.60 0.70 0.80"))  # above every mean of the two
    assert hopeless(report_of("0.60 0.80 0.80")) == ()  # perhaps the macro recall


def test_another_beta_explains_every_class_or_none():
    rows = {"a": "0.90 0.50 0.5488", "b": "0.50 0.90 0.7759"}  # F2
    assert "f_beta_2" in named(report_of(None, rows))
    swapped = {"a": "0.50 0.90 0.5488", "b": "0.90 0.50 0.7759"}  # F0.5
    assert "f_beta_0.5" in named(report_of(None, swapped))
    assert named(report_of(None, {**rows, "b": "0.50 0.90 0.90"})) == set()


def test_a_class_or_two_may_be_left_out_of_the_means():
    rows = {"a": "0.90 0.90 0.90", "b": "0.80 0.80 0.80", "c": "0.70 0.70 0.70", "d": "0.10 0.10 0.10"}
    sized = {"sizes": dict.fromkeys("abcd", 20), "single_label": False}
    found = simplest(report_of("0.80 0.80 0.80", rows, **sized))
    assert found[0].over == "the classes without 'd'"
    assert (found[0].name, found[0].report.left_out) == ("fewer_classes", {"d"})
    two = simplest(report_of("0.85 0.85 0.85", rows, **sized))
    assert [reading.over for reading in two] == ["the classes without 'c', 'd'"]
    # Two of three macro figures at least, and two classes that stay; and no tool leaves out rows that it prints.
    assert "fewer_classes" not in named(report_of("- - 0.80", rows, **sized))
    assert "fewer_classes" in named(report_of("- 0.80 0.80", rows, **sized))
    assert "fewer_classes" not in named(report_of("0.80 0.80 0.80", rows, by_tool=True, **sized))
    few = {"a": rows["a"], "d": rows["d"]}
    assert "fewer_classes" not in named(report_of("0.90 0.90 0.90", few))


def test_classes_may_be_missing_from_the_table():
    rows = {"a": "0.90 0.90 0.90", "b": "0.80 0.80 0.80"}
    found = list(_more(report_of("0.60 0.60 0.60", rows)))
    assert [reading.report.n_classes for reading in found] == [3, 4, 5, 7, 12, 32, 102]
    assert [reading.outcome.consistent for reading in found] == [True] * 7
    assert {reading.over for reading in found} == {"more classes than the 2 printed"}
    assert [reading.condition for reading in found[:2]] == ["1 row was cut", "2 rows were cut"]
    assert not any(reading.report.single_label for reading in found)
    assert list(_more(report_of("0.60 0.60 0.60", rows, complete=True))) == []
    assert list(_more(report_of("0.60 0.60 0.60", rows, n_classes=3))) == []
    broken = {"a": "0.90 0.90 0.95", "b": "0.80 0.80 0.80"}
    assert named(report_of("0.60 0.60 0.60", broken)) == set()  # one class contradicts itself, whatever was cut


def test_chance_is_the_room_that_one_more_class_has():
    rows = {"a": "0.75 0.50 0.60", "b": "0.50 0.75 0.60", "c": "0.70 0.70 0.70"}
    report = report_of("0.65 0.65 0.65", rows)
    outcome = assess(report)
    assert outcome.fits == ("f1_of_averages",)
    of_f1 = 4 * (F(1, 100) + outcome.room.f1_of_averages[1] - outcome.room.f1_of_averages[0])
    # Macro precision and the mean of the rows are 0.01 wide each.
    assert _chance(report, outcome) == F(8, 100) * min(F(8, 100), of_f1)
    assert rests_on_all_classes(report, outcome)
    # Two more decimals confirm that no class is missing, unless one is known to be.
    longer = {label: " ".join(f"{text}00" for text in line.split()) for label, line in rows.items()}
    exact = report_of("0.6500 0.6500 0.6500", longer)
    assert not rests_on_all_classes(exact, assess(exact))
    assert rests_on_all_classes(replace(exact, n_classes=4), assess(exact))
    # Without the rows' figures, only the macro F1 counts.
    fewer = report_of("0.65 0.65 0.65", {label: "- - " + line.split()[2] for label, line in rows.items()})
    assert _chance(fewer, outcome) == min(F(1), of_f1)
    assert _chance(replace(fewer, figures={}), outcome) == 1


def test_several_readings_agree_or_decide_nothing():
    rows = {"a": "0.90 0.90 0.90", "b": "0.80 0.80 0.80"}
    found = list(_more(report_of("0.60 0.60 0.60", rows)))[:3]
    assert together(found[:1]) is found[0].outcome
    outcome = together(found)
    for name in ("macro_precision", "macro_recall", "averaged_f1", "f1_of_averages"):
        ends = [getattr(reading.outcome.room, name) for reading in found]
        assert getattr(outcome.room, name) == (min(low for low, _ in ends), max(high for _, high in ends))
    assert outcome.solutions is None
    assert outcome.has_f1
    assert set(outcome.fits) == {name for reading in found for name in reading.outcome.fits}


def test_a_zero_that_may_be_left_out_leaves_a_verdict_open():
    rows = {
        "a": {"precision": "0.90", "recall": "0.50", "f1": "0.64"},
        "b": {"precision": "0.50", "recall": "0.90", "f1": "0.64"},
        "c": {"precision": "0.00", "recall": "0.00", "f1": "0.00"},
    }
    figures = {"per_class": rows, "n_classes": 3}
    result = macrof1.audit(**figures, f1="0.43", precision="0.47", recall="0.47")
    assert result.verdict == "averaged_f1"
    open_verdict = macrof1.audit(**figures, f1="0.64")
    assert open_verdict.definition == "averaged F1 over the 2 classes with support"
