"""Encode a sequence of labels as small integers and the list of labels they stand for.

Integer arrays stay as they are: their values are the codes. Categoricals and Arrow dictionaries provide
their own codes. Everything else takes one dictionary lookup per row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.kernel import integers
from macrof1.counting.kernel.integers import Texts
from macrof1.counting.matrix import is_masked_array
from macrof1.errors import LabelError, MacroF1Error, MissingLabelError, counted
from macrof1.labels import Label, Missing, canonical, in_order, label_key

MISSING = -1


@dataclass(frozen=True, slots=True)
class Codes:
    """Codes of one label column: positions in `labels`, or -1 for a missing label.

    Some of the `labels` may not occur, unless they are `met`: distinct strings that all do, with none missing.
    """

    codes: NDArray[Any]
    labels: list[Label | None]
    n_missing: int = 0
    met: bool = False

    def __len__(self) -> int:
        return len(self.codes)


def encode(values: Any, name: str) -> Codes | NDArray[Any]:
    """Encode a label column; integer arrays without missing values come back as they are."""
    return _named(_encode(values, name), values, name)


def _named(column: Codes | NDArray[Any] | Texts, values: Any, name: str) -> Codes | NDArray[Any]:
    if not isinstance(column, Texts):
        return column
    try:
        return canonical_codes(column.codes, column.book.names(), met=not column.some_missing)
    except UnicodeDecodeError as error:
        raise _unreadable(values, name, error) from error


def _unreadable(values: Any, name: str, error: Exception) -> LabelError:
    return LabelError(
        f"{name} is a {type(values).__name__} that cannot be read as labels ({' '.join(str(error).split())})",
        argument=name,
        expected="a column of strings, whole numbers or booleans",
    )


def _encode(values: Any, name: str) -> Codes | NDArray[Any] | Texts:
    if isinstance(values, np.ndarray):
        return _from_numpy(values, name)
    reader = _READERS.get(type(values).__module__.partition(".")[0])
    if reader is not None:
        try:
            return reader(_only_column(values, name), name)
        except MacroF1Error:
            raise
        except Exception as error:
            raise _unreadable(values, name, error) from error
    problem = None
    if isinstance(values, (str, bytes)):
        problem = f"a single {type(values).__name__}, {values!r}"
    elif isinstance(values, (Mapping, AbstractSet)):
        problem = f"a {type(values).__name__}, which has no order of rows"
    elif not hasattr(values, "__array__") and not isinstance(values, Iterable):
        problem = repr(values)
    if problem is not None:
        raise LabelError(f"{name} is {problem}", argument=name, expected="a sequence of labels")
    if hasattr(values, "__array__"):
        return _from_numpy(opened_array(values, name), name)
    return _from_python(values if isinstance(values, (list, tuple)) else LabelError.listed(name, values))


def encode_pair(gold: Any, pred: Any) -> tuple[Codes | NDArray[Any], Codes | NDArray[Any]]:
    """Encode both columns, many strings by one list in order; those that are not objects are hashed in two threads."""
    text = all(
        (isinstance(side, np.ndarray) and side.dtype.kind in "US") or type(side).__module__.startswith("pyarrow")
        for side in (gold, pred)
    )
    n_rows = len(gold) if text and hasattr(gold, "__len__") and getattr(gold, "shape", True) else 0
    one, other = integers.side_by_side(lambda side: _encode(*side), [(gold, "gold"), (pred, "pred")], n_rows)
    found = None
    if isinstance(one, Texts) and isinstance(other, Texts) and not (one.some_missing or other.some_missing):
        # Few cells are faster to arrange than rows.
        many = not integers.fits_table(len(one.book) * len(other.book), len(one.codes))
        try:
            found = integers.in_one_order(one, other) if many else None
        except UnicodeDecodeError:  # one of them says whose text is damaged
            return encode(gold, "gold"), encode(pred, "pred")
    if found is None:
        one, other = _named(one, gold, "gold"), _named(other, pred, "pred")
        if not (isinstance(one, Codes) and isinstance(other, Codes) and one.met and other.met):
            return one, other
        n = len(one.labels)
        if integers.fits_table(n * len(other.labels), len(one)):
            return one, other
        codes, labels = integers.look_up([*one.labels, *other.labels])
        found = labels, False, codes[:n], codes[n:]
    labels, sorted_, *places = found
    # Text that is all integers has another order than that of its bytes.
    ordered = labels if sorted_ and labels[0][:1] not in "+-0123456789" else in_order(labels)
    if ordered is not labels and ordered != labels:
        place = dict(zip(ordered, range(len(ordered)), strict=True))
        to = np.array([place[label] for label in labels], np.int32)
        places = [to[codes] for codes in places]
    sides = list(zip((one.codes, other.codes), places, strict=True))
    gold_codes, pred_codes = integers.side_by_side(lambda side: integers.recoded(*side), sides, len(one.codes))
    return Codes(gold_codes, ordered), Codes(pred_codes, ordered)


def _only_column(values: Any, name: str) -> Any:
    if not hasattr(values, "collect_schema") and len(getattr(values, "shape", ())) != 2:
        return values
    n = len(values.collect_schema()) if hasattr(values, "collect_schema") else values.shape[1]
    if n != 1:
        problem, hint = f"{name} is a table of {counted(n, 'column')}", "take it out of the table by its name"
        raise LabelError(problem, argument=name, expected="one column of labels", hint=hint)
    table = values.collect() if hasattr(values, "collect") else values
    if hasattr(table, "iloc"):
        return table.iloc[:, 0]
    return table.to_series() if hasattr(table, "to_series") else table.column(0)


def kept_rows(columns: list[Codes], policy: Missing, where: str = "") -> tuple[list[Codes], NDArray[Any] | None]:
    """Apply the policy for missing labels; return the columns, and which rows were dropped, if any."""
    if not any(column.n_missing for column in columns):
        return columns, None
    gone = np.logical_or.reduce([column.codes < 0 for column in columns])
    if policy == "error":
        place = f"the first is row {int(gone.argmax())}{where}, counted from 0"
        raise MissingLabelError.found(rows=int(gone.sum()), total=len(gone), where=place)
    if policy == "drop":
        return [Codes(column.codes[~gone], column.labels) for column in columns], gone
    kept = [
        Codes(np.where(column.codes < 0, len(column.labels), column.codes), [*column.labels, None])
        if column.n_missing
        else column
        for column in columns
    ]
    return kept, None


def counted_from_zero(column: Codes | NDArray[Any]) -> Codes:
    """Return codes from 0 for a column that `encode` left as integers; codes that are close together are not sorted."""
    if isinstance(column, Codes):
        return column
    low, high = integers.extremes(column, column) if len(column) else (0, -1)
    if high - low >= max(1 << 16, len(column)):
        values, codes = np.unique(column, return_inverse=True)
        return Codes(codes, values.tolist())
    places = np.subtract(column, np.array(low).astype(np.int64), dtype=np.int64, casting="unsafe")  # may wrap twice
    seen = np.flatnonzero(np.bincount(places))
    code = np.zeros(high - low + 1, np.int64)
    code[seen] = np.arange(len(seen))
    labels: list[Label | None] = [place + low for place in seen.tolist()]
    return Codes(code[places], labels)


def _from_numpy(array: NDArray[Any], name: str) -> Codes | NDArray[Any] | Texts:
    if array.ndim != 1:
        hint = (
            "use .ravel()"
            if array.ndim == 2 and 1 in array.shape
            else "for several labels per row give sets, or an indicator matrix of rows x labels"
        )
        problem = f"{name} has shape {array.shape}"
        raise LabelError(problem, argument=name, expected="one label per row in one dimension", hint=hint)
    kind = array.dtype.kind
    if is_masked_array(array):
        return _from_python(array.tolist())
    if kind in "iu":
        return array
    if kind == "b":
        return Codes(array.view(np.uint8), [False, True])
    if kind == "f":
        values, codes = np.unique(array, return_inverse=True)
        n_missing = int(np.count_nonzero(np.isnan(array)))
        if n_missing:
            values = values[:-1]
            codes = np.where(codes == len(values), MISSING, codes)
        return Codes(codes, [canonical(value) for value in values.tolist()], n_missing)
    if kind in "US":
        found = integers.fixed_text(array)
        if found is not None:
            return found
    if kind in "OUST":
        return _from_python(array.tolist())
    raise LabelError.of_type(
        name, array.dtype, argument=name, hint="convert them to strings if they are names of classes"
    )


def _from_python(values: list[Any] | tuple[Any, ...]) -> Codes | NDArray[Any] | Texts:
    texts = integers.listed_text(values)
    if texts is not None:
        return texts
    kinds = {str} if values and type(values[0]) is str else set(map(type, values))
    if kinds == {int}:
        try:
            return np.array(values, dtype=np.int64)
        except OverflowError:
            pass  # labels beyond 64 bits: left to the dictionary
    elif kinds == {bool}:
        return Codes(np.array(values, dtype=np.bool_).view(np.uint8), [False, True])
    codes, labels = _look_up(values, values)
    if set(map(type, labels)) - {str}:
        # Python considers 1, 1.0 and True equal; with their types in the key they stay distinct.
        codes, keys = _look_up(values, zip(map(type, values), values, strict=True))
        labels = [label for _, label in keys]
    return canonical_codes(codes, labels, met=True)


def opened_array(values: Any, what: str) -> NDArray[Any]:
    """Return a foreign array as NumPy's; one that only becomes dense when asked to is asked."""
    try:
        return np.asarray(values)
    except Exception as error:  # noqa: BLE001  # a foreign array may raise anything
        if hasattr(values, "todense"):
            return np.asarray(values.todense())
        problem = f"{what} is a {type(values).__name__} that NumPy cannot read ({error})"
        raise LabelError(problem, expected="a list or an array") from None


def _look_up(values: list[Any] | tuple[Any, ...], keys: Iterable[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    try:
        return integers.look_up(keys if isinstance(keys, list) else list(keys))
    except Exception as error:
        for value in values:
            canonical(value)  # names the value that is not a valid label
        problem = f"labels that cannot be compared ({type(error).__name__})"
        raise LabelError(problem, expected="class names or whole numbers") from error


def canonical_codes(codes: NDArray[Any], labels: Iterable[Any], *, met: bool = False) -> Codes:
    """Merge codes whose labels turn out to be the same, and mark missing ones; `met` are those of codes just made."""
    labels = list(labels)
    if set(map(type, labels)) == {str} and (met or len(set(labels)) == len(labels)):  # canonical as it is
        return Codes(codes, labels, 0 if met or codes.dtype.kind != "i" else int(np.count_nonzero(codes < 0)), met)
    book: dict[tuple[type, Any], int] = {}
    new_code = []
    for label in labels:
        key = label_key(canonical(label))
        new_code.append(MISSING if key[1] is None else book.setdefault(key, len(book)))
    if new_code != list(range(len(new_code))):
        # The last entry is for the code -1, which NumPy reads as "the last".
        codes = np.array([*new_code, MISSING], dtype=np.int64)[codes]
    n_missing = int(np.count_nonzero(codes < 0)) if MISSING in new_code or codes.dtype.kind == "i" else 0
    return Codes(codes, [label for _, label in book], n_missing)


def _from_pandas(values: Any, name: str) -> Codes | NDArray[Any] | Texts:
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return _from_numpy(values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values), name)
    kind = str(dtype)
    if kind == "category":
        categories = values.cat if hasattr(values, "cat") else values
        return canonical_codes(np.asarray(categories.codes), categories.categories.tolist())
    if getattr(dtype, "kind", "O") in "iub" and hasattr(dtype, "numpy_dtype") and not values.isna().any():
        return _from_numpy(values.to_numpy(dtype=dtype.numpy_dtype), name)
    if getattr(dtype, "kind", "O") in "mM":
        raise LabelError.of_type(name, kind, argument=name)
    if kind.startswith(("str", "string", "large_string")):
        array = getattr(values, "array", values)
        if hasattr(array, "__arrow_array__") and "pyarrow" in f"{kind} {getattr(dtype, 'storage', '')}":
            return _from_arrow(array.__arrow_array__(), name)
        codes, uniques = values.factorize()
        return canonical_codes(codes, uniques.tolist())
    return _from_python(values.tolist())


def _from_polars(values: Any, name: str) -> Codes | NDArray[Any] | Texts:
    import polars as pl

    dtype = values.dtype
    fits = (dtype.is_integer() and not str(dtype).endswith("128")) or dtype == pl.Boolean
    if fits and not values.null_count():
        return _from_numpy(values.to_numpy(), name)
    if dtype == pl.String:
        distinct = values.unique().drop_nulls()
        return canonical_codes(_physical(values.cast(pl.Enum(distinct))), distinct.to_list())
    if isinstance(dtype, pl.Enum):
        return canonical_codes(_physical(values), dtype.categories.to_list())
    if dtype == pl.Categorical:
        return canonical_codes(_physical(values), _category_names(values))
    if dtype.is_temporal() or dtype.is_nested():
        raise LabelError.of_type(name, dtype, argument=name)
    return _from_python(values.to_list())


def _category_names(values: Any) -> list[Any]:
    """Return the name of every code up to the largest; Polars numbers categories in order of first appearance."""
    import polars as pl

    codes = values.to_physical()
    n = (codes.max() if codes.null_count() < len(codes) else -1) + 1
    if n <= len(codes):
        return pl.int_range(n, dtype=codes.dtype, eager=True).cat.to(values.dtype).cast(pl.String).to_list()
    # The program has seen more categories than there are rows here: name only those that occur.
    distinct = values.unique().drop_nulls()
    names: list[Any] = [None] * n
    for code, label in zip(distinct.to_physical().to_list(), distinct.cast(pl.String).to_list(), strict=True):
        names[code] = label
    return names


def _physical(values: Any) -> NDArray[Any]:
    codes = values.to_physical()
    if not codes.null_count():
        return codes.to_numpy()  # type: ignore[no-any-return]  # a Polars call, typed there
    return codes.cast(int).fill_null(MISSING).to_numpy()  # type: ignore[no-any-return]  # as above


def _from_arrow(values: Any, name: str) -> Codes | NDArray[Any] | Texts:
    import pyarrow as pa

    is_text = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    if is_text:  # from its own memory, if that is compiled
        found = integers.sliced_text([_sliced(chunk) for chunk in getattr(values, "chunks", [values])])
        if found is not None:
            return found
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
        if isinstance(values, pa.ChunkedArray):  # one dictionary per chunk: Arrow unifies them first
            values = values.unify_dictionaries().combine_chunks()
    if is_text:
        values = values.dictionary_encode()
    if pa.types.is_dictionary(values.type):
        codes = values.indices
        if codes.null_count:
            codes = codes.cast(pa.int64()).fill_null(MISSING)  # unsigned integers cannot hold -1
        return canonical_codes(codes.to_numpy(zero_copy_only=False), values.dictionary.to_pylist())
    if (pa.types.is_integer(values.type) or pa.types.is_boolean(values.type)) and not values.null_count:
        return _from_numpy(values.to_numpy(zero_copy_only=False), name)
    if pa.types.is_temporal(values.type) or pa.types.is_nested(values.type):
        raise LabelError.of_type(name, values.type, argument=name)
    return _from_python(values.to_pylist())


def _sliced(values: Any) -> tuple[Any, NDArray[Any], Any, int, int]:
    """Return the data, the offsets, the valid bits, where they begin, and the rows of Arrow's strings."""
    valid, offsets, data = values.buffers()
    kind = np.int32 if str(values.type) == "string" else np.int64
    ends = np.frombuffer(offsets or b"", kind)[values.offset :]
    bits = np.frombuffer(valid, np.uint8) if values.null_count else None
    return np.frombuffer(data or b"", np.uint8), ends, bits, values.offset, len(values)


# Recognized by package name, so that no library is imported before its data arrives.
_READERS: dict[str, Callable[[Any, str], Codes | NDArray[Any] | Texts]] = {
    "pandas": _from_pandas,
    "polars": _from_polars,
    "pyarrow": _from_arrow,
}
