"""Sums of draws in compiled code, as bytes and as floats, equal plain additions."""

from dataclasses import replace

import numpy as np
import pytest

from macrof1.convention import DEFAULT
from macrof1.counting.kernel import integers
from macrof1.sampling import resampling
from macrof1.sampling.patterns import Patterns, effective, one_label

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


def patterns_of(amounts):
    every = np.arange(len(amounts))
    return Patterns(labels=tuple(range(len(amounts))), amounts=np.array(amounts), **one_label(every, [every]))


@pytest.mark.parametrize("amounts", [[1, 1, 1], [8, 8], [1, 7], [3], [0, 2], [1] * 70])
def test_coins_of_few_rows_are_bits(amounts):
    rng, again = np.random.default_rng(0), np.random.default_rng(0)
    found = resampling._tossed(np.array(amounts), 5, rng)
    drawn = np.frombuffer(again.bytes(5 * len(amounts)), np.uint8).reshape(5, -1).tolist()
    assert rng.random() == again.random()  # no byte is wasted
    assert found.tolist() == [
        [(byte % 2**n).bit_count() for byte, n in zip(row, amounts, strict=True)] for row in drawn
    ]


def test_coins_are_tossed_for_every_row_whatever_lies_beside_it():
    rng, again = np.random.default_rng(0), np.random.default_rng(0)
    found = resampling._tossed(np.array([3, 9, 8, 0, 65]), 5, rng)
    few = resampling._tossed(np.array([3, 8, 0]), 5, again)
    assert found[:, [0, 2, 3]].tolist() == few.tolist()
    assert found[:, [1, 4]].tolist() == resampling._tossed(np.array([9, 65]), 5, again).tolist()


@pytest.mark.parametrize(("amounts", "turned"), [([9, 9], 0), ([64, 64], 0), ([64, 65], 1), ([900], 1)])
def test_coins_of_many_rows_are_binomial(amounts, turned):
    found = resampling._tossed(np.array(amounts), 5, np.random.default_rng(0))
    rng, counts = np.random.default_rng(0), np.array(amounts)
    by_pattern = np.stack([rng.binomial(n, 0.5, 5) for n in amounts], axis=1) if turned else None
    expected = by_pattern if turned else rng.binomial(counts, 0.5, (5, len(counts)))
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(("amounts", "picks"), [([1, 1], True), ([4, 4], True), ([4, 5], False), ([0, 9], False)])
def test_few_rows_are_picked_and_many_are_multinomial(amounts, picks):
    ((_, found),) = resampling._multinomial_blocks(patterns_of(amounts), 5, np.random.default_rng(0))
    rng, n = np.random.default_rng(0), sum(amounts)
    drawn = rng.multinomial(n, [1.0], size=5)[:, 0]
    owner = np.repeat(np.arange(len(amounts)), amounts)
    if picks:
        rows = np.split(owner[rng.integers(0, n, 5 * n, dtype=np.uint32)], 5)
        assert found.tolist() == [np.bincount(row, minlength=len(amounts)).tolist() for row in rows]
    else:
        assert found.tolist() == rng.multinomial(drawn, np.array(amounts) / n).tolist()


def test_the_counts_of_patterns_cannot_be_changed():
    patterns = patterns_of([2, 3])
    assert not any(column.flags.writeable for column in (*patterns.sums(), *patterns.class_counts().columns))


def test_other_systems_on_the_same_rows_are_counted_anew():
    every = np.arange(3)
    both = Patterns(labels=(*"abc",), amounts=np.array([1, 2, 3]), **one_label(every, [every, every[::-1]]))
    turned = replace(both, systems=both.systems[::-1], hits=both.hits[::-1])
    assert [side.alone(0).sums().tp.tolist() for side in (both, turned)] == [[1, 2, 3], [0, 2, 0]]


def test_rows_of_equal_weight_are_worth_their_number_and_those_of_weight_0_nothing():
    amounts = np.array([2, 3])
    assert effective(amounts, np.array([0.5, 0.5])) == 5
    assert effective(amounts, np.array([1, 0])) == 2
    assert effective(amounts, np.array([0, 0])) == 0
    assert effective(amounts, np.array([1, 2])) == pytest.approx((2 + 6) ** 2 / (2 + 12))


@needs_compiler
@pytest.mark.parametrize(("at", "rows", "error"), [(4, 4, IndexError), (-1, 4, IndexError), (0, 3, ValueError)])
def test_classes_and_counts_that_are_not_there_are_refused(at, rows, error):
    tp, predicted, actual = np.ones((3, 4, 10), np.float32)
    with pytest.raises(error):
        resampling.rescored((tp, predicted[:rows], actual), np.array([at]), DEFAULT)
