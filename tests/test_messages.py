"""Every kind of message with the call that causes it: tests/golden/messages.txt, to be reviewed as text.

The file lists calls, each followed by its messages at 80 columns: the errors, notes and warnings on standard error for
``$ mf1 …``, the error or the notes for ``>>> …``. To add a case, add its call to the file and run
``MACROF1_UPDATE_MESSAGES=1 pytest tests/test_messages.py``, which writes the current messages into it.
"""

import os
import re
import shlex
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import macrof1
from macrof1.cli import main
from macrof1.reporting.as_text import shown_width, wrapped

from .conftest import ROOT

GOLDEN = ROOT / "tests" / "golden" / "messages.txt"
TEXT = GOLDEN.read_text(encoding="utf-8")
CALLS = re.findall(r"^(?:\$ mf1|>>>) .*$", TEXT, re.MULTILINE)
UPDATE = os.environ.get("MACROF1_UPDATE_MESSAGES") == "1"

COUNTS = (
    '{"format": "macrof1 counts", "version": 1, "macrof1": "0.1.0", "task": "multiclass", "labels": ["a", "b"], '
    '"n_listed": null, "n_rows": 4, "n_dropped": 0, "convention": {}, "cells": [[0, 0, 9]]}'
)
FILES = {
    "preds.csv": "id,text,gold,pred\n1,w,a,a\n2,x,b,a\n3,y,b,b\n4,z,a,b\n",
    "other.csv": "id,gold,pred\n2,b,a\n1,a,a\n3,b,b\n4,a,a\n",
    "gold.csv": "id,gold\n1,a\n2,b\n3,b\n",
    "hole.csv": "id,gold\n1,a\n2,\n3,b\n",
    "run.csv": "id,pred\n1,a\n2,a\n3,b\n",
    "extra.csv": "id,pred\n1,a\n2,a\n3,b\n4,b\n",
    "lost.csv": "id,pred\n3,b\n1,\n",
    "gold.txt": "a\nb\nb\n",
    "pred.txt": "a\na\nb\n",
    "changed.csv": "id,gold,pred\n2,b,a\n1,b,a\n3,b,b\n4,a,a\n",
    "short.csv": "id,pred\n1,a\n2,b\n",
    "twice.csv": "id,pred\n1,a\n1,b\n2,a\n3,b\n",
    "othergold.csv": "gold,pred\na,a\na,a\nb,b\nb,b\n",
    "nogold.csv": "text,answer\nx,a\ny,b\n",
    "missing.csv": "gold,pred\na,a\n,b\nb,b\n",
    "empty.csv": "",
    "header.csv": "gold,pred\n",
    "shares.csv": "gold,pred,share\na,a,0.4\na,b,0.1\nb,a,0.2\nb,b,0.3\n",
    "ragged.csv": "gold,pred\na,a\nb\nb,b\n",
    "quote.csv": 'gold,pred\na,"a\nb,b\n',
    "latin.csv": "gold,pred\né,é\n".encode("latin-1"),
    "binary.csv": b"gold,pred\n\xff\xfe\x00a\n",
    "case.csv": "gold,pred\nyes,Yes\nno,no\nyes,yes\nno,no\n",
    "answers.csv": "gold,pred\na,a\nb,b\na,Sorry\nb,The answer is a\na,a\nb,b\n",
    "scores.csv": "gold,pred\n1,0.913\n0,0.127\n1,0.633\n0,0.481\n",
    "floats.csv": "gold,pred\n1,1.0\n0,0.0\n1,0.0\n",
    "tags.csv": "gold,pred\nB-PER,B-PER\nI-PER,O\nO,O\n",
    "sets.csv": "gold,pred\na;b,a\na,a\nb,b\n",
    "ids.csv": "gold,pred\n" + "".join(f"{n},{n}\n" for n in range(60)),
    "repeats.csv": "id,gold,pred\n1,a,a\n2,b,a\n1,a,a\n3,b,b\n",
    "swapped.csv": "prediction,label\na,a\nb,a\nb,b\n",
    "weights.csv": "gold,pred,w\na,a,1\nb,b,-2\n",
    "heavy.csv": "gold,pred,w\na,a,x\nb,b,1\n",
    "cluster.csv": "gold,pred,document\na,a,1\nb,a,1\nb,b,1\n",
    "domains.csv": "gold,pred,domain\na,a,x\nb,a,x\na,a,y\na,a,y\n",
    "systems.csv": "gold,one,two\n" + "a,a,a\nb,a,b\nb,b,b\na,b,a\n" * 5,
    "notes.csv": "gold,one,comment\na,a,good\nb,a,bad\n",
    "long.csv": "system,seed,row,gold,pred\nx,1,1,a,a\nx,1,2,b,b\nx,2,1,a,b\nx,2,2,b,b\ny,1,1,a,a\ny,1,2,b,a\n",
    "double.csv": "gold,a,a\nx,x,x\ny,y,y\n",
    "lack.csv": "run,gold,pred\na,x,\nb,x,x\n",
    "noid.csv": "id,pred\n1,a\n2,b\n3,a\n,b\n",
    "cells.csv": "run,gold,pred,count\na,x,x,3\na,y,x,1\nb,x,x,2\nb,y,y,2\n",
    "oneclass.csv": "run,x_precision,x_recall\na,1,1\nb,1,1\n",
    "words.csv": "run,x_precision,x_recall,y_precision,y_recall\na,1,1,1,no\n",
    "again.csv": "run,x_precision,x_recall,y_precision,y_recall\na,1,1,1,1\na,1,1,1,1\n",
    "nameless.csv": "q,x_precision,x_recall,y_precision,y_recall\na,1,1,1,1\n",
    "matrix.json": "[[1, 0], [0, 1]]",
    "matrix.csv": ",a,b\na,5,1\nb,2,7\n",
    "corner.csv": "gold\\pred,a,b\na,5,1\nb,2,7\n",
    "oblong.csv": "1,2,3\n4,5,6\n",
    "negative.csv": "1,-2\n3,4\n",
    "totals.csv": "gold\\pred,a,b,Total\na,5,1,6\nb,2,7,9\nTotal,7,8,15\n",
    "bad.json": '[{"gold": "a"',
    "object.json": '{"results": [{"gold": "a", "pred": "a"}]}',
    "lines.jsonl": '{"gold": "a", "pred": "a"}\n["b", "b"]\n',
    "damaged.counts.json": COUNTS,
    "foreign.counts.json": '{"format": "other"}',
    "dev.conll": "EU B-ORG B-ORG\nrejects O O\nGerman MISC O\n",
    "begin.conll": "EU B-ORG I-ORG\nrejects O O\n",
    "gold.conll": "a B-X\nb O\n",
    "pred.conll": "a B-X\nc O\n",
    "few.toml": 'gold_file = "gold.csv"\nlimits = {submissions = 1}\n',
    "euro.csv": "gold;pred;n\na;a;40\na;b;1.000\nb;b;500\n",
    "points.tsv": "\ta\tb\na\t1.200\t35\nb\t12\t1.500\n",
    "pointer.csv": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "lists.jsonl": '{"gold": ["a"], "pred": ["a", "b"]}\n{"gold": ["b"], "pred": []}\n',
    "tiny.toml": 'gold_file = "gold.csv"\nlimits = {megabytes = 0.00001}\n',
    "small.toml": 'gold_file = "gold.csv"\nlimits = {megabytes = 0.0001}\n',
    "pages.toml": 'gold_file = "gold.csv"\nlimits = {pages = 3}\n',
    "epochs.eval": (ROOT / "tests/reading/logs/inspect_epochs.eval").read_bytes(),
    "task.toml": 'gold = "gold"\npred = "pred"\nlabels = ["a", "b"]\n',
    "bad.toml": 'golden = "label"\n',
    "list.toml": "labels = 3\n",
    "broken.toml": "gold = \n",
    "report.txt": "nothing to see here\n",
    "board.csv": "team,score\nx,0.5\n",
    "figures.csv": "team,macro_f1,macro_precision\nx,0.5,51.2\n",
    "clash.csv": "team,macro_f1,macro-f1\nx,0.5,0.6\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("messages")
    for name, content in FILES.items():
        (path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (path / "folder").mkdir()
    return path


def said(call, capsys):
    """Return what a call says, at 80 columns."""
    if call.startswith("$"):
        code = main(shlex.split(call)[2:])
        shown = capsys.readouterr()
        lines = shown.err.splitlines()
        assert (code == 2) is (not shown.out)
        assert code != 2 or len(lines) == 1, shown.err
    else:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            lines = spoken(call.removeprefix(">>> "))
        lines += [f"{each.category.__name__}: {each.message}" for each in caught]
    return "\n".join(wrapped(line, after="  ") for line in lines)


def spoken(code):
    """Return the error of a call, or the notes of its result."""
    try:
        result = eval(code, {"macrof1": macrof1, "np": np, "pa": pa, "pd": pd, "pl": pl})  # noqa: S307  # our own file
    except macrof1.MacroF1Error as error:
        return [f"{type(error).__name__}: {error}"]
    return [f"note ({getattr(note, 'code', '')}): {note}" for note in result.notes]


@pytest.mark.parametrize("call", CALLS)
def test_every_call_says_what_the_file_says(call, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    found = said(call, capsys)
    assert found, "a call that says nothing needs no place here"
    assert max(map(shown_width, found.splitlines())) <= 80
    if UPDATE:
        text = GOLDEN.read_text(encoding="utf-8")
        block = re.compile(re.escape(call) + r"\n.*?(?=\n\n|\Z)", re.DOTALL)
        GOLDEN.write_text(block.sub(lambda _: f"{call}\n{found}", text, count=1), encoding="utf-8")
    else:
        assert f"{call}\n{found}\n" in f"{TEXT}\n"


def test_two_things_that_cannot_be_combined_have_an_alternative():
    refusals = [block for block in TEXT.split("\n\n") if "cannot be combined with" in " ".join(block.split())]
    assert len(refusals) >= 18
    assert [block for block in refusals if ": expected" not in " ".join(block.split())] == []


def test_the_file_is_large_and_fits_80_columns():
    assert len(CALLS) >= 120
    assert len(set(CALLS)) == len(CALLS)
    assert max(shown_width(line) for line in TEXT.splitlines() if not line.startswith(("$", ">>>"))) <= 80
