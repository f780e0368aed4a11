"""Counting on a CUDA device: one pass over both tensors, no look at the host.

The counts are three rows of n numbers: hits (tp), predicted in vain (fp) and gold not found (fn). A row of data
touches at most two of them, and one where it is right: that is why they are kept, and not the two margins.

========  ==================  ==================================================================================
kernel    classes             how
========  ==================  ==================================================================================
cells     n² + 2 <= 128       each program keeps a histogram of gold * n + predicted in registers
margins   n + 2 <= 256        each program keeps three histograms of n bins in registers
scatter   more                one atomic per right row, two per wrong one, into copies that keep programs apart
========  ==================  ==================================================================================

Registers are added to the counts once per program. Rows that do not count go to a bin of their own; labels outside
the classes to another, and where that bin is not empty the program looks at its rows again to name the value: an
error may cost a second pass, the usual case pays nothing for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import torch
import triton
import triton.language as tl

_CELL_BINS = 128
_MARGIN_BINS = 256
_WARP = 32
_LARGE = 1 << 17
_COPY_ROWS = 1 << 20
_COPY_CLASSES = 1 << 16
_MOST_COPIES = 64
_INT32_ROWS = 1 << 31


@triton.jit
def _below(codes, n):
    """Whether codes lie in 0 … n - 1: one unsigned comparison."""
    if codes.dtype == tl.int64:
        return codes.to(tl.uint64, bitcast=True) < n.to(tl.uint64)
    return codes.to(tl.int32).to(tl.uint32, bitcast=True) < n.to(tl.uint32)


@triton.jit
def _judged(pred, gold, n, ignore, HAS_IGNORE: tl.constexpr):
    """Return which rows count, which are out of range, and both codes as 32-bit numbers."""
    inside = _below(pred, n) & _below(gold, n)
    if HAS_IGNORE:
        kept = gold.to(tl.int64) != ignore
        return inside & kept, kept & (inside == 0), pred.to(tl.int32), gold.to(tl.int32)
    return inside, inside == 0, pred.to(tl.int32), gold.to(tl.int32)


@triton.jit
def _name_faults(pred_ptr, gold_ptr, faults_ptr, rows, ignore, HAS_IGNORE: tl.constexpr, BLOCK: tl.constexpr):
    """Record the highest and the lowest label that this program has met."""
    lane = tl.arange(0, BLOCK)
    first = tl.program_id(0).to(tl.int64) * BLOCK
    step = tl.num_programs(0).to(tl.int64) * BLOCK
    highest = tl.zeros((BLOCK,), tl.int64)
    lowest = tl.zeros((BLOCK,), tl.int64)
    for start in range(first, rows, step):
        there = start + lane < rows
        pred = tl.load(pred_ptr + start + lane, mask=there, other=0).to(tl.int64)
        gold = tl.load(gold_ptr + start + lane, mask=there, other=0).to(tl.int64)
        if HAS_IGNORE:
            there = there & (gold != ignore)
        highest = tl.maximum(highest, tl.where(there, tl.maximum(pred, gold), 0))
        lowest = tl.minimum(lowest, tl.where(there, tl.minimum(pred, gold), 0))
    tl.atomic_max(faults_ptr, tl.max(highest, 0))
    tl.atomic_max(faults_ptr + 1, -1 - tl.min(lowest, 0))


@triton.jit
def _cell(pred, gold, n, ignore, HAS_IGNORE: tl.constexpr):
    """Return the bin of each row: its cell, n² where it does not count, n² + 1 where it is out of range."""
    counts, bad, p, g = _judged(pred, gold, n, ignore, HAS_IGNORE)
    return tl.where(counts, g * n + p, n * n + bad.to(tl.int32))


@triton.jit(do_not_specialize=["rows", "n", "ignore"])
def _count_cells(
    pred_ptr,
    gold_ptr,
    counts_ptr,
    faults_ptr,
    rows,
    n,
    ignore,
    HAS_IGNORE: tl.constexpr,
    BINS: tl.constexpr,
    CLASSES: tl.constexpr,
    BLOCK: tl.constexpr,
):
    lane = tl.arange(0, BLOCK)
    first = tl.program_id(0).to(tl.int64) * BLOCK
    step = tl.num_programs(0).to(tl.int64) * BLOCK
    full = (rows // BLOCK).to(tl.int64) * BLOCK
    cells = tl.zeros((BINS,), tl.int32)
    # Whole blocks need no mask, so that their loads stay as wide as the memory bus.
    for start in range(first, full, step):
        pred = tl.load(pred_ptr + start + lane)
        gold = tl.load(gold_ptr + start + lane)
        cells += tl.histogram(_cell(pred, gold, n, ignore, HAS_IGNORE), BINS)
    if (full < rows) & (full % step == first):
        there = full + lane < rows
        pred = tl.load(pred_ptr + full + lane, mask=there, other=0)
        gold = tl.load(gold_ptr + full + lane, mask=there, other=0)
        cells += tl.histogram(tl.where(there, _cell(pred, gold, n, ignore, HAS_IGNORE), n * n), BINS)
    # The cells are there; fold them into three numbers per class.
    index = tl.arange(0, BINS)
    classes = tl.arange(0, CLASSES)
    amount = tl.where(index < n * n, cells, 0)
    hit = tl.where(index // n == index % n, amount, 0)
    miss = amount - hit
    of_gold = (index // n)[:, None] == classes[None, :]
    of_pred = (index % n)[:, None] == classes[None, :]
    inside = classes < n
    tp = tl.sum(tl.where(of_gold, hit[:, None], 0), 0)
    fp = tl.sum(tl.where(of_pred, miss[:, None], 0), 0)
    fn = tl.sum(tl.where(of_gold, miss[:, None], 0), 0)
    tl.atomic_add(counts_ptr + classes, tp.to(tl.int64), mask=inside, sem="relaxed")
    tl.atomic_add(counts_ptr + n + classes, fp.to(tl.int64), mask=inside, sem="relaxed")
    tl.atomic_add(counts_ptr + 2 * n + classes, fn.to(tl.int64), mask=inside, sem="relaxed")
    if tl.sum(tl.where(index == n * n + 1, cells, 0), 0) > 0:
        _name_faults(pred_ptr, gold_ptr, faults_ptr, rows, ignore, HAS_IGNORE, BLOCK)


@triton.jit
def _margin_bins(pred, gold, n, ignore, HAS_IGNORE: tl.constexpr):
    """Return the bins of hits, predicted in vain and gold not found; n for none, n + 1 for out of range."""
    counts, bad, p, g = _judged(pred, gold, n, ignore, HAS_IGNORE)
    hit = counts & (p == g)
    miss = counts & (p != g)
    return tl.where(hit, g, n + bad.to(tl.int32)), tl.where(miss, p, n), tl.where(miss, g, n)


@triton.jit(do_not_specialize=["rows", "n", "ignore"])
def _count_margins(
    pred_ptr,
    gold_ptr,
    counts_ptr,
    faults_ptr,
    rows,
    n,
    ignore,
    HAS_IGNORE: tl.constexpr,
    BINS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    lane = tl.arange(0, BLOCK)
    first = tl.program_id(0).to(tl.int64) * BLOCK
    step = tl.num_programs(0).to(tl.int64) * BLOCK
    full = (rows // BLOCK).to(tl.int64) * BLOCK
    tp = tl.zeros((BINS,), tl.int32)
    fp = tl.zeros((BINS,), tl.int32)
    fn = tl.zeros((BINS,), tl.int32)
    for start in range(first, full, step):
        pred = tl.load(pred_ptr + start + lane)
        gold = tl.load(gold_ptr + start + lane)
        hit, vain, missed = _margin_bins(pred, gold, n, ignore, HAS_IGNORE)
        tp += tl.histogram(hit, BINS)
        fp += tl.histogram(vain, BINS)
        fn += tl.histogram(missed, BINS)
    if (full < rows) & (full % step == first):
        there = full + lane < rows
        pred = tl.load(pred_ptr + full + lane, mask=there, other=0)
        gold = tl.load(gold_ptr + full + lane, mask=there, other=0)
        hit, vain, missed = _margin_bins(pred, gold, n, ignore, HAS_IGNORE)
        tp += tl.histogram(tl.where(there, hit, n), BINS)
        fp += tl.histogram(tl.where(there, vain, n), BINS)
        fn += tl.histogram(tl.where(there, missed, n), BINS)
    index = tl.arange(0, BINS)
    tl.atomic_add(counts_ptr + index, tp.to(tl.int64), mask=(index < n) & (tp > 0), sem="relaxed")
    tl.atomic_add(counts_ptr + n + index, fp.to(tl.int64), mask=(index < n) & (fp > 0), sem="relaxed")
    tl.atomic_add(counts_ptr + 2 * n + index, fn.to(tl.int64), mask=(index < n) & (fn > 0), sem="relaxed")
    if tl.sum(tl.where(index == n + 1, tp, 0), 0) > 0:
        _name_faults(pred_ptr, gold_ptr, faults_ptr, rows, ignore, HAS_IGNORE, BLOCK)


@triton.jit(do_not_specialize=["rows", "n", "ignore", "copies"])
def _count_scatter(
    pred_ptr,
    gold_ptr,
    counts_ptr,
    faults_ptr,
    rows,
    n,
    ignore,
    copies,
    HAS_IGNORE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    lane = tl.arange(0, BLOCK)
    start = tl.program_id(0).to(tl.int64) * BLOCK
    there = start + lane < rows
    pred = tl.load(pred_ptr + start + lane, mask=there, other=0)
    gold = tl.load(gold_ptr + start + lane, mask=there, other=0)
    counts, bad, p, g = _judged(pred, gold, n, ignore, HAS_IGNORE)
    counts = counts & there
    bad = bad & there
    miss = counts & (p != g)
    own = counts_ptr + (tl.program_id(0) % copies).to(tl.int64) * 3 * n
    one = tl.full((BLOCK,), 1, counts_ptr.dtype.element_ty)
    # A right row is a hit; a wrong one is predicted in vain here and gold not found there.
    tl.atomic_add(own + tl.where(p == g, g, n + p), one, mask=counts, sem="relaxed")
    tl.atomic_add(own + 2 * n + g, one, mask=miss, sem="relaxed")
    high = tl.maximum(pred.to(tl.int64), gold.to(tl.int64))
    low = tl.minimum(pred.to(tl.int64), gold.to(tl.int64))
    tl.atomic_max(faults_ptr + tl.zeros((BLOCK,), tl.int32), high, mask=bad, sem="relaxed")
    tl.atomic_max(faults_ptr + tl.full((BLOCK,), 1, tl.int32), -1 - low, mask=bad, sem="relaxed")


@dataclass(frozen=True, slots=True)
class Plan:
    """Which kernel counts, and its sizes; `benchmarks/gpu.py --tune` compares others.

    Attributes
    ----------
    kernel
        ``"cells"``, ``"margins"`` or ``"scatter"``.
    bins
        Bins of a histogram; 0 for scatter.
    block, warps
        Rows that a program takes at once, and the warps that share them.
    per_processor
        Programs per multiprocessor; scatter starts one per block instead.
    copies
        Copies of the counts for scatter; 0 writes into the counts themselves.
    """

    kernel: Literal["cells", "margins", "scatter"]
    bins: int
    block: int
    warps: int
    per_processor: int = 8
    copies: int = 0


@lru_cache(maxsize=256)
def _plan(n: int, large: bool, copied: bool, narrow: bool) -> Plan:
    # Sizes that were fastest on an H200 (`benchmarks/gpu.py --tune`): eight rows per thread and many programs for
    # wide labels, so that enough loads are under way; more rows per thread where a row is one byte.
    block, warps, per_processor = (2048, 2, 16) if narrow and large else (1024, 4, 32)
    if n * n + 2 <= _CELL_BINS:
        return Plan("cells", max(_WARP, triton.next_power_of_2(n * n + 2)), block, warps, per_processor)
    if n + 2 <= _MARGIN_BINS:
        return Plan("margins", max(_WARP, triton.next_power_of_2(n + 2)), block, warps, per_processor)
    # Few classes with many rows meet at the same addresses; many classes spread by themselves.
    copies = min(_MOST_COPIES, _COPY_CLASSES // n) if copied else 0
    return Plan("scatter", 0, 1024, 4, copies=copies)


def plan_for(n: int, rows: int, width: int = 8) -> Plan:
    """Choose the kernel for n classes and a number of rows of labels that are `width` bytes wide."""
    return _plan(n, rows > _LARGE, rows >= _COPY_ROWS, width == 1)


@lru_cache(maxsize=16)
def _processors(index: int | None) -> int:
    if index is None:  # the interpreter, on the host
        return 2
    return int(torch.cuda.get_device_properties(index).multi_processor_count)


def count_rows(
    pred: Any, gold: Any, counts: Any, faults: Any, *, ignore_index: int | None = None, plan: Plan | None = None
) -> None:
    """Add the rows of two flat integer tensors to the counts, on the device and without waiting for it.

    Parameters
    ----------
    pred, gold
        Contiguous, of the same length; any integer type that Triton loads.
    counts
        ``int64[3, n]``: tp, fp, fn.
    faults
        ``int64[3]``: the highest label, -1 minus the lowest label (both where out of range), and whether a score
        was not a number.
    """
    rows, n = pred.numel(), counts.shape[1]
    if not rows:
        return
    chosen = plan if plan is not None else plan_for(n, rows, pred.element_size())
    has_ignore = ignore_index is not None
    ignore = ignore_index if ignore_index is not None else 0
    blocks = -(-rows // chosen.block)
    if chosen.kernel == "scatter":
        into, copies = counts, 1
        if chosen.copies > 1:
            copies = chosen.copies
            dtype = torch.int32 if rows < _INT32_ROWS else torch.int64
            into = torch.zeros((copies, 3, n), dtype=dtype, device=counts.device)
        _count_scatter[(blocks,)](
            pred, gold, into, faults, rows, n, ignore, copies, has_ignore, chosen.block, num_warps=chosen.warps
        )
        if into is not counts:
            counts += into.sum(0)
        return
    programs = min(blocks, _processors(counts.device.index) * chosen.per_processor)
    if chosen.kernel == "cells":
        classes = max(2, triton.next_power_of_2(n))
        _count_cells[(programs,)](
            pred, gold, counts, faults, rows, n, ignore, has_ignore, chosen.bins, classes, chosen.block,
            num_warps=chosen.warps,
        )  # fmt: skip
    else:
        _count_margins[(programs,)](
            pred, gold, counts, faults, rows, n, ignore, has_ignore, chosen.bins, chosen.block, num_warps=chosen.warps
        )
