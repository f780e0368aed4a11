"""What all results share: plain JSON types, and how a notebook shows them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, ClassVar


def plain(value: Any) -> Any:
    """Return a value as JSON types: results as dicts, NaN as null, what JSON does not know as text.

    Examples
    --------
    >>> plain({"scores": (0.5, float("nan")), "label": b"x"})
    {'scores': [0.5, None], 'label': "b'x'"}
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return [plain(each) for each in value]
    return str(value)


class Result:
    """The ground of every result type: a frozen dataclass whose `to_dict` is made of plain JSON types.

    `_keys` names the attributes that `to_dict` holds, in order, properties included; all fields where it is empty.
    """

    __slots__ = ()
    _keys: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain JSON types."""
        names = self._keys or tuple(field.name for field in fields(self))  # type: ignore[arg-type]  # subclasses are
        return {name: plain(getattr(self, name)) for name in names}

    def _repr_html_(self) -> str:
        """Return the result as HTML, as notebooks ask for it."""
        from macrof1.reporting.notebook import notebook_html

        return notebook_html(self)
