"""Counting integer codes with NumPy: one pass in chunks that stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Rows per chunk: three buffers of this length fit in a second-level cache.
_PIECE = 1 << 16


def _pieces(n_rows: int, step: int = _PIECE) -> Iterator[slice]:
    return (slice(start, start + step) for start in range(0, n_rows, step))


def piece_length(size: int) -> int:
    """Return how many rows to count at a time: a large table must not be traversed once per small chunk."""
    return max(_PIECE, 4 * size)


def bounds(codes: NDArray[Any]) -> tuple[int, int]:
    """Return the smallest and the largest code."""
    if len(codes) <= _PIECE:
        return int(codes.min()), int(codes.max())
    # Both in one pass over memory: the second look at a chunk finds it in the cache.
    extremes = [(codes[piece].min(), codes[piece].max()) for piece in _pieces(len(codes))]
    return int(min(low for low, _ in extremes)), int(max(high for _, high in extremes))


def _outside(gold: NDArray[Any], pred: NDArray[Any], first: int, n_gold: int, n_pred: int) -> bool:
    (low_gold, high_gold), (low_pred, high_pred) = bounds(gold), bounds(pred)
    return min(low_gold, low_pred) < first or high_gold - first >= n_gold or high_pred - first >= n_pred


def table(
    gold: NDArray[Any], pred: NDArray[Any], *, first: int, shape: tuple[int, int], weight: NDArray[Any] | None = None
) -> NDArray[Any] | None:
    """Count pairs of codes, which start at `first`, into a dense table, gold as rows; None if one lies outside."""
    n_gold, n_pred = shape
    if _outside(gold, pred, first, n_gold, n_pred):
        return None
    size = n_gold * n_pred
    shift = first * (n_pred + 1)
    buffer = np.empty(min(len(gold), piece_length(size)), np.int64)
    total: NDArray[Any] | None = None
    for piece in _pieces(len(gold), piece_length(size)):
        cell = buffer[: len(gold[piece])]
        np.multiply(gold[piece], n_pred, cell, dtype=np.int64, casting="unsafe")
        np.add(cell, pred[piece], cell, dtype=np.int64, casting="unsafe")
        if shift:
            cell -= shift
        part = np.bincount(cell, None if weight is None else weight[piece], size)
        total = part if total is None else np.add(total, part, total)
    assert total is not None  # never called with zero rows
    return total.reshape(shape)


def margins(
    gold: NDArray[Any], pred: NDArray[Any], *, first: int, n: int, weight: NDArray[Any] | None = None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | None:
    """Count tp, predicted and actual of n classes from `first` on without a table; None if a code lies outside."""
    if _outside(gold, pred, first, n, n):
        return None
    dtype = np.int64 if weight is None else np.float64
    tp, predicted, actual = np.zeros((3, n), dtype)
    for piece in _pieces(len(gold), piece_length(n)):
        g = np.subtract(gold[piece], first, dtype=np.int64, casting="unsafe")
        p = np.subtract(pred[piece], first, dtype=np.int64, casting="unsafe")
        w = None if weight is None else weight[piece]
        hit = g == p
        tp += np.bincount(g[hit], weights=None if w is None else w[hit], minlength=n)
        predicted += np.bincount(p, weights=w, minlength=n)
        actual += np.bincount(g, weights=w, minlength=n)
    return tp, predicted, actual
