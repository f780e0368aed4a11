"""The examples in docs/integrations.md and in docstrings, each if its dependency is installed; and what says if not."""

import doctest
import importlib
import re
import subprocess
import sys

import pytest

from macrof1.errors import install_command

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


@pytest.mark.parametrize(
    ("module", "packages", "extra"),
    [
        ("torch", ["torch", "torchmetrics"], "torch"),
        ("spark", ["pyspark"], "spark"),
        ("sklearn", ["sklearn"], "sklearn"),
        ("inspect_ai", ["inspect_ai", "inspect_ai.scorer"], "inspect"),
    ],
)
def test_a_missing_library_names_the_command(module, packages, extra, monkeypatch):
    probe = (
        f"import sys; sys.modules.update(dict.fromkeys({packages!r}))\n"
        f"try:\n    import macrof1.integrations.{module}\n"
        "except ImportError as error:\n    print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.startswith(f"MissingExtraError macrof1.integrations.{module} needs ")
    monkeypatch.chdir(ROOT)
    assert install_command(extra) in done.stdout
