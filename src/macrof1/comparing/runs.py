"""Expand several runs of a system into one column per run."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from macrof1.errors import InputError
from macrof1.message import Argument, Message


def expanded_runs(gold: Any, systems: Mapping[str, Any]) -> tuple[dict[str, Any], list[list[int]]]:
    """Return every run as a column (``a@1``, ``a@2``, …), and the positions of each system's runs.

    Examples
    --------
    >>> columns, groups = expanded_runs(["x", "y"], {"a": [["x", "x"], ["y", "y"]], "b": ["x", "y"]})
    >>> list(columns), groups
    (['a@1', 'a@2', 'b'], [[0, 1], [2]])
    """
    level = _depth(gold)
    columns: dict[str, Any] = {}
    groups = []
    for name, column in systems.items():
        several = isinstance(column, (list, tuple)) and len(column) > 0 and _depth(column) == level + 1
        runs = {f"{name}@{number}": run for number, run in enumerate(column, start=1)} if several else {name: column}
        if several and len(runs) == 1:
            runs = {name: column[0]}
        taken = set(runs).intersection(columns)
        if taken:
            raise InputError(
                Message("the runs of ", Argument("systems"), f" give two columns named {min(taken)!r}"),
                expected="other names of systems",
            )
        groups.append(list(range(len(columns), len(columns) + len(runs))))
        columns |= runs
    return columns, groups


def _depth(column: Any) -> int:
    """Return the nesting depth: 1 for a label per row, 2 for sets or an indicator matrix, one more for runs."""
    shape = getattr(column, "shape", None)
    if isinstance(shape, tuple):
        # A column vector also holds one label per row.
        return 1 if len(shape) == 2 and shape[1] == 1 else len(shape)
    if isinstance(column, AbstractSet):
        return 1
    if isinstance(column, (str, bytes)) or not hasattr(column, "__len__"):
        return 0
    if not len(column):
        return 1
    return 1 + _depth(next(iter(column)))
