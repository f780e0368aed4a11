"""Hostile files cost the server neither time nor memory, and get a one-line answer."""

import base64
import os
import threading
import time
from pathlib import Path
from typing import Self

import pytest

from .conftest import Server, explorer
from .hostile import FILES

MOST_SECONDS = 5.0
MOST_MIB = 600.0


def family(process: int) -> list[int]:
    """Return a process and all processes below it."""
    found = [process]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            found += [int(child) for child in task.read_text().split()]
    return found


def memory(process: int) -> float:
    """Return the memory of a process and its children in MiB."""
    total = 0.0
    for member in family(process):
        try:
            lines = Path(f"/proc/{member}/status").read_text().splitlines()
        except OSError:
            continue
        total += next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0) / 1024
    return total


def computed(process: int) -> float:
    """Return the seconds that a process computed, with its children, those that are gone included."""
    total = 0.0
    for member in family(process):
        try:
            fields = Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


class Watch:
    """Look at the memory of a server every few milliseconds."""

    def __init__(self, process: int) -> None:
        self.process, self.peak, self.over = process, 0.0, threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)

    def look(self) -> None:
        while not self.over.wait(0.01):
            try:
                self.peak = max(self.peak, memory(self.process))
            except OSError:
                return

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()


@pytest.fixture(scope="module")
def watched():
    if not Path("/proc/self/task").exists():
        pytest.skip("needs Linux, which tells the memory of processes")
    with explorer() as (address, process):
        yield Server(address), process.pid


# One of them is answered when its time is over.
SLOW = {"one row with five million labels": pytest.mark.slow}


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=SLOW.get(kind, ())) for kind in FILES])
def test_hostile_files_are_answered_in_one_line(watched, kind):
    pytest.importorskip("pyarrow", reason="makes some of the files")
    server, process = watched
    name, make = FILES[kind]
    content = base64.b64encode(make()).decode("ascii")
    for path in ("/api/open", "/api/compare", "/api/audit/table"):
        with Watch(process) as watch:
            begun, before = time.monotonic(), computed(process)
            status, answer, _ = server.ask(path, {"data": content, "name": name})
            waited, seconds = time.monotonic() - begun, computed(process) - before
        assert status in (200, 400, 413, 422), (path, answer)
        if status != 200:
            assert list(answer) == ["error"]
            assert answer["error"].isprintable(), path
            assert len(answer["error"]) < 600
            assert "macrof1-" not in answer["error"], path
        print(f"{kind} {path}: {status} {waited:.2f} s, {watch.peak:.0f} MiB: {str(answer)[:150]}")
        # What was computed: how long it is waited for depends on what else the machine does.
        assert seconds < MOST_SECONDS, path
        assert watch.peak < MOST_MIB, path
    assert server.ask("/api/health")[0] == 200
