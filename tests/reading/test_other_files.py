"""Files that are no tables of predictions: what they are is said, and what to do; their content is not printed."""

import bz2
import gzip
import json
import pickle
import sqlite3
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import macrof1
from macrof1.cli import main
from macrof1.errors import FileError

# Written without a library: strings inside the sheets, and numbers.
WORKBOOKS = Path(__file__).with_name("workbooks")


def test_a_workbook_is_read(tmp_path):
    pytest.importorskip("python_calamine")
    found = macrof1.score_file(WORKBOOKS / "rows.xlsx")
    assert found == macrof1.score(["a", "b", "b"], ["a", "a", "b"])
    assert macrof1.score_file(WORKBOOKS / "numbers.xlsx").counts.labels == ("1", "2")  # its second sheet is empty
    with pytest.raises(FileError, match="has 2 sheets with something in them: 's1', 's2': expected one"):
        macrof1.score_file(WORKBOOKS / "two_sheets.xlsx")
    whole = (WORKBOOKS / "rows.xlsx").read_bytes()
    (tmp_path / "cut.xlsx").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match=r"cut\.xlsx"):
        macrof1.score_file(tmp_path / "cut.xlsx")


def test_without_its_reader_the_remedy_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(FileError, match=r"is an Excel workbook: .*save it as CSV, or .*macrof1-score\[excel\]"):
        macrof1.score_file(WORKBOOKS / "rows.xlsx")
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    with pytest.raises(FileError, match="is an Excel workbook"):
        macrof1.score_file(tmp_path / "old.xls")


def others(folder):
    """Write files of other kinds, and say what they are."""
    (folder / "p.pdf").write_bytes(b"%PDF-1.7\n%\xe2\xe3\n1 0 obj")
    (folder / "p.pkl").write_bytes(pickle.dumps({"gold": [1]}))
    (folder / "p.ipynb").write_text(json.dumps({"cells": [{"source": ["secret"]}], "nbformat": 4, "metadata": {}}))
    np.save(folder / "p.npy", np.arange(3))
    np.savez(folder / "p.npz", gold=np.arange(3))
    (folder / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    (folder / "p16.csv").write_text("gold,pred\na,a\n", encoding="utf-16")
    (folder / "p32.csv").write_text("gold,pred\na,a\n", encoding="utf-32")
    (folder / "p.avro").write_bytes(b"Obj\x01\xff\n")
    with sqlite3.connect(folder / "p.db") as base:
        base.execute("create table t (gold text)")
    base.close()
    with zipfile.ZipFile(folder / "p.docx", "w") as archive:
        archive.writestr("word/document.xml", "<x/>")
    return {
        "p.pdf": "a PDF", "p.pkl": "a pickle", "p.ipynb": "a Jupyter notebook", "p.npy": "a NumPy array",
        "p.npz": "arrays of NumPy", "p.png": "an image", "p.db": "an SQLite database", "p.docx": "a Word document",
        "p.avro": "an Avro file", "p16.csv": "UTF-16 text", "p32.csv": "UTF-32 text",
    }  # fmt: skip


@pytest.mark.parametrize("command", ["score", "compare"])
def test_what_a_file_is_is_said_in_one_line(tmp_path, capsys, command):
    for name, what in others(tmp_path).items():
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
        for path in (name, f"{name}.gz"):
            assert main([command, str(tmp_path / path)]) == 2
            said = capsys.readouterr().err
            assert f"{path} is {what}: expected a table" in said
            assert len(said.splitlines()) == 1
            assert "secret" not in said


def test_what_is_compressed_twice_is_read(tmp_path):
    pytest.importorskip("python_calamine")
    (tmp_path / "rows.xlsx.bz2").write_bytes(bz2.compress((WORKBOOKS / "rows.xlsx").read_bytes()))
    (tmp_path / "rows.csv.gz").write_bytes(gzip.compress(gzip.compress(b"gold,pred\na,a\nb,a\nb,b\n")))
    for name in ("rows.xlsx.bz2", "rows.csv.gz"):
        assert macrof1.score_file(tmp_path / name) == macrof1.score_file(WORKBOOKS / "rows.xlsx")


@pytest.mark.parametrize(
    ("command", "text", "said"),
    [("score", "  \n\n\t\n", "holds blank lines only"), ("task init", " \n", "holds blank lines only"),
     ("score --matrix", "KEY=a\nPASS=b\n", "has no rows of counts"), ("audit", "Dear Sir\n", "no report was found"),
     ("score --report", "Dear Sir\n", "no report was found"), ("score", "gold\0pred\n", "so it is not text")],
)  # fmt: skip
def test_the_file_at_fault_is_named(tmp_path, capsys, command, text, said):
    (tmp_path / "p.csv").write_text(text)
    assert main([*command.split(), str(tmp_path / "p.csv")]) == 2
    assert said in capsys.readouterr().err.partition("p.csv")[2]


def test_a_device_without_end_is_refused():
    if Path("/dev/zero").is_char_device():
        with pytest.raises(FileError, match="/dev/zero is a device: expected a file"):
            macrof1.score_file("/dev/zero")


@pytest.mark.parametrize(
    "words",
    ["score,", "score, ", "audit, ", "plan,,--difference,0.1", "compare,good,,", "identify,good,", "score,good,--by,",
     "score,good,--exclude,\n", "score,good,--normalize=", "reproduce,--out,", "score,good,--html,"],
)  # fmt: skip
def test_an_empty_name_is_refused(tmp_path, monkeypatch, capsys, words):
    (tmp_path / "good").write_text("gold,pred\na,b\nb,b\n")
    monkeypatch.chdir(tmp_path)
    assert main(words.split(",")) == 2
    assert "is empty: expected" in capsys.readouterr().err
    with pytest.raises(FileError, match="the name of a file is empty"):
        macrof1.score_file(" " if " " in words else "")


def test_a_folder_of_other_files_says_how_to_name_them(tmp_path):
    (tmp_path / "a.csv").write_text("gold,pred\na,a\n")
    with pytest.raises(
        FileError, match=r"directory without Parquet files: .*a pattern names the files in it: .*/\*\.csv"
    ):
        macrof1.score_file(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["root:x:0:0:root:/root:/bin/bash\n", "AWS_SECRET_ACCESS_KEY=abc/def\n", "-----BEGIN KEY-----\nMIIE\n",
     '{ "token" = "abc" }\n', "Dear Sir, the password is hunter2 and nobody should ever see it here, really\n",
     "hunter2\n", "hunter2\nabc\n", "\n\nhunter2\n", "user hunter2\n", '"hunter2"', "1 2 hunter2\n3 4 5\n"],
)  # fmt: skip
def test_the_first_line_of_a_file_that_is_no_table_is_not_printed(tmp_path, text, capsys):
    path, good = tmp_path / "p.csv", tmp_path / "good.csv"
    path.write_text(text)
    good.write_text("gold,pred\na,b\nb,b\n")
    for command in (
        "score {}", "score {} --gold gold --pred pred", "compare {}", "identify {} 0.5", "conventions {}", "count {}",
        "plan {} --difference 0.1", "score {} --spans", "score --matrix {} --rows gold", "score --report {}",
        "score good --config {}", "score good --prevalence {}", "score good --baseline-file {}",
    ):  # fmt: skip
        assert main([{"{}": str(path), "good": str(good)}.get(word, word) for word in command.split()]) == 2, command
        said = capsys.readouterr().err
        assert not any(word in said for word in ("root:", "abc", "BEGIN", "MIIE", "hunter2")), command


@pytest.mark.parametrize(
    ("command", "text"),
    [("score", "user,hunter2\n"), ("score --matrix", "user,hunter2\na,hunter2\n"),
     ("score good --prevalence", "user,hunter2\na,hunter2\n"), ("score good --config", '["hunter2"]\n["hunter2"]\n')],
)  # fmt: skip
def test_cells_of_a_file_of_another_kind_are_not_printed(tmp_path, capsys, command, text):
    path, good = tmp_path / "p.csv", tmp_path / "good.csv"
    path.write_text(text)
    good.write_text("gold,pred\na,b\nb,b\n")
    assert main([*(str(good) if word == "good" else word for word in command.split()), str(path)]) == 2
    assert "hunter2" not in capsys.readouterr().err
