"""Regression tests for small calls."""

import subprocess
import sys

import pytest


def shell(line, cwd):
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=cwd, check=False)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "p.csv").write_text("gold,pred\na,a\nb,b\na,b\n")
    (tmp_path / "lb.csv").write_text("team,macro_f1,macro_precision,macro_recall\n*x|_y_,0.9,0.5,0.5\n")
    return tmp_path


@pytest.mark.parametrize("command", ["score", "conventions", "bounds", "count"])
def test_counts_come_through_a_pipe(folder, command):
    mf1 = f"'{sys.executable}' -m macrof1"
    done = shell(f"{mf1} count p.csv | {mf1} {command} -", folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == shell(f"{mf1} count p.csv -o p.counts.json; {mf1} {command} p.counts.json", folder).stdout


def test_markdown_escapes_findings(mf1, folder):
    shown = mf1("audit", folder / "lb.csv", "-f", "markdown")
    assert shown.count(r"\*x\|\_y\_") == 2


def test_a_bug_of_ours_is_exit_code_3(monkeypatch, capsys):
    from macrof1 import cli

    monkeypatch.setattr("macrof1.cli.commands.run_app", lambda _: 1 / 0)
    assert cli.main(["cite"]) == 3
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_an_error_after_a_warning_is_one_line(mf1, folder):
    call = ("score", folder / "p.csv", "--gold", "pred", "--convention", "weka", "--classes", "seen")
    assert "--convention" in mf1(*call, code=2)


NESTED, DIGITS = "[" * 100_000 + "]" * 100_000, "9" * 5000


@pytest.mark.parametrize(
    ("name", "content", "call"),
    [
        ("x.jsonl", f'{{"gold": {NESTED}, "pred": 1}}\n', "score x.jsonl"),
        ("x.json", NESTED, "score --matrix x.json --rows gold"),
        ("x.counts.json", NESTED, "score x.counts.json"),
        ("x.json", NESTED, "audit x.json"),
        ("x.csv", f"1,{DIGITS}\n2,3\n", "score --matrix x.csv --rows gold"),
        ("x.jsonl", f'{{"gold": {DIGITS}, "pred": 1}}\n', "score x.jsonl"),
        ("x.csv", f"gold,pred,w\na,a,{DIGITS}\nb,a,1\n", "score x.csv --weight w"),
        ("x.csv", f"team,macro_f1\nx,{DIGITS}\n", "audit x.csv"),
        ("x", "", f"audit --f1 0.{DIGITS}"),
        ("x", "", f"bounds --n-classes {DIGITS}"),
        ("x", "", f"bounds --support {DIGITS},1"),
        ("x", "", f"score x --digits {DIGITS}"),
        ("x", "", f"compare x --seed -{DIGITS}"),
        ("x.csv", f"gold,pred\n{'a' * 200_000},a\nb,a\n", "score x.csv --labels c,d"),
    ],
)  # fmt: skip
def test_what_is_too_deep_or_too_long_is_one_line(mf1, tmp_path, name, content, call):
    (tmp_path / name).write_text(content)
    words = [str(tmp_path / word) if word == name else word for word in call.split()]
    assert len(mf1(*words, code=2)) < 2100
