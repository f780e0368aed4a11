"""Sentences fit the terminal, and words stay whole."""

from __future__ import annotations

import io
import sys
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from macrof1.cli.streams import say
from macrof1.reporting.as_text import paragraphs, shown_width, text_width, wrapped

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
    assert paragraphs(["a\nb", "c"]) == "a\\nb\nc"


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
