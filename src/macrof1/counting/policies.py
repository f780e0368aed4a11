"""Policies applied before scoring: merging nearly equal labels, and handling answers outside the class set.

Both work on counted cells, not on rows, so they mean the same for lists, files and data frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args

from macrof1.counting.cells import SetRows
from macrof1.counting.confusion import Confusion
from macrof1.counting.doubts import Difference, check_that_labels_meet, checked_differences, few_quoted, normal_form
from macrof1.counts import PLAIN, AnyCounts, ClassCounts, GroupedCounts, Making, class_counts_of
from macrof1.errors import EmptyError, InputError, LabelError, counted
from macrof1.labels import Label, label_key
from macrof1.message import Argument, Message, Note

Outside: TypeAlias = Literal["wrong", "error", "drop", "class"]
"""How an answer outside the class set counts: as wrong, as an error, left out with its row, or as its own class."""

OUTSIDE: Final[tuple[Outside, ...]] = get_args(Outside)
OUTSIDE_CLASS: Final = "(outside)"

_Counts = TypeVar("_Counts", bound=AnyCounts)


def apply_policies(
    counts: _Counts, *, normalize: str | Iterable[str] = (), outside: str = "wrong"
) -> tuple[_Counts | Confusion, Making]:
    """Return the counts after both policies, and what the signature and the notes say; as in `macrof1.score`."""
    differences = checked_differences(normalize)
    checked_outside(outside)
    making = counts.making
    name = None
    if differences:
        name = chosen_names(class_counts_of(counts), differences)
        making += Making(facts=(("normalize", ",".join(differences)),))
    else:
        check_that_labels_meet(counts)
    found, more = _applied(counts, name, outside)
    return found, making if more is PLAIN else making + more


def _applied(counts: Any, name: Callable[[Any], Any] | None, outside: str) -> tuple[Any, Making]:
    if name is not None and isinstance(counts.rows, SetRows):
        counts = counts.rows.renamed(name)
    elif name is not None:
        cells = _cells(counts, "normalize")
        records = [(name(gold), name(pred), amount) for gold, pred, amount in cells.records()]
        counts = _rebuilt(cells, records, _listed(cells), cells.n_rows)
    return (counts, PLAIN) if outside == "wrong" else _without_outside(_cells(counts, "outside"), outside)


def checked_outside(outside: str) -> str:
    """Return the policy, or reject an unknown one."""
    if outside not in OUTSIDE:
        raise InputError.unknown_value("outside", outside, OUTSIDE)
    return outside


def apply_to_groups(
    grouped: GroupedCounts, *, normalize: str | Iterable[str] = (), outside: str = "wrong"
) -> tuple[GroupedCounts, Making]:
    """Apply both policies to every group as to the whole data: a label has the same name in every group."""
    total, making = apply_policies(grouped.total, normalize=normalize, outside=outside)
    differences = checked_differences(normalize)
    name = chosen_names(class_counts_of(grouped.total), differences) if differences else None
    groups = tuple((key, _applied(part, name, outside)[0]) for key, part in grouped.groups)
    return GroupedCounts(by=grouped.by, groups=groups, total=total), making


def _cells(counts: Any, argument: str) -> Confusion:
    if isinstance(counts, ClassCounts):
        raise InputError(
            Message(Argument(argument), " with counts that have no confusion matrix"), expected="one label per row"
        )
    return counts.confusion()  # type: ignore[no-any-return]  # the cells, or what counts them


def _listed(cells: Confusion) -> Sequence[Label | None] | None:
    return None if cells.n_listed is None else cells.labels[: cells.n_listed]


def _rebuilt(cells: Confusion, records: Iterable[Any], labels: Sequence[Any] | None, n_rows: int | None) -> Confusion:
    found = Confusion.from_cells(
        records, labels=labels, n_rows=n_rows, n_dropped=cells.n_dropped, weighted=cells.weighted, checked=False
    )
    return replace(found, notes=cells.notes)


def chosen_names(tallied: ClassCounts, differences: tuple[Difference, ...]) -> Callable[[Any], Any]:
    """Choose one name for labels that are otherwise equal: the listed one, or the most frequent in gold."""
    n_listed, labels = tallied.n_listed or 0, tallied.labels
    order = sorted(range(len(labels)), key=lambda at: (at >= n_listed, -tallied.actual[at], -tallied.predicted[at], at))
    names: dict[Any, Any] = {}
    for at in order:
        names.setdefault(label_key(normal_form(labels[at], differences)), labels[at])
    for label in labels[:n_listed]:
        other = names[label_key(normal_form(label, differences))]
        if label_key(other) != label_key(label):
            raise LabelError(
                Message(f"the listed labels {other!r} and {label!r} are one under ", Argument("normalize")),
                argument="labels",
                expected="every class once",
            )

    return lambda label: names.get(label_key(normal_form(label, differences)), label)


def refuse_outside(
    outside: str, names: Sequence[Any] | None = None, share: float = 0.0, *, whose: str = ""
) -> InputError:
    """Say which answers lie outside the class set; without `names`, that there are none."""
    if names is None:
        return InputError(
            Message(Argument("outside", outside), " without a class set"),
            expected=Message("the classes, in ", Argument("labels")),
        )
    return LabelError(
        f"{whose}{counted(len(names), 'predicted label')} outside the class set ({few_quoted(names)}), in {share:.1%} "
        "of the rows",
        argument="outside",
        expected="predictions from the listed classes",
        hint=Message(Argument("outside", "wrong"), " counts them as errors"),
    )


def _without_outside(cells: Confusion, outside: str) -> tuple[Confusion, Making]:
    listed = _listed(cells)
    if listed is None:
        raise refuse_outside(outside)
    inside = set(map(label_key, listed))
    records = cells.records()
    strange = [(pred, amount) for _, pred, amount in records if label_key(pred) not in inside]
    total = sum(amount for *_, amount in records)
    n_strange = sum(amount for _, amount in strange)
    share = n_strange / total if total else 0.0
    names = list(dict.fromkeys(label for label, _ in strange))
    if outside == "error" and strange:
        raise refuse_outside(outside, names, share)
    making = Making(facts=(("outside", outside),), unusable=share)
    if not strange:
        return cells, making
    if outside == "drop":
        kept = [record for record in records if label_key(record[1]) in inside]
        if not kept:
            raise EmptyError("every prediction lies outside the class set", expected="a prediction from it")
        n_rows = None if cells.n_rows is None or cells.weighted else sum(int(amount) for *_, amount in kept)
        note = Note(
            f"{share:.1%} of the rows were left out because their predictions ({few_quoted(names)}) lie outside the "
            "class set: the scores are those of the answered rows, and flatter a system that answers only easy ones; ",
            Argument("outside", "wrong"), " counts these rows as errors.",
            code="answers_dropped",
        )  # fmt: skip
        return _rebuilt(cells, kept, listed, n_rows), making + Making(notes=(note,))
    as_class = [(gold, pred if label_key(pred) in inside else OUTSIDE_CLASS, n) for gold, pred, n in records]
    return _rebuilt(cells, as_class, [*listed, OUTSIDE_CLASS], cells.n_rows), making
