"""`mf1 completion`: completion scripts for shells."""

from __future__ import annotations

from typing import Annotated, Literal


def completion(shell: Annotated[Literal["bash", "zsh", "fish"], "bash, zsh or fish."], /) -> None:
    """Print a completion script for your shell.

    For bash: `mf1 completion bash > ~/.local/share/bash-completion/completions/mf1`, then a new shell.
    """
    from macrof1.cli.commands import COMMANDS, load
    from macrof1.cli.help import help_app

    print(help_app(map(load, COMMANDS)).generate_completion(shell=shell))
