"""Gold in one file and predictions in another: the counts are those of one file with both."""

from __future__ import annotations

import random

import polars as pl
import pytest

from macrof1.counting.arrays import confusion
from macrof1.counting.file_pairs import count_pair
from macrof1.counting.tables import count_file, count_file_groups
from macrof1.errors import ColumnError, FileError, InputError

WRITERS = {"csv": pl.DataFrame.write_csv, "parquet": pl.DataFrame.write_parquet, "jsonl": pl.DataFrame.write_ndjson}


def written(folder, name, frame, ending):
    path = folder / f"{name}.{ending}"
    if ending == "txt":
        path.write_text("".join(f"{label}\n" for label in frame.to_series(-1)))
    else:
        WRITERS[ending](frame, path)
    return path


def split(draw, n_rows=30):
    """Return rows with ids as text or numbers, labels as text or numbers, and groups and weights."""
    labels = draw.choice([["a", "b", "c"], [1, 2, 3]])
    ids = draw.choice([[f"r{i}" for i in range(n_rows)], list(range(n_rows))])
    gold = [draw.choice(labels) for _ in range(n_rows)]
    pred = [g if draw.random() < 0.7 else draw.choice(labels) for g in gold]
    part, weight = [draw.choice("pq") for _ in gold], [draw.choice([1, 2, 3]) for _ in gold]
    return pl.DataFrame({"id": ids, "part": part, "w": weight, "gold": gold, "pred": pred})


@pytest.mark.usefixtures("reader")
def test_random_splits_count_as_the_single_file_does(tmp_path):
    draw = random.Random(1)  # noqa: S311  # the same cases every time
    for number in range(40):
        rows = split(draw)
        ending = [draw.choice(list(WRITERS)) for _ in range(2)]
        other = rows.select("id", "pred").sample(fraction=1, shuffle=True, seed=number)
        gold = written(tmp_path, "gold", rows.drop("pred"), ending[0])
        pred = written(tmp_path, "run", other, ending[1])
        text = "csv" if "csv" in ending else "parquet"
        single = written(tmp_path, "single", rows, text)
        assert count_pair(gold, pred).total == count_file(single)
        options = {"by": ["part"], "weight": "w"}
        assert count_pair(gold, pred, id="id", **options).groups == count_file_groups(single, **options).groups
        same = written(tmp_path, "run", rows.select("pred"), ending[1])
        assert count_pair(gold, same, no_id=True).total == count_file(single)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("header", ["", "label\n", "gold\n"])
def test_one_label_per_line(tmp_path, header):
    (tmp_path / "gold.txt").write_text(header + "New York, NY\nb\nb\n")
    (tmp_path / "run.txt").write_text(("pred\n" if header else "") + "New York, NY\nNew York, NY\nb\n")
    found = count_pair(tmp_path / "gold.txt", tmp_path / "run.txt").total
    assert found == confusion(["New York, NY", "b", "b"], ["New York, NY", "New York, NY", "b"])
    (tmp_path / "run.csv").write_text("pred\nb\nb\nb\n")
    assert count_pair(tmp_path / "gold.txt", tmp_path / "run.csv").total.n_rows == 3
    (tmp_path / "short.txt").write_text("b\nb\n")
    with pytest.raises(FileError, match=r"has 3 rows and .* has 2"):
        count_pair(tmp_path / "gold.txt", tmp_path / "short.txt")


@pytest.mark.usefixtures("reader")
def test_ids_that_do_not_match_are_refused_with_counts_and_examples(tmp_path):
    (tmp_path / "gold.csv").write_text("id,label\n1,a\n2,b\n3,b\n4,a\n")
    for text, said in (
        ("id,label\n1,a\n2,b\n", r"lacks 2 of the 4 ids of .*gold\.csv \('3', '4'\)"),
        ("id,label\n1,a\n2,b\n3,b\n4,a\n4,b\n", r"1 id occurs more than once \('4'\)"),
        ("id,label\n1,a\n2,b\n3,b\n4,a\n5,a\n9,a\n", r"has 2 ids that .* does not have \('5', '9'\)"),
        ("id,label\n1,a\n2,b\n,b\n4,a\n", "1 row has no id"),
    ):
        (tmp_path / "run.csv").write_text(text)
        with pytest.raises(FileError, match=said):
            count_pair(tmp_path / "gold.csv", tmp_path / "run.csv")
    for policy in ("wrong", "drop"):  # a policy for what is missing, and for nothing else
        (tmp_path / "run.csv").write_text("id,label\n1,a\n2,b\n3,b\n7,a\n")
        with pytest.raises(FileError, match=r"has 1 id that .* does not have \('7'\)"):
            count_pair(tmp_path / "gold.csv", tmp_path / "run.csv", missing_predictions=policy)
        (tmp_path / "run.csv").write_text("id,label\n1,a\n2,b\n2,a\n")
        with pytest.raises(FileError, match="1 id occurs more than once"):
            count_pair(tmp_path / "gold.csv", tmp_path / "run.csv", missing_predictions=policy)
    with pytest.raises(InputError, match="missing_predictions="):
        count_pair(tmp_path / "gold.csv", tmp_path / "run.csv", missing_predictions="maybe")


@pytest.mark.usefixtures("reader")
def test_predictions_that_are_missing_are_wrong_or_left_out(tmp_path):
    (tmp_path / "gold.csv").write_text("id,label\n1,a\n2,b\n3,b\n4,a\n")
    (tmp_path / "run.csv").write_text("id,label\n2,b\n1,a\n4,b\n")
    pair = tmp_path / "gold.csv", tmp_path / "run.csv"
    wrong = count_pair(*pair, missing_predictions="wrong").total
    counts = wrong.class_counts()
    classes = {
        label: each for label, *each in zip(counts.labels, counts.tp, counts.predicted, counts.actual, strict=True)
    }
    assert (classes["a"], classes["b"]) == ([1, 1, 2], [1, 2, 2])
    assert (counts.n_rows, counts.n_listed) == (4, 2)
    dropped = count_pair(*pair, missing_predictions="drop").total
    assert dropped == confusion(["a", "b", "a"], ["a", "b", "b"])
    for found in (wrong, dropped):
        (note,) = found.notes
        assert note.startswith("1 of the gold rows (25.0%) have no prediction in ")
        assert note.code == "missing_predictions"
    (tmp_path / "run.csv").write_text("id,label\n2,b\n1,a\n4,b\n3,a\n")
    assert not count_pair(*pair, missing_predictions="wrong").total.notes


@pytest.mark.usefixtures("reader")
def test_sets_of_labels_and_counts_of_rows(tmp_path):
    (tmp_path / "gold.csv").write_text("id,label,n\n1,a;b,2\n2,b,1\n3,,0\n")
    (tmp_path / "run.csv").write_text("id,tags\n2,a;b\n1,a\n3,b\n")
    found = count_pair(tmp_path / "gold.csv", tmp_path / "run.csv", gold="label", multilabel=";", count="n").total
    assert (found.n_rows, list(found.tp), list(found.predicted), list(found.actual)) == (3, [2, 1], [3, 1], [2, 3])
    (tmp_path / "run.jsonl").write_text('{"id": 1, "pred": ["a"]}\n{"id": 2, "pred": ["b"]}\n{"id": 3, "pred": []}\n')
    with pytest.raises(ColumnError, match="one label per row beside lists"):
        count_pair(tmp_path / "gold.csv", tmp_path / "run.jsonl", gold="label", count="n")
