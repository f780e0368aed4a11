"""The commands, and how `mf1` answers a call that it does not understand."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Literal

import cyclopts
from cyclopts import App

import macrof1
from macrof1.cli.audit import audit
from macrof1.cli.bounds import bounds
from macrof1.cli.cite import cite
from macrof1.cli.compare import compare
from macrof1.cli.conventions import conventions
from macrof1.cli.count import count
from macrof1.cli.explore import explore
from macrof1.cli.reproduce import reproduce
from macrof1.cli.score import score
from macrof1.counting.kernel.integers import counting_path
from macrof1.errors import InputError, nearest

app = App(
    name="mf1",
    help=(
        "Both macro F1s, always named: averaged F1 (the mean of the per-class F1 scores, recommended) and "
        "F1 of averages (the harmonic mean of macro precision and macro recall).\n\n"
        "`mf1 N CELL…` runs the note's own program on N x N cells, predictions as rows: `mf1 2 100 10000 0 100`."
    ),
    version=lambda: f"mf1 {macrof1.__version__} ({counting_path()} counting)",
    help_format="markdown",
)
app.command(score)
app.command(compare)
app.command(bounds)
app.command(reproduce)
app.command(audit)
app.command(conventions)
app.command(count)
app.command(explore)
app.command(cite)


@app.command
def completion(shell: Literal["bash", "zsh", "fish"], /) -> None:
    """Print a completion script for your shell.

    For bash: `mf1 completion bash > ~/.local/share/bash-completion/completions/mf1`, then a new shell.

    Parameters
    ----------
    shell
        bash, zsh or fish.
    """
    print(app.generate_completion(shell=shell))


def run_app(arguments: Sequence[str]) -> None:
    """Parse and run one call; turn what cannot be parsed into one line for the user."""
    if not arguments:
        app.help_print([])
        return
    first = arguments[0]
    commands = [name for name in app.resolved_commands() if not name.startswith("-")]
    if first.startswith("-") and first not in app.resolved_commands():
        guess = nearest(first, ["--help", "--version"])
        raise InputError(
            f"no option {first!r} of mf1 itself: expected a command first, --help or --version"
            + (f"; did you mean {guess!r}?" if guess else "")
        )
    if first not in commands and not first.startswith("-"):
        guess = nearest(first, commands)
        hint = f"did you mean {guess!r}?" if guess else "mf1 --help lists them"
        raise InputError(
            f"no command {first!r}: expected one of {', '.join(commands)}, or a number for the note's program; {hint}"
        )
    try:
        app(list(arguments), exit_on_error=False, print_error=False, result_action="return_value")
    except cyclopts.UnusedCliTokensError as error:
        left = " ".join(error.unused_tokens or ())
        raise InputError(f"{left!r} is nothing that mf1 {first} takes; mf1 {first} --help shows what it does") from None
    except cyclopts.CycloptsError as error:
        raise InputError(f"{str(error).strip()} (mf1 {first} --help shows what it takes)") from None
    sys.stdout.flush()
