"""Keras 3 metrics: the score of the epoch for every batch size, in compiled and in saved models."""

import numpy as np
import pytest

import macrof1

from ..oracles import without_digests
from .parts import part

part("torch")
keras = part("keras")

from macrof1.integrations.keras import AveragedF1, F1OfAverages  # noqa: E402 - after the part is known to be there

SCALARS = {"averaged_f1": AveragedF1, "f1_of_averages": F1OfAverages}


@pytest.mark.slow
def test_1000_random_epochs_equal_the_library():
    rng = np.random.default_rng(6)
    for _ in range(1000):
        n, size, batch = int(rng.integers(2, 7)), int(rng.integers(1, 40)), int(rng.integers(1, 15))
        options = {"undefined": int(rng.integers(2)), "beta": float(rng.choice([0.0, 0.5, 1.0, 2.0]))}
        classes = str(rng.choice(["union", "gold", "listed"]))
        gold = rng.integers(0, n, size)
        scores = rng.random((size, n)) + 0.7 * np.eye(n)[gold]
        labels = range(n) if classes == "listed" else None
        expected = macrof1.score(gold, scores.argmax(1), labels=labels, classes=classes, **options)
        for name, kind in SCALARS.items():
            metric = kind(n, classes=classes, **options)
            for at in range(0, size, batch):
                metric.update_state(gold[at : at + batch], scores[at : at + batch])
            assert float(metric.result()) == pytest.approx(getattr(expected, name), abs=1e-12)
    assert without_digests(metric.full_result().signature(name)) == without_digests(expected.signature(name))


def test_labels_one_hot_rows_scores_and_probabilities_count_the_same():
    gold, pred = np.array([0, 1, 2, 2, 1]), np.array([0, 2, 2, 2, 0])
    expected = macrof1.score(gold, pred).averaged_f1
    scores = np.eye(3, dtype="float32")[pred]
    for true, told in (
        (gold, pred), (gold, scores), (gold[:, None], scores), (np.eye(3)[gold], scores),
        (gold.reshape(1, 5), scores.reshape(1, 5, 3)), (gold.tolist(), pred.tolist()),
    ):  # fmt: skip
        metric = AveragedF1(3)
        metric.update_state(true, told)
        assert float(metric.result()) == pytest.approx(expected, abs=1e-12)
    # As many tokens as classes: these are labels, not one-hot rows.
    square = AveragedF1(3)
    square.update_state(np.array([[0, 1, 2]]), np.eye(3)[None])
    assert float(square.result()) == 1
    both = AveragedF1(2)
    both.update_state(np.array([0, 1, 1]), np.array([[0.2], [0.7], [0.4]]))
    assert float(both.result()) == pytest.approx(macrof1.score([0, 1, 1], [0, 1, 0]).averaged_f1)
    with pytest.raises(macrof1.InputError, match="3 scores per row"):
        AveragedF1(3).update_state([0], [[0.1, 0.9]])


def test_ignored_rows_and_weights():
    metric = AveragedF1(2, ignore_class=-1)
    metric.update_state([0, 1, -1, 1], [0, 1, 1, 0])
    assert metric.full_result().averaged_f1 == macrof1.score([0, 1, 1], [0, 1, 0]).averaged_f1
    metric.reset_state()
    assert int(keras.ops.sum(metric.counts)) == 0
    weights = [0.5, 2.0, 1.0, 0.25]
    heavy = F1OfAverages(2, weighted=True)
    heavy.update_state([0, 1, 0, 1], [0, 1, 1, 0], sample_weight=weights)
    expected = macrof1.score([0, 1, 0, 1], [0, 1, 1, 0], sample_weight=weights)
    assert float(heavy.result()) == pytest.approx(expected.f1_of_averages, abs=1e-12)
    assert "weights:yes" in heavy.full_result().signature()
    with pytest.raises(macrof1.InputError, match="weighted=True"):
        AveragedF1(2).update_state([0], [0], sample_weight=[1.0])


def test_labels_outside_the_classes_are_never_scored_in_silence():
    for gold, pred in (([0, 5], [0, 1]), ([0, 1], [0, -1])):
        metric = AveragedF1(2)
        metric.update_state(gold, pred)
        assert np.isnan(float(metric.result()))
        with pytest.raises(macrof1.InputError, match="1 row with a label outside the classes"):
            metric.full_result()


@pytest.mark.parametrize("options", [{"num_classes": 0}, {"classes": "x"}, {"undefined": 2}, {"beta": -1}])
def test_bad_options_are_refused(options):
    with pytest.raises(macrof1.InputError):
        AveragedF1(**{"num_classes": 3, **options})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("batch_size", [7, 64])
def test_compiled_models_report_the_score_of_the_epoch_and_are_saved_with_it(tmp_path, batch_size):
    keras.utils.set_random_seed(0)
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(50, 4)).astype("float32")
    gold = (inputs.sum(1) > 0).astype(int) + (inputs[:, 0] > 1)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="softmax")])
    metrics = [AveragedF1(num_classes=3), F1OfAverages(num_classes=3)]
    model.compile(optimizer="sgd", loss="sparse_categorical_crossentropy", metrics=metrics)
    history = model.fit(inputs, gold, epochs=2, batch_size=batch_size, verbose=0, validation_data=(inputs, gold))
    expected = macrof1.score(gold, model.predict(inputs, verbose=0).argmax(1))
    found = model.evaluate(inputs, gold, batch_size=batch_size, verbose=0, return_dict=True)
    for name in SCALARS:
        assert found[name] == pytest.approx(getattr(expected, name), abs=1e-6)
        assert history.history[f"val_{name}"][-1] == pytest.approx(found[name], abs=1e-6)
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    loaded = again.evaluate(inputs, gold, batch_size=batch_size, verbose=0, return_dict=True)
    assert loaded["f1_of_averages"] == pytest.approx(found["f1_of_averages"], abs=1e-6)
