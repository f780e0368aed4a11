"""When tests that assume normality cannot be trusted, and why.

The delta-method Wald test treats a sum over rows as normal, and the bootstrap treats the sample as the population. Both
need enough rows on which the two systems differ, and enough rows in every class: a class with few rows moves a macro
score in large steps, and a class that happens to show no variation contributes no standard error at all. The limits
below come from simulations under the null hypothesis (`benchmarks/few_rows.py`): above them, at most about 7% of
samples have p ≤ 0.05; below them, up to a third.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.comparing.result import FewDiffering
from macrof1.convention import Convention
from macrof1.errors import counted
from macrof1.sampling.delta import class_sums
from macrof1.sampling.macro_scores import class_places
from macrof1.sampling.patterns import Patterns, effective

Doubts: TypeAlias = dict[tuple[int, int], tuple[str, ...]]

# The fewest rows on which two systems on the same rows must differ, in all and per class.
FEW_DIFFERING = 50
FEW_DIFFERING_PER_CLASS = 10
# The fewest rows of systems known only by counts, in all and per class.
FEW_UNPAIRED = 50
FEW_UNPAIRED_PER_CLASS = 30
# The fewest gold rows, and the fewest predictions, of every class.
RARE = 10


def rows_that_differ(patterns: Patterns) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Count the rows on which each pair of systems differs, and the effective number of such rows under the weights.

    Examples
    --------
    >>> from macrof1.sampling.joint import joint_patterns
    >>> rows_that_differ(joint_patterns(["a", "a", "b"], {"x": ["a", "b", "b"], "y": ["a", "a", "a"]}))[0].tolist()
    [[0, 2], [2, 0]]
    """
    n_systems = len(patterns.systems)
    found, worth = np.zeros((n_systems, n_systems), np.int64), np.zeros((n_systems, n_systems))
    amounts, weights = patterns.amounts, patterns.weights
    rows_apart = bool((amounts == 1).all())
    for a, b, differ in _patterns_that_differ(patterns):
        found[a, b] = found[b, a] = np.count_nonzero(differ) if rows_apart else amounts[differ].sum()
        worth[a, b] = worth[b, a] = found[a, b] if weights is None else effective(amounts[differ], weights[differ])
    return found, worth


def clusters_that_differ(patterns: Patterns) -> NDArray[np.int64]:
    """Count the clusters in which the predictions of each pair of systems differ."""
    assert patterns.clusters is not None  # only called for rows with clusters
    found = np.zeros((len(patterns.systems), len(patterns.systems)), np.int64)
    for a, b, differ in _patterns_that_differ(patterns):
        found[a, b] = found[b, a] = len(np.unique(patterns.clusters[differ]))
    return found


def _patterns_that_differ(patterns: Patterns) -> Iterator[tuple[int, int, NDArray[np.bool_]]]:
    """Yield each pair of systems and whether they differ on each pattern; rows of weight 0 do not count."""
    n, weights = len(patterns.labels), patterns.weights
    if patterns.single:
        # Small integers are compared many at a time.
        keys = [touches.label.astype(np.min_scalar_type(n)) for touches in patterns.systems]
    else:
        keys = [touches.pattern * n + touches.label for touches in patterns.systems]
    for a, b in combinations(range(len(keys)), 2):
        if patterns.single:
            differ = keys[a] != keys[b]
        else:  # label sets differ if some label is in only one of them
            differ = np.zeros(len(patterns.amounts), np.bool_)
            differ[np.setxor1d(keys[a], keys[b]) // n] = True
        yield a, b, differ if weights is None else differ & (weights > 0)


def paired_doubts(patterns: Patterns, convention: Convention, worth: NDArray[np.float64]) -> Doubts:
    """Return the pairs of systems on the same rows for which the normal approximation is in doubt, and why.

    `worth` is the effective number of rows on which each pair differs.
    """
    equal = "" if patterns.weights is None else " of equal weight"

    def few(a: int, b: int, n_classes: int) -> Iterator[str]:
        n, enough = round(float(worth[a, b])), max(FEW_DIFFERING, FEW_DIFFERING_PER_CLASS * n_classes)
        if n < enough:
            yield FewDiffering(f"they differ on {counted(n, 'row')}{equal} only, of {enough:,} wanted")

    found = _doubts([[(patterns, system)] for system in range(len(patterns.systems))], convention, few)
    # There is nothing to test for equal systems.
    return {pair: reasons for pair, reasons in found.items() if worth[pair]}


def run_doubts(
    patterns: Patterns, convention: Convention, worth: NDArray[np.float64], groups: Sequence[Sequence[int]]
) -> Doubts:
    """Return the pairs of systems with several runs that cannot be tested, and why.

    Besides enough rows on which runs of the two differ, on average over pairs of runs, both need several runs.
    """

    def few(a: int, b: int, n_classes: int) -> Iterator[str]:
        n = round(float(worth[np.ix_(groups[a], groups[b])].mean()))
        enough = max(FEW_DIFFERING, FEW_DIFFERING_PER_CLASS * n_classes)
        if n < enough:
            yield FewDiffering(f"their runs differ on {counted(n, 'row')} only, of {enough:,} wanted")
        if min(len(groups[a]), len(groups[b])) < 2:
            yield "one run of a system does not tell how much its runs differ"

    return _doubts([[(patterns, run) for run in runs] for runs in groups], convention, few)


def unpaired_doubts(systems: Sequence[Patterns], convention: Convention) -> Doubts:
    """Return the pairs of systems on separate rows for which the normal approximation is in doubt, and why."""
    rows = [patterns.n_rows for patterns in systems]

    def few(a: int, b: int, n_classes: int) -> Iterator[str]:
        n, enough = min(rows[a], rows[b]), max(FEW_UNPAIRED, FEW_UNPAIRED_PER_CLASS * n_classes)
        if n < enough:
            yield f"one has {counted(n, 'row')} only, of {enough:,} wanted"

    return _doubts([[(patterns, 0)] for patterns in systems], convention, few)


def _doubts(
    systems: Sequence[Sequence[tuple[Patterns, int]]],
    convention: Convention,
    few: Callable[[int, int, int], Iterator[str]],
) -> Doubts:
    """Return the reasons for every pair that has some; `few` says if two systems have few rows for so many classes.

    A system is one column of its patterns, or several: its runs.
    """
    sizes = [tuple(map(max, zip(*(_sizes(*run, convention) for run in runs), strict=True))) for runs in systems]
    found = {}
    for a, b in combinations(range(len(systems)), 2):
        n_classes, *rare = map(max, sizes[a], sizes[b])
        reasons = [
            *few(a, b, n_classes),
            *(
                f"{counted(n, 'class is', 'classes are')} {side} on fewer than {RARE} rows"
                for n, side in zip(rare, ("gold", "predicted"), strict=True)
                if n
            ),
        ]
        if reasons:
            found[a, b] = tuple(reasons)
    return found


def _sizes(patterns: Patterns, system: int, convention: Convention) -> tuple[int, int, int]:
    """Return how many classes there are, how many have few gold rows, and how many have few predictions."""
    _, predicted, actual = class_sums(patterns, system, power=0)
    at = class_places(patterns, system, convention)
    return len(at), int((actual[at] < RARE).sum()), int((predicted[at] < RARE).sum())
