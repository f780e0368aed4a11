"""Request bodies: every route answers in JSON, and never with a server error."""

import json

from hypothesis import strategies as st

from macrof1.web.routes import answer

from .files import JSON
from .kinds import kind

GOOD = {
    "score": {"matrix": [[3, 1], [0, 4]], "labels": ["a", "b"], "rows": "gold"},
    "open": {"text": "gold,pred\na,a\nb,a\n", "name": "x.csv"},
    "compare": {"text": "gold,x,y\na,a,b\nb,b,b\nc,a,c\n", "name": "x.csv"},
    "audit": {"precision": "0.5", "recall": "0.6", "f1": "0.52"},
    "audit/table": {"text": "team,macro_f1\nx,0.5\n", "name": "x.csv"},
}


PLAUSIBLE = st.sampled_from(
    ["", "0.5", "80,1", "50%", "nan", "a,b", "gold", "predicted", "x.csv", "x.jsonl", "x.parquet", 0, 1, 2.0, True, None,
     "gold,pred\na,\n", "1,2\n3,4\n", '{"gold": 1}', "\0", "é\n", [[1, 2], [3, 4]], [[0]], ["a", "a"], 10**30, -1]
)  # fmt: skip


@kind("web bodies", st.tuples(st.sampled_from(sorted(GOOD)), st.data()))
def bodies(case):
    path, data = case
    body = dict(GOOD[path])
    for _ in range(data.draw(st.integers(0, 2))):
        name = data.draw(st.sampled_from([*body, "beta", "undefined", "rows", "percent", "x"]))
        body[name] = data.draw(st.one_of(PLAUSIBLE, JSON))
    status, _, text = answer("POST", f"/api/{path}", json.dumps(body))
    assert status in (200, 400, 413, 422), f"{status}: {text!r} for {body}"
    said = json.loads(text)
    if status != 200:
        assert said["error"].strip()
        assert "\n" not in said["error"]
    return str(status)
