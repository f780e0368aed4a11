"""Scores at another class mix, and intervals of rows sampled per class."""

import numpy as np
import pytest

import macrof1
from macrof1.convention import DEFAULT
from macrof1.sampling.samples import StratifiedSample

TABLE = [[90, 8, 2], [15, 80, 5], [10, 20, 70]]
MEASURES = ("averaged_f1", "f1_of_averages", "macro_precision", "macro_recall", "gap")


def scored(table=TABLE):
    return macrof1.score_matrix(table, rows="gold", labels=["a", "b", "c"])


def test_the_mix_is_that_of_as_many_rows():
    there = scored().at_prevalence({"a": 7, "b": 2, "c": 1})
    table = [[7 * cell for cell in TABLE[0]], [2 * cell for cell in TABLE[1]], TABLE[2]]
    for of in MEASURES:
        assert getattr(there, of) == pytest.approx(getattr(scored(table), of))
    assert there.macro_recall == pytest.approx(scored().macro_recall)
    assert there.notes[0] == "Scores and intervals are for a class mix that was asked for (a 70%, b 20%, c 10%)."
    assert "prevalence:0.7,0.2,0.1" in there.signature()


def test_the_own_mix_changes_intervals_alone():
    there = scored().at_prevalence(None)
    for of in MEASURES:
        assert getattr(there, of) == pytest.approx(getattr(scored(), of), abs=1e-12)
    # Gold is fixed: recall varies as before, precision less.
    assert there.interval("macro_precision").standard_error < scored().interval("macro_precision").standard_error
    assert "prevalence:fixed" in there.signature()


@pytest.mark.parametrize("of", MEASURES[:4])
def test_the_standard_error_is_that_of_resampling_each_class(of):
    there = scored().at_prevalence({"a": 0.7, "b": 0.2, "c": 0.1})
    sample = StratifiedSample(there.rows.patterns(), DEFAULT)
    rng = np.random.default_rng(0)
    values = []
    for _ in range(2000):
        table = [rng.multinomial(100, np.array(line) / 100).tolist() for line in TABLE]
        values.append(getattr(scored(table).at_prevalence({"a": 0.7, "b": 0.2, "c": 0.1}), of))
    assert sample.delta_error(of) == pytest.approx(np.std(values), rel=0.12)
    assert sample.error(of) >= sample.delta_error(of)
    found = there.interval(of)
    assert found.estimate == pytest.approx(getattr(there, of))
    assert found.low < found.estimate < found.high


def test_few_rows_that_outweigh_the_others_are_noted():
    there = macrof1.score_matrix([[95, 5], [10, 90]], rows="gold").at_prevalence({0: 0.99, 1: 0.01})
    assert "1 of 2 classes is gold or predicted in fewer than 10 rows of equal weight (1)" in there.interval().notes[0]


def test_a_class_without_errors_still_varies():
    table = [[20, 0, 0], [0, 20, 0], [0, 0, 20]]
    found = scored(table).at_prevalence({"a": 0.9, "b": 0.05, "c": 0.05}).interval()
    assert 0.5 < found.low < 0.95
    assert found.high == 1
