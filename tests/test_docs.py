"""The documentation: every session and command shown is run, and must print what the documents show.

``MACROF1_UPDATE_DOCS=1 pytest tests/test_docs.py`` writes the actual output into the documents instead.
"""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from functools import partial
from pathlib import Path

import pytest

from .conftest import PROGRAMS, ROOT

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


@pytest.mark.parametrize("language", [name for name, program in PROGRAMS.items() if shutil.which(program)])
def test_examples_in_other_languages_print_what_is_shown(language, tmp_path):
    page = (ROOT / "docs" / "other-languages.md").read_text(encoding="utf-8")
    scripts = Path(sysconfig.get_path("scripts"))
    path = os.pathsep.join((str(scripts), os.environ["PATH"]))
    run = partial(
        subprocess.run, cwd=tmp_path, text=True, capture_output=True, check=True,
        env={**os.environ, "PATH": path, "RETICULATE_PYTHON": sys.executable},
    )  # fmt: skip
    examples = re.findall(rf"```{language}\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)
    assert len(examples) == 2
    for number, (code, shown) in enumerate(examples):
        if "site/" in code:
            packages = next(place for place in (ROOT, ROOT / "build" / "pyodide") if (place / "node_modules").is_dir())
            (tmp_path / "node_modules").symlink_to(packages / "node_modules")
            run(shlex.split(re.search(r"```sh\n(.*?)```", page, re.DOTALL)[1]))
        (tmp_path / f"{number}.{'mjs' if language == 'js' else language}").write_text(code, encoding="utf-8")
        found = run([PROGRAMS[language], f"{number}.{'mjs' if language == 'js' else language}"]).stdout
        assert [line.rstrip() for line in found.splitlines()] == shown.splitlines(), code


def test_the_gallery_is_what_its_script_writes(root):
    command = [sys.executable, str(root / "scripts" / "make_gallery.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 0, done.stderr
    text = (root / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert text.count("\n## ") == text.count("```sh\nmf1 ") == 10
