"""scikit-learn: the same numbers, its own tests, its cross-validation, its metadata routing."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.datasets import load_iris
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, fbeta_score, precision_score, recall_score
from sklearn.model_selection import GridSearchCV, cross_validate

import macrof1
from macrof1.integrations.sklearn import (
    averaged_f1_score,
    averaged_f1_scorer,
    classification_report,
    f1_of_averages_score,
    f1_of_averages_scorer,
)

# Tests of scikit-learn that ask for its wording of an error. The errors themselves are tested below.
OTHER_WORDS = [
    "test_metrics_consistent_type_error",  # "Mix of label input types": ours names the labels
    "test_classification_inf_nan_input",  # "Input contains NaN": ours says how many rows lack a label
    "test_classification_binary_continuous_input",  # "mix of binary and continuous targets": ours names the value
    "test_classification_metrics_raise_on_empty_input",  # "Found empty input array"
    "test_classification_with_invalid_sample_weight",  # "Input sample_weight contains infinity"
]
MACRO_F = "macro_f0.5_score or macro_f1_score or macro_f2_score"
CHOSEN = f"{MACRO_F} or precision_recall_f or precision_refcall or prf or zero_precision"


def random_case(rng):
    n, size = int(rng.integers(1, 7)), int(rng.integers(1, 40))
    gold = rng.integers(0, n, size)
    return gold, np.where(rng.random(size) < 0.6, gold, rng.integers(0, n + 1, size))


@pytest.mark.parametrize("zero_division", [0, 1, np.nan])
@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_options_equal_scikit_learn(zero_division, beta):
    rng = np.random.default_rng(4)
    for _ in range(20):
        gold, pred = random_case(rng)
        options = {"labels": [0, 2, 9], "sample_weight": rng.random(len(gold)), "zero_division": zero_division}
        theirs = fbeta_score(gold, pred, beta=beta, average="macro", **options)
        assert averaged_f1_score(gold, pred, beta=beta, **options) == pytest.approx(theirs, abs=1e-12, nan_ok=True)
        p = precision_score(gold, pred, average="macro", **options)
        r = recall_score(gold, pred, average="macro", **options)
        harmonic = (1 + beta**2) * p * r / (beta**2 * p + r) if beta**2 * p + r else 0.0
        ours = f1_of_averages_score(gold, pred, beta=beta, **options)
        assert ours == pytest.approx(harmonic, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("zero_division", [0, 1, np.nan])
def test_with_beta_0_a_class_that_is_never_predicted_is_undefined(zero_division):
    gold, pred = [0, 0, 1, 2], [0, 0, 1, 1]
    theirs = fbeta_score(gold, pred, beta=0, average="macro", zero_division=zero_division)
    assert averaged_f1_score(gold, pred, beta=0, zero_division=zero_division) == theirs
    with pytest.warns(UndefinedMetricWarning, match="never predicted"):
        averaged_f1_score(gold, pred, beta=0)


def test_scikit_learns_own_tests_pass_with_our_function_in_place():
    run = [sys.executable, "-m", "pytest", "-p", "sklearn_in_place", "--pyargs", "-q", "-W", "ignore", "-n", "0"]
    run += ["-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(Path(sklearn.__file__).parent)]
    run += ["sklearn.metrics.tests.test_common", "sklearn.metrics.tests.test_classification"]
    run += ["-k", f"({CHOSEN}) and not ({' or '.join(OTHER_WORDS)})"]
    done = subprocess.run(run, capture_output=True, text=True, cwd=Path(__file__).with_name("programs"), check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    used = re.search(r"averaged_f1_score was called by (\d+) tests", done.stdout)
    assert int(used[1]) >= 50


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        (["spam", "eggs"], [0, 1]), ([0.0, np.nan], [0.0, 1.0]), ([0, 1], [0.2, np.inf]), ([0, 1], [0.1, 0.9]),
        ([], []), ([0, 1], [0]), (np.eye(3, dtype=int), np.eye(4, dtype=int)[:3]),
    ],
)  # fmt: skip
def test_bad_labels_are_a_value_error_of_one_line(gold, pred):
    for function in (averaged_f1_score, f1_of_averages_score, classification_report):
        with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
            function(gold, pred)


def test_bad_options_are_named():
    with pytest.raises(macrof1.InputError, match=r"zero_division=0\.5"):
        averaged_f1_score([0], [0], zero_division=0.5)
    with pytest.raises(macrof1.InputError, match="beta"):
        averaged_f1_score([0], [0], beta=-1)
    with pytest.raises(macrof1.InputError, match="sample_weight"):
        averaged_f1_score([0, 1], [0, 1], sample_weight=[1, np.inf])
    with pytest.raises(macrof1.InputError, match="column numbers"):
        averaged_f1_score(np.eye(2, dtype=int), np.eye(2, dtype=int), labels=[0, 5])
    with pytest.raises(macrof1.InputError, match="1 target_names for 2 classes"):
        classification_report([0, 1], [0, 1], target_names=["a"])


def test_an_undefined_ratio_warns_as_in_scikit_learn():
    with pytest.warns(UndefinedMetricWarning):
        assert averaged_f1_score([0, 1], [0, 1], labels=[0, 1, 2]) == pytest.approx(2 / 3)
    with pytest.warns(UndefinedMetricWarning):
        assert f1_of_averages_score([0, 1], [0, 0]) == pytest.approx(macrof1.score([0, 1], [0, 0]).f1_of_averages)


def test_every_container_gives_the_same_number():
    gold, pred = np.array([0, 1, 1, 2, 0]), np.array([0, 1, 0, 2, 2])
    expected = f1_score(gold, pred, average="macro")
    for make in (list, tuple, np.array, pd.Series, pl.Series, lambda x: x.astype(float), lambda x: x.reshape(-1, 1)):
        assert averaged_f1_score(make(gold), make(pred)) == pytest.approx(expected, abs=1e-12)
    # scikit-learn pairs by position, and holds equal numbers of different types for one label.
    assert averaged_f1_score(pd.Series(gold, index=[4, 3, 2, 1, 0]), pd.Series(pred)) == pytest.approx(expected)
    assert averaged_f1_score(gold == 1, (pred == 1).astype(float)) == pytest.approx(
        f1_score(gold == 1, pred == 1, average="macro")
    )
    wide = np.eye(3, dtype=int)
    both = f1_score(wide[gold], wide[pred], average="macro")
    assert averaged_f1_score(wide[gold], wide[pred]) == pytest.approx(both)
    assert averaged_f1_score(sp.csr_array(wide[gold]), sp.csr_array(wide[pred])) == pytest.approx(both)


def test_scorers_serve_cross_validation_and_search():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=500)
    scoring = {"a": averaged_f1_scorer, "b": f1_of_averages_scorer, "theirs": "f1_macro"}
    found = cross_validate(model, X, y, cv=3, scoring=scoring)
    assert found["test_a"] == pytest.approx(found["test_theirs"], abs=1e-12)
    assert (found["test_b"] >= found["test_a"] - 1e-12).all()
    search = GridSearchCV(model, {"C": [0.01, 1.0]}, cv=3, scoring=averaged_f1_scorer).fit(X, y)
    assert search.best_score_ == pytest.approx(search.cv_results_["mean_test_score"].max())


def test_sample_weight_is_routed_to_the_scorer():
    X, y = load_iris(return_X_y=True)
    weight = np.where(y == 0, 5.0, 0.5)
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression(C=0.01).set_fit_request(sample_weight=False)
        routed = averaged_f1_scorer.set_score_request(sample_weight=True)
        found = cross_validate(model, X, y, cv=3, scoring=routed, params={"sample_weight": weight})["test_score"]
        plain = cross_validate(model, X, y, cv=3, scoring=averaged_f1_scorer.set_score_request(sample_weight=False))
    fitted = LogisticRegression(C=0.01).fit(X, y)
    assert routed(fitted, X, y, sample_weight=weight) == pytest.approx(
        f1_score(y, fitted.predict(X), average="macro", sample_weight=weight)
    )
    assert not np.allclose(found, plain["test_score"])


def test_the_report_names_both_rows_and_equals_scikit_learns():
    gold, pred = [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 0]
    ours = classification_report(gold, pred, output_dict=True)
    theirs = sklearn.metrics.classification_report(gold, pred, output_dict=True)
    for name in ("0", "1", "2"):
        assert ours[name] == pytest.approx(theirs[name])
    assert ours["accuracy"] == pytest.approx(theirs["accuracy"])
    assert ours["averaged_f1"] == pytest.approx(theirs["macro avg"])
    assert ours["f1_of_averages"]["f1-score"] == macrof1.score(gold, pred).f1_of_averages
    text = classification_report(gold, pred, target_names=["x", "y", "z"], digits=3)
    assert "macro" not in text
    assert re.search(r"averaged F1 .*0\.656", text)
    assert re.search(r"F1 of averages .*0\.693", text)
    some = classification_report(gold, pred, labels=[0, 1], output_dict=True)
    assert "accuracy" not in some


def test_pooled_counts_of_folds_stand_beside_their_mean():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold, cross_val_predict, cross_validate

    from macrof1.integrations.sklearn import SCORERS, cross_validated

    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(90, 3))
    gold = np.where(inputs.sum(1) > 2, "rare", np.where(inputs[:, 0] > 0, "a", "b"))
    model, folds = LogisticRegression(), KFold(6)
    found = cross_validated(model, inputs, gold, cv=folds)
    pooled = macrof1.score(gold, cross_val_predict(model, inputs, gold, cv=folds))
    assert (found.total.averaged_f1, found.total.f1_of_averages) == (pooled.averaged_f1, pooled.f1_of_averages)
    theirs = cross_validate(model, inputs, gold, cv=folds, scoring=SCORERS)
    for name in SCORERS:
        assert [getattr(fold.result, name) for fold in found.groups] == pytest.approx(list(theirs[f"test_{name}"]))
        assert found.mean_of_scores(name) == pytest.approx(theirs[f"test_{name}"].mean())
    assert found.mean_of_scores() != pytest.approx(found.total.averaged_f1, abs=1e-6)
    assert "on average" in str(found)
    frame = pd.DataFrame(inputs)
    assert cross_validated(model, frame, pd.Series(gold), cv=folds).to_dict() == found.to_dict()
    numbers = cross_validated(model, inputs, (gold == "a").astype(float), cv=folds)
    assert numbers.total.n_classes == 2
