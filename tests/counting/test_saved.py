"""Saved counts: merged in any order, and rejected if they do not belong together."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.counting.arrays import confusion
from macrof1.counting.multilabel import count_multilabel
from macrof1.counting.saved import SavedCounts, merge_saved
from macrof1.errors import EmptyError, FileError, InputError, LabelError

from ..strategies import LABELS

ROWS = st.lists(
    st.tuples(LABELS, LABELS, st.integers(0, 10**12), st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.75])),
    min_size=1,
    max_size=30,
)


@st.composite
def shards(draw):
    rows = draw(ROWS)
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


@given(shards(), st.sampled_from([None, 0, 1]))
def test_an_accumulator_does_not_care_how_batches_are_cut(data, weight):
    rows, parts = data
    whole = macrof1.Accumulator()
    pieces = [macrof1.Accumulator() for _ in parts]
    for accumulator, part in [(whole, rows), *zip(pieces, parts, strict=True)]:
        gold, pred, *weights = zip(*part, strict=True)
        accumulator.update(gold, pred, sample_weight=None if weight is None else weights[weight])
    merged = macrof1.Accumulator()
    for piece in pieces:
        merged.merge(piece)
    assert merged.counts() == whole.counts()
    assert merged.counts().records() == counted(rows, weight).records()


@given(st.lists(st.tuples(LABELS, LABELS, st.floats(0, 1e300)), min_size=1, max_size=30), st.randoms())
def test_real_weights_are_rounded_once_whatever_the_order(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    one, other = macrof1.Accumulator(), macrof1.Accumulator()
    one.update(*map(list, zip(*[row[:2] for row in rows], strict=True)), sample_weight=[row[2] for row in rows])
    for gold, pred, weight in shuffled:
        other.update([gold], [pred], sample_weight=[weight])
    assert one.counts() == other.counts()
    import math

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


def test_labels_that_json_cannot_keep_and_folders_that_are_not_there(tmp_path):
    with pytest.raises(LabelError, match="JSON cannot keep"):
        macrof1.save_counts(confusion([b"a"], [b"a"]), tmp_path / "p.counts.json")
    with pytest.raises(FileError, match="cannot write"):
        macrof1.save_counts(confusion(["a"], ["a"]), tmp_path / "no" / "p.counts.json")
    with pytest.raises(InputError, match=r"expected what macrof1\.count"):
        macrof1.save_counts([1], tmp_path / "p.counts.json")
    with pytest.raises(FileError, match="no file"):
        macrof1.load_counts(tmp_path / "none.counts.json")
    with pytest.raises(InputError, match="no counts to merge"):
        macrof1.load_counts([])


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
    sets = macrof1.Accumulator().update([set()], [set()]).update([{"a"}], [{"a", "b"}])
    assert sets.counts() == count_multilabel([set(), {"a"}], [set(), {"a", "b"}])
    matrices = macrof1.Accumulator().update(np.eye(3), np.eye(3)).update(np.eye(3), np.ones((3, 3)))
    assert list(matrices.counts().predicted) == [4, 4, 4]


def test_counts_of_entities_are_kept_and_merge(tmp_path):
    gold, pred = [["B-PER", "O", "B-LOC"]], [["B-PER", "O", "O"]]
    counts = macrof1.count_spans(gold, pred)
    paths = [tmp_path / f"{part}.counts.json" for part in range(2)]
    for path in paths:
        macrof1.save_counts(counts, path)
    assert macrof1.load_counts(paths[0]) == counts
    assert macrof1.load_counts(paths) == counts + counts
