"""Compare systems that are columns of a data frame, without moving the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

from macrof1.comparing.comparison import compare_patterns
from macrof1.comparing.joint_policies import apply_to_patterns
from macrof1.comparing.options import checked_names, checked_options
from macrof1.comparing.pairwise import compare_pairs, most_distinct
from macrof1.comparing.result import CompareResult
from macrof1.comparing.runs import expanded_runs
from macrof1.counting.engines import opened
from macrof1.counting.frames import frame_repeats
from macrof1.counting.joint_tables import JointRows, joint_rows, side_by_side
from macrof1.counting.policies import Outside
from macrof1.errors import InputError
from macrof1.labels import Missing, in_order, label_key
from macrof1.message import Argument, Message
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.patterns import Patterns


def compare_frame(
    df: Any,
    *,
    gold: str,
    systems: str | Sequence[str] | Mapping[str, Any],
    id: str | None = None,  # noqa: A002  # as on the command line
    pred: str | None = None,
    sample_weight: str | None = None,
    cluster: str | None = None,
    count: str | None = None,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
    **options: Any,
) -> CompareResult:
    """Compare systems whose predictions are columns of a data frame; its own engine groups equal rows.

    Parameters
    ----------
    df
        A pandas, Polars (also lazy), PyArrow, DuckDB, Dask, Ibis or Spark frame.
    gold, systems, sample_weight, cluster, count
        Column names: gold labels, the predictions of each system and, optionally, weights, clusters, and how many rows
        a row stands for.
    id, pred
        For predictions that are not side by side: the columns of ids and of predictions. `systems` is then the column
        that names the system of each row, or the frame of each system by its name. The engine joins them by id.
    labels, missing
        As in `compare`.
    **options
        As in `compare`: ``normalize``, ``outside``, ``exclude``, ``convention``, ``baseline``, ``test``, ``rng``, …

    Notes
    -----
    Only distinct combinations of labels are collected, each with its number of rows; tests, intervals and clusters need
    no more. The result is the same as from `compare` on the same rows. With so many systems and classes that rows
    hardly repeat, the engine groups them for each pair of systems in turn: only the random draws differ then.

    Examples
    --------
    >>> import polars as pl
    >>> df = pl.DataFrame({"gold": ["x", "x", "y", "y"], "a": ["x", "x", "y", "x"], "b": ["y", "x", "y", "x"]})
    >>> result = compare_frame(df, gold="gold", systems=["a", "b"])
    >>> [(system.name, round(system.averaged_f1, 4)) for system in result.systems]
    [('a', 0.7333), ('b', 0.5)]
    """
    weight = sample_weight
    if id is None and pred is None and not isinstance(systems, Mapping):
        names = [systems] if isinstance(systems, str) else list(systems)
    elif id is None or pred is None or not isinstance(systems, (str, Mapping)):
        raise InputError(
            Message(Argument("id"), " and ", Argument("pred"), " need each other, and systems that are not columns"),
            argument="id",
            expected=Message(Argument("systems", "NAME"), ", the column that names them, or a frame of each by name"),
        )
    else:
        facts = list(dict.fromkeys(name for name in (gold, weight, cluster, count) if name not in (None, id)))
        df, names = side_by_side(df, systems, ids=id, pred=pred, facts=facts)
    grouped = partial(joint_rows, df, gold=gold, weight=weight, cluster=cluster, count=count)
    rows = grouped(systems=names, most=most_distinct(names))
    if rows is None:
        of_a_pair = len(cast("JointRows", grouped(systems=names[:2])).amounts)
        if most_distinct(names, of_a_pair) != most_distinct(names):
            rows = grouped(systems=names, most=most_distinct(names, of_a_pair))
    if rows is None:
        found = compare_by_pairs(
            names, lambda some: cast("JointRows", grouped(systems=some)), labels=labels, missing=missing, **options
        )
    else:
        found = compare_distinct(rows, labels=labels, missing=missing, **options)
    if count is not None:
        return found
    frame = opened(df)
    taken = [name for name in (gold, *names, weight, cluster) if name is not None]
    return replace(found, notes=(*frame_repeats(frame, frame.collect_schema(), taken), *found.notes))


def compare_by_pairs(
    names: list[str],
    grouped: Callable[[Sequence[str]], JointRows],
    *,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
    normalize: str | Iterable[str] = (),
    outside: Outside = "wrong",
    **options: Any,
) -> CompareResult:
    """Compare systems on rows that an engine groups for each pair, as too few rows of all systems are equal.

    Policies that depend on the labels of all systems need their rows together all the same.
    """
    listed = None if labels is None else list(labels)
    if not normalize and outside == "wrong":
        checked = checked_options(checked_names(dict.fromkeys(names)), **options)
        try:
            return compare_pairs(names, lambda two: _pair(grouped(two), listed, missing), checked)
        except _LackingLabelError:
            pass  # which rows are left out depends on all systems
    rows = grouped(names)
    return compare_distinct(rows, labels=listed, missing=missing, normalize=normalize, outside=outside, **options)


class _LackingLabelError(Exception):
    """A row to be left out lacks a label; never leaves this module."""


def _pair(rows: JointRows, labels: list[object] | None, missing: Missing) -> Patterns:
    if missing == "drop" and any(None in column for column in (rows.gold, *rows.systems.values())):
        raise _LackingLabelError
    return _patterns(rows, rows.systems, labels, missing)


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
    patterns = _patterns(rows, columns, labels, missing)
    found, making = apply_to_patterns(patterns, list(columns), normalize=normalize, outside=outside)
    return compare_patterns(found, list(columns), names, groups, checked, making)


def _patterns(
    rows: JointRows, columns: Mapping[str, Any], labels: Iterable[object] | None, missing: Missing
) -> Patterns:
    return joint_patterns(
        rows.gold,
        columns,
        labels=labels,
        missing=missing,
        sample_weight=rows.weights,
        cluster=None if rows.clusters is None else _in_fixed_order(rows.clusters),
        amounts=rows.amounts,
    )


def _in_fixed_order(clusters: list[Any]) -> list[int | None]:
    """Replace clusters by their sorted positions, so that a seed draws the same ones in any order of rows."""
    number = {
        label_key(name): place for place, name in enumerate(in_order({label_key(c): c for c in clusters}.values()))
    }
    return [None if cluster is None else number[label_key(cluster)] for cluster in clusters]
