"""Odd input ends in a result or in one line, never in a traceback; a result never changes after the call."""

import enum
import pickle
import re
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import macrof1
from macrof1.cli import main


class Unprintable:
    """A label that cannot be written out."""

    def __repr__(self):
        raise RuntimeError

    def __hash__(self):
        return 1


ROWS = ["a", "b", "a", "b"]
SPECIAL = re.findall(r"\w+", "eq ne lt hash bool len iter getitem contains array str repr float int index getattr")


def failing(name):
    """Make an object of which one special method raises what nobody expects."""
    made = {}
    exec(f"def __{name}__(self, *_, **__): raise RuntimeError", made)  # noqa: S102  # the name is what is tested
    return type("Failing", (), {"__hash__": object.__hash__, f"__{name}__": made[f"__{name}__"]})()


class Sparse:
    """An array that only becomes dense when asked to, as those of pydata/sparse."""

    def __init__(self, array):
        self._array = np.asarray(array)
        self.shape, self.ndim, self.dtype = self._array.shape, self._array.ndim, self._array.dtype

    def __len__(self):
        return len(self._array)

    def __array__(self, *_, **__):
        raise RuntimeError

    def todense(self):
        return self._array


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (Decimal("sNaN"), r"Decimal\('sNaN'\) is not a valid label: expected what can be hashed"),
        (Unprintable(), "a Unprintable is not a valid label"),
    ],
)
def test_labels_whose_own_methods_fail_are_refused(label, message):
    with pytest.raises(macrof1.InputError, match=message):
        macrof1.score([label, 1], [1, 1])
    with pytest.raises(macrof1.InputError):
        macrof1.score([1, 1], np.array([label, 1], dtype=object))


def outcome(call, *args, **options):
    try:
        return call(*args, **options)
    except macrof1.InputError as error:
        return str(error)


@pytest.mark.parametrize("name", SPECIAL)
def test_what_a_users_own_objects_raise_is_one_line(name):
    bad, both = failing(name), {"x": ROWS, "y": ROWS}
    column = np.array([None, *ROWS[1:]], dtype=object)
    column[0] = bad
    for options in (
        {"sample_weight": bad}, {"sample_weight": [1, bad, 1, 1]}, {"cluster": bad}, {"cluster": [1, bad, 1, 1]},
        {"labels": bad}, {"labels": ["a", bad]}, {"missing": bad}, {"exclude": bad}, {"normalize": bad}, {"over": bad},
    ):  # fmt: skip
        outcome(macrof1.score, ROWS, ROWS, **options)
        outcome(macrof1.compare, ROWS, both, **options)
    for gold in (bad, [bad] * 4, column, pd.Series(column), [{"a"}, (bad,), {"b"}, bad]):
        for call in (macrof1.score, macrof1.count, macrof1.Accumulator().update, macrof1.count_spans):
            outcome(call, gold, ROWS)
        outcome(macrof1.identify, gold, ROWS, 0.5)
        outcome(macrof1.compare, gold, {"x": ROWS, bad if name != "hash" else "y": ROWS})
    outcome(macrof1.score_matrix, [[1, bad], [2, 3]], rows=bad)
    outcome(macrof1.Accumulator, labels=[bad])
    outcome(macrof1.Accumulator, missing=bad)
    outcome(macrof1.ClassCounts.of, ["a", bad], tp=[1, bad], predicted=[1, 1], actual=[1, 1])


def test_methods_that_fail_are_named_and_errors_of_a_users_program_are_let_through():
    said = outcome(macrof1.score, ROWS, ROWS, exclude=failing("eq"))
    assert said.startswith("__eq__ raised a RuntimeError: expected text or numbers")
    with pytest.raises(ZeroDivisionError):  # as from a handler of signals, or a generator of rows
        macrof1.score((1 / 0 for _ in ROWS), ROWS)
    assert pickle.loads(pickle.dumps(macrof1.score)) is macrof1.score  # noqa: S301  # our own


@pytest.mark.parametrize("bad", [np.array([1, 2]), np.array("drop"), np.zeros((2, 2)), pd.NA, pd.Series(["a"]), {}])
def test_what_no_choice_and_no_column_can_be_is_refused_by_name(bad, tmp_path):
    (path := tmp_path / "p.csv").write_text("gold,pred,k\na,a,x\nb,a,y\n")
    result, both = macrof1.score(ROWS, ROWS), {"x": ROWS, "y": ROWS}
    for call, given, name in (
        (macrof1.score_matrix, ([[1, 2], [3, 4]],), "rows"), (result.interval, (), "of"),
        (result.interval, ("gap",), "method"), (result.signature, (), "formula"), (macrof1.Accumulator, (), "missing"),
        *((macrof1.score, (ROWS, ROWS), name) for name in ("missing", "outside", "classes", "undefined")),
        *((macrof1.compare, (ROWS, both), name) for name in ("method", "test", "baseline", "missing", "classes")),
        *((macrof1.audit, (), name) for name in ("rounding", "task")),
        *((macrof1.count_spans, ([["B-X"]], [["B-X"]]), name) for name in ("scheme", "mode")),
        *((macrof1.score_file, (path,), name) for name in ("missing", "gold", "sample_weight", "count", "over")),
    ):  # fmt: skip
        more = {"f1": "0.5"} if call is macrof1.audit else {}
        with pytest.raises(macrof1.InputError, match=rf"\b{name}\b"):
            call(*given, **{name: bad}, **more)
    with pytest.raises(macrof1.InputError, match="gold=1: expected the name of a column"):
        macrof1.score_file(path, gold=1)
    for side in (ROWS, np.array("a")):
        with pytest.raises(macrof1.InputError):
            macrof1.score(np.array("a"), side)


@pytest.mark.parametrize(
    "given",
    [np.array([1, 2]), pd.NA, Decimal("sNaN"), 10**5000, "x" * 10**5],
    ids=lambda given: type(given).__name__,
)
def test_a_value_of_another_kind_is_refused_in_one_line_of_some_length(given):
    for name in ("missing", "classes", "undefined", "outside", "normalize", "exclude", "labels"):
        with pytest.raises(macrof1.InputError) as refused:
            macrof1.score(ROWS, ROWS, **{name: given})
        assert len(str(refused.value)) < 2100
    for call in (
        lambda: macrof1.ClassCounts.from_errors({10**5000: (1, 2)}), lambda: macrof1.Signature.parse([3]),
        lambda: macrof1.score(ROWS, ROWS).at_prevalence({"a": 1, 10**5000: 1}),
        lambda: macrof1.save_counts(macrof1.count(ROWS, ROWS), np.array([1, 2])),
    ):  # fmt: skip
        with pytest.raises(macrof1.MacroF1Error):
            call()


def test_labels_that_contain_themselves_and_generators_of_sets():
    flag = enum.Flag("Flag", "a b").a
    assert macrof1.score([flag, 1], [flag, 1]).to_dict()["averaged_f1"] == 1
    sets = [{"a"}, {"b"}, {"a", "b"}]
    assert macrof1.compare(iter(sets), {"x": sets, "y": sets[::-1]}) == macrof1.compare(
        sets, {"x": sets, "y": sets[::-1]}
    )


def test_arrays_that_become_dense_when_asked_to():
    for array in (np.array([0, 1, 1, 2]), np.eye(3, dtype=int)):
        assert macrof1.score(Sparse(array), Sparse(array)).averaged_f1 == 1
        assert macrof1.count(array, Sparse(array)) == macrof1.count(array, array)
    assert macrof1.score_matrix(Sparse([[3, 1], [0, 2]]), rows="gold").counts.tp[0] == 3
    assert macrof1.score([0, 1], [0, 1], sample_weight=Sparse([1.0, 2.0])).averaged_f1 == 1


@pytest.mark.parametrize(
    ("call", "code", "said"),
    [
        (["score", "{}/sets.csv", "--multilabel", ";", "--by", "fold", "--cluster", "doc"], 2, "one label per row"),
        (["audit", "--f1", f"0.{'3' * 20}", "--precision", f"0.{'1' * 20}", "--recall", f"0.{'2' * 20}"], 0, "neither"),
        (["audit", "--f1", f"0.{'3' * 200}", "--precision", f"0.{'1' * 200}"], None, ""),
        (["audit", "--f1", "0.5", "--precision", "0.5", "--n-classes", "9" * 25], 2, "a whole number from 1 to"),
        (["1", "9" * 5000], 2, "a number of 5,000 digits"),
        (["9" * 5000, "1"], 2, "a number of 5,000 digits"),
        (["score", "{}/sets.csv", "--config", "{}/deep.toml"], 2, "deep.toml"),
        (
            ["score", "{}/gold.csv", "{}/lists.jsonl", "--missing-predictions", "wrong"],
            2,
            "one label per row beside lists",
        ),
        (
            ["score", "{}/gold.csv", "{}/lists.jsonl", "--missing-predictions", "drop"],
            2,
            "one label per row beside lists",
        ),
    ],
)
def test_commands_never_end_in_a_traceback(call, code, said, tmp_path, capsys):
    (tmp_path / "sets.csv").write_text("gold,pred,fold,doc\na;b,a,1,1\nb,b,1,1\na,a;b,2,2\nb,a,2,3\n")
    (tmp_path / "gold.csv").write_text("id,gold\n1,a\n2,b\n3,a\n")
    (tmp_path / "lists.jsonl").write_text('{"id": 1, "pred": ["a"]}\n{"id": 2, "pred": ["b", "a"]}\n')
    (tmp_path / "deep.toml").write_text("a=" + "[" * 5000 + "]" * 5000)
    found = main([part.format(tmp_path) for part in call])
    shown = capsys.readouterr()
    assert found in ((0, 2) if code is None else (code,))
    assert said in shown.out + shown.err
    assert "Traceback" not in shown.err


@pytest.mark.parametrize(
    "interrupt",
    [
        "if name == 'macrof1.cli': raise KeyboardInterrupt",  # exactly when the command begins to load
        "if name == 'numpy':\n"  # as NumPy does
        "            try: signal.raise_signal(signal.SIGINT)\n"
        "            except KeyboardInterrupt: raise ImportError from None",
    ],
)
def test_an_interrupt_while_loading_is_one_line(tmp_path, interrupt):
    (tmp_path / "p.csv").write_text("gold,pred\na,a\n")
    code = (
        "import signal, sys\n"
        "sys.argv = ['mf1', 'score', 'p.csv']\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        f"        {interrupt}\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from macrof1.__main__ import run\n"
        "sys.exit(run())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, b"mf1: interrupted\n")


@pytest.mark.parametrize("k", [3, 400, 5000])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_result_does_not_change_with_its_input(k, weighted):
    rng = np.random.default_rng(k)
    gold = rng.integers(0, k, 20_000)
    pred = np.where(rng.random(20_000) < 0.5, gold, rng.integers(0, k, 20_000))
    weight = rng.integers(1, 3, 20_000) if weighted else None
    result = macrof1.score(gold, pred, sample_weight=weight)
    expected = macrof1.score(gold.copy(), pred.copy(), sample_weight=weight).cells.to_matrix(rows="gold")
    # Swap the predictions of wrong rows: every count of every class stays the same, the cells do not.
    wrong = np.flatnonzero(gold != pred)
    for a, b in zip(wrong[::2], wrong[1::2], strict=False):
        if pred[a] != gold[b] and pred[b] != gold[a] and (weight is None or weight[a] == weight[b]):
            pred[a], pred[b] = pred[b], pred[a]
    try:
        assert np.array_equal(result.cells.to_matrix(rows="gold"), expected)
    except macrof1.InputError as error:
        assert "the rows have changed" in str(error)  # noqa: PT017  # either is right


@pytest.mark.parametrize("make", [list, np.array, pd.Series, lambda values: np.array(values, object)])
@pytest.mark.parametrize("changed", ["rows", "sample_weight", "cluster"])
def test_an_interval_does_not_change_with_its_input(make, changed):
    # Every count stays the same: rows are in another order, clusters too, and weights have the same sum in every cell.
    rows = {"gold": make([0, 1, 2] * 100), "pred": make([0] * 150 + [1] * 150)}
    beside = make([1, 1, 1, 3, 3, 3] * 50 if changed == "sample_weight" else [row // 20 for row in range(300)])
    rows["sample_weight" if changed == "sample_weight" else "cluster"] = beside
    result, low = macrof1.score(**rows), macrof1.score(**rows).interval("averaged_f1").low
    signature = macrof1.score(**rows).signature()
    for name in ("gold", "pred") if changed == "rows" else [changed]:
        rows[name][:] = [2] * 300 if changed == "sample_weight" else list(rows[name])[1::2] + list(rows[name])[::2]
    assert (result.interval("averaged_f1").low, result.signature()) == (low, signature)


NOT_SEQUENCES = (np.array(3), sparse.dia_matrix(np.eye(4)), pa.scalar("a"), len, 3)


@pytest.mark.parametrize("given", NOT_SEQUENCES, ids=lambda given: type(given).__name__)
def test_what_is_not_a_sequence_is_refused_by_name(given):
    for call in (
        lambda: macrof1.score(given, ROWS), lambda: macrof1.score(ROWS, ROWS, labels=given),
        lambda: macrof1.score(ROWS, ROWS, exclude=given), lambda: macrof1.score(ROWS, ROWS, cluster=given),
        lambda: macrof1.count_spans(given, given), lambda: macrof1.ClassCounts.from_errors(given),
        lambda: macrof1.bounds(support=given), lambda: macrof1.score_frame(given, gold="a", pred="b"),
        lambda: macrof1.audit(precision="0.5", recall="0.5", f1="0.5", support=given),
        lambda: macrof1.load_counts(given), lambda: macrof1.count_spans([["O", pd.NA]], [["O", "O"]]),
        lambda: macrof1.score(ROWS, ROWS).at_prevalence({"a": 10**400, "b": 1}),
    ):  # fmt: skip
        with pytest.raises(macrof1.MacroF1Error):
            call()


def test_tuples_flat_sparse_arrays_and_wide_integers():
    found = {macrof1.score(pd.Series(labels), pd.Series(labels)).signature() for labels in ([("a",)], [("b",)])}
    assert len(found) == 2
    for flat in (sparse.coo_array(np.arange(4)), sparse.csr_array(np.arange(4))):
        with pytest.raises(macrof1.InputError, match="dimension"):
            macrof1.score(flat, flat)
    with pytest.raises(macrof1.InputError, match="weight"):
        macrof1.score(ROWS, ROWS, sample_weight=pl.Series([1, 2, 1, 2], dtype=pl.Int128))
