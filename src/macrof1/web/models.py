"""Requests of the page, described once, as types whose fields carry JSON Schema; their limits and their fields' names.

The same description validates requests on the server and in the browser, where only the standard library is available,
and is published in the OpenAPI document. The command line has higher limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Final, Literal, TypeVar

from macrof1.errors import InputError, counted
from macrof1.message import Argument

MOST_BYTES: Final = 8 * 2**20
"""Bytes of a decompressed file."""

MOST_BODY: Final = 2 * MOST_BYTES + 2**20
"""Bytes of a request's body: JSON needs two bytes for a quote or a newline."""

MOST_MEMORY: Final = 320 * 2**20
"""Bytes of memory that reading and comparing may use on top of the libraries."""

MOST_COUNT: Final = 2**53 - 1
"""The largest count that JavaScript represents exactly."""

MOST_ROWS: Final = 2_000_000
"""Rows of a Parquet or Arrow file, which can have far more rows than bytes."""

MOST_COLUMNS: Final = 1000
MOST_CELLS: Final = 20_000_000
LONGEST_TEXT: Final = 10_000
"""Bytes of text in one cell of a Parquet or Arrow file."""

MOST_CLASSES: Final = 500
MOST_LABELS: Final = 5000
"""Distinct labels in a file to count; more are rejected as too many classes."""

LONGEST_NAME: Final = 200
"""Characters in the name of a label, column or system."""

MOST_SYSTEMS: Final = 100
MOST_TABLE_ROWS: Final = 1000
"""Rows of a leaderboard to audit."""

MOST_CLASSES_DRAWN: Final = 40
"""Above this many classes, the largest pairs are listed instead of sending all of them."""

HEADERS_WITHIN: Final = 10.0
BODY_WITHIN: Final = 60.0
"""Seconds within which the headers and the body of a request must arrive."""

Schema = dict[str, Any]
RowsAre = Literal["predicted", "gold"]
Rounding = Literal["round", "truncate", "unknown"]

_NAME: Schema = {"type": "string", "maxLength": 200}
_PRINTED: Schema = {"type": "string", "maxLength": 40}
_TEXT: Schema = {"type": "string"}
_CELL: Schema = {"type": "number", "minimum": 0}
_RATIO: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_ROWS: Schema = {"type": "string", "enum": ["predicted", "gold"]}
_ROUNDING: Schema = {"type": "string", "enum": ["round", "truncate", "unknown"]}
_MISSING: Schema = {"type": "string", "enum": ["error", "drop", "label"]}
_TEST: Schema = {"type": "string", "enum": ["delta", "bootstrap"]}
_TASK: Schema = {"type": "string", "enum": ["multiclass", "multilabel"]}
_CLASSES: Schema = {"type": ["integer", "null"], "minimum": 1, "maximum": 1_000_000}
_MANY: Schema = {"type": "array", "minItems": 1, "maxItems": MOST_CLASSES}


class RequestError(InputError):
    """A request that does not match the schema of its route."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRequest:
    """A confusion matrix and the convention to score it with."""

    labels: list[str] = field(metadata={**_MANY, "items": _NAME})
    matrix: list[list[int | float]] = field(metadata={**_MANY, "items": {"type": "array", "items": _CELL}})
    rows: RowsAre = field(default="predicted", metadata=_ROWS)
    beta: float = field(default=1.0, metadata={"type": "number", "minimum": 0, "maximum": 1000})
    undefined: Literal[0, 1] = field(default=0, metadata={"type": "integer", "enum": [0, 1]})

    def __post_init__(self) -> None:
        """Reject a matrix that is not square."""
        sizes = {len(row) for row in self.matrix} | {len(self.matrix), len(self.labels)}
        if len(sizes) > 1:
            widths = [len(row) for row in self.matrix]
            raise RequestError(
                f"{counted(len(self.labels), 'label')} and {counted(len(widths), 'row')} of {min(widths)} to "
                f"{max(widths)} cells",
                expected="a square matrix with one label per class",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRequest(MatrixRequest):
    """A matrix, and the new precision and recall of one of its classes."""

    place: int = field(metadata={"type": "integer", "minimum": 0})
    precision: float = field(metadata=_RATIO)
    recall: float = field(metadata=_RATIO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A pasted or dropped table: its text, or the base64-encoded bytes of a binary file."""

    text: str = field(default="", metadata=_TEXT)
    data: str = field(default="", metadata=_TEXT)
    name: str = field(default="pasted text", metadata=_NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRequest:
    """Anything that was pasted or dropped, the view that is shown, and how to read it if that is chosen."""

    files: list[Upload] = field(metadata={"type": "array", "minItems": 1, "maxItems": MOST_SYSTEMS, "items": Upload})
    view: str = field(default="", metadata=_NAME)
    gold: str = field(default="", metadata=_NAME)
    pred: str = field(default="", metadata=_NAME)
    weight: str = field(default="", metadata=_NAME)
    rows: Literal["", "predicted", "gold"] = field(
        default="", metadata={"type": "string", "enum": ["", "predicted", "gold"]}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest(Upload):
    """A table with several systems, and how to read it if that cannot be inferred from its column names.

    With `more` files, the first has the gold labels, and each of the others the predictions of a system; or all of them
    are confusion matrices.
    """

    more: list[Upload] = field(
        default_factory=list, metadata={"type": "array", "maxItems": MOST_SYSTEMS, "items": Upload}
    )

    gold: str = field(default="", metadata=_NAME)
    systems: str = field(default="", metadata={"type": "string", "maxLength": 20_000})
    by: str = field(default="", metadata=_NAME)
    weight: str = field(default="", metadata=_NAME)
    missing: Literal["error", "drop", "label"] = field(default="error", metadata=_MISSING)
    test: Literal["delta", "bootstrap"] = field(default="delta", metadata=_TEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipRequest(CompareRequest):
    """A comparison, and two of its systems."""

    a: str = field(metadata=_NAME)
    b: str = field(metadata=_NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFigures:
    """The printed figures of one class; empty if not printed."""

    label: str = field(metadata=_NAME)
    precision: str = field(default="", metadata=_PRINTED)
    recall: str = field(default="", metadata=_PRINTED)
    f1: str = field(default="", metadata=_PRINTED)
    support: str = field(default="", metadata=_PRINTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """Published figures as text: trailing zeros count."""

    precision: str = field(default="", metadata=_PRINTED)
    recall: str = field(default="", metadata=_PRINTED)
    f1: str = field(default="", metadata=_PRINTED)
    accuracy: str = field(default="", metadata=_PRINTED)
    correct: str = field(default="", metadata=_PRINTED)
    total: str = field(default="", metadata=_PRINTED)
    n_classes: int | None = field(default=None, metadata=_CLASSES)
    per_class: list[ClassFigures] = field(
        default_factory=list, metadata={"type": "array", "maxItems": 20, "items": ClassFigures}
    )
    percent: bool | None = field(default=None, metadata={"type": ["boolean", "null"]})
    rounding: Rounding = field(default="round", metadata=_ROUNDING)
    task: Literal["multiclass", "multilabel"] = field(default="multiclass", metadata=_TASK)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRequest(Upload):
    """A leaderboard."""

    support: str = field(default="", metadata={"type": "string", "maxLength": 2000})
    columns: str = field(default="", metadata={"type": "string", "maxLength": 2000})
    rounding: Rounding = field(default="round", metadata=_ROUNDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetQuery:
    """The values of a preset's sliders, and the choice among its matrices."""

    moved: float | None = field(default=None, metadata={"type": "number"})
    z: float | None = field(default=None, metadata={"type": "number"})
    skew: float | None = field(default=None, metadata={"type": "number"})
    classes: int | None = field(default=None, metadata={"type": "integer", "minimum": 2, "maximum": 20})
    choice: str | None = field(default=None, metadata=_NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorAnswer:
    """An error message of one line."""

    error: str = field(metadata=_TEXT)


Request = TypeVar("Request")


def received(kind: type[Request], data: Any) -> Request:
    """Validate what was sent, and return it as a request.

    Examples
    --------
    >>> received(MatrixRequest, {"labels": ["x"], "matrix": [[-1]]})
    Traceback (most recent call last):
        ...
    macrof1.web.models.RequestError: matrix.0.0 is -1: expected at least 0
    """
    return kind(**_checked_object(kind, data, ""))


def schema_of(kind: Any) -> Schema:
    """Return the JSON Schema of a request."""
    if not isinstance(kind, type):
        return {**kind, "items": schema_of(kind["items"])} if "items" in kind else dict(kind)
    described = fields(kind)
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
            raise RequestError(f"{inside}{name}"[:200], expected=f"one of {', '.join(described)}")
    for name, one in described.items():
        if name not in data and one.default is MISSING and one.default_factory is MISSING:
            raise RequestError(
                f"{inside}{name} is missing", expected=f"it beside {', '.join(data) or 'the rest'}"[:300]
            )
    return {name: _checked(described[name].metadata, value, f"{inside}{name}") for name, value in data.items()}


_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
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
    if isinstance(value, list):
        return _checked_list(schema, value, place)
    if isinstance(value, str):
        if len(value) > schema.get("maxLength", len(value)):
            raise RequestError(f"{place} has {len(value):,} characters", expected=f"at most {schema['maxLength']:,}")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise RequestError(f"{place} holds half of a character", expected="Unicode text") from None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if value < schema.get("minimum", value):
            raise _refusal(place, value, f"at least {schema['minimum']}")
        if value > schema.get("maximum", value):
            raise _refusal(place, value, f"at most {schema['maximum']:,}")
    if "enum" in schema and value not in schema["enum"]:
        raise _refusal(place, value, f"one of {', '.join(map(str, schema['enum']))}")
    return value


def _checked_list(schema: Any, value: list[Any], place: str) -> list[Any]:
    most, items = schema.get("maxItems", len(value)), schema["items"]
    if len(value) > most:
        what = "classes" if most == MOST_CLASSES else "items"
        raise RequestError(f"{len(value):,} {what}", expected=f"at most {most}", hint="the command mf1 takes more")
    if len(value) < schema.get("minItems", 0):
        raise RequestError(f"{place} is empty", expected="at least one item")
    if items is _CELL and all(type(each) in (int, float) and 0 <= each < math.inf for each in value):
        return value  # a matrix has many cells: search for the wrong one only if there is one
    if isinstance(items, type):
        return [items(**_checked_object(items, each, f"{place}.{index}")) for index, each in enumerate(value)]
    return [_checked(items, each, f"{place}.{index}") for index, each in enumerate(value)]


def _refusal(place: str, value: Any, expected: str) -> RequestError:
    shown = "null" if value is None else "a list" if isinstance(value, list) else repr(value)[:60]
    return RequestError(
        f"{place or 'the request'} is {'an object' if isinstance(value, dict) else shown}", expected=expected
    )


_FIELDS: Final = {
    "percent": "“percentages” under “Figures are”",
    "n_classes": "“Number of classes”",
    "task": "“Labels per row”",
    "rounding": "“Cut by”",
    "columns": "“Columns with other names”",
    "by": "“Column with the system's name”",
    "count": "“Column with counts or weights”",
    "sample_weight": "“Column with counts or weights”",
    "weight": "“Column with counts or weights”",
    "systems": "“System columns”",
    "gold": "“Gold column”",
    "pred": "the header “pred”",
    "missing": "“Rows without a label”",
    "header": "a line that names the columns",
    "file_format": "an ending that tells its format (.csv, .tsv, .jsonl)",
    "table": "the CSV file",
    "format": "the CSV file",
}
"""Arguments, and the fields that set them."""

_VALUES: Final = {
    ("rounding", "truncate"): "truncation",
    ("task", "multilabel"): "several",
    ("missing", "drop"): "leave out",
    ("missing", "label"): "a class of their own",
}
"""Values that have a different name on the page."""


def field_name(argument: Argument) -> str:
    """Name an argument by its field on the page, or in words if there is no field for it.

    Examples
    --------
    >>> field_name(Argument("percent", True)), field_name(Argument("rounding", "truncate"))
    ('“percentages” under “Figures are”', '“truncation” under “Cut by”')
    >>> field_name(Argument("n_resamples", 25_500))
    '25,500 resamples (with the command mf1)'
    >>> field_name(Argument("by", "label")), field_name(Argument("labels"))
    ("“Column with the system's name”: label", 'labels')
    """
    if argument.name == "n_resamples" and argument.has_value:  # the page has no field for it
        return f"{argument.value:,} resamples (with the command mf1)"
    name = _FIELDS.get(argument.name, argument.name.replace("_", " "))
    value = argument.value if argument.has_value and not isinstance(argument.value, bool) else ""
    shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    if (argument.name, shown) in _VALUES:
        return f"“{_VALUES[argument.name, shown]}” under {name}"
    return f"{name}: {shown}" if shown else name
