"""compare() with weights: a row is one draw, whatever its weight."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest
from sklearn.metrics import f1_score

import macrof1
from macrof1.convention import DEFAULT
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.resampling import bootstrap_scores
from macrof1.sampling.samples import Sample
from macrof1.sampling.standard_errors import gap_noise, influence

FORMULAS = ("averaged_f1", "f1_of_averages")
LABELS = st.sampled_from("abc")
ROWS = st.lists(
    st.tuples(LABELS, LABELS, LABELS, st.one_of(st.integers(0, 5), st.floats(0.125, 8))), min_size=3, max_size=25
)


def rows(n_rows=160, seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.choice(3, n_rows, p=[0.5, 0.3, 0.2])
    a, b = (np.where(rng.random(n_rows) < right, gold, rng.integers(0, 3, n_rows)) for right in (0.7, 0.6))
    return gold, a, b, rng.exponential(1.0, n_rows)


@given(ROWS)
@settings(max_examples=60)
def test_scores_are_those_of_score(found):
    found = [("a", "b", "a", 1), *found]
    gold, x, y, weights = map(list, zip(*found, strict=True))
    result = macrof1.compare(gold, {"x": x, "y": y}, sample_weight=weights, n_resamples=100)
    for system in result.systems:
        own = macrof1.score(gold, x if system.name == "x" else y, sample_weight=weights)
        for formula in (*FORMULAS, "gap"):
            assert getattr(system, formula) == pytest.approx(getattr(own, formula), rel=1e-12, abs=1e-15)
        if all(isinstance(weight, int) for weight in weights):
            assert system.averaged_f1 == own.averaged_f1
    assert result.n_rows == len(found)
    assert "weights:" in result.signature()


def test_equal_weights_change_nothing_whatever_they_are():
    gold, a, b, _ = rows()
    plain = macrof1.compare(gold, {"a": a, "b": b}, method="bootstrap").to_dict()
    for weight in (1, 3, 0.25):
        same = macrof1.compare(gold, {"a": a, "b": b}, method="bootstrap", sample_weight=[weight] * len(gold)).to_dict()
        for key in ("systems", "comparisons"):
            assert _numbers(same[key]) == pytest.approx(_numbers(plain[key]), rel=1e-9)


def _numbers(content):
    if isinstance(content, dict):
        return [number for value in content.values() for number in _numbers(value)]
    if isinstance(content, list):
        return [number for value in content for number in _numbers(value)]
    return [content] if isinstance(content, (int, float)) else []


@pytest.mark.parametrize("weighted", [False, True])
def test_the_bootstrap_is_that_of_rows_with_scikit_learn(weighted):
    gold, a, b, weights = rows()
    weights = weights if weighted else np.ones(len(gold))
    rng = np.random.default_rng(1)
    patterns = joint_patterns(gold, {"a": a, "b": b}, labels=range(3), sample_weight=weights if weighted else None)
    assert weighted or len(patterns.amounts) < len(gold)  # rows that are alike are drawn together
    draws = bootstrap_scores(patterns, DEFAULT, 2000, rng, None)["averaged_f1"]
    theirs = []
    for _ in range(1500):
        k = rng.integers(0, len(gold), len(gold))
        theirs.append(
            [f1_score(gold[k], s[k], average="macro", sample_weight=weights[k], labels=range(3)) for s in (a, b)]
        )
    theirs = np.array(theirs).T
    assert kstest(draws[0], theirs[0]).pvalue > 0.01
    assert kstest(draws[0] - draws[1], theirs[0] - theirs[1]).pvalue > 0.01
    # Weights taken for numbers of rows would give another width.
    assert draws[0].std() == pytest.approx(theirs[0].std(), rel=0.1)


def test_the_delta_method_is_the_gradient_by_each_rows_weight():
    gold, a, b, weights = rows(60)
    patterns = joint_patterns(gold, {"a": a, "b": b}, sample_weight=weights).alone(0)
    assert (patterns.amounts == 1).all()
    for formula in FORMULAS:
        moved = influence(patterns, Sample(patterns, DEFAULT).point.gradients[formula])
        for row in range(0, 60, 7):
            step = 1e-6 * weights[row]
            ends = []
            for sign in (1, -1):
                other = weights.copy()
                other[row] += sign * step
                ends.append(getattr(macrof1.score(gold, a, sample_weight=other), formula))
            (at,) = np.flatnonzero(patterns.weights == weights[row])
            assert moved[at] == pytest.approx(weights[row] * (ends[0] - ends[1]) / (2 * step), abs=1e-8)
        assert moved.sum() == pytest.approx(0, abs=1e-12)


def test_p_values_do_not_depend_on_the_unit_of_weights():
    # Exchanges can empty class y: tenths must cancel there as whole numbers do.
    gold = [*"yyyyyy", *"zzzz", *"xxxxxxxxxx"]
    a = [*"yyyyxx", *"xzxz", *"xxxxxxxxxz"]
    b = [*"xxxxxx", *"zzzz", *"xxxxxxxxxx"]
    tenths = [1, 2, 3, 6, 7, 9, 1, 3, 7, 11, *range(1, 11)]
    results = [
        macrof1.compare(gold, {"a": a, "b": b}, sample_weight=weights, n_resamples=1000)
        for weights in (tenths, [weight / 10 for weight in tenths])
    ]
    for formula in FORMULAS:
        whole, real = (getattr(result.comparisons[0], formula) for result in results)
        assert real.p == pytest.approx(whole.p, rel=1e-9)


def test_label_sets_with_weights():
    rng = np.random.default_rng(3)
    gold, x, y = (rng.random((40, 3)) < 0.5 for _ in range(3))
    weights = rng.exponential(1.0, 40)
    sets = [[frozenset(np.flatnonzero(row).tolist()) for row in side] for side in (gold, x, y)]
    for sides in ((gold.astype(int), x.astype(int), y.astype(int)), sets):
        result = macrof1.compare(
            sides[0], {"x": sides[1], "y": sides[2]}, labels=range(3), sample_weight=weights, n_resamples=100
        )
        for system in result.systems:
            own = macrof1.score(sides[0], sides[1 if system.name == "x" else 2], labels=range(3), sample_weight=weights)
            assert system.averaged_f1 == pytest.approx(own.averaged_f1, rel=1e-12)
        assert result.n_rows == 40
        assert not joint_patterns(sides[0], {"x": sides[1]}).class_counts().weighted


def test_rows_without_weight_tell_nobody_apart():
    gold = ["x", "y"] * 100
    other = ["y", *gold[1:]]
    result = macrof1.compare(gold, {"a": gold, "b": other}, sample_weight=[0] + [1] * 199, n_resamples=100)
    (pair,) = result.comparisons
    assert pair.n_differing == 0
    assert pair.averaged_f1.difference == 0
    assert not pair.averaged_f1.significant
    # One heavy row is worth no more than one, however many there are.
    result = macrof1.compare(gold, {"a": gold, "b": other[:1] + ["x"] * 199}, sample_weight=[1e6] + [1] * 199)
    assert any("of equal weight only" in doubt for doubt in result.comparisons[0].doubts)
    assert result.notes[0].startswith("Rows carry weights")
    assert "worth about 1 of equal weight" in result.notes[0]


def test_the_noise_floor_does_not_depend_on_the_unit_of_weights():
    gold, a, _, weights = rows()
    floors = [gap_noise(joint_patterns(gold, {"a": a}, sample_weight=scale * weights)).floor for scale in (1, 7)]
    assert floors[0] == pytest.approx(floors[1], rel=1e-9)
    assert floors[0] > 1.2 * gap_noise(joint_patterns(gold, {"a": a})).floor


def test_missing_rows_take_their_weights_with_them():
    gold, a, b = ["x", "y", None, "x", "y"], ["x", "y", "y", "y", "y"], ["y", "y", "y", "x", "y"]
    result = macrof1.compare(gold, {"a": a, "b": b}, sample_weight=[1, 2, 40, 8, 16], missing="drop", n_resamples=100)
    keep = [0, 1, 3, 4]
    own = macrof1.score([gold[k] for k in keep], [a[k] for k in keep], sample_weight=[1, 2, 8, 16])
    assert next(s for s in result.systems if s.name == "a").averaged_f1 == own.averaged_f1


def test_intervals_take_a_weighted_row_for_one_draw():
    gold, a, b, weights = rows()
    compared = macrof1.compare(gold, {"a": a, "b": b}, sample_weight=weights, n_resamples=100)
    expected = next(system.averaged_f1_interval for system in compared.systems if system.name == "a")
    weighted = macrof1.score(gold, a, sample_weight=weights).interval("averaged_f1")
    assert (weighted.low, weighted.high) == pytest.approx(expected, abs=1e-12)
