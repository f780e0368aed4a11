"""The other averages, against scikit-learn; and weights of any finite size."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

import macrof1

from ..oracles import Exact
from ..strategies import BETAS, label_pairs

THEIRS = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "cohen_kappa": metrics.cohen_kappa_score,
    "mcc": metrics.matthews_corrcoef,
    "micro_f1": lambda gold, pred, **rest: metrics.f1_score(gold, pred, average="micro", zero_division=0, **rest),
    "weighted_f1": lambda gold, pred, **rest: metrics.f1_score(gold, pred, average="weighted", zero_division=0, **rest),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", THEIRS)
@given(label_pairs(labels=st.integers(0, 4)), st.data())
def test_the_other_averages_are_those_of_scikit_learn(name, pair, data):
    gold, pred = pair
    weights = data.draw(st.none() | st.lists(st.integers(1, 5), min_size=len(gold), max_size=len(gold)))
    ours = getattr(macrof1.score(gold, pred, sample_weight=weights), name)
    theirs = THEIRS[name](gold, pred, sample_weight=weights)
    assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12, nan_ok=True)


def test_real_weights_too():
    rng = np.random.default_rng(0)
    gold, pred = rng.integers(0, 5, (2, 400))
    weights = rng.random(400)
    result = macrof1.score(gold, pred, sample_weight=weights)
    for name, theirs in THEIRS.items():
        assert getattr(result, name) == pytest.approx(theirs(gold, pred, sample_weight=weights), rel=1e-12), name


def test_listed_classes_narrow_the_means_and_nothing_else():
    gold, pred = [0, 0, 1, 2, 2, 3], [0, 1, 1, 2, 3, 3]
    result = macrof1.score(gold, pred, labels=[0, 2])
    assert result.micro_f1 == metrics.f1_score(gold, pred, labels=[0, 2], average="micro")
    assert result.weighted_f1 == pytest.approx(metrics.f1_score(gold, pred, labels=[0, 2], average="weighted"))
    assert result.accuracy == metrics.accuracy_score(gold, pred)


def test_what_needs_all_rows_is_none_where_they_are_not_known():
    several = macrof1.score([{"a"}, {"a", "b"}], [{"a"}, {"b"}])
    card = macrof1.score_counts(macrof1.ClassCounts.from_errors({"cat": (629, 155, 159)}))
    for result in (several, card):
        assert [result.accuracy, result.balanced_accuracy, result.cohen_kappa, result.mcc] == [None] * 4
    assert several.micro_f1 == 2 / 3 * 2 / (1 + 2 / 3)


@pytest.mark.parametrize("scale", [5e-324, 1e-320, 1e-163, 1e-100, 1.0, 1e100, 1e155, 1e298])
@pytest.mark.parametrize("beta", [1.0, 0.5, 3.0])
def test_scores_do_not_depend_on_the_unit_of_the_weights(scale, beta):
    matrix = [[1, 100], [0, 1]]
    expected = macrof1.score_matrix(matrix, rows="predicted", beta=beta)
    result = macrof1.score_matrix(np.array(matrix) * scale, rows="predicted", beta=beta)
    for name in ("averaged_f1", "f1_of_averages", "gap", "micro_f1", "weighted_f1", "accuracy", "cohen_kappa", "mcc"):
        assert getattr(result, name) == pytest.approx(getattr(expected, name), rel=1e-14), name


WEIGHT = st.just(0.0) | st.floats(5e-324, 1e307, allow_subnormal=True)


@given(st.lists(WEIGHT, min_size=9, max_size=9), BETAS)
def test_every_finite_weight_is_scored_right_or_refused(cells, beta):
    matrix = [cells[:3], cells[3:6], cells[6:]]
    assume(any(map(any, matrix)))
    try:
        result = macrof1.score_matrix(matrix, rows="gold", beta=beta)
    except macrof1.InputError as error:
        assert "the weights sum to" in str(error)  # noqa: PT017  # refused in words, or right
        return
    counts = result.counts
    exact = Exact(*(list(map(Fraction, column)) for column in (counts.tp, counts.predicted, counts.actual)), beta=beta)
    for name in ("averaged_f1", "f1_of_averages"):
        # The smallest doubles have few digits.
        assert getattr(result, name) == pytest.approx(float(getattr(exact, name)), rel=1e-13, abs=1e-300)
    assert result.gap >= 0
    assert math.isfinite(result.gap)
    assert result.gap == pytest.approx(float(exact.gap), rel=1e-9, abs=1e-300)
