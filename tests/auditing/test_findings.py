"""Findings: every range excludes the printed figure, and every correction repairs the report."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

import macrof1

from ..reports import misprinted, simulate_odd

FIGURE = r"(?P<name>(?:macro|class \d+) (?:precision|recall|F1)|accuracy|correct|total) (?P<printed>[\d.,]+)"
BETWEEN = re.compile(FIGURE + r" should lie between (?P<low>[\d.]+) and (?P<high>[\d.]+)")
VALUES = (
    re.compile(FIGURE + r" should be (?:at least )?(?P<value>[\d.]*\d)"),
    re.compile(FIGURE + r" should lie [^()]*\((?:[^()]*; )?the smallest change is (?P<value>[\d.]*\d)"),
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


def test_a_set_of_separate_values_is_not_called_a_range():
    # Whole counts allow few macro F1s, and what is printed lies between two of them.
    figures = {"precision": "0.5", "recall": "0.5", "support": {"a": 3, "b": 4}, "task": "multiclass"}
    result = macrof1.audit(**figures, f1="0.5312")
    assert "which 0.5312 is not" not in result.reason or "to" not in result.reason.partition("would be")[2][:30]


@pytest.mark.parametrize("f1", ["0.45", "0.99"])
def test_accuracy_is_never_told_to_lie_between_0_and_1(f1):
    per_class = {
        "a": {"precision": "0.90", "recall": "0.80", "f1": "0.85"},
        "b": {"precision": "0.70", "recall": "0.80"},
    }
    result = macrof1.audit(f1=f1, per_class=per_class, accuracy="0.8952", support={"a": 70, "b": 30})
    assert all("between 0.0000 and 1.0000" not in finding.message for finding in result.findings)
