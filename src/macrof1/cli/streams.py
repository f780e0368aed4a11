"""How mf1 speaks: the standard streams, whatever they can encode, closed or not; and how it spells arguments."""

from __future__ import annotations

import codecs
import io
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from macrof1.errors import FileError
from macrof1.message import Argument, Message

_ASCII: Final = str.maketrans(
    {"─": "-", "…": "...", "–": "-", "−": "-", "×": "x", "·": "*", "→": "->", "≤": "<=", "≥": ">=", "₁": "1"}
    | {"“": '"', "”": '"', "‘": "'", "’": "'", "Δ": "Delta", "τ": "tau", "β": "beta", "²": "^2", "│": "|", "∞": "inf"}
)

_KEPT: Final[list[str]] = []


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that a stream cannot encode: rules and signs by ASCII lookalikes, others by code point."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_ASCII)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


def prepare() -> None:
    """Make both output streams accept any text; stop before computing a result that cannot be printed."""
    codecs.register_error("macrof1", _in_ascii)
    _KEPT.clear()
    if sys.stdin is None:
        # Closed: nothing to read, and no file that we open must get its descriptor.
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115  # must stay open
    if sys.stdout is None:
        raise FileError("standard output is closed", expected="a terminal, a pipe or a file")
    if sys.stderr is None:
        os.open(os.devnull, os.O_WRONLY)  # for the same reason, and what libraries print must not end up in a file
    own = sys.__stdout__  # any other stream belongs to the caller of `main`
    if own is sys.stdout and isinstance(own, io.TextIOWrapper) and isinstance(own.buffer, io.RawIOBase):
        # Unbuffered, Python treats a partial write as complete: output lost to a full disk would go unnoticed.
        encoding, raw = own.encoding, own.detach()
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="macrof1")


@contextmanager
def quiet_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C where it cannot be raised, in an object that is being deleted; raise it where a library did not."""
    shown, handler, seen = sys.unraisablehook, signal.getsignal(signal.SIGINT), []

    def show_others(ignored: sys.UnraisableHookArgs) -> None:
        if ignored.exc_type is not KeyboardInterrupt:
            shown(ignored)

    def interrupt(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        signal.default_int_handler(number, frame)

    ours = handler is signal.default_int_handler and threading.current_thread() is threading.main_thread()
    sys.unraisablehook = show_others
    signal.signal(signal.SIGINT, interrupt) if ours else None
    try:
        yield
    except Exception:
        if seen:
            raise KeyboardInterrupt from None
        raise
    finally:
        sys.unraisablehook = shown
        signal.signal(signal.SIGINT, handler) if ours else None


def say(line: str) -> None:
    """Print one line to standard error, wrapped in a terminal, unless it is closed."""
    if sys.stderr is not None:
        shown = f"mf1: {Message(line)}"
        if sys.stderr.isatty():
            from macrof1.reporting.as_text import wrapped

            shown = wrapped(shown, after="  ")
        try:
            print(shown, file=sys.stderr)
        except OSError:
            sys.stderr = None


def say_at_the_end(line: str) -> None:
    """Keep a line until the command has succeeded, so that an error is a single line."""
    _KEPT.append(line)


def say_what_was_kept() -> None:
    """Print the lines kept for the end."""
    for line in _KEPT:
        say(line)
    _KEPT.clear()


def close_quietly() -> None:
    """Discard what is left in the buffer of standard output, so that Python does not fail on it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def option(argument: Argument) -> str:
    """Format an argument as an option."""
    from macrof1.options import OPTIONS  # the paper's program does without

    spelled = {each.name: each.spelled for each in OPTIONS} | {"pred_column": "pred"}
    name = spelled.get(argument.name, argument.name).replace("_", "-")
    if not argument.has_value or argument.value is True:
        return f"--{name}"
    if argument.value is False:
        return f"--no-{name}"
    several = isinstance(argument.value, list | tuple)
    return f"--{name} {shlex.quote(','.join(map(str, argument.value)) if several else str(argument.value))}"
