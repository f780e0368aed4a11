"""Progress in a real terminal: drawn, cleared, and gone after Ctrl-C."""

import gc
import os
import re
import subprocess
import sys

import pytest

from macrof1.cli.streams import quiet_interrupts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a terminal here is a pty")

WORK = """
import sys, time
import macrof1.cli, macrof1.cli.commands
from macrof1.cli.data_commands import progress_bar

def work(given):
    with progress_bar("working", delay=0) as report:
        report(0.5)
        while given == ["for ever"]:
            time.sleep(0.01)
        sys.stdin.readline()
    print("done")
    return 0

macrof1.cli.commands.run_app = work
sys.exit(macrof1.cli.main(sys.argv[1:]))
"""
# A process of its own: only one without threads may fork.
TERMINAL = """
import os, pty, sys

child, terminal = pty.fork()
if not child:
    os.execv(sys.executable, [sys.executable, "-c", *sys.argv[2:]])
shown, answered = b"", False
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:  # Linux: the other end is closed
        part = b""
    if not part:
        break
    shown += part
    if not answered and b"50%" in shown:
        os.write(terminal, sys.argv[1].encode())
        answered = True
os.write(1, shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
SHOWN = re.compile(r"\rworking 50%, \d+ s left")
CLEARED = re.compile(r"\r {20,}\r")


def in_terminal(answer: str, argument: str) -> tuple[int, str]:
    """Run the work in a terminal, answer once it shows its progress, and return its exit code and all it wrote."""
    command = [sys.executable, "-c", TERMINAL, answer, WORK, argument]
    environment = os.environ | {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=False)
    return done.returncode, done.stdout.decode("utf-8")


def test_progress_is_shown_and_cleared():
    code, shown = in_terminal("\n", "once")
    assert code == 0
    assert SHOWN.search(shown)
    assert CLEARED.split(shown)[-1].rstrip() == "done"


def test_an_interrupt_clears_it_and_leaves_one_line():
    code, shown = in_terminal("\x03", "for ever")
    assert code == 130
    assert "Traceback" not in shown
    assert SHOWN.search(shown)
    assert CLEARED.split(shown)[-1] == "mf1: interrupted\r\n"


class Closing:
    def __init__(self, error: type[BaseException]) -> None:
        self.error = error

    def __del__(self) -> None:
        raise self.error("here")


def test_an_interrupt_in_an_object_that_is_deleted_is_not_printed(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)
    with quiet_interrupts():
        for error in (KeyboardInterrupt, ValueError):
            Closing(error)
        gc.collect()
    assert [ignored.exc_type for ignored in seen] == [ValueError]
    seen.clear()
