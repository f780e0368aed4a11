"""Interval arithmetic: each step by hand, and against values drawn from them."""

from dataclasses import replace
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macrof1.auditing import feasible
from macrof1.auditing.feasible import ANY, Report, conflicts, narrow, one_class, surely_broken, totals_broken
from macrof1.auditing.printed_figures import RATIOS, read_count, read_ratio

cells = st.integers(0, 20).map(lambda n: F(n, 20))
intervals_of = st.tuples(cells, cells).map(lambda ends: tuple(sorted(ends)))


def harmonic(p, r):
    return 2 * p * r / (p + r) if p + r else F(0)


def report_of(macro=None, counts=None, *, labels="ab", single_label=True, sizes=(None, None), **classes):
    """Return a report: macro={"precision": "0.5"}, a={"f1": "0.4"}."""
    figures = {(None, kind): read_ratio(text, f"macro {kind}", percent=False) for kind, text in (macro or {}).items()}
    figures |= {(None, kind): read_count(n, kind) for kind, n in (counts or {}).items()}
    figures |= {
        (label, kind): read_ratio(text, f"{label} {kind}", percent=False)
        for label, row in classes.items()
        for kind, text in row.items()
    }
    return Report(figures, tuple(labels), len(labels) or None, sizes[: len(labels)], single_label)


@given(intervals_of, intervals_of, intervals_of, st.tuples(*[st.integers(0, 8)] * 2))
def test_one_class_keeps_every_true_triple_and_nothing_outside_the_ends(p, r, f, place):
    left = one_class(p, r, f)
    drawn = [low + (high - low) * F(step, 8) for (low, high), step in zip((p, r), place, strict=True)]
    value = harmonic(*drawn)
    if f[0] <= value <= f[1]:
        assert left is not None
        for (low, high), inside in zip(left, (*drawn, value), strict=True):
            assert low <= inside <= high
    low, high = harmonic(p[0], r[0]), harmonic(p[1], r[1])
    assert (left is None) == (max(low, f[0]) > min(high, f[1]))
    if left is not None:
        unknown = (p == ANY) + (r == ANY)
        assert left[2] == (f if unknown == 2 or (unknown and f == ANY) else (max(low, f[0]), min(high, f[1])))


def test_a_weighted_mean_knows_sizes_to_half_a_row():
    assert feasible.weighted_mean(report_of(sizes=(5, None)), [ANY, ANY]) is None
    summed = replace(report_of(sizes=(2, 3)), whole=False)
    assert feasible.weighted_mean(summed, [(F(0), F(0)), (F(1), F(1))]) == (F(1, 2), F(7, 10))
    for total, ends in ((None, None), (10, (F(1, 2), F(1)))):  # of 10 rows, 5 may be of a class not listed
        counts = None if total is None else {"total": total}
        more = replace(report_of(counts=counts, sizes=(2, 3)), n_classes=3)
        assert feasible.weighted_mean(more, [(F(1), F(1))] * 3) == ends
    macro = {"weighted_precision": "0.50", "weighted_recall": "0.50"}
    found = [narrow(report_of(macro | {"weighted_f1": text})).broken is None for text in ("0.50", "0.51", "0.52")]
    assert found == [True, True, False]
    summed = replace(summed, sizes=(0, 3))
    assert feasible.weighted_mean(summed, [(F(0), F(0)), (F(1), F(1))]) == (F(5, 6), F(1))
    totals = [replace(report_of(counts={"total": n}, sizes=(2, 3)), whole=False) for n in range(2, 9)]
    assert [totals_broken(each) is None for each in totals] == [False, False, True, True, True, False, False]


def test_long_fractions_are_rounded_outwards():
    finest = 2 * 10**70
    long = F(10**80, 3 * 10**80 + 1)
    low, high = feasible._outwards((long, long))
    assert low < long < high
    assert low == F(long * finest // 1, finest)
    assert high - low == F(1, finest)
    short = (F(1, 3), F(1, finest))
    assert feasible._outwards(short) == short


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (report_of(a={"precision": "0.90", "recall": "0.90", "f1": "0.50"}),
         "precision, recall and F1 of a cannot be true together"),
        (report_of({"precision": "0.20"}, a={"precision": "0.90"}),
         "macro precision is not the mean of the classes' precision"),
        (report_of({"recall": "0.20"}, a={"recall": "0.90"}), "macro recall is not the mean of the classes' recall"),
        (report_of({"precision": "0.60", "recall": "0.40"}),
         "with two classes and one label per row, macro precision and macro recall lie both above 0.5 or both below"),
        (report_of({"precision": "0.40", "recall": "0.60"}),
         "with two classes and one label per row, macro precision and macro recall lie both above 0.5 or both below"),
        (report_of({"precision": "0.75", "recall": "0.47"}, labels="abcd", a={"f1": "0.67"}, b={"f1": "0.36"},
                   c={"f1": "0.72"}, d={"f1": "0.87"}),
         "the classes' F1 scores do not go with macro precision and macro recall"),
    ],
)  # fmt: skip
def test_a_contradiction_is_put_into_words(report, words):
    assert narrow(report).broken == words
    assert surely_broken(report)


@pytest.mark.parametrize("macro", [("0.5", "0.5"), ("0.50", "0.51"), ("0.6", "0.5"), ("0.4", "0.5"), ("0.6", "0.6")])
def test_half_is_on_both_sides(macro):
    report = report_of(dict(zip(("precision", "recall"), macro, strict=True)))
    assert narrow(report).broken is None
    assert not surely_broken(report)


def test_two_classes_of_one_label_have_a_lower_highest_averaged_f1():
    report = report_of({"precision": "0.80", "recall": "0.60"})
    room = narrow(report)
    p, r = F(805, 1000), F(605, 1000)
    assert room.averaged_f1[1] == (1 + harmonic(2 * p - 1, 2 * r - 1)) / 2
    assert room.f1_of_averages[1] == harmonic(p, r)
    for other in (
        replace(report, single_label=False),
        replace(report, undefined=1),
        replace(report, n_classes=3, labels=("a", "b", "c")),
    ):
        assert narrow(other).averaged_f1[1] == harmonic(p, r)
    # Below 1/2 the harmonic mean is the stricter one.
    low = narrow(report_of({"precision": "0.30", "recall": "0.20"}))
    assert low.averaged_f1[1] == harmonic(F(305, 1000), F(205, 1000))


@pytest.mark.parametrize("kinds", [("precision", "recall"), ("recall", "precision")])
@pytest.mark.parametrize(("text", "other"), [("0.50", "0.30"), ("0.49", "0.70")])
def test_an_end_at_half_proves_nothing(kinds, text, other):
    # Cut off, 0.50 may be exactly 1/2, and so may 0.49.
    figures = {
        (None, kind): read_ratio(shown, kind, percent=False, rounding="truncate")
        for kind, shown in zip(kinds, (text, other), strict=True)
    }
    report = replace(report_of(), figures=figures)
    assert narrow(report).broken is None
    p, r = (report.bounds(None, kind)[1] for kind in kinds)
    assert narrow(report).averaged_f1[1] == harmonic(p, r)


def test_untied_figures_are_means_over_folds():
    figures = {"precision": "0.80", "recall": "0.80", "f1": "0.70"}
    report = report_of({"precision": "0.80", "recall": "0.80"}, a=figures, b={**figures, "f1": "0.75"})
    room = narrow(replace(report, tied=False))
    assert room.broken is None
    assert room.averaged_f1 == (F(720, 1000), F(730, 1000))
    # The mean of several F1s of averages lies between the mean F1 of the classes and the harmonic mean.
    assert room.f1_of_averages == (F(720, 1000), F(805, 1000))
    for f1 in ("0.90", "0.50"):  # above the harmonic mean, and below P + R - 1
        broken = report_of({}, a={**figures, "f1": f1}, b=figures)
        assert narrow(replace(broken, tied=False)).broken is not None


@pytest.mark.parametrize(
    ("counts", "accuracy", "sizes", "keys", "words"),
    [
        ({"total": 11}, None, (6, 4), {"total"}, "the class sizes add up to 10, not to the total 11"),
        ({"total": 10}, None, (6, 4), None, None),
        ({"correct": 11}, None, (6, 4), {"correct"}, "11 correct rows are more than the total 10"),
        ({"correct": 10}, None, (6, 4), None, None),
        ({"correct": 11, "total": 10}, None, (None, None), {"correct", "total"},
         "11 correct rows are more than the total 10"),
        ({"correct": 10, "total": 10}, None, (None, None), None, None),
        ({"correct": 5, "total": 10}, "0.6", (None, None), {"correct", "total", "accuracy"},
         "5 of 10 rows are not an accuracy of 0.6"),
        ({"correct": 5}, "0.6", (6, 4), {"correct", "accuracy"}, "5 of 10 rows are not an accuracy of 0.6"),
        ({"correct": 55, "total": 100}, "0.6", (None, None), None, None),
        ({"correct": 5}, "0.6", (6, None), None, None),
        ({"total": 10}, "0.6", (None, None), None, None),
        ({"correct": 0, "total": 0}, "0.6", (None, None), None, None),
    ],
)  # fmt: skip
def test_totals_are_held_against_each_other(counts, accuracy, sizes, keys, words):
    report = report_of({} if accuracy is None else {"accuracy": accuracy}, counts, sizes=sizes)
    assert totals_broken(report) == words
    assert [found for found in conflicts(report) if found] == (
        [] if keys is None else [{(None, kind) for kind in keys}]
    )
    assert surely_broken(report) == (words is not None)
    if sizes == (6, 4):
        # Rows of several labels have no sum.
        assert totals_broken(replace(report, single_label=False)) is None


def test_figures_that_contradict_each_other_at_once():
    report = report_of(
        {"precision": "0.20", "recall": "0.90"},
        a={"precision": "0.90", "recall": "0.90", "f1": "0.50"},
        b={"precision": "0.80", "recall": "0.90"},
    )
    of_a, of_precision = {("a", kind) for kind in RATIOS}, {(label, "precision") for label in (None, "a", "b")}
    assert conflicts(report) == [of_a, of_precision]
    assert conflicts(replace(report, tied=False)) == [of_a, of_precision]  # below P + R - 1 even as a mean
    assert conflicts(replace(report, n_classes=3)) == [of_a]
    left_out = replace(report, left_out=frozenset("b"))
    assert conflicts(left_out) == [of_a, {(None, "precision"), ("a", "precision")}]
    counted = replace(report_of(a={"recall": "0.90"}), errors={"a": (1, 1, 1)})
    assert conflicts(counted) == [{("a", "recall")}]


@pytest.mark.parametrize(
    ("report", "broken"),
    [
        (report_of({"precision": "0.60", "recall": "0.60", "f1": "0.61"}), True),
        (report_of({"precision": "0.60", "recall": "0.60", "f1": "0.60"}), False),
        (report_of({"precision": "0.60", "recall": "0.60"}), False),
        (report_of({"f1": "0.60"}), False),
        (report_of({"precision": "0.90", "recall": "0.90", "f1": "0.20"}), True),
        (report_of(labels="", macro={"precision": "0.90", "recall": "0.90", "f1": "0.20"}), True),
        (report_of(labels="", macro={"precision": "0.60", "recall": "0.60", "f1": "0.20"}), False),
    ],
)
def test_a_macro_f1_that_neither_formula_gives_is_broken(report, broken):
    gap = report_of({"precision": "0.60", "recall": "0.60", "f1": "0.62"})
    assert surely_broken(gap)
    assert surely_broken(report) is (broken and report.figures[None, "f1"].text != "0.61")


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("narrowed", [one_class, feasible.roughly_one_class])
def test_nothing_is_left_of_a_class_of_which_one_figure_is_impossible(narrowed, which):
    ends = [(F(1, 10), F(9, 10)), (F(2, 10), F(9, 10)), (F(1, 10), F(9, 10))]
    assert narrowed(*ends) is not None
    ends[which] = (F(6, 10), F(5, 10))
    assert narrowed(*ends) is None


@pytest.mark.parametrize(("kind", "fits"), [("weighted", "0.79"), ("micro", "0.89")])
def test_averages_of_a_tool_go_with_each_other_down_to_the_last_digit(kind, fits):
    # With 0.895 to 0.905 for both parts, a weighted F1 is at least 0.79, and a micro F1 at least 0.895.
    parts = {f"{kind}_precision": "0.90", f"{kind}_recall": "0.90"}
    below = f"{float(fits) - 0.01:.2f}"
    found = [
        narrow(report_of(parts | {f"{kind}_f1": text}, labels="")).broken for text in (below, fits, "0.91", "0.92")
    ]
    words = f"{kind} F1 does not go with {kind} precision and recall"
    assert found == [words, None, None, words]


def test_sums_of_weights_are_rounded_to_half_a_row_each():
    # Three sizes and their sum are off by half a row each: by two at most.
    reports = [
        replace(report_of(counts={"total": n}, labels="abc", sizes=(2, 3, 4)), whole=False) for n in range(6, 13)
    ]
    assert [totals_broken(each) is None for each in reports] == [False, True, True, True, True, True, False]
