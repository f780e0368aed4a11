"""Label policies work the same way for comparing systems as for scoring one."""

import json

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import macrof1
from macrof1.cli import main
from macrof1.errors import InputError, LabelError
from tests.oracles import without_digests

ANSWERS = ("yes", "Yes", "yes.", "no", "No ", "maybe", "Sorry")


def answers(rows=200, seed=0):
    random = np.random.default_rng(seed)
    gold = random.choice(["yes", "no", "maybe"], rows)
    systems = {}
    for name, right in (("a", 0.7), ("b", 0.5)):
        systems[name] = np.where(random.random(rows) < right, gold, random.choice(ANSWERS, rows)).tolist()
    return gold.tolist(), systems


@pytest.mark.parametrize(
    "options",
    [
        {"normalize": "case"},
        {"normalize": "case,space,punctuation"},
        {"normalize": ["case", "space", "punctuation"], "labels": ["yes", "no", "maybe"]},
        {"labels": ["no", "yes"], "outside": "class"},
        {"labels": ["yes", "no", "maybe"], "normalize": "case", "outside": "class"},
        {"labels": ["yes", "no", "maybe"]},
    ],
)
def test_each_system_has_the_score_that_it_has_alone(options):
    gold, systems = answers()
    result = macrof1.compare(gold, systems, **options)
    for system in result.systems:
        alone = macrof1.score(gold, systems[system.name], **options)
        assert system.averaged_f1 == pytest.approx(alone.averaged_f1, abs=1e-15)
        assert system.f1_of_averages == pytest.approx(alone.f1_of_averages, abs=1e-15)
    assert ("normalize:" in result.signature()) == ("normalize" in options)
    frame = pl.DataFrame({"gold": gold, **systems})
    framed = macrof1.compare_frame(frame, gold="gold", systems=["a", "b"], **options)
    assert [s.averaged_f1 for s in framed.systems] == pytest.approx([s.averaged_f1 for s in result.systems], abs=1e-15)


def test_all_systems_keep_the_same_rows():
    gold, systems = answers()
    labels = ["yes", "no", "maybe"]
    result = macrof1.compare(gold, systems, labels=labels, outside="drop", cluster=np.arange(200) // 4)
    kept = [row for row in range(200) if all(systems[name][row] in labels for name in systems)]
    assert 0 < len(kept) < 200
    assert result.n_rows == len(kept)
    assert result.n_clusters == len({row // 4 for row in kept})
    for system in result.systems:
        alone = macrof1.score([gold[row] for row in kept], [systems[system.name][row] for row in kept], labels=labels)
        assert system.averaged_f1 == pytest.approx(alone.averaged_f1, abs=1e-15)
    assert "outside:drop" in result.signature()
    assert result.to_dict()["note_codes"][0] == "answers_dropped"


def test_counts_of_each_system_are_settled_too():
    gold, systems = answers()
    cells = {name: macrof1.score(gold, pred).cells for name, pred in systems.items()}
    found = macrof1.compare(cells, normalize="case,space,punctuation")
    for system in found.systems:
        alone = macrof1.score(gold, systems[system.name], normalize="case,space,punctuation")
        assert system.averaged_f1 == pytest.approx(alone.averaged_f1, abs=1e-15)
    assert "normalize:case,space,punctuation" in found.signature()


def test_labels_in_sets_become_one():
    gold = [{"x", "y"}, {"x"}, {"y"}]
    systems = {"a": [{"X", "x"}, {"x"}, {"Y"}], "b": [{"y"}, {"X"}, set()]}
    plain = {name: [{label.lower() for label in row} for row in rows] for name, rows in systems.items()}
    found, expected = macrof1.compare(gold, systems, normalize="case"), macrof1.compare(gold, plain)
    assert [s.averaged_f1 for s in found.systems] == [s.averaged_f1 for s in expected.systems]


def compared(capsys, *arguments):
    assert main(["compare", *map(str, arguments), "-f", "json"]) == 0
    return json.loads(capsys.readouterr().out)


SETS = [("x;y", "x", "x;y"), ("x", "x", ""), ("y", "x;y", "y"), ("", "y", ""), ("x;y", "", "y")]


@pytest.mark.parametrize("times", [1, 30_000])
def test_several_labels_per_row_in_small_and_large_files(tmp_path, capsys, times):
    """Large files come back grouped: each distinct row stands for many."""
    path = tmp_path / "sets.csv"
    path.write_text("gold,a,b\n" + "".join(",".join(row) + "\n" for row in SETS) * times)
    found = compared(capsys, path, "--multilabel", ";")
    columns = list(zip(*([set(field.split(";")) - {""} for field in row] for row in SETS), strict=True))
    expected = macrof1.compare(list(columns[0]), {"a": list(columns[1]), "b": list(columns[2])})
    assert found["n_rows"] == len(SETS) * times
    assert [(s["name"], s["averaged_f1"]) for s in found["systems"]] == [
        (system.name, system.averaged_f1) for system in expected.systems
    ]


def test_lists_in_frames():
    lists = {
        name: [sorted(set(row[at].split(";")) - {""}) for row in SETS * 4] for at, name in enumerate(("gold", "a", "b"))
    }
    lists["document"] = [row // 2 for row in range(len(SETS) * 4)]
    table = pl.DataFrame(lists)
    sides = {name: list(map(set, lists[name])) for name in ("gold", "a", "b")}
    expected = macrof1.compare(sides["gold"], {"a": sides["a"], "b": sides["b"]}, cluster=lists["document"]).to_dict()
    arrow = table.to_arrow()
    for frame in (pd.DataFrame(lists), table, arrow, table.lazy(), duckdb.sql("select * from arrow")):
        found = macrof1.compare_frame(frame, gold="gold", systems=["a", "b"], cluster="document").to_dict()
        assert without_digests(found["systems"]) == without_digests(expected["systems"])
        # The rows of an engine have no order, and gold no digest.
        in_memory = not isinstance(frame, (pl.LazyFrame, duckdb.DuckDBPyRelation))
        assert (found["systems"] == expected["systems"]) is in_memory
        assert found["n_rows"] == expected["n_rows"]


def test_labels_of_rows_with_several_are_doubted_too():
    gold = [{"yes"}, {"no"}, {"yes", "no"}]
    found = macrof1.compare(gold, {"a": [{"Yes"}, {"no"}, {"yes"}], "b": gold})
    codes = [getattr(note, "code", "") for note in found.notes]
    assert {"nearly_equal", "foreign_labels"} <= set(codes)
    assert found.to_dict()["note_codes"] == codes
    once = macrof1.compare(gold, {"a": [{"Yes"}, {"no"}, {"yes"}], "b": gold}, normalize="case")
    assert not {"nearly_equal", "foreign_labels"} & {getattr(note, "code", "") for note in once.notes}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_indicators_in_frames_are_paired_by_name(make):
    gold = {"x": [1, 0, 1, 1], "y": [0, 1, 1, 0]}
    pred = {"y": [0, 1, 0, 0], "x": [1, 0, 1, 0]}
    found = macrof1.compare(make(gold), {"a": make(pred), "b": make(gold)})
    expected = macrof1.score(make(gold), make(pred))
    assert found.systems[1].averaged_f1 == expected.averaged_f1 == pytest.approx((0.8 + 2 / 3) / 2)
    assert expected.interval().low < expected.averaged_f1


def test_sets_and_indicator_matrices_do_not_mix():
    matrix = np.eye(2, dtype=int)
    with pytest.raises(LabelError, match="some columns are indicator matrices and some are not"):
        macrof1.compare(matrix, {"x": [{0}, {1}], "y": [{1}, {0}]})


def test_columns_that_are_one_class_are_counted_once_and_keep_the_place_of_the_first():
    gold = pd.DataFrame({"A": [1, 0, 0, 1], "b": [0, 0, 1, 0], "a": [0, 1, 0, 0]})
    pred = pd.DataFrame({"A": [0, 0, 0, 1], "b": [0, 0, 1, 1], "a": [1, 1, 0, 0]})
    counts = macrof1.score(gold, pred, normalize="case").counts
    assert (counts.labels, counts.tp, counts.predicted, counts.actual) == (("A", "b"), (3, 1), (3, 2), (3, 1))


def test_nothing_is_read_out_of_sets():
    with pytest.raises(InputError, match="extract= cannot be combined with gold="):
        macrof1.compare([{"a"}, {"b"}], {"x": [{"a"}, {"a"}], "y": [{"b"}, {"a"}]}, extract=True)
