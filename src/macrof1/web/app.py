"""The explorer's server: the page, and a JSON API to the library under /api."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from html import escape
from importlib.resources import files
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from macrof1 import __version__
from macrof1.reading.progress import Progress
from macrof1.web.export import linked, reference, source, web_address
from macrof1.web.models import ErrorAnswer, schema_of
from macrof1.web.routes import ROUTES, Reply, Route, answer
from macrof1.web.security import BUG, HEADERS, BodyLimit, SafeHeaders, SameSite
from macrof1.web.workers import Workers

_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": said, "content": {"application/json": {"schema": schema_of(ErrorAnswer)}}}
    for status, said in (
        (400, "The library cannot compute that; the message says why."),
        (403, "A foreign Host or Origin header."),
        (408, "The request did not arrive in time."),
        (413, "Too much data."),
        (422, "Not what this address takes."),
    )
}
_LONGEST_NAME: Final = 40


def make_app(
    *,
    host: str = "127.0.0.1",
    own: dict[str, Any] | None = None,
    docs: str | None = None,
    public_url: str | None = None,
) -> FastAPI:
    """Return the application.

    `own` is what the page starts with, `docs` the address of the documentation, `public_url` that of an exported page,
    which links lead to.
    """
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
        return {"done": app.state.running.get(name)}

    folder = files("macrof1.web").joinpath("static")
    page = linked(folder.joinpath("index.html").read_text(encoding="utf-8"), docs)
    if public_url is not None:
        page = page.replace(
            '<html lang="en">', f'<html lang="en" data-public="{escape(web_address(public_url, "public_url"))}">'
        )

    @app.get("/", include_in_schema=False, response_class=HTMLResponse)
    def index() -> str:
        return page

    @app.get("/reference.html", include_in_schema=False, response_class=HTMLResponse)
    def functions() -> str:
        return reference()

    @app.get("/macrof1.zip", include_in_schema=False)
    def library() -> Response:
        return Response(source(), media_type="application/zip")

    app.mount("/static", StaticFiles(directory=str(folder)), name="static")
    # The last middleware added is the first to see a request.
    app.add_middleware(BodyLimit)
    app.add_middleware(SameSite, host=host)
    app.add_middleware(SafeHeaders)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    app.state.running = {}
    app.state.workers = Workers()
    app.state.workers.prepare()
    yield
    await app.state.workers.close()


def _add(app: FastAPI, route: Route, own: dict[str, Any] | None) -> None:
    """Add a route to the server."""

    async def reply(request: Request) -> Response:
        body = (await request.body()).decode("utf-8", "replace") if route.method == "POST" else ""
        target = f"{request.scope['raw_path'].decode('latin-1')}?{request.url.query}"
        if route.seconds is None:
            found: Reply | None = await run_in_threadpool(answer, route.method, target, body, own=own)
        else:
            workers: Workers = request.app.state.workers
            with _followed(request) as told:
                found = await workers.answer(
                    route.method, target, body, seconds=route.seconds, left=_left(request), told=told
                )
        if found is None:
            return Response(status_code=499)  # the client is gone
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
        responses=_PAGE if route.page else _ANSWER,
        openapi_extra=_described(route),
    )


@contextmanager
def _followed(request: Request) -> Iterator[Progress]:
    """Track the progress of a running request under the name in its x-progress header."""
    running: dict[str, float | None] = request.app.state.running
    name = request.headers.get("x-progress", "")[:_LONGEST_NAME]
    running[name] = None
    try:
        yield lambda share: running.update({name: share})
    finally:
        running.pop(name, None)


async def _left(request: Request) -> None:
    """Wait until the client disconnects."""
    receive: Callable[[], Awaitable[Any]] = request.receive
    while (await receive())["type"] != "http.disconnect":
        pass


_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {"description": "The answer.", "content": {"application/json": {"schema": {"type": "object"}}}}
}
_PAGE: dict[int | str, dict[str, Any]] = {
    200: {"description": "One HTML file.", "content": {"text/html": {"schema": {"type": "string"}}}}
}


def _described(route: Route) -> dict[str, Any]:
    """Describe in OpenAPI what a route takes."""
    parameters = []
    if "{name}" in route.path:
        parameters.append({"name": "name", "in": "path", "required": True, "schema": {"type": "string"}})
    if route.takes is None:
        return {"parameters": parameters}
    schema = schema_of(route.takes)
    if route.method == "GET":
        for name, described in schema["properties"].items():
            parameters.append({"name": name, "in": "query", "required": False, "schema": described})
        return {"parameters": parameters}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
