"""Recorded audits of simulated reports: verdicts, ranges, corrections, counts and every number in the messages.

The reports in tests/golden/audits.jsonl were drawn by tests/reports.py, where the truth is known; other tests check
that no verdict is unsound. Its texts and tables were printed from random matrices, some with a wrong digit. This file
records everything that an audit found except the wording, so that no change goes unnoticed. To update it and review the
diff: MACROF1_UPDATE_GOLDEN=1 pytest tests/auditing/test_recorded.py
"""

import json
import os
import re

import pytest

import macrof1

from ..conftest import ROOT

GOLDEN = ROOT / "tests" / "golden" / "audits.jsonl"
NUMBER = re.compile(r"(?<![A-Za-z\d])\d+(?:[.,]\d+)*")  # not the 1 of F1


def facts(result):
    """Return what was found, without the words."""

    def rounded(ends):
        return None if ends is None else [round(end, 9) for end in ends]

    return {
        "verdict": result.verdict,
        "status": result.status,
        "definition": result.definition,
        "explanations": [[each.name, each.fits] for each in result.explanations],
        "if": NUMBER.findall(result.fits_if or ""),
        "averaged_f1": rounded(result.averaged_f1),
        "f1_of_averages": rounded(result.f1_of_averages),
        "other": result.other,
        "solutions": result.n_solutions,
        "counts": None if result.counts is None else [*map(list, (result.counts.tp, result.counts.predicted))],
        "findings": [
            [finding.kind, finding.figure, finding.published, finding.correction, len(finding.alternatives),
             sorted(map(list, finding.conflicting)), NUMBER.findall(" ".join((finding.message, *finding.alternatives)))]
            for finding in result.findings
        ],
        "reason": NUMBER.findall(result.reason),
        "untested": [each.partition(":")[0] for each in result.not_tested],
        "printed": [result.published, result.decimals, result.percent],
        "notes": [[getattr(note, "code", ""), NUMBER.findall(str(note))] for note in result.notes],
    }  # fmt: skip


def facts_of(case):
    """Return what was found in a text, in a table, or in figures; of a refusal, the numbers in its message."""
    arguments = case.get("arguments", {})
    try:
        if "text" in case:
            found = macrof1.audit_text(case["text"], **arguments)
            aside = [[each.line, NUMBER.findall(each.reason)] for each in found.left_aside]
            return aside + [[r.name, r.lines, NUMBER.findall(r.read_as), facts(r.result)] for r in found.reports]
        if "rows" not in case:
            return facts(macrof1.audit(**arguments))
        found = macrof1.audit_table(case["rows"], **arguments)
    except macrof1.InputError as error:
        return NUMBER.findall(str(error))
    summary = found.summary.to_dict() | {"sentences": NUMBER.findall(" ".join(found.summary.sentences))}
    rows = [[row.name, row.rank_averaged_f1, row.rank_f1_of_averages, facts(row.result)] for row in found.rows]
    return {"summary": summary, "rows": rows, "notes": len(found.notes)}


def cases():
    if os.environ.get("MACROF1_UPDATE_GOLDEN") == "1":
        known = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
        rows = [{**case, "facts": facts_of(case)} for case in known]
        GOLDEN.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["kind"])
def test_an_audit_finds_what_it_found(case):
    assert json.loads(json.dumps(facts_of(case))) == case["facts"]
