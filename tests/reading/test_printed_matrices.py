"""Matrices as people copy them: all read as the same cells; damaged ones are rejected."""

from __future__ import annotations

import pytest

from macrof1.errors import MacroF1Error
from macrof1.reading.matrix_files import parse_printed_matrix

PRINTED = {
    "numpy": "[[5 1 0]\n [2 7 1]\n [0 0 3]]",
    "numpy array": "array([[5, 1, 0],\n       [2, 7, 1],\n       [0, 0, 3]])",
    "numpy floats": "array([[5., 1., 0.],\n       [2., 7., 1.],\n       [0., 0., 3.]])",
    "list": "[[5, 1, 0], [2, 7, 1], [0, 0, 3]]",
    "data frame": "     cat  dog  cow\ncat    5    1    0\ndog    2    7    1\ncow    0    0    3\n",
    "crosstab": (
        "Predicted  cat  dog  cow\nActual                  \ncat          5    1    0\ndog          2    7    1\n"
        "cow          0    0    3\n"
    ),
    "crosstab with margins": (
        "pred  cat  dog  cow  All\ntrue\ncat     5    1    0    6\ndog     2    7    1   10\ncow     0    0    3    3\n"
        "All     7    8    4   19\n"
    ),
    "markdown": (
        "| gold \\ predicted | cat | dog | cow |\n|---|---:|---:|---:|\n| cat | 5 | 1 | 0 |\n| **dog** | 2 | 7 | 1 |\n"
        "| cow | 0 | 0 | 3 |\n"
    ),
    "markdown with totals": (
        "|  | cat | dog | cow | Total |\n|---|---|---|---|---|\n| cat | 5 | 1 | 0 | 6 |\n| dog | 2 | 7 | 1 | 10 |\n"
        "| cow | 0 | 0 | 3 | 3 |\n| Total | 7 | 8 | 4 | 19 |\n"
    ),
    "latex": (
        "\\begin{tabular}{lrrr}\n\\toprule\n & cat & dog & cow \\\\\n\\midrule\ncat & 5 & 1 & 0 \\\\\n"
        "\\textbf{dog} & 2 & 7 & 1 \\\\\ncow & 0 & 0 & 3 \\\\\n\\bottomrule\n\\end{tabular}\n"
    ),
    "csv with totals": ",cat,dog,cow,sum\ncat,5,1,0,6\ndog,2,7,1,10\ncow,0,0,3,3\nsum,7,8,4,19\n",
    "torch": "tensor([[5, 1, 0],\n        [2, 7, 1],\n        [0, 0, 3]])",
    "polars": (
        "shape: (3, 4)\n┌──────┬─────┬─────┬─────┐\n│ gold ┆ cat ┆ dog ┆ cow │\n│ ---  ┆ --- ┆ --- ┆ --- │\n"
        "│ str  ┆ i64 ┆ i64 ┆ i64 │\n╞══════╪═════╪═════╪═════╡\n│ cat  ┆ 5   ┆ 1   ┆ 0   │\n"
        "│ dog  ┆ 2   ┆ 7   ┆ 1   │\n"
        "│ cow  ┆ 0   ┆ 0   ┆ 3   │\n└──────┴─────┴─────┴─────┘\n"
    ),
    "html": (
        "<table><tr><th></th><th>cat</th><th>dog</th><th>cow</th></tr><tr><th>cat</th><td>5</td><td>1</td><td>0</td></tr>"
        "<tr><th>dog</th><td>2</td><td>7</td><td>1</td></tr><tr><th>cow</th><td>0</td><td>0</td><td>3</td></tr></table>"
    ),
    "r caret": (
        "Confusion Matrix and Statistics\n\n          Reference\nPrediction cat dog cow\n       cat   5   1   0\n"
        "       dog   2   7   1\n       cow   0   0   3\n\nOverall Statistics\n\n               Accuracy : 0.7895\n"
        "                 95% CI : (0.5443, 0.9395)\n\nStatistics by Class:\n\n"
        "                     Class: cat Class: dog Class: cow\n"
        "Sensitivity              0.7143     0.8750     0.7500\n"
    ),
    "weka": (
        "=== Confusion Matrix ===\n\n a b c   <-- classified as\n 5 1 0 | a = cat\n 2 7 1 | b = dog\n 0 0 3 | c = cow\n"
    ),
    "tsv": "\tcat\tdog\tcow\ncat\t5\t1\t0\ndog\t2\t7\t1\ncow\t0\t0\t3\n",
}
UNNAMED = {"numpy", "numpy array", "numpy floats", "list", "torch"}
ROWS = {"crosstab": "gold", "crosstab with margins": "gold", "markdown": "gold", "r caret": "predicted", "weka": "gold"}


@pytest.mark.parametrize("kind", PRINTED)
def test_every_print_is_the_same_matrix(kind):
    found = parse_printed_matrix(PRINTED[kind])
    assert found.cells == [[5, 1, 0], [2, 7, 1], [0, 0, 3]]
    assert found.labels == (None if kind in UNNAMED else ["cat", "dog", "cow"])
    assert found.rows == ROWS.get(kind)


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
        "",
        "a,b\n1,x\n2,3\n",
        "1 2\n3 4\n5\n",
        "1 2 3\n4 5\n",
        "[[1, 2], [3]]",
        "| a | b |\n|1|2|\n|3|\n",
        "1,5 2\n3 4",
        "1 2 3\n\n4 5\n6 7\n",
        "a 1 2\n\nb 3 4\n\nc 5\n",
    ],
)
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
