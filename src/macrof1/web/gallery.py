"""Published reports as browsable cases: what each proves, and a link to its audit."""

from __future__ import annotations

import csv
from functools import cache
from typing import Any, Final
from urllib.parse import quote

import macrof1
from macrof1.web.presets import example

_GERMEVAL: Final = {"offense": "1202", "other": "2330"}
_KEPT: Final = ("verdict", "reason", "published", "percent", "decimals", "averaged_f1", "f1_of_averages", "findings")


@cache
def gallery() -> dict[str, Any]:
    """List published reports with their verdicts, both scores, why, and a link to the audit of each."""
    return {"cases": _germeval()}


def _germeval() -> list[dict[str, Any]]:
    rows = list(csv.DictReader(example("germeval-leaderboard")["text"].splitlines()))
    audited = macrof1.audit_table(rows, support=_GERMEVAL)
    cases = []
    for printed, row in zip(rows, audited.rows, strict=True):
        content = row.to_dict()
        classes = [
            [label, *(printed[f"{label}_{kind}"] for kind in ("precision", "recall", "f1")), rows_of]
            for label, rows_of in _GERMEVAL.items()
        ]
        link = {
            "precision": printed["macro_precision"],
            "recall": printed["macro_recall"],
            "f1": printed["macro_f1"],
            "accuracy": printed["accuracy"],
            "correct": printed["correct"],
            "total": printed["total"],
            "percent": "true",
        }
        fields = "&".join(f"{name}={quote(value, safe='')}" for name, value in link.items())
        cells = ";".join(",".join(quote(value, safe="") for value in one) for one in classes)
        cases.append(
            {
                "name": row.name,
                "source": "GermEval 2018, task I",
                "link": f"#/audit?{fields}&classes={cells}",
                **{name: content[name] for name in _KEPT},
            }
        )
    return cases
