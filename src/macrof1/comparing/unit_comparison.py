"""Compare systems over units other than classes: the units are the sample, and systems are paired by unit.

A difference between two systems has the influence of each unit on it (`sampling.unit_intervals`), so that what both
have in common cancels: for averaged F1 this is the paired t test over units, with somewhat more variance where few
units differ (`benchmarks/unit_coverage.py`). If units are few for how unevenly they differ, a randomisation test that
exchanges the two systems on random units has to agree. Clusters of units take their place; several runs of a system are
a sample too, as in `significance`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from macrof1.comparing import significance
from macrof1.comparing.compared import CompareResult, Options
from macrof1.comparing.ranking import ranked
from macrof1.comparing.reliability import run_notes
from macrof1.comparing.significance import Evidence
from macrof1.convention import FORMULAS, UNKNOWN_GOLD, Formula
from macrof1.counting.matrix import arrays_of
from macrof1.counts import ClassCounts, plain_numbers
from macrof1.errors import InputError, counted
from macrof1.labels import label_key
from macrof1.message import Note
from macrof1.sampling.resampling import ROUNDING
from macrof1.sampling.samples import percentiles
from macrof1.sampling.standard_errors import Array
from macrof1.sampling.student import quantile
from macrof1.sampling.unit_intervals import UnitSample, is_doubtful, student_ends, unit_notes
from macrof1.scoring.score_result import score_counts

# The most draws of units, times resamples, that nobody asked for and no doubt requires.
_MOST_DRAWS = 1 << 25


def compare_units(
    counts: Mapping[str, ClassCounts],
    options: Options,
    notes: Sequence[str] = (),
    gold: object = UNKNOWN_GOLD,
    *,
    groups: Mapping[str, Sequence[int]] | None = None,
) -> CompareResult:
    """Compare systems by their counts over the same units; `gold` is the digest of the gold column.

    `groups` are the positions of each system's runs among the counts; by default, each has one.
    """
    groups = {name: [place] for place, name in enumerate(counts)} if groups is None else groups
    names, (first, *others) = list(counts), counts.values()
    noun, keys = first.noun, list(map(label_key, first.labels))
    aligned = [first]
    for name, own in zip(names[1:], others, strict=True):
        place = {label_key(label): at for at, label in enumerate(own.labels)}
        if len(place) != len(keys) or any(key not in place for key in keys):
            other = f"{name!r} and {names[0]!r} have different {noun.many}"
            raise InputError(other, expected="the same in all systems")
        order = [place[key] for key in keys]
        columns = tuple(column[order] for column in arrays_of(own))
        weights = None if own.weights is None else np.asarray(own.weights)[order]
        aligned.append(own.with_facts(labels=first.labels, columns=columns, weights=weights, rows=first.rows))
    scored = [replace(score_counts(own, convention=options.convention), gold=gold) for own in aligned]
    golds = [plain_numbers(own.columns[2]) for own in aligned]
    sample = UnitSample(aligned, options.convention)
    sampled = "which" if sample.clusters is None else f"in {counted(sample.n, *sample.noun)}, which"
    told = f"Means are taken over {counted(len(keys), *noun)}, {sampled} are the sample; systems are paired by"
    found: list[str] = [*notes, Note(f"{told} {noun.one}.", code="over_units")]
    if any(gold != golds[0] for gold in golds):
        found.append(Note("The systems have different gold counts in some units.", code="different_gold"))
    found += unit_notes(sample.moved()["averaged_f1"][0], sample.noun, options.method)
    if len(groups) < len(counts):
        significance.check_runs(options)
        found = [*run_notes(groups), *found]
    evidence = _evidence(sample, aligned, list(groups.values()), options)
    results = [[scored[run] for run in own] for own in groups.values()]
    return ranked(
        list(groups), results, evidence, options, paired=True, n_rows=first.n_rows, n_clusters=sample.n_clusters,
        notes=found,
    )  # fmt: skip


def _evidence(
    sample: UnitSample, counts: Sequence[ClassCounts], groups: Sequence[Sequence[int]], options: Options
) -> Evidence:
    n, several, level = len(groups), len(groups) < len(counts), options.confidence_level
    scores, moved = sample.scores(), sample.moved()
    of_runs, pair_errors, pair_df, means, intervals = ({} for _ in range(5))  # type: ignore[var-annotated]  # per formula
    doubtful = np.zeros((n, n), bool)
    for f in FORMULAS:
        values = getattr(scores, f).tolist()
        of_runs[f], pair_errors[f], pair_df[f] = significance.crossed_errors(
            moved[f], np.ones(sample.n), values, groups, sample.df
        )
        pair_df[f] = pair_df[f] if several else np.full((n, n), sample.df)
        means[f] = np.array([system.mean for system in of_runs[f]])
        intervals[f] = []
        for system in of_runs[f]:
            reach = quantile(level, sample.df if system.df is None else system.df)
            ends = student_ends(f, system.mean, system.standard_error, sample.worth, reach, options.method)
            intervals[f].append(ends[:2])
        of_each = [moved[f][own].mean(0) for own in groups]
        for a, b in combinations(range(n), 2):
            apart = of_each[a] - of_each[b]
            doubtful[a, b] |= apart.any() and is_doubtful(apart)
            # Units unlike those seen: a quarter of one whose difference, squared, is D, with D = Σ d² / Σ |d| over the
            # units seen, which move the difference by d / n, and one more that only one of the two gets right.
            sizes = sample.worth * np.abs(apart)
            unseen = math.sqrt(float(((sizes**2).sum() + 1) / (sizes.sum() + 1))) / (2 * sample.worth)
            error = math.hypot(pair_errors[f][a, b], unseen)
            pair_errors[f][a, b] = pair_errors[f][b, a] = error
    doubts: dict[tuple[int, int], tuple[str, ...]] = {}
    for a, b in combinations(range(n), 2):
        few = f"{counted(sample.n, *sample.noun)} are few for differences spread so unevenly"
        reasons = [few] if doubtful[a, b] else []
        if several and min(len(groups[a]), len(groups[b])) < 2:
            reasons.append("one run of a system does not tell how much its runs differ")
        if reasons:
            doubts[a, b] = tuple(reasons)
    known: dict[str, Any] = {"pair_errors": pair_errors, "pair_df": pair_df, "doubts": doubts}
    if several:
        p = significance.p_values(means, pair_errors, pair_df)
        return Evidence(**known, intervals=intervals, p=p, runs=of_runs)
    units, exchangeable = _differing(sample, counts)
    affordable, draws = sample.n * options.n_resamples <= _MOST_DRAWS, None
    if affordable or "bootstrap" in (options.method, options.test):
        drawn = sample.scores(sample.resampled(options.n_resamples, options.rng))
        draws = {f: getattr(drawn, f).T for f in FORMULAS}
        if options.method == "bootstrap":
            intervals = {f: [percentiles(own, level)[:2] for own in draws[f]] for f in FORMULAS}
    p = significance.p_values(means, pair_errors, pair_df, draws)
    if affordable or doubts or options.test == "randomisation":
        p["randomisation"] = known["checks"] = _exchanged_p(sample, exchangeable, options)
    chances, smallest = significance.flip_probability_of(draws), 1 / (1 + options.n_resamples)
    return Evidence(
        **known, intervals=intervals, p=p, flip_probability=chances, n_differing=units, smallest_check=smallest
    )


def _differing(sample: UnitSample, counts: Sequence[ClassCounts]) -> tuple[Array, Array]:
    """Return in how many units two systems differ, and in how many that can be exchanged: units, or clusters."""
    units, exchangeable = np.zeros((2, len(counts), len(counts)), np.int64)
    columns = [arrays_of(own) for own in counts]
    for a, b in combinations(range(len(counts)), 2):
        differ = np.logical_or.reduce([x != y for x, y in zip(columns[a], columns[b], strict=True)])[sample.some]
        units[a, b] = units[b, a] = differ.sum()
        places = np.flatnonzero(differ) if sample.clusters is None else np.unique(sample.clusters[differ])
        exchangeable[a, b] = exchangeable[b, a] = len(places)
    return units, exchangeable


def _exchanged_p(sample: UnitSample, exchangeable: Array, options: Options) -> dict[Formula, Array]:
    """Exchange systems on units picked by coins, and return how often two then differ by at least as much."""
    picked, n = sample.resampled(options.n_resamples, options.rng, coins=True), len(sample.parts)
    whole, observed = sample.parts.sum(-1), sample.scores()
    p = {f: np.ones((n, n)) for f in FORMULAS}
    for a, b in combinations(range(n), 2):
        moved = picked[:, b] - picked[:, a]
        first, second = sample.scores(whole[a] + moved), sample.scores(whole[b] - moved)
        for f in FORMULAS:
            seen = abs(getattr(observed, f)[a] - getattr(observed, f)[b])
            as_far = (np.abs(getattr(first, f) - getattr(second, f)) >= seen - ROUNDING).sum()
            # Exchanging all units or none gives the same absolute difference, whatever the coins.
            least = 2.0 ** (1 - max(int(exchangeable[a, b]), 1))
            p[f][a, b] = p[f][b, a] = max(float(1 + as_far) / (1 + options.n_resamples), least)
    return p
