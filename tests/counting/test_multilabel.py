"""Several labels per row."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import macrof1
from macrof1.counting.arrays import confusion
from macrof1.counting.kernel import integers
from macrof1.counting.multilabel import count_multilabel
from macrof1.errors import LabelError

ROWS = st.lists(st.tuples(*[st.booleans()] * 6), min_size=1, max_size=20)

MATRICES = {
    "bool": lambda m: m,
    "int": lambda m: m.astype(np.int64),
    "float": lambda m: m.astype(np.float64),
    "csr matrix": lambda m: sp.csr_matrix(m.astype(int)),
    "csc array": lambda m: sp.csc_array(m.astype(float)),
    "coo array": lambda m: sp.coo_array(m),
    "lil matrix": lambda m: sp.lil_matrix(m.astype(int)),
}


@pytest.mark.parametrize("gold_kind", MATRICES)
@pytest.mark.parametrize("pred_kind", MATRICES)
@given(rows=ROWS)
def test_every_indicator_matrix_equals_label_sets(gold_kind, pred_kind, rows):
    both = np.array(rows)
    gold, pred = both[:, :3], both[:, 3:]
    assume(both.any())
    counts = macrof1.count(MATRICES[gold_kind](gold), MATRICES[pred_kind](pred))
    sets = [[{x for x in range(3) if row[x]} for row in side] for side in (gold, pred)]
    listed = macrof1.count(*sets, labels=[0, 1, 2])
    assert counts == listed
    assert counts.task == "multilabel"


def test_weights():
    gold, pred = np.array([[1, 0], [1, 1]]), np.array([[1, 1], [0, 1]])
    whole = macrof1.count(gold, pred, sample_weight=[2, 3])
    assert (list(whole.tp), list(whole.predicted), list(whole.actual)) == ([2, 3], [2, 5], [5, 3])
    assert macrof1.count(sp.csr_array(gold), sp.csr_array(pred), sample_weight=[2, 3]) == whole
    sets = macrof1.count([{0}, {0, 1}], [{0, 1}, {1}], sample_weight=[2, 3], labels=[0, 1])
    assert sets == whole
    assert list(macrof1.count(gold, pred, sample_weight=[0.5, 1]).tp) == [0.5, 1.0]


def test_repeated_and_explicit_zero_entries_of_a_sparse_matrix():
    twice = sp.coo_array(([1, 1], ([0, 0], [0, 0])), shape=(1, 2))
    with pytest.raises(LabelError, match="0 and 1"):
        macrof1.count(twice, twice)
    zero = sp.csr_array(([0, 1], ([0, 0], [0, 1])), shape=(1, 2))
    assert list(macrof1.count(zero, zero).tp) == [0, 1]


def test_lists_of_lists_are_not_guessed_at():
    with pytest.raises(LabelError, match="sets"):
        macrof1.count([["a"], ["b"]], [["a"], ["b"]])
    assert list(count_multilabel([["a"], ["b", "b"]], [["a"], []]).actual) == [1, 1]
    with pytest.raises(LabelError, match="no confusion matrix"):
        confusion([{"a"}], [{"a"}])


@pytest.mark.parametrize("k", [1, 3, 10, 100, 3000])
@pytest.mark.parametrize("rows", [1, 255, 1000])
def test_both_counting_paths_sum_indicators_alike(k, rows, monkeypatch):
    rng = np.random.default_rng(0)
    gold, pred = rng.integers(0, 2, (2, rows, k), dtype=np.uint8)
    expected = [(gold & pred).sum(0), pred.sum(0), gold.sum(0)]
    assert np.array_equal(integers.indicator_sums(gold, pred), expected)
    assert np.array_equal(integers.indicator_sums(gold[:, ::-1], pred[:, ::-1]), [e[::-1] for e in expected])
    wrong = gold.copy()
    wrong[-1, -1] = 2
    assert integers.indicator_sums(wrong, pred) is None
    monkeypatch.setattr(integers, "compiled_path", lambda: None)
    assert np.array_equal(integers.indicator_sums(gold, pred), expected)
    assert integers.indicator_sums(wrong, pred) is None


@given(rows=ROWS)
def test_both_counting_paths_count_sparse_matrices_alike(rows):
    gold, pred = (sp.csr_array(np.array(rows)[:, part].astype(int)) for part in (slice(3), slice(3, 6)))
    sets = [[{place for place in range(3) if row[place]} for row in side.toarray().tolist()] for side in (gold, pred)]
    first, second = macrof1.count(gold, pred), macrof1.count(*sets, labels=range(3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integers, "compiled_path", lambda: None)
        assert macrof1.count(gold, pred) == first
        assert macrof1.count(*sets, labels=range(3)) == second


def test_sparse_matrices_with_wide_positions_count_alike():
    rng = np.random.default_rng(3)
    narrow = [sp.csr_array((rng.random((50, 6)) < 0.3).astype(np.int8)) for _ in range(2)]
    wide = [side.copy() for side in narrow]
    for side in wide:
        side.indptr, side.indices = side.indptr.astype(np.int64), side.indices.astype(np.int64)
    expected = macrof1.count(*(side.toarray() for side in narrow))
    assert macrof1.count(*narrow) == macrof1.count(*wide) == macrof1.count(narrow[0], wide[1]) == expected
    nothing = sp.csr_array((50, 6), dtype=np.int8)
    for sides in ((narrow[0], nothing), (nothing, narrow[1]), (nothing, nothing)):
        assert macrof1.count(*sides) == macrof1.count(*(side.toarray() for side in sides))


@pytest.mark.skipif(integers.compiled_path() is None, reason="installed without a compiler: SciPy does the counting")
@pytest.mark.parametrize("n", [4, 20])
@pytest.mark.parametrize(("column", "end"), [(20, 3), (63, 3), (64, 3), (66, 3), (-1, 3), (-62, 3), (2, 99), (2, 0)])
def test_a_damaged_sparse_matrix_is_refused(n, column, end):
    """A column or the end of a row that cannot be, also where the one differs from a right one by 64."""
    for side in (0, 1):
        pair = [sp.csr_array(np.eye(n, dtype=np.int8)) for _ in range(2)]
        pair[side].indices[2] = column
        pair[side].indptr[3] = end
        # SciPy looks at its own flag, not at the damage.
        pair[side].has_canonical_format = True
        with pytest.raises(LabelError, match="sparse matrix is damaged"):
            macrof1.count(*pair)


def test_a_sparse_matrix_with_fewer_or_more_rows_than_its_shape_is_refused():
    whole = sp.csr_array(np.eye(4, dtype=np.int8))
    for starts in ([0, 1, 2, 4], [0, 1, 2, 3, 4, 4], [1, 1, 2, 3, 4]):
        other = whole.copy()
        other.indptr = np.array(starts, np.int32)
        for sides in ((other, whole), (whole, other), (other, other)):
            with pytest.raises(LabelError, match="sparse matrix is damaged"):
                macrof1.count(*sides)


@pytest.mark.parametrize("n", [3, 16, 17, 64, 65])
@pytest.mark.parametrize("dtype", ["int8", "int64", "float64", "bool", "uint16"])
def test_sparse_rows_of_any_length_equal_dense_ones(n, dtype):
    rng = np.random.default_rng(n)
    gold, pred = (rng.random((3000, n)) < rng.random((3000, 1)) ** 3 for _ in range(2))
    expected = macrof1.count(gold, pred)
    sides = [sp.csr_array(side.astype(dtype)) for side in (gold, pred)]
    assert macrof1.count(*sides) == expected
    twice = sides[0].copy()
    twice.indices[twice.indptr[7] : twice.indptr[8]] = twice.indices[twice.indptr[7]]
    if twice.indptr[8] - twice.indptr[7] > 1 and dtype != "bool":
        with pytest.raises(LabelError, match="other than 0 and 1"):
            macrof1.count(twice, sides[1])


def test_a_sparse_column_of_more_entries_than_small_counters_hold():
    n = 5_000_000
    ones = sp.csr_array((np.ones(n, np.int8), np.zeros(n, np.int32), np.arange(n + 1, dtype=np.int32)), shape=(n, 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MACROF1_THREADS", "1")
        assert macrof1.count(ones, ones).tp == (n,)


@pytest.mark.parametrize("labels", [["a", "b", "c"], [1, 2, 3], [True, 2, "c"], ["a", 1.0, None]])
def test_lists_of_sets_count_the_same_row_by_row_and_at_once(labels):
    rng = np.random.default_rng(1)
    rows = [[{labels[i] for i in np.flatnonzero(rng.random(3) < 0.5)} for _ in range(200)] for _ in range(2)]
    if None in labels:
        with pytest.raises(LabelError, match="row"):
            macrof1.count(*rows)
        return
    assert macrof1.count(*rows) == macrof1.count(*rows, sample_weight=[1] * 200)  # weights are added row by row


@pytest.mark.parametrize("call", [macrof1.count, macrof1.score, macrof1.averaged_f1, macrof1.f1_of_averages])
def test_a_rule_for_missing_labels_must_be_known_for_sets_too(call):
    with pytest.raises(macrof1.InputError, match=r"banana.*one of error, drop, label"):
        call([{"a"}], [{"a"}], missing="banana")
    with pytest.raises(macrof1.InputError, match="several labels per row"):
        call([{"a"}], [{"a"}], missing="drop")
