"""Small batches are buffered and counted together, with no visible difference."""

import copy
import functools
import itertools
import pickle

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from macrof1 import Accumulator, count
from macrof1.counting import batches
from macrof1.counting.arrays import confusion
from macrof1.labels import label_key

LABELS = st.sampled_from([0, 1, 2**62, -5, "a", "b", "1", True, None])
KINDS = st.sampled_from(["list", "tuple", "int64", "int8", "uint64", "object"])


def side(values, kind):
    if kind in ("list", "tuple"):
        return values if kind == "list" else tuple(values)
    return (
        np.array([abs(hash(str(value))) % 7 for value in values], kind) if kind != "object" else np.array(values, "O")
    )


@given(st.lists(st.tuples(KINDS, st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=6)), max_size=8))
def test_any_mixture_of_batches_counts_as_each_alone_does(drawn):
    together, cells, n_rows = Accumulator(missing="label"), {}, 0
    for kind, rows in drawn:
        gold, pred = (side([row[k] for row in rows], kind) for k in (0, 1))
        together.update(gold, pred)
        n_rows += len(rows)
        assert together.n_rows == n_rows
        for pair in zip(
            *map(list, (getattr(values, "tolist", lambda v=values: v)() for values in (gold, pred))), strict=True
        ):
            key = tuple(map(label_key, pair))
            cells[key] = cells.get(key, 0) + 1
    together._count_held()
    assert together._cells == cells
    assert together.n_rows == n_rows


@given(
    st.lists(
        st.tuples(st.sampled_from([*"abc", None]), st.sampled_from([*"abc", None]), st.integers(0, 9)), min_size=1
    ),
    st.sampled_from([None, 1, 0.25, 2.0**-1073, 2.0**900]),  # whose sums are exact
    st.lists(st.integers(0, 20), max_size=3),
    st.sampled_from(["drop", "label"]),
)
def test_batches_with_weights_and_gaps_count_as_all_rows_at_once(rows, unit, cuts, missing):
    gold, pred, numbers = map(list, zip(*rows, strict=True))
    weight = None if unit is None else [number * unit for number in numbers]
    assume(missing == "label" or any(None not in row for row in rows))
    assume(weight is None or any(weight))
    parts, edges = [], sorted([0, *cuts, len(rows)])
    for start, end in itertools.pairwise(edges):
        own = None if weight is None else weight[start:end]
        parts.append(Accumulator(missing=missing).update(gold[start:end], pred[start:end], sample_weight=own))
    whole = functools.reduce(Accumulator.merge, parts)
    expected = confusion(gold, pred, sample_weight=weight, missing=missing)
    assert whole.counts() == expected
    assert (whole.n_rows, whole.counts().weighted) == (expected.n_rows, expected.weighted)


@given(st.lists(st.tuples(st.sets(st.sampled_from("abc")), st.sets(st.sampled_from("abc"))), min_size=1), st.booleans())
def test_batches_of_sets_count_as_all_rows_at_once(rows, weighted):
    gold, pred = map(list, zip(*rows, strict=True))
    assume(any(gold) or any(pred))
    weight = list(range(1, len(rows) + 1)) if weighted else None
    whole = Accumulator()
    for at, (one, other) in enumerate(rows):
        whole.merge(Accumulator().update([one], [other], sample_weight=weight and weight[at : at + 1]))
    assert whole.counts() == count(gold, pred, sample_weight=weight)
    assert whole.n_rows == len(rows)


def test_rows_may_be_changed_after_they_were_given():
    gold, pred, names = np.array([0, 1, 1]), np.array([0, 0, 1]), ["a", "b"]
    numbers, strings = Accumulator().update(gold, pred), Accumulator().update(names, names)
    gold[:] = 9
    names[:] = ["c", "c"]
    assert numbers.counts() == confusion([0, 1, 1], [0, 0, 1])
    assert strings.counts() == confusion(["a", "b"], ["a", "b"])


def test_kept_batches_travel_and_merge():
    first, second = Accumulator().update(["a"], ["b"]), Accumulator().update(["b"], ["b"])
    whole = confusion(["a", "b"], ["b", "b"])
    for other in (second, pickle.loads(pickle.dumps(second)), copy.deepcopy(second)):  # noqa: S301  # our own
        assert copy.deepcopy(first).merge(other).counts() == whole
    assert first.n_rows == second.n_rows == 1


def test_blocks_are_counted_when_they_are_full(monkeypatch):
    monkeypatch.setattr(batches, "_BLOCK", 10)
    rng = np.random.default_rng(0)
    gold, pred = rng.integers(0, 4, (2, 1000))
    parts = Accumulator()
    for start in range(0, 1000, 7):
        parts.update(gold[start : start + 7], pred[start : start + 7])
        assert parts._n_held <= 10
    assert parts.counts() == confusion(gold, pred)
