"""Worker processes that handle uploads, limited in memory and time, and killed when the client disconnects.

An upload may contain anything, and Python cannot stop a computation inside its own process. Such requests therefore run
in one of a few worker processes, whose failure never affects the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import signal
import struct
import sys
import time
import traceback
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Final

from macrof1.reading.progress import Progress
from macrof1.web.models import MOST_MEMORY
from macrof1.web.routes import BUG, Reply, answer, refusal

_LENGTH: Final = struct.Struct(">Q")
_PATIENCE: Final = 10
_STAT: Final = Path("/proc/self/stat")
_TOO_MUCH: Final = "this needs too much memory: expected a smaller table; the command mf1 takes more"
_TOO_LONG: Final = "this takes longer than {:.1f} s: expected a smaller table; the command mf1 takes more"


class Workers:
    """A few processes that answer long requests, each one at a time."""

    def __init__(self, *, most: int = 2) -> None:
        self._turns = asyncio.Semaphore(most)
        self._ready: list[asyncio.subprocess.Process] = []
        self._starting: set[asyncio.Task[None]] = set()

    def prepare(self) -> None:
        """Start a process in advance, so that the first request does not wait for it."""

        async def start() -> None:
            self._ready.append(await _started())

        task = asyncio.create_task(start())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def answer(
        self, method: str, target: str, body: str, *, seconds: float, left: Awaitable[Any], told: Progress
    ) -> Reply | None:
        """Answer in a worker process; None if `left` finished first, that is, the client disconnected.

        `told` is called with the completed share of the work, if it is known.
        """
        gone = asyncio.ensure_future(left)
        try:
            async with self._turns:
                process = self._ready.pop() if self._ready else await _started()
                asked = asyncio.ensure_future(_ask(process, [method, target, body], told))
                try:
                    await _until(process, {asked, gone}, seconds)
                    if asked.done():
                        reply = asked.result()
                        self._ready.append(process)
                        if reply.status == 500:
                            print(reply.text, file=sys.stderr)
                        return reply if reply.status != 500 else refusal(500, BUG)
                    failed = None if gone.done() else refusal(400, _TOO_LONG.format(seconds))
                except (EOFError, ConnectionError, asyncio.IncompleteReadError):
                    failed = refusal(400, _TOO_MUCH)
                asked.cancel()
                await _end(process)
                self.prepare()
                return failed
        finally:
            gone.cancel()

    async def close(self) -> None:
        """End all processes."""
        for task in list(self._starting):
            with contextlib.suppress(Exception):
                await task
        for process in self._ready:
            await _end(process)
        self._ready.clear()


async def _started() -> asyncio.subprocess.Process:
    # -P: never import modules from the current folder.
    command = (sys.executable, "-P", "-m", "macrof1.web.workers")
    pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    return await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=nothing)


async def _until(process: asyncio.subprocess.Process, done: set[asyncio.Future[Any]], seconds: float) -> None:
    """Wait until something is done, or until the process had its seconds.

    On a busy machine it has to share the processor: the limit then is what it computed, within reason.
    """
    begun, computed = time.monotonic(), _computed(process.pid)
    left = seconds
    while left > 0:
        if (await asyncio.wait(done, timeout=left, return_when=asyncio.FIRST_COMPLETED))[0]:
            return
        waited = time.monotonic() - begun
        left = min(seconds - (_computed(process.pid) - computed), _PATIENCE * seconds - waited)
        if not _STAT.exists():
            return


def _computed(process: int) -> float:
    """Return the seconds that a process has computed; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()


async def _ask(process: asyncio.subprocess.Process, call: list[str], told: Progress) -> Reply:
    assert process.stdin is not None
    assert process.stdout is not None
    sent = json.dumps(call).encode("ascii")
    process.stdin.write(_LENGTH.pack(len(sent)) + sent)
    await process.stdin.drain()
    while True:
        (length,) = _LENGTH.unpack(await process.stdout.readexactly(_LENGTH.size))
        sent_back = json.loads(await process.stdout.readexactly(length))
        if isinstance(sent_back, list):
            return Reply(*sent_back)
        told(sent_back)


def main() -> None:
    """Answer requests from standard input until it ends."""
    # Load what every request here needs, before memory is limited.
    import macrof1.comparing.inputs
    import macrof1.counting.tables  # noqa: F401

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the server's
    while len(head := sys.stdin.buffer.read(_LENGTH.size)) == _LENGTH.size:
        call = json.loads(sys.stdin.buffer.read(*_LENGTH.unpack(head)))
        _bound_memory(call[1])
        try:
            reply = answer(*call, told=_send)
        except MemoryError:
            reply = refusal(400, _TOO_MUCH)
        except Exception as error:  # noqa: BLE001  # a bug: reported in the server's terminal
            is_full = isinstance(error, OSError) and error.errno == errno.ENOMEM
            reply = refusal(400, _TOO_MUCH) if is_full else Reply(500, "text/plain", traceback.format_exc())
        _send(reply)


def _send(content: Reply | float) -> None:
    """Send the answer, or, before it, the completed share of the work."""
    sent = json.dumps(content).encode("ascii")
    sys.stdout.buffer.write(_LENGTH.pack(len(sent)) + sent)
    sys.stdout.buffer.flush()


def _bound_memory(target: str) -> None:
    """Limit what a request may allocate; only on Linux, since other systems do not support it.

    Charts are drawn by a JavaScript engine that reserves far more memory than it uses, so they have no limit; they only
    get results that are already computed.
    """
    statm = Path("/proc/self/statm")
    if statm.exists():
        import resource

        used = int(statm.read_text(encoding="ascii").split()[5]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        draws = target.startswith(("/api/report", "/api/paper"))
        resource.setrlimit(resource.RLIMIT_DATA, (hard if draws else used + MOST_MEMORY, hard))


if __name__ == "__main__":
    main()
