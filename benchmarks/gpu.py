"""Counting on a CUDA device side by side with torchmetrics and torch, in one run; medians after warm-up.

python benchmarks/gpu.py [--out TABLE.md] [--tune]

Every case is checked against torch.bincount before it is timed. `--tune` also times other kernels and sizes.
"""

from __future__ import annotations

import argparse
import datetime as dt
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

import torch
import torchmetrics
import triton
from torch.profiler import ProfilerActivity, profile
from torchmetrics.classification import MulticlassF1Score

import macrof1
from macrof1.integrations import _triton
from macrof1.integrations.torch import MacroF1

DEVICE = "cuda"
CRASH = """
import torch
from torchmetrics.classification import MulticlassF1Score
labels = torch.randint(0, {n}, (1_000_000,), device="cuda")
metric = MulticlassF1Score({n}, average="macro", validate_args=False).to("cuda")
metric.update(labels, labels)
torch.cuda.synchronize()
"""
# Calls by which a host waits for its device.
WAITS = ("Synchronize", "aten::item", "aten::_local_scalar_dense", "Memcpy DtoH")


def timed(function, repeats=30, warm_up=5):
    """Median milliseconds on the device, by events."""
    for _ in range(warm_up):
        function()
    pairs = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(repeats)]
    for start, end in pairs:
        start.record()
        function()
        end.record()
    torch.cuda.synchronize()
    return median(start.elapsed_time(end) for start, end in pairs)


def timed_call(function, calls=300, repeats=9):
    """Median milliseconds per call on the host's clock, with the device's work done at the end."""
    times = []
    for repeat in range(repeats + 1):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            function()
        torch.cuda.synchronize()
        if repeat:
            times.append((time.perf_counter() - start) * 1e3 / calls)
    return median(times)


def labels(rows, n, dtype=torch.int64, seed=0):
    generator = torch.Generator(DEVICE).manual_seed(seed)
    gold = torch.randint(0, n, (rows,), generator=generator, device=DEVICE)
    other = torch.randint(0, n, (rows,), generator=generator, device=DEVICE)
    right = torch.rand(rows, generator=generator, device=DEVICE) < 0.7
    return torch.where(right, gold, other).to(dtype), gold.to(dtype)


def three_bincounts(pred, gold, n):
    return (
        torch.bincount(gold[gold == pred], minlength=n),
        torch.bincount(pred, minlength=n),
        torch.bincount(gold, minlength=n),
    )


def ours(n, pred, gold):
    """Return an update to time, after checking its counts."""
    metric = MacroF1(n).to(DEVICE)
    metric.update(pred, gold)
    found = (metric.tp, metric.predicted, metric.actual)
    for mine, theirs in zip(found, three_bincounts(pred.long(), gold.long(), n), strict=True):
        if not torch.equal(mine, theirs):
            raise SystemExit(f"wrong counts for {n} classes and {pred.numel():,} {pred.dtype} labels")
    return lambda: metric.update(pred, gold)


def theirs(n, pred, gold, *, validate):
    metric = MulticlassF1Score(n, average="macro", validate_args=validate).to(DEVICE)
    return lambda: metric.update(pred, gold)


class Rows:
    """The table: each line says whether its target was met."""

    def __init__(self):
        self.lines = []

    def at_least(self, case, mine, name, other, target):
        """Our time must be at least `target` times shorter than the other's."""
        met = other / mine >= target if target > 1 else other / mine > target
        bound = f"at least {target:g}×" if target > 1 else "faster"
        self.add(case, mine, name, other, f"{other / mine:.2f}× faster", bound, met)

    def at_most(self, case, mine, name, other, target):
        """Our time must be at most `target` times the other's."""
        self.add(
            case, mine, name, other, f"{mine / other:.2f}× the time", f"at most {target:g}×", mine <= target * other
        )

    def add(self, case, mine, name, other, ratio, bound, met):
        line = [case, f"{mine:.4f} ms", name, f"{other:.4f} ms", ratio, bound, "yes" if met else "NO"]
        self.lines.append(line)
        print(" | ".join(line), flush=True)

    def markdown(self):
        header = ["case on the device", "macrof1", "compared with", "its time", "ratio", "target", "met"]
        table = [header, ["---"] * len(header), *self.lines]
        return "\n".join("| " + " | ".join(line) + " |" for line in table)


def many_rows(rows):
    pred, gold = labels(100_000_000, 10)
    mine = timed(ours(10, pred, gold))
    case = "1e8 int64, 10 classes"
    rows.at_most(case, mine, "summing both tensors", timed(lambda: (pred.sum(), gold.sum())), 1.15)
    rows.at_least(case, mine, "torchmetrics", timed(theirs(10, pred, gold, validate=False)), 7)
    rows.at_least(case, mine, "torchmetrics, validating", timed(theirs(10, pred, gold, validate=True), 10), 25)
    pred, gold = labels(100_000_000, 2)
    case = "1e8 int64, 2 classes"
    rows.at_least(case, timed(ours(2, pred, gold)), "torchmetrics", timed(theirs(2, pred, gold, validate=False)), 15)
    pred, gold = labels(100_000_000, 10, torch.uint8)
    case = "1e8 uint8, 10 classes"
    rows.at_least(case, timed(ours(10, pred, gold)), "torchmetrics", timed(theirs(10, pred, gold, validate=False)), 8)


def many_classes(rows):
    for n in (1_000, 100_000):
        pred, gold = labels(50_000_000, n)
        mine = timed(ours(n, pred, gold))
        case = f"5e7 int64, {n:,} classes"
        if n * n < 2**31:
            rows.at_least(case, mine, "torchmetrics", timed(theirs(n, pred, gold, validate=False), 5, 1), 1)
        else:
            # Its table of n x n cells needs more than 31 bits: it fails, and takes the whole process with it.
            program = [sys.executable, "-c", CRASH.format(n=n)]
            failed = subprocess.run(program, capture_output=True, check=False).returncode != 0
            said, met = ("fails", "yes") if failed else ("runs", "not compared")
            rows.lines.append([case, f"{mine:.4f} ms", "torchmetrics", said, "", "faster", met])
            print(rows.lines[-1], flush=True)
        torch.cuda.empty_cache()
        rows.at_least(
            case, mine, "three torch.bincount", timed(lambda p=pred, g=gold, n=n: three_bincounts(p, g, n), 10), 1
        )


def small_update(rows):
    pred, gold = labels(8192, 10)
    update = ours(10, pred, gold)
    mine, peer = timed_call(update), timed_call(theirs(10, pred, gold, validate=False))
    rows.at_most("one update of 8,192 labels", mine, "torchmetrics", peer, 0.5)
    # PyTorch's own alarm first, then the profiler's record of every call.
    torch.cuda.set_sync_debug_mode("error")
    try:
        update()
    finally:
        torch.cuda.set_sync_debug_mode("default")
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as record:
        # Starting and leaving the profiler wait for the device: what lies between the marks is ours.
        with torch.profiler.record_function("first mark"):
            pass
        for _ in range(10):
            update()
        with torch.profiler.record_function("last mark"):
            pass
    starts = {event.name: event.time_range.start for event in record.events()}
    inside = [e.name for e in record.events() if starts["first mark"] < e.time_range.start < starts["last mark"]]
    waits = [name for name in inside if any(word in name for word in WAITS)]
    launches = sum("LaunchKernel" in name for name in inside)
    said = f"{len(waits)} waits, {launches} launches in 10 updates"
    met = "yes" if not waits else "NO"
    rows.lines.append(["one update of 8,192 labels", said, "profiler", "", "", "no host synchronisation", met])
    print(rows.lines[-1], sorted(set(waits)), flush=True)


def scores(rows):
    logits = torch.randn(1_000_000, 1_000, device=DEVICE)
    gold = torch.randint(0, 1_000, (1_000_000,), device=DEVICE)
    metric = MacroF1(1_000).to(DEVICE)
    mine = timed(lambda: metric.update(logits, gold))
    rows.at_most("logits 1e6 × 1,000 float32", mine, "argmax alone", timed(lambda: logits.argmax(1)), 1.2)


def tune():
    """Time other kernels and sizes; the smallest of each case belongs into `_triton.plan_for`."""
    cases = [
        (10, 100_000_000, torch.int64),
        (2, 100_000_000, torch.int64),
        (10, 100_000_000, torch.uint8),
        (30, 50_000_000, torch.int64),
        (100, 50_000_000, torch.int64),
        (250, 50_000_000, torch.int64),
        (1_000, 50_000_000, torch.int64),
        (100_000, 50_000_000, torch.int64),
        (10, 8192, torch.int64),
    ]
    for n, rows, dtype in cases:
        pred, gold = labels(rows, n, dtype)
        counts = torch.zeros((3, n), dtype=torch.int64, device=DEVICE)
        faults = torch.tensor([0, -1, 0], device=DEVICE)
        base = _triton.plan_for(n, rows, pred.element_size())
        found = []
        for plan in dict.fromkeys(variants(n, base)):
            call = lambda p=plan, a=pred, b=gold, c=counts, f=faults: _triton.count_rows(a, b, c, f, plan=p)  # noqa: E731
            try:
                found.append((timed(call, 15, 3), plan))
            except Exception as error:  # noqa: BLE001 - a size that the device refuses is no candidate
                print(f"  {plan}: {type(error).__name__}")
        found.sort(key=lambda pair: pair[0])
        chosen = next(ms for ms, plan in found if plan == base)
        print(f"\n{n:,} classes, {rows:,} {dtype}: chosen {chosen:.4f} ms {base}")
        for ms, plan in found[:5]:
            print(f"  {ms:.4f} ms {plan}", flush=True)


def variants(n, base):
    yield base
    shapes = [(1024, 4), (2048, 4), (2048, 8), (4096, 8), (4096, 16), (8192, 16)]
    for block, warps in shapes:
        sized = replace(base, block=block, warps=warps)
        if base.kernel == "scatter":
            for copies in (0, 4, 16, 64) if n <= 10_000 else (0, 2):
                yield replace(sized, copies=copies)
        else:
            for per_processor in (1, 2, 4, 8, 16):
                yield replace(sized, per_processor=per_processor)
    margins = max(32, triton.next_power_of_2(n + 2))
    if base.kernel != "margins" and margins <= 2048:
        for block, warps in shapes[1:5]:
            yield _triton.Plan("margins", margins, block, warps, 4)
    cells = max(32, triton.next_power_of_2(n * n + 2))
    if base.kernel != "cells" and cells <= 2048:
        for block, warps in shapes[1:5]:
            yield _triton.Plan("cells", cells, block, warps, 4)
    if base.kernel != "scatter":
        for copies in (0, 64):
            yield _triton.Plan("scatter", 0, 1024, 4, copies=copies)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="write the table to this Markdown file")
    parser.add_argument("--tune", action="store_true", help="also time other kernels and sizes")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("no CUDA device here: this benchmark needs one")
    device = torch.cuda.get_device_properties(0)
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    facts = (
        f"{device.name} ({device.multi_processor_count} multiprocessors), {today}: macrof1 {macrof1.__version__}, "
        f"torch {torch.__version__}, CUDA {torch.version.cuda}, triton {triton.__version__}, "
        f"torchmetrics {torchmetrics.__version__}; medians after warm-up, one run of `python benchmarks/gpu.py`."
    )
    print(facts, flush=True)
    rows = Rows()
    for part in (many_rows, many_classes, small_update, scores):
        part(rows)
        torch.cuda.empty_cache()
    text = f"{facts}\n\n{rows.markdown()}\n"
    if options.out is not None:
        options.out.write_text(text, encoding="utf-8")
    print(f"\n{text}")
    if options.tune:
        tune()


if __name__ == "__main__":
    main()
