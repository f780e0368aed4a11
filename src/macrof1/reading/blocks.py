"""A plain text file in blocks of whole lines, so that memory is bounded however large the file is.

Polars reads far ahead in plain files. Given block after block it needs less memory, and no more time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

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
    begin = len(header)
    room = bytearray(header) + bytearray(size)
    start, end, read = begin, begin, 0  # the first block brings the file's own header, if there is one
    with path.open("rb", buffering=0) as file:
        while n := file.readinto(memoryview(room)[end:]):
            read, end = read + n, end + n
            cut = _last_end(room, begin, end)
            if cut:
                yield bytes(memoryview(room)[start:cut]), read - (end - cut)
                rest = room[cut:end]
                start, end = 0, begin + len(rest)
                room[begin:end] = rest
            if end == len(room):  # a record longer than a block: doubled, so that it is not looked at over and over
                room += bytearray(end)
    if end > begin:
        yield bytes(memoryview(room)[start:end]), read


def _last_end(block: bytearray, begin: int, end: int) -> int:
    """Return the place after the last newline outside quotes; 0 where there is none."""
    last = block.rfind(b"\n", begin, end)
    if last < 0 or block.find(b'"', begin, last) < 0:
        return last + 1
    odd = int(np.count_nonzero(np.frombuffer(block, np.uint8)[begin:last] == ord('"'))) % 2
    while odd:
        # Inside quotes: go back before the quote that opened them. Doubled quotes open and close, and are passed.
        quote = block.rfind(b'"', begin, last)
        last = block.rfind(b"\n", begin, quote)
        odd = last >= 0 and block.count(b'"', last, quote) % 2
    return last + 1


def line_blocks(path: Path, size: int) -> Iterator[tuple[list[bytes], int]]:
    """Read the lines of a file in blocks; give them without their ends, and the bytes read so far."""
    with path.open("rb") as file:
        read = 0
        while lines := file.readlines(size):
            read += sum(map(len, lines))
            yield [line.removesuffix(b"\n") for line in lines], read
