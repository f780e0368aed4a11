"""Move a class in the precision–recall plane by changing the matrix."""

from __future__ import annotations

from macrof1.errors import InputError

Matrix = list[list[int | float]]


def moved_class(matrix: Matrix, place: int, *, precision: float, recall: float) -> Matrix:
    """Return an integer matrix, predictions as rows, in which the class has about this precision and recall.

    The gold size of every class stays the same. Recall determines how many gold rows of the class are found; the missed
    ones are predicted as the other classes, in proportion to where they went before. Precision determines how many rows
    of other classes are predicted as this one: these come from, or return to, the correct rows of those classes.

    Examples
    --------
    >>> moved_class([[50, 10], [10, 30]], 1, precision=0.5, recall=0.75)
    [[30, 10], [30, 30]]
    """
    n = len(matrix)
    if not 0 <= place < n:
        raise InputError(f"class {place} of {n}", expected="one of the classes")
    found = [list(row) for row in matrix]
    others = [other for other in range(n) if other != place]
    actual = sum(row[place] for row in found)
    if not actual or not others:
        return found
    hits = min(actual, max(0, round(recall * actual)))
    missed = _shared(actual - hits, [found[other][place] for other in others])
    found[place][place] = hits
    for other, rows in zip(others, missed, strict=True):
        found[other][place] = rows
    # What each other class can give: its correct rows and those currently predicted as this class.
    room = [found[other][other] + found[place][other] for other in others]
    wanted = hits / precision - hits if precision > 0 else sum(room)
    before = [found[place][other] for other in others]
    given = _shared(round(min(wanted, sum(room))), before if any(before) else room, room)
    for other, rows, most in zip(others, given, room, strict=True):
        found[place][other] = rows
        found[other][other] = most - rows
    return found


def _shared(total: float, weights: list[int | float], most: list[int | float] | None = None) -> list[int | float]:
    """Distribute rows in proportion to weights, in integers, and within each one's maximum."""
    bounds = most or [total] * len(weights)
    scale = sum(weights)
    shares = [weight / scale if scale else 1 / len(weights) for weight in weights]
    given: list[int | float] = [min(bound, int(total * share)) for bound, share in zip(bounds, shares, strict=True)]
    rest = total - sum(given)
    for place in sorted(range(len(weights)), key=lambda place: -shares[place]):
        more = min(rest, bounds[place] - given[place])
        given[place] += more
        rest -= more
    return given
