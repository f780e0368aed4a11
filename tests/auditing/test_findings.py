"""What findings say: every range excludes what is printed, every value repairs the report."""

from __future__ import annotations

import re

import numpy as np
import pytest

import macrof1

from ..reports import misprinted, simulate_odd

BETWEEN = re.compile(r"(?P<name>[\w ]+?) (?P<printed>[\d.]+) should lie between (?P<low>[\d.]+) and (?P<high>[\d.]+)")
SHOULD_BE = re.compile(r"(?P<name>(?:macro|class \d+) (?:precision|recall|F1)) [\d.]+ should be (?P<value>[\d.]+\d)")


def corrected(arguments, name, value):
    """Return the report with one figure changed."""
    label, _, kind = name.rpartition(" ")
    kind = kind.lower()
    if label == "macro":
        return {**arguments, kind: value}
    per_class = {key: dict(row) for key, row in arguments["per_class"].items()}
    per_class[label][kind] = value
    return {**arguments, "per_class": per_class}


def test_ranges_exclude_what_is_printed_and_values_repair_the_report():
    rng = np.random.default_rng(14)
    ranges = values = 0
    for _ in range(250):
        arguments, _ = misprinted(rng, simulate_odd(rng)[0])
        arguments["task"] = arguments["task"] if arguments["task"] == "multilabel" else "multiclass"
        arguments = {key: str(v).replace(",", ".") if key in ("f1", "precision", "recall", "accuracy") else v
                     for key, v in arguments.items()}  # fmt: skip
        try:
            result = macrof1.audit(**arguments)
        except macrof1.InputError:
            continue
        given = {"macro f1": "f1", "macro precision": "precision", "macro recall": "recall"}
        for finding in result.findings:
            for found in BETWEEN.finditer(finding.message):
                ranges += 1
                assert not float(found["low"]) <= float(found["printed"]) <= float(found["high"]), finding.message
            for found in SHOULD_BE.finditer(finding.message):
                values += 1
                kind = given.get(found["name"].lower())
                assert kind is None or kind in arguments, "a correction of a figure that was never given"
                assert not macrof1.audit(**corrected(arguments, found["name"], found["value"])).findings
    assert ranges > 15
    assert values > 15


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
