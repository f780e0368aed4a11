"""Compare every integration with `macrof1.score` on random epochs: ``python benchmarks/epochs.py [NAME …] [-n 1000]``.

An epoch has 2 to 9 classes, 1 to 60 rows and batches of 1 to 20 rows. Each tool runs as its users run it: Lightning
fits, Keras and the Trainer evaluate models, Spark scores data frames. It prints the largest difference of either score.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import macrof1

os.environ.setdefault("KERAS_BACKEND", "torch")
NAMES = ("averaged_f1", "f1_of_averages")


class Epoch(NamedTuple):
    """The rows of an epoch, and how many make a batch."""

    gold: Any
    pred: Any
    batch: int

    def batches(self) -> Iterator[tuple[Any, Any]]:
        """Yield predicted and gold of each batch as tensors."""
        import torch

        for at in range(0, len(self.gold), self.batch):
            rows = slice(at, at + self.batch)
            yield torch.from_numpy(self.pred[rows]), torch.from_numpy(self.gold[rows])


def random_epochs(n: int) -> Iterator[Epoch]:
    """Make epochs in which labels may be missing on either side, or on both."""
    rng = np.random.default_rng(31)
    for _ in range(n):
        classes, size = int(rng.integers(2, 10)), int(rng.integers(1, 61))
        gold, pred = rng.integers(0, classes, (2, size))
        yield Epoch(gold, np.where(rng.random(size) < 0.6, gold, pred), int(rng.integers(1, 21)))


def torchmetrics(epochs: list[Epoch]) -> Iterator[tuple[float, float]]:
    from torchmetrics import MetricCollection

    from macrof1.integrations.torch import AveragedF1, F1OfAverages

    metrics = MetricCollection([AveragedF1(9), F1OfAverages(9)])
    for epoch in epochs:
        for pred, gold in epoch.batches():
            metrics.update(pred, gold)
        yield tuple(value.item() for value in metrics.compute().values())
        metrics.reset()


def lightning(epochs: list[Epoch]) -> Iterator[tuple[float, float]]:
    import lightning as tool
    import torch

    from macrof1.integrations.torch import AveragedF1, F1OfAverages

    class Model(tool.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.found = torch.nn.Linear(1, 1), []
            self.metrics = torch.nn.ModuleDict({"averaged_f1": AveragedF1(9), "f1_of_averages": F1OfAverages(9)})

        def training_step(self, batch: Any, _: int) -> Any:
            for name, metric in self.metrics.items():
                metric.update(*batch)
                self.log(name, metric, on_step=False, on_epoch=True)
            return self.layer(torch.zeros(1)).sum()

        def train_dataloader(self) -> Any:
            return torch.utils.data.DataLoader(list(epochs[self.current_epoch].batches()), batch_size=None)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), 0.0)

    class Reader(tool.Callback):
        def on_train_epoch_end(self, trainer: Any, model: Any) -> None:
            model.found.append(tuple(trainer.callback_metrics[name].item() for name in NAMES))

    model = Model()
    quiet = {"enable_progress_bar": False, "enable_model_summary": False, "enable_checkpointing": False}
    trainer = tool.Trainer(
        accelerator="cpu",
        logger=False,
        max_epochs=len(epochs),
        reload_dataloaders_every_n_epochs=1,
        callbacks=[Reader()],
        **quiet,
    )
    trainer.fit(model)
    return iter(model.found)


def ignite(epochs: list[Epoch]) -> Iterator[tuple[float, float]]:
    from ignite.engine import Engine, Events

    from macrof1.integrations.torch import MacroF1

    metric = MacroF1(9)
    engine = Engine(lambda _, batch: metric.update(*batch))
    engine.add_event_handler(Events.EPOCH_STARTED, metric.reset)
    for epoch in epochs:
        engine.run(list(epoch.batches()))
        found = metric.compute()
        yield tuple(found[name].item() for name in NAMES)


def accelerate(epochs: list[Epoch]) -> Iterator[tuple[float, float]]:
    import torch
    from accelerate import Accelerator

    from macrof1.integrations.torch import MacroF1

    accelerator = Accelerator(cpu=True)
    for epoch in epochs:
        rows = torch.utils.data.TensorDataset(torch.from_numpy(epoch.pred), torch.from_numpy(epoch.gold))
        metric = MacroF1(9)
        for batch in accelerator.prepare(torch.utils.data.DataLoader(rows, batch_size=epoch.batch)):
            metric.update(*accelerator.gather_for_metrics(batch))
        found = metric.compute()
        yield tuple(found[name].item() for name in NAMES)


def keras(epochs: list[Epoch]) -> Iterator[tuple[float, float]]:
    import keras as tool

    from macrof1.integrations.keras import AveragedF1, F1OfAverages

    model = tool.Sequential([tool.Input((9,)), tool.layers.Activation("softmax")])
    metrics = [AveragedF1(num_classes=9), F1OfAverages(num_classes=9)]
    model.compile(loss="sparse_categorical_crossentropy", metrics=metrics)
    for epoch in epochs:
        scores = np.eye(9)[epoch.pred]
        found = model.evaluate(scores, epoch.gold, batch_size=epoch.batch, verbose=0, return_dict=True)
        yield tuple(found[name] for name in NAMES)


def trainer(epochs: list[Epoch]) -> Iterator[tuple[float, float]]:
    import torch
    import transformers

    from macrof1.integrations.huggingface import compute_metrics

    transformers.logging.set_verbosity_error()

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)

        def forward(self, x: Any, labels: Any) -> Any:
            return {"loss": labels.sum() * 0.0, "logits": x}

    for epoch in epochs:
        rows = [{"x": torch.eye(9)[p], "labels": int(g)} for p, g in zip(epoch.pred, epoch.gold, strict=True)]
        options = transformers.TrainingArguments(
            "out", report_to=[], use_cpu=True, per_device_eval_batch_size=epoch.batch, disable_tqdm=True
        )
        found = transformers.Trainer(Model(), options, eval_dataset=rows, compute_metrics=compute_metrics).evaluate()
        yield tuple(found[f"eval_{name}"] for name in NAMES)


def evaluate(epochs: list[Epoch]) -> Iterator[tuple[float, float]]:
    import evaluate as tool

    from macrof1.integrations.huggingface import EVALUATE_MODULE

    module = tool.load(EVALUATE_MODULE)
    for epoch in epochs:
        for pred, gold in epoch.batches():
            module.add_batch(predictions=pred, references=gold)
        found = module.compute()
        yield tuple(found[name] for name in NAMES)


def sklearn(epochs: list[Epoch]) -> Iterator[tuple[float, float]]:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.model_selection import cross_validate

    from macrof1.integrations.sklearn import SCORERS

    class Known(ClassifierMixin, BaseEstimator):
        def fit(self, _: Any, y: Any) -> Any:
            self.classes_ = np.unique(y)
            return self

        def predict(self, X: Any) -> Any:
            return X[:, 0]

    for epoch in epochs:
        rows = np.arange(len(epoch.gold))
        found = cross_validate(Known(), epoch.pred[:, None], epoch.gold, scoring=SCORERS, cv=[(rows, rows)])
        yield tuple(found[f"test_{name}"][0] for name in NAMES)


def spark(epochs: list[Epoch]) -> Iterator[tuple[float, float]]:
    from pyspark.sql import SparkSession

    from macrof1.integrations.spark import MacroF1Evaluator

    local = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = local.config("spark.sql.shuffle.partitions", "1").config("spark.log.level", "ERROR").getOrCreate()
    evaluators = [MacroF1Evaluator(formula=name) for name in NAMES]
    for epoch in epochs:
        rows = [(float(g), float(p)) for g, p in zip(epoch.gold, epoch.pred, strict=True)]
        frame = session.createDataFrame(rows, ["label", "prediction"]).coalesce(1)
        yield tuple(evaluator.evaluate(frame) for evaluator in evaluators)
    session.stop()


TOOLS: dict[str, Callable[[list[Epoch]], Iterator[tuple[float, ...]]]] = {
    each.__name__: each
    for each in (torchmetrics, lightning, ignite, accelerate, keras, trainer, evaluate, sklearn, spark)
}  # type: ignore[dict-item]  # tuples of two


def main() -> None:
    """Run the tools that were named, or all."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("names", nargs="*", choices=[[], *TOOLS], default=list(TOOLS))
    asked.add_argument("-n", type=int, default=1000, help="how many epochs")
    given = asked.parse_args()
    warnings.simplefilter("ignore")
    epochs = list(random_epochs(given.n))
    expected = [macrof1.score(epoch.gold, epoch.pred) for epoch in epochs]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in given.names:
            found = list(TOOLS[name](epochs))
            pairs = zip(found, expected, strict=True)
            worst = max(abs(a - getattr(b, key)) for one, b in pairs for key, a in zip(NAMES, one, strict=True))
            print(f"{name:12} {len(found):5} epochs, largest difference {worst:.1e}", flush=True)


if __name__ == "__main__":
    main()
