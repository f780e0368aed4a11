"""Two rankings of the same systems: ranks, discordant pairs, Kendall's tau, and pairs that cannot flip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.scores.bounds import harmonic_mean, lowest_averaged_f1

__all__ = ["cannot_flip", "kendall_tau", "orders", "ranks"]

# Scores that differ by less are equal: such a difference is rounding, not data.
_DECIMALS = 12


def settled(values: Sequence[float]) -> NDArray[Any]:
    """Round away what is not data, so that equal scores compare as equal."""
    return np.round(np.asarray(values, np.float64), _DECIMALS)


def ranks(values: Sequence[float]) -> list[int]:
    """Rank scores, the best first; ties share the better rank.

    Examples
    --------
    >>> ranks([0.7, 0.9, 0.7, 0.1])
    [2, 1, 2, 4]
    """
    scores = settled(values)
    return [int((scores > score).sum()) + 1 for score in scores]


def orders(values: Sequence[float]) -> NDArray[Any]:
    """Return for every two systems 1 where the first is better, -1 where it is worse, 0 for a tie."""
    scores = settled(values)
    return np.asarray(np.sign(scores[:, None] - scores[None, :]), np.int64)


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's tau-b between two rankings: 1 where they agree, -1 where one is the other reversed.

    (concordant - discordant) / sqrt(pairs not tied in the first · pairs not tied in the second). None where all
    systems are tied under one of them.

    References
    ----------
    Kendall 1945, "The treatment of ties in ranking problems", Biometrika 33.

    Examples
    --------
    >>> kendall_tau([1.0, 2.0, 3.0], [1.0, 3.0, 2.0])
    0.3333333333333333
    """
    a, b = orders(first), orders(second)
    upper = np.triu_indices(len(a), 1)
    below = float(np.count_nonzero(a[upper])) * float(np.count_nonzero(b[upper]))
    return float((a[upper] * b[upper]).sum()) / below**0.5 if below else None


def least_averaged_f1(f1_of_averages: float, n_classes: int) -> float:
    """Return the smallest averaged F1 that a system of this F1 of averages can have.

    The smallest value of `lowest_averaged_f1` over all macro precision and recall with this harmonic mean; it is
    attained where the precisions sum to a whole number. Never below 2 · F1 of averages - 1.
    """
    x = n_classes * f1_of_averages
    lowest = f1_of_averages
    for k in range(1, n_classes + 1):
        if 2 * k > x:
            y = x * k / (2 * k - x)
            if 0 < y <= n_classes:
                lowest = min(lowest, lowest_averaged_f1(k / n_classes, y / n_classes, n_classes))
    return lowest


def most_f1_of_averages(averaged_f1: float, n_classes: int) -> float:
    """Return the largest F1 of averages that a system of this averaged F1 can have; at most (1 + averaged F1) / 2."""
    best = averaged_f1
    for k in range(1, n_classes + 1):
        v = n_classes * averaged_f1 + n_classes - k
        whole = int(v)
        r = v - whole
        y = min(float(n_classes), whole + r / (2 - r))
        best = max(best, harmonic_mean(float(k), y) / n_classes)
    return best


def cannot_flip(
    averaged_f1: Sequence[float], f1_of_averages: Sequence[float], n_classes: Sequence[int]
) -> NDArray[Any]:
    """Tell for every two systems whether they provably keep their order, by one formula's scores alone.

    Where one system's smallest possible averaged F1 lies above the other's F1 of averages, no other split of the
    errors could change their order; the same holds where its averaged F1 lies above the other's largest possible
    F1 of averages.
    """
    systems = list(zip(averaged_f1, f1_of_averages, n_classes, strict=True))
    least = np.array([least_averaged_f1(of_averages, n) for _, of_averages, n in systems])
    most = np.array([most_f1_of_averages(averaged, n) for averaged, _, n in systems])
    margin = 10.0**-_DECIMALS
    ahead = (least[:, None] > np.asarray(f1_of_averages)[None, :] + margin) | (
        np.asarray(averaged_f1)[:, None] > most[None, :] + margin
    )
    return np.asarray(ahead | ahead.T)
