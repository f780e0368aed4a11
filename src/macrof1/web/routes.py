"""All routes of the JSON API, what they take, and what answers them.

No web framework here: both the server and a browser running the same Python call `answer`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, unquote

from macrof1 import __version__
from macrof1.errors import MacroF1Error
from macrof1.message import spelled
from macrof1.reading.progress import Progress
from macrof1.web.models import (
    AuditRequest,
    CompareRequest,
    FlipRequest,
    MatrixRequest,
    MoveRequest,
    OpenRequest,
    PresetQuery,
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
    work
        The module and the function that answer it, imported when they are needed: a browser waits for every import.
    takes
        The type of its body, or of its query for ``GET``.
    seconds
        Its time limit; it then runs in a separate process, which is killed when the client disconnects.
    page
        Whether it answers with an HTML page.
    """

    path: str
    tag: str
    work: str
    takes: Any = None
    seconds: float | None = None
    page: bool = False

    @property
    def method(self) -> str:
        """Its HTTP method."""
        return "POST" if self.takes not in (None, PresetQuery) else "GET"

    @property
    def function(self) -> Callable[..., Any]:
        """What answers it."""
        module, _, name = self.work.partition(".")
        found: Callable[..., Any] = getattr(import_module(f"macrof1.web.{module}"), name)
        return found


def health() -> dict[str, str]:
    """Report that the explorer is running, and its version."""
    return {"status": "ok", "version": __version__}


ROUTES: Final = (
    Route(path="/api/health", tag="server", work="routes.health"),
    Route(path="/api/presets", tag="matrix", work="presets.listed"),
    Route(path="/api/presets/{name}", tag="matrix", work="presets.preset_answer", takes=PresetQuery),
    Route(path="/api/examples/{name}", tag="compare", work="presets.example"),
    Route(path="/api/gallery", tag="audit", work="gallery.gallery"),
    Route(path="/api/plane", tag="matrix", work="scores.plane_answer"),
    Route(path="/api/score", tag="matrix", work="scores.score_answer", takes=MatrixRequest),
    Route(path="/api/conventions", tag="matrix", work="scores.conventions_answer", takes=MatrixRequest),
    Route(path="/api/interval", tag="matrix", work="scores.interval_answer", takes=MatrixRequest),
    Route(path="/api/move", tag="matrix", work="scores.move_answer", takes=MoveRequest),
    Route(path="/api/own", tag="open", work="presets.own_files"),
    Route(path="/api/open", tag="open", work="front_door.open_answer", takes=OpenRequest, seconds=8),
    Route(path="/api/compare", tag="compare", work="responses.compare_answer", takes=CompareRequest, seconds=60),
    Route(path="/api/flip", tag="compare", work="flips.flip_answer", takes=FlipRequest, seconds=20),
    Route(path="/api/audit", tag="audit", work="responses.audit_answer", takes=AuditRequest),
    Route(path="/api/audit/table", tag="audit", work="responses.table_answer", takes=TableRequest, seconds=4),
    Route(path="/api/paper", tag="paper", work="responses.paper_answer", seconds=120),
    Route(path="/api/report/score", tag="reports", work="reports.score", takes=MatrixRequest, seconds=20, page=True),
    Route(
        path="/api/report/compare", tag="reports", work="reports.compare", takes=CompareRequest, seconds=60, page=True
    ),
    Route(path="/api/report/audit", tag="reports", work="reports.audit", takes=AuditRequest, seconds=20, page=True),
    Route(
        path="/api/report/audit/table", tag="reports", work="reports.table", takes=TableRequest, seconds=60, page=True
    ),
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
        if route.path.startswith(("/api/presets", "/api/own")):
            given["own"] = own
        with spelled(field_name):
            work = route.function
            if "told" in signature(work).parameters:
                given["told"] = _in_percents(told)
            content = work(**given)
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
