"""Means over batches: what a training loop logs that scores every batch by itself and averages the scores.

Neither macro F1 of the data: a mean over batches depends on their size and on the order of the rows.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.encoding import counted_from_zero, encode
from macrof1.labels import label_key
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


def batch_scores(gold: Any, pred: Any) -> list[DefinedScore]:
    """Return means over batches of rows in their order, for every usual batch size below the number of rows.

    Examples
    --------
    >>> found = batch_scores(list("aabbabab" * 3), list("aabbbbab" * 3))
    >>> found[0].definition, round(found[0].value, 4)
    ('mean over batches of 8 of averaged_f1', 0.873)
    """
    golds, preds, n = _codes(gold, pred)
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


def _codes(gold: Any, pred: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return both columns as numbers of one list of classes, and how many there are."""
    sides = [counted_from_zero(encode(side, name)) for side, name in ((gold, "gold"), (pred, "pred"))]
    # In one order whatever the container, so that sums are the same to the last bit.
    keys = sorted({label_key(label) for side in sides for label in side.labels}, key=repr)
    place = {key: at for at, key in enumerate(keys)}
    found = [np.array([place[label_key(label)] for label in side.labels], np.int64)[side.codes] for side in sides]
    return found[0], found[1], len(place)


def _scores(gold: NDArray[np.int64], pred: NDArray[np.int64], n: int, size: int) -> NDArray[np.float64]:
    """Return the scores of every batch, a row per kind."""
    at_once = max(1, _CELLS_AT_ONCE // n) * size
    parts = []
    for start in range(0, len(gold), at_once):
        g, p = gold[start : start + at_once], pred[start : start + at_once]
        batch = np.arange(len(g)) // size
        n_batches = int(batch[-1]) + 1

        def counted(codes: Any, batch: Any = batch, shape: Any = (n_batches, n)) -> NDArray[np.int64]:
            return np.bincount(batch * n + codes, minlength=shape[0] * n).reshape(shape)

        hit = g == p
        actual, predicted = counted(g), counted(p)
        tp = np.bincount(batch[hit] * n + g[hit], minlength=n_batches * n).reshape(n_batches, n)
        f1 = 2 * tp / np.maximum(actual + predicted, 1)
        seen = ((actual + predicted) > 0).sum(1)
        parts.append([f1.sum(1) / seen, f1.sum(1) / n, tp.sum(1) / actual.sum(1)])
    return np.concatenate(parts, axis=1)
