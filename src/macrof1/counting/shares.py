"""Normalized confusion matrices: shares instead of counts, told by their sums."""

from __future__ import annotations

import math
from collections.abc import Sequence

from macrof1.counts import Number
from macrof1.message import Note


def normalized_notes(actual: Sequence[Number], predicted: Sequence[Number]) -> tuple[Note, ...]:
    """Say that a matrix seems to hold shares of its rows, its columns or all cells, by their sums.

    Examples
    --------
    >>> [note.code for note in normalized_notes([1.0, 1.0], [1.3, 0.7])]
    ['normalized_matrix']
    """
    real = any(isinstance(number, float) for number in actual)
    for whole in (1, 100) if real else (100,):
        for side, sums in (("gold", actual), ("predicted", predicted)):
            if _all_sum_to(whole, [number for number in sums if number], len(sums), real):
                return (_per_class_note(side, whole, real),)
        if real and len(actual) > 1 and _all_sum_to(whole, [math.fsum(actual)] * 2, len(actual), real):
            return (
                Note(
                    f"The cells sum to {whole}: they seem to be shares of all rows, which scores do not depend on; "
                    "intervals need the counts.",
                    code="shares",
                ),
            )
    return ()


def _all_sum_to(whole: int, sums: Sequence[Number], n_cells: int, real: bool) -> bool:
    """Whether sums of rounded shares all lie around the whole; counts must hit it exactly."""
    off = min(0.05, 0.005 * n_cells) * whole if real else 0
    return len(sums) > 1 and all(abs(number - whole) <= off for number in sums)


def _per_class_note(side: str, whole: int, real: bool) -> Note:
    if real:
        return Note(
            f"The cells of every {side} class sum to {whole}: the matrix seems to be normalized, which loses how many "
            "rows each class has. These are the scores of a data set with equally large classes; to score the data, "
            "give the counts.",
            code="normalized_matrix",
        )
    return Note(
        f"The cells of every {side} class sum to {whole}: if these are percentages and not counts, class sizes are "
        "lost and intervals are wrong.",
        code="percentages",
    )
