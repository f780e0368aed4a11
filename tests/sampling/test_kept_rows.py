"""Every result from rows has an interval: many classes, weights, clusters, label sets."""

import numpy as np
import pytest

import macrof1
from macrof1.counting.arrays import confusion
from macrof1.sampling.joint import _distinct
from macrof1.sampling.patterns import RowFacts

RNG = np.random.default_rng(0)
GOLD = RNG.integers(0, 100, 4000)
PRED = np.where(RNG.random(4000) < 0.7, GOLD, RNG.integers(0, 100, 4000))


@pytest.mark.parametrize("n_rows", [1, 500, 20_000])
@pytest.mark.parametrize("n_labels", [3, 1 << 20, 1 << 31, 1 << 50])
@pytest.mark.parametrize("facts", [(), ("weights",), ("clusters", "amounts")])
def test_distinct_rows_are_those_of_numpy(n_rows, n_labels, facts):
    values = RNG.integers(0, 3, (5, n_rows))
    columns = [column * (n_labels - 1) // 2 for column in values[:3]]
    known = {name: column + 1 for name, column in zip(facts, values[3:], strict=False)}
    first, amounts = _distinct(columns, RowFacts(**known), n_labels)
    keys = np.stack([*columns, *(column for name, column in known.items() if name != "amounts")])
    _, expected, place = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    assert first.tolist() == expected.tolist()
    assert amounts.tolist() == np.bincount(place, known.get("amounts")).tolist()


@pytest.mark.parametrize("n_labels", [1 << 20, 1 << 50])
def test_rows_that_hardly_repeat_are_kept_by_their_gold_label(n_labels):
    columns = list(RNG.integers(0, n_labels, (2, 20_000)))
    first, amounts = _distinct(columns, RowFacts(), n_labels)
    assert first.tolist() == np.argsort(columns[0], kind="stable").tolist()
    assert amounts.tolist() == [1] * 20_000


def test_many_classes_have_intervals_too():
    result = macrof1.score(GOLD, PRED)
    assert result.cells == confusion(GOLD, PRED)
    assert result.interval() == macrof1.score_counts(confusion(GOLD, PRED)).interval()
    assert result.to_dict()["noise_floor"] > 0


def test_weights_of_rows_have_intervals():
    few, found = GOLD % 3, PRED % 3
    weights = RNG.random(4000)
    result = macrof1.score(few, found, sample_weight=weights)
    assert result.cells.weighted
    delta, boot = result.interval(), result.interval(method="bootstrap", n_resamples=2000)
    assert boot.standard_error == pytest.approx(delta.standard_error, rel=0.1)
    # Every row twice as heavy says no more than before; every row twice says more.
    assert macrof1.score(few, found, sample_weight=np.full(4000, 2)).interval() == macrof1.score(few, found).interval()
    twice = macrof1.score(np.tile(few, 2), np.tile(found, 2)).interval()
    assert twice.standard_error < 0.75 * macrof1.score(few, found).interval().standard_error


@pytest.mark.parametrize("factor", [1.5, 1 + 1e-6])
def test_weights_that_changed_in_place_have_no_interval(factor):
    gold, weights = np.arange(200_000) % 3, RNG.random(200_000)
    result = macrof1.score(gold, gold[::-1], sample_weight=weights)
    weights *= factor
    with pytest.raises(macrof1.MacroF1Error, match="the rows have changed"):
        result.interval()


def test_sets_of_labels_with_weights_have_intervals():
    gold, pred = [{"a"}, {"b"}, {"a", "b"}] * 30, [{"a"}, {"a"}, {"a", "b"}] * 30
    plain = macrof1.score(gold, pred)
    heavy = macrof1.score(gold, pred, sample_weight=[2.0] * 90)
    assert heavy.interval().standard_error == pytest.approx(plain.interval().standard_error)
    assert heavy.cells is None
    assert heavy.noise_floor is None


def test_cells_of_real_weights_are_counted_with_many_classes_too():
    rng = np.random.default_rng(0)
    gold, pred, weight = rng.integers(0, 300, 50_000), rng.integers(0, 300, 50_000), rng.random(50_000)
    result = macrof1.score(gold, pred, sample_weight=weight)
    assert result.cells.cells.sum() == pytest.approx(weight.sum())
    assert result.cells.class_counts().tp == pytest.approx(result.counts.tp)


def test_counts_of_entities_know_their_sentences():
    gold = [["B-PER", "O"], ["B-LOC", "B-PER"], ["O", "B-LOC"]] * 9
    pred = [["B-PER", "O"], ["B-LOC", "O"], ["B-PER", "B-LOC"]] * 9
    counts = macrof1.count_spans(gold, pred)
    found = macrof1.score_counts(counts).interval("averaged_f1")
    assert found.low < found.estimate < found.high
    # Sentences are the sample: each of the three kinds nine times.
    assert counts.rows.patterns().n_rows == 27
    assert counts.rows.patterns().class_counts().tp == counts.tp
    with pytest.raises(macrof1.InputError, match="not the rows behind them"):
        macrof1.score_counts(counts + counts).interval()


def test_what_was_noticed_in_entities_stays_with_their_counts():
    loose = macrof1.count_spans([["I-PER", "O"]], [["I-PER", "O"]])
    assert macrof1.score_counts(loose).note_codes == ["malformed_spans"]
    assert macrof1.score_counts(loose + loose).note_codes == ["malformed_spans"]
