"""House rules that no linter checks: small modules, functions that fit a screen, one entry point."""

from __future__ import annotations

import ast
import importlib
import re
from dataclasses import fields, is_dataclass

import pytest

from macrof1.result import Result

from .conftest import ROOT

SOURCE = ROOT / "src" / "macrof1"
MODULES = sorted(SOURCE.rglob("*.py"))
MOST_LINES = 60
TOP_MODULES = 10
OPTION = re.compile(r"(?<![\w-])--[a-z]")


def name_of(path):
    return str(path.relative_to(SOURCE))


def functions(path):
    return [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def docstring_lines(node):
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return first.end_lineno - first.lineno + 1
    return 0


def test_the_tree_reads_as_the_pipeline():
    beside = [path.name for path in SOURCE.glob("*.py") if not path.name.startswith("__")]
    assert len(beside) <= TOP_MODULES, beside


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_functions_fit_a_screen(path):
    lengths = {node.name: node.end_lineno - node.lineno + 1 - docstring_lines(node) for node in functions(path)}
    assert not {name: length for name, length in lengths.items() if length > MOST_LINES}


@pytest.mark.parametrize("path", [path for path in MODULES if path.relative_to(SOURCE).parts[0] != "cli"], ids=name_of)
def test_only_the_command_line_speaks_of_options(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and docstring_lines(node)
    }
    said = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents
    ]
    # A command that is printed so that it can be run again is no message.
    assert not [text for text in said if OPTION.search(text) and "{ --" not in text and "var(--" not in text]


def test_no_module_lists_names_for_nobody():
    lists = [
        name_of(path) for path in MODULES if re.search(r"^__all__\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert set(lists) <= {"__init__.py", "paper/__init__.py", "results.py"}


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
