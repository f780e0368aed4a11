"""Counting integer codes: compiled code if it was built, otherwise NumPy; the results are the same.

Large inputs are split over a few threads. Integer counts do not depend on the split. Weights are summed in
chunks of fixed length and the chunks in order, so the same rows give the same bits on both paths and
with any number of threads; the relative error of a sum over N rows is below (2^16 + N / 2^16) · 2^-53.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import os
from _thread import start_new_thread
from collections import defaultdict, deque
from collections.abc import Callable
from importlib import import_module
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.kernel import numpy_twin
from macrof1.errors import InputError, LabelError

_COMPILED_VERSION = 13
_ROWS_PER_THREAD = 1 << 19  # with fewer rows, a second thread costs more than it saves
_MOST_THREADS = 8
_PIECES_PER_THREAD = 4
_FIRST_ROWS = 1 << 14  # so many show the range of most data
_VERY_FIRST_ROWS = 1 << 10  # fewer do for small inputs, which can be counted twice
_MANY_CODES = 1 << 10
_MOST_CELLS = 1 << 20
_FEW_CELLS = 1 << 12
_COMPILED_CELLS = 1 << 16  # with more cells than fit in the nearest cache, counting margins is faster
_FEW_ROWS = 1 << 20  # a small input: too few rows for a second thread
_FEW_CODES = 64
_FEW_CLASSES = 256  # up to so many, Python divides as fast as NumPy
_FEW_TEXTS = 256  # with fewer strings, a dictionary is as fast
_NARROW = 64  # sparse matrices with up to so many columns are counted row by row as bytes


@functools.cache
def compiled_path() -> Any:
    """Return the compiled module, or None if it was not built or NumPy was requested (MACROF1_KERNEL=numpy)."""
    if os.environ.get("MACROF1_KERNEL") == "numpy":
        return None
    try:
        module = import_module("macrof1.counting.kernel.compiled")
    except ImportError:
        return None
    # A module built from older sources, as happens in a checkout, lacks functions that are used here.
    return module if getattr(module, "VERSION", 0) == _COMPILED_VERSION else None


def counting_path() -> str:
    """Return which path counts integer codes here: ``"compiled"`` or ``"numpy"``."""
    return "numpy" if compiled_path() is None else "compiled"


def _threads(n_rows: int) -> int:
    if n_rows < 2 * _ROWS_PER_THREAD:
        return 1
    wished = os.environ.get("MACROF1_THREADS", "")
    if wished and not (wished.isdecimal() and int(wished) >= 1):
        raise InputError(f"MACROF1_THREADS={wished!r}", expected="a whole number, 1 or larger")
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(int(wished) if wished else available, _MOST_THREADS, n_rows // _ROWS_PER_THREAD)


def _in_threads(count: Callable[[Any], Any], pieces: list[Any], n_threads: int) -> list[Any]:
    if n_threads == 1:
        return [count(piece) for piece in pieces]
    found: list[Any] = [None] * len(pieces)
    waiting, failures = deque(enumerate(pieces)), []

    def work() -> Any:
        while waiting:
            try:
                place, piece = waiting.popleft()
            except IndexError:  # another thread took the last one
                return
            try:
                found[place] = count(piece)
            except BaseException as error:  # noqa: BLE001  # raised below, whatever it is
                failures.append(error)
                waiting.clear()

    # Threads of its own: none outlives the call, so processes may fork. Those of threading take twice as long to start,
    # as they wait until one has begun, and a pool four times.
    ended: SimpleQueue[Any] = SimpleQueue()
    others: list[int] = []
    try:
        others.extend(start_new_thread(lambda: ended.put(work()), ()) for _ in range(n_threads - 1))
        work()
    finally:
        waiting.clear()  # after an interrupt, no further piece is begun
        for _ in others:
            ended.get()
    if failures:
        raise failures[0]
    return found


def _shares(n_rows: int, n_threads: int) -> list[slice]:
    edges = [n_rows * place // n_threads for place in range(n_threads + 1)]
    return [slice(start, stop) for start, stop in itertools.pairwise(edges)]


def _pieces(n_rows: int, n_threads: int, n_counters: int) -> list[slice]:
    """Split rows into more pieces than threads, so that a core that is busy otherwise holds up the rest less."""
    # Each piece starts with counters at 0, and adds them up at its end.
    wanted = min(_PIECES_PER_THREAD * n_threads, n_rows // (16 * n_counters))
    return _shares(n_rows, max(n_threads, wanted) if n_threads > 1 else 1)


def in_shares(work: Callable[[slice], None], n_pieces: int, n_rows: int) -> None:
    """Do equal shares of these pieces in as many threads as counting so many rows would take."""
    n_threads = min(n_pieces, _threads(n_rows))
    _in_threads(work, _shares(n_pieces, n_threads), n_threads)


def side_by_side(work: Callable[[Any], Any], sides: list[Any], n_rows: int) -> list[Any]:
    """Do the same work for several columns of so many strings, in threads if there are enough of them."""
    # A string takes about as long as eight codes.
    return _in_threads(work, sides, min(len(sides), _threads(8 * n_rows)))


def extremes(gold: NDArray[Any], pred: NDArray[Any]) -> tuple[int, int]:
    """Return the smallest and the largest code of both columns."""
    compiled = compiled_path()
    found = None if compiled is None else compiled.extremes(gold, pred)
    if found is None:
        lows_and_highs = numpy_twin.bounds(gold), numpy_twin.bounds(pred)
        return min(low for low, _ in lows_and_highs), max(high for _, high in lows_and_highs)
    return found  # type: ignore[no-any-return]  # a compiled module has no types


def likely_extremes(gold: NDArray[Any], pred: NDArray[Any]) -> tuple[int, int]:
    """Return the extremes of the first rows if counting will notice codes beyond them, else of all rows."""
    compiled = compiled_path()
    if compiled is not None and len(gold) > 4 * _FIRST_ROWS:
        found = compiled.extremes(gold[:_FIRST_ROWS], pred[:_FIRST_ROWS])
        if found is not None:
            low, high = found
            if high - low <= _MANY_CODES:
                return low, high
            # With many classes, some are still to come; room for them is cheap, counting again is not.
            room = (high - low) // 8
            return (max(low - room, 0) if low >= 0 else low - room), high + room
    return extremes(gold, pred)


def table(
    gold: NDArray[Any], pred: NDArray[Any], *, first: int, shape: tuple[int, int], weight: NDArray[Any] | None = None
) -> NDArray[Any] | None:
    """Count pairs of codes into a dense table, gold as rows; None if a code lies outside the shape."""
    compiled = compiled_path()
    if compiled is None:
        return numpy_twin.table(gold, pred, first=first, shape=shape, weight=weight)
    size, n_threads = shape[0] * shape[1], _threads(len(gold))
    if weight is None:
        pieces = _pieces(len(gold), n_threads, size)
    else:
        weight = np.ascontiguousarray(weight, np.float64)
        step = numpy_twin.piece_length(size)
        pieces = [slice(start, start + step) for start in range(0, len(gold), step)]

    def count(piece: slice) -> tuple[bool | None, NDArray[Any]]:
        if weight is None:
            part = np.zeros(size, np.int64)
            return compiled.table(gold[piece], pred[piece], first, *shape, part), part
        real = np.zeros(size)
        return compiled.weighted(gold[piece], pred[piece], weight[piece], first, *shape, real), real

    parts = _in_threads(count, pieces, n_threads)
    if any(outcome is None for outcome, _ in parts):
        return numpy_twin.table(gold, pred, first=first, shape=shape, weight=weight)
    if not all(outcome for outcome, _ in parts):
        return None
    total: NDArray[Any] = functools.reduce(operator.add, (part for _, part in parts))
    return total.reshape(shape)


def margins(
    gold: NDArray[Any], pred: NDArray[Any], *, first: int, n: int, weight: NDArray[Any] | None = None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], int | None] | None:
    """Count tp, predicted and actual of n classes, and return a hash of how codes are paired; None if one lies outside.

    NumPy counts weights, and everything without the compiled path, and makes no hash.
    """
    compiled: Any = compiled_path() if weight is None else None
    n_threads = min(_threads(len(gold)), max(1, len(gold) // (8 * n)))

    def count(piece: slice) -> tuple[bool | None, NDArray[np.int64]]:
        part = np.zeros(3 * n + 1, np.int64)
        return compiled.margins(gold[piece], pred[piece], first, n, part), part

    parts = [] if compiled is None else _in_threads(count, _pieces(len(gold), n_threads, 3 * n), n_threads)
    if not parts or any(outcome is None for outcome, _ in parts):
        columns = numpy_twin.margins(gold, pred, first=first, n=n, weight=weight)
        return None if columns is None else (*columns, None)
    if not all(outcome for outcome, _ in parts):
        return None
    total: NDArray[np.int64] = functools.reduce(operator.add, (part for _, part in parts))
    tp, predicted, actual = total[:-1].reshape(3, n)
    return tp, predicted, actual, int(total[-1]) & 0xFFFFFFFF


def fits_table(n_cells: int, n_rows: int) -> bool:
    """Return whether a dense table of cells is small enough, compared with the rows."""
    return n_cells <= max(_FEW_CELLS, min(_MOST_CELLS, n_rows))


def table_is_faster(n_cells: int, n_rows: int, *, weighted: bool) -> bool:
    """Return whether counting a dense table is faster than counting tp, predicted and actual alone."""
    # Weighted margins are left to NumPy, which passes over the rows three times.
    return fits_table(n_cells, n_rows) and (weighted or n_cells <= _COMPILED_CELLS)


def class_sums(
    gold: NDArray[Any], pred: NDArray[Any], *, n: int, weight: NDArray[Any] | None = None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | None:
    """Count tp, predicted and actual of the classes 0 … n - 1, the faster way; None if a code is not one of them."""
    if not table_is_faster(n * n, len(gold), weighted=weight is not None):
        sums = margins(gold, pred, first=0, n=n, weight=weight)
        return None if sums is None else sums[:3]
    found = table(gold, pred, first=0, shape=(n, n), weight=weight)
    if found is None:
        return None
    tp, predicted, actual = table_sums(found)[0]
    return tp, predicted, actual


def indicator_sums(gold: NDArray[Any], pred: NDArray[Any]) -> NDArray[np.int64] | None:
    """Return tp, predicted and actual of two byte matrices as three rows; None for entries other than 0 and 1."""
    compiled = compiled_path()
    if compiled is None or not (gold.flags.c_contiguous and pred.flags.c_contiguous):
        if max(gold.max(), pred.max()) > 1:
            return None
        return np.stack([np.add.reduce(m, axis=0, dtype=np.int64) for m in (gold & pred, pred, gold)])
    columns = np.zeros((3, gold.shape[1]), np.int64)
    return columns if compiled.indicators(gold, pred, columns) else None


def all_ones(entries: NDArray[Any]) -> bool:
    """Return whether every entry is 1; False also for types that are not examined here."""
    compiled = compiled_path()
    if entries.dtype == np.bool_:
        entries = entries.view(np.uint8)
    if compiled is None or entries.dtype.char not in "bBilfd" or not entries.flags.c_contiguous:
        return bool((entries == 1).all())
    return bool(compiled.all_ones(entries))


def sparse_indicator_sums(gold: Any, pred: Any, *, canonical: bool) -> NDArray[np.int64] | None:
    """Return tp, predicted and actual of two CSR matrices of ones, as three rows; None if there is no compiled way."""
    compiled = compiled_path()
    if compiled is None or (not canonical and gold.shape[1] > _NARROW):
        return None
    parts = [gold.indptr, gold.indices, pred.indptr, pred.indices]
    kind = np.int32 if {part.dtype for part in parts} == {np.dtype(np.int32)} else np.int64
    parts = [np.ascontiguousarray(part, kind) for part in parts]
    shape = gold.shape
    if canonical:
        columns = np.zeros((3, shape[1]), np.int64)
        if not compiled.sparse_indicators(*parts, columns):
            raise LabelError(
                "a sparse matrix is damaged",
                expected=f"rows one after the other and columns from 0 to {shape[1] - 1}",
                hint="its check_format() tells more",
            )
        return columns
    gold_starts, gold_at, pred_starts, pred_at = parts

    def count(rows: slice) -> tuple[bool, NDArray[np.int64]]:
        edges = slice(rows.start, rows.stop + 1)
        part = np.zeros((3, shape[1]), np.int64)
        return compiled.narrow_sparse_indicators(gold_starts[edges], gold_at, pred_starts[edges], pred_at, part), part

    n_threads = _threads(4 * shape[0])  # a row takes longer than two codes
    found = _in_threads(count, _shares(shape[0], n_threads), n_threads)
    if not all(sound for sound, _ in found):
        return None
    total: NDArray[np.int64] = sum(part for _, part in found)
    # Entries given twice were counted once; a matrix that has any must be sorted first.
    return total if (total[1].sum(), total[2].sum()) == (len(pred_at), len(gold_at)) else None


def sparse_sums(
    gold_starts: NDArray[Any], gold: NDArray[Any], pred_starts: NDArray[Any], pred: NDArray[Any], n: int
) -> NDArray[np.int64] | None:
    """Return tp, predicted and actual of n labels as three rows, from rows of codes without duplicates."""
    compiled = compiled_path()
    if compiled is None:
        return None
    columns = np.zeros((3, n), np.int64)
    parts = (np.ascontiguousarray(part, np.int64) for part in (gold_starts, gold, pred_starts, pred))
    return columns if compiled.sparse_indicators(*parts, columns) else None


def f1_sum(tp: NDArray[Any], predicted: NDArray[Any], actual: NDArray[Any], n: int, undefined: int) -> float | None:
    """Return the sum of the F1 of the first n classes, rounded once; None where Python's numbers are exact or fast."""
    compiled = compiled_path()
    total: float | None = None if compiled is None else compiled.f1_sum(tp, predicted, actual, n, undefined)
    if total is not None:
        return total
    below = predicted[:n] + actual[:n]
    if n <= _FEW_CLASSES or below.dtype.kind == "f" or below.min() < 0 or below.max() >= 2**53:
        return None
    scores = np.full(n, float(undefined))
    np.divide(2.0 * tp[:n], below, out=scores, where=below != 0)
    return math.fsum(scores.data)


def leanings(tp: NDArray[Any], predicted: NDArray[Any], actual: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return the weights of classes in the gap and their shifts against the heaviest, as two rows; None for NumPy."""
    compiled, columns = compiled_path(), (tp, predicted, actual)
    if compiled is None or not all(column.dtype == np.int64 and column.flags.c_contiguous for column in columns):
        return None
    found = np.empty((2, len(tp)))
    return found if compiled.leanings(*columns, *found) else None


def exact_total(values: NDArray[np.float64]) -> float:
    """Return the sum of finite numbers, rounded once: in any order the same."""
    compiled = compiled_path()
    total: float | None = None
    if compiled is not None and values.flags.c_contiguous:
        total = compiled.exact_total(values)
    return math.fsum(values.data) if total is None else total


def few_rows(gold: NDArray[Any], pred: NDArray[Any]) -> tuple[int, int, NDArray[np.int64]] | None:
    """Count few rows in few steps: the first code, the number n of codes, n x n cells and their sums; or None."""
    compiled = compiled_path()
    if compiled is None or gold.size > _FEW_ROWS:
        return None
    found = compiled.few(gold, pred, _FEW_CODES, _VERY_FIRST_ROWS)
    if found is None:
        return None
    low, n, cells = found
    return low, n, np.frombuffer(cells, np.int64)


def table_sums(table: NDArray[Any]) -> tuple[NDArray[Any], bool]:
    """Return tp, predicted and actual of a square table as three rows, and whether every class was seen."""
    compiled = compiled_path()
    n = len(table)
    if compiled is None or table.dtype != np.int64 or not table.flags.c_contiguous:
        columns = np.stack([table.diagonal(), table.sum(0), table.sum(1)])
        return columns, bool((columns[1] + columns[2]).all())
    columns = np.empty((3, n), np.int64)
    return columns, compiled.sums(table.ravel(), n, columns)


def are_strings(gold: list[Any], pred: list[Any]) -> bool:
    """Return whether all labels are exactly of type str, not of a subclass."""
    compiled = compiled_path()
    if compiled is None:
        return {*map(type, gold), *map(type, pred)} <= {str}
    return bool(compiled.are_strings(gold) and compiled.are_strings(pred))


class Texts(NamedTuple):
    """A code per string (-1 for a missing one), and the kernel's book of the distinct ones."""

    codes: NDArray[np.int32]
    book: Any
    some_missing: bool = False


def fixed_text(array: NDArray[Any]) -> Texts | None:
    """Encode a fixed-width array; None if not compiled."""
    compiled = compiled_path()
    if compiled is None or not array.size or not array.itemsize:
        return None
    array = np.ascontiguousarray(array)
    texts = Texts(np.empty(len(array), np.int32), compiled.Book())
    texts.book.add_fixed(array, array.view(np.uint8), array.itemsize, array.dtype.kind == "U", texts.codes)
    return texts


def sliced_text(pieces: list[tuple[Any, NDArray[Any], Any, int, int]]) -> Texts | None:
    """Encode pieces of Arrow strings: data, offsets, valid bits, the first bit, and rows; None if not compiled."""
    compiled, pieces = compiled_path(), [piece for piece in pieces if piece[-1]]
    if compiled is None or not pieces or not all(len(data) for data, *_ in pieces):
        return None
    some_missing = any(valid is not None for _, _, valid, *_ in pieces)
    texts = Texts(np.empty(sum(piece[-1] for piece in pieces), np.int32), compiled.Book(), some_missing)
    row = 0
    for data, offsets, valid, bit, n in pieces:
        texts.book.add_sliced(data, offsets, valid, bit, row, texts.codes[row : row + n])
        row += n
    return texts


def listed_text(values: list[Any] | tuple[Any, ...]) -> Texts | None:
    """Encode many strings; None if not compiled, if a value is not plain ASCII text, or where objects are shared."""
    compiled = compiled_path()
    if compiled is None or len(values) <= _FEW_TEXTS or type(values[0]) is not str:
        return None
    # Where equal labels are mostly the same object, looking at where it stands is faster than at its text.
    some = values[:: len(values) // 256]
    if 2 * len(set(map(id, some))) < len(some):
        return None
    texts = Texts(np.empty(len(values), np.int32), compiled.Book())
    listed = values if isinstance(values, list) else list(values)
    return texts if texts.book.add_ascii(listed, texts.codes) else None


def in_one_order(gold: Texts, pred: Texts) -> tuple[list[Any], bool, NDArray[np.int32], NDArray[np.int32]] | None:
    """Return the strings of both, whether they are in order, and the place of each code; None if not to be sorted."""
    found = gold.book.in_one_order(pred.book)
    if found is None:
        return None
    names, in_order, to_gold, to_pred = found
    return names, in_order, np.frombuffer(to_gold, np.int32), np.frombuffer(to_pred, np.int32)


def recoded(codes: NDArray[Any], to: NDArray[Any]) -> NDArray[Any]:
    """Return the places of codes that were just made, in their own memory where that is compiled."""
    compiled = compiled_path()
    if compiled is None or codes.dtype != np.int32 or to.dtype != np.int32:
        return to.take(codes)
    in_shares(lambda rows: compiled.recode(codes[rows], to), len(codes), len(codes))
    return codes


def look_up(values: list[Any]) -> tuple[NDArray[Any], list[Any]]:
    """Return a code per value, and the distinct values in the order of their codes."""
    compiled = compiled_path()
    if compiled is None:
        book: defaultdict[Any, int] = defaultdict()
        book.default_factory = book.__len__  # the next code, for a value seen for the first time
        return np.fromiter(map(book.__getitem__, values), dtype=np.int64, count=len(values)), list(book)
    codes = np.empty(len(values), np.int64)
    return codes, compiled.look_up(values, codes)


def look_up_parts(parts: list[list[Any]], book: dict[Any, int]) -> NDArray[np.int64] | None:
    """Return a code per value, which the `book` keeps, with 0 before and after parts; None unless all are lists."""
    compiled = compiled_path()
    if compiled is not None:
        found = compiled.look_up_parts(parts, book)
        return None if found is None else np.frombuffer(found, np.int64)
    if set(map(type, parts)) - {list}:
        return None
    codes = [0]
    for part in parts:
        codes += [book.setdefault(value, len(book)) for value in part]
        codes.append(0)
    return np.array(codes, np.int64)
