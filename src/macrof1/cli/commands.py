"""The commands by name, each loaded on demand."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, TypeAlias

Command: TypeAlias = Callable[..., int | None]

COMMANDS: Final = (
    "score", "compare", "plan", "bounds", "reproduce", "audit", "identify", "conventions", "count", "explore", "cite",
    "completion", "selftest",
)  # fmt: skip
"""Each command is a function in the module of the same name in this package."""


def load(name: str) -> Command:
    """Load a command's function, which returns an exit code, or None for 0."""
    function: Command = getattr(import_module(f"macrof1.cli.{name}"), name)
    return function
