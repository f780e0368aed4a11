"""How figures are printed, for people and for programs."""

from __future__ import annotations

from collections.abc import Callable

from macrof1.errors import InputError


def shown_digits(digits: int | None) -> int:
    """Return the number of decimals to print for people, 4 unless requested otherwise, or reject an invalid one."""
    if digits is not None and not 0 <= digits <= 17:
        raise InputError.bad_value("digits", digits, expected="0 to 17 decimals")
    return 4 if digits is None else digits


def machine_number(digits: int | None) -> Callable[[float | None], str]:
    """Return how to print numbers for programs: in full, or rounded to `digits`; nothing for None."""
    return lambda value: "" if value is None else repr(value) if digits is None else f"{value:.{digits}f}"


def range_of(ends: tuple[float, float] | None, digits: int, to: str = " to ") -> str:
    """Print both ends of an interval; an empty string if there is none."""
    return "" if ends is None else f"{ends[0]:.{digits}f}{to}{ends[1]:.{digits}f}"
