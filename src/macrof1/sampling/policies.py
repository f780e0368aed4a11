"""Policies applied before scoring: merging nearly equal labels, and handling answers outside the class set.

For one system both work on counted cells, not on rows, so they mean the same for lists, files and data frames; for
several systems on joint patterns, so that all systems keep the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.answers import answer_reader
from macrof1.counting.cells import SetRows
from macrof1.counting.confusion import Confusion
from macrof1.counting.doubts import Difference, check_that_labels_meet, checked_differences, few_quoted, normal_form
from macrof1.counts import PLAIN, AnyCounts, ClassCounts, GroupedCounts, Making, class_counts_of, trusted_counts
from macrof1.errors import EmptyError, InputError, LabelError, counted
from macrof1.labels import Label, class_order, label_key
from macrof1.message import Argument, Message, Note
from macrof1.sampling.patterns import LabelIncidence, Patterns, RowFacts, one_label

Outside: TypeAlias = Literal["wrong", "error", "drop", "class"]
"""How an answer outside the class set counts: as wrong, as an error, left out with its row, or as its own class."""

OUTSIDE: Final[tuple[Outside, ...]] = get_args(Outside)
OUTSIDE_CLASS: Final = "(outside)"

_Counts = TypeVar("_Counts", bound=AnyCounts)


def apply_policies(
    counts: _Counts, *, normalize: str | Iterable[str] = (), outside: str = "wrong"
) -> tuple[_Counts | Confusion, Making]:
    """Return the counts after both policies, and what the signature and the notes say; as in `macrof1.score`."""
    alone = GroupedCounts(by=(), groups=(), total=counts)
    found, making = apply_to_groups(alone, normalize=normalize, outside=outside)
    return found.total, making  # type: ignore[return-value]  # the same kind of counts, or cells


def _checked(normalize: str | Iterable[str], outside: str) -> tuple[Difference, ...]:
    if outside not in OUTSIDE:
        raise InputError.unknown_value("outside", outside, OUTSIDE)
    return checked_differences(normalize)


def _applied(
    counts: Any, name: Callable[[Any], Any] | None, outside: str, classes: Sequence[Any] | None
) -> tuple[Any, Making]:
    if name is not None and isinstance(counts.rows, SetRows):
        counts = counts.rows.renamed(name)
    elif name is not None:
        cells = _cells(counts, "normalize")
        records = [(name(gold), name(pred), amount) for gold, pred, amount in cells.records()]
        counts = _rebuilt(cells, records, _listed(cells) if classes is None else classes, cells.n_rows)
    return (counts, PLAIN) if outside == "wrong" else _without_outside(_cells(counts, "outside"), outside)


def apply_to_groups(
    grouped: GroupedCounts, *, normalize: str | Iterable[str] = (), outside: str = "wrong"
) -> tuple[GroupedCounts, Making]:
    """Apply both policies to every group as to the whole data: a label has the same name in every group."""
    differences, making, name, classes = _checked(normalize, outside), grouped.total.making, None, None
    if differences:
        name, classes, more = chosen_names(class_counts_of(grouped.total), differences)
        making += more
    else:
        check_that_labels_meet(grouped.total)
    total, more = _applied(grouped.total, name, outside, classes)
    making = making if more is PLAIN else making + more
    groups = tuple((key, _applied(part, name, outside, classes)[0]) for key, part in grouped.groups)
    return replace(grouped, groups=groups, total=total), making


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


def chosen_names(
    tallied: ClassCounts, differences: tuple[Difference, ...]
) -> tuple[Callable[[Any], Any], tuple[Any, ...] | None, Making]:
    """Choose one name for labels that are otherwise equal: the listed one, or the most frequent in gold.

    Where classes are read out of answers, return them too: those listed, or else those of gold. A note says how many
    answers could not be read.
    """
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

    def chosen(label: Any) -> Any:
        return names.get(label_key(normal_form(label, differences)), label)

    plain = ",".join(each for each in differences if each != "extract")
    making = Making(facts=(("normalize", plain),) if plain else ())
    if "extract" not in differences:
        return chosen, None, making
    if tallied.task == "multilabel":
        raise InputError.beside("extract", "gold", expected="it with one label per row, not with sets")
    gold = [chosen(label) for label, n in zip(labels, tallied.actual, strict=True) if n]
    classes = tuple(labels[:n_listed] or {label_key(label): label for label in gold}.values())
    read = answer_reader(classes, lambda label: normal_form(label, differences))

    def named(label: Any) -> Any:
        found = read(chosen(label))
        return chosen(label) if found is None else found

    inside = set(map(label_key, classes))
    answers = [(label, n) for label, n in zip(labels, tallied.predicted, strict=True) if n]
    unread = [(label, n) for label, n in answers if label_key(named(label)) not in inside]
    total, lost = sum(n for _, n in answers), sum(n for _, n in unread)
    found = sum(n for label, n in answers if label_key(label) not in inside) - lost
    told = f"{found:,.10g} of {total:,.10g} answers were read out of other text or spelling; {lost:,.10g} could not be"
    then = (f" read ({few_quoted([label for label, _ in unread])}): ", Argument("outside"), " says how these count.")
    note = Note(told, *(then if unread else (" read.",)), code="extracted")
    return named, classes, making + Making(facts=(("extract", "yes"),), notes=(note,))


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
        return _rebuilt(cells, kept, listed, n_rows), replace(making, notes=(_left_out(share, names),))
    as_class = [(gold, pred if label_key(pred) in inside else OUTSIDE_CLASS, n) for gold, pred, n in records]
    return _rebuilt(cells, as_class, [*listed, OUTSIDE_CLASS], cells.n_rows), making


def _left_out(share: float, names: Sequence[Any]) -> Note:
    return Note(
        f"{share:.1%} of the rows were left out because predictions there ({few_quoted(names)}) lie outside the class "
        "set: the scores are those of the rows that are left, and flatter systems that answer only easy ones; ",
        Argument("outside", "wrong"), " counts these rows as errors.",
        code="answers_dropped",
    )  # fmt: skip


def apply_to_patterns(
    patterns: Patterns, names: Sequence[str], *, normalize: str | Iterable[str] = (), outside: str = "wrong"
) -> tuple[Patterns, Making]:
    """Apply both policies, and return what the signature and the notes say about it; `names` are the systems."""
    making, differences = PLAIN, _checked(normalize, outside)
    if differences:
        sides, n_listed = (patterns.gold, *patterns.systems), patterns.n_listed
        times = [np.bincount(side.label, patterns.masses[side.pattern], len(patterns.labels)) for side in sides]
        # Not the counts of one system: how often labels occur on either side.
        columns = times[0], sum(times[1:]), times[0]
        counts = trusted_counts(
            labels=patterns.labels, columns=columns, n_rows=None, n_listed=n_listed, task=patterns.task
        )
        chosen, classes, more = chosen_names(counts, differences)
        making += more
        names_of = [chosen(label) for label in patterns.labels]
        seen = {label_key(name): name for name in names_of}
        listed = patterns.labels[:n_listed] if classes is None and n_listed is not None else classes
        n_listed = None if listed is None else len(listed)
        labels = class_order(seen.values(), listed)
        place = {label_key(label): position for position, label in enumerate(labels)}
        to = np.array([place[label_key(name)] for name in names_of], np.int64)
        moved = [to[side.label] for side in sides]
        patterns = _placed(patterns, labels, moved, n_listed)
    if outside != "wrong":
        patterns, more = _answered(patterns, names, outside)
        making += more
    return patterns, making


def apply_to_counts(
    systems: Mapping[str, Confusion | ClassCounts], *, normalize: str | Iterable[str], outside: str
) -> tuple[dict[str, Confusion | ClassCounts], Making]:
    """Apply both policies to the counts of every system."""
    found, notes, facts = {}, [], PLAIN.facts
    for name, counts in systems.items():
        found[name], making = apply_policies(counts, normalize=normalize, outside=outside)
        notes += [Note(f"System {name}: ", note, code=note.code) for note in making.notes]
        facts = making.facts
    return found, Making(facts=facts, notes=tuple(notes))


def _placed(
    patterns: Patterns, labels: tuple[Label | None, ...], places: list[NDArray[np.int64]], n_listed: int | None
) -> Patterns:
    """Move labels to new positions; a row with two labels that are now the same has it once."""
    n = len(labels)
    keys = [
        np.unique(side.pattern * n + at) for side, at in zip((patterns.gold, *patterns.systems), places, strict=True)
    ]
    gold, *systems = (LabelIncidence(key // n, key % n) for key in keys)
    hits = tuple(np.isin(key, keys[0], assume_unique=True) for key in keys[1:])
    return replace(patterns, labels=labels, gold=gold, systems=tuple(systems), hits=hits, n_listed=n_listed)


def _answered(patterns: Patterns, names: Sequence[str], outside: str) -> tuple[Patterns, Making]:
    n = patterns.n_listed
    if patterns.task == "multilabel":
        raise InputError.beside("outside", "gold", expected="it with one label per row, not with sets")
    if n is None:
        raise refuse_outside(outside)
    making = Making(facts=(("outside", outside),))
    strange = [side.label >= n for side in patterns.systems]
    if not any(rows.any() for rows in strange):
        return patterns, making
    if outside == "error":
        at = next(place for place, rows in enumerate(strange) if rows.any())
        side = patterns.systems[at]
        found = [patterns.labels[place] for place in np.unique(side.label[strange[at]]).tolist()]
        rows = patterns.amounts[side.pattern[strange[at]]].sum() / patterns.n_rows
        raise refuse_outside(outside, found, float(rows), whose=f"system {names[at]!r}: ")
    if outside == "drop":
        gone = np.logical_or.reduce(strange)
        if gone.all():
            raise EmptyError(
                "on every row some system predicts outside the class set", expected="a row with predictions from it"
            )
        share = patterns.amounts[gone].sum() / patterns.n_rows
        odd = np.unique(np.concatenate([side.label[at] for side, at in zip(patterns.systems, strange, strict=True)]))
        note = _left_out(share, [patterns.labels[at] for at in odd.tolist()])
        rows = np.flatnonzero(~gone)
        kept = RowFacts(patterns.weights, patterns.clusters, patterns.amounts).at(rows)
        left = replace(
            patterns,
            amounts=patterns.amounts[rows],
            weights=kept.weights,
            clusters=None if kept.clusters is None else np.unique(kept.clusters, return_inverse=True)[1],
            **one_label(patterns.gold.label[rows], [side.label[rows] for side in patterns.systems]),
        )
        return left, replace(making, notes=(note,))
    labels = (*patterns.labels[:n], OUTSIDE_CLASS, *patterns.labels[n:])
    shifted = [side.label + (side.label >= n) for side in (patterns.gold, *patterns.systems)]
    for places, rows in zip(shifted[1:], strange, strict=True):
        places[rows] = n
    return _placed(patterns, labels, shifted, n + 1), making
