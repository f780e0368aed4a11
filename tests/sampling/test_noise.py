"""The sampling noise of the gap, computed in two ways."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

import macrof1
from macrof1.convention import Convention
from macrof1.counting.confusion import Confusion
from macrof1.sampling.noise import clearly_above, noise_floor, noise_floor_of_cells
from macrof1.sampling.patterns import Patterns
from macrof1.scoring.gap import spread, within_noise
from macrof1.scoring.ratios import select

from ..strategies import SMALL, matrices


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


@given(
    matrices(cells=SMALL, least=2),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.sampled_from(["union", "gold", "listed", "exclude"]),
    st.integers(1, 400),
)
def test_bounds_from_the_counts_agree_with_the_floor(matrix, beta, kind, times):
    cells = Confusion.from_matrix(np.array(matrix) * times, rows="gold")
    assume(cells.class_counts().actual[0])
    options = {"exclude": [cells.labels[-1]]} if kind == "exclude" else {}
    records = [(gold, pred, n) for gold, pred, n in cells.records() if n]
    assume(records)
    cells = Confusion.from_cells(records, labels=cells.labels[:-1] if kind == "listed" else cells.labels)
    classes = kind if kind == "gold" else "union"
    result = macrof1.score_counts(cells, classes=classes, beta=beta, **options)
    floor, gap = result.noise_floor, result.gap
    columns = select(result.counts, result.convention)
    decided = within_noise(columns, spread(columns, result.convention), gap, beta)
    event(f"decided: {decided}")
    if decided is not None:
        assert decided == (floor is not None and not clearly_above(gap, floor))


def test_the_floor_itself_is_computed_only_near_the_threshold(monkeypatch):
    random = np.random.default_rng(3)
    asked = []
    monkeypatch.setattr(
        "macrof1.sampling.noise.noise_floor_of_cells",
        lambda *given: asked.append(1) or noise_floor_of_cells(*given),
    )
    for n in (3, 20):
        for rows in (300, 3_000, 30_000):
            gold = random.integers(0, n, rows)
            pred = np.where(random.random(rows) < 0.7, gold, np.minimum(random.integers(0, n + 2, rows), n - 1))
            assert macrof1.score(gold, pred).note_codes in ([], ["gap_within_noise"])
    assert len(asked) <= 1
