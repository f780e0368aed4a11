"""Server security: whom it answers, how much it accepts, what it serves."""

import asyncio
import json
import re
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from .conftest import Server, explorer
from .test_api import TABLE_3

pytest.importorskip("fastapi", reason="the explorer needs FastAPI")


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "10.0.0.7", "[::1", "localhost.evil.example:80"]
)
def test_foreign_hosts_are_refused(server, host):
    status, answer, _ = server.ask("/api/health", headers={"Host": host})
    assert (status, list(answer)) == (403, ["error"])


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST", "[::1]:{port}"])
def test_names_of_loopback_are_answered(server, host):
    assert server.ask("/api/health", headers={"Host": host.format(port=server.port)})[0] == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "file://"]
)
def test_foreign_origins_are_refused(server, origin):
    headers = {"Origin": origin.format(port=server.port)}
    assert server.ask("/api/score", TABLE_3, headers=headers)[0] == 403
    assert server.ask("/api/health", headers=headers)[0] == 403


def test_the_own_origin_is_answered_and_requests_across_sites_are_not(server):
    assert server.ask("/api/score", TABLE_3, headers={"Origin": server.address.rstrip("/")})[0] == 200
    assert server.ask("/api/health", headers={"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert server.ask("/", headers={"Sec-Fetch-Site": "cross-site"})[0] == 200


def test_every_answer_says_what_the_page_may_do(server):
    for path in ("/", "/static/app.js", "/api/health", "/nowhere", "/api/openapi.json"):
        _, _, headers = server.ask(path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers
    refused = server.ask("/", headers={"Host": "evil.example"})[2]
    assert refused["content-security-policy"] == policy


def test_the_page_names_no_other_host_and_runs_nothing_inline(server, root):
    _, page, _ = server.ask("/")
    # One link, which loads nothing until it is followed.
    assert set(re.findall(r"[^\s\"'=]*//[^\s\"'<]*", page)) == {"https://arxiv.org/abs/1911.03347"}
    assert re.findall(r"<(\w+)[^>]*https://", page) == ["a"]
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|javascript:|<style", page)
    for name in sorted(path.stem for path in (root / "src/macrof1/web/static").glob("*.js")):
        status, text, headers = server.ask(f"/static/{name}.js")
        assert (status, headers["content-type"].partition(";")[0]) == (200, "text/javascript")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text)
        assert set(re.findall(r"https?://[^\s\"'`]+", text)) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd",
        "/static/%2fetc%2fpasswd", "/../../etc/passwd", "/api/examples/..%2f..%2fapp.py",
        "/api/examples/germeval2018_counts.csv", "/api/presets/%2fetc%2fpasswd", "/docs", "/redoc",
    ],
)  # fmt: skip
def test_no_other_file_is_handed_out(server, path):
    status, answer, _ = server.ask(path)
    assert status in (400, 404)
    assert "root:" not in str(answer)
    assert "import" not in str(answer)


def test_bodies_are_limited_whether_they_say_so_or_not(server):
    status, answer, _ = server.ask("/api/open", raw=b"x" * (17 * 2**20 + 1))
    assert (status, answer["error"]) == (413, "too much data: expected at most 8 MiB; the command mf1 takes more")
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as link:
        head = f"POST /api/open HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nTransfer-Encoding: chunked\r\n\r\n"
        link.sendall(head.encode())
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        try:
            for _ in range(300):
                link.sendall(chunk)
        except OSError:
            pass  # refused while still sending
        assert b" 413 " in link.recv(4096).partition(b"\r\n")[0]
    assert server.ask("/api/health")[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "status"), [("DELETE", "/api/score", 405), ("GET", "/nowhere", 404), ("PUT", "/", 405)]
)
def test_unknown_addresses_and_methods_get_one_line(server, method, path, status):
    found, answer, _ = server.ask(path, method=method)
    assert (found, list(answer)) == (status, ["error"])


def test_a_host_that_others_reach_comes_with_a_warning_and_still_refuses_foreign_names():
    with explorer("--host", "0.0.0.0") as (address, process):  # noqa: S104  # that is what is tested
        server = Server(address)
        assert server.ask("/api/health")[0] == 200
        assert server.ask("/api/health", headers={"Host": f"192.0.2.7:{server.port}"})[0] == 200
        assert server.ask("/api/health", headers={"Host": "evil.example"})[0] == 403
        process.terminate()
        assert process.stderr is not None
        assert "warning: 0.0.0.0 can be reached by other machines" in process.stderr.read()


def test_a_bug_of_the_server_is_said_in_one_line_without_a_traceback(monkeypatch):
    from macrof1.web import app

    def fail(*_, **__):
        raise RuntimeError("secret")

    monkeypatch.setattr(app, "answer", fail)
    sent = []

    async def ask():
        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            sent.append(message)

        headers = [(b"host", b"127.0.0.1")]
        scope = {"type": "http", "method": "GET", "path": "/api/plane", "raw_path": b"/api/plane", "query_string": b""}
        await app.make_app()({**scope, "headers": headers, "scheme": "http", "http_version": "1.1"}, receive, send)

    # In a thread of its own: the browser of other tests keeps a loop running in this one.
    # The server that runs the application prints the traceback of what is raised after the answer.
    with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError, match="secret"):
        pool.submit(asyncio.run, ask()).result()
    assert sent[0]["status"] == 500
    assert b"content-security-policy" in dict(sent[0]["headers"])
    assert json.loads(sent[1]["body"]) == {"error": "something went wrong in the server: a bug; its terminal says what"}
