"""The page "Eleven ways to get macro F1 wrong": every number is recognised, from the file and from the command."""

import csv
import json
import re

import pytest

import macrof1
from macrof1.cli import main

from ..conftest import ROOT

PAGE = (ROOT / "docs" / "eleven-ways.md").read_text(encoding="utf-8")
DATA = ROOT / "examples" / "eleven_ways" / "predictions.csv"
ROWS = re.findall(r"^\| (\d+) \| (.*?) \| (0\.\d{4}) \| .*? \| (.*?) \|$", PAGE, re.MULTILINE)


def test_the_page_has_eleven_ways_and_forty_rows():
    assert [int(number) for number, *_ in ROWS] == list(range(1, 12))
    rows = list(csv.DictReader(DATA.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 40
    right = macrof1.score([row["gold"] for row in rows], [row["pred"] for row in rows]).averaged_f1
    assert f"**{right:.4f}**" in PAGE
    printed = [number for *_, number, _ in ROWS]
    assert len({*printed, f"{right:.4f}"}) == 12


@pytest.mark.parametrize(("number", "way", "printed", "words"), ROWS)
def test_every_wrong_number_is_recognised(number, way, printed, words, capsys):
    by = ["--by", "document"] if "document" in way else []
    assert main(["identify", str(DATA), printed, *by, "-f", "json"]) == 0
    first = json.loads(capsys.readouterr().out)["matches"][0]
    assert first["words"].startswith(words), (number, first)
    assert first["reading"] == "rounded"
    # With two decimals it is still among the ten that are shown.
    assert main(["identify", str(DATA), f"{first['value']:.2f}", *by, "-f", "json"]) == 0
    assert first["definition"] in [match["definition"] for match in json.loads(capsys.readouterr().out)["matches"][:10]]
