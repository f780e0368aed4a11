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
from macrof1.counts import (
    PLAIN,
    AnyCounts,
    ClassCounts,
    GroupedCounts,
    Making,
    class_counts_of,
    exact_sum,
    trusted_counts,
)
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
    InputError.one_of("outside", outside, OUTSIDE)
    return checked_differences(normalize)


def _applied(
    counts: Any, name: Callable[[Any], Any] | None, outside: str, classes: tuple[Any, ...] | None
) -> tuple[Any, Making]:
    """Apply both policies to the counts of one system: its cells are rows that many have in common."""
    if name is not None and isinstance(counts.rows, SetRows):
        counts, name = counts.rows.renamed(name), None
    if name is None and outside == "wrong":
        return counts, PLAIN
    if isinstance(counts, ClassCounts):
        given = Argument("outside" if name is None else "normalize")
        raise InputError(Message(given, " with counts that have no confusion matrix"), expected="one label per row")
    cells = counts.confusion()
    gold, pred = np.divmod(cells.index, len(cells.labels))
    rows = Patterns(labels=cells.labels, amounts=cells.cells, n_listed=cells.n_listed, **one_label(gold, [pred]))
    left, making = rows if name is None else _renamed(rows, name, classes), PLAIN
    if outside != "wrong":
        left, making = _answered(left, None, outside)
    if left is rows:
        return cells, making
    sides = ([left.labels[at] for at in side.label.tolist()] for side in (left.gold, *left.systems))
    found = Confusion.from_cells(
        zip(*sides, left.amounts.tolist(), strict=True),
        labels=None if left.n_listed is None else left.labels[: left.n_listed],
        n_rows=cells.n_rows if len(left.amounts) == len(rows.amounts) else None,
        n_dropped=cells.n_dropped,
        weighted=cells.weighted,
        checked=False,
    )
    return replace(found, notes=cells.notes), making


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


def apply_to_patterns(
    patterns: Patterns, names: Sequence[str], *, normalize: str | Iterable[str] = (), outside: str = "wrong"
) -> tuple[Patterns, Making]:
    """Apply both policies, and return what the signature and the notes say about it; `names` are the systems."""
    making, differences = PLAIN, _checked(normalize, outside)
    if differences:
        sides = (patterns.gold, *patterns.systems)
        times = [np.bincount(side.label, patterns.masses[side.pattern], len(patterns.labels)) for side in sides]
        # Not the counts of one system: how often labels occur on either side.
        columns = times[0], sum(times[1:]), times[0]
        counts = trusted_counts(
            labels=patterns.labels, columns=columns, n_rows=None, n_listed=patterns.n_listed, task=patterns.task
        )
        name, classes, making = chosen_names(counts, differences)
        patterns = _renamed(patterns, name, classes)
    if outside != "wrong":
        patterns, more = _answered(patterns, names, outside)
        making += replace(more, unusable=None)  # it is that of one system
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


def _renamed(patterns: Patterns, name: Callable[[Any], Any], classes: tuple[Any, ...] | None) -> Patterns:
    """Rename labels; `classes` are those to list, if not the ones that are listed already."""
    n_listed, names = patterns.n_listed, list(map(name, patterns.labels))
    listed = patterns.labels[:n_listed] if classes is None and n_listed is not None else classes
    n_listed = None if listed is None else len(listed)
    labels = class_order(names, listed)
    place = {label_key(label): position for position, label in enumerate(labels)}
    to = np.array([place[label_key(each)] for each in names], np.int64)
    return _placed(patterns, labels, [to[side.label] for side in (patterns.gold, *patterns.systems)], n_listed)


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


def _answered(patterns: Patterns, names: Sequence[str] | None, outside: str) -> tuple[Patterns, Making]:
    """Handle answers outside the class set, of several systems by their names, or of one alone."""
    n = patterns.n_listed
    if patterns.task == "multilabel":
        raise InputError.beside("outside", "gold", expected="it with one label per row, not with sets")
    if n is None:
        raise InputError(
            Message(Argument("outside", outside), " without a class set"),
            expected=Message("the classes, in ", Argument("labels")),
        )
    strange = [side.label >= n for side in patterns.systems]
    at = next((place for place, rows in enumerate(strange) if rows.any()), 0)
    sides = patterns.systems
    if outside == "error":  # it names the first system that has such answers
        sides, strange = sides[at : at + 1], strange[at : at + 1]
    gone = np.logical_or.reduce(strange)
    share = exact_sum(patterns.amounts[gone].tolist()) / (exact_sum(patterns.amounts.tolist()) or 1)
    making = Making(facts=(("outside", outside),), unusable=share)
    if not gone.any():
        return patterns, making
    odd = np.unique(np.concatenate([side.label[rows] for side, rows in zip(sides, strange, strict=True)]))
    answers = few_quoted([patterns.labels[place] for place in odd.tolist()])
    if outside == "error":
        whose = "" if names is None else f"system {names[at]!r}: "
        raise LabelError(
            f"{whose}{counted(len(odd), 'predicted label')} outside the class set ({answers}), in {share:.1%} of the "
            "rows",
            argument="outside",
            expected="predictions from the listed classes",
            hint=Message(Argument("outside", "wrong"), " counts them as errors"),
        )
    if outside == "drop":
        if gone.all():
            raise EmptyError("on every row a prediction lies outside the class set", expected="a row where none does")
        note = Note(
            f"{share:.1%} of the rows were left out because predictions there ({answers}) lie outside the class set: "
            "the scores are those of the rows that are left, and flatter systems that answer only easy ones; ",
            Argument("outside", "wrong"), " counts these rows as errors.",
            code="answers_dropped",
        )  # fmt: skip
        at_rows = np.flatnonzero(~gone)
        kept = RowFacts(patterns.weights, patterns.clusters).at(at_rows)
        left = replace(
            patterns,
            amounts=patterns.amounts[at_rows],
            weights=kept.weights,
            clusters=None if kept.clusters is None else np.unique(kept.clusters, return_inverse=True)[1],
            **one_label(patterns.gold.label[at_rows], [side.label[at_rows] for side in patterns.systems]),
        )
        return left, replace(making, notes=(note,))
    labels = (*patterns.labels[:n], OUTSIDE_CLASS, *patterns.labels[n:])
    shifted = [side.label + (side.label >= n) for side in (patterns.gold, *patterns.systems)]
    for places, rows in zip(shifted[1:], strange, strict=True):
        places[rows] = n
    return _placed(patterns, labels, shifted, n + 1), making
