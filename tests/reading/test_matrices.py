"""Confusion matrices as text: with and without names, in any order, without guessing."""

import gzip
import itertools

import pytest

import macrof1
from macrof1.counting.confusion import counted_matrix, read_matrix
from macrof1.errors import InputError
from macrof1.reading.matrix_files import parse_matrix_table, parse_printed_matrix


def scored(text):
    return [(row.label, row.tp, row.actual, row.predicted) for row in macrof1.score_counts(cells(text)).per_class]


def cells(text):
    return counted_matrix(parse_matrix_table(text, "the text"), "gold", None, "the text").class_counts()


@pytest.mark.parametrize(
    "text",
    [
        "x,y\n8,2\n1,5\n", ",x,y\nx,8,2\ny,1,5\n", "gold,x,y\nx,8,2\ny,1,5\n", "x,y\nx,8,2\ny,1,5\n", "x,8,2\ny,1,5\n",
        ",y,x\ny,5,1\nx,2,8\n", ",y,x\nx,2,8\ny,5,1\n", ",x,y,All\nx,8,2,10\ny,1,5,6\nAll,9,7,16\n",
        ",x,y,Total\nx,8,2,10\ny,1,5,6\n", ",x,y\nx,8,2\ny,1,5\ntotal,9,7\n", "\tx\ty\nx\t8\t2\ny\t1\t5\n",
        ";x;y\nx;8;2\ny;1;5\n", ', "x", "y"\n"x", 8, 2\n"y", 1, 5\n',
        '{"labels": ["x", "y"], "matrix": [[8, 2], [1, 5]]}',
    ],
)  # fmt: skip
def test_names_lead_to_the_same_counts(text):
    assert sorted(scored(text)) == [("x", 8, 10, 9), ("y", 5, 6, 7)]


@pytest.mark.parametrize("text", ["8,2\n1,5\n", "8 2\n1  5\n", "[[8, 2], [1, 5]]", "8;2\n1;5\n\n\n", "8.0,2\n1,5.00\n"])
def test_numbers_alone(text):
    assert cells(text).actual == (10, 6)


def test_a_packed_file_holds_a_matrix_too(tmp_path):
    (tmp_path / "m.gz").write_bytes(gzip.compress(b"8,2\n1,5\n"))
    assert read_matrix(tmp_path / "m.gz", rows="predicted").confusion().to_matrix(rows="gold").tolist() == [
        [8, 1],
        [2, 5],
    ]
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(InputError, match="is empty"):
        read_matrix(tmp_path / "empty.csv", rows="gold")


@pytest.mark.parametrize("corner", ["", "gold", "true\\pred"])
def test_names_that_are_numbers(corner):
    assert scored(f"{corner},0,1\n0,8,2\n1,1,5\n") == [("0", 8, 10, 9), ("1", 5, 6, 7)]


def test_a_class_that_one_side_lacks_gets_zeros():
    assert scored(",x,z\nx,8,2\ny,1,5\n") == [("x", 8, 10, 9), ("y", 0, 6, 0), ("z", 0, 0, 7)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2,3\n4,5,6\n7,8,9\n1,1,1\n", "4 rows of 3 cells"), ("1,2,3\n4,5,6\n", "2 rows of 3 cells"),
        ("1,2\n3,x\n", "line 2: 'x' is not a number"), ('{"cells": [[1]]}', "'matrix'"),
        ("a,b,c\n1,2,3\n4,5,6\n", "the same classes"), ("1.000;20\n3;4\n", "thousands or decimals"),
        ("1;2\n3;1,000\n", "thousands or decimals"), (f"{'9' * 5000},1\n1,1\n", "5,000 digits is too large"),
        (f"{'9' * 400},1\n1,1\n", "too large"), (",x,y\nx,8,2\ny,1\n", "1 cell"),
        (",x,y\nx,8,\ny,1,5\n", "'' is not a number"), (",x,x\nx,8,2\ny,1,5\n", "'x' twice"),
        (",x,y\nx,nan,2\ny,1,5\n", "NaN"), (",x,y\nx,-8,2\ny,1,5\n", "negative"),
        ('{"labels": 5, "matrix": [[1]]}', "the labels are 5"), ("[1, 2]", "list of rows"),
        ("[" * 100_000, "not valid JSON"), (",x,y\n", "no rows of counts"),
    ],
)  # fmt: skip
def test_what_is_no_square_matrix_of_numbers_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        cells(text)


@pytest.mark.parametrize(("n", "m"), [(n, m) for n, m in itertools.product(range(1, 6), repeat=2) if n != m])
def test_no_table_of_numbers_that_is_not_square_is_scored(n, m):
    text = "".join(",".join(str(1 + (r * m + c) % 7) for c in range(m)) + "\n" for r in range(n))
    with pytest.raises(InputError):
        cells(text)


def test_decimal_commas_between_semicolons():
    assert cells("0,5;1\n0;2,25\n").tp == (0.5, 2.25)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # One table has one meaning of the comma: 0,… is never thousands.
        ("\ta\tb\na\t0,9\t0,1\nb\t0,374\t0,626\n", [[0.9, 0.1], [0.374, 0.626]]),
        ("0,900\t0,100\n0,374\t0,626\n", [[0.9, 0.1], [0.374, 0.626]]),
        ('"0,9","0,1"\n"0,374","0,626"\n', [[0.9, 0.1], [0.374, 0.626]]),
        ("0,5;1\n0;1,200\n", [[0.5, 1], [0, 1.2]]),
        ("12,5\t1,200\n3\t4\n", [[12.5, 1.2], [3, 4]]),
        ("1.200,5\t3\n4\t7,25\n", [[1200.5, 3], [4, 7.25]]),
        ("0,5;1.200\n3;4\n", [[0.5, 1200], [3, 4]]),
        # Thousands: more than one group, a decimal point beside them, or a small whole number among them.
        ("1,200\t34\n7\t5,500\n", [[1200, 34], [7, 5500]]),
        ("0.5\t1,200\n3\t4\n", [[0.5, 1200], [3, 4]]),
        ("1,234,567\t1,200\n1,100\t2,300\n", [[1234567, 1200], [1100, 2300]]),
        ('"1,200","3"\n"12","1,500"\n', [[1200, 3], [12, 1500]]),
        ("1.200\t3.400\n2.100\t5.500\n", [[1.2, 3.4], [2.1, 5.5]]),
    ],
)
def test_a_comma_means_the_same_in_the_whole_matrix(text, expected):
    assert parse_matrix_table(text).cells == expected
    assert parse_printed_matrix(text).cells == expected


@pytest.mark.parametrize(
    "text", ["1,200\t3,400\n2,100\t5,500\n", "1200\t1,200\n3\t4\n", "1,200\t3.400\n2\t5\n", "0,9\t0.1\n0.3\t0,7\n"]
)
def test_a_comma_that_could_mean_either_is_refused(text):
    for read in (parse_matrix_table, parse_printed_matrix):
        with pytest.raises(InputError, match=r"thousands or decimals|one of them throughout"):
            read(text)


@pytest.mark.parametrize("mark", [" ", "   ", " | ", " & "])
def test_pasted_decimal_commas(mark):
    lines = [["a", "0,9", "0,1"], ["b", "0,374", "0,626"]]
    found = parse_printed_matrix("\n".join(mark.join(line) for line in lines))
    assert found.cells == [[0.9, 0.1], [0.374, 0.626]]
