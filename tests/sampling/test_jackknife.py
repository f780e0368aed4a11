"""Scores without one row, and smoothed scores, against computing them directly."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import macrof1
from macrof1.convention import DEFAULT, Convention
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.patterns import Patterns, one_label
from macrof1.sampling.samples import Sample
from macrof1.sampling.standard_errors import jackknife_influence

LABELS = st.sampled_from("abcd")
ROWS = st.lists(st.tuples(LABELS, LABELS), min_size=3, max_size=20)
SETS = st.lists(st.tuples(*[st.sets(LABELS)] * 2), min_size=3, max_size=12)
MEASURES = ("averaged_f1", "f1_of_averages", "macro_precision", "macro_recall")


def jackknifed(gold, pred, units, **options):
    """Score all but one unit at a time, over the classes of all rows, and take the jackknife's error."""
    scores = [
        macrof1.score(
            [g for g, unit in zip(gold, units, strict=True) if unit != out],
            [p for p, unit in zip(pred, units, strict=True) if unit != out],
            **options,
        )
        for out in dict.fromkeys(units)
    ]
    values = {of: np.array([getattr(score, of) for score in scores]) for of in MEASURES}
    n = len(scores)
    return {of: np.sqrt((n - 1) / n * ((part - part.mean()) ** 2).sum()) for of, part in values.items()}


def jackknife_errors(patterns, convention=DEFAULT):
    left = Sample(patterns, convention).left
    return {of: np.sqrt(patterns.sum_of_squares(jackknife_influence(patterns, left.score(of)))) for of in MEASURES}


@given(ROWS, st.sampled_from([0, 1]), st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=60)
def test_taking_a_row_is_scoring_without_it(rows, undefined, beta):
    gold, pred = zip(*rows, strict=True)
    labels = sorted({*gold, *pred})
    expected = jackknifed(gold, pred, range(len(gold)), labels=labels, undefined=undefined, beta=beta)
    patterns = joint_patterns(list(gold), {"x": list(pred)}, labels=labels)
    assert jackknife_errors(patterns, Convention(undefined=undefined, beta=beta)) == pytest.approx(expected, abs=1e-12)


@given(st.one_of(ROWS, SETS), st.data())
@settings(max_examples=100)
def test_taking_a_cluster_is_scoring_without_it(rows, data):
    gold, pred = zip(*rows, strict=True)
    clusters = data.draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows)))
    assume(len(set(clusters)) > 1)
    labels = list("abcd")
    expected = jackknifed(gold, pred, clusters, labels=labels)
    patterns = joint_patterns(list(gold), {"x": list(pred)}, labels=labels, cluster=clusters)
    assert patterns.n_clusters == len(set(clusters))
    assert jackknife_errors(patterns) == pytest.approx(expected, abs=1e-12)


def smoothed_table(table):
    """Write out what is added: half a right row, a quarter of a wrong one in each row and column."""
    n = len(table)
    found = table + 0.5 * np.eye(n)
    for i in range(n):
        others = np.arange(n) != i
        column, row = table.sum(0)[others] + 0.5, table.sum(1)[others] + 0.5
        found[i, others] += 0.25 * column / column.sum()
        found[others, i] += 0.25 * row / row.sum()
    return found


def as_patterns(table):
    n = len(table)
    gold, pred = (side.reshape(-1) for side in np.indices((n, n)))
    return Patterns(
        labels=tuple(range(n)), amounts=np.asarray(table).reshape(-1), n_listed=n, **one_label(gold, [pred])
    )


@given(st.integers(2, 6), st.integers(0, 1000))
@settings(max_examples=60)
def test_smoothing_is_the_delta_method_on_the_table_written_out(n, seed):
    table = np.random.default_rng(seed).integers(0, 9, (n, n))
    assume(table.sum(1).all())  # a label that is never gold gets no rows
    ours = Sample(as_patterns(table), DEFAULT).smoothed
    full = Sample(as_patterns(smoothed_table(table.astype(float))), DEFAULT)
    for of in MEASURES:
        assert ours.point.values[of] == pytest.approx(full.point.values[of], rel=1e-12)
        assert ours.standard_error(of) == pytest.approx(full.delta_error(of), rel=1e-10)


def test_clusters_of_one_row_or_of_copies_say_no_more_than_the_row():
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 3, 200)
    pred = np.where(rng.random(200) < 0.7, gold, 0)
    cluster = rng.permutation(200)
    once = joint_patterns(gold, {"x": pred}, cluster=cluster)
    five = joint_patterns(np.tile(gold, 5), {"x": np.tile(pred, 5)}, cluster=np.tile(cluster, 5))
    for rows in (joint_patterns(gold, {"x": pred}), five):
        assert jackknife_errors(once) == pytest.approx(jackknife_errors(rows), rel=1e-12)
    for of in MEASURES:
        one, many = (Sample(part, DEFAULT).delta_error(of) for part in (once, five))
        assert one == pytest.approx(many, rel=1e-12)
    ends = []
    for n in (1, 5):
        result = macrof1.score(np.tile(gold, n), np.tile(pred, n), cluster=np.tile(np.arange(200), n))
        ends.append(result.interval("macro_precision"))
    assert (ends[0].low, ends[0].high) == pytest.approx((ends[1].low, ends[1].high), rel=1e-12)


def test_a_sentence_with_two_entities_of_a_type_is_one_unit():
    sentences = [
        (["B-PER", "O", "B-PER"], ["B-PER", "O", "O"]),
        (["B-LOC", "B-PER"], ["B-LOC", "B-PER"]),
        (["B-LOC", "B-LOC", "O"], ["B-LOC", "O", "B-LOC"]),
        (["O", "B-PER"], ["B-LOC", "B-PER"]),
    ]
    gold, pred = map(list, zip(*sentences, strict=True))
    patterns = macrof1.count_spans(gold, pred).rows.patterns()
    values = [
        macrof1.score_counts(macrof1.count_spans(gold[:at] + gold[at + 1 :], pred[:at] + pred[at + 1 :])).averaged_f1
        for at in range(len(gold))
    ]
    expected = np.sqrt(3 / 4 * ((np.array(values) - np.mean(values)) ** 2).sum())
    assert jackknife_errors(patterns)["averaged_f1"] == pytest.approx(expected, rel=1e-12)
