"""Matrices to start from: the note's tables, GermEval 2018, the worst case, a random classifier."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from macrof1.bounding.witness import WitnessResult, approaching_gap
from macrof1.counting.confusion import Confusion
from macrof1.errors import InputError
from macrof1.paper.tables import TABLES

EXAMPLES = {
    "germeval-counts": ("germeval2018_counts.csv", {"by": "run", "weight": "count"}),
    "germeval-leaderboard": ("germeval2018_leaderboard.csv", {"support": "offense=1202,other=2330"}),
}
"""Tables that ship with the explorer, with the options that they are read with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider:
    """One number that a preset depends on."""

    name: str
    title: str
    low: float
    high: float
    step: float
    value: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {name: getattr(self, name) for name in self.__slots__}


_CLASSES = Slider(name="classes", title="number of classes", low=2, high=20, step=1, value=2)
_SLIDERS: dict[str, tuple[Slider, ...]] = {
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
    **{f"table-{number}": f"The note's {name}" for number, name in enumerate(TABLES, start=1)},
    "germeval": "GermEval 2018: a run",
    "worst-case": "Theorem 3: the worst case",
    "random": "A random classifier",
}


def example(name: str) -> dict[str, Any]:
    """Return a table that ships with the explorer: its text, and how to read it."""
    if name not in EXAMPLES:
        raise InputError.unknown_value("example", name, EXAMPLES)
    file, options = EXAMPLES[name]
    return {"name": file, "text": _text(file), "options": options}


@cache
def _text(file: str) -> str:
    return files("macrof1.web").joinpath("data", file).read_text(encoding="utf-8")


@cache
def _runs() -> dict[str, Confusion]:
    cells: dict[str, list[tuple[str, str, int]]] = {}
    for row in csv.DictReader(_text("germeval2018_counts.csv").splitlines()):
        cells.setdefault(row["run"], []).append((row["gold"], row["pred"], int(row["count"])))
    return {run: Confusion.from_cells(part) for run, part in cells.items()}


def presets(own: Confusion | None = None) -> list[dict[str, Any]]:
    """List the presets with their sliders and choices; `own` is the file that the explorer was started with."""
    listed: list[dict[str, Any]] = (
        [{"name": "own", "title": "Your file", "sliders": [], "choices": []}] if own is not None else []
    )
    for name, title in _TITLES.items():
        choices = list(_runs()) if name == "germeval" else []
        listed.append(
            {
                "name": name,
                "title": title,
                "sliders": [slider.to_dict() for slider in _SLIDERS.get(name, ())],
                "choices": choices,
            }
        )
    return listed


def preset(
    name: str, *, values: dict[str, float] | None = None, choice: str | None = None, own: Confusion | None = None
) -> dict[str, Any]:
    """Return a preset's matrix, predictions as rows."""
    if name == "own" and own is not None:
        return _sent([str(label) for label in own.labels], own.to_matrix(rows="predicted").tolist())
    if name.startswith("table-") and name in _TITLES:
        matrix = list(TABLES.values())[int(name.removeprefix("table-")) - 1]
        return _sent(["x", "y"], [list(row) for row in matrix])
    if name == "germeval":
        runs = _runs()
        run = choice or "FoSIL/coarse_1"
        if run not in runs:
            raise InputError.unknown_value("run", run, runs)
        cells = runs[run]
        return _sent([str(label) for label in cells.labels], cells.to_matrix(rows="predicted").tolist())
    given = {slider.name: _within(slider, (values or {}).get(slider.name)) for slider in _SLIDERS.get(name, ())}
    if name == "worst-case":
        return _worst_case(int(given["classes"]), round(10 ** given["z"]))
    if name == "random":
        return _random(int(given["classes"]), given["skew"])
    raise InputError.unknown_value("preset", name, [*_TITLES, *(["own"] if own is not None else [])])


def _sent(labels: list[str], matrix: list[list[Any]]) -> dict[str, Any]:
    return {"labels": labels, "matrix": matrix, "rows": "predicted"}


def _within(slider: Slider, value: float | None) -> float:
    if value is None:
        return slider.value
    if not slider.low <= value <= slider.high:
        raise InputError(f"{slider.name}={value:g}: expected a number from {slider.low:g} to {slider.high:g}")
    return value


def _worst_case(n: int, rows: int) -> dict[str, Any]:
    gap = approaching_gap(n, rows)
    found = WitnessResult(n_classes=n, supremum=0.0, closeness=0.0, gap=float(gap), rows_moved=rows, exact_gap=gap)
    hubs = n // 2
    names = [f"hub {x + 1}" if x < hubs else f"source {x + 1 - hubs}" for x in range(n)]
    return _sent(names, found.matrix())


def _random(n: int, skew: float, rows: int = 100_000) -> dict[str, Any]:
    """Predict every class with probability 1/n, whatever the gold class; no noise, up to whole rows."""
    rest = (1 - skew) / n
    shares = [skew + rest] + [rest] * (n - 1)
    table = [[round(rows * share / n) for share in shares] for _ in range(n)]
    return _sent([chr(ord("A") + x) for x in range(n)], table)
