"""Several runs (seeds) of each system on the same rows: how far a mean over runs may be off.

Rows and runs are both samples, and crossed: every run predicts every row. With φ_si the change in the score of run s
due to row i, m_i its mean over the S runs of a system, and s² the variance of the runs' scores, the variance of a
difference is

    V = Σ_i (mᵃ_i - mᵇ_i)² + Σ_systems max(0, s² - I) / S,    I = Σ_s Σ_i (φ_si - m_i)² / (S - 1):

what rows explain, plus the variance between runs beyond the part I of it that comes from the rows at hand. Degrees of
freedom are Satterthwaite's. This is two-way clustering (Cameron, Gelbach & Miller 2011) over rows and runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from macrof1.sampling.resampling import Array
from macrof1.sampling.run_scores import RunScores


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
    between = np.array([_between_runs(moved[list(runs)], units, [scores[run] for run in runs]) for runs in groups])
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


def _between_runs(moved: Array, units: Array, scores: Sequence[float]) -> float:
    """Return the variance of a mean over runs that is due to the runs, beyond the variance due to these rows."""
    n_runs = len(scores)
    if n_runs < 2:
        return 0.0
    apart = moved - moved.mean(0)
    by_rows = float(np.dot(units, (apart * apart).sum(0))) / (n_runs - 1)
    return max(0.0, float(np.var(scores, ddof=1)) - by_rows) / n_runs


def _satterthwaite(rows: Array, rows_df: float, total: Array, runs_part: Array) -> Array:
    below = runs_part + (0.0 if math.isinf(rows_df) else rows**2 / rows_df)
    df: Array = np.where(below > 0, total**2 / np.where(below > 0, below, 1.0), math.inf)
    return df
