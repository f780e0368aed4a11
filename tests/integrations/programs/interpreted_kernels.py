"""Run the Triton kernels in Triton's interpreter, on the host; started by test_triton.py with TRITON_INTERPRET=1."""

from __future__ import annotations

import numpy as np
import torch
import triton

from macrof1.integrations import _triton
from macrof1.integrations._tensors import count_host, no_faults

assert triton.knobs.runtime.interpret

INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
PLANS = [
    _triton.Plan("cells", 128, 256, 4, per_processor=1),
    _triton.Plan("margins", 32, 256, 4, per_processor=1),
    _triton.Plan("margins", 1024, 512, 4, per_processor=2),
    _triton.Plan("scatter", 0, 256, 4),
    _triton.Plan("scatter", 0, 256, 4, copies=3),
]


def labels(rng, n, size, dtype):
    gold = rng.integers(0, n, size)
    pred = np.where(rng.random(size) < 0.6, gold, rng.integers(0, n, size))
    return torch.from_numpy(pred).to(dtype), torch.from_numpy(gold).to(dtype)


def counted(pred, gold, n, **options):
    counts, faults = torch.zeros((3, n), dtype=torch.int64), no_faults()
    _triton.count_rows(pred, gold, counts, faults, **options)
    return counts, faults.tolist()


def check_random(rng, cases):
    for case in range(cases):
        dtype = INTEGERS[case % len(INTEGERS)]
        n = int(rng.choice([1, 2, 3, 10, 11, 12, 30, 31, 100, 254, 255, 700]))
        if dtype in (torch.int8, torch.uint8):
            n = min(n, 100)
        size = int(rng.choice([0, 1, 5, 1024, 1025, 2500]))
        pred, gold = labels(rng, n, size, dtype)
        ignore = [None, 0, n - 1, -1][case % 4]
        if ignore == -1 and dtype != torch.uint8:
            gold[::7] = -1
        found, faults = counted(pred, gold, n, ignore_index=ignore)
        assert torch.equal(found, count_host(pred, gold, n=n, ignore_index=ignore)), (dtype, n, size, ignore)
        assert faults == [0, -1, 0], faults


def check_plans(rng):
    for plan in PLANS:
        for n in (2, 10):
            for size in (255, 256, 700):
                pred, gold = labels(rng, n, size, torch.int64)
                found, _ = counted(pred, gold, n, plan=plan)
                assert torch.equal(found, count_host(pred, gold, n=n, ignore_index=None)), (plan, n, size)


def check_faults(rng):
    for plan in PLANS:
        for wrong in (10, 2**40, -1, -(2**63)):
            for side in (0, 1):
                pair = labels(rng, 10, 700, torch.int64)
                clean, _ = counted(*(tensor[:-1] for tensor in pair), 10, plan=plan)
                pair[side][-1] = wrong
                found, faults = counted(*pair, 10, plan=plan)
                # The row does not count, and its label is named.
                assert torch.equal(found, clean), plan
                assert (faults[0] == wrong) if wrong > 0 else (-1 - faults[1] == wrong), (plan, wrong, faults)
                if side == 1:
                    found, faults = counted(*pair, 10, plan=plan, ignore_index=wrong)
                    assert torch.equal(found, clean), plan
                    assert faults == [0, -1, 0], (plan, wrong, faults)


rng = np.random.default_rng(9)
check_random(rng, 150)
check_plans(rng)
check_faults(rng)
kinds = {_triton.plan_for(n, 10**8).kernel for n in (10, 100, 1000)}
assert kinds == {"cells", "margins", "scatter"}
print("kernels agree with the host")
