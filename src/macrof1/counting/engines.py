"""What data-frame engines are asked for: columns, types, one group-by, and its rows, through Narwhals.

Labels mean the same on every engine: nulls, NaN and NA are missing, and integer-valued floats are integers, since
pandas stores integers with nulls as floats.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from macrof1.counting.cells import bad_weight, column_label, column_labels, too_heavy
from macrof1.counting.encoding import Codes, encode
from macrof1.counts import EXACT_FLOAT, exact_sum
from macrof1.errors import ColumnError, CountError, InputError, LabelError, MissingExtraError
from macrof1.message import shown

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw


Frame: TypeAlias = "nw.DataFrame[Any] | nw.LazyFrame[Any]"
Columns: TypeAlias = str | Sequence[str]

# Errors of Arrow, Polars, DuckDB and Spark, recognized by name so that none need be imported.
_BEYOND_64_BITS = {
    "ArithmeticException", "ArrowInvalid", "ConversionException", "InvalidOperationError", "OutOfRangeException",
    "OverflowError",
}  # fmt: skip


def names_of(columns: Any) -> list[Any]:
    """List the given columns: one name or several; anything else is rejected as a name."""
    return list(columns) if isinstance(columns, Iterable) and not isinstance(columns, str) else [columns]


def opened(df: Any) -> Frame:
    """Wrap a frame that Narwhals supports, or reject it."""
    import narwhals.stable.v2 as nw

    package = type(df).__module__.partition(".")[0]
    if package == "pyarrow" and hasattr(df, "unify_dictionaries"):
        df = df.unify_dictionaries()  # Arrow cannot group chunks with separate dictionaries
    if package in ("pandas", "dask"):
        twice = [name for name, times in Counter(getattr(df, "columns", ())).items() if times > 1]
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


def check_label_type(kind: nw.dtypes.DType, name: str, source: str) -> None:
    """Reject columns whose types cannot hold labels."""
    import narwhals.stable.v2 as nw

    if kind.is_temporal() or kind.is_nested() or kind.is_decimal() or kind == nw.Binary:
        raise LabelError.of_type(f"column {name!r} of {source}", kind)


def check_weight_type(kind: nw.dtypes.DType, name: str, source: str) -> None:
    """Reject columns whose types cannot hold weights."""
    if not kind.is_numeric():
        raise CountError(
            f"column {name!r} of {source} holds values of type {kind}", argument="weight", expected="numbers as weights"
        )


class KeyReader(NamedTuple):
    """How to read the values of one key column after the group-by."""

    column: str
    expression: Any
    read: Callable[[Any], Any]


def group_columns(groups: Sequence[str]) -> dict[str, Any]:
    """Return the grouping columns, under names of their own; `group_value` reads their values."""
    import narwhals.stable.v2 as nw

    return {f"by_{place}": nw.col(name) for place, name in enumerate(groups)}


def label_reader(frame: Frame, role: str, name: str, kind: Any, where: str) -> tuple[Frame, KeyReader]:
    """Read a label column under the name of its role; Python objects are encoded here first."""
    import narwhals.stable.v2 as nw

    if not is_object(frame, name, kind):
        return frame, KeyReader(role, nw.col(name), column_labels(where))
    if not isinstance(frame, nw.DataFrame):
        raise LabelError(
            f"{where} holds Python objects", expected="a typed column", hint="convert it to strings or integers"
        )
    codes = encode(frame[name].to_list(), role)
    column = f"{role} codes"
    while column in frame.columns:  # the other side may have a column of that name
        column += "_"
    numbers = codes.codes if isinstance(codes, Codes) else codes
    coded = frame.with_columns(nw.new_series(column, numbers.tolist(), nw.Int64, backend=frame.implementation))
    if not isinstance(codes, Codes):
        return coded, KeyReader(role, nw.col(column), lambda value: column_label(value, where))
    labels = [column_label(label, where) for label in codes.labels]
    return coded, KeyReader(role, nw.col(column), lambda code: None if code < 0 else labels[code])


def aggregated(frame: Frame, keys: dict[str, Any], weight: str | None = None) -> Frame:
    """Group in the engine: one row per combination of keys, with its number of rows and the sums of its weights."""
    import narwhals.stable.v2 as nw

    sums: list[Any] = [nw.len().alias("rows")]
    extra: dict[str, Any] = {}
    if weight is not None:
        extra, weight_sums = weight_columns(frame, weight)
        sums += weight_sums
    # Renamed first, so that one column can be both gold and predicted; casts belong here, not in the group-by.
    chosen = frame.select(**keys, **extra)
    return chosen.group_by(*keys, drop_null_keys=False).agg(*sums)


def weight_columns(frame: Frame, weight: str) -> tuple[dict[str, Any], list[Any]]:
    """Return the columns and sums that reveal every bad weight and add integers exactly."""
    import narwhals.stable.v2 as nw

    kind = frame.collect_schema()[weight]
    check_weight_type(kind, weight, source_name(frame))
    if kind.is_integer():
        # Cast only if necessary: Dask cannot cast Arrow integers with nulls. Never cast to reals: Arrow rejects
        # integers that a real cannot represent.
        whole = nw.col(weight) if kind == nw.Int64 else nw.col(weight).cast(nw.Int64)
        columns = {"weight": whole, "fraction": nw.lit(0)}
    else:
        real = nw.col(weight).cast(nw.Float64)
        # Ibis floors to integers, which cannot hold large reals; pandas has no remainder for Arrow's reals.
        fraction = real % 1 != 0 if frame.implementation.is_ibis() else real != real.floor()
        columns = {"weight": real, "fraction": fraction.cast(nw.Int64)}
    each = nw.col("weight")
    sums = [each.sum().alias("total"), each.min().alias("least"), each.max().alias("most")]
    return columns, [*sums, nw.col("fraction").sum().alias("fractions"), each.count().alias("weighed")]


@contextmanager
def weights_that_fit(weight: str | None, source: str) -> Iterator[None]:
    """Rephrase what each engine says about integers beyond 64 bits."""
    try:
        yield
    except Exception as error:
        if weight is None or type(error).__name__ not in _BEYOND_64_BITS:
            raise
        raise too_heavy(f"column {weight!r} of {source}") from None


def amounts_of(sums: list[tuple[Any, ...]], weight: str | None, source: str) -> list[int | float]:
    """Return the amount of each row of a group-by; its rows start with the number of rows."""
    if weight is None:
        return [int(row[0]) for row in sums]
    where = f"column {weight!r} of {source}"
    n_null = sum(int(row[0]) - int(row[-1]) for row in sums)
    if n_null:  # the sums then differ between engines
        raise bad_weight(f"{where}: {'1 row has' if n_null == 1 else f'{n_null:,} rows have'} no number as weight")
    # NaN may come as NA.
    found = [
        [math.nan if value is None or type(value).__name__ == "NAType" else value for value in row] for row in sums
    ]
    for _, total, least, most, *_ in found:
        if least < 0 or not all(map(math.isfinite, (total, least, most))):
            raise bad_weight(f"{where}: found {least if least < 0 else 'NaN or infinity'}")
    if any(row[4] for row in found):
        return [float(row[1]) for row in found]
    if any(isinstance(row[1], float) for row in found):
        if exact_sum([row[1] for row in found]) > EXACT_FLOAT:
            raise CountError(
                f"{where}: whole weights in a column of reals sum to more than 2**53, where they are no longer exact",
                argument="weight",
                expected="a column of integers, or smaller weights",
            )
    else:
        # Engines let integer sums overflow silently: an upper bound shows whether that could have happened.
        limits = [int(row[0]) * int(row[3]) for row in found]
        if sum(int(row[1]) if limit < 2**63 else limit for row, limit in zip(found, limits, strict=True)) >= 2**63:
            raise too_heavy(where)
    return [int(row[1]) for row in found]


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
