"""`mf1 plan`, and the intervals that `mf1 score` prints."""

import json
import random

import pytest


@pytest.fixture
def pilot(tmp_path):
    """Write gold and two systems, in documents of four rows."""
    rng = random.Random(0)  # noqa: S311  # no secret
    lines = ["document,gold,m,n"]
    for row in range(120):
        gold = rng.choice("aabc")
        m, n = (gold if rng.random() < right else rng.choice("abc") for right in (0.8, 0.6))
        lines.append(f"d{row // 4},{gold},{m},{n}")
    path = tmp_path / "pilot.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_plan_from_a_pilot(pilot, mf1):
    command = ("plan", pilot, "--difference", "0.05", "--systems", "m,n", "-f", "json")
    found = json.loads(mf1(*command))
    assert found["n_rows"] == found["rows"]["averaged_f1"] > 100
    assert found["low"]["averaged_f1"] < found["n_rows"] < found["high"]["averaged_f1"]
    assert json.loads(mf1(*command, "--no-paired"))["paired"] is False


def test_intervals_stand_beside_both_scores(pilot, mf1):
    command = ("score", pilot, "--pred", "m")
    found = json.loads(mf1(*command, "-f", "json"))["intervals"]
    low, high = (f"{found['averaged_f1'][end]:.4f}" for end in ("low", "high"))
    for output in ("text", "markdown", "latex"):
        assert f"{low} to {high}" in mf1(*command, "-f", output)
        assert "interval" not in mf1(*command, "-f", output, "--no-interval")
    assert repr(found["averaged_f1"]["low"]) in mf1(*command, "-f", "csv")
    page = pilot.with_suffix(".html")
    mf1(*command, "--html", page)
    assert f"{low} to {high}" in page.read_text()
    mf1(*command, "--html", page, "--no-interval")
    assert f"{low} to {high}" not in page.read_text()
    wider = json.loads(mf1(*command, "--confidence-level", "0.99", "-f", "json"))["intervals"]
    assert wider["averaged_f1"]["low"] < found["averaged_f1"]["low"]
    clustered = json.loads(mf1(*command, "--cluster", "document", "-f", "json"))["intervals"]
    assert clustered["averaged_f1"]["n_clusters"] == 30


def test_why_there_is_no_interval_stands_beside_the_scores(tmp_path, mf1):
    weighted, counts = tmp_path / "weighted.csv", tmp_path / "weighted.counts.json"
    weighted.write_text("gold,pred,w\na,a,0.5\nb,a,1.5\nb,b,1\n")
    mf1("count", weighted, "--weight", "w", "-o", counts)
    assert "No intervals: " in mf1("score", counts)
