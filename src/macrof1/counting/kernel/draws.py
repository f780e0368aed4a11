"""Sums of draws: how often each pattern of rows was drawn in each resample, added up per label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.kernel.integers import compiled_path, in_shares

# Bytes are added in strips of this many resamples.
_STRIP = 256
_LARGEST_BYTE = 255
# Bytes are added faster than floats, but every label costs time at the end: they need this many patterns per label.
_PATTERNS_PER_LABEL = 8


def counted_picks(picked: NDArray[np.uint32], drawn: NDArray[np.int64], n_patterns: int) -> NDArray[Any]:
    """Count the picks of each pattern, resamples x patterns; `drawn` of them belong to each resample in turn."""
    compiled = compiled_path()
    if compiled is not None:
        small = np.empty((len(drawn), n_patterns), np.uint8)
        if compiled.picks(picked, drawn, small) >= 0:
            return small
    draws = np.empty((len(drawn), n_patterns), np.int32)
    # One count per resample: its bins stay in the fastest cache, unlike those of one count for all.
    for resample, part in enumerate(np.split(picked, np.cumsum(drawn)[:-1])):
        draws[resample] = np.bincount(part, minlength=n_patterns)
    return draws


def add_draws(
    sums: NDArray[np.float32], draws: NDArray[Any], entries: list[tuple[NDArray[np.int64], NDArray[np.int64]]]
) -> bool:
    """Add draws (resamples x patterns, whole numbers) to sums (entries x labels x resamples); False if not compiled.

    An entry is two columns, of patterns and of their labels. Sums of integers are exact below 2^24, so the order of
    additions does not matter.
    """
    compiled = compiled_path()
    if compiled is None:
        return False
    _, n_labels, size = sums.shape
    most = int(draws.max(initial=0))
    if most > _LARGEST_BYTE or draws.shape[1] < _PATTERNS_PER_LABEL * n_labels:
        by_pattern = np.ascontiguousarray(draws.T, np.float32)

        def add_floats(share: slice) -> None:
            for own, (at, labels) in zip(sums[share], entries[share], strict=True):
                compiled.add_draws(by_pattern, np.ascontiguousarray(at), np.ascontiguousarray(labels), own)

        in_shares(add_floats, len(entries), draws.size)
        return True
    small = np.ascontiguousarray(draws, np.uint8)
    at, labels = (np.concatenate(columns) for columns in zip(*entries, strict=True))
    starts = np.cumsum([0, *(len(column) for column, _ in entries)])

    def add_bytes(share: slice) -> None:
        first, last = (min(_STRIP * edge, size) for edge in (share.start, share.stop))
        compiled.add_bytes(small, at, labels, starts, max(most, 1), first, last, sums)

    in_shares(add_bytes, -(-size // _STRIP), size * len(at) // 8)
    return True
