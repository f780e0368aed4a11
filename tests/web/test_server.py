"""The server shuts down quietly, stops abandoned work, and tells how far a long answer is."""

import json
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import pytest

from macrof1.web.presets import example
from macrof1.web.routes import answer
from macrof1.web.workers import answer_apart

from .conftest import TWO_SYSTEMS, Server, explorer
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


BOARD = example("germeval-leaderboard")
LONG = {
    "/api/audit/table": {"text": BOARD["text"], "name": BOARD["name"], "support": "offense=1202,other=2330"},
    "/api/compare": {"text": TWO_SYSTEMS, "name": "systems.csv", "test": "bootstrap"},
}


@pytest.mark.parametrize("path", LONG)
def test_long_answers_tell_how_far_they_are(path):
    shares: list[float] = []
    assert answer("POST", path, json.dumps(LONG[path]), told=shares.append).status == 200
    assert len(shares) > 1
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] == pytest.approx(1)


def of_a_worker(*asked, seconds, progress):
    async def answered():
        return await answer_apart(asked, seconds, progress, turns=anyio.CapacityLimiter(1), left=anyio.sleep_forever)

    with ThreadPoolExecutor(1) as elsewhere:  # Playwright's loop may run in this thread
        return elsewhere.submit(lambda: anyio.run(answered)).result()


@pytest.mark.parametrize("path", LONG)
def test_worker_processes_pass_it_on(path, tmp_path):
    found = of_a_worker("POST", path, json.dumps(LONG[path]), seconds=60, progress=tmp_path / "share")
    assert found.status == 200
    assert float((tmp_path / "share").read_text()) == pytest.approx(1)


def test_a_worker_that_computes_too_long_is_ended(tmp_path):
    found = of_a_worker("GET", "/api/paper", "", seconds=1, progress=tmp_path / "share")
    assert (found.status, "this takes longer than 1.0 s" in found.text) == (400, True)


def test_a_bug_in_a_worker_is_told_with_its_traceback(tmp_path):
    with pytest.raises(ExceptionGroup) as raised:
        of_a_worker("POST", "/api/score", None, seconds=60, progress=tmp_path / "share")
    assert "json.loads(body)" in raised.value.exceptions[0].__notes__[0]


def test_the_server_says_how_far_a_request_is(tmp_path):
    pytest.importorskip("httpx", reason="Starlette's test client needs it")
    from fastapi.testclient import TestClient

    from macrof1.web.app import make_app

    app = make_app()
    with TestClient(app, base_url="http://127.0.0.1") as client:
        app.state.running["x-1"] = tmp_path / "share"
        assert client.get("/api/progress/x-1").json() == {"done": None}
        (tmp_path / "share").write_text("0.25")
        assert client.get("/api/progress/x-1").json() == {"done": 0.25}
        assert client.get("/api/progress/x-2").json() == {"done": None}
