"""Tables read in pure Python: JSON lines and logs, whose labels keep their types, and text too small for an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from operator import itemgetter
from typing import Any, NamedTuple

from macrof1.errors import FileError, counted
from macrof1.message import Argument, Message
from macrof1.reading import dialect
from macrof1.reading.files import Progress
from macrof1.reading.logs import Record, values_of
from macrof1.reading.tables import TableFile, parse_json

Row = tuple[int, tuple[Any, ...]]  # the number of the line on which a row ends, and its values

_BYTES_PER_REPORT = 1 << 20
_MOST_BYTES = 8 << 20


class TextRecords(NamedTuple):
    """Some records of a text table; `quoted`: whether quotes delimit fields."""

    fields: list[list[str]]
    above: list[list[str]]  # blank lines and the header above the rows
    n_before: int  # how many lines of the file come before all of these
    quoted: bool

    def numbers(self) -> Iterator[int]:
        """Yield the number of the line on which each row ends."""
        return islice(dialect.line_numbers(chain(self.above, self.fields), self.n_before), len(self.above), None)


def text_records(table: TableFile) -> Iterator[TextRecords]:
    """Read a text table in blocks of whole records; small ones are a single block."""
    n_before, width, begun = 0, len(table.columns), False
    size = _MOST_BYTES if table.file.packing else min(_MOST_BYTES, table.file.size + 1)
    for block in dialect.text_blocks(table.file, table.separator, width, size):
        n_before += block.n_left_out
        try:
            text = block.data.decode("utf-8" if begun else "utf-8-sig")
        except UnicodeDecodeError as error:
            raise table.unreadable(error) from None
        text = text.removesuffix("\n").removesuffix("\r") + "\n"
        records, n_lines = dialect.records_of(text, table.separator, quoted=block.quoted, name=table.name)
        n_above = 0
        if not begun:  # blank lines at the top are skipped
            first = next((place for place, fields in enumerate(records) if any(fields) or len(fields) > 1), None)
            begun, n_above = first is not None, len(records) if first is None else first + table.header
        if table.separator == "|":
            records = [[field.strip(" ") for field in fields] for fields in records]
        found = TextRecords(records[n_above:], records[:n_above], n_before, block.quoted)
        for number, fields in (
            zip(found.numbers(), found.fields, strict=True) if set(map(len, found.fields)) - {width} else ()
        ):
            if not fields and width == 1:  # in a table of one column a blank line is a row
                fields.append("")
            elif len(fields) != width:
                raise _wrong_width(table, found, number, len(fields))
        dialect.warn_of_line_breaks(table.name, len(found.fields), n_lines - n_above)
        yield found
        n_before += n_lines


def _wrong_width(table: TableFile, block: TextRecords, number: int, n_fields: int) -> FileError:
    """Report a line with another number of fields than the first, or the stray quote that may be the reason."""
    for line, fields in zip(block.numbers(), block.fields, strict=True) if not block.quoted else ():
        if any('"' in field.strip('"').replace('""', "") for field in fields):
            problem = f"{table.name}, line {line}: a quote inside a field that is not quoted"
            return FileError(problem, expected='the field in quotes, and the quote doubled: "5"" disk"')
    if not n_fields:
        return FileError(f"{table.name}, line {number}: the line is blank", expected=f"{len(table.columns)} fields")
    return FileError(
        f"{table.name}, line {number}: {counted(n_fields, 'field')}",
        expected=f"{len(table.columns)} as in the first line",
        hint=f"quote fields that contain {table.separator!r}",
    )


def picker(known: Sequence[str], columns: Sequence[str]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Return a function that takes some columns out of the values of a row, which has all that are known."""
    places = [known.index(column) for column in columns]
    if len(places) > 1:
        return itemgetter(*places)
    return (lambda fields: (fields[places[0]],)) if places else lambda _: ()


def rows_of(
    table: TableFile, columns: Sequence[str], progress: Progress | None = None, *, quotes: bool = False
) -> Iterator[Row]:
    """Yield the rows of a table with some columns, of its folders too; reject stray quotes in them, unless `quotes`."""
    if table.records:
        numbered = _json_lines(table, progress) if table.format == "jsonl" else enumerate(table.records, 1)
        records = ((number, table.partition | record) for number, record in numbered)
        yield from values_of(records, columns, table.layout, table.name, table.repeats)
        return
    own = [column for column in columns if column in table.columns]
    pick, added = picker(table.columns, own), [column for column in columns if column not in own]
    for block in text_records(table):
        for number, values in zip(block.numbers(), map(pick, block.fields), strict=True):
            if not block.quoted and not quotes:
                dialect.refuse_stray_quotes(table.name, values, f"line {number}")
            if added:
                known = table.partition | dict(zip(own, values, strict=True))
                yield number, tuple(known.get(column) for column in columns)
            else:
                yield number, values


def _json_lines(table: TableFile, progress: Progress | None) -> Iterator[tuple[int, Record]]:
    with table.file.opened() as file:
        read = told = 0
        try:
            for number, line in enumerate(file, 1):
                read += len(line)
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                if text.strip():
                    yield number, parse_json(text, table.name, number)
                if progress is not None and table.file.packing is None and read - told >= _BYTES_PER_REPORT:
                    progress(min(1.0, read / table.file.size))
                    told = read
        except UnicodeDecodeError as error:
            raise table.unreadable(error) from None


def header_is_data(table: TableFile, wanted: str | None, column: str) -> FileError:
    """Report a header that is a row of data, which would be lost silently."""
    instead = "; if it is a header, name the column" + ("" if wanted is None else " instead of its position")
    return FileError(
        f"{table.name}: the first line names a column {column!r}, which is also a label",
        argument="header",
        expected="a header",
        hint=Message("if the first line is data, add ", Argument("header", False), instead),
    )
