"""Predictions of several systems joined by id in their engine: one frame per system, or one system below the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from macrof1.counting.engines import Frame, check_column, opened, rows_of, source_name
from macrof1.errors import ColumnError
from macrof1.labels import in_order


def side_by_side(
    df: Any, systems: str | Mapping[str, Any], *, ids: str, pred: str, facts: Sequence[str]
) -> tuple[Frame, list[str]]:
    """Return a frame with one column of predictions per system, and the names of the systems.

    `facts` are the columns of gold, weight and cluster. Every system must have the same ids, each once; if all systems
    are in one frame, with the same facts.

    Examples
    --------
    >>> import polars as pl
    >>> df = pl.DataFrame({"id": [1, 2, 1, 2], "run": ["a", "a", "b", "b"], "gold": [0, 1, 0, 1], "pred": [0, 0, 1, 1]})
    >>> wide, names = side_by_side(df, "run", ids="id", pred="pred", facts=["gold"])
    >>> names, sorted(wide.rows())
    (['a', 'b'], [(1, 0, 0, 1), (2, 1, 0, 1)])
    """
    import narwhals.stable.v2 as nw

    frame = opened(df)
    _check_columns(frame, ids, *facts)
    if isinstance(systems, str):
        parts = _split(frame, systems)
        n_rows = _n_rows(frame.select(ids, *facts).unique())
        if n_rows != _n_rows(frame.select(ids).unique()):
            raise _bad_ids(f"gold, weight or cluster of an id differs between rows of {source_name(frame)}")
        frame = next(iter(parts.values()), frame)
    else:
        parts = {name: opened(part) for name, part in systems.items()}
        n_rows = _n_ids(frame, ids, source_name(frame))
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
            raise _bad_ids(f"gold is in {source_name(frame)}, system {name!r} in {source_name(part)}")
        if part.collect_schema()[ids] != kind:
            raise _bad_ids(f"ids of gold are of type {kind}, those of system {name!r} {part.collect_schema()[ids]}")
        if _n_ids(part, ids, f"system {name!r}") != n_rows:
            raise _bad_ids(f"system {name!r} does not have the ids of gold")
        wide = wide.join(part.select(nw.col(ids), nw.col(pred).alias(name)), on=ids, how="inner")
    if _n_rows(wide) != n_rows:
        raise _bad_ids("the systems do not have the ids of gold")
    return wide, list(parts)


def _split(frame: Frame, column: str) -> dict[str, Frame]:
    import narwhals.stable.v2 as nw

    check_column(column, frame.collect_schema().names(), source_name(frame))
    values = [value for (value,) in rows_of(frame.select(column).unique())]
    if None in values:
        raise ColumnError(
            f"column {column!r} of {source_name(frame)} has missing values",
            argument="systems",
            expected="the system of every row",
        )
    return {str(value): frame.filter(nw.col(column) == value) for value in in_order(values)}


def _check_columns(frame: Frame, ids: str, *columns: str) -> None:
    import narwhals.stable.v2 as nw

    known = frame.collect_schema()
    for name in (ids, *columns):
        check_column(name, known.names(), source_name(frame))
    if not (known[ids].is_integer() or known[ids] in (nw.String, nw.Categorical, nw.Enum)):
        raise ColumnError(
            f"column {ids!r} of {source_name(frame)} holds values of type {known[ids]}",
            argument="id",
            expected="text or whole numbers",
        )


def _n_rows(frame: Frame) -> int:
    import narwhals.stable.v2 as nw

    ((found,),) = rows_of(frame.select(nw.len()))
    return int(found)


def _n_ids(frame: Frame, ids: str, where: str) -> int:
    """Return the number of rows, whose ids must all differ."""
    import narwhals.stable.v2 as nw

    each = nw.col(ids)
    found = frame.select(nw.len().alias("rows"), each.count().alias("given"), each.n_unique().alias("different"))
    ((n_rows, given, different),) = rows_of(found)
    if not n_rows == given == different:
        raise _bad_ids(f"{where} has rows without an id, or an id twice")
    return int(n_rows)


def _bad_ids(problem: str) -> ColumnError:
    return ColumnError(problem, argument="id", expected="every id once for each system, in frames and types alike")
