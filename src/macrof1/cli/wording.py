"""What the library says to people who write Python, said to people who type commands."""

from __future__ import annotations

import re
from typing import Final

_OPTIONS: Final = {"n_classes": "classes", "sample_weight": "weight", "file_format": "input-format"}
"""What options are called in Python and on the command line, where the two differ."""

_NAMES: Final = (
    *_OPTIONS, "missing", "classes", "labels", "undefined", "beta", "only", "task", "rows", "seed", "seeds",
    "n_resamples", "confidence_level", "f1_of_averages", "averaged_f1", "convention", "method", "test", "percent",
    "precision", "recall", "closeness", "support", "decimals", "rounding",
)  # fmt: skip


def in_options(message: str) -> str:
    """Say ``--missing drop`` where the library says ``missing="drop"``, and ``--percent`` for ``percent=True``.

    Examples
    --------
    >>> in_options('they would fit averaged F1 (rounding="truncate")')
    'they would fit averaged F1 (--rounding truncate)'
    """

    def option(found: re.Match[str]) -> str:
        name = _OPTIONS.get(found["name"], found["name"]).replace("_", "-")
        return f"--{name}" if found["end"] is not None else f"--{name} {found['value'] or ''}"

    pattern = rf"(?<![\w-])(?P<name>{'|'.join(_NAMES)})=(?:[\"'](?P<value>[^\"']*)[\"']|True\b|(?P<end>(?=[,;:.)])))?"
    return " ".join(re.sub(pattern, option, message).split()) if "=" in message else message
