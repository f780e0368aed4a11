"""Check whether some weighted mean of the classes gives the macro figures when class sizes are not printed.

A small linear program, solved by the simplex method: the smallest amount by which weights must miss the macro figures.
It only serves to withhold blame, so its rounding errors, far below the tolerance, are on the safe side.
"""

from __future__ import annotations

from collections.abc import Sequence

from macrof1.auditing.figures import Interval

_TOLERANCE = 1e-9
_MOST_STEPS = 200


def weights_exist(columns: Sequence[Sequence[Interval]], means: Sequence[Interval]) -> bool:
    """Whether some non-negative class weights put every column's mean in its interval.

    Examples
    --------
    >>> from fractions import Fraction as F
    >>> column = [(F(2, 10), F(2, 10)), (F(8, 10), F(8, 10))]
    >>> weights_exist([column], [(F(7, 10), F(7, 10))]), weights_exist([column], [(F(9, 10), F(9, 10))])
    (True, False)
    """
    # One row per bound: how far each class alone would miss it, above the largest or below the smallest value.
    misses: list[list[float]] = []
    for column, (low, high) in zip(columns, means, strict=True):
        misses.append([float(least - high) for least, _ in column])
        misses.append([float(low - most) for _, most in column])
    return _game_value(misses) <= _TOLERANCE


def _game_value(misses: list[list[float]]) -> float:
    """Return the minimum over weights of the largest miss: the value of a two-player game.

    With all misses shifted to be positive, it is one over the largest sum of y >= 0 with ``misses @ y <= 1``.
    """
    shift = 1.0 - min(min(row) for row in misses)
    n_bounds, n_classes = len(misses), len(misses[0])
    # One line per bound: sum over classes of y * miss <= 1, with a slack variable; the last line is the objective.
    table = [
        [miss + shift for miss in row] + [float(other == bound) for other in range(n_bounds)] + [1.0]
        for bound, row in enumerate(misses)
    ]
    aim = [-1.0] * n_classes + [0.0] * n_bounds + [0.0]
    for _ in range(_MOST_STEPS):
        entering = next((place for place, value in enumerate(aim[:-1]) if value < -1e-12), None)
        if entering is None:
            break
        ratios = [(line[-1] / line[entering], place) for place, line in enumerate(table) if line[entering] > 1e-12]
        if not ratios:
            break
        _, leaving = min(ratios)
        pivot = table[leaving][entering]
        table[leaving] = [value / pivot for value in table[leaving]]
        for line in (*(line for place, line in enumerate(table) if place != leaving), aim):
            factor = line[entering]
            if factor:
                line[:] = [value - factor * base for value, base in zip(line, table[leaving], strict=True)]
    return 1.0 / aim[-1] - shift if aim[-1] > 0 else float("inf")
