"""How messages on the page name arguments: by the page's own fields."""

from __future__ import annotations

from typing import Final

from macrof1.message import Argument

_FIELDS: Final = {
    "percent": "“percentages” under “Figures are”",
    "n_classes": "“Number of classes”",
    "task": "“Labels per row”",
    "rounding": "“Cut by”",
    "columns": "“Columns with other names”",
    "by": "“Column with the system's name”",
    "sample_weight": "“Column with counts or weights”",
    "weight": "“Column with counts or weights”",
    "systems": "“System columns”",
    "gold": "“Gold column”",
    "pred": "the header “pred”",
    "missing": "“Rows without a label”",
    "header": "a line that names the columns",
    "file_format": "an ending that tells its format (.csv, .tsv, .jsonl)",
    "table": "the CSV file",
    "format": "the CSV file",
}
"""Arguments, and the fields that set them."""

_VALUES: Final = {
    ("rounding", "truncate"): "truncation",
    ("task", "multilabel"): "several",
    ("missing", "drop"): "leave out",
    ("missing", "label"): "a class of their own",
}
"""Values that have a different name on the page."""


def field(argument: Argument) -> str:
    """Name an argument by its field on the page, or in words if there is no field for it.

    Examples
    --------
    >>> field(Argument("percent", True)), field(Argument("rounding", "truncate"))
    ('“percentages” under “Figures are”', '“truncation” under “Cut by”')
    >>> field(Argument("n_resamples", 25_500))
    '25,500 resamples (with the command mf1)'
    >>> field(Argument("by", "label")), field(Argument("labels"))
    ("“Column with the system's name”: label", 'labels')
    """
    if argument.name == "n_resamples" and argument.has_value:  # the page has no field for it
        return f"{argument.value:,} resamples (with the command mf1)"
    name = _FIELDS.get(argument.name, argument.name.replace("_", " "))
    value = argument.value if argument.has_value and not isinstance(argument.value, bool) else ""
    shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    if (argument.name, shown) in _VALUES:
        return f"“{_VALUES[argument.name, shown]}” under {name}"
    return f"{name}: {shown}" if shown else name
