"""One of two processes that share a metric; started by test_training.py."""

import json
import sys
import warnings

import numpy as np
import torch
import torch.distributed as dist

from macrof1.integrations.torch import MacroF1

rank, meeting = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
data = np.random.default_rng(5)
gold = data.integers(0, 4, 103)
pred = np.where(data.random(103) < 0.6, gold, data.integers(0, 4, 103))
metric = MacroF1(4)
# Uneven shares: one process has a batch less, and a last batch of its own size.
batches = [slice(start, start + 20) for start in range(0, 103, 20)]
for batch in batches[rank::2]:
    if not (rank == 1 and batch.start >= 100):
        metric.update(torch.from_numpy(pred[batch]), torch.from_numpy(gold[batch]))
rows = int(metric.counts[[0, 2]].sum())
found = {name: value.item() for name, value in metric.compute().items()}
found["rows_here"], found["rows_after"] = rows, int(metric.counts[[0, 2]].sum())
found["n_rows"] = metric.result().n_rows
# A label outside the classes met by one process is an error in both.
metric.reset()
metric.update(torch.tensor([0]), torch.tensor([0]))
if rank == 1:
    metric.faults[0] = 99
try:
    metric.compute()
except ValueError as error:
    found["error"] = str(error)
# One process without any row.
metric.reset()
if rank == 0:
    metric.update(torch.tensor([0, 1]), torch.tensor([0, 1]))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # torchmetrics warns that update was not called here
    found["one_sided"] = metric.compute()["averaged_f1"].item()
print(json.dumps(found))
dist.destroy_process_group()
