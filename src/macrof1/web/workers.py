"""Worker processes that handle uploads, limited in memory and time, and killed when the client disconnects.

An upload may contain anything, and Python cannot stop a computation inside its own process. Such requests therefore run
in one of a few worker processes, whose failure never affects the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import math
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

try:
    import resource
except ModuleNotFoundError:  # Windows
    resource = None  # type: ignore[assignment]

_LENGTH: Final = struct.Struct(">Q")
_PATIENCE: Final = 10  # how many times longer than it may compute a request may take on a busy machine
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
        """Answer in a worker process; None if `left` finished first, that is, the client disconnected."""
        gone = asyncio.ensure_future(left)
        try:
            async with self._turns:
                process = self._ready.pop() if self._ready else await _started()
                asked = asyncio.ensure_future(_ask(process, [method, target, body, seconds], told))
                too_long = refusal(400, _TOO_LONG.format(seconds))
                try:
                    patience = _PATIENCE * seconds if resource else seconds
                    await asyncio.wait({asked, gone}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
                    if asked.done():
                        reply = asked.result()
                        self._ready.append(process)
                        if reply.status == 500:
                            print(reply.text, file=sys.stderr)
                        return reply if reply.status != 500 else refusal(500, BUG)
                    failed = None if gone.done() else too_long
                except (EOFError, ConnectionError, asyncio.IncompleteReadError):
                    code = await process.wait()
                    failed = too_long if resource and code == -signal.SIGXCPU else refusal(400, _TOO_MUCH)
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


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()


async def _ask(process: asyncio.subprocess.Process, call: list[str | float], told: Progress) -> Reply:
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
        method, target, body, seconds = json.loads(sys.stdin.buffer.read(*_LENGTH.unpack(head)))
        _bound(target, seconds)
        try:
            reply = answer(method, target, body, told=_send)
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


def _bound(target: str, seconds: float) -> None:
    """Limit what a request may compute and, on Linux, allocate."""
    if resource is None:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds), hard))
    statm = Path("/proc/self/statm")
    if statm.exists():
        used = int(statm.read_text(encoding="ascii").split()[5]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        # The JavaScript engine that draws charts, of results computed before, reserves far more memory than it uses.
        draws = target.startswith(("/api/report", "/api/paper"))
        resource.setrlimit(resource.RLIMIT_DATA, (hard if draws else used + MOST_MEMORY, hard))


if __name__ == "__main__":
    main()
