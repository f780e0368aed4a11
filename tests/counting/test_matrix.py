"""Confusion matrices: shapes, sizes and rejected input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import macrof1
from macrof1.errors import CountError

BIG = 2**63 - 1


def test_rows_say_which_way_the_matrix_lies():
    predicted = macrof1.score_matrix([[8, 2], [0, 5]], rows="predicted")
    gold = macrof1.score_matrix([[8, 2], [0, 5]], rows="gold")
    assert [(r.precision, r.recall) for r in predicted.per_class] == [(0.8, 1.0), (1.0, 5 / 7)]
    assert [(r.precision, r.recall) for r in gold.per_class] == [(1.0, 0.8), (5 / 7, 1.0)]
    with pytest.raises(TypeError):
        macrof1.score_matrix([[1]])
    with pytest.raises(macrof1.InputError, match="did you mean 'predicted'"):
        macrof1.score_matrix([[1]], rows="predict")


@pytest.mark.parametrize(
    "matrix",
    [
        [[3, 1], [0, 2]],
        ((3, 1), (0, 2)),
        np.array([[3, 1], [0, 2]], dtype=np.uint8),
        np.array([[3, 1], [0, 2]], dtype=object),
        np.asfortranarray([[3, 1], [0, 2]]),
        pd.DataFrame([[3, 1], [0, 2]]),
        [np.array([3, 1]), [0, 2]],
    ],
)
def test_every_kind_of_matrix(matrix):
    cells = macrof1.Confusion.from_matrix(matrix, rows="gold")
    assert cells.to_matrix(rows="gold").tolist() == [[3, 1], [0, 2]]
    assert cells.to_matrix(rows="predicted").tolist() == [[3, 0], [1, 2]]
    assert not cells.weighted
    assert cells.n_rows == 6


def test_real_weights():
    result = macrof1.score_matrix([[0.6, 0.1], [0.05, 0.25]], rows="gold")
    assert result.counts.weighted
    assert result.n_rows is None
    assert "weights:yes" in result.signature()
    assert result.averaged_f1 == pytest.approx(np.mean([1.2 / 1.35, 0.5 / 0.65]))


def test_the_largest_counts_are_exact():
    result = macrof1.score_matrix([[BIG - 1, 0], [0, 1]], rows="gold")
    assert result.averaged_f1 == 1
    assert result.per_class[0].tp == BIG - 1
    # One rounding even where a sum of two counts needs 64 bits.
    lopsided = macrof1.score_matrix([[BIG - 3, 1], [1, 1]], rows="gold")
    assert lopsided.per_class[0].f1 == (2 * (BIG - 3)) / (2 * (BIG - 3) + 2)
    assert lopsided.gap == 0


@pytest.mark.parametrize(
    "matrix",
    [
        [[2**63]],
        [[2**63, 1], [0, 0]],
        [[2**64, 1], [0, 0]],
        [[BIG, 1], [0, 0]],
        [[2**62, 2**62], [0, 0]],
        np.array([[2**63]], dtype=np.uint64),
        np.array([[2**62, 2**62], [0, 0]]),
        [[2**60, 0.5], [0, 0]],
        np.array([[2**80]], dtype=object),
        [[1e308, 1e308], [0, 0]],
    ],
)
def test_numbers_too_large_are_refused_and_never_wrap(matrix):
    with pytest.raises(CountError, match=r"too large|63 bits|2\*\*53|infinity"):
        macrof1.score_matrix(matrix, rows="gold")


def test_a_numpy_matrix_is_a_matrix():
    found = macrof1.score_matrix(np.array([[5, 1], [2, 7]]).view(np.matrix), rows="gold")
    assert found.counts == macrof1.score_matrix([[5, 1], [2, 7]], rows="gold").counts
    assert macrof1.score_matrix(np.array([[0.5, 1], [2, 7]]).view(np.matrix), rows="gold").gap > 0
