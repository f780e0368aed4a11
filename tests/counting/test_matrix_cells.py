"""Matrices of Python's numbers: the same counts and refusals as arrays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.counting.confusion import Confusion
from macrof1.counting.matrix_cells import MatrixCells

from ..strategies import matrices


@given(matrices(), st.sampled_from(["gold", "predicted"]))
def test_the_counts_are_those_of_arrays(matrix, rows):
    plain, arrays = MatrixCells.of(matrix, rows=rows), Confusion.from_matrix(matrix, rows=rows)
    assert plain.class_counts() == arrays.class_counts()
    assert plain.confusion() == arrays
    assert [plain.real, plain.n_rows, plain.cells] == [arrays.real, arrays.n_rows, arrays.cells.tolist()]


def test_real_weights_are_weighted():
    plain = MatrixCells.of([[1, 2.5], [0, 1]], rows="gold", labels=("a", "b")).class_counts()
    assert (plain.weighted, plain.real, plain.n_rows, plain.actual) == (True, True, None, (3.5, 1.0))
    assert plain == Confusion.from_matrix([[1, 2.5], [0, 1]], rows="gold", labels=("a", "b")).class_counts()


@pytest.mark.parametrize(
    "matrix",
    [
        [], [[]], [[0, 0], [0, 0]], [[1, 2]], [[1], [2]], [[1, 2], [3]], [[1, -2], [3, 4]], [["a", 1], [1, 1]],
        [[float("nan"), 1], [1, 1]], [[1e308, 1e308], [1, 1]], [[2**63, 1], [1, 1]], [[2**62, 2**62], [1, 1]],
        [[2**60, 0.5], [1, 1]], [[None, 1], [1, 1]], [[10**5000, 1], [1, 1]], [[[1], 1], [1, 1]],
    ],
)  # fmt: skip
def test_what_arrays_refuse_is_refused(matrix):
    for make in (MatrixCells.of, Confusion.from_matrix):
        with pytest.raises(macrof1.InputError) as caught:
            make(matrix, rows="gold")
        assert len(str(caught.value)) < 200


def test_names_and_rows_are_checked():
    with pytest.raises(macrof1.InputError, match="3 labels for a matrix of 2 classes"):
        MatrixCells.of([[1, 2], [3, 4]], rows="gold", labels=("a", "b", "c"))
    with pytest.raises(macrof1.InputError, match="rows"):
        MatrixCells.of([[1, 2], [3, 4]], rows="true")
