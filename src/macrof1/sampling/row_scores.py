"""Means over rows and over batches of rows: neither is a macro F1 of the data, and both are printed under that name.

The mean over rows of label sets is known as sample-averaged or example-based F1. The mean over batches is what a
training loop logs that scores every batch by itself; it depends on their size and on the order of the rows.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.cells import SetRows
from macrof1.counting.encoding import counted_from_zero, encode
from macrof1.counting.units import count_units
from macrof1.counts import ROWS, ClassCounts, Making, RowSource, trusted_counts
from macrof1.labels import label_key
from macrof1.sampling.joint import KeptRows
from macrof1.scoring.definitions import DefinedScore

SIZES: Final = (8, 10, 12, 16, 20, 24, 32, 48, 50, 64, 96, 100, 128, 200, 256, 500, 512, 1000, 1024)
"""The batch sizes that are tried: powers of two, and round numbers."""

# Batches times classes beyond which a size is left out, and how many are counted at a time.
_MOST_CELLS, _CELLS_AT_ONCE = 50_000_000, 1 << 20
_KINDS = {
    "averaged_f1": "averaged F1 over the classes of the batch",
    "averaged_f1(classes=all)": "averaged F1 over all classes",
    "micro_f1": "micro F1 (accuracy)",
}
_LAST = {"": "", "last left out": " without the last, smaller batch", "by rows": ", each weighted by its rows"}


def count_rows(rows: RowSource) -> ClassCounts | None:
    """Count the sets behind counts, with rows as units; None for rows with one label, or if only sums are known."""
    if isinstance(rows, KeptRows) and rows.cells is None and rows.sample_weight is None:
        columns = np.stack(count_units(rows.gold, rows.pred, ROWS).columns)
        amounts = np.ones(columns.shape[1])
    elif isinstance(rows, SetRows) and rows.cells:
        sizes = [(len(each.gold & each.pred), len(each.pred), len(each.gold)) for each in rows.cells]
        columns, amounts = np.array(sizes).T, np.array([each.amount for each in rows.cells], float)
    else:
        return None
    kinds, place = np.unique(columns, axis=1, return_inverse=True)  # in one order, for the same bits
    return trusted_counts(
        labels=tuple(range(kinds.shape[1])), columns=tuple(kinds.copy()), n_rows=None,
        weights=np.bincount(place.ravel(), amounts), making=Making(facts=(("over", ROWS),)),
    )  # fmt: skip


def batch_scores(gold: Any, pred: Any) -> list[DefinedScore]:
    """Return means over batches of rows in their order, for every usual batch size below the number of rows."""
    sides = [counted_from_zero(encode(side, name)) for side, name in ((gold, "gold"), (pred, "pred"))]
    # In one order whatever the container, so that sums are the same to the last bit.
    keys = sorted({label_key(label) for side in sides for label in side.labels}, key=repr)
    place, n = {key: at for at, key in enumerate(keys)}, len(keys)
    golds, preds = (np.array([place[label_key(label)] for label in side.labels])[side.codes] for side in sides)
    found = []
    for size in SIZES:
        n_batches = -(-len(golds) // size)
        if n_batches < 2 or n_batches * n > _MOST_CELLS:
            continue
        scores, rows = _scores(golds, preds, n, size), np.diff(np.r_[np.arange(0, len(golds), size), len(golds)])
        for row, kind in enumerate(_KINDS):
            means = {"": scores[row].mean()}
            if rows[-1] < size:
                means["last left out"] = scores[row, :-1].mean()
                if kind != "micro_f1":  # weighted by rows, it is that of all rows
                    means["by rows"] = np.average(scores[row], weights=rows)
            found += [
                DefinedScore(
                    definition=f"mean over batches of {size}{last and ', ' + last} of {kind}",
                    value=float(value),
                    words=f"mean over batches of {size} rows{_LAST[last]} of {_KINDS[kind]}",
                )
                for last, value in means.items()
            ]
    return found


def _scores(gold: NDArray[np.int64], pred: NDArray[np.int64], n: int, size: int) -> NDArray[np.float64]:
    at_once = max(1, _CELLS_AT_ONCE // n) * size
    parts = []
    for start in range(0, len(gold), at_once):
        g, p = gold[start : start + at_once], pred[start : start + at_once]
        cell = np.arange(len(g)) // size * n
        shape = (len(g) - 1) // size + 1, n
        hit = g == p
        tp, actual, predicted = (
            np.bincount(cells, minlength=shape[0] * n).reshape(shape) for cells in ((cell + g)[hit], cell + g, cell + p)
        )
        f1 = 2 * tp / np.maximum(actual + predicted, 1)
        seen = ((actual + predicted) > 0).sum(1)
        parts.append([f1.sum(1) / seen, f1.sum(1) / n, tp.sum(1) / actual.sum(1)])
    return np.concatenate(parts, axis=1)
