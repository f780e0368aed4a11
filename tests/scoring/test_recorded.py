"""Recorded results of small calls: labels of every kind in containers of every kind, and all that is told of them.

Other tests say why a result is right; this file records whole results, apart from the wording of notes and errors, so
that no change goes unnoticed. To add a call, add its line to tests/golden/calls.jsonl; to update the file and review
the diff: MACROF1_UPDATE_GOLDEN=1 pytest tests/scoring/test_recorded.py
"""

import json
import os

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import macrof1

from ..conftest import ROOT

GOLDEN = ROOT / "tests" / "golden" / "calls.jsonl"
CASES = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
LIBRARIES = {"macrof1": macrof1, "np": np, "pd": pd, "pl": pl, "pa": pa, "sp": sp}


def drawn(names, n=60, wrong=30, seed=5):
    """Return n gold labels and as many predictions, some percent of them by chance."""
    numbers = [(37 * row * row + 11 * row + seed) % 101 for row in range(2 * n)]
    gold = [names[number % 7 * number % len(names)] for number in numbers[:n]]
    other = [names[number % len(names)] for number in numbers[n:]]
    return gold, [b if number % 100 < wrong else a for a, b, number in zip(gold, other, numbers[n:], strict=True)]


def told(value):
    """Return a result as JSON without the wording of notes, floats to ten digits."""
    if isinstance(value, dict):
        return {str(key): told(part) for key, part in value.items() if key not in ("notes", "note")}
    if isinstance(value, float):
        return float(f"{value:.10g}") if value == value else None
    if isinstance(value, (list, tuple)):
        return [told(part) for part in value]
    if isinstance(value, macrof1.ClassCounts):
        names = ("labels", "tp", "predicted", "actual", "n_rows", "n_listed", "n_dropped", "task", "weighted", "over")
        return told({name: getattr(value, name) for name in names}) | {"cells": told(value.rows.confusion())}
    if isinstance(value, macrof1.Confusion):
        return told(value.records())
    return told(value.to_dict()) if hasattr(value, "to_dict") else value


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_call_returns_what_it_returned(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        found = told(eval(CASES[number]["call"], {**LIBRARIES, "drawn": drawn}))  # noqa: S307  # our own file
    except macrof1.MacroF1Error as error:
        found = [type(error).__name__, getattr(error, "argument", None)]
    found = json.loads(json.dumps(found, default=str))
    if os.environ.get("MACROF1_UPDATE_GOLDEN") == "1":  # in one process
        CASES[number]["found"] = found
        GOLDEN.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in CASES), encoding="utf-8")
    assert found == CASES[number]["found"]
