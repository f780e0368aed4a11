# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Counting integer codes in compiled code: the fast twin of `numpy_twin.py`, with the same results.

Columns come in as buffers. Functions return None for memory that they do not take (strided, byte-swapped,
unaligned, two types), and False when a code lies outside the range: then the output is to be thrown away.
"""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBuffer_Release, PyObject_GetBuffer,
)
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_GetItem
from cpython.long cimport PyLong_AsSsize_t
from cpython.object cimport PyObject
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset


# Raised with every change of what these functions take or return: integers.py leaves other versions aside.
VERSION = 13


cdef extern from "Python.h":
    PyObject *PyList_GetItem(list, Py_ssize_t) except NULL
    Py_ssize_t PyUnicode_GetLength(PyObject *) except -1
    const char *PyUnicode_AsUTF8AndSize(PyObject *, Py_ssize_t *)
    object PyUnicode_DecodeUTF8(const char *, Py_ssize_t, const char *)
    void PyErr_Clear()
    Py_ssize_t PyList_Size(list) except -1


cdef extern from "histogram.h" nogil:
    size_t table_bytes(size_t, size_t, int64_t) noexcept
    size_t margin_bytes(size_t) noexcept
    ctypedef struct counting:
        void (*extremes)(const void *, int64_t, int64_t *, uint64_t *) noexcept nogil
        int (*table)(const void *, const void *, int64_t, int64_t, uint32_t, uint32_t, int64_t *, void *) noexcept nogil
        int (*margins)(
            const void *, const void *, int64_t, int64_t, uint32_t, int64_t *, int64_t *, int64_t *, uint32_t *, void *
        ) noexcept nogil
        int (*weighted)(const void *, const void *, const double *, int64_t, int64_t, uint32_t, uint32_t, double *) noexcept nogil
    const counting COUNTINGS[4][2]
    enum: PIECE
    int i4_sparse_sums(
        const int32_t *, const int32_t *, int64_t, const int32_t *, const int32_t *, int64_t, int64_t, int64_t,
        int64_t *, uint64_t *
    ) noexcept
    int i8_sparse_sums(
        const int64_t *, const int64_t *, int64_t, const int64_t *, const int64_t *, int64_t, int64_t, int64_t,
        int64_t *, uint64_t *
    ) noexcept
    int indicator_sums(
        const uint8_t *, const uint8_t *, int64_t, int64_t, int64_t, int64_t *, int64_t *, int64_t *, uint8_t *
    ) noexcept


cdef extern from "exact.h" nogil:
    int64_t MOST_SUMMANDS
    double sum_exactly(const double *, int64_t) noexcept
    double f1_exactly(const int64_t *, const int64_t *, const int64_t *, int64_t, double) noexcept
    int lean(const int64_t *, const int64_t *, const int64_t *, int64_t, double *, double *) noexcept


cdef extern from "text_codes.h" nogil:
    ctypedef struct key:
        uint64_t first, second
    ctypedef struct text:
        int64_t row
    ctypedef struct book:
        key *keys
        text *texts
        int64_t n
        int wide
    enum: AT_ONCE
    enum: SHORT
    void FETCH(const void *) noexcept
    int open_book(book *) noexcept
    void close_book(book *) noexcept
    key key_of(const char *, int64_t) noexcept
    int32_t code_of(book *, key, const char *, int64_t) noexcept
    void fetch_keys(const book *, const key *, int) noexcept
    int64_t size_of(key) noexcept
    const char *spelled(const book *, int64_t, char *) noexcept
    int add_book(book *, const book *, int32_t *) noexcept
    int sort_codes(const book *, int32_t *) noexcept
    int c_recode "recode"(int32_t *, int64_t, const int32_t *, uint32_t) noexcept
    void first_rows(const book *, int64_t *) noexcept
    int fixed_codes(book *, const char *, int64_t, int64_t, int, int32_t *) noexcept
    int short_sliced_codes(
        book *, const char *, int64_t, const int32_t *, const uint8_t *, int64_t, int64_t, int64_t, int32_t *
    ) noexcept
    int long_sliced_codes(
        book *, const char *, int64_t, const int64_t *, const uint8_t *, int64_t, int64_t, int64_t, int32_t *
    ) noexcept


cdef extern from "draws.h" nogil:
    int64_t BLOCK
    void add_rows(const float *, const int64_t *, const int64_t *, int64_t, int64_t, float *) noexcept
    void add_strip(
        const uint8_t *, int64_t, int64_t, int64_t, const int64_t *, const int64_t *, const int64_t *, int64_t, int64_t,
        int64_t, float *, uint8_t *, uint8_t *, uint8_t *
    ) noexcept
    void sum_ratios(
        const int64_t *, int64_t, int64_t, int64_t, int64_t, const double **, const float **, const float **, double,
        double, double *
    ) noexcept
    int64_t count_picks(const uint32_t *, const int64_t *, int64_t, int64_t, uint32_t *, uint8_t *) noexcept


cdef const counting *_counting(Py_buffer *view):
    """Tell the functions for a buffer's type, or NULL for memory that they cannot read."""
    cdef int width, sign
    if view.ndim != 1 or view.format == NULL or view.format[0] == 0 or view.format[1] != 0:
        return NULL  # a second character means another byte order
    if view.format[0] in b"bhilq":
        sign = 1
    elif view.format[0] in b"BHILQ?":
        sign = 0
    else:
        return NULL
    if view.itemsize == 8:
        width = 3
    elif view.itemsize == 4:
        width = 2
    elif view.itemsize == 2:
        width = 1
    else:
        width = 0
    if <size_t> view.buf % <size_t> view.itemsize:
        return NULL
    return &COUNTINGS[width][sign]


cdef class _Columns:
    """Two columns of codes, held for the time of one call."""

    cdef Py_buffer gold, pred
    cdef int held
    cdef const counting *functions
    cdef int64_t rows

    def __cinit__(self, gold, pred):
        self.held = 0
        self.functions = NULL
        try:
            PyObject_GetBuffer(gold, &self.gold, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
            self.held = 1
            PyObject_GetBuffer(pred, &self.pred, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
            self.held = 2
        except (BufferError, ValueError):
            return
        if self.gold.len == self.pred.len and self.gold.len > 0:
            self.functions = _counting(&self.gold)
            if self.functions != _counting(&self.pred):
                self.functions = NULL
            self.rows = self.gold.len // self.gold.itemsize

    def __dealloc__(self):
        if self.held > 0:
            PyBuffer_Release(&self.gold)
        if self.held > 1:
            PyBuffer_Release(&self.pred)


def extremes(gold, pred):
    """Return the smallest and the largest code of both columns."""
    cdef _Columns columns = _Columns(gold, pred)
    cdef int64_t low_gold, low_pred
    cdef uint64_t high_gold, high_pred
    if columns.functions == NULL:
        return None
    with nogil:
        columns.functions.extremes(columns.gold.buf, columns.rows, &low_gold, &high_gold)
        columns.functions.extremes(columns.pred.buf, columns.rows, &low_pred, &high_pred)
    return min(low_gold, low_pred), max(high_gold, high_pred)


cdef int _count(_Columns columns, int64_t first, uint32_t n_gold, uint32_t n_pred, int64_t *total) except -1:
    """Add the counts of all pairs to a table; 1 when a code lies outside it."""
    cdef int failed
    cdef void *counters = malloc(table_bytes(n_gold, n_pred, columns.rows))
    if counters == NULL:
        raise MemoryError
    with nogil:
        failed = columns.functions.table(
            columns.gold.buf, columns.pred.buf, columns.rows, first, n_gold, n_pred, total, counters
        )
    free(counters)
    return failed


cdef bint _sums(const int64_t *table, Py_ssize_t n, int64_t *tp, int64_t *predicted, int64_t *actual) noexcept nogil:
    """Write tp, predicted and actual of a table of n x n cells; tell whether every class was seen."""
    cdef Py_ssize_t gold, pred
    cdef int64_t cell
    cdef bint seen = True
    for pred in range(n):
        predicted[pred] = 0
    for gold in range(n):
        tp[gold] = table[gold * n + gold]
        actual[gold] = 0
        for pred in range(n):
            cell = table[gold * n + pred]
            predicted[pred] += cell
            actual[gold] += cell
    for gold in range(n):
        seen = seen and predicted[gold] + actual[gold] > 0
    return seen


def table(gold, pred, int64_t first, uint32_t n_gold, uint32_t n_pred, int64_t[::1] total):
    """Add the counts of all pairs to a table of n_gold x n_pred cells."""
    cdef _Columns columns = _Columns(gold, pred)
    if columns.functions == NULL:
        return None
    if <size_t> total.shape[0] != <size_t> n_gold * n_pred:
        raise ValueError("the table has another size than n_gold x n_pred")
    return not _count(columns, first, n_gold, n_pred, &total[0])


def sums(const int64_t[::1] table, Py_ssize_t n, int64_t[:, ::1] columns):
    """Write tp, predicted and actual of a table of n x n cells; tell whether every class was seen."""
    if table.shape[0] != n * n or columns.shape[0] != 3 or columns.shape[1] != n:
        raise ValueError("the columns have another length than the table asks for")
    return _sums(&table[0], n, &columns[0, 0], &columns[1, 0], &columns[2, 0])


def few(gold, pred, uint32_t most, int64_t first_rows):
    """Count a table of at most `most` codes in one call.

    Returns the smallest code, how many n there are, and the bytes of n rows of cells with tp, predicted and actual as
    three rows below. None for other input: booleans, codes far from each other or from 0, a class that was not seen.
    """
    cdef _Columns columns = _Columns(gold, pred)
    if columns.functions == NULL or columns.gold.format[0] == b"?" or columns.pred.format[0] == b"?":
        return None
    # The first rows show the range of most data; where they do not, counting stops.
    if first_rows < columns.rows:
        found = _few(columns, most, first_rows)
        if found is not None:
            return found
    return _few(columns, most, columns.rows)


cdef _few(_Columns columns, uint32_t most, int64_t rows):
    """Count codes in the range of so many first rows; None where they do not fit."""
    cdef int64_t low, low_pred
    cdef uint64_t high, high_pred
    cdef Py_ssize_t n
    cdef int64_t *total
    cdef bytes cells
    columns.functions.extremes(columns.gold.buf, rows, &low, &high)
    columns.functions.extremes(columns.pred.buf, rows, &low_pred, &high_pred)
    low, high = min(low, low_pred), max(high, high_pred)
    # Within 30 bits of 0 no difference of two codes can wrap round into the range, whatever the type.
    if not -(1 << 30) < low < 1 << 30 or <int64_t> high - low >= most or high >= 1 << 31:
        return None
    n = <Py_ssize_t> (<int64_t> high - low) + 1
    cells = PyBytes_FromStringAndSize(NULL, n * (n + 3) * sizeof(int64_t))
    total = <int64_t *> <char *> cells
    memset(total, 0, n * n * sizeof(int64_t))
    if _count(columns, low, n, n, total):
        return None
    total += n * n
    return (low, n, cells) if _sums(total - n * n, n, total, total + n, total + 2 * n) else None


def margins(gold, pred, int64_t first, uint32_t n, int64_t[::1] found):
    """Write true positives, predicted and actual of n classes, and behind them a hash of how codes are paired."""
    cdef _Columns columns = _Columns(gold, pred)
    cdef uint32_t mark = 0
    cdef int failed
    cdef void *counters
    if columns.functions == NULL or n > 1 << 30:
        return None  # their counters must be numbered in 32 bits
    if found.shape[0] != 3 * <Py_ssize_t> n + 1:
        raise ValueError("the margins have another length than n")
    counters = malloc(margin_bytes(n))
    if counters == NULL:
        raise MemoryError
    with nogil:
        failed = columns.functions.margins(
            columns.gold.buf, columns.pred.buf, columns.rows, first, n,
            &found[0], &found[n], &found[2 * <Py_ssize_t> n], &mark, counters,
        )
    free(counters)
    found[3 * <Py_ssize_t> n] = mark
    return not failed


def add_errors(
    size_t gold, size_t pred, Py_ssize_t rows, int width, bint signed, size_t counts, Py_ssize_t n
):
    """Add tp, fp and fn of the classes 0 … n - 1 to three rows, or nothing where a code is none of them.

    Memory is given by its address, as tensors give it: making arrays of them takes longer than counting. Codes have
    `width` bytes, counts 64 bits.
    """
    cdef const counting *functions
    cdef int64_t *found
    cdef int64_t *added = <int64_t *> counts
    cdef Py_ssize_t c
    cdef uint32_t mark = 0
    cdef int failed
    if width not in (1, 2, 4, 8) or rows <= 0 or not 0 < n < 1 << 30:
        raise ValueError("rows, classes or a width that cannot be counted")
    functions = &COUNTINGS[0 if width == 1 else 1 if width == 2 else 2 if width == 4 else 3][signed]
    # Behind the margins there is room for the counters.
    found = <int64_t *> calloc(3 * n + margin_bytes(n) // sizeof(int64_t) + 1, sizeof(int64_t))
    if found == NULL:
        raise MemoryError
    failed = functions.margins(
        <void *> gold, <void *> pred, rows, 0, n, found, found + n, found + 2 * n, &mark, found + 3 * n
    )
    if not failed:
        for c in range(n):
            added[c] += found[c]
            added[n + c] += found[n + c] - found[c]
            added[2 * n + c] += found[2 * n + c] - found[c]
    free(found)
    return not failed


def weighted(gold, pred, const double[::1] weight, int64_t first, uint32_t n_gold, uint32_t n_pred, double[::1] total):
    """Add the weights of all pairs to a table of n_gold x n_pred cells, in the order of the rows."""
    cdef _Columns columns = _Columns(gold, pred)
    cdef int failed
    if columns.functions == NULL:
        return None
    if <size_t> total.shape[0] != <size_t> n_gold * n_pred or weight.shape[0] != columns.rows:
        raise ValueError("the table or the weights have another length than the codes ask for")
    with nogil:
        failed = columns.functions.weighted(
            columns.gold.buf, columns.pred.buf, &weight[0], columns.rows, first, n_gold, n_pred, &total[0]
        )
    return not failed


def indicators(const uint8_t[:, ::1] gold, const uint8_t[:, ::1] pred, int64_t[:, ::1] columns):
    """Add tp, predicted and actual of two indicator matrices of bytes; False when an entry is neither 0 nor 1."""
    cdef int64_t rows = gold.shape[0], k = gold.shape[1], rows_per_strip
    cdef uint8_t *scratch
    cdef int failed
    if pred.shape[0] != rows or pred.shape[1] != k or columns.shape[0] != 3 or columns.shape[1] != k:
        raise ValueError("the matrices and the columns do not fit each other")
    # Three strips of about 2 KB stay in the nearest cache.
    rows_per_strip = max(1, 2048 // k)
    scratch = <uint8_t *> malloc(3 * <size_t> (rows_per_strip * k))
    if scratch == NULL:
        raise MemoryError
    with nogil:
        failed = indicator_sums(
            &gold[0, 0], &pred[0, 0], rows, k, rows_per_strip, &columns[0, 0], &columns[1, 0], &columns[2, 0], scratch
        )
    free(scratch)
    return not failed


def add_draws(const float[:, ::1] draws, const int64_t[::1] at, const int64_t[::1] codes, float[:, ::1] sums):
    """Add rows of draws to the rows of sums that their codes name."""
    cdef Py_ssize_t i, n = at.shape[0]
    if codes.shape[0] != n or draws.shape[1] != sums.shape[1]:
        raise ValueError("the draws, the codes and the sums do not fit each other")
    for i in range(n):
        if not (0 <= at[i] < draws.shape[0] and 0 <= codes[i] < sums.shape[0]):
            raise IndexError("a row or a code that is not there")
    if n and draws.shape[1]:
        with nogil:
            add_rows(&draws[0, 0], &at[0], &codes[0], n, draws.shape[1], &sums[0, 0])


def add_bytes(
    const uint8_t[:, ::1] draws, const int64_t[::1] at, const int64_t[::1] labels, const int64_t[::1] starts,
    int64_t most, int64_t first, int64_t last, float[:, :, ::1] sums
):
    """Add draws (resamples x patterns), none above `most`, to the sums (entries x labels x resamples).

    An entry is the patterns `at` and their labels from one of `starts` to the next. Only the resamples from first to
    last are added, so that threads can share the work; first is a multiple of the strips in which they are added.
    """
    cdef Py_ssize_t i, n = at.shape[0], n_entries = sums.shape[0], n_labels = sums.shape[1]
    cdef int64_t strip, n_patterns = draws.shape[1]
    cdef uint8_t *scratch
    if labels.shape[0] != n or draws.shape[0] != sums.shape[2] or starts.shape[0] != n_entries + 1:
        raise ValueError("the draws, the labels and the sums do not fit each other")
    if not (1 <= most <= 255 and 0 <= first <= last <= draws.shape[0] and first % BLOCK == 0):
        raise ValueError("resamples that are not there, or draws that do not fit into bytes")
    for i in range(n_entries):
        if starts[i] > starts[i + 1]:
            raise ValueError("entries that are not in order")
    if not n or first == last:
        return
    if starts[0] < 0 or starts[n_entries] > n:
        raise IndexError("an entry that is not there")
    for i in range(n):
        if not (0 <= at[i] < n_patterns and 0 <= labels[i] < n_labels):
            raise IndexError("a row or a label that is not there")
    scratch = <uint8_t *> malloc((n_patterns + n_labels) * <size_t> BLOCK + n_labels)
    if scratch == NULL:
        raise MemoryError
    with nogil:
        for strip from first <= strip < last by BLOCK:
            add_strip(
                &draws[0, 0], n_patterns, strip, draws.shape[0], &at[0], &labels[0], &starts[0], n_entries, n_labels,
                most, &sums[0, 0, 0], scratch, scratch + n_patterns * BLOCK,
                scratch + (n_patterns + n_labels) * BLOCK
            )
    free(scratch)


def sum_ratios_of(
    const int64_t[::1] at, const double[:, ::1] base, plus, minus, double square, double undefined, int64_t first,
    int64_t last, double[:, ::1] sums
):
    """Add the precision, recall and F of the classes `at`, and how many have rows, to sums (4 x resamples).

    tp, predicted and actual of a class in a resample are those of `base` (3 x classes), with `plus` and without
    `minus`: floats, classes x resamples, or None. Only the resamples from first to last are summed, so that threads can
    share the work.
    """
    cdef const float[:, ::1] view
    cdef const double *own[3]
    cdef const float *more[3]
    cdef const float *less[3]
    cdef Py_ssize_t i, n = base.shape[1], width = sums.shape[1]
    if not (sums.shape[0] == 4 and len(plus) == len(minus) == base.shape[0] == 3 and 0 <= first <= last <= width):
        raise ValueError("the counts and the sums do not fit each other")
    for i in range(at.shape[0]):
        if not 0 <= at[i] < n:
            raise IndexError("a class that is not there")
    if not at.shape[0] or first == last:
        return
    for i in range(3):
        own[i] = &base[i, 0]
        more[i] = less[i] = NULL
        for view in (plus[i], minus[i]):
            if view is not None and not (view.shape[0] == n and view.shape[1] == width):
                raise ValueError("the counts and the sums do not fit each other")
        if plus[i] is not None:
            view = plus[i]
            more[i] = &view[0, 0]
        if minus[i] is not None:
            view = minus[i]
            less[i] = &view[0, 0]
    with nogil:
        sum_ratios(&at[0], at.shape[0], width, first, last, own, more, less, square, undefined, &sums[0, 0])


def picks(const uint32_t[::1] picked, const int64_t[::1] drawn, uint8_t[:, ::1] draws):
    """Count picks of patterns, `drawn` for each resample in turn; return the largest count, or -1 if not in bytes."""
    cdef Py_ssize_t i
    cdef int64_t most, n = 0
    cdef uint32_t *counts
    for i in range(drawn.shape[0]):
        if drawn[i] < 0:
            raise ValueError("a number of picks below 0")
        n += drawn[i]
    if drawn.shape[0] != draws.shape[0] or n != picked.shape[0]:
        raise ValueError("the picks and the draws do not fit each other")
    if not n or not draws.shape[1]:
        return -1
    counts = <uint32_t *> malloc(draws.shape[1] * sizeof(uint32_t))
    if counts == NULL:
        raise MemoryError
    with nogil:
        most = count_picks(&picked[0], &drawn[0], drawn.shape[0], draws.shape[1], counts, &draws[0, 0])
    free(counts)
    return most


ctypedef fused place:
    int32_t
    int64_t


def narrow_sparse_indicators(
    const place[::1] gold_starts,
    const place[::1] gold_columns,
    const place[::1] pred_starts,
    const place[::1] pred_columns,
    int64_t[:, ::1] columns,
):
    """Add tp, predicted and actual of two sparse matrices in CSR form, whose entries are all 1, with at most 64 columns.

    Rows become bits, which are added many at once; the sums of a matrix are below its number of entries when one is
    given twice or lies beyond the last column. False when the matrices are otherwise not well formed.
    """
    cdef Py_ssize_t rows = gold_starts.shape[0] - 1, n = columns.shape[1]
    cdef uint64_t *sums
    cdef int failed
    if pred_starts.shape[0] != rows + 1 or columns.shape[0] != 3 or not 0 < n <= 64:
        raise ValueError("the matrices and the columns do not fit each other")
    sums = <uint64_t *> malloc((PIECE * n + 1) * sizeof(uint64_t))
    if sums == NULL:
        raise MemoryError
    with nogil:
        if place is int32_t:
            failed = i4_sparse_sums(
                &gold_starts[0], &gold_columns[0], gold_columns.shape[0],
                &pred_starts[0], &pred_columns[0], pred_columns.shape[0], rows, n, &columns[0, 0], sums
            )
        else:
            failed = i8_sparse_sums(
                &gold_starts[0], &gold_columns[0], gold_columns.shape[0],
                &pred_starts[0], &pred_columns[0], pred_columns.shape[0], rows, n, &columns[0, 0], sums
            )
    free(sums)
    return not failed


def sparse_indicators(
    const place[::1] gold_starts,
    const place[::1] gold_columns,
    const place[::1] pred_starts,
    const place[::1] pred_columns,
    int64_t[:, ::1] columns,
):
    """Add tp, predicted and actual of two sparse matrices in CSR form whose entries are all 1, none given twice.

    False when they are not well formed.
    """
    cdef Py_ssize_t row, at, rows = gold_starts.shape[0] - 1, n = columns.shape[1]
    cdef place c
    cdef int64_t *last_row
    cdef bint sound = True
    if pred_starts.shape[0] != rows + 1 or columns.shape[0] != 3:
        raise ValueError("the matrices and the columns do not fit each other")
    last_row = <int64_t *> malloc(n * sizeof(int64_t))
    if last_row == NULL:
        raise MemoryError
    with nogil:
        for at in range(n):
            last_row[at] = -1
        for row in range(rows):
            sound = (
                0 <= gold_starts[row] <= gold_starts[row + 1] <= gold_columns.shape[0]
                and 0 <= pred_starts[row] <= pred_starts[row + 1] <= pred_columns.shape[0]
            )
            if not sound:
                break
            for at in range(gold_starts[row], gold_starts[row + 1]):
                c = gold_columns[at]
                if not 0 <= c < n:
                    sound = False
                    break
                columns[2, c] += 1
                last_row[c] = row
            for at in range(pred_starts[row], pred_starts[row + 1]):
                c = pred_columns[at]
                if not 0 <= c < n:
                    sound = False
                    break
                columns[1, c] += 1
                columns[0, c] += last_row[c] == row
            if not sound:
                break
    free(last_row)
    return sound


ctypedef fused entry:
    int8_t
    uint8_t
    int32_t
    int64_t
    float
    double


def all_ones(const entry[::1] entries):
    """Tell whether every entry is 1."""
    cdef Py_ssize_t at, start, stop
    cdef bint other = False
    for start in range(0, entries.shape[0], 4096):
        stop = min(start + 4096, entries.shape[0])
        for at in range(start, stop):
            other |= entries[at] != 1
        if other:
            return False
    return True


def are_strings(list values):
    """Tell whether all values are strings, and of no type derived from them."""
    cdef object value
    for value in values:
        if type(value) is not str:
            return False
    return True


cdef struct recent:
    # Labels are often the same few objects: where a value stands in memory is looked at before what it is.
    PyObject *met[256]
    int64_t code_of[256]


cdef int _look_up(list values, Py_ssize_t n, dict book, recent *last, int64_t *codes) except -1:
    """Write a code for each of the first n values; new ones enter the book."""
    cdef Py_ssize_t row, slot
    cdef PyObject *value
    cdef PyObject *found
    for row in range(n):
        value = PyList_GetItem(values, row)
        slot = (<size_t> value >> 4) % 256
        if last.met[slot] == value:
            codes[row] = last.code_of[slot]
            continue
        found = PyDict_GetItem(book, <object> value)
        if found == NULL:
            # PyDict_GetItem hides errors; asking again raises what an unhashable label raises.
            codes[row] = book.setdefault(<object> value, len(book))
        else:
            codes[row] = PyLong_AsSsize_t(<object> found)
        last.met[slot] = value
        last.code_of[slot] = codes[row]
    return 0


def look_up(list values, int64_t[::1] codes):
    """Write a code per value, and return the distinct values in the order of their codes."""
    cdef dict book = {}
    cdef recent last
    if codes.shape[0] != len(values):
        raise ValueError("the codes have another length than the labels")
    memset(&last, 0, sizeof(last))
    if codes.shape[0]:
        _look_up(values, codes.shape[0], book, &last, &codes[0])
    return list(book)


def look_up_parts(list parts, dict book):
    """Return a code per value of every part as bytes, 0 before the first part and after each; None without lists."""
    cdef Py_ssize_t at, n, size = 1
    cdef list part
    cdef recent last
    cdef int64_t *codes
    for at in range(len(parts)):
        if type(<object> PyList_GetItem(parts, at)) is not list:
            return None
        size += PyList_Size(<list> PyList_GetItem(parts, at)) + 1
    found = PyBytes_FromStringAndSize(NULL, size * sizeof(int64_t))
    codes = <int64_t *> <char *> found
    memset(&last, 0, sizeof(last))
    codes[0] = 0
    size -= 1
    codes += 1
    for part in parts:
        n = len(part)
        size -= n + 1
        if size < 0:
            raise ValueError("the parts grow while they are read")
        _look_up(part, n, book, &last, codes)
        codes[n] = 0
        codes += n + 1
    if size:
        raise ValueError("the parts shrink while they are read")
    return found


ctypedef fused offset:
    int32_t
    int64_t


cdef class Book:
    """The distinct strings of a column, in the order in which they are first met; their memory stays with them."""

    cdef book found
    cdef list kept, values
    cdef object array

    def __cinit__(self):
        self.kept = []
        if open_book(&self.found):
            raise MemoryError

    def __dealloc__(self):
        close_book(&self.found)

    def __len__(self):
        return self.found.n

    def add_fixed(self, array, const uint8_t[::1] data, Py_ssize_t width, bint characters, int32_t[::1] codes):
        """Write a code for each string of one width in the bytes of an array."""
        cdef int outcome
        if width < 1 or data.shape[0] != width * codes.shape[0] or not codes.shape[0]:
            raise ValueError("strings and codes differ in length")
        self.array = array
        self.kept.append(data)
        with nogil:
            outcome = fixed_codes(&self.found, <const char *> &data[0], codes.shape[0], width, characters, &codes[0])
        if outcome:
            raise MemoryError

    def add_sliced(
        self, const uint8_t[::1] data, const offset[::1] offsets, const uint8_t[::1] valid, Py_ssize_t bit, int64_t row,
        int32_t[::1] codes
    ):
        """Write a code for each string between two offsets, -1 for a missing one; the first one stands in this row."""
        cdef int outcome
        cdef Py_ssize_t n = codes.shape[0]
        cdef const uint8_t *bits = NULL
        if not n or offsets.shape[0] <= n or bit < 0 or (valid is not None and 8 * valid.shape[0] < bit + n):
            raise ValueError("strings and codes differ in length")
        if valid is not None:
            bits = &valid[0]
        self.kept.append(data)
        with nogil:
            if offset is int32_t:
                outcome = short_sliced_codes(
                    &self.found, <const char *> &data[0], data.shape[0], &offsets[0], bits, bit, n, row, &codes[0])
            else:
                outcome = long_sliced_codes(
                    &self.found, <const char *> &data[0], data.shape[0], &offsets[0], bits, bit, n, row, &codes[0])
        if outcome == -2:
            raise ValueError("an offset lies outside the data")
        if outcome:
            raise MemoryError

    def add_ascii(self, list values, int32_t[::1] codes):
        """Write a code for each string; False where a value is not plain ASCII text."""
        cdef PyObject *some[AT_ONCE]
        cdef PyObject *next_ones[AT_ONCE]
        cdef const char *starts[AT_ONCE]
        cdef key keys[AT_ONCE]
        cdef Py_ssize_t row, size, known, n = codes.shape[0]
        cdef int at, n_some, n_next
        if len(values) != n or not n:
            raise ValueError("strings and codes differ in length")
        self.values = []
        n_next = <int> min(n, <Py_ssize_t> AT_ONCE)
        for at in range(n_next):
            next_ones[at] = PyList_GetItem(values, at)
        for row in range(0, n, AT_ONCE):
            # While some strings are read, the next ones are fetched.
            n_some, n_next = n_next, <int> min(n - row - n_next, <Py_ssize_t> AT_ONCE)
            for at in range(n_some):
                some[at] = next_ones[at]
            for at in range(n_next):
                next_ones[at] = PyList_GetItem(values, row + n_some + at)
                FETCH(next_ones[at])
            for at in range(n_some):
                if type(<object> some[at]) is not str:
                    return False
                starts[at] = PyUnicode_AsUTF8AndSize(some[at], &size)
                if starts[at] == NULL:
                    PyErr_Clear()  # a lone surrogate
                    return False
                if size != PyUnicode_GetLength(some[at]):
                    return False
                keys[at] = key_of(starts[at], size)
            fetch_keys(&self.found, keys, n_some)
            for at in range(n_some):
                known = self.found.n
                codes[row + at] = code_of(&self.found, keys[at], starts[at], row + at)
                if codes[row + at] < 0:
                    raise MemoryError
                if codes[row + at] == known:
                    self.values.append(<object> some[at])
        return True

    def names(self):
        """Return the distinct strings, as objects of the array where some are neither short nor ASCII."""
        if self.values is not None:
            return self.values
        if self.found.wide:
            rows = PyBytes_FromStringAndSize(NULL, self.found.n * sizeof(int64_t))
            first_rows(&self.found, <int64_t *> <char *> rows)
            return self.array.take(memoryview(rows).cast("q")).tolist()
        return [_spell(&self.found, code) for code in range(self.found.n)]

    def in_one_order(self, Book other):
        """Take in another book. Return all strings, whether in order, and as bytes the place of each book's codes.

        None where the strings of a book are not known as UTF-8. They are in the order of their first 15 bytes.
        """
        cdef Py_ssize_t code, own = self.found.n, n, place
        cdef int32_t *order
        cdef int32_t *to
        cdef int32_t *to_other
        cdef list names
        cdef bint in_order = True
        if self.found.wide or other.found.wide:
            return None
        others = PyBytes_FromStringAndSize(NULL, other.found.n * sizeof(int32_t))
        to_other = <int32_t *> <char *> others
        if add_book(&self.found, &other.found, to_other):
            raise MemoryError
        n = self.found.n
        orders = PyBytes_FromStringAndSize(NULL, n * sizeof(int32_t))
        order = <int32_t *> <char *> orders
        places = PyBytes_FromStringAndSize(NULL, n * sizeof(int32_t))
        to = <int32_t *> <char *> places
        if sort_codes(&self.found, order):
            raise MemoryError
        names = []
        for place in range(n):
            code = order[place]
            to[code] = place
            in_order = in_order and size_of(self.found.keys[code]) < SHORT
            if code < own and self.values is not None:
                names.append(self.values[code])
            elif code >= own and other.values is not None:
                names.append(other.values[self.found.texts[code].row])
            else:
                names.append(_spell(&self.found, code))
        for code in range(other.found.n):
            to_other[code] = to[to_other[code]]
        return names, in_order, places, others


cdef _spell(const book *found, Py_ssize_t code):
    cdef char room[16]
    return PyUnicode_DecodeUTF8(spelled(found, code, room), size_of(found.keys[code]), NULL)


def recode(int32_t[::1] codes, const int32_t[::1] to):
    """Replace codes by the places that they have in a list."""
    cdef bint sound
    if not codes.shape[0] or not to.shape[0]:
        return
    with nogil:
        sound = c_recode(&codes[0], codes.shape[0], &to[0], <uint32_t> to.shape[0])
    if not sound:
        raise IndexError("a code that has no place")


def exact_total(const double[::1] values):
    """Return the sum of finite numbers, rounded once; None if it is not finite, or for very many."""
    cdef double total
    if values.shape[0] > MOST_SUMMANDS:
        return None
    if not values.shape[0]:
        return 0.0
    with nogil:
        total = sum_exactly(&values[0], values.shape[0])
    return total if total - total == 0 else None


def f1_sum(tp, predicted, actual, Py_ssize_t n, double undefined):
    """Return the sum of the F1 of the first n classes, rounded once.

    None where a ratio would be rounded twice, for counts from 2^53 on, and for other types than int64.
    """
    cdef Py_buffer views[3]
    cdef int held = 0
    cdef double total = -1.0
    cdef const int64_t *columns[3]
    cdef bint exact = n <= MOST_SUMMANDS
    try:
        for column in (tp, predicted, actual):
            PyObject_GetBuffer(column, &views[held], PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
            columns[held] = <const int64_t *> views[held].buf
            exact = exact and _is_int64(&views[held]) and views[held].len >= n * <Py_ssize_t> sizeof(int64_t)
            held += 1
        if exact:
            total = f1_exactly(columns[0], columns[1], columns[2], n, undefined)
    except (BufferError, ValueError):
        pass
    finally:
        while held:
            held -= 1
            PyBuffer_Release(&views[held])
    return total if total >= 0 else None


def leanings(
    const int64_t[::1] tp, const int64_t[::1] predicted, const int64_t[::1] actual, double[::1] weight, double[::1] shift
):
    """Write the weight of each class in the gap and its shift against the heaviest; False where one has 2^26 rows."""
    cdef Py_ssize_t n = tp.shape[0]
    if not n or {predicted.shape[0], actual.shape[0], weight.shape[0], shift.shape[0]} != {n}:
        raise ValueError("the columns differ in length")
    return bool(lean(&tp[0], &predicted[0], &actual[0], n, &weight[0], &shift[0]))


cdef bint _is_int64(Py_buffer *view) noexcept:
    return view.itemsize == 8 and view.format[0] in b"lq" and view.format[1] == 0
