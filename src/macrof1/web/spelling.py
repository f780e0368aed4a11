"""How the page spells arguments: by the names of its fields."""

from __future__ import annotations

from typing import Any, Final

from macrof1.message import Argument, Message

_FIELDS: Final = {
    "beta": "beta",
    "by": "Column with the system's name",
    "columns": "Columns with other names",
    "gold": "Gold column",
    "labels": "the names of the classes",
    "n_classes": "Number of classes",
    "percent": "Figures are",
    "rounding": "Cut by",
    "rows": "Rows are",
    "sample_weight": "Column with counts or weights",
    "support": "Gold rows per class",
    "systems": "System columns",
    "task": "Labels per row",
    "test": "Test of differences",
    "weight": "Column with counts or weights",
}
_VALUES: Final = {
    ("percent", True): "percentages",
    ("percent", False): "fractions",
    ("rounding", "round"): "rounding",
    ("rounding", "truncate"): "truncation",
    ("rounding", "unknown"): "either",
    ("rows", "gold"): "gold classes",
    ("rows", "predicted"): "predicted classes",
    ("task", "multiclass"): "one",
    ("task", "multilabel"): "several",
}


def spell(argument: Argument) -> str:
    """Name the field that an argument is, and its value as the page shows it.

    Examples
    --------
    >>> spell(Argument("percent", True)), spell(Argument("n_classes"))
    ('“Figures are: percentages”', '“Number of classes”')
    """
    name = _FIELDS.get(argument.name)
    if name is None:
        return str(argument)  # the page has no such field: as the library calls it
    if not argument.has_value:
        return f"“{name}”"
    return f"“{name}: {_VALUES.get((argument.name, argument.value), argument.value)}”"


def worded(answer: Any) -> Any:
    """Return an answer whose messages name the page's fields, and everything else as it is."""
    if isinstance(answer, Message):
        return answer.worded(spell)
    if isinstance(answer, dict):
        return {name: worded(value) for name, value in answer.items()}
    if isinstance(answer, list | tuple):
        return [worded(value) for value in answer]
    return answer
