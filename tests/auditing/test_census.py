"""The census in examples/: its verdicts match the audit, and it contains only figures."""

import json

import pytest

import macrof1


@pytest.fixture(scope="module")
def lines(root):
    return (root / "examples" / "census" / "census.jsonl").read_text(encoding="utf-8").splitlines()


def test_every_report_of_the_file_is_read_by_itself(lines):
    some = lines[::46]
    found = macrof1.audit_text("\n".join(some)).reports
    for line, report in zip(some, found, strict=True):
        content = json.loads(line)
        assert (report.name, report.result.verdict) == (content["name"], content["verdict"])
        assert report.figures["macro_f1"] == content["macro avg"]["f1"]
        assert [row["label"] for row in report.figures["classes"]] == list(content["classes"])
