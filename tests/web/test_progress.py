"""Progress of long answers: what the computation tells, and what the server passes on."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from macrof1.web.presets import example
from macrof1.web.routes import answer
from macrof1.web.workers import Workers

BOARD = example("germeval-leaderboard")
TABLE = "gold,one,two\n" + "a,a,a\nb,b,a\nb,a,b\nc,c,c\na,b,a\n" * 10
LONG = {
    "/api/audit/table": {"text": BOARD["text"], "name": BOARD["name"], "support": "offense=1202,other=2330"},
    "/api/compare": {"text": TABLE, "name": "systems.csv", "test": "bootstrap"},
}


@pytest.mark.parametrize("path", LONG)
def test_long_answers_tell_how_far_they_are(path):
    shares: list[float] = []
    assert answer("POST", path, json.dumps(LONG[path]), told=shares.append).status == 200
    assert len(shares) > 1
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] == pytest.approx(1)


def of_a_worker(*call, seconds, told=lambda _: None):
    async def asked():
        workers = Workers()
        never = asyncio.get_running_loop().create_future()
        found = await workers.answer(*call, seconds=seconds, left=never, told=told)
        await workers.close()
        return found

    with ThreadPoolExecutor(1) as elsewhere:  # Playwright's loop may run in this thread
        return elsewhere.submit(lambda: asyncio.run(asked())).result()


@pytest.mark.parametrize("path", LONG)
def test_worker_processes_pass_it_on(path):
    shares: list[float] = []
    assert of_a_worker("POST", path, json.dumps(LONG[path]), seconds=60, told=shares.append).status == 200
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


def test_a_worker_that_computes_too_long_is_ended():
    found = of_a_worker("GET", "/api/paper", "", seconds=1)
    assert (found.status, "this takes longer than 1.0 s" in found.text) == (400, True)


def test_the_server_says_how_far_a_request_is():
    pytest.importorskip("httpx", reason="Starlette's test client needs it")
    from fastapi.testclient import TestClient

    from macrof1.web.app import make_app

    app = make_app()
    with TestClient(app, base_url="http://127.0.0.1") as client:
        app.state.running["x-1"] = 0.25
        assert client.get("/api/progress/x-1").json() == {"done": 0.25}
        assert client.get("/api/progress/x-2").json() == {"done": None}
