"""JSON schemas of what the commands print, made from the types of the results.

``schema("score")`` returns the schema of ``mf1 score … -f json``. The directive ``{output-schema} score`` prints its
keys, and the build writes every schema to ``schemas/`` beside the pages.
"""

from __future__ import annotations

import collections.abc
import inspect
import json
import re
from dataclasses import fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from docutils import nodes
from docutils.parsers.rst import Directive

from macrof1 import results
from macrof1.counts import ClassCounts
from macrof1.result import Result

TEXTS = {"type": "array", "items": {"type": "string"}}
CELLS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {name: {"type": "integer"} for name in ("gold", "predicted", "rows")},
        "required": ["gold", "predicted", "rows"],
        "additionalProperties": False,
    },
}
SIGNATURE = {
    "type": "object",
    "description": "Under each formula, the line that says what was computed.",
    "properties": {"averaged_f1": {"type": "string"}, "f1_of_averages": {"type": "string"}},
    "required": ["averaged_f1", "f1_of_averages"],
    "additionalProperties": False,
}
CODES = {**TEXTS, "description": "The kind of each note, for programs."}


def _of(hint: Any) -> dict[str, Any]:
    """Return the schema of a type, as `macrof1.result.plain` writes its values."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _either([_of(each) for each in inner])
    if origin is Literal:
        return {"enum": list(inner)}
    if inspect.isclass(hint) and issubclass(hint, Result):
        return _of_result(hint)
    if hint is ClassCounts:
        return _counts()
    simple = {NoneType: "null", bool: "boolean", int: "integer", float: "number", str: "string"}
    if hint in simple:
        return {"type": simple[hint]}
    base = origin or hint
    if inspect.isclass(base) and issubclass(base, collections.abc.Mapping):
        return {"type": "object", **({"additionalProperties": _of(inner[1])} if inner else {})}
    if inspect.isclass(base) and issubclass(base, collections.abc.Iterable) and not issubclass(base, str):
        several = [each for each in inner if each is not Ellipsis]
        if len(several) == 1:
            return {"type": "array", "items": _of(several[0])}
        return {"type": "array", "prefixItems": [_of(each) for each in several]} if several else {"type": "array"}
    return {}


def _either(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Join the schemas of a union."""
    if {} in found:
        return {}
    if all(set(each) == {"type"} for each in found):
        kinds = list(dict.fromkeys(each["type"] for each in found))
        kinds = [kind for kind in kinds if not (kind == "integer" and "number" in kinds)]
        return {"type": kinds[0] if len(kinds) == 1 else kinds}
    return {"anyOf": found}


def _counts() -> dict[str, Any]:
    columns = {name: {"type": "integer"} for name in ("tp", "predicted", "actual")}
    return _object({"label": {"type": ["string", "number", "boolean", "null"]}, **columns}, array=True)


def _object(properties: dict[str, Any], *, optional: tuple[str, ...] = (), array: bool = False) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    made = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "array", "items": made} if array else made


def _of_result(cls: type[Result]) -> dict[str, Any]:
    """Return the schema of a result type: what its `to_dict` holds."""
    hints = get_type_hints(cls)
    told = _attributes(cls)
    properties: dict[str, Any] = {}
    names = cls._keys or tuple(field.name for field in fields(cls))  # type: ignore[arg-type]
    for name in names:
        member = inspect.getattr_static(cls, name, None)
        if isinstance(member, property):
            found = _of(get_type_hints(member.fget).get("return", Any))
            words = (inspect.getdoc(member) or "").split("\n\n")[0]
        else:
            found, words = _of(hints[name]), ""
        words = " ".join((told.get(name) or words).split())
        properties[name] = {**found, **({"description": words} if words else {})}
    change = _CHANGES.get(cls.__name__)
    return change(properties) if change else _object(properties)


def _attributes(cls: type) -> dict[str, str]:
    """Read what a docstring says about each attribute."""
    _, _, listed = (inspect.getdoc(cls) or "").partition("Attributes\n----------\n")
    listed = re.split(r"\n\n\w+\n-+\n", listed)[0]
    found = {}
    for names, words in re.findall(r"^(\w[\w, ]*)\n((?:    .*\n?|\n)+)", listed, re.MULTILINE):
        found |= dict.fromkeys(names.split(", "), words)
    return found


def _flat(inner: str, properties: dict[str, Any], *, after: tuple[str, ...] = ()) -> dict[str, Any]:
    """Put the keys of one result beside the others."""
    own = dict(properties)
    result = own.pop(inner)
    last = {name: own.pop(name) for name in after}
    return _object({**own, **result["properties"], **last})


def _finding() -> dict[str, Any]:
    return {"name": {"type": "string"}, **_of_result(results.AuditFinding)["properties"]}


def _audit_table(properties: dict[str, Any]) -> dict[str, Any]:
    summary = properties["summary"]["properties"]
    more = {"findings": _object(_finding(), array=True), "sentences": TEXTS}
    return _object({**properties, "summary": _object({**summary, **more})})


def _bounds(properties: dict[str, Any]) -> dict[str, Any]:
    # What does not apply is left out; the same range without the number of classes has the same keys.
    inner = {name: {**each} for name, each in properties.items() if name != "any_n"}
    optional = tuple(name for name in properties if name in ("any_n", "binary", "largest"))
    any_n = _object(inner, optional=optional)
    return _object({**properties, "any_n": any_n}, optional=optional)


_CHANGES: dict[str, Any] = {
    "CompareResult": lambda found: _object({**found, "note_codes": CODES, "signature": SIGNATURE}),
    "WitnessResult": lambda found: _object({**found, "cells": CELLS}),
    "LargestGapResult": lambda found: _object({**found, "cells": CELLS}),
    "AuditRow": lambda found: _flat("result", found, after=("rank_averaged_f1", "rank_f1_of_averages")),
    "AuditedReport": lambda found: _flat("result", found, after=("figures",)),
    "AuditTableResult": _audit_table,
    "BoundsResult": _bounds,
}


def schema(command: str) -> dict[str, Any]:
    """Return the schema of what a command prints as JSON."""
    made = _COMMANDS[command]()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"mf1 {command}", **made}


_COMMANDS: dict[str, Any] = {}


class OutputSchema(Directive):
    """``{output-schema} score``: a table of the keys."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Make the table."""
        return []


def setup(app) -> dict[str, bool]:
    """Register the directive, and write the schemas."""
    app.add_directive("output-schema", OutputSchema)
    return {"parallel_read_safe": True}


if __name__ == "__main__":
    print(json.dumps(_of_result(results.ScoreResult), indent=1), Path)
