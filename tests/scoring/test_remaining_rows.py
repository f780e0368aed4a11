"""Scores without the rows of one gold class: equal to those of the rows that are left, scored on their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.scoring.definitions import Valued
from macrof1.scoring.remaining_rows import values_without_rows

KINDS = ("averaged_f1", "f1_of_averages", "weighted_f1", "micro_f1")


def found_in(result):
    values = [Valued(*value) for value in values_without_rows(result.counts, result.cells)]
    assert len({each.definition for each in values}) == len(values)
    return {each.definition: each.value for each in values}


def expected(gold, pred, labels=None, without=None):
    """Score what is left without each class in turn, or those named, over the classes that occur there."""
    wanted = {}
    classes = sorted({*gold, *pred}) if labels is None else labels
    for gone in without or classes:
        left = [(g, p) for g, p in zip(gold, pred, strict=True) if g != gone]
        if len(classes) < 2 or not any(g in classes for g, _ in left):
            continue
        sides = [list(side) for side in zip(*left, strict=True)]
        seen = [label for label in classes if label in {*sides[0], *sides[1]}]
        for exclude in ((), (gone,)) if gone in sides[1] else ((),):
            result = macrof1.score(*sides, labels=seen, exclude=exclude)
            options = f"({', '.join([*(f'exclude={label}' for label in exclude), f'without_rows={gone}'])})"
            wanted |= {
                f"{kind}{options}": getattr(result, kind) for kind in (KINDS[:2] + KINDS[3:] if exclude else KINDS)
            }
    return wanted


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcde")), min_size=1, max_size=25))
def test_they_are_the_scores_of_the_rows_that_are_left(rows):
    gold, pred = (list(side) for side in zip(*rows, strict=True))
    found = found_in(macrof1.score(gold, pred))
    assert found == pytest.approx(expected(gold, pred), rel=1e-12, abs=1e-14)


@given(st.lists(st.tuples(st.sampled_from("abcx"), st.sampled_from("abcy")), min_size=1, max_size=25))
def test_with_listed_classes_what_lies_outside_them_stays_an_error(rows):
    gold, pred = (list(side) for side in zip(("a", "a"), *rows, strict=True))
    labels = ["c", "a", "b"]
    found = found_in(macrof1.score(gold, pred, labels=labels))
    assert found == pytest.approx(expected(gold, pred, labels), rel=1e-12, abs=1e-14)


def test_of_many_classes_only_those_that_mean_none_of_the_others_lose_their_rows():
    for n in (12, 13, 300):  # the cells of 300 classes are sparse
        labels = ["O", *(f"c{place:03}" for place in range(n - 1))]
        gold, pred = labels * 3, [*labels, *labels[1:], "O", *labels[2:], "O", "c000"]
        found = found_in(macrof1.score(gold, pred))
        wanted = expected(gold, pred, without=None if n <= 12 else ["O"])
        assert found == pytest.approx(wanted, rel=1e-12)


def test_real_weights_leave_no_rows_out():
    result = macrof1.score(["a", "b", "b"], ["a", "b", "a"], sample_weight=[0.5, 1.0, 1.0])
    assert found_in(result) == {}
