"""Every engine gives the same counts as plain Python."""

import datetime as dt
import random
import subprocess
import sys
import warnings
from collections import Counter

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import macrof1
from macrof1.counting.arrays import confusion
from macrof1.counting.engines import count_frame_groups
from macrof1.counting.multilabel import count_multilabel
from macrof1.errors import ColumnError, CountError, EmptyError, InputError, LabelError, MissingLabelError
from tests.oracles import count_frame, without_digests

from .engines import ENGINES, build, engine_rows

N = 60
KINDS = {
    "strings": ["cat", "dog", "naïve", None],
    "ints": [0, 1, 7],
    "ints with nulls": [0, 1, 7, None],
    "bools": [True, False],
    "categoricals": ["a", "b", "c", None],
}


def table(kind, seed=0):
    rng = random.Random(seed)  # noqa: S311  # data for a test
    values = KINDS[kind]
    return {
        "gold": [rng.choice(values) for _ in range(N)],
        "pred": [rng.choice(values) for _ in range(N)],
        "weight": [rng.randrange(4) for _ in range(N)],
        "half": [rng.randrange(8) / 2 for _ in range(N)],
        "domain": [rng.choice(["news", "web", None]) for _ in range(N)],
        "fold": [rng.randrange(3) for _ in range(N)],
    }


def typed(value):
    return type(value), value


def plain_count(columns, weight=None, by=()):
    """Count with a dictionary: the group, gold and predicted label, with their types."""
    amounts, rows = Counter(), Counter()
    for place in range(len(columns["gold"])):
        group = tuple(typed(columns[name][place]) for name in by)
        key = typed(columns["gold"][place]), typed(columns["pred"][place])
        amounts[group, key] += 1 if weight is None else columns[weight][place]
        rows[group] += 1
    return {key: amount for key, amount in amounts.items() if amount}, rows


def records(counts, group=()):
    return {(group, (typed(gold), typed(pred))): amount for gold, pred, amount in counts.records()}


@pytest.mark.parametrize("mode", ["plain", "weighted", "by"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_equals_a_plain_count(engine, kind, mode, request):
    columns = table(kind)
    frame = build(engine, columns, request, categorical=["gold", "pred"] if kind == "categoricals" else ())
    options = {"gold": "gold", "pred": "pred", "missing": "label" if None in KINDS[kind] else "error"}
    if mode != "by":
        weight = "weight" if mode == "weighted" else None
        counts = count_frame(frame, **options, weight=weight)
        amounts, rows = plain_count(columns, weight)
        assert records(counts) == amounts
        assert counts.amounts.dtype.kind == "i"
        assert counts.n_rows == rows[()] == engine_rows(engine, frame)
        return
    grouped = count_frame_groups(frame, **options, weight="half", by=["domain", "fold"])
    amounts, rows = plain_count(columns, "half", ["domain", "fold"])
    found = {}
    for key, counts in grouped.groups:
        group = tuple(map(typed, key))
        assert counts.n_rows == rows[group]
        found |= records(counts, group)
    assert found == amounts
    assert len(grouped.groups) == len(rows)
    assert grouped.total == confusion(
        columns["gold"], columns["pred"], sample_weight=columns["half"], missing=options["missing"]
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_missing_labels_and_class_sets(engine, request):
    columns = table("ints with nulls")
    frame = build(engine, columns, request)
    n_gone = sum(None in pair for pair in zip(columns["gold"], columns["pred"], strict=True))
    with pytest.raises(MissingLabelError, match=f"{n_gone} of {N} rows"):
        macrof1.score_frame(frame, gold="gold", pred="pred")
    result = macrof1.score_frame(frame, gold="gold", pred="pred", missing="drop", labels=[7, 1], beta=2)
    expected = macrof1.score(columns["gold"], columns["pred"], missing="drop", labels=[7, 1], beta=2)
    assert without_digests(result.to_dict()) == without_digests(expected.to_dict())
    assert (result.n_rows, result.counts.n_dropped) == (N - n_gone, n_gone)


LISTS = {
    "gold": [["x", "y"], ["x"], [], ["z"], ["x", "y"]],
    "pred": [["x"], ["x", "y"], ["z", "z"], ["z"], ["x"]],
    "weight": [1, 2, 3, 4, 0],
    "half": [0.5, 2.0, 3.0, 4.5, 1.0],
    "domain": ["u", "u", "v", "v", "v"],
}


@pytest.mark.parametrize("engine", ENGINES)
def test_several_labels_per_row(engine, request):
    frame = build(engine, LISTS, request)
    for weight in (None, "weight", "half"):
        weights = None if weight is None else LISTS[weight]
        sets = [list(map(set, LISTS[side])) for side in ("gold", "pred")]
        expected = count_multilabel(*sets, sample_weight=weights)
        assert count_frame(frame, gold="gold", pred="pred", weight=weight) == expected
    result = macrof1.score_groups(frame, gold="gold", pred="pred", by="domain")
    assert [group.key for group in result.groups] == [("u",), ("v",)]
    assert result["u"].counts + result["v"].counts == result.total.counts


@pytest.mark.parametrize("engine", ENGINES)
def test_bad_frames_get_one_clear_line(engine, request):
    day = dt.date(2026, 1, 2)
    columns = {
        "gold": ["a", "b"],
        "pred": ["a", "a"],
        "share": [0.5, 1.0],
        "whole": [1, 1],
        "day": [day, day],
        "negative": [1, -1],
        "gap": [1, None],
        "nothing": [None, 1.5],
        "lists": [["a"], ["b"]],
    }
    if engine in ("pandas", "Dask"):
        columns.pop("day")  # pandas keeps dates as objects; they have a test of their own
    frame = build(engine, columns, request)
    cases = [
        ({"gold": "glod"}, ColumnError, "did you mean 'gold'"),
        ({"sample_weight": "wieght"}, ColumnError, "no column 'wieght'"),
        ({"gold": "share", "pred": "whole"}, LabelError, "found a fraction"),
        ({"gold": "lists"}, ColumnError, "one label per row beside lists"),
        ({"sample_weight": "negative"}, CountError, "found -1"),
        ({"sample_weight": "gap"}, CountError, "1 row has no number"),
        ({"sample_weight": "nothing"}, CountError, "1 row has no number"),
        ({"sample_weight": "pred"}, CountError, "expected numbers as weights"),
    ]
    if "day" in columns:
        cases.append(({"gold": "day"}, LabelError, "Date"))
    for options, error, message in cases:
        with pytest.raises(error, match=message) as caught:
            macrof1.score_frame(frame, **{"gold": "gold", "pred": "pred"} | options)
        assert "\n" not in str(caught.value)
    with pytest.raises(ColumnError, match="no column 'domian'"):
        macrof1.score_groups(frame, gold="gold", pred="pred", by="domian")


@pytest.mark.parametrize("engine", ENGINES)
def test_large_and_bad_weights_on_every_engine(engine, request):
    columns = {
        "gold": ["a", "a"],
        "pred": ["a", "a"],
        "large": [2**53 + 1, 2],
        "sum": [2**62, 2**62],
        "unsigned": pa.array([2**63, 1], pa.uint64()),
        "nan": [1.5, float("nan")],
        "inf": [1.5, float("inf")],
        "lists": [["a"], ["b"]],
    }
    if engine == "Spark":
        columns.pop("unsigned")  # Spark has no such type
    frame = build(engine, columns, request)
    for sides in (
        {"gold": "gold", "pred": "pred"},
        {"gold": "lists", "pred": "lists"},
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # lists against themselves
            exact = count_frame(frame, **sides, weight="large")
            sizes = exact if isinstance(exact, macrof1.ClassCounts) else exact.class_counts()
            assert sum(sizes.actual) == 2**53 + 3
            for weight in ("sum", "unsigned", "nan", "inf"):
                if weight in columns:
                    with pytest.raises(CountError):
                        count_frame(frame, **sides, weight=weight)


@pytest.mark.parametrize("engine", ENGINES)
def test_empty_frames(engine, request):
    columns = {"gold": pa.array([], pa.string()), "pred": pa.array([], pa.string()), "w": pa.array([], pa.int64())}
    frame = build(engine, columns, request)
    with pytest.raises(EmptyError, match="is empty"):
        macrof1.score_frame(frame, gold="gold", pred="pred", sample_weight="w")
    with pytest.raises(EmptyError, match="is empty"):
        macrof1.score_groups(frame, gold="gold", pred="pred", by="w")


def test_objects_keep_their_types():
    gold = [1, "1", True, None, 1.0] * 30
    pred = [1, "1", 1, "1", True] * 30
    frame = pd.DataFrame({"gold": pd.Series(gold, dtype=object), "pred": pd.Series(pred, dtype=object)})
    found = count_frame(frame, gold="gold", pred="pred", missing="label")
    assert dict.fromkeys(map(typed, found.labels)) == dict.fromkeys(map(typed, [True, 1, "1", None]))
    assert found.records() == [
        (True, 1, 30), (1, True, 30), (1, 1, 30), ("1", "1", 30), (None, "1", 30),
    ]  # fmt: skip
    frame = pd.DataFrame({"gold": [dt.date(2026, 1, 2)], "pred": [dt.date(2026, 1, 2)]})
    with pytest.raises(LabelError, match="of type date"):
        count_frame(frame, gold="gold", pred="pred")
    integers = pd.DataFrame({"gold": pd.Categorical([3, 1, None]), "pred": pd.Categorical([3, 3, 1])})
    found = count_frame(integers, gold="gold", pred="pred", missing="label")
    assert list(map(typed, found.labels)) == [(int, 1), (int, 3), (type(None), None)]


def test_whole_floats_are_integers_and_class_sets_follow():
    frame = pd.DataFrame({"gold": [1, 2, 2], "pred": [1, 2, None]})
    result = macrof1.score_frame(frame, gold="gold", pred="pred", missing="drop", labels=[1.0, 2.0])
    assert list(map(typed, result.counts.labels)) == [(int, 1), (int, 2)]
    assert result.averaged_f1 == 1


def test_arrow_chunks_with_their_own_dictionaries():
    chunks = pa.chunked_array([pa.array(["b", "a"]).dictionary_encode(), pa.array(["a", "b"]).dictionary_encode()])
    frame = pa.table({"gold": chunks, "pred": pa.array(["b", "b", "a", "b"])})
    assert count_frame(frame, gold="gold", pred="pred") == confusion(list("baab"), list("bbab"))


def test_columns_whose_names_are_our_own_or_no_names():
    objects = pd.DataFrame({"x": pd.Series([1, "a", True], dtype=object), "gold codes": ["a", "a", "b"]})
    found = count_frame(objects, gold="x", pred="gold codes")
    assert found == confusion([1, "a", True], ["a", "a", "b"])
    shuffled = objects.iloc[[2, 0, 1]]
    assert count_frame(shuffled, gold="x", pred="gold codes") == found
    twice = pd.DataFrame([["a", "a", "b"]], columns=["gold", "pred", "gold"])
    with pytest.raises(ColumnError, match="several columns named 'gold'"):
        macrof1.score_frame(twice, gold="gold", pred="pred")
    numbered = pd.DataFrame({0: ["a"], 1: ["a"]})
    for options in ({"gold": 0, "pred": 1}, {"gold": "gold", "pred": "pred"}):
        with pytest.raises(ColumnError):
            macrof1.score_frame(numbered, **options)
    assert macrof1.score_frame(numbered, gold="0", pred="1").n_rows == 1
    frame = pd.DataFrame({"gold": ["a"], "pred": ["a"], "lists": [["a"]]})
    with pytest.raises(ColumnError, match="by=0: expected the name of a column"):
        macrof1.score_groups(frame, gold="gold", pred="pred", by=0)
    with pytest.raises(ColumnError, match="one plain value per row"):
        macrof1.score_groups(frame, gold="gold", pred="pred", by="lists")
    with pytest.warns(UserWarning, match="same column 'lists'"):
        assert macrof1.score_frame(frame, gold="lists", pred="lists").averaged_f1 == 1


def test_things_that_are_no_frames():
    for thing in ({"gold": [1]}, [1, 2], "preds.csv", None):
        with pytest.raises(InputError, match="expected a data frame"):
            macrof1.score_frame(thing, gold="gold", pred="pred")
    frame = pl.DataFrame({"gold": ["a"], "pred": ["a"], "g": [[1]]})
    with pytest.raises(InputError, match="by= is empty"):
        macrof1.score_groups(frame, gold="gold", pred="pred", by=[])
    with pytest.raises(ColumnError, match="one plain value"):
        macrof1.score_groups(frame, gold="gold", pred="pred", by="g")
    with pytest.raises(InputError, match="missing"), pytest.warns(UserWarning, match="same column"):
        macrof1.score_frame(frame, gold="g", pred="g", missing="drop")
    with pytest.raises(KeyError, match="there are gold=a"):
        macrof1.score_groups(frame, gold="gold", pred="pred", by="gold")["b"]


@pytest.mark.parametrize(("engine", "others"), [("pandas", {"polars", "duckdb"}), ("polars", {"pandas", "pyarrow"})])
def test_a_frame_of_one_engine_loads_no_other(engine, others):
    probe = (
        f"import sys, {engine}, macrof1; df = {engine}.DataFrame({{'gold': ['a'], 'pred': ['a']}}); "
        "before = set(sys.modules); macrof1.score_frame(df, gold='gold', pred='pred'); "
        "print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert not others & set(done.stdout.split())
