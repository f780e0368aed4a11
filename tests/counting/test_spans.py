"""Entities: tags and spans become counts per type, as seqeval counts them and as the rules of each scheme say."""

import copy
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
import seqeval.scheme as seqeval_scheme
from seqeval.metrics.sequence_labeling import get_entities

import macrof1
from macrof1.counting import tags as module
from macrof1.counting.spans import count_spans, pair_spans
from macrof1.counting.tags import SCHEMES, entities_in, grammar_of, parsed_tags
from macrof1.errors import EmptyError

SEQEVAL = {"iob2": "IOB2", "iob1": "IOB1", "ioe": "IOE2", "iobes": "IOBES", "bilou": "BILOU"}
LETTERS = {"iob2": "BI", "iob1": "BI", "ioe": "IE", "iobes": "BIES", "bilou": "BILU"}


def oracle(gold, pred, scheme, mode):
    """Count with seqeval's own extraction of entities."""
    if mode == "strict":
        entities = [seqeval_scheme.Entities(side, getattr(seqeval_scheme, SEQEVAL[scheme])) for side in (gold, pred)]
        found = [{(e.tag, e.sent_id, e.start, e.end) for each in side.entities for e in each} for side in entities]
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [set(get_entities(side)) for side in (gold, pred)]
    types = sorted({entity[0] for side in found for entity in side})
    sets = found[0] & found[1], found[1], found[0]
    return tuple(types), *(tuple(sum(entity[0] == kind for entity in side) for kind in types) for side in sets)


def ours(gold, pred, scheme, mode):
    try:
        counts = count_spans(gold, pred, scheme=scheme, mode=mode)
    except EmptyError:
        return (), (), (), ()
    return counts.labels, *(tuple(map(int, column)) for column in (counts.tp, counts.predicted, counts.actual))


# seqeval's default mode knows no L and U: the short sentences below have them.
@pytest.mark.parametrize(
    ("scheme", "mode"),
    [(scheme, mode) for scheme in SCHEMES for mode in ("strict", "conll") if (scheme, mode) != ("bilou", "conll")],
)
def test_equal_to_seqeval_on_random_tags(scheme, mode):
    rng = np.random.default_rng([SCHEMES.index(scheme), mode == "strict"])
    letters = LETTERS[scheme] if mode == "strict" else "BIES"
    n_right = 0
    for _ in range(300):
        types = ["PER", "LOC", "A-B"][: rng.integers(1, 4)]

        def tag(types=types):
            return "O" if rng.random() < 0.3 else f"{rng.choice(list(letters))}-{rng.choice(types)}"

        gold = [[tag() for _ in range(rng.integers(0, 9))] for _ in range(rng.integers(1, 5))]
        pred = [[old if rng.random() < 0.6 else tag() for old in sentence] for sentence in gold]
        expected = oracle(gold, pred, scheme, mode)
        assert ours(gold, pred, scheme, mode) == expected, (gold, pred)
        n_right += sum(expected[1])
    assert n_right > 100  # the cases hold entities that agree


def test_spans_equal_the_tags_that_they_stand_for():
    gold = [["B-PER", "I-PER", "O", "B-LOC"], []]
    pred = [["B-PER", "O", "O", "B-LOC"], []]
    as_spans = [[(0, 2, "PER"), (3, 4, "LOC")], []], [[(0, 1, "PER"), {"start": 3, "end": 4, "label": "LOC"}], []]
    assert count_spans(*as_spans).labels == ("LOC", "PER")
    assert ours(*as_spans, "iob2", "conll") == ours(gold, pred, "iob2", "conll")


def test_types_outside_the_listed_ones_are_kept_as_errors_of_none():
    counts = count_spans([["B-PER", "B-LOC"]], [["B-PER", "B-ORG"]], labels=["PER", "MISC"])
    assert counts.labels == ("PER", "MISC", "LOC", "ORG")
    assert counts.n_listed == 2


def test_counts_of_documents_add_up():
    gold = [["B-PER"], ["B-LOC", "O"], ["B-PER", "I-PER"]]
    pred = [["B-PER"], ["B-PER", "O"], ["B-PER", "I-PER"]]
    pairs = pair_spans(gold, pred)
    first, second, empty = pairs.counts_by(np.array([0, 1, 0]), 3)
    assert first + second == pairs.counts()
    assert first == count_spans([gold[0], gold[2]], [pred[0], pred[2]])
    assert empty.labels == ()


@pytest.mark.parametrize(
    "as_side",
    [tuple, iter, np.array, pd.Series, lambda side: [tuple(sentence) for sentence in side]],
    ids=["tuple", "iterator", "array", "Series", "tuples"],
)
def test_sentences_come_in_any_container(as_side):
    gold, pred = [["B-PER", "O"], ["O", "B-LOC"]], [["B-PER", "O"], ["B-LOC", "I-LOC"]]
    assert count_spans(as_side(gold), as_side(pred)) == count_spans(gold, pred)


NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


@pytest.mark.parametrize("as_type", [int, np.int64])
def test_numbers_stand_for_named_tags(as_type):
    gold, pred = [[1, 2, 0, 3], [0, 1]], [[1, 2, 0, 0], [0, 2]]
    named = [[[NAMES[tag] for tag in sentence] for sentence in side] for side in (gold, pred)]
    numbers = [[[as_type(tag) for tag in sentence] for sentence in side] for side in (gold, pred)]
    for options in ({}, {"mode": "strict"}):
        assert count_spans(*numbers, tag_names=NAMES, **options) == count_spans(*named, **options)
    assert count_spans(numbers[0], named[1], tag_names=NAMES) == count_spans(*named)


def test_prefixes_alone_are_a_type_and_mean_the_same_in_small_letters_and_with_underscores():
    alone = count_spans([["B", "I", "O", "B"]], [["B", "I", "O", "O"]])
    assert (alone.labels, alone.tp, alone.actual) == (("_",), (1,), (2,))
    gold, pred = [["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]]
    other = [[["b-PER", "i_PER", "o"]], [["B_PER", "o", "O"]]]
    assert count_spans(*other) == count_spans(gold, pred)


@pytest.mark.parametrize(
    ("gold", "pred", "codes"),
    [
        ([["B-PER", "O"], ["O", "I-LOC"]], [["B-PER", "O"], ["O", "I-LOC"]], ["malformed_spans"]),
        ([[(0, 1, "A"), (0, 1, "A")]], [[(0, 1, "A")]], ["repeated_spans"]),
        ([["B-PER", "O"], ["B-LOC", "O"]], [["B-PER", "O"], ["B-Loc", "O"]], ["never_in_gold", "nearly_equal"]),
        ([["B-PER", "O"]], [["B-per", "O"]], ["no_common_label", "nearly_equal"]),
        ([["B-PER", "O"]], [["B-PER", "B-X"]], ["never_in_gold"]),
        ([["B-PER", "O"]], [["B-PER", "O"]], []),
    ],
)
def test_a_score_of_entities_says_what_was_noticed(gold, pred, codes):
    counts = macrof1.count_spans(gold, pred)
    result = macrof1.score_counts(counts)
    assert result.note_codes == result.to_dict()["note_codes"] == codes
    assert not any("normalize" in note for note in result.notes)  # entities have no such option
    assert copy.deepcopy(counts) == counts


def by_seqeval(sentence, scheme, mode):
    """Return entities as seqeval reads them: (start, end, type)."""
    if mode == "strict":
        (found,) = seqeval_scheme.Entities([list(sentence)], getattr(seqeval_scheme, SEQEVAL[scheme])).entities
        return sorted((entity.start, entity.end, entity.tag) for entity in found)
    tags = [tag.translate(str.maketrans("LU", "ES")) for tag in sentence]  # it knows no L and U there
    return sorted((start, end + 1, kind) for kind, start, end in get_entities(tags))


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


@pytest.mark.parametrize("mode", ["conll", "strict"])
@pytest.mark.parametrize("scheme", ["iob2", "iobes", "bilou"])
def test_every_short_sentence_as_seqeval_reads_it(scheme, mode):
    for sentence in sentences(scheme, 3):
        assert read(sentence, scheme, mode) == by_seqeval(sentence, scheme, mode), sentence


def test_many_tags_are_paired_as_they_occur(monkeypatch):
    some = [list(sentence) for sentence in sentences("iob2", 3)][::5]
    expected = [read(sentence, "iob2", "conll") for sentence in some]
    monkeypatch.setattr(module, "_MOST_PAIRS", 0)
    assert [read(sentence, "iob2", "conll") for sentence in some] == expected


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
    assert (len(pairs.gold.kind), len(pairs.pred.kind)) == (1, 1)
    assert pair_spans([[(0, 1, "a")]], [[(0, 1, "a")]]).notes == ()


def test_entities_that_begin_in_the_middle_are_noted():
    notes = pair_spans([["I-a", "O", "B-a"]], [["B-a", "O", "I-a"]]).notes
    assert [note.code for note in notes] == ["malformed_spans"]
    assert notes[0].startswith("1 gold entity and 1 predicted start without the tag that must open one in IOB2")
    assert pair_spans([["I-a"]], [["I-a"]], scheme="iob1").notes == ()
    assert pair_spans([["B-a"]], [["B-a"]]).notes == ()
    assert pair_spans([["I-a", "B-a"]], [["O", "B-a"]], mode="strict").notes == ()
    assert pair_spans([["E-a"]], [["O"]], scheme="iobes").notes[0].startswith("1 gold entity and 0 predicted")
