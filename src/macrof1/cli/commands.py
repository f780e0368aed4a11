"""The commands by name, each loaded on demand; and one call: a command, help, the version, or an error message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final, TypeAlias

from macrof1.cli.parsing import parse
from macrof1.errors import InputError, nearest

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


def run_app(words: Sequence[str]) -> int:
    """Run one call and return its exit code."""
    first, *rest = words or ["--help"]
    if first in COMMANDS:
        if {"--help", "-h"} & set(rest[: rest.index("--")] if "--" in rest else rest):
            _print_help([first])
            return 0
        command = load(first)
        positional, keywords = parse(command, rest, first)
        return command(*positional, **keywords) or 0
    if first in ("--help", "-h"):
        _print_help([])
    elif first == "--version":
        from macrof1 import __version__
        from macrof1.counting.kernel.integers import counting_path

        print(f"mf1 {__version__} ({counting_path()} counting)")
    else:
        raise _no_command(first)
    return 0


def _print_help(words: list[str]) -> None:
    from macrof1.cli.help import help_app

    help_app(map(load, COMMANDS)).help_print(words)


def _no_command(first: str) -> InputError:
    if first.startswith("-"):
        guess = nearest(first, ["--help", "--version"])
        return InputError(
            f"unknown option {first}",
            expected="a command first, --help or --version",
            hint=f"did you mean {guess}?" if guess else None,
        )
    guess = nearest(first, COMMANDS)
    return InputError(
        f"no command {first!r}",
        expected=f"one of {', '.join(COMMANDS)}, or a number for the paper's program",
        hint=f"did you mean {guess!r}?" if guess else "mf1 --help lists them",
    )
