"""Inside real training: two gloo processes, Lightning, the Hugging Face Trainer."""

from __future__ import annotations

import json
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
        assert found[rank]["averaged_f1"] == expected.averaged_f1
        assert found[rank]["f1_of_averages"] == expected.f1_of_averages
        assert found[rank]["n_rows"] == 100
        assert found[rank]["rows_here"] == found[rank]["rows_after"] == [60, 40][rank]
        assert "label 99 is outside" in found[rank]["error"]
        assert found[rank]["one_sided"] == 1


@pytest.mark.filterwarnings("ignore")
def test_lightning_logs_both_scores(tmp_path):
    torch = part("torch")
    lightning = part("lightning")
    from macrof1.integrations.torch import MacroF1

    torch.manual_seed(0)
    inputs = torch.randn(50, 4)
    gold = (inputs.sum(1) > 0).long()

    class Model(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 2)
            self.scores = MacroF1(2)
            self.seen = []

        def training_step(self, batch, _):
            return torch.nn.functional.cross_entropy(self.layer(batch[0]), batch[1])

        def validation_step(self, batch, _):
            logits = self.layer(batch[0])
            self.scores.update(logits, batch[1])
            self.seen.append((logits.argmax(1), batch[1]))

        def on_validation_epoch_start(self):
            self.seen.clear()
            self.scores.reset()

        def on_validation_epoch_end(self):
            self.log_dict(self.scores.compute())

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, gold), batch_size=16)
    trainer = lightning.Trainer(
        max_epochs=2,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tmp_path,
    )
    model = Model()
    trainer.fit(model, data, data)
    pred, true = (torch.cat(side).numpy() for side in zip(*model.seen, strict=True))
    assert len(true) == 50
    expected = macrof1.score(true, pred)
    for name in ("averaged_f1", "f1_of_averages", "gap"):
        assert trainer.callback_metrics[name].item() == pytest.approx(getattr(expected, name), abs=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_the_hugging_face_trainer_reports_both_scores(tmp_path):
    torch = part("torch")
    part("accelerate")
    transformers = part("transformers")
    inputs = torch.randn(40, 4)
    gold = (inputs.sum(1) > 0).long()

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 2)

        def forward(self, x, labels=None):
            logits = self.layer(x)
            return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

    rows = [{"x": x, "labels": y} for x, y in zip(inputs, gold, strict=True)]
    options = transformers.TrainingArguments(str(tmp_path), report_to=[], per_device_eval_batch_size=16, use_cpu=True)
    model = Model()
    found = transformers.Trainer(model, options, eval_dataset=rows, compute_metrics=compute_metrics).evaluate()
    expected = macrof1.score(gold.numpy(), model.layer(inputs).argmax(1).numpy())
    for name, value in expected.metrics().items():
        assert found[f"eval_{name}"] == pytest.approx(value, abs=1e-12)


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
    assert compute_metrics((tokens, gold)) == expected
    assert list(expected) == KEYS
    assert all(type(value) is float for value in expected.values())
    assert compute_metrics(((tokens, np.zeros((4, 9))), gold)) == expected  # hidden states beside the logits
    assert compute_metrics((tokens.argmax(-1), gold)) == expected
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
        ("text", "EvalPrediction"),
    ]:
        with pytest.raises(macrof1.InputError, match=words):
            compute_metrics(bad)
    with pytest.warns(UserWarning, match="no row was left"):
        assert compute_metrics((np.zeros((0, 3)), np.zeros(0, int)))["averaged_f1"] == 0
