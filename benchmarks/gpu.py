"""Counting on a CUDA device side by side with torchmetrics and torch, in one run; medians after warm-up.

python benchmarks/gpu.py [--out TABLE.md]

Every case is checked against torch.bincount before it is timed. The floor is reading the same bytes once: summing both
tensors, viewed as int64.
"""

from __future__ import annotations

import argparse
import datetime as dt
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import torch
import torchmetrics
from torch.profiler import ProfilerActivity, profile
from torchmetrics.classification import MulticlassF1Score, MultilabelF1Score

import macrof1
from macrof1.integrations._tensors import count_plain, no_faults
from macrof1.integrations.torch import AveragedF1, MacroF1

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


def labels(rows, n, dtype=torch.int64, *, dominated=False, seed=0):
    generator = torch.Generator(DEVICE).manual_seed(seed)
    gold = torch.randint(0, n, (rows,), generator=generator, device=DEVICE)
    if dominated:
        gold[torch.rand(rows, generator=generator, device=DEVICE) < 0.95] = 0
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
    tp, fp, fn = metric.counts
    found = (tp, tp + fp, tp + fn)
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
        """Our time must be at most `target` times the other's; None sets no target."""
        bound = "" if target is None else f"at most {target:g}×"
        self.add(
            case, mine, name, other, f"{mine / other:.2f}× the time", bound, target is None or mine <= target * other
        )

    def add(self, case, mine, name, other, ratio, bound, met):
        line = [case, f"{mine:.4f} ms", name, f"{other:.4f} ms", ratio, bound, "yes" if met else "NO"]
        self.lines.append(line)
        print(" | ".join(line), flush=True)

    def markdown(self):
        header = ["case on the device", "macrof1", "compared with", "its time", "ratio", "target", "met"]
        table = [header, ["---"] * len(header), *self.lines]
        return "\n".join("| " + " | ".join(line) + " |" for line in table)


def beside_the_floor(rows):
    targets = {
        torch.int64: {2: 1.1, 10: 1.1, 100: 1.1, 1_000: 1.1, 10_000: 1.1, 100_000: None},
        torch.int32: {2: 1.2, 10: 1.2, 100: 1.2, 1_000: 1.2, 10_000: 1.2},
        torch.uint8: {2: 1.5, 10: 1.5, 100: 2},
    }
    for dtype, by_classes in targets.items():
        for n, target in by_classes.items():
            for dominated in (False, True):
                pred, gold = labels(100_000_000, n, dtype, dominated=dominated)
                mine = timed(ours(n, pred, gold))
                words = pred.view(torch.int64), gold.view(torch.int64)
                floor = timed(lambda words=words: [side.sum() for side in words])
                case = f"1e8 {str(dtype)[6:]}, {n:,} classes, {'one dominates' if dominated else 'uniform'}"
                rows.at_most(case, mine, "reading once", floor, target)
                del pred, gold, words


def beside_peers(rows):
    pred, gold = labels(100_000_000, 10)
    mine = timed(ours(10, pred, gold))
    case = "1e8 int64, 10 classes"
    rows.at_least(case, mine, "torchmetrics", timed(theirs(10, pred, gold, validate=False)), 7)
    rows.at_least(case, mine, "torchmetrics, validating", timed(theirs(10, pred, gold, validate=True), 10), 25)
    pred, gold = labels(100_000_000, 10, torch.uint8)
    case = "1e8 uint8, 10 classes"
    rows.at_least(case, timed(ours(10, pred, gold)), "torchmetrics", timed(theirs(10, pred, gold, validate=False)), 8)
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


def weights_and_indicators(rows):
    pred, gold = labels(100_000_000, 10)
    weight = torch.rand(len(gold), device=DEVICE, dtype=torch.float64)
    metric, plain = MacroF1(10, weighted=True).to(DEVICE), torch.zeros((3, 10), dtype=torch.float64, device=DEVICE)
    mine = timed(lambda: metric.update(pred, gold, weight))
    peer = timed(lambda: count_plain(pred, gold, plain, no_faults().to(DEVICE), ignore_index=None, weight=weight), 5, 1)
    rows.at_least("1e8 int64 with weights, 10 classes", mine, "tensor operations", peer, 1)
    said = torch.rand(10_000_000, 10, device=DEVICE)
    gold = (torch.rand(10_000_000, 10, device=DEVICE) < 0.2).long()
    metric = MacroF1(10, task="multilabel", from_logits=False).to(DEVICE)
    peer = MultilabelF1Score(10, average="macro", validate_args=False).to(DEVICE)
    mine, other = timed(lambda: metric.update(said, gold)), timed(lambda: peer.update(said, gold), 10)
    rows.at_least("1e7 × 10 scores with a threshold", mine, "torchmetrics", other, 1)
    yes = said > 0.5
    mine, other = timed(lambda: metric.update(yes, gold)), timed(lambda: peer.update(yes.long(), gold), 10)
    rows.at_least("1e7 × 10 indicators", mine, "torchmetrics", other, 1)


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


def computes(rows):
    """One compute() of counts that are already there, on the host's clock: it waits for the device once."""
    for n in (10, 1_000, 100_000):
        pred, gold = labels(1_000_000, n)
        mine, peer = AveragedF1(n).to(DEVICE), MulticlassF1Score(n, average="macro", validate_args=False).to(DEVICE)
        mine.update(pred, gold)
        expected = macrof1.score(gold.cpu().numpy(), pred.cpu().numpy()).averaged_f1
        if abs(mine.compute().item() - expected) > 1e-12:
            raise SystemExit(f"a wrong score for {n} classes")
        # Its own update cannot count 100,000 classes: it is given our counts.
        peer.tp, peer.fp, peer.fn = mine.counts
        peer.tn, peer._update_count = pred.numel() - mine.counts.sum(0), 1
        times = []
        for metric in (mine, peer):

            def once(metric=metric):
                metric._computed = None
                metric.compute()

            times.append(timed_call(once, calls=50))
        case = f"compute(), {n:,} classes"
        ratio, met = f"{times[0] / times[1]:.2f}× the time", times[0] <= 1
        rows.add(case, times[0], "torchmetrics", times[1], ratio, "at most 1 ms", met)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="write the table to this Markdown file")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("no CUDA device here: this benchmark needs one")
    device = torch.cuda.get_device_properties(0)
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    facts = (
        f"{device.name} ({device.multi_processor_count} multiprocessors), {today}: macrof1 {macrof1.__version__}, "
        f"torch {torch.__version__}, CUDA {torch.version.cuda}, torchmetrics {torchmetrics.__version__}; "
        f"medians after warm-up, one run of `python benchmarks/gpu.py`."
    )
    print(facts, flush=True)
    rows = Rows()
    for part in (beside_the_floor, beside_peers, weights_and_indicators, small_update, scores, computes):
        part(rows)
        torch.cuda.empty_cache()
    text = f"{facts}\n\n{rows.markdown()}\n"
    if options.out is not None:
        options.out.write_text(text, encoding="utf-8")
    print(f"\n{text}")


if __name__ == "__main__":
    main()
