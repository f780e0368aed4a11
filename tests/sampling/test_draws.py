"""Sums of draws in compiled code, as bytes and as floats, equal plain additions."""

import numpy as np
import pytest

from macrof1.counting.kernel import integers
from macrof1.convention import DEFAULT
from macrof1.sampling import resampling

needs_compiler = pytest.mark.skipif(
    integers.compiled_path() is None, reason="macrof1 was installed without a compiler: there is one path only"
)


@needs_compiler
@pytest.mark.parametrize("most", [0, 1, 9, 100, 255, 256, 70_000])
@pytest.mark.parametrize(("size", "patterns"), [(1, 1), (255, 40), (256, 31), (257, 40), (1000, 600)])
def test_draws_are_added_exactly(size, patterns, most, monkeypatch):
    monkeypatch.setattr(integers, "_ROWS_PER_THREAD", 1000)
    rng = np.random.default_rng(size)
    draws = rng.integers(0, most, (size, patterns), endpoint=True)
    draws[-1, -1] = most
    entries = [(np.arange(patterns), rng.integers(0, 4, patterns)) for _ in range(3)]
    entries[1] = tuple(column[::2].copy() for column in entries[1])
    sums, expected = np.zeros((3, 4, size), np.float32), np.zeros((3, 4, size))
    for _ in range(2):  # sums are added to, not overwritten
        assert resampling.add_draws(sums, draws, entries)
        for own, (at, labels) in zip(expected, entries, strict=True):
            np.add.at(own, labels, draws.T[at])
    assert np.array_equal(sums, expected)


@needs_compiler
@pytest.mark.parametrize("most", [3, 300])
@pytest.mark.parametrize(("at", "label"), [(40, 0), (-1, 0), (0, 4), (0, -1)])
def test_rows_and_labels_that_are_not_there_are_refused(most, at, label):
    draws = np.full((10, 40), most)
    with pytest.raises(IndexError):
        resampling.add_draws(np.zeros((1, 4, 10), np.float32), draws, [(np.array([at]), np.array([label]))])


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_compiler), False])
@pytest.mark.parametrize(("drawn", "patterns"), [([3, 0, 5], 4), ([0, 0], 2), ([1], 1), ([255, 2], 1), ([256, 2], 1)])
def test_picks_are_counted_per_resample(drawn, patterns, compiled, monkeypatch):
    if not compiled:
        monkeypatch.setattr(resampling, "compiled_path", lambda: None)
    picked = np.random.default_rng(0).integers(0, patterns, sum(drawn), dtype=np.uint32)
    found = resampling.counted_picks(picked, np.array(drawn), patterns)
    expected = [
        np.bincount(part, minlength=patterns).tolist() for part in np.split(picked.astype(int), np.cumsum(drawn)[:-1])
    ]
    assert found.tolist() == expected


@needs_compiler
def test_picks_that_name_no_pattern_are_not_counted_beyond_the_end():
    with pytest.raises(ValueError, match="could not broadcast"):
        resampling.counted_picks(np.array([7], np.uint32), np.array([1]), 3)
    with pytest.raises(ValueError, match="do not fit"):
        resampling.counted_picks(np.array([0], np.uint32), np.array([2]), 3)


@needs_compiler
@pytest.mark.parametrize(("at", "rows", "error"), [(4, 4, IndexError), (-1, 4, IndexError), (0, 3, ValueError)])
def test_classes_and_counts_that_are_not_there_are_refused(at, rows, error):
    tp, predicted, actual = np.ones((3, 4, 10), np.float32)
    with pytest.raises(error):
        resampling.rescored((tp, predicted[:rows], actual), np.array([at]), DEFAULT)
