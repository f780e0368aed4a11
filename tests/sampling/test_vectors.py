"""Python's numbers and NumPy's arrays give the same intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import macrof1
from macrof1.convention import Convention
from macrof1.counting.matrix_cells import MatrixCells
from macrof1.sampling import vectors
from macrof1.sampling.vectors import Vector, namespace
from macrof1.scoring.result import ScoreResult, score_counts

from ..strategies import BETAS, SMALL, matrices

# Beyond these, leave-one-out scores differ from the score in the last digits only, and so do the two sums.
CELLS = st.one_of(SMALL, st.integers(0, 1000))


def both(matrix, **rules) -> tuple[ScoreResult, ScoreResult]:
    return macrof1.score_matrix(matrix, rows="gold", **rules), score_counts(
        MatrixCells.of(matrix, rows="gold"), **rules
    )


def close(found: float | None) -> object:
    return None if found is None else pytest.approx(found, rel=1e-9, abs=1e-12)


@given(matrices(CELLS, most=4), st.sampled_from(["logit", "delta"]), BETAS, st.sampled_from([0, 1]))
def test_intervals_of_both_kinds_of_cells_are_equal(matrix, method, beta, undefined):
    arrays, plain = both(matrix, beta=beta, undefined=undefined)
    assert plain.to_dict()["per_class"] == arrays.to_dict()["per_class"]
    assert plain.noise_floor == close(arrays.noise_floor)
    for of in ("averaged_f1", "f1_of_averages", "macro_precision", "macro_recall"):
        found, other = plain.interval(of, method=method), arrays.interval(of, method=method)
        assert (found.low, found.high) == (close(other.low), close(other.high))
        assert found.standard_error == close(other.standard_error)
        assert found.notes == other.notes


@settings(max_examples=30)
@given(matrices(CELLS, least=2, most=4))
def test_a_class_and_the_bootstrap_too(matrix):
    arrays, plain = both(matrix)
    found, other = plain.interval("f1", label=1), arrays.interval("f1", label=1)
    assert (found.low, found.high, found.method) == (close(other.low), close(other.high), "wilson")
    drawn, others = (each.interval("gap", n_resamples=100, rng=3) for each in (plain, arrays))
    assert (drawn.low, drawn.high) == (close(others.low), close(others.high))


def test_real_weights_have_no_interval_in_either():
    for each in both([[1.5, 1], [0, 2]]):
        with pytest.raises(macrof1.InputError, match="sums of real weights"):
            each.interval()


def test_classes_can_be_left_out():
    rules = {"convention": Convention(formula="averaged_f1", classes="gold", exclude=(1,))}
    arrays, plain = both([[5, 1, 2], [1, 4, 0], [0, 0, 0]], **rules)
    assert plain.n_classes == arrays.n_classes == 1
    assert plain.interval().low == close(arrays.interval().low)


def test_vectors_of_different_lengths_do_not_meet():
    with pytest.raises(ValueError, match=r"shorter|longer"):
        Vector([1, 2, 3]) + Vector([1, 2])
    assert (Vector([5]) - Vector([1, 2])).tolist() == [4, 3]
    assert (1 - Vector([1, 2])).tolist() == [0, -1]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9), st.floats(-5, 5))
def test_operations_are_those_of_numpy(numbers, one):
    mine, theirs = Vector(numbers), np.array(numbers)
    assert (namespace(mine), namespace(theirs)) == (vectors, np)
    assert ((mine - one) * 2 / 3 + mine**2).tolist() == ((theirs - one) * 2 / 3 + theirs**2).tolist()
    assert mine[mine > one].tolist() == theirs[theirs > one].tolist()
    assert vectors.maximum(mine, one).tolist() == np.maximum(theirs, one).tolist()
    assert vectors.minimum(mine, mine * one).tolist() == np.minimum(theirs, theirs * one).tolist()
    assert (~(mine == one)).tolist() == (~(theirs == one)).tolist()
