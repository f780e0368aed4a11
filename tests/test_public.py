"""The public API: names, what they load, documentation, and what hints say to install."""

import subprocess
import sys

import pytest

import macrof1
from macrof1.errors import install_command

from .conftest import ROOT

PUBLIC = [
    "Accumulator", "ClassCounts", "Confusion", "Convention", "InputError", "MacroF1Error", "Signature",
    "__version__", "audit", "audit_table", "audit_text", "averaged_f1", "bounds", "compare", "compare_file",
    "compare_frame", "conventions", "count", "count_file", "count_spans", "f1_of_averages", "identify",
    "load_counts", "paper", "plan", "results", "save_counts", "score", "score_counts", "score_file", "score_frame",
    "score_groups", "score_matrix",
]  # fmt: skip


def test_public_names_are_pinned_and_sorted():
    assert macrof1.__all__ == PUBLIC == sorted(PUBLIC)
    assert macrof1.results.__all__ == sorted(macrof1.results.__all__)
    for name in PUBLIC:
        assert getattr(macrof1, name) is not None


def words_of(program):
    """Return the words in the last line that a program prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(("first", "call"), [("sys", "import macrof1"), ("numpy", "import macrof1; macrof1.score")])
def test_importing_loads_python_alone_and_scoring_lists_numpy_alone(first, call):
    loaded = words_of(f"import sys, {first}; before = set(sys.modules); {call}; print(*(set(sys.modules) - before))")
    assert {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names - {first} == {"macrof1"}


def test_the_note_s_program_loads_nothing_that_it_does_not_need():
    assert words_of(
        "import sys; from macrof1.cli import main; main(['2', '100', '10000', '0', '100']); "
        "print(*(name for name in sys.modules if name.startswith(('macrof1', 'numpy'))))"
    ) == {
        "macrof1", "macrof1.bounding", "macrof1.bounding.closed_forms", "macrof1.cli",
        "macrof1.cli.streams", "macrof1.errors", "macrof1.message", "macrof1.paper", "macrof1.paper.program",
    }  # fmt: skip


def test_a_plain_score_loads_nothing_that_it_does_not_need():
    loaded = words_of(
        "import sys; from macrof1.cli import main; main(['score', 'examples/germeval2018/fosil_coarse_1.csv']); "
        "print(*sys.modules)"
    )
    assert "macrof1.sampling.intervals" in loaded
    assert not loaded & {
        "altair", "difflib", "hashlib", "macrof1.reading.leaderboards", "macrof1.reporting.charts", "numpy.ma",
        "polars", "tempfile", "tomllib", "zipfile",
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


PROBE = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"numpy", "polars", "rich", "narwhals", "cyclopts", "pandas", "scipy", "pyarrow"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
import macrof1
from macrof1.scoring.system_scores import score_conventions
from macrof1.scoring.gap import gap_pairs

counts = macrof1.ClassCounts.from_errors({"cat": (629, 155, 159), "dog": (10, 0, 5)})
counts = counts + macrof1.ClassCounts.of(["cat", "bird"], tp=[1, 2], predicted=[1, 3], actual=[2, 2])
result = macrof1.score_counts(counts, undefined=1)
print(result.averaged_f1, result.f1_of_averages, result.gap, gap_pairs(counts)[0].contribution)
print(result, result.accuracy, result.mcc, len(result.per_class), result.signature(), result.explanation)
print(len(score_conventions(counts).scores), len(macrof1.conventions()), macrof1.Signature.parse(result.signature()))
print(macrof1.bounds(precision="0.2937", recall="0.2283"), macrof1.bounds(support=[30, 20, 100]).gap.high)
print(macrof1.audit(precision="0.2937", recall="0.2283", f1="0.2095").to_dict()["verdict"])
print(result.to_dict()["n_classes"])
matrix = macrof1.Confusion.from_matrix([[n % 7 for n in range(at, at + 60)] for at in range(60)], rows="predicted")
cells = macrof1.score_counts(matrix)
print(cells.averaged_f1, cells.gap, cells.notes, cells.noise_floor, matrix.predicted_for([1])[0][:3])
try:
    macrof1.score_counts([1, 2])
except macrof1.InputError as error:
    print(error)
print(sorted({name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)))
"""


def test_counts_scores_bounds_and_audits_need_nothing_but_python():
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-5:-3] == ["averaged_f1", "3"]
    assert lines[-3].endswith("None [1, 2, 3]")  # cells without NumPy: scores, and no noise floor
    loaded = set(lines[-1].replace("'", "").strip("[]").split(", "))
    assert "macrof1" in loaded
    assert not {"numpy", "polars", "rich"} & loaded


def test_a_clone_is_installed_from_where_it_is(monkeypatch, tmp_path):
    package = ROOT / "src" / "macrof1"
    monkeypatch.chdir(ROOT)
    assert install_command("web", package=package) == "pip install -e '.[web]'"
    monkeypatch.chdir(tmp_path)
    assert install_command("web", package=package) == f"pip install -e '{ROOT}[web]'"


def test_an_installed_package_is_installed_from_the_index(tmp_path):
    installed = tmp_path / "lib" / "site-packages" / "macrof1"
    assert install_command("charts", package=installed) == "pip install 'macrof1-score[charts]'"
    # A folder called src that is not a clone.
    assert install_command("charts", package=tmp_path / "src" / "macrof1") == "pip install 'macrof1-score[charts]'"
