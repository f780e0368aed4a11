"""Help texts and completion scripts, from the table of options and what each command says about itself."""

from __future__ import annotations

import inspect
import re
import shutil
from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import Any

from macrof1.cli.parsing import written
from macrof1.options import Names, Option, options_of
from macrof1.reporting.as_text import wrapped

_ABOUT = (
    "Both macro F1s, always named: averaged F1 (the mean of the per-class F1 scores, recommended) and F1 of averages "
    "(the harmonic mean of macro precision and macro recall)."
)
_SHORT = (
    "mf1 preds.csv is short for mf1 score preds.csv. mf1 COMMAND --help has the options of a command.",
    "mf1 N CELL… runs the paper's own program on N x N cells, predictions as rows: mf1 2 100 10000 0 100.",
)
_WORDS = {int: "N", float: "X", Names: "A,B"}


def general_help(groups: Iterable[tuple[str, Iterable[Callable[..., Any]]]]) -> str:
    """Return what ``mf1 --help`` prints: the commands in groups."""
    lines = ["Usage: mf1 COMMAND …", "", *_paragraphs([_ABOUT])]
    for title, commands in groups:
        lines += [f"{title}:"]
        for command in commands:
            lines.append(_entry(command.__name__, (inspect.getdoc(command) or "").partition("\n\n")[0], 15))
        lines.append("")
    return "\n".join([*lines, *_paragraphs(_SHORT)]).rstrip()


def command_help(command: Callable[..., Any], places: Iterable[tuple[str, str]]) -> str:
    """Return what ``mf1 COMMAND --help`` prints: what it does, examples, and its options by group."""
    name, said = command.__name__, inspect.getdoc(command) or ""
    options = options_of(name)
    positional = list(places)
    usage = " ".join(["Usage: mf1", name, *(place for place, _ in positional), *(["[options]"] if options else [])])
    lines = [usage, "", *_paragraphs(said.split("\n\n"))]
    if positional:
        lines += ["Arguments:", *(_entry(place, words, 24) for place, words in positional), ""]
    for title in dict.fromkeys(option.group for option in options.values()):
        lines += [f"{title}:", *(_described(each, options) for each in options.values() if each.group == title), ""]
    return "\n".join(lines).rstrip()


def _described(option: Option, options: dict[str, Option]) -> str:
    long = written(option)
    names = f"{long}, {option.short}" if option.short else long
    if option.type is bool:
        names = f"{long}/--no-{long.removeprefix('--')}" if option.default else names
    else:
        names += f" {_WORDS.get(option.type, 'VALUE')}"
    said = re.sub(r"\{(\w+)\}", lambda match: written(options[match[1]]), option.help)
    if option.choices:
        said += f" One of {', '.join(map(str, option.choices))}."
    if option.default not in (None, (), False, True):
        said += f" Default: {option.default}."
    return _entry(names, said, 24)


def _entry(names: str, said: str, indent: int) -> str:
    first, after = f"  {names}", " " * indent
    if len(first) + 2 > indent:
        return f"{first}\n{_filled(said, after, after)}"
    return _filled(said, first.ljust(indent), after)


def _paragraphs(texts: Iterable[str]) -> list[str]:
    lines: list[str] = []
    for text in texts:
        if text.startswith("- "):
            items = re.split(r"^- ", text, flags=re.MULTILINE)[1:]
            lines += [_filled(item, "  ", "      ") for item in items]
        else:
            lines.append(_filled(text, "", ""))
        lines.append("")
    return lines


def _filled(text: str, first: str, after: str) -> str:
    width = max(40, min(100, shutil.get_terminal_size().columns))
    return wrapped(" ".join(text.split()).replace("`", ""), width=width, first=first, after=after)


def completion_script(shell: str, commands: list[str]) -> str:
    """Return a script that completes commands, options and their values in a shell."""
    options = [(name, option) for name in commands for option in options_of(name).values()]
    names = " ".join(commands)
    if shell == "fish":
        lines = [f"complete -c mf1 -n __fish_use_subcommand -f -a '{names}'"]
        for name, option in options:
            values = f" -x -a '{' '.join(map(str, option.choices))}'" if option.choices else ""
            needs = "" if option.type is bool or option.choices else " -r"
            long = written(option).removeprefix("--")
            lines.append(f"complete -c mf1 -n '__fish_seen_subcommand_from {name}' -l {long}{needs}{values}")
        return "\n".join(lines)
    cases = [
        f"    {name}:{written(option)}) words='{' '.join(map(str, option.choices))}' ;;"
        for name, option in options
        if option.choices
    ]
    spelled = {name: ["--help"] for name in commands}
    for name, option in options:
        off = option.type is bool and option.default
        spelled[name] += [written(option), *([written(option).replace("--", "--no-", 1)] if off else [])]
    listed = [f"    {name}) words='{' '.join(words)}' ;;" for name, words in spelled.items()]
    script = files("macrof1.cli").joinpath("completion.bash").read_text(encoding="utf-8").rstrip()
    for mark, words in (("@commands@", names), ("@values@", "\n".join(cases)), ("@options@", "\n".join(listed))):
        script = script.replace(mark, words)
    return f"autoload -U +X bashcompinit && bashcompinit\n{script}" if shell == "zsh" else script
