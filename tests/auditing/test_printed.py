"""From a printed report to its audit: class names, supports, counts, units, and figures without names."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

import macrof1
from macrof1 import InputError
from macrof1.auditing import audited_texts
from macrof1.auditing.audited_texts import (
    _add_matrix,
    _errors,
    _labels,
    _name_by_counts,
    _near,
    _read_as,
    _support,
    _total,
    report_counts,
)
from macrof1.reading.reports.printed import PrintedClass, PrintedReport


def report_of(*rows, **more):
    """Return a printed report: rows as (label, {kind: text})."""
    return PrintedReport("a table", classes=[PrintedClass(label, figures) for label, figures in rows], **more)


def with_support(*supports):
    return report_of(*((f"c{place}", {"support": support}) for place, support in enumerate(supports)))


@pytest.mark.parametrize(
    ("supports", "found"),
    [
        (("10", "5"), [10, 5]),
        (("1,234", "5"), [1234, 5]),
        (("10.0", "5.0"), [10, 5]),
        (("110.000", "20.000"), [110, 20]),
        (("1.500", "20.000"), [1500]),  # thousands, unless all end in zeros; 20.000 alone could be 20
        (("1.500", "200"), [1500, 200]),
        (("0.5", "0.5"), []),
        ((), []),
    ],
)
def test_supports_are_whole_numbers(supports, found):
    printed = with_support(*supports)
    assert list(_support(printed, _labels(printed)).values()) == found


def test_classes_of_one_name_are_numbered():
    printed = report_of(*((label, {}) for label in ("a", "b", "a", "a", "a (2)")))
    assert _labels(printed) == ["a", "b", "a (2)", "a (3)", "a (2) (2)"]


@pytest.mark.parametrize(
    ("supports", "totals", "expected"),
    [
        (["10", "5"], ["15"], 15),
        (["10", "5"], ["15.0"], 15),
        (["1000", "500"], ["1,500"], 1500),
        (["10", "5"], ["15", "15"], 15),
        (["10", "5"], ["7", "15"], None),
        (["10", "5"], ["0.5"], None),
        (["10", "5"], [], None),
        ([], ["15"], None),
    ],
)
def test_the_total_is_the_support_of_the_averages(supports, totals, expected):
    printed = with_support(*supports)
    printed.averages = {f"average {place}": {"support": total} for place, total in enumerate(totals)}
    assert _total(printed) == expected


@pytest.mark.parametrize(
    ("figures", "errors"),
    [
        ({"tp": "5", "predicted": "8", "support": "6"}, {"fp": "3", "fn": "1"}),
        ({"tp": "5", "predicted": "5", "support": "5"}, {"fp": "0", "fn": "0"}),
        ({"tp": "6", "predicted": "8", "support": "5"}, {}),
        ({"tp": "6", "predicted": "5", "support": "8"}, {}),
        ({"tp": "5", "predicted": "8"}, {}),
        ({"tp": "5", "predicted": "8", "support": "0.6"}, {}),
    ],
)
def test_errors_follow_from_hits_predictions_and_gold_rows(figures, errors):
    assert _errors(figures) == errors


MATRIX = [[3, 1, 0], [2, 4, 1], [0, 1, 5]]
COUNTS = {
    "a": {"tp": "3", "fp": "2", "fn": "1"},
    "b": {"tp": "4", "fp": "2", "fn": "3"},
    "c": {"tp": "5", "fp": "1", "fn": "1"},
}


@pytest.mark.parametrize("matrix", [MATRIX, [list(column) for column in zip(*MATRIX, strict=True)]])
def test_a_matrix_beside_a_table_gives_the_counts_whichever_way_it_lies(matrix):
    printed = report_of(*((label, {"support": n}) for label, n in zip("abc", "476", strict=True)), matrix=matrix)
    per_class = {label: {} for label in "abc"}
    _add_matrix(printed, per_class)
    assert per_class == COUNTS


@pytest.mark.parametrize(
    ("matrix", "supports", "more"),
    [
        (MATRIX, "477", {}),
        (MATRIX[:2], "476", {}),
        (None, "476", {}),
        (MATRIX, "476", {"tp": "3"}),
    ],
)
def test_a_matrix_of_something_else_is_left_alone(matrix, supports, more):
    rows = ((label, {"support": n, **more}) for label, n in zip("abc", supports, strict=True))
    printed = report_of(*rows, matrix=matrix)
    per_class = {label: {} for label in "abc"}
    _add_matrix(printed, per_class)
    assert per_class == {label: {} for label in "abc"}


@pytest.mark.parametrize(
    ("f1", "accuracy"), [("0.5000", "70.0%"), ("50.00", "0.700"), ("50.00%", "0.700"), ("0.50", "70.0"), ("50%", "70%")]
)
def test_each_figure_of_a_text_has_its_own_unit(f1, accuracy):
    (report,) = macrof1.audit_text(f"Accuracy: {accuracy}\nmacro precision: 0.5\nMacro-F1: {f1}\n").reports
    assert report.figures["accuracy"] == accuracy
    assert (report.result.published, report.result.status) == (f1, "fits")
    assert report.result.f1_of_averages[1] <= 1


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        (report_of(("a", {"f1": "0.5"})), "a table, 1 class, 1 decimal"),
        (report_of(("a", {"f1": "0.5"}), ("b", {"f1": "0.55"})), "a table, 2 classes, 2 decimals"),
        (PrintedReport("a line", averages={"macro": {"f1": "0.512"}}), "a line, macro averages, 3 decimals"),
        (PrintedReport("a line"), "a line"),
        (report_of(("a", {"support": "5"})), "a table, 1 class, support"),
        (report_of(("a", {"tp": "5", "fp": "1", "fn": "2"})), "a table, 1 class, tp, fp and fn"),
        (report_of(("a", {"tp": "5", "fp": "1"})), "a table, 1 class"),
        (report_of(("a", {"f1": "0.5"}), remarks=["one", "two"]), "a table, 1 class, 1 decimal; one; two"),
    ],
)
def test_how_a_report_was_read_is_said(printed, words):
    assert _read_as(printed) == words


def test_figures_without_names_are_told_by_the_counts():
    rows = (("a", {"tp": "8", "fp": "1", "fn": "3"}), ("b", {"tp": "4", "fp": "3", "fn": "1"}))
    # Averaged F1 (16/20 + 8/12) / 2 is 0.733, accuracy 12/16.
    printed = report_of(*rows, unnamed=["0.75", "0.733", "0.9"])
    _name_by_counts(printed)
    assert (printed.macro, printed.accuracy) == ({"f1": "0.733"}, "0.75")
    assert printed.remarks == ["figures without names were told by what the counts give"]
    percent = report_of(*rows, unnamed=["73.3", "91"])
    _name_by_counts(percent)
    assert (percent.macro, percent.accuracy) == ({"f1": "73.3"}, None)
    # F1 of averages: precision (8/9 + 4/7) / 2, recall (8/11 + 4/5) / 2.
    p, r = (F(8, 9) + F(4, 7)) / 2, (F(8, 11) + F(4, 5)) / 2
    other = report_of(*rows, unnamed=[f"{float(2 * p * r / (p + r)):.4f}"])
    _name_by_counts(other)
    assert other.macro["f1"] == other.unnamed[0]
    for unnamed in (["0.9"], ["0.733", "0.734"], ["0.75"]):
        with pytest.raises(InputError, match=f"no one figure of {', '.join(unnamed)} is the macro F1"):
            _name_by_counts(report_of(*rows, unnamed=unnamed))
    empty = report_of(("a", {"tp": "0", "fp": "0", "fn": "0"}), rows[0], unnamed=["0.40"])
    _name_by_counts(empty)
    assert empty.macro == {"f1": "0.40"}


@pytest.mark.parametrize(
    ("shown", "value", "near"),
    [("0.75", F(76, 100), True), ("0.75", F(761, 1000), False), ("75", F(76, 100), True), ("75", F(77, 100), False),
     ("0.7%", F(6, 1000), True), ("0.75", F(739, 1000), False)],
)  # fmt: skip
def test_one_unit_of_the_last_decimal_is_near(shown, value, near):
    assert _near(shown, value) is near


REPORT = """
              precision    recall  f1-score   support
           a       0.67      0.50      0.57         4
           b       0.50      0.67      0.57         3
    accuracy                           0.57         7
   macro avg       0.58      0.58      0.57         7
"""


def test_the_counts_of_a_report_are_scored():
    counts = report_counts(REPORT)
    assert (counts.tp, counts.predicted, counts.actual) == ((2, 2), (3, 4), (4, 3))
    with pytest.raises(InputError, match="2 reports in the text"):
        report_counts(REPORT + "\n\nother\n" + REPORT)
    with pytest.raises(InputError, match=r"does not determine counts: no whole counts follow from its figures"):
        report_counts("Macro-F1: 0.71")
    many = (
        REPORT.replace("         4", "       400")
        .replace("         3", "       300")
        .replace("         7", "       700")
    )
    with pytest.raises(InputError, match=r"does not determine counts: \d+ sets of counts give its figures"):
        report_counts(many)


def test_reports_are_numbered_and_named_by_their_place():
    found = macrof1.audit_text(REPORT + "\n\n" + REPORT).reports
    assert [report.name for report in found] == ["report 1", "report 2"]
    wrong = REPORT.replace("0.67", "1.67")
    with pytest.raises(InputError, match=r"^report 1, line 2: a precision is '1.67'"):
        macrof1.audit_text(wrong, percent=False)


def test_the_figures_of_a_report_are_kept_as_printed():
    (report,) = macrof1.audit_text(REPORT).reports
    assert report.figures["macro_f1"] == "0.57"
    assert report.figures["accuracy"] == "0.57"
    first = report.figures["classes"][0]
    assert first | {"precision": "0.67", "recall": "0.50", "f1": "0.57", "support": "4"} == first
    assert first["tp"] is None
    assert set(first) == {"label", *audited_texts.FIELDS}
    assert report.to_dict()["figures"] == report.figures
    assert list(report.to_dict())[:2] == ["name", "read_as"]
