"""Audits of texts: notes, rejected input, and what the figures prove."""

import sysconfig
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import classification_report, precision_recall_fscore_support

import macrof1
from macrof1 import InputError
from macrof1.auditing import audited_texts
from macrof1.auditing.audited_texts import (
    _add_matrix,
    _errors,
    _labels,
    _name_by_counts,
    _read_as,
    _support,
    _total,
    report_counts,
)
from macrof1.reading.reports.printed import PrintedClass, PrintedReport

from ..reports import is_sound, simulate_tool


def audited(text, **options):
    (report,) = macrof1.audit_text(text, **options).reports
    return report


def predictions(seed, n=4, rows=300):
    rng = np.random.default_rng(seed)
    gold = rng.choice(n, rows, p=np.arange(n, 0, -1) / (n * (n + 1) / 2))
    return gold, np.where(rng.random(rows) < 0.6, gold, rng.choice(n, rows))


@pytest.mark.parametrize("seed", range(5))
def test_honest_reports_of_scikit_learn_are_averaged_f1_in_full(seed):
    # 16 digits of floating point: the gap is found, and no figure is blamed.
    gold, pred = predictions(seed)
    result = audited(str(classification_report(gold, pred, output_dict=True))).result
    assert (result.verdict, result.findings) == ("averaged_f1", ())


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_slack_of_floats_covers_any_order_of_summation(kind):
    rng = np.random.default_rng(3)
    for _ in range(150):
        n = int(rng.integers(2, 40))
        precision, recall = rng.random(n).astype(kind), rng.random(n).astype(kind)
        order = rng.permutation(n)
        p = sum(precision[order], kind(0)) / kind(n)
        r = np.float64(recall.sum()).astype(kind) / kind(n)
        percent = bool(rng.integers(2))
        shown = [p, r, kind(2) * p * r / (p + r)]
        figures = [str(kind(100) * value if percent else value) for value in shown]
        result = macrof1.audit(**dict(zip(("precision", "recall", "f1"), figures, strict=True)), percent=percent)
        assert result.verdict in ("either", "f1_of_averages")
        assert result.findings == ()


@pytest.mark.parametrize("seed", range(3))
def test_nothing_that_is_said_about_what_tools_print_is_false(seed):
    rng = np.random.default_rng(100 + seed)
    decided = 0
    for _ in range(60):
        arguments, truth, printer = simulate_tool(rng)
        result = macrof1.audit(**arguments)
        assert is_sound(result, truth, printer, arguments), (printer, truth, arguments, result)
        decided += result.verdict == truth
    assert decided > 15


def test_several_labels_per_row_are_no_contradiction():
    rng = np.random.default_rng(5)
    gold = rng.random((200, 3)) < 0.4
    pred = np.where(rng.random((200, 3)) < 0.8, gold, ~gold)
    result = audited(classification_report(gold.astype(int), pred.astype(int), digits=4, zero_division=0)).result
    assert (result.verdict, result.findings) == ("averaged_f1", ())
    # Notes do not contradict themselves.
    assert "several labels" in result.fits_if
    assert not any("one gold and one predicted label" in note for note in result.notes)


def test_weighted_averages_called_macro_are_named():
    gold, pred = predictions(2)
    text = classification_report(gold, pred, digits=4).splitlines()
    weighted = next(line for line in text if line.startswith("weighted avg"))
    text = [line for line in text if not line.strip().startswith(("macro avg", "weighted avg"))]
    result = audited("\n".join([*text, weighted.replace("weighted", "   macro")])).result
    assert (result.verdict, result.definition, result.findings) == ("neither", "weighted F1", ())
    assert "weighted by support, called macro" in result.reason


def test_micro_averages_called_macro_are_named():
    gold, pred = predictions(2)
    p, r, f, sizes = precision_recall_fscore_support(gold, pred)
    rows = [f"{x}  {p[x]:.4f}  {r[x]:.4f}  {f[x]:.4f}  {sizes[x]}" for x in range(4)]
    accuracy = f"{(gold == pred).mean():.4f}"
    text = ["class  precision  recall  f1  support", *rows, f"macro  {accuracy}  {accuracy}  {accuracy}  300"]
    result = audited("\n".join(text)).result
    assert (result.verdict, result.definition, result.findings) == ("neither", "micro F1", ())


GROBID = """label                accuracy     precision    recall       f1           support

abstract             93.84        75.25        76.98        76.11        960
authors              99.78        99.28        99.38        99.33        969
keywords             97.98        0            0            0            0
title                99.85        99.7         99.4         99.55        1000

all (micro avg.)     98.31        93.37        93.87        93.62        2929
all (macro avg.)     98.31        91.41        91.92        {f1}        2929
"""


def test_rows_without_support_may_be_left_out_of_the_means():
    averaged = audited(GROBID.format(f1="91.66")).result
    assert averaged.findings == ()
    assert averaged.definition == "macro F1 over the 3 classes with support"
    below = audited(GROBID.format(f1="90.00")).result
    assert below.verdict == "neither" or below.definition


def test_means_over_folds_are_told_by_f1_below_the_harmonic_mean():
    text = """Class          Precision              Recall                 F-score
positive   75.45% (+/- 25.25%)     8.95% (+/-  5.57%)    15.57% (+/-  8.72%)
neutral    96.28% (+/-  0.77%)    99.94% (+/-  0.06%)    98.07% (+/-  0.40%)
negative   25.31% (+/- 42.11%)     1.07% (+/-  2.10%)     2.03% (+/-  3.91%)
Macro-average  65.68% (+/- 15.57%) 36.65% (+/-  1.99%)   38.55% (+/-  3.23%)
"""
    result = audited(text).result
    # The mean of several F1s of averages may be as low as that of the classes.
    assert (result.verdict, result.definition, result.findings) == ("either", "macro F1 over folds or groups", ())
    assert result.fits_if == "the figures are means over folds, seeds or groups"


def test_lost_zeros_belong_to_the_column():
    rows = ["a  1.0  0.8333333333333334  0.9090909090909091", "b  0.75  1.0  0.8571428571428571"]
    text = "\n".join(["class precision recall f1", *rows, "macro avg  0.875  0.9166666666666667  0.8831168831168831"])
    result = audited(text).result
    assert (result.verdict, result.findings) == ("averaged_f1", ())


def test_counts_decide_exactly():
    report = audited("label\t tp\t fp\t fn\na\t 8\t 2\t 4\nb\t 8\t 5\t 2\nMacro-F1: 0.7115")
    assert report.result.verdict == "averaged_f1"
    assert list(report.result.counts.predicted) == [10, 13]
    assert report.figures["classes"][0]["fn"] == "4"
    wrong = macrof1.audit(
        f1="0.7115", per_class={"a": {"tp": 8, "fp": 2, "fn": 4, "f1": "0.70"}, "b": {"tp": 8, "fp": 5, "fn": 2}}
    )
    assert "a F1 0.70 should be 0.73" in wrong.findings[0].message


def test_a_verdict_that_truncation_would_change_says_so():
    # averaged F1 is 0.81694, F1 of averages 0.81696: both are 0.8169 if cut off
    text = "tn, fp, fn, tp: 1138 131 125 355\nmacro F1: 0.8169"
    result = audited(text).result
    assert result.verdict == "averaged_f1"
    assert any(getattr(note, "code", "") == "truncated" for note in result.notes)
    assert audited(text, rounding="unknown").result.verdict == "either"


def test_a_count_in_the_column_of_a_score_accuses_nobody():
    rows = (
        "label  precision recall f1 support\ncat  16 0.50 0.60 12\ndog 0.70 0.60 0.65 30\nmacro avg 0.60 0.60 0.60 42\n"
    )
    with pytest.raises(macrof1.InputError, match=r"^report 1, line 1: 16, 0.50, 0.60 in one row mix percentages"):
        macrof1.audit_text(rows)
    percent = rows.replace(" 0.", " ").replace("60 42", "90 42")
    assert audited(percent).result.status == "contradicts itself"  # all are percentages
    fine = "\n\n# Other\n\nmacro precision: 0.70, macro recall: 0.60, macro F1: 0.62\n"
    result = macrof1.audit_text(rows + fine)
    assert [report.result.status for report in result.reports] == ["fits"]
    assert "in one row mix percentages" in result.left_aside[0].reason
    assert result.left_aside[0].line == 1


@pytest.mark.parametrize(
    ("heading", "status"),
    [("Mean of 5 runs", "fits if"), ("Average over 3 seeds", "contradicts itself"),
     ("Mean of 5 seeds, random splits", "fits if"), ("Average over 10 folds", "fits if")],
)  # fmt: skip
def test_weighted_averages_of_seeds_are_linear(heading, status):
    # The weighted recall is 0.70 if every run has these rows; folds have other weights each.
    text = (
        f"{heading}\n\n              precision    recall  f1-score   support\n\n"
        "           a       0.80      0.80      0.79        50\n"
        "           b       0.60      0.60      0.59        50\n\n"
        "   macro avg       0.70      0.70      0.69       100\nweighted avg       0.70      0.75      0.69       100\n"
    )
    assert audited(text).result.status == status


def texts_that_are_no_reports():
    """Prose, source code, logs and random tables: those of this machine's libraries, and made ones."""
    rng = np.random.default_rng(300)
    library = Path(sysconfig.get_paths()["stdlib"])
    # Python's own library is the same wherever it is installed, and large enough by itself.
    paths = [*library.glob("*.py"), *(library / "json").glob("*.py"), *(library / "email").glob("*.py")]
    paths += [*(library / "asyncio").glob("*.py"), *(library / "multiprocessing").glob("*.py")]
    paths += Path(sysconfig.get_paths()["purelib"]).glob("*.dist-info/METADATA")
    found = [path.read_text(errors="replace") for path in sorted(paths) if 500 < path.stat().st_size < 25_000]
    # Some descriptions of packages do show a report.
    found = [text for text in found if "f1-score" not in text and "macro F1" not in text]
    yield from (found[place] for place in rng.permutation(len(found))[:180])
    words = ["the", "model", "precision", "recall", "of", "a", "macro", "table", "f1", "score", "is", "better", "we"]
    for _ in range(40):
        yield " ".join(rng.choice(words, 80)) + "."
    for _ in range(60):
        header = "  ".join(rng.choice(["id", "price", "height", "name", "date", "n", "temp"], 4, replace=False))
        yield "\n".join([header, *("  ".join(f"{v:.2f}" for v in row) for row in rng.random((6, 4)))])
    for step in range(60):
        yield "\n".join(
            f"2026-11-15 10:00:{s:02d} INFO step {step + s} loss={rng.random():.4f} lr=0.001" for s in range(20)
        )


@pytest.mark.parametrize(
    "text",
    [
        '{"items": {"a": 1, "b": 2}, "count": {"a": 3, "b": 4}}',
        "curve = {'precision': [1.0, 0.5, 0.0], 'recall': [0.0, 0.5, 1.0]}",
    ],
)
def test_dictionaries_that_are_no_reports_are_refused(text):
    with pytest.raises(macrof1.InputError, match="no report was found"):
        macrof1.audit_text(text)


def test_texts_that_are_no_reports_are_refused_in_one_line():
    refused = 0
    for text in texts_that_are_no_reports():
        with pytest.raises(macrof1.InputError) as error:
            macrof1.audit_text(text)
        assert "\n" not in str(error.value)
        refused += 1
    assert refused >= 300


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
        (["10", "5"], ["15"], 15), (["10", "5"], ["15.0"], 15), (["1000", "500"], ["1,500"], 1500),
        (["10", "5"], ["15", "15"], 15), (["10", "5"], ["7", "15"], None), (["10", "5"], ["0.5"], None),
        (["10", "5"], [], None), ([], ["15"], None),
    ],
)  # fmt: skip
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
    [(MATRIX, "477", {}), (MATRIX[:2], "476", {}), (None, "476", {}), (MATRIX, "476", {"tp": "3"})],
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
