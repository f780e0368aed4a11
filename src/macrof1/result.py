"""What all results share: plain JSON types, one line when printed, and how a notebook shows and draws them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, ClassVar


def plain(value: Any) -> Any:
    """Return a value as JSON types: results as dicts, NaN as null, anything unknown to JSON as text."""
    if isinstance(value, float):  # most values of many records are numbers
        return value if value == value else None
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    # Other containers that can be hashed are labels.
    if isinstance(value, tuple | frozenset) or (isinstance(value, Iterable) and not isinstance(value, Hashable)):
        return [plain(each) for each in value]
    return str(value)


class Result:
    """The base of every result type: a frozen dataclass whose `to_dict` consists of plain JSON types.

    `_keys` names the attributes in `to_dict`, in order, including properties; if empty, all fields.
    """

    __slots__ = ()
    _keys: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        names = self._keys or self.__dataclass_fields__  # type: ignore[attr-defined]  # every subclass is a dataclass
        return {name: plain(getattr(self, name)) for name in names}

    def __str__(self) -> str:
        """Return the result in one line: its summary, if it has one."""
        told = getattr(self, "summary", None)
        return told if isinstance(told, str) else repr(self)

    def plot(self, number: int = 1) -> Any:
        """Return one of the charts of the result, the first unless told otherwise, as an Altair chart.

        A notebook draws it; ``result.plot().save("chart.svg")`` writes it to a file. Needs the extra ``charts``.
        """
        from macrof1.reporting.rendering import chart_of

        return chart_of(self, number)

    def _repr_html_(self) -> str:
        """Return the result as HTML for notebooks."""
        from macrof1.reporting.rendering import notebook_html

        return notebook_html(self)
