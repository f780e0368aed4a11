"""JSON schemas of what the commands print, made from the types of the results.

`schema` returns one of them, and `keys` lists what it holds; tests/test_docs.py validates real outputs.
"""

from __future__ import annotations

import collections.abc
import inspect
import json
import re
from collections.abc import Callable
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

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
        if hints.get(name) == cls | None:  # a result in itself: `_CHANGES` says what it holds
            properties[name] = {"type": "object"}
            continue
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
    optional = tuple(name for name in properties if name in ("any_n", "binary", "largest", "over"))
    any_n = _object(inner, optional=optional)
    return _object({**properties, "any_n": any_n}, optional=optional)


def _groups(properties: dict[str, Any]) -> dict[str, Any]:
    both = {"type": "object", "additionalProperties": {"type": ["number", "null"]}}
    score = _with_intervals(results.ScoreResult)
    group = _object({"key": {"type": "object"}, **score["properties"]}, optional=_INTERVALS, array=True)
    told = {"description": properties["groups"]["description"]}
    means = ("mean_of_scores", "score_of_pooled_counts", "difference", "fold_standard_error")
    line = score["properties"]["signature"]
    return _object(
        {
            "by": properties["by"],
            "groups": {**group, **told},
            "total": score,
            **dict.fromkeys(means, both),
            "signature": _object({"mean_of_scores": line, "score_of_pooled_counts": line}),
            "notes": TEXTS,
            "note_codes": CODES,
        }
    )


_INTERVALS = ("intervals", "interval_notes")


def _with_intervals(cls: type[Result]) -> dict[str, Any]:
    """Return the schema of a score, with what the command adds to it."""
    found = _of_result(cls)["properties"]
    each = _of_result(results.IntervalResult)
    intervals = {
        "type": "object",
        "description": "By formula; empty where none can be had.",
        "additionalProperties": each,
    }
    return _object({**found, "intervals": intervals, "interval_notes": TEXTS}, optional=_INTERVALS)


def _known(properties: dict[str, Any]) -> dict[str, Any]:
    own = dict(properties)
    known = own.pop("known")["properties"]
    return _object({**known, **own}, optional=("prints_it",))


def _identified(properties: dict[str, Any]) -> dict[str, Any]:
    group = _object({"value": {"type": "number"}, "definitions": TEXTS}, array=True)
    return _object({**properties, "summary": {"type": "string"}, "groups": group})


def _identified_row(properties: dict[str, Any]) -> dict[str, Any]:
    """Put what was found beside the name; a row whose counts are not determined has only its name and a note."""
    found = properties["result"]["anyOf"][0]["properties"]
    own = {name: properties[name] for name in ("name", "note")}
    return _object({"name": own["name"], **found, "note": own["note"]}, optional=tuple(found))


def _printed_bounds() -> dict[str, Any]:
    found = _of_result(results.BoundsResult)["properties"]
    more = {"witness": _of_result(results.WitnessResult), "labels": TEXTS, "notes": TEXTS}
    return _object({**found, **more}, optional=("any_n", "binary", "largest", "over", "witness", "labels"))


def _saved_counts() -> dict[str, Any]:
    number = {"type": "integer"}
    label = {"type": ["string", "number", "boolean", "null"]}
    column = {"type": "array", "items": {"type": "number"}}
    convention = _object(
        {
            "classes": {"enum": ["union", "listed"]},
            "missing": {"type": "string"},
            "weight": {},
            "spans": {"type": "string", "description": "How entities were found, for counts of entities."},
            "normalize": {"type": "string", "description": "Which differences between labels were ignored."},
            "outside": {"type": "string", "description": "How answers outside the class set counted."},
            "unusable": {"type": "number", "description": "The fraction of such answers."},
        },
        optional=("spans", "normalize", "outside", "unusable"),
    )
    cell = {"type": "array", "prefixItems": [number, number, {"type": "number"}], "minItems": 3, "maxItems": 3}
    cells = {"type": "array", "items": cell, "description": "Places of gold and predicted in `labels`, and the count."}
    return _object(
        {
            "format": {"const": "macrof1 counts"},
            "version": {"const": 1},
            "macrof1": {"type": "string", "description": "The version that wrote the file."},
            "task": {"enum": ["multiclass", "multilabel", "spans"]},
            "convention": convention,
            "n_rows": {"type": ["integer", "null"]},
            "n_dropped": number,
            "n_listed": {
                "type": ["integer", "null"],
                "description": "How many labels are listed; null where none are.",
            },
            "labels": {"type": "array", "items": label},
            "cells": cells,
            **dict.fromkeys(("tp", "predicted", "actual"), column),
        },
        optional=("cells", "tp", "predicted", "actual"),
    )


def _of_systems(properties: dict[str, Any]) -> dict[str, Any]:
    reasons = _object({"reason": {"type": "string"}, "names": TEXTS}, array=True)
    group = _object({"value": {"type": ["number", "null"]}, "names": TEXTS, "reasons": reasons}, array=True)
    return _object(
        {"conventions": properties["scores"], "groups": group, "notes": properties["notes"], "note_codes": TEXTS}
    )


_CHANGES: dict[str, Any] = {
    "ScoreConventionsResult": _of_systems,
    "ScoreResult": lambda found: _object({**found, "signature": SIGNATURE}),
    "ClassScore": lambda found: _object({name: _or_null(each) for name, each in found.items()}),
    "GroupsResult": _groups,
    "CompareResult": lambda found: _object({**found, "note_codes": CODES, "signature": SIGNATURE}),
    "ConventionScore": _known,
    "IdentifyResult": _identified,
    "IdentifiedRow": _identified_row,
    "WitnessResult": lambda found: _object({**found, "cells": CELLS}),
    "LargestGapResult": lambda found: _object({**found, "cells": CELLS}),
    "AuditRow": lambda found: _flat("result", found, after=("rank_averaged_f1", "rank_f1_of_averages")),
    "AuditedReport": lambda found: _flat("result", found, after=("figures",)),
    "AuditTableResult": _audit_table,
    "BoundsResult": _bounds,
}
"""What `to_dict` of a type adds, moves or leaves out."""


def _or_null(found: dict[str, Any]) -> dict[str, Any]:
    """Let an undefined ratio that is left out, NaN in Python, be null."""
    return {**found, "type": ["number", "null"]} if found.get("type") == "number" else found


OUTPUTS: dict[str, tuple[str, Callable[[], dict[str, Any]]]] = {
    "score": ("mf1 score preds.csv -f json", lambda: _with_intervals(results.ScoreResult)),
    "score-by": ("mf1 score preds.csv --by domain -f json", lambda: _of_result(results.GroupsResult)),
    "compare": ("mf1 compare … -f json", lambda: _of_result(results.CompareResult)),
    "plan": ("mf1 plan pilot.csv --difference 0.01 -f json", lambda: _of_result(results.PlanResult)),
    "audit": ("mf1 audit --precision … --recall … --f1 … -f json", lambda: _of_result(results.AuditResult)),
    "audit-table": ("mf1 audit leaderboard.csv -f json", lambda: _of_result(results.AuditTableResult)),
    "audit-text": ("mf1 audit report.txt -f json", lambda: _of_result(results.AuditTextResult)),
    "identify": ("mf1 identify preds.csv 0.7123 -f json", lambda: _of_result(results.IdentifyResult)),
    "identify-table": ("mf1 identify leaderboard.csv -f json", lambda: _of_result(results.IdentifyTableResult)),
    "conventions": ("mf1 conventions preds.csv -f json", lambda: _of_result(results.ScoreConventionsResult)),
    "catalogue": ("mf1 conventions -f json", lambda: {"type": "array", "items": _of_result(results.NamedConvention)}),
    "bounds": ("mf1 bounds … -f json", _printed_bounds),
    "count": ("mf1 count preds.csv", _saved_counts),
}
"""Every output: the command that prints it, and how its schema is made."""


def schema(output: str) -> dict[str, Any]:
    """Return the schema of an output."""
    command, make = OUTPUTS[output]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": command, **make()}


def _kind(found: dict[str, Any]) -> str:
    """Say in a few words what a value is."""
    if "enum" in found:
        return " or ".join(json.dumps(each) for each in found["enum"])
    if "const" in found:
        return json.dumps(found["const"])
    if "anyOf" in found:
        return " or ".join(dict.fromkeys(_kind(each) for each in found["anyOf"]))
    kind = found.get("type", "any value")
    kind = " or ".join(kind) if isinstance(kind, list) else kind
    return (
        f"array of {_kind(found['items'])}s"
        if kind == "array" and _kind(found.get("items", {})) != "any value"
        else kind
    )


def keys(found: dict[str, Any], prefix: str = "") -> list[tuple[str, str, str]]:
    """List the keys of a schema, those of objects inside it below their own."""
    rows = []
    for name, each in found.get("properties", {}).items():
        rows.append((f"{prefix}{name}", _kind(each), each.get("description", "")))
        inner = next((part for part in (each, *each.get("anyOf", ())) if part.get("type") in ("object", "array")), {})
        many = inner.get("type") == "array"
        inside = inner.get("items", {}) if many else inner
        if prefix.count(".") < 2:
            rows += keys(inside, f"{prefix}{name}{'[]' if many else ''}.")
    return rows
