"""Systems in long format: one row per system, run and example."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.errors import ColumnError, FileError, counted, quote_some
from macrof1.message import Argument, Message
from macrof1.reading.columns import find_column
from macrof1.reading.rows import columns_of
from macrof1.reading.systems import SystemRows
from macrof1.reading.tables import MixedTypesError, TableFile

if TYPE_CHECKING:
    import polars as pl

Array: TypeAlias = NDArray[Any]
Column: TypeAlias = "Array | pl.Series"

_FACTS = ("gold", "weight", "cluster")


@dataclass(frozen=True, slots=True)
class LongTable:
    """A table with the rows of each system below each other.

    Attributes
    ----------
    table, columns
        The file, and its columns by their role.
    systems
        The system of each run, in the order of the file.
    places
        The row of each example (first axis) in each run (second axis).
    """

    table: TableFile
    columns: dict[str, Column]
    systems: list[str]
    places: Array

    def rows(self, some: Collection[str], most: int | None = None) -> SystemRows:
        """Return some of the systems side by side; a system with several runs has a list of columns, one per run.

        Equal rows of a large file are merged; more than `most` distinct ones raise `TooManyRowsError`.
        """
        found: dict[str, Any] = {role: self.columns[role][self.places[:, 0]] for role in _FACTS if role in self.columns}
        runs: dict[str, list[str]] = {}
        for place, system in enumerate(self.systems):
            if system in some:
                runs.setdefault(system, []).append(f"run {place}")
                found[f"run {place}"] = self.columns["pred"][self.places[:, place]]
        if isinstance(self.columns["pred"], np.ndarray):
            read, amounts = {name: column.tolist() for name, column in found.items()}, None
        else:
            from macrof1.reading.frames import distinct_series  # loads Polars

            read, amounts = distinct_series(found, most)
        systems = {
            system: read[names[0]] if len(names) == 1 else [read[name] for name in names]
            for system, names in runs.items()
        }
        return SystemRows(read["gold"], systems, read.get("weight"), self.table.is_text, read.get("cluster"), amounts)


def systems_in_long(table: TableFile, wanted: Mapping[str, str | None]) -> LongTable:
    """Read systems in long format, and align their rows by example id.

    `wanted` are the columns of systems and id and, where given, of runs, gold, pred, weight and cluster. Every run of
    every system must have the same ids, once each, with the same gold, weight and cluster.
    """
    found = {role: table.find(name, role) for role, name in wanted.items() if name is not None}
    for role in ("gold", "pred"):
        if role not in found:
            # A column that names the system is not a column of predictions here, whatever its name.
            rest = [column for column in table.columns if column not in found.values()]
            found[role] = find_column(rest, None, role, source=table.name, header=table.header)
    used = list(found.values())
    if len(set(used)) < len(used) and found.get("cluster") not in (found["id"], found["systems"]):
        twice = next(column for column in used if used.count(column) > 1)
        raise ColumnError(f"column {twice!r} is named for two purposes", expected="a column for each")
    table.check_label_types([found["gold"], found["pred"]])
    read = _read(table, list(dict.fromkeys(used)), found["id"])
    return _aligned(table, found, {role: read[column] for role, column in found.items()})


def _read(table: TableFile, names: list[str], key: str) -> dict[str, Column]:
    """Return columns as series of the engine, or as arrays of objects if the table is small or its types are mixed."""
    if not table.is_small:
        from macrof1.reading.frames import series_of  # loads Polars

        with suppress(MixedTypesError):
            return dict(series_of(table, names, key))
    return {name: np.fromiter(column, object) for name, column in columns_of(table, names).items()}


def _aligned(table: TableFile, names: dict[str, str], columns: dict[str, Column]) -> LongTable:
    """Find the row of each example in each run; report the first row that is wrong."""
    keys = [role for role in ("systems", "runs") if role in columns]
    for role in (*keys, "id"):
        if _is_nested(columns[role]):
            raise FileError(f"{table.name}: column {names[role]!r} holds lists or objects", expected="text or numbers")
    n_rows = len(columns["id"])
    id_starts, ids = _numbered([columns["id"]])
    run_starts, runs = _numbered([columns[role] for role in keys])
    cells = ids * len(run_starts) + runs
    places = np.argsort(cells, kind="stable")
    again = np.zeros(n_rows, bool)
    again[places[1:]] = np.diff(cells[places]) == 0
    absent = {role: _absent(columns[role]) for role in (*keys, "id")}
    differs = np.zeros(n_rows, bool)
    for role in _FACTS:
        if role in columns:
            differs |= _differs(columns[role], columns[role][id_starts[ids]])
    wrong = np.flatnonzero(np.logical_or.reduce([again, differs, *absent.values()]))
    if len(wrong):
        row = int(wrong[0])
        lacking = [names[role] for role in ("systems", "id", "runs") if role in absent and absent[role][row]]
        raise _wrong_row(f"{table.name}, row {row + 1}", columns, row, lacking, twice=bool(again[row]))
    if n_rows != len(id_starts) * len(run_starts):
        run = int(np.flatnonzero(np.bincount(runs) < len(id_starts))[0])
        lost = np.setdiff1d(np.arange(len(id_starts)), ids[runs == run])
        raise FileError(
            f"{table.name}: {_named(columns, int(run_starts[run]))} lacks {counted(len(lost), 'id')} that others have "
            f"({quote_some(columns['id'][id_starts[lost]], most=3)})",
            expected="the same ids for every system and run",
        )
    systems = [str(system) for system in columns["systems"][run_starts]]
    return LongTable(table, columns, systems, places.reshape(len(id_starts), -1))


def _wrong_row(where: str, columns: dict[str, Column], row: int, lacking: Sequence[str], *, twice: bool) -> FileError:
    if lacking:
        return FileError(f"{where}: nothing in column {lacking[0]!r}", expected="a value in every row")
    one = columns["id"][row]
    if not twice:
        return FileError(
            f"{where}: gold, weight or cluster of id {one!r} differs from an earlier row",
            expected="the same for every system and run",
        )
    hint = Message(Argument("runs", "NAME"), " names the column of the runs, such as the seed")
    return FileError(
        f"{where}: id {one!r} occurs twice for {_named(columns, row)}",
        expected="every id once",
        hint=None if "runs" in columns else hint,
    )


def _named(columns: dict[str, Column], row: int) -> str:
    """Name the system of a row, and its run if there are several."""
    system = f"system {columns['systems'][row]!r}"
    return f"run {columns['runs'][row]!r} of {system}" if "runs" in columns else system


def _numbered(columns: Sequence[Column]) -> tuple[Array, Array]:
    """Return the first row of each distinct value of some columns, and for every row the number of its value."""
    if isinstance(columns[0], np.ndarray):
        seen: dict[Any, int] = {}
        each = (seen.setdefault(values, row) for row, values in enumerate(zip(*columns, strict=True)))
        first: Array = np.fromiter(each, np.uint32, len(columns[0]))
    else:
        from macrof1.reading.frames import first_rows  # loads Polars

        first = first_rows(columns)
    starts = first == np.arange(len(first), dtype=first.dtype)
    return np.flatnonzero(starts), (np.cumsum(starts) - 1)[first]


def _absent(column: Column) -> Array:
    return np.asarray(column == None if isinstance(column, np.ndarray) else column.is_null())  # noqa: E711  # of each


def _differs(column: Column, other: Any) -> Array:
    if isinstance(column, np.ndarray):
        return np.fromiter((a is not b and a != b for a, b in zip(column, other, strict=True)), bool, len(column))
    return np.asarray(column.ne_missing(other))


def _is_nested(column: Column) -> bool:
    if isinstance(column, np.ndarray):
        return any(isinstance(value, (list, dict)) for value in column)
    return column.dtype.is_nested()
