"""Distinct rows of gold and several systems, grouped by the engine where the data is: the input of comparisons.

Memory grows with the distinct combinations of labels, not with rows, unless rows have several labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from macrof1.counting.cells import group_value
from macrof1.counting.engines import (
    Frame,
    KeyReader,
    aggregated,
    check_column,
    check_label_type,
    check_weight_type,
    holds_sets,
    label_reader,
    opened,
    rows_of,
    source_name,
)
from macrof1.counting.set_counts import label_set
from macrof1.counting.weights import checked_count
from macrof1.errors import ColumnError, CountError, EmptyError
from macrof1.message import Argument, Message

# So many rows show quickly whether most are distinct.
_FIRST_ROWS = 1 << 17


@dataclass(frozen=True, slots=True)
class JointRows:
    """Distinct rows and how often each occurs.

    Attributes
    ----------
    gold, systems
        The labels of each row; predictions by the name of the system.
    amounts
        How many rows of the data are identical to this one.
    weights, clusters
        The weight and the cluster of one such row; None if rows have none.
    """

    gold: list[Any]
    systems: dict[str, list[Any]]
    amounts: list[int]
    weights: list[Any] | None = None
    clusters: list[Any] | None = None

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
        weights, clusters = (None if fact is None else kept(fact) for fact in (self.weights, self.clusters))
        return JointRows(kept(self.gold), systems, kept(self.amounts), weights, clusters)


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
    """Group a data frame by gold, all systems and the facts of rows; None if there are over `most` distinct rows.

    Examples
    --------
    >>> import polars as pl
    >>> df = pl.DataFrame({"gold": ["x", "x", "y"], "a": ["x", "x", "y"], "b": ["y", "y", "y"]})
    >>> found = joint_rows(df, gold="gold", systems=["a", "b"])
    >>> assert found is not None
    >>> sorted(zip(found.gold, *found.systems.values(), found.amounts))
    [('x', 'x', 'y', 2), ('y', 'y', 'y', 1)]
    """
    import narwhals.stable.v2 as nw

    names = _checked_systems(systems, gold)
    frame = opened(df)
    source = source_name(frame)
    known = frame.collect_schema()
    facts = [name for name in (weight, cluster, count) if name is not None]
    for name in (gold, *names, *facts):
        check_column(name, known.names(), source)
    if weight is not None:
        check_weight_type(known[weight], weight, source)
    if any(holds_sets(frame, name, known[name]) for name in (gold, *names)):
        return _rows_of_sets(frame, gold, names, weight, cluster, count)
    readers = []
    for place, name in enumerate((gold, *names)):
        check_label_type(known[name], name, source)
        frame, reader = label_reader(frame, f"label {place}", name, known[name], f"column {name!r} of {source}")
        readers.append(reader)
    if weight is not None:
        readers.append(KeyReader("weight", nw.col(weight), lambda value: value))
    if cluster is not None:
        readers.append(KeyReader("cluster", nw.col(cluster), group_value))
    if count is not None:
        readers.append(KeyReader("count", nw.col(count), partial(_count, where=f"column {count!r} of {source}")))
    keys = [reader.column for reader in readers]
    rows = _grouped(frame, {reader.column: reader.expression for reader in readers}, keys, most)
    if rows is None:
        return None
    if not rows:
        raise EmptyError.nothing(source)
    columns = [list(map(reader.read, values)) for reader, values in zip(readers, zip(*rows, strict=True), strict=False)]
    found = dict(zip(keys, columns, strict=True))
    times = [int(row[len(keys)]) for row in rows]
    return JointRows(
        gold=columns[0],
        systems=dict(zip(names, columns[1:], strict=False)),
        amounts=[n * of_row for n, of_row in zip(times, found.get("count", [1] * len(times)), strict=True)],
        weights=found.get("weight"),
        clusters=found.get("cluster"),
    ).without_empty()


def _grouped(frame: Frame, columns: dict[str, Any], keys: list[str], most: int | None) -> list[tuple[Any, ...]] | None:
    """Return the distinct rows and their numbers; None if there are more than `most`."""
    import narwhals.stable.v2 as nw

    if most is None:
        return rows_of(aggregated(frame, columns, keys, None))
    # Engines that work in memory are asked about the first rows first: mostly distinct ones would fill it.
    if isinstance(frame, nw.DataFrame) or frame.implementation.is_polars():
        for n_rows in (_FIRST_ROWS, 2 * most):
            first = aggregated(frame.head(n_rows), columns, keys, None)
            ((n_distinct,),) = rows_of(first.select(nw.len()))
            if n_distinct > most:
                return None
            if 2 * n_distinct < n_rows:
                break
    rows = rows_of(aggregated(frame, columns, keys, None).head(most + 1))
    return None if len(rows) > most else rows


def _count(value: Any, where: str) -> int:
    try:
        return checked_count(group_value(value))
    except CountError as error:
        raise error.at(where) from None


def _rows_of_sets(
    frame: Frame, gold: str, names: list[str], weight: str | None, cluster: str | None, count: str | None
) -> JointRows:
    """Take the rows themselves: few engines can group by lists."""
    columns = list(dict.fromkeys(name for name in (gold, *names, weight, cluster, count) if name is not None))
    rows = rows_of(frame.select(*columns))
    if not rows:
        raise EmptyError.nothing(source_name(frame))
    found = dict(zip(columns, zip(*rows, strict=True), strict=True))
    sets = {
        name: [
            {label for _, label in label_set(row, f"column {name!r} of {source_name(frame)}")} for row in found[name]
        ]
        for name in (gold, *names)
    }
    return JointRows(
        gold=sets[gold],
        systems={name: sets[name] for name in names},
        amounts=[1] * len(rows)
        if count is None
        else [_count(n, f"column {count!r} of {source_name(frame)}") for n in found[count]],
        weights=None if weight is None else list(found[weight]),
        clusters=None if cluster is None else list(map(group_value, found[cluster])),
    ).without_empty()


def _checked_systems(systems: Sequence[str], gold: str) -> list[str]:
    names = [systems] if isinstance(systems, str) else list(systems)
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise ColumnError(f"system {twice[0]!r} is named twice", argument="systems", expected="every system once")
    if gold in names:
        raise ColumnError(
            Message(f"column {gold!r} is ", Argument("gold"), " and cannot be a system too"),
            argument="systems",
            expected="other columns",
        )
    return names
