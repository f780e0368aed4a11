"""`mf1 plan`, and the designs that `mf1 compare` and `mf1 score` read from files."""

import json
import random

import pytest

from macrof1.cli import main


def rows(n_rows=120, seed=0):
    rng = random.Random(seed)  # noqa: S311  # no secret
    gold = [rng.choice("aabc") for _ in range(n_rows)]
    columns = {
        f"{name}@{run}": [label if rng.random() < right else rng.choice("abc") for label in gold]
        for name, right in (("m", 0.8), ("n", 0.6))
        for run in (1, 2, 3)
    }
    return gold, columns


@pytest.fixture
def files(tmp_path):
    gold, columns = rows()
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    head = ",".join(["id", "document", "gold", *columns])
    lines = [
        ",".join([str(at), f"d{at // 4}", label, *(column[at] for column in columns.values())])
        for at, label in enumerate(gold)
    ]
    wide.write_text("\n".join([head, *lines]) + "\n")
    lines = ["system,seed,row,document,gold,pred"]
    for name, column in columns.items():
        system, _, run = name.partition("@")
        lines += [f"{system},{run},{at},d{at // 4},{gold[at]},{pred}" for at, pred in enumerate(column)]
    long.write_text("\n".join(lines) + "\n")
    return wide, long


def run(capsys, *arguments):
    code = main([str(each) for each in arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_a_plan_from_a_pilot(files, capsys):
    wide, _ = files
    command = ("plan", wide, "--difference", "0.05", "--systems", "m@1,n@1")
    code, out, _ = run(capsys, *command, "-f", "json")
    assert code == 0
    found = json.loads(out)
    assert found["n_rows"] == found["rows"]["averaged_f1"] > 100
    assert found["low"]["averaged_f1"] < found["n_rows"] < found["high"]["averaged_f1"]
    assert json.loads(run(capsys, *command, "--no-paired", "-f", "json")[1])["paired"] is False


def test_intervals_stand_beside_both_scores(files, capsys):
    wide, _ = files
    command = ("score", wide, "--pred", "m@1")
    found = json.loads(run(capsys, *command, "-f", "json")[1])["intervals"]
    low, high = (f"{found['averaged_f1'][end]:.4f}" for end in ("low", "high"))
    for output in ("text", "markdown", "latex"):
        assert f"{low} to {high}" in run(capsys, *command, "-f", output)[1]
        assert "interval" not in run(capsys, *command, "-f", output, "--no-interval")[1]
    table = run(capsys, *command, "-f", "csv")[1]
    assert repr(found["averaged_f1"]["low"]) in table
    page = wide.with_suffix(".html")
    run(capsys, *command, "--html", page)
    assert f"{low} to {high}" in page.read_text()
    run(capsys, *command, "--html", page, "--no-interval")
    assert f"{low} to {high}" not in page.read_text()
    wider = json.loads(run(capsys, *command, "--confidence-level", "0.99", "-f", "json")[1])["intervals"]
    assert wider["averaged_f1"]["low"] < found["averaged_f1"]["low"]
    clustered = json.loads(run(capsys, *command, "--cluster", "document", "-f", "json")[1])["intervals"]
    assert clustered["averaged_f1"]["n_clusters"] == 30


def test_why_there_is_no_interval_stands_beside_the_scores(tmp_path, capsys):
    weighted, counts = tmp_path / "weighted.csv", tmp_path / "weighted.counts.json"
    weighted.write_text("gold,pred,w\na,a,0.5\nb,a,1.5\nb,b,1\n")
    assert run(capsys, "count", weighted, "--weight", "w", "-o", counts)[0] == 0
    code, out, _ = run(capsys, "score", counts)
    assert code == 0
    assert "No intervals: " in out
