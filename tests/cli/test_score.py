"""`mf1 score`, `mf1 count` and `mf1 conventions`: what they read and print, and the bar while they read."""

import csv
import io
import json
import sys
import time

import pytest

import macrof1
from macrof1.cli.data_commands import progress_bar
from tests.oracles import without_digests
from tests.reporting.test_table import Terminal


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


CONLL = """-DOCSTART- O O

EU B-ORG B-ORG
rejects O O

Peter B-PER B-PER
B I-PER O

-DOCSTART- O O

x B-ORG I-ORG
"""


@pytest.fixture
def dev(tmp_path):
    path = tmp_path / "dev.conll"
    path.write_text(CONLL)
    return str(path)


def test_both_scores_over_types(dev, said):
    found = json.loads(said("score", dev, "--spans", "-f", "json").out)
    assert (found["averaged_f1"], found["n_classes"], found["n_rows"], found["task"]) == (0.5, 2, 3, "spans")
    assert found["accuracy"] is None
    assert found["note_codes"] == ["malformed_spans"]
    assert "|task:spans|weights:no|spans:iob2-conll|" in found["signature"]["averaged_f1"]


def test_strict_mode_and_documents(dev, said):
    found = json.loads(said("score", dev, "--spans", "--mode", "strict", "--by", "document", "-f", "json").out)
    assert [group["averaged_f1"] for group in found["groups"]] == [0.5, 0.0]
    assert found["mean_of_scores"]["averaged_f1"] == 0.25


def test_intervals_draw_sentences(dev, said):
    shown = said("score", dev, "--spans", "--fail-under-low", "averaged_f1=0.9", "-q", code=1)
    assert "the lower end of the interval of averaged_f1 is 0." in shown.err


def test_sentences_without_entities_score_0_over_listed_types(tmp_path, said):
    path = tmp_path / "dev.conll"
    path.write_text("a O O\n")
    assert "averaged F1      0.0000" in said("score", str(path), "--spans", "--labels", "PER").out


HEADER = "fold,gold,pred,w\n"
PARTS = {"a": f"{HEADER}1,x,x,1\n1,y,x,2\n", "b": f"{HEADER}2,y,y,3\n2,z,x,4\n", "c": f"{HEADER}3,z,z,5\n"}
GOLD, PRED = list("xyyzz"), list("xxyxz")


@pytest.fixture
def run(tmp_path, said, monkeypatch):
    for name, text in PARTS.items():
        (tmp_path / f"{name}.csv").write_text(text)
    monkeypatch.chdir(tmp_path)
    return said


def test_parts_are_counted_anywhere_and_merged_in_any_order(run, tmp_path):
    for name in PARTS:
        run("count", f"{name}.csv", "-o", f"{name}.counts.json")
    whole = run("score", "a.csv", "b.csv", "c.csv", "-f", "json").out
    assert json.loads(whole)["averaged_f1"] == macrof1.score(GOLD, PRED).averaged_f1
    assert run("score", "*.csv", "-f", "json").out == whole
    whole = without_digests(whole)  # counts do not know them
    for order in ("abc", "cab", "bca"):
        merged = run("score", *(f"{name}.counts.json" for name in order), "-f", "json").out
        assert without_digests(merged) == whole
    run("count", "a.counts.json", "b.counts.json", "-o", "ab.counts.json")
    assert without_digests(run("score", "ab.counts.json", "c.counts.json", "-f", "json").out) == whole
    to_stdout = run("count", "-", input=PARTS["a"]).out
    assert to_stdout == (tmp_path / "a.counts.json").read_text()


def test_the_progress_bar_waits_and_stays_off_where_nobody_watches(monkeypatch):
    silent = io.StringIO()
    monkeypatch.setattr(sys, "stderr", silent)
    with progress_bar("reading", delay=0) as report:
        assert report is None
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_bar("reading", delay=60) as report:
        report(0.5)
    assert terminal.getvalue() == ""
    with progress_bar("reading", delay=0) as report:
        deadline = time.monotonic() + 30
        while "reading" not in terminal.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
            report(0.5)
    assert "reading" in terminal.getvalue()
    assert silent.getvalue() == ""
