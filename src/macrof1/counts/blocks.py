"""A plain text file in blocks of whole lines, so that memory is bounded however large the file is.

Polars reads far ahead in plain files. Given block after block it needs less memory, and no more time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

__all__ = ["block_size", "is_packed", "line_blocks", "record_blocks"]

# Bytes per thread: few enough for the caches, enough for the start of a query not to show.
_BYTES_PER_THREAD = 4 << 20
_MOST_BYTES = 64 << 20
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x78\x01", b"\x78\x9c", b"\x78\xda")


def block_size() -> int:
    """Return the bytes per block: enough to keep every thread of Polars busy."""
    return min(_BYTES_PER_THREAD * max(2, pl.thread_pool_size()), _MOST_BYTES)


def is_packed(path: Path) -> bool:
    """Tell gzip, Zstandard and zlib by their first bytes, as Polars does."""
    with path.open("rb") as file:
        return file.read(4).startswith(_PACKED)


def record_blocks(path: Path, size: int, *, header: bytes = b"") -> Iterator[tuple[bytes, int]]:
    """Cut a CSV file at ends of records, which are newlines outside quotes; give blocks, and the bytes read so far.

    Every block after the first begins with `header`, which holds no quotes.
    """
    with path.open("rb") as file:
        start = rest = b""
        read = 0
        # Where a record is longer than a block, what is read doubles, so that it is not looked at over and over.
        while data := file.read(max(size, len(rest))):
            read += len(data)
            block = rest + data
            cut = _last_end(block, len(start))
            if cut:
                yield block[:cut], read - (len(block) - cut)
                start = header
                rest = header + block[cut:]
            else:
                rest = block
        if len(rest) > len(start):
            yield rest, read


def _last_end(block: bytes, start: int) -> int:
    """Return the place after the last newline outside quotes; 0 where there is none after `start`."""
    end = block.rfind(b"\n", start)
    odd = end >= 0 and int(np.count_nonzero(np.frombuffer(block, np.uint8, end) == ord('"'))) % 2
    while odd:
        # Inside quotes: go back before the quote that opened them. Doubled quotes open and close, and are passed.
        quote = block.rfind(b'"', 0, end)
        end = block.rfind(b"\n", start, quote)
        odd = end >= 0 and block.count(b'"', end, quote) % 2
    return end + 1


def line_blocks(path: Path, size: int) -> Iterator[tuple[list[bytes], int]]:
    """Read the lines of a file in blocks; give them without their ends, and the bytes read so far."""
    with path.open("rb") as file:
        read = 0
        while lines := file.readlines(size):
            read += sum(map(len, lines))
            yield [line.removesuffix(b"\n") for line in lines], read
