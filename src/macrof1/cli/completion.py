"""`mf1 completion`: completion scripts for shells."""

from __future__ import annotations

from macrof1.cli.parsing import Given
from macrof1.errors import InputError

_SHELLS = ("bash", "zsh", "fish")


def completion(given: Given) -> None:
    """Print a completion script for your shell.

    For bash: `mf1 completion bash > ~/.local/share/bash-completion/completions/mf1`, then a new shell.
    """
    from macrof1.cli.commands import COMMANDS
    from macrof1.cli.help import completion_script

    shell = given.words[0]
    if shell not in _SHELLS:
        raise InputError(f"SHELL {shell!r} is not valid", expected=f"one of {', '.join(_SHELLS)}")
    print(completion_script(shell, COMMANDS))
