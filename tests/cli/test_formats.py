"""Everything that `mf1 score` and `mf1 conventions` print as text is in every other format too."""

import csv
import io
import json

import pytest


@pytest.fixture
def preds(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text('gold,pred,part\na,a,1\na,"b, c",1\n"b, c","b, c",2\n"b, c",z|*<,2\n,a,2\n')
    return path


def test_counting_says_what_was_left_out(said, preds, tmp_path):
    shown = said("count", preds, "--missing", "drop", "-o", tmp_path / "p.counts.json")
    assert shown.err.splitlines()[1:] == ["mf1: note: 1 row without a label was left out."]
    assert json.loads(said("count", preds, "--missing", "drop").out)["n_dropped"] == 1


def test_csv_is_one_table_and_names_its_convention(said, preds):
    shown = said("score", preds, "--missing", "drop", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(shown.out)))
    assert [row["scope"] for row in rows] == ["class"] * 3 + ["macro"] * 2
    assert [row["signature"].partition("|")[0] for row in rows[3:]] == ["averaged_f1", "f1_of_averages"]
    assert all(row["n_dropped"] == "1" for row in rows[3:])
    assert all(line.startswith("mf1: note: ") for line in shown.err.splitlines())


def test_numbered_groups_and_classes_are_sorted_as_numbers(said, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("gold,pred,fold\n" + "".join(f"{n},{n},{n}\n" for n in (10, 2, 1)))
    per_class = json.loads(said("score", path, "-f", "json").out)["per_class"]
    assert [record["label"] for record in per_class] == ["1", "2", "10"]
    groups = json.loads(said("score", path, "--by", "fold", "-f", "json").out)["groups"]
    assert [group["key"]["fold"] for group in groups] == ["1", "2", "10"]


def test_conventions_reads_what_score_reads(said, tmp_path):
    for name, rows in (("a.txt", "x,x,2\nx,y,1\n"), ("b.txt", "y,y,1\ny,x,3\n")):
        (tmp_path / name).write_text(rows)
    files = (tmp_path / "a.txt", tmp_path / "b.txt")
    options = ("--no-header", "-g", 1, "-p", 2, "--weight", 3, "--input-format", "csv", "-f", "json")
    found = json.loads(said("conventions", *files, *options).out)
    score = json.loads(said("score", *files, *options).out)
    values = {row["name"]: row["value"] for row in found["conventions"]}
    assert values["scikit-learn"] == score["averaged_f1"]
    assert values["paper-f1-of-averages"] == score["f1_of_averages"]


def test_a_matrix_comes_from_standard_input_as_a_table_does(said):
    shown = said("score", "--matrix", "-", "--rows", "gold", "-f", "json", input="a,b\n1,2\n3,4\n")
    assert json.loads(shown.out)["n_rows"] == 10
