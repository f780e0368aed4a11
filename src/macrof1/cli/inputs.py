"""Keep a command from overwriting its own input."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from glob import glob
from pathlib import Path

from macrof1.errors import InputError


def refuse_overwriting(read: Sequence[str], written: Sequence[str]) -> None:
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
