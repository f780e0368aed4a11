"""`mf1` through its real entry point."""

import json
import os
import shutil
import subprocess
import sys

import pytest

import macrof1
from macrof1.cli import main
from macrof1.counting.kernel.integers import counting_path

from .conftest import MF1

FOSIL = "examples/germeval2018/fosil_coarse_1.csv"


def test_the_notes_own_program(real_mf1):
    assert real_mf1(2, 100, 10000, 0, 100).splitlines() == [
        '("macroF1 benevolent",0.504950495049505)',
        '("macroF1 non-benevolent",1.96078431372549e-2)',
        '("delta",0.48534265191225007)',
        '("delta calculated",0.48534265191225007)',
    ]
    assert "expected 2 x 2 = 4" in real_mf1(2, 1, code=2)
    assert "'-5' is not a count" in real_mf1(1, -5, code=2)


def test_options_reach_the_score(mf1, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text('g,p,w\na,a,2\n"b,c",a,1\nd,,1\n')
    options = ("--gold", "g", "--pred", "p", "--weight", "w", "--labels", 'a,"b,c",z', "--missing", "drop", "--beta", 2)
    content = json.loads(mf1("score", path, *options, "--undefined", 1, "-f", "json"))
    expected = macrof1.score(
        ["a", "b,c"], ["a", "a"], labels=["a", "b,c", "z"], sample_weight=[2, 1], beta=2, undefined=1
    )
    assert content["averaged_f1"] == expected.averaged_f1
    assert content["gap"] == expected.gap
    assert content["n_dropped"] == 1
    text = mf1("score", path, *options)
    assert "averaged F2" in text
    assert "1 row without a label was left out." in text


def test_standard_input(real_mf1):
    assert "averaged F1      1.0000" in real_mf1("score", "-", "--labels", "a, b", input="gold,pred\na,a\nb,b\n")


def test_labels_cannot_steer_the_terminal(mf1):
    shown = mf1("score", "-", input='gold,pred\n"a\x1b[31m",b\n"two\nlines",b\nb,b\n')
    assert "\x1b" not in shown
    assert "two\\nlines" in shown


def test_help_version_and_citation(real_mf1):
    assert "averaged F1" in real_mf1()
    assert "--gold" in real_mf1("score", "--help")
    assert real_mf1("--version").strip() == f"mf1 {macrof1.__version__} ({counting_path()} counting)"
    cited = real_mf1("cite")
    assert "1911.03347" in cited
    assert cited.count("{") == cited.count("}")


def test_completion_works_in_a_real_bash(mf1, tmp_path):
    bash = shutil.which("bash")
    assert bash is not None
    script = tmp_path / "mf1.bash"
    script.write_text(mf1("completion", "bash"))
    probe = f"""
        source {script}
        COMP_WORDS=(mf1 sc) COMP_CWORD=1
        $(complete -p mf1 | sed 's/.*-F \\([^ ]*\\).*/\\1/') mf1
        echo ${{COMPREPLY[@]}}
    """
    done = subprocess.run([bash, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["score"]


def test_a_closed_pipe_is_no_error(root):
    shell = f"'{MF1}' score {FOSIL} -f csv | head -n 1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=root, check=True)
    assert done.stderr == ""


@pytest.mark.parametrize(("given", "seen"), [(None, "1"), ("3", "3")])
def test_a_command_starts_no_idle_threads_unless_asked_to(root, given, seen):
    program = f"import os, sys; sys.argv = ['mf1', 'score', {FOSIL!r}]; from macrof1.cli import main; main()"
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", f"{program}; print(os.environ['OPENBLAS_NUM_THREADS'])"], cwd=root, check=True,
        capture_output=True, text=True, env=environment | ({"OPENBLAS_NUM_THREADS": given} if given else {}),
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == seen


def test_a_call_from_python_leaves_the_environment_alone(root, monkeypatch):
    monkeypatch.chdir(root)
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert main(["score", FOSIL]) == 0
    assert "OPENBLAS_NUM_THREADS" not in os.environ


def test_the_demo_shows_both_numbers(root):
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "examples/demo.py"], capture_output=True, text=True, cwd=root, check=True, env=environment
    )
    for expected in ("0.3727", "0.5104", "13.8 points", "0.504950495049505"):
        assert expected in done.stdout


@pytest.mark.parametrize(
    "call",
    [
        ("audit", "--precision", "0.5", "--recall", "0.4", "--f1", "0.45"),
        ("bounds", "--precision", "0.5", "--recall", "0.4"),
        ("score", "x.csv", "--nonsense"),
        ("cite",),
    ],
)
def test_the_exact_commands_load_no_library(call):
    probe = f"import sys; from macrof1.cli import main; main({list(call)!r}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"cyclopts", "rich", "polars", "pandas", "numpy", "narwhals"}


def test_a_file_alone_is_scored(mf1):
    assert mf1(FOSIL) == mf1("score", FOSIL)
    assert mf1(FOSIL, "--json") == mf1("score", FOSIL, "--format", "json")
    assert "averaged F1      1.0000" in mf1("-", input="gold,pred\na,a\nb,b\n")


def test_help_is_a_command_too(mf1):
    assert mf1("help") == mf1("--help")
    assert mf1("help", "plan") == mf1("plan", "--help")
    first, _, second = mf1("--help").partition("More commands:")
    for name in ("bounds", "reproduce", "selftest", "cite", "completion"):
        assert f"  {name} " in second
        assert f"  {name} " not in first


@pytest.mark.parametrize(
    ("guess", "option"),
    [
        (["--json"], ["--format", "json"]),
        (["--ci"], ["--interval"]),
        (["--no-ci"], ["--no-interval"]),
        (["--y-true", "gold", "--y_pred=pred"], ["--gold", "gold", "--pred", "pred"]),
        (["--group-by", "gold"], ["--by", "gold"]),
    ],
)
def test_first_guesses_are_understood(mf1, guess, option):
    assert mf1("score", FOSIL, *guess) == mf1("score", FOSIL, *option)
