"""Distinct rows of gold and several systems, joined by id and grouped by the engine where the data is.

Memory grows with the distinct combinations of labels, not with rows, unless rows have several labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from macrof1.convention import UNKNOWN_GOLD
from macrof1.counting import engines
from macrof1.counting.cells import Cell, checked_count, group_value
from macrof1.counting.engines import Frame
from macrof1.errors import ColumnError, EmptyError
from macrof1.labels import in_order, label_key
from macrof1.message import Argument, Message


@dataclass(frozen=True, slots=True)
class JointRows:
    """Distinct rows of gold and systems, how often each occurs, and the weight, cluster and unit of one, if any."""

    gold: list[Any]
    systems: dict[str, list[Any]]
    amounts: list[int]
    weights: list[Any] | None = None
    clusters: list[Any] | None = None
    gold_digest: object = UNKNOWN_GOLD
    n_lost: int = 0  # how many predictions are missing, of all systems
    units: list[Any] | None = None

    def cells(self, answers: list[Any]) -> list[Cell]:
        """Return the rows of one system, with the cluster, the unit and the weight of each as its group."""

        def side(labels: Any) -> Any:
            return frozenset(map(label_key, labels)) if isinstance(labels, set) else labels

        facts = [each for each in (self.clusters, self.units, self.weights) if each is not None]
        groups: list[Any] = list(zip(*facts, strict=True)) if facts else [()] * len(self.gold)
        rows = zip(self.gold, answers, self.amounts, groups, strict=True)
        return [Cell(side(g), side(p), n, n, group) for g, p, n, group in rows]

    def without_empty(self) -> JointRows:
        """Leave out rows that stand for no row of the data, as a count of 0 says."""
        if all(self.amounts):
            return self

        def kept(column: list[Any]) -> list[Any]:
            return [value for value, n in zip(column, self.amounts, strict=True) if n]

        systems = {
            name: [kept(run) for run in rows] if len(rows) != len(self.amounts) else kept(rows)
            for name, rows in self.systems.items()
        }
        names = ("gold", "amounts", "weights", "clusters", "units")
        columns: dict[str, Any] = {name: kept(column) for name in names if (column := getattr(self, name)) is not None}
        return replace(self, systems=systems, **columns)


def joint_rows(
    df: Any,
    *,
    gold: str,
    systems: Sequence[str],
    weight: str | None = None,
    cluster: str | None = None,
    count: str | None = None,
    most: int | None = None,
) -> JointRows | None:
    """Group a data frame by gold, all systems and the facts of rows; None if there are over `most` distinct rows."""
    names = [systems] if isinstance(systems, str) else list(systems)
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise ColumnError(f"system {twice[0]!r} is named twice", argument="systems", expected="every system once")
    if gold in names:
        problem = Message(f"column {gold!r} is ", Argument("gold"), " and cannot be a system too")
        raise ColumnError(problem, argument="systems", expected="other columns")
    frame = engines.opened(df)
    source = engines.source_name(frame)
    known = frame.collect_schema()
    facts = [name for name in (weight, cluster, count) if name is not None]
    for name in (gold, *names, *facts):
        engines.check_column(name, known.names(), source)
    if weight is not None:
        engines.check_weight_type(known[weight], weight, source)
    found = engines.distinct_rows(frame, known, [gold, *names], facts, most=most, in_order=True)
    if found is None:
        return None
    if not found.rows:
        raise EmptyError.nothing(source)
    sides = [
        [{label for _, label in row} if isinstance(row, frozenset) else row for row in side] for side in found.labels
    ]
    values = dict(zip(facts, map(list, zip(*found.others, strict=True)), strict=False))
    amounts = found.rows
    if count is not None:
        where = f"column {count!r} of {source}"
        amounts = [n * checked_count(group_value(own), where) for n, own in zip(amounts, values[count], strict=True)]
    return JointRows(
        gold=sides[0],
        systems=dict(zip(names, sides[1:], strict=True)),
        amounts=amounts,
        weights=None if weight is None else values[weight],
        clusters=None if cluster is None else list(map(group_value, values[cluster])),
    ).without_empty()


def side_by_side(
    df: Any, systems: str | Mapping[str, Any], *, ids: str, pred: str, facts: Sequence[str]
) -> tuple[Frame, list[str]]:
    """Return a frame with a column of predictions per system, whose ids must be alike, and the names of the systems."""
    import narwhals.stable.v2 as nw

    frame = engines.opened(df)
    _check_columns(frame, ids, *facts)
    if isinstance(systems, str):
        engines.check_column(systems, frame.collect_schema().names(), engines.source_name(frame))
        values = [value for (value,) in engines.rows_of(frame.select(systems).unique())]
        if None in values:
            problem = f"column {systems!r} of {engines.source_name(frame)} has missing values"
            raise ColumnError(problem, argument="systems", expected="the system of every row")
        parts = {str(value): frame.filter(nw.col(systems) == value) for value in in_order(values)}
        n_rows = engines.n_rows_of(frame.select(ids, *facts).unique())
        if n_rows != engines.n_rows_of(frame.select(ids).unique()):
            raise _bad_ids(f"gold, weight or cluster of an id differs between rows of {engines.source_name(frame)}")
        frame = next(iter(parts.values()), frame)
    else:
        parts = {name: engines.opened(part) for name, part in systems.items()}
        n_rows = _n_ids(frame, ids, engines.source_name(frame))
    kind = frame.collect_schema()[ids]
    together = [frame, *parts.values()]
    if len({type(part) for part in together}) > 1:
        frame, *others = (part.lazy() for part in together)
        parts = dict(zip(parts, others, strict=True))
    wide: Any = frame.select(ids, *facts)
    for name, part in parts.items():
        _check_columns(part, ids, pred)
        if name in (ids, *facts):
            raise ColumnError(f"{name!r} is a system and a column", argument="systems", expected="different names")
        if part.implementation is not frame.implementation:
            raise _bad_ids(f"gold is in {engines.source_name(frame)}, system {name!r} in {engines.source_name(part)}")
        if part.collect_schema()[ids] != kind:
            raise _bad_ids(f"ids of gold are of type {kind}, those of system {name!r} {part.collect_schema()[ids]}")
        if _n_ids(part, ids, f"system {name!r}") != n_rows:
            raise _bad_ids(f"system {name!r} does not have the ids of gold")
        wide = wide.join(part.select(nw.col(ids), nw.col(pred).alias(name)), on=ids, how="inner")
    if engines.n_rows_of(wide) != n_rows:
        raise _bad_ids("the systems do not have the ids of gold")
    return wide, list(parts)


def _check_columns(frame: Frame, ids: str, *columns: str) -> None:
    import narwhals.stable.v2 as nw

    known = frame.collect_schema()
    for name in (ids, *columns):
        engines.check_column(name, known.names(), engines.source_name(frame))
    if not (known[ids].is_integer() or known[ids] in (nw.String, nw.Categorical, nw.Enum)):
        raise ColumnError(
            f"column {ids!r} of {engines.source_name(frame)} holds values of type {known[ids]}",
            argument="id",
            expected="text or whole numbers",
        )


def _n_ids(frame: Frame, ids: str, where: str) -> int:
    """Return the number of rows, whose ids must all differ."""
    import narwhals.stable.v2 as nw

    each = nw.col(ids)
    found = frame.select(nw.len().alias("rows"), each.count().alias("given"), each.n_unique().alias("different"))
    ((n_rows, given, different),) = engines.rows_of(found)
    if not n_rows == given == different:
        raise _bad_ids(f"{where} has rows without an id, or an id twice")
    return int(n_rows)


def _bad_ids(problem: str) -> ColumnError:
    return ColumnError(problem, argument="id", expected="every id once for each system, in frames and types alike")
