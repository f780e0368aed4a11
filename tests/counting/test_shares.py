"""Normalized matrices are noticed: shares of rows lose the class sizes, and no share has an interval."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import macrof1
from macrof1.cli import main
from macrof1.counting.doubts import DOUBTS

GOLD = pd.Series(["a"] * 30 + ["b"] * 9 + ["c"] * 4)
PRED = pd.Series((["a"] * 9 + ["b"]) * 3 + ["b"] * 8 + ["c"] + ["c"] * 3 + ["a"])


def codes(result):
    return set(result.note_codes) & {"normalized_matrix", "percentages", "shares"}


@pytest.mark.parametrize("scale", [1, 100])
@pytest.mark.parametrize("digits", [None, 4, 2])
@pytest.mark.parametrize(("by", "side"), [("index", "gold"), ("columns", "predicted")])
def test_shares_of_a_class_raise_a_doubt(scale, digits, by, side):
    table = pd.crosstab(GOLD, PRED, normalize=by) * scale
    table = table if digits is None else table.round(digits)
    found = macrof1.score_matrix(table, rows="gold")
    assert codes(found) == {"normalized_matrix"}
    assert f"every {side} class sum to {scale}" in found.notes[0]
    assert "normalized_matrix" in DOUBTS
    turned = macrof1.score_matrix(table.T.to_numpy().tolist(), rows="predicted")
    assert codes(turned) == {"normalized_matrix"}


@pytest.mark.parametrize("scale", [1, 100])
def test_shares_of_all_rows_score_right_and_have_no_interval(scale):
    table = pd.crosstab(GOLD, PRED, normalize="all") * scale
    found = macrof1.score_matrix(table, rows="gold")
    assert found.averaged_f1 == pytest.approx(macrof1.score(GOLD, PRED).averaged_f1)
    assert codes(found) == {"shares"}
    with pytest.raises(macrof1.InputError, match="real weights"):
        found.interval()


def test_percentages_without_decimals_may_be_counts():
    found = macrof1.score_matrix([[90, 10], [25, 75]], rows="gold")
    assert codes(found) == {"percentages"}
    assert "percentages" not in DOUBTS


@pytest.mark.parametrize(
    "matrix",
    [
        [[1, 0], [0, 1]],
        [[90, 10], [25, 74]],
        [[0.5, 0.25], [0.1, 0.9]],
        [[1.5, 0.2], [0.3, 2]],
        [[100]],
        [[1.0]],
    ],
)
def test_other_matrices_raise_none(matrix):
    assert not codes(macrof1.score_matrix(matrix, rows="gold"))


def test_counts_of_labels_raise_none_however_large_the_classes_are():
    gold = np.repeat([0, 1], 100)
    assert not codes(macrof1.score(gold, np.roll(gold, 7)))


def test_commands_say_so(tmp_path, capsys):
    path, other = tmp_path / "m.csv", tmp_path / "n.csv"
    path.write_text("gold,a,b\na,0.9,0.1\nb,0.25,0.75\n", encoding="utf-8")
    other.write_text("gold,a,b\na,90,10\nb,25,74\n", encoding="utf-8")
    assert main(["score", "--matrix", str(path), "--rows", "gold", "--strict"]) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("The cells of every gold class sum to 1")
    assert main(["compare", "--matrix", str(path), str(other), "--rows", "gold"]) == 0
    assert "System m: The cells of every gold class" in " ".join(capsys.readouterr().out.split())
