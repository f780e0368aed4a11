"""Bodies of requests: every address answers in JSON, and never with a failure of the server."""

from __future__ import annotations

import asyncio
import json
from functools import cache

from hypothesis import strategies as st

from macrof1.web.app import make_app

from .files import JSON
from .kinds import kind

GOOD = {
    "score": {"matrix": [[3, 1], [0, 4]], "labels": ["a", "b"], "rows": "gold"},
    "read": {"text": "gold,pred\na,a\nb,a\n", "name": "x.csv"},
    "compare": {"text": "gold,x,y\na,a,b\nb,b,b\nc,a,c\n", "name": "x.csv"},
    "audit": {"precision": "0.5", "recall": "0.6", "f1": "0.52"},
    "audit/table": {"text": "team,macro_f1\nx,0.5\n", "name": "x.csv"},
}


PLAUSIBLE = st.sampled_from(
    [
        "",
        "0.5",
        "80,1",
        "50%",
        "nan",
        "a,b",
        "gold",
        "predicted",
        "x.csv",
        "x.jsonl",
        "x.parquet",
        0,
        1,
        2.0,
        True,
        None,
    ]
    + ["gold,pred\na,\n", "1,2\n3,4\n", '{"gold": 1}', "\0", "é\n", [[1, 2], [3, 4]], [[0]], ["a", "a"], 10**30, -1]
)


@cache
def app():
    return make_app()


def ask(path, body):
    """Send a body to the application itself; return the status and what it says."""
    said = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        said.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http"}
    scope |= {"path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "headers": headers}
    asyncio.run(app()(scope | {"client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80)}, receive, send))
    return said[0]["status"], b"".join(message.get("body", b"") for message in said[1:])


@kind("web bodies", st.tuples(st.sampled_from(sorted(GOOD)), st.data()))
def bodies(case):
    path, data = case
    body = dict(GOOD[path])
    for _ in range(data.draw(st.integers(0, 2))):
        name = data.draw(st.sampled_from([*body, "beta", "undefined", "rows", "percent", "x"]))
        body[name] = data.draw(st.one_of(PLAUSIBLE, JSON))
    status, answer = ask(f"/api/{path}", json.dumps(body).encode())
    assert status in (200, 400, 413, 422), f"{status}: {answer!r} for {body}"
    said = json.loads(answer)
    if status != 200:
        assert said["error"].strip()
        assert "\n" not in said["error"]
    return str(status)
