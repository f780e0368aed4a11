"""How a text table is written: its separator, and what its quotes mean.

Quotes delimit fields as in RFC 4180: a quoted field begins after a separator or a line end, ends before one, and
doubles any quotes inside. Text that breaks these rules is read literally, line by line; a label that then contains a
quote is rejected, since it may be a field that lost one of its quotes. In tab-separated tables, where quotes have no
meaning by convention, a quoted field may not contain line breaks if its lines are whole rows by themselves.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import Any, Final, NamedTuple

from macrof1.errors import FileError

MARKS: Final = (",", "\t", ";", "|")
_QUOTED: Final = re.compile(r'"(?:[^"]|"")*"')
_BOM: Final = b"\xef\xbb\xbf"
_RULE: Final = re.compile(rb"(\s*[^\n]*\|[^\n]*\n)[ |:-]*---[ |:-]*(?:\r?\n|$)")
_LONE_RETURN: Final = re.compile(rb"\r(?!\n|\Z)")
_MANY_BYTES: Final = 1 << 16
_PIECE: Final = 1 << 19
_LONGEST_FIELD: Final = 2**31 - 1


def separator_of(lines: Sequence[str], marks: Sequence[str] = MARKS) -> str:
    r"""Infer the separator from the first lines of a table, ignoring characters inside quotes.

    If the first line has several candidates, the first one that occurs equally often in every line is used.

    Examples
    --------
    >>> separator_of(['"a, b";gold', "x;y"]), separator_of(["gold\tpred"]), separator_of(["gold"])
    (';', '\t', ',')
    """
    bare = [_QUOTED.sub("", line) for line in lines if line.strip()]
    present = [mark for mark in marks if bare and mark in bare[0]]
    even = [mark for mark in present if len({line.count(mark) for line in bare}) == 1]
    return (even or present or [","])[0]


def quotes_protect(block: bytes, separator: str, n_columns: int) -> bool:
    r"""Return whether quotes delimit the fields of a block of whole records; if False, they are plain characters.

    Examples
    --------
    >>> quotes_protect(b'"a, b",c\n', ",", 2), quotes_protect(b'5" disk,c\n', ",", 2)
    (True, False)
    """
    if b'"' not in block:
        return True
    if len(block) > _MANY_BYTES:
        protected, breaks = _protected_at_once(block, separator)
    else:
        protected, breaks = _protected(block, separator)
    if protected and breaks and separator == "\t" and n_columns > 1:
        tabs = {line.count(b"\t") for line in block.split(b"\n") if line.strip(b"\r")}
        return tabs != {n_columns - 1}
    return protected


def _protected(block: bytes, separator: str) -> tuple[bool, bool]:
    """Return whether every quote begins or ends a field or is doubled, and whether quoted fields have line breaks."""
    parts = block.split(b'"')
    if len(parts) % 2 == 0:
        return False, False
    first = parts[0].removeprefix(_BOM)
    marks = separator.encode(), b"\n", b"\r\n"
    if (first and not first.endswith(marks)) or (parts[-1] not in (b"", b"\r") and not parts[-1].startswith(marks)):
        return False, False
    # Between two quoted parts: nothing (a doubled quote), or the end of one field and the start of the next.
    if any(part and not (part.startswith(marks) and part.endswith(marks)) for part in set(parts[2:-1:2])):
        return False, False
    return True, any(b"\n" in part for part in parts[1::2])


def _protected_at_once(block: bytes, separator: str) -> tuple[bool, bool]:
    """Return the same for many quotes at once, with NumPy, in chunks of whole lines that stay in the cache."""
    start = len(_BOM) if block.startswith(_BOM) else 0
    inside = breaks = False
    while start < len(block):
        end = start + _PIECE
        stop = block.rfind(b"\n", start, end) + 1 or block.find(b"\n", end) + 1 or len(block)
        sound, inside, broken = _protected_piece(block[start:stop], ord(separator), inside)
        if not sound:
            return False, False
        start, breaks = stop, breaks or broken
    return (False, False) if inside else (True, breaks)


def _protected_piece(lines: bytes, separator: int, inside_before: bool) -> tuple[bool, bool, bool]:
    """Return whether quotes delimit fields here, whether the lines end inside quotes, and whether quotes hold breaks.

    One bit per byte, packed into 64-bit words.
    """
    import numpy as np

    text = np.frombuffer(lines + b"\n", np.uint8)  # the end of the text ends a field
    quote, newline = text == ord('"'), text == ord("\n")
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


def refuse_lone_returns(block: bytes, name: str, *, quoted: bool) -> None:
    """Reject carriage returns that do not end a line: old line endings, which would turn many rows into one."""
    if b"\r" not in block or block.count(b"\r") == block.count(b"\r\n"):
        return
    outside = block.split(b'"')[::2] if quoted else [block]
    if any(_LONE_RETURN.search(part) for part in outside):
        raise FileError(
            f"{name} has carriage returns that end no line", expected="lines that end in a newline (\\n or \\r\\n)"
        )


def records_of(text: str, separator: str, *, quoted: bool, name: str) -> tuple[list[list[str]], int]:
    """Return the fields of each record of a text, and the number of its lines; a blank line has no fields."""
    if not quoted:
        lines = text.removesuffix("\n").split("\n")
        if "\r" in text:
            lines = [line.removesuffix("\r") for line in lines]
        return [line.split(separator) if line else [] for line in lines], len(lines)
    usual = csv.field_size_limit(_LONGEST_FIELD)  # a long text is not an error
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=separator, strict=True)
    try:
        return list(reader), reader.line_num
    except csv.Error as error:
        raise FileError(f"{name}, line {reader.line_num}: {error}", expected="quotes that close") from None
    finally:
        csv.field_size_limit(usual)


def without_rule(block: bytes) -> tuple[bytes, int]:
    r"""Remove the rule below the header of a table with pipes, as Markdown has it; return also how many lines it was.

    Examples
    --------
    >>> without_rule(b"| gold | pred |\n|:---|---|\n| a | b |\n")
    (b'| gold | pred |\n| a | b |\n', 1)
    """
    found = _RULE.match(block)
    return (found[1] + block[found.end() :], 1) if found else (block, 0)


def line_numbers(records: Iterable[Sequence[str]], start: int = 0) -> Iterator[int]:
    """Yield the number of the line on which each record ends; `start` lines come before."""
    lines = (1 + sum(field.count("\n") for field in record) for record in records)
    return islice(accumulate(lines, initial=start), 1, None)


class SmallTable(NamedTuple):
    """A small table of figures: its separator, and its non-blank lines with their numbers."""

    separator: str
    lines: list[tuple[int, list[str]]]


def table_of(text: str, *, name: str) -> SmallTable:
    """Read a small table of figures."""
    lines = text.split("\n")
    start = next((place for place, line in enumerate(lines) if line.strip()), 0)
    # Commas may be decimal commas here.
    separator = separator_of([line.removesuffix("\r") for line in lines[start : start + 5]], ("\t", ";", ","))
    records, _ = records_of(text, separator, quoted=True, name=name)
    numbered = zip(line_numbers(records), records, strict=True)
    return SmallTable(separator, [(number, record) for number, record in numbered if any(map(str.strip, record))])
