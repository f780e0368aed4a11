"""`mf1 count`, `mf1 score` on many files, and groups."""

import io
import json
import sys
import time

import pytest

import macrof1
from macrof1.cli.data_commands import progress_bar
from tests.oracles import without_digests

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


class Terminal(io.StringIO):
    def isatty(self):
        return True


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
