"""Every request that the OpenAPI document allows, and many that it does not, get an answer that it promises."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

pytest.importorskip("fastapi", reason="the explorer needs FastAPI")
schemathesis = pytest.importorskip("schemathesis", reason="needs Schemathesis")

from macrof1.web.app import make_app  # noqa: E402  # only where FastAPI is

# The note takes seconds, and takes no input.
document = schemathesis.openapi.from_dict(make_app().openapi()).exclude(path="/api/note")


@document.parametrize()
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_request_breaks_the_server(case, server):
    # No schema can say that a matrix is square or that a text is a table: such requests are refused with 400.
    refusals = [schemathesis.specs.openapi.checks.positive_data_acceptance]
    case.call_and_validate(base_url=server.address, excluded_checks=refusals)
