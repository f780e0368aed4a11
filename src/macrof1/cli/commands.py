"""The commands by name, each loaded when it is called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, TypeAlias

Command: TypeAlias = Callable[..., int | None]

COMMANDS: Final = (
    "score", "compare", "plan", "bounds", "reproduce", "audit", "identify", "conventions", "count", "explore", "cite",
    "completion", "selftest",
)  # fmt: skip
"""Every command is a function in a module of its own name beside this one."""


def load(name: str) -> Command:
    """Load a command's function; it returns an exit code, or nothing for 0."""
    function: Command = getattr(import_module(f"macrof1.cli.{name}"), name)
    return function
