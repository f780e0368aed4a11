"""The explorer's server: the page, and a JSON API to the library under /api."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import anyio
from anyio.to_process import run_sync
from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from macrof1 import __version__
from macrof1.web.export import linked, web_address
from macrof1.web.models import schema_of
from macrof1.web.routes import BUG, ROUTES, Route, answer
from macrof1.web.security import HEADERS, Guard, body_of
from macrof1.web.workers import answer_apart, prepared


def _described(said: str, kind: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": said, "content": {kind: {"schema": schema}}}


_ERROR: Final = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: _described(said, "application/json", _ERROR)
    for status, said in (
        (400, "The library cannot compute that; the message says why."),
        (403, "A foreign Host or Origin header."),
        (408, "The request did not arrive in time."),
        (413, "Too much data."),
        (422, "Not what this address takes."),
    )
}
_ANSWER: Final = _described("The answer.", "application/json", {"type": "object"})
_PAGE: Final = _described("One HTML file.", "text/html", {"type": "string"})
_LONGEST_NAME: Final = 40
_WORKERS: Final = 2


def make_app(
    *,
    host: str = "127.0.0.1",
    own: dict[str, Any] | None = None,
    docs: str | None = None,
    public_url: str | None = None,
) -> FastAPI:
    """Return the application; `own` is what the page starts with, `public_url` an exported page that links lead to."""
    app = FastAPI(
        title="macrof1 explorer",
        version=__version__,
        summary="Both macro F1s, the gap and its causes, comparisons and audits.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=_ERRORS,
        lifespan=_lifespan,
        # Never send telemetry, whatever the environment variables say.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )

    @app.exception_handler(HTTPException)
    def no_such(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": str(error.detail)}, status_code=error.status_code, headers=error.headers)

    @app.exception_handler(Exception)
    def bug(_: Request, __: Exception) -> JSONResponse:
        # Outside all middleware, hence the headers; uvicorn prints the traceback in the server's terminal.
        return JSONResponse({"error": BUG}, status_code=500, headers=HEADERS)

    for route in ROUTES:
        _add(app, route, own)

    @app.get("/api/progress/{name}", tags=["server"], summary="How far a request is that is still running.")
    def progress(name: str) -> dict[str, float | None]:
        with suppress(KeyError, FileNotFoundError, ValueError):  # nothing is told yet, or no longer
            return {"done": float(app.state.running[name].read_text(encoding="ascii"))}
        return {"done": None}

    folder = files("macrof1.web").joinpath("static")
    page = linked(folder.joinpath("index.html").read_text(encoding="utf-8"), docs)
    if public_url is not None:
        home = escape(web_address(public_url, "public_url"))
        page = page.replace('<html lang="en">', f'<html lang="en" data-public="{home}">')

    @app.get("/", include_in_schema=False, response_class=HTMLResponse)
    def index() -> str:
        return page

    app.mount("/static", StaticFiles(directory=str(folder)), name="static")
    app.add_middleware(Guard, host=host)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    os.environ["PYTHONSAFEPATH"] = "1"  # worker processes never import modules from the current folder
    app.state.running, app.state.turns = {}, anyio.CapacityLimiter(_WORKERS)
    with tempfile.TemporaryDirectory(prefix="macrof1-") as folder:
        app.state.folder = folder
        async with anyio.create_task_group() as group:
            group.start_soon(run_sync, prepared)  # so that the first request does not wait for it
            yield
            group.cancel_scope.cancel()


def _add(app: FastAPI, route: Route, own: dict[str, Any] | None) -> None:
    async def reply(request: Request) -> Response:
        body = await body_of(request) if route.method == "POST" else ""
        target = f"{request.scope['raw_path'].decode('latin-1')}?{request.url.query}"
        if route.seconds is None:
            found = await run_in_threadpool(answer, route.method, target, body, own=own)
        else:
            # The progress of a running request is told under the name in its x-progress header.
            state, name = request.app.state, request.headers.get("x-progress", "")[:_LONGEST_NAME]
            state.running[name] = progress = Path(state.folder, uuid4().hex)
            asked, left = (route.method, target, body), partial(_left, request)
            try:
                found = await answer_apart(asked, route.seconds, progress, turns=state.turns, left=left)
            finally:
                state.running.pop(name, None)
                progress.unlink(missing_ok=True)
        return Response(found.text, status_code=found.status, media_type=found.media_type)

    app.add_api_route(
        route.path,
        reply,
        methods=[route.method],
        tags=[route.tag],
        summary=(route.function.__doc__ or "").partition("\n")[0],
        name=route.work.rpartition(".")[2],
        operation_id=f"{route.method.lower()}{route.path.replace('/', '_').replace('{', '').replace('}', '')}",
        response_model=None,
        responses={200: _PAGE if route.page else _ANSWER},
        openapi_extra=_takes(route),
    )


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _takes(route: Route) -> dict[str, Any]:
    schema = {"properties": {}} if route.takes is None else schema_of(route.takes)
    if route.method == "POST":
        return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
    in_path = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
    in_query = [{"name": name, "in": "query", "required": False, "schema": each} for name, each in
                schema["properties"].items()]  # fmt: skip
    return {"parameters": [*([in_path] if "{name}" in route.path else []), *in_query]}
