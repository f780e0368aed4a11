"""Tags and spans: every scheme against a plain reading of its rules, and places in messages."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from macrof1.counting import tags as module
from macrof1.counting.spans import count_spans, pair_spans
from macrof1.counting.tags import _split, entities_in, grammar_of, parsed_tags

LETTERS = {"iob2": "BI", "iob1": "BI", "ioe": "IE", "iobes": "BIES", "bilou": "BILU"}


def conll(sentence):
    """Return entities as conlleval reads them: (start, end, type)."""
    found, start = [], None
    for place, tag in enumerate([*sentence, "O"]):
        before = sentence[place - 1] if place else "O"
        (last, old), (letter, kind) = ((tag[0], tag[2:]) for tag in (before, tag))
        last, letter = ({"L": "E", "U": "S"}.get(mark, mark) for mark in (last, letter))
        ends = start is not None and (letter in "OBS" or last in "ES" or old != kind)
        if ends:
            found.append((start, place, old))
            start = None
        if letter != "O" and start is None:
            start = place
    return found


def strict(sentence, scheme):
    """Return the entities whose tags are exactly as the scheme writes them."""
    n, found = len(sentence), []
    for start, stop in ((a, b) for a in range(n) for b in range(a + 1, n + 1)):
        kinds = {tag[2:] for tag in sentence[start:stop]}
        if len(kinds) != 1 or "O" in {tag[0] for tag in sentence[start:stop]}:
            continue
        letters = "".join(tag[0] for tag in sentence[start:stop]).replace("L", "E").replace("U", "S")
        (kind,) = kinds
        after = sentence[stop] if stop < n else "O"
        size = stop - start
        fits = {
            "iob2": letters == "B" + "I" * (size - 1) and after != f"I-{kind}",
            "iobes": letters == ("S" if size == 1 else "B" + "I" * (size - 2) + "E"),
        }
        fits["bilou"] = fits["iobes"]
        if fits[scheme]:
            found.append((start, stop, kind))
    return found


def read(sentence, scheme, mode):
    """Return the entities that the module finds."""
    tags = ["O", *sentence, "O"]
    distinct = sorted(set(tags))
    codes = np.array([distinct.index(tag) for tag in tags])
    prefix, kind, types = parsed_tags(distinct, scheme, mode, str)
    start, end = entities_in(codes, prefix, kind, grammar_of(scheme, mode))
    return [(int(s) - 1, int(e) - 1, types[kind[codes[s]]]) for s, e in zip(start, end, strict=True)]


def sentences(scheme, n):
    marks = ["O", *(f"{letter}-{kind}" for letter in LETTERS[scheme] for kind in "xy")]
    return product(marks, repeat=n)


@pytest.mark.parametrize("scheme", ["iob2", "iobes", "bilou"])
def test_every_short_sentence_as_conlleval_reads_it(scheme):
    for sentence in sentences(scheme, 3):
        assert read(sentence, scheme, "conll") == conll(sentence), sentence


@pytest.mark.parametrize("scheme", ["iob2", "iobes", "bilou"])
def test_every_short_sentence_as_the_scheme_writes_it(scheme):
    for sentence in sentences(scheme, 3):
        assert read(sentence, scheme, "strict") == strict(sentence, scheme), sentence


def test_many_tags_are_paired_as_they_occur(monkeypatch):
    some = [list(sentence) for sentence in sentences("iob2", 3)][::5]
    expected = [read(sentence, "iob2", "conll") for sentence in some]
    monkeypatch.setattr(module, "_MOST_PAIRS", 0)
    assert [read(sentence, "iob2", "conll") for sentence in some] == expected


@pytest.mark.parametrize(
    ("tag", "letters", "parts"),
    [
        ("O", "OBI", ("O", "")), ("o", "OBI", ("O", "")), ("B-x", "OBI", ("B", "x")), ("b_x", "OBI", ("B", "x")),
        ("B", "OBI", ("B", "_")), ("B-", "OBI", None), ("Bx", "OBI", None), ("E-x", "OBI", None), ("", "OBI", None),
        (3, "OBI", None), ("O-x", "OBI", None), ("B-x-y", "OBI", ("B", "x-y")), ("BB-x", "OBI", None),
    ],
)  # fmt: skip
def test_a_tag_is_split_at_its_prefix(tag, letters, parts):
    assert _split(tag, letters) == parts


def test_spans_are_read_by_place_or_by_name():
    gold = [[(0, 2, "a"), (3, 3, "b")], [], [(0, 1, "a")]]
    named = [
        [{"begin": 0, "stop": 2, "entity": "a"}],
        [{"start": 0, "end": 1, "label": "b"}],
        [{"start_offset": 0, "end_offset": 1, "type": "a"}],
    ]
    counts = count_spans(gold, named)
    assert (counts.labels, counts.tp, counts.predicted, counts.actual) == (("a", "b"), (2, 0), (2, 1), (2, 1))
    assert (counts.n_rows, counts.task) == (3, "spans")
    pairs = pair_spans([[(0, 1, "a"), (0, 1, "a")]], [[(0, 1, "a")]])
    assert [note.code for note in pairs.notes] == ["repeated_spans"]
    assert "1 span listed more than once" in pairs.notes[0]
    assert (len(pairs.gold), len(pairs.pred)) == (1, 1)
    assert pair_spans([[(0, 1, "a")]], [[(0, 1, "a")]]).notes == ()


def test_entities_that_begin_in_the_middle_are_noted():
    notes = pair_spans([["I-a", "O", "B-a"]], [["B-a", "O", "I-a"]]).notes
    assert [note.code for note in notes] == ["malformed_spans"]
    assert notes[0].startswith("1 gold entity and 1 predicted start without the tag that must open one in IOB2")
    assert pair_spans([["I-a"]], [["I-a"]], scheme="iob1").notes == ()
    assert pair_spans([["B-a"]], [["B-a"]]).notes == ()
    assert pair_spans([["I-a", "B-a"]], [["O", "B-a"]], mode="strict").notes == ()
    assert pair_spans([["E-a"]], [["O"]], scheme="iobes").notes[0].startswith("1 gold entity and 0 predicted")
