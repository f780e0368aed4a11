"""Every request that the OpenAPI document allows, and many that it does not, gets an answer that it describes."""

import re

import pytest
from hypothesis import HealthCheck, settings

pytest.importorskip("fastapi", reason="the explorer needs FastAPI")
schemathesis = pytest.importorskip("schemathesis", reason="needs Schemathesis")

from macrof1.web.app import make_app  # noqa: E402  # only where FastAPI is

# The paper takes seconds, and takes no input.
document = schemathesis.openapi.from_dict(make_app().openapi()).exclude(path="/api/paper")


def requests_of(path: str, method: str):
    @document.include(path=path, method=method).parametrize()
    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    def no_request_breaks_the_server(case, server):
        # No schema can say that a matrix is square or that a text is a table: such requests are refused with 400.
        refusals = [schemathesis.specs.openapi.checks.positive_data_acceptance]
        case.call_and_validate(base_url=server.address, excluded_checks=refusals)

    return no_request_breaks_the_server


# One function for each: Schemathesis would give all operations of one function the same id, and xdist run the first.
for found in document.get_all_operations():
    operation = found.ok()
    name = re.sub(r"\W+", "_", f"test_{operation.method}{operation.path}").rstrip("_")
    globals()[name] = requests_of(operation.path, operation.method)
