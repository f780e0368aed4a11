"""Distinct rows: the one shape between reading and counting.

A table becomes the distinct combinations of values of the columns wanted, each with the number of its rows. Small
text, JSON lines and logs are counted in Python; large text, Parquet and Arrow by Polars. Both give the same rows, so
that size decides nothing but time, and everything that follows looks at distinct rows only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from macrof1.errors import EmptyError, MacroF1Error
from macrof1.message import Note
from macrof1.reading.columns import N_FIRST, Repeats
from macrof1.reading.dialect import refuse_stray_quotes
from macrof1.reading.files import Progress, part_of
from macrof1.reading.gold_digest import GoldDigest
from macrof1.reading.rows import picker, rows_of, text_records
from macrof1.reading.tables import TableFile

# Rows of JSON whose repeats are looked for at once.
_AT_ONCE = 1 << 14
# Files per query, and bytes at which a query is full: few enough for a progress bar to move.
_MOST_FILES = 256
_MOST_BYTES = 1 << 28


@dataclass(frozen=True, slots=True)
class DistinctRows:
    """The distinct rows of some columns, with values as they are in the file, and how often each occurs."""

    tables: Sequence[TableFile]
    columns: list[str]
    rows: list[tuple[Any, ...]]  # in the order of their first lines, if Python reads them; in text, nothing is ""
    times: list[int]

    @property
    def name(self) -> str:
        """What messages call the tables."""
        first, last = self.tables[0], self.tables[-1]
        return first.name if first is last else f"{first.name} … {last.name}"

    def first_error(self, wrong: Mapping[int, MacroF1Error]) -> MacroF1Error:
        """Return the error of the wrong row that comes first in the file, with its line; in a typed one, by text."""
        table = self.tables[0]
        errors = {repr(self.rows[place]): error for place, error in wrong.items()}
        for number, values in () if table.format in ("parquet", "arrow") else rows_of(table, self.columns):
            if repr(values) in errors:
                return errors[repr(values)].at(f"{table.name}, {table.unit} {number}")
        return min(wrong.values(), key=str).at(self.name)


def name_of(tables: Sequence[TableFile]) -> str:
    """Return what messages call all tables together."""
    return tables[0].name if len(tables) == 1 else f"{tables[0].name} and {len(tables) - 1:,} more"


def distinct_rows(
    tables: Sequence[TableFile],
    columns: Sequence[str],
    *,
    repeats: Repeats | None = None,
    progress: Progress | None = None,
    most: int | None = None,
    digest: GoldDigest | None = None,
) -> Iterator[DistinctRows]:
    """Read the distinct rows of some columns of tables that all have them; of several tables, in parts.

    `repeats` is told what identifies each row, `digest` the gold label of each, and `progress` the share of the tables
    that is read. More than `most` distinct rows of a part raise `TooManyRowsError`, unless they are read in Python:
    they are in memory by then.
    """
    names = list(dict.fromkeys(columns))
    repeats = repeats or Repeats([])
    in_python, done, total = _in_python(tables), 0, sum(table.file.size for table in tables)
    for batch in _batches(tables):
        size = sum(table.file.size for table in batch)
        part = part_of(progress, done / total, size / total)
        if not batch[0].reads_in_python(in_python):
            from macrof1.reading.scans import distinct_by_engine  # loads Polars

            for frame in distinct_by_engine(batch, names, repeats=repeats, progress=part, most=most, digest=digest):
                yield DistinctRows(batch, names, frame.select(names).rows(), frame.to_series(-1).to_list())
        elif batch[0].records:
            yield _distinct_records(batch[0], names, repeats, part, digest)
        else:
            yield _distinct_text(batch[0], names, repeats, digest)
        done += size
        if progress is not None:
            progress(done / total)


def _in_python(tables: Sequence[TableFile]) -> bool:
    """Return whether Python reads text: hashes of rows must be alike in all tables."""
    return all(table.in_rows for table in tables)


def _batches(tables: Sequence[TableFile]) -> Iterator[list[TableFile]]:
    """Split the files into queries: many Parquet files of one schema at once, other files one by one."""

    def alike(place: int) -> tuple[Any, ...]:
        table = tables[place]
        if table.format != "parquet":
            return (place,)
        return "parquet", tuple(table.types.items()), tuple(table.partition.items())

    for _, places in groupby(range(len(tables)), key=alike):
        batch: list[TableFile] = []
        size = 0
        for place in places:
            if batch and (len(batch) == _MOST_FILES or size + tables[place].file.size > _MOST_BYTES):
                yield batch
                batch, size = [], 0
            batch.append(tables[place])
            size += tables[place].file.size
        yield batch


def _distinct_text(table: TableFile, names: list[str], repeats: Repeats, digest: GoldDigest | None) -> DistinctRows:
    own = [name for name in names if name in table.columns]
    pick = picker(table.columns, own)
    beside = [table.partition[name] for name in table.names[len(table.columns) :]]  # what the folder of the file adds
    times: Counter[tuple[str, ...]] = Counter()
    for block in text_records(table):
        found = Counter(map(pick, block.fields))
        if not block.quoted and any('"' in value for values in found for value in values):
            for number, fields in zip(block.numbers(), block.fields, strict=True):
                refuse_stray_quotes(table.name, pick(fields), f"line {number}")
        times.update(found)
        whole = [[*fields, *beside] for fields in block.fields] if beside else block.fields
        _tell(whole, table.names, repeats, digest, typed=False)
    rows: list[tuple[Any, ...]] = list(times)
    if len(own) < len(names):
        rows = [tuple(map((table.partition | dict(zip(own, row, strict=True))).__getitem__, names)) for row in times]
    return DistinctRows([table], names, rows, list(times.values()))


def _distinct_records(
    table: TableFile, names: list[str], repeats: Repeats, progress: Progress | None, digest: GoldDigest | None
) -> DistinctRows:
    if table.repeats is not None:  # several answers to an item are no repeated rows
        repeats.others, repeats.key = [], None
    elif table.layout is not None:  # what tells systems apart must be asked for by name
        repeats.others = [name for name in repeats.others if name not in table.layout.apart]
    told = [] if digest is None else digest.columns
    columns = list(dict.fromkeys([*names, *repeats.groups, *repeats.others, *told]))
    found: dict[Any, list[Any]] = {}
    rows = (values for _, values in rows_of(table, columns, progress))
    while some := list(islice(rows, _AT_ONCE)):
        for row in some:
            count_typed(found, row[: len(names)])
        _tell(some, columns, repeats, digest, typed=True)
    return DistinctRows([table], names, [row for row, _ in found.values()], [times for _, times in found.values()])


def _tell(
    rows: Sequence[Sequence[Any]], columns: Sequence[str], repeats: Repeats, digest: GoldDigest | None, *, typed: bool
) -> None:
    """Tell `repeats` and `digest` about more rows of a table; `typed`: whether values may be other than text."""
    place = {name: at for at, name in enumerate(columns)}
    if digest is not None:
        digest.add(*([row[place[name]] for row in rows] for name in digest.columns))
    if repeats.key is None and repeats.others and rows:
        repeats.choose({name: [row[place[name]] for row in rows[:N_FIRST]] for name in repeats.others})
    if repeats.key is not None and repeats.expect(len(rows)):
        import numpy as np

        keys: list[Any] = [key for key in map(picker(columns, repeats.columns()), rows) if key[-1] != ""]
        if typed:
            keys = [repr(key) for key in keys if isinstance(key[-1], (str, int, float))]
        repeats.hashes.append(np.fromiter(map(hash, keys), np.int64, len(keys)))


def count_typed(found: dict[Any, list[Any]], row: tuple[Any, ...], times: int = 1) -> None:
    """Count a row; equal ones have values of the same types, since 1 and True are equal in Python."""
    try:
        found.setdefault((tuple(map(type, row)), row), [row, 0])[1] += times
    except TypeError:  # a list or an object
        found.setdefault(repr(row), [row, 0])[1] += times


def place_of(tables: Sequence[TableFile], column: str, value: Any) -> str:
    """Name the first line of tables with a value in a column, for a message; a typed file has no lines."""
    for table in tables:
        for number, (found,) in () if table.format in ("parquet", "arrow") else rows_of(table, [column]):
            if (found or None) == (value or None):
                return f"{table.name}, {table.unit} {number}"
    return name_of(tables)


def repeat_notes(tables: Sequence[TableFile], repeats: Repeats, name: str) -> list[Note]:
    """Say which rows repeat in tables whose rows `repeats` was told about."""

    def rows_with(again: Any) -> list[tuple[Any, int]]:
        if not tables[0].reads_in_python(_in_python(tables)):
            from macrof1.reading.scans import matching_rows  # loads Polars

            return [row for table in tables for row in matching_rows(table, repeats, again)]
        wanted, found, n_keys = set(again.tolist()), [], len(repeats.columns())
        for table in tables:
            for _, values in rows_of(table, [*repeats.columns(), *repeats.whole()], quotes=True):
                key = values[:n_keys]
                if hash(repr(key) if table.records else key) in wanted:
                    found.append((key[-1], hash(repr(values[n_keys:]))))
        return found

    return repeats.notes(name, rows_with)


def columns_of(
    table: TableFile, wanted: Sequence[str], *, as_lists: bool = True, labels: Sequence[str] = ()
) -> dict[str, Any]:
    """Return whole columns of a table, in which nothing is None: as lists, or as series where Polars reads it.

    Columns of `labels` have few distinct values.
    """
    if table.in_rows:
        found = [values for _, values in rows_of(table, wanted)]
        columns: dict[str, Any] = {name: [values[place] for values in found] for place, name in enumerate(wanted)}
        if table.is_text:
            columns = {name: [None if value == "" else value for value in each] for name, each in columns.items()}
    else:
        from macrof1.reading.scans import whole_columns  # loads Polars

        columns = dict(whole_columns(table, wanted, labels).to_dict())
        columns = {name: column.to_list() for name, column in columns.items()} if as_lists else columns
    if not all(map(len, columns.values())):
        raise EmptyError.nothing(f"{table.name}: the table")
    return columns
