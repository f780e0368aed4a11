"""Requests are described once: the same description validates them and is published as OpenAPI."""

import pytest

from macrof1.web.models import AuditRequest, MatrixRequest, RequestError, received, schema_of

GOOD = {"labels": ["x", "y"], "matrix": [[1, 2.5], [0, 3]]}


def test_what_is_described_is_taken_with_its_defaults():
    request = received(MatrixRequest, GOOD)
    assert (request.matrix, request.rows, request.beta, request.undefined) == ([[1, 2.5], [0, 3]], "predicted", 1.0, 0)
    figures = received(AuditRequest, {"f1": "0.5", "per_class": [{"label": "a", "f1": "0.4"}]})
    assert figures.per_class[0].f1 == "0.4"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"matrix": [[1, 2], [float("nan"), 3]]}, "matrix.1.0 is nan: expected a number"),
        ({"matrix": [[1, 2], [True, 3]]}, "matrix.1.0 is True: expected a number"),
        ({"matrix": [[1, 2], [-1, 3]]}, "matrix.1.0 is -1: expected at least 0"),
        ({"matrix": [[1, 2], [float("inf"), 3]]}, "matrix.1.0 is inf: expected a number"),
        ({"matrix": "many"}, "matrix is 'many': expected a list"),
        ({"matrix": []}, "matrix is empty"),
        ({"matrix": [[1, 2]]}, "expected a square matrix"),
        ({"labels": ["x", None]}, "labels.1 is null: expected text"),
        ({"labels": ["x", "y" * 201]}, "labels.1 has 201 characters: expected at most 200"),
        ({"labels": ["x", "\ud800"]}, "labels.1 holds half of a character"),
        ({"rows": "columns"}, "expected one of predicted, gold"),
        ({"beta": 1001}, "expected at most 1,000"),
        ({"beta": -1}, "beta is -1: expected at least 0"),
        ({"matrix": [[1, 2], ["many", 3]]}, "matrix.1.0 is 'many': expected a number"),
        ({"undefined": 2}, "expected one of 0, 1"),
        ({"extra": 1}, "extra: expected one of labels, matrix"),
    ],
)
def test_what_is_not_described_is_refused_where_it_stands(change, said):
    with pytest.raises(RequestError) as raised:
        received(MatrixRequest, {**GOOD, **change})
    assert said in str(raised.value)


def test_the_description_is_json_schema():
    schema = schema_of(AuditRequest)
    assert schema["properties"]["per_class"]["items"]["required"] == ["label"]
    assert schema["additionalProperties"] is False
    assert schema_of(MatrixRequest)["required"] == ["labels"]  # with a matrix, or with counts
