"""Polars where it can run: not in a process that was forked from one whose threads it needs, and not aloud.

A damaged Parquet or Arrow file makes Polars panic in places. A panic is an exception in Python, and besides it prints
lines of its own on standard error; these are held back, since one line about the damage is all that a user needs.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import polars as pl

from macrof1.errors import FileError

_ENGINE_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)

# Polars has its threads within milliseconds; where a fork has left them behind, it waits for them for ever.
_PATIENCE = 10.0
_FORKED_WITHOUT_EXEC = 0x40  # PF_FORKNOEXEC of Linux

_forks: list[int] = []
_able: list[int] = []
os.register_at_fork(after_in_child=lambda: _forks.append(os.getpid()))


def check_that_polars_runs() -> None:
    """Refuse to read in a forked process where Polars would wait for ever."""
    pid = os.getpid()
    if pid in _able:
        return
    if _is_forked() and not _answers():
        raise FileError(
            "files of this size and format cannot be read in a process that was forked after Polars was used",
            hint='start processes with multiprocessing.get_context("spawn"), or read the file before the fork',
        )
    _able.append(pid)


def _is_forked() -> bool:
    if os.getpid() in _forks:
        return True
    try:  # forked before this module was loaded
        fields = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return bool(int(fields[6]) & _FORKED_WITHOUT_EXEC)
    except (OSError, ValueError, IndexError):
        return False


def _answers() -> bool:
    """Ask Polars for something small, and do not wait for ever."""
    query = pl.LazyFrame({"x": [1]}).group_by("x").agg(pl.len())
    asked = threading.Thread(target=query.collect, kwargs={"engine": "streaming"}, daemon=True)
    asked.start()
    asked.join(_PATIENCE)
    return not asked.is_alive()


class _HeldBack:
    """What is printed on standard error while somebody reads; several threads may read at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readers = 0
        self._failed = False
        self._aside: tuple[int, IO[bytes]] | None = None

    def begin(self) -> None:
        """Turn standard error aside for the first reader."""
        with self._lock:
            self._readers += 1
            if self._readers == 1:
                self._failed = False
                try:
                    aside = tempfile.TemporaryFile()  # noqa: SIM115  # closed when the last reader ends
                    self._aside = os.dup(2), aside
                    os.dup2(aside.fileno(), 2)
                except OSError:  # standard error is closed: nothing to hold back
                    self._aside = None

    def end(self, failed: bool) -> None:
        """Turn it back after the last one, and print what was said unless somebody failed."""
        with self._lock:
            self._readers -= 1
            self._failed |= failed
            if self._readers or self._aside is None:
                return
            stderr, aside = self._aside
            self._aside = None
            os.dup2(stderr, 2)
            aside.seek(0)
            said = b"" if self._failed else aside.read()
            aside.close()
            while said:
                said = said[os.write(stderr, said) :]
            os.close(stderr)


_held_back = _HeldBack()


@contextmanager
def polars_reads(refused: Callable[[BaseException], FileError], *, aloud: bool = False) -> Iterator[None]:
    """Let Polars read; what it raises about a file becomes the error that `refused` makes of it.

    What is printed on standard error meanwhile is printed afterwards, and dropped where Polars fails; `aloud` lets it
    pass, for text, on which Polars does not panic.
    """
    check_that_polars_runs()
    failed = True
    if not aloud:
        _held_back.begin()
    try:
        yield
        failed = False
    except _ENGINE_ERRORS as error:
        raise refused(error) from None
    finally:
        if not aloud:
            _held_back.end(failed)
