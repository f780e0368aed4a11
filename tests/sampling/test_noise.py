"""The sampling noise of the gap, computed in two ways."""

from __future__ import annotations

import numpy as np
import pytest

import macrof1
from macrof1.convention import Convention
from macrof1.counting.confusion import Confusion
from macrof1.sampling.noise import noise_floor, noise_floor_of_cells
from macrof1.sampling.patterns import Patterns


@pytest.mark.parametrize("beta", [1.0, 0.5, 2.0])
@pytest.mark.parametrize("classes", ["union", "gold"])
def test_cells_give_the_floor_that_patterns_give(beta, classes):
    random = np.random.default_rng(int(beta * 2))
    convention = Convention(formula="averaged_f1", beta=beta, classes=classes)
    compared = 0
    for _ in range(200):
        n = int(random.integers(2, 7))
        matrix = random.integers(0, 12, (n, n)) * (random.random((n, n)) < 0.7)
        if not matrix.any():
            continue
        dense = Confusion.from_matrix(matrix, rows="gold")
        sparse = Confusion.from_cells(dense.records())
        for cells in (dense, sparse):
            expected = noise_floor(Patterns.of_cells(cells), 0, convention)
            found = noise_floor_of_cells(cells, cells.class_counts(), convention)
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-15)
            compared += expected > 0
    assert compared > 200


def test_listed_and_excluded_classes_are_left_to_the_patterns():
    gold, pred = ["a", "a", "b", "c", "b", "a"] * 9, ["a", "b", "b", "c", "c", "a"] * 9
    for options in ({"labels": ["a", "b"]}, {"exclude": ["c"]}, {"labels": ["a", "b", "c"]}):
        result = macrof1.score(gold, pred, **options)
        expected = noise_floor(Patterns.of_cells(result.cells), 0, result.convention)
        assert result.noise_floor == pytest.approx(expected, rel=1e-9)
