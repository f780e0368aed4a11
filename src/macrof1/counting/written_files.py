"""Output files, written completely or not at all."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path

from macrof1.errors import FileError
from macrof1.message import Argument, Message

# How outputs of some kinds start, and what is in all of a kind; an empty mark: the whole of it.
_MARKS = (("<!doctype html>", "<footer><p>macrof1 "), ("<?xml ", '<testsuite name="mf1 '), ("gold_file = ", ""))


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a temporary file next to the target and move it there atomically, so that nobody ever sees half of it.

    A link stays a link: the file it points to is replaced. Anything but a regular file (a device, a pipe) is
    written directly. A failed write leaves the old file and nothing else.
    """
    import tempfile

    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    staged: Path | None = None
    try:
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            with target.open("wb") as out:
                out.write(data)
            return
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:80]}.", suffix=".partial", dir=target.parent)
        staged = Path(name)
        with open(handle, "wb") as out:  # noqa: PTH123  # a handle, not a path
            out.write(data)
        mask = os.umask(0)
        os.umask(mask)
        staged.chmod(0o666 & ~mask if mode is None else stat.S_IMODE(mode))
        staged.replace(target)
    except (OSError, TypeError, ValueError) as error:
        if staged is not None:
            with suppress(OSError):
                staged.unlink()
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise FileError(f"cannot write {str(path)!r} ({reason})", expected="a path that can be written") from None


def refuse_foreign(path: str | Path, content: str | None = None) -> None:
    """Refuse to replace a file that is not an earlier output of the same kind.

    Pages and JUnit reports name their maker; task files are edited. Other outputs start like the new one, or end in a
    signature, whatever the numbers are.
    Without the new content, refuse only what cannot be an output of ours, before any work is done.
    """
    target = Path(path)
    try:
        if not target.is_file() or not target.stat().st_size:
            return
        old = target.read_text(encoding="utf-8")
    except (OSError, ValueError):
        old = ""  # unreadable, or not text: not an output of ours
    if content is None:
        if any(mark in old for mark in ("averaged", "macrof1", "mf1 ")):
            return
    elif own := next((mark or content for start, mark in _MARKS if content.startswith(start)), ""):
        if own in old:
            return
    elif old and (_frame(old)[0] == _frame(content)[0] or _frame(old)[1] == _frame(content)[1] != ""):
        return
    raise FileError(
        f"{target.name!r} exists and is no earlier output of this command",
        given=str(path),
        expected="another name",
        hint=Message(Argument("force", True), " replaces it"),
    )


def _frame(text: str) -> tuple[str, str]:
    """Return the first line (of JSON, the first key) without numbers and spaces, and the formula of a signature."""
    lines = text.rstrip().split("\n")
    first = "".join(lines[:2]) if lines[0] in ("{", "[") else lines[0]
    last = lines[-1].strip("` ")
    return re.sub(r"[\s\d.,%+-]+", "", first), last.partition("|")[0] if "|version:" in last else ""
