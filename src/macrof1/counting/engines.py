"""From data frames to counts: what engines are asked for, through Narwhals; only distinct rows come back.

Labels mean the same on every engine: nulls, NaN and NA are missing, and integer-valued floats are integers, since
pandas stores integers with nulls as floats.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from macrof1.counting import engines
from macrof1.counting.cells import (
    Cell,
    CountRules,
    bad_weight,
    checked_count,
    column_label,
    column_labels,
    group_value,
    label_set,
    too_heavy,
)
from macrof1.counting.encoding import Codes, encode
from macrof1.counts import EXACT_FLOAT, GroupedCounts
from macrof1.errors import ColumnError, CountError, InputError, LabelError, MissingExtraError
from macrof1.labels import Missing, checked_missing
from macrof1.message import Argument, Message, Note, shown
from macrof1.reading.columns import Repeats, unused_counts

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw


Frame: TypeAlias = "nw.DataFrame[Any] | nw.LazyFrame[Any]"

# Errors of Arrow, Polars, DuckDB and Spark, recognized by name so that none need be imported.
_BEYOND_64_BITS = {
    "ArithmeticException", "ArrowInvalid", "ConversionException", "InvalidOperationError", "OutOfRangeException",
    "OverflowError",
}  # fmt: skip
# So many rows show quickly whether most are distinct.
_FIRST_ROWS = 1 << 17


def names_of(columns: Any) -> list[Any]:
    """List the given columns: one name or several; anything else is rejected as a name."""
    return list(columns) if isinstance(columns, Iterable) and not isinstance(columns, str) else [columns]


def opened(df: Any) -> Frame:
    """Wrap a frame that Narwhals supports, or reject it."""
    import narwhals.stable.v2 as nw

    package = type(df).__module__.partition(".")[0]
    if package == "pyarrow" and hasattr(df, "unify_dictionaries"):
        df = df.unify_dictionaries()  # Arrow cannot group chunks with separate dictionaries
    if package in ("pandas", "dask") and hasattr(df, "columns"):
        numbered = {name: str(name) for name in df.columns if not isinstance(name, str)}
        df = df.rename(columns=numbered) if numbered else df  # such as 0, for what pandas counted
        twice = [name for name, times in Counter(df.columns).items() if times > 1]
        if twice:
            raise ColumnError(
                f"the frame has several columns named {twice[0]!r}", expected="every name once", hint="rename them"
            )
        # pandas 2 groups the missing labels of Arrow's dictionaries with the last category.
        coded = {name: kind for name, kind in df.dtypes.items() if str(kind).startswith("dictionary<")}
        if coded:
            df = df.astype({name: type(kind)(kind.pyarrow_dtype.value_type) for name, kind in coded.items()})
    try:
        return nw.from_native(df)  # type: ignore[no-any-return]  # any frame goes in, one of two types comes out
    except TypeError:
        raise InputError(
            f"df is a {type(df).__module__}.{type(df).__name__}",
            expected="a data frame of pandas, Polars, PyArrow, DuckDB, Dask, Ibis or Spark",
            hint="for two sequences of labels use macrof1.score",
        ) from None


def source_name(frame: Frame) -> str:
    """Name the data in messages."""
    return f"the {frame.implementation.value.replace('_', ' ')} frame"


def check_column(name: object, columns: Sequence[str], source: str) -> None:
    """Reject a column that does not exist, and suggest the closest name."""
    if not isinstance(name, str):
        raise ColumnError(
            f"{shown(name)} is not a column name", expected="a string", hint=f"rename the columns of {source}"
        )
    if name not in columns:
        raise ColumnError.not_found(name, columns=map(str, columns), source=source)


def is_object(frame: Frame, name: str, kind: Any) -> bool:
    """Return whether a column holds Python objects, which an engine may not keep distinct (1 and True)."""
    import narwhals.stable.v2 as nw

    if not isinstance(frame, nw.DataFrame):
        return bool(kind == nw.Object)
    # Narwhals infers its type from the first rows; the native type is certain.
    return kind == nw.Object or str(getattr(frame[name].to_native(), "dtype", "")) == "object"


def holds_sets(frame: Frame, name: str, kind: Any) -> bool:
    """Return whether the rows of a column are lists of labels."""
    import narwhals.stable.v2 as nw

    if isinstance(kind, (nw.List, nw.Array)):
        return True
    if not isinstance(frame, nw.DataFrame) or not is_object(frame, name, kind):
        return False
    first = next((value for value in frame[name].to_list() if value is not None), None)
    return isinstance(first, (list, set, frozenset, tuple)) or type(first).__name__ == "ndarray"


def check_weight_type(kind: nw.dtypes.DType, name: str, source: str) -> None:
    """Reject columns whose types cannot hold weights."""
    if not kind.is_numeric():
        raise CountError(
            f"column {name!r} of {source} holds values of type {kind}", argument="weight", expected="numbers as weights"
        )


class FrameRows(NamedTuple):
    """The distinct rows of a frame: columns of labels or of sets, other values, the rows and the weight of each."""

    labels: list[list[Any]]
    others: list[tuple[Any, ...]]
    rows: list[int]
    amounts: list[int | float]


def distinct_rows(
    frame: Frame,
    schema: Any,
    names: Sequence[str],
    others: Sequence[str] = (),
    *,
    weight: str | None = None,
    most: int | None = None,
    in_order: bool = False,
) -> FrameRows | None:
    """Return the distinct rows of columns of labels, and others; None if they are more than `most`.

    With `in_order`, rows with several labels stay as they are: few engines can group lists, or keep their order.
    """
    import narwhals.stable.v2 as nw

    source, engine = source_name(frame), frame.implementation
    sets = [holds_sets(frame, name, schema[name]) for name in names]
    if any(sets) and not all(sets):
        raise ColumnError.beside_lists(names[sets.index(False)], source=source)
    keys: dict[str, Any] = {}
    readers: list[Callable[[Any], Any]] = []
    for place, name in enumerate(names):
        where, role = f"column {name!r} of {source}", f"label {place}"
        if sets[0]:
            keys[role] = nw.col(name)
            readers.append(partial(label_set, where=where))
        else:
            kind = schema[name]
            if kind.is_temporal() or kind.is_nested() or kind.is_decimal() or kind == nw.Binary:
                raise LabelError.of_type(where, kind)
            frame, keys[role], read = _label_reader(frame, role, name, kind, where)
            readers.append(read)
    keys |= {f"other {place}": nw.col(name) for place, name in enumerate(others)}
    in_order |= engine.is_pandas_like() or engine.is_pyarrow() or engine.is_dask()  # they cannot group lists
    found = grouped_rows(frame, keys, weight, one_by_one=sets[0] and in_order, most=None if sets[0] else most)
    if found is None:
        return None
    values, rows, amounts = found
    labels = [list(map(read, column)) for read, column in zip(readers, zip(*values, strict=True), strict=False)]
    return FrameRows(labels or [[] for _ in names], [row[len(names) :] for row in values], rows, amounts)


def _label_reader(frame: Frame, role: str, name: str, kind: Any, where: str) -> tuple[Frame, Any, Callable[[Any], Any]]:
    """Return the column to group by and what reads its values as labels; Python objects are encoded here first."""
    import narwhals.stable.v2 as nw

    if not is_object(frame, name, kind):
        return frame, nw.col(name), column_labels(where)
    if not isinstance(frame, nw.DataFrame):
        raise LabelError(
            f"{where} holds Python objects", expected="a typed column", hint="convert it to strings or integers"
        )
    codes = encode(frame[name].to_list(), role)
    column = f"{role} codes"
    while column in frame.columns:  # another side may have a column of that name
        column += "_"
    numbers = codes.codes if isinstance(codes, Codes) else codes
    coded = frame.with_columns(nw.new_series(column, numbers.tolist(), nw.Int64, backend=frame.implementation))
    if not isinstance(codes, Codes):
        return coded, nw.col(column), partial(column_label, where=where)
    labels = [column_label(label, where) for label in codes.labels]
    return coded, nw.col(column), lambda code: None if code < 0 else labels[code]


def aggregated(frame: Frame, keys: dict[str, Any], weight: str | None = None) -> Frame:
    """Group in the engine: one row per combination of keys, with its number of rows.

    The sum, the least, the most and the number of weights add up integers exactly, and reveal every bad weight.
    """
    import narwhals.stable.v2 as nw

    sums: list[Any] = [nw.len().alias("rows")]
    if weight is not None:
        each = nw.col("weight")
        sums += [each.sum().alias("total"), each.min().alias("least"), each.max().alias("most")]
        sums.append(each.count().alias("weighed"))
    # Renamed first, so that one column can be both gold and predicted; casts belong here, not in the group-by.
    chosen = frame.select(**keys, **_weight_column(frame, weight))
    return chosen.group_by(*keys, drop_null_keys=False).agg(*sums)


def _weight_column(frame: Frame, weight: str | None) -> dict[str, Any]:
    """Return the column of weights, if there is one, as 64-bit integers or as reals."""
    import narwhals.stable.v2 as nw

    if weight is None:
        return {}
    kind = frame.collect_schema()[weight]
    check_weight_type(kind, weight, source_name(frame))
    if kind == nw.Int64:  # Dask cannot cast Arrow integers with nulls
        return {"weight": nw.col(weight)}
    # Never cast integers to reals: Arrow rejects those that a real cannot represent.
    return {"weight": nw.col(weight).cast(nw.Int64 if kind.is_integer() else nw.Float64)}


def grouped_rows(
    frame: Frame, keys: dict[str, Any], weight: str | None = None, *, one_by_one: bool = False, most: int | None = None
) -> tuple[list[tuple[Any, ...]], list[int], list[int | float]] | None:
    """Return each combination of keys, how many rows have it, and their weight; None if there are more than `most`."""
    n, source = len(keys), source_name(frame)
    try:
        if one_by_one:  # each row with what a group-by would say about it alone
            taken = rows_of(frame.select(**keys, **_weight_column(frame, weight)))
            rows = [(*row[:n], 1, *row[n:] * 3, *(not math.isnan(_known(own)) for own in row[n:])) for row in taken]
        elif most is None:
            rows = rows_of(aggregated(frame, keys, weight))
        elif _first_differ(frame, keys, most):
            return None
        else:
            rows = rows_of(aggregated(frame, keys, weight).head(most + 1))
    except Exception as error:
        if weight is None or type(error).__name__ not in _BEYOND_64_BITS:
            raise
        raise too_heavy(f"column {weight!r} of {source}") from None
    if most is not None and len(rows) > most:
        return None
    amounts = amounts_of([row[n:] for row in rows], weight, source)
    return [row[:n] for row in rows], [int(row[n]) for row in rows], amounts


def _first_differ(frame: Frame, keys: dict[str, Any], most: int) -> bool:
    """Return whether the first rows of an engine that works in memory, which they would fill, are mostly distinct."""
    import narwhals.stable.v2 as nw

    if isinstance(frame, nw.DataFrame) or frame.implementation.is_polars():
        for n_rows in (_FIRST_ROWS, 2 * most):
            n_distinct = n_rows_of(aggregated(frame.head(n_rows), keys))
            if n_distinct > most or 2 * n_distinct < n_rows:
                return n_distinct > most
    return False


def _known(value: Any) -> Any:
    """Return a number of an engine; NaN where there is none."""
    return math.nan if value is None or type(value).__name__ == "NAType" else value


def amounts_of(sums: list[tuple[Any, ...]], weight: str | None, source: str) -> list[int | float]:
    """Return the amount of each row of a group-by; its rows start with the number of rows."""
    if weight is None:
        return [int(row[0]) for row in sums]
    where = f"column {weight!r} of {source}"
    n_null = sum(int(row[0]) - int(row[-1]) for row in sums)
    if n_null:  # the sums then differ between engines
        raise bad_weight(f"{where}: {'1 row has' if n_null == 1 else f'{n_null:,} rows have'} no number as weight")
    found = [tuple(map(_known, row)) for row in sums]
    for _, total, least, largest, _ in found:
        if least < 0 or not all(map(math.isfinite, (total, least, largest))):
            raise bad_weight(f"{where}: found {least if least < 0 else 'NaN or infinity'}")
    totals = [row[1] for row in found]
    if any(isinstance(total, float) for total in totals):
        whole = all(total == int(total) for total in totals) and sum(map(int, totals)) <= EXACT_FLOAT
        return [int(total) if whole else float(total) for total in totals]
    # Engines let integer sums overflow silently: an upper bound shows whether that could have happened.
    limits = [int(row[0]) * int(row[3]) for row in found]
    if sum(int(total) if limit < 2**63 else limit for total, limit in zip(totals, limits, strict=True)) >= 2**63:
        raise too_heavy(where)
    return list(map(int, totals))


def n_rows_of(frame: Frame) -> int:
    """Return how many rows a frame has."""
    import narwhals.stable.v2 as nw

    ((found,),) = rows_of(frame.select(nw.len()))
    return int(found)


def rows_of(grouped: Frame) -> list[tuple[Any, ...]]:
    """Fetch the cells the fastest way the engine offers."""
    import narwhals.stable.v2 as nw

    if isinstance(grouped, nw.DataFrame):
        return list(grouped.rows())
    native: Any = grouped.to_native()
    engine = grouped.implementation
    if engine.is_polars():
        return native.collect(engine="streaming").rows()  # type: ignore[no-any-return]  # Polars types it
    if engine.is_duckdb():
        return native.fetchall()  # type: ignore[no-any-return]  # DuckDB returns tuples
    if engine.is_spark_like():
        return [tuple(row) for row in native.collect()]
    try:
        return list(grouped.collect().rows())
    except ImportError as error:
        raise MissingExtraError(f"{source_name(grouped)} needs pyarrow to hand over its cells: {error}") from None


def count_frame_groups(df: Any, *, by: str | Sequence[str], **options: Any) -> GroupedCounts:
    """Count each group of rows and all of them together, in one pass; options as in `distinct_frame_rows`."""
    cells, rules = distinct_frame_rows(df, by=by, **options)
    return rules.grouped(cells, engines.names_of(by))


def distinct_frame_rows(
    df: Any,
    *,
    gold: str,
    pred: str,
    by: str | Sequence[str],
    weight: str | None = None,
    count: str | None = None,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
) -> tuple[list[Cell], CountRules]:
    """Return the distinct rows of a frame, grouped by any columns, and the rules by which they become counts."""
    policy = checked_missing(missing)
    frame = engines.opened(df)
    source = engines.source_name(frame)
    groups = engines.names_of(by)
    known = frame.collect_schema()  # requested once: on Spark every request is a round trip
    facts = [name for name in (weight, count) if name is not None]
    for name in (gold, pred, *groups, *facts):
        engines.check_column(name, known.names(), source)
    for name in groups:
        if known[name].is_nested() or engines.holds_sets(frame, name, known[name]):
            problem = Message(Argument("by", name), f" holds values of type {known[name]}")
            raise ColumnError(problem, expected="one plain value per row")
    if gold == pred:
        warnings.warn(f"gold and pred are the same column {gold!r}: every prediction is right", stacklevel=3)
    # Rows that stand for several may well repeat each other.
    repeated = () if count is not None else frame_repeats(frame, known, [gold, pred, *facts], groups)
    sets = any(engines.holds_sets(frame, name, known[name]) for name in (gold, pred))
    if sets and policy != "error":
        raise InputError.missing_beside_sets(policy)
    keys = groups if count is None else [*groups, count]
    found = engines.distinct_rows(frame, known, [gold, pred], keys, weight=weight)
    assert found is not None  # there is no limit
    own = (tuple(map(group_value, group)) for group in found.others)
    cells = list(map(Cell, *found.labels, found.rows, found.amounts, own))
    if count is not None:
        where = f"column {count!r} of {source}"
        times = [(cell, checked_count(cell.group[-1], where)) for cell in cells]
        cells = [Cell(one.gold, one.pred, one.rows * n, one.amount * n, one.group[:-1]) for one, n in times if n]
    elif weight is None and gold != pred and not sets:
        n_rows = sum(cell.rows for cell in cells)
        repeated = (*unused_frame_counts(frame, known, [gold, pred], groups, n_rows, len(cells)), *repeated)
    return cells, CountRules(
        labels=labels, missing=policy, source=source, where=f"columns {gold!r} and {pred!r} of {source}",
        weighted=weight is not None, notes=repeated,
    )  # fmt: skip


def unused_frame_counts(frame: Frame, schema: Any, labels: Sequence[str], by: Sequence[str], *size: int) -> list[Note]:
    """Say that a frame seems to be a table of counts, given its columns of labels; only a small one is asked."""
    others = [name for name in plain_columns(schema) if name not in labels]
    if set(others) <= set(by):
        return []

    def read(names: list[str]) -> dict[str, Any]:
        return dict(zip(names, zip(*engines.rows_of(frame.select(*names)), strict=True), strict=True))

    return unused_counts(others, labels, by, size, read)


def plain_columns(schema: Any) -> list[str]:
    """Return the columns with one value per row."""
    return [name for name in schema.names() if isinstance(name, str) and not schema[name].is_nested()]


def frame_repeats(frame: Frame, schema: Any, taken: Sequence[str], groups: Sequence[str] = ()) -> tuple[Note, ...]:
    """Say which ids or rows repeat in a frame that is in memory: elsewhere this would take another query."""
    import narwhals.stable.v2 as nw

    plain = plain_columns(schema)
    if not isinstance(frame, nw.DataFrame) or set(plain) <= {*taken, *groups}:
        return ()
    import polars as pl

    from macrof1.reading.scans import add_hashes, rows_with

    def select(columns: list[str]) -> pl.LazyFrame:
        return frame.select(*columns).to_polars().lazy()

    repeats = Repeats.of(plain, taken, groups)
    try:
        add_hashes(repeats, select, len(frame))
        return tuple(repeats.notes(engines.source_name(frame), lambda again: rows_with(repeats, select, again)))
    except (TypeError, ValueError, OverflowError, ImportError, pl.exceptions.PolarsError):
        return ()  # Python objects that Polars cannot hold, or an engine that cannot hand them over
