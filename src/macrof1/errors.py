"""Every error a user can see.

::

    MacroF1Error
    ├── InputError (also a ValueError)     the input cannot be scored
    │   ├── LengthError                    gold and predicted differ in length
    │   ├── EmptyError                     nothing to score
    │   ├── LabelError                     labels that are ambiguous or invalid
    │   │   └── MissingLabelError          null, None or NaN instead of a label
    │   ├── CountError                     negative, infinite, overflowing or badly shaped counts and weights
    │   ├── ConventionError                an unknown formula, class set, policy or signature
    │   ├── ColumnError                    a column that does not exist
    │   ├── SeveralSystemsError            predictions of several systems where one is scored
    │   └── FileError                      a file that is missing or not in its claimed format
    └── MissingExtraError (also an ImportError)   an optional part that is not installed

A message is one line: what was given, what was expected, and what to try. Errors store these parts separately and name
arguments as `Argument`s, so that each front end can word them its own way.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import wraps
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from macrof1.message import Argument, Message, Part, Spelling, shown

_Call = TypeVar("_Call", bound=Callable[..., Any])
_Found = TypeVar("_Found")
# What Python calls on an object to compare, list, convert or write it.
_SPECIAL = re.compile(
    "__(eq|ne|lt|le|gt|ge|hash|bool|len|iter|next|contains|getitem|getattr|array|str|repr|float|int|index|class)__"
)


def quote_some(values: Iterable[object], *, most: int = 8) -> str:
    """Quote a few values for a message, and say how many more there are."""
    listed = list(values)
    quoted = ", ".join(map(shown, listed[:most]))
    return quoted if len(listed) <= most else f"{quoted}, … ({len(listed) - most} more)"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Format a count of things: ``1 row``, ``3,532 rows``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def nearest(given: str, known: Iterable[str]) -> str | None:
    """Return the known name that a typo most likely stands for, if one is close."""
    from difflib import get_close_matches

    by_lower, word = {name.lower(): name for name in known}, given.lower()
    close = get_close_matches(word, by_lower, cutoff=0.75)
    close += [name for name in get_close_matches(word, by_lower, cutoff=0.65) if name in word or word in name]
    return by_lower[close[0]] if close else None


class MacroF1Error(Exception):
    """The base class of all errors that macrof1 raises on purpose.

    Parameters
    ----------
    problem
        What is wrong, in one line; a `Message` if it names arguments.
    argument, given
        The argument at fault, as the public functions call it (``"gold"``, ``"missing"``), and what was given; by
        default, the first argument that `problem` names.
    expected
        What should have been given.
    hint
        What to try.

    Examples
    --------
    >>> error = InputError("2 of 9 rows lack a label", expected="a label in every row",
    ...                    hint=Message(Argument("missing", "drop"), " leaves them out"))
    >>> str(error)
    '2 of 9 rows lack a label: expected a label in every row; missing="drop" leaves them out'
    >>> error.worded(lambda argument: f"--{argument.name} {argument.value}")
    '2 of 9 rows lack a label: expected a label in every row; --missing drop leaves them out'
    """

    def __init__(
        self,
        problem: str = "",
        *,
        argument: str | None = None,
        given: object = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(problem)
        named = next((part for part in getattr(problem, "parts", ()) if isinstance(part, Argument)), None)
        if named is not None and argument in (None, named.name):
            argument = named.name
            given = named.value if given is None and named.has_value else given
        self.argument, self.given, self.expected, self.hint = argument, given, expected, hint

    @property
    def message(self) -> Message:
        """The whole line: the problem, what was expected, and the hint."""
        parts: list[Part] = [self.args[0] if self.args else ""]
        if self.expected:
            parts += [": expected ", self.expected]
        if self.hint:
            parts += ["; ", self.hint]
        return Message(*parts)

    def at(self, place: str) -> Self:
        """Return the same error with its location: a file, a line or a column."""
        found = type(self)(Message(f"{place}: ", self.args[0]))
        found.__dict__.update(self.__dict__)
        return found

    def worded(self, spell: Spelling) -> str:
        """Return the line with every argument in a front end's spelling."""
        return self.message.worded(spell)

    def __str__(self) -> str:
        """Return the line in Python's spelling."""
        return str(self.message)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle all parts, so that the error can pass between processes."""
        return type(self), self.args, self.__dict__


class InputError(MacroF1Error, ValueError):
    """The input cannot be scored."""

    @classmethod
    def unknown_value(cls, argument: str, given: object, known: Iterable[object]) -> Self:
        """Report a value that is not one of the allowed ones."""
        allowed = [str(value) for value in known]
        guess = nearest(shown(given).strip("'"), allowed)
        return cls(
            Message(Argument(argument, given), " is not valid"),
            expected=f"one of {', '.join(allowed)}",
            hint=f"did you mean {guess!r}?" if guess else None,
        )

    @classmethod
    def one_of(cls, argument: str, given: object, known: Iterable[Any]) -> Any:
        """Return the known value that equals what was given, 1 for 1.0 but not for True; or reject it."""
        # Arrays and missing values of libraries equal nothing that is true or false.
        if given is None or (isinstance(given, (str, Real)) and not isinstance(given, bool)):
            for value in known:
                if given == value:
                    return value
        raise cls.unknown_value(argument, given, known)

    @classmethod
    def whole(cls, argument: str, given: Any, least: int, most: float = math.inf) -> int:
        """Return a whole number within limits, or reject anything else."""
        if not isinstance(given, Integral) or isinstance(given, bool) or not least <= int(given) <= most:
            over = isinstance(given, Integral) and int(given) > most
            limits = f" from {least} to {most:,}" if over or most < 10**9 else f", {least} or larger"
            raise cls.bad_value(argument, given, expected=f"a whole number{limits}")
        return int(given)

    @classmethod
    def listed(cls, argument: str, given: Any) -> list[Any]:
        """Return what a user gave as a sequence as a list; anything may turn out not to be one."""
        try:
            return list(given)
        except Exception:  # noqa: BLE001  # a foreign container may raise anything
            raise cls(f"{argument} is {shown(given)[:80]}", argument=argument, expected="a sequence") from None

    @classmethod
    def located(cls, where: str, call: Callable[..., _Found], *given: Any) -> _Found:
        """Return what a call gives; its error says where."""
        try:
            return call(*given)
        except cls as error:
            raise error.at(where) from None

    @classmethod
    def bad_value(cls, argument: str, given: object, *, expected: str, hint: str | None = None) -> Self:
        """Report an invalid value of an argument."""
        return cls(Message(Argument(argument, given)), expected=expected, hint=hint)

    @classmethod
    def beside(cls, given: Part, other: Part, *, expected: str, hint: str | None = None) -> Self:
        """Report two things that cannot be combined: names of arguments, arguments, or a `Message` for all else."""
        first, second = (Argument(part) if type(part) is str else part for part in (given, other))
        value = first.value if isinstance(first, Argument) and first.has_value else None
        problem = Message(first.bare if isinstance(first, Argument) else first, " cannot be combined with ", second)
        return cls(problem, given=value, expected=expected, hint=hint)

    @classmethod
    def missing_beside_sets(cls, missing: str) -> Self:
        """Report a policy for rows without a label where rows have any number of labels."""
        return cls(
            Message(Argument("missing", missing), " with several labels per row"),
            expected=Message(Argument("missing", "error")),
            hint="a row without labels is an empty set or an empty list",
        )


class LengthError(InputError):
    """Gold and predicted labels (or weights) differ in length."""

    @classmethod
    def differ(cls, **lengths: int) -> Self:
        """Report the lengths that should have been equal."""
        listed = " and ".join(f"{name} has {length:,}" for name, length in lengths.items())
        expected, hint = "one of each per row", "check that no row was lost on the way"
        return cls(f"{listed} rows", argument=list(lengths)[-1], given=lengths, expected=expected, hint=hint)


class EmptyError(InputError):
    """There is nothing to score."""

    @classmethod
    def nothing(cls, what: str) -> Self:
        """Report an empty input of some kind."""
        verb = "are" if " and " in what else "is"
        return cls(f"{what} {verb} empty", expected="at least one row", hint="macro F1 is not defined without data")

    @classmethod
    def all_dropped(cls, rows: int) -> Self:
        """Report rows that were all left out because a label is missing."""
        return cls(f"no row of {rows:,} has both labels", argument="missing", expected="at least one with both")

    @classmethod
    def no_labels(cls) -> Self:
        """Report label sets that are all empty."""
        hint = Message(Argument("labels"), " names the classes")
        return cls("no row carries any label, gold or predicted", expected="at least one", hint=hint)


class LabelError(InputError):
    """Labels that are ambiguous or invalid."""

    @classmethod
    def of_type(cls, where: str, kind: object, *, argument: str | None = None, hint: str | None = None) -> Self:
        """Report a column whose type cannot hold labels."""
        expected = "strings, whole numbers or booleans"
        return cls(f"{where} holds values of type {kind}", argument=argument, expected=expected, hint=hint)


class MissingLabelError(LabelError):
    """A label is null, None or NaN."""

    @classmethod
    def found(cls, *, rows: int, total: int, where: str | None = None) -> Self:
        """Report how many rows lack a label."""
        place = f" ({where})" if where else ""
        verb = "lacks" if rows == 1 else "lack"
        return cls(
            f"{rows:,} of {total:,} rows {verb} a gold or a predicted label{place}",
            given=rows,
            expected="a label in every row",
            hint=Message(
                Argument("missing", "drop"), " leaves such rows out and reports how many, ",
                Argument("missing", "label"), ' makes "missing" a class',
            ),
        )  # fmt: skip


class CountError(InputError):
    """Counts or weights that are negative, infinite, too large or badly shaped."""

    @classmethod
    def rows_changed(cls) -> Self:
        """Report rows that were read again and gave other counts."""
        problem = "the rows have changed since they were scored"
        return cls(problem, expected="the same rows", hint="score them again")


class ConventionError(InputError):
    """An unknown formula, class set, policy or signature."""


class ColumnError(InputError):
    """A column that does not exist."""

    @classmethod
    def not_found(
        cls, name: str, *, columns: Iterable[str], source: str, argument: str | None = None, hint: str | None = None
    ) -> Self:
        """Report an unknown column, with the existing ones and the closest name."""
        known = list(columns)
        guess = nearest(name, known)
        problem = f"no column {name!r} in {source}: it has {quote_some(known)}"
        return cls(problem, argument=argument, given=name, hint=f"did you mean {guess!r}?" if guess else hint)

    @classmethod
    def beside_lists(cls, name: str, *, source: str) -> Self:
        """Report that one side has one label per row and the other has several."""
        problem = f"column {name!r} of {source} holds one label per row beside lists"
        return cls(problem, given=name, expected="lists in both columns, or in neither")


class SeveralSystemsError(InputError):
    """Predictions of several systems where one is scored: they can be compared."""


class FileError(InputError):
    """A file that is missing or not in its claimed format."""


class MissingExtraError(MacroF1Error, ImportError):
    """An optional part that is not installed."""

    @classmethod
    def needed(cls, *, package: str, extra: str, purpose: str) -> Self:
        """Name the missing package and the command that adds it."""
        return cls(f"{purpose} needs {package}, which is not installed: {install_command(extra)}")


def guarded(call: _Call) -> _Call:
    """Report what the methods of a user's own objects raise in a public call; all other errors are let through."""

    @wraps(call)
    def public(*args: Any, **options: Any) -> Any:
        try:
            return call(*args, **options)
        except Exception as error:
            trace = None if isinstance(error, MacroF1Error) else error.__traceback__
            while trace := trace and trace.tb_next:
                code, home = trace.tb_frame.f_code, trace.tb_frame.f_globals.get("__name__", "")
                if _SPECIAL.fullmatch(code.co_name) and not home.startswith("macrof1."):
                    problem = f"{'.'.join(code.co_qualname.split('.')[-2:])} raised a {type(error).__name__}"
                    raise InputError(problem, expected="text or numbers, or values whose methods work") from error
            raise

    return cast("_Call", public)


def install_command(extra: str, *, package: Path = Path(__file__).parent) -> str:
    """Return the command that installs an extra: from the clone the package runs in, else from the package index."""
    clone = package.parent.parent
    if package.parent.name != "src" or not (clone / "pyproject.toml").is_file():
        return f"pip install 'macrof1-score[{extra}]'"
    here = "." if clone == Path.cwd() else clone
    return f"pip install -e '{here}[{extra}]'"
