"""Vectors of Python's numbers with the few operations of NumPy that intervals need.

A formula of this package asks `namespace` for the module that its arrays belong to: NumPy, or this one. So a small
confusion matrix gets its intervals from the same formulas as a large one, without the time that NumPy takes to load.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, starmap
from typing import Any


def namespace(array: Any) -> Any:
    """Return the module with the functions for an array: NumPy, or this one for a `Vector`."""
    if isinstance(array, Vector):
        import macrof1.sampling.vectors

        return macrof1.sampling.vectors
    import numpy as np

    return np


def _side_by_side(*sides: Any) -> list[list[Any]]:
    """Repeat single numbers, and vectors of one number, to the length of the others."""
    n = max(len(side) for side in sides if isinstance(side, Vector))
    every = [list(side) if isinstance(side, Vector) else [side] for side in sides]
    return [side * n if len(side) == 1 else side for side in every]


def _each(operation: Callable[[Any, Any], Any], *, swapped: bool = False) -> Any:
    """Return a method that applies an operation to each value, and to one other or that of another vector."""

    def apply(self: Vector, other: Any) -> Vector:
        pairs = zip(*_side_by_side(other, self) if swapped else _side_by_side(self, other), strict=True)
        return Vector(starmap(operation, pairs))

    return apply


class Vector:
    """Numbers with elementwise arithmetic.

    Examples
    --------
    >>> tp, actual = Vector([3, 0, 5]), Vector([4, 0, 5])
    >>> (tp[actual > 0] / actual[actual > 0]).tolist()
    [0.75, 1.0]
    """

    __slots__ = ("_values",)

    def __init__(self, values: Iterable[Any]) -> None:
        self._values = list(values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, at: Any) -> Any:
        """Return one value, those at positions, or those where `at` is true; also as one column of a matrix."""
        at = at[0] if isinstance(at, tuple) else at
        if not isinstance(at, Vector):
            return self._values[at]
        if at._values and isinstance(at._values[0], bool):
            return Vector(value for value, chosen in zip(self, at, strict=True) if chosen)
        return Vector(map(self._values.__getitem__, at))

    def __setitem__(self, at: Any, values: Any) -> None:
        for place, value in zip(*_side_by_side(at, values), strict=True) if len(at) else ():
            self._values[place] = value

    __add__ = __radd__ = _each(operator.add)
    __mul__ = __rmul__ = _each(operator.mul)
    __sub__, __rsub__ = _each(operator.sub), _each(operator.sub, swapped=True)
    __truediv__, __rtruediv__ = _each(operator.truediv), _each(operator.truediv, swapped=True)
    __pow__, __and__, __or__ = _each(operator.pow), _each(operator.and_), _each(operator.or_)
    __eq__, __ne__ = _each(operator.eq), _each(operator.ne)
    __lt__, __le__, __gt__ = _each(operator.lt), _each(operator.le), _each(operator.gt)
    __hash__ = None  # type: ignore[assignment]  # as arrays, vectors are compared value by value

    def __neg__(self) -> Vector:
        return Vector(map(operator.neg, self))

    def __invert__(self) -> Vector:
        return Vector(map(operator.not_, self))

    def __abs__(self) -> Vector:
        return Vector(map(abs, self))

    def astype(self, kind: type) -> Vector:
        """Return the numbers as this type."""
        return Vector(map(kind, self))

    def copy(self) -> Vector:
        """Return a vector that can be changed alone."""
        return Vector(self)

    def all(self) -> bool:
        """Return whether no number is 0."""
        return all(self)

    def any(self) -> bool:
        """Return whether a number is not 0."""
        return any(self)

    def sum(self) -> Any:
        """Return the sum: exact for integers, correctly rounded for floats."""
        return math.fsum(self) if any(isinstance(value, float) for value in self) else sum(self)

    def mean(self, axis: int) -> Vector:  # noqa: ARG002 - always the one of the rows
        """Return the mean of the column."""
        return Vector([self.sum() / len(self)])

    def tolist(self) -> list[Any]:
        """Return a list."""
        return list(self)


def asarray(values: Iterable[Any], kind: type = float) -> Vector:
    """Make a vector of numbers of this type."""
    return Vector(map(kind, values))


def zeros(n: int, kind: type = float) -> Vector:
    """Return `n` zeros."""
    return Vector([kind(0)] * n)


def zeros_like(values: Vector) -> Vector:
    """Return as many zeros."""
    return zeros(len(values))


def ones(n: int) -> Vector:
    """Return `n` ones."""
    return Vector([1.0] * n)


def arange(n: int) -> Vector:
    """Return 0, 1, … up to `n`."""
    return Vector(range(n))


def concatenate(parts: Iterable[Vector]) -> Vector:
    """Join vectors."""
    return Vector(chain.from_iterable(parts))


def where(condition: Vector, one: Any, other: Any) -> Vector:
    """Choose value by value."""
    return Vector(a if chosen else b for chosen, a, b in zip(*_side_by_side(condition, one, other), strict=True))


def maximum(one: Any, other: Any) -> Vector:
    """Return the larger of each two."""
    return where(one > other, one, other)


def minimum(one: Any, other: Any) -> Vector:
    """Return the smaller of each two."""
    return where(one < other, one, other)


def divide(above: Vector, below: Vector, *, out: Vector, where: Vector) -> Vector:
    """Divide where it is possible; elsewhere the result is that of `out`."""
    rows = zip(above, below, out, where, strict=True)
    return Vector(a / b if possible else other for a, b, other, possible in rows)


def isin(values: Vector, known: Vector, *, assume_unique: bool) -> Vector:  # noqa: ARG001 - NumPy is faster with it
    """Return which values occur in the other vector."""
    seen = set(known)
    return Vector(value in seen for value in values)


def dot(one: Vector, other: Vector) -> float:
    """Return the sum of products."""
    return math.fsum(map(operator.mul, one, other))


def bincount(places: Vector, weights: Vector, minlength: int) -> Vector:
    """Add up the weights at each place."""
    found = [0.0] * minlength
    for place, weight in zip(places, weights, strict=True):
        found[place] += weight
    return Vector(found)
