"""Reading a text file in blocks of whole records, so that memory is bounded however large the file is.

Polars reads far ahead in plain files. Fed block by block, it needs less memory and no more time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Final

from macrof1.errors import FileError
from macrof1.reading.files import InputFile

_LONGEST_RECORD: Final = 1 << 28


def record_blocks(file: InputFile, size: int, *, header: bytes = b"") -> Iterator[tuple[bytes, int]]:
    """Split a CSV file at the ends of records, newlines outside quotes; yield blocks and the bytes read so far.

    Every block after the first begins with `header`, which holds no quotes. Blank lines at the end are left out.
    """
    begin = len(header)
    room = bytearray(header) + bytearray(size)
    start, end, read = begin, begin, 0  # the first block has the file's own header, if any
    with file.opened() as raw:
        while True:
            while end < len(room) and (n := _fill(raw, room, end)):
                read, end = read + n, end + n
            if end < len(room):  # the rest of the file
                break
            # The last record waits for more: blank lines after it are dropped only at the end of the file.
            cut = _last_end(room, begin, end - _blank_end(room, begin, end) - 1)
            if cut > begin:
                yield bytes(memoryview(room)[start:cut]), read - (end - cut)
                rest = room[cut:end]
                start, end = 0, begin + len(rest)
                room[begin:end] = rest
            if end == len(room):  # a record longer than a block: double it, to avoid rescanning
                if end > max(_LONGEST_RECORD, 2 * size):
                    raise FileError(
                        f"{file.name}: a record is longer than {_LONGEST_RECORD >> 20} MiB",
                        expected="quotes that close",
                    )
                room += bytearray(end)
    end -= _blank_end(room, begin, end)
    if end > begin:
        yield bytes(memoryview(room)[start:end]), read


def _fill(raw: IO[bytes], room: bytearray, end: int) -> int:
    with memoryview(room) as view:
        return int(raw.readinto(view[end:]))  # type: ignore[attr-defined]  # every binary stream has it


def _blank_end(block: bytearray, begin: int, end: int) -> int:
    """Return how many bytes of blank lines follow the newline that ends the last record."""
    last = end
    while last > begin and block[last - 1] in b"\r\n":
        last -= 1
    after = block.find(b"\n", last, end)
    return 0 if after < 0 else end - after - 1


def _last_end(block: bytearray, begin: int, end: int) -> int:
    """Return the position after the last newline outside quotes; `begin` or less if there is none."""
    last = block.rfind(b"\n", begin, end)
    if last < 0 or block.find(b'"', begin, last) < 0:
        return last + 1
    odd = count_byte(block, b'"', begin, last) % 2
    while odd:
        # Inside quotes: go back before the opening quote. Doubled quotes open and close, and are skipped.
        quote = block.rfind(b'"', begin, last)
        last = block.rfind(b"\n", begin, quote)
        odd = last >= 0 and block.count(b'"', last, quote) % 2
    return last + 1


def count_byte(block: bytes | bytearray, byte: bytes, begin: int, end: int) -> int:
    """Count a byte that occurs in every line, in chunks that stay in the cache; for rare bytes use Python's count."""
    import numpy as np

    text, step = np.frombuffer(block, np.uint8)[begin:end], 1 << 18
    return sum(int(np.count_nonzero(text[at : at + step] == byte[0])) for at in range(0, len(text), step))


def n_lines(block: bytes) -> int:
    """Count the lines of a block, without blank lines at either end."""
    begin, end = 0, len(block)
    while begin < end and block[begin] in b"\r\n":
        begin += 1
    while end > begin and block[end - 1] in b"\r\n":
        end -= 1
    return count_byte(block, b"\n", begin, end) + 1
