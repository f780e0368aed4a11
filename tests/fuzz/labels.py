"""Labels × containers × weights × class sets, against the exact oracle."""

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from hypothesis import strategies as st

import macrof1
from macrof1.errors import MacroF1Error

from .kinds import assert_right, exact_of, exact_of_sets, kind, right_or_refused

TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=4)
POOLS = st.one_of(
    st.lists(TEXTS, min_size=1, max_size=5, unique=True),
    st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=5, unique=True),
    st.lists(st.integers(-3, 3), min_size=1, max_size=5, unique=True),
    st.just([False, True]),
)


@st.composite
def labelled(draw, pools=POOLS, most=30):
    pool = draw(pools)
    rows = draw(st.lists(st.tuples(st.sampled_from(pool), st.sampled_from(pool)), min_size=1, max_size=most))
    gold, pred = map(list, zip(*rows, strict=True))
    return gold, pred


@st.composite
def convened(draw):
    gold, pred = draw(labelled())
    classes = sorted({*gold, *pred}, key=repr)
    labels = draw(st.one_of(st.none(), st.permutations(classes)))
    return gold, pred, labels, draw(st.sampled_from([0, 1])), draw(st.sampled_from([0.5, 1.0, 2.0, 3.0]))


CONTAINERS = {
    "lists": [list, tuple],
    "numpy": [np.array, lambda v: np.array(v, dtype=object), lambda v: np.array([*v, v[0]])[:-1]],
    "pandas": [pd.Series, lambda v: pd.Series(v, dtype="category"), lambda v: pd.Series(v, dtype=object), pd.Index],
    "polars": [pl.Series, lambda v: pl.Series(v, dtype=pl.Categorical if isinstance(v[0], str) else None)],
    "arrow": [
        pa.array,
        lambda v: pa.chunked_array([v[:1], v[1:]], type=pa.array(v).type),
        lambda v: pa.array(v).dictionary_encode(),
    ],
}


def _register(name, makers):
    @kind(f"labels in {name}", st.tuples(convened(), st.sampled_from(makers), st.sampled_from(makers)))
    def check(case):
        (gold, pred, labels, undefined, beta), left, right = case
        exact = exact_of(gold, pred, labels=labels, undefined=undefined, beta=beta)
        result = macrof1.score(left(gold), right(pred), labels=labels, undefined=undefined, beta=beta)
        assert_right(result, exact)
        return "right"


for _name, _makers in CONTAINERS.items():
    _register(_name, _makers)

WEIGHTS = st.one_of(
    st.integers(0, 10**6),
    st.floats(0, 1e12, allow_subnormal=False),
    st.fractions(0, 100, max_denominator=64),
    st.decimals(0, 100, places=3),
    st.sampled_from([1e308, 5e-324, float("nan"), float("inf"), -1]),
)


@kind("weights", st.tuples(labelled(), st.data(), st.sampled_from([list, np.array, pd.Series, tuple])))
def weights(case):
    (gold, pred), data, maker = case
    given = data.draw(st.lists(WEIGHTS, min_size=len(gold), max_size=len(gold)))
    sound = all(isinstance(w, Fraction | Decimal | int) or np.isfinite(w) for w in given) and min(given) >= 0
    if not sound or not any(given):
        try:
            macrof1.score(gold, pred, sample_weight=maker(given))
        except MacroF1Error:
            return "refused"
        raise AssertionError("weights that are no weights were taken")
    # Classes whose rows all weigh nothing are seen all the same.
    exact = exact_of(gold, pred, weights=[Fraction(w) for w in given], labels=sorted({*gold, *pred}, key=repr))
    try:
        result = macrof1.score(gold, pred, sample_weight=maker(given), labels=sorted({*gold, *pred}, key=repr))
    except MacroF1Error:
        return "refused"
    assert abs(Fraction(result.averaged_f1) - exact.averaged_f1) < Fraction(1e-9)
    assert abs(Fraction(result.f1_of_averages) - exact.f1_of_averages) < Fraction(1e-9)
    return "right"


SETS = st.lists(
    st.tuples(st.sets(st.sampled_from("abcd")), st.sets(st.sampled_from("abcd"))), min_size=1, max_size=20
).filter(lambda rows: any(g or p for g, p in rows))


def _indicators(rows):
    return np.array([[name in row for name in "abcd"] for row in rows])


SET_MAKERS = [
    lambda rows: rows,
    lambda rows: [frozenset(row) for row in rows],
    lambda rows: (frozenset(row) for row in rows),
    lambda rows: pd.Series([frozenset(row) for row in rows]),
]


@kind("sets of labels", st.tuples(SETS, st.sampled_from(SET_MAKERS), st.sampled_from(SET_MAKERS)))
def sets(case):
    rows, left, right = case
    gold, pred = [g for g, _ in rows], [p for _, p in rows]
    exact = exact_of_sets(gold, pred, "abcd")
    assert_right(macrof1.score(left(gold), right(pred), labels=list("abcd")), exact)
    return "right"


MATRICES = [
    lambda m: m, lambda m: m.astype(int), lambda m: m.astype(float), lambda m: m.tolist(), sp.csr_array,
    lambda m: sp.csc_matrix(m.astype(np.int8)), lambda m: sp.coo_array(m), lambda m: np.asfortranarray(m),
]  # fmt: skip


@kind("indicator matrices", st.tuples(SETS, st.sampled_from(MATRICES), st.sampled_from(MATRICES)))
def indicators(case):
    rows, left, right = case
    gold, pred = [g for g, _ in rows], [p for _, p in rows]
    exact = exact_of_sets(gold, pred, "abcd")
    return right_or_refused(lambda: macrof1.score(left(_indicators(gold)), right(_indicators(pred))), exact)


@kind("batches", st.tuples(labelled(most=60), st.lists(st.integers(1, 10), min_size=1, max_size=8)))
def batches(case):
    (gold, pred), sizes = case
    accumulator = macrof1.Accumulator()
    at = 0
    for size in [*sizes, len(gold)]:
        if at < len(gold):
            accumulator.update(gold[at : at + size], pred[at : at + size])
        at += size
    assert_right(accumulator.score(), exact_of(gold, pred))
    return "right"


@kind("counts merged", st.tuples(labelled(), labelled()))
def merged(case):
    (gold, pred), (gold2, pred2) = case
    if type(gold[0]) is not type(gold2[0]):
        return "other types"
    total = macrof1.count(gold, pred) + macrof1.count(gold2, pred2)
    assert_right(macrof1.score_counts(total), exact_of(gold + gold2, pred + pred2))
    return "right"


FRAMES = [pd.DataFrame, pl.DataFrame, pa.table, lambda table: pl.DataFrame(table).lazy()]


@kind("data frames", st.tuples(labelled(), st.sampled_from(FRAMES)))
def frames(case):
    (gold, pred), maker = case
    frame = maker({"gold": gold, "pred": pred})
    assert_right(macrof1.score_frame(frame, gold="gold", pred="pred"), exact_of(gold, pred))
    return "right"


@kind(
    "confusion matrices",
    st.tuples(st.integers(1, 5), st.data(), st.sampled_from([list, np.array, pd.DataFrame, pl.DataFrame])),
)
def matrices(case):
    n, data, maker = case
    cells = data.draw(st.lists(st.lists(st.integers(0, 10**9), min_size=n, max_size=n), min_size=n, max_size=n))
    from ..oracles import Exact

    if not any(map(any, cells)):
        cells[0][0] = 1
    given = maker(cells) if maker is not pl.DataFrame else pl.DataFrame(cells, orient="row")
    names = [f"c{place}" for place in range(n)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return right_or_refused(
            lambda: macrof1.score_matrix(given, rows="predicted", labels=names, classes="listed"),
            Exact.of_matrix(cells),
        )


def _odd(gold, pred):
    return [
        (pd.DataFrame({"g": gold}), pd.DataFrame({"p": pred})), (pl.LazyFrame({"g": gold}), pl.LazyFrame({"p": pred})),
        (pa.table({"g": gold}), pa.table({"p": pred})), (dict(enumerate(gold)), dict(enumerate(pred))),
        (set(gold), set(pred)), (iter(gold), iter(pred)), ((g for g in gold), (p for p in pred)),
        (np.matrix(gold), np.matrix(pred)), (np.array([gold]), np.array([pred])), (np.array(gold)[:, None], np.array(pred)),
        (gold, None), (None, pred), (gold, 3), ("".join(map(str, gold)), pred), (np.array(gold), sp.coo_array(np.eye(len(gold)))),
        (zip(gold, strict=True), zip(pred, strict=True)), (pd.Series(gold).to_frame(), pred), (map(str, gold), map(str, pred)),
        (np.ma.array(gold, mask=[True] * len(gold)), pred), (gold, [*pred, pred[0]]), ([gold], [pred]), (bytes(8), bytearray(8)),
        (range(len(gold)), range(len(pred))), (memoryview(b"abc"), b"abc"), (gold, lambda: pred), (object(), object()),
        (pl.Series(gold).to_frame(), pred), (pl.Series([[g] for g in gold]), pl.Series([[p] for p in pred])),
        (np.array(gold)[()], np.array(pred[0])), (np.rec.fromarrays([gold]), np.rec.fromarrays([pred])),
    ]  # fmt: skip


@kind("odd arguments", st.tuples(labelled(), st.integers(0, 29)))
def odd(case):
    (gold, pred), place = case
    left, right = _odd(gold, pred)[place]
    try:
        result = macrof1.score(left, right)
    except MacroF1Error as error:
        assert "\n" not in str(error)
        return "refused"
    # Where it works, it says what the labels say.
    assert 0 <= result.averaged_f1 <= result.f1_of_averages * (1 + 1e-15) + 1e-300
    if result.n_rows == len(gold) and result.task == "multiclass" and place not in (13, 22, 23, 24):
        assert_right(result, exact_of(list(map(str, gold)), list(map(str, pred))))
    return "right"
