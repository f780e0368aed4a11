"""Two rankings of the same systems: ranks, discordant pairs, Kendall's tau, and pairs that cannot flip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.bounding.closed_forms import highest_f1_of_averages, lowest_averaged_f1_below

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


def cannot_flip(
    averaged_f1: Sequence[float], f1_of_averages: Sequence[float], n_classes: Sequence[int]
) -> NDArray[Any]:
    """Tell for every two systems whether they provably keep their order, by one formula's scores alone.

    Where one system's smallest possible averaged F1 lies above the other's F1 of averages, no other split of the
    errors could change their order; the same holds where its averaged F1 lies above the other's largest possible
    F1 of averages.
    """
    systems = list(zip(averaged_f1, f1_of_averages, n_classes, strict=True))
    least = np.array([lowest_averaged_f1_below(of_averages, n) for _, of_averages, n in systems])
    most = np.array([highest_f1_of_averages(averaged, n) for averaged, _, n in systems])
    margin = 10.0**-_DECIMALS
    ahead = (least[:, None] > np.asarray(f1_of_averages)[None, :] + margin) | (
        np.asarray(averaged_f1)[:, None] > most[None, :] + margin
    )
    return np.asarray(ahead | ahead.T)
