"""Several systems: gold and predictions in columns of one file, in one file per system, or below each other (long)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from macrof1.errors import ColumnError, EmptyError, FileError, counted, quote_some
from macrof1.message import Argument, Message, Part
from macrof1.reading import alignment
from macrof1.reading.columns import ID_NAMES, Repeats, find_column, id_column, is_usual, plain_name
from macrof1.reading.distinct import columns_of, count_typed, distinct_rows, name_of, place_of
from macrof1.reading.files import Progress, bare_name
from macrof1.reading.gold_digest import GoldDigest
from macrof1.reading.rows import header_is_data
from macrof1.reading.tables import TableFile, TooManyRowsError, check_same_schema
from macrof1.request import Request

_FACTS = ("weight", "cluster", "over", "count")


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRows:
    """The distinct rows of several systems as read, and how many rows of the file each stands for."""

    gold: list[Any]
    systems: dict[str, list[Any]]
    """Predictions by system; a system with several runs has a list of columns, one per run."""
    times: list[int]
    text: bool  # whether values are strings only because a file is text
    facts: Mapping[str, list[Any]]  # the weight, cluster, unit and count of each row, if there are any
    where: Callable[[str, Any], str]  # names the line in which a fact has a value
    digest: GoldDigest
    n_lost: int = 0  # how many predictions are missing, of all systems


def systems_in_one(
    tables: Sequence[TableFile],
    *,
    gold: str | None,
    systems: Sequence[str] | None,
    facts: Mapping[str, str | None],
    repeats: Repeats | None = None,
    progress: Progress | None = None,
    most: int | None = None,
) -> SystemRows:
    """Read gold and systems from columns of one table, which may be in several files.

    More than `most` distinct rows of many raise `TooManyRowsError`.
    """
    table = tables[0]
    names = system_columns(table, gold=gold, systems=systems, facts=facts)
    gold_column = table.find(gold, "gold")
    given = fact_columns(table, facts)
    labels = [gold_column, *names.values()]
    columns = [*labels, *given.values()]
    check_same_schema(tables, [gold, *names, *(facts[fact] for fact in given)], columns)
    for each in tables:
        each.check_label_types(labels)
    others = [column for column in table.columns if column not in columns]
    digest = GoldDigest(gold_column, id_column(others))
    told = digest if all(each.columns == table.columns for each in tables) else None
    found: dict[Any, list[Any]] = {}
    for part in distinct_rows(tables, columns, repeats=repeats, progress=progress, most=most, digest=told):
        text = part.tables[0].is_text
        for row, n_rows in zip(part.rows, part.times, strict=True):
            count_typed(found, tuple(None if value == "" else value for value in row) if text else row, n_rows)
        if most is not None and len(found) > most and len(tables) > 1:
            raise TooManyRowsError
    if not found:
        raise EmptyError.nothing(f"{name_of(tables)}: the table")
    rows, times = zip(*found.values(), strict=True)
    values = dict(zip(dict.fromkeys(columns), map(list, zip(*rows, strict=True)), strict=True))
    for each in tables:
        for wanted, column in ((gold, gold_column), *names.items()):
            _check_first_line(each, wanted, column, values[column])
    return SystemRows(
        gold=values[gold_column], systems={name: values[column] for name, column in names.items()}, times=list(times),
        text=any(each.is_text for each in tables), facts={fact: values[column] for fact, column in given.items()},
        where=lambda fact, value: place_of(tables, given[fact], value), digest=digest,
    )  # fmt: skip


def fact_columns(table: TableFile, facts: Mapping[str, str | None]) -> dict[str, str]:
    """Return the columns of weights, clusters and counts, as far as they are given."""
    return {fact: table.find(name, fact) for fact, name in facts.items() if name is not None}


def system_columns(
    table: TableFile, *, gold: str | None, systems: Sequence[str] | None, facts: Mapping[str, str | None]
) -> dict[str, str]:
    """Return the column of each system by its name: without `systems`, all but gold, the facts and ids."""
    gold_column = table.find(gold, "gold")
    given = fact_columns(table, facts)
    if systems is None:
        aside = (gold_column, *given.values())
        systems = [name for name in table.columns if name not in aside and plain_name(name) not in (*ID_NAMES, "")]
    names = {system: table.find(system, "systems") for system in systems}
    if len(names) < len(systems):
        twice = next(system for system in names if list(systems).count(system) > 1)
        raise ColumnError(f"system {twice!r} is named twice", argument="systems", expected="every system once")
    if gold_column in names.values():
        raise ColumnError(f"column {gold_column!r} is gold and cannot be a system too", expected="other columns")
    for fact in ("weight", "count"):
        if given.get(fact) in (gold_column, *names.values()):
            problem = f"column {given[fact]!r} is the {fact} and cannot hold labels too"
            raise ColumnError(problem, expected="other columns")
    return names


def systems_in_files(
    gold_table: TableFile, tables: Sequence[TableFile], request: Request, ids: str | None, most: int | None = None
) -> SystemRows:
    """Read gold from one file and predictions from one file per system, and match their rows.

    With `ids`, rows are matched by that column, which must hold the same ids, once each, in every file. Without it,
    rows are matched by position; files are rejected if a shared column, an id column or a gold column of their
    own shows that their rows do not match, unless the request says that they do. More than `most` distinct rows raise
    `TooManyRowsError`.
    """
    gold, pred, by_position = request.gold, request.pred, request.no_id
    key = None if by_position else id_of(gold_table, ids)
    given = fact_columns(gold_table, request.facts())
    column = _gold_column(gold_table, gold, key, given)
    gold_table.check_label_types([column])
    named = system_names(tables)
    shared: list[str] = []
    if ids is None and not by_position:
        apart = [table for table in tables if table is not gold_table]
        other = {name for table in apart for name in table.columns if name != _pred_column(table, pred, ids)}
        shared = [name for name in gold_table.columns if name in other - {column} and not is_usual(name, "pred")]
    sides = [_PredictionSide(table, request, ids, shared) for table in tables]
    wanted = [name for name in (column, key, *given.values(), *shared) if name is not None]
    read = [(gold_table, wanted), *((side.table, side.columns) for side in sides)]
    known, *others = alignment.alike(
        [columns_of(table, list(dict.fromkeys(names)), as_lists=False, labels=names[:1]) for table, names in read]
    )
    n_lost = 0
    partly, lost = request.missing_predictions != "error", np.zeros(len(known[column]), bool)
    together: dict[str, Any] = {"gold": alignment.compact(known[column])}
    together |= {fact: known[name] for fact, name in given.items()}
    for place, (side, own) in enumerate(zip(sides, others, strict=True)):
        name, predicted, own_gold = side.table.name, own[side.pred], own.get(side.own_gold or "")
        if ids is not None:
            rows = alignment.matched(known[key or ""], own[side.key or ""], gold_table.name, name, partly=partly)
            lost |= rows < 0
            n_lost += int((rows < 0).sum())
            predicted = alignment.taken(predicted, rows)
            own_gold = None if own_gold is None or partly else alignment.taken(own_gold, rows)
        else:
            _check_by_position(gold_table, known, len(known[column]), key, side, own)
        if own_gold is not None and (n_other := int(alignment.differs(own_gold, known[column]).sum())):
            raise FileError(
                f"{name} has gold labels of its own (column {side.own_gold!r}) that differ from {gold_table.name} in "
                f"{counted(n_other, 'row', 'rows')}",
                expected="the same gold",
                hint=None if ids else Message(Argument("id", "NAME"), " matches rows by an id column"),
            )
        together[f"pred {place}"] = alignment.compact(predicted)
    if request.missing_predictions == "drop" and lost.any():
        together = {name: alignment.taken(values, np.flatnonzero(~lost)) for name, values in together.items()}
    found, times = alignment.grouped(together, most)
    _check_first_line(gold_table, gold, column, found["gold"])
    for place, side in enumerate(sides):
        _check_first_line(side.table, pred, side.pred, found[f"pred {place}"])
    return SystemRows(
        gold=found["gold"], systems={name: found[f"pred {place}"] for place, name in enumerate(named)}, times=times,
        text=gold_table.is_text or any(table.is_text for table in tables), n_lost=n_lost,
        facts={fact: found[fact] for fact in given},
        where=lambda fact, value: place_of([gold_table], given[fact], value),
        digest=alignment.digest_of(column, known[column], None if key is None else known[key]),
    )  # fmt: skip


class _PredictionSide:
    """A file with the predictions of a system: its columns of predictions, ids and gold, and those shared with gold."""

    def __init__(self, table: TableFile, request: Request, ids: str | None, shared: Sequence[str]) -> None:
        self.table, self.pred, self.key = table, _pred_column(table, request.pred, ids), id_of(table, ids)
        table.check_label_types([self.pred])
        gold, rest = request.gold, [name for name in table.columns if name != self.pred]
        self.own_gold = next(
            (name for name in rest if (is_usual(name, "gold") if gold is None else name == gold)), None
        )
        self.shared = [name for name in shared if name in rest]
        self.columns = [name for name in (self.pred, self.key, self.own_gold, *self.shared) if name is not None]


def _check_by_position(
    gold: TableFile, known: dict[str, Any], n_gold: int, key: str | None, side: _PredictionSide, own: dict[str, Any]
) -> None:
    """Reject files that differ in length, in ids, or in a column that both have: they may be in different orders."""
    n_rows, name, gold_name = len(own[side.pred]), side.table.name, gold.name
    if n_gold != n_rows:
        hint = Message(Argument("id", "NAME"), " matches rows by an id column and names those that are missing")
        problem = f"{gold_name} has {n_gold:,} rows and {name} has {n_rows:,}"
        raise FileError(problem, expected="one prediction per gold row", hint=hint)
    if key is not None and side.key is not None and (other := alignment.differs(known[key], own[side.key])).any():
        row = int(other.argmax())
        problem = f"row {row + 1} has {key} {known[key][row]!r} in {gold_name} and {own[side.key][row]!r} in {name}"
        hint = Message(Argument("id", key), " matches them by id")
        raise FileError(problem, expected="rows in the same order", hint=hint)
    for shared in side.shared:
        ours, theirs = known[shared], own[shared]
        if (other := alignment.differs(ours, theirs)).any():
            row = int(other.argmax())
            unique = len({(type(value), str(value)) for value in alignment.to_list(ours)}) == len(ours)
            how: tuple[Part, ...] = (Argument("id", shared), " matches rows by it, ") if unique else ()
            raise FileError(
                f"column {shared!r} differs between {gold_name} and {name} in {counted(int(other.sum()), 'row')}, "
                f"first in row {row + 1} ({quote_some([ours[row]])} and {quote_some([theirs[row]])})",
                argument="id",
                expected="the same rows in the same order",
                hint=Message(*how, Argument("no_id", True), " by position all the same"),
            )


def _check_first_line(table: TableFile, wanted: str | None, column: str, rows: list[Any]) -> None:
    """Reject a header that is a row of data, which would be lost silently."""
    if table.header and table.is_text and wanted != column and column in rows:
        raise header_is_data(table, wanted, column)


def system_names(tables: Sequence[TableFile]) -> dict[str, TableFile]:
    """Name systems by their files, without the extensions of tables and compression."""
    names: dict[str, TableFile] = {}
    for table in tables:
        stem = table.name if table.name == "standard input" else Path(bare_name(table.name)).stem
        if stem in names:
            problem = f"two systems are named {stem!r} ({names[stem].name} and {table.name})"
            raise FileError(problem, expected="different file names")
        names[stem] = table
    return names


def _pred_column(table: TableFile, pred: str | None, ids: str | None) -> str:
    if pred is None:
        # A file with one column, or with ids and one column, is unambiguous, whatever its name.
        others = [name for name in table.columns if name != ids and plain_name(name) not in (*ID_NAMES, "")]
        for rest in ([name for name in others if not is_usual(name, "gold")], others, table.columns):
            if len(rest) == 1:
                return rest[0]
    return table.find(pred, "pred")


def id_of(table: TableFile, ids: str | None) -> str | None:
    """Return the id column: the one given, or the only one with a usual name."""
    return id_column(table.columns) if ids is None else table.find(ids, "id")


def shared_id(tables: Sequence[TableFile]) -> str | None:
    """Return the only column with a usual name for ids that all tables have."""
    return id_column([name for name in tables[0].columns if all(name in table.columns for table in tables)])


def _gold_column(table: TableFile, gold: str | None, key: str | None, facts: Mapping[str, str]) -> str:
    """Find the gold column, beside the ids and the facts of rows."""
    rest = [name for name in table.columns if name not in (key, *facts.values())]
    column = rest[0] if gold is None and len(rest) == 1 else table.find(gold, "gold")
    for fact, name in facts.items():
        if name == column:
            raise ColumnError(f"column {column!r} is the {fact} and cannot be gold too", expected="other columns")
    return column


def gold_columns(table: TableFile, *, gold: str | None, facts: Mapping[str, str | None]) -> list[str]:
    """Return the columns of gold and of the facts of rows in the file that has gold."""
    given = fact_columns(table, facts)
    return [_gold_column(table, gold, id_of(table, None), given), *given.values()]


def systems_in_long(
    table: TableFile, wanted: Mapping[str, str | None]
) -> tuple[list[str], Callable[[Collection[str], int | None], SystemRows]]:
    """Read systems below each other, given columns by role: return the system of each run, and a reader of some.

    Every run of every system must have the same ids, once each, with the same gold, weight, cluster and count.
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
    read = columns_of(table, list(dict.fromkeys(used)), as_lists=False)
    columns = {role: read[column] for role, column in found.items()}
    columns |= {role: alignment.compact(columns[role]) for role in ("gold", "pred", "systems")}
    keys = [role for role in ("systems", "runs") if role in columns]
    for role in (*keys, "id"):
        if alignment.is_nested(columns[role]):
            raise FileError(f"{table.name}: column {found[role]!r} holds lists or objects", expected="text or numbers")
    n_rows = len(columns["id"])
    id_starts, ids = alignment.numbered([columns["id"]])
    run_starts, runs = alignment.numbered([columns[role] for role in keys])
    cells = ids * len(run_starts) + runs
    places = np.argsort(cells, kind="stable")
    again = np.zeros(n_rows, bool)
    again[places[1:]] = np.diff(cells[places]) == 0
    gone = {role: alignment.absent(columns[role]) for role in (*keys, "id")}
    other = np.zeros(n_rows, bool)
    for role in ("gold", *_FACTS):
        if role in columns:
            other |= alignment.differs(columns[role], alignment.taken(columns[role], id_starts[ids]))
    wrong = np.flatnonzero(np.logical_or.reduce([again, other, *gone.values()]))
    if len(wrong):
        row = int(wrong[0])
        where, one, hint = f"{table.name}, row {row + 1}", columns["id"][row], None
        for role in ("systems", "id", "runs"):
            if role in gone and gone[role][row]:
                raise FileError(f"{where}: nothing in column {found[role]!r}", expected="a value in every row")
        if not again[row]:
            problem = f"{where}: gold, weight, cluster or unit of id {one!r} differs from an earlier row"
            raise FileError(problem, expected="the same for every system and run")
        if "runs" not in columns:
            hint = Message(Argument("runs", "NAME"), " names the column of the runs, such as the seed")
        problem = f"{where}: id {one!r} occurs twice for {_named(columns, row)}"
        raise FileError(problem, expected="every id once", hint=hint)
    if n_rows != len(id_starts) * len(run_starts):
        run = int(np.flatnonzero(np.bincount(runs) < len(id_starts))[0])
        lost = np.setdiff1d(np.arange(len(id_starts)), ids[runs == run])
        raise FileError(
            f"{table.name}: {_named(columns, int(run_starts[run]))} lacks {counted(len(lost), 'id')} that others have "
            f"({quote_some(alignment.taken(columns['id'], id_starts[lost]), most=3)})",
            expected="the same ids for every system and run",
        )
    systems = [str(system) for system in alignment.taken(columns["systems"], run_starts)]
    places = places.reshape(len(id_starts), -1)  # the row of each example (first axis) in each run (second axis)

    def rows(some: Collection[str], most: int | None) -> SystemRows:
        """Return the distinct rows of some systems; more than `most` in a large file raise `TooManyRowsError`."""
        roles = [role for role in ("gold", "id", *_FACTS) if role in columns]
        first = {role: alignment.taken(columns[role], places[:, 0]) for role in roles}
        together: dict[str, Any] = {role: first[role] for role in roles if role != "id"}
        runs: dict[str, list[str]] = {}
        for place, system in enumerate(systems):
            if system in some:
                runs.setdefault(system, []).append(f"run {place}")
                together[f"run {place}"] = alignment.taken(columns["pred"], places[:, place])
        distinct, times = alignment.grouped(together, most)
        several = {system: [distinct[name] for name in names] for system, names in runs.items()}
        return SystemRows(
            gold=distinct["gold"], systems={name: each if len(each) > 1 else each[0] for name, each in several.items()},
            times=times, text=table.is_text, facts={fact: distinct[fact] for fact in _FACTS if fact in distinct},
            where=lambda fact, value: place_of([table], found[fact], value),
            digest=alignment.digest_of("gold", *(first[role] for role in ("gold", "id"))),
        )  # fmt: skip

    return systems, rows


def _named(columns: dict[str, alignment.Column], row: int) -> str:
    system = f"system {columns['systems'][row]!r}"
    return f"run {columns['runs'][row]!r} of {system}" if "runs" in columns else system
