"""Turn the words of the command line into arguments of a command's function.

A command is a function: its positional parameters are positional arguments, and its keyword parameters are options.
Annotations determine the valid values and hold the help; a dataclass stands for the options that are its fields.
Parsing needs only the standard library, so that `mf1` starts quickly; cyclopts prints the help.
"""

from __future__ import annotations

import inspect
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from glob import glob
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from macrof1.errors import InputError, nearest

_ELSEWHERE: Final = {
    "--average": "mf1 always prints both macro F1s, each by its name",
    "--zero-division": "use --undefined to set what a ratio with denominator 0 counts as",
    "--pos-label": "use --labels to list the classes to average over",
    "--sample-weight": "use --weight to name the column of weights",
    "--sep": "use --input-format csv or tsv to set the format of the file",
    "--delimiter": "use --input-format csv or tsv to set the format of the file",
    "--decimals": "use --digits to set how many decimals are printed",
}
"""What common options of other tools are called here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """What neither the signature nor the help says about an option: its short name, and whether it names a file."""

    alias: str | None = None
    file: Literal["read", "written"] | None = None


@dataclass(frozen=True, slots=True)
class _Option:
    """An option as typed, and the keyword that it sets."""

    name: str
    keyword: str
    type: Any
    flag: bool | None = None
    file: str | None = None

    def value(self, text: str) -> Any:
        """Parse a value, or raise an error that says what was expected."""
        if get_origin(self.type) is Literal:
            for choice in get_args(self.type):
                if str(choice) == text:
                    return choice
            if not self.name.startswith("-"):
                raise InputError(
                    f"{self.name.upper()} {text!r} is not valid", expected=f"one of {', '.join(get_args(self.type))}"
                )
            raise InputError.unknown_value(self.keyword, text, get_args(self.type))
        if self.type in (int, float):
            try:
                return self.type(text)
            except ValueError:
                kind = "a whole number" if self.type is int else "a number"
                raise InputError.bad_value(self.keyword, text, expected=kind) from None
        return text


def parse(function: Callable[..., Any], words: Sequence[str], command: str) -> tuple[list[Any], dict[str, Any]]:
    """Parse the words of a call into positional and keyword arguments.

    Examples
    --------
    >>> def greet(*names: str, times: int = 1, loud: bool = False) -> None: ...
    >>> parse(greet, ["Ada", "--times", "3", "Emmy", "--loud"], "greet")
    (['Ada', 'Emmy'], {'times': 3, 'loud': True})
    """
    taken = _Taken.by(function)
    positional: list[str] = []
    given: dict[str, Any] = {}
    files: dict[str | None, list[Any]] = {"read": [], "written": []}
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--":
            positional += left
            break
        if word == "-" or not word.startswith("-"):
            positional.append(word)
            continue
        found, value = _option(word, left, taken.options, command)
        files.setdefault(found.file, []).append(value)
        if get_origin(found.type) is list:
            given.setdefault(found.keyword, []).append(value)
        elif found.keyword in given:
            raise InputError(f"{found.name} is given twice", argument=found.keyword, expected="it only once")
        else:
            given[found.keyword] = value
    _refuse_overwriting([*positional, *files["read"]], files["written"])
    return taken.placed(positional, command), taken.grouped(given)


def _option(word: str, left: list[str], options: dict[str, _Option], command: str) -> tuple[_Option, Any]:
    """Parse one option, taking its value from the remaining words."""
    name, equals, text = word.partition("=")
    found = options.get(name)
    if found is None:
        raise _unknown(word, name, options, command)
    if found.flag is None:
        return found, found.value(text if equals else _next(name, left, options))
    if equals:
        raise InputError(f"{name} takes no value", given=word, expected=f"{name} alone")
    return found, found.flag


def _next(name: str, left: list[str], options: dict[str, _Option]) -> str:
    """Take the value of an option, which may be a negative number but not another option."""
    if not left:
        raise InputError(f"{name} needs a value", expected=f"{name} VALUE")
    if left[0].partition("=")[0] in options or left[0].startswith("--"):
        raise InputError(f"{name} needs a value before {left[0]}", hint=f"{name}={left[0]} if that is the value")
    return left.pop(0)


def _unknown(word: str, name: str, options: dict[str, _Option], command: str) -> InputError:
    # Without the leading hyphens, which all options share.
    written = name.lstrip("-").replace("_", "-")
    guess = nearest(written, [known.removeprefix("--") for known in options if known.startswith("--")])
    hint = _ELSEWHERE.get(f"--{written}") or (f"did you mean --{guess}?" if guess else None)
    if Path(word).exists():
        hint = f"./{word} if it is a file"
    return InputError(
        f"unknown option {name} for mf1 {command}", hint=hint or f"mf1 {command} --help shows the options"
    )


def _refuse_overwriting(read: Sequence[str], written: Sequence[str]) -> None:
    """Reject, before any work, an output that would overwrite an input, also through links, patterns and folders."""
    for output in written:
        there = _file_at(output)
        if there is None:
            continue
        for name, path in _files(read):
            found = _file_at(path)
            if found is not None and os.path.samestat(there, found):
                raise InputError(f"{output} would overwrite an input ({name})", expected="another name")


def _file_at(path: str | int) -> os.stat_result | None:
    """Return the stat result of a file, by path or file descriptor; None for anything else."""
    try:
        found = os.stat(path)  # noqa: PTH116  # may be a file descriptor
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _files(read: Sequence[str]) -> Iterator[tuple[str, str | int]]:
    """Return every file that a call may read, with the name that it was given by."""
    for name in read:
        if name == "-":
            yield "standard input", 0
            continue
        found = glob(name, recursive=True) or [name]  # noqa: PTH207  # may be absolute
        for path in found:
            yield name, path
            if Path(path).is_dir():
                yield from ((name, str(inner)) for inner in Path(path).rglob("*"))


@dataclass(frozen=True, slots=True)
class _Taken:
    """What a command takes: options by name, positional values, and whether more of these may follow."""

    options: dict[str, _Option]
    places: list[_Option]
    more: bool
    groups: dict[str, Any]

    @classmethod
    def by(cls, function: Callable[..., Any]) -> _Taken:
        """Read a function's signature."""
        options: dict[str, _Option] = {}
        places: list[_Option] = []
        more = False
        for parameter in flattened(function):
            name, (type_, _, extra) = parameter.name, described(parameter.annotation)
            if parameter.kind is parameter.VAR_POSITIONAL:
                more = True
            elif parameter.kind is parameter.POSITIONAL_ONLY:
                places.append(_Option(name, name, type_, parameter.default is parameter.empty or None))
            else:
                options |= _written(name, type_, extra)
        hints = get_type_hints(function, include_extras=True)
        groups = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
        return cls(options, places, more, groups)

    def placed(self, given: list[str], command: str) -> list[Any]:
        """Parse the positional arguments."""
        if len(given) > len(self.places) and not self.more:
            unexpected = given[len(self.places)]
            raise InputError(f"unexpected argument {unexpected!r} for mf1 {command}", hint=f"see mf1 {command} --help")
        for place in self.places[len(given) :]:
            if place.flag:
                raise InputError(f"mf1 {command} needs {place.name.upper()}", hint=f"see mf1 {command} --help")
        read = [place.value(text) for place, text in zip(self.places, given, strict=False)]
        return [*read, *given[len(read) :]]

    def grouped(self, given: dict[str, Any]) -> dict[str, Any]:
        """Collect the options that are fields of a dataclass into it."""
        found = dict(given)
        for name, group in self.groups.items():
            found[name] = group(**{each.name: found.pop(each.name) for each in fields(group) if each.name in found})
        return found


def _written(name: str, type_: Any, extra: Parameter) -> dict[str, _Option]:
    """Return the spellings of an option."""
    long = f"--{name.replace('_', '-')}"
    flag = True if type_ is bool else None
    found = {written: _Option(written, name, type_, flag, extra.file) for written in (long, extra.alias) if written}
    if flag and not long.startswith("--no-"):
        no = f"--no-{long.removeprefix('--')}"
        found[no] = _Option(no, name, type_, False)
    return found


def flattened(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters of a function, with dataclasses replaced by their fields."""
    hints = get_type_hints(function, include_extras=True)
    found = []
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints[name]
        if is_dataclass(hint):
            types = get_type_hints(hint, include_extras=True)
            found += [
                parameter.replace(name=each.name, annotation=types[each.name], default=each.default)
                for each in fields(hint)
            ]
        else:
            found.append(parameter.replace(annotation=hint))
    return found


def described(hint: Any) -> tuple[Any, str, Parameter]:
    """Split an annotation into the type of a value, its help and the rest."""
    said, extra = "", Parameter()
    if get_origin(hint) is Annotated:
        hint, said, extra = (*get_args(hint), extra)[:3]
    if get_origin(hint) in (Union, UnionType):
        hint = next(each for each in get_args(hint) if each is not NoneType)
    return hint, said, extra
