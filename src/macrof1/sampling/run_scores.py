"""The result of several runs of a system, apart from how it is computed, which needs NumPy."""

from __future__ import annotations

from dataclasses import dataclass

from macrof1.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScores(Result):
    """One formula's scores of several runs.

    Attributes
    ----------
    scores
        For each run.
    mean, sd
        Over the runs; no standard deviation for a single run.
    standard_error_rows
        Of the mean, for these runs on other rows.
    standard_error
        Of the mean, for other runs on other rows.
    df
        Degrees of freedom of the latter; None if it is normal.
    """

    scores: tuple[float, ...]
    mean: float
    sd: float | None
    standard_error_rows: float
    standard_error: float
    df: float | None
