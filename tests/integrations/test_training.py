"""Inside real training: two gloo processes, Lightning, the Hugging Face Trainer."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import macrof1
from macrof1.integrations.huggingface import compute_metrics, score_predictions, with_options

from .parts import part

KEYS = ["averaged_f1", "f1_of_averages", "gap", "macro_precision", "macro_recall"]


def test_two_processes_with_uneven_batches_share_their_counts(tmp_path):
    part("torchmetrics")
    worker = Path(__file__).with_name("programs") / "gloo_worker.py"
    command = [sys.executable, "-W", "ignore", str(worker)]
    started = [
        subprocess.Popen([*command, str(rank), str(tmp_path / "meeting")], stdout=-1, stderr=-1, text=True)
        for rank in range(2)
    ]
    outputs = [process.communicate(timeout=600) for process in started]
    assert [process.returncode for process in started] == [0, 0], outputs
    found = [json.loads(out.splitlines()[-1]) for out, _ in outputs]
    data = np.random.default_rng(5)
    gold = data.integers(0, 4, 103)
    pred = np.where(data.random(103) < 0.6, gold, data.integers(0, 4, 103))
    # Batches 0, 2, 4 went to the first process; 1 and 3 to the second, whose last one was left out.
    expected = macrof1.score(gold[:100], pred[:100])
    for rank in range(2):
        assert found[rank]["averaged_f1"] == pytest.approx(expected.averaged_f1, abs=1e-12)
        assert found[rank]["f1_of_averages"] == pytest.approx(expected.f1_of_averages, abs=1e-12)
        assert found[rank]["n_rows"] == 100
        assert found[rank]["rows_here"] == found[rank]["rows_after"] == [60, 40][rank]
        assert "label 99 is outside" in found[rank]["error"]
        assert found[rank]["one_sided"] == 1


@pytest.mark.parametrize("devices", [1, 2])
def test_lightning_logs_both_scores_and_the_signature_and_no_mean_over_batches(tmp_path, devices):
    part("lightning")
    program = Path(__file__).with_name("programs") / "lightning_run.py"
    command = [sys.executable, str(program), str(devices), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    expected = macrof1.score(found["gold"], found["pred"])
    assert found["averaged_f1"] == pytest.approx(expected.averaged_f1, abs=1e-6)  # Lightning logs single precision
    assert found["f1_of_averages_epoch"] == pytest.approx(expected.f1_of_averages, abs=1e-6)
    logged = next((tmp_path / "metrics").rglob("hparams.yaml")).read_text().replace("\n  ", " ")
    assert expected.signature("averaged_f1").split("|")[0] in logged
    assert "|k:3|" in logged
    if devices == 1:
        wrong = "a mean over batches of their macro F1s, which is not the macro F1 of the epoch"
        assert [wrong in error for error in found["refused"]] == [True, True]


def test_10_000_predictions_equal_the_library():
    rng = np.random.default_rng(9)
    for _ in range(10_000):
        n, size = int(rng.integers(1, 6)), int(rng.integers(1, 20))
        logits, gold = rng.normal(size=(size, n)), rng.integers(0, n, size)
        gold[rng.random(size) < 0.2] = -100
        kept = gold != -100
        if not kept.any():
            continue
        found = score_predictions((logits, gold))
        assert found.averaged_f1 == macrof1.score(gold[kept], logits.argmax(1)[kept]).averaged_f1


def test_every_shape_a_trainer_hands_over():
    rng = np.random.default_rng(1)
    tokens, gold = rng.normal(size=(4, 6, 3)), rng.integers(0, 3, (4, 6))
    gold[:, 4:] = -100
    kept = gold != -100
    expected = macrof1.score(gold[kept], tokens.argmax(-1)[kept]).metrics()
    with pytest.warns(
        UserWarning, match="every token is scored, and the tag O is averaged over as a class; tag_names="
    ):
        assert compute_metrics((tokens, gold)) == expected
    (doubt,) = score_predictions((tokens, gold)).making.notes
    assert doubt.code == "tags"
    assert score_predictions((tokens, gold)).note_codes[0] == "tags"
    assert list(expected) == KEYS
    assert all(type(value) is float for value in expected.values())
    for sides in ((tokens.reshape(24, 3), gold.reshape(-1)), ([*tokens], [*gold])):
        with pytest.warns(UserWarning, match="every token is scored"):
            assert compute_metrics(sides) == expected
    meant = with_options(tokens=True)  # parts of speech, say: nothing is doubtful
    assert meant(((tokens, np.zeros((4, 9))), gold)) == expected  # hidden states beside the logits
    assert meant((tokens.argmax(-1), gold)) == expected
    wide, truth = rng.normal(size=(9, 4)), rng.integers(0, 2, (9, 4)).astype(float)
    assert compute_metrics((wide, truth)) == macrof1.score(truth.astype(int), wide > 0).metrics()
    every = with_options(classes="listed", beta=2)
    some = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 0.5]]), np.array([0, 1])
    assert every(some) == macrof1.score([0, 1], [0, 1], labels=[0, 1, 2], beta=2).metrics()
    assert expected.keys() == macrof1.score([0], [0]).metrics().keys()
    assert next(iter(macrof1.score([0], [0]).metrics(prefix="val/"))) == "val/averaged_f1"


def test_bad_predictions_are_named():
    for bad, words in [
        ((np.array([[0.1, np.nan]]), np.array([0])), "NaN"),
        ((np.array([[0.1, 0.9]]), np.array([2])), "label 2 is outside"),
        ((np.array([[0.1, 0.9]]), np.array([0, 1])), "shape"),
        ((np.array([0.1, 0.9]), np.array([0, 1])), "rows x labels"),
        (([np.zeros((1, 2)), np.zeros((3, 2))], np.zeros(2, int)), "arrays of different shapes"),
        ("text", "EvalPrediction"),
    ]:
        with pytest.raises(macrof1.InputError, match=words):
            compute_metrics(bad)
    with pytest.warns(UserWarning, match="no row was left"):
        assert compute_metrics((np.zeros((0, 3)), np.zeros(0, int)))["averaged_f1"] == 0


TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


def test_1000_epochs_of_tagged_tokens_equal_the_library_and_seqeval():
    from seqeval.metrics import f1_score

    rng = np.random.default_rng(2)
    score_entities = with_options(tag_names=TAGS)
    by_model = with_options(tag_names={str(number): name for number, name in enumerate(TAGS)})
    n_compared = 0
    for _ in range(1000):
        shape = rng.integers(1, 5), rng.integers(1, 8)
        gold = rng.integers(0, 5, shape)
        scores = rng.random((*shape, 5)) + 0.8 * np.eye(5)[gold]
        gold[rng.random(shape) < 0.2] = -100
        kept = [row != -100 for row in gold]
        sides = [
            [[TAGS[tag] for tag in row[here]] for row, here in zip(side, kept, strict=True)]
            for side in (gold, scores.argmax(-1))
        ]
        if not any(tag != "O" for side in sides for sentence in side for tag in sentence):
            continue
        expected = macrof1.score_counts(macrof1.count_spans(*sides)).metrics()
        assert score_entities((scores, gold)) == by_model((scores.argmax(-1), gold)) == expected
        assert expected["averaged_f1"] == pytest.approx(f1_score(*sides, average="macro", zero_division=0), abs=1e-12)
        n_compared += 1
    assert n_compared > 800


@pytest.mark.parametrize("call", [macrof1.averaged_f1, macrof1.f1_of_averages])
def test_numbers_alone_warn_of_tags_and_of_minus_100(call):
    for gold, told in ((["B-PER", "O", "I-PER"], "macrof1.count_spans"), (["B-PER", "O", "-100"], "-100")):
        with pytest.warns(UserWarning, match=told):
            call(gold, ["B-PER", "O", "O"])


def test_bad_tags_are_named():
    gold = np.array([[1, 2, 0]])
    for bad, options, words in [
        ((np.zeros((1, 3, 4)), gold), {"tag_names": TAGS}, "5 tag_names for scores of 4 tags"),
        ((np.full((1, 3, 5), np.nan), gold), {"tag_names": TAGS}, "NaN"),
        ((np.zeros((3, 5)), gold[0]), {"tag_names": TAGS}, "sentences x tokens"),
        ((gold, gold), {"tag_names": {0: "O", 2: "B-X"}}, "a name for every number from 0 to 1"),
        ((gold, gold), {"tag_names": ["O", "B-X"]}, "2 is the number of no tag"),
    ]:
        with pytest.raises(macrof1.InputError, match=words):
            with_options(**options)(bad)
    with pytest.warns(UserWarning, match="no row was left"):
        assert with_options(tag_names=TAGS)((np.zeros((1, 3, 5)), np.zeros((1, 3), int)))["averaged_f1"] == 0


@pytest.mark.filterwarnings("ignore")
def test_a_tiny_model_is_trained_and_its_entities_scored(tmp_path):
    """A token classifier of random weights, made here: a few steps of the real Trainer, best model by averaged F1."""
    torch = part("torch")
    part("accelerate")
    transformers = part("transformers")
    config = transformers.BertConfig(
        vocab_size=20, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        id2label=dict(enumerate(TAGS)), label2id={name: number for number, name in enumerate(TAGS)},
    )  # fmt: skip
    torch.manual_seed(0)
    model = transformers.BertForTokenClassification(config)
    words = torch.randint(0, 20, (24, 6))
    gold = words % 5
    gold[:, -1] = -100
    rows = [{"input_ids": x, "attention_mask": torch.ones(6, dtype=torch.long), "labels": y}
            for x, y in zip(words, gold, strict=True)]  # fmt: skip
    options = transformers.TrainingArguments(
        str(tmp_path), report_to=[], use_cpu=True, max_steps=8, per_device_train_batch_size=8, eval_strategy="steps",
        save_strategy="steps", eval_steps=4, save_steps=4, load_best_model_at_end=True, learning_rate=5e-3,
        metric_for_best_model="averaged_f1", disable_tqdm=True,
    )  # fmt: skip
    trainer = transformers.Trainer(
        model, options, train_dataset=rows, eval_dataset=rows,
        compute_metrics=with_options(tag_names=model.config.id2label),
    )  # fmt: skip
    trainer.train()
    found = trainer.evaluate()
    pred = trainer.predict(rows).predictions.argmax(-1)
    sides = [[[TAGS[tag] for tag in row[:5]] for row in side] for side in (gold.numpy(), pred)]
    expected = macrof1.score_counts(macrof1.count_spans(*sides))
    for name, value in expected.metrics().items():
        assert found[f"eval_{name}"] == pytest.approx(value, abs=1e-12)
    assert trainer.state.best_metric == pytest.approx(expected.averaged_f1)


@pytest.mark.filterwarnings("ignore")
def test_the_module_that_evaluate_loads(tmp_path):
    part("evaluate")
    program = """
import evaluate, json, macrof1
from macrof1.integrations.huggingface import EVALUATE_MODULE
numbers = evaluate.load(EVALUATE_MODULE)
numbers.add_batch(predictions=[0, 1], references=[0, 0])
numbers.add_batch(predictions=[1], references=[1])
found = numbers.compute()
expected = macrof1.score([0, 0, 1], [0, 1, 1])
assert {name: found[name] for name in expected.metrics()} == expected.metrics()
assert found["signature"] == expected.signature("averaged_f1")
texts = evaluate.load(EVALUATE_MODULE, "text").compute(predictions=["a", "b"], references=["a", "a"], labels=["a", "b"])
assert texts["averaged_f1"] == macrof1.score(["a", "a"], ["a", "b"], labels=["a", "b"]).averaged_f1
sets = evaluate.load(EVALUATE_MODULE, "multilabel").compute(predictions=[[0, 1], [1]], references=[[0], [1]])
assert sets["averaged_f1"] == macrof1.score([{0}, {1}], [{0, 1}, {1}]).averaged_f1
try:
    numbers.compute(predictions=[0], references=[0], average="macro")
except macrof1.InputError as error:
    print(error)
"""
    environment = {**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().splitlines()[-1].startswith("average='macro': expected no average")
