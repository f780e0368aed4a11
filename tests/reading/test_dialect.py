"""Separators and quotes: a damaged file is read as it was written, or rejected."""

import csv
import io
import os
import random
import re
import warnings
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import macrof1
from macrof1.errors import InputError
from macrof1.reading import dialect, scans, tables
from macrof1.reading.dialect import quotes_protect, separator_of
from tests.oracles import count_file

LABELS = ["cat", "dog", "", "a, b", 'say "hi"', "tab\there", "x;y", "naïve", "two\nlines"]
# Per format and reader; 2,500 make the 10,000 that were tried by hand.
N_MUTATIONS = int(os.environ.get("MACROF1_MUTATIONS", "300"))


def quoted_table(draw, separator, *, everything):
    """Write some rows as a spreadsheet does."""
    rows = [["text", "gold", "pred"]]
    labels = draw.sample(LABELS, 4)
    rows += [[draw.choice(LABELS), draw.choice(labels), draw.choice(labels)] for _ in range(draw.randint(2, 8))]
    text = io.StringIO()
    quoting = csv.QUOTE_ALL if everything else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=draw.choice(["\n", "\r\n"])).writerows(rows)
    return text.getvalue().rstrip("\r\n") + draw.choice(["", "\n", "\n\n"])


def mutated(draw, text):
    """Delete, insert, double or exchange a character; most often a quote."""
    quotes = [place for place, mark in enumerate(text) if mark == '"']
    at = draw.choice(quotes) if quotes and draw.random() < 0.7 else draw.randrange(len(text))
    kind = draw.randrange(4)
    if kind == 0:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + draw.choice('",\t;\nx') + text[at:]
    if kind == 2:
        return text[:at] + text[at] + text[at:]
    return text[:at] + text[at + 1 : at + 2] + text[at] + text[at + 2 :]


def by_the_csv_module(text, separator):
    """Count what Python's csv module reads; None where it finds the text broken."""
    try:
        rows = list(_csv(text.rstrip("\r\n") + "\n", separator))
    except csv.Error:
        return None
    rows = rows[next((place for place, row in enumerate(rows) if row), 0) :]
    return _pairs(rows)


def _pairs(rows):
    names = [name.strip().lower() for name in rows[0]]
    if len({len(row) for row in rows}) != 1 or names.count("gold") != 1 or names.count("pred") != 1:
        return None
    at = names.index("gold"), names.index("pred")
    return Counter((row[at[0]] or None, row[at[1]] or None) for row in rows[1:])


def by_records(text, separator):
    """Count records one by one: a line, or lines that quotes hold together; a broken line without any quoting."""
    lines = text.rstrip("\r\n").split("\n")
    width = len(lines[0].split(separator))
    rows, at = [], 0
    while at < len(lines):
        for end in range(at + 1, len(lines) + 1):
            record = "\n".join(lines[at:end]) + "\n"
            if quotes_protect(record.encode(), separator, 1) and len(found := list(_csv(record, separator))) == 1:
                break
        else:
            found, end = [lines[at].removesuffix("\r").split(separator)], at + 1
        if len(found[0]) != width:
            return None
        rows, at = [*rows, *found], end
    return _pairs(rows)


def _csv(text, separator):
    return csv.reader(io.StringIO(text, newline="\n"), delimiter=separator, strict=True)


def by_lines(text, separator):
    """Count the lines of a table without any quoting."""
    return _pairs([line.removesuffix("\r").split(separator) for line in text.rstrip("\r\n").split("\n")])


@pytest.mark.parametrize("reader", ["rows", "blocks"])
@pytest.mark.parametrize(("ending", "separator"), [("csv", ","), ("tsv", "\t")])
def test_mutated_quotes_are_read_right_or_refused(tmp_path, monkeypatch, ending, separator, reader):
    monkeypatch.setattr(tables, "_SMALL", 1 << 40 if reader == "rows" else 0)
    draw = random.Random(f"{ending} {reader}")  # noqa: S311  # the same cases every time
    monkeypatch.setattr(scans, "_MOST_BYTES", draw.choice([8, 64, 1 << 20]))
    path = tmp_path / f"p.{ending}"
    tried = Counter()
    for number in range(N_MUTATIONS):
        whole = quoted_table(draw, separator, everything=number % 2 == 0)
        text = mutated(draw, whole) if number % 10 else whole
        path.write_bytes(text.encode())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                counts = count_file(path, missing="label")
            except InputError:
                tried["refused"] += 1
                # Tabs and line breaks inside quotes can look like rows by themselves; nothing else is refused whole.
                assert (
                    text != whole
                    or not by_the_csv_module(whole, separator)
                    or (ending == "tsv" and "tab\there" in text)
                ), text
                continue
        found = Counter({(gold, pred): n for gold, pred, n in counts.records()})
        expected = by_the_csv_module(text, separator)
        if reader == "blocks" and found != expected:  # a line that is broken outside the labels, in a block of its own
            expected = by_records(text, separator)
        if found != expected:
            # Quotes have no meaning in tab-separated tables, and none where they protect no label.
            assert found == by_lines(text, separator), text
            assert not any('"' in (label or "") for pair in found for label in pair), text
        n_lines = len(text.strip("\r\n").split("\n")) - 1
        assert counts.n_rows == n_lines or any("line breaks" in str(one.message) for one in caught), text
        tried["right"] += 1
    assert min(tried["right"], tried["refused"]) > N_MUTATIONS // 10


def test_ordinary_text_that_starts_with_a_quote_swallows_no_rows(tmp_path):
    path = tmp_path / "tweets.tsv"
    path.write_text('text\tgold\tpred\n"hi there\ta\tb\nplain\ta\ta\nhe said "no"\tb\tb\nbye"\tb\ta\n')
    assert count_file(path).records() == [("a", "a", 1), ("a", "b", 1), ("b", "a", 1), ("b", "b", 1)]
    path.write_text('text\tgold\tpred\nx\t"a\tb\ny\ta\t"b\n')
    with pytest.raises(InputError, match="belongs to no quoted field"):
        count_file(path)


def test_a_comma_inside_a_quoted_header_is_no_separator(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text('"text, as given";gold;pred\n"x, y";a;b\nz;b;b\n')
    assert count_file(path).records() == [("a", "b", 1), ("b", "b", 1)]
    assert macrof1.audit_table(_leaderboard(tmp_path)).rows[0].name == "a"


def _leaderboard(folder):
    path = folder / "l.csv"
    path.write_text('"run, as named";system;macro_f1\nx;a;"0,5"\n')
    return path


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["gold,pred"], ","), (["a\tb", "1,5\t2"], "\t"), (["name;f1, macro", "x;0", "y;1"], ";"),
        (['"a;b",c', '"d",e'], ","), (["one"], ","), ([], ","),
    ],
)  # fmt: skip
def test_separators_are_told_outside_quotes_and_by_all_lines(lines, expected):
    assert separator_of(lines) == expected


@pytest.mark.parametrize(
    ("block", "protects"),
    [
        (b'"a","b"\n', True), (b'"a""b",""\n', True), (b'\xef\xbb\xbf"a",b\n', True), (b'"a",b"\n', False),
        (b'"a,"b"\n', False), (b'"a"x,b\n', False), (b'"a","b', False), (b'a, "b"\n', False),
        (b'"a"\r\n"b"\r\n', True),
    ],
)  # fmt: skip
def test_quotes_stand_at_the_ends_of_fields(block, protects):
    assert quotes_protect(block, ",", 2) is protects


FIELDS = st.lists(
    st.text(alphabet='"",a\n\t\r', max_size=8) | st.sampled_from(['"a"', '""', '"\n"', '","', "\n", "\r\n"])
)


@given(FIELDS.map("".join).filter(lambda text: '"' in text), st.sampled_from(",\t"), st.sampled_from([1, 7, 1 << 19]))
@example('"a","b"\n' * 40, ",", 1 << 19)
@example('"a","b"\r\n' * 40, ",", 64)
@example('"a\n' * 41, ",", 7)
def test_quotes_are_judged_as_a_grammar_does_whatever_the_pieces(text, separator, piece):
    field = rf'(?:"(?:[^"]|"")*"(?:(?={separator})|\r?(?=\n|\Z))|[^"{separator}\n]*)'
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dialect, "_PIECE", piece)
        protects = quotes_protect(text.encode(), separator, 1)
    assert protects == bool(re.fullmatch(rf"(?:{field}[{separator}\n])*{field}", text))


def test_lines_are_counted_in_pieces_from_one_place_to_another():
    assert dialect.count_byte(b"a\n" * 300_000, b"\n", 1, 599_999) == 299_999
