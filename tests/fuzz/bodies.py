"""Bodies of requests: every address answers in JSON, and never with a failure of the server."""

from __future__ import annotations

import json
from functools import cache

from fastapi.testclient import TestClient
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


@cache
def client():
    return TestClient(make_app(), base_url="http://127.0.0.1", raise_server_exceptions=False)


@kind("web bodies", st.tuples(st.sampled_from(sorted(GOOD)), st.data()))
def bodies(case):
    path, data = case
    body = dict(GOOD[path])
    for _ in range(data.draw(st.integers(0, 2))):
        body[data.draw(st.sampled_from([*body, "beta", "undefined", "rows", "percent", "x"]))] = data.draw(JSON)
    sent = json.dumps(body)
    answer = client().post(f"/api/{path}", content=sent, headers={"content-type": "application/json"})
    assert answer.status_code in (200, 400, 413, 422), f"{answer.status_code}: {answer.text} for {sent}"
    said = answer.json()
    if answer.status_code != 200:
        assert said["error"].strip()
        assert "\n" not in said["error"]
    return str(answer.status_code)
