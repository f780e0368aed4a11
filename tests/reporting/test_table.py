"""Tables cannot be broken by what stands in them."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macrof1.reporting.table import Table, markdown_text

FIELDS = st.text(max_size=12)


@given(st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=5))
def test_every_format_keeps_its_shape(rows):
    table = Table(["name", "value"], rows)
    assert len(table.to_text().split("\n")) == len(rows) + 2
    markdown = table.to_markdown().split("\n")
    assert len(markdown) == len(rows) + 2
    unescaped = [line.replace("\\\\", "").replace("\\|", "").count("|") for line in markdown]
    assert unescaped == [3] * len(markdown)
    assert table.to_latex().count(r"\\") == len(rows) + 1


# csv.reader splits at a lone carriage return inside quotes only when newline handling is off.
@given(st.lists(st.tuples(st.text("ab,\"'\n;|é", max_size=8), FIELDS.filter(str.isprintable)), min_size=1, max_size=5))
def test_csv_reads_back(rows):
    text = Table(["name", "value"], rows).to_csv()
    assert [tuple(row) for row in csv.reader(io.StringIO(text + "\n", newline=""))][1:] == rows


def test_wide_characters_are_aligned():
    lines = Table(["名前", "n"], [["日本", "1"], ["ab", "22"]]).to_text().splitlines()
    assert lines[2].endswith("日本   1")
    assert lines[3].endswith("ab    22")


def test_markup_is_text():
    table = Table(["class"], [["<script>alert(1)</script>"], [r"\input{x} & 50% $y_1$ ~^#"]])
    assert "<script>" not in table.to_markdown()
    assert r"\textbackslash{}input\{x\} \& 50\% \$y\_1\$ \textasciitilde{}\textasciicircum{}\#" in table.to_latex()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b", "a_b"), ("_y_", r"\_y\_"), ("*x|`z`", r"\*x\|\`z\`"), ("[l](u)", r"\[l](u)"), ("- item", r"\- item"),
        ("1. x", r"1\. x"), ("# h", r"\# h"), ("<b>", "&lt;b>"), ("\\", r"\\"), ("-0.5", "-0.5"), ("1.5", "1.5"),
    ],
)  # fmt: skip
def test_markdown_does_not_act_on_text(text, expected):
    assert markdown_text(text) == expected
