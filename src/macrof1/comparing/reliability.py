"""When tests that assume normality cannot be trusted, and why; and notes for the reader of a comparison.

The delta-method Wald test treats a sum over rows as normal, and the bootstrap treats the sample as the population. Both
need enough rows on which the two systems differ, and enough rows in every class: a class with few rows moves a macro
score in large steps, and a class that happens to show no variation contributes no standard error at all. The limits
below come from simulations under the null hypothesis (`benchmarks/few_rows.py`): above them, at most about 7% of
samples have p ≤ 0.05; below them, up to a third.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.comparing.compared import FewDiffering, Options, SystemPair, TestName
from macrof1.convention import Convention
from macrof1.counting.doubts import label_doubts
from macrof1.counts import plain_numbers
from macrof1.errors import counted, quote_some
from macrof1.labels import Label, label_key, label_text
from macrof1.message import Argument, Note
from macrof1.sampling.intervals import RARE, FewRows, cluster_notes, coverage_notes, few_rows
from macrof1.sampling.patterns import Patterns, effective
from macrof1.sampling.policies import OUTSIDE_CLASS
from macrof1.scoring.macro import columns_of
from macrof1.scoring.score_result import ScoreResult

Doubts: TypeAlias = dict[tuple[int, int], tuple[str, ...]]

# The fewest rows on which two systems on the same rows must differ, and those of systems known only by counts: in all,
# and per class.
FEW_DIFFERING, FEW_DIFFERING_PER_CLASS = 50, 10
FEW_UNPAIRED, FEW_UNPAIRED_PER_CLASS = 50, 30


class Differing(NamedTuple):
    """On how many rows each pair of systems differs, systems x systems."""

    rows: NDArray[np.int64]
    worth: NDArray[np.float64]  # the effective number of these rows under their weights
    units: NDArray[np.int64]  # how many rows, or clusters, can be exchanged


def differing(patterns: Patterns) -> Differing:
    """Count the rows on which each pair of systems differs; those of weight 0 do not count."""
    n_systems, amounts = len(patterns.systems), patterns.amounts
    weights, clusters = patterns.weights, patterns.clusters
    rows, units = (np.zeros((n_systems, n_systems), np.int64) for _ in range(2))
    worth, alone = np.zeros((n_systems, n_systems)), bool((amounts == 1).all())
    for a, b in combinations(range(n_systems), 2):
        differ = patterns.differ(a, b)
        differ = differ if weights is None else differ & (weights > 0)
        n_rows = np.count_nonzero(differ) if alone else amounts[differ].sum()
        rows[a, b] = rows[b, a] = n_rows
        worth[a, b] = worth[b, a] = n_rows if weights is None else effective(amounts[differ], weights[differ])
        units[a, b] = units[b, a] = n_rows if clusters is None else len(np.unique(clusters[differ]))
    return Differing(rows, worth, units)


def doubts(
    systems: Sequence[Sequence[Patterns]], convention: Convention, worth: NDArray[np.float64] | None = None
) -> Doubts:
    """Return why a pair's normal approximation is in doubt; `worth`: the effective rows on which two differ."""
    sizes = []
    for runs in systems:
        each = []
        for patterns in runs:
            at = patterns.class_places(convention)
            _, predicted, actual = patterns.sums(0)
            each.append((len(at), int((actual[at] < RARE).sum()), int((predicted[at] < RARE).sum())))
        sizes.append(tuple(map(max, zip(*each, strict=True))))
    several = any(len(runs) > 1 for runs in systems)
    found = {}
    for a, b in combinations(range(len(systems)), 2):
        if worth is not None and not worth[a, b] and not several:
            continue  # there is nothing to test for equal systems
        n_classes, *rare = map(max, sizes[a], sizes[b])
        reasons = []
        if worth is None:
            n = min(systems[at][0].n_rows for at in (a, b))
            enough = max(FEW_UNPAIRED, FEW_UNPAIRED_PER_CLASS * n_classes)
            if n < enough:
                reasons.append(f"one has {counted(n, 'row')} only, of {enough:,} wanted")
        else:
            n, enough = round(float(worth[a, b])), max(FEW_DIFFERING, FEW_DIFFERING_PER_CLASS * n_classes)
            if n < enough:
                equal = "" if several or systems[a][0].weights is None else " of equal weight"
                who = "their runs" if several else "they"
                reasons.append(FewDiffering(f"{who} differ on {counted(n, 'row')}{equal} only, of {enough:,} wanted"))
        if several and min(len(systems[a]), len(systems[b])) < 2:
            reasons.append("one run of a system does not tell how much its runs differ")
        for n, side in zip(rare, ("gold", "predicted"), strict=True):
            if n:
                reasons.append(f"{counted(n, 'class is', 'classes are')} {side} on fewer than {RARE} rows")
        if reasons:
            found[a, b] = tuple(reasons)
    return found


def weight_notes(patterns: Patterns) -> Iterator[str]:
    """Report the effective number of rows if weights are unequal."""
    if patterns.weights is not None:
        whole = " Where the weights are counts of equal rows, repeat the rows instead."
        yield Note(
            "Rows carry weights, and each is one draw whatever it weighs: for intervals and tests the "
            f"{counted(patterns.n_rows, 'row is', 'rows are')} worth about {patterns.effective_rows:,.0f} of equal "
            f"weight.{whole if patterns.weights.dtype.kind == 'i' else ''}",
            code="weighted_rows",
        )


def row_notes(
    names: Sequence[str], scored: Sequence[ScoreResult], patterns: Sequence[Patterns], options: Options
) -> Iterator[str]:
    """Report which rows were left out, and which intervals are known to undercover; `patterns` are one per system."""
    n_dropped = scored[0].counts.n_dropped
    if n_dropped:
        left_out = f"{counted(n_dropped, 'row was', 'rows were')} left out: gold or a system lacks a label there."
        yield Note(left_out, code="rows_dropped")
    yield from cluster_notes(patterns[0])
    rare: dict[tuple[type, Label | None], Label | None] = {}
    unused = []
    for name, own in zip(names, patterns, strict=True):
        classes = few_rows(own, own.class_places(options.convention))
        rare |= {label_key(label): label for label in classes.rare}
        # Labels absent from gold have their own note.
        unused += [name] if classes.never_predicted else []
    n_rows = min(round(own.effective_rows) for own in patterns)
    few = FewRows(list(rare.values()), of_equal_weight=patterns[0].weights is not None)
    yield from coverage_notes(n_rows, scored[0].n_classes, few, options.method)
    if unused:
        yield Note(
            f"{counted(len(unused), 'system never predicts', 'systems never predict')} some of the gold classes "
            f"({quote_some(unused, most=3)}): the intervals cannot know how these would score in another sample, and "
            "their actual coverage is lower.",
            code="empty_classes",
        )


def label_notes(names: Sequence[str], scored: Sequence[ScoreResult]) -> list[str]:
    """Report systems that predict labels absent from gold or outside the class set, and suspicious labels."""
    notes: list[str] = []
    suspicious: dict[str, Note] = {}
    for name, result in zip(names, scored, strict=True):
        for note in (*result.rows.notes, *label_doubts(result.counts)):
            suspicious.setdefault(note.code, Note(f"System {name}: ", note, code=note.code))
        foreign = [
            label_text(label) for label, n, gold in _classes(result) if n and not gold and label != OUTSIDE_CLASS
        ]
        if foreign:
            predicts = f"System {name} predicts labels that gold never has ({quote_some(foreign, most=3)}): "
            leaves = "each is a class with F1 0 in its mean; ", Argument("classes", "gold"), " leaves them out."
            notes.append(Note(predicts, *leaves, code="foreign_labels"))
        n = result.counts.n_outside
        if n:
            lies = "label lies" if n == 1 else "labels lie"
            notes.append(Note(f"System {name}: {n:,} {lies} outside the listed classes.", code="labels_outside"))
    notes = [*suspicious.values(), *notes]
    return notes if len(notes) <= 10 else [*notes[:9], f"… and {len(notes) - 9} more notes of this kind."]


def _classes(result: ScoreResult) -> Iterator[tuple[Label | None, Any, Any]]:
    """Return the label of each class, and how often it is predicted and gold."""
    columns = columns_of(result.counts, result.convention)
    return zip(columns.labels, plain_numbers(columns.predicted), plain_numbers(columns.actual), strict=True)


def count_notes(scored: Sequence[ScoreResult]) -> Iterator[str]:
    """Report what cannot be inferred from counts without rows."""
    golds = [{str(label): gold for label, _, gold in _classes(result) if gold} for result in scored]
    if any(gold != golds[0] for gold in golds):
        apart = "The systems have different gold counts: they were not scored on the same rows."
        yield Note(apart, code="different_gold")
    yield Note(
        "Only counts are known, not rows: differences are tested as if each system had its own test rows (unpaired), "
        "which is usually too careful where they had the same.",
        code="unpaired",
    )


def run_notes(groups: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """Report what is tested with several runs, and which systems have only one; `groups` are the runs of each."""
    single = [name for name, runs in groups.items() if len(runs) == 1]
    low, high = min(map(len, groups.values())), max(map(len, groups.values()))
    yield Note(
        f"Scores are means over {low if low == high else f'{low} to {high}'} runs on the same rows; standard errors "
        "and tests treat rows and runs as samples.",
        code="runs",
    )
    if single:
        yield Note(
            f"{counted(len(single), 'system has', 'systems have')} one run only ({quote_some(single, most=3)}): "
            "how much another run would differ is not known, and no difference from it is called significant.",
            code="single_run",
        )
    elif low < 3:
        yield Note("Two runs say little about how much runs differ: take at least three, better five.", code="few_runs")


def doubt_notes(comparisons: Sequence[SystemPair], test: TestName, *, paired: bool) -> Iterator[str]:
    """Report for which pairs the normal approximation is in doubt, why, and which test decides instead."""
    doubtful = [pair for pair in comparisons if pair.doubts]
    if test == "randomisation" or not doubtful:
        return
    worst = min(doubtful, key=lambda pair: (-len(pair.doubts), pair.n_differing or 0))
    where, reason = f"Between {worst.a} and {worst.b}", "; ".join(worst.doubts)
    if len(comparisons) > 1:
        where, reason = f"In {len(doubtful):,} of {len(comparisons):,} pairs", f"as b{where[1:]}: {reason}"
    check = "only where the randomisation test agrees"
    if not paired:
        check = "only where shuffling the rows of both systems shows it too"
    elif any("randomisation" not in pair.averaged_f1.p for pair in doubtful):
        check = "in no case, as there is no other test of several runs"
    yield Note(
        f"{where} the normal approximation is not trusted ({reason}): there a difference is called significant "
        f"{check}.",
        code="normal_approximation",
    )


def identical_notes(comparisons: Sequence[SystemPair]) -> Iterator[str]:
    """Point out systems that predict the same label on every row."""
    same = [f"{pair.a} and {pair.b}" for pair in comparisons if pair.n_differing == 0]
    if same:
        who = f"{', '.join(same[:5])}{f' and {len(same) - 5:,} more pairs' if len(same) > 5 else ''}"
        yield Note(f"The predictions of {who} are identical.", code="identical")


def reach_notes(comparisons: Sequence[SystemPair], options: Options, smallest_check: float) -> Iterator[str]:
    """Report if a resampling test could not reach significance, whatever the data."""
    n_pairs = len(comparisons)
    corrected = f"can reach {options.alpha:.2g} after Holm's correction"
    more = " or more."
    if options.too_few_resamples(options.test, n_pairs):
        little, more = f"no {options.test} test {corrected}: take ", " or more, or the delta test."
    elif any(pair.doubts for pair in comparisons) and n_pairs * smallest_check > options.alpha:
        little = f"no randomisation {corrected}, so that no difference is called significant in such pairs: take "
    elif any(options.too_few_resamples(test, n_pairs) for pair in comparisons[:1] for test in pair.averaged_f1.p):
        little = "corrected p-values of resampling tests would all be 1 and are not shown: they need "
    else:
        return
    so_many = f"With {counted(n_pairs, 'pair')} and {options.n_resamples:,} resamples {little}"
    yield Note(so_many, Argument("n_resamples", math.ceil(n_pairs / options.alpha)), more, code="few_resamples")
