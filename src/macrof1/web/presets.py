"""Examples: matrices to start from, tables to compare and audit, and published reports to browse.

The matrices: a moderation model, the paper's tables, GermEval 2018, the worst and a random classifier.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote

import macrof1
from macrof1.bounding.closed_forms import harmonic_mean
from macrof1.bounding.largest_gap import approaching_cells, as_matrix
from macrof1.convention import FORMULAS
from macrof1.errors import InputError
from macrof1.paper.program import TABLES
from macrof1.reading.numbers import plain_number
from macrof1.web.models import PresetQuery

EXAMPLES: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "germeval-counts": ("germeval2018_counts.csv", {"by": "run", "weight": "count"}),
    "germeval-leaderboard": ("germeval2018_leaderboard.csv", {"support": "offense=1202,other=2330"}),
}
"""Tables that ship with the explorer, and the options to read them with."""

_GERMEVAL: Final = {"offense": "1202", "other": "2330"}
_KEPT: Final = ("verdict", "reason", "published", "percent", "decimals", "averaged_f1", "f1_of_averages", "findings")
_RATIOS: Final = ("precision", "recall", "f1")
_MOST_LINKED: Final = 20  # classes in a link to an audit
_CONFUSED: Final = 240
_MODERATION: Final = ["fine", "rude", "hateful"]
_RIVAL: Final = [[5850, 150, 50], [110, 730, 105], [40, 120, 145]]
"""Another model on the same 7,300 comments."""


def _slider(name: str, title: str, low: float, high: float, step: float, value: float) -> dict[str, Any]:
    return {"name": name, "title": title, "low": low, "high": high, "step": step, "value": value}


_CLASSES = _slider("classes", "number of classes", 2, 20, 1, 2)
SLIDERS: Final[dict[str, list[dict[str, Any]]]] = {
    "moderation": [_slider("moved", "hateful comments that A calls rude", 0, _CONFUSED, 4, _CONFUSED)],
    "worst-case": [
        _slider("z", "z: rows that each source class loses, as a power of ten", 0, 6, 0.25, 2),
        _CLASSES,
    ],
    "random": [_slider("skew", "skew: from equal classes (0) to one class alone (1)", 0, 1, 0.01, 0.9), _CLASSES],
}
"""The parameters of presets."""
_TITLES = {
    "moderation": "A moderation model",
    **{f"table-{number}": f"The paper's {name}" for number, name in enumerate(TABLES, start=1)},
    "germeval": "GermEval 2018: a run",
    "worst-case": "Theorem 3: the worst case",
    "random": "A random classifier",
}


def example(name: str) -> dict[str, Any]:
    """Return a table that ships with the explorer: its text and how to read it."""
    if name not in EXAMPLES:
        raise InputError.unknown_value("example", name, EXAMPLES)
    file, options = EXAMPLES[name]
    return {"name": file, "text": _text(file), "options": options}


@cache
def _text(file: str) -> str:
    return files("macrof1.web").joinpath("data", file).read_text(encoding="utf-8")


@cache
def _runs() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    rows = list(csv.DictReader(_text("germeval2018_counts.csv").splitlines()))
    labels = sorted({row[side] for row in rows for side in ("gold", "pred")})
    for row in rows:
        sent = found.setdefault(row["run"], _sent(labels, [[0] * len(labels) for _ in labels]))
        sent["matrix"][labels.index(row["pred"])][labels.index(row["gold"])] += int(row["count"])
    return found


def listed() -> dict[str, Any]:
    """List the example matrices, with their sliders and choices."""
    presets = [
        {
            "name": name,
            "title": title,
            "sliders": SLIDERS.get(name, []),
            "choices": list(_runs()) if name == "germeval" else [],
        }
        for name, title in _TITLES.items()
    ]
    return {"presets": presets, "examples": list(EXAMPLES)}


def own_files(own: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return what the explorer was started with, and how it was read."""
    return own or {"files": [], "found": None}


def preset_answer(name: str, request: PresetQuery) -> dict[str, Any]:
    """Return an example matrix, predictions as rows."""
    if name.startswith("table-") and name in _TITLES:
        return _sent(["x", "y"], list(TABLES.values())[int(name.removeprefix("table-")) - 1])
    if name == "germeval":
        run = request.choice or "FoSIL/coarse_1"
        if run not in _runs():
            raise InputError.unknown_value("run", run, _runs())
        return _runs()[run]
    if name not in SLIDERS:
        raise InputError.unknown_value("preset", name, _TITLES)
    given: dict[str, Any] = {}
    for slider in SLIDERS[name]:
        value, low, high = getattr(request, slider["name"]), slider["low"], slider["high"]
        if value is not None and not low <= value <= high:
            raise InputError(f"{slider['name']} is {value:g}", expected=f"a number from {low:g} to {high:g}")
        given[slider["name"]] = slider["value"] if value is None else value
    if name == "moderation":  # invented, but like the models that moderation teams see
        # Moving errors from one direction to the other changes neither their number nor the comments.
        moved = int(given["moved"])
        matrix = [[5930, 70, 20], [60, 930 - _CONFUSED + moved, moved], [10, _CONFUSED - moved, 280 - moved]]
        return {**_sent(_MODERATION, matrix), "rival": _sent(_MODERATION, _RIVAL)}
    n = int(given["classes"])
    if name == "worst-case":
        rows, hubs = round(10 ** given["z"]), n // 2
        names = [f"hub {x + 1}" if x < hubs else f"source {x + 1 - hubs}" for x in range(n)]
        return _sent(names, as_matrix(approaching_cells(n, rows)))
    # Every class is predicted with probability 1/n, whatever the gold class, without sampling noise.
    rest = (1 - given["skew"]) / n
    row = [round(100_000 * share / n) for share in (given["skew"] + rest, *[rest] * (n - 1))]
    return _sent([chr(ord("A") + x) for x in range(n)], [row] * n)


def _sent(labels: list[Any], matrix: Any) -> dict[str, Any]:
    return {"labels": list(labels), "matrix": [list(row) for row in matrix], "rows": "predicted"}


@cache
def gallery() -> dict[str, Any]:
    """List published reports with verdict, reason, both scores, and a link to the audit of each."""
    from macrof1.reporting.audit_documents import range_text  # a browser does not need it at first

    rows = list(csv.DictReader(example("germeval-leaderboard")["text"].splitlines()))
    audited = macrof1.audit_table(rows, support=_GERMEVAL)
    cases = []
    for printed, row in zip(rows, audited.rows, strict=True):
        content = row.to_dict()
        macro = {kind: printed[f"macro_{kind}"] for kind in _RATIOS}
        beside = {name: printed[name] for name in ("accuracy", "correct", "total")}
        classes = [[label, *(printed[f"{label}_{kind}"] for kind in _RATIOS), n] for label, n in _GERMEVAL.items()]
        cases.append(
            {
                "name": row.name,
                "source": "GermEval 2018, task I",
                "link": _link({**macro, **beside, "percent": "true"}, classes),
                **{name: content[name] for name in _KEPT},
                "shown": {formula: range_text(row.result, formula) for formula in FORMULAS},
            }
        )
    census = files("macrof1.web").joinpath("data", "census.jsonl")
    lines = census.read_text(encoding="utf-8").splitlines() if census.is_file() else []  # a browser has the answer
    return {"cases": [*cases, *(_case(json.loads(line)) for line in lines if line.strip())]}


def _link(figures: Mapping[str, str], classes: list[list[str]]) -> str:
    fields = [f"{name}={quote(value, safe='')}" for name, value in figures.items() if value]
    if classes and len(classes) <= _MOST_LINKED:
        fields.append("classes=" + ";".join(",".join(quote(value, safe="") for value in one) for one in classes))
    return f"#/audit?{'&'.join(fields)}"


def _case(report: Mapping[str, Any]) -> dict[str, Any]:
    macro = {kind: report["macro avg"].get(kind) or "" for kind in _RATIOS}
    classes = []
    for label, row in report["classes"].items():
        hits, missed = row.get("tp", ""), row.get("fn", "")
        total = str(int(hits) + int(missed)) if hits.isdecimal() and missed.isdecimal() else ""
        classes.append([label, *(row.get(kind) or "" for kind in _RATIOS), row.get("support") or total])
    scores: tuple[float, float] | None = None
    reason, rows = f"Printed {macro['f1']}." if macro["f1"] else "", report["classes"].values()
    # Both scores, from the printed precision and recall of the classes, if all are there.
    with suppress(KeyError, InputError, TypeError, ZeroDivisionError):
        pairs = [[float(plain_number(row[kind])[0]) for kind in ("precision", "recall")] for row in rows]
        scale = 100 if max(map(max, pairs), default=0) > 1 else 1
        p, r = (sum(pair[side] for pair in pairs) / scale / len(pairs) for side in (0, 1))
        averaged = sum(harmonic_mean(one / scale, other / scale) for one, other in pairs) / len(pairs)
        scores = averaged, harmonic_mean(p, r)
    if scores is not None:
        other = f"; it is {report['definition']}" if report["definition"] else ""
        given = f"The classes give averaged F1 {scores[0]:.4f} and F1 of averages {scores[1]:.4f}"
        reason = f"{given}; printed {macro['f1']}{other}."
    both = dict(zip(FORMULAS, scores or (None, None), strict=True))
    return {
        "name": report["name"],
        "source": f"{report['source']} ({report['tool']})",
        "link": _link({**macro, "accuracy": report.get("accuracy") or ""}, classes),
        "verdict": report["verdict"],
        "reason": reason,
        "published": macro["f1"] or None,
        "percent": False,
        "decimals": 4,
        **{formula: None if value is None else [value, value] for formula, value in both.items()},
        "shown": {formula: "–" if value is None else f"{value:.4f}" for formula, value in both.items()},
        "findings": report["findings"],
    }
