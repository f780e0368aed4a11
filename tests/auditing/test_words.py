"""Verdicts and findings in words, and every field of a result."""

import re
from collections import Counter
from fractions import Fraction as F

import numpy as np
import pytest

import macrof1
from macrof1.auditing.audited_figures import Examined
from macrof1.auditing.printed_figures import read_count, read_ratio
from macrof1.auditing.repairs import MACRO_F1, Outcome, Repair, _in_words, finding_of
from macrof1.auditing.solver import Feasible

from ..reports import misprinted, simulate_odd
from .test_explanations import report_of

ROWS = {
    "a": {"precision": "0.75", "recall": "0.60", "f1": "0.67"},
    "b": {"precision": "0.50", "recall": "0.67", "f1": "0.57"},
}


def test_a_proof_says_what_the_other_formula_would_give():
    result = macrof1.audit(precision="0.2937", recall="0.2283", f1="0.2095")
    assert result.reason == (
        "F1 of averages would be 0.256852 to 0.256954, not 0.2095; averaged F1 can be 0.000000 to 0.256954."
    )
    assert (result.published, result.other, result.decimals, result.percent) == ("0.2095", "0.2569 to 0.2570", 4, False)
    assert result.averaged_f1 == pytest.approx((0, 0.256954), abs=1e-6)
    assert result.f1_of_averages == pytest.approx((0.256852, 0.256954), abs=1e-6)
    assert (result.counts, result.n_solutions, result.definition, result.findings) == (None, None, None, ())
    percent = macrof1.audit(precision="29.37", recall="22.83", f1="20.95")
    assert (percent.percent, percent.decimals, percent.other) == (True, 2, "25.69 to 25.70")


def test_nothing_is_decided_without_a_macro_f1():
    result = macrof1.audit(precision="0.500", recall="0.50")
    assert (result.verdict, result.reason) == ("either", "No macro F1 was given, so there is no formula to tell.")
    assert (result.published, result.other, result.decimals) == (None, None, 3)
    counts = macrof1.audit(per_class={"a": {"tp": 1, "fp": 1, "fn": 1}, "b": {"tp": 2, "fp": 1, "fn": 1}})
    assert (counts.decimals, counts.n_solutions) == (4, 1)


def test_both_or_neither():
    both = macrof1.audit(precision="0.50", recall="0.50", f1="0.50")
    assert both.verdict == "either"
    assert both.reason == (
        "Both formulas can give 0.50: averaged F1 can be 0.0000 to 0.5050, F1 of averages 0.4950 to 0.5050."
    )
    neither = macrof1.audit(precision="0.50", recall="0.50", f1="0.60", n_classes=3, task="multiclass")
    assert neither.verdict == "neither"
    assert "Neither formula gives 0.60" in neither.reason
    assert neither.other is None


def test_whole_counts_are_separate_values():
    one = macrof1.audit(per_class=ROWS, support={"a": 5, "b": 3}, f1="0.6190")
    assert one.n_solutions == 1
    counts = one.counts
    assert (counts.labels, counts.tp, counts.predicted, counts.actual) == (("a", "b"), (3, 2), (4, 4), (5, 3))
    assert counts.n_rows == 8
    assert one.verdict == "averaged_f1"
    assert one.averaged_f1 == (float(F(13, 21)),) * 2  # exact fractions are given as floats
    assert one.to_dict()["counts"][0] == {"label": "a", "tp": 3, "predicted": 4, "actual": 5}
    assert one.not_tested == ()


def described(examined, blamed, usual):
    return finding_of(examined.report, examined.outcome, blamed, examined.conflicting, usual)


def examined(**more):
    return Examined(report_of("0.50 0.50 0.60"), Outcome(Feasible(), None, (), True), **more)


FIGURE = read_ratio("0.50", "macro F1", percent=False)
OUTCOME = Outcome(Feasible(), None, (), True)


def repair(correction, low, high, *, formula=None, figure=FIGURE, key=MACRO_F1):
    return Repair(key, figure, correction, low, high, (1, 1), OUTCOME, formula)


@pytest.mark.parametrize(
    ("found", "usual", "words"),
    [
        (repair("0.60", "0.60", "0.60"), None, "macro F1 0.50 should be 0.60"),
        (repair("0.60", "0.60", "0.70"), None,
         "macro F1 0.50 should lie between 0.60 and 0.70 (the smallest change is 0.60)"),
        (repair("0.60", "0.40", "0.70"), None, "macro F1 0.50 should be 0.60 (the smallest change)"),
        (repair("0.60", "0.50", "0.70"), None, "macro F1 0.50 should be 0.60 (the smallest change)"),
        (repair("0.40", "0.30", "0.50"), None, "macro F1 0.50 should be 0.40 (the smallest change)"),
        (repair("0.60", "0.60", None), None, "macro F1 0.50 should be at least 0.60 (the smallest change is 0.60)"),
        (repair("0.40", "0.40", None), None, "macro F1 0.50 should be 0.40 (the smallest change)"),
        (repair(None, "0.40", None), None, "macro F1 0.50 may be wrong (which value should stand there is open)"),
        (repair("0.60", "0.60", "0.60", formula="averaged_f1"), None, "macro F1 0.50 should be 0.60 (averaged F1)"),
        (repair("0.60", "0.60", "0.60", formula="averaged_f1"), "averaged_f1",
         "macro F1 0.50 should be 0.60 (averaged F1, as in the other rows)"),
        (repair("0.60", "0.60", "0.60", formula="averaged_f1"), "f1_of_averages",
         "macro F1 0.50 should be 0.60 (averaged F1)"),
        (repair("0.60", "0.60", "0.70", formula="averaged_f1"), None,
         "macro F1 0.50 should lie between 0.60 and 0.70 (averaged F1; the smallest change is 0.60)"),
    ],
)  # fmt: skip
def test_a_correction_in_words(found, usual, words):
    assert _in_words(found, usual) == words


def test_findings_say_whether_one_figure_can_be_blamed():
    total = read_count(9, "total")
    both = [repair("0.60", "0.60", "0.60"), repair("10", "10", "10", figure=total, key=(None, "total"))]
    one_of = described(examined(), both, None)
    assert (one_of.kind, one_of.figure, one_of.published, one_of.correction) == ("one_of", "macro F1", "0.50", "0.60")
    assert one_of.alternatives == ("total 9 should be 10",)
    assert (
        one_of.message
        == "Neither formula gives the macro F1 0.60: macro F1 0.50 should be 0.60, or total 9 should be 10."
    )
    same = [
        repair("0.60", "0.60", "0.60", formula="averaged_f1"),
        repair("0.70", "0.70", "0.70", formula="f1_of_averages"),
    ]
    wrong = described(examined(), same, None)
    assert (wrong.kind, len(wrong.alternatives)) == ("wrong_figure", 1)
    settled = described(examined(), same, "averaged_f1")
    assert (settled.kind, settled.alternatives) == ("wrong_figure", ())
    other = described(examined(), same, "f1_of_averages")
    assert len(other.alternatives) == 1
    mixed = described(examined(), [same[0], both[1]], "averaged_f1")
    assert len(mixed.alternatives) == 1
    none = described(examined(), [], None)
    assert (none.kind, none.figure, none.published, none.correction) == ("contradiction", None, None, None)
    assert none.message == "Neither formula gives the macro F1 0.60, and no single correction repairs the report."
    sets = described(examined(conflicting=[[FIGURE, total, FIGURE], [total]]), [], None)
    assert sets.conflicting == (("macro F1", "total", "macro F1"), ("total",))
    assert sets.message.endswith(
        "repairs the report: at least one of macro F1 0.50, total 9 and macro F1 0.50 is wrong, and total 9 is wrong."
    )
    broken = Examined(report_of(None, {"a": "0.5 0.5 0.5"}), Outcome(Feasible(broken="so it is"), None, (), False))
    assert described(broken, [], None).message.startswith("So it is, and no single")


def test_several_labels_are_the_last_resort_where_accuracy_says_otherwise():
    # With one label per row no single correction repairs these figures; with several, all of them can be true.
    figures = {
        "precision": "0.100", "recall": "0.125", "f1": "0.1", "n_classes": 2, "rounding": "truncate",
        "accuracy": "0.39", "per_class": {"b": {"precision": "0.200", "f1": "0.2"}}, "support": {"a": 9, "b": 8},
    }  # fmt: skip
    result = macrof1.audit(**figures)
    assert (result.verdict, result.findings, result.explanations[-1].name) == ("either", (), "several_labels")
    certain = macrof1.audit(**figures, task="multiclass")
    assert "several_labels" not in {explanation.name for explanation in certain.explanations}
    assert (certain.status, certain.findings) == ("fits if", ())


NAMED = r"(?P<name>(?:macro|class \d+) (?:precision|recall|F1)|accuracy|correct|total) (?P<printed>[\d.,]+)"
BETWEEN = re.compile(NAMED + r" should lie between (?P<low>[\d.]+) and (?P<high>[\d.]+)")
VALUES = (
    re.compile(NAMED + r" should be (?:at least )?(?P<value>[\d.]*\d)"),
    re.compile(NAMED + r" should lie [^()]*\((?:[^()]*; )?the smallest change is (?P<value>[\d.]*\d)"),
)
WOULD_BE = re.compile(r"would be (?P<low>[\d.]+) to (?P<high>[\d.]+), not (?P<printed>[\d.,]*\d)")


def corrected(arguments, name, value):
    """Return the report with one figure changed, which must have been given."""
    label, _, kind = name.rpartition(" ")
    kind = kind.lower()
    if label in ("", "macro"):
        assert kind in arguments, "a correction of a figure that was never given"
        return {**arguments, kind: value}
    per_class = {key: dict(row) for key, row in arguments["per_class"].items()}
    per_class[label][kind] = value
    return {**arguments, "per_class": per_class}


def outside(found):
    low, high, printed = (float(found[name].replace(",", ".")) for name in ("low", "high", "printed"))
    return not low <= printed <= high


def test_ranges_exclude_what_is_printed_and_values_repair_the_report():
    rng = np.random.default_rng(14)
    seen = Counter()
    for number in range(300):
        arguments, _ = misprinted(rng, simulate_odd(rng)[0])
        if number % 3 == 0:
            arguments, _ = misprinted(rng, arguments)
        if number % 2:
            del arguments["task"]
        try:
            result = macrof1.audit(**arguments)
        except macrof1.InputError:
            continue
        for found in WOULD_BE.finditer(result.reason):
            seen["reasons"] += 1
            assert outside(found), result.reason
        for finding in result.findings:
            for found in BETWEEN.finditer(finding.message):
                seen["ranges"] += 1
                assert outside(found), finding.message
            for found in (each for pattern in VALUES for each in pattern.finditer(finding.message)):
                seen["values"] += 1
                again = macrof1.audit(**corrected(arguments, found["name"], found["value"]))
                assert not again.findings, (finding.message, again.findings[0].message, arguments)
    assert min(seen[kind] for kind in ("reasons", "ranges", "values")) > 20


@pytest.mark.parametrize("f1", ["0.45", "0.99"])
def test_accuracy_is_never_told_to_lie_between_0_and_1(f1):
    per_class = {
        "a": {"precision": "0.90", "recall": "0.80", "f1": "0.85"},
        "b": {"precision": "0.70", "recall": "0.80"},
    }
    result = macrof1.audit(f1=f1, per_class=per_class, accuracy="0.8952", support={"a": 70, "b": 30})
    assert all("between 0.0000 and 1.0000" not in finding.message for finding in result.findings)
