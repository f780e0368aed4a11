"""Matrices as people copy them, each read as the same cells; what is damaged is refused."""

from __future__ import annotations

import pytest

from macrof1.errors import MacroF1Error
from macrof1.reading.printed_matrices import parse_printed_matrix

PRINTED = {
    "numpy": ("[[5 1 0]\n [2 7 1]\n [0 0 3]]", None, None),
    "numpy array": ("array([[5, 1, 0],\n       [2, 7, 1],\n       [0, 0, 3]])", None, None),
    "numpy floats": ("array([[5., 1., 0.],\n       [2., 7., 1.],\n       [0., 0., 3.]])", None, None),
    "list": ("[[5, 1, 0], [2, 7, 1], [0, 0, 3]]", None, None),
    "data frame": ("     cat  dog  cow\ncat    5    1    0\ndog    2    7    1\ncow    0    0    3\n", "names", None),
    "crosstab": (
        "Predicted  cat  cow  dog\nActual                  \ncat          5    1    0\ncow          2    7    1\n"
        "dog          0    0    3\n",
        ["cat", "cow", "dog"],
        "gold",
    ),
    "crosstab with margins": (
        "pred  cat  dog  cow  All\ntrue\ncat     5    1    0    6\ndog     2    7    1   10\ncow     0    0    3    3\n"
        "All     7    8    4   19\n",
        "names",
        "gold",
    ),
    "markdown": (
        "| gold \\ predicted | cat | dog | cow |\n|---|---:|---:|---:|\n| cat | 5 | 1 | 0 |\n| **dog** | 2 | 7 | 1 |\n"
        "| cow | 0 | 0 | 3 |\n",
        "names",
        "gold",
    ),
    "markdown with totals": (
        "|  | cat | dog | cow | Total |\n|---|---|---|---|---|\n| cat | 5 | 1 | 0 | 6 |\n| dog | 2 | 7 | 1 | 10 |\n"
        "| cow | 0 | 0 | 3 | 3 |\n| Total | 7 | 8 | 4 | 19 |\n",
        "names",
        None,
    ),
    "latex": (
        "\\begin{tabular}{lrrr}\n\\toprule\n & cat & dog & cow \\\\\n\\midrule\ncat & 5 & 1 & 0 \\\\\n"
        "\\textbf{dog} & 2 & 7 & 1 \\\\\ncow & 0 & 0 & 3 \\\\\n\\bottomrule\n\\end{tabular}\n",
        "names",
        None,
    ),
    "csv with totals": (",cat,dog,cow,sum\ncat,5,1,0,6\ndog,2,7,1,10\ncow,0,0,3,3\nsum,7,8,4,19\n", "names", None),
    "tsv": ("\tcat\tdog\tcow\ncat\t5\t1\t0\ndog\t2\t7\t1\ncow\t0\t0\t3\n", "names", None),
}


@pytest.mark.parametrize("kind", PRINTED)
def test_every_print_is_the_same_matrix(kind):
    text, labels, rows = PRINTED[kind]
    found = parse_printed_matrix(text)
    assert found.cells == [[5, 1, 0], [2, 7, 1], [0, 0, 3]]
    assert found.labels == (["cat", "dog", "cow"] if labels == "names" else labels)
    assert found.rows == rows


@pytest.mark.parametrize("mark", ["\t", "  ", " | ", " & "])
def test_thousands_are_read_where_the_comma_parts_no_cells(mark):
    lines = [["", "a", "b"], ["a", "1,200", "3"], ["b", "12", "1,234,567"]]
    text = "\n".join(mark.join(line) for line in lines)
    found = parse_printed_matrix(text if mark != "  " else text.replace("  a  b", "   a  b", 1))
    assert found.cells == [[1200, 3], [12, 1234567]]
    assert found.labels == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    ["", "a,b\n1,x\n2,3\n", "1 2\n3 4\n5\n", "1 2 3\n4 5\n", "[[1, 2], [3]]", "| a | b |\n|1|2|\n|3|\n", "1,5 2\n3 4"],
)
def test_damaged_matrices_are_refused(text):
    with pytest.raises(MacroF1Error):
        parse_printed_matrix(text)


def test_a_class_called_all_is_a_class_where_it_is_no_sum():
    found = parse_printed_matrix(",a,b,all\na,5,1,0\nb,2,7,1\nall,0,0,3\n")
    assert found.labels == ["a", "b", "all"]
    assert len(found.cells) == 3
