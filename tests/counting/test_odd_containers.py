"""Containers that people pass by accident: they work, or our error says what to pass instead."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import macrof1
from macrof1.errors import LabelError

GOLD, PRED = ["a", "b", "a"], ["a", "a", "b"]
ONE_COLUMN = [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table]


@pytest.mark.parametrize("left", ONE_COLUMN)
@pytest.mark.parametrize("right", ONE_COLUMN)
@pytest.mark.parametrize(("gold", "pred"), [(GOLD, PRED), ([0, 1, 1], [0, 1, 0])])
def test_a_table_of_one_column_is_that_column(left, right, gold, pred):
    result = macrof1.score(left({"g": gold}), right({"p": pred}))
    assert result.counts == macrof1.count(gold, pred)
    assert macrof1.score(left({"g": gold}), pred).averaged_f1 == result.averaged_f1


@pytest.mark.parametrize("maker", ONE_COLUMN)
def test_a_table_of_several_columns_of_names_is_refused(maker):
    with pytest.raises(LabelError):
        macrof1.score(maker({"g": GOLD, "h": GOLD}), PRED)


@pytest.mark.parametrize("numbers", [[1, 2, 3], [2**100, 5, 2**100], [-(2**90), 0, 1]])
def test_integers_of_128_bits(numbers):
    gold = pl.Series(numbers, dtype=pl.Int128)
    assert macrof1.count(gold, numbers) == macrof1.count(numbers, numbers)


@pytest.mark.parametrize("side", [np.matrix(["a", "b", "a"]), np.matrix([[0, 1, 1]]), np.matrix([[0], [1], [1]])])
def test_a_numpy_matrix_is_refused(side):
    with pytest.raises(LabelError):
        macrof1.score(side, side)


def _too_far(matrix):
    matrix.indices[0] = 10**6


def _negative(matrix):
    matrix.indices[0] = -5


def _backwards(matrix):
    matrix.indptr[1] = 7


def _too_long(matrix):
    matrix.indptr[-1] = 10**6


@pytest.mark.parametrize("change", [_too_far, _negative, _backwards, _too_long])
@pytest.mark.parametrize("kind", ["csr", "csc", "bsr"])
def test_a_damaged_sparse_matrix_is_refused_before_scipy_touches_it(change, kind):
    sound = sp.csr_array(np.array([[1, 0, 1], [0, 1, 0]])).asformat(kind)
    change(sound)
    with pytest.raises(LabelError, match="sparse matrix is damaged"):
        macrof1.count(sound, sp.csr_array(np.array([[1, 0, 1], [0, 1, 0]])))


def test_damaged_coordinates_are_refused():
    matrix = sp.coo_array(np.array([[1, 0], [0, 1]]))
    matrix.coords[0][0] = 99
    with pytest.raises(LabelError, match="sparse matrix is damaged"):
        macrof1.count(matrix, matrix)


def test_masked_indicators_are_refused():
    hidden = np.ma.array([[0, 1], [1, 1]], mask=[[0, 0], [0, 1]])
    for gold, pred in ((hidden, np.eye(2, dtype=int)), (np.eye(2, dtype=int), hidden)):
        with pytest.raises(LabelError, match="masked"):
            macrof1.score(gold, pred)
    assert macrof1.score(np.ma.array([[0, 1], [1, 1]]), np.array([[0, 1], [1, 1]])).averaged_f1 == 1
