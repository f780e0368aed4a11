"""Count several labels per row: indicator matrices, sparse matrices, sequences of sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.cells import Part
from macrof1.counting.encoding import Codes, encode, opened_array
from macrof1.counting.kernel import integers
from macrof1.counting.matrix import is_masked_array, some_weights
from macrof1.counting.named_tables import aligned_indicators, check_same_index
from macrof1.counts import ClassCounts, trusted_counts
from macrof1.errors import EmptyError, InputError, LabelError, LengthError, counted
from macrof1.labels import Label, Missing, canonical, checked_labels, checked_missing, label_key, tags_hint


def as_rows(side: Any) -> Any:
    """Return rows that can be read twice: iterators and containers of sets as lists."""
    if isinstance(side, (list, tuple)) or (isinstance(side, np.ndarray) and side.dtype.kind != "O"):
        return side
    if isinstance(side, Iterator):
        return list(side)
    if str(getattr(side, "dtype", "")) not in ("object", "Object"):
        return side
    return list(side) if any(isinstance(row, AbstractSet) for row in list(side[:1])) else side


def paired_rows(gold: Any, pred: Any, **beside: Any) -> tuple[Any, Any]:
    """Return both sides as rows that can be read twice; what becomes a list must not lose another order of rows."""
    if type(gold) is type(pred) is np.ndarray and "O" not in (gold.dtype.kind, pred.dtype.kind):
        return gold, pred
    rows = as_rows(gold), as_rows(pred)
    if rows[0] is not gold or rows[1] is not pred:
        check_same_index({"gold": gold, "pred": pred, **beside})
    return rows


def looks_multilabel(gold: Any, pred: Any) -> bool:
    """Return whether data can only be multilabel."""
    if isinstance(gold, np.ndarray) and isinstance(pred, np.ndarray) and gold.ndim == 1 == pred.ndim:
        return False
    return has_sets(gold) or has_sets(pred)


def has_sets(side: Any) -> bool:
    """Return whether rows carry several labels: two dimensions with several columns, or sets as rows."""
    return _is_indicator(side) or (isinstance(side, (list, tuple)) and bool(side) and isinstance(side[0], AbstractSet))


def is_matrix(side: Any) -> bool:
    """Return whether every label has a column of its own, or could have: a single column may also hold labels."""
    return _is_indicator(side) or len(getattr(side, "shape", ())) == 2


def is_sparse(side: Any) -> bool:
    """Return whether this is a sparse matrix of SciPy."""
    return hasattr(side, "tocsr") and hasattr(side, "nnz")


def _is_indicator(side: Any) -> bool:
    if is_sparse(side):
        return True
    shape = getattr(side, "shape", None)
    if isinstance(side, np.matrix):
        raise LabelError(
            f"a numpy.matrix of shape {shape} has two dimensions, whatever it was made from",
            expected="an array of one label per row, or an indicator array of rows x labels",
            hint="numpy.asarray(x) keeps both dimensions, numpy.asarray(x).ravel() makes one of them",
        )
    if is_masked_array(side) and side.ndim == 2 and np.ma.is_masked(side):
        raise LabelError("an indicator array has masked values", expected="0 or 1 everywhere; fill or drop them first")
    return isinstance(shape, tuple) and len(shape) == 2 and shape[1] != 1


def count_multilabel(
    gold: Any,
    pred: Any,
    *,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
    checked: bool = True,
) -> ClassCounts:
    """Count tp, predicted and actual per label of indicator matrices, whose columns `labels` names, or of label sets.

    With ``checked=False``, the labels of both sides need not have anything in common: a batch may lack every class.
    """
    if checked_missing(missing) != "error":
        raise InputError.missing_beside_sets(missing)
    check_same_index({"gold": gold, "pred": pred, "sample_weight": sample_weight})
    if any([is_matrix(gold), is_matrix(pred)]):
        g, p, columns = opened_indicators(gold, pred, labels)
        weight = None if sample_weight is None else some_weights(sample_weight, g.shape[0])
        return trusted_counts(
            labels=columns, columns=tuple(_indicator_columns(g, p, weight)), n_rows=g.shape[0], n_listed=len(columns),
            task="multilabel", weighted=weight is not None,
        )  # fmt: skip
    gold, pred = list(gold), list(pred)
    if len(gold) != len(pred):
        raise LengthError.differ(gold=len(gold), pred=len(pred))
    if not gold:
        raise EmptyError.nothing("gold and pred")
    weight = None if sample_weight is None else some_weights(sample_weight, len(gold))
    listed = None if labels is None else checked_labels(labels)
    part = Part(rows=len(gold))
    if weight is not None or not _add_coded(part, gold, pred):
        for row, (gold_set, pred_set) in enumerate(zip(gold, pred, strict=True)):
            amount = 1 if weight is None else weight[row].item()
            part.add(label_keys(gold_set, "gold", row), label_keys(pred_set, "pred", row), amount)
    return part.counts(listed, checked=checked, weighted=weight is not None)


def _check_sparse(matrix: Any, name: str) -> None:
    """Reject an inconsistent sparse matrix, for which SciPy would read beyond its memory."""
    n_rows, n_columns = matrix.shape
    sound = True

    def within(places: Any, n: int) -> bool:
        return len(places) == 0 or bool(0 <= places.min() <= places.max() < n)

    if hasattr(matrix, "indptr"):
        block = getattr(matrix, "blocksize", (1, 1))
        major, minor = (n_columns, n_rows) if matrix.format == "csc" else (n_rows // block[0], n_columns // block[1])
        starts, places = np.asarray(matrix.indptr), np.asarray(matrix.indices)
        sound = (
            starts.shape == (major + 1,)
            and starts[0] == 0
            and starts[-1] <= len(places) <= len(matrix.data)
            and not (np.diff(starts) < 0).any()
            and within(places, minor)
        )
    elif matrix.format == "coo":
        same_length = len(matrix.row) == len(matrix.col) == len(matrix.data)
        sound = same_length and within(matrix.row, n_rows) and within(matrix.col, n_columns)
    if not sound:
        raise LabelError(
            f"{name}: the sparse matrix is damaged", argument=name, expected="indices that go with its shape"
        )


def opened_matrix(side: Any, name: str) -> Any:
    """Return a matrix: a NumPy array, or a SciPy sparse matrix in CSR format."""
    if getattr(side, "ndim", 2) != 2:
        problem = f"{name} has {side.ndim} dimension(s) beside a matrix"
        raise LabelError(problem, argument=name, expected="rows x labels on both sides")
    if hasattr(side, "to_scipy_sparse"):
        side = side.to_scipy_sparse() if not side.fill_value else side.todense()
    if is_sparse(side):
        if side.format != "csr":
            _check_sparse(side, name)
        return side.tocsr()
    matrix = side.to_numpy() if hasattr(side, "to_numpy") else opened_array(side, name)
    return matrix if matrix.ndim == 2 else opened_matrix(matrix, name)


def indicator(matrix: Any, name: str) -> Any:
    """Return a matrix of booleans, or a sparse one whose entries are all 1, without duplicates."""
    if is_sparse(matrix):
        _check_sparse(matrix, name)
        if not matrix.has_canonical_format or not matrix.data.all():
            matrix = matrix.copy()
            matrix.sum_duplicates()
            matrix.eliminate_zeros()
    values = matrix.data if is_sparse(matrix) else matrix
    if values.dtype.kind not in "biuf" or (values.dtype.kind != "b" and not (values == values.astype(bool)).all()):
        raise LabelError(
            f"{name} holds entries other than 0 and 1",
            argument=name,
            expected="an indicator matrix, rows x labels",
            hint=tags_hint(values.ravel()[:3].tolist()),
        )
    return matrix if is_sparse(matrix) else matrix.astype(np.bool_, copy=False)


def classes_of_columns(sides: Mapping[str, Any], listed: tuple[Label | None, ...] | None) -> tuple[Label | None, ...]:
    """Return the class of every column of indicator matrices; reject different columns, or names that do not fit."""
    width = sides["gold"].shape[1]
    for name, side in sides.items():
        if side.shape[1] != width:
            raise LengthError(
                f"gold has {width} label columns and {name} has {side.shape[1]}", expected="the same columns"
            )
    names = tuple(range(width)) if listed is None else listed
    if len(names) != width:
        problem = f"{counted(len(names), 'label')} for {counted(width, 'indicator column')}"
        raise LengthError(problem, argument="labels", expected="one name per column")
    return names


def opened_indicators(
    gold: Any, pred: Any, labels: Iterable[object] | None
) -> tuple[Any, Any, tuple[Label | None, ...]]:
    """Return both indicator matrices, not yet looked into, and the classes of their columns."""
    (gold, pred), names = aligned_indicators((gold, pred), labels)
    g, p = opened_matrix(gold, "gold"), opened_matrix(pred, "pred")
    if g.shape[0] != p.shape[0]:
        raise LengthError.differ(gold=g.shape[0], pred=p.shape[0])
    listed = classes_of_columns({"gold": g, "pred": p}, names)
    if 0 in g.shape:
        raise EmptyError.nothing("the indicator matrix")
    return g, p, listed


def _has_only_ones(matrix: Any) -> bool:
    """Return whether a CSR matrix ends its last row at its last entry and all its entries are 1."""
    whole = len(matrix.indptr) == matrix.shape[0] + 1 and matrix.indptr[0] == 0
    return whole and matrix.indptr[-1] == len(matrix.indices) == len(matrix.data) and integers.all_ones(matrix.data)


def _indicator_columns(gold: Any, pred: Any, weight: NDArray[Any] | None) -> Iterable[NDArray[Any]]:
    n_sparse = is_sparse(gold) + is_sparse(pred)
    sums = None
    if weight is None and n_sparse == 2 and _has_only_ones(gold) and _has_only_ones(pred):
        sums = integers.sparse_indicator_sums(gold, pred, canonical=False)
    if sums is not None:
        return sums
    g, p = indicator(gold, "gold"), indicator(pred, "pred")
    if weight is None and n_sparse == 0:
        sums = integers.indicator_sums(g.view(np.uint8), p.view(np.uint8))
    elif weight is None and n_sparse == 2:
        sums = integers.sparse_indicator_sums(g, p, canonical=True)
    if sums is not None:
        return sums
    hits = g & p if n_sparse == 0 else (g.multiply(p) if is_sparse(g) else p.multiply(g)).tocsr()
    if n_sparse:
        hits.eliminate_zeros()
    found: list[Any] = []
    for matrix in (hits, p, g):
        if is_sparse(matrix):
            each = None if weight is None else np.repeat(weight, np.diff(matrix.indptr))
            found.append(np.bincount(matrix.indices, weights=each, minlength=matrix.shape[1]))
        else:
            found.append(matrix.T @ weight if weight is not None else np.count_nonzero(matrix, axis=0))
    whole = weight is None or weight.dtype.kind == "i"
    return [np.asarray(column).astype(np.int64 if whole else np.float64) for column in found]


def _add_coded(part: Part, gold: list[Any], pred: list[Any]) -> bool:
    """Count all rows as two sparse matrices; False for rows that are not sets, and for labels to look at one by one."""
    if not {*map(type, gold), *map(type, pred)} <= {set, frozenset}:
        return False
    flat = list(chain.from_iterable(chain(gold, pred)))
    if set(map(type, flat)) not in ({str}, {int}):
        return False  # other types may be the same label, or invalid
    coded = encode(flat, "gold")
    if isinstance(coded, np.ndarray):
        values, codes = np.unique(coded, return_inverse=True)
        coded = Codes(codes, values.tolist())
    starts = [np.concatenate([[0], np.cumsum([len(row) for row in side])]) for side in (gold, pred)]
    edge = starts[0][-1]
    found = integers.sparse_sums(starts[0], coded.codes[:edge], starts[1], coded.codes[edge:], len(coded.labels))
    if found is None:
        return False
    for label, *sums in zip(coded.labels, *found.tolist(), strict=True):
        part.sums[label_key(label)] = tuple([n] if n else [] for n in sums)
    return True


def label_keys(labels: Any, name: str, row: int) -> set[tuple[type, Label | None]]:
    """Read the set of labels of one row."""
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise LabelError(f"{name} row {row} is {labels!r}", argument=name, expected="a set of labels in every row")
    found = {label_key(canonical(label)) for label in labels}
    if any(label is None for _, label in found):
        raise LabelError(f"{name} row {row} has a missing label in {labels!r}", argument=name, expected="labels only")
    return found
