"""The census in examples/: its verdicts match the audit, and it contains only figures."""

import json
from fractions import Fraction
from math import ceil, floor

import pytest

import macrof1

KINDS = ("precision", "recall", "f1")
KEYS = {"name", "source", "tool", "macro avg", "accuracy", "classes", "verdict", "definition", "findings"}


@pytest.fixture(scope="module")
def lines(root):
    return (root / "examples" / "census" / "census.jsonl").read_text(encoding="utf-8").splitlines()


def test_the_census_holds_figures_sources_and_verdicts_only(lines):
    assert len(lines) == 460
    for line in lines:
        content = json.loads(line)
        assert set(content) <= KEYS
        for row in content["classes"].values():
            assert set(row) <= {"precision", "recall", "f1", "support", "tp", "fp", "fn"}


def test_every_report_of_the_file_is_read_by_itself(lines):
    some = lines[::46]
    found = macrof1.audit_text("\n".join(some)).reports
    for line, report in zip(some, found, strict=True):
        content = json.loads(line)
        assert (report.name, report.result.verdict) == (content["name"], content["verdict"])
        assert report.figures["macro_f1"] == content["macro avg"]["f1"]
        assert [row["label"] for row in report.figures["classes"]] == list(content["classes"])


STRONGER = ["r0108", "r0112", "r0153", "r0155", "r0160", "r0450", "r0516", "r0565", "r0608", "r0612", "r0613"]


def interval(text, scale):
    """Return what a figure may be rounded from."""
    half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
    return (Fraction(text) - half) / scale, (Fraction(text) + half) / scale


def ratios_of(row, scale):
    """List precision and recall for all whole counts that give the figures of a class."""
    (p_low, p_high), (r_low, r_high), (f_low, f_high) = (interval(row[kind], scale) for kind in KINDS)
    size = int(row["support"])
    if r_low < 0:
        assert floor(r_high * size) == 0  # one hit would show
        return [(Fraction(0), Fraction(0))]
    return [
        (Fraction(tp, predicted), Fraction(tp, size))
        for tp in range(max(1, ceil(r_low * size)), min(size, floor(r_high * size)) + 1)
        for predicted in range(max(tp, ceil(tp / p_high)), floor(tp / p_low) + 1)
        if f_low <= Fraction(2 * tp, predicted + size) <= f_high
    ]


def joint_ratios(rows, scale):
    """List precision and recall of two classes, each row predicted as one of them."""
    first, second = (int(row["support"]) for row in rows)
    ranges = [interval(row["recall"], scale) for row in rows]
    known = [set(ratios_of(row, scale)) for row in rows]
    for hits in range(ceil(ranges[0][0] * first), floor(ranges[0][1] * first) + 1):
        for others in range(ceil(ranges[1][0] * second), floor(ranges[1][1] * second) + 1):
            one = Fraction(hits, hits + second - others), Fraction(hits, first)
            two = Fraction(others, others + first - hits), Fraction(others, second)
            if one in known[0] and two in known[1]:
                yield (one[0] + two[0]) / 2, (one[1] + two[1]) / 2


@pytest.mark.parametrize("name", STRONGER)
def test_verdicts_stronger_than_those_of_an_independent_audit_are_proved_by_enumeration(lines, name):
    """No whole counts give the figures and F1 of averages, though intervals of figures alone would allow both."""
    content = next(content for content in map(json.loads, lines) if content["name"] == name)
    rows, scale = [*content["classes"].values()], 100 if content["tool"] == "grobid" else 1
    low, high = interval(content["macro avg"]["f1"], scale)
    if name == "r0155":
        means = [*joint_ratios(rows, scale)]
    else:
        known = [ratios_of(row, scale) for row in rows]
        means = [
            tuple(sum(end(row[kind] for row in found) for found in known) / len(known) for kind in (0, 1))
            for end in (min, max)
        ]
    values = [2 * precision * recall / (precision + recall) for precision, recall in means]
    assert content["verdict"] == "averaged_f1"
    assert len(values) > 1
    assert max(values) < low or min(values) > high
