"""What the page may send: described once, as types whose fields carry JSON Schema.

The same description checks a request on the server and in a browser, where only Python's standard library is there,
and is published in the interface's OpenAPI document.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, TypeVar

from macrof1.errors import InputError, counted
from macrof1.web.limits import MOST_CLASSES

Schema = dict[str, Any]
RowsAre = Literal["predicted", "gold"]
Rounding = Literal["round", "truncate", "unknown"]

_NAME: Schema = {"type": "string", "maxLength": 200}
_PRINTED: Schema = {"type": "string", "maxLength": 40}
_TEXT: Schema = {"type": "string"}
_CELL: Schema = {"type": "number", "minimum": 0}
_ROWS: Schema = {"type": "string", "enum": ["predicted", "gold"]}
_ROUNDING: Schema = {"type": "string", "enum": ["round", "truncate", "unknown"]}
_MANY: Schema = {"type": "array", "minItems": 1, "maxItems": MOST_CLASSES}


class NotValid(InputError):
    """A request that does not have the shape that its address takes."""


def _described(schema: Schema, default: Any = MISSING) -> Any:
    """Return a field of a request; lists begin empty."""
    if default == []:
        return field(default_factory=list, metadata=schema)
    return field(default=default, metadata=schema)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRequest:
    """A confusion matrix and the convention to score it with."""

    labels: list[str] = _described({**_MANY, "items": _NAME})
    matrix: list[list[int | float]] = _described({**_MANY, "items": {"type": "array", "items": _CELL}})
    rows: RowsAre = _described(_ROWS, "predicted")
    beta: float = _described({"type": "number", "minimum": 0, "maximum": 1000}, 1.0)
    undefined: Literal[0, 1] = _described({"type": "integer", "enum": [0, 1]}, 0)

    def __post_init__(self) -> None:
        """Refuse what is not square."""
        sizes = {len(row) for row in self.matrix} | {len(self.matrix), len(self.labels)}
        if len(sizes) > 1:
            widths = [len(row) for row in self.matrix]
            raise NotValid(
                f"{counted(len(self.labels), 'label')} and {counted(len(widths), 'row')} of {min(widths)} to "
                f"{max(widths)} cells",
                expected="a square matrix with one label per class",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A table that was pasted or dropped: its text, or in base64 the bytes of a file that is not text."""

    text: str = _described(_TEXT, "")
    data: str = _described(_TEXT, "")
    name: str = _described(_NAME, "pasted text")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest(Upload):
    """A confusion matrix, or predictions to be counted."""

    rows: RowsAre = _described(_ROWS, "predicted")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest(Upload):
    """A table with several systems, and how to read it where the names of its columns do not tell."""

    gold: str = _described(_NAME, "")
    systems: str = _described({"type": "string", "maxLength": 20_000}, "")
    by: str = _described(_NAME, "")
    weight: str = _described(_NAME, "")
    test: Literal["delta", "bootstrap"] = _described({"type": "string", "enum": ["delta", "bootstrap"]}, "delta")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFigures:
    """What was printed for one class; empty where nothing was."""

    label: str = _described(_NAME)
    precision: str = _described(_PRINTED, "")
    recall: str = _described(_PRINTED, "")
    f1: str = _described(_PRINTED, "")
    support: str = _described(_PRINTED, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """What a paper printed, as text: trailing zeros count."""

    precision: str = _described(_PRINTED, "")
    recall: str = _described(_PRINTED, "")
    f1: str = _described(_PRINTED, "")
    accuracy: str = _described(_PRINTED, "")
    correct: str = _described(_PRINTED, "")
    total: str = _described(_PRINTED, "")
    n_classes: int | None = _described({"type": ["integer", "null"], "minimum": 1, "maximum": 1_000_000}, None)
    per_class: list[ClassFigures] = _described({"type": "array", "maxItems": 20, "items": ClassFigures}, [])
    percent: bool | None = _described({"type": ["boolean", "null"]}, None)
    rounding: Rounding = _described(_ROUNDING, "round")
    task: Literal["multiclass", "multilabel"] = _described(
        {"type": "string", "enum": ["multiclass", "multilabel"]}, "multiclass"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRequest(Upload):
    """A leaderboard."""

    support: str = _described({"type": "string", "maxLength": 2000}, "")
    columns: str = _described({"type": "string", "maxLength": 2000}, "")
    rounding: Rounding = _described(_ROUNDING, "round")


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetQuery:
    """Values of a preset's sliders, and which of its matrices is meant."""

    z: float | None = _described({"type": "number"}, None)
    skew: float | None = _described({"type": "number"}, None)
    classes: int | None = _described({"type": "integer", "minimum": 2, "maximum": 20}, None)
    choice: str | None = _described(_NAME, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorAnswer:
    """What went wrong, in one line."""

    error: str = _described(_TEXT)


Request = TypeVar("Request")


def received(kind: type[Request], data: Any) -> Request:
    """Check what was sent, and return it as a request.

    Examples
    --------
    >>> received(MatrixRequest, {"labels": ["x"], "matrix": [[-1]]})
    Traceback (most recent call last):
        ...
    macrof1.web.models.NotValid: matrix.0.0 is -1: expected at least 0
    """
    return kind(**_checked_object(kind, data, ""))


def schema_of(kind: Any) -> Schema:
    """Return the JSON Schema of a request."""
    if not isinstance(kind, type):
        return {**kind, "items": schema_of(kind["items"])} if "items" in kind else dict(kind)
    described = fields(kind)  # type: ignore[arg-type]  # every request is a dataclass
    return {
        "type": "object",
        "description": kind.__doc__,
        "properties": {one.name: schema_of(one.metadata) for one in described},
        "required": [one.name for one in described if one.default is MISSING and one.default_factory is MISSING],
        "additionalProperties": False,
    }


def _checked_object(kind: type, data: Any, place: str) -> dict[str, Any]:
    described = {one.name: one for one in fields(kind)}
    if not isinstance(data, dict):
        raise _refusal(place, data, f"an object with {', '.join(described)}")
    inside = f"{place}." if place else ""
    for name in data:
        if name not in described:
            raise NotValid(f"{inside}{name}"[:200], expected=f"one of {', '.join(described)}")
    for name, one in described.items():
        if name not in data and one.default is MISSING and one.default_factory is MISSING:
            raise NotValid(f"{inside}{name} is missing", expected=f"it beside {', '.join(data) or 'the rest'}"[:300])
    return {name: _checked(described[name].metadata, value, f"{inside}{name}") for name, value in data.items()}


_KINDS = {
    "string": ("text", lambda value: isinstance(value, str)),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "null": ("null", lambda value: value is None),
    "array": ("a list", lambda value: isinstance(value, list)),
    "integer": ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "number": (
        "a number",
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
    ),
}


def _checked(schema: Any, value: Any, place: str) -> Any:
    """Check a value against the part of JSON Schema that requests use."""
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if not any(_KINDS[kind][1](value) for kind in kinds):
        raise _refusal(place, value, " or ".join(_KINDS[kind][0] for kind in kinds))
    if isinstance(value, str):
        _check_text(schema, value, place)
    elif isinstance(value, list):
        _check_length(schema, value, place)
        items = schema["items"]
        if items is _CELL and all(type(each) in (int, float) and 0 <= each < math.inf for each in value):
            return value
        if isinstance(items, type):
            return [items(**_checked_object(items, each, f"{place}.{index}")) for index, each in enumerate(value)]
        return [_checked(items, each, f"{place}.{index}") for index, each in enumerate(value)]
    elif value is not None and value is not True and value is not False:
        if value < schema.get("minimum", value):
            raise _refusal(place, value, f"at least {schema['minimum']}")
        if value > schema.get("maximum", value):
            raise _refusal(place, value, f"at most {schema['maximum']:,}")
    if "enum" in schema and value not in schema["enum"]:
        raise _refusal(place, value, f"one of {', '.join(map(str, schema['enum']))}")
    return value


def _check_text(schema: Any, value: str, place: str) -> None:
    if len(value) > schema.get("maxLength", len(value)):
        raise NotValid(f"{place} has {len(value):,} characters", expected=f"at most {schema['maxLength']:,}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise NotValid(f"{place} holds half of a character", expected="Unicode text") from None


def _check_length(schema: Any, value: list[Any], place: str) -> None:
    most = schema.get("maxItems", len(value))
    if len(value) > most:
        what = "classes" if most == MOST_CLASSES else "items"
        raise NotValid(f"{len(value):,} {what}", expected=f"at most {most}", hint="the command mf1 takes more")
    if len(value) < schema.get("minItems", 0):
        raise NotValid(f"{place} is empty", expected="at least one item")


def _refusal(place: str, value: Any, expected: str) -> NotValid:
    shown = "null" if value is None else "a list" if isinstance(value, list) else repr(value)[:60]
    return NotValid(
        f"{place or 'the request'} is {'an object' if isinstance(value, dict) else shown}", expected=expected
    )
