"""Requests of the page, described once, as types whose fields carry JSON Schema; their limits and their fields' names.

The same description validates requests on the server and in the browser, where only the standard library is available,
and is published in the OpenAPI document. The command line has higher limits.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Final, Literal, TypeVar

from macrof1.errors import InputError, counted
from macrof1.message import Argument

# Limits, which the command line does not have.
MOST_BYTES: Final = 8 * 2**20  # of a decompressed file
MOST_BODY: Final = 2 * MOST_BYTES + 2**20  # of a request's body: JSON needs two bytes for a quote or a newline
MOST_MEMORY: Final = 320 * 2**20  # bytes that reading and comparing may use on top of the libraries
MOST_COUNT: Final = 2**53 - 1  # the largest count that JavaScript represents exactly
MOST_ROWS: Final = 2_000_000  # of a Parquet or Arrow file, which can have far more rows than bytes
MOST_COLUMNS: Final = 1000
MOST_CELLS: Final = 20_000_000
LONGEST_TEXT: Final = 10_000  # bytes in one cell of a Parquet or Arrow file
MOST_CLASSES: Final = 500
MOST_LABELS: Final = 5000  # distinct ones in a file to count; more are rejected as too many classes
LONGEST_NAME: Final = 200  # characters of a label, column or system
MOST_SYSTEMS: Final = 100
MOST_TABLE_ROWS: Final = 1000  # of a leaderboard to audit
MOST_CLASSES_DRAWN: Final = 40  # above this, the largest pairs are listed instead of sending all of them
BODY_WITHIN: Final = 60.0  # seconds within which a request must arrive

Schema = dict[str, Any]
RowsAre = Literal["predicted", "gold"]
Rounding = Literal["round", "truncate", "unknown"]


def _one_of(*values: str | int) -> Schema:
    return {"type": "integer" if isinstance(values[0], int) else "string", "enum": list(values)}


_NAME: Schema = {"type": "string", "maxLength": LONGEST_NAME}
_PRINTED: Schema = {"type": "string", "maxLength": 40}
_LIST: Schema = {"type": "string", "maxLength": 2000}
_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_CELL: Schema = {"type": "number", "minimum": 0, "maximum": MOST_COUNT}
_CELLS: Schema = {"type": "array", "items": _CELL}
_FACTS: Schema = {"type": "array", "maxItems": 20, "items": {"type": "array", "items": _NAME}}
_RATIO: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_ROUNDING: Schema = _one_of("round", "truncate", "unknown")
_TASK: Schema = _one_of("multiclass", "multilabel")
_MISSING: Schema = _one_of("error", "drop", "label")
_MANY: Schema = {"type": "array", "minItems": 1, "maxItems": MOST_CLASSES}


class RequestError(InputError):
    """A request that does not match the schema of its route."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRequest:
    """A confusion matrix, or `counts` (correct, predicted, gold) and `facts` of their making; and the convention."""

    labels: list[str] = field(metadata={**_MANY, "maxItems": MOST_LABELS, "items": _NAME})
    matrix: list[list[int | float]] = field(default_factory=list, metadata={**_MANY, "items": _CELLS})
    counts: list[list[int | float]] = field(default_factory=list, metadata={"type": "array", "items": _CELLS})
    facts: list[list[str]] = field(default_factory=list, metadata=_FACTS)
    task: Literal["multiclass", "multilabel"] = field(default="multiclass", metadata=_TASK)
    n_rows: int | None = field(default=None, metadata={"type": ["integer", "null"], "minimum": 0})
    rows: RowsAre = field(default="predicted", metadata=_one_of("predicted", "gold"))
    beta: float = field(default=1.0, metadata={"type": "number", "minimum": 0, "maximum": 1000})
    undefined: Literal[0, 1] = field(default=0, metadata=_one_of(0, 1))

    def __post_init__(self) -> None:
        """Reject a matrix that is not square."""
        if self.counts and not self.matrix:
            if [len(column) for column in self.counts] != [len(self.labels)] * 3 or {*map(len, self.facts)} - {2}:
                raise RequestError("counts", expected="three numbers per label, and facts with a name and a value")
            return
        widths = {len(row) for row in self.matrix} or {0}
        if widths | {len(self.labels)} != {len(self.matrix)}:
            cells = f"{counted(len(self.matrix), 'row')} of {min(widths)} to {max(widths)} cells"
            given = f"{counted(len(self.labels), 'label')} and {cells}"
            raise RequestError(given, expected="a square matrix with one label per class")


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


_FILES: Schema = {"type": "array", "minItems": 1, "maxItems": MOST_SYSTEMS, "items": Upload}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRequest:
    """Anything that was pasted or dropped, the view that is shown, and how to read it if that is chosen."""

    files: list[Upload] = field(metadata=_FILES)
    view: str = field(default="", metadata=_NAME)
    gold: str = field(default="", metadata=_NAME)
    pred: str = field(default="", metadata=_NAME)
    weight: str = field(default="", metadata=_NAME)
    missing: Literal["error", "drop", "label"] = field(default="error", metadata=_MISSING)
    multilabel: str = field(default="", metadata=_NAME)
    over: str = field(default="", metadata=_NAME)
    positive: str = field(default="", metadata=_NAME)
    rows: Literal["", "predicted", "gold"] = field(default="", metadata=_one_of("", "predicted", "gold"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest(Upload):
    """A table with several systems, and how to read it if that cannot be inferred from its column names.

    With `more` files, the first has the gold labels, and each of the others the predictions of a system; or all of them
    are confusion matrices.
    """

    more: list[Upload] = field(default_factory=list, metadata={**_FILES, "minItems": 0})
    gold: str = field(default="", metadata=_NAME)
    systems: str = field(default="", metadata={"type": "string", "maxLength": 20_000})
    by: str = field(default="", metadata=_NAME)
    weight: str = field(default="", metadata=_NAME)
    over: str = field(default="", metadata=_NAME)
    positive: str = field(default="", metadata=_NAME)
    missing: Literal["error", "drop", "label"] = field(default="error", metadata=_MISSING)
    test: Literal["delta", "bootstrap"] = field(default="delta", metadata=_one_of("delta", "bootstrap"))


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


_PER_CLASS: Schema = {"type": "array", "maxItems": 20, "items": ClassFigures}
_N_CLASSES: Schema = {"type": ["integer", "null"], "minimum": 1, "maximum": 1_000_000}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """Published figures as text: trailing zeros count."""

    precision: str = field(default="", metadata=_PRINTED)
    recall: str = field(default="", metadata=_PRINTED)
    f1: str = field(default="", metadata=_PRINTED)
    accuracy: str = field(default="", metadata=_PRINTED)
    correct: str = field(default="", metadata=_PRINTED)
    total: str = field(default="", metadata=_PRINTED)
    n_classes: int | None = field(default=None, metadata=_N_CLASSES)
    per_class: list[ClassFigures] = field(default_factory=list, metadata=_PER_CLASS)
    percent: bool | None = field(default=None, metadata={"type": ["boolean", "null"]})
    rounding: Rounding = field(default="round", metadata=_ROUNDING)
    task: Literal["multiclass", "multilabel"] = field(default="multiclass", metadata=_TASK)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRequest(Upload):
    """A leaderboard."""

    support: str = field(default="", metadata=_LIST)
    columns: str = field(default="", metadata=_LIST)
    rounding: Rounding = field(default="round", metadata=_ROUNDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetQuery:
    """The values of a preset's sliders, and the choice among its matrices."""

    moved: float | None = field(default=None, metadata=_NUMBER)
    z: float | None = field(default=None, metadata=_NUMBER)
    skew: float | None = field(default=None, metadata=_NUMBER)
    classes: int | None = field(default=None, metadata={"type": "integer", "minimum": 2, "maximum": 20})
    choice: str | None = field(default=None, metadata=_NAME)


Request = TypeVar("Request")


def received(kind: type[Request], data: Any, place: str = "") -> Request:
    """Validate what was sent, and return it as a request."""
    schema, inside = schema_of(kind)["properties"], f"{place}." if place else ""
    if not isinstance(data, dict):
        raise _refusal(place, data, f"an object with {', '.join(schema)}")
    for name in data:
        if name not in schema:
            raise RequestError(f"{inside}{name}"[:200], expected=f"one of {', '.join(schema)}")
    for name in schema_of(kind)["required"]:
        if name not in data:
            beside = f"it beside {', '.join(data) or 'the rest'}"[:300]
            raise RequestError(f"{inside}{name} is missing", expected=beside)
    described = {one.name: one.metadata for one in fields(kind)}  # type: ignore[arg-type]  # all are dataclasses
    return kind(**{name: _checked(described[name], value, f"{inside}{name}") for name, value in data.items()})


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


# How messages name a type, and the Python types that it allows.
_KINDS: Final[dict[str, tuple[str, tuple[type, ...]]]] = {
    "string": ("text", (str,)),
    "boolean": ("true or false", (bool,)),
    "null": ("null", (type(None),)),
    "array": ("a list", (list,)),
    "integer": ("a whole number", (int,)),
    "number": ("a number", (int, float)),
}


def _checked(schema: Any, value: Any, place: str) -> Any:
    """Check a value against the part of JSON Schema that requests use."""
    if isinstance(schema, type):
        return received(schema, value, place)
    kinds = [_KINDS[kind] for kind in ([schema["type"]] if isinstance(schema["type"], str) else schema["type"])]
    is_endless = isinstance(value, float) and not math.isfinite(value)
    if is_endless or type(value) not in [each for _, types in kinds for each in types]:
        raise _refusal(place, value, " or ".join(name for name, _ in kinds))
    if isinstance(value, list):
        most, items = schema.get("maxItems", len(value)), schema["items"]
        if len(value) > most:
            what = "classes" if most == MOST_CLASSES else "items"
            raise RequestError(f"{len(value):,} {what}", expected=f"at most {most}", hint="the command mf1 takes more")
        if len(value) < schema.get("minItems", 0):
            raise RequestError(f"{place} is empty", expected="at least one item")
        if items is _CELL and all(type(each) in (int, float) and 0 <= each <= MOST_COUNT for each in value):
            return value  # a matrix has many cells: search for the wrong one only if there is one
        return [_checked(items, each, f"{place}.{index}") for index, each in enumerate(value)]
    if isinstance(value, str):
        if len(value) > schema.get("maxLength", len(value)):
            raise RequestError(f"{place} has {len(value):,} characters", expected=f"at most {schema['maxLength']:,}")
        if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise RequestError(f"{place} holds half of a character", expected="Unicode text")
    elif type(value) in (int, float) and value < schema.get("minimum", value):
        raise _refusal(place, value, f"at least {schema['minimum']}")
    elif type(value) in (int, float) and value > schema.get("maximum", value):
        raise _refusal(place, value, f"at most {schema['maximum']:,}")
    if "enum" in schema and value not in schema["enum"]:
        raise _refusal(place, value, f"one of {', '.join(map(str, schema['enum']))}")
    return value


def _refusal(place: str, value: Any, expected: str) -> RequestError:
    named = {type(None): "null", list: "a list", dict: "an object"}
    return RequestError(f"{place or 'the request'} is {named.get(type(value)) or repr(value)[:60]}", expected=expected)


# Arguments, and the fields that set them; values that have a different name on the page.
_FIELDS: Final = {
    "percent": "“percentages” under “Figures are”",
    "n_classes": "“Number of classes”",
    "task": "“Labels per row”",
    "rounding": "“Cut by”",
    "columns": "“Columns with other names”",
    **dict.fromkeys(("count", "sample_weight", "weight"), "“Column with counts or weights”"),
    "gold": "“Gold column”",
    "missing": "“Rows without a label”",
    "over": "“Mean over”",
    "positive": "“The label that counts”",
    "header": "a line that names the columns",
    "file_format": "an ending that tells its format (.csv, .tsv, .jsonl)",
    **dict.fromkeys(("table", "format"), "the CSV file"),
}
_IN_MATRIX: Final = {"pred": "“Predicted column”", "multilabel": "“Labels are split at”"}
_IN_COMPARE: Final = {
    "pred": "the header “pred”", "by": "“Column with the system's name”", "systems": "“System columns”",
}  # fmt: skip
# What only the command line has, at least in some view.
_COMMANDS: Final = frozenset((
    "labels", "classes", "normalize", "outside", "spans", "exclude", "empty", "cluster", "id", "n_resamples", "by",
    "multilabel",
))  # fmt: skip
_VALUES: Final = {
    ("rounding", "truncate"): "truncation",
    ("task", "multilabel"): "several",
    ("missing", "drop"): "leave out",
    ("missing", "label"): "a class of their own",
}


def field_name(argument: Argument, command: str = "score") -> str:
    """Name an argument by its field in the view that does what a command does, or else by the command's option."""
    fields = _FIELDS | (_IN_MATRIX if command == "score" else _IN_COMPARE)
    name = fields.get(argument.name, argument.name.replace("_", " "))
    value = argument.value if argument.has_value and not isinstance(argument.value, bool) else ""
    shown = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    if argument.name in _COMMANDS and argument.name not in fields:
        return f"mf1 {command} --{argument.name.removeprefix('n_')} {shown}".rstrip()
    if (argument.name, shown) in _VALUES:
        return f"“{_VALUES[argument.name, shown]}” under {name}"
    return f"{name}: {shown}" if shown else name
