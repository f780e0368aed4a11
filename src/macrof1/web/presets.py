"""Examples: matrices to start from, tables to compare and audit, and published reports to browse.

The matrices: a moderation model, the paper's tables, GermEval 2018, the worst and a random classifier.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote

import macrof1
from macrof1.bounding.closed_forms import harmonic_mean
from macrof1.bounding.witness import WitnessResult, approaching_gap
from macrof1.convention import FORMULAS
from macrof1.errors import InputError
from macrof1.paper.paper_tables import TABLES
from macrof1.reading.numbers import plain_number
from macrof1.reporting.audit_documents import range_text
from macrof1.result import Result
from macrof1.web.models import PresetQuery

EXAMPLES: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "germeval-counts": ("germeval2018_counts.csv", {"by": "run", "weight": "count"}),
    "germeval-leaderboard": ("germeval2018_leaderboard.csv", {"support": "offense=1202,other=2330"}),
}
"""Tables that ship with the explorer, and the options to read them with."""

_CONFUSED: Final = 240
_MODERATION: Final = ["fine", "rude", "hateful"]
_RIVAL: Final = [[5850, 150, 50], [110, 730, 105], [40, 120, 145]]
"""Another model on the same 7,300 comments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider(Result):
    """A slider: one parameter of a preset."""

    name: str
    title: str
    low: float
    high: float
    step: float
    value: float


_CLASSES = Slider(name="classes", title="number of classes", low=2, high=20, step=1, value=2)
_SLIDERS: dict[str, tuple[Slider, ...]] = {
    "moderation": (
        Slider(
            name="moved",
            title=f"hateful comments called rude, of {_CONFUSED} mix-ups of the two",
            low=0,
            high=_CONFUSED,
            step=1,
            value=_CONFUSED // 2,
        ),
    ),
    "worst-case": (
        Slider(
            name="z", title="z: rows that each source class loses, as a power of ten", low=0, high=6, step=0.25, value=2
        ),
        _CLASSES,
    ),
    "random": (
        Slider(
            name="skew",
            title="skew: from equal classes (0) to one class alone (1)",
            low=0,
            high=1,
            step=0.01,
            value=0.9,
        ),
        _CLASSES,
    ),
}
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
    """Return the matrix of each GermEval 2018 run, predictions as rows."""
    found: dict[str, dict[str, Any]] = {}
    rows = list(csv.DictReader(_text("germeval2018_counts.csv").splitlines()))
    labels = sorted({row[side] for row in rows for side in ("gold", "pred")})
    for row in rows:
        sent = found.setdefault(row["run"], _sent(labels, [[0] * len(labels) for _ in labels]))
        sent["matrix"][labels.index(row["pred"])][labels.index(row["gold"])] += int(row["count"])
    return found


def listed(own: dict[str, Any] | None = None) -> dict[str, Any]:
    """List the example matrices, with their sliders and choices."""
    mine = [{"name": "own", "title": "Your file", "sliders": [], "choices": []}] if own is not None else []
    presets = [
        {
            "name": name,
            "title": title,
            "sliders": [slider.to_dict() for slider in _SLIDERS.get(name, ())],
            "choices": list(_runs()) if name == "germeval" else [],
        }
        for name, title in _TITLES.items()
    ]
    return {"presets": [*mine, *presets], "examples": list(EXAMPLES)}


def preset_answer(name: str, request: PresetQuery, own: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the matrix of a preset, predictions as rows."""
    if name == "own" and own is not None:
        return own
    if name.startswith("table-") and name in _TITLES:
        matrix = list(TABLES.values())[int(name.removeprefix("table-")) - 1]
        return _sent(["x", "y"], matrix)
    if name == "germeval":
        runs = _runs()
        run = request.choice or "FoSIL/coarse_1"
        if run not in runs:
            raise InputError.unknown_value("run", run, runs)
        return runs[run]
    given = {slider.name: _within(slider, getattr(request, slider.name)) for slider in _SLIDERS.get(name, ())}
    if name == "moderation":
        return _moderation(int(given["moved"]))
    if name == "worst-case":
        return _worst_case(int(given["classes"]), round(10 ** given["z"]))
    if name == "random":
        return _random(int(given["classes"]), given["skew"])
    raise InputError.unknown_value("preset", name, [*_TITLES, *(["own"] if own is not None else [])])


def _sent(labels: list[Any], matrix: Any) -> dict[str, Any]:
    return {"labels": list(labels), "matrix": [list(row) for row in matrix], "rows": "predicted"}


def _within(slider: Slider, value: float | None) -> float:
    if value is None:
        return slider.value
    if not slider.low <= value <= slider.high:
        raise InputError(f"{slider.name} is {value:g}", expected=f"a number from {slider.low:g} to {slider.high:g}")
    return value


def _moderation(moved: int) -> dict[str, Any]:
    """Return a realistic model: invented, but like those that moderation teams see.

    Moving errors from one direction to the other changes neither their number nor the comments.
    """
    kept = _CONFUSED - moved
    matrix = [[5930, 70, 20], [60, 930 - kept, moved], [10, kept, 280 - moved]]
    return {**_sent(_MODERATION, matrix), "rival": _sent(_MODERATION, _RIVAL)}


def _worst_case(n: int, rows: int) -> dict[str, Any]:
    gap = approaching_gap(n, rows)
    found = WitnessResult(n_classes=n, supremum=0.0, closeness=0.0, gap=float(gap), rows_moved=rows, exact_gap=gap)
    hubs = n // 2
    names = [f"hub {x + 1}" if x < hubs else f"source {x + 1 - hubs}" for x in range(n)]
    return _sent(names, found.matrix())


def _random(n: int, skew: float) -> dict[str, Any]:
    """Predict every class with probability 1/n, whatever the gold class, without sampling noise."""
    rest = (1 - skew) / n
    shares = [skew + rest] + [rest] * (n - 1)
    table = [[round(100_000 * share / n) for share in shares] for _ in range(n)]
    return _sent([chr(ord("A") + x) for x in range(n)], table)


_GERMEVAL: Final = {"offense": "1202", "other": "2330"}
_KEPT: Final = ("verdict", "reason", "published", "percent", "decimals", "averaged_f1", "f1_of_averages", "findings")
_RATIOS: Final = ("precision", "recall", "f1")
_MOST_CLASSES: Final = 20
"""The most classes in a link to an audit."""


@cache
def gallery() -> dict[str, Any]:
    """List published reports with verdict, reason, both scores, and a link to the audit of each."""
    census = files("macrof1.web").joinpath("data", "census.jsonl")
    lines = (
        census.read_text(encoding="utf-8").splitlines() if census.is_file() else []
    )  # a browser has the whole answer
    return {"cases": [*_germeval(), *(_case(json.loads(line)) for line in lines if line.strip())]}


def _link(figures: Mapping[str, str], classes: list[list[str]]) -> str:
    """Return the link to an audit, with the figures as in the page's form."""
    fields = [f"{name}={quote(value, safe='')}" for name, value in figures.items() if value]
    if classes and len(classes) <= _MOST_CLASSES:
        fields.append("classes=" + ";".join(",".join(quote(value, safe="") for value in one) for one in classes))
    return f"#/audit?{'&'.join(fields)}"


def _germeval() -> list[dict[str, Any]]:
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
    return cases


def _case(report: Mapping[str, Any]) -> dict[str, Any]:
    macro = {kind: report["macro avg"].get(kind) or "" for kind in _RATIOS}
    accuracy = report.get("accuracy") or ""
    classes = [[label, *(row.get(kind) or "" for kind in _RATIOS), _support(row)] for label, row in
               report["classes"].items()]  # fmt: skip
    averaged, of_averages = _both(report["classes"])
    return {
        "name": report["name"],
        "source": f"{report['source']} ({report['tool']})",
        "link": _link({**macro, "accuracy": accuracy if isinstance(accuracy, str) else ""}, classes),
        "verdict": report["verdict"],
        "reason": _reason(macro["f1"], averaged, of_averages, report["definition"]),
        "published": macro["f1"] or None,
        "percent": False,
        "decimals": 4,
        "averaged_f1": None if averaged is None else [averaged, averaged],
        "f1_of_averages": None if of_averages is None else [of_averages, of_averages],
        "shown": {formula: "–" if value is None else f"{value:.4f}"
                  for formula, value in zip(FORMULAS, (averaged, of_averages), strict=True)},
        "findings": [{"message": str(finding)} if not isinstance(finding, dict) else finding
                     for finding in report["findings"]],
    }  # fmt: skip


def _support(row: Mapping[str, str]) -> str:
    hits, missed = row.get("tp", ""), row.get("fn", "")
    whole = hits.isdecimal() and missed.isdecimal()
    return row.get("support") or (str(int(hits) + int(missed)) if whole else "")


def _both(classes: Mapping[str, Mapping[str, str]]) -> tuple[float | None, float | None]:
    """Compute both scores from the printed precision and recall of the classes."""
    try:
        pairs = [[float(plain_number(row[kind])[0]) for kind in ("precision", "recall")] for row in classes.values()]
    except (KeyError, InputError, TypeError):
        return None, None
    if not pairs:
        return None, None
    scale = 100 if max(map(max, pairs)) > 1 else 1
    p, r = (sum(pair[side] for pair in pairs) / scale / len(pairs) for side in (0, 1))
    averaged = sum(harmonic_mean(one / scale, other / scale) for one, other in pairs) / len(pairs)
    return averaged, harmonic_mean(p, r)


def _reason(published: str, averaged: float | None, of_averages: float | None, definition: str | None) -> str:
    if averaged is None or of_averages is None:
        return f"Printed {published}." if published else ""
    given = f"The classes give averaged F1 {averaged:.4f} and F1 of averages {of_averages:.4f}"
    other = f"; it is {definition}" if definition else ""
    return f"{given}; printed {published}{other}."
