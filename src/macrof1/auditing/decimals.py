"""Recover the number of decimals of a report's figures when trailing zeros were lost."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from macrof1.auditing.floats import FLOAT_DIGITS, significant_digits
from macrof1.auditing.intervals import RATIOS, Key

_WHOLE = re.compile(r"\d+(?:[.,]0)?%?")
_MOST_LOST = 2


def decimals_of(text: str) -> int:
    """Count the decimals of a number as printed.

    Examples
    --------
    >>> decimals_of("0.80"), decimals_of("84,3 %"), decimals_of("1")
    (2, 1, 0)
    """
    return len(re.sub(r"\D", "", re.split("[.,]", text)[1])) if re.search("[.,]", text) else 0


def column_decimals(texts: Mapping[Key, str]) -> dict[Key, int]:
    """Return the number of decimals of each figure whose column shows that trailing zeros were lost.

    A column holds one kind of figure for every class, with the macro figure below. Zeros were lost if some figure has
    fewer decimals than the longest class figure, and no figure with decimals ends in 0. At most two lost zeros are
    assumed, more only for 0 and 1 (and 100 percent); a macro figure shorter than the floating-point numbers above it
    was rounded. No figure gets more significant digits than the longest has: ``tabulate`` and ``%g`` print 0.0909091
    beside 0.954545.
    """
    found: dict[Key, int] = {}
    for kind in RATIOS:
        column = {key: text for key, text in texts.items() if key[1] == kind}
        classes = [text for key, text in column.items() if key[0] is not None]
        longest = max(map(decimals_of, classes), default=0)
        in_full = any(significant_digits(text) >= FLOAT_DIGITS for text in classes)
        if not in_full and _keeps_zeros(list(column.values())):
            continue
        most = max(map(significant_digits, column.values()), default=0)
        for key, text in column.items():
            lost = longest - decimals_of(text)
            given_back = lost if in_full else min(lost, most - significant_digits(text))
            if given_back > 0 and (
                lost <= (_MOST_LOST if key[0] is not None else 1)
                or (key[0] is not None and (in_full or _WHOLE.fullmatch(text.strip())))
            ):
                found[key] = decimals_of(text) + given_back
    return found


def _keeps_zeros(texts: Sequence[str]) -> bool:
    plain = [text.strip().rstrip("% ") for text in texts]
    return any(text.endswith("0") and decimals_of(text) > 0 and not _WHOLE.fullmatch(text) for text in plain)
