"""All routes of the JSON API, what they take, and what answers them.

No web framework here: both the server and a browser running the same Python call `answer`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, unquote

from macrof1 import __version__
from macrof1.errors import MacroF1Error
from macrof1.message import spelled
from macrof1.reading.files import Progress
from macrof1.web import models
from macrof1.web.models import PresetQuery, RequestError, field_name, received

BUG: Final = "something went wrong in the server: a bug; its terminal says what"
_LONGEST: Final = 500
# Not available in a browser: these libraries, and our modules that import them at the top.
_HEAVY: Final = ("numpy", "polars", "altair", "vl_convert", "macrof1.")
_LOCAL: Final = "this needs the explorer on your own machine: pip install 'macrof1-score[web]', then mf1 explore"


class Reply(NamedTuple):
    """An answer, ready to send."""

    status: int
    media_type: str
    text: str


@dataclass(frozen=True, slots=True)
class Route:
    """One route."""

    path: str
    tag: str
    work: str  # the module and the function that answer it, imported on demand: a browser waits for every import
    takes: Any = None  # the type of its body, or of its query for GET
    seconds: float | None = None  # if limited, it runs in another process, killed when the client disconnects
    page: bool = False  # whether it answers with the result as one self-contained HTML file

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
    Route("/api/health", "server", "routes.health"),
    Route("/api/presets", "matrix", "presets.listed"),
    Route("/api/presets/{name}", "matrix", "presets.preset_answer", PresetQuery),
    Route("/api/examples/{name}", "compare", "presets.example"),
    Route("/api/gallery", "audit", "presets.gallery"),
    Route("/api/plane", "matrix", "scores.plane_answer"),
    Route("/api/score", "matrix", "scores.score_answer", models.MatrixRequest),
    Route("/api/conventions", "matrix", "scores.conventions_answer", models.MatrixRequest),
    Route("/api/interval", "matrix", "scores.interval_answer", models.MatrixRequest),
    Route("/api/move", "matrix", "scores.move_answer", models.MoveRequest),
    Route("/api/own", "open", "presets.own_files"),
    Route("/api/open", "open", "front_door.open_answer", models.OpenRequest, 8),
    Route("/api/compare", "compare", "responses.compare_answer", models.CompareRequest, 60),
    Route("/api/flip", "compare", "responses.flip_answer", models.FlipRequest, 20),
    Route("/api/audit", "audit", "responses.audit_answer", models.AuditRequest),
    Route("/api/audit/table", "audit", "responses.table_answer", models.TableRequest, 4),
    Route("/api/paper", "paper", "responses.paper_answer", None, 120),
    Route("/api/report/score", "reports", "scores.scored_cells", models.MatrixRequest, 20, page=True),
    Route("/api/report/compare", "reports", "responses.compared", models.CompareRequest, 60, page=True),
    Route("/api/report/audit", "reports", "responses.audited", models.AuditRequest, 20, page=True),
    Route("/api/report/audit/table", "reports", "responses.audited_table", models.TableRequest, 60, page=True),
)


def answer(
    method: str, target: str, body: str = "", *, own: dict[str, Any] | None = None, told: Progress | None = None
) -> Reply:
    """Answer a request for a path and query, or explain in one line why not; `own` is what the explorer began with."""
    path, _, query = target.partition("?")
    head, _, last = path.rpartition("/")
    own_paths = {path: {}, f"{head}/{{name}}": {"name": unquote(last)}}
    route = next((one for one in ROUTES if one.method == method and one.path in own_paths), None)
    if route is None:
        return refusal(404, "Not Found")
    given: dict[str, Any] = own_paths[route.path]
    command = next((name for name in ("compare", "audit") if name in (route.tag, *route.path.split("/"))), "score")
    spell = partial(field_name, command=command)
    try:
        sent = json.loads(body) if method == "POST" else None
    except (ValueError, RecursionError):
        return refusal(422, "the body is not JSON: expected one JSON object")
    try:
        if route.takes is not None:
            given["request"] = received(route.takes, _query(query) if method == "GET" else sent)
        with spelled(spell):
            work = route.function
            wanted = signature(work).parameters
            given |= {name: value for name, value in (("own", own), ("told", told)) if name in wanted}
            content = work(**given)
            if route.page:
                from macrof1.reporting.rendering import document, render

                level = {"confidence_level": 0.95} if type(content).__name__ == "ScoreResult" else {}
                page = render(document(content, **level), "html", command="mf1 explore")
                return Reply(200, "text/html; charset=utf-8", page)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(_HEAVY):
            raise
        return refusal(501, _LOCAL)
    except MacroF1Error as error:
        return refusal(422 if isinstance(error, RequestError) else 400, error.worded(spell))
    return _json(200, content)


def refusal(status: int, text: str) -> Reply:
    """Return an error answer of one line, however long the names in it are."""
    line = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    return _json(status, {"error": line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"})


def _json(status: int, content: Any) -> Reply:
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Reply(status, "application/json", text)


def _query(query: str) -> dict[str, Any]:
    kinds: dict[str, Callable[[str], Any]] = {"moved": float, "z": float, "skew": float, "classes": int}
    found: dict[str, Any] = {}
    for name, text in parse_qsl(query, keep_blank_values=True):
        try:
            found[name] = kinds.get(name, str)(text)
        except ValueError:
            raise RequestError(f"{name} is {text[:40]!r}", expected="a number") from None
    return found
