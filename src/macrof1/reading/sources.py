"""From names to tables: paths, globs, folders of Parquet and standard input; format and columns of each file."""

from __future__ import annotations

import csv
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import unquote

import polars as pl

from macrof1.errors import ColumnError, EmptyError, FileError, LabelError, nearest, quote_some
from macrof1.reading.blocks import is_packed, record_blocks
from macrof1.reading.diagnosis import first_broken_line

Source: TypeAlias = str | Path | Sequence[str | Path]
"""A path, a glob pattern, a folder of Parquet, "-" for standard input, or several of these."""

FileFormat: TypeAlias = Literal["csv", "tsv", "jsonl", "parquet", "arrow"]

_SUFFIXES: dict[str, FileFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_COMPRESSED = {".gz", ".zst", ".zstd"}

GOLD_NAMES = ("gold", "label", "labels", "true", "truth", "y_true", "target", "actual", "reference", "gold_label")
PRED_NAMES = (
    "pred",
    "predicted",
    "prediction",
    "predictions",
    "y_pred",
    "system",
    "output",
    "pred_label",
    "hypothesis",
)


_ANY = "values of any type"

# How Hive-style folders write a missing value.
_HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, slots=True)
class OpenFile:
    """An opened file: what it is, its columns in order, and the columns that its folders add."""

    path: Path
    name: str
    format: FileFormat
    columns: list[str]
    separator: str = ","
    header: bool = True
    types: dict[str, Any] = field(default_factory=dict)
    partition: dict[str, str | int | None] = field(default_factory=dict)

    @property
    def is_text(self) -> bool:
        """Whether labels are text: CSV and TSV."""
        return self.format in ("csv", "tsv")

    @property
    def block_header(self) -> bytes:
        """A first line for blocks of a text file after the first; these names need no quotes."""
        return (self.separator.join(map(str, range(len(self.columns)))) + "\n").encode()

    @property
    def names(self) -> list[str]:
        """All columns: of the file, then of its folders."""
        return [*self.columns, *(name for name in self.partition if name not in self.columns)]


@dataclass(frozen=True, slots=True)
class LabelColumns:
    """The columns that are counted, as they were found in the files."""

    gold: str
    pred: str
    weight: str | None
    by: tuple[str, ...]
    mark: str | None = None
    """What stands between several labels in one field."""

    def columns(self) -> list[str]:
        """List all of them, in the order in which they were asked for."""
        return [self.gold, self.pred, *self.by, *([] if self.weight is None else [self.weight])]


@contextmanager
def opened(source: Source, header: bool, file_format: FileFormat | None) -> Iterator[list[OpenFile]]:
    """Open all files that a source names; at least one."""
    if file_format is not None and file_format not in get_args(FileFormat):
        raise FileError.unknown_value("format", file_format, get_args(FileFormat))
    sources = [source] if isinstance(source, (str, Path)) else list(source)
    if not sources:
        raise EmptyError("no file given: expected at least one file of predictions")
    paths = [path for one in sources for path in ([None] if str(one) == "-" else _expand(one))]
    for path, times in Counter(paths).items():
        if times > 1:
            raise FileError(f"{path or '-'} is named twice: expected every file once; its rows would count double")
    with tempfile.TemporaryDirectory() as folder:
        tables = []
        for path in paths:
            if path is None:
                copy = Path(folder) / "stdin"
                with copy.open("wb") as file:
                    shutil.copyfileobj(sys.stdin.buffer, file)
                tables.append(_inspect(copy, "standard input", header, file_format))
            elif path.is_file():
                tables.append(_inspect(path, str(path), header, file_format))
            else:  # a pipe, such as <(command) gives: it can be read once only
                copy = Path(folder) / str(len(tables))
                with copy.open("wb") as file, path.open("rb") as pipe:
                    shutil.copyfileobj(pipe, file)
                tables.append(_inspect(copy, str(path), header, file_format))
        _type_partitions(tables)
        yield tables


@contextmanager
def opened_one(source: str | Path, header: bool, file_format: FileFormat | None) -> Iterator[OpenFile]:
    """Open a single file."""
    with opened(source, header, file_format) as tables:
        if len(tables) > 1:
            raise FileError(f"{source} stands for {len(tables):,} files: expected one file here")
        yield tables[0]


def _expand(source: str | Path) -> list[Path]:
    """Return the files that a path, a pattern or a folder stands for, in the order of their names."""
    path = Path(source)
    if path.is_dir():
        found = [
            file
            for file in sorted(path.rglob("*"))
            if _SUFFIXES.get(file.suffix.lower()) == "parquet"
            and not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
        ]
        if not found:
            raise FileError(f"{path} is a directory without Parquet files: expected a file, a pattern or such a folder")
        return found
    if path.exists():
        return [path]
    if has_magic(str(source)):
        names = glob(str(source), recursive=True)  # noqa: PTH207  # a pattern may be absolute, which Path.glob refuses
        found = [Path(name) for name in sorted(names) if not Path(name).is_dir()]
        if not found:
            raise FileError(f"no file matches {str(source)!r}: expected a pattern of file names; check the path")
        return found
    folder_names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    guess = nearest(path.name, folder_names)
    hint = f"did you mean {guess!r}?" if guess else "check the path"
    raise FileError(f"no file {str(path)!r}: expected a file of predictions, or - for standard input; {hint}")


def _partition(path: Path) -> dict[str, str | int | None]:
    """Read ``name=value`` folders; values are text until all files are known."""
    pairs = (part.partition("=") for part in path.parent.parts if "=" in part)
    return {unquote(name): None if value == _HIVE_NULL else unquote(value) for name, _, value in pairs if name}


def _type_partitions(tables: list[OpenFile]) -> None:
    """Let the values of a folder column be integers where all of them are."""
    for name in {name for table in tables for name in table.partition}:
        values = [table.partition.get(name) for table in tables]
        if all(value is None or (str(value).isdecimal() and str(int(value)) == value) for value in values):
            for table in tables:
                value = table.partition.get(name)
                table.partition[name] = None if value is None else int(value)


def _inspect(path: Path, name: str, header: bool, file_format: FileFormat | None) -> OpenFile:
    """Tell format and columns of a file."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compressed = bool(suffixes) and suffixes[-1] in _COMPRESSED
    ending = suffixes[-2] if compressed and len(suffixes) > 1 else (suffixes[-1] if suffixes else "")
    if not path.stat().st_size:
        raise EmptyError(f"{name} is empty: expected a table of predictions")
    kind = file_format or _SUFFIXES.get(ending) or _sniff(path)
    try:
        if kind == "parquet":
            schema = pl.scan_parquet(path, glob=False, hive_partitioning=False).collect_schema()
            return OpenFile(path, name, kind, schema.names(), types=dict(schema), partition=_partition(path))
        if kind == "arrow":
            schema = pl.scan_ipc(path, glob=False, hive_partitioning=False).collect_schema()
            return OpenFile(path, name, kind, schema.names(), types=dict(schema), partition=_partition(path))
        start = _start(path, kind)
        line = _first_line(path if start is None else start).removeprefix("\ufeff").rstrip("\r")
    except (pl.exceptions.PolarsError, UnicodeDecodeError, OSError) as error:
        raise unreadable(path, name, kind, error) from None
    if kind == "jsonl":
        record = parse_json(line, name, 1)
        return OpenFile(path, name, kind, list(record), partition=_partition(path))
    separator = "\t" if kind == "tsv" else _separator(line)
    try:
        source = path if start is None else start
        scan = pl.scan_csv(source, separator=separator, has_header=header, infer_schema=False, glob=False)
        columns = scan.collect_schema().names()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(path, name, kind, error, separator) from None
    if header and '""' in line:  # Polars leaves doubled quotes in names as they are
        names = next(csv.reader([line], delimiter=separator))
        columns = names if len(names) == len(columns) else columns
    if not header:
        columns = [str(position) for position in range(1, len(columns) + 1)]
    return OpenFile(path, name, kind, columns, separator, header, partition=_partition(path))


def _start(path: Path, kind: FileFormat) -> bytes | None:
    """Return the first lines of a plain text file, since Polars would read far ahead; None where it is packed."""
    if is_packed(path):
        return None
    if kind == "jsonl":  # a line is a record, whatever quotes it holds
        with path.open("rb") as file:
            return next((line for line in file if line.strip()), b"")
    return next(record_blocks(path, 1 << 16))[0]


def _first_line(source: Path | bytes) -> str:
    if isinstance(source, bytes):
        return source.lstrip(b"\r\n").partition(b"\n")[0].decode("utf-8")  # blank lines at the top are passed over
    lines = pl.scan_lines(source, glob=False).head(1).collect()["line"].to_list()
    return str(lines[0]) if lines else ""


def _sniff(path: Path) -> FileFormat:
    """Tell a format by the first bytes."""
    with path.open("rb") as file:
        start = file.read(4096)
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"ARROW1"):
        return "arrow"
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return "jsonl"
    return "tsv" if b"\t" in start.partition(b"\n")[0] else "csv"


def _separator(header: str) -> str:
    """Take the comma, unless the first line has none and one of its usual stand-ins."""
    return next((mark for mark in (",", "\t", ";") if mark in header), ",")


def resolve(table: OpenFile, wanted: str | None, role: str) -> str:
    """Find a column by name, by position counted from 1, or by its usual name."""
    columns = table.names
    if wanted is None:
        usual = GOLD_NAMES if role == "gold" else PRED_NAMES
        found = [column for column in columns if column.lower() in usual]
        if len(found) != 1:
            problem = (
                f"{len(found)} columns could be the {role} labels"
                if found
                else f"no column is named like {role} labels"
            )
            how = "or by position (--no-header if the first line is data)" if table.header else "counted from 1"
            listed = ", ".join(map(repr, columns[:8]))
            raise ColumnError(f"{problem} in {table.name}: it has {listed}; name one with --{role} NAME, {how}")
        wanted = found[0]
    if wanted not in columns:
        if wanted.isdecimal() and 1 <= int(wanted) <= len(table.columns):
            return columns[int(wanted) - 1]
        hint = "if its first line is data, add --no-header and give positions, counted from 1"
        raise ColumnError.not_found(wanted, columns=columns, source=table.name, hint=hint if table.header else "")
    if f"{wanted}_duplicated_0" in columns:
        raise ColumnError(f"{table.name} has several columns named {wanted!r}: expected one; give its position instead")
    return wanted


def check_same_schema(tables: list[OpenFile], wanted: Sequence[str | None], columns: Sequence[str]) -> None:
    """Refuse several files of which the needed columns differ in name, place or type."""
    first = tables[0]
    by_place = any(given is not None and given != column for given, column in zip(wanted, columns, strict=True))
    for table in tables[1:]:
        for column in columns:
            if column not in table.names:
                raise ColumnError(
                    f"{table.name} has no column {column!r}, which {first.name} has: expected the same columns in all "
                    f"files; it has {quote_some(table.names)}"
                )
            ours, theirs = _kind(first, column), _kind(table, column)
            if _ANY not in (ours, theirs) and ours != theirs:
                raise ColumnError(
                    f"column {column!r} holds {ours} in {first.name} but {theirs} in {table.name}: "
                    "expected the same type in all files"
                )
        if by_place and table.columns != first.columns:
            raise ColumnError(
                f"the columns of {table.name} differ from those of {first.name}, and some were given by position: "
                "expected the same columns in the same order; give names instead"
            )


def _kind(table: OpenFile, column: str) -> str:
    """Tell types apart as far as labels do: widths of integers do not matter, nor do integers stored as reals."""
    kind = table.types.get(column)
    if table.format == "jsonl" or kind == pl.Null:
        return _ANY
    if column not in table.columns:
        return "numbers" if isinstance(table.partition.get(column), int) else "text"
    if kind is None or kind in (pl.String, pl.Categorical, pl.Enum):
        return "text"
    return "numbers" if kind.is_numeric() else str(kind)


def scan(batch: list[OpenFile]) -> pl.LazyFrame:
    """Read the files of a batch lazily; Parquet files may come together, others one at a time."""
    table = batch[0]
    if table.format == "parquet":
        found = pl.scan_parquet([part.path for part in batch], glob=False, hive_partitioning=False)
    elif table.format == "arrow":
        found = pl.scan_ipc(table.path, glob=False, hive_partitioning=False)
    else:
        found = _scan_text(table, table.path, first=True)
    return _with_folders(table, found)


def scan_block(table: OpenFile, block: bytes, *, first: bool) -> pl.LazyFrame:
    """Read a block of a text file lazily; every block but the first begins with the table's block header."""
    return _with_folders(table, _scan_text(table, block, first=first))


def _scan_text(table: OpenFile, source: Path | bytes, *, first: bool) -> pl.LazyFrame:
    return pl.scan_csv(
        source,
        separator=table.separator,
        has_header=table.header or not first,
        new_columns=table.columns,
        infer_schema=False,
        glob=False,
    )


def _with_folders(table: OpenFile, found: pl.LazyFrame) -> pl.LazyFrame:
    added = {name: pl.lit(value) for name, value in table.partition.items() if name not in table.columns}
    return found.with_columns(**added) if added else found


def check_label_types(table: OpenFile, columns: Iterable[str]) -> None:
    """Refuse columns whose type cannot hold labels."""
    for column in columns:
        kind = table.types.get(column)
        if kind is not None and (kind.is_temporal() or kind.is_nested() or kind.is_decimal()):
            raise LabelError(
                f"column {column!r} of {table.name} holds values of type {kind}: "
                "expected strings, whole numbers or booleans"
            )


def holds_sets(table: OpenFile, column: str, mark: str | None) -> bool:
    """Tell a column of a table whose rows carry several labels: lists, or text that is split at a mark."""
    kind = table.types.get(column)
    if isinstance(kind, (pl.List, pl.Array)):
        return not kind.inner.is_nested()
    return mark is not None and _kind(table, column) == "text"


def parse_json(line: str, name: str, number: int) -> dict[str, Any]:
    """Read one line as an object."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name}, line {number}: no valid JSON ({error}): expected one object per line") from None
    if not isinstance(record, dict):
        kind = type(record).__name__
        raise FileError(f'{name}, line {number}: a JSON {kind}, expected one object per line, such as {{"gold": …}}')
    return record


def unreadable(path: Path, name: str, kind: FileFormat, error: Exception, separator: str = ",") -> FileError:
    """Say where a file is broken, after a second look at it."""
    if kind in ("csv", "tsv", "jsonl"):
        broken = first_broken_line(path, kind, separator)
        if broken:
            return FileError(f"{name}, {broken}")
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return FileError(
        f"{name} cannot be read as {kind}: {reason}; expected a whole file, or name its format with --input-format"
    )
