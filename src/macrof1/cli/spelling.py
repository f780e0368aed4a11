"""How the command line spells arguments: ``--missing drop`` for ``missing="drop"``."""

from __future__ import annotations

import shlex
from typing import Final

from macrof1.message import Argument

_NAMES: Final = {"sample_weight": "weight", "file_format": "input-format", "rng": "seed", "pred_column": "pred"}
"""Arguments whose options have different names."""


def option(argument: Argument) -> str:
    """Format an argument as an option.

    Examples
    --------
    >>> option(Argument("missing", "drop")), option(Argument("percent", True)), option(Argument("header", False))
    ('--missing drop', '--percent', '--no-header')
    >>> option(Argument("sample_weight")), option(Argument("systems", ["a", "b c"]))
    ('--weight', "--systems 'a,b c'")
    """
    name = _NAMES.get(argument.name, argument.name).replace("_", "-")
    if not argument.has_value or argument.value is True:
        return f"--{name}"
    if argument.value is False:
        return f"--no-{name}"
    several = isinstance(argument.value, list | tuple)
    return f"--{name} {shlex.quote(','.join(map(str, argument.value)) if several else str(argument.value))}"
