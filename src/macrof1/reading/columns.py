"""Columns of files, kept row by row: what systems on the same rows are compared with."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from macrof1.counting.cells import whole_number
from macrof1.errors import ColumnError, CountError, EmptyError, FileError, LabelError, counted, quote_some
from macrof1.labels import canonical
from macrof1.reading.diagnosis import first_broken_line
from macrof1.reading.sources import (
    GOLD_NAMES,
    FileFormat,
    OpenFile,
    check_label_types,
    opened_one,
    parse_json,
    resolve,
    scan,
    unreadable,
)

_PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_ID_NAMES = ("id", "ids", "row_id", "rowid", "example_id", "sample_id", "item_id", "doc_id", "tweet_id", "uid", "guid")


def read_systems(
    source: str | Path,
    *,
    gold: str | None,
    systems: Sequence[str] | None,
    weight: str | None = None,
    header: bool = True,
    file_format: FileFormat | None = None,
) -> tuple[list[Any], dict[str, list[Any]], list[float] | None]:
    """Read gold and the predictions of several systems from columns of one file.

    Without `systems`, all columns but gold, the weight and those named like ids are systems.
    """
    with opened_one(source, header, file_format) as table:
        gold_column = resolve(table, gold, "gold")
        weight_column = None if weight is None else resolve(table, weight, "weight")
        if systems is None:
            aside = (gold_column, weight_column)
            others = [name for name in table.columns if name not in aside and name.lower() not in _ID_NAMES]
            names = {name: resolve(table, name, "systems") for name in others}
        else:
            names = _named_columns(table, systems)
        if gold_column in names.values():
            raise ColumnError(f"column {gold_column!r} is gold and cannot be a system too: expected other columns")
        if weight_column in (gold_column, *names.values()):
            raise ColumnError(
                f"column {weight_column!r} is the weight and cannot hold labels too: expected other columns"
            )
        found = _columns(table, [gold_column, *names.values()])
        for wanted, column in ((gold, gold_column), *names.items()):
            _check_first_line(table, wanted, column, found[column])
        weights = None if weight_column is None else _weights(table, weight_column)
    return found[gold_column], {name: found[column] for name, column in names.items()}, weights


def _weights(table: OpenFile, column: str) -> list[float]:
    """Read a number from every row."""
    weights: list[float] = []
    text = table.format in ("csv", "tsv")
    for row, value in enumerate(_columns(table, [column], labels=False)[column], start=1):
        number = _number(value, text)
        if not 0 <= number < math.inf:
            raise CountError(
                f"{table.name}, row {row}: {column} is {value!r}, expected a weight: a number, 0 or larger"
            )
        weights.append(int(number) if isinstance(number, float) and number.is_integer() else number)
    return weights


def _number(value: Any, text: bool) -> int | float:
    """Return the number that a cell holds; NaN where it holds none. Text is read as strictly as in counting."""
    if text and isinstance(value, str) and _PLAIN_NUMBER.fullmatch(value):
        return int(value) if value.isdecimal() else float(value)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan


def _named_columns(table: OpenFile, systems: Sequence[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for system in systems:
        if system in names:
            raise ColumnError(f"system {system!r} is named twice: expected every system once")
        names[system] = resolve(table, system, "systems")
    return names


def read_gold_and_systems(
    gold_source: str | Path,
    sources: Sequence[str],
    *,
    gold: str | None,
    pred: str | None,
    ids: str | None,
    weight: str | None = None,
    header: bool = True,
    file_format: FileFormat | None = None,
) -> tuple[list[Any], dict[str, list[Any]], list[float] | None]:
    """Read gold from one file and predictions from one file per system, and bring their rows side by side.

    With `ids` rows are matched by that column, which must hold the same ids, once each, in every file. Without it
    rows are matched by position; files that show by an id column or a gold column of their own that their rows
    do not belong together are refused. The weights of the rows stand in the gold file.
    """
    names = _system_names(sources)
    gold_rows, gold_ids, gold_key, weights = _gold_side(gold_source, gold, ids, weight, header, file_format)
    found: dict[str, list[Any]] = {}
    for name, source in names.items():
        with opened_one(source, header, file_format) as table:
            column = _pred_column(table, pred, ids)
            extra = [one for one in table.columns if one.lower() in GOLD_NAMES and one != column]
            key = _id_column(table, ids)
            wanted = list(dict.fromkeys([column, *extra[:1], *([key] if key else [])]))
            columns = _columns(table, wanted)
            _check_first_line(table, pred, column, columns[column])
        rows = columns[column]
        own_gold = columns[extra[0]] if extra else None
        own_ids = columns[key] if key else None
        if ids is not None:
            assert own_ids is not None and gold_ids is not None  # noqa: PT018  # _id_column found both
            order = align(gold_ids, own_ids, str(gold_source), source)
            rows = [rows[place] for place in order]
            own_gold = None if own_gold is None else [own_gold[place] for place in order]
        else:
            _check_by_position(gold_rows, rows, str(gold_source), source)
            if gold_ids is not None and own_ids is not None and gold_ids != own_ids:
                place = next(at for at, (a, b) in enumerate(zip(gold_ids, own_ids, strict=True)) if a != b)
                raise FileError(
                    f"row {place + 1} has {gold_key} {gold_ids[place]!r} in {gold_source} and {own_ids[place]!r} in "
                    f"{source}: expected rows in the same order; --id {gold_key} matches them by id"
                )
        if own_gold is not None and own_gold != gold_rows:
            n_other = sum(a != b for a, b in zip(gold_rows, own_gold, strict=True))
            raise FileError(
                f"{source} has gold labels of its own (column {extra[0]!r}) that differ from {gold_source} in "
                f"{counted(n_other, 'row', 'rows')}: expected the same gold; --id NAME matches rows by an id column"
            )
        found[name] = rows
    return gold_rows, found, weights


def _check_by_position(gold: list[Any], rows: list[Any], gold_source: str, source: str) -> None:
    if len(gold) != len(rows):
        raise FileError(
            f"{gold_source} has {len(gold):,} rows and {source} has {len(rows):,}: expected one prediction per gold "
            "row; --id NAME matches rows by an id column and names those that are missing"
        )


def _check_first_line(table: OpenFile, wanted: str | None, column: str, rows: list[Any]) -> None:
    """Refuse a header that is a row of data, which would be lost in silence."""
    if table.header and table.format in ("csv", "tsv") and wanted != column and column in rows:
        raise FileError(
            f"{table.name}: the first line names a column {column!r}, which is also a label: expected a header; "
            "if the first line is data, add --no-header; if it is a header, name the column"
        )


def _system_names(sources: Sequence[str]) -> dict[str, str]:
    """Name systems by their files, without what all compressed tables have at the end."""
    names: dict[str, str] = {}
    for source in sources:
        name = Path(source).name
        for ending in (".gz", ".zst", ".zstd"):
            name = name.removesuffix(ending)
        stem = Path(name).stem if source != "-" else "standard input"
        if stem in names:
            raise FileError(
                f"two systems are named {stem!r} ({names[stem]} and {source}): expected different file names"
            )
        names[stem] = source
    return names


def _pred_column(table: OpenFile, pred: str | None, ids: str | None) -> str:
    if pred is None:
        # A file of one column, or of ids and one column, leaves no doubt.
        rest = [name for name in table.columns if name != ids and name.lower() not in (*GOLD_NAMES, *_ID_NAMES)]
        if len(rest) == 1:
            return rest[0]
        if len(table.columns) == 1:
            return table.columns[0]
    return resolve(table, pred, "pred")


def _id_column(table: OpenFile, ids: str | None) -> str | None:
    if ids is not None:
        return resolve(table, ids, "id")
    usual = [name for name in table.columns if name.lower() in _ID_NAMES]
    return usual[0] if len(usual) == 1 else None


def _gold_side(
    source: str | Path,
    wanted: str | None,
    ids: str | None,
    weight: str | None,
    header: bool,
    file_format: FileFormat | None,
) -> tuple[list[Any], list[Any] | None, str | None, list[float] | None]:
    with opened_one(source, header, file_format) as table:
        key = _id_column(table, ids)
        weight_column = None if weight is None else resolve(table, weight, "weight")
        rest = [name for name in table.columns if name not in (key, weight_column)]
        column = rest[0] if wanted is None and len(rest) == 1 else resolve(table, wanted, "gold")
        if weight_column == column:
            raise ColumnError(f"column {column!r} is the weight and cannot be gold too: expected other columns")
        weights = None if weight_column is None else _weights(table, weight_column)
        columns = _columns(table, list(dict.fromkeys([column, *([key] if key else [])])))
        _check_first_line(table, wanted, column, columns[column])
    return columns[column], columns[key] if key else None, key, weights


def align(gold_ids: list[Any], ids: list[Any], gold_source: str, source: str) -> list[int]:
    """Return for every gold row the place of the row with its id; refuse ids that do not match one to one."""
    for name, side in ((gold_source, gold_ids), (source, ids)):
        if None in side:
            raise FileError(
                f"{name}: {counted(side.count(None), 'row has', 'rows have')} no id (the first is row "
                f"{side.index(None) + 1}): expected one in every row"
            )
        if len(set(side)) != len(side):
            seen: set[Any] = set()
            twice = dict.fromkeys(one for one in side if one in seen or seen.add(one))  # type: ignore[func-returns-value]  # add returns None
            raise FileError(
                f"{name}: {counted(len(twice), 'id occurs', 'ids occur')} more than once "
                f"({quote_some(twice, most=3)}): expected each once"
            )
    place = {one: at for at, one in enumerate(ids)}
    lost = [one for one in gold_ids if one not in place]
    if lost:
        raise FileError(
            f"{source} lacks {len(lost):,} of the {len(gold_ids):,} ids of {gold_source} ({quote_some(lost, most=3)}): "
            "expected a prediction for every gold row"
        )
    if len(ids) > len(gold_ids):
        known = set(gold_ids)
        more = [one for one in ids if one not in known]
        raise FileError(
            f"{source} has {counted(len(more), 'id', 'ids')} that {gold_source} does not have "
            f"({quote_some(more, most=3)}): expected the same ids in both"
        )
    return [place[one] for one in gold_ids]


def read_table(
    source: str | Path, *, header: bool = True, file_format: FileFormat | None = None
) -> tuple[list[str], dict[str, list[Any]], str]:
    """Read a whole small table: its column names, its columns, and how to call it in messages."""
    with opened_one(source, header, file_format) as table:
        return table.columns, _columns(table, table.columns, labels=False), table.name


def column_names(source: str | Path, *, header: bool = True, file_format: FileFormat | None = None) -> list[str]:
    """Return the columns that a file has."""
    with opened_one(source, header, file_format) as table:
        return table.columns


def _columns(table: OpenFile, wanted: list[str], *, labels: bool = True) -> dict[str, list[Any]]:
    found = _from_lines(table, wanted, labels) if table.format == "jsonl" else _from_scan(table, wanted, labels)
    if not found[wanted[0]]:
        raise EmptyError.nothing(f"{table.name}: the table")
    return found


def _from_scan(table: OpenFile, wanted: list[str], labels: bool) -> dict[str, list[Any]]:
    text = table.format in ("csv", "tsv")
    if labels and not text:
        check_label_types(table, wanted)
    last = table.columns[-1]
    try:
        # As in counts/grouping.py: whole lines are parsed, so that lines with too many fields are noticed.
        options = pl.QueryOptFlags(projection_pushdown=not text)
        frame = (
            scan([table])
            .select(list(dict.fromkeys([*wanted, last])))
            .collect(engine="streaming", optimizations=options)
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(table.path, table.name, table.format, error, table.separator) from None
    if text and (frame[last].has_nulls() or any(frame[column].has_nulls() for column in wanted)):
        broken = first_broken_line(table.path, table.format, table.separator)
        if broken:
            raise FileError(f"{table.name}, {broken}")
    found = {}
    for column in wanted:
        side = frame[column]
        if side.dtype in (pl.Categorical, pl.Enum):
            side = side.cast(pl.String)
        rows = side.to_list()
        if text:
            rows = [None if value == "" else value for value in rows]
        elif labels and side.dtype.is_float():
            rows = [whole_number(value) for value in rows]
        found[column] = rows
    return found


def _from_lines(table: OpenFile, wanted: Iterable[str], labels: bool) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {column: [] for column in wanted}
    try:
        lines = pl.scan_lines(table.path, glob=False).collect()["line"].to_list()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(table.path, table.name, "jsonl", error) from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        record = parse_json(line.removeprefix("\ufeff") if number == 1 else line, table.name, number)
        for column, rows in found.items():
            try:
                rows.append(whole_number(canonical(record.get(column))) if labels else record.get(column))
            except LabelError as error:
                raise LabelError(f"{table.name}, line {number}: {error}") from None
    return found
