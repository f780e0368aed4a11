"""All routes of the JSON API, what they take, and what answers them.

No web framework here: both the server and a browser running the same Python call `answer`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, unquote

from macrof1 import __version__
from macrof1.errors import MacroF1Error
from macrof1.message import spelled
from macrof1.reading.progress import Progress
from macrof1.web import presets, reports, responses
from macrof1.web.models import (
    AuditRequest,
    CompareRequest,
    MatrixRequest,
    MoveRequest,
    PresetQuery,
    ReadRequest,
    RequestError,
    TableRequest,
    field_name,
    received,
)

_LONGEST: Final = 500
# Not available in a browser: these libraries, and our modules that import them at the top.
_HEAVY: Final = ("numpy", "polars", "altair", "vl_convert", "macrof1.")
_LOCAL: Final = "this needs the explorer on your own machine: pip install 'macrof1-score[web]', then mf1 explore"


class Reply(NamedTuple):
    """An answer, ready to send."""

    status: int
    media_type: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One route.

    Attributes
    ----------
    takes
        The type of its body, or of its query for ``GET``.
    seconds
        Its time limit; it then runs in a separate process, which is killed when the client disconnects.
    page
        Whether it answers with an HTML page.
    """

    path: str
    tag: str
    work: Callable[..., Any]
    takes: Any = None
    seconds: float | None = None
    page: bool = False

    @property
    def method(self) -> str:
        """Its HTTP method."""
        return "POST" if self.takes not in (None, PresetQuery) else "GET"

    @property
    def title(self) -> str:
        """What it does, in one sentence."""
        return (self.work.__doc__ or "").partition("\n")[0]


def health() -> dict[str, str]:
    """Report that the explorer is running, and its version."""
    return {"status": "ok", "version": __version__}


ROUTES: Final = (
    Route(path="/api/health", tag="server", work=health),
    Route(path="/api/presets", tag="matrix", work=presets.listed),
    Route(path="/api/presets/{name}", tag="matrix", work=presets.preset_answer, takes=PresetQuery),
    Route(path="/api/examples/{name}", tag="compare", work=presets.example),
    Route(path="/api/gallery", tag="audit", work=presets.gallery),
    Route(path="/api/plane", tag="matrix", work=responses.plane_answer),
    Route(path="/api/score", tag="matrix", work=responses.score_answer, takes=MatrixRequest),
    Route(path="/api/interval", tag="matrix", work=responses.interval_answer, takes=MatrixRequest),
    Route(path="/api/move", tag="matrix", work=responses.move_answer, takes=MoveRequest),
    Route(path="/api/read", tag="matrix", work=responses.read_answer, takes=ReadRequest, seconds=4),
    Route(path="/api/compare", tag="compare", work=responses.compare_answer, takes=CompareRequest, seconds=60),
    Route(path="/api/audit", tag="audit", work=responses.audit_answer, takes=AuditRequest),
    Route(path="/api/audit/table", tag="audit", work=responses.table_answer, takes=TableRequest, seconds=4),
    Route(path="/api/paper", tag="paper", work=responses.paper_answer, seconds=120),
    Route(path="/api/report/score", tag="reports", work=reports.score, takes=MatrixRequest, seconds=20, page=True),
    Route(path="/api/report/compare", tag="reports", work=reports.compare, takes=CompareRequest, seconds=60, page=True),
    Route(path="/api/report/audit", tag="reports", work=reports.audit, takes=AuditRequest, seconds=20, page=True),
    Route(path="/api/report/audit/table", tag="reports", work=reports.table, takes=TableRequest, seconds=60, page=True),
)


def answer(
    method: str, target: str, body: str = "", *, own: dict[str, Any] | None = None, told: Progress | None = None
) -> Reply:
    """Answer one request, or explain in one line why not.

    Parameters
    ----------
    target
        The path and the query.
    own
        The matrix that the explorer was started with.
    told
        Called with the completed share of the work, if it is known.
    """
    path, _, query = target.partition("?")
    head, _, last = path.rpartition("/")
    own_paths = {path: {}, f"{head}/{{name}}": {"name": unquote(last)}}
    route = next((one for one in ROUTES if one.method == method and one.path in own_paths), None)
    if route is None:
        return refusal(404, "Not Found")
    given: dict[str, Any] = own_paths[route.path]
    try:
        if route.takes is not None:
            given["request"] = received(route.takes, _query(query) if method == "GET" else _body(body))
        if route.path.startswith("/api/presets"):
            given["own"] = own
        if "told" in signature(route.work).parameters:
            given["told"] = _in_percents(told)
        with spelled(field_name):
            content = route.work(**given)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(_HEAVY):
            raise
        return refusal(501, _LOCAL)
    except MacroF1Error as error:
        return refusal(422 if isinstance(error, RequestError) else 400, error.worded(field_name))
    return Reply(200, "text/html; charset=utf-8", content) if route.page else _json(200, content)


def refusal(status: int, text: str) -> Reply:
    """Return an error answer of one line, however long the names in it are."""
    line = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    return _json(status, {"error": line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"})


def _in_percents(told: Progress | None) -> Progress | None:
    """Return a function that passes the completed share of the work on, in steps of one percent."""
    last = 0.0

    def report(share: float) -> None:
        nonlocal last
        if told is not None and share - last >= 0.01:
            last = share
            told(share)

    return None if told is None else report


def _json(status: int, content: Any) -> Reply:
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Reply(status, "application/json", text)


def _body(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise RequestError("the body is not JSON", expected="one JSON object") from None


def _query(query: str) -> dict[str, Any]:
    """Parse a query; anything that looks like a number is one."""
    kinds: dict[str, Callable[[str], Any]] = {"moved": float, "z": float, "skew": float, "classes": int}
    found: dict[str, Any] = {}
    for name, text in parse_qsl(query, keep_blank_values=True):
        try:
            found[name] = kinds.get(name, str)(text)
        except ValueError:
            raise RequestError(f"{name} is {text[:40]!r}", expected="a number") from None
    return found
