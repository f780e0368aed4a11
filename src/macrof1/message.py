"""Sentences that name arguments, so that each front end can spell them its own way.

An error or a note says which argument to change. Python spells it ``missing="drop"``, the command line
``--missing drop``, the page by the label of a field. A `Message` is text in Python's spelling that still knows which
of its parts are arguments; a front end passes its own spelling to `worded`, or sets it with `spelled` for all messages
created while it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, TypeAlias

_NOT_GIVEN: Any = object()


# Python converts integers of up to 4,300 digits to text and rejects longer ones.
MOST_BITS = 14_000
# Nobody reads more digits, or characters, than these.
_SHOWN_BITS = 256
_LONGEST = 2000


def shown(value: object) -> str:
    """Show a value in a message, however many digits it has."""
    if isinstance(value, int) and value.bit_length() > _SHOWN_BITS:
        return f"an integer of {value.bit_length():,} bits"
    try:
        return repr(value)
    except Exception:  # noqa: BLE001  # such an integer in a list, or whatever a value's own method raises
        return f"a {type(value).__name__}"


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a public function, with or without a value."""

    name: str
    value: Any = _NOT_GIVEN

    @property
    def has_value(self) -> bool:
        """Whether the argument has a value."""
        return self.value is not _NOT_GIVEN

    @property
    def bare(self) -> Argument:
        """The argument without its value, unless it is a flag."""
        return self if isinstance(self.value, bool) else Argument(self.name)

    def __str__(self) -> str:
        """Spell the argument as Python does."""
        if not self.has_value:
            return f"{self.name}="
        return f'{self.name}="{self.value}"' if isinstance(self.value, str) else f"{self.name}={shown(self.value)}"


Part: TypeAlias = "str | Argument"
Spelling: TypeAlias = Callable[[Argument], str]

_spelling: ContextVar[Spelling] = ContextVar("spelling", default=str)


@contextmanager
def spelled(spell: Spelling) -> Iterator[None]:
    """Use a front end's spelling for all arguments in this block: notes also end up in tables and JSON."""
    token = _spelling.set(spell)
    try:
        yield
    finally:
        _spelling.reset(token)


def _joined(parts: tuple[Part, ...], spell: Spelling) -> str:
    line = " ".join("".join(spell(part) if isinstance(part, Argument) else part for part in parts).split())
    return line if len(line) <= _LONGEST else f"{line[:1000]}…{line[1000 - _LONGEST :]}"


class Message(str):
    """One line of text in Python's spelling that knows its arguments; see the example of `MacroF1Error`."""

    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Self:
        """Join the parts; nested messages keep their arguments."""
        flat = tuple(inner for part in parts for inner in (part.parts if isinstance(part, Message) else (part,)))
        message = super().__new__(cls, _joined(flat, _spelling.get()))
        message.parts = flat
        return message

    def worded(self, spell: Spelling) -> str:
        """Return the line with every argument in a front end's spelling."""
        return _joined(self.parts, spell)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arguments too, so that the message can pass between processes."""
        return type(self), self.parts


class Note(Message):
    """A sentence that a reader of a result should know; `code` identifies its kind for programs."""

    code: str

    def __new__(cls, *parts: Part, code: str) -> Self:
        """Join the parts and keep the code."""
        note = super().__new__(cls, *parts)
        note.code = code
        return note

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the code too, so that the note can pass between processes."""
        return partial(Note, code=self.code), self.parts
