"""The compiled path and the NumPy path give identical counts, and accept or reject the same input."""

import ast
import math
import sys
from importlib import import_module
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.counting.arrays import confusion
from macrof1.counting.kernel import integers, numpy_twin
from macrof1.errors import LabelError

TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]

needs_compiler = pytest.mark.skipif(
    integers.compiled_path() is None, reason="macrof1 was installed without a compiler: there is one path only"
)


def columns(dtype, rows, low, high, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.integers(low, high + 1, rows).astype(dtype) for _ in range(2))


@needs_compiler
@pytest.mark.parametrize("dtype", TYPES)
def test_tables_and_margins_of_both_paths_are_the_same(dtype):
    for rows, (low, high) in product([1, 3, 255, 256, 257, 70_000], [(0, 1), (0, 9), (3, 60)]):
        gold, pred = columns(dtype, rows, low, high)
        n = high - low + 1
        weight = np.random.default_rng(1).random(rows)
        for options in ({}, {"weight": weight}):
            ours, theirs = (
                path.table(gold, pred, first=low, shape=(n, n), **options) for path in (integers, numpy_twin)
            )
            assert np.array_equal(ours, theirs), (rows, low, high)
        ours, theirs = (path.margins(gold, pred, first=low, n=n) for path in (integers, numpy_twin))
        assert all(map(np.array_equal, ours, theirs)), (rows, low, high)
        assert integers.extremes(gold, pred) == (min(gold.min(), pred.min()), max(gold.max(), pred.max()))


@needs_compiler
@pytest.mark.parametrize("rows", [255, 256, 257, 513, 65_535, 65_536, 300_001])
def test_one_cell_takes_more_rows_than_its_counter_holds(rows):
    for n in (2, 3, 6, 7, 40, 45, 46, 100, 250):
        gold = np.full(rows, n - 1, np.uint8)
        pred = gold.copy()
        pred[-1] = 0
        table = integers.table(gold, pred, first=0, shape=(n, n))
        assert (table[-1, -1], table[-1, 0], table.sum()) == (rows - 1, 1, rows), n
        tp, predicted, actual, _ = integers.margins(gold, pred, first=0, n=n)
        assert (tp[-1], predicted[-1], predicted[0], actual[-1]) == (rows - 1, rows - 1, 1, rows), n
        assert (tp.sum(), predicted.sum(), actual.sum()) == (rows - 1, rows, rows), n


@needs_compiler
@pytest.mark.parametrize("dtype", TYPES[2:])
@pytest.mark.parametrize("n", [2048, 2049, 5000])
def test_margins_of_many_classes_are_the_same_and_one_class_may_dominate(dtype, n):
    gold, pred = columns(dtype, 70_000, 7, n + 6)
    gold[::2] = 9
    pred[::3] = 9
    ours, theirs = (side.margins(gold, pred, first=7, n=n) for side in (integers, numpy_twin))
    assert all(map(np.array_equal, ours, theirs))
    first, second = (side.astype(np.int64) - 7 for side in (gold, pred))
    assert ours[3] == int(((first * 0x9E3779B1 % 2**32 >> 8) * second).sum()) % 2**32  # tells how codes are paired
    gold[-1] = n + 7
    assert integers.margins(gold, pred, first=7, n=n) is None


@needs_compiler
@pytest.mark.parametrize("n", [5, 1000, 5000])
@pytest.mark.parametrize("sides", [(0,), (1,), (0, 1)])
def test_margins_notice_a_code_beyond_the_last_as_often_as_a_small_counter_holds(n, sides):
    for times in (1, 256, 65_536):
        codes = np.zeros((2, 70_000), np.int64)
        codes[list(sides), :times] = n  # there is a counter for it, up to the next power of 2
        assert integers.margins(*codes, first=0, n=n) is None
        assert integers.margins(*codes, first=0, n=n + 1) is not None


@needs_compiler
@pytest.mark.parametrize("dtype", TYPES)
def test_codes_out_of_range_are_noticed_wherever_they_stand(dtype):
    info = np.iinfo(dtype)
    for wrong, place, side in product({info.min, info.max, 12, 9} - set(range(3, 9)), [0, 299, 300, 511], [0, 1]):
        sides = list(columns(dtype, 512, 3, 8))
        sides[side][place] = wrong
        assert integers.table(*sides, first=3, shape=(6, 6)) is None
        assert integers.table(*sides, first=3, shape=(6, 6), weight=np.ones(512)) is None
        assert integers.margins(*sides, first=3, n=6) is None


# Rows of few classes are counted in slices of 1,024 rows from the first line of the cache on, with up to 16 classes on
# either side; those of up to 256 are packed into bytes in blocks of 256.
@needs_compiler
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 16), (10, 10), (16, 1), (16, 16), (17, 16), (46, 45), (120, 9)])
def test_tables_of_whole_slices_and_the_rows_left_over(dtype, shape):
    lows = {0, 7, max(-3, np.iinfo(dtype).min), np.iinfo(dtype).max % 2**29 - max(shape) + 1}
    for rows, (start, low) in product([1023, 1024, 1090, 6500], enumerate(sorted(lows))):
        rng = np.random.default_rng(rows)
        gold, pred = ((rng.integers(0, n, start + rows) + low).astype(dtype)[start:] for n in shape)
        expected = numpy_twin.table(gold, pred, first=low, shape=shape)
        assert np.array_equal(integers.table(gold, pred, first=low, shape=shape), expected), (rows, low)
        assert expected.sum() == rows


@needs_compiler
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [3, 10, 16, 60])
def test_codes_out_of_range_are_noticed_in_every_slice(dtype, n):
    info = np.iinfo(dtype)
    lows = {0, max(-3, info.min), info.max % 2**29 - n + 1}
    for low, place, side in product(lows, [0, 1023, 1024, 2047, 2048, 2499], [0, 1]):
        sides = [(column.astype(np.int64) + low).astype(dtype) for column in columns(np.int64, 2500, 0, n - 1)]
        # Some would wrap around into the range if it ended beyond the type.
        for wrong in {info.min, info.min + 1, info.max, low + n, low - 1, low + 15, low + 16, low + 256}:
            if info.min <= wrong <= info.max and not low <= wrong < low + n:
                kept = sides[side][place]
                sides[side][place] = wrong
                assert integers.table(*sides, first=low, shape=(n, n)) is None
                sides[side][place] = kept
        beyond = (min(n, 5), n) if side == 0 else (n, min(n, 5))
        fits = n <= 5
        assert (integers.table(*sides, first=low, shape=beyond) is not None) == fits


@needs_compiler
def test_a_range_that_ends_beyond_the_type_does_not_wrap_around():
    for n in (10, 60):
        gold = np.full(5000, 125, np.int8)
        gold[77] = -128  # -128 - 120 is 8 in 8 bits
        assert integers.table(gold, gold, first=120, shape=(n, n)) is None
        gold[77] = 127
        assert integers.table(gold, gold, first=120, shape=(n, n))[7, 7] == 1


@pytest.mark.parametrize("dtype", TYPES)
def test_a_label_beyond_the_first_rows_is_counted(dtype):
    # The range is guessed from the first rows; the last row proves the guess wrong.
    info = np.iinfo(dtype)
    for late in (info.max, info.min, 100):
        gold = np.full(70_000, 5, dtype)
        gold[0], gold[-1] = 4, late
        pred = np.full(70_000, 5, dtype)
        counts = macrof1.count(gold, pred)
        assert counts.labels == tuple(sorted({4, 5, int(late)}))
        assert list(counts.actual) == [int((gold == label).sum()) for label in counts.labels]
        assert sum(counts.tp) == (gold == pred).sum()


def test_numbers_near_the_end_of_their_type_do_not_wrap_into_the_range():
    gold = np.full(70_000, 2**32 - 10, np.uint32)
    gold[-1] = 0  # 0 - (2**32 - 10) is 10 in 32 bits
    gold[1] = 2**32 - 1
    assert macrof1.count(gold, gold).labels == (0, 2**32 - 10, 2**32 - 1)
    signed = np.full(70_000, 2**31 - 10, np.int32)
    signed[-1] = -(2**31)
    assert macrof1.count(signed, signed).labels == (-(2**31), 2**31 - 10)


@needs_compiler
@pytest.mark.parametrize("dtype", TYPES)
def test_small_inputs_take_the_short_way_to_the_same_counts(dtype, monkeypatch):
    for rows, (low, high) in product([1, 2, 40, 1000], [(0, 0), (0, 1), (5, 14), (60, 127)]):
        gold, pred = columns(dtype, rows, low, high, seed=rows)
        short = macrof1.count(gold, pred), confusion(gold, pred)
        with monkeypatch.context() as patch:
            patch.setattr(integers, "few_rows", lambda *_: None)
            assert (macrof1.count(gold, pred), confusion(gold, pred)) == short
        assert not short[0].columns[0].flags.writeable
        assert not short[1].amounts.flags.writeable


@needs_compiler
def test_the_short_way_is_for_plain_small_integers_only():
    numbers = np.array([0, 1, 2, 1])
    assert integers.few_rows(numbers, numbers) is not None
    for gold, pred in [
        (numbers, numbers[:3]),  # another length
        (numbers, numbers.astype(np.int16)),
        (numbers, numbers.astype(np.float64)),
        (numbers.astype(np.uint8), numbers.astype(np.bool_)),  # bytes alike
        (numbers.astype(np.bool_), numbers.astype(np.uint8)),
        (numbers.reshape(2, 2), numbers.reshape(2, 2)),
        (numbers * 100, numbers * 100),  # far apart
        (numbers * 2, numbers * 2),  # with classes between that nobody has seen
        (numbers + 2**40, numbers + 2**40),
        (numbers[:0], numbers[:0]),
        (np.array(0), np.array(0)),  # no dimension
    ]:
        assert integers.few_rows(gold, pred) is None
    with pytest.raises(LabelError, match="type"):
        macrof1.count(numbers.astype(np.uint8), numbers.astype(np.bool_))


def counts_of_f1(rng, n, most):
    """Return tp, predicted and actual of n classes, some of them empty."""
    predicted, actual = rng.integers(0, most, n), rng.integers(0, most, n)
    predicted[::7] = actual[::7] = 0
    return rng.integers(0, np.minimum(predicted, actual) + 1), predicted, actual


def exact_f1(tp, predicted, actual, undefined):
    return [2 * t / (p + g) if p + g else undefined for t, p, g in zip(tp, predicted, actual, strict=True)]


@pytest.mark.parametrize("undefined", [0, 1])
@pytest.mark.parametrize("n", [1, 2, 80, 256, 257, 5000, 2**18, 2**18 + 1])
def test_sums_of_f1_are_rounded_once_on_both_paths(n, undefined, monkeypatch):
    for most, more in ((3, 0), (3, 1), (1000, 0), (2**52, 0)):  # with 1 more, every class occurs
        columns = [column + more for column in counts_of_f1(np.random.default_rng(n), n, most)]
        expected = math.fsum(exact_f1(*(column.tolist() for column in columns), undefined))
        if integers.compiled_path() is not None:
            assert integers.f1_sum(*columns, n, undefined) == expected
        with monkeypatch.context() as patch:
            patch.setattr(integers, "compiled_path", lambda: None)
            assert integers.f1_sum(*columns, n, undefined) in ({expected, None} if n <= 256 else {expected})


@pytest.mark.parametrize(("n", "rows"), [(3, 500), (300, 500), (300, 100_000)])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_classes_are_those_of_their_cells_the_faster_way(n, rows, weighted):
    rng = np.random.default_rng(n)
    gold, pred = rng.integers(0, n, (2, rows))
    weight = rng.integers(0, 5, rows) / 4 if weighted else None
    cells = np.zeros((n, n))
    np.add.at(cells, (gold, pred), 1 if weight is None else weight)
    found = integers.class_sums(gold, pred, n=n, weight=weight)
    assert np.array_equal(found, [cells.diagonal(), cells.sum(0), cells.sum(1)])
    pred[-1] = n
    assert integers.class_sums(gold, pred, n=n, weight=weight) is None


@pytest.mark.parametrize("n", [3, 300])
def test_f1_of_numbers_that_a_double_cannot_hold_are_left_to_python(n):
    tp, predicted, actual = counts_of_f1(np.random.default_rng(1), n, 1000)
    predicted[1] = 2**53
    assert integers.f1_sum(tp, predicted, actual, n, 0) is None
    assert integers.f1_sum(tp / 3, predicted / 3, actual / 3, n, 0) is None
    # Only the listed classes are summed, which come first.
    assert integers.f1_sum(tp, predicted, actual, 1, 1) in (1.0, None)


ODD_MEMORY = {
    "strided": lambda a: np.repeat(a, 3)[::3],
    "reversed": lambda a: a[::-1].copy()[::-1],
    "byte-swapped": lambda a: a.astype(a.dtype.newbyteorder()),
    "unaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), dtype="u1")[1:].view(a.dtype),
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype),
    "of another width": lambda a: a.astype(np.int16),
}


@pytest.mark.parametrize("odd", ODD_MEMORY.values(), ids=ODD_MEMORY)
def test_memory_of_every_kind(odd):
    gold, pred = columns("i8", 1000, 0, 7)
    expected = macrof1.count(gold, pred)
    assert macrof1.count(odd(gold), pred) == expected
    assert macrof1.count(odd(gold), odd(pred)) == expected


@needs_compiler  # NumPy's path would take a minute
def test_more_than_2_to_the_31_rows():
    # Untouched zeros take no memory: the system maps one page of them over and over.
    gold, pred = np.zeros((2, 2**31 + 5), np.uint8)
    pred[-1] = gold[0] = 1
    cells = confusion(gold, pred)
    assert cells.to_matrix(rows="gold").tolist() == [[2**31 + 3, 1], [1, 0]]


def test_compiled_code_is_used_if_it_is_there_and_of_this_version(monkeypatch):
    find = integers.compiled_path.__wrapped__
    monkeypatch.delenv("MACROF1_KERNEL", raising=False)
    for version in range(integers._COMPILED_VERSION - 1, integers._COMPILED_VERSION + 2):
        module = SimpleNamespace(VERSION=version)
        monkeypatch.setattr(integers, "import_module", lambda _, module=module: module)
        assert find() is (module if version == integers._COMPILED_VERSION else None)
        with monkeypatch.context() as patch:
            patch.setenv("MACROF1_KERNEL", "numpy")
            assert find() is None
    monkeypatch.setattr(integers, "import_module", import_module)
    monkeypatch.setitem(sys.modules, "macrof1.counting.kernel.compiled", None)  # cannot be imported
    assert find() is None


@given(
    st.lists(st.lists(st.sampled_from(["O", "B-PER", "I-PER", 0, 0.5, None]), max_size=6), max_size=6),
    st.sampled_from(["compiled", "numpy"]),
)
def test_parts_are_looked_up_as_their_values_one_by_one(parts, path):
    """Values are rebuilt for every part, so that most are equal without being the same object."""
    fresh = [[ast.literal_eval(repr(value)) for value in part] for part in parts]
    with pytest.MonkeyPatch.context() as patch:
        if path == "numpy":
            patch.setattr(integers, "compiled_path", lambda: None)
        book = {"separator": 0}
        codes = integers.look_up_parts(fresh, book).tolist()
    names = list(book)
    assert list(book.values()) == list(range(len(book)))
    expected = ["separator"]
    for part in parts:
        expected += [*part, "separator"]
    assert [names[code] for code in codes] == expected


@pytest.mark.parametrize("path", ["compiled", "numpy"])
def test_parts_other_than_lists_and_values_without_a_hash(path, monkeypatch):
    if path == "numpy":
        monkeypatch.setattr(integers, "compiled_path", lambda: None)
    assert integers.look_up_parts([["a"], ("b",)], {None: 0}) is None
    with pytest.raises(TypeError, match="unhashable"):
        integers.look_up_parts([["a", []]], {None: 0})


class _Growing(str):
    """A value that lengthens the parts when it is looked up."""

    def __hash__(self):
        PARTS[1].extend("x" * 1000)
        return 1


PARTS = []


@needs_compiler
def test_parts_that_grow_while_they_are_read_are_refused():
    PARTS[:] = [[_Growing("a")], ["b"]]
    with pytest.raises(ValueError, match="while they are read"):
        integers.look_up_parts(PARTS, {None: 0})
