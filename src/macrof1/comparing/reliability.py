"""When tests that assume normality cannot be trusted, and why.

The delta-method Wald test treats a sum over rows as normal, and the bootstrap treats the sample as the population. Both
need enough rows on which the two systems differ, and enough rows in every class: a class with few rows moves a macro
score in large steps, and a class that happens to show no variation contributes no standard error at all. The limits
below come from simulations under the null hypothesis (`benchmarks/few_rows.py`): above them, at most about 7% of
samples have p ≤ 0.05; below them, up to a third.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

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
    rare = [_rare(patterns, system, convention) for system in range(len(patterns.systems))]
    sizes = [len(class_places(patterns, system, convention)) for system in range(len(patterns.systems))]
    found: Doubts = {}
    for a, b in combinations(range(len(rare)), 2):
        m, n = round(float(worth[a, b])), max(sizes[a], sizes[b])
        if not worth[a, b]:
            continue  # nothing to test for equal systems
        enough = max(FEW_DIFFERING, FEW_DIFFERING_PER_CLASS * n)
        equal = "" if patterns.weights is None else " of equal weight"
        few = [f"they differ on {counted(m, 'row', 'rows')}{equal} only, of {enough:,} wanted"] if m < enough else []
        reasons = [*few, *_either(rare[a], rare[b])]
        if reasons:
            found[a, b] = tuple(reasons)
    return found


def unpaired_doubts(systems: Sequence[Patterns], convention: Convention) -> Doubts:
    """Return the pairs of systems on separate rows for which the normal approximation is in doubt, and why."""
    rare = [_rare(patterns, 0, convention) for patterns in systems]
    sizes = [len(class_places(patterns, 0, convention)) for patterns in systems]
    rows = [patterns.n_rows for patterns in systems]
    found: Doubts = {}
    for a, b in combinations(range(len(systems)), 2):
        n_rows, n = min(rows[a], rows[b]), max(sizes[a], sizes[b])
        enough = max(FEW_UNPAIRED, FEW_UNPAIRED_PER_CLASS * n)
        few = [f"one has {counted(n_rows, 'row', 'rows')} only, of {enough:,} wanted"] if n_rows < enough else []
        reasons = [*few, *_either(rare[a], rare[b])]
        if reasons:
            found[a, b] = tuple(reasons)
    return found


def _rare(patterns: Patterns, system: int, convention: Convention) -> tuple[int, int]:
    """Return how many classes have few gold rows, and how many have few predictions."""
    _, predicted, actual = class_sums(patterns, system, power=0)
    at = class_places(patterns, system, convention)
    return int((actual[at] < RARE).sum()), int((predicted[at] < RARE).sum())


def _either(first: tuple[int, int], second: tuple[int, int]) -> list[str]:
    found = []
    for at, side in enumerate(("gold", "predicted")):
        n = max(first[at], second[at])
        if n:
            found.append(f"{counted(n, 'class is', 'classes are')} {side} on fewer than {RARE} rows")
    return found
