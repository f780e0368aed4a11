"""Words of the command line become arguments of a command's function.

A command is a function: what it takes by position is given by position, what it takes by keyword is an option. The
types of its signature say what a value may be. Reading a call needs only Python, so that `mf1` starts at once; cyclopts
prints the help.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from macrof1.errors import InputError, nearest

_ELSEWHERE: Final = {
    "--average": "mf1 prints both macro F1s, each by its name",
    "--zero-division": "--undefined says what a ratio with denominator 0 counts as",
    "--pos-label": "--labels names the classes to average over",
    "--sample-weight": "--weight names the column of weights",
    "--sep": "--input-format csv or tsv says how the file is written",
    "--delimiter": "--input-format csv or tsv says how the file is written",
    "--decimals": "--digits says how many decimals are printed",
}
"""What options of other tools are called here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """What a signature does not say of an option: its help, and a short name."""

    help: str = ""
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class _Option:
    """An option as it is written, and the keyword that it sets."""

    name: str
    keyword: str
    type: Any
    flag: bool | None = None

    def value(self, text: str) -> Any:
        """Read a value, or say what was expected."""
        if get_origin(self.type) is Literal:
            for choice in get_args(self.type):
                if str(choice) == text:
                    return choice
            raise InputError.unknown_value(self.keyword, text, get_args(self.type))
        if self.type in (int, float):
            try:
                return self.type(text)
            except ValueError:
                kind = "a whole number" if self.type is int else "a number"
                raise InputError.bad_value(self.keyword, text, expected=kind) from None
        return text


def parse(function: Callable[..., Any], words: Sequence[str], command: str) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments that the words of a call give, by position and by keyword.

    Examples
    --------
    >>> def greet(*names: str, times: int = 1, loud: bool = False) -> None: ...
    >>> parse(greet, ["Ada", "--times", "3", "Emmy", "--loud"], "greet")
    (['Ada', 'Emmy'], {'times': 3, 'loud': True})
    """
    options, places, more = _taken(function)
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
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
        found = options.get(name)
        if found is None:
            raise _unknown(word, name, options, command)
        if found.flag is not None:
            if equals:
                raise InputError(f"{word} gives a value to a switch", expected=f"{name} alone")
            value: Any = found.flag
        else:
            if not equals:
                text = _next(name, left, options)
            value = found.value(text)
        if get_origin(found.type) is list:
            keywords.setdefault(found.keyword, []).append(value)
        elif found.keyword in keywords:
            raise InputError(f"{name} is given twice", argument=found.keyword, expected="it once")
        else:
            keywords[found.keyword] = value
    if len(positional) > len(places) and not more:
        raise InputError(
            f"unexpected argument {positional[len(places)]!r} of mf1 {command}", hint=f"see mf1 {command} --help"
        )
    needed = [place for place in places[len(positional) :] if place.flag]
    if needed:
        raise InputError(f"mf1 {command} needs {needed[0].name.upper()}", hint=f"see mf1 {command} --help")
    given = [place.value(text) for place, text in zip(places, positional, strict=False)]
    return [*given, *positional[len(given) :]], keywords


def _next(name: str, left: list[str], options: dict[str, _Option]) -> str:
    """Take the value of an option; another option is none, a negative number is one."""
    if not left:
        raise InputError(f"{name} needs a value", expected=f"{name} VALUE")
    if left[0].partition("=")[0] in options or left[0].startswith("--"):
        raise InputError(f"{name} needs a value before {left[0]}", hint=f"{name}={left[0]} if that is the value")
    return left.pop(0)


def _unknown(word: str, name: str, options: dict[str, _Option], command: str) -> InputError:
    # Without the hyphens, which all of them share.
    written = name.lstrip("-").replace("_", "-")
    guess = nearest(written, [known.removeprefix("--") for known in options if known.startswith("--")])
    hint = _ELSEWHERE.get(f"--{written}") or (f"did you mean --{guess}?" if guess else None)
    if Path(word).exists():
        hint = f"./{word} if it is a file"
    return InputError(f"unknown option {name} of mf1 {command}", hint=hint or f"mf1 {command} --help shows the options")


def _taken(function: Callable[..., Any]) -> tuple[dict[str, _Option], list[_Option], bool]:
    """Return the options of a command by name, what it takes by position, and whether more may follow."""
    hints = get_type_hints(function, include_extras=True)
    options: dict[str, _Option] = {}
    places: list[_Option] = []
    more = False
    for name, parameter in inspect.signature(function).parameters.items():
        type_, extra = described(hints[name])
        if parameter.kind is parameter.VAR_POSITIONAL:
            more = True
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            places.append(_Option(name, name, type_, parameter.default is parameter.empty or None))
        else:
            long = f"--{name.replace('_', '-')}"
            flag = True if type_ is bool else None
            for written in filter(None, (long, extra.alias)):
                options[written] = _Option(written, name, type_, flag)
            if flag:
                no = f"--no-{long.removeprefix('--')}"
                options[no] = _Option(no, name, type_, False)
    return options, places, more


def described(hint: Any) -> tuple[Any, Parameter]:
    """Split an annotation into the type of a value that is given, and what else is said of it."""
    extra = Parameter()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        extra = next((each for each in rest if isinstance(each, Parameter)), extra)
    if get_origin(hint) in (Union, UnionType):
        hint = next(each for each in get_args(hint) if each is not NoneType)
    return hint, extra
