"""The documentation: every session and command shown is run, and must print what the documents show.

``MACROF1_UPDATE_DOCS=1 pytest tests/test_docs.py`` writes the actual output into the documents instead.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys

import pytest

from .conftest import ROOT

# The sections of integrations.md need a large part each: tests/integrations/test_document.py runs them.
OWN_TEST = {"docs/integrations.md"}
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", *ROOT.glob("docs/**/*.md"))
    if "_build" not in path.parts
)
CONSOLE = re.compile(r"(?<=```console\n)(\$ mf1 .*?\n)(.*?)(?=```)", re.DOTALL)


@pytest.mark.parametrize("name", [name for name in PAGES if name not in OWN_TEST])
def test_python_sessions_run(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(blocks, {}, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test)
    assert runner.failures == 0
    assert ">>>" not in text or test.examples


def printed(command):
    words = shlex.split(command.removeprefix("$ mf1 "))
    done = subprocess.run(
        [sys.executable, "-m", "macrof1", *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.parametrize("name", [name for name in PAGES if CONSOLE.search((ROOT / name).read_text(encoding="utf-8"))])
def test_commands_print_what_is_shown(name):
    path = ROOT / name
    text = path.read_text(encoding="utf-8")
    if os.environ.get("MACROF1_UPDATE_DOCS") == "1":
        path.write_text(CONSOLE.sub(lambda block: block[1] + printed(block[1]), text), encoding="utf-8")
        return
    for command, output in CONSOLE.findall(text):
        if output.strip():
            assert printed(command).rstrip() == output.rstrip(), command


def test_the_gallery_is_what_its_script_writes(root):
    command = [sys.executable, str(root / "scripts" / "make_gallery.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 0, done.stderr
    text = (root / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert text.count("\n## ") == text.count("```sh\nmf1 ") == 10
