"""Write examples/census/census.jsonl: only the figures, sources and verdicts of collected reports.

    python scripts/make_census.py COLLECTED.jsonl

Each line of the collection has ``id``, ``source``, ``kind``, ``classes`` (figures as strings), ``macro_precision``,
``macro_recall``, ``macro_f1``, and optionally ``accuracy`` and ``raw`` (as printed). The verdicts are those of
`macrof1.audit_text` on the written line, so that the file can be audited again: ``mf1 audit
examples/census/census.jsonl``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import macrof1
from macrof1.reading.reports.documents import read_reports

KINDS = ("precision", "recall", "f1", "support", "tp", "fp", "fn")
ROOT = Path(__file__).parents[1]
OUTPUT = ROOT / "examples" / "census" / "census.jsonl"
CHART = ROOT / "docs" / "images" / "census.svg"
TOOLS = {
    "sklearn": "scikit-learn, text", "sklearn-dict": "scikit-learn, dictionary",
    "seqeval/multilabel/old-sklearn": "seqeval and multilabel", "sparknlp": "Spark NLP", "grobid": "GROBID",
    "hipe-doc-macro": "HIPE scorer", "fold-mean(SentiLex)": "SentiLex (folds)",
}  # fmt: skip
VERDICTS = {
    "averaged_f1": "averaged F1", "f1_of_averages": "F1 of averages", "either": "cannot be told", "neither": "neither",
}  # fmt: skip
COLOURS = ["#0072b2", "#d55e00", "#bbbbbb", "#444444"]


def figures_of(report: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of a report as a dictionary that macrof1 reads."""
    classes: dict[str, dict[str, str]] = {}
    for row in report["classes"]:
        label, again = row["label"], 1
        while label in classes:
            again += 1
            label = f"{row['label']} ({again})"
        classes[label] = {kind: row[kind] for kind in KINDS if row.get(kind) is not None}
    macro = {kind: report[f"macro_{kind}"] for kind in KINDS[:3] if report.get(f"macro_{kind}") is not None}
    total = total_support(report)
    if total is not None:
        macro["support"] = total
    found: dict[str, Any] = {"macro avg": macro}
    if report.get("accuracy") is not None:
        found["accuracy"] = report["accuracy"]
    return {**found, "classes": classes}


def total_support(report: dict[str, Any]) -> str | None:
    """Return the support that is printed beside the averages, which shows that no class is missing."""
    for printed in read_reports(report.get("raw", "")):
        if printed.macro.get("f1") == report["macro_f1"]:
            return next((row["support"] for row in printed.averages.values() if "support" in row), None)
    return None


def line_of(report: dict[str, Any]) -> dict[str, Any]:
    """Return a line of the census: where the report is from, its figures, and what they prove."""
    figures = figures_of(report)
    line = {"name": report["id"], "source": report["source"], "tool": report["kind"], **figures}
    (audited,) = macrof1.audit_text(json.dumps(line, ensure_ascii=False)).reports
    result = audited.result
    return {
        **line,
        "verdict": result.verdict,
        "definition": result.definition,
        "findings": [finding.message for finding in result.findings],
    }


def draw(lines: list[dict[str, Any]]) -> None:
    """Draw the verdicts, tool by tool."""
    import altair as alt

    named = [TOOLS.get(line["tool"], "tables in READMEs") for line in lines]
    values = [{"tool": tool, "verdict": VERDICTS[line["verdict"]]} for tool, line in zip(named, lines, strict=True)]
    names = list(VERDICTS.values())
    chart = alt.Chart(alt.Data(values=values)).mark_bar()
    chart = chart.encode(
        x=alt.X("count():Q", title="reports"),
        y=alt.Y("tool:N", title=None, sort="-x"),
        color=alt.Color("verdict:N", title="macro F1 is", scale=alt.Scale(domain=names, range=COLOURS), sort=names),
        order=alt.Order("order:Q"),
    ).transform_calculate(order=f"indexof({names}, datum.verdict)")
    chart.properties(width=480, height=alt.Step(24)).save(str(CHART))


def tabulate(lines: list[dict[str, Any]]) -> None:
    """Print the counts that docs/census.md quotes, by tool."""
    tools = sorted({line["tool"] for line in lines}, key=lambda tool: -sum(line["tool"] == tool for line in lines))
    for tool in tools:
        own = [line for line in lines if line["tool"] == tool]
        verdicts = [sum(line["verdict"] == verdict for line in own) for verdict in VERDICTS]
        named, wrong = sum(line["definition"] is not None for line in own), sum(bool(line["findings"]) for line in own)
        print(f"| {tool} | {len(own)} | {' | '.join(map(str, verdicts))} | {named} | {wrong} |")


def main(collected: str) -> None:
    """Read the collection, audit it, and write the census and its chart."""
    reports = [json.loads(line) for line in Path(collected).read_text(encoding="utf-8").splitlines()]
    lines = [line_of(report) for report in reports]
    OUTPUT.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    draw(lines)
    tabulate(lines)


if __name__ == "__main__":
    main(sys.argv[1])
