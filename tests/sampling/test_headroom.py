"""How far thresholds could raise each formula: against every combination of thresholds, and invalid input."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import macrof1
from macrof1.errors import CountError, InputError, LabelError, LengthError


def every_threshold(gold, scores):
    """Score all combinations of thresholds."""
    cuts = [[np.inf, *np.unique(scores[:, at])] for at in range(scores.shape[1])]
    return [macrof1.score(gold, scores >= np.array(chosen), labels=range(scores.shape[1])) for chosen in product(*cuts)]


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_no_thresholds_are_better(seed):
    rng = np.random.default_rng(seed)
    gold = rng.random((6, 3)) < 0.4
    scores = rng.integers(0, 4, (6, 3)) + gold * rng.integers(0, 2, (6, 3))
    found = macrof1.headroom(gold, scores, n_folds=0)
    every = every_threshold(gold, scores)
    best = max(result.f1_of_averages for result in every)
    assert found.tuned["averaged_f1"].averaged_f1 == pytest.approx(max(result.averaged_f1 for result in every))
    assert best <= found.bound + 1e-12
    assert found.tuned["f1_of_averages"].f1_of_averages <= best + 1e-12
    assert found.tuned["f1_of_averages"].f1_of_averages >= best - 0.03
    assert found.held_out is None


def weak(n_rows=600, seed=1):
    rng = np.random.default_rng(seed)
    gold = rng.random((n_rows, 6)) < [0.4, 0.2, 0.1, 0.05, 0.05, 0.03]
    return gold, 0.7 * gold + rng.normal(size=gold.shape)


def test_f1_of_averages_is_the_one_that_can_be_pushed():
    gold, scores = weak()
    found = macrof1.headroom(gold, scores)
    for_averaged, for_averages = found.tuned["averaged_f1"], found.tuned["f1_of_averages"]
    assert for_averages.f1_of_averages - for_averages.averaged_f1 > 0.2
    assert for_averaged.f1_of_averages - for_averaged.averaged_f1 < 0.1
    assert for_averages.f1_of_averages <= found.bound <= for_averages.f1_of_averages + 0.02
    # What was tuned on the same rows does not hold on others.
    assert found.held_out["f1_of_averages"].f1_of_averages < for_averages.f1_of_averages - 0.05
    cuts = [np.inf if cut is None else cut for cut in for_averages.thresholds]
    again = macrof1.score(gold, scores >= np.array(cuts))
    assert again.f1_of_averages == pytest.approx(for_averages.f1_of_averages)
    assert again.averaged_f1 == pytest.approx(for_averages.averaged_f1)


def test_sets_and_single_labels_give_the_same():
    gold, scores = weak(80)
    names = list("abcdef")
    sets = [{names[at] for at in np.flatnonzero(row)} for row in gold]
    assert macrof1.headroom(sets, scores, labels=names).to_dict() == macrof1.headroom(gold, scores).to_dict()
    single = np.array(names)[scores.argmax(1)]
    one = macrof1.headroom(single, scores, labels=names)
    assert one.bound >= one.tuned["averaged_f1"].f1_of_averages


@pytest.mark.parametrize(
    ("gold", "scores", "options", "error"),
    [
        (np.eye(3), np.full((3, 3), np.nan), {}, CountError),
        (np.eye(3), np.eye(4), {}, LengthError),
        (2 * np.eye(3), np.eye(3), {}, LabelError),
        (np.eye(3), [["x"] * 3] * 3, {}, CountError),
        (["a", "b", "c"], np.eye(3), {}, InputError),
        (["a", "b", "z"], np.eye(3), {"labels": ["a", "b", "c"]}, LabelError),
        (["a", "b"], np.eye(3), {"labels": ["a", "b", "c"]}, LengthError),
        (np.eye(3), np.eye(3), {"labels": ["a", "b"]}, LengthError),
        (np.eye(3), np.eye(3), {"n_folds": 1}, InputError),
        (np.eye(3), np.eye(3), {"n_folds": 4}, InputError),
    ],
)
def test_what_cannot_be_tuned(gold, scores, options, error):
    with pytest.raises(error):
        macrof1.headroom(gold, scores, **{"n_folds": 0, **options})
