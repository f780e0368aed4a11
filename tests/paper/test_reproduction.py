"""The output folder of a reproduction: complete, identical for the same seed, and never corrupt."""

import csv
import json
import re
import sys
from typing import get_args

import pytest

from macrof1.errors import FileError, InputError, MissingExtraError
from macrof1.paper import reproduce
from macrof1.paper.experiments import VERDICT_WORDS, Verdict
from macrof1.reporting import charts as look

CHEAP = ["tables", "fig1a"]


def files_in(folder):
    """Return the files that a reader sees: a file that is being written is hidden."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """One whole quick run, and what it said on the way."""
    out = tmp_path_factory.mktemp("reproduction") / "out"
    said = []
    result = reproduce(out, quick=True, seeds=2, progress=said.append)
    return out, result, said


def test_everything_is_there(quick):
    out, result, said = quick
    found = files_in(out)
    figures = ("fig1a", "fig1b", "fig2", "fig3")
    starts = {"png": b"\x89PNG", "svg": b"<svg", "pdf": b"%PDF"}
    for name in figures:
        for kind, start in starts.items():
            assert found[f"{name}.{kind}"].startswith(start)
    for name, content in found.items():
        if name.endswith(".csv"):
            rows = list(csv.reader(content.decode("utf-8").splitlines()))
            assert len(rows) > 1
            assert {len(row) for row in rows} == {len(rows[0])}, name
    assert json.loads(found["numbers.json"]) == json.loads(json.dumps(result.numbers))
    run = json.loads(found["run.json"])
    assert run["seed"] == 0
    assert {"macrof1", "numpy", "python"} <= set(run["versions"])
    assert said == [n / len(result.numbers) for n in range(1, len(result.numbers) + 1)]
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_the_report_opens_offline(quick):
    out, result, _ = quick
    page = (out / "report.html").read_text()
    assert page.count("<svg") >= 4
    for pattern in (r"<script", r"<link", r"<img", r"""(?:src|href)\s*=\s*["']?(?!#)\w+:""", r"@import", r"url\((?!#)"):
        assert not re.search(pattern, page), pattern
    for claim in result.claims:
        assert claim.verdict in page
    assert "mf1 reproduce --seed 0 --seeds 2 --quick" in page


def test_claims_are_complete_and_honest(quick):
    _, result, _ = quick
    by_name = {claim.name: claim for claim in result.claims}
    assert by_name["Theorem 2, as printed"].verdict == "false"
    assert "[[0, 0], [1, 1]]" in by_name["Theorem 2, as printed"].why
    for name in ("Theorem 1", "Lemma", "Theorem 3", "Theorem 2, corrected", "The program's two runs"):
        assert by_name[name].verdict == "holds"
    for n in (4, 13):
        claim = by_name[f"Figure 3, n = {n}: largest gap in percentage points (balanced gold, skewed errors)"]
        assert "does not give its grid" in claim.why


def test_the_same_seed_gives_the_same_bytes(quick, tmp_path):
    out, _, _ = quick
    reproduce(tmp_path / "again", quick=True, seeds=2, only=["fig1a", "fig1b", "fig2", "theorems"])
    again = files_in(tmp_path / "again")
    first = files_in(out)
    # A PDF of the same drawing lists its resources in any order.
    compared = [name for name in again if name.endswith((".csv", ".png", ".svg")) and name != "claims.csv"]
    assert len(compared) > 12
    for name in compared:
        assert again[name] == first[name], name
    reproduce(tmp_path / "other", quick=True, seeds=2, seed=1, only=["fig1a"])
    assert files_in(tmp_path / "other")["fig1a.csv"] != first["fig1a.csv"]


def test_only_some_parts(tmp_path):
    result = reproduce(tmp_path, only=["theorems", "tables"], quick=True)
    assert list(result.numbers) == ["tables", "theorems"]
    assert not (tmp_path / "fig1a.csv").exists()
    assert "tables.csv" in files_in(tmp_path)
    with pytest.raises(InputError, match="did you mean 'fig1a'"):
        reproduce(tmp_path / "out", only=["figure1a"])
    assert not (tmp_path / "out").exists()


def test_folders_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FileError, match="is a file"):
        reproduce(tmp_path / "file", only=CHEAP, quick=True)
    assert (tmp_path / "file").read_text() == "mine"
    with pytest.raises(FileError, match="cannot write into"):
        reproduce(tmp_path / "file" / "below", only=CHEAP, quick=True)
    # /proc takes no folders, not even from the superuser.
    with pytest.raises(FileError, match="expected a folder that can be written to"):
        reproduce("/proc/macrof1", only=CHEAP, quick=True)


def test_a_file_in_the_way_of_an_output_is_no_traceback(tmp_path):
    (tmp_path / "tables.csv").mkdir()
    (tmp_path / "tables.csv" / "mine").write_text("mine")
    for force, message in ((False, "'tables.csv' in .* was not written by an earlier run"), (True, "cannot write")):
        with pytest.raises(FileError, match=message):
            reproduce(tmp_path, only=["tables"], quick=True, force=force)


def test_a_missing_extra_is_named_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match=r"pip install (-e '\.|'macrof1-score)\[charts\]'"):
        reproduce(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert look.COLOURS


def test_a_run_never_replaces_what_no_run_wrote(tmp_path):
    mine = {"report.html": b"my report", "tables.csv": b"my table", "run.json": b"[]"}
    for name, content in mine.items():
        (tmp_path / name).write_bytes(content)
    for _ in range(2):  # what the first try leaves does not make them ours
        with pytest.raises(FileError, match=r"'report\.html' in .* was not written by an earlier run.*force=True"):
            reproduce(tmp_path, only=["tables"], quick=True)
    (tmp_path / "report.html").unlink()
    with pytest.raises(FileError, match=r"'run\.json' in "):
        reproduce(tmp_path, only=["tables"], quick=True)
    (tmp_path / "run.json").unlink()
    with pytest.raises(FileError, match=r"'tables\.csv' in "):
        reproduce(tmp_path, only=["tables"], quick=True)
    assert files_in(tmp_path) == {"tables.csv": b"my table"}
    reproduce(tmp_path, only=["tables"], quick=True, force=True)
    assert (tmp_path / "tables.csv").read_bytes() != b"my table"
    reproduce(tmp_path, only=["tables"], quick=True)  # now it is a folder of ours
    # A folder with other files in it may be used.
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    reproduce(tmp_path / "other", only=["tables"], quick=True)
    reproduce(tmp_path / "other", only=["tables"], quick=True)
    assert (tmp_path / "other" / "notes.txt").read_text() == "mine"


def test_every_verdict_has_words():
    assert set(VERDICT_WORDS) == set(get_args(Verdict))
