"""Files that are no tables of predictions: what they are is said, and what to do; their content is not printed."""

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
from macrof1.errors import FileError, InputError

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
    with sqlite3.connect(folder / "p.db") as base:
        base.execute("create table t (gold text)")
    base.close()
    with zipfile.ZipFile(folder / "p.docx", "w") as archive:
        archive.writestr("word/document.xml", "<x/>")
    return {
        "p.pdf": "a PDF", "p.pkl": "a pickle", "p.ipynb": "a Jupyter notebook", "p.npy": "a NumPy array",
        "p.npz": "arrays of NumPy", "p.png": "an image", "p.db": "an SQLite database", "p.docx": "a Word document",
    }  # fmt: skip


@pytest.mark.parametrize("command", ["score", "compare"])
def test_what_a_file_is_is_said_in_one_line(tmp_path, capsys, command):
    for name, what in others(tmp_path).items():
        assert main([command, str(tmp_path / name)]) == 2
        said = capsys.readouterr().err
        assert f"{name} is {what}: expected a table" in said
        assert len(said.splitlines()) == 1
        assert "secret" not in said


@pytest.mark.parametrize("name", ["", " "])
@pytest.mark.parametrize("command", ["score", "compare", "audit", "plan"])
def test_an_empty_name_is_refused(tmp_path, monkeypatch, capsys, command, name):
    monkeypatch.chdir(tmp_path)
    assert main([command, name, *(["--difference", "0.1"] if command == "plan" else [])]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    with pytest.raises(FileError, match="the name of a file is empty"):
        macrof1.score_file(name)


def test_a_folder_of_other_files_says_how_to_name_them(tmp_path):
    (tmp_path / "a.csv").write_text("gold,pred\na,a\n")
    with pytest.raises(
        FileError, match=r"directory without Parquet files: .*a pattern names the files in it: .*/\*\.csv"
    ):
        macrof1.score_file(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["root:x:0:0:root:/root:/bin/bash\n", "AWS_SECRET_ACCESS_KEY=abc/def\n", "-----BEGIN KEY-----\nMIIE\n",
     '{ "token" = "abc" }\n', "Dear Sir, the password is hunter2 and nobody should ever see it here, really\n"],
)  # fmt: skip
def test_the_first_line_of_a_file_that_is_no_table_is_not_printed(tmp_path, text):
    path = tmp_path / "p.csv"
    path.write_text(text)
    for options in ({}, {"gold": "gold", "pred": "pred"}):
        with pytest.raises(InputError) as caught:
            macrof1.score_file(path, **options)
        assert not any(word in str(caught.value) for word in ("root:", "abc", "BEGIN", "MIIE", "hunter2"))
