"""Tables cannot be broken by the content of their cells; sentences fit the terminal, and words stay whole."""

import csv
import io
import re
import sys
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macrof1.cli.streams import say
from macrof1.reporting.as_markup import markdown_text, table_latex, table_markdown
from macrof1.reporting.as_text import printable, shown_width, table_text, text_of, text_width, wrapped
from macrof1.reporting.document import Sentences, Table
from macrof1.reporting.rendering import csv_text

FIELDS = st.text(max_size=12)


@given(st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=5))
def test_every_format_keeps_its_shape(rows):
    table = Table(["name", "value"], rows)
    assert len(table_text(table, width=10_000).split("\n")) == len(rows) + 2
    markdown = table_markdown(table).split("\n")
    assert len(markdown) == len(rows) + 2
    unescaped = [line.replace("\\\\", "").replace("\\|", "").count("|") for line in markdown]
    assert unescaped == [3] * len(markdown)
    assert table_latex(table, caption="T").count(r"\\") == len(rows) + 1


# csv.reader splits at a lone carriage return inside quotes only when newline handling is off.
@given(st.lists(st.tuples(st.text("ab,\"'\n;|é", max_size=8), FIELDS.filter(str.isprintable)), min_size=1, max_size=5))
def test_csv_reads_back(rows):
    text = csv_text(Table(["name", "value"], rows))
    assert [tuple(row) for row in csv.reader(io.StringIO(text + "\n", newline=""))][1:] == rows


def test_wide_characters_are_aligned():
    lines = table_text(Table(["名前", "n"], [["日本", "1"], ["ab", "22"]])).splitlines()
    assert lines[2].endswith("日本   1")
    assert lines[3].endswith("ab    22")


@given(
    st.lists(st.lists(st.text(max_size=40), min_size=5, max_size=5), min_size=1, max_size=4),
    st.integers(40, 120),
    st.integers(1, 3),
)
def test_no_line_is_wider_than_the_terminal_and_nothing_is_lost(texts, width, n_text):
    numbers = [[*row[:n_text], *("1234.5678" for _ in row[n_text:])] for row in texts]
    table = Table(["name", "what it is", "a long title", "F1 of averages", "share of gap"], numbers, n_text)
    text = table_text(table, width=width)
    assert max(map(shown_width, text.split("\n"))) <= width
    letters = Counter(re.sub(r"\s|─", "", text))
    assert all(letters >= Counter(re.sub(r"\s|─", "", printable(cell))) for row in numbers for cell in row)


def test_numbers_are_never_broken_and_titles_are():
    table = Table(["class", "F1 of averages", "note"], [["x" * 30, "0.1234", "one two three four"]], words=2)
    assert table_text(table, width=46).splitlines() == [
        "                      F1 of",
        "class              averages  note",
        "─────────────────  ────────  ─────────────────",
        "xxxxxxxxxxxxxxxxx    0.1234  one two three",
        "xxxxxxxxxxxxx                four",
    ]


def test_a_table_that_is_too_wide_is_split_and_every_part_names_its_rows():
    table = Table(["class", *(f"score {n}" for n in range(6))], [["cat", *["0.123456789012"] * 6]])
    first, second = table_text(table, width=64).split("\n\n")
    assert first.splitlines()[0].split() == ["class", "score", "0", "score", "1", "score", "2"]
    assert second.splitlines()[2].startswith("cat")


def test_markup_is_text():
    table = Table(["class"], [["<script>alert(1)</script>"], [r"\input{x} & 50% $y_1$ ~^#"]])
    assert "<script>" not in table_markdown(table)
    assert r"\textbackslash{}input\{x\} \& 50\% \$y\_1\$ \textasciitilde{}\textasciicircum{}\#" in table_latex(
        table, caption="T"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b", "a_b"), ("_y_", r"\_y\_"), ("*x|`z`", r"\*x\|\`z\`"), ("[l](u)", r"\[l](u)"), ("- item", r"\- item"),
        ("1. x", r"1\. x"), ("# h", r"\# h"), ("<b>", "&lt;b>"), ("\\", r"\\"), ("-0.5", "-0.5"), ("1.5", "1.5"),
    ],
)  # fmt: skip
def test_markdown_does_not_act_on_text(text, expected):
    assert markdown_text(text) == expected


WORDS = st.lists(st.text("ab日é|", min_size=1, max_size=12), min_size=1, max_size=30)


@given(WORDS, st.integers(20, 60))
def test_words_keep_their_order_and_lines_their_width(words, width):
    text = wrapped(" ".join(words), after="  ", width=width)
    assert text.split() == words
    lines = text.split("\n")
    assert all(shown_width(line) <= width or len(line.split()) == 1 for line in lines)
    # No word would have fitted on the line above it.
    for above, line in pairwise(lines):
        assert shown_width(f"{above} {line.split()[0]}") > width


def test_what_is_longer_than_a_line_stays_whole():
    signature = "averaged_f1|classes:union|" + "x" * 100
    assert wrapped(f"signed {signature} here", width=40).split("\n") == ["signed", signature, "here"]


def test_a_label_cannot_break_a_paragraph():
    assert text_of([Sentences(items=["a\nb", "c"])]) == "a\\nb\nc"


def test_the_width_is_that_of_the_terminal_and_80_elsewhere(monkeypatch):
    monkeypatch.setenv("COLUMNS", "132")
    assert text_width() == 132
    monkeypatch.setenv("COLUMNS", "3")
    assert text_width() == 40
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr(sys, "__stdout__", io.StringIO())
    assert text_width() == 80


class Terminal(io.StringIO):
    """What a person watches."""

    def isatty(self):
        return True


def test_errors_are_one_line_for_programs_and_wrapped_for_people(monkeypatch):
    line = "no column 'label' in a.csv: " + "it has many columns, " * 8
    for stream, n_lines in ((io.StringIO(), 1), (Terminal(), 3)):
        monkeypatch.setattr(sys, "stderr", stream)
        say(line)
        shown = stream.getvalue().splitlines()
        assert len(shown) == n_lines
        assert " ".join(" ".join(shown).split()) == f"mf1: {line.strip()}"
        assert n_lines == 1 or max(map(len, shown)) <= 80
