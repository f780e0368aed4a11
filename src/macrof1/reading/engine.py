"""Polars where it can run: not in a process forked without its threads, and without its noise on standard error.

A damaged Parquet or Arrow file makes Polars panic in places. A panic is an exception in Python, but it also prints
to standard error; this output is suppressed, since one line about the damage is all a user needs.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import polars as pl

from macrof1.errors import FileError

_ENGINE_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)

# Polars starts its threads within milliseconds; if a fork left them behind, it waits for them forever.
_PATIENCE = 10.0
_FORKED_WITHOUT_EXEC = 0x40  # PF_FORKNOEXEC on Linux

_forks: list[int] = []
_able: list[int] = []
os.register_at_fork(after_in_child=lambda: _forks.append(os.getpid()))


def check_that_polars_runs() -> None:
    """Refuse to read in a forked process in which Polars would hang."""
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
    """Ask Polars for something small, with a timeout."""
    query = pl.LazyFrame({"x": [1]}).group_by("x").agg(pl.len())
    asked = threading.Thread(target=query.collect, kwargs={"engine": "streaming"}, daemon=True)
    asked.start()
    asked.join(_PATIENCE)
    return not asked.is_alive()


class _HeldBack:
    """The output to standard error during reading; several threads may read at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readers = 0
        self._failed = False
        self._aside: tuple[int, IO[bytes]] | None = None

    def begin(self) -> None:
        """Redirect standard error for the first reader."""
        with self._lock:
            self._readers += 1
            # If standard error was closed, its descriptor may be that of any file or socket.
            if self._readers == 1 and sys.__stderr__ is not None:
                self._failed = False
                try:
                    aside = tempfile.TemporaryFile()  # noqa: SIM115  # closed when the last reader ends
                    self._aside = os.dup(2), aside
                    os.dup2(aside.fileno(), 2)
                except OSError:  # standard error is closed: nothing to redirect
                    self._aside = None

    def end(self, failed: bool) -> None:
        """Restore standard error after the last reader, and print what was captured unless reading failed."""
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
    """Let Polars read; its errors about a file become the error that `refused` makes of them.

    Output to standard error is printed afterwards, and dropped if Polars fails; `aloud` lets it through, for text,
    on which Polars does not panic.
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
