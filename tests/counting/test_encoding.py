"""From containers of labels to codes: every type, missing values, odd containers, and what is refused."""

import datetime as dt
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import macrof1
from macrof1.counting.arrays import confusion
from macrof1.counting.batches import CountAccumulator
from macrof1.counting.encoding import encode
from macrof1.counting.kernel import integers
from macrof1.counting.multilabel import count_multilabel
from macrof1.errors import CountError, EmptyError, InputError, LabelError, LengthError


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros((2, 2)), r"gold has shape \(2, 2\).*for several labels per row give sets"),
        (np.zeros((1, 2), int), r"use .ravel\(\)"),
        (pd.Series(pd.date_range("2020", periods=2, tz="UTC")), "gold holds values of type datetime64"),
        (pl.DataFrame({"x": [1], "y": [2]}), "gold is a table of 2 columns"),
        (pd.DataFrame({"x": [1], "y": [2]}), "gold is a table of 2 columns"),
    ],
)
def test_what_is_no_column_of_labels_is_refused(values, message):
    with pytest.raises(LabelError, match=message):
        encode(values, "gold")


def test_sets_of_labels_with_weights_and_listed_classes():
    gold, pred = [{"a", "b"}, {"b"}, set()], [{"a"}, {"a", "b"}, {"c"}]
    found = count_multilabel(gold, pred, labels=["b", "z"], sample_weight=[1, 2, 4])
    assert found.labels == ("b", "z", "a", "c")
    assert (found.tp, found.predicted, found.actual) == ((2, 0, 1, 0), (2, 0, 3, 4), (3, 0, 1, 0))
    assert (found.n_listed, found.n_rows, found.weighted) == (2, 3, True)
    real = count_multilabel(gold, pred, sample_weight=[0.5, 1, 1])
    assert real.tp == (0.5, 1.0, 0.0)
    with pytest.raises(LabelError, match="gold row 0 has a missing label"):
        count_multilabel([{"a", None}], [{"a"}])
    lists = count_multilabel([["a", "a"]], [["a"]])
    assert (lists.tp, lists.actual) == ((1,), (1,))
    assert count_multilabel([set()], [set()], labels=["a"]).tp == (0,)


def test_an_accumulator_counts_batch_by_batch():
    total = CountAccumulator(missing="".join("drop"))
    total.update(["a", None, "b"], ["a", "a", None])
    total.update(["b"], ["a"])
    assert total.update([], []).n_rows == 2
    for gold, pred, options, error in (
        (["a"], ["a", "b"], {}, LengthError),
        (["a"], ["a"], {"sample_weight": [1]}, CountError),
        ([{"a"}], [{"a"}], {}, CountError),
    ):
        with pytest.raises(error):
            total.update(gold, pred, **options)
        assert total.n_rows == 2
    with pytest.raises(InputError, match="row 1 of this batch"):
        CountAccumulator().update(["a", None], ["a", "a"])
    with pytest.raises(EmptyError, match=r"no row was counted yet \(left out: 1 row without a label\)"):
        CountAccumulator(missing="drop").update([None], ["a"]).counts()
    with pytest.raises(EmptyError, match=r"no row was counted yet:"):
        CountAccumulator().counts()


def test_accumulators_merge_if_they_count_alike():
    one, other = CountAccumulator().update(["a"], ["a"]), CountAccumulator().update(["b"], ["a"])
    one.merge(other)
    assert (one.n_rows, other.n_rows) == (2, 1)
    whole = CountAccumulator().update(["a"], ["a"], sample_weight=[2])
    real = CountAccumulator().update(["a"], ["b"], sample_weight=[0.5])
    assert CountAccumulator().merge(whole).merge(real).counts().records() == [("a", "a", 2.0), ("a", "b", 0.5)]
    assert CountAccumulator().merge(real).merge(whole).counts().records() == [("a", "a", 2.0), ("a", "b", 0.5)]
    sets = CountAccumulator(missing="".join("error")).update([{"a"}], [{"a"}])
    with pytest.raises(CountError, match="one label per row after batches with several"):
        CountAccumulator().merge(sets).update(["a"], ["a"])
    for left, right in ((one, sets), (sets, one), (one, real), (one, CountAccumulator(labels=["a"])),
                        (one, CountAccumulator(missing="drop"))):  # fmt: skip
        with pytest.raises(CountError):
            left.merge(right)
    with pytest.raises(InputError, match="other is a int"):
        one.merge(5)
    assert CountAccumulator().merge(sets).counts() == sets.counts()
    both = sets.merge(CountAccumulator().update([{"b"}, set()], [{"a"}, set()]))
    assert (both.counts().labels, both.counts().n_rows, both.n_rows) == (("a", "b"), 3, 3)
    with pytest.raises(EmptyError, match="no row carries any label"):
        CountAccumulator().update([set()], [set()]).counts()
    listed = CountAccumulator(labels=["a", "z"]).update([{"a", "b"}], [{"b"}])
    assert (listed.counts().labels, listed.counts().n_listed) == (("a", "z", "b"), 2)
    with pytest.raises(InputError):
        CountAccumulator(missing="drop").update([{"a"}], [{"a"}])


def test_batches_of_arrays_are_kept_only_if_nothing_can_be_wrong_with_them():
    for gold, pred in (
        (np.array([1, 2]), np.array([0.5, 1])),
        (np.array([1, 2]), np.array([1])),
        (np.array([0.5, 1]), np.array([0.5, 1])),
        (["a", None], ["a", "b"]),
        (["a", "b"], ["a", None]),
        (["a"], ["a", "b"]),
    ):
        total = CountAccumulator()
        with pytest.raises(InputError):
            total.update(gold, pred)
        assert total.n_rows == 0
    mixed = CountAccumulator().update(np.array([1, 2], np.int8), np.array([2, 2], np.int64))
    assert mixed.counts().records() == [(1, 2, 1), (2, 2, 1)]
    sets = CountAccumulator().update(np.array([[1, 0]]), np.array([[1, 1]]))
    assert sets.counts().task == "multilabel"
    big = CountAccumulator()
    for n in (4096, 4097):
        big.update(np.zeros(n, np.int64), np.zeros(n, np.int64))
    assert (big.n_rows, big.counts().records()) == (8193, [(0, 0, 8193)])


UNITS = {"over": ["u"] * 3, "positive": "a"}
ALIKE = {
    "labels": (macrof1.count, ["a", "b", "a"]), "cells": (confusion, ["a", "b", "a"]),
    "integers": (macrof1.count, np.arange(3)), "text": (macrof1.count, np.array(["a", "b", "a"])),
    "sets": (macrof1.count, [{"a"}, {"b"}, set()]), "indicators": (macrof1.count, np.eye(3, dtype=int)),
    "columns": (lambda one, other, **more: macrof1.count(one.T, other.T, **more), np.eye(3, dtype=int)),
    "units": (lambda one, other, **more: macrof1.count(one, other, **UNITS, **more), ["a", "b", "a"]),
    "rows": (partial(macrof1.count, over="rows"), [{"a"}, {"b"}, set()]),
    "batches": (CountAccumulator().update, ["a", "b", "a"]),
    "sentences": (macrof1.count_spans, [["B-X"], ["O"], ["B-X"]]),
    "tags": (lambda one, other: macrof1.count_spans([["O"], one], [["O"], other]), ["B-X", "O", "B-X"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", ALIKE)
def test_sides_and_weights_of_other_lengths_are_refused_either_way(kind):
    call, rows = ALIKE[kind]
    for one, other in ((rows, rows[:2]), (rows[:2], rows)):
        with pytest.raises(LengthError):
            call(one, other)
    for n in (2, 4) if kind not in ("sentences", "tags", "columns") else ():
        with pytest.raises(LengthError, match=f"gold has 3 and sample_weight has {n}"):
            call(rows, rows, sample_weight=[1] * n)


TEXTS = [
    "a", "b", "", "label_00001", "label_00002", "x" * 7, "x" * 8, "x" * 9, "y" * 100, "x" * 15, "x" * 16, "x" * 17,
    "x" * 8 + "\x00", "xx", "xxx", "xxxx", "naïve", "é" * 15, "é" * 16, "日本", "a b", "\x00", "A", "a\x00b",
]  # fmt: skip


def decoded(found):
    """Return the labels behind codes; None for missing ones."""
    assert found.n_missing == int((found.codes < 0).sum())
    return [None if code < 0 else found.labels[code] for code in found.codes.tolist()]


def drawn(texts, n=3000, seed=0):
    rng = np.random.default_rng(seed)
    return ["".join(texts[at]) for at in rng.integers(0, len(texts), n)]  # new objects for long ones


@pytest.fixture(params=["compiled", "numpy"])
def _path(request, monkeypatch):
    if request.param == "numpy":
        monkeypatch.setattr("macrof1.counting.kernel.integers.compiled_path", lambda: None)


@pytest.mark.usefixtures("_path")
@pytest.mark.parametrize(
    "texts", [TEXTS, TEXTS[:8], [*TEXTS[:8], "naïve", "ÿ", "Ā"], [f"c{at}" for at in range(5000)], ["same"]], ids=len
)
def test_text_of_every_kind_is_encoded_alike(texts):
    values = drawn(texts)
    fixed = [text.rstrip("\x00") for text in values]  # what NumPy keeps of them
    array = np.array(values)
    assert (integers.fixed_text(array) is None) == (integers.compiled_path() is None)
    for given_array in (array, array.astype(array.dtype.newbyteorder()), np.array([values, values]).T[:, 0]):
        assert decoded(encode(given_array, "gold")) == fixed
    plain = [text for text in values if text.isascii()]
    assert decoded(encode(np.array([text.encode() for text in plain]), "gold")) == [
        text.rstrip("\x00").encode() for text in plain
    ]
    for given_list in (values, tuple(values), np.array(values, object)):
        found = encode(given_list, "gold")
        assert (decoded(found), found.labels) == (values, list(dict.fromkeys(values)))
    for kind in (pa.string(), pa.large_string()):
        for whole in (pa.array(values, kind), pa.chunked_array([values[:5], [], values[5:]], kind)):
            assert decoded(encode(whole, "gold")) == values
        if integers.compiled_path() is not None:  # from Arrow's own memory
            assert encode(pa.array(values, kind), "gold").met
        assert decoded(encode(pa.array(values, kind)[7:2000], "gold")) == values[7:2000]
        gaps = [None if at % 3 == 0 else text for at, text in enumerate(values)]
        pieces = pa.chunked_array([gaps[:7], ["x", *values]], kind)
        for some, expected in ((pa.array(gaps, kind)[5:1999], gaps[5:1999]), (pieces[3:], [*gaps[3:7], "x", *values])):
            assert decoded(encode(some, "gold")) == expected
    assert decoded(encode(pd.Series(values, dtype="str"), "gold")) == values
    assert decoded(encode(pd.Series([None, *values], dtype="str"), "gold")) == [None, *values]


@pytest.mark.usefixtures("_path")
def test_text_that_is_not_all_ascii_or_not_all_text_is_looked_up():
    values = drawn(TEXTS[:9])
    for more in ("é", "\ud800", 1, None, float("nan"), type("Text", (str,), {})("a")):
        mixed = [*values, more, *values]
        found = decoded(encode(mixed, "gold"))
        assert found[: len(values)] == found[len(values) + 1 :] == values
        assert found[len(values)] == (None if more is None or more != more else more)


def test_a_dictionary_that_names_a_label_twice_has_it_once():
    found = encode(pa.DictionaryArray.from_arrays([0, 1, 2, 1], ["a", "b", "a"]), "gold")
    assert decoded(found) == ["a", "b", "a", "b"]
    assert found.labels == ["a", "b"]


@pytest.mark.parametrize("kind", ["int8", "uint16", "int64"])
def test_whole_numbers_of_any_container_stay_in_their_own_type(kind):
    numbers, of_arrow = np.array([3, 1, 2], kind), getattr(pa, kind)()
    for given in (
        pd.Series(numbers), pd.Series(numbers).astype(kind.replace("i", "I", 1).replace("uI", "UI")),
        pl.Series(numbers), pa.array(numbers, of_arrow), pa.chunked_array([numbers], of_arrow), pl.DataFrame(numbers),
    ):  # fmt: skip
        found = encode(given, "gold")
        assert (found.dtype, found.tolist()) == (numbers.dtype, [3, 1, 2])


def test_empty_arrow_text_is_a_label():
    assert integers.fixed_text(np.array([], "U3")) is None  # as there is nothing to look up
    assert decoded(encode(pa.array(["", ""]), "gold")) == ["", ""]
    assert decoded(encode(pa.array([None, None], pa.string()), "gold")) == [None, None]


def test_two_columns_of_text_are_hashed_in_threads_alike(monkeypatch):
    monkeypatch.setattr("macrof1.counting.kernel.integers._ROWS_PER_THREAD", 8)
    monkeypatch.setenv("MACROF1_THREADS", "2")
    gold, pred = drawn(TEXTS[:9], seed=1), drawn(TEXTS[:9], seed=2)
    expected = macrof1.count(gold, pred)
    assert macrof1.count(np.array(gold), np.array(pred)) == expected
    assert macrof1.count(pa.array(gold), pa.chunked_array([pred])) == expected
    damaged = [pa.array([b"\xff%d" % (at % n) for at in range(len(gold))]).view(pa.string()) for n in (2, 3000)]
    offsets = np.where(np.arange(len(gold) + 1) == 1500, 99, 0).astype(np.int32)
    damaged.append(pa.Array.from_buffers(pa.string(), len(gold), [None, pa.py_buffer(offsets), pa.py_buffer(b"less")]))
    for bad in (pa.array([dt.date(2020, 1, 1)] * len(gold)), *damaged):
        with pytest.raises(LabelError, match="pred"):
            macrof1.count(pa.array(gold), bad)


@pytest.mark.usefixtures("_path")
@pytest.mark.parametrize("name", ["class {}", "{}", "é{}", "a\x00{0}{0}{0}{0}{0}", "more than fifteen bytes, and {}"])
@pytest.mark.parametrize("options", [{}, {"missing": "drop"}, {"missing": "label"}, {"labels": "7"}], ids=str)
def test_many_strings_are_counted_as_their_categories_are(name, options):
    texts = [name.format(at) for at in range(800)]
    options = {**options, "labels": [texts[7], "never"]} if "labels" in options else options
    gold, pred = drawn(texts[:700], seed=1), drawn(texts[100:], seed=2)
    weights, place = np.arange(len(gold)) % 3, {text: at for at, text in enumerate(texts)}

    def categories(side):  # not of pandas, which takes strings up to a NUL for the same before version 3
        return pa.DictionaryArray.from_arrays(pa.array([place.get(text) for text in side]), texts)

    makers = [list, np.array, partial(np.array, dtype="U40"), partial(np.array, dtype=object), pa.array]
    if "missing" in options:
        gold[5] = pred[9] = None
        makers = [list, pa.array]
    for more in (options, {**options, "sample_weight": weights}):
        expected = confusion(categories(gold), categories(pred), **more)
        for one, other in product(makers, makers):
            assert confusion(one(gold), other(pred), **more) == expected
            assert macrof1.count(one(gold), other(pred), **more) == expected.class_counts()


NAMES, OTHERS = ["a", "b", "a"], ["a", "a", "b"]
ONE_COLUMN = [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table]


@pytest.mark.parametrize("left", ONE_COLUMN)
@pytest.mark.parametrize("right", ONE_COLUMN)
@pytest.mark.parametrize(("gold", "pred"), [(NAMES, OTHERS), ([0, 1, 1], [0, 1, 0])])
def test_a_table_of_one_column_is_that_column(left, right, gold, pred):
    result = macrof1.score(left({"g": gold}), right({"p": pred}))
    assert result.counts == macrof1.count(gold, pred)
    assert macrof1.score(left({"g": gold}), pred).averaged_f1 == result.averaged_f1


@pytest.mark.parametrize("numbers", [[1, 2, 3], [2**100, 5, 2**100], [-(2**90), 0, 1]])
def test_integers_of_128_bits(numbers):
    gold = pl.Series(numbers, dtype=pl.Int128)
    assert macrof1.count(gold, numbers) == macrof1.count(numbers, numbers)


@pytest.mark.parametrize("side", [np.matrix(["a", "b", "a"]), np.matrix([[0, 1, 1]]), np.matrix([[0], [1], [1]])])
def test_a_numpy_matrix_is_refused(side):
    with pytest.raises(LabelError):
        macrof1.score(side, side)


@pytest.mark.parametrize(
    ("part", "place", "value"), [("indices", 0, 10**6), ("indices", 0, -5), ("indptr", 1, 7), ("indptr", -1, 10**6)]
)
@pytest.mark.parametrize("kind", ["csr", "csc", "bsr"])
def test_a_damaged_sparse_matrix_is_refused_before_scipy_touches_it(part, place, value, kind):
    sound = sp.csr_array(np.array([[1, 0, 1], [0, 1, 0]])).asformat(kind)
    getattr(sound, part)[place] = value
    with pytest.raises(LabelError, match="sparse matrix is damaged"):
        macrof1.count(sound, sp.csr_array(np.array([[1, 0, 1], [0, 1, 0]])))


def test_damaged_coordinates_are_refused():
    matrix = sp.coo_array(np.array([[1, 0], [0, 1]]))
    matrix.coords[0][0] = 99
    with pytest.raises(LabelError, match="sparse matrix is damaged"):
        macrof1.count(matrix, matrix)


def test_masked_indicators_are_refused():
    hidden = np.ma.array([[0, 1], [1, 1]], mask=[[0, 0], [0, 1]])
    for gold, pred in ((hidden, np.eye(2, dtype=int)), (np.eye(2, dtype=int), hidden)):
        with pytest.raises(LabelError, match="masked"):
            macrof1.score(gold, pred)
    assert macrof1.score(np.ma.array([[0, 1], [1, 1]]), np.array([[0, 1], [1, 1]])).averaged_f1 == 1
