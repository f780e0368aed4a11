"""What continuous integration reads of the gates: JUnit XML, and the summary of a step of GitHub Actions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from macrof1.cli.parsing import Given
from macrof1.cli.streams import say
from macrof1.counting.written_files import write_whole
from macrof1.errors import InputError
from macrof1.reporting.as_markup import markdown_of
from macrof1.reporting.document import Facts, Table
from macrof1.reporting.rendering import document
from macrof1.running.gates import Gate


def report_gates(given: Given, gates: Sequence[Gate], result: Any = None) -> int:
    """Say each gate that is not met in one line, write what was asked for, and return the exit code."""
    failed = [gate for gate in gates if gate.failure]
    for gate in gates:
        if gate.failure or gate.name == "verify":
            say(gate.failure or "what was published comes out here")
    if given.options.get("junit") is not None:
        write_whole(given["junit"], junit_text(given.command, gates))
    if given.options.get("step_summary"):
        rows = [[gate.name, gate.where, gate.failure or "met"] for gate in gates]
        table = Table(["gate", "where", "result"], rows, n_text=3, title="Gates")
        parts = [part for part in document(result).parts() if isinstance(part, Facts | Table)]
        with Path(step_summary()).open("a", encoding="utf-8") as file:
            file.write(f"{markdown_of([*parts, *([table] if rows else [])])}\n")
    return 1 if failed else 0


def step_summary() -> str:
    """Return the file that GitHub Actions shows as the summary of a step."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        expected = "a step of GitHub Actions, which sets GITHUB_STEP_SUMMARY"
        raise InputError("no summary to add to", argument="step_summary", expected=expected)
    return path


def junit_text(command: str, gates: Sequence[Gate]) -> str:
    """Return JUnit XML with a test case per gate."""
    failures = sum(bool(gate.failure) for gate in gates)
    suite = ET.Element("testsuite", name=f"mf1 {command}", tests=str(len(gates)), failures=str(failures))
    for gate in gates:
        case = ET.SubElement(suite, "testcase", classname=f"mf1.{command}", name=f"{gate.name} ({gate.where})")
        if gate.failure:
            ET.SubElement(case, "failure", message=gate.failure)
    ET.indent(suite)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(suite, encoding="unicode")}\n'
