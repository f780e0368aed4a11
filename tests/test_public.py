"""The public API: names, imports, documentation."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import macrof1

PUBLIC = [
    "Accumulator",
    "ClassCounts",
    "Confusion",
    "Convention",
    "InputError",
    "MacroF1Error",
    "Signature",
    "__version__",
    "audit",
    "audit_table",
    "audit_text",
    "averaged_f1",
    "bounds",
    "compare",
    "compare_file",
    "compare_frame",
    "conventions",
    "count",
    "count_file",
    "count_spans",
    "f1_of_averages",
    "identify",
    "load_counts",
    "paper",
    "plan",
    "results",
    "save_counts",
    "score",
    "score_counts",
    "score_file",
    "score_frame",
    "score_groups",
    "score_matrix",
]


def test_public_names_are_pinned_and_sorted():
    assert macrof1.__all__ == PUBLIC == sorted(PUBLIC)
    for name in PUBLIC:
        assert getattr(macrof1, name) is not None


def test_there_are_few_public_names():
    assert len(PUBLIC) <= 33
    assert macrof1.results.__all__ == sorted(macrof1.results.__all__)


def test_every_result_type_shares_one_ground():
    for name in macrof1.results.__all__:
        assert issubclass(getattr(macrof1.results, name), macrof1.results.Result), name


def test_importing_loads_python_alone():
    probe = "import sys; before = set(sys.modules); import macrof1; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert {name.partition(".")[0] for name in done.stdout.split()} - sys.stdlib_module_names == {"macrof1"}


def test_scoring_lists_loads_numpy_alone():
    probe = (
        "import sys; import numpy; before = set(sys.modules); import macrof1; macrof1.score; "
        "print(*(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    foreign = {name.partition(".")[0] for name in done.stdout.split()} - sys.stdlib_module_names
    assert foreign - {"numpy"} == {"macrof1"}


def test_the_note_s_program_loads_nothing_that_it_does_not_need():
    probe = (
        "import sys; from macrof1.cli import main; main(['2', '100', '10000', '0', '100']); "
        "print(*(name for name in sys.modules if name.startswith(('macrof1', 'numpy'))))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert set(done.stdout.splitlines()[-1].split()) == {
        "macrof1", "macrof1.bounding", "macrof1.bounding.closed_forms", "macrof1.cli",
        "macrof1.cli.streams", "macrof1.errors", "macrof1.message", "macrof1.paper", "macrof1.paper.program",
    }  # fmt: skip


def test_a_name_that_is_not_there_is_an_ordinary_error():
    with pytest.raises(AttributeError, match="module 'macrof1' has no attribute 'scroe'"):
        macrof1.scroe  # noqa: B018 - looking it up is the test
    with pytest.raises(ImportError, match="cannot import name 'scroe'"):
        from macrof1 import scroe  # noqa: F401 - as above
    assert set(PUBLIC) <= set(dir(macrof1))


def test_version_is_the_same_everywhere(root):
    citation = (root / "CITATION.cff").read_text()
    assert f"version: {macrof1.__version__}\n" in citation
    assert f"## {macrof1.__version__}" in (root / "CHANGELOG.md").read_text()


def test_the_readme_fits_two_screens(root):
    assert len((root / "README.md").read_text().splitlines()) <= 170


def test_links_between_documents_lead_somewhere(root):
    for document in [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("examples/**/*.md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document}: {target}"
