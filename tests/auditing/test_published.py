"""What was published, as given: names, units, decimals, counts, and what is refused."""

from fractions import Fraction as F

import pytest

import macrof1
from macrof1 import InputError
from macrof1.auditing.published import Published, read_report, with_counts


def published(**more):
    """Return what was published, with defaults for the rest."""
    macro = {kind: more.pop(kind, None) for kind in ("precision", "recall", "f1")}
    defaults = dict.fromkeys(("n_classes", "accuracy", "correct", "total", "percent", "decimals", "task"))
    return Published(macro=macro, **{**defaults, "per_class": {}, "support": {}, "rounding": "round", **more})


def report_of(**more):
    return read_report(published(**more))[0]


def codes_of(**more):
    return [note.code for note in read_report(published(**more))[1]]


ROW = {"precision": "0.5", "recall": "0.5"}


def test_names_of_figures_are_read_in_any_usual_spelling():
    row = {"P": "0.1", "r": "0.2", "F-Score": "0.3"}
    report = report_of(per_class={"a": row, 7: {"f_1": "0.4", "Precision": "-"}}, f1="n/a", accuracy="0.5", total="10")
    assert {key: figure.text for key, figure in report.figures.items()} == {
        ("a", "precision"): "0.1",
        ("a", "recall"): "0.2",
        ("a", "f1"): "0.3",
        ("7", "f1"): "0.4",
        (None, "accuracy"): "0.5",
        (None, "total"): "10",
    }
    assert report.figures["7", "f1"].name == "7 F1"
    assert report.labels == ("a", "7")
    macro = report_of(f1="0.5", recall="0.5", precision="0.5").figures
    assert [figure.name for figure in macro.values()] == ["macro precision", "macro recall", "macro F1"]


@pytest.mark.parametrize(
    ("figures", "percent"),
    [
        ({"f1": "50%", "recall": "0.5%"}, True), ({"f1": "50", "recall": "100"}, True),
        ({"f1": "1.01", "recall": "1"}, True), ({"f1": "50", "recall": "0"}, True),
        ({"f1": "0.5", "recall": "1"}, False), ({"f1": "1", "recall": "0"}, False),
        ({"f1": "0.5", "percent": True}, True), ({"f1": "0.5", "percent": False}, False),
        ({"f1": "50%", "percent": True}, True),
    ],
)  # fmt: skip
def test_percentages_are_told_from_fractions(figures, percent):
    report = report_of(**figures)
    assert {figure.scale for figure in report.figures.values()} == {100 if percent else 1}


@pytest.mark.parametrize(
    ("figures", "message"),
    [
        ({"f1": "50%", "percent": False}, "macro F1 is '50%' beside percent=False"),
        ({"f1": "50%", "recall": "0.5"}, "macro F1 is 50% but macro recall is 0.5"),
        ({"f1": "50", "recall": "0.5"}, "macro F1 is 50 but macro recall is 0.5"),
        ({"f1": "1.5"}, None),
        ({"f1": "0.5", "n_classes": 0}, "n_classes=0: expected a whole number"),
        ({"f1": "0.5", "n_classes": True}, "n_classes=True: expected a whole number"),
        ({"f1": "0.5", "n_classes": 1}, None),
        ({"f1": "0.5", "n_classes": 1, "per_class": {"a": ROW, "b": ROW}},
         "2 classes listed (a, b) beside n_classes=1"),
        ({"f1": "0.5", "n_classes": 1, "per_class": dict.fromkeys("abcde", ROW)},
         "5 classes listed (a, b, c, d, e) beside"),
        ({"f1": "0.5", "n_classes": 1, "per_class": dict.fromkeys("abcdef", ROW)},
         "6 classes listed (a, b, c, d, e, …) beside"),
        ({"f1": "0.5", "n_classes": 2, "per_class": {"a": ROW, "b": ROW}}, None),
        ({"per_class": [{"precision": "0.5"}]}, "per_class is [{'precision': '0.5'}]: expected a mapping such as"),
        ({"f1": "0.5", "support": 5}, "support is 5: expected a mapping such as {'cat': 120}"),
        ({"f1": "0.5", "decimals": -1}, "decimals=-1: expected a whole number"),
        ({"f1": "0.5", "decimals": 31}, "decimals=31: expected a whole number"),
        ({"f1": "0.5", "decimals": True}, "decimals=True: expected a whole number"),
        ({"f1": "0.5", "decimals": 30}, None),
        ({"f1": "1", "decimals": 0}, None),
        ({"f1": "0.5", "support": {"a": "many"}}, "whole number"),
        ({"f1": "0.5", "per_class": {"a": {"precison": "0.5"}}}, "did you mean 'precision'"),
        ({"f1": "0.5", "rounding": "up"}, "rounding"),
        ({"f1": "0.5", "task": "binary"}, "task"),
        ({"per_class": {"a": {"tn": 5}}}, "no figures given"),
        ({"per_class": {"a": {"tp": 5}}}, None),
        ({"total": 5}, None),
        ({}, "no figures given"),
        ({"per_class": {"a": {"x": 5}}}, "x"),
        ({"per_class": {"a": 0.5}}, "the figures of 'a' are 0.5"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(figures, message):
    if message is None:
        report_of(**figures)
        return
    with pytest.raises(InputError) as error:
        report_of(**figures)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("precision", "recall", "f1", "odd"),
    [
        ("50", "1", "2", None), ("50", "1", "2.1", "macro recall is 1 percent beside macro F1 2.1"),
        ("1", "50", "2.1", "macro precision is 1 percent beside macro F1 2.1"), ("50", "1.1", "2.2", None),
        ("50", "0", "20", None), ("50", "0.5", "20", "macro recall is 0.5 percent beside macro F1 20"),
        ("50", "10", "1", "macro F1 is 1 percent beside macro precision 50"),
        ("10", "50", "0.5", "macro F1 is 0.5 percent beside macro recall 50"), ("50", "9.9", "1", None),
        ("50", "10", "1.1", None), ("50", "10", "0", None), ("50", None, "1", None),
    ],
)  # fmt: skip
def test_a_fraction_among_percentages_is_refused(precision, recall, f1, odd):
    figures = {"precision": precision, "recall": recall, "f1": f1, "percent": True}
    if odd is None:
        report_of(**figures)
    else:
        with pytest.raises(InputError, match=odd):
            report_of(**figures)
    # The same as fractions of 1.
    as_fractions = {kind: text and str(F(text) / 100 + 0.0) for kind, text in list(figures.items())[:3]}
    report_of(**as_fractions)


def test_decimals_are_given_for_all_or_by_name():
    figures = {"f1": "0.5", "per_class": {"a": {"recall": "0.5", "f1": "0.5"}}}
    units = {key: figure.decimals for key, figure in report_of(**figures, decimals=3).figures.items()}
    assert set(units.values()) == {3}
    some = report_of(**figures, decimals={"f1": 2, "a recall": 4, "a F1": 5}).figures
    assert [some[key].decimals for key in ((None, "f1"), ("a", "recall"), ("a", "f1"))] == [2, 4, 5]
    named = report_of(**figures, decimals={"macro F1": 2}).figures
    assert [named[key].decimals for key in ((None, "f1"), ("a", "f1"))] == [2, 1]


def test_figures_printed_in_full_may_be_off_by_the_error_of_floats():
    row = {"precision": "0.8123456789012", "recall": "0.5", "f1": "0.5"}
    report = report_of(f1="0.71", per_class={"a": row, "b": {"precision": "0.9", "recall": "0.4"}})
    floating = {key for key, figure in report.figures.items() if figure.floating}
    # The column of precision lost its zeros; the others are short.
    assert floating == {("a", "precision"), ("b", "precision")}
    slack = 20 * F(1, 2**53)
    assert report.figures["a", "precision"].above == F(1, 2 * 10**13) + slack
    many = report_of(f1="0.8123456789012", n_classes=5).figures[None, "f1"]
    assert many.above == F(1, 2 * 10**13) + 26 * F(1, 2**53)
    unknown = report_of(f1="0.8123456789012").figures[None, "f1"]
    assert unknown.above == F(1, 2 * 10**13) + 144 * F(1, 2**53)


@pytest.mark.parametrize(
    ("figures", "codes"),
    [
        ({"f1": "0.5"}, []),
        ({"f1": "0.5", "n_classes": 2}, ["one_label_assumed"]),
        ({"f1": "0.5", "n_classes": 3}, []),
        ({"f1": "0.5", "n_classes": 2, "task": "multilabel"}, []),
        ({"f1": "0.5", "per_class": {"a": ROW, "b": ROW}}, ["n_classes_assumed", "one_label_assumed"]),
        ({"f1": "0.5", "per_class": {"a": ROW, "b": ROW, "c": ROW}}, ["n_classes_assumed"]),
        ({"f1": "0.5", "support": {"a": 1, "b": 2, "c": 3}}, ["n_classes_assumed", "one_label_assumed"]),
        ({"f1": "0.5", "per_class": {"a": {"tp": 1, "fp": 1, "fn": 1, "tn": 1}}}, ["one_label_assumed"]),
        ({"f1": "0.5", "per_class": {"a": ROW, "b": ROW}, "task": "multiclass"},
         ["n_classes_assumed", "one_label_assumed"]),
    ],
)  # fmt: skip
def test_assumptions_are_noted(figures, codes):
    assert codes_of(**figures) == codes


def test_one_class_is_spoken_of_in_the_singular():
    (note,) = read_report(published(f1="0.5", per_class={"a": ROW}, task="multilabel"))[1]
    assert note == "The class with figures is assumed to be the only class (otherwise, set n_classes=)."
    (note,) = read_report(published(f1="0.5", per_class={"a": ROW, "b": ROW}, task="multilabel"))[1]
    assert note == "The 2 classes with figures are assumed to be all classes (otherwise, set n_classes=)."


def cells(**classes):
    return {label: dict(zip(("tp", "fp", "fn", "tn"), row, strict=False)) for label, row in classes.items()}


def combined(labels, given, *, n_classes=None, task=None, sizes=None):
    return with_counts({}, tuple(labels), sizes or {}, given, n_classes=n_classes, task=task)


def test_counts_of_all_classes_show_whether_rows_have_one_label():
    even = combined("ab", cells(a=(3, 1, 2), b=(4, 2, 1)))
    assert (even.single_label, even.complete, even.sizes) == (True, False, (5, 5))
    odd = combined("ab", cells(a=(3, 1, 2), b=(4, 2, 2)))
    assert not odd.single_label
    assert combined("ab", cells(a=(3, 1, 2), b=(4, 2, 2)), n_classes=3).single_label
    assert combined("abc", cells(a=(3, 1, 2), b=(4, 2, 2))).single_label
    assert not combined("ab", cells(a=(3, 1, 2), b=(4, 2, 1)), task="multilabel").single_label
    assert combined("ab", cells(a=(3, 1, 2), b=(4, 2, 1)), sizes={"a": 7}).sizes == (7, 5)


def test_classes_are_complete_if_that_is_said_or_the_counts_cover_all_rows():
    given = cells(a=(3, 1, 2, 4), b=(4, 2, 1, 3))
    assert combined("ab", given).complete
    assert not combined("ab", cells(a=(3, 1, 2, 5), b=(4, 2, 1, 4))).complete
    assert not combined("ab", cells(a=(3, 1, 2), b=(4, 2, 1))).complete
    for fewer in (cells(a=(3, 1, 1, 5), b=(4, 2, 1, 3)), cells(a=(3, 1, 2, 4), b=(4, 1, 1, 4))):  # gold, predicted
        assert not combined("ab", fewer).complete
    assert combined("ab", {}, task="multiclass").complete
    assert combined("ab", {}, n_classes=2).complete
    assert not combined("ab", {}, n_classes=3).complete
    assert not combined("ab", {}).complete
    assert combined("", {}).n_classes is None


@pytest.mark.parametrize("figures", [{"f1": "1.0", "decimals": {"f1": 3}}, {"f1": 1.0, "decimals": 3}])
def test_a_given_number_of_decimals_is_printed_back(figures):
    assert macrof1.audit(precision="1.0", recall="1.0", **figures).decimals == 3


HALVES = {"precision": "0.50", "recall": "0.50", "f1": "0.50"}
BOTH, MANY = {"a": HALVES, "b": HALVES}, dict.fromkeys("abc", 10**6)
MACRO_F1 = "macro F1: needs macro precision and macro recall, or figures of the classes"
NO_FORMULA = "the formula: no macro F1 was given"
ACCURACY = "accuracy: needs class sizes, or correct and total"
CORRECT = "correct: needs class sizes, or total"
TOTAL = "total: needs class sizes, or correct and accuracy"
P, R = (f"macro {kind}: needs a macro F1, or the {kind} of every class" for kind in ("precision", "recall"))
UNSIZED, SEVERAL, TOO_MANY = (
    f"class sizes against whole counts: {why}"
    for why in (
        "not every class has one",
        "rows have several labels",
        "more combinations of counts fit than are listed",
    )
)


def of_class(name):
    return f"{name}: needs the other two figures of the class, or class sizes"


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({"f1": "0.5"}, [MACRO_F1]),
        ({"f1": "0.5", "precision": "0.5"}, []),
        ({"f1": "0.5", "recall": "0.5"}, []),
        ({"f1": "0.50", "per_class": BOTH}, []),
        ({"precision": "0.5", "recall": "0.5"}, [NO_FORMULA, P, R]),
        ({"precision": "0.5"}, [NO_FORMULA, P]),
        ({"precision": "0.50", "per_class": BOTH}, [NO_FORMULA]),
        ({"precision": "0.50", "per_class": {"a": HALVES}, "n_classes": 2}, [NO_FORMULA, P]),
        ({"recall": "0.50", "per_class": {"a": HALVES, "b": {"precision": "0.50"}}},
         [NO_FORMULA, R, of_class("b precision")]),
        ({"precision": "0.50", "per_class": {"a": {"precision": "0.50"}, "b": {"precision": "0.50", "f1": "0.50"}}},
         [NO_FORMULA, of_class("b F1")]),
        ({"f1": "0.50", "per_class": {"a": {"recall": "0.50"}, "b": HALVES}}, [of_class("a recall")]),
        ({"f1": "0.5", "accuracy": "0.5"}, [MACRO_F1, ACCURACY]),
        ({"f1": "0.5", "accuracy": "0.5", "correct": 5}, [MACRO_F1, ACCURACY, CORRECT]),
        ({"f1": "0.5", "accuracy": "0.5", "total": 10}, [MACRO_F1, ACCURACY, TOTAL]),
        ({"f1": "0.5", "accuracy": "0.5", "correct": 5, "total": 10}, [MACRO_F1]),
        ({"f1": "0.5", "correct": 5, "total": 10}, [MACRO_F1]),
        ({"f1": "0.5", "total": 10}, [MACRO_F1, TOTAL]),
        ({"f1": "0.50", "total": 20, "support": {"a": 10, "b": 10}}, []),
        ({"f1": "0.50", "per_class": BOTH, "support": {"a": 10}, "accuracy": "0.50", "correct": 5},
         [ACCURACY, CORRECT, UNSIZED]),
        ({"f1": "0.50", "per_class": BOTH, "support": {"a": 10, "b": 10}, "task": "multilabel"}, [SEVERAL]),
        ({"f1": "0.50", "correct": 5, "support": {"a": 10, "b": 10}, "task": "multilabel"}, [CORRECT, SEVERAL]),
        ({"f1": "0.5", "support": MANY, "correct": 10**6, "accuracy": "0.33"}, [TOO_MANY]),
        ({"f1": "0.5", "support": MANY, "accuracy": "0.33"}, [ACCURACY, TOO_MANY]),
        ({"f1": "0.50", "per_class": BOTH, "support": {"a": 10, "b": 10}}, []),
    ],
)  # fmt: skip
def test_each_figure_that_nothing_tests_is_named(figures, expected):
    assert list(macrof1.audit(**figures).not_tested) == expected
