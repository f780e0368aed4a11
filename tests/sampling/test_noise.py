"""The sampling noise of the gap, computed in two ways."""

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from scipy.stats import chi2

import macrof1
from macrof1.counting.confusion import Confusion
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.standard_errors import gap_noise
from macrof1.scoring.gap import spread, times_noise, within_noise
from macrof1.scoring.macro import select

from ..strategies import SMALL, matrices


def test_listed_and_excluded_classes_are_left_to_the_patterns():
    gold, pred = ["a", "a", "b", "c", "b", "a"] * 9, ["a", "b", "b", "c", "c", "a"] * 9
    for options in ({"labels": ["a", "b"]}, {"exclude": ["c"]}, {"labels": ["a", "b", "c"]}):
        result = macrof1.score(gold, pred, **options)
        expected = gap_noise(Patterns.of_cells(result.cells), result.convention).floor
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
    gap, noise = result.gap, gap_noise(Patterns.of_cells(result.cells), result.convention)
    assume(gap)  # only other gaps than 0 are asked about
    columns = select(result.counts, result.convention)
    decided = within_noise(columns, spread(columns, result.convention), gap, beta)
    event(f"decided: {decided}")
    if decided is not None:
        assert decided == (gap < noise.limit)


@pytest.mark.parametrize("df", [1, 2.5, 10, 100])
def test_the_threshold_is_a_quantile(df):
    assert times_noise(df) == pytest.approx(chi2.ppf(0.95, df) / df, rel=0.03)


@pytest.mark.parametrize(("n", "n_rows"), [(2, 3000), (5, 3000), (20, 3000), (20, 300), (50, 1000)])
def test_a_gap_of_0_is_called_clear_in_5_percent_of_samples(n, n_rows):
    """Symmetric confusion: gold and predicted are as frequent in every class, and the true gap is 0."""
    random = np.random.default_rng(n)
    shares = 1 / (1 + np.arange(n))
    wrong = np.minimum(random.random((n, n)) * shares[:, None] / n, 0.3 * shares[None, :] / n)
    wrong = np.tril(wrong, -1) + np.tril(wrong, -1).T
    truth = wrong + np.diag(shares - wrong.sum(1))
    tables = random.multinomial(n_rows, (truth / truth.sum()).reshape(-1), size=400).reshape(-1, n, n)
    clear = 0
    for table in tables:
        result = macrof1.score_counts(Confusion.from_matrix(table.tolist(), rows="gold"))
        clear += result.gap > 0 and "gap_within_noise" not in result.note_codes
    assert clear / len(tables) <= 0.08
