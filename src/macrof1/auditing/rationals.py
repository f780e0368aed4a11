"""Exact fractions for audits, which compute with millions of them.

`fractions.Fraction` asks of every operand what it is, and checks what it builds. Among themselves and with integers,
these skip both; with anything else they are what they derive from. Values, hashes and printed forms are the same.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Any


class Rational(Fraction):
    """A fraction in lowest terms, with fast arithmetic.

    Examples
    --------
    >>> Rational(1, 2) + Rational(1, 3), 2 * Rational(3, 4), Rational(1, 2) < 1
    (Rational(5, 6), Rational(3, 2), True)
    >>> Rational(1, 2) == Fraction(1, 2), hash(Rational(1, 2)) == hash(Fraction(1, 2))
    (True, True)
    """

    __slots__ = ("_hash",)

    _numerator: int
    _denominator: int
    _hash: int

    def __new__(cls, numerator: Any = 0, denominator: Any = 1) -> Rational:  # noqa: PYI034  # nothing derives from it
        """Make a fraction of whatever `Fraction` takes."""
        if type(numerator) is int and type(denominator) is int and denominator > 0:
            common = gcd(numerator, denominator)
            return _made(numerator // common, denominator // common)
        whole = Fraction(numerator, None if denominator == 1 else denominator)
        return _made(whole.numerator, whole.denominator)

    def __add__(self, other: Any) -> Any:
        kind = type(other)
        if kind is Rational or kind is Fraction:
            return _sum(self._numerator, self._denominator, other._numerator, other._denominator)
        if kind is int:
            return _made(self._numerator + other * self._denominator, self._denominator)
        return Fraction.__add__(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        kind = type(other)
        if kind is Rational or kind is Fraction:
            return _sum(self._numerator, self._denominator, -other._numerator, other._denominator)
        if kind is int:
            return _made(self._numerator - other * self._denominator, self._denominator)
        return Fraction.__sub__(self, other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> Rational:
        return _made(-self._numerator, self._denominator)

    def __mul__(self, other: Any) -> Any:
        kind = type(other)
        if kind is Rational or kind is Fraction:
            return _product(self._numerator, self._denominator, other._numerator, other._denominator)
        if kind is int:
            common = gcd(other, self._denominator)
            return _made(self._numerator * (other // common), self._denominator // common)
        return Fraction.__mul__(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        kind = type(other)
        if kind in (Rational, Fraction, int) and other:
            return _quotient(self._numerator, self._denominator, other.numerator, other.denominator)
        return Fraction.__truediv__(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        if type(other) in (int, Fraction) and self._numerator:
            return _quotient(other.numerator, other.denominator, self._numerator, self._denominator)
        return Fraction.__rtruediv__(self, other)

    def __eq__(self, other: object) -> bool:
        if type(other) is Rational:
            return self._numerator == other._numerator and self._denominator == other._denominator
        if type(other) is int:
            return self._numerator == other and self._denominator == 1
        return Fraction.__eq__(self, other)

    def __hash__(self) -> int:  # type: ignore[override]  # an abstract base of fractions declares none
        # A modular inverse takes long, and caches ask for it again and again.
        try:
            return self._hash
        except AttributeError:
            self._hash = Fraction.__hash__(self)
            return self._hash

    def __lt__(self, other: Any) -> bool:
        if type(other) is Rational:
            return self._numerator * other._denominator < self._denominator * other._numerator
        if type(other) is int:
            return self._numerator < self._denominator * other
        return Fraction.__lt__(self, other)

    def __gt__(self, other: Any) -> bool:
        if type(other) is Rational:
            return self._numerator * other._denominator > self._denominator * other._numerator
        if type(other) is int:
            return self._numerator > self._denominator * other
        return Fraction.__gt__(self, other)


def _made(numerator: int, denominator: int) -> Rational:
    """Build a fraction that is in lowest terms already."""
    made = object.__new__(Rational)
    made._numerator, made._denominator = numerator, denominator
    return made


def _sum(a: int, b: int, c: int, d: int) -> Rational:
    """Return a / b + c / d; two small divisors are found sooner than one large one (Knuth, TAOCP 2, 4.5.1)."""
    common = gcd(b, d)
    if common == 1:
        return _made(a * d + b * c, b * d)
    part = b // common
    above = a * (d // common) + c * part
    rest = gcd(above, common)
    return _made(above // rest, part * (d // rest))


def _product(a: int, b: int, c: int, d: int) -> Rational:
    first, second = gcd(a, d), gcd(c, b)
    return _made((a // first) * (c // second), (d // first) * (b // second))


def _quotient(a: int, b: int, c: int, d: int) -> Rational:
    """Return (a / b) / (c / d), for c other than 0."""
    return _product(a, b, d, c) if c > 0 else _product(a, b, -d, -c)
