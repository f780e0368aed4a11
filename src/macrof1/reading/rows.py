"""Tables read row by row in pure Python: JSON lines, whose labels keep their types, and small text files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from macrof1.errors import EmptyError, FileError
from macrof1.message import Argument, Message
from macrof1.reading.diagnosis import first_broken_line, refuse_stray_quotes, warn_of_line_breaks, wrong_width
from macrof1.reading.dialect import fields_of, quotes_protect, refuse_lone_returns
from macrof1.reading.layouts import Record, values_of
from macrof1.reading.progress import Progress
from macrof1.reading.tables import TableFile, parse_json

Row = tuple[int, tuple[Any, ...]]
"""The number of the line on which a row ends, and its values."""

_BYTES_PER_REPORT = 1 << 20


def rows_of(
    table: TableFile, columns: Sequence[str], progress: Progress | None = None, *, beside: Sequence[str] = ()
) -> Iterator[Row]:
    """Yield the rows of a table with the values of some columns; values from folder names stand in for columns.

    Values of the columns `beside` follow; they are optional, and nothing in them is rejected.
    """
    if not table.records:
        return iter(_text_rows(table, columns, beside))
    columns = [*columns, *beside]
    numbered = _json_lines(table, progress) if table.format == "jsonl" else enumerate(table.records, 1)
    return values_of(
        ((number, table.partition | record) for number, record in numbered), columns, table.layout, table.name
    )


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


def _text_rows(table: TableFile, columns: Sequence[str], beside: Sequence[str]) -> list[Row]:
    content = table.file.content()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise table.unreadable(error) from None
    width = len(table.columns)
    quoted = quotes_protect(content, table.separator, width)
    refuse_lone_returns(content, table.name, quoted=quoted)
    records = fields_of(text.rstrip("\r\n") + "\n", table.separator, quoted=quoted, name=table.name)
    start = next((place for place, (_, fields) in enumerate(records) if any(fields) or len(fields) > 1), 0)
    records = records[start + table.header :]  # blank lines at the top are skipped
    n_needed, columns = len(columns), [*columns, *beside]
    places = [table.columns.index(column) if column in table.columns else None for column in columns]
    rows: list[Row] = []
    for number, fields in records:
        if len(fields) != width:
            if fields or width > 1:
                broken = first_broken_line(table.file, table.format, table.separator)
                raise broken or wrong_width(table.name, number, len(fields), width)
            fields = [""]
        found = zip(columns, places, strict=True)
        rows.append((number, tuple(table.partition[name] if at is None else fields[at] for name, at in found)))
    if not quoted:
        for number, values in rows:
            refuse_stray_quotes(table.name, values[:n_needed], f"line {number}")
    warn_of_line_breaks(table.name, len(records), records[-1][0] - start - table.header if records else 0)
    return rows


def columns_of(table: TableFile, wanted: Sequence[str]) -> dict[str, list[Any]]:
    """Return whole columns of a table as lists; in text an empty field is None."""
    if table.in_rows:
        found = [values for _, values in rows_of(table, wanted)]
        columns = {column: [values[place] for values in found] for place, column in enumerate(wanted)}
    else:
        from macrof1.reading.scans import collected  # loads Polars

        columns = collected(table, wanted)
    return _with_missing(table, columns)


def distinct_of(
    table: TableFile, wanted: Sequence[str], most: int | None = None
) -> tuple[dict[str, list[Any]], list[int]] | None:
    """Return the distinct rows of some columns as `columns_of` does, and their frequencies; None for small tables.

    Lists of labels are not grouped either. More than `most` distinct rows raise `TooManyRowsError`, unless they are
    read row by row: it takes too long to read them again for each pair of systems.
    """
    if table.is_small or any(table.types[name].is_nested() for name in wanted if name in table.types):
        return None
    if table.in_rows:
        return _distinct_rows(table, wanted)
    from macrof1.reading.scans import distinct  # loads Polars

    columns, amounts = distinct(table, wanted, most)
    return _with_missing(table, columns), amounts


def _distinct_rows(table: TableFile, wanted: Sequence[str]) -> tuple[dict[str, list[Any]], list[int]] | None:
    """Count equal rows whose values have the same types; None if a value is a list or an object."""
    found: dict[Any, int] = {}
    for _, values in rows_of(table, wanted):
        key = tuple(map(type, values)), values
        try:
            found[key] = found.get(key, 0) + 1
        except TypeError:
            return None
    columns = {column: [values[place] for _, values in found] for place, column in enumerate(wanted)}
    return _with_missing(table, columns), list(found.values())


def _with_missing(table: TableFile, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    if not all(columns.values()):
        raise EmptyError.nothing(f"{table.name}: the table")
    if table.is_text:
        return {name: [None if value == "" else value for value in column] for name, column in columns.items()}
    return columns


def header_is_data(table: TableFile, wanted: str | None, column: str) -> FileError:
    """Report a header that is a row of data, which would be lost silently."""
    return FileError(
        f"{table.name}: the first line names a column {column!r}, which is also a label",
        argument="header",
        expected="a header",
        hint=Message(
            "if the first line is data, add ",
            Argument("header", False),
            "; if it is a header, name the column" + ("" if wanted is None else " instead of its position"),
        ),
    )
