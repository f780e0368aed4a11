"""Examples: matrices to start from, and tables to compare and audit.

The matrices: a moderation model, the paper's tables, GermEval 2018, the worst and a random classifier.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeGuard

from macrof1.bounding.closed_forms import approaching_gap
from macrof1.bounding.largest_gap import WitnessResult
from macrof1.errors import InputError
from macrof1.paper.program import TABLES
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
SLIDERS: dict[str, tuple[Slider, ...]] = {
    "moderation": (
        Slider(
            name="moved",
            title="hateful comments that A calls rude",
            low=0,
            high=_CONFUSED,
            step=4,
            value=_CONFUSED,
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


def is_matrix(own: dict[str, Any] | None) -> TypeGuard[dict[str, Any]]:
    """Return whether the explorer was started with something to show as a matrix."""
    return own is not None and "matrix" in own["found"]


def listed(own: dict[str, Any] | None = None) -> dict[str, Any]:
    """List the example matrices, with their sliders and choices."""
    mine = [{"name": "own", "title": "Your file", "sliders": [], "choices": []}] if is_matrix(own) else []
    presets = [
        {
            "name": name,
            "title": title,
            "sliders": [slider.to_dict() for slider in SLIDERS.get(name, ())],
            "choices": list(_runs()) if name == "germeval" else [],
        }
        for name, title in _TITLES.items()
    ]
    return {"presets": [*mine, *presets], "examples": list(EXAMPLES)}


def own_files(own: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return what the explorer was started with, and how it was read."""
    return own or {"files": [], "found": None}


def preset_answer(name: str, request: PresetQuery, own: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the matrix of a preset, predictions as rows."""
    if name == "own" and is_matrix(own):
        return {each: own["found"][each] for each in ("labels", "matrix", "rows")}
    if name.startswith("table-") and name in _TITLES:
        matrix = list(TABLES.values())[int(name.removeprefix("table-")) - 1]
        return _sent(["x", "y"], matrix)
    if name == "germeval":
        runs = _runs()
        run = request.choice or "FoSIL/coarse_1"
        if run not in runs:
            raise InputError.unknown_value("run", run, runs)
        return runs[run]
    given = {slider.name: _within(slider, getattr(request, slider.name)) for slider in SLIDERS.get(name, ())}
    if name == "moderation":
        return _moderation(int(given["moved"]))
    if name == "worst-case":
        return _worst_case(int(given["classes"]), round(10 ** given["z"]))
    if name == "random":
        return _random(int(given["classes"]), given["skew"])
    raise InputError.unknown_value("preset", name, [*_TITLES, *(["own"] if is_matrix(own) else [])])


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
