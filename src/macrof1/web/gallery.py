"""Published reports to browse: what each proves, and a link to its audit."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote

import macrof1
from macrof1.bounding.closed_forms import harmonic_mean
from macrof1.convention import FORMULAS
from macrof1.errors import InputError
from macrof1.reading.numbers import plain_number
from macrof1.reporting.audit_documents import range_text
from macrof1.web.presets import example

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
