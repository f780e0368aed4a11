"""Examples: matrices to start from, tables to compare and audit, and published reports to browse.

The matrices: a moderation model, the paper's tables, GermEval 2018, the worst and a random classifier.
"""

from __future__ import annotations

import csv
import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from macrof1.bounding.largest_gap import approaching_cells, as_matrix
from macrof1.errors import InputError
from macrof1.paper.program import TABLES
from macrof1.web.models import PresetQuery

EXAMPLES: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "germeval-counts": ("germeval2018_counts.csv", {"by": "run", "weight": "count"}),
    "germeval-leaderboard": ("germeval2018_leaderboard.csv", {"support": "offense=1202,other=2330"}),
}
"""Tables that ship with the explorer, and the options to read them with."""

_MODERATION: Final = ["fine", "rude", "hateful"]
_RIVAL: Final = [[5850, 150, 50], [110, 730, 105], [40, 120, 145]]
"""Another model on the same 7,300 comments."""


def example(name: str) -> dict[str, Any]:
    """Return a table that ships with the explorer: its text and how to read it."""
    file, options = EXAMPLES[InputError.one_of("example", name, EXAMPLES)]
    return {"name": file, "text": _text(file), "options": options}


@cache
def _text(file: str) -> str:
    return files("macrof1.web").joinpath("data", file).read_text(encoding="utf-8")


@cache
def presets() -> dict[str, dict[str, Any]]:
    """Return the title and the sliders of every preset."""
    found: dict[str, dict[str, Any]] = json.loads(_text("presets.json"))
    return found


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
    runs = {"germeval": list(_runs())}
    found = [{"name": name, **known, "choices": runs.get(name, [])} for name, known in presets().items()]
    return {"presets": found, "examples": list(EXAMPLES)}


def own_files(own: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return what the explorer was started with, and how it was read."""
    return own or {"files": [], "found": None}


def preset_answer(name: str, request: PresetQuery) -> dict[str, Any]:
    """Return an example matrix, predictions as rows."""
    InputError.one_of("preset", name, presets())
    if name.startswith("table-"):
        return _sent(["x", "y"], list(TABLES.values())[int(name.removeprefix("table-")) - 1])
    if name == "germeval":
        return _runs()[InputError.one_of("run", request.choice or "FoSIL/coarse_1", _runs())]
    given: dict[str, Any] = {}
    for slider in presets()[name]["sliders"]:
        value, low, high = getattr(request, slider["name"]), slider["low"], slider["high"]
        if value is not None and not low <= value <= high:
            raise InputError(f"{slider['name']} is {value:g}", expected=f"a number from {low:g} to {high:g}")
        given[slider["name"]] = slider["value"] if value is None else value
    if name == "moderation":  # invented, but like the models that moderation teams see
        # Moving errors from one direction to the other changes neither their number nor the comments.
        moved = int(given["moved"])
        matrix = [[5930, 70, 20], [60, 690 + moved, moved], [10, 240 - moved, 280 - moved]]
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
    file = files("macrof1.web").joinpath("data", "gallery.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []  # a browser has the answer
    return {"cases": [json.loads(line) for line in lines]}
