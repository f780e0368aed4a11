"""Turn tensors of labels or scores into counts: with NumPy on the host, with tensor operations elsewhere.

Counts are ``int64[3, n]``: tp, fp and fn (float64 if rows have weights). Faults are ``int64[4]``: the highest label
seen, -1 minus the lowest label seen, whether a score was NaN, and whether a weight was negative or not finite. They
only grow, so they merge by maximum and stay on the device until someone reads them.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from macrof1.convention import Convention
from macrof1.counting.kernel import integers
from macrof1.errors import CountError, InputError, LabelError, LengthError
from macrof1.message import Argument, Message

SIZES = {
    torch.int64: (8, True), torch.int32: (4, True), torch.int16: (2, True), torch.int8: (1, True),
    torch.uint8: (1, False),
}  # fmt: skip
"""Bytes of the types of whole numbers, and whether they have a sign."""


Weights: TypeAlias = Tensor | None


def no_faults() -> Tensor:
    """Return the state without faults."""
    return torch.tensor([0, -1, 0, 0], dtype=torch.int64)


def check_faults(faults: list[int], n: int, ignore_index: int | None) -> None:
    """Raise an error for recorded faults: NaN scores, invalid weights, labels outside the classes."""
    high, low, not_a_number, bad_weight = faults
    if not_a_number:
        hint = "a loss that diverged, or a division by 0, leaves NaN"
        raise InputError("preds holds NaN", argument="preds", expected="a number for every class", hint=hint)
    if bad_weight:
        problem = "sample_weight holds a negative number, infinity or NaN"
        raise CountError(problem, argument="sample_weight", expected="finite numbers, 0 or larger")
    _check_range(-1 - low, high, n, ignore_index)


def _check_range(low: int, high: int, n: int, ignore_index: int | None) -> None:
    if low >= 0 and high < n:
        return
    outside = high if high >= n else low
    raise LabelError(
        f"label {outside} is outside the classes",
        given=outside,
        expected=f"whole numbers from 0 to {n - 1}",
        hint=Message(Argument("ignore_index", outside), " leaves such rows out") if ignore_index is None else None,
    )


def _check_shapes(fine: bool, preds: Tensor, target: Tensor, expected: str) -> None:
    if not fine:
        problem = f"preds is of shape {tuple(preds.shape)} and target of shape {tuple(target.shape)}"
        raise LengthError(problem, argument="preds", expected=expected)


def _check_labels(tensor: Tensor, name: str, advice: str) -> None:
    if tensor.is_floating_point() or tensor.is_complex():
        problem = f"{name} holds {tensor.dtype} in the shape of labels"
        raise LabelError(problem, argument=name, given=tensor.dtype, expected="whole numbers", hint=advice)


def chosen_classes(
    preds: Tensor, target: Tensor, faults: Tensor, n: int, top_k: int, ignore_index: int | None
) -> tuple[Tensor, Tensor]:
    """Return flat predicted and gold codes: of scores the best class, or the gold one if it is among the k best."""
    _check_labels(target, "target", "scores belong in preds, the first argument")
    if preds.ndim == target.ndim + 1 and preds.is_floating_point():
        fine = preds.shape[1] == n and preds.shape[:1] + preds.shape[2:] == target.shape
        expected = f"scores of {n} classes on the second axis of preds, and target without that axis"
        _check_shapes(fine, preds, target, expected)
        if not target.numel():
            return target.reshape(-1), target.reshape(-1)
        best = preds.argmax(1)
        # argmax picks NaN if there is one, so checking the chosen score is enough.
        not_a_number = preds.detach().gather(1, best.unsqueeze(1)).squeeze(1).isnan()
        if ignore_index is not None:
            not_a_number &= target != ignore_index
        faults[2].bitwise_or_(not_a_number.any())
        if top_k > 1:
            among = (preds.topk(top_k, dim=1).indices == target.unsqueeze(1)).any(1)
            best = torch.where(among, target.to(best.dtype), best)
        return best.reshape(-1), target.reshape(-1)
    expected = (
        f"the same shape for labels, or floating-point scores with an axis of {n} classes after the first in preds"
    )
    _check_shapes(preds.shape == target.shape, preds, target, expected)
    one = Message("give scores one column per class, or use ", Argument("task", "binary"), " for one score per row")
    _check_labels(preds, "preds", one)
    if top_k > 1:
        problem = Message(Argument("top_k", top_k), " with labels")
        raise InputError(problem, argument="top_k", expected="scores of every class, from which the k best are taken")
    return preds.reshape(-1), target.reshape(-1)


def indicators(preds: Tensor, target: Tensor, n: int) -> tuple[Tensor, Tensor]:
    """Return predicted and gold indicators, rows x labels."""
    fine = preds.shape == target.shape and target.ndim >= 2 and target.shape[1] == n
    _check_shapes(fine, preds, target, f"rows x {n} labels for both")
    if target.is_floating_point():
        hint = "scores belong in preds, the first argument"
        problem = f"target holds {target.dtype}"
        raise LabelError(problem, argument="target", expected="indicators, 0 or 1", hint=hint)
    pred, gold = (side.movedim(1, -1).reshape(-1, n) for side in (preds, target))
    return pred, gold


def above_threshold(preds: Tensor, faults: Tensor, *, threshold: float, from_logits: bool | None) -> Tensor:
    """Return which scores exceed the threshold; by default a score outside [0, 1] makes all of them logits."""
    if not preds.is_floating_point():
        return preds
    scores = preds.detach()
    faults[2].bitwise_or_(scores.isnan().any())
    if from_logits is None:
        within = ((scores >= 0) & (scores <= 1)).all()
        scores = torch.where(within, scores, scores.sigmoid())
    elif from_logits:
        scores = scores.sigmoid()
    return scores > threshold


def _host_array(codes: Tensor) -> Any:
    codes = codes.detach()
    return codes.numpy() if codes.dtype != torch.bool else codes.view(torch.uint8).numpy()


def count_host(pred: Tensor, gold: Tensor, *, n: int, ignore_index: int | None, weight: Tensor | None = None) -> Tensor:
    """Count flat codes on the host; a label outside the classes raises an error immediately."""
    g, p = _host_array(gold), _host_array(pred)
    w = None if weight is None else weight.numpy()
    if ignore_index is not None:
        kept = g != ignore_index
        g, p, w = g[kept], p[kept], None if w is None else w[kept]
    if not g.size:
        return torch.zeros((3, n), dtype=torch.int64 if w is None else torch.float64)
    columns = integers.class_sums(g, p, n=n, weight=w)
    if columns is None:
        _check_range(*integers.extremes(g, p), n, ignore_index)
    assert columns is not None  # a code outside the classes has raised an error
    found = np.array(columns)
    found[1:] -= found[0]
    return torch.from_numpy(found)


def count_plain(
    pred: Tensor, gold: Tensor, counts: Tensor, faults: Tensor, *, ignore_index: int | None, weight: Weights = None
) -> None:
    """Add flat codes to the counts, using tensor operations that every device supports."""
    if not pred.numel():
        return
    n = counts.shape[1]
    pred, gold = pred.long(), gold.long()
    kept = torch.ones_like(gold, dtype=torch.bool) if ignore_index is None else gold != ignore_index
    counted = kept & (pred >= 0) & (pred < n) & (gold >= 0) & (gold < n)
    hit, miss = counted & (pred == gold), counted & (pred != gold)
    # Ignored rows go into one extra bin.
    nowhere = torch.full_like(gold, n)
    bins = torch.stack(
        [torch.where(hit, gold, nowhere), torch.where(miss, pred, nowhere), torch.where(miss, gold, nowhere)]
    )
    added = torch.zeros((3, n + 1), dtype=counts.dtype, device=counts.device)
    added.scatter_add_(1, bins, torch.ones_like(bins) if weight is None else weight.expand(3, -1))
    counts += added[:, :n]
    zero = torch.zeros_like(gold)
    high = torch.where(kept, torch.maximum(pred, gold), zero).amax()
    low = torch.where(kept, torch.minimum(pred, gold), zero).amin()
    _record_range(faults, high, low)


def count_indicators(
    pred: Tensor, gold: Tensor, counts: Tensor, faults: Tensor, *, ignore_index: int | None, weight: Weights = None
) -> None:
    """Add indicators, rows x labels, to the counts, using tensor operations that every device supports."""
    if not gold.numel():
        return
    kept = None if ignore_index is None else gold != ignore_index
    for side in (pred, gold):
        if side.dtype != torch.bool:
            values = side.long() if kept is None else torch.where(kept, side.long(), 0)
            _record_range(faults, values.amax(), values.amin())
    said, true = pred == 1, gold == 1
    if kept is not None:
        said, true = said & kept, true & kept
    columns = said & true, said & ~true, true & ~said
    counts += torch.stack([column.sum(0) if weight is None else weight @ column.to(weight.dtype) for column in columns])


def _record_range(faults: Tensor, high: Tensor, low: Tensor) -> None:
    nothing = torch.zeros_like(low)
    torch.maximum(faults, torch.stack([high, -1 - low, nothing, nothing]), out=faults)


def macro_scores(counts: Tensor, rules: Convention) -> tuple[Tensor, Tensor]:
    """Return averaged F1, F1 of averages and the gap as float64[3], and how many classes are seen and averaged over.

    The gap is a sum of squares (the paper's Lemma), so that it neither cancels nor falls below 0. Where nothing was
    counted, all classes are averaged over.
    """
    cells = counts.to(torch.float64)
    sides = cells[1:] + cells[0]
    predicted, actual = sides.unbind()
    seen = sides.amax(0) > 0
    chosen = seen if rules.classes == "union" else actual > 0 if rules.classes == "gold" else torch.ones_like(seen)
    kept, square = (chosen | ~seen.any()).to(torch.float64), rules.beta**2
    n = kept.sum()
    # Precision, recall and F of all classes at once: on a device, time is the number of operations.
    below = torch.stack([predicted, actual, (predicted + square * actual) / (1 + square)])
    ratios = torch.where(below > 0, cells[0] / below, float(rules.undefined)) * kept
    precision, recall, _ = ratios.unbind()
    mean_precision, mean_recall, averaged = (ratios.sum(1) / n).unbind()
    weighted = square * mean_precision + mean_recall
    # With a beta of 0, F is precision, whatever the recall is.
    of_averages = (
        torch.where(weighted > 0, (1 + square) * mean_precision * mean_recall / weighted, 0.0)
        if square
        else mean_precision
    )
    weight = recall + square * precision
    lean = torch.where(weight > 0, precision / weight - mean_precision / weighted, 0.0)
    gap = (1 + square) * square * (weight * lean * lean).sum() / n
    return torch.stack([averaged, of_averages, gap]), torch.stack([seen, chosen]).sum(1)
