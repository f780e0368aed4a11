"""The labels, weights and runs of systems, from values as a file holds them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from macrof1.counting.cells import column_labels
from macrof1.counting.joint_tables import JointRows
from macrof1.counting.set_counts import label_set, split_labels
from macrof1.counting.weights import checked_count, checked_weight
from macrof1.errors import CountError
from macrof1.reading.systems import SystemRows

# A column that holds one run of a system: the system and the number of the run.
_RUN = re.compile(r".+@\d+")


def labelled(found: SystemRows, name: str, mark: str | None = None) -> JointRows:
    """Turn the values of a file into labels, weights and counts of rows; a system may have a list of runs."""
    gold = _labels(found.gold, found.text, f"gold of {name}", mark)
    systems: dict[str, list[Any]] = {}
    for column, rows in found.systems.items():
        several = bool(rows) and isinstance(rows[0], list) and not isinstance(gold[0], set)
        where = f"system {column!r}"
        systems[column] = (
            [_labels(run, found.text, where, mark) for run in rows]
            if several
            else _labels(rows, found.text, where, mark)
        )
    times = found.times
    if "count" in found.facts:
        counts = _numbers(found, "count", checked_count)
        times = [n_rows * n for n_rows, n in zip(times, counts, strict=True)]
    return JointRows(
        gold=gold,
        systems=systems,
        amounts=times,
        weights=_numbers(found, "weight", partial(_weight, text=found.text)) if "weight" in found.facts else None,
        clusters=found.facts.get("cluster"),
    ).without_empty()


def with_runs(systems: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Group columns such as a@1 and a@2 as runs of system a."""
    stems = [name.rpartition("@")[0] if _RUN.fullmatch(name) else name for name in systems]
    found: dict[str, list[Any]] = {}
    for (name, rows), stem in zip(systems.items(), stems, strict=True):
        if stem == name or stems.count(stem) == 1:
            found[name] = rows
        else:
            found.setdefault(stem, []).append(rows)
    return found


def _labels(values: list[Any], text: bool, where: str, mark: str | None) -> list[Any]:
    """Read labels as for counting; text stays text, and label sets are lists or have a separator between labels.

    Where one file is text and another has types, all labels are text.
    """
    if mark is not None and all(value is None or isinstance(value, str) for value in values):
        return [{label for _, label in split_labels(value or "", mark, where)} for value in values]
    if values and all(isinstance(value, list) for value in values):
        return [{label for _, label in label_set(value, where)} for value in values]
    read = column_labels(where)
    if not text:
        return list(map(read, values))
    return [value if value is None or isinstance(value, str) else str(read(value)) for value in values]


def _weight(value: Any, *, text: bool) -> float:
    weight = checked_weight(value, text=text)
    return weight if isinstance(weight, int) else float(weight)


def _numbers(found: SystemRows, fact: str, read: Callable[[Any], Any]) -> list[Any]:
    """Read weights or counts, each distinct value once."""
    known: dict[Any, Any] = {}
    for value in found.facts[fact]:
        key = type(value), value
        if key not in known:
            try:
                known[key] = read(value)
            except CountError as error:
                raise error.at(found.where(fact, value)) from None
    return [known[type(value), value] for value in found.facts[fact]]
