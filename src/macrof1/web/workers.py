"""Worker processes that handle uploads, limited in memory and time, and killed when the client disconnects.

An upload may contain anything, and Python cannot stop a computation inside its own process. Such requests therefore run
in one of a few worker processes, whose failure never affects the server.
"""

from __future__ import annotations

import errno
import math
import os
import signal
import time
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import anyio
from anyio import BrokenWorkerProcess, CapacityLimiter
from anyio.to_process import run_sync

from macrof1.web.models import MOST_MEMORY
from macrof1.web.routes import Reply, answer, refusal

try:
    import resource
except ModuleNotFoundError:  # Windows
    resource = None  # type: ignore[assignment]

_PATIENCE: Final = 10 if resource else 1  # how many times longer than it may compute a request may take
_TOO_MUCH: Final = "this needs too much memory: expected a smaller table; the command mf1 takes more"
_TOO_LONG: Final = "this takes longer than {:.1f} s{}: expected a smaller table; the command mf1 takes more"


async def answer_apart(
    asked: tuple[str, str, str],
    seconds: float,
    progress: Path,
    *,
    turns: CapacityLimiter,
    left: Callable[[], Awaitable[Any]],
) -> Reply:
    """Answer in a worker process, which ends if `left` does, that is, the client disconnected."""
    reply = refusal(400, _TOO_LONG.format(seconds, ""))
    async with anyio.create_task_group() as group:

        async def watch() -> None:
            await left()
            group.cancel_scope.cancel()

        group.start_soon(watch)
        async with turns:
            with anyio.move_on_after(_PATIENCE * seconds):
                one = CapacityLimiter(1)  # its turn has come
                try:
                    reply = await run_sync(_answered, *asked, seconds, progress, cancellable=True, limiter=one)
                except BrokenWorkerProcess:
                    reply = refusal(400, _TOO_LONG.format(seconds, ", or needs too much memory"))
        group.cancel_scope.cancel()
    return reply


def prepared() -> None:
    """Load what every request in a worker process needs, before memory is limited; leave Ctrl+C to the server."""
    import macrof1.comparing.inputs
    import macrof1.counting.label_tables  # noqa: F401

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Path(os.devnull).open("wb") as nothing:  # what libraries print as they end the process
        os.dup2(nothing.fileno(), 2)


def _answered(method: str, target: str, body: str, seconds: float, progress: Path) -> Reply:
    """Answer within the limits, and write the completed share of the work to a file."""

    def told(share: float) -> None:
        progress.write_text(repr(share), encoding="ascii")

    prepared()
    _bound(target, seconds)
    try:
        return answer(method, target, body, told=told)
    except MemoryError:
        return refusal(400, _TOO_MUCH)
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOMEM:
            return refusal(400, _TOO_MUCH)
        error.add_note(traceback.format_exc())  # a bug: reported in the server's terminal
        raise


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
