"""Prediction files become counts: CSV, TSV, JSON lines, Parquet and Arrow, plain or compressed, or stdin.

Polars reads and groups in pieces, so that memory grows with the distinct pairs of labels, not with rows.
In text files labels are text: ``1`` and ``01`` are two labels. Typed files keep their types.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import polars as pl

from macrof1.counts.confusion import Confusion
from macrof1.counts.damage import first_broken_line
from macrof1.counts.labels import Missing, canonical, checked_missing, label_key
from macrof1.errors import (
    ColumnError,
    CountError,
    EmptyError,
    FileError,
    LabelError,
    MissingLabelError,
    nearest,
)

__all__ = ["FileFormat", "count_file"]

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

_GOLD_NAMES = ("gold", "label", "labels", "true", "truth", "y_true", "target", "actual", "reference", "gold_label")
_PRED_NAMES = (
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


@dataclass(frozen=True, slots=True)
class _Table:
    """An opened file: what it is, and its columns in order."""

    path: Path
    name: str
    format: FileFormat
    columns: list[str]
    separator: str = ","
    header: bool = True


def count_file(
    source: str | Path,
    *,
    gold: str | None = None,
    pred: str | None = None,
    weight: str | None = None,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
    header: bool = True,
    file_format: FileFormat | None = None,
    labels_are_text: bool = False,
) -> Confusion:
    """Count the cells of a prediction file.

    Parameters
    ----------
    source
        Path of a CSV, TSV, JSON-lines, Parquet or Arrow file, plain or compressed (.gz, .zst), or ``"-"``
        for standard input. The name's ending tells the format; other names are told by their content.
    gold, pred, weight
        Column names, or positions counted from 1. Without them, columns with usual names are taken
        (``gold``, ``y_true``, …; ``pred``, ``y_pred``, …).
    labels
        The class set, in order.
    missing
        Rows without a label: ``"error"``, ``"drop"`` or ``"label"``. In text files an empty field is missing.
    header
        Whether the first line of a CSV or TSV file names the columns.
    file_format
        The format, where neither name nor content tells.
    labels_are_text
        Whether `labels` was typed as text, as on a command line, and ``1`` means the number in a typed file.
    """
    policy = checked_missing(missing)
    with _opened(source, header, file_format) as table:
        gold_column = _resolve(table, gold, _GOLD_NAMES, "gold")
        pred_column = _resolve(table, pred, _PRED_NAMES, "pred")
        weight_column = None if weight is None else _resolve(table, weight, (), "weight")
        if table.format == "jsonl":
            cells, n_rows = _count_lines(table, gold_column, pred_column, weight_column)
        else:
            cells, n_rows = _count_grouped(table, gold_column, pred_column, weight_column)
        if not n_rows:
            raise EmptyError.nothing(f"{table.name}: the table")
        if table.header and table.format in ("csv", "tsv"):
            _check_header(table, ((gold, gold_column), (pred, pred_column)), cells)
        gone = [cell for cell in cells if cell.gold is None or cell.pred is None]
        n_gone = sum(cell.rows for cell in gone)
        if n_gone and policy == "error":
            where = f"columns {gold_column!r} and {pred_column!r} of {table.name}"
            raise MissingLabelError.found(rows=n_gone, total=n_rows, where=where)
        if policy == "drop":
            if n_gone == n_rows:
                raise EmptyError(f"{table.name}: all {n_rows:,} rows lack a label: nothing is left to score")
            cells = [cell for cell in cells if cell.gold is not None and cell.pred is not None]
        else:
            n_gone = 0
        if labels is not None and labels_are_text:
            labels = _typed(labels, cells)
        return Confusion.from_cells(
            ((cell.gold, cell.pred, cell.amount) for cell in cells),
            labels=labels,
            n_rows=n_rows - n_gone,
            n_dropped=n_gone,
        )


@dataclass(frozen=True, slots=True)
class _Cell:
    gold: Any
    pred: Any
    rows: int
    amount: int | float


def _typed(labels: Iterable[object], cells: list[_Cell]) -> list[object]:
    """Read labels typed as text in the type that the file's labels have, where they all have one."""
    kinds = {type(label) for cell in cells for label in (cell.gold, cell.pred) if label is not None}
    typed: list[object] = []
    for label in labels:
        text = str(label)
        if kinds == {int} and text.lstrip("-").isdecimal():
            typed.append(int(text))
        elif kinds == {bool}:
            typed.append({"true": True, "false": False}.get(text.lower(), text))
        else:
            typed.append(label)
    return typed


@contextmanager
def _opened(source: str | Path, header: bool, file_format: FileFormat | None) -> Iterator[_Table]:
    if file_format is not None and file_format not in get_args(FileFormat):
        raise FileError.unknown_option("format", file_format, get_args(FileFormat))
    if str(source) == "-":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "stdin"
            with path.open("wb") as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy)
            yield _inspect(path, "standard input", header, file_format)
        return
    path = Path(source)
    if path.is_dir():
        raise FileError(f"{path} is a directory: expected a file of predictions")
    if not path.exists():
        folder_names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        guess = nearest(path.name, folder_names)
        hint = f"did you mean {guess!r}?" if guess else "check the path"
        raise FileError(f"no file {str(path)!r}: expected a file of predictions, or - for standard input; {hint}")
    yield _inspect(path, str(path), header, file_format)


def _inspect(path: Path, name: str, header: bool, file_format: FileFormat | None) -> _Table:
    """Tell format and columns of a file."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compressed = bool(suffixes) and suffixes[-1] in _COMPRESSED
    ending = suffixes[-2] if compressed and len(suffixes) > 1 else (suffixes[-1] if suffixes else "")
    if not path.stat().st_size:
        raise EmptyError(f"{name} is empty: expected a table of predictions")
    kind = file_format or _SUFFIXES.get(ending) or _sniff(path)
    try:
        if kind == "parquet":
            return _Table(path, name, kind, pl.scan_parquet(path, glob=False).collect_schema().names())
        if kind == "arrow":
            return _Table(path, name, kind, pl.scan_ipc(path).collect_schema().names())
        first = pl.scan_lines(path, glob=False).head(1).collect()["line"].to_list()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(path, name, kind, error) from None
    line = first[0].removeprefix("\ufeff").rstrip("\r") if first else ""
    if kind == "jsonl":
        record = _parse_json(line, name, 1)
        return _Table(path, name, kind, list(record))
    separator = "\t" if kind == "tsv" else _separator(line)
    try:
        scan = pl.scan_csv(path, separator=separator, has_header=header, infer_schema=False, glob=False)
        columns = scan.collect_schema().names()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(path, name, kind, error, separator) from None
    if not header:
        columns = [str(position) for position in range(1, len(columns) + 1)]
    return _Table(path, name, kind, columns, separator, header)


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


def _resolve(table: _Table, wanted: str | None, usual: tuple[str, ...], role: str) -> str:
    """Find a column by name, by position counted from 1, or by its usual name."""
    columns = table.columns
    if wanted is None:
        found = [column for column in columns if column.lower() in usual]
        if len(found) != 1:
            problem = (
                f"{len(found)} columns could be the {role} labels"
                if found
                else f"no column is named like {role} labels"
            )
            raise ColumnError(
                f"{problem} in {table.name}: it has {', '.join(map(repr, columns[:8]))}; name one with --{role} NAME, "
                "or by position (--no-header if the first line is data)"
            )
        wanted = found[0]
    if wanted not in columns:
        if wanted.isdecimal() and 1 <= int(wanted) <= len(columns):
            return columns[int(wanted) - 1]
        hint = "if its first line is data, add --no-header and give positions, counted from 1"
        raise ColumnError.not_found(wanted, columns=columns, source=table.name, hint=hint if table.header else "")
    if f"{wanted}_duplicated_0" in columns:
        raise ColumnError(f"{table.name} has several columns named {wanted!r}: expected one; give its position instead")
    return wanted


def _check_header(table: _Table, chosen: Iterable[tuple[str | None, str]], cells: list[_Cell]) -> None:
    """Refuse a header that is a row of data, which would be lost in silence."""
    labels = {cell.gold for cell in cells} | {cell.pred for cell in cells}
    for wanted, column in chosen:
        if wanted != column and column in labels:
            raise FileError(
                f"{table.name}: the first line names a column {column!r}, which is also a label: expected a header; "
                "if the first line is data, add --no-header; if it is a header, name the column instead of its position"
            )


def _scan(table: _Table) -> pl.LazyFrame:
    if table.format == "parquet":
        return pl.scan_parquet(table.path, glob=False)
    if table.format == "arrow":
        return pl.scan_ipc(table.path)
    scan = pl.scan_csv(table.path, separator=table.separator, has_header=table.header, infer_schema=False, glob=False)
    return scan if table.header else scan.rename(dict(zip(scan.collect_schema().names(), table.columns, strict=True)))


def _count_grouped(table: _Table, gold: str, pred: str, weight: str | None) -> tuple[list[_Cell], int]:
    scan = _scan(table)
    text = table.format in ("csv", "tsv")
    if not text:
        _check_types(table, scan, (gold, pred))
    columns = {"gold": pl.col(gold), "pred": pl.col(pred)}
    sums = [pl.len().alias("rows")]
    if text:
        # A missing field at the end of a line reads as null: a sign of a line that is too short.
        columns["short"] = pl.col(table.columns[-1]).is_null()
        sums.append(pl.col("short").sum())
    if weight is not None:
        columns["weight"] = pl.col(weight).cast(pl.Float64, strict=False)
        columns["whole"] = pl.col(weight).cast(pl.Int64, strict=False)
        sums += [
            pl.col("weight").sum(),
            pl.col("whole").sum(),
            pl.col("weight").is_null().sum().alias("no_number"),
            (pl.col("whole").is_null() | (pl.col("whole") != pl.col("weight"))).sum().alias("fractions"),
            pl.col("weight").min().alias("least"),
            pl.col("weight").is_finite().not_().sum().alias("infinite"),
        ]
    try:
        # Without projection push-down Polars parses whole lines, and so notices lines with too many fields.
        options = pl.QueryOptFlags(projection_pushdown=not text)
        grouped = (
            scan.select(**columns).group_by("gold", "pred").agg(sums).collect(engine="streaming", optimizations=options)
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(table.path, table.name, table.format, error, table.separator) from None
    if text and (grouped["short"].sum() or grouped["gold"].has_nulls() or grouped["pred"].has_nulls()):
        broken = first_broken_line(table.path, table.format, table.separator)
        if broken:
            raise FileError(f"{table.name}, {broken}")
    for column in ("gold", "pred"):
        if grouped[column].dtype in (pl.Categorical, pl.Enum):
            grouped = grouped.with_columns(pl.col(column).cast(pl.String))
    amounts = _weights(grouped, weight, table.name) if weight is not None else grouped["rows"].to_list()
    rows = grouped["rows"].to_list()
    sides = [
        [None if text and label == "" else canonical(label) for label in grouped[column].to_list()]
        for column in ("gold", "pred")
    ]
    cells = [_Cell(g, p, n, a) for g, p, n, a in zip(*sides, rows, amounts, strict=True)]
    return cells, sum(rows)


def _check_types(table: _Table, scan: pl.LazyFrame, columns: tuple[str, str]) -> None:
    schema = scan.collect_schema()
    for column in columns:
        kind = schema[column]
        if kind.is_temporal() or kind.is_nested() or kind.is_decimal():
            raise LabelError(
                f"column {column!r} of {table.name} holds values of type {kind}: "
                "expected strings, whole numbers or booleans"
            )


def _weights(grouped: pl.DataFrame, weight: str, name: str) -> list[Any]:
    where = f"column {weight!r} of {name}"
    if bad := grouped["no_number"].sum():
        raise CountError(f"{where}: {bad:,} rows have no number as weight, expected one in every row")
    if grouped["infinite"].sum():
        raise CountError(f"{where}: found NaN or infinity, expected finite weights, 0 or larger")
    least: Any = grouped["least"].min()
    if least < 0:
        raise CountError(f"{where}: found {least}, expected no negative weight")
    if grouped["fractions"].sum():
        return grouped["weight"].to_list()
    if float(grouped["weight"].sum()) >= 2.0**63:
        raise CountError(f"{where}: the weights sum to more than 2**63 - 1, expected a total that fits 63 bits")
    return grouped["whole"].to_list()


def _parse_json(line: str, name: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise FileError(f"{name}, line {number}: no valid JSON ({error}): expected one object per line") from None
    if not isinstance(record, dict):
        kind = type(record).__name__
        raise FileError(f'{name}, line {number}: a JSON {kind}, expected one object per line, such as {{"gold": …}}')
    return record


def _count_lines(table: _Table, gold: str, pred: str, weight: str | None) -> tuple[list[_Cell], int]:
    """Count JSON lines one by one: Polars would turn labels of mixed types into text."""
    rows: Counter[Any] = Counter()
    amounts: dict[Any, int | float] = {}
    number = 0
    try:
        for batch in pl.scan_lines(table.path, glob=False).collect_batches(chunk_size=50_000, engine="streaming"):
            for line in batch["line"].to_list():
                number += 1
                if not line.strip():
                    continue
                record = _parse_json(line.removeprefix("\ufeff") if number == 1 else line, table.name, number)
                try:
                    key = label_key(canonical(record.get(gold))), label_key(canonical(record.get(pred)))
                except LabelError as error:
                    raise LabelError(f"{table.name}, line {number}: {error}") from None
                rows[key] += 1
                if weight is not None:
                    amounts[key] = amounts.get(key, 0) + _json_weight(record.get(weight), weight, table.name, number)
    except pl.exceptions.PolarsError as error:
        raise _unreadable(table.path, table.name, "jsonl", error) from None
    cells = [_Cell(key[0][1], key[1][1], n, amounts.get(key, n)) for key, n in rows.items()]
    return cells, sum(rows.values())


def _json_weight(value: Any, weight: str, name: str, number: int) -> int | float:
    usable = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not usable or not 0 <= value < float("inf"):
        raise CountError(
            f"{name}, line {number}: weight {weight!r} is {value!r}, expected a finite number, 0 or larger"
        )
    return value  # type: ignore[no-any-return]  # the line above proves it a number


def _unreadable(path: Path, name: str, kind: FileFormat, error: Exception, separator: str = ",") -> FileError:
    """Say where a file is broken, after a second look at it."""
    if kind in ("csv", "tsv", "jsonl"):
        broken = first_broken_line(path, kind, separator)
        if broken:
            return FileError(f"{name}, {broken}")
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return FileError(
        f"{name} cannot be read as {kind}: {reason}; expected a whole file, or name its format with --input-format"
    )
