"""Compare systems over units other than classes: the units are the sample, and systems are paired by unit.

A difference between two systems has the influence of each unit on it (`sampling.unit_intervals`), so that what both
have in common cancels: for averaged F1 this is the paired t test over units. If units are few for how unevenly they
differ, a randomisation test has to agree: it exchanges the two systems on random units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from macrof1.comparing.ranking import ranked
from macrof1.comparing.result import CompareResult, Options, TestName
from macrof1.comparing.significance import Evidence, wald_p
from macrof1.convention import FORMULAS, UNKNOWN_GOLD, Convention, Formula
from macrof1.counting.matrix import arrays_of
from macrof1.counts import ClassCounts, plain_numbers
from macrof1.errors import InputError, counted
from macrof1.labels import label_key
from macrof1.message import Argument, Message, Note
from macrof1.sampling.resampling import ROUNDING
from macrof1.sampling.student import quantile
from macrof1.sampling.unit_intervals import Array, influences, is_doubtful, parts_of, standard_error, unit_notes
from macrof1.scoring.macro import columns_of
from macrof1.scoring.score_result import score_counts

# The most exchanges of units, times resamples, for a test that nobody asked for and no doubt requires.
_MOST_EXCHANGED = 1 << 25
_PIECE = 1 << 22


def compare_units(
    counts: Mapping[str, ClassCounts], options: Options, notes: Sequence[str] = (), gold: object = UNKNOWN_GOLD
) -> CompareResult:
    """Compare systems by their counts over the same units; `gold` is the digest of the gold column."""
    names, convention = list(counts), options.convention
    for argument, usual in (("test", ("delta", "randomisation")), ("method", ("combined",))):
        if getattr(options, argument) not in usual:
            raise InputError(
                Message(Argument(argument, getattr(options, argument)), " over units other than classes"),
                expected=" or ".join(usual),
            )
    first, *others = counts.values()
    noun, keys = first.noun, list(map(label_key, first.labels))
    aligned = [first]
    for name, own in zip(names[1:], others, strict=True):
        if own.making.facts != first.making.facts:
            ways = f"({own.making.text}; {first.making.text})"
            raise InputError(f"{name!r} was not counted as {names[0]!r} was {ways}", expected="counts made in one way")
        place = {label_key(label): at for at, label in enumerate(own.labels)}
        if len(place) != len(keys) or any(key not in place for key in keys):
            raise InputError(
                f"{name!r} and {names[0]!r} have different {noun.many}", expected="the same in all systems"
            )
        order = [place[key] for key in keys]
        columns = tuple(column[order] for column in arrays_of(own))
        weights = None if own.weights is None else np.asarray(own.weights)[order]
        aligned.append(own.with_facts(labels=first.labels, columns=columns, weights=weights))
    scored = [replace(score_counts(own, convention=convention), gold=gold) for own in aligned]
    golds = [plain_numbers(own.columns[2]) for own in aligned]
    told = f"Means are taken over {counted(len(keys), *noun)}, which are the sample; systems are paired by {noun.one}."
    found: list[str] = [*notes, Note(told, code="over_units")]
    if any(gold != golds[0] for gold in golds):
        found.append(Note("The systems have different gold counts in some units.", code="different_gold"))
    parts = parts_of(columns_of(first, convention), convention)
    found += unit_notes(influences(parts, convention.beta)[1]["averaged_f1"], noun)
    evidence = _evidence(aligned, [[getattr(each, f) for each in scored] for f in FORMULAS], options)
    results = [[each] for each in scored]
    return ranked(names, results, evidence, options, paired=True, n_rows=first.n_rows, notes=found)


def _evidence(systems: Sequence[ClassCounts], scores: Sequence[Sequence[float]], options: Options) -> Evidence:
    convention, n = options.convention, len(systems)
    kept = [_inside(own, convention) for own in systems]
    some_inside = np.logical_or.reduce(kept)
    parts = []  # those of a unit that a system is not averaged over are 0
    for own, inside in zip(systems, kept, strict=True):
        parts.append(np.zeros((2, 3, len(inside))))
        parts[-1][:, :, inside] = parts_of(columns_of(own, convention), convention)
    parts = [each[:, :, some_inside] for each in parts]
    told = [influences(each, convention.beta)[1] for each in parts]
    moved = {f: [each[f] for each in told] for f in FORMULAS}
    n_units = int(some_inside.sum())
    if n_units < 2:
        raise InputError(f"there is one {systems[0].noun.one} only", expected="at least two, to tell how they differ")
    reach = quantile(options.confidence_level, n_units - 1)
    intervals, errors = {}, {}
    for f, values in zip(FORMULAS, scores, strict=True):
        around = zip(values, [reach * standard_error(each) for each in moved[f]], strict=True)
        intervals[f] = [(max(0.0, value - far), min(1.0, value + far)) for value, far in around]
        errors[f] = np.array([[standard_error(a - b) for b in moved[f]] for a in moved[f]])
    differ = np.zeros((n, n), np.int64)
    checks = {f: np.zeros((n, n)) for f in FORMULAS}
    doubts: dict[tuple[int, int], tuple[str, ...]] = {}
    exchanged = {f: np.ones((n, n)) for f in FORMULAS}
    missing, noun = False, systems[0].noun
    for a, b in combinations(range(n), 2):
        columns = (arrays_of(systems[place]) for place in (a, b))
        some = np.logical_or.reduce([x != y for x, y in zip(*columns, strict=True)])
        n_some = differ[a, b] = differ[b, a] = int(some.sum())
        if n_some and any(is_doubtful(moved[f][a] - moved[f][b]) for f in FORMULAS):
            doubts[a, b] = (f"{counted(n_units, *noun)} are few for differences spread so unevenly",)
        if options.test == "delta" and (a, b) not in doubts and n_some * options.n_resamples > _MOST_EXCHANGED:
            missing = True
            continue
        for f, chance in _exchanged_p(parts[a], parts[b], some[some_inside], options).items():
            checks[f][a, b] = checks[f][b, a] = exchanged[f][a, b] = exchanged[f][b, a] = chance
    apart = {f: np.subtract.outer(values, values) for f, values in zip(FORMULAS, map(np.array, scores), strict=True)}
    p: dict[TestName, dict[Formula, Array]] = {"delta": {f: wald_p(apart[f], errors[f], n_units - 1) for f in FORMULAS}}
    return Evidence(
        intervals=intervals,
        pair_errors=errors,
        p=p if missing else {**p, "randomisation": exchanged},
        flip_probability=None,
        checks=checks,
        doubts=doubts,
        smallest_check=1 / (1 + options.n_resamples),
        n_differing=differ,
        pair_df={f: np.full((n, n), n_units - 1.0) for f in FORMULAS},
    )


def _inside(counts: ClassCounts, convention: Convention) -> Array:
    """Return which units a system is averaged over: one that is empty may be left out for one system alone."""
    _, predicted, actual = arrays_of(counts)
    inside = np.ones(len(actual), bool) if convention.classes != "gold" else actual > 0
    if convention.classes == "seen" or convention.empty == "drop":
        inside &= (actual > 0) | (predicted > 0)
    return inside


def _exchanged_p(one: Array, other: Array, some: Array, options: Options) -> dict[Formula, float]:
    """Exchange two systems on random units, and return how often they then differ by at least as much."""
    beta, n_resamples, n_some = options.convention.beta, options.n_resamples, int(some.sum())

    def scores(sums: Array) -> tuple[Array, Array]:
        f, precision, recall = np.moveaxis(sums[..., 0, :] / np.maximum(sums[..., 1, :], 1e-300), -1, 0)
        below = beta**2 * precision + recall
        return f, np.where(below > 0, (1 + beta**2) * precision * recall / np.where(below > 0, below, 1.0), 0.0)

    sums, change = [one.sum(-1), other.sum(-1)], (one - other)[:, :, some].reshape(6, n_some).T
    observed = [abs(float(a - b)) for a, b in zip(scores(sums[0]), scores(sums[1]), strict=True)]
    as_far = np.zeros(2)
    step = max(1, _PIECE // max(1, n_some))
    for start in range(0, n_resamples, step):
        n_now = min(step, n_resamples - start)
        moved = options.rng.integers(0, 2, (n_now, n_some), dtype=np.int8).astype(np.float64) @ change
        moved = moved.reshape(n_now, 2, 3)
        first, second = scores(sums[0] - moved), scores(sums[1] + moved)
        as_far += [
            int((np.abs(a - b) >= seen - ROUNDING).sum()) for a, b, seen in zip(first, second, observed, strict=True)
        ]
    smallest = 2.0 ** (1 - max(n_some, 1))
    return {f: max(float(1 + n) / (1 + n_resamples), smallest) for f, n in zip(FORMULAS, as_far, strict=True)}
