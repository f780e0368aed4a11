"""Corrections: which are tried, in which order, and what a figure could have been."""

from fractions import Fraction as F

import pytest

from macrof1.auditing.feasible import Report
from macrof1.auditing.printed_figures import read_count, read_ratio
from macrof1.auditing.repairs import _candidates, _misprints, _size, _total_interval, contradictions


def ratio(text, name="F1", **options):
    return read_ratio(text, name, percent=False, **options)


@pytest.mark.parametrize(
    ("text", "steps", "size"),
    [
        ("0.82", 82, (0, 0)),
        ("0.82", 83, (1, 1)),
        ("0.82", 92, (1, 10)),
        ("0.82", 28, (1, 54)),  # swapped neighbours are one change
        ("0.82", 91, (2, 9)),
        ("0.82", 182, (1, 100)),
        ("0.826", 628, (2, 198)),  # the same digits, but no neighbours
        ("0.826", 682, (3, 144)),
    ],
)
def test_a_correction_is_measured_by_digits_then_by_distance(text, steps, size):
    assert _size(ratio(text), steps) == size


def total_report(single_label=True, sizes=(None, None), accuracy=None, **counts):
    figures = {(None, kind): read_count(n, kind) for kind, n in counts.items()}
    if accuracy is not None:
        figures[None, "accuracy"] = ratio(accuracy, "accuracy")
    return Report(figures, ("a", "b"), 2, sizes, single_label)


@pytest.mark.parametrize(
    ("report", "kind", "expected"),
    [
        (total_report(sizes=(6, 4), total=9), "total", (10, 10)),
        (total_report(single_label=False, sizes=(6, 4), total=9), "total", (0, None)),
        (total_report(total=9, correct=5), "total", (5, None)),
        (total_report(total=9, correct=5, accuracy="0.5"), "total", (F(500, 55), F(500, 45))),
        (total_report(total=9, correct=5, accuracy="0.0"), "total", (100, None)),
        (total_report(total=9, correct=5, accuracy="0"), "total", (10, None)),
        (total_report(total=9, accuracy="0.5"), "total", (0, 0)),
        (total_report(total=10, correct=9, accuracy="0.5"), "correct", (F(9, 2), F(11, 2))),
        (total_report(sizes=(6, 4), correct=9, accuracy="0.5"), "correct", (F(9, 2), F(11, 2))),
        (total_report(correct=9, accuracy="0.5"), "correct", (0, None)),
        (total_report(total=10, correct=9), "correct", (0, 10)),
        (total_report(total=10, correct=9, accuracy="0.5"), "accuracy", (F(9, 10), F(9, 10))),
        (total_report(total=10, accuracy="0.5"), "accuracy", (0, 1)),
        (total_report(total=0, correct=0, accuracy="0.5"), "accuracy", (0, 1)),
        (total_report(correct=9, accuracy="0.5"), "accuracy", (0, 1)),
    ],
)
def test_a_total_follows_from_the_others(report, kind, expected):
    assert _total_interval(report, kind) == expected


def class_rows(n):
    """Return classes of which each contradicts itself."""
    return {
        (f"c{place}", kind): ratio(text, f"c{place} {kind}")
        for place in range(n)
        for kind, text in zip(("precision", "recall", "f1"), ("0.90", "0.90", "0.10"), strict=True)
    }


def test_contradictions_are_minimal_disjoint_and_at_most_twenty():
    figures = class_rows(22)
    labels = tuple(f"c{place}" for place in range(22))
    found = contradictions(Report(figures, labels, 22, (None,) * 22, True))
    assert [[figure.name for figure in group] for group in found] == [
        [f"c{place} {kind}" for kind in ("precision", "recall", "f1")] for place in range(20)
    ]


@pytest.mark.parametrize("text", ["0.823", "0.100", "1.000", "0.002"])
def test_a_misprint_is_one_wrong_digit_or_two_swapped_neighbours(text):
    digits = text.replace(".", "")
    expected = set()
    for step in range(10_000):
        other = f"{step:04}"
        apart = [at for at in range(4) if digits[at] != other[at]]
        swapped = len(apart) == 2 and apart[1] == apart[0] + 1 and digits[apart[0]] == other[apart[1]]
        if len(apart) == 1 or (swapped and digits[apart[1]] == other[apart[0]]):
            expected.add(step)
    assert _misprints(ratio(text)) == expected


def test_few_steps_are_tried_by_size_and_of_many_the_ends_and_misprints():
    figure = ratio("0.5000")

    def by_size(steps):
        return sorted(steps, key=lambda step: _size(figure, step))

    assert _candidates(figure, range(4999, 5002)) == [5000, 5001, 4999]
    # Up to 50 steps, or a list: the five smallest changes, and of the other n every (n // 5)th.
    assert _candidates(figure, range(5010, 5060)) == by_size(range(5010, 5060))[:5] + by_size(range(5010, 5060))[5::9]
    some = list(range(5010, 5100, 5))
    assert _candidates(figure, some) == by_size(some)[:5] + by_size(some)[5::2]
    # More: the nearer end first, then the 16 smallest of the misprints in between.
    inside = by_size(step for step in _misprints(figure) if 5005 < step < 9000)
    assert len(inside) > 16
    assert _candidates(figure, range(5005, 9001)) == [5005, 9000, *inside[:16]]
    assert _candidates(figure, range(1000, 1051)) == [1050, 1000]
