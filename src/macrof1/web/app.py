"""The explorer's server: the page, and a JSON interface to the library under /api."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from macrof1 import __version__
from macrof1.counting.confusion import Confusion
from macrof1.errors import MacroF1Error
from macrof1.web import responses
from macrof1.web.models import (
    AuditRequest,
    CompareRequest,
    ErrorAnswer,
    MatrixRequest,
    ReadRequest,
    TableRequest,
)
from macrof1.web.presets import EXAMPLES, example, preset, presets
from macrof1.web.security import BodyLimit, SafeHeaders, SameSite, ServerErrors
from macrof1.web.spelling import FieldNames, field
from macrof1.web.uploads import read_counts

Answer = dict[str, Any]

_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorAnswer, "description": "The library cannot compute that; the message says why."},
    403: {"model": ErrorAnswer, "description": "A foreign Host or Origin header."},
    413: {"model": ErrorAnswer, "description": "Too much data."},
    422: {"model": ErrorAnswer, "description": "Not what this address takes."},
}

_PAGE: dict[int | str, dict[str, Any]] = {
    200: {"description": "One HTML file.", "content": {"text/html": {"schema": {"type": "string"}}}}
}


def make_app(*, host: str = "127.0.0.1", own: Confusion | None = None) -> FastAPI:
    """Return the application; `own` is a matrix that the page starts with."""
    app = FastAPI(
        title="macrof1 explorer",
        version=__version__,
        summary="Both macro F1s, the gap and its causes, comparisons and audits.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=_ERRORS,
        # Nothing about what is done here goes anywhere, whatever the environment says.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    _add_errors(app)
    _add_matrix(app, own)
    _add_comparisons_and_audits(app)
    _add_reports(app)
    _add_page(app)
    # The last one added is the first to see a request.
    app.add_middleware(FieldNames)
    app.add_middleware(ServerErrors)
    app.add_middleware(BodyLimit)
    app.add_middleware(SameSite, host=host)
    app.add_middleware(SafeHeaders)
    return app


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(MacroF1Error)
    def refused(_: Request, error: MacroF1Error) -> JSONResponse:
        return JSONResponse({"error": error.worded(field)}, status_code=400)

    @app.exception_handler(RequestValidationError)
    def not_valid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"][1:])
        more = len(error.errors()) - 1
        others = f" (and {more} more)" if more else ""
        said = str(first["msg"]).removeprefix("Value error, ")
        return JSONResponse({"error": f"{place}: {said}{others}" if place else f"{said}{others}"}, status_code=422)

    @app.exception_handler(HTTPException)
    def no_such(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": str(error.detail)}, status_code=error.status_code, headers=error.headers)


def _add_matrix(app: FastAPI, own: Confusion | None) -> None:
    @app.get("/api/health", tags=["server"])
    def health() -> Answer:
        """Say that the server is there, and its version."""
        return {"status": "ok", "version": __version__}

    @app.get("/api/presets", tags=["matrix"])
    def list_presets() -> Answer:
        """List the matrices to start from, with their sliders and choices."""
        return {"presets": presets(own), "examples": list(EXAMPLES)}

    @app.get("/api/presets/{name}", tags=["matrix"])
    def one_preset(
        name: str,
        z: Annotated[float | None, Query(allow_inf_nan=False)] = None,
        skew: Annotated[float | None, Query(allow_inf_nan=False)] = None,
        classes: Annotated[int | None, Query(ge=2, le=20)] = None,
        choice: str | None = None,
    ) -> Answer:
        """Return the matrix of a preset."""
        given = {"z": z, "skew": skew, "classes": classes}
        values = {key: value for key, value in given.items() if value is not None}
        return preset(name, values=values, choice=choice, own=own)

    @app.get("/api/examples/{name}", tags=["compare"])
    def one_example(name: str) -> Answer:
        """Return a table that ships with the explorer."""
        return example(name)

    @app.get("/api/plane", tags=["matrix"])
    def plane() -> Answer:
        """Return the contours of equal F1 in the plane of precision and recall."""
        return responses.plane_answer()

    @app.post("/api/read", tags=["matrix"])
    def read(request: ReadRequest) -> Answer:
        """Read a confusion matrix, or count predictions, from text."""
        cells, kind = read_counts(request, rows=request.rows)
        return responses.matrix_answer(cells, kind)

    @app.post("/api/score", tags=["matrix"])
    def score(request: MatrixRequest) -> Answer:
        """Score a confusion matrix under both formulas."""
        return responses.score_answer(responses.scored(request))


def _add_comparisons_and_audits(app: FastAPI) -> None:
    @app.post("/api/compare", tags=["compare"])
    def compare(request: CompareRequest) -> Answer:
        """Compare the systems of a table under both formulas."""
        return responses.compare_answer(responses.compared(request))

    @app.post("/api/audit", tags=["audit"])
    def audit(request: AuditRequest) -> Answer:
        """Tell which macro F1 was published."""
        return responses.audit_answer(responses.audited(request), rounding=request.rounding)

    @app.post("/api/audit/table", tags=["audit"])
    def audit_table(request: TableRequest) -> Answer:
        """Audit a leaderboard row by row."""
        return responses.table_answer(responses.audited_table(request))

    @app.get("/api/note", tags=["note"])
    def note() -> Answer:
        """Return the note's claims and figures with our re-run beside them; the first call takes some seconds."""
        return responses.note_answer()


def _add_reports(app: FastAPI) -> None:
    from macrof1.reporting.audits import audit_page
    from macrof1.reporting.comparisons import render_comparison
    from macrof1.reporting.reports import score_page

    @app.post("/api/report/score", tags=["reports"], responses=_PAGE, response_model=None)
    def score_report(request: MatrixRequest) -> HTMLResponse:
        """Return the scores as one HTML file that opens anywhere."""
        return HTMLResponse(score_page(responses.scored(request), command="mf1 explore"))

    @app.post("/api/report/compare", tags=["reports"], responses=_PAGE, response_model=None)
    def compare_report(request: CompareRequest) -> HTMLResponse:
        """Return the comparison as one HTML file that opens anywhere."""
        return HTMLResponse(render_comparison(responses.compared(request), "html", command="mf1 explore"))

    @app.post("/api/report/audit", tags=["reports"], responses=_PAGE, response_model=None)
    def audit_report(request: AuditRequest) -> HTMLResponse:
        """Return the audit as one HTML file that opens anywhere."""
        return HTMLResponse(audit_page(responses.audited(request), command="mf1 explore"))

    @app.post("/api/report/audit/table", tags=["reports"], responses=_PAGE, response_model=None)
    def table_report(request: TableRequest) -> HTMLResponse:
        """Return the audit of a leaderboard as one HTML file that opens anywhere."""
        return HTMLResponse(audit_page(responses.audited_table(request), command="mf1 explore"))


def _add_page(app: FastAPI) -> None:
    folder = files("macrof1.web").joinpath("static")
    page = folder.joinpath("index.html").read_text(encoding="utf-8")

    @app.get("/", include_in_schema=False, response_class=HTMLResponse)
    def index() -> str:
        return page

    app.mount("/static", StaticFiles(directory=str(folder)), name="static")
