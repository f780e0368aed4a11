"""The commands by name, each loaded on demand; and one call: a command, help, the version, or an error message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from glob import has_magic
from importlib import import_module
from pathlib import Path
from typing import Final, TypeAlias

from macrof1.cli.parsing import Given, command_help, general_help, parse
from macrof1.errors import InputError, nearest

Command: TypeAlias = Callable[[Given], int | None]

_FILES = (
    "CSV, TSV, JSON, JSON lines, Parquet or Arrow, an evaluation log (lm-evaluation-harness, Inspect, promptfoo), "
    "plain or compressed; - for standard input; a pattern; a folder of Parquet. Or counts that mf1 count saved: "
    "*.counts.json. Several are read as one table."
)
_REPORTS = (
    "Reports as tools print them: text, Markdown, LaTeX, HTML, JSON or a notebook; - for standard input. Or a "
    "leaderboard to audit row by row, CSV or TSV with a header, whose columns are found by their names (macro_f1, "
    "offense_precision, accuracy, …)."
)
_DATA = (
    "A data file with one gold label per row: the largest gap that any classifier could have on it. Files as for mf1 "
    "score, or counts that mf1 count saved."
)

COMMANDS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "score": (("[FILE…]", _FILES),),
    "compare": (("FILE…", "One table with all systems, or a gold file and a file per system."),),
    "audit": (("[FILE]", _REPORTS),),
    "identify": (
        ("[FILE…]", _FILES),
        ("[NUMBER]", "The number as printed: 0.7123, or 71.23; trailing zeros count. A leaderboard has its own."),
    ),
    "plan": (("FILE", "A pilot: a file with gold and the predictions of one or two systems."),),
    "conventions": (("[FILE…]", _FILES),),
    "count": (("FILE…", _FILES),),
    "task": (("init", ""), ("GOLD", "The file with gold, which participants do not have.")),
    "explore": (("[FILE…]", "What to start with: predictions, a matrix, a report, a leaderboard, or several files."),),
    "bounds": (("[FILE…]", _DATA),),
    "reproduce": (),
    "selftest": (),
    "cite": (),
    "completion": (("SHELL", "bash, zsh or fish."),),
}
"""What each command takes beside options."""

MORE: Final = ("task", "bounds", "reproduce", "selftest", "cite", "completion")
_DATA_COMMANDS: Final = ("score", "compare", "identify", "plan", "conventions", "count")


def load(name: str) -> Command:
    """Load a command's function, which returns an exit code, or None for 0."""
    module = "data_commands" if name in _DATA_COMMANDS else "more_commands"
    function: Command = getattr(import_module(f"macrof1.cli.{module}"), name)
    return function


def run_app(words: Sequence[str]) -> int:
    """Run one call and return its exit code."""
    first, *rest = words or ["--help"]
    if first == "help":
        first, rest = (rest[0], ["--help"]) if rest else ("--help", [])
    with suppress(OSError, ValueError):  # which is no name of a file
        named = has_magic(first) or Path(first).suffix or Path(first).exists()
        if first == "-" or (named and first not in COMMANDS and not first.startswith("-")):
            first, rest = "score", list(words)
    if first in COMMANDS:
        if {"--help", "-h"} & set(rest[: rest.index("--")] if "--" in rest else rest):
            print(command_help(load(first), COMMANDS[first]))
            return 0
        given = parse(rest, first)
        words, places = given.words, [name for name, _ in COMMANDS[first]]
        problem = None
        if len(words) > len(places) and not any(name.endswith(("…", "…]")) for name in places):
            problem = f"unexpected argument {words[len(places)]!r} for mf1 {first}"
        elif first == "completion" and not words:
            problem = f"mf1 {first} needs {places[0]}"
        if problem:
            raise InputError(problem, hint=f"see mf1 {first} --help")
        return load(first)(given) or 0
    if first in ("--help", "-h"):
        usual = [load(name) for name in COMMANDS if name not in MORE]
        print(general_help((("Commands", usual), ("More commands", map(load, MORE)))))
    elif first == "--version":
        from macrof1 import __version__
        from macrof1.counting.kernel.integers import counting_path

        print(f"mf1 {__version__} ({counting_path()} counting)")
    else:
        option = first.startswith("-")
        guess = nearest(first, ["--help", "--version"] if option else COMMANDS)
        if option:
            hint = f"did you mean {guess}?" if guess else None
            raise InputError(f"unknown option {first}", expected="a command first, --help or --version", hint=hint)
        raise InputError(
            f"no command {first!r}, and no file of that name",
            expected=f"one of {', '.join(COMMANDS)}, or a number for the paper's program",
            hint=f"did you mean {guess!r}?" if guess else "mf1 --help lists them",
        )
    return 0
