"""Shared by all tests."""

import importlib.util
import io
import os
import shutil
import subprocess
import warnings
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

from macrof1.cli import main

ROOT = Path(__file__).parents[1]

# Timings never decide a test, and the same run twice gives the same answer.
settings.register_profile("macrof1", deadline=None, derandomize=True)
settings.load_profile("macrof1")

# Text is as wide as the terminal; here that is always the same.
os.environ["COLUMNS"] = "80"

# A skip would be a failure where every part is there, and no package makes a device: such tests are left out, and said.
CUDA = Path("/proc/driver/nvidia/version").exists() or Path("/dev/nvidiactl").exists()
LATEX = None not in (shutil.which("pdflatex"), shutil.which("kpsewhich")) and all(
    subprocess.run(["kpsewhich", f"{name}.sty"], capture_output=True, check=False).returncode == 0
    for name in ("booktabs", "longtable")
)
# Large tools that "parts" installs: where a skip is a failure, their tests are collected in any case.
REQUIRE_ALL = os.environ.get("MACROF1_REQUIRE_ALL") == "1"
TOOLS = {name: REQUIRE_ALL or importlib.util.find_spec(name) is not None for name in ("inspect_ai", "lm_eval")}
# No package installs these either: what a page shows in their languages is run where they are.
PROGRAMS = {"js": "node", "r": "Rscript"}
# What lies in programs/ is run in processes of its own: importing it would change this one.
collect_ignore = [
    "counting/programs",
    "integrations/programs",
    *([] if CUDA else ["integrations/test_torch_cuda.py"]),
    *([] if LATEX else ["reporting/test_latex.py"]),
    *(f"integrations/test_{name}.py" for name, there in TOOLS.items() if not there),
]


def pytest_collection_modifyitems(items):
    """Refuse two tests of one id: xdist would run one of them, and nobody would miss the other."""
    ids = [item.nodeid for item in items]
    twice = sorted({name for name in ids if ids.count(name) > 1}) if len(set(ids)) < len(ids) else []
    if twice:
        raise pytest.UsageError(f"two tests go by the same id, and only one would run: {', '.join(twice[:5])}")


def pytest_terminal_summary(terminalreporter):
    """Say which tests were not run, and why."""
    skips = terminalreporter.stats.get("skipped", ())
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in skips)
    for reason, n in reasons.most_common():
        terminalreporter.write_line(f"skipped {n}: {reason}")
    if not CUDA:
        terminalreporter.write_line("not run: tests/integrations/test_torch_cuda.py (no CUDA device here)")
    if not LATEX:
        terminalreporter.write_line("not run: tests/reporting/test_latex.py (no pdflatex with booktabs here)")
    for program in PROGRAMS.values():
        if not shutil.which(program):
            terminalreporter.write_line(f"not run: what docs/other-languages.md runs with {program}, which is not here")
    for name, there in TOOLS.items():
        if not there:
            terminalreporter.write_line(f"not run: tests/integrations/test_{name}.py ({name} is not installed)")


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def pyodide(root) -> Path:
    for place in ("node_modules/pyodide", "build/pyodide/node_modules/pyodide"):
        if (root / place / "pyodide.asm.wasm").is_file():
            return root / place
    pytest.skip("needs the npm package pyodide: make site puts it into build/")


@pytest.fixture
def said(root, capsys, monkeypatch):
    """Run mf1 in this process, in the root of the project; return standard output and standard error."""
    monkeypatch.chdir(root)

    def run(*arguments, code=0, input=""):  # noqa: A002  # as subprocess.run has it
        words = [*map(str, arguments)]
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(input.encode())))
        monkeypatch.setattr("sys.argv", ["mf1", *words])
        capsys.readouterr()
        assert main(words) == code
        shown = capsys.readouterr()
        if code == 2:
            assert shown.out == ""
            assert len(shown.err.splitlines()) == 1, shown.err
            assert shown.err.startswith("mf1: ")
        return shown

    return run


@pytest.fixture
def spark():
    """One local Spark for all tests, a new one where a document's example has stopped it.

    They carry the mark xdist_group("spark"), so that one worker runs them.
    """
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed (MACROF1_REQUIRE_ALL=1 make test installs it)")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is no java on the PATH")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Spark's own, about the versions of its neighbours
        from pyspark.sql import SparkSession

        return (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.log.level", "ERROR")
            .getOrCreate()
        )


def refuse_skip(report):
    """With MACROF1_REQUIRE_ALL=1 every part is there, so that a skipped test is a failure."""
    if report.skipped and not hasattr(report, "wasxfail") and REQUIRE_ALL:
        report.outcome = "failed"
        report.longrepr = f"skipped although MACROF1_REQUIRE_ALL=1: {report.longrepr}"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    """Judge a test that skips itself."""
    outcome = yield
    refuse_skip(outcome.get_result())


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report():
    """Judge a whole file that skips itself while it is imported."""
    outcome = yield
    refuse_skip(outcome.get_result())
