"""Progress of long answers: what the computation tells, and what the server passes on."""

import json
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest

from macrof1.web.presets import example
from macrof1.web.routes import answer
from macrof1.web.workers import answer_apart

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
