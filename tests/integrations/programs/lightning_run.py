"""Validate a model with Lightning in one or two processes, and log as people do; started by test_training.py."""

import json
import sys
import warnings

import lightning
import torch
from lightning.pytorch.loggers import CSVLogger

from macrof1.errors import InputError
from macrof1.integrations.torch import AveragedF1, F1OfAverages, MacroF1

devices, folder = int(sys.argv[1]), sys.argv[2]
warnings.simplefilter("ignore")


class Model(lightning.LightningModule):
    def __init__(self, idiom):
        super().__init__()
        self.idiom = idiom
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(4, 3)
        self.averaged_f1, self.f1_of_averages, self.both = AveragedF1(3), F1OfAverages(3), MacroF1(3)

    def validation_step(self, batch, _):
        logits, gold = self.layer(batch[0]), batch[1]
        if self.idiom == "metrics":
            self.averaged_f1.update(logits, gold)
            self.f1_of_averages(logits, gold)
            self.log("averaged_f1", self.averaged_f1)
            self.log("f1_of_averages", self.f1_of_averages, on_step=True, on_epoch=True)
        elif self.idiom == "values":
            self.log("averaged_f1", self.averaged_f1(logits, gold))
        else:
            self.log_dict(self.both(logits, gold))

    def on_validation_epoch_end(self):
        if self.idiom == "metrics":
            self.logger.log_hyperparams({"averaged_f1": self.averaged_f1.signature()})


torch.manual_seed(1)
inputs = torch.randn(40, 4)
rows = torch.utils.data.TensorDataset(inputs, (inputs.sum(1) > 0).long() + (inputs[:, 0] > 1).long())


def validated(idiom):
    """Return what is logged, with both sides, in the process that logs; None in others."""
    trainer = lightning.Trainer(
        accelerator="cpu", devices=devices, strategy="ddp" if devices > 1 else "auto", enable_model_summary=False,
        logger=CSVLogger(folder, name=idiom), enable_checkpointing=False, enable_progress_bar=False,
    )  # fmt: skip
    model = Model(idiom)
    (logged,) = trainer.validate(model, torch.utils.data.DataLoader(rows, batch_size=7), verbose=False)
    pred, gold = model.layer(rows.tensors[0]).argmax(1).tolist(), rows.tensors[1].tolist()
    return {**logged, "pred": pred, "gold": gold} if trainer.is_global_zero else None


found = validated("metrics")
if devices == 1:
    found["refused"] = []
    for means in ("values", "dictionary"):
        try:
            validated(means)
        except InputError as error:
            found["refused"].append(str(error))
if found is not None:
    print(json.dumps(found))
