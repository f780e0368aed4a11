"""Fast fractions are fractions: every operation gives what `fractions.Fraction` gives."""

from __future__ import annotations

import copy
import operator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macrof1.auditing.rationals import Rational

OPERATIONS = [operator.add, operator.sub, operator.mul, operator.truediv]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
NUMBERS = st.fractions(-3, 3, max_denominator=60)
OTHERS = st.one_of(NUMBERS, st.integers(-3, 3), st.floats(-3, 3), st.booleans())


def as_fraction(value):
    return Fraction(value.numerator, value.denominator) if isinstance(value, Fraction) else value


def outcome(operation, *values):
    try:
        return operation(*values)
    except ZeroDivisionError:
        return ZeroDivisionError


@pytest.mark.parametrize("operation", [*OPERATIONS, *COMPARISONS])
@given(left=NUMBERS, right=OTHERS, other_is_fast=st.booleans())
def test_operations_equal_those_of_fractions(operation, left, right, other_is_fast):
    fast = Rational(right) if other_is_fast and isinstance(right, Fraction) else right
    for values, expected in (
        ((Rational(left), fast), outcome(operation, left, right)),
        ((fast, Rational(left)), outcome(operation, right, left)),
    ):
        found = outcome(operation, *values)
        assert as_fraction(found) == expected
        if isinstance(found, Fraction):
            assert type(found) is Rational or isinstance(right, bool)
            assert (found.numerator, found.denominator) == (expected.numerator, expected.denominator)


@given(NUMBERS)
def test_values_hashes_and_signs_are_those_of_fractions(value):
    fast = Rational(value)
    assert fast == value
    assert hash(fast) == hash(fast) == hash(value)
    assert {fast: 1}[value] == 1
    assert (-fast, abs(fast), bool(fast), float(fast)) == (-value, abs(value), bool(value), float(value))
    assert copy.deepcopy(fast) == copy.copy(fast) == fast


@pytest.mark.parametrize(
    "arguments", [(), (3,), (6, 4), (6, -4), (-6, 4), (0, 5), ("2/3",), (0.25,), (Fraction(1, 3), 2)]
)
def test_they_are_made_as_fractions_are(arguments):
    found, expected = Rational(*arguments), Fraction(*arguments)
    assert type(found) is Rational
    assert (found.numerator, found.denominator) == (expected.numerator, expected.denominator)


@pytest.mark.parametrize(("part", "whole"), [(Rational(1), 0), (1, Rational(0)), (Rational(1), Rational(0))])
def test_no_denominator_may_be_zero(part, whole):
    with pytest.raises(ZeroDivisionError):
        part / whole
    with pytest.raises(ZeroDivisionError):
        Rational(1, 0)


@pytest.mark.parametrize("operation", [*OPERATIONS, *COMPARISONS])
def test_small_numbers_against_every_small_integer(operation):
    for value in (Fraction(part, whole) for part in range(-7, 8) for whole in (1, 2, 3)):
        for other in range(-3, 4):
            assert outcome(operation, Rational(value), other) == outcome(operation, value, other)
            assert outcome(operation, other, Rational(value)) == outcome(operation, other, value)
            assert outcome(operation, Rational(value), Rational(other, 2)) == outcome(
                operation, value, Fraction(other, 2)
            )
