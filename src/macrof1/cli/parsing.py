"""What the table of options becomes on the command line: parsing, help texts and completion."""

from __future__ import annotations

import csv
import inspect
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from glob import glob
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from macrof1.cli.streams import option as spell
from macrof1.counting.written_files import refuse_foreign
from macrof1.errors import InputError, nearest
from macrof1.message import Argument, Message
from macrof1.options import OPTIONS, Names, Option, Several, options_of
from macrof1.reporting.as_text import wrapped
from macrof1.request import Request

_SAME: Final = {
    "--json": ["--format", "json"],
    "--ci": ["--interval"],
    "--no-ci": ["--no-interval"],
    "--y-true": ["--gold"],
    "--y-pred": ["--pred"],
    "--group-by": ["--by"],
}
"""Other names of options."""

_EXCLUDE: Final = "use --exclude to leave a class out of the averages; its rows still count"
_ELSEWHERE: Final = {
    "plan --over": "plans count rows; run a pilot through mf1 compare --over: four times its units halve an interval",
    "--average": "mf1 always prints both macro F1s, each by its name",
    "--zero-division": "use --undefined to set what a ratio with denominator 0 counts as",
    "--pos-label": "use --labels to list the classes to average over",
    "--sample-weight": "use --weight to name the column of weights",
    **dict.fromkeys(("--sep", "--delimiter"), "use --input-format csv or tsv to set the format of the file"),
    **dict.fromkeys(("--decimals", "--round"), "use --digits to set how many decimals are printed"),
    **dict.fromkeys(("--ignore", "--ignore-index"), _EXCLUDE),
}
"""What common options of other tools are called here, and what to do instead of others."""

_FIELDS: Final = frozenset(field.name for field in fields(Request))
_SELECTORS: Final = ("spans", "matrix", "report", "published")


@dataclass(frozen=True, slots=True)
class Given:
    """What a command was given: the words that are no options, and the options by their names in Python."""

    command: str
    words: list[str]
    options: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        """Return the value of an option, or its default."""
        return self.options.get(name, options_of(self.command)[name].default)

    def request(self, words: Sequence[str] | None = None) -> Request:
        """Make the request of files, or of what an option names instead, with the options and a task file, if any."""
        files: Sequence[Any] = self.words if words is None else words
        kind: Any = "rows"
        chosen = [Argument(name, self.options[name]) for name in _SELECTORS if self.options.get(name)]
        if len(chosen) > 1:
            raise InputError.beside(chosen[1], chosen[0].bare, expected="one of them")
        for source in chosen:
            kind = source.name
            if source.value is not True:
                if files:
                    expected = f"either predictions or a {kind}"
                    raise InputError.beside(Message(files[0]), source.bare, expected=expected)
                files = [source.value]
        settings: dict[str, Any] = {}
        identity = None
        if self.options.get("config") is not None:
            from macrof1.reading.tasks import read_task

            settings, identity = read_task(self.options["config"])
            for name, value in self.options.items():
                if name in settings:
                    sets_it = Message(Argument("config"), f", which sets it ({identity})")
                    raise InputError.beside(Argument(name, value), sets_it, expected="one of them")
            settings = {name: value for name, value in settings.items() if name in options_of(self.command)}
            if settings.pop("spans", False):
                kind = "spans"
        own = {name: value for name, value in self.options.items() if name in _FIELDS and name != "config"}
        # What was typed or fixed has to have an effect, even if it is the default.
        new = {name for name, value in (settings | own).items() if value != options_of(self.command)[name].default}
        rest = [Argument(*each) for each in (settings | self.options).items() if each[0] not in {*new, *_SELECTORS}]
        return Request(
            files=tuple(files), kind=kind, config=identity, labels_are_text=True, beside=tuple(rest), **settings, **own
        )


def written(option: Option) -> str:
    """Return the name of an option on the command line."""
    return f"--{option.spelled.replace('_', '-')}"


def parse(words: Sequence[str], command: str) -> Given:
    """Parse the words of a call."""
    known: dict[str, tuple[Option, bool | None]] = {}  # every spelling, and the value of those that are flags
    for each in options_of(command).values():
        long, true = written(each), True if each.type is bool else None
        known |= {name: (each, true) for name in (long, each.short) if name}
        if true and not long.startswith("--no-"):
            known[f"--no-{long.removeprefix('--')}"] = each, False
    positional: list[str] = []
    given: dict[str, Any] = {}
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--":
            positional += left
            break
        if word == "-" or not word.startswith("-"):
            positional.append(word)
            continue
        name, equals, text = word.partition("=")
        name = f"--{name[2:].replace('_', '-')}" if name.startswith("--") else name
        if name in _SAME and name not in known:
            left = [*_SAME[name][1:], *([text] if equals else []), *left]
            name, equals = _SAME[name][0], ""
        if name not in known:
            raise _unknown(word, known, command)
        option, flag = known[name]
        if flag is not None:
            if equals:
                raise InputError(f"{name} takes no value", given=word, expected=f"{name} alone")
            value: Any = flag
        else:
            if not equals and not left:
                raise InputError(f"{name} needs a value", expected=f"{name} VALUE")
            # It may be a negative number but not another option.
            if not equals and (left[0].partition("=")[0] in known or left[0].startswith("--")):
                hint = f"{name}={left[0]} if that is the value"
                raise InputError(f"{name} needs a value before {left[0]}", hint=hint)
            text = text if equals else left.pop(0)
            if not (text.strip() if option.file else text):
                raise InputError(f"{name} is empty", expected=f"{name} VALUE", hint="is a variable not set?")
            value = _value(option, text)
        if option.type is Names and left and not equals:
            _refuse_loose_names(name, value, left)
        if option.type is Several:
            given[option.name] = (*given.get(option.name, ()), value)
        elif option.name in given:
            raise InputError(f"{name} is given twice", argument=option.name, expected="it only once")
        else:
            given[option.name] = value
    if not all(map(str.strip, positional)):
        raise InputError("the name of a file is empty", expected="a path", hint="is a variable not set?")
    named = [(option.file, given[name]) for name, option in options_of(command).items() if name in given]
    read, outputs = ([value for use, value in named if use == wanted] for wanted in ("read", "written"))
    _refuse_overwriting([*positional, *read], outputs, force=bool(given.get("force")))
    return Given(command, positional, given)


def _value(option: Option, text: str) -> Any:
    if option.choices:
        known = {str(choice): choice for choice in option.choices}
        return known[InputError.one_of(option.name, text, known)]
    if option.type is Names:
        try:
            names = next(csv.reader([text], skipinitialspace=True, strict=True), [])
        except csv.Error:
            raise InputError(f"{text!r} has an unbalanced quote", given=text, expected="a list such as a,b,c") from None
        if not names or not all(map(str.strip, names)):
            what = "has an empty name" if names else "is empty"
            raise InputError(f"{text!r} {what}", given=text, expected="a list such as a,b,c")
        return tuple(names)
    if option.type in (int, float):
        try:
            return option.type(text)
        except ValueError:
            kind = "a whole number" if option.type is int else "a number"
            raise InputError.bad_value(option.name, text, expected=kind) from None
    return text


def _refuse_loose_names(name: str, value: tuple[str, ...], left: list[str]) -> None:
    """Reject ``--labels a b c``: what follows would be taken for files."""
    loose = list(takewhile(lambda word: not (word.startswith("-") or Path(word).suffix or glob(word)), left))  # noqa: PTH207  # may be absolute
    if loose:
        joined = spell(Argument(name.removeprefix("--"), [*value, *loose]))
        raise InputError(f"{' '.join([name, *value, *loose])}", expected=f"one list, joined by commas: {joined}")


def _unknown(word: str, known: dict[str, Any], command: str) -> InputError:
    name = word.partition("=")[0]
    # Without the leading hyphens, which all options share.
    plain = name.lstrip("-").replace("_", "-")
    guess = nearest(plain, [each.removeprefix("--") for each in known if each.startswith("--")])
    takers = dict.fromkeys(job for option in OPTIONS if written(option) == f"--{plain}" for job in option.on)
    elsewhere = f"it is an option of mf1 {', '.join(takers)}" if takers else None
    hint = _ELSEWHERE.get(f"{command} --{plain}") or _ELSEWHERE.get(f"--{plain}") or elsewhere
    hint = hint or (f"did you mean --{guess}?" if guess else None)
    if Path(word).exists():
        hint = f"./{word} if it is a file"
    return InputError(
        f"unknown option {name} for mf1 {command}", hint=hint or f"mf1 {command} --help shows the options"
    )


def _refuse_overwriting(read: Sequence[str], outputs: Sequence[str], *, force: bool) -> None:
    """Reject an output that would overwrite an input, also through links and folders, another output, or a file."""
    if "-" in outputs:
        raise InputError("the name of an output is -", expected="that of a file", hint="leave it out to print the text")
    if any("\0" in output for output in outputs):
        raise InputError("the name of an output has a NUL", expected="a path that can be written")
    files = [Path(os.path.realpath(output)) for output in outputs]
    if any(files.count(path) > 1 and (path.is_file() or not path.exists()) for path in files):
        raise InputError(f"two outputs would be written to {outputs[-1]}", expected="a name for each")
    for output in map(Path, outputs):
        there = _file_at(output)
        if there is None:
            continue
        if any(printed is not None and os.path.samestat(there, printed) for printed in map(_file_at, (1, 2))):
            hint = "leave it out to print the text"
            raise InputError(f"{output} is also where mf1 prints", expected="another name", hint=hint)
        for name in read:
            paths: list[Any] = [0] if name == "-" else glob(name, recursive=True) or [name]  # noqa: PTH207  # may be absolute
            paths += [inner for path in paths if path and Path(path).is_dir() for inner in Path(path).rglob("*")]
            if any(found is not None and os.path.samestat(there, found) for found in map(_file_at, paths)):
                known = "standard input" if name == "-" else name
                raise InputError(f"{output} would overwrite an input ({known})", expected="another name")
        if not force:
            refuse_foreign(output)


def _file_at(path: str | Path | int) -> os.stat_result | None:
    """Return the stat result of a file, by path or file descriptor; None for anything else."""
    try:
        found = os.stat(path)  # noqa: PTH116  # may be a file descriptor
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


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
    from importlib.resources import files  # which loads more than parsing needs

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
