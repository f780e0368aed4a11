"""Averaged F1 against scikit-learn, and public cases with known answers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, fbeta_score, precision_recall_fscore_support

import macrof1


def random_case(seed):
    rng = np.random.default_rng(seed)
    n, size = int(rng.integers(1, 12)), int(rng.integers(1, 300))
    gold = rng.integers(0, n, size)
    pred = np.where(rng.random(size) < 0.6, gold, rng.integers(0, n + 1, size))
    return rng, n, gold, pred


@pytest.mark.parametrize("seed", range(40))
def test_multiclass_equals_scikit_learn(seed):
    rng, n, gold, pred = random_case(seed)
    options = {"average": "macro", "zero_division": 0}
    assert macrof1.score(gold, pred).averaged_f1 == pytest.approx(f1_score(gold, pred, **options), abs=1e-12)
    weight = rng.random(len(gold))
    weighted = f1_score(gold, pred, sample_weight=weight, **options)
    assert macrof1.score(gold, pred, sample_weight=weight).averaged_f1 == pytest.approx(weighted, abs=1e-12)
    listed = [*range(max(1, n - 2)), n + 3]
    some = f1_score(gold, pred, labels=listed, **options)
    if np.isin(listed, np.concatenate([gold, pred])).any():
        assert macrof1.score(gold, pred, labels=listed).averaged_f1 == pytest.approx(some, abs=1e-12)
    wide = fbeta_score(gold, pred, beta=2, **options)
    assert macrof1.score(gold, pred, beta=2).averaged_f1 == pytest.approx(wide, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_per_class_precision_and_recall_equal_scikit_learn(seed):
    # Neither macro F1 can tell swapped rows and columns; these can.
    _, _, gold, pred = random_case(seed)
    precision, recall, f1, support = precision_recall_fscore_support(gold, pred, zero_division=0)
    records = macrof1.score(gold, pred).per_class
    assert [r.precision for r in records] == pytest.approx(precision, abs=1e-12)
    assert [r.recall for r in records] == pytest.approx(recall, abs=1e-12)
    assert [r.f1 for r in records] == pytest.approx(f1, abs=1e-12)
    assert [r.actual for r in records] == support.tolist()


@pytest.mark.parametrize("seed", range(10))
def test_multilabel_equals_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    gold = rng.random((50, 6)) < 0.3
    pred = gold ^ (rng.random((50, 6)) < 0.2)
    expected = f1_score(gold, pred, average="macro", zero_division=0)
    assert macrof1.score(gold, pred).averaged_f1 == pytest.approx(expected, abs=1e-12)
    assert macrof1.score(sp.csr_array(gold), sp.csr_array(pred)).averaged_f1 == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1, max_size=30))
def test_undefined_as_1_equals_scikit_learn_zero_division_1(pairs):
    gold, pred = zip(*pairs, strict=True)
    labels = ["a", "b", "c", "d", "e"]
    ours = macrof1.score(gold, pred, labels=labels, undefined=1)
    theirs = precision_recall_fscore_support(gold, pred, labels=labels, zero_division=1)
    assert [r.precision for r in ours.per_class] == pytest.approx(theirs[0], abs=1e-12)
    assert [r.recall for r in ours.per_class] == pytest.approx(theirs[1], abs=1e-12)
    assert ours.averaged_f1 == pytest.approx(np.mean(theirs[2]), abs=1e-12)


def test_public_cases():
    # smile, pull request 874
    smile = macrof1.score([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2])
    assert (round(smile.averaged_f1, 6), round(smile.f1_of_averages, 6)) == (0.822222, 0.860215)
    # scikit-learn, issue 8747
    gold = [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4]
    pred = [1, 1, 1, 0, 0, 2, 2, 3, 3, 3, 4, 3, 4, 3]
    issue = macrof1.score(gold, pred, labels=[1, 2, 3, 4])
    assert (round(issue.averaged_f1, 6), round(issue.f1_of_averages, 6)) == (0.604167, 0.636129)
    # The confusion matrix of Takahashi et al.'s kind of example
    matrix = macrof1.score_matrix([[60, 5, 2], [8, 20, 5], [3, 4, 13]], rows="gold")
    assert (round(matrix.averaged_f1, 6), round(matrix.f1_of_averages, 6)) == (0.721576, 0.722676)
