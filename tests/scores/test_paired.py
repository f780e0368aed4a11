"""Three tests on joint patterns: against rows, against SciPy, and where the answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, kstest, norm

import macrof1
from macrof1.counts.joint import joint_patterns
from macrof1.scores.paired import Rules, holm, normal_p, paired_evidence
from macrof1.scores.resampling import bootstrap, coin_flips


def systems(n_rows=300, n=3, seed=0, share=0.5):
    rng = np.random.default_rng(seed)
    gold = rng.choice(n, n_rows, p=np.arange(n, 0, -1) / np.arange(n, 0, -1).sum())
    a = np.where(rng.random(n_rows) < 0.7, gold, rng.integers(0, n, n_rows))
    b = np.where(rng.random(n_rows) < share, a, np.where(rng.random(n_rows) < 0.6, gold, rng.integers(0, n, n_rows)))
    return gold, a, b


def test_the_delta_method_is_the_variance_of_row_differences():
    gold, a, b = systems()
    found = paired_evidence(
        joint_patterns(gold, {"a": a, "b": b}), Rules(), n_resamples=100, rng=np.random.default_rng(0)
    )
    # An independent way: the jackknife over rows, which agrees to first order.
    for formula in ("averaged_f1", "f1_of_averages"):
        kept = [np.arange(len(gold)) != row for row in range(len(gold))]
        d = np.array(
            [
                getattr(macrof1.score(gold[k], a[k]), formula) - getattr(macrof1.score(gold[k], b[k]), formula)
                for k in kept
            ]
        )
        n = len(gold)
        jackknife = np.sqrt((n - 1) / n * ((d - d.mean()) ** 2).sum())
        assert found.pair_errors[formula][0, 1] == pytest.approx(jackknife, rel=0.02)
        difference = getattr(macrof1.score(gold, a), formula) - getattr(macrof1.score(gold, b), formula)
        expected = 2 * norm.sf(abs(difference) / found.pair_errors[formula][0, 1])
        assert found.p["delta"][formula][0, 1] == pytest.approx(expected, rel=1e-9)


def test_joint_patterns_resample_as_rows_do():
    gold, a, b = systems(120)
    rng = np.random.default_rng(1)
    patterns = joint_patterns(gold, {"a": a, "b": b}, labels=range(3))
    assert len(patterns.amounts) < 120
    evidence = paired_evidence(patterns, Rules(), n_resamples=2000, rng=rng)
    ours = evidence.draws["averaged_f1"][0] - evidence.draws["averaged_f1"][1]
    rows = []
    for _ in range(1500):
        k = rng.integers(0, 120, 120)
        first, second = (macrof1.score(gold[k], side[k], labels=range(3)).averaged_f1 for side in (a, b))
        rows.append(first - second)
    assert kstest(ours, rows).pvalue > 0.01


def test_randomisation_equals_swapping_rows():
    gold, a, b = systems(150, share=0.8)
    rng = np.random.default_rng(2)
    patterns = joint_patterns(gold, {"a": a, "b": b})
    p = paired_evidence(patterns, Rules(), n_resamples=4000, rng=rng).p["randomisation"]
    for formula in ("averaged_f1", "f1_of_averages"):
        seen = getattr(macrof1.score(gold, a), formula) - getattr(macrof1.score(gold, b), formula)
        as_far = 0
        for _ in range(2000):
            swap = rng.random(150) < 0.5
            first, second = np.where(swap, b, a), np.where(swap, a, b)
            d = getattr(macrof1.score(gold, first), formula) - getattr(macrof1.score(gold, second), formula)
            as_far += abs(d) >= abs(seen) - 1e-12
        by_rows = (1 + as_far) / 2001
        assert p[formula][0, 1] == pytest.approx(by_rows, abs=0.045)
        assert 0.02 < by_rows < 0.98


def test_randomisation_is_exact_where_all_exchanges_can_be_listed():
    # Three rows on which the systems differ: 8 exchanges, 2 of them as extreme as what was seen.
    gold = ["x", "y"] * 10
    a = list(gold)
    b = ["y", "x", "y", *gold[3:]]
    p = paired_evidence(
        joint_patterns(gold, {"a": a, "b": b}), Rules(), n_resamples=20_000, rng=np.random.default_rng(0)
    ).p["randomisation"]["averaged_f1"][0, 1]
    assert p == pytest.approx(2 / 8, abs=0.01)


def test_randomisation_with_a_label_that_one_system_alone_has():
    gold = ["x", "y"] * 30
    a = ["x", "y", "x", "x"] * 15
    b = ["x", "y", "x", "z"] * 15
    rng = np.random.default_rng(0)
    p = paired_evidence(joint_patterns(gold, {"a": a, "b": b}), Rules(), n_resamples=2000, rng=rng).p["randomisation"]
    for formula in ("averaged_f1", "f1_of_averages"):
        seen = getattr(macrof1.score(gold, a), formula) - getattr(macrof1.score(gold, b), formula)
        as_far = 0
        for _ in range(2000):
            swap = rng.random(60) < 0.5
            first, second = ([y if s else x for s, x, y in zip(swap, *two, strict=True)] for two in ((a, b), (b, a)))
            d = getattr(macrof1.score(gold, first), formula) - getattr(macrof1.score(gold, second), formula)
            as_far += abs(d) >= abs(seen) - 1e-12
        assert p[formula][0, 1] == pytest.approx(as_far / 2000, abs=0.05)


@pytest.mark.parametrize("n_rows", [700, 5000])
def test_blocks_of_patterns_give_the_same_counts_in_total(monkeypatch, n_rows):
    monkeypatch.setattr("macrof1.scores.resampling._BLOCK", 1)
    gold, a, b = systems(n_rows, n=9, share=0.1)
    patterns = joint_patterns(gold, {"a": a, "b": b})
    assert len(patterns.amounts) > 2 * 64
    rng = np.random.default_rng(0)
    (part,) = bootstrap(patterns, 400, rng)
    assert (part.actual.sum(0) == n_rows).all()
    assert (part.predicted.sum(1) == n_rows).all()
    counts = patterns.class_counts(0)
    assert part.tp[0].mean(1) == pytest.approx(counts.tp, rel=0.1)
    assert part.actual.var(1) == pytest.approx(counts.actual * (1 - counts.actual / n_rows), rel=0.4)
    (flips,) = coin_flips(patterns, 400, rng)
    assert flips.predicted[1].mean(1) == pytest.approx(patterns.class_counts(1).predicted / 2, rel=0.1)
    assert flips.actual.sum(0).var() == pytest.approx(n_rows / 4, rel=0.4)


def test_equal_systems_do_not_differ():
    gold, a, _ = systems()
    found = paired_evidence(
        joint_patterns(gold, {"a": a, "b": a}), Rules(), n_resamples=200, rng=np.random.default_rng(0)
    )
    for test in ("delta", "bootstrap", "randomisation"):
        for formula in ("averaged_f1", "f1_of_averages"):
            assert found.p[test][formula][0, 1] == 1
    assert found.flip_probability[0, 1] == 0


def test_p_values_are_roughly_uniform_under_the_null():
    # benchmarks/coverage.py does this at length; here a smaller sample guards against gross errors.
    rng = np.random.default_rng(3)
    found = {test: [] for test in ("delta", "bootstrap", "randomisation")}
    for _ in range(150):
        gold = rng.integers(0, 3, 400)
        a, b = (np.where(rng.random(400) < 0.7, gold, rng.integers(0, 3, 400)) for _ in range(2))
        evidence = paired_evidence(joint_patterns(gold, {"a": a, "b": b}), Rules(), n_resamples=200, rng=rng)
        for test, values in found.items():
            values.append(evidence.p[test]["averaged_f1"][0, 1])
    for values in found.values():
        assert kstest(values, "uniform").pvalue > 0.005


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_by_its_definition(p):
    adjusted = holm(p)
    for value, own in zip(p, adjusted, strict=True):
        assert own == min(1.0, max((sum(q >= r for q in p)) * r for r in p if r <= value))
    # Holm is never bolder than Benjamini and Hochberg, who control less.
    assert all(np.array(adjusted) >= false_discovery_control(p) - 1e-12)


def test_a_difference_without_error_is_certain():
    p = normal_p(np.array([[0.0, 0.2]]), np.array([[0.0, 0.0]]))
    assert p.tolist() == [[1.0, 0.0]]
