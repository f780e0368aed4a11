"""Confusion matrices: shapes, sizes, notes on normalized ones, and rejected input."""

import numpy as np
import pandas as pd
import pytest

import macrof1
from macrof1.cli import main
from macrof1.counting.doubts import DOUBTS

BIG = 2**63 - 1


def test_rows_say_which_way_the_matrix_lies():
    predicted = macrof1.score_matrix([[8, 2], [0, 5]], rows="predicted")
    gold = macrof1.score_matrix([[8, 2], [0, 5]], rows="gold")
    assert [(r.precision, r.recall) for r in predicted.per_class] == [(0.8, 1.0), (1.0, 5 / 7)]
    assert [(r.precision, r.recall) for r in gold.per_class] == [(1.0, 0.8), (5 / 7, 1.0)]
    with pytest.raises(TypeError):
        macrof1.score_matrix([[1]])
    with pytest.raises(macrof1.InputError, match="did you mean 'predicted'"):
        macrof1.score_matrix([[1]], rows="predict")


def test_titles_of_a_crosstab_say_which_way_it_lies():
    table = pd.crosstab(pd.Series([*"aab"], name="Actual"), pd.Series([*"abb"], name="Predicted"))
    with pytest.raises(macrof1.InputError, match="the corner of the matrix says that rows are gold"):
        macrof1.score_matrix(table, rows="predicted")


@pytest.mark.parametrize(
    "matrix",
    [
        [[3, 1], [0, 2]], ((3, 1), (0, 2)), np.array([[3, 1], [0, 2]], dtype=np.uint8),
        np.array([[3, 1], [0, 2]], dtype=object), np.asfortranarray([[3, 1], [0, 2]]), pd.DataFrame([[3, 1], [0, 2]]),
        [np.array([3, 1]), [0, 2]],
    ],
)  # fmt: skip
def test_every_kind_of_matrix(matrix):
    cells = macrof1.Confusion.from_matrix(matrix, rows="gold")
    assert cells.to_matrix(rows="gold").tolist() == [[3, 1], [0, 2]]
    assert cells.to_matrix(rows="predicted").tolist() == [[3, 0], [1, 2]]
    assert not cells.weighted
    assert cells.n_rows == 6


def test_the_largest_counts_are_exact():
    result = macrof1.score_matrix([[BIG - 1, 0], [0, 1]], rows="gold")
    assert result.averaged_f1 == 1
    assert result.per_class[0].tp == BIG - 1
    # One rounding even where a sum of two counts needs 64 bits.
    lopsided = macrof1.score_matrix([[BIG - 3, 1], [1, 1]], rows="gold")
    assert lopsided.per_class[0].f1 == (2 * (BIG - 3)) / (2 * (BIG - 3) + 2)
    assert lopsided.gap == 0


def test_a_numpy_matrix_is_a_matrix():
    found = macrof1.score_matrix(np.array([[5, 1], [2, 7]]).view(np.matrix), rows="gold")
    assert found.counts == macrof1.score_matrix([[5, 1], [2, 7]], rows="gold").counts
    assert macrof1.score_matrix(np.array([[0.5, 1], [2, 7]]).view(np.matrix), rows="gold").gap > 0


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
    [[[1, 0], [0, 1]], [[90, 10], [25, 74]], [[0.5, 0.25], [0.1, 0.9]], [[1.5, 0.2], [0.3, 2]], [[100]], [[1.0]]],
)
def test_other_matrices_and_labels_raise_none(matrix):
    assert not codes(macrof1.score_matrix(matrix, rows="gold"))
    gold = np.repeat([0, 1], 100)
    assert not codes(macrof1.score(gold, np.roll(gold, 7)))


def test_a_comparison_says_so(tmp_path, capsys):
    path, other = tmp_path / "m.csv", tmp_path / "n.csv"
    path.write_text("gold,a,b\na,0.9,0.1\nb,0.25,0.75\n", encoding="utf-8")
    other.write_text("gold,a,b\na,90,10\nb,25,74\n", encoding="utf-8")
    assert main(["compare", "--matrix", str(path), str(other), "--rows", "gold"]) == 0
    assert "System m: The cells of every gold class" in " ".join(capsys.readouterr().out.split())
