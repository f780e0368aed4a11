"""Counts per unit other than a class: rows with several labels, documents, queries, folds.

A unit has three numbers, as a class has: how many of its labels are right, predicted, and gold. Rows are pooled inside
a unit; which labels count is settled before. Nothing is made per unit but the entries of arrays, and its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.convention import Task, set_text
from macrof1.counting import multilabel
from macrof1.counting.cells import group_key, groups_in_order
from macrof1.counting.doubts import Difference, checked_differences, normal_form
from macrof1.counting.encoding import Codes, counted_from_zero, encode, encode_pair, kept_rows
from macrof1.counting.matrix import checked_total, checked_weights
from macrof1.counting.named_tables import check_same_index
from macrof1.counts import COLUMN, ROWS, ClassCounts, Group, GroupedCounts, Making, RowSource, noun_of, trusted_counts
from macrof1.errors import EmptyError, InputError, LengthError, counted
from macrof1.labels import (
    Label,
    Missing,
    check_comparable,
    check_known,
    check_listed,
    checked_labels,
    checked_missing,
    label_key,
)
from macrof1.message import Argument, Message, Note

Three: TypeAlias = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""How many labels of each row, or of each unit, are right, predicted and gold."""

_RESERVED = (ROWS, "classes")
_FIRST = 1000  # rows that tell whether rows are lists


class Cut(NamedTuple):
    """Which labels count inside a unit: those that are listed, all but some, or all; and what differences count not."""

    listed: tuple[Label | None, ...] | None = None
    excluded: tuple[Label | None, ...] = ()
    differences: tuple[Difference, ...] = ()

    @classmethod
    def of(cls, labels: Any = None, exclude: Any = (), normalize: Any = (), positive: object = None) -> Cut:
        """Check what was given; `positive` is the one label that counts."""
        if positive is not None:
            for name, given in (("labels", labels is not None), ("exclude", bool(exclude))):
                if given:
                    raise InputError.beside("positive", name, expected="one of them")
            labels = [positive]
        listed = None if labels is None else checked_labels(labels)
        return cls(listed, checked_labels(exclude, "exclude") if exclude else (), checked_differences(normalize))

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What the signature says."""
        sets = (("labels", self.listed), ("excluded", self.excluded))
        told = tuple((name, set_text(given)) for name, given in sets if given)
        return (*told, *((("normalize", ",".join(self.differences)),) if self.differences else ()))

    def places(self, labels: Sequence[Label | None]) -> NDArray[np.int64]:
        """Return a number for each label that counts, the same for labels that are one, and -1 for the others."""
        normal, kept, gone = (
            [label_key(normal_form(label, self.differences)) for label in side or ()]
            for side in (labels, self.listed, self.excluded)
        )
        found = set(normal)
        if self.listed is not None and normal:
            check_listed(tuple(label for _, label in kept), normal)
        check_known([label for _, label in gone], found)
        inside = (found if self.listed is None else found & set(kept)) - set(gone)
        place = {key: at for at, key in enumerate(dict.fromkeys(normal)) if key in inside}
        return np.array([place.get(key, -1) for key in normal], np.int64)

    def placed(self, sides: Sequence[Codes]) -> list[NDArray[np.int64]]:
        """Return the places of the labels of gold and of pred, as `places` numbers them."""
        seen = [np.flatnonzero(np.bincount(side.codes, minlength=len(side.labels))) for side in sides]
        names = [[side.labels[code] for code in at.tolist()] for side, at in zip(sides, seen, strict=True)]
        check_comparable(names[0], names[1])
        places = np.split(self.places([*names[0], *names[1]]), [len(seen[0])])
        found = []
        for side, at, own in zip(sides, seen, places, strict=True):
            to = np.empty(len(side.labels), np.int64)
            to[at] = own
            found.append(to[side.codes])
        return found


@dataclass(frozen=True, slots=True, eq=False)
class UnitClusters(RowSource):
    """The cluster of every unit, as a number from 0, if units are not independent."""

    clusters: NDArray[np.int64]

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return len(np.unique(self.clusters))


def is_over_units(over: Any) -> bool:
    """Return whether means are taken over units other than classes."""
    return over is not None and not (isinstance(over, str) and over == "classes")


def rows_of(side: Any) -> Any:
    """Return rows that can be read twice; if they are lists, as in a column of pandas, Polars or Arrow, as a list."""
    side = multilabel.as_rows(side)
    if isinstance(side, list | tuple) or multilabel.is_matrix(side):
        return side
    listed = next((name for name in ("to_pylist", "to_list", "tolist") if hasattr(side, name)), None)
    return getattr(side, listed)() if listed and _are_lists(getattr(side[:_FIRST], listed)()) else side


def holds_sets(gold: Any, pred: Any) -> bool:
    """Return whether rows carry several labels, where they may also be lists."""
    sides = [side[:_FIRST] if isinstance(side, list | tuple) else () for side in (gold, pred)]
    return multilabel.looks_multilabel(gold, pred) or all(map(_are_lists, sides))


def _are_lists(rows: Sequence[Any]) -> bool:
    first = next((row for row in rows if row is not None), None)
    return isinstance(first, list | tuple | AbstractSet) or getattr(first, "ndim", 0) == 1


def count_units(
    gold: Any,
    pred: Any,
    over: Any,
    *,
    labels: Iterable[object] | None = None,
    positive: object = None,
    exclude: Iterable[object] = (),
    normalize: str | Iterable[str] = (),
    sample_weight: Any = None,
    cluster: Any = None,
    missing: Missing = "error",
) -> ClassCounts:
    """Count the labels of each row, or of each unit that `over` names for every row; parameters as in `macrof1.score`.

    Examples
    --------
    >>> count_units([{"a"}, {"a", "b"}, {"b"}], [{"a"}, {"a"}, {"c"}], {"document": [1, 1, 2]})
    ClassCounts(labels=(1, 2), tp=[2, 0], predicted=[2, 1], actual=[3, 1])
    """
    cut = Cut.of(labels, exclude, normalize, positive)
    name, units = over_of(over)
    named = {name: given for name, given in (("over", units), ("cluster", cluster)) if given is not None}
    check_same_index({"gold": gold, "pred": pred, "sample_weight": sample_weight, **named})
    gold, pred, gone = rows_of(gold), rows_of(pred), None
    several = holds_sets(gold, pred)
    if several:
        if checked_missing(missing) != "error":
            raise InputError.missing_beside_sets(missing)
        matrices = multilabel.is_matrix(gold) or multilabel.is_matrix(pred)
        three = _of_matrices(gold, pred, cut) if matrices else of_sets(gold, pred, cut)
    else:
        three, gone = of_labels(gold, pred, cut, name, missing)
    n_rows = len(three[0]) if gone is None else len(gone)
    weight = None if sample_weight is None else checked_total(checked_weights(sample_weight, n_rows))
    facts: dict[str, Codes] = {}
    for argument, given in named.items():
        facts[argument] = coded = counted_from_zero(encode(given, argument))
        if len(coded) != n_rows:
            raise LengthError.differ(gold=n_rows, **{argument: len(coded)})
    if gone is not None:
        weight = None if weight is None else weight[~gone]
        facts = {argument: Codes(own.codes[~gone], own.labels, own.n_missing) for argument, own in facts.items()}
    task: Task = "multilabel" if several else "multiclass"
    found = pooled(three, name, facts.get("over"), facts.get("cluster"), cut=cut, weight=weight, task=task)
    return found if gone is None else found.with_facts(n_dropped=int(gone.sum()))


def check_over(**given: Any) -> None:
    """Reject what has an effect only where units other than classes are averaged over."""
    for name, value in given.items():
        if value is not None and value != ():
            raise InputError(Message(Argument(name, value).bare, " needs ", Argument("over")), given=value)


def over_of(over: Any) -> tuple[str, Any]:
    """Return the name of a unit, and the unit of every row; None if rows are the units."""
    if isinstance(over, str):
        if over != ROWS:
            expected = Message(Argument("over", ROWS), ", or the unit of every row, such as a list of documents")
            raise InputError(Message(Argument("over", over), " with labels in memory"), expected=expected)
        return ROWS, None
    if isinstance(over, Mapping):
        if len(over) != 1:
            raise InputError(Message(Argument("over"), f" has {len(over)} columns"), expected="one, with its name")
        ((name, values),) = over.items()
    else:
        values = over
        name = getattr(over, "name", None)
    name = name if isinstance(name, str) and name else "unit"
    return (f"{COLUMN}{name}" if name in _RESERVED else name), values


def of_labels(gold: Any, pred: Any, cut: Cut, over: str, missing: str) -> tuple[Three, NDArray[Any] | None]:
    """Look at one label per row: what counts is whether it is one of those that count, on either side, and on both.

    Where every label counts, each unit has as many predicted labels as gold ones, and is refused.
    """
    if hasattr(gold, "__len__") and not len(gold):
        raise EmptyError.nothing("gold and pred")
    if over == ROWS:
        expected = "a set of labels in every row, or the column of a unit that has several rows"
        one_each = " with one label per row, where the F1 of a row is 0 or 1"
        raise InputError(Message(Argument("over", ROWS), one_each), expected=expected)
    if cut.listed is None and not cut.excluded:
        one = noun_of(over).one
        raise InputError(
            f"every row has one gold and one predicted label, so that precision, recall and F1 of a {one} are all its "
            "accuracy",
            argument="over",
            expected=Message(Argument("positive"), " for the one class that counts, or ", Argument("exclude"),
                             " for one that does not"),
            hint=Message(Argument("by"), f" scores the classes inside each {one}"),
        )  # fmt: skip
    sides, gone = kept_rows([counted_from_zero(side) for side in encode_pair(gold, pred)], checked_missing(missing))
    if len(sides[0]) != len(sides[1]):
        raise LengthError.differ(gold=len(sides[0]), pred=len(sides[1]))
    if not len(sides[0]):
        raise EmptyError.nothing("gold and pred") if gone is None else EmptyError.all_dropped(len(gone))
    g, p = cut.placed(sides)
    return ((g == p) & (g >= 0), p >= 0, g >= 0), gone


def of_sets(gold: Any, pred: Any, cut: Cut) -> Three:
    """Count the labels of rows that are sets or lists; a label that is named twice in one counts once."""
    gold, pred = list(gold), list(pred)
    if len(gold) != len(pred):
        raise LengthError.differ(gold=len(gold), pred=len(pred))
    if not gold:
        raise EmptyError.nothing("gold and pred")
    for name, side in (("gold", gold), ("pred", pred)):
        if not all(issubclass(kind, Iterable) and not issubclass(kind, str | bytes) for kind in set(map(type, side))):
            for place, own in enumerate(side):
                multilabel.label_keys(own, name, place)  # rejects what is no set of labels
    flat = list(chain.from_iterable(chain(gold, pred)))
    coded = counted_from_zero(encode(flat, "gold"))
    n_rows = len(gold)
    sizes = np.fromiter(map(len, chain(gold, pred)), np.int64, 2 * n_rows)
    row = np.repeat(np.arange(2 * n_rows), sizes)
    if coded.n_missing:
        at = int(row[np.flatnonzero(coded.codes < 0)[0]])
        multilabel.label_keys((gold + pred)[at], "gold" if at < n_rows else "pred", at % n_rows)  # rejects it
    if not flat and cut.listed is None:
        raise EmptyError.no_labels()
    edge = [int(sizes[:n_rows].sum())]
    placed = cut.placed([Codes(codes, coded.labels) for codes in np.split(coded.codes, edge)])
    width = len(coded.labels)
    # Rows are in order: a stable sort takes a fifth of the time of a search for distinct numbers.
    sides = (
        np.sort((own % n_rows * width + places)[places >= 0], kind="stable")
        for own, places in zip(np.split(row, edge), placed, strict=True)
    )
    g, p = (side[np.diff(side, prepend=-1) > 0] for side in sides)
    hits = np.intersect1d(g, p, assume_unique=True)
    tp, predicted, actual = (np.bincount(each // width, minlength=n_rows) for each in (hits, p, g))
    return tp, predicted, actual


def _of_matrices(gold: Any, pred: Any, cut: Cut) -> Three:
    """Count the labels of rows of two indicator matrices; `labels` names all columns, or those that count."""
    gold, pred, names = multilabel.opened_indicators(gold, pred, None)
    if cut.listed is not None and len(cut.listed) == len(names):
        names, cut = cut.listed, cut._replace(listed=None)
    at = np.flatnonzero(cut.places(names) >= 0)
    g, p = (multilabel.indicator(side, name) for side, name in ((gold, "gold"), (pred, "pred")))
    if len(at) < len(names):
        g, p = g[:, at], p[:, at]
    hits = g.multiply(p) if multilabel.is_sparse(g) else p.multiply(g) if multilabel.is_sparse(p) else g & p
    tp, predicted, actual = (np.asarray(side.sum(axis=1), np.int64).ravel() for side in (hits, p, g))
    return tp, predicted, actual


def grouped_units(
    three: Three,
    over: str,
    units: Sequence[Any] | None,
    groups: Sequence[Group],
    by: tuple[str, ...],
    *,
    clusters: Sequence[Any] | None = None,
    weight: NDArray[Any] | None = None,
    times: NDArray[np.int64] | None = None,
    **facts: Any,
) -> GroupedCounts:
    """Add up the rows of every unit, of all together and, if there are columns to group by, of each group."""

    def together(places: NDArray[np.int64]) -> ClassCounts:
        if units is None and times is not None:  # equal rows are units of their own
            places = np.repeat(places, times[places])
        own, apart = (
            None if names is None else counted_from_zero(encode([names[place] for place in places.tolist()], argument))
            for names, argument in ((units, "over"), (clusters, "cluster"))
        )
        tp, predicted, actual = (side[places] for side in three)
        mass = None if weight is None else weight[places]
        alike = None if times is None or units is None else times[places]
        return pooled((tp, predicted, actual), over, own, apart, weight=mass, times=alike, **facts)

    total = together(np.arange(len(three[0])))
    if not by:
        return GroupedCounts(by=(), groups=(), total=total)
    places: dict[Any, list[int]] = {}
    for place, group in enumerate(groups):
        places.setdefault(group_key(group), []).append(place)
    ordered = groups_in_order({group_key(group): group for group in groups}.values())
    found = tuple((group, together(np.array(places[group_key(group)]))) for group in ordered)
    return GroupedCounts(by=by, groups=found, total=total)


def pooled(
    three: Three,
    over: str,
    units: Codes | None,
    clusters: Codes | None = None,
    *,
    cut: Cut,
    task: Task,
    weight: NDArray[Any] | None = None,
    times: NDArray[np.int64] | None = None,
    made: tuple[tuple[str, str], ...] = (),
    notes: tuple[Note, ...] = (),
) -> ClassCounts:
    """Add up the rows of every unit; rows that are units keep their weights, which count in the mean over rows.

    `times` is how many rows of a named unit each of these rows stands for.
    """
    making = Making(facts=(("over", over), *cut.facts, *made), notes=notes)
    facts: dict[str, Any] = {"task": task, "weighted": weight is not None, "making": making}
    if weight is not None and not weight.any():
        raise EmptyError("all weights are 0", argument="sample_weight", expected="a positive weight in some row")
    for argument, given, what in (("over", units, noun_of(over).one), ("cluster", clusters, "cluster")):
        gone = None if given is None or not given.n_missing else given.codes < 0
        if gone is not None and gone.any():
            n = int(gone.sum() if times is None else times[gone].sum())
            raise InputError(f"{counted(n, 'row')} without a {what}", argument=argument, expected="one for every row")
    facts["n_rows"] = len(three[0]) if times is None else int(times.sum())
    of_unit = None if clusters is None else clusters.codes
    if units is None:
        columns = [np.asarray(side, np.int64) for side in three]
        facts["labels"] = tuple(range(1, len(columns[0]) + 1))
        facts["weights"] = None if weight is None else weight.astype(np.float64)
    else:
        n_units, mass = len(units.labels), times if weight is None else weight if times is None else weight * times
        # In the order in which they come: of several assignments to one place, the last stays.
        first = np.full(n_units, len(units.codes))
        first[units.codes[::-1]] = np.arange(len(units.codes))[::-1]
        order = np.argsort(first, kind="stable")
        seen = order[first[order] < len(units.codes)]
        columns = []
        for side in three:
            amounts = side if mass is None else side * mass
            total = np.bincount(units.codes, weights=amounts, minlength=n_units)[seen]
            columns.append(total if mass is not None and mass.dtype.kind == "f" else total.astype(np.int64))
        facts["labels"] = tuple([units.labels[code] for code in seen.tolist()])
        if of_unit is not None:
            torn = np.flatnonzero(of_unit != of_unit[first[units.codes]])
            if len(torn):
                unit = units.labels[units.codes[torn[0]]]
                problem = f"{noun_of(over).one} {unit!r} lies in several clusters"
                raise InputError(problem, argument="cluster", expected=f"each {noun_of(over).one} in one of them")
            of_unit = of_unit[first[seen]]
    if of_unit is not None:
        facts["rows"] = UnitClusters(of_unit)
    return trusted_counts(columns=tuple(columns), **facts)
