"""How the command line spells arguments: ``--missing drop`` for ``missing="drop"``."""

from __future__ import annotations

import shlex
from functools import cache

from macrof1.message import Argument


@cache
def _names() -> dict[str, str]:
    """Return the names of arguments on the command line."""
    from macrof1.options import OPTIONS  # the paper's program does without

    return {option.name: option.spelled for option in OPTIONS} | {"pred_column": "pred"}


def option(argument: Argument) -> str:
    """Format an argument as an option.

    Examples
    --------
    >>> option(Argument("missing", "drop")), option(Argument("percent", True)), option(Argument("header", False))
    ('--missing drop', '--percent', '--no-header')
    >>> option(Argument("sample_weight")), option(Argument("systems", ["a", "b c"]))
    ('--weight', "--systems 'a,b c'")
    """
    name = _names().get(argument.name, argument.name).replace("_", "-")
    if not argument.has_value or argument.value is True:
        return f"--{name}"
    if argument.value is False:
        return f"--no-{name}"
    several = isinstance(argument.value, list | tuple)
    return f"--{name} {shlex.quote(','.join(map(str, argument.value)) if several else str(argument.value))}"
