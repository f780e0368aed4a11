"""Recorded readings: what small texts and files of every layout hold, number by number and name by name.

Other tests, or a "why" beside it, say why a text is read as it is. This file records all that was read of it, apart
from the wording of notes and errors, so that no change goes unnoticed. To update tests/golden/readings.jsonl and review
the diff: MACROF1_UPDATE_GOLDEN=1 pytest tests/reading/test_recorded.py
"""

import base64
import dataclasses
import json
import os
import re

import pytest

import macrof1
from macrof1.reading.leaderboards import is_delimited
from macrof1.reading.matrix_files import parse_printed_matrix
from macrof1.reading.reports.documents import read_document
from macrof1.reading.tasks import read_task

from ..conftest import ROOT

GOLDEN = ROOT / "tests" / "golden" / "readings.jsonl"
CASES = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
FACT = re.compile(r"(?<![A-Za-z\d])\d+(?:[.,]\d+)*|'[^']*'")  # a number, but not the 1 of F1, or a name in quotes
KEPT = {
    "by", "groups", "key", "label", "labels", "actual", "predicted", "tp", "n_rows", "n_dropped", "n_outside", "task",
    "weighted", "per_class", "note_codes", "systems", "name", "runs", "rejected", "n_clusters", "paired", "averaged_f1",
    "verdict", "rows", "reports", "figures", "signature", "places",
}  # fmt: skip


def kept(value):
    """Return the parts of a result that reading decides."""
    if isinstance(value, dict):
        return {name: part if name == "key" else kept(part) for name, part in value.items() if name in KEPT}
    if isinstance(value, (list, tuple)):
        return [kept(part) for part in value]
    return round(value, 9) if isinstance(value, float) else value


def facts(case, folder):
    """Return what is read of a text, a printed matrix or some files, without the words."""
    try:
        if "text" in case:
            document = read_document(case["text"])
            reports = [dataclasses.asdict(report) for report in document.reports]
            found = [{name: part for name, part in one.items() if part} for one in reports]
            return [found, document.left_aside, *["delimited"] * is_delimited(case["text"])]
        if "matrix" in case:
            labels, cells, rows, notes = parse_printed_matrix(case["matrix"])
            return [labels, cells, rows, [[note.code, FACT.findall(str(note))] for note in notes]]
        for name, content in case["files"].items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, dict):  # the columns of a Parquet or Arrow file
                import polars as pl

                table = pl.DataFrame(content, strict=False)
                (table.write_ipc if name.endswith(".arrow") else table.write_parquet)(folder / name)
                continue
            (folder / name).write_bytes(content.encode() if isinstance(content, str) else base64.b64decode(content[0]))
        if case["call"] == "read_task":
            return read_task(*case["arguments"])
        result = getattr(macrof1, case["call"])(*case["arguments"], **case["options"]).to_dict()
        return [kept(result), [FACT.findall(note) for note in result.get("notes", ())]]
    except macrof1.MacroF1Error as error:
        return [type(error).__name__, FACT.findall(str(error))]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_what_is_read_is_what_was_read(number, request, monkeypatch):
    folder = request.getfixturevalue("tmp_path") if "files" in CASES[number] else ROOT
    monkeypatch.chdir(folder)
    found = json.loads(json.dumps(facts(CASES[number], folder)))
    if os.environ.get("MACROF1_UPDATE_GOLDEN") == "1":  # in one process
        CASES[number]["facts"] = found
        GOLDEN.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in CASES), encoding="utf-8")
    assert found == CASES[number]["facts"]
