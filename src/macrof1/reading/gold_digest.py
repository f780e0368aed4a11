"""A digest of the gold column: it says which rows a score is of, whatever the file format.

Every row has a key: its id if there is a column of ids, so that the order of rows does not matter, and otherwise its
position. Every label has a hash of its text. The digest is made of the sum over rows of key times hash, which can be
computed from the sum of the keys of each label, by any engine, block by block. Whole numbers are the same id and the
same label as their text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from macrof1.convention import UNKNOWN_GOLD

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

MOST_TEXT_IDS: Final = 1 << 20
"""Beyond this many ids that are not whole numbers, there is no digest: hashing their text would take too long."""

_MASK: Final = (1 << 64) - 1
_ODD, _ODD_TOO, _HALF = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 1 << 32
_AT_ONCE: Final = 1 << 20
_WHOLE: Final = re.compile(r"[+-]?[0-9]+")
_NO_NUMBER: Final = 1 << 63


@dataclass(slots=True)
class GoldDigest:
    """The sum of the keys of the rows of each gold value, as a reader goes through a table."""

    gold: str
    ids: str | None = None
    n_rows: int = 0
    n_text_ids: int = 0
    sums: dict[Any, list[Any]] = field(default_factory=dict)
    """Each value of the column, and the sum of the keys of its rows."""

    @property
    def columns(self) -> list[str]:
        """The columns that it is made of."""
        return [self.gold, *([] if self.ids is None else [self.ids])]

    def add(self, golds: Sequence[Any], ids: Sequence[Any] | None = None) -> None:
        """Add rows, in order."""
        import numpy as np

        places: dict[Any, int] = {}
        values = [value if isinstance(value, str) else (type(value), repr(value)) for value in golds]
        codes = np.fromiter((places.setdefault(value, len(places)) for value in values), np.int64, len(values))
        first = dict(zip(reversed(values), reversed(golds), strict=True))
        self.add_codes(codes, [first[value] for value in places], ids)

    def add_codes(self, codes: NDArray[Any], values: Sequence[Any], ids: Sequence[Any] | None = None) -> None:
        """Add rows by the places of their values in a list."""
        import numpy as np

        for start in range(0, len(codes), _AT_ONCE):
            some = codes[start : start + _AT_ONCE]
            if ids is None:
                keys = _mixed(np.arange(self.n_rows, self.n_rows + len(some), dtype=np.uint64))
            else:
                keys = self._keys_of(ids[start : start + _AT_ONCE])
            # Keys have 32 bits, so that sums of a million of them are exact in double precision.
            sums = np.bincount(some, weights=keys.astype(np.float64), minlength=len(values)).tolist()
            self.add_sums(values, map(int, sums))
            self.n_rows += len(some)

    def add_sums(self, golds: Iterable[Any], sums: Iterable[int]) -> None:
        """Add the sums of the keys of some values."""
        for value, amount in zip(golds, sums, strict=True):
            if amount:
                key = value if type(value) in (str, int) else (type(value), repr(value))
                self.sums.setdefault(key, [value, 0])[1] += amount

    def key(self, frame: pl.LazyFrame, row: str) -> pl.Expr:
        """Return the keys of the ids of a frame, or of the numbers of its rows; null for ids of other kinds."""
        import polars as pl

        def number(value: int) -> pl.Expr:
            return pl.lit(value, dtype=pl.UInt64)

        name = self.ids or row
        kind = frame.collect_schema()[name]
        found = pl.col(name) if kind.is_integer() else pl.col(name).cast(pl.String)
        fits = kind == pl.UInt32  # as numbers of rows are: no check is needed
        found = found.cast(pl.UInt64) if fits else found.cast(pl.Int64, strict=False).reinterpret(signed=False)
        found = (found ^ number(_ODD_TOO)) * number(_ODD)
        return (found ^ (found // number(_HALF))) * number(_ODD_TOO) // number(_HALF)

    def text(self, label: Callable[[Any], Any] = lambda value: value) -> str:
        """Return the digest; `label` turns a value of the column into a label."""
        if not self.sums or self.n_text_ids > MOST_TEXT_IDS:
            return UNKNOWN_GOLD
        import numpy as np

        # Arithmetic modulo 2^64, of all labels at once: there may be a million.
        labels = [label(value) for value, _ in self.sums.values()]
        as_text = str if set(map(type, labels)) <= {str, int} else _label_text
        texts = [text.encode(errors="replace") for text in map(as_text, labels)]
        checks, lengths = (np.fromiter(map(of, texts), np.uint64, len(texts)) for of in (crc32, len))
        amounts = np.array([amount & _MASK for _, amount in self.sums.values()], np.uint64)
        total = (_spread(checks + (lengths << 32)) * amounts).sum(keepdims=True)
        return f"{int(_spread(total + (self.ids is not None))[0]) >> 32:08x}"

    def _keys_of(self, ids: Sequence[Any]) -> NDArray[Any]:
        """Return the keys of ids."""
        import numpy as np

        texts = ["" if one is None else str(one) for one in ids]
        numbers = [int(text) if _WHOLE.fullmatch(text) else _NO_NUMBER for text in texts]
        rest = [place for place, number in enumerate(numbers) if not -(1 << 63) <= number < 1 << 63]
        self.n_text_ids += len(rest)
        for place in rest:
            numbers[place] = 0
        keys = _mixed(np.array(numbers, dtype=np.int64).astype(np.uint64))
        if rest and self.n_text_ids <= MOST_TEXT_IDS:
            hashed = np.fromiter((crc32(texts[place].encode(errors="replace")) for place in rest), np.uint64, len(rest))
            keys[rest] = _mixed(hashed)
        return keys


def _multiplied(numbers: NDArray[Any]) -> NDArray[Any]:
    numbers = (numbers ^ _ODD_TOO) * _ODD
    numbers ^= numbers >> 32
    numbers *= _ODD_TOO
    return numbers


def _mixed(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return 32 bits for each number (of 64 bits), which tell nothing of those of its neighbours."""
    return _multiplied(numbers) >> 32


def _spread(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return 64 bits for each number that depend on every bit of it."""
    found = _multiplied(numbers)
    found ^= found >> 29
    return found


def _label_text(label: Any) -> str:
    """Return the text of a label, or of a set of labels in order; a missing one differs from all."""
    if isinstance(label, (set, frozenset, list)):
        return "\x1f".join(["\x1e", *sorted(map(_label_text, label))])
    if isinstance(label, tuple) and len(label) == 2 and isinstance(label[0], type):  # a label of a set
        label = label[1]
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    return "\x00" if label is None else str(label)
