"""Several runs (seeds) of each system on the same rows: columns per run, and how far a mean over runs may be off.

Rows and runs are both samples, and crossed: every run predicts every row. With φ_si the change in the score of run s
due to row i, m_i its mean over the S runs of a system, and s² the variance of the runs' scores, the variance of a
difference is

    V = Σ_i (mᵃ_i - mᵇ_i)² + Σ_systems s² / S,

what rows explain plus the variance between runs. Part of s² comes from the rows at hand too, so V is somewhat large
where runs hardly differ; subtracting that part would leave no degrees of freedom to account for few runs, and raise
false alarms to 8-12%. Degrees of freedom are Satterthwaite's. This is two-way clustering (Cameron, Gelbach & Miller
2011) over rows and runs, without its last term.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from macrof1.comparing.result import RunScores
from macrof1.errors import InputError
from macrof1.message import Argument, Message
from macrof1.sampling.macro_scores import Array


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


@dataclass(frozen=True, slots=True)
class CrossedErrors:
    """Standard errors of means over runs, per system and for each pair of systems."""

    systems: tuple[RunScores, ...]
    pair_errors: Array
    pair_df: Array


def crossed_errors(
    moved: Array, units: Array, scores: Sequence[float], groups: Sequence[Sequence[int]], rows_df: float = math.inf
) -> CrossedErrors:
    """Return the standard errors of means over runs.

    Parameters
    ----------
    moved
        How much each sampling unit (row or cluster) changes the score of each run: runs x units.
    units
        How many of each unit there are.
    scores
        For each run.
    groups
        The positions of each system's runs.
    rows_df
        Degrees of freedom of the part due to the units: infinite for rows, clusters minus 1 for clusters.
    """
    means = np.stack([moved[list(runs)].mean(0) for runs in groups])
    between = np.array(
        [np.var([scores[run] for run in runs], ddof=1) / len(runs) if len(runs) > 1 else 0.0 for runs in groups]
    )
    spare = np.array([max(len(runs) - 1, 1) for runs in groups])
    shared = (means * units) @ means.T
    own = np.diagonal(shared)
    rows = np.maximum(own[:, None] + own[None, :] - 2 * shared, 0.0)
    runs_part = between**2 / spare
    pair_errors = np.sqrt(rows + between[:, None] + between[None, :])
    pair_df = _satterthwaite(rows, rows_df, pair_errors**2, runs_part[:, None] + runs_part[None, :])
    total = own + between
    own_df = _satterthwaite(own, rows_df, total, runs_part)
    systems = []
    for place, runs in enumerate(groups):
        values = tuple(float(scores[run]) for run in runs)
        df = float(own_df[place])
        systems.append(
            RunScores(
                scores=values,
                mean=math.fsum(values) / len(values),
                sd=float(np.std(values, ddof=1)) if len(values) > 1 else None,
                standard_error_rows=math.sqrt(own[place]),
                standard_error=math.sqrt(total[place]),
                df=df if math.isfinite(df) else None,
            )
        )
    return CrossedErrors(tuple(systems), pair_errors, pair_df)


def _satterthwaite(rows: Array, rows_df: float, total: Array, runs_part: Array) -> Array:
    below = runs_part + (0.0 if math.isinf(rows_df) else rows**2 / rows_df)
    df: Array = np.where(below > 0, total**2 / np.where(below > 0, below, 1.0), math.inf)
    return df
