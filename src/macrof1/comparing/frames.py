"""Compare systems that are columns of a data frame, without moving the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from macrof1.comparing.checks import checked_names
from macrof1.comparing.comparison import checked_options, compare_patterns
from macrof1.comparing.policies import apply_to_patterns
from macrof1.comparing.result import CompareResult
from macrof1.comparing.runs import expanded_runs
from macrof1.counting.joint_tables import JointRows, joint_rows
from macrof1.counting.policies import Outside
from macrof1.labels import Missing, in_order, label_key
from macrof1.sampling.joint import joint_patterns


def compare_frame(
    df: Any,
    *,
    gold: str,
    systems: Sequence[str],
    weight: str | None = None,
    cluster: str | None = None,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
    **options: Any,
) -> CompareResult:
    """Compare systems whose predictions are columns of a data frame; its own engine groups equal rows.

    Parameters
    ----------
    df
        A pandas, Polars (also lazy), PyArrow, DuckDB, Dask, Ibis or Spark frame.
    gold, systems, weight, cluster
        Column names: gold labels, the predictions of each system and, optionally, weights and clusters.
    labels, missing
        As in `compare`.
    **options
        As in `compare`: ``normalize``, ``outside``, ``convention``, ``baseline``, ``test``, ``n_resamples``, ``rng``, …

    Notes
    -----
    Only distinct combinations of labels are collected, each with its number of rows; tests, intervals and clusters need
    no more. The result is the same as from `compare` on the same rows.

    Examples
    --------
    >>> import polars as pl
    >>> df = pl.DataFrame({"gold": ["x", "x", "y", "y"], "a": ["x", "x", "y", "x"], "b": ["y", "x", "y", "x"]})
    >>> result = compare_frame(df, gold="gold", systems=["a", "b"])
    >>> [(system.name, round(system.averaged_f1, 4)) for system in result.systems]
    [('a', 0.7333), ('b', 0.5)]
    """
    rows = joint_rows(df, gold=gold, systems=systems, weight=weight, cluster=cluster)
    return compare_distinct(rows, labels=labels, missing=missing, **options)


def compare_distinct(
    rows: JointRows,
    *,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
    normalize: str | Iterable[str] = (),
    outside: Outside = "wrong",
    **options: Any,
) -> CompareResult:
    """Compare systems on rows that an engine has grouped; options as in `compare`."""
    names = checked_names(rows.systems)
    checked = checked_options(names, **options)
    columns, groups = expanded_runs(rows.gold, rows.systems)
    patterns = joint_patterns(
        rows.gold,
        columns,
        labels=labels,
        missing=missing,
        sample_weight=rows.weights,
        cluster=None if rows.clusters is None else _in_fixed_order(rows.clusters),
        amounts=rows.amounts,
    )
    found, making = apply_to_patterns(patterns, list(columns), normalize=normalize, outside=outside)
    return compare_patterns(found, list(columns), names, groups, checked, making)


def _in_fixed_order(clusters: list[Any]) -> list[int | None]:
    """Replace clusters by their sorted positions, so that a seed draws the same ones in any order of rows."""
    number = {
        label_key(name): place for place, name in enumerate(in_order({label_key(c): c for c in clusters}.values()))
    }
    return [None if cluster is None else number[label_key(cluster)] for cluster in clusters]
