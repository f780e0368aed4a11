"""The server shuts down quietly, and stops abandoned work."""

import signal
import socket
import time
from pathlib import Path

import pytest

from .conftest import Server, explorer
from .test_hostile import computed, family


def test_ctrl_c_ends_it_without_a_traceback():
    with explorer() as (address, process):
        assert Server(address).ask("/api/health")[0] == 200
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        assert "Traceback" not in errors
        assert process.returncode in (0, 130)


def workers(process: int) -> list[int]:
    return family(process)[1:]


def test_a_request_that_nobody_waits_for_stops_computing():
    if not Path("/proc/self/task").exists():
        pytest.skip("needs Linux, which tells the children of a process")
    with explorer() as (address, process):
        server = Server(address)
        link = socket.create_connection(("127.0.0.1", server.port))
        assert server.ask("/api/open", {"text": "1,2\n3,4\n"})[0] == 200  # a process is loaded and waits
        idle = {worker: computed(worker) for worker in workers(process.pid)}
        # The paper's experiments, which take several seconds.
        link.sendall(f"GET /api/paper HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        busy: set[int] = set()
        for _ in range(600):
            busy = {each for each in workers(process.pid) if computed(each) > idle.get(each, 2.0) + 1}
            if busy:
                break
            time.sleep(0.1)
        link.close()
        for _ in range(200):
            if busy and not busy & set(workers(process.pid)):
                break
            time.sleep(0.1)
        assert busy
        assert not busy & set(workers(process.pid)), "the process that computed is gone"
        assert server.ask("/api/open", {"text": "1,2\n3,4\n"})[0] == 200


def test_slow_requests_in_good_order_are_answered(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=120) as link:
        for piece in (b"GET /api/health HTTP/1.1\r\n", f"Host: 127.0.0.1:{server.port}\r\n".encode(), b"\r\n"):
            link.sendall(piece)
            time.sleep(1)
        assert b"200 OK" in link.recv(4096)
