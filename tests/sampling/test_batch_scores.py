"""Means over batches: what scikit-learn prints batch by batch, averaged as training loops do."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

import macrof1
from macrof1.running.identifying import SIZES, batch_scores


@pytest.mark.parametrize("at_once", [1 << 20, 40])
@pytest.mark.parametrize(("n_rows", "size"), [(100, 8), (64, 8), (1100, 128), (33, 32), (2000, 1024)])
def test_every_mean_is_that_of_the_scores_of_its_batches(monkeypatch, n_rows, size, at_once):
    monkeypatch.setattr("macrof1.running.identifying._CELLS_AT_ONCE", at_once)
    rng = np.random.default_rng(n_rows)
    gold = rng.choice(["a", "b", "c", "d"], n_rows, p=[0.6, 0.2, 0.15, 0.05])
    pred = np.where(rng.random(n_rows) < 0.6, gold, rng.choice(["a", "b", "e"], n_rows))
    found = {score.definition: score.value for score in batch_scores(gold, list(pred))}
    batches = [slice(start, start + size) for start in range(0, n_rows, size)]
    sizes = [len(gold[batch]) for batch in batches]
    for kind, score in {
        "averaged_f1": lambda g, p: f1_score(g, p, average="macro", zero_division=0),
        "averaged_f1(classes=all)": lambda g, p: f1_score(
            g, p, labels=sorted({*gold, *pred}), average="macro", zero_division=0
        ),
        "micro_f1": accuracy_score,
    }.items():
        scores = [score(gold[batch], pred[batch]) for batch in batches]
        assert found[f"mean over batches of {size} of {kind}"] == pytest.approx(np.mean(scores))
        last = f"mean over batches of {size}, last left out of {kind}"
        by_rows = f"mean over batches of {size}, by rows of {kind}"
        if n_rows % size:
            assert found[last] == pytest.approx(np.mean(scores[:-1]))
            mean = np.average(scores, weights=sizes)
            assert found.get(by_rows, accuracy_score(gold, pred)) == pytest.approx(mean)
        else:
            assert last not in found
            assert by_rows not in found


def test_batches_are_smaller_than_the_data_and_few_enough_to_count(monkeypatch):
    def sizes():
        found = batch_scores(np.arange(100) % 4, np.arange(100) % 3)
        return sorted({int(score.definition.split()[4].rstrip(",")) for score in found})

    assert sizes() == [size for size in SIZES if size < 100]
    monkeypatch.setattr("macrof1.running.identifying._MOST_CELLS", 10 * 4)
    assert sizes() == [size for size in SIZES if 10 <= size < 100]


def test_the_mean_over_batches_behind_a_number_is_found():
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 5, 500)
    pred = np.where(rng.random(500) < 0.7, gold, rng.integers(0, 5, 500))
    scores = [f1_score(gold[at : at + 32], pred[at : at + 32], average="macro") for at in range(0, 500, 32)]
    found = macrof1.identify(gold, pred, f"{np.mean(scores):.6f}")
    assert found.matches[0].definition == "mean over batches of 32 of averaged_f1"
    assert found.matches[0].words == "mean over batches of 32 rows of averaged F1 over the classes of the batch"
