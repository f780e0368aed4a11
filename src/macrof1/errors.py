"""Every error a user can meet.

::

    MacroF1Error
    ├── InputError (also a ValueError)     what was given cannot be scored
    │   ├── LengthError                    gold and predicted differ in length
    │   ├── EmptyError                     nothing to score
    │   ├── LabelError                     labels that cannot be told apart, or are not labels
    │   │   └── MissingLabelError          null, None or NaN where a label should be
    │   ├── CountError                     negative, infinite, overflowing or badly shaped counts and weights
    │   ├── ConventionError                an unknown formula, class set, policy or signature
    │   ├── ColumnError                    a column that is not there
    │   └── FileError                      a file that cannot be read as what it claims to be
    └── MissingExtraError (also an ImportError)   an optional part that is not installed

A message is one line: what was given, what was expected, and what to try. Errors carry these as facts and name
arguments as `Argument`s, so that each front end words them its own way.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

from macrof1.message import Argument, Message, Part, Spelling, shown


def quote_some(values: Iterable[object], *, most: int = 8) -> str:
    """Quote a few values for a message, and say how many were left out."""
    listed = list(values)
    quoted = ", ".join(map(shown, listed[:most]))
    return quoted if len(listed) <= most else f"{quoted}, … ({len(listed) - most} more)"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Print a number of things: ``1 row``, ``3,532 rows``.

    Examples
    --------
    >>> counted(1, "row"), counted(3532, "row"), counted(2, "class", "classes")
    ('1 row', '3,532 rows', '2 classes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def nearest(given: str, known: Iterable[str]) -> str | None:
    """Return the known name that a typo most likely meant, if one is close."""
    by_lower = {name.lower(): name for name in known}
    close = get_close_matches(given.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[close[0]] if close else None


class MacroF1Error(Exception):
    """The root of all errors that macrof1 raises on purpose.

    Parameters
    ----------
    problem
        What is wrong, in one line; a `Message` where it names arguments.
    argument
        The argument at fault, as the public functions call it: ``"gold"``, ``"missing"``.
    given, expected
        What came, and what should have come.
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
        """Return the same error, said of a place: a file, a line or a column.

        Examples
        --------
        >>> InputError("the weight is -1", argument="weight", expected="0 or more").at("preds.csv, line 3")
        InputError('preds.csv, line 3: the weight is -1')
        """
        found = type(self)(Message(f"{place}: ", self.args[0]))
        found.__dict__.update(self.__dict__)
        return found

    def worded(self, spell: Spelling) -> str:
        """Return the line with every argument spelled by a front end."""
        return self.message.worded(spell)

    def __str__(self) -> str:
        """Return the line in Python's spelling."""
        return str(self.message)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes with every fact."""
        return type(self), self.args, self.__dict__


class InputError(MacroF1Error, ValueError):
    """What was given cannot be scored."""

    @classmethod
    def unknown_value(cls, argument: str, given: object, known: Iterable[object]) -> Self:
        """Report a value that is none of the allowed ones."""
        allowed = [str(value) for value in known]
        guess = nearest(shown(given).strip("'"), allowed)
        return cls(
            Message(Argument(argument, given), " is not valid"),
            argument=argument,
            given=given,
            expected=f"one of {', '.join(allowed)}",
            hint=f"did you mean {guess!r}?" if guess else None,
        )

    @classmethod
    def bad_value(cls, argument: str, given: object, *, expected: str, hint: str | None = None) -> Self:
        """Report a value that an argument cannot have."""
        return cls(Message(Argument(argument, given)), argument=argument, given=given, expected=expected, hint=hint)

    @classmethod
    def beside(cls, argument: str, other: str, *, expected: str) -> Self:
        """Report two arguments that do not go together."""
        return cls(
            Message(Argument(argument), " cannot be combined with ", Argument(other)),
            argument=argument,
            expected=expected,
        )


class LengthError(InputError):
    """Gold and predicted labels (or weights) differ in length."""

    @classmethod
    def differ(cls, **lengths: int) -> Self:
        """Report the lengths that should have been equal."""
        listed = " and ".join(f"{name} has {length:,}" for name, length in lengths.items())
        return cls(
            f"{listed} rows",
            argument=list(lengths)[-1],
            given=lengths,
            expected="one of each per row",
            hint="check that no row was lost on the way",
        )


class EmptyError(InputError):
    """There is nothing to score."""

    @classmethod
    def nothing(cls, what: str) -> Self:
        """Report an empty input of some kind."""
        verb = "are" if " and " in what else "is"
        return cls(f"{what} {verb} empty", expected="at least one row", hint="macro F1 is not defined without data")


class LabelError(InputError):
    """Labels that cannot be told apart, or that are not labels."""


class MissingLabelError(LabelError):
    """Null, None or NaN stands where a label should be."""

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


class ConventionError(InputError):
    """An unknown formula, class set, policy or signature."""


class ColumnError(InputError):
    """A column that is not there."""

    @classmethod
    def not_found(
        cls, name: str, *, columns: Iterable[str], source: str, argument: str | None = None, hint: str | None = None
    ) -> Self:
        """Report an unknown column with the ones there are and the nearest name."""
        known = list(columns)
        guess = nearest(name, known)
        return cls(
            f"no column {name!r} in {source}: it has {quote_some(known)}",
            argument=argument,
            given=name,
            hint=f"did you mean {guess!r}?" if guess else hint,
        )

    @classmethod
    def beside_lists(cls, name: str, *, source: str) -> Self:
        """Report one side with one label per row where the other has several."""
        return cls(
            f"column {name!r} of {source} holds one label per row beside lists",
            given=name,
            expected="lists in both columns, or in neither",
        )


class FileError(InputError):
    """A file that is missing, or cannot be read as what it claims to be."""


class MissingExtraError(MacroF1Error, ImportError):
    """An optional part that is not installed."""

    @classmethod
    def needed(cls, *, package: str, extra: str, purpose: str) -> Self:
        """Name the missing package and the command that adds it."""
        return cls(f"{purpose} needs {package}, which is not installed: {install_command(extra)}")


def install_command(extra: str, *, package: Path = Path(__file__).parent) -> str:
    """Return what installs an extra where this package lies: in a clone, from there; else from the package index.

    Examples
    --------
    >>> install_command("web", package=Path("somewhere/site-packages/macrof1"))
    "pip install 'macrof1-score[web]'"
    """
    clone = package.parent.parent
    if package.parent.name != "src" or not (clone / "pyproject.toml").is_file():
        return f"pip install 'macrof1-score[{extra}]'"
    here = "." if clone == Path.cwd() else clone
    return f"pip install -e '{here}[{extra}]'"
