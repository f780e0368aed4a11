"""The documentation: every session and command shown is run and must print what the documents show, every link leads
somewhere, and the JSON of the commands matches the reference.

``MACROF1_UPDATE_DOCS=1 pytest tests/test_docs.py`` writes the actual output into the documents instead.
"""

import doctest
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import jsonschema
import pytest

from macrof1.cli import main

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
    call, environment = [sys.executable, "-m", "macrof1", *words], {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    done = subprocess.run(call, capture_output=True, text=True, cwd=ROOT, check=False, env=environment)
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
def test_examples_in_other_languages_print_what_is_shown(language, tmp_path, request):
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
            (tmp_path / "node_modules").symlink_to(request.getfixturevalue("pyodide").parent)
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


PATTERNS = ("*.md", "docs/**/*.md", "examples/**/*.md")
LINKED = sorted(path for pattern in PATTERNS for path in ROOT.glob(pattern) if "_build" not in path.parts)
FENCES = re.compile(r"^(```+|:::+).*?^\1\s*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+(?:\([^()]*\))?[^()\s]*)\)")
CARD = re.compile(r"^:link: (\S+)\n:link-type: doc$", re.MULTILINE)


def anchors(path):
    """Return the anchors of a page's headings, as MyST and GitHub make them."""
    text = FENCES.sub("", path.read_text(encoding="utf-8"))
    titles = re.findall(r"^#{1,3} (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"[`*$]|\[([^\]]*)\]\([^)]*\)", r"\1", title).strip().lower() for title in titles)
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", title)) for title in plain}


def links(path):
    text = re.sub(r"`[^`\n]*`", "", FENCES.sub("", path.read_text(encoding="utf-8")))
    return LINK.findall(text)


@pytest.mark.parametrize("path", LINKED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path):
    broken = []
    for link in links(path):
        address = urlsplit(link)
        if address.scheme:
            sound = address.scheme == "https" and "." in address.netloc and " " not in link
        else:
            target = (path.parent / address.path).resolve() if address.path else path
            sound = target.exists() and (not address.fragment or address.fragment in anchors(target))
        if not sound:
            broken.append(link)
    assert broken == []


def test_cards_and_menus_name_every_page():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert all((ROOT / "docs" / f"{name}.md").exists() for name in CARD.findall(index))
    names = ("index.md", "tutorials/index.md", "guide.md", "background.md", "reference/api.md")
    menus = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in names)
    trees = "\n".join(re.findall(r"```{toctree}\n(.*?)```", menus, re.DOTALL))
    listed = set(re.findall(r"(?:^|<)([\w/-]+)>?$", trees, re.MULTILINE))
    found = (path for path in LINKED if path.is_relative_to(ROOT / "docs"))
    pages = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in found}
    unlisted = {page for page in pages if page not in listed and page.rpartition("/")[2] not in listed}
    assert {page for page in unlisted if "generated" not in page} == {"index"}


def test_a_broken_link_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A title\n[a](gone.md) [b](page.md#a-title) [c](#nothing) [d](http://insecure.org)\n")
    with pytest.raises(AssertionError, match=r"gone\.md"):
        test_links_lead_somewhere(page)
    assert anchors(page) == {"a-title"}


SPEC = importlib.util.spec_from_file_location("schemas", ROOT / "docs" / "schemas.py")
schemas = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(schemas)

REVIEWS = "examples/tutorials/reviews.csv"
FOSIL = "examples/germeval2018/fosil_coarse_1.csv"
CALLS = [
    ("score", f"score {REVIEWS} --pred small"),
    ("score", f"score {REVIEWS} --pred small --cluster review"),
    ("score", f"score {FOSIL} --no-interval --undefined drop --labels OTHER,OFFENSE,NONE"),
    ("score", "score examples/tutorials/entities.conll --spans"),
    ("score", "score --report examples/tutorials/report.txt"),
    ("score-by", f"score {REVIEWS} --pred small --by review"),
    ("compare", f"compare {REVIEWS} --systems small,large --n-resamples 100"),
    ("compare", "compare examples/tutorials/seeds.csv --systems system --runs seed --id row --baseline baseline"),
    ("compare", "compare examples/germeval2018/counts.csv --by run --count count --n-resamples 100"),
    ("compare", "compare examples/germeval2018/leaderboard.csv --published"),
    ("plan", f"plan {REVIEWS} --systems small,large --difference 0.02"),
    ("plan", f"plan {REVIEWS} --systems small --difference 0.02 --cluster review --no-paired"),
    ("audit", "audit --precision 0.2937 --recall 0.2283 --f1 0.2095"),
    ("audit", "audit --f1 0.90 --per-class a=0.50/0.50/0.50 --per-class b=0.61/0.62/0.99 --support a=10,b=20"),
    ("audit-table", "audit examples/germeval2018/leaderboard.csv"),
    ("audit-text", "audit examples/tutorials/report.txt"),
    ("identify", f"identify {REVIEWS} 0.7186 --pred small"),
    ("identify", f"identify {REVIEWS} 0.1 --pred small"),
    ("identify-table", "identify examples/germeval2018/leaderboard.csv --support OFFENSE=1202,OTHER=2330"),
    ("identify-table", "identify examples/germeval2018/leaderboard.csv"),
    ("conventions", f"conventions {FOSIL}"),
    ("conventions", f"conventions {FOSIL} --number 0.3727"),
    ("catalogue", "conventions"),
    ("bounds", "bounds --n-classes 3"),
    ("bounds", f"bounds {FOSIL}"),
    ("bounds", "bounds --precision 0.7 --recall 0.6 --n-classes 2"),
    ("bounds", "bounds --precision 0.7 --recall 0.4 --n-classes 2 --over query"),
    ("count", f"count {FOSIL}"),
    ("count", f"count {REVIEWS} --pred small --multilabel ;"),
]


@pytest.mark.parametrize(("output", "call"), CALLS)
def test_outputs_are_as_the_reference_says(output, call, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    words = call.split()
    assert main(words if words[0] == "count" else [*words, "-f", "json"]) == 0
    found = schemas.schema(output)
    jsonschema.Draft202012Validator.check_schema(found)
    wrong = jsonschema.Draft202012Validator(found).iter_errors(json.loads(capsys.readouterr().out))
    assert [f"{error.json_path}: {error.message[:200]}" for error in wrong] == []


def test_every_schema_is_tried_and_printed_in_the_reference():
    assert {output for output, _ in CALLS} == set(schemas.OUTPUTS)
    page = (ROOT / "docs" / "reference" / "output.md").read_text(encoding="utf-8")
    assert all(f"```{{output-schema}} {name}\n" in page for name in schemas.OUTPUTS)


def test_a_key_that_the_reference_does_not_know_is_noticed():
    with pytest.raises(jsonschema.ValidationError, match="surprise"):
        jsonschema.validate({"surprise": 1}, schemas.schema("score"), cls=jsonschema.Draft202012Validator)
