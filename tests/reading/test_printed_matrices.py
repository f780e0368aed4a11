"""Matrices as people copy them: all read as the same cells; damaged ones are rejected."""

from pathlib import Path

import pytest

from macrof1.errors import MacroF1Error
from macrof1.reading.matrix_files import parse_printed_matrix
from macrof1.reading.reports.documents import read_reports

PRINTED = {path.stem: path.read_text(encoding="utf-8") for path in Path(__file__).with_name("matrices").glob("*.txt")}
UNNAMED = {"numpy", "numpy_array", "numpy_floats", "list", "torch"}
ROWS = {"crosstab": "gold", "crosstab_with_margins": "gold", "markdown": "gold", "r_caret": "predicted", "weka": "gold"}


@pytest.mark.parametrize("kind", sorted(PRINTED))
def test_every_print_is_the_same_matrix(kind):
    found = parse_printed_matrix(PRINTED[kind])
    assert found.cells == [[5, 1, 0], [2, 7, 1], [0, 0, 3]]
    assert found.labels == (None if kind in UNNAMED else ["cat", "dog", "cow"])
    assert found.rows == ROWS.get(kind)


@pytest.mark.parametrize(("titles", "rows"), [
        ("Columns are predicted, rows are actual", "gold"), ("Predicted (columns) vs Actual (rows)", "gold"),
        ("rows=predicted, columns=gold", "predicted"), ("x-axis: predicted, y-axis: true labels", "gold"),
        ("Predicted → Actual ↓", "gold"), ("        Predicted label\nTrue label", "gold"),  # scikit-learn's plots
        ("        True label\nPredicted label", "predicted"), ("Gold standard / system", "gold"),
        ("System output on the target domain", None), ("The prediction is compared with the true label", None),
])  # fmt: skip
def test_titles_say_what_rows_are(titles, rows):
    assert parse_printed_matrix(f"{titles}\n[[5 1]\n [2 7]]").rows == rows
    assert parse_printed_matrix('{"labels": ["system", "target"], "matrix": [[5, 1], [2, 7]]}').rows is None


@pytest.mark.parametrize("mark", ["\t", "  ", " | ", " & "])
def test_thousands_are_read_where_the_comma_parts_no_cells(mark):
    lines = [["", "a", "b"], ["a", "1,200", "3"], ["b", "12", "1,234,567"]]
    text = "\n".join(mark.join(line) for line in lines)
    found = parse_printed_matrix(text if mark != "  " else text.replace("  a  b", "   a  b", 1))
    assert found.cells == [[1200, 3], [12, 1234567]]
    assert found.labels == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        "", "a,b\n1,x\n2,3\n", "1 2\n3 4\n5\n", "1 2 3\n4 5\n", "[[1, 2], [3]]", "| a | b |\n|1|2|\n|3|\n",
        "1,5 2\n3 4", "1 2 3\n\n4 5\n6 7\n", "a 1 2\n\nb 3 4\n\nc 5\n",
    ],
)  # fmt: skip
def test_damaged_matrices_are_refused(text):
    with pytest.raises(MacroF1Error):
        parse_printed_matrix(text)


@pytest.mark.parametrize("mark", ["\u00a0", "\u2009", "\u202f", "'", "’", "{,}"])
def test_thousands_are_read_however_they_are_parted(mark):
    row = " & ".join(["a", f"1{mark}200", "3"]) + r" \\"
    found = parse_printed_matrix(
        r"\begin{tabular}{lrr} & a & b \\ \hline" + f"\n{row}\nb & 12 & 1{mark}234{mark}567 \\\\"
    )
    assert found.cells == [[1200, 3], [12, 1234567]]


def test_a_class_called_all_is_a_class_where_it_is_no_sum():
    found = parse_printed_matrix(",a,b,all\na,5,1,0\nb,2,7,1\nall,0,0,3\n")
    assert found.labels == ["a", "b", "all"]
    assert len(found.cells) == 3


def test_totals_above_300_classes_are_flagged():
    matrix = [[300, *[1] * 300], *([1, *[int(row == column) for column in range(300)]] for row in range(300))]
    found = parse_printed_matrix("\n".join(" ".join(map(str, row)) for row in matrix))
    assert (len(found.cells), [note.code for note in found.notes]) == (301, ["totals"])


def test_hundreds_of_classes_are_printed_too():
    row = " ".join(["1"] * 300)
    matrix = "[" + "\n".join([f"[{row}]"] * 300) + "]"
    assert len(parse_printed_matrix(matrix).cells) == 300
    table = "class  precision  recall  f1\n" + "".join(f"c{place}  0.5  0.5  0.5\n" for place in range(300))
    (report,) = read_reports(f"{table}\nConfusion matrix:\n{matrix}\n")
    assert (len(report.classes), len(report.matrix)) == (300, 300)
