"""Saved counts: merged in any order, and refused for its reason if damaged, edited, or made in another way."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.counting.arrays import confusion
from macrof1.counting.confusion import Confusion
from macrof1.counting.multilabel import count_multilabel
from macrof1.counting.saved import SavedCounts, counts_text, load_counts, merge_saved, parse_saved, save_counts
from macrof1.errors import CountError, EmptyError, FileError, InputError, LabelError

from ..strategies import LABELS

SHARDS = st.lists(
    st.tuples(LABELS, LABELS, st.integers(0, 10**12), st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.75])),
    min_size=1,
    max_size=30,
)


@st.composite
def shards(draw):
    rows = draw(SHARDS)
    cuts = sorted(draw(st.sets(st.integers(1, len(rows)), max_size=4)) | {len(rows)})
    parts = [rows[start:stop] for start, stop in itertools.pairwise([0, *cuts])]
    return rows, draw(st.permutations(parts))


def counted(rows, weight):
    gold, pred, *weights = zip(*rows, strict=True)
    return confusion(gold, pred, sample_weight=None if weight is None else weights[weight])


@given(shards(), st.sampled_from([None, 0, 1]))
def test_merging_shards_in_any_order_is_one_pass(data, weight):
    rows, parts = data
    whole = counted(rows, weight)
    merged = merge_saved([(str(i), SavedCounts(counts=counted(part, weight))) for i, part in enumerate(parts)]).counts
    assert merged.labels == whole.labels
    assert merged.records() == whole.records()
    assert merged.n_rows == whole.n_rows
    if any(amount for *_, amount in whole.records()):
        found = macrof1.score_counts(merged).to_dict()
        # Weights of 1.0 in every row are no weights any more once they are saved as whole numbers.
        same = {name: found[name] for name in ("weighted", "signature")}
        assert found == macrof1.score_counts(whole).to_dict() | same


@given(st.lists(st.tuples(LABELS, LABELS, st.floats(0, 1e300)), min_size=1, max_size=30), st.randoms())
def test_real_weights_are_rounded_once_whatever_the_order(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    one, other = macrof1.Accumulator(), macrof1.Accumulator()
    one.update(*map(list, zip(*[row[:2] for row in rows], strict=True)), sample_weight=[row[2] for row in rows])
    for gold, pred, weight in shuffled:
        other.update([gold], [pred], sample_weight=[weight])
    assert one.counts() == other.counts()
    for gold, pred, amount in one.counts().records():
        assert amount == math.fsum(w for g, p, w in rows if (g, p) == (gold, pred))


def test_saved_counts_come_back_as_they_were(tmp_path):
    path = tmp_path / "p.counts.json"
    for counts in (
        confusion(["a", "b", None], ["a", "a", "b"], missing="label"),
        confusion([1, 2, 3], [1, 2, 2], labels=[2, 1]),
        confusion([True, False], [True, True], sample_weight=[0.1, 0.2]),
        confusion([1.0, "1"], [1.0, 1.0], sample_weight=[2**52, 3]),
        macrof1.count(["a", "b"], ["a", "a"]),
        count_multilabel([{"a", "b"}, set()], [{"a"}, {"b"}], sample_weight=[0.5, 3]),
        macrof1.Confusion.from_matrix([[0.5, 2], [1, 3]], rows="gold"),
    ):
        macrof1.save_counts(counts, path)
        assert macrof1.load_counts(path) == counts
    assert [child.name for child in tmp_path.iterdir()] == ["p.counts.json"]


def test_every_truncation_is_noticed(tmp_path):
    path = tmp_path / "p.counts.json"
    macrof1.save_counts(confusion(["a", "b"], ["a", "a"]), path)
    whole = path.read_bytes()
    for length in range(len(whole) - 2):
        path.write_bytes(whole[:length])
        with pytest.raises((FileError, EmptyError), match="not complete JSON" if length else "is empty"):
            macrof1.load_counts(path)
    path.write_bytes(b"\xff")
    with pytest.raises(FileError, match="not UTF-8"):
        macrof1.load_counts(path)


def test_an_accumulator_keeps_the_checks_of_one_pass_for_the_end():
    accumulator = macrof1.Accumulator(labels=["x", "y"])
    accumulator.update(["z"], ["z"]).update(["x"], ["y"])
    assert accumulator.counts() == confusion(["z", "x"], ["z", "y"], labels=["x", "y"])
    least = macrof1.Accumulator().update(["a", "b"], ["a", "b"], sample_weight=[5e-324, 1.0]).counts()
    assert least.class_counts().tp == (5e-324, 1.0)  # no weight is too small to be added
    matrices = macrof1.Accumulator().update(np.eye(3), np.eye(3)).update(np.eye(3), np.ones((3, 3)))
    assert list(matrices.counts().predicted) == [4, 4, 4]


CELLS = confusion(["a", "a", "b", "b"], ["a", "b", "b", "b"])
SETS = macrof1.count([{"a"}, {"a", "b"}], [{"a"}, {"b"}])


def content(counts=CELLS, **more):
    return {**SavedCounts(counts=counts).to_dict(), **more}


def parsed(**more):
    return parse_saved(json.dumps(content(**more)), "part")


def test_what_is_written_is_read_back():
    for counts in (CELLS, SETS, CELLS.class_counts()):
        found = parse_saved(counts_text(SavedCounts(counts=counts, missing="drop", weight=None)), "part")
        assert found.counts == counts
        assert (found.missing, found.weight) == ("drop", None)
        assert found.counts.n_rows == counts.n_rows
    written = content()
    assert written["cells"] == [[0, 0, 1], [0, 1, 1], [1, 1, 2]]
    assert written["convention"] == {"classes": "union", "missing": "error", "weight": None}
    assert (written["task"], written["n_rows"], written["n_listed"], written["version"]) == ("multiclass", 4, None, 1)
    assert content(SETS)["task"] == "multilabel"
    text = counts_text(SavedCounts(counts=CELLS))
    assert text.startswith('{\n  "format": "macrof1 counts",\n')
    assert text.endswith("]]\n}\n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "x"}, "holds no saved counts"),
        ({"version": 2}, "version 2 of the counts format"),
        ({"convention": []}, "convention and labels have the wrong type"),
        ({"labels": "ab"}, "convention and labels have the wrong type"),
        ({"labels": ["a", "a"]}, "twice"),
        ({"convention": {"classes": "union", "missing": "error", "weight": 3}}, "the convention's weight is 3"),
        *(
            ({"convention": {"classes": "union", "missing": "error", "unusable": share}}, f"unusable is {share}")
            for share in (1.5, -0.5, True, math.nan)
        ),
        ({"convention": {"classes": "union", "missing": "error", "over": 3}}, "the convention's over is not text"),
        ({"n_dropped": -1}, "n_dropped is -1"),
        ({"n_listed": -1}, "n_listed is -1"),
        ({"task": "x"}, "the task is 'x'"),
        ({"task": "multilabel"}, "cells of a multilabel task"),
        ({"n_rows": -1}, "n_rows is -1"),
        ({"n_rows": True}, "n_rows is True"),
        ({"n_rows": 4.0}, "n_rows is 4.0"),
        ({"n_dropped": None}, "n_dropped is None"),
        ({"n_rows": 5}, "the counts sum to 4 but n_rows is 5"),
        ({"n_listed": 3, "convention": {"classes": "listed", "missing": "error"}}, "n_listed is 3 for 2 labels"),
        ({"n_listed": 2}, "contradict each other"),
        ({"convention": {"classes": "listed", "missing": "error"}}, "contradict each other"),
        ({"convention": {"classes": "union", "missing": "x"}}, "missing"),
        ({"cells": [[0, 0, 1], [0, 1, 1], [1, 2, 2]]}, "names no label: expected positions from 0 to 1"),
        ({"cells": [[0, 0, 1], [0, -1, 1], [1, 1, 2]]}, r"the cell \[0, -1\] names no label"),
        ({"cells": [[0, 0, 1], [0, True, 1], [1, 1, 2]]}, r"the cell \[0, True\] names no label"),
        ({"cells": [[0, 0, 1], [1, 1, 2], [0, 1, 1]]}, "not in ascending order"),
        ({"cells": [[0, 0, 1], [0, 0, 1], [1, 1, 2]]}, "not in ascending order, or name a pair twice"),
        ({"cells": [[0, 0, 1], [0, 1], [1, 1, 2]]}, "not a list of"),
        ({"cells": [[0, 0, 1], [0, 1, 1, 1], [1, 1, 2]]}, "not a list of"),
        ({"cells": [[0, 0, 1], 5, [1, 1, 2]]}, "not a list of"),
        ({"cells": {}}, "not a list of"),
        ({"cells": [[0, 0, "1"], [0, 1, 1], [1, 1, 2]]}, "expected"),
        ({"cells": [[0, 0, 1.5], [0, 1, 0.5], [1, 1, 2]]}, "real numbers without a weight"),
        ({"cells": [[0, 0, -1], [0, 1, 3], [1, 1, 2]]}, "found -1"),
    ],
)
def test_damaged_cells_are_refused(change, message):
    with pytest.raises(FileError, match=message):
        parsed(**change)


def test_entries_that_are_missing_are_named():
    for name in ("task", "convention", "n_rows", "n_dropped", "n_listed", "labels"):
        with pytest.raises(FileError, match=f"the entries '{name}' are missing"):
            parse_saved(json.dumps({key: value for key, value in content().items() if key != name}), "part")
    with pytest.raises(FileError, match="the entries 'actual', 'predicted', 'tp' are missing"):
        parse_saved(json.dumps({key: value for key, value in content().items() if key != "cells"}), "part")
    with pytest.raises(FileError, match="part is not complete JSON"):
        parse_saved(json.dumps(content())[:-5], "part")
    with pytest.raises(FileError, match="holds no saved counts"):
        parse_saved("[1]", "part")


def test_no_cells_are_no_rows():
    found = parsed(cells=[], n_rows=0)
    assert (found.counts.n_rows, found.counts.records()) == (0, [])
    with pytest.raises(FileError, match="the counts sum to 0 but n_rows is 4"):
        parsed(cells=[])
    assert parsed(n_rows=None).counts.n_rows is None
    assert parsed(n_listed=2, convention={"classes": "listed", "missing": "error"}).counts.n_listed == 2
    assert parsed(cells=[[0, 0, 1.5]], convention={"classes": "union", "missing": "error", "weight": "w"}).weight == "w"


def of_classes(tp, predicted, actual, *, task="multiclass", n_rows=10, weight=None):
    base = {**content(), "task": task, "n_rows": n_rows, "tp": tp, "predicted": predicted, "actual": actual}
    base["convention"] = {"classes": "union", "missing": "error", "weight": weight}
    del base["cells"]
    return parse_saved(json.dumps(base), "part")


def test_margins_that_no_rows_have_are_refused():
    assert of_classes([3, 4], [5, 5], [4, 6]).counts.tp == (3, 4)
    with pytest.raises(FileError, match="predicted sums to 11 and actual to 10"):
        of_classes([3, 4], [6, 5], [4, 6])
    with pytest.raises(FileError, match="the counts sum to 10 but n_rows is 9"):
        of_classes([3, 4], [5, 5], [4, 6], n_rows=9)
    # A label is gold or predicted in at most all rows.
    assert of_classes([0, 0], [6, 4], [4, 6]).counts.n_rows == 10
    several = {"task": "multilabel", "n_rows": 10}
    assert of_classes([2, 4], [7, 5], [5, 6], **several).counts.predicted == (7, 5)
    with pytest.raises(FileError, match="'a' is gold or predicted in 11 rows, but n_rows is 10"):
        of_classes([1, 4], [7, 5], [5, 6], **several)
    assert of_classes([1, 4], [7, 5], [5, 6], task="multilabel", n_rows=None).counts.n_rows is None
    assert of_classes([1, 4], [7, 5], [5, 6], weight="w", **several).weight == "w"
    # Sums of weights may differ by rounding, and by no more.
    assert of_classes([0.5, 1], [1 + 1e-10, 1], [1, 1], weight="w").counts.real
    with pytest.raises(FileError, match="predicted sums to"):
        of_classes([0.5, 1], [1 + 1e-8, 1], [1, 1], weight="w")


def merged(*parts):
    return merge_saved([(f"part {place}", part) for place, part in enumerate(parts)])


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (SavedCounts(counts=SETS), r"the tasks differ \(multilabel, there multiclass\)"),
        (SavedCounts(counts=CELLS.class_counts()),
         r"one has cells, the other counts per class \(counts per class, there cells\)"),
        (SavedCounts(counts=CELLS, weight="w"), r"the weights differ \(w, there none\)"),
        (SavedCounts(counts=CELLS, missing="drop"),
         r"rows without a label were treated differently \(drop, there error\)"),
        (SavedCounts(counts=confusion(["a", "b"], ["a", "b"], labels=["a", "b"])),
         r"the class sets differ \('a', 'b', there what was seen\)"),
        (SavedCounts(counts=confusion([1, 2], [1, 2])), r"the labels have no type in common \(int, there str\)"),
    ],
)  # fmt: skip
def test_counts_made_in_different_ways_do_not_merge(other, message):
    with pytest.raises(CountError, match="cannot merge part 1 with part 0: " + message):
        merged(SavedCounts(counts=CELLS), other)


def test_counts_merge_by_label():
    other = confusion(["c", "a"], ["a", "a"])
    total = merged(SavedCounts(counts=CELLS), SavedCounts(counts=other), SavedCounts(counts=other)).counts
    assert total == CELLS + other + other
    one = SavedCounts(counts=CELLS, missing="drop")
    assert merged(one) == one
    assert merged(one, one).missing == "drop"
    with pytest.raises(InputError, match="no counts to merge"):
        merged()
    classes = merged(*(SavedCounts(counts=part.class_counts()) for part in (CELLS, other))).counts
    assert classes == (CELLS + other).class_counts()
    sets = merged(SavedCounts(counts=SETS), SavedCounts(counts=SETS)).counts
    assert (sets.task, sets.tp, sets.n_rows) == ("multilabel", tuple(2 * n for n in SETS.tp), 4)
    real = confusion(["a", "b"], ["a", "a"], sample_weight=[0.1, 0.7])
    both = merged(*[SavedCounts(counts=real, weight="w")] * 3)
    assert both.counts.records() == [("a", "a", math.fsum([0.1] * 3)), ("b", "a", math.fsum([0.7] * 3))]
    assert (both.weight, both.counts.weighted) == ("w", True)
    big = SavedCounts(counts=Confusion.from_cells([("a", "a", 2**62)]))
    with pytest.raises(CountError):
        merged(big, big)
    rest = SavedCounts(counts=Confusion.from_cells([("a", "a", 2**62 - 1)]))
    assert merged(big, rest).counts.records() == [("a", "a", 2**63 - 1)]
    assert merged(*(SavedCounts(counts=one.counts.class_counts()) for one in (big, rest))).counts.tp == (2**63 - 1,)
    big = SavedCounts(counts=big.counts.class_counts())
    with pytest.raises(CountError):
        merged(big, big)


def test_unknown_numbers_of_rows_stay_unknown():
    unknown = parsed(n_rows=None)
    assert merged(unknown, SavedCounts(counts=CELLS)).counts.n_rows is None
    dropped = parsed(n_dropped=3)
    assert merged(dropped, dropped).counts.n_dropped == 6


def test_counts_are_saved_with_how_they_were_made(tmp_path):
    path = tmp_path / "a.counts.json"
    save_counts(confusion(["a"], ["a"], sample_weight=[2]), path)
    assert json.loads(path.read_text())["convention"]["weight"] == "sample_weight"
    save_counts(confusion(["a"], ["a"], sample_weight=[2]), path, weight="w", missing="label")
    assert json.loads(path.read_text())["convention"] == {"classes": "union", "missing": "label", "weight": "w"}
    save_counts(CELLS, path)
    assert json.loads(path.read_text())["convention"]["weight"] is None
    assert load_counts(str(path)) == load_counts([path]) == CELLS
    assert load_counts([path, path]).n_rows == 8
    with pytest.raises(InputError, match=r"counts is of type list: expected what macrof1\.count"):
        save_counts([1], path)
    with pytest.raises(FileError, match="cannot write"):
        save_counts(CELLS, tmp_path / "no" / "p.counts.json")
    with pytest.raises(FileError, match="no file"):
        load_counts(tmp_path / "none.counts.json")
    with pytest.raises(InputError, match="no counts to merge"):
        load_counts([])
    with pytest.raises(InputError):
        save_counts(CELLS, path, missing="x")
    with pytest.raises(LabelError, match=r"is a tuple, which JSON cannot keep"):
        save_counts(confusion([(1, 2)], [(1, 2)]), path)
    assert load_counts(path) == CELLS
