"""Systems in long format: one row per system, run and example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from macrof1.errors import ColumnError, FileError, counted, quote_some
from macrof1.message import Argument, Message
from macrof1.reading.columns import find_column
from macrof1.reading.rows import columns_of
from macrof1.reading.systems import SystemRows
from macrof1.reading.tables import TableFile


@dataclass(frozen=True, slots=True, kw_only=True)
class LongColumns:
    """Which column names the system, the run and the example of a row, and which hold labels and other facts."""

    systems: str
    ids: str
    runs: str | None = None
    gold: str | None = None
    pred: str | None = None
    weight: str | None = None
    cluster: str | None = None


def systems_in_long(table: TableFile, names: LongColumns) -> SystemRows:
    """Read systems in long format, and align their rows by example id.

    Every run of every system must have the same ids, once each, with the same gold, weight and cluster. A system with
    several runs becomes a list of columns, one per run.
    """
    found = {
        role: None if wanted is None else table.find(wanted, role)
        for role, wanted in (
            ("systems", names.systems), ("runs", names.runs), ("id", names.ids), ("gold", names.gold),
            ("pred", names.pred), ("weight", names.weight), ("cluster", names.cluster),
        )
    }  # fmt: skip
    for role in ("gold", "pred"):
        if found[role] is None:
            # A column that names the system is not a column of predictions here, whatever its name.
            rest = [column for column in table.columns if column not in found.values()]
            found[role] = find_column(rest, None, role, source=table.name, header=table.header)
    used = [column for column in found.values() if column is not None]
    if len(set(used)) < len(used) and found["cluster"] not in (found["id"], found["systems"]):
        twice = next(column for column in used if used.count(column) > 1)
        raise ColumnError(f"column {twice!r} is named for two purposes", expected="a column for each")
    table.check_label_types([str(found["gold"]), str(found["pred"])])
    columns = columns_of(table, list(dict.fromkeys(used)))

    def values(role: str) -> list[Any]:
        column = found[role]
        return [None] * len(columns[str(found["id"])]) if column is None else columns[column]

    parts: dict[tuple[Any, Any], dict[Any, Any]] = {}
    facts: dict[Any, tuple[Any, ...]] = {}
    rows = zip(*(values(role) for role in ("systems", "runs", "id", "pred", "gold", "weight", "cluster")), strict=True)
    for number, (system, run, one, pred, *of_row) in enumerate(rows, start=1):
        where = f"{table.name}, row {number}"
        for role, value in (("systems", system), ("id", one), *([("runs", run)] if found["runs"] else [])):
            if value is None:
                raise FileError(f"{where}: nothing in column {found[role]!r}", expected="a value in every row")
        part = parts.setdefault((system, run), {})
        if one in part:
            raise _twice(where, one, system, run, found["runs"])
        part[one] = pred
        if facts.setdefault(one, tuple(of_row)) != tuple(of_row):
            raise FileError(
                f"{where}: gold, weight or cluster of id {one!r} differs from an earlier row",
                expected="the same for every system and run",
            )
    return _side_by_side(table, parts, facts, has_weights=found["weight"] is not None,
                         has_clusters=found["cluster"] is not None)  # fmt: skip


def _twice(where: str, one: Any, system: Any, run: Any, runs: str | None) -> FileError:
    hint = None if runs else Message(Argument("runs", "NAME"), " names the column of the runs, such as the seed")
    of = f"system {system!r}" if runs is None else f"run {run!r} of system {system!r}"
    return FileError(f"{where}: id {one!r} occurs twice for {of}", expected="every id once", hint=hint)


def _side_by_side(
    table: TableFile,
    parts: dict[tuple[Any, Any], dict[Any, Any]],
    facts: dict[Any, tuple[Any, ...]],
    *,
    has_weights: bool,
    has_clusters: bool,
) -> SystemRows:
    systems: dict[str, list[Any]] = {}
    for (system, run), part in parts.items():
        lost = [one for one in facts if one not in part]
        if lost:
            of = f"system {system!r}" if run is None else f"run {run!r} of system {system!r}"
            raise FileError(
                f"{table.name}: {of} lacks {counted(len(lost), 'id')} that others have ({quote_some(lost, most=3)})",
                expected="the same ids for every system and run",
            )
        systems.setdefault(str(system), []).append([part[one] for one in facts])
    return SystemRows(
        [gold for gold, _, _ in facts.values()],
        {name: runs if len(runs) > 1 else runs[0] for name, runs in systems.items()},
        [weight for _, weight, _ in facts.values()] if has_weights else None,
        table.is_text,
        [cluster for _, _, cluster in facts.values()] if has_clusters else None,
    )
