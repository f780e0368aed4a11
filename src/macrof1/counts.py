"""`ClassCounts`: true positives, predicted and actual per class, as plain numbers; all a macro F1 depends on.

Counts are immutable and can be added with ``+``. They know nothing about scores and need only Python itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from numbers import Rational
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from macrof1.convention import UNKNOWN_GOLD, Task
from macrof1.errors import CountError, InputError, counted, guarded
from macrof1.labels import Label, check_unique, checked_labels, label_key, merge_class_sets
from macrof1.message import Argument, Message, Note, shown

if TYPE_CHECKING:
    from macrof1.counting.confusion import Confusion
    from macrof1.sampling.patterns import Patterns

Number: TypeAlias = int | float

Column: TypeAlias = Any
"""One number per class: a tuple of Python's numbers, or an array of int64, or of float64 for real weights."""

AnyCounts: TypeAlias = "Confusion | ClassCounts"
"""Cells, or counts per class."""

Rows: TypeAlias = Literal["predicted", "gold"]
"""What a row of a confusion matrix is."""

Group: TypeAlias = tuple[Any, ...]
"""The values of the grouping columns, in the order of these columns."""

COLUMNS: Final = ("tp", "predicted", "actual")

ROWS: Final = "rows"
COLUMN: Final = "column:"
"""What stands before a column of units whose name is a reserved word."""


class Noun(NamedTuple):
    """What a unit is called: one, and several."""

    one: str
    many: str


CLASS: Final = Noun("class", "classes")
CLUSTER: Final = Noun("cluster", "clusters")

# The largest signed 64-bit integer: counts can always be converted to an array.
MOST: Final = 2**63 - 1
EXACT_FLOAT: Final = 2**53
# Sums of a few totals must not overflow.
MOST_WEIGHT: Final = 2.0**1000
_MOST_DIGITS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """How rows became counts, if not in the default way."""

    facts: tuple[tuple[str, str], ...] = ()
    """What a signature adds: ``("normalize", "case")``, or how entities were found: ``("spans", "iob2-strict")``."""
    notes: tuple[Note, ...] = ()
    unusable: float | None = None
    """The fraction of answers outside the class set, which were left out or made a class."""

    def __add__(self, other: Making) -> Making:
        if other is PLAIN:
            return self
        unusable = self.unusable if other.unusable is None else other.unusable
        return Making(facts=self.facts + other.facts, notes=self.notes + other.notes, unusable=unusable)

    @property
    def text(self) -> str:
        """The facts in one phrase."""
        return ", ".join(f"{name} {value}" for name, value in self.facts) or "in the default way"


PLAIN: Final = Making()


def _merged_making(parts: Sequence[AnyCounts]) -> Making:
    """Return how the sum of counts was made; reject parts made in different ways."""
    first = parts[0].making
    if all(part.making is PLAIN for part in parts):
        return PLAIN
    for part in parts:
        if part.making.facts != first.facts:
            raise CountError(
                f"cannot add counts made in different ways ({first.text}; {part.making.text})",
                expected="counts made in one way",
            )
    notes = tuple(dict.fromkeys(note for part in parts for note in part.making.notes))
    if first.unusable is None:
        return Making(facts=first.facts, notes=notes)
    answers, unusable = 0.0, 0.0
    for part in parts:
        share, n = part.making.unusable or 0.0, sum(part.class_counts().predicted)
        if ("outside", "drop") in first.facts:
            n = n / (1 - share)  # what was left out is not in the counts
        answers, unusable = answers + n, unusable + share * n
    return Making(facts=first.facts, notes=notes, unusable=unusable / answers if answers else 0.0)


class RowSource:
    """Where counts come from, and what intervals draw from; in this base, nothing is known beyond the counts."""

    __slots__ = ("_patterns",)
    _patterns: Patterns

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was noticed when the rows were read."""
        return ()

    @property
    def is_matrix(self) -> bool:
        """Whether every label has a column of its own, so that the columns are all the labels there are."""
        return False

    @property
    def n_clusters(self) -> int | None:
        """The number of clusters; None if rows are independent."""
        return None

    def confusion(self) -> Confusion | None:
        """Return the confusion matrix; None if there is none, or it is not known."""
        return None

    def patterns(self) -> Patterns:
        """Return the distinct kinds of rows that resampling draws from: the cells, if nothing more is known."""
        cells = self.confusion()
        if cells is not None:
            return cells.patterns()
        raise CountError(
            "only tp, predicted and actual are known, not the rows behind them",
            argument="counts",
            expected="the result of score, score_file, score_frame or score_matrix, or of score_counts(Confusion)",
        )

    def kept_patterns(self) -> Patterns:
        """Return the patterns; many are kept, as intervals of several scores share most of their work."""
        if hasattr(self, "_patterns"):
            return self._patterns
        found = self.patterns()
        if len(found.amounts) > _FEW_PATTERNS:
            object.__setattr__(self, "_patterns", found)
        return found


# So few are soon made again, and there may be many results: one per group.
_FEW_PATTERNS: Final = 1_000
NO_ROWS: Final = RowSource()


@dataclass(frozen=True, init=False, repr=False, eq=False)
class ClassCounts:
    """True positives, predicted and actual per class: all that either macro F1 depends on.

    Immutable. Columns may be any buffers of numbers: tuples, lists, ``array.array`` or NumPy arrays. They are checked:
    one number per label, none negative, no tp above predicted or actual, and no label twice.

    Parameters
    ----------
    labels
        All labels seen or listed. The class set comes first, labels outside it last.
    tp, predicted, actual
        Per label: rows where gold and predicted agree on it, where it was predicted, where it is gold. As attributes,
        these are tuples of Python numbers; `columns` holds them as they were counted, which may be as arrays.
    n_rows
        Rows counted, or None if unknown (a matrix of real weights, counts copied from a paper).
    n_listed
        How many of the labels form a class set given by the user; None if the class set is the labels that occur.
    n_dropped
        Rows left out because a label was missing (``missing="drop"``).
    task
        ``"multiclass"`` or ``"multilabel"``.
    weighted
        Whether rows were given weights, integer or real; such counts can only be added to each other.
    making
        How rows became counts: which differences of labels were ignored, how answers outside the class set counted,
        how entities were found; only counts made in the same way can be added.
    rows
        What the counts come from, if that is known; a sum no longer knows it.
    weights
        How much each row counts in the mean over rows, where rows are the units and have weights; otherwise None.

    Notes
    -----
    Over units other than classes (`over` of `macrof1.count`), labels are the names of units: documents, queries, the
    numbers of rows. Rows of a sum are numbered anew.

    Examples
    --------
    >>> import macrof1
    >>> macrof1.count(["a", "b"], ["a", "a"]) + macrof1.count(["c"], ["c"])
    ClassCounts(labels=('a', 'b', 'c'), tp=[1, 0, 1], predicted=[2, 0, 1], actual=[1, 1, 1])
    """

    labels: tuple[Label | None, ...]
    columns: tuple[Column, ...]
    n_rows: int | None
    n_listed: int | None
    n_dropped: int
    task: Task
    weighted: bool
    making: Making
    rows: RowSource
    weights: Column | None
    _plain: tuple[tuple[Number, ...], ...] | None = field(default=None, init=False)

    def __init__(
        self,
        *,
        labels: Iterable[Label | None],
        tp: Iterable[Any],
        predicted: Iterable[Any],
        actual: Iterable[Any],
        n_rows: int | None = None,
        n_listed: int | None = None,
        n_dropped: int = 0,
        task: Task = "multiclass",
        weighted: bool = False,
        making: Making = PLAIN,
        rows: RowSource = NO_ROWS,
    ) -> None:
        names = tuple(labels)
        check_unique(names)
        columns = _checked_columns(names, (tp, predicted, actual))
        if n_listed is not None and not 0 <= n_listed <= len(names):
            raise CountError(f"{n_listed} of {counted(len(names), 'label')} are listed", expected="at most all of them")
        trusted_counts(
            labels=names, columns=columns, n_rows=n_rows, n_listed=n_listed, n_dropped=n_dropped, task=task,
            weighted=weighted, making=making, rows=rows, counts=self,
        )  # fmt: skip

    @classmethod
    @guarded
    def of(
        cls,
        labels: Iterable[object],
        *,
        tp: Iterable[Any],
        predicted: Iterable[Any],
        actual: Iterable[Any],
        n_rows: int | None = None,
        task: Task = "multiclass",
        over: str | None = None,
    ) -> ClassCounts:
        """Build counts of a class set from three sequences, one number per label; or of other units, named by `over`.

        Examples
        --------
        >>> ClassCounts.of(["a", "b"], tp=[1, 2], predicted=[1, 3], actual=[2, 2]).n_listed
        2
        >>> ClassCounts.of([1, 2], tp=[1, 2], predicted=[1, 3], actual=[2, 2], over="query").over
        'query'
        """
        listed = checked_labels(labels)
        facts: dict[str, Any] = {"n_listed": len(listed), "task": task}
        if over is not None:
            facts = {"task": "multilabel", "making": Making(facts=(("over", over),))}
        return cls(labels=listed, tp=tp, predicted=predicted, actual=actual, n_rows=n_rows, **facts)

    @classmethod
    def from_errors(
        cls, errors: Mapping[Any, Sequence[Any]], *, n_rows: int | None = None, task: Task = "multiclass"
    ) -> ClassCounts:
        """Build counts from true positives, false positives and false negatives, as model cards print them.

        `errors` has ``(tp, fp, fn)`` for each label; `n_rows` and `task` are those of the class, if known.

        Examples
        --------
        >>> ClassCounts.from_errors({"cat": (629, 155, 159), "dog": (10, 0, 5)})
        ClassCounts(labels=('cat', 'dog'), tp=[629, 10], predicted=[784, 10], actual=[788, 15])
        """
        if not isinstance(errors, Mapping):
            problem = f"errors is a {type(errors).__name__}"
            raise CountError(problem, argument="errors", expected='a mapping such as {"cat": (629, 155, 159)}')
        rows = [checked_column(numbers, f"the counts of class {shown(label)}") for label, numbers in errors.items()]
        for label, three in zip(errors, rows, strict=True):
            if len(three) != 3:
                raise CountError(
                    f"class {shown(label)} has {counted(len(three), 'number')}",
                    argument="errors",
                    expected="three per class: true positives, false positives, false negatives",
                )
        return cls.of(
            errors,
            tp=[t for t, _, _ in rows],
            predicted=[t + fp for t, fp, _ in rows],
            actual=[t + fn for t, _, fn in rows],
            n_rows=n_rows,
            task=task,
        )

    def _numbers(self) -> tuple[tuple[Number, ...], ...]:
        """Return the columns as Python's numbers; arrays are converted on first use."""
        if self._plain is None:
            object.__setattr__(self, "_plain", tuple(map(plain_numbers, self.columns)))
        return self._plain  # type: ignore[return-value]  # set by now

    @property
    def tp(self) -> tuple[Number, ...]:
        """Rows in which gold and predicted agree on a label."""
        return self._numbers()[0]

    @property
    def predicted(self) -> tuple[Number, ...]:
        """Rows in which a label was predicted."""
        return self._numbers()[1]

    @property
    def actual(self) -> tuple[Number, ...]:
        """Rows in which a label is gold."""
        return self._numbers()[2]

    @property
    def over(self) -> str | None:
        """The unit that the counts are of: "rows", or the name of a column; None for classes."""
        return None if self.making is PLAIN else dict(self.making.facts).get("over")

    @property
    def noun(self) -> Noun:
        """What a unit is called in a sentence."""
        return noun_of("sentence" if self.over == ROWS and self.task == "spans" else self.over)

    @property
    def n_outside(self) -> Number:
        """Gold and predicted labels outside a listed class set, each side counted separately."""
        if self.n_listed is None or self.n_listed == len(self.labels):
            return 0
        return sum(self.actual[self.n_listed :]) + sum(self.predicted[self.n_listed :])

    @property
    def real(self) -> bool:
        """Whether the counts are real numbers: sums of weights that are not all integers."""
        return is_real(self.columns[0])

    @property
    def is_empty(self) -> bool:
        """Whether every count is 0: no rows were counted, or all weights are 0."""
        return not (any(self.columns[2]) or any(self.columns[1]))

    @property
    def all_wrong(self) -> bool:
        """Whether no row is right."""
        return not any(self.columns[0])

    def class_counts(self) -> ClassCounts:
        """Return the counts themselves, as `Confusion` derives them from its cells."""
        return self

    def with_facts(self, **facts: Any) -> ClassCounts:
        """Return the same counts with other facts: another class set, or made in another way."""
        return trusted_counts(**(self.__getstate__() | facts))

    def __add__(self, other: ClassCounts) -> ClassCounts:
        return ClassCounts.total((self, other)) if isinstance(other, ClassCounts) else NotImplemented

    @staticmethod
    def total(parts: Sequence[ClassCounts]) -> ClassCounts:
        """Add counts, with the same result in any order: real weights are rounded once."""
        task = parts[0].task
        for part in parts:
            if part.task != task:
                raise CountError(f"cannot add {task} counts to {part.task} counts", expected="counts of one task")
        if any(part.over is not None and part.rows.n_clusters is not None for part in parts):
            raise CountError("counts of units in clusters cannot be added", expected="all rows counted together")
        facts = summed_facts(parts)
        if parts[0].over == ROWS:
            facts["labels"] = tuple(range(1, sum(len(part.labels) for part in parts) + 1))
            if facts["weighted"]:
                facts["weights"] = tuple(number for part in parts for number in plain_numbers(part.weights))
            joined = (tuple(chain.from_iterable(part._numbers()[place] for part in parts)) for place in range(3))
            return trusted_counts(columns=tuple(map(tuple, map(checked_sum, joined))), task=task, **facts)
        kind = float if any(part.real for part in parts) else int
        keys = [list(map(label_key, part.labels)) for part in parts]
        columns: list[Any] = []
        for place in range(3):
            amounts: dict[Any, list[Number]] = {label_key(label): [] for label in facts["labels"]}
            for part, own in zip(parts, keys, strict=True):
                for key, number in zip(own, part._numbers()[place], strict=True):
                    amounts[key].append(number)
            columns.append(tuple(checked_sum([kind(exact_sum(each)) for each in amounts.values()])))
        return trusted_counts(columns=tuple(columns), task=task, **facts)

    def __radd__(self, other: object) -> ClassCounts:
        return self if other == 0 and isinstance(other, int) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassCounts):
            return NotImplemented
        return (
            list(map(label_key, self.labels)) == list(map(label_key, other.labels))
            and (self.task, self.making.facts) == (other.task, other.making.facts)
            and (self.n_rows, self.n_listed, self.n_dropped) == (other.n_rows, other.n_listed, other.n_dropped)
            and self._numbers() == other._numbers()
            and (self.weights is None) == (other.weights is None)
            and (self.weights is None or plain_numbers(self.weights) == plain_numbers(other.weights))
        )

    __hash__ = None  # type: ignore[assignment]  # counts are compared, never used as keys

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle the fields; Python's numbers are made anew."""
        return {name: value for name, value in self.__dict__.items() if name != "_plain"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        trusted_counts(**state, counts=self)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={list(getattr(self, name)[:10])}" for name in COLUMNS)
        more = ", …" if len(self.labels) > 10 else ""
        return f"ClassCounts(labels={self.labels[:10]}, {shown}{more})"


_DEFAULTS: Final[dict[str, Any]] = {
    "n_rows": None, "n_listed": None, "n_dropped": 0, "task": "multiclass", "weighted": False, "making": PLAIN,
    "rows": NO_ROWS, "weights": None,
}  # fmt: skip


def trusted_counts(
    *, labels: tuple[Label | None, ...], columns: tuple[Column, ...], counts: ClassCounts | None = None, **facts: Any
) -> ClassCounts:
    """Make counts of columns that were just counted: tp, predicted and actual, tuples or arrays, now read-only.

    Facts are the other fields of `ClassCounts`.
    """
    # Few steps: a call on a thousand rows would notice ten.
    fields = {**_DEFAULTS, **facts, "labels": labels, "columns": columns}
    if is_array(columns[0]):
        for column in columns:
            column.setflags(False)
    if is_array(fields["weights"]):
        fields["weights"].setflags(False)
    fields["weighted"] |= is_real(columns[0])
    if counts is None:
        counts = object.__new__(ClassCounts)
    object.__setattr__(counts, "__dict__", fields)
    return counts


def noun_of(over: str | None) -> Noun:
    """Return what a unit is called: a class, a row, or as the column with the names of units is."""
    if over is None:
        return CLASS
    one = re.sub(r"[ _-]?ids?$", "", over.removeprefix(COLUMN), flags=re.IGNORECASE) or over
    # A column may be named for all of its units: rows, queries, batches.
    one = re.sub(r"(ss|sh|[nt]ch|x)es$|([^ius])s$", r"\1\2", re.sub(r"([^aeiou])(?<!ser)ies$", r"\1y", one))
    if re.search(r"[^aeiou]y$", one):
        return Noun(one, f"{one[:-1]}ies")
    return Noun(one, f"{one}es" if re.search(r"(s|x|z|ch|sh)$", one) else f"{one}s")


def is_array(column: Any) -> bool:
    """Return whether a column is an array of NumPy, which is not imported here."""
    return hasattr(column, "dtype")


def is_real(column: Column) -> bool:
    """Return whether a column holds real numbers."""
    return column.dtype.kind == "f" if is_array(column) else bool(column) and isinstance(column[0], float)


def plain_numbers(column: Column) -> tuple[Number, ...]:
    """Return a column as Python's numbers."""
    return tuple(column.tolist()) if is_array(column) else column


def _checked_columns(labels: tuple[Label | None, ...], given: Sequence[Iterable[Any]]) -> tuple[Column, ...]:
    """Return tp, predicted and actual as tuples of Python's numbers, all integers or all real."""
    columns: list[Any] = [checked_column(column, name) for column, name in zip(given, COLUMNS, strict=True)]
    if any(len(column) != len(labels) for column in columns):
        lengths = ", ".join(str(len(column)) for column in columns)
        raise CountError(
            f"{counted(len(labels), 'label')} with {lengths} counts", expected="one number per label in each column"
        )
    real = any(isinstance(number, float) for column in columns for number in column)
    columns = [tuple(map(float, column)) if real else tuple(column) for column in columns]
    for label, tp, predicted, actual in zip(labels, *columns, strict=True):
        if tp > predicted or tp > actual:
            raise CountError(
                f"class {shown(label)} has tp={tp} but predicted={predicted} and actual={actual}",
                argument="tp",
                expected="tp no larger than either",
            )
    for column in columns:
        checked_sum(column)
    return tuple(columns)


def summed_facts(parts: Sequence[AnyCounts]) -> dict[str, Any]:
    """Return what a sum of counts has besides its numbers; reject parts that cannot be added."""
    making = _merged_making(parts)
    labels, n_listed, weighted = parts[0].labels, parts[0].n_listed, parts[0].weighted
    for part in parts[1:]:
        if part.weighted != weighted:
            raise CountError(
                "cannot add counts of rows with weights to counts of rows without",
                expected=Message(Argument("sample_weight"), " for all of the rows or for none"),
                hint="a weight of 1 in every row makes counts weighted",
            )
        labels, n_listed = merge_class_sets(labels, n_listed, part.labels, part.n_listed)
    n_rows = [part.n_rows for part in parts if part.n_rows is not None]
    return {
        "labels": labels,
        "n_listed": n_listed,
        "n_rows": sum(n_rows) if len(n_rows) == len(parts) else None,
        "n_dropped": sum(part.n_dropped for part in parts),
        "weighted": weighted,
        "making": making,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedCounts:
    """Counts per group (by the values of the columns `by`, in order) and of all groups together."""

    by: tuple[str, ...]
    groups: tuple[tuple[Group, AnyCounts], ...]
    total: AnyCounts
    gold: str = UNKNOWN_GOLD  # the digest of the gold column


def group_text(by: Sequence[str], group: Group) -> str:
    """Name a group for display."""
    return ", ".join(f"{name}={value}" for name, value in zip(by, group, strict=True))


def class_counts_of(counts: AnyCounts) -> ClassCounts:
    """Return the counts per class of an object that has them, or reject it."""
    if not hasattr(counts, "class_counts"):
        raise InputError(
            f"counts is of type {type(counts).__name__}",
            argument="counts",
            given=counts,
            expected="what macrof1.count returns, a Confusion, or ClassCounts",
        )
    return counts.class_counts()


def too_large(value: object) -> CountError:
    """Report a count that does not fit in 64 bits."""
    return CountError(
        f"{shown(value)} is too large for a count",
        given=value,
        expected=f"at most 2**63 - 1 = {MOST:,}",
        hint="divide all counts by the same factor and give them as real weights",
    )


def checked_column(values: Iterable[Any], what: str) -> list[Number]:
    """Return counts as plain Python numbers; reject anything but finite, non-negative numbers."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise CountError(f"{what}: {values!r} given", expected="a sequence of numbers")
    values = plain_numbers(values)
    found: list[Number] = []
    for value in values:
        number = plain_number(value, what)
        if number < 0:
            raise CountError(f"{what}: found {shown(number)}", given=number, expected="no negative number")
        if isinstance(number, float) and not math.isfinite(number):
            raise CountError(f"{what}: found NaN or infinity", given=number, expected="finite numbers, 0 or larger")
        found.append(float(number) if isinstance(number, float) else int(number))
    check_exact(found, what)
    return found


def plain_number(value: Any, what: str) -> Number:
    """Return any kind of number as a Python integer if it is one, otherwise as the nearest float."""
    if hasattr(value, "item") and not isinstance(value, int | float):
        value = value.item()  # of NumPy
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    rational = isinstance(value, Rational) and not isinstance(value, bool)
    if rational or (isinstance(value, Decimal) and value.is_finite()):
        if isinstance(value, Decimal) and value.adjusted() > _MOST_DIGITS:
            raise too_large(value)  # before all of its digits are expanded
        try:
            whole = int(value)
            return whole if value == whole else float(value)
        except OverflowError:
            raise too_large(value) from None
    raise CountError(f"{what}: found {shown(value)}", given=value, expected="whole numbers or real weights")


def check_exact(numbers: Sequence[Any], what: str) -> None:
    """Reject integers beyond 64 bits, and those beside real weights that a real number cannot hold."""
    mixed = any(isinstance(number, float) for number in numbers)
    for number in numbers:
        if isinstance(number, int) and abs(number) > MOST:
            raise too_large(number)
        if mixed and isinstance(number, int) and abs(number) > EXACT_FLOAT:
            raise CountError(
                f"{what}: {shown(number)} stands beside real weights and is beyond 2**53, where they are no longer "
                "exact",
                given=number,
                expected="whole numbers only, or smaller ones",
            )


def exact_sum(numbers: Sequence[Number]) -> Number:
    """Sum integers exactly, and real weights with a single rounding."""
    try:
        total = sum(numbers)
        return total if isinstance(total, int) else math.fsum(numbers)
    except OverflowError:
        raise _weights_too_large(math.inf) from None


def _weights_too_large(total: float) -> CountError:
    return CountError(
        f"the weights sum to {total:g}, too large to be added up",
        expected="a total below 2**1000",
        hint="divide all weights by the same factor",
    )


def checked_sum(column: Sequence[Number]) -> Sequence[Number]:
    """Reject counts whose sum does not fit in 63 bits, and weights whose sum is nearly infinite."""
    total = sum(column)
    if isinstance(total, float):
        if not total < MOST_WEIGHT:
            raise _weights_too_large(total)
    elif total > MOST:
        raise sum_too_large()
    return column


def sum_too_large() -> CountError:
    """Report counts that fit in 64 bits, while their sum does not."""
    return CountError(
        f"the counts sum to more than 2**63 - 1 = {MOST:,}",
        expected="a total that fits 63 bits",
        hint="divide all counts by the same factor and give them as real weights",
    )
