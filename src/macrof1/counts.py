"""`ClassCounts`: true positives, predicted and actual per class, as plain numbers; all a macro F1 depends on.

Counts are immutable and can be added with ``+``. They know nothing about scores and need only Python itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from macrof1.convention import Task
from macrof1.errors import CountError, InputError, counted
from macrof1.labels import Label, checked_labels, label_key, merge_class_sets
from macrof1.message import Argument, Message, Note, shown

if TYPE_CHECKING:
    from macrof1.counting.confusion import Confusion

Number: TypeAlias = int | float

Rows: TypeAlias = Literal["predicted", "gold"]
"""What a row of a confusion matrix is."""

Group: TypeAlias = tuple[Any, ...]
"""The values of the grouping columns, in the order of these columns."""

COLUMNS: Final = ("tp", "predicted", "actual")

# The largest signed 64-bit integer: counts can always be converted to an array.
MOST: Final = 2**63 - 1
EXACT_FLOAT: Final = 2**53
# Sums of a few totals must not overflow.
MOST_WEIGHT: Final = 2.0**1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """How rows became counts, if not in the default way.

    Attributes
    ----------
    facts
        What a signature adds: ``("normalize", "case")``, or how entities were found: ``("spans", "iob2-strict")``.
    notes
        What was noticed along the way.
    unusable
        Fraction of the answers that lay outside the class set and were left out or made a class.
    """

    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[Note, ...] = ()
    unusable: float | None = None

    def __add__(self, other: Making) -> Making:
        """Combine two steps."""
        return Making(
            facts=self.facts + other.facts,
            notes=self.notes + other.notes,
            unusable=self.unusable if other.unusable is None else other.unusable,
        )

    @property
    def text(self) -> str:
        """The facts in one phrase."""
        return ", ".join(f"{name} {value}" for name, value in self.facts) or "in the default way"


PLAIN: Final = Making()


def _merged_making(parts: Sequence[Confusion | ClassCounts]) -> Making:
    """Return how the sum of counts was made; reject parts made in different ways."""
    first = parts[0].making
    if all(part.making is first for part in parts):
        return first if first is PLAIN or first.unusable is None else _with_all_answers(parts)
    for part in parts:
        if part.making.facts != first.facts:
            raise CountError(
                f"cannot add counts made in different ways ({first.text}; {part.making.text})",
                expected="counts made in one way",
            )
    return _with_all_answers(parts)


def _with_all_answers(parts: Sequence[Confusion | ClassCounts]) -> Making:
    """Add the answers outside the class set: those that were left out are not in the counts."""
    first = parts[0].making
    notes = tuple(dict.fromkeys(note for part in parts for note in part.making.notes))
    if first.unusable is None:
        return Making(facts=first.facts, notes=notes)
    answers, unusable = 0.0, 0.0
    for part in parts:
        share = part.making.unusable or 0.0
        kept = sum(part.class_counts().predicted)
        every = kept / (1 - share) if ("outside", "drop") in first.facts else kept
        answers, unusable = answers + every, unusable + share * every
    return Making(facts=first.facts, notes=notes, unusable=unusable / answers if answers else 0.0)


class HasClassCounts(Protocol):
    """Anything with counts per class, such as the cells of a confusion matrix."""

    def class_counts(self) -> ClassCounts:
        """Return tp, predicted and actual per class."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassCounts:
    """True positives, predicted and actual per class: all that either macro F1 depends on.

    Attributes
    ----------
    labels
        All labels seen or listed. The class set comes first, labels outside it last.
    tp, predicted, actual
        Per label: rows where gold and predicted agree on it, where it was predicted, where it is gold.
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

    Examples
    --------
    >>> import macrof1
    >>> macrof1.count(["a", "b"], ["a", "a"]) + macrof1.count(["c"], ["c"])
    ClassCounts(labels=('a', 'b', 'c'), tp=[1, 0, 1], predicted=[2, 0, 1], actual=[1, 1, 1])
    """

    labels: tuple[Label | None, ...]
    tp: tuple[Number, ...]
    predicted: tuple[Number, ...]
    actual: tuple[Number, ...]
    n_rows: int | None = None
    n_listed: int | None = None
    n_dropped: int = 0
    task: Task = "multiclass"
    weighted: bool = False
    making: Making = PLAIN

    @classmethod
    def of(
        cls,
        labels: Iterable[object],
        *,
        tp: Iterable[Any],
        predicted: Iterable[Any],
        actual: Iterable[Any],
        n_rows: int | None = None,
        task: Task = "multiclass",
    ) -> ClassCounts:
        """Build validated counts from three sequences, one number per label.

        Examples
        --------
        >>> ClassCounts.of(["a", "b"], tp=[1, 2], predicted=[1, 3], actual=[2, 2]).n_listed
        2
        """
        listed = checked_labels(labels)
        columns = [checked_column(column, name) for column, name in zip((tp, predicted, actual), COLUMNS, strict=True)]
        if any(len(column) != len(listed) for column in columns):
            lengths = ", ".join(str(len(column)) for column in columns)
            raise CountError(
                f"{counted(len(listed), 'label')} with {lengths} counts", expected="one number per label in each column"
            )
        for label, hits, n_predicted, n_actual in zip(listed, *columns, strict=True):
            if hits > min(n_predicted, n_actual):
                raise CountError(
                    f"class {label!r} has tp={hits} but predicted={n_predicted} and actual={n_actual}",
                    argument="tp",
                    expected="tp no larger than either",
                )
        weighted = any(isinstance(number, float) for column in columns for number in column)
        if weighted:
            columns = [list(map(float, column)) for column in columns]
        found = [tuple(checked_sum(column)) for column in columns]
        return ClassCounts(
            labels=listed,
            tp=found[0],
            predicted=found[1],
            actual=found[2],
            n_rows=n_rows,
            n_listed=len(listed),
            task=task,
            weighted=weighted,
        )

    @classmethod
    def from_errors(
        cls, errors: Mapping[Any, Sequence[Any]], *, n_rows: int | None = None, task: Task = "multiclass"
    ) -> ClassCounts:
        """Build counts from true positives, false positives and false negatives, as model cards print them.

        Parameters
        ----------
        errors
            For each label ``(tp, fp, fn)``.
        n_rows, task
            As in the class, if known.

        Examples
        --------
        >>> ClassCounts.from_errors({"cat": (629, 155, 159), "dog": (10, 0, 5)})
        ClassCounts(labels=('cat', 'dog'), tp=[629, 10], predicted=[784, 10], actual=[788, 15])
        """
        rows = []
        for label, numbers in errors.items():
            three = checked_column(numbers, f"the counts of class {label!r}")
            if len(three) != 3:
                raise CountError(
                    f"class {label!r} has {counted(len(three), 'number')}",
                    argument="errors",
                    expected="three per class: true positives, false positives, false negatives",
                )
            rows.append(three)
        return cls.of(
            errors,
            tp=[t for t, _, _ in rows],
            predicted=[t + fp for t, fp, _ in rows],
            actual=[t + fn for t, _, fn in rows],
            n_rows=n_rows,
            task=task,
        )

    @property
    def n_outside(self) -> Number:
        """Gold and predicted labels outside a listed class set, each side counted separately."""
        if self.n_listed is None or self.n_listed == len(self.labels):
            return 0
        return sum(self.actual[self.n_listed :]) + sum(self.predicted[self.n_listed :])

    @property
    def real(self) -> bool:
        """Whether the counts are real numbers: sums of weights that are not all integers."""
        return bool(self.tp) and isinstance(self.tp[0], float)

    @property
    def is_empty(self) -> bool:
        """Whether every count is 0: no rows were counted, or all weights are 0."""
        return not any(self.actual) and not any(self.predicted)

    @property
    def all_wrong(self) -> bool:
        """Whether no row is right."""
        return not any(self.tp)

    def class_counts(self) -> ClassCounts:
        """Return the counts themselves, as `Confusion` derives them from its cells."""
        return self

    def with_facts(self, **facts: Any) -> ClassCounts:
        """Return the same counts with other facts: another class set, or made in another way."""
        found = copy(self)
        for name, value in facts.items():
            object.__setattr__(found, name, value)
        return found

    def mean_f1_at_once(self, undefined: int) -> float | None:  # noqa: ARG002 - subclasses use it
        """Return the mean F1 of the class set if this kind of counts has a faster way to compute it, else None."""
        return None

    def __add__(self, other: ClassCounts) -> ClassCounts:
        """Add counts of more data; label sets may differ."""
        return ClassCounts.total((self, other)) if isinstance(other, ClassCounts) else NotImplemented

    @staticmethod
    def total(parts: Sequence[ClassCounts]) -> ClassCounts:
        """Add counts, with the same result in any order: real weights are rounded once."""
        task = parts[0].task
        for part in parts:
            if part.task != task:
                raise CountError(f"cannot add {task} counts to {part.task} counts", expected="counts of one task")
        facts = summed_facts(parts)
        kind = float if any(part.real for part in parts) else int
        keys = [list(map(label_key, part.labels)) for part in parts]
        columns: dict[str, Any] = {}
        for name in COLUMNS:
            amounts: dict[Any, list[Number]] = {label_key(label): [] for label in facts["labels"]}
            for part, own in zip(parts, keys, strict=True):
                for key, number in zip(own, getattr(part, name), strict=True):
                    amounts[key].append(number)
            columns[name] = tuple(checked_sum([kind(exact_sum(each)) for each in amounts.values()]))
        return ClassCounts(task=task, **columns, **facts)

    def __radd__(self, other: object) -> ClassCounts:
        """Let ``sum()`` start from 0."""
        return self if other == 0 and isinstance(other, int) else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Compare labels with their types, and every count."""
        if not isinstance(other, ClassCounts):
            return NotImplemented
        return (
            list(map(label_key, self.labels)) == list(map(label_key, other.labels))
            and (self.task, self.making.facts) == (other.task, other.making.facts)
            and (self.n_rows, self.n_listed, self.n_dropped) == (other.n_rows, other.n_listed, other.n_dropped)
            and all(getattr(self, name) == getattr(other, name) for name in COLUMNS)
        )

    __hash__ = None  # type: ignore[assignment]  # counts are compared, never used as keys

    def __repr__(self) -> str:
        """Show labels and counts, abbreviated if there are many."""
        shown = ", ".join(f"{name}={list(getattr(self, name)[:10])}" for name in COLUMNS)
        more = ", …" if len(self.labels) > 10 else ""
        return f"ClassCounts(labels={self.labels[:10]}, {shown}{more})"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NotedCounts(ClassCounts):
    """Counts with what was noticed when they were made, which a score of them says."""

    notes: tuple[Note, ...] = ()


def summed_facts(parts: Sequence[Confusion | ClassCounts]) -> dict[str, Any]:
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
    """Counts per group and of all groups together, from one pass over the data.

    Attributes
    ----------
    by
        Names of the grouping columns.
    groups
        Key and counts of each group, in the order of the keys.
    total
        The pooled counts.
    """

    by: tuple[str, ...]
    groups: tuple[tuple[Group, Confusion | ClassCounts], ...]
    total: Confusion | ClassCounts


def group_text(by: Sequence[str], group: Group) -> str:
    """Name a group for display."""
    return ", ".join(f"{name}={value}" for name, value in zip(by, group, strict=True))


def class_counts_of(counts: ClassCounts | HasClassCounts) -> ClassCounts:
    """Return the counts per class of an object that has them, or reject it."""
    if isinstance(counts, ClassCounts):
        return counts
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
    """Return counts as plain Python numbers; reject anything but finite, non-negative numbers.

    Examples
    --------
    >>> checked_column([3, 0.5], "tp")
    [3, 0.5]
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise CountError(f"{what}: {values!r} given", expected="a sequence of numbers")
    found: list[Number] = []
    for value in values:
        number = value.item() if hasattr(value, "item") and not isinstance(value, int | float) else value
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise CountError(f"{what}: found {shown(value)}", given=value, expected="whole numbers or real weights")
        if number < 0:
            raise CountError(f"{what}: found {shown(number)}", given=number, expected="no negative number")
        if isinstance(number, float) and not math.isfinite(number):
            raise CountError(f"{what}: found NaN or infinity", given=number, expected="finite numbers, 0 or larger")
        found.append(float(number) if isinstance(number, float) else int(number))
    check_exact(found, what)
    return found


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


def checked_sum(column: list[Number]) -> list[Number]:
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
