"""Systems in long format: one row per system, run and example."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from macrof1.errors import ColumnError, FileError, counted, quote_some
from macrof1.message import Argument, Message
from macrof1.reading.alignment import (
    Array,
    Column,
    absent,
    compact,
    differs,
    grouped,
    is_nested,
    numbered,
    taken,
    whole,
)
from macrof1.reading.columns import find_column
from macrof1.reading.distinct import place_of
from macrof1.reading.systems import SystemRows
from macrof1.reading.tables import TableFile

_FACTS = ("gold", "weight", "cluster", "count")


@dataclass(frozen=True, slots=True)
class LongTable:
    """A table with the rows of each system below each other.

    Attributes
    ----------
    table, names, columns
        The file, and the names of its columns and their values by role.
    systems
        The system of each run, in the order of the file.
    places
        The row of each example (first axis) in each run (second axis).
    """

    table: TableFile
    names: dict[str, str]
    columns: dict[str, Column]
    systems: list[str]
    places: Array

    def rows(self, some: Collection[str], most: int | None = None) -> SystemRows:
        """Return the distinct rows of some systems; more than `most` in a large file raise `TooManyRowsError`."""
        together: dict[str, Any] = {
            role: taken(self.columns[role], self.places[:, 0]) for role in _FACTS if role in self.columns
        }
        runs: dict[str, list[str]] = {}
        for place, system in enumerate(self.systems):
            if system in some:
                runs.setdefault(system, []).append(f"run {place}")
                together[f"run {place}"] = taken(self.columns["pred"], self.places[:, place])
        found, times = grouped(together, most)
        systems = {
            system: found[names[0]] if len(names) == 1 else [found[name] for name in names]
            for system, names in runs.items()
        }
        facts = {fact: found[fact] for fact in _FACTS[1:] if fact in found}
        return SystemRows(
            gold=found["gold"], systems=systems, times=times, text=self.table.is_text, facts=facts,
            where=lambda fact, value: place_of(self.table, self.names[fact], value),
        )  # fmt: skip


def systems_in_long(table: TableFile, wanted: Mapping[str, str | None]) -> LongTable:
    """Read systems in long format, and align their rows by example id.

    `wanted` are the columns of systems and id and, where given, of runs, gold, pred, weight, cluster and count. Every
    run of every system must have the same ids, once each, with the same gold, weight, cluster and count.
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
    read = whole(table, used)
    columns = {role: read[column] for role, column in found.items()}
    return _aligned(table, found, columns | {role: compact(columns[role]) for role in ("gold", "pred", "systems")})


def _aligned(table: TableFile, names: dict[str, str], columns: dict[str, Column]) -> LongTable:
    """Find the row of each example in each run; report the first row that is wrong."""
    keys = [role for role in ("systems", "runs") if role in columns]
    for role in (*keys, "id"):
        if is_nested(columns[role]):
            raise FileError(f"{table.name}: column {names[role]!r} holds lists or objects", expected="text or numbers")
    n_rows = len(columns["id"])
    id_starts, ids = numbered([columns["id"]])
    run_starts, runs = numbered([columns[role] for role in keys])
    cells = ids * len(run_starts) + runs
    places = np.argsort(cells, kind="stable")
    again = np.zeros(n_rows, bool)
    again[places[1:]] = np.diff(cells[places]) == 0
    gone = {role: absent(columns[role]) for role in (*keys, "id")}
    other = np.zeros(n_rows, bool)
    for role in _FACTS:
        if role in columns:
            other |= differs(columns[role], taken(columns[role], id_starts[ids]))
    wrong = np.flatnonzero(np.logical_or.reduce([again, other, *gone.values()]))
    if len(wrong):
        row = int(wrong[0])
        lacking = [names[role] for role in ("systems", "id", "runs") if role in gone and gone[role][row]]
        raise _wrong_row(f"{table.name}, row {row + 1}", columns, row, lacking, twice=bool(again[row]))
    if n_rows != len(id_starts) * len(run_starts):
        run = int(np.flatnonzero(np.bincount(runs) < len(id_starts))[0])
        lost = np.setdiff1d(np.arange(len(id_starts)), ids[runs == run])
        raise FileError(
            f"{table.name}: {_named(columns, int(run_starts[run]))} lacks {counted(len(lost), 'id')} that others have "
            f"({quote_some(taken(columns['id'], id_starts[lost]), most=3)})",
            expected="the same ids for every system and run",
        )
    systems = [str(system) for system in taken(columns["systems"], run_starts)]
    return LongTable(table, names, columns, systems, places.reshape(len(id_starts), -1))


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
