"""How a text table is written: its separator, what its quotes mean, its blocks of records, and where it is broken.

Quotes delimit fields as in RFC 4180: a quoted field begins after a separator or a line end, ends before one, and
doubles any quotes inside. Text that breaks these rules is read literally, line by line; a label that then contains a
quote is rejected, since it may be a field that lost one of its quotes. In tab-separated tables, where quotes have no
meaning by convention, a quoted field may not contain line breaks if its lines are whole rows by themselves.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import Any, Final, NamedTuple

from macrof1.errors import FileError, counted
from macrof1.message import Message
from macrof1.reading.files import InputFile

MARKS: Final = (",", "\t", ";", "|")
_QUOTED: Final = re.compile(r'"(?:[^"]|"")*"')
_BOM: Final = b"\xef\xbb\xbf"
_RULE: Final = re.compile(rb"(\s*[^\n]*\|[^\n]*\n)[ |:-]*---[ |:-]*(?:\r?\n|$)")
_LONE_RETURN: Final = re.compile(rb"\r(?!\n|\Z)")
_PIECE: Final = 1 << 19
_LONGEST_FIELD: Final = 0x7FFFFFFF  # in C
_LONGEST_RECORD: Final = 1 << 28


def separator_of(lines: Sequence[str], marks: Sequence[str] = MARKS) -> str:
    """Infer the separator from the first lines, without quoted text: the first that occurs equally often in each."""
    bare = [_QUOTED.sub("", line) for line in lines if line.strip()]
    present = [mark for mark in marks if bare and mark in bare[0]]
    even = [mark for mark in present if len({line.count(mark) for line in bare}) == 1]
    return (even or present or [","])[0]


def quotes_protect(block: bytes, separator: str, n_columns: int) -> bool:
    """Return whether quotes delimit the fields of a block of whole records; if False, they are plain characters."""
    if b'"' not in block:
        return True
    try:
        import numpy  # noqa: F401, ICN001
    except ImportError:  # in a browser, where tables are small
        field = rb'(?:"(?:[^"]|"")*"|[^"\n' + (mark := re.escape(separator.encode())) + rb"]*)"
        record = field + rb"(?:" + mark + field + rb")*\r?"
        return re.fullmatch(record + rb"(?:\n" + record + rb")*", block.removeprefix(_BOM)) is not None
    start = len(_BOM) if block.startswith(_BOM) else 0
    inside = breaks = False
    while start < len(block):  # in chunks of whole lines that stay in the cache
        end = start + _PIECE
        stop = block.rfind(b"\n", start, end) + 1 or block.find(b"\n", end) + 1 or len(block)
        sound, inside, broken = _protected(block[start:stop], ord(separator), inside)
        if not sound:
            return False
        start, breaks = stop, breaks or broken
    if breaks and separator == "\t" and n_columns > 1:
        tabs = {line.count(b"\t") for line in block.split(b"\n") if line.strip(b"\r")}
        return not inside and tabs != {n_columns - 1}
    return not inside


def _protected(lines: bytes, separator: int, inside_before: bool) -> tuple[bool, bool, bool]:
    """Return whether quotes delimit fields here, whether lines end inside quotes, and whether quotes hold breaks."""
    import numpy as np

    text = np.frombuffer(lines + b"\n", np.uint8)  # the end of the text ends a field
    quote, newline = text == ord('"'), text == ord("\n")
    # One bit per byte.
    quotes, field_ends = _bits(quote), _bits(quote | newline | (text == separator))
    # Whether the number of quotes up to each byte is odd: within words by doubling steps, then from word to word.
    inside = quotes.copy()
    for step in (1, 2, 4, 8, 16, 32):
        inside ^= inside << step
    odd = np.logical_xor.accumulate(inside >> 63) ^ inside_before
    inside ^= -np.concatenate([[inside_before], odd[:-1]]).astype(np.uint64)
    before = field_ends << 1
    before[1:] |= field_ends[:-1] >> 63
    before[0] |= 1
    if b"\r" in lines:  # a carriage return ends a field if it ends the line
        field_ends |= _bits((text[:-1] == ord("\r")) & newline[1:], len(field_ends))
    after = field_ends >> 1
    after[:-1] |= field_ends[1:] << 63
    sound = not ((quotes & inside & ~before).any() or (quotes & ~inside & ~after).any())
    newline[-1] = False
    return sound, bool(odd[-1]), bool((_bits(newline) & inside).any())


def _bits(found: Any, n_words: int = 0) -> Any:
    """Pack whether each byte matches into 64-bit words, lowest byte first."""
    import numpy as np

    packed = np.packbits(found, bitorder="little")
    return np.pad(packed, (0, max(-len(packed) % 8, 8 * n_words - len(packed)))).view("<u8")


def records_of(text: str, separator: str, *, quoted: bool, name: str) -> tuple[list[list[str]], int]:
    """Return the fields of each record of a text, and the number of its lines; a blank line has no fields."""
    if not quoted:
        lines = text.removesuffix("\n").split("\n")
        if "\r" in text:
            lines = [line.removesuffix("\r") for line in lines]
        return [line.split(separator) if line else [] for line in lines], len(lines)
    usual = csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=separator, strict=True)
    try:
        return list(reader), reader.line_num
    except csv.Error as error:
        raise FileError(f"{name}, line {reader.line_num}: {error}", expected="quotes that close") from None
    finally:
        csv.field_size_limit(usual)


def line_numbers(records: Iterable[Sequence[str]], start: int = 0) -> Iterator[int]:
    """Yield the number of the line on which each record ends; `start` lines come before."""
    lines = (1 + sum(field.count("\n") for field in record) for record in records)
    return islice(accumulate(lines, initial=start), 1, None)


def table_of(text: str, *, name: str) -> tuple[str, list[tuple[int, list[str]]]]:
    """Read a small table of figures: its separator, and its non-blank lines with their numbers."""
    lines = text.split("\n")
    start = next((place for place, line in enumerate(lines) if line.strip()), 0)
    # Commas may be decimal commas here.
    separator = separator_of([line.removesuffix("\r") for line in lines[start : start + 5]], ("\t", ";", ","))
    records, _ = records_of(text, separator, quoted=True, name=name)
    numbered = zip(line_numbers(records), records, strict=True)
    return separator, [(number, record) for number, record in numbered if any(map(str.strip, record))]


def record_blocks(file: InputFile, size: int, *, header: bytes = b"") -> Iterator[tuple[bytes, int]]:
    """Split a CSV file at the ends of records, newlines outside quotes; yield blocks and the bytes read so far.

    Memory is bounded: Polars reads far ahead in plain files. Every block after the first begins with `header`, which
    holds no quotes. Blank lines at the end are left out.
    """
    begin = len(header)
    room = bytearray(header) + bytearray(size)
    start, end, read = begin, begin, 0  # the first block has the file's own header, if any
    with file.opened() as raw:
        while True:
            with memoryview(room) as view:
                while end < len(room) and (n := raw.readinto(view[end:])):  # type: ignore[attr-defined]
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
                    problem = f"{file.name}: a record is longer than {_LONGEST_RECORD >> 20} MiB"
                    raise FileError(problem, expected="quotes that close")
                room += bytearray(end)
    end -= _blank_end(room, begin, end)
    if end > begin:
        yield bytes(memoryview(room)[start:end]), read


class TextBlock(NamedTuple):
    """Whole records of a text table; `quoted`: whether quotes delimit fields; `read`: the bytes of the file so far."""

    data: bytes
    quoted: bool
    n_left_out: int  # lines above them that are no records
    read: int


def text_blocks(
    file: InputFile, separator: str, n_columns: int, size: int, *, header: bytes = b""
) -> Iterator[TextBlock]:
    """Read a text table in blocks, as `record_blocks` does; say what quotes mean in each."""
    for place, (block, read) in enumerate(record_blocks(file, size, header=header)):
        # Markdown has a rule below the header of a table with pipes.
        rule = _RULE.match(block) if separator == "|" and not place else None
        data = rule[1] + block[rule.end() :] if rule else block
        quoted = quotes_protect(data, separator, n_columns)
        # Old line endings would turn many rows into one.
        if b"\r" in data and data.count(b"\r") > data.count(b"\r\n"):
            outside = data.split(b'"')[::2] if quoted else [data]
            if any(map(_LONE_RETURN.search, outside)):
                problem = f"{file.name} has carriage returns that end no line"
                raise FileError(problem, expected="lines that end in a newline (\\n or \\r\\n)")
        yield TextBlock(data, quoted, int(rule is not None), read)


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
    """Count the lines of a block, without blank lines at either end; stripping it would copy it."""
    begin, end = 0, len(block)
    while begin < end and block[begin] in b"\r\n":
        begin += 1
    while end > begin and block[end - 1] in b"\r\n":
        end -= 1
    return count_byte(block, b"\n", begin, end) + 1


def refuse_stray_quotes(name: str, values: Sequence[Any], where: str) -> None:
    """Reject a required value that contains a quote if quotes do not delimit fields: one may have been lost."""
    for value in values:
        if isinstance(value, str) and '"' in value:
            problem = f"{name}, {where}: {value[:60]!r} has a quote that belongs to no quoted field"
            raise FileError(problem, expected='quotes that close, and doubled ones inside a field: "5"" disk"')


def warn_of_line_breaks(name: str, n_rows: int, n_lines: int) -> None:
    """Warn if quoted fields with line breaks make fewer rows than lines."""
    if n_rows < n_lines:
        what = f"{name} has {counted(n_rows, 'row')} in {n_lines:,} lines, since quoted fields hold line breaks"
        warnings.warn(Message(f"{what}; if they do not, a closing quote is missing"), stacklevel=6)
