"""Merge nearly equal labels and handle answers outside the class set before comparing systems.

As `macrof1.counting.policies` does for one system, but on joint patterns, so that all systems keep the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.confusion import Confusion
from macrof1.counting.doubts import checked_differences, few_quoted
from macrof1.counting.policies import OUTSIDE_CLASS, apply_policies, checked_outside, chosen_names, refuse_outside
from macrof1.counts import PLAIN, ClassCounts, Making, trusted_counts
from macrof1.errors import EmptyError, InputError
from macrof1.labels import Label, class_order, label_key
from macrof1.message import Argument, Note
from macrof1.sampling.patterns import LabelIncidence, Patterns, RowFacts, one_label


def apply_to_patterns(
    patterns: Patterns, names: Sequence[str], *, normalize: str | Iterable[str] = (), outside: str = "wrong"
) -> tuple[Patterns, Making]:
    """Apply both policies, and return what the signature and the notes say about it; `names` are the systems."""
    making = PLAIN
    differences = checked_differences(normalize)
    if differences:
        amounts = patterns.masses
        sides = [np.zeros(len(patterns.labels), amounts.dtype) for _ in range(2)]
        for side, touches in ((0, patterns.gold), *((1, each) for each in patterns.systems)):
            np.add.at(sides[side], touches.label, amounts[touches.pattern])
        # Not the counts of one system: how often labels occur on either side.
        counts = trusted_counts(
            labels=patterns.labels, columns=(sides[0], sides[1], sides[0]), n_rows=None, n_listed=patterns.n_listed
        )
        chosen, n_listed = chosen_names(counts, differences), patterns.n_listed
        names_of = [chosen(label) for label in patterns.labels]
        seen = {label_key(name): name for name in names_of}
        labels = class_order(seen.values(), None if n_listed is None else patterns.labels[:n_listed])
        place = {label_key(label): position for position, label in enumerate(labels)}
        to = np.array([place[label_key(name)] for name in names_of], np.int64)
        moved = [to[side.label] for side in (patterns.gold, *patterns.systems)]
        patterns = _placed(patterns, labels, moved, n_listed)
        making += Making(facts=(("normalize", ",".join(differences)),))
    if checked_outside(outside) != "wrong":
        patterns, more = _without_outside(patterns, names, outside)
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


def _without_outside(patterns: Patterns, names: Sequence[str], outside: str) -> tuple[Patterns, Making]:
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
        note = Note(
            f"{share:.1%} of the rows were left out because a system's prediction there "
            f"({few_quoted([patterns.labels[at] for at in odd.tolist()])}) lies outside the class set: the scores are "
            "those of rows that all systems answered, and flatter systems that answer only easy ones; ",
            Argument("outside", "wrong"), " counts these rows as errors.",
            code="answers_dropped",
        )  # fmt: skip
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
