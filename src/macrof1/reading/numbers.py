"""Figures as people print them: decimal commas, percent signs, dashes for values that were not reported."""

from __future__ import annotations

import contextlib
import numbers
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from macrof1.errors import CountError, InputError
from macrof1.message import Argument, Message, shown

_MISSING: Final = {"", "-", "–", "—", "n/a", "na", "nan", "none", "null"}
_PLAIN: Final = re.compile(r"\d+\.?\d*|\.\d+")
_EXPONENT: Final = re.compile(r"(\d+\.?\d*|\.\d+)[eE][+-]?\d{1,3}")


# Thousands separators other than points and commas: non-breaking and thin spaces, apostrophes.
_APART: Final = re.compile(r"(?<=\d)[\u00a0\u2009\u202f'\u2019](?=\d{3}(?!\d))")
_NUMBER: Final = re.compile(
    r"[+-]?(?:\d+(?:[.,]\d+)*[.,]?|[.,]\d+)(?:[eE][+-]?\d{1,3})?|[+-]?(?:nan|inf(?:inity)?)", re.I
)
_EITHER: Final = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_LONGEST_COUNT: Final = 30

DecimalMark: TypeAlias = Literal[".", ","]


def is_number(text: str) -> bool:
    """Whether a cell holds a number, whatever its commas mean."""
    return bool(_NUMBER.fullmatch(_APART.sub("", text.strip())))


def decimal_mark(texts: Iterable[str], *, local: bool = False) -> DecimalMark:
    """Return the decimal mark of numbers printed together, which all mean the same by a comma.

    0,374 and 12,5 have a decimal comma; 1,234,567 and 1,234.5 have thousands. 1,200 could be either: it is thousands
    beside a whole number below 1,000, which would have three decimals too; 1.200 is not clear there. Numbers that do
    not tell are refused. If semicolons separate the cells (`local`), as where decimal commas are usual, 1.200 never is.
    """
    told: dict[DecimalMark, str] = {}
    either: dict[str, str] = {}
    wholes = []
    for text in texts:
        plain = re.split("[eE]", _APART.sub("", text.strip()).lstrip("+-").removesuffix("%"))[0].rstrip()
        commas, points = plain.count(","), plain.count(".")
        if not commas and not points:
            wholes.append(len(plain.lstrip("0")))
        elif commas and points:
            told.setdefault("," if plain.rfind(",") > plain.rfind(".") else ".", text)
        elif commas + points > 1:
            told.setdefault("." if commas else ",", text)
        elif _EITHER.fullmatch(plain):
            either.setdefault("," if commas else ".", text)
        else:
            told.setdefault("," if commas else ".", text)
    if len(told) == 2:
        problem = f"{told[',']!r} has a decimal comma, and {told['.']!r} a decimal point"
        raise CountError(problem, expected="one of them throughout")
    if told:
        return next(iter(told))
    small = any(0 < n <= 3 for n in wholes)
    clear = {".": not small, ",": small and max(wholes) <= 3}
    if either and (local or len(either) == 2 or not clear[next(iter(either))]):
        problem = f"{next(iter(either.values()))!r} could be thousands or decimals"
        raise CountError(problem, expected="numbers without separators, or with two decimals")
    return "."


def number_of(text: str, mark: DecimalMark = ".") -> int | float | None:
    """Return the number in a cell, with thousands separators or without; None if there is none."""
    plain, apart = _APART.sub("", text.strip()), "," if mark == "." else "."
    if re.fullmatch(rf"[+-]?\d{{1,3}}(\{apart}\d{{3}})+(\{mark}\d*)?", plain):
        plain = plain.replace(apart, "")
    if apart in plain or not _NUMBER.fullmatch(plain):
        return None
    plain = plain.replace(mark, ".")
    if plain.isdecimal() and len(plain) > _LONGEST_COUNT:
        raise CountError(f"a count of {len(plain):,} digits is too large", expected="at most 2**63 - 1")
    return int(plain) if plain.lstrip("+-").isdecimal() else float(plain)


def looks_missing(value: object) -> bool:
    """Whether a cell says that nothing was reported."""
    return value is None or (isinstance(value, str) and value.strip().lower() in _MISSING)


def as_text(value: Any, name: str) -> str:
    """Return a figure as text; for a float, its shortest digits."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, (Decimal, numbers.Real)):
        raise InputError(f"{name} is {shown(value)}", expected="a number, or text such as '0.80'")
    if isinstance(value, float):
        return repr(float(value))
    return str(value) if isinstance(value, Decimal) else shown(value)


def plain_number(value: Any, name: str = "a figure") -> tuple[Fraction, int]:
    """Return a number as printed, whatever its scale, and its number of decimals."""
    text = as_text(value, name)
    found = _plain_number(text)
    if found is None:
        expected = "a number from 0 to 1, or to 100 in percent, such as 0.80 or 80.0%"
        raise InputError(f"{name} is {text!r}", expected=expected)
    return found


@lru_cache(maxsize=65_536)
def _plain_number(text: str) -> tuple[Fraction, int] | None:
    text = text.strip().replace("\u00a0", " ").removesuffix("%").strip()
    head, comma, tail = text.rpartition(",")
    if comma and "," not in head:  # a decimal comma, as ratios have no thousands
        text = f"{head.replace('.', '')}.{tail}"
    if not (_PLAIN.fullmatch(text) or _EXPONENT.fullmatch(text)):
        return None
    number = Decimal(text)
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return Fraction(number), max(0, -exponent)


def is_percentage(value: Any) -> bool:
    """Whether a figure is recognizable as a percentage: by its sign, or because no ratio is that large."""
    return str(value).strip().endswith("%") or plain_number(value)[0] > 1


def in_percent(figures: Mapping[str, Any], source: str, *, argument: str | None = "percent") -> bool:
    """Tell percentages from fractions of 1 by the largest figure of each column; reject a mixture."""
    with contextlib.suppress(TypeError, ValueError):  # the usual cases, quickly
        floats = [float(cell) for cells in figures.values() for cell in cells if not looks_missing(cell)]
        if floats and (min(floats) > 1 or 0 <= min(floats) <= max(floats) <= 1):
            return min(floats) > 1
    sizes: dict[str, dict[int, Fraction]] = {header: {} for header in figures}  # those other than 0, by row
    for header, cells in figures.items():
        for row, cell in enumerate(cells):
            if looks_missing(cell):
                continue
            value, _ = InputError.located(f"{source}, row {row + 1}, column {header!r}", plain_number, cell, header)
            if value <= 1 and is_percentage(cell):
                value = Fraction(2)
            if value:
                sizes[header][row] = value
    largest = {header: max(values.values()) for header, values in sizes.items() if values}
    above = [header for header, value in largest.items() if value > 1]
    below = [header for header, value in largest.items() if value <= 1]
    cells_above = [(row, value > 1) for values in sizes.values() for row, value in values.items()]
    rows_below = {row for row, _ in cells_above} - {row for row, is_above in cells_above if is_above}
    if not above or not (below or rows_below):
        return bool(above)
    most = {header: f"{float(value):g}" for header, value in largest.items()}
    if below:
        problem = f": column {above[0]!r} goes up to {most[above[0]]}, column {below[0]!r} up to {most[below[0]]}"
    else:
        row = min(rows_below) + 1
        problem = f", row {row}: no figure is above 1, but {above[0]!r} goes up to {most[above[0]]} in other rows"
    raise InputError(
        f"{source}{problem}",
        argument=argument,
        expected=f"all {'' if below else 'rows '}in percent or all as fractions of 1",
        hint=None if argument is None else Message(Argument(argument, True), " reads all as percentages"),
    )
