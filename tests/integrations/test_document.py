"""The examples in docs/integrations.md and in the modules' docstrings, each if its dependency is installed."""

from __future__ import annotations

import doctest
import importlib
import re

import pytest

from ..conftest import ROOT
from .parts import part

TEXT = (ROOT / "docs" / "integrations.md").read_text()
SECTIONS = {
    title: "\n".join(re.findall(r"```python\n(.*?)```", body, re.DOTALL))
    for title, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE)
}
NEEDS = {
    "scikit-learn": ["sklearn"],
    "torch and torchmetrics": ["torchmetrics"],
    "Lightning": ["lightning"],
    "Spark ML": ["pyspark"],
    "Keras": ["torch", "keras"],
    "Hugging Face": ["transformers", "accelerate", "evaluate"],
    "Loggers": [],
}
MODULES = {"sklearn": "sklearn", "torch": "torchmetrics", "keras": "keras", "huggingface": "numpy"}


def test_every_section_with_code_is_run():
    assert {title for title, code in SECTIONS.items() if code} == set(NEEDS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("title", NEEDS)
def test_the_examples_of_the_document_run(title, tmp_path, monkeypatch):
    for name in NEEDS[title]:
        part(name)
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(SECTIONS[title], {}, title, "docs/integrations.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test)
    assert test.examples
    assert runner.failures == 0


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_the_docstrings_run(module):
    part(MODULES[module])
    found = doctest.testmod(importlib.import_module(f"macrof1.integrations.{module}"))
    assert found.attempted
    assert not found.failed
