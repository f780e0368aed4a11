"""Compare systems on distinct rows that an engine has grouped, as of a data frame, without moving the data.

If the rows of all systems together hardly repeat, they are compared pair by pair: two systems and gold have few
distinct rows, however many rows the data has, and a test needs no more. Scores, intervals and Wald tests are the same
as on the rows of all systems; resampling tests draw for each pair anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

import numpy as np

from macrof1.comparing.compared import CompareResult, Options, checked_names, checked_options
from macrof1.comparing.comparison import compare_rows, scored_rows
from macrof1.comparing.ranking import ranked
from macrof1.comparing.significance import Evidence, paired_evidence
from macrof1.convention import FORMULAS, UNKNOWN_GOLD
from macrof1.counting.doubts import checked_differences
from macrof1.counting.engines import frame_repeats, opened, unused_frame_counts
from macrof1.counting.joint_tables import JointRows, joint_rows, side_by_side
from macrof1.entry import GoldRows
from macrof1.errors import InputError
from macrof1.labels import Missing
from macrof1.message import Argument, Message
from macrof1.reading.files import part_of
from macrof1.sampling.joint import joint_patterns, ordered_clusters
from macrof1.sampling.patterns import Patterns

# The most labels of distinct rows that are collected for all systems together: about half a gigabyte.
_MOST_LABELS: Final = 1 << 24
# With more distinct rows than this per pair, resampling them takes longer than grouping and testing each pair.
_MOST_ROWS_PER_PAIR: Final = 1 << 14


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
        As in `compare`: ``normalize``, ``extract``, ``outside``, ``exclude``, ``convention``, ``test``, ``rng``, …

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
    if options.pop("extract", False):
        options["normalize"] = checked_differences(options.get("normalize", ()), extract=True)
    weight = sample_weight
    if id is None and pred is None and not isinstance(systems, Mapping):
        names = [systems] if isinstance(systems, str) else InputError.listed("systems", systems)
    elif id is None or pred is None or not isinstance(systems, (str, Mapping)):
        raise InputError(
            Message(Argument("id"), " and ", Argument("pred"), " need each other, and systems that are not columns"),
            argument="id",
            expected=Message(Argument("systems", "NAME"), ", the column that names them, or a frame of each by name"),
        )
    else:
        facts = list(dict.fromkeys(name for name in (gold, weight, cluster, count) if name not in (None, id)))
        df, names = side_by_side(df, systems, ids=id, pred=pred, facts=facts)

    digest = UNKNOWN_GOLD if count is not None else GoldRows.of_frame(df, gold)

    def grouped(some: Sequence[str], most: int | None) -> JointRows | None:
        rows = joint_rows(df, gold=gold, systems=some, weight=weight, cluster=cluster, count=count, most=most)
        return None if rows is None else replace(rows, gold_digest=digest)

    found = compare_grouped(names, grouped, lambda _: {"labels": labels, "missing": missing, **options})
    if count is not None:
        return found
    frame = opened(df)
    taken = [name for name in (gold, *names, weight, cluster) if name is not None]
    schema, n_rows = frame.collect_schema(), found.n_rows or 0
    counts = unused_frame_counts(frame, schema, [gold, *names], (), n_rows, n_rows) if weight is None else []
    return replace(found, notes=(*counts, *frame_repeats(frame, schema, taken), *found.notes))


def compare_grouped(
    names: list[str],
    grouped: Callable[[Sequence[str], int | None], JointRows | None],
    options_for: Callable[[JointRows], dict[str, Any]],
    *,
    with_runs: bool = False,
) -> CompareResult:
    """Compare systems on the distinct rows that `grouped` returns: of all, or of each pair if these hardly repeat."""
    most = None if with_runs else _most_distinct(len(names))
    rows = grouped(names, most)
    if rows is None:
        pair = cast("JointRows", grouped(names[:2], None))
        more = _most_distinct(len(names), len(pair.amounts))
        rows = grouped(names, more) if more != most else None
        if rows is None:
            found = _compare_by_pairs(names, lambda two: cast("JointRows", grouped(two, None)), options_for(pair))
            if found is not None:
                return found
            rows = cast("JointRows", grouped(names, None))
    options, kept = split_options(rows.systems, options_for(rows))
    return compare_rows(rows.gold, rows.systems, options, digest=rows.gold_digest, **kept, **_facts(rows))


def split_options(systems: Mapping[str, Any], given: dict[str, Any]) -> tuple[Options, dict[str, Any]]:
    """Return the options of a comparison, and those for labels before it."""
    kept: dict[str, Any] = {
        name: given.pop(name) for name in ("labels", "missing", "normalize", "outside") if name in given
    }
    return checked_options(checked_names(systems), **given), kept


def _most_distinct(n: int, of_a_pair: int = 0) -> int | None:
    """Return how many distinct rows of all systems may be collected, given those of a pair; None for any number."""
    if n < 3:
        return None
    return max(1, min(_MOST_LABELS // (n + 1), max(_MOST_ROWS_PER_PAIR, of_a_pair) * n * (n - 1) // 2))


def distinct_patterns(rows: JointRows, labels: Iterable[object] | None, missing: Missing) -> Patterns:
    """Return the joint patterns of rows that an engine has grouped."""
    return joint_patterns(rows.gold, rows.systems, labels=labels, missing=missing, **_facts(rows))


def _facts(rows: JointRows) -> dict[str, Any]:
    clusters = None if rows.clusters is None else ordered_clusters(rows.clusters)
    return {"sample_weight": rows.weights, "cluster": clusters, "amounts": rows.amounts}


def _compare_by_pairs(
    names: list[str], grouped: Callable[[Sequence[str]], JointRows], given: dict[str, Any]
) -> CompareResult | None:
    """Compare every pair of systems on the rows of the two; None if what is left out depends on all systems."""
    if given.get("normalize") or given.get("outside", "wrong") != "wrong":
        return None
    options, kept = split_options(dict.fromkeys(names), given)
    listed, missing = None if kept["labels"] is None else list(kept["labels"]), kept["missing"]
    couples = options.couples(names, range(len(names)))
    part = part_of(options.step, 0, 1 / len(couples))
    alone: dict[int, Patterns] = {}
    found: dict[tuple[int, int], Evidence] = {}
    digest: object = UNKNOWN_GOLD
    for couple in couples:
        rows = grouped([names[place] for place in couple])
        if missing == "drop" and any(None in column for column in (rows.gold, *rows.systems.values())):
            return None
        digest, patterns = rows.gold_digest, distinct_patterns(rows, listed, missing)
        for at, place in enumerate(couple):
            alone.setdefault(place, patterns.alone(at))
        found[couple] = paired_evidence(patterns, replace(options, step=part))
    scored, notes = scored_rows(names, [alone[place] for place in range(len(names))], options, gold=digest)
    return ranked(
        names, [[one] for one in scored], _gathered(found, len(names)), options, paired=True, n_rows=alone[0].n_rows,
        n_clusters=alone[0].n_clusters, notes=notes,
    )  # fmt: skip


def _gathered(pairs: Mapping[tuple[int, int], Evidence], n: int) -> Evidence:
    """Return what is known of all pairs as numbers, systems x systems; other places are never read."""

    def square(values: list[Any]) -> Any:
        if isinstance(values[0], dict):
            known = set(values[0]).intersection(*values)
            return {name: square([value[name] for value in values]) for name in values[0] if name in known}
        if any(value is None for value in values):
            return None
        found = np.zeros((n, n), values[0].dtype)
        for (a, b), value in zip(pairs, values, strict=True):
            found[a, b] = found[b, a] = value[0, 1]
        return found

    every = list(pairs.values())
    places = {place: (couple, couple.index(place)) for couple in pairs for place in couple}
    numbers = ("pair_errors", "p", "flip_probability", "checks", "n_differing", "pair_df")
    return Evidence(
        intervals={f: [pairs[places[at][0]].intervals[f][places[at][1]] for at in range(n)] for f in FORMULAS},
        doubts={(min(couple), max(couple)): e.doubts[0, 1] for couple, e in pairs.items() if e.doubts},
        smallest_check=every[0].smallest_check,
        **{name: square([getattr(each, name) for each in every]) for name in numbers},
    )
