"""Where a text file is broken: a slow, exact second look, taken only after an error."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator, Sequence
from typing import IO, Any

from macrof1.errors import FileError, counted
from macrof1.message import Message
from macrof1.reading.files import InputFile, not_utf8


def first_broken_line(file: InputFile, kind: str, separator: str) -> FileError | None:
    """Report the first line that is not UTF-8, has a different number of fields than the first, or a stray quote."""
    with file.opened() as raw:
        broken = _broken_bytes(raw, file.name)
    if broken or kind == "jsonl":
        return broken
    with file.opened() as raw:
        return _broken_fields(raw, file.name, separator)


def _broken_bytes(raw: IO[bytes], name: str) -> FileError | None:
    for number, line in enumerate(raw, 1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            return not_utf8(name, number, line[error.start])
    return None


def _broken_fields(raw: IO[bytes], name: str, separator: str) -> FileError | None:
    quotes = 0

    def lines() -> Iterator[str]:
        nonlocal quotes
        for line in raw:
            quotes += line.count(b'"')
            yield line.decode("utf-8-sig")

    reader = csv.reader(lines(), delimiter=separator, strict=True)
    width = blank = None
    usual = csv.field_size_limit(2**31 - 1)  # a long text is not an error
    try:
        for fields in reader:
            odd, quotes = quotes % 2, 0
            if odd:
                problem = f"{name}, line {reader.line_num}: a quote inside a field that is not quoted"
                return FileError(problem, expected='the field in quotes, and the quote doubled: "5"" disk"')
            if width is None:
                width = len(fields) or None
            elif not fields:
                blank = blank or reader.line_num
            elif blank and width > 1:  # blank lines at the end are not rows
                return FileError(f"{name}, line {blank}: the line is blank", expected=f"{width} fields")
            elif len(fields) != width:
                hint = f"quote fields that contain {separator!r}"
                return wrong_width(name, reader.line_num, len(fields), width, hint)
    except csv.Error as error:
        return FileError(f"{name}, line {reader.line_num}: {error}", expected="quotes that close")
    finally:
        csv.field_size_limit(usual)
    return None


def wrong_width(name: str, line: int, n_fields: int, width: int, hint: str | None = None) -> FileError:
    """Report a line with another number of fields than the first."""
    problem = f"{name}, line {line}: {counted(n_fields, 'field')}"
    return FileError(problem, expected=f"{width} as in the first line", hint=hint)


def refuse_stray_quotes(name: str, values: Sequence[Any], where: str) -> None:
    """Reject a required value that contains a quote if quotes do not delimit fields: one may have been lost."""
    for value in values:
        if isinstance(value, str) and '"' in value:
            raise FileError(
                f"{name}, {where}: {value[:60]!r} has a quote that belongs to no quoted field",
                expected='quotes that close, and doubled ones inside a field: "5"" disk"',
            )


def warn_of_line_breaks(name: str, n_rows: int, n_lines: int) -> None:
    """Warn if quoted fields with line breaks make fewer rows than lines."""
    if n_rows < n_lines:
        warnings.warn(
            Message(
                f"{name} has {counted(n_rows, 'row')} in {n_lines:,} lines, since quoted fields hold line "
                "breaks; if they do not, a closing quote is missing"
            ),
            stacklevel=6,
        )
