"""House rules that no linter checks: few modules at the top, options named by the command line alone."""

import ast
import importlib
import re
from dataclasses import fields, is_dataclass

import pytest

from macrof1.result import Result

from .conftest import ROOT

SOURCE = ROOT / "src" / "macrof1"
MODULES = sorted(SOURCE.rglob("*.py"))
OPTION = re.compile(r"(?<![\w-])--[a-z]")


def name_of(path):
    return str(path.relative_to(SOURCE))


def test_only_the_command_line_speaks_of_options():
    said = []
    for path in MODULES:
        if path.relative_to(SOURCE).parts[0] == "cli":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documents = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(node) is not None
        }
        said += [
            (name_of(path), node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents
        ]
    # A command that is printed so that it can be run again is not a message.
    assert not [each for each in said if OPTION.search(each[1]) and "{ --" not in each[1] and "var(--" not in each[1]]


@pytest.mark.parametrize("room", ["scoring", "bounding", "auditing", "counting"])
def test_records_cannot_be_changed_and_results_are_made_by_name(room):
    records = []
    for path in sorted((SOURCE / room).rglob("*.py")):
        module = importlib.import_module(f"macrof1.{'.'.join(path.relative_to(SOURCE).with_suffix('').parts)}")
        records += [
            value
            for value in vars(module).values()
            if isinstance(value, type) and value.__module__ == module.__name__ and is_dataclass(value)
        ]
    assert records
    for record in set(records):
        assert "__slots__" in vars(record), record
        assert record.__dataclass_params__.frozen or record.__name__ == "Feasible", record
        if issubclass(record, Result):
            assert all(each.kw_only for each in fields(record)), record
