"""From two sequences of labels to counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.confusion import Confusion
from macrof1.counting.encoding import Codes, counted_from_zero, encode_pair, kept_rows
from macrof1.counting.kernel import integers
from macrof1.counting.matrix import checked_total, checked_weights
from macrof1.counting.multilabel import count_multilabel, looks_multilabel, paired_rows
from macrof1.counting.named_tables import check_same_index
from macrof1.counting.units import check_over, count_units, is_over_units
from macrof1.counts import ClassCounts, RowSource, trusted_counts
from macrof1.errors import CountError, EmptyError, LabelError, LengthError
from macrof1.labels import (
    Label,
    Missing,
    check_comparable,
    check_listed,
    checked_labels,
    checked_missing,
    class_order,
    in_order,
    label_key,
)
from macrof1.message import Argument, Message


def count(
    gold: Any,
    pred: Any,
    *,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
    over: Any = "classes",
    positive: object = None,
    exclude: Iterable[object] = (),
) -> ClassCounts:
    """Count true positives, predicted and actual per class, or per row, document or other unit.

    Parameters
    ----------
    gold, pred, missing
        As in `macrof1.score`.
    labels
        The class set, in order. Listed classes count even if they never occur; labels outside it stay in the
        counts (they are errors of the classes in it) but are not averaged over.
    sample_weight
        A non-negative number per row. Integers keep the counts exact.
    over, positive, exclude
        As in `macrof1.score`: the unit to count by, the one label that counts in it, or those that do not.

    Notes
    -----
    Labels keep their types: ``1``, ``"1"`` and ``True`` are three classes. If gold and predicted
    labels have no type in common, nothing could match, and a `LabelError` says so.

    Examples
    --------
    >>> count(["cat", "dog", "dog"], ["cat", "cat", "dog"])
    ClassCounts(labels=('cat', 'dog'), tp=[1, 1], predicted=[2, 1], actual=[1, 2])
    """
    if is_over_units(over):
        rules: dict[str, Any] = {"labels": labels, "sample_weight": sample_weight, "missing": missing}
        return count_units(gold, pred, over, positive=positive, exclude=exclude, **rules)
    check_over(positive=positive, exclude=exclude)
    gold, pred = paired_rows(gold, pred, sample_weight=sample_weight)
    if looks_multilabel(gold, pred):
        return count_multilabel(gold, pred, labels=labels, sample_weight=sample_weight, missing=missing)
    counts, _ = tally(gold, pred, labels=labels, sample_weight=sample_weight, missing=missing, cells=False)
    return counts


def confusion(gold: Any, pred: Any, **options: Any) -> Confusion:
    """Count the cells of the confusion matrix; options as in `count`."""
    gold, pred = paired_rows(gold, pred, **options)
    if looks_multilabel(gold, pred):
        raise LabelError("rows carry several labels, which have no confusion matrix", hint="use macrof1.count")
    _, cells = tally(gold, pred, cells=True, **options)
    assert isinstance(cells, Confusion)  # cells=True requests them
    return cells


class UncountedCells(RowSource):
    """Cells that are counted or arranged on demand: with many classes or few rows, that takes longer than scoring."""

    __slots__ = ("_cells", "_count", "_unchanged")

    def __init__(self, count_cells: Callable[[], Confusion], unchanged: Callable[[], bool] | None = None) -> None:
        # Whether the user's rows are still those that were scored; None if they are not needed any more.
        self._count, self._unchanged = count_cells, unchanged
        self._cells: Confusion | None = None

    def confusion(self) -> Confusion:
        """Return the cells; reject rows that have changed since they were scored."""
        if self._cells is None:
            if self._unchanged is not None and not self._unchanged():
                raise CountError.rows_changed()
            self._cells = self._count()
        return self._cells

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Confusion, UncountedCells)):
            return NotImplemented
        return self.confusion() == (other if isinstance(other, Confusion) else other.confusion())

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash


def tally(
    gold: Any,
    pred: Any,
    *,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
    cells: bool | None,
) -> tuple[ClassCounts, Confusion | UncountedCells | None]:
    """Count once, and return the cells too; with ``cells=None`` they may be left until needed."""
    plain = labels is sample_weight is None and type(missing) is str and missing == "error"
    if plain and type(gold) is type(pred) is np.ndarray:
        few = integers.few_rows(gold, pred)
        if few is not None:
            # n x n cells, with tp, predicted and actual behind them.
            first, n, found = few
            names: tuple[Label | None, ...] = tuple(range(first, first + n))
            columns = found[-3 * n : -2 * n], found[-2 * n : -n], found[-n:]
            counts = trusted_counts(labels=names, columns=columns, n_rows=len(gold))
            if cells is False:
                return counts, None
            arrange = partial(Confusion.from_table, found[: -3 * n], labels=names, n_rows=len(gold))
            return counts, arrange() if cells else UncountedCells(arrange)
    check_same_index({"gold": gold, "pred": pred, "sample_weight": sample_weight})
    pair = _pair(*encode_pair(gold, pred), sample_weight, missing)
    listed = None if labels is None else checked_labels(labels)
    tallied = _tally(pair, listed, cells)
    if tallied is None:
        # A code is outside the range of the first rows: find the range of all rows, and count again.
        low, high = integers.extremes(pair.gold, pair.pred)
        again = _pair_integers(pair.gold, pair.pred, pair.weight, pair.whole_weights, low, high)
        tallied = _tally(again, listed, cells)
    assert tallied is not None  # all codes lie between the extremes
    return tallied


def _tally(
    pair: _Pair, listed: tuple[Label | None, ...] | None, cells: bool | None
) -> tuple[ClassCounts, Confusion | UncountedCells | None] | None:
    n_gold, n_pred = len(pair.gold_labels), len(pair.pred_labels)
    n_cells, n_rows = n_gold * n_pred, len(pair.gold)
    margins_do = pair.gold_labels is pair.pred_labels and listed is None and not cells
    if not (
        integers.table_is_faster(n_cells, n_rows, weighted=pair.weight is not None)
        if margins_do
        else integers.fits_table(n_cells, n_rows)
    ):
        return _tally_many(pair, listed, cells=cells)
    table = integers.table(pair.gold, pair.pred, first=pair.first, shape=(n_gold, n_pred), weight=pair.weight)
    if table is None:
        return None
    names, table, columns = _arrange(_exact(table, pair), pair, listed)
    counts, facts = _counts(names, columns, pair, listed)
    return counts, None if cells is False else Confusion.from_table(table, **facts)


def _counts(
    names: tuple[Label | None, ...], columns: Iterable[NDArray[Any]], pair: _Pair, listed: Sequence[Any] | None
) -> tuple[ClassCounts, dict[str, Any]]:
    facts: dict[str, Any] = {
        "labels": names,
        "n_rows": len(pair.gold),
        "n_listed": None if listed is None else len(listed),
        "n_dropped": pair.n_dropped,
        "weighted": pair.weight is not None,
    }
    columns = tuple(columns)
    for column in columns:
        column.setflags(write=False)
    return trusted_counts(columns=columns, **facts), facts


class _Pair(NamedTuple):
    """Two columns of codes from `first` on, and their labels: the same range if both columns are integer arrays.

    The same list, if both columns are strings of many classes: in order, and each of them occurs.
    """

    gold: NDArray[Any]
    pred: NDArray[Any]
    first: int
    gold_labels: list[Label | None] | range
    pred_labels: list[Label | None] | range
    weight: NDArray[Any] | None
    whole_weights: bool
    n_dropped: int


def _pair(gold: Codes | NDArray[Any], pred: Codes | NDArray[Any], sample_weight: Any, missing: str) -> _Pair:
    policy = checked_missing(missing)
    if len(gold) != len(pred):
        raise LengthError.differ(gold=len(gold), pred=len(pred))
    if not len(gold):
        raise EmptyError.nothing("gold and pred")
    weight, whole = None, False
    if sample_weight is not None:
        weight = checked_weights(sample_weight, len(gold))
        checked_total(weight)
        whole = weight.dtype.kind == "i"
        if whole and float(weight.sum()) > 2.0**53:
            raise CountError(
                Message(Argument("sample_weight"), " sums to more than 2**53, where whole weights are no longer exact"),
                expected="smaller ones",
            )
    if isinstance(gold, np.ndarray) and isinstance(pred, np.ndarray):
        return _pair_integers(gold, pred, weight, whole, *integers.likely_extremes(gold, pred))
    columns, gone = kept_rows([counted_from_zero(gold), counted_from_zero(pred)], policy)
    n_dropped = 0
    if gone is not None:
        n_dropped = int(gone.sum())
        if n_dropped == len(gold):
            raise EmptyError.all_dropped(n_dropped)
        weight = None if weight is None else weight[~gone]
    (gold_codes, gold_labels), (pred_codes, pred_labels) = ((side.codes, side.labels) for side in columns)
    if gold_labels is not pred_labels:
        check_comparable(gold_labels, pred_labels)
    return _Pair(gold_codes, pred_codes, 0, gold_labels, pred_labels, weight, whole, n_dropped)


def _pair_integers(
    gold: NDArray[Any], pred: NDArray[Any], weight: NDArray[Any] | None, whole: bool, low: int, high: int
) -> _Pair:
    # Codes may be counted as they are if the numbers are close together. Within 30 bits of 0, no difference of
    # two codes can wrap around into the range, whatever the type; the range check relies on this.
    if high - low < min(2**30, max(1 << 16, 4 * len(gold))) and abs(low) < 2**30:
        span = range(low, high + 1)
        return _Pair(gold, pred, low, span, span, weight, whole, 0)
    gold_codes, pred_codes = counted_from_zero(gold), counted_from_zero(pred)
    return _Pair(gold_codes.codes, pred_codes.codes, 0, gold_codes.labels, pred_codes.labels, weight, whole, 0)


def _exact(counts: NDArray[Any], pair: _Pair) -> NDArray[Any]:
    # Sums of integer weights are exact in float64 below 2**53.
    return counts.astype(np.int64) if pair.whole_weights else counts


def _seen(codes: NDArray[Any], first: int, n: int) -> NDArray[np.bool_]:
    found = np.zeros(n, np.bool_)
    found[np.subtract(codes, first, dtype=np.int64, casting="unsafe")] = True
    return found


def _arrange(
    table: NDArray[Any], pair: _Pair, listed: tuple[Label | None, ...] | None
) -> tuple[tuple[Label | None, ...], NDArray[Any], NDArray[Any]]:
    """Bring a table into one common label order; return the labels, the table, and tp, predicted and actual."""
    if pair.gold_labels is pair.pred_labels and listed is None:
        columns, every_class_seen = integers.table_sums(table)
        if every_class_seen:
            return tuple(pair.gold_labels), table, columns
    if pair.weight is None:
        gold_at, pred_at = np.flatnonzero(table.any(1)), np.flatnonzero(table.any(0))
    else:  # a row of weight 0 still contributes its label
        gold_at = np.flatnonzero(_seen(pair.gold, pair.first, table.shape[0]))
        pred_at = np.flatnonzero(_seen(pair.pred, pair.first, table.shape[1]))
    names, to = common_order(((gold_at, pair.gold_labels), (pred_at, pair.pred_labels)), listed)
    arranged = np.zeros((len(names), len(names)), table.dtype)
    arranged[np.ix_(*to)] = table[np.ix_(gold_at, pred_at)]
    return names, arranged, integers.table_sums(arranged)[0]


def common_order(
    sides: Iterable[tuple[NDArray[Any], Sequence[Label | None]]], listed: tuple[Label | None, ...] | None
) -> tuple[tuple[Label | None, ...], list[list[int]]]:
    """Order the labels that occur on either side, given by their codes; return them and the new code of each."""
    found_labels = [[labels[code] for code in seen.tolist()] for seen, labels in sides]
    if listed is None and len(set(map(type, chain(*found_labels)))) == 1:  # one type: labels are their own keys
        ordered = tuple(in_order(dict.fromkeys(chain(*found_labels))))
        at = {label: position for position, label in enumerate(ordered)}
        return ordered, [[at[label] for label in side] for side in found_labels]
    keys = [list(map(label_key, side)) for side in found_labels]
    found = dict.fromkeys(chain(*keys))
    check_listed(listed, found)
    names = class_order((label for _, label in found), listed)
    place = {label_key(label): position for position, label in enumerate(names)}
    return names, [[place[key] for key in side] for side in keys]


@lru_cache(maxsize=2)
def _consecutive(start: int, stop: int) -> tuple[int, ...]:
    """Return many labels, cached for loops that score the same classes again and again."""
    return tuple(range(start, stop))


def _tally_many(
    pair: _Pair, listed: tuple[Label | None, ...] | None, *, cells: bool | None
) -> tuple[ClassCounts, Confusion | UncountedCells | None] | None:
    """Count many classes: nothing here grows with their square."""
    unchanged = None
    if isinstance(pair.gold_labels, range) and listed is None:
        # Consecutive integers: count over the whole range, then keep what was seen.
        first, n = pair.first, len(pair.gold_labels)
        found = integers.margins(pair.gold, pair.pred, first=first, n=n, weight=pair.weight)
        if found is None:
            return None
        if found[-1] is not None:
            unchanged = partial(_counts_as, found, pair)
        elif cells is None:  # without a hash, and slower to count than to copy
            pair = pair._replace(gold=pair.gold.copy(), pred=pair.pred.copy())
        gold, pred = pair.gold, pair.pred
        if pair.weight is None:
            seen = np.flatnonzero(found[1] + found[2])
        else:
            seen = np.flatnonzero(_seen(gold, first, n) | _seen(pred, first, n))
        low, high = int(seen[0]), int(seen[-1]) + 1
        names: tuple[Label | None, ...]
        if len(seen) == high - low:
            names, columns = _consecutive(first + low, first + high), [column[low:high] for column in found[:3]]
        else:
            names, columns = tuple((seen + first).tolist()), [column[seen] for column in found[:3]]
    else:
        names, gold, pred = _recoded(pair, listed)
        found = integers.margins(gold, pred, first=0, n=len(names), weight=pair.weight)
        assert found is not None  # positions in the list of labels
        columns = list(found[:3])
    counts, facts = _counts(names, (_exact(column, pair) for column in columns), pair, listed)
    if cells is False:
        return counts, None
    rows = UncountedCells(partial(_sparse_cells, gold, pred, pair, facts), unchanged)
    return counts, rows.confusion() if cells else rows


def _counts_as(before: tuple[Any, ...], pair: _Pair) -> bool:
    """Return whether rows that belong to the user have the margins and the hash that they had before."""
    now: tuple[Any, ...] | None = integers.margins(pair.gold, pair.pred, first=pair.first, n=len(pair.gold_labels))
    return now is not None and all(np.array_equal(one, other) for one, other in zip(before, now, strict=True))


def _recoded(
    pair: _Pair, listed: tuple[Label | None, ...] | None
) -> tuple[tuple[Label | None, ...], NDArray[Any], NDArray[Any]]:
    sides = (pair.gold, pair.gold_labels), (pair.pred, pair.pred_labels)
    if pair.gold_labels is pair.pred_labels and not (isinstance(pair.gold_labels, range) or listed):
        return tuple(pair.gold_labels), pair.gold, pair.pred
    if isinstance(pair.gold_labels, range):  # a guess from the first rows is not enough here
        low, high = integers.extremes(pair.gold, pair.pred)
        span = range(low, high + 1)
        pair = pair._replace(first=low, gold_labels=span, pred_labels=span)
        sides = (pair.gold, span), (pair.pred, span)
    at = [np.flatnonzero(_seen(codes, pair.first, len(labels))) for codes, labels in sides]
    names, places = common_order([(seen, labels) for seen, (_, labels) in zip(at, sides, strict=True)], listed)
    recoded = []
    for (codes, labels), seen, place in zip(sides, at, places, strict=True):
        to = np.zeros(len(labels), np.int64)
        to[seen] = place
        recoded.append(to.take(np.subtract(codes, pair.first, dtype=np.int64, casting="unsafe")))
    return names, recoded[0], recoded[1]


def _sparse_cells(gold: NDArray[Any], pred: NDArray[Any], pair: _Pair, facts: dict[str, Any]) -> Confusion:
    n = len(facts["labels"])
    sides = [side.astype(np.int64, copy=False) for side in (gold, pred)]
    if gold is pair.gold and isinstance(pair.gold_labels, range):  # still the labels themselves, not positions
        labels = np.array(facts["labels"], np.int64)
        if labels[-1] - labels[0] == n - 1:  # without a gap, and a place is a distance
            sides = [side - labels[0] for side in sides]
        else:
            place = np.zeros(len(pair.gold_labels), np.int64)
            place[labels - pair.first] = np.arange(n)
            sides = [place[side - pair.first] for side in sides]
    flat = sides[0] * n + sides[1]
    if integers.fits_table(n * n, len(flat)):
        table = _exact(np.bincount(flat, pair.weight, n * n), pair)
        return Confusion.from_table(table, **facts)
    if pair.weight is None:
        # Most rows are right, and there is no need to sort these.
        right = sides[0] == sides[1]
        hits = np.bincount(sides[0][right], minlength=n)
        index, cells = np.unique(flat[~right], return_counts=True)
        own = np.flatnonzero(hits)
        index, cells = np.concatenate([index, own * (n + 1)]), np.concatenate([cells, hits[own]])
        order = np.argsort(index, kind="stable")  # merges two that are sorted
        index, cells = index[order], cells[order]
    else:
        index, inverse = np.unique(flat, return_inverse=True)
        cells = _exact(np.bincount(inverse, weights=pair.weight), pair)
        index, cells = index[cells != 0], cells[cells != 0]
    return Confusion.from_table(cells, where=index, **facts)
