"""From files to tables: the format and the columns of each file, inferred from its content and name."""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast, get_args
from urllib.parse import unquote

from macrof1.errors import ColumnError, EmptyError, FileError, InputError, LabelError
from macrof1.message import Argument, Message, Note
from macrof1.reading.columns import find_column, header_line, listed_columns, unique_names, usual_columns
from macrof1.reading.dialect import quotes_protect, separator_of
from macrof1.reading.files import InputFile, Source, bare_name, binary_format, not_utf8, opened_files
from macrof1.reading.logs import Layout, Record, Settling, has_path, known_layout, label_path, read_log, typical_record

FileFormat: TypeAlias = Literal["csv", "tsv", "jsonl", "json", "parquet", "arrow"]

# What messages call each format, and how names of its files end.
_FORMATS: Final[dict[FileFormat, tuple[str, ...]]] = {
    "csv": ("CSV", ".csv"),
    "tsv": ("TSV", ".tsv", ".tab"),
    "jsonl": ("JSON lines", ".jsonl", ".ndjson"),
    "json": ("JSON", ".json", ".eval"),
    "parquet": ("Parquet", ".parquet", ".pq"),
    "arrow": ("Arrow", ".arrow", ".feather", ".ipc"),
}
_ENDINGS: Final = {ending: kind for kind, (_, *endings) in _FORMATS.items() for ending in endings}
_START: Final = 1 << 16
# Text up to these sizes is read row by row: loading the engine for larger files would take longer.
_SMALL: Final = 1 << 19
_SMALL_PACKED: Final = 1 << 16

ANY_TYPE: Final = "values of any type"
# How Hive-style folders write a missing value.
_HIVE_NULL: Final = "__HIVE_DEFAULT_PARTITION__"


class TooManyRowsError(Exception):
    """There are more distinct rows than wanted; never leaves the package."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """An open table: its format, its columns in order, their types, and the columns added by its folders."""

    file: InputFile
    format: FileFormat
    columns: list[str]
    separator: str = ","
    header: bool = True
    types: dict[str, Any] = field(default_factory=dict)
    partition: dict[str, str | int | None] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)  # the records of a log; for JSON lines, the first
    repeats: Settling | None = None  # what becomes of several answers to an item of a log
    notes: tuple[Note, ...] = ()  # what a log says about records that are missing

    @property
    def layout(self) -> Layout | None:
        """Where the tool that wrote a log keeps gold and predicted labels."""
        return known_layout(typical_record(self.records)) if self.records else None

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.file.name

    @property
    def unit(self) -> str:
        """What messages call a row: its line, or its number among the records of a log."""
        return "record" if self.format == "json" else "line"

    @property
    def is_text(self) -> bool:
        """Whether labels are text: CSV and TSV."""
        return self.format in ("csv", "tsv")

    @property
    def in_rows(self) -> bool:
        """Whether it is read row by row: logs and JSON lines, whose labels keep their types, and small text."""
        limit = _SMALL if self.file.packing is None else _SMALL_PACKED
        return self.format in ("json", "jsonl") or (self.is_text and self.file.size <= limit)

    def reads_in_python(self, text: bool) -> bool:
        """Return whether Python reads it and not Polars; `text` says so of text of any size."""
        return text if self.is_text else self.in_rows

    @property
    def names(self) -> list[str]:
        """All columns: those of the file, then those of its folders."""
        return [*self.columns, *(name for name in self.partition if name not in self.columns)]

    def plain_columns(self) -> list[str]:
        """Return the columns that hold plain values, as far as their types tell."""
        kinds = {column: self.types.get(column) for column in self.columns}
        return [column for column, kind in kinds.items() if kind is None or not (kind.is_nested() or kind.is_object())]

    def find(self, wanted: str | None, role: str, *, taken: Collection[str] = ()) -> str:
        """Find a column by name, by 1-based position, by a path into records, or by its usual name, if not `taken`."""
        if self.records:
            typical = typical_record(self.records)
            if wanted is not None and wanted not in self.names and has_path(typical, wanted):
                return wanted
            usual = label_path(self.layout, typical, role, self.name) if self.layout and not wanted else None
            if usual is not None:
                return usual
        free = [name for name in self.names if name not in taken]
        names = free if wanted is None and usual_columns(free, role) else self.names
        try:
            return find_column(names, wanted, role, source=self.name, header=self.header and self.is_text)
        except ColumnError:
            if self.is_text and self.header:  # a title, or `sep=;`, may stand above the header
                lines = self.file.start(_START).decode("utf-8-sig", "replace").splitlines()[:20]
                number = header_line(lines, wanted)
                if number is not None and any(lines[: number - 1]):
                    above = "remove the line above it" if number == 2 else f"remove the {number - 1} lines above it"
                    problem = f"{self.name}: line {number} looks like the header"
                    raise ColumnError(problem, expected="it in the first line", hint=above) from None
                if len(lines) == 1:  # which may be anything, so it is not quoted
                    problem = f"{self.name} has only one line"
                    raise ColumnError(problem, expected="a header, and a row on each line below it") from None
            raise

    def has(self, wanted: str | None, role: str) -> bool:
        """Return whether `find` finds a column."""
        try:
            return bool(self.find(wanted, role))
        except ColumnError:
            return False

    def type_of(self, column: str) -> str:
        """Distinguish types only as labels do: widths of integers do not matter, nor do integers stored as reals."""
        kind = self.types.get(column)
        if self.records or str(kind) == "Null":
            return ANY_TYPE
        if column not in self.columns:
            return {int: "numbers", str: "text"}.get(type(self.partition.get(column)), ANY_TYPE)
        if kind is None or str(kind).partition("(")[0] in ("String", "Categorical", "Enum"):
            return "text"
        return "numbers" if kind.is_numeric() else str(kind)

    def holds_sets(self, column: str, mark: str | None) -> bool:
        """Return whether the rows of a column carry several labels: lists, or text with separators."""
        kind = self.types.get(column)
        if kind is not None and hasattr(kind, "inner"):
            return not kind.inner.is_nested()
        return mark is not None and self.type_of(column) == "text"

    def check_label_types(self, columns: Sequence[str]) -> None:
        """Reject columns whose type cannot hold labels or, in all of them, lists of labels."""
        plain = [column for column in columns if not self.holds_sets(column, None)]
        if plain and len(plain) < len(columns):
            raise ColumnError.beside_lists(plain[0], source=self.name)
        for column in plain:
            kind = self.types.get(column)
            if kind is not None and (kind.is_temporal() or kind.is_nested() or kind.is_decimal()):
                raise LabelError.of_type(f"column {column!r} of {self.name}", kind)

    def unreadable(self, error: BaseException) -> FileError:
        """Say where the file is broken, after a second look at it."""
        with self.file.opened() as raw:
            for number, line in enumerate(raw if self.format in ("csv", "tsv", "jsonl") else (), 1):
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError as wrong:
                    return not_utf8(self.name, number, line[wrong.start])
        reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        return FileError(
            f"{self.name} cannot be read: {reason}",
            expected=f"a whole {_FORMATS[self.format][0]} file",
            hint=Message("if it is in another format, set ", Argument("file_format")),
        )


@contextmanager
def opened_tables(
    source: Source | Sequence[TableFile] | Sequence[InputFile],
    header: bool,
    file_format: FileFormat | None,
    *,
    records: str | None = None,
    once: bool = True,
) -> Iterator[list[TableFile]]:
    """Open all tables that a source names; at least one. Tables and files that are already open stay open."""
    if file_format is not None:
        FileError.one_of("file_format", file_format, get_args(FileFormat))
    if not isinstance(source, (str, Path)) and isinstance(source, Iterable):
        tables = [one for one in source if isinstance(one, TableFile)]
        if tables:
            yield tables
            return
    with opened_files(cast("Source", source), once=once) as files:
        tables = [inspected(file, header, file_format, records) for file in files]
        for name in {name for table in tables for name in table.partition}:
            values = [table.partition.get(name) for table in tables]
            # The values of a folder column become integers if all of them are.
            if all(value is None or (str(value).isdecimal() and str(int(value)) == value) for value in values):
                for table, value in zip(tables, values, strict=True):
                    table.partition[name] = None if value is None else int(value)
        yield tables


def inspected(file: InputFile, header: bool, file_format: FileFormat | None, records: str | None = None) -> TableFile:
    """Infer the format of a file (as given, by its first bytes, extension or first line) and its columns."""
    if not file.size:
        raise EmptyError(f"{file.name} is empty", expected="a table of predictions")
    start = file.start(_START)
    kind: Any = file_format or binary_format(start) or _ENDINGS.get(Path(bare_name(file.path)).suffix.lower())
    kind = kind or _sniffed(start)
    if kind == "json" and file_format is None and records is None and _is_json_lines(start):
        kind = "jsonl"
    if records is not None and kind not in ("json", "jsonl"):
        raise InputError(Message(Argument("records", records), f" for {file.name}"), expected="a JSON file")
    if file.name.endswith(".ipynb") or (kind in ("json", "jsonl") and b'"nbformat"' in start):
        hint = "save the labels from it as CSV or Parquet"
        raise FileError(f"{file.name} is a Jupyter notebook", expected="a table", hint=hint)
    folders = (part.partition("=") for part in file.path.parent.parts if "=" in part)
    partition: dict[str, str | int | None] = {
        unquote(name): None if value == _HIVE_NULL else unquote(value) for name, _, value in folders if name
    }
    if kind == "json" or records is not None:
        found, notes = read_log(file, records)
        return TableFile(file, "json", list(found[0]), partition=partition, records=found, notes=notes)
    table = TableFile(file, kind, [], "\t" if kind == "tsv" else ",", header, partition=partition)
    if kind not in ("parquet", "arrow"):
        return _text_table(table, start)
    from macrof1.reading.engine import polars_reads, schema_of

    with polars_reads(table.unreadable):
        try:
            types = schema_of(file, kind)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # a nonsensical type
            raise table.unreadable(error) from None
    return replace(table, columns=list(types), types=types, header=True)


def _text_table(table: TableFile, start: bytes) -> TableFile:
    """Infer the separator and columns of a table as text or JSON lines from its first lines."""
    kind = table.format
    if b"\0" in start:
        raise FileError(f"{table.name} has NUL bytes, so it is not text", expected="UTF-8 text, Parquet or Arrow")
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(start)
    except UnicodeDecodeError as error:
        raise table.unreadable(error) from None
    lines = text.lstrip("\r\n \t" if kind == "jsonl" else "\r\n").split("\n")
    if not text.strip():
        raise EmptyError(f"{table.name} holds blank lines only", expected="a table of predictions")
    if kind == "jsonl":
        line = lines[0]
        if len(lines) == 1 and len(start) >= _START:  # a record longer than the first bytes
            with table.file.opened() as file:
                line = next((each for each in file if each.strip()), b"").decode("utf-8-sig", "replace")
        first = parse_json(line, table.name, 1)
        if not known_layout(first):  # a log may begin with what was run; the last line may be cut off here
            whole = [(number, each) for number, each in enumerate(lines[1:10], 2) if each.endswith("}")]
            first = typical_record([first, *(parse_json(each, table.name, number) for number, each in whole)])
        return replace(table, columns=list(first), records=[first], header=True)
    separator = "\t" if kind == "tsv" else separator_of([line.removesuffix("\r") for line in lines[:5]])
    marks = {line.count(separator) for line in lines[:100] if line.strip()}
    if separator == "," and len(marks) > 1 and bare_name(table.file.path).endswith(".txt"):
        separator = "\t"  # one label per line, with commas
    fields = _first_record(lines, separator)
    if separator == "|":
        fields = [field.strip(" ") for field in fields]
    columns = unique_names(fields) if table.header else [str(position) for position in range(1, len(fields) + 1)]
    return replace(table, columns=columns, separator=separator)


def _is_json_lines(start: bytes) -> bool:
    """Return whether a .json file holds JSON lines: more than one line, the first a complete object."""
    first, _, rest = start.decode("utf-8-sig", "replace").lstrip().partition("\n")
    try:
        return bool(rest.strip()) and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _first_record(lines: list[str], separator: str) -> list[str]:
    """Return the fields of the first record, which may span several lines if quotes delimit fields."""
    for end in range(1, 2 if separator == "\t" else len(lines) + 1) if '"' in lines[0] else ():
        record = "\n".join(lines[:end]) + "\n"
        if quotes_protect(record.encode(), separator, 1):
            return next(csv.reader(record.splitlines(keepends=True), delimiter=separator))
    return lines[0].removesuffix("\r").split(separator)


def _sniffed(start: bytes) -> FileFormat:
    text = start.lstrip(b"\xef\xbb\xbf \r\n")
    if text.startswith((b"[", b"PK\x03\x04")):
        return "json"
    if text.startswith(b"{"):
        return "json" if b"\n" in text.strip() else "jsonl"
    return "csv"


def check_same_schema(tables: Sequence[TableFile], wanted: Sequence[str | None], columns: Sequence[str]) -> None:
    """Reject several files if their required columns differ in name, position or type."""
    first = tables[0]
    by_place = any(given is not None and given != column for given, column in zip(wanted, columns, strict=True))
    for table in tables[1:]:
        for column in columns:
            if column not in table.names:
                problem = f"{table.name} has no column {column!r}, which {first.name} has"
                hint = f"it has {listed_columns(table.names)}"
                raise ColumnError(problem, expected="the same columns in all files", hint=hint)
            ours, theirs = first.type_of(column), table.type_of(column)
            if ANY_TYPE not in (ours, theirs) and ours != theirs:
                problem = f"column {column!r} holds {ours} in {first.name} but {theirs} in {table.name}"
                raise ColumnError(problem, expected="the same type in all files")
        if by_place and table.columns != first.columns:
            problem = f"the columns of {table.name} differ from those of {first.name}, and some were given by position"
            raise ColumnError(problem, expected="the same columns in the same order", hint="give names instead")


def parse_json(line: str, name: str, number: int) -> dict[str, Any]:
    """Parse one line as an object."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name}, line {number}: not valid JSON ({error})", expected="one object per line") from None
    if not isinstance(record, dict):
        kind = type(record).__name__
        raise FileError(f"{name}, line {number}: a JSON {kind}", expected='one object per line, such as {"gold": …}')
    return record
