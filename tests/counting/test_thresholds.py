"""Constants that decide speed: where each way begins, and that every way counts the same."""

import threading

import numpy as np
import pytest
import scipy.sparse

import macrof1
from macrof1.counting import arrays
from macrof1.counting.encoding import counted_from_zero
from macrof1.counting.kernel import integers, numpy_twin
from macrof1.counting.matrix import arrays_of
from macrof1.errors import InputError

WAYS = {
    "as it is": {},
    "threads": {"_ROWS_PER_THREAD": 7, "_FEW_ROWS": 0},
    "no short way": {"_FEW_ROWS": 0},
    "few codes": {"_FEW_CODES": 2},
    "guess from the first rows": {"_FEW_ROWS": 0, "_FIRST_ROWS": 3},
    "guess with room": {"_FEW_ROWS": 0, "_FIRST_ROWS": 3, "_MANY_CODES": 0},
    "no table": {"_FEW_ROWS": 0, "_FEW_CELLS": 0, "_MOST_CELLS": 0},
    "no table, threads": {"_FEW_ROWS": 0, "_FEW_CELLS": 0, "_MOST_CELLS": 0, "_ROWS_PER_THREAD": 7},
    "margins": {"_FEW_ROWS": 0, "_COMPILED_CELLS": 0},
    "narrow": {"_NARROW": 1},
    "NumPy": {"compiled_path": lambda: None},
}


def patched(monkeypatch, way):
    monkeypatch.setenv("MACROF1_THREADS", "3")
    for name, value in WAYS[way].items():
        monkeypatch.setattr(integers, name, value)


def facts(counts):
    return counts.labels, [column.tolist() for column in arrays_of(counts)], counts.n_rows, counts.n_listed


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(3))
def test_every_way_counts_the_same(monkeypatch, way, seed):
    rng = np.random.default_rng(seed)
    gold, pred = (rng.integers(-2, 5, 100) * (1 if seed else 3) for _ in range(2))
    late = gold.copy()
    late[90] = -40
    weight = rng.integers(0, 4, 100)
    inputs = [
        (gold, pred, {}),
        (late, pred, {}),
        (gold, pred, {"sample_weight": weight}),
        (gold, pred, {"sample_weight": weight / 4}),
        (late, pred, {"sample_weight": weight}),
        (gold, pred, {"labels": [3, 0, 99]}),
        (gold.astype(str), pred.astype(str), {}),
        (late * 10**9, pred * 10**9, {}),
    ]
    expected = [
        (macrof1.count(g.tolist(), p.tolist(), **more), arrays.confusion(g.tolist(), p.tolist(), **more).records())
        for g, p, more in inputs
    ]
    patched(monkeypatch, way)
    for (g, p, more), (counts, records) in zip(inputs, expected, strict=True):
        assert facts(macrof1.count(g, p, **more)) == facts(counts)
        assert arrays.confusion(g, p, **more).records() == records
        result = macrof1.score(g, p, **more)
        assert facts(result.counts) == facts(counts)


def test_threads_are_for_many_rows(monkeypatch):
    monkeypatch.setattr(integers, "_ROWS_PER_THREAD", 100)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(64))
    monkeypatch.delenv("MACROF1_THREADS", raising=False)
    assert [integers._threads(n) for n in (1, 199, 200, 299, 300, 10_000)] == [1, 1, 2, 2, 3, 8]
    monkeypatch.setenv("MACROF1_THREADS", "2")
    assert [integers._threads(n) for n in (199, 300, 10_000)] == [1, 2, 2]
    monkeypatch.setenv("MACROF1_THREADS", "1")
    assert integers._threads(10_000) == 1
    for wished in ("0", "x", "-1", "1.5"):
        monkeypatch.setenv("MACROF1_THREADS", wished)
        with pytest.raises(InputError, match="MACROF1_THREADS"):
            integers._threads(10_000)
        assert integers._threads(10) == 1
    monkeypatch.delenv("MACROF1_THREADS")
    monkeypatch.delattr("os.sched_getaffinity")
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    assert integers._threads(10_000) == 3
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert integers._threads(10_000) == 1


def test_threads_take_pieces_until_none_is_left():
    assert len(integers._pieces(10**7, 2, 100)) == 8
    assert len(integers._pieces(10**7, 2, 10**6)) == 2  # as many as threads, where each starts with many counters
    assert len(integers._pieces(10**7, 1, 100)) == 1
    assert [len(integers._pieces(16 * 100 * 6 + more, 2, 100)) for more in (-1, 0)] == [5, 6]
    rest_is_done, pieces = threading.Event(), integers._shares(8, 8)

    def count(piece):
        if piece.start == 0:
            assert rest_is_done.wait(60)  # until the other thread has counted all the rest
        elif piece.start == 7:
            rest_is_done.set()
        return piece.start

    assert integers._in_threads(count, pieces, 2) == list(range(8))


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_in_a_thread_is_raised(n_threads):
    def fail(piece):
        raise IndexError(piece.start)

    with pytest.raises(IndexError):
        integers._in_threads(fail, integers._shares(8, 8), n_threads)


@pytest.mark.skipif(integers.compiled_path() is None, reason="installed without a compiler: all rows are looked at")
def test_the_first_of_many_rows_tell_the_range_with_room_for_more_of_many_classes(monkeypatch):
    monkeypatch.setattr(integers, "_FIRST_ROWS", 3)
    monkeypatch.setattr(integers, "_MANY_CODES", 8)
    for first, expected in (
        ([5, 6, 7], (5, 7)), ([8, 0, 4], (0, 8)), ([9, 0, 4], (0, 10)), ([4, 20, 5], (2, 22)), ([-9, 7, 0], (-11, 9)),
    ):  # fmt: skip
        fewer, few, many = (np.array([*first, *[99] * more, -50]) for more in (7, 8, 9))
        assert integers.likely_extremes(few, few) == integers.likely_extremes(fewer, fewer) == (-50, 99)
        assert integers.likely_extremes(many, many) == expected


def test_tables_are_for_few_cells_or_as_many_rows():
    sizes = [(1 << 12, 1), ((1 << 12) + 1, 1), (5000, 5000), (5001, 5000), (1 << 20, 1 << 21), ((1 << 20) + 1, 1 << 21)]
    assert [integers.fits_table(*size) for size in sizes] == [True, False] * 3
    for n_cells, weighted, faster in ((1 << 16, False, True), ((1 << 16) + 1, False, False), (1 << 17, True, True)):
        assert integers.table_is_faster(n_cells, 1 << 20, weighted=weighted) is faster
    assert not integers.table_is_faster(5001, 5000, weighted=True)


@pytest.mark.parametrize("n", [3, 1 << 16, (1 << 16) + 1, 200_000])
def test_numpy_finds_the_extremes_of_every_chunk(n):
    codes = np.arange(n)[::-1].copy()
    assert numpy_twin.bounds(codes) == (0, n - 1)


def test_numpy_sums_weights_chunk_by_chunk(monkeypatch):
    monkeypatch.setattr(numpy_twin, "_PIECE", 4)
    monkeypatch.setattr(numpy_twin, "piece_length", lambda _: 4)
    rng = np.random.default_rng(0)
    gold, pred, weight = rng.integers(2, 5, 30), rng.integers(2, 5, 30), rng.integers(0, 9, 30).astype(float)
    table = numpy_twin.table(gold, pred, first=2, shape=(3, 3), weight=weight)
    expected = np.zeros((3, 3))
    np.add.at(expected, (gold - 2, pred - 2), weight)
    assert np.array_equal(table, expected)
    tp, predicted, actual = numpy_twin.margins(gold, pred, first=2, n=3, weight=weight)
    assert np.array_equal(tp, expected.diagonal())
    assert np.array_equal(predicted, expected.sum(0))
    assert np.array_equal(actual, expected.sum(1))
    for first, n in ((3, 3), (2, 2), (1, 3)):
        assert numpy_twin.table(gold, pred, first=first, shape=(n, 9), weight=weight) is None
        assert numpy_twin.table(gold, pred, first=first, shape=(9, n), weight=weight) is None
        assert numpy_twin.margins(gold, pred, first=first, n=n) is None


@pytest.mark.parametrize(
    "values",
    [[5, 3, 5, 9], [-7, 70_000, -7], [0, 65_535, 3], [0, 65_536, 3], [2**62, 2**62 + 1, 2**62], [-(2**62), 5 - 2**62],
     [2**63 - 1, -(2**63)], [], [4]],
)  # fmt: skip
def test_codes_count_from_zero_in_the_order_of_labels(values):
    found = counted_from_zero(np.array(values, np.int64))
    assert found.labels == sorted(set(values))
    assert [found.labels[code] for code in found.codes] == values
    assert found.n_missing == 0
    assert counted_from_zero(found) is found


@pytest.mark.parametrize(("n", "taken"), [(64, True), (65, False)])
@pytest.mark.parametrize("rows", [3, 100, 9000])
def test_narrow_sparse_matrices_are_counted_as_they_are(monkeypatch, n, taken, rows):
    rng = np.random.default_rng(2)
    gold, pred = (scipy.sparse.csr_matrix((rng.random((rows, n)) < 0.1).astype(np.int8)) for _ in range(2))
    monkeypatch.setattr(integers, "_ROWS_PER_THREAD", 1000)
    monkeypatch.setenv("MACROF1_THREADS", "3")
    found = integers.sparse_indicator_sums(gold, pred, canonical=False)
    assert (found is not None) is (taken and integers.compiled_path() is not None)
    if found is not None:
        expected = [gold.multiply(pred).sum(0), pred.sum(0), gold.sum(0)]
        assert found.tolist() == [np.asarray(column).ravel().tolist() for column in expected]
    twice = gold.copy()
    twice.indices[1] = twice.indices[0]
    assert rows < 100 or integers.sparse_indicator_sums(twice, pred, canonical=False) is None
