"""The labels, weights and runs of systems, from values as a file holds them."""

from __future__ import annotations

import re
from typing import Any

from macrof1.counting.cells import column_labels
from macrof1.counting.set_counts import label_set, split_labels
from macrof1.counting.weights import checked_weight
from macrof1.errors import CountError
from macrof1.reading.systems import SystemRows

# A column that holds one run of a system: the system and the number of the run.
_RUN = re.compile(r".+@\d+")


def labelled(
    found: SystemRows, name: str, mark: str | None = None
) -> tuple[list[Any], dict[str, list[Any]], list[float] | None]:
    """Turn the values of a file into gold labels, predictions by system (or a list of runs), and weights."""
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
    return gold, systems, None if found.weights is None else _weights(found, name)


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
    """Read labels as for counting; text stays text, and label sets are lists or have a separator between labels."""
    if mark is not None and all(value is None or isinstance(value, str) for value in values):
        return [{label for _, label in split_labels(value or "", mark, where)} for value in values]
    if values and all(isinstance(value, list) for value in values):
        return [{label for _, label in label_set(value, where)} for value in values]
    return values if text else list(map(column_labels(where), values))


def _weights(found: SystemRows, name: str) -> list[float]:
    weights: list[float] = []
    for row, value in enumerate(found.weights or (), start=1):
        try:
            weight = checked_weight(value, text=found.text)
        except CountError as error:
            # The engine groups rows in any order.
            raise error.at(f"{name}, row {row}" if found.amounts is None else name) from None
        weights.append(weight if isinstance(weight, int) else float(weight))
    return weights
