"""Gates for pipelines, and task files: exit codes, one-line messages, and a signature that names them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import macrof1
from macrof1.cli import main
from macrof1.integrations.pytest import assert_scores


@pytest.fixture
def preds(tmp_path):
    path = tmp_path / "preds.csv"
    path.write_text("gold,pred\n" + "cat,cat\ncat,dog\ndog,dog\ndog,dog\n" * 25)
    return str(path)


@pytest.mark.parametrize(
    ("options", "code", "line"),
    [
        (["--fail-under", "averaged_f1=0.70"], 0, ""),
        (["--fail-under", "averaged_f1=0.75"], 1, "mf1: averaged_f1 is 0.733333, below 0.75"),
        (["--fail-under", "averaged-f1=0.75"], 1, "mf1: averaged_f1 is 0.733333, below 0.75"),
        (["--fail-under", "accuracy=0.75", "--fail-under", "f1_of_averages=0.9"], 1,
         "mf1: f1_of_averages is 0.789474, below 0.9"),
        (["--fail-under-low", "averaged_f1=0.70"], 1, "mf1: the lower end of the interval of averaged_f1 is 0.6"),
        (["--fail-under-low", "averaged_f1=0.5"], 0, ""),
        (["--fail-under", "averaged_f1=-0.5"], 2, "expected a number from 0 to 1"),
        (["--fail-under", "mcc=-0.5"], 0, ""),
        (["--strict"], 0, ""),
    ],
)  # fmt: skip
def test_gates(preds, capsys, options, code, line):
    assert main(["score", preds, *options]) == code
    shown = capsys.readouterr()
    assert line in shown.err
    assert len(shown.err.splitlines()) == (1 if line else 0)
    assert bool(shown.out) == (code != 2)


@pytest.fixture
def slices(tmp_path):
    path = tmp_path / "slices.csv"
    path.write_text("gold,pred,region\n" + "a,a,EU\nb,b,EU\na,a,US\nb,a,US\nb,a,US\n" * 10)
    return str(path)


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (["--fail-under", "averaged_f1=0.2"], []),
        (["--fail-under", "averaged_f1=0.5"], ["averaged_f1 is 0.25 in region=US, below 0.5"]),
        (["--fail-under", "averaged_f1=0.8"], ["averaged_f1 is 0.583333, below 0.8", "is 0.25 in region=US"]),
        (["--fail-under-pooled", "averaged_f1=0.5"], []),
        (["--fail-under-pooled", "averaged_f1=0.8"], ["averaged_f1 is 0.583333, below 0.8"]),
        (["--fail-under-low", "averaged_f1=0.3"], ["the lower end of the interval of averaged_f1 is 0."]),
    ],
)
def test_gates_hold_for_every_slice(slices, said, options, lines, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    junit = tmp_path / "gates.xml"
    more = ["--junit", str(junit), "--step-summary", "-q"]
    shown = said("score", slices, "--by", "region", *options, *more, code=1 if lines else 0)
    failures = ET.fromstring(junit.read_text()).findall("testcase/failure")  # noqa: S314  # our own
    assert len(failures) == len(shown.err.splitlines()) == len(lines)
    for line, failure in zip(lines, failures, strict=True):
        assert line in shown.err
        assert line in failure.get("message")
    summary = (tmp_path / "summary.md").read_text()
    assert "| region | averaged F1 |" in summary
    assert all(line in summary for line in lines)


def test_a_summary_needs_a_step(preds, said, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    assert "GITHUB_STEP_SUMMARY" in said("score", preds, "--step-summary", code=2).err


def test_a_run_must_be_no_worse_than_an_earlier_one(tmp_path, said):
    (tmp_path / "good.csv").write_text("gold,pred\n" + "a,a\nb,b\n" * 40)
    (tmp_path / "near.csv").write_text("gold,pred\n" + "a,a\nb,b\n" * 39 + "a,a\nb,a\n")
    (tmp_path / "bad.csv").write_text("gold,pred\n" + "a,a\nb,b\nb,a\n" * 27)
    last = str(tmp_path / "last.json")
    said("score", str(tmp_path / "good.csv"), "-f", "json", "-o", last)
    said("score", str(tmp_path / "near.csv"), "--baseline-file", last)
    shown = said("score", str(tmp_path / "bad.csv"), "--baseline-file", last, code=1)
    assert "significantly below 1 in" in shown.err
    (tmp_path / "other.json").write_text("[]")
    said("score", str(tmp_path / "bad.csv"), "--baseline-file", str(tmp_path / "other.json"), code=2)


def test_a_published_signature_is_verified(preds, tmp_path, said):
    found = json.loads(said("score", preds, "-f", "json").out)["signature"]["averaged_f1"]
    assert "comes out here" in said("score", preds, "--verify", f"0.7333 {found}").err
    assert "comes out here" in said("score", preds, "--verify", f"73.3% {found}").err
    old = "averaged_f1|classes:union|n:2|undefined:0|beta:1|task:multiclass|weights:no|version:0.0.1"
    assert "comes out here" in said("score", preds, "--verify", old).err
    shown = said("score", preds, "--verify", f"0.7334 {found.replace('rows:100', 'rows:99')}", code=1)
    assert "rows is 100 here and 99 in the signature; averaged_f1 is 0.7333 here, not 0.7334" in shown.err
    said("score", preds, "--verify", "0.73", code=2)
    other = tmp_path / "other.csv"
    other.write_text("gold,pred\n" + "dog,cat\ncat,dog\ncat,dog\ndog,dog\n" * 25)
    assert "gold is" in said("score", str(other), "--verify", found, code=1).err


def test_assertions_in_tests():
    good = macrof1.score(["a", "b", "b"], ["a", "b", "b"])
    assert_scores(good, averaged_f1=0.9, accuracy=1.0)
    groups = macrof1.score_groups(gold=list("abab"), pred=list("abaa"), by={"fold": [1, 1, 2, 2]})
    with pytest.raises(AssertionError, match=r"averaged_f1 is 0\.333333 in fold=2, below 0\.7"):
        assert_scores(groups, averaged_f1=0.7)
    with pytest.raises(macrof1.InputError, match="not a known score"):
        assert_scores(good, macro_f1=0.7)


def test_the_example_for_github_runs_as_written(tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "pipeline.md").read_text()
    steps = text.partition("```yaml\nname: Evaluate")[2].partition("```")[0]
    script = steps.partition("- name: Score\n        run: |\n")[2]
    assert script.strip().startswith("mf1 score")
    (tmp_path / "preds.csv").write_text("gold,pred\n" + "a,a\nb,b\n" * 40 + "b,a\n")
    environment = {**os.environ, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=environment, check=True)  # ours
    assert "averaged_f1 >= 0.70" in (tmp_path / "summary.md").read_text()
    assert (tmp_path / "gates.xml").exists()


def test_strict_runs_fail_on_doubts_and_say_them(tmp_path, said):
    path = tmp_path / "preds.csv"
    path.write_text("gold,pred\nyes,Yes\nno,no\n")
    said("score", str(path))
    shown = said("score", str(path), "--strict", "-q", code=1)
    assert shown.out == "averaged_f1 0.3333\nf1_of_averages 0.3333\n"
    assert "mf1: strict: Labels 'Yes' and 'yes' differ only in case" in shown.err
    said("score", str(path), "--strict", "--normalize", "case")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ([], "averaged_f1 0.7333\nf1_of_averages 0.7895\n"),
        (["--digits", "2"], "averaged_f1 0.73\nf1_of_averages 0.79\n"),
        (["-f", "json"], '{"averaged_f1": 0.7333333333333334, "f1_of_averages": 0.7894736842105263}\n'),
        (["-f", "csv", "--digits", "3"], "averaged_f1,0.733\nf1_of_averages,0.789\n"),
    ],
)
def test_quiet_prints_the_two_scores(preds, said, options, text):
    assert said("score", preds, "-q", *options).out == text


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ([], "a averaged_f1 1.0000 f1_of_averages 1.0000\nb averaged_f1 0.7333 f1_of_averages 0.7895\n"),
        (["-f", "csv", "--digits", "2"], "system,averaged_f1,f1_of_averages\na,1.00,1.00\nb,0.73,0.79\n"),
        (["-f", "json", "--digits", "1"], json.dumps({
            "a": {"averaged_f1": 1.0, "f1_of_averages": 1.0},
            "b": {"averaged_f1": 0.7333333333333334, "f1_of_averages": 0.7894736842105263},
        }) + "\n"),
    ],
)  # fmt: skip
def test_quiet_comparisons_print_the_two_scores_of_each_system(tmp_path, said, options, text):
    path = tmp_path / "both.csv"
    path.write_text("gold,a,b\n" + "cat,cat,cat\ncat,cat,dog\ndog,dog,dog\ndog,dog,dog\n" * 25)
    assert said("compare", str(path), "-q", *options).out == text
    assert said("compare", str(path), "-q", *options, "-o", str(tmp_path / "out")).out == ""
    assert (tmp_path / "out").read_text() == text


def task(tmp_path, text):
    path = tmp_path / "task.toml"
    path.write_text(text)
    return str(path)


def test_a_task_file_fixes_columns_classes_and_convention(tmp_path, said):
    path = tmp_path / "p.csv"
    path.write_text('label,model\nYes,yes\n"a, b",Sorry\n')
    config = task(tmp_path, 'gold = "label"\npred = "model"\nlabels = ["yes", "a, b"]\nnormalize = ["case"]\n')
    found = json.loads(said("score", str(path), "--config", config, "-f", "json").out)
    assert [record["label"] for record in found["per_class"]] == ["yes", "a, b"]
    signature = found["signature"]["averaged_f1"]
    assert "|normalize:case|outside:wrong|unusable:0.5000|config:task.toml@" in signature
    # The same settings, typed: the same score, and a signature without the file.
    typed = ["--gold", "label", "--pred", "model", "--labels", 'yes,"a, b"', "--normalize", "case", "-f", "json"]
    other = json.loads(said("score", str(path), *typed).out)
    assert other["averaged_f1"] == found["averaged_f1"]
    assert "config" not in other["signature"]["averaged_f1"]


def test_a_task_file_is_never_found_by_itself(tmp_path, monkeypatch, preds, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "task.toml").write_text('labels = ["cat"]\n')
    (tmp_path / "mf1.toml").write_text('labels = ["cat"]\n')
    assert said("score", preds, "-q").out.startswith("averaged_f1 0.7333")


@pytest.fixture
def systems(tmp_path):
    rng = np.random.default_rng(0)
    gold = rng.choice(list("abc"), 2000)
    columns = {"gold": gold}
    for name, right in (("main", 0.8), ("worse", 0.7)):
        columns[name] = np.where(rng.random(2000) < right, gold, rng.choice(list("abc"), 2000))
    columns["new"] = np.where(rng.random(2000) < 0.95, columns["main"], gold)
    path = tmp_path / "systems.csv"
    path.write_text("\n".join([",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]) + "\n")
    return str(path)


@pytest.mark.parametrize(
    ("options", "code", "line"),
    [
        (["--systems", "main,new", "--baseline", "main", "--non-inferior", "0.01"], 0, ""),
        (["--systems", "main,worse", "--baseline", "main", "--non-inferior", "0.01"], 1,
         "mf1: worse is not shown to be non-inferior to main: the difference in averaged F1 is -0.0"),
        (["--systems", "worse,main", "--baseline", "worse", "--non-inferior", "0"], 0, ""),
        (["--systems", "main,worse", "--baseline", "main", "--non-inferior", "0.5"], 0, ""),
    ],
)  # fmt: skip
def test_a_system_must_be_shown_to_be_no_worse_than_the_baseline(systems, capsys, options, code, line):
    assert main(["compare", systems, *options]) == code
    assert line in capsys.readouterr().err


def test_several_labels_in_one_field_are_doubted_in_comparisons(tmp_path, said):
    path = tmp_path / "p.csv"
    path.write_text("gold,a,b\nx;y,x,x;y\nx,x,y\ny,y,y\n")
    assert "--multilabel ';' splits them" in said("compare", str(path)).out


def test_conventions_take_several_labels_per_row(tmp_path, said):
    path = tmp_path / "p.csv"
    path.write_text("gold,pred\nx;y,x\nx,x\ny,y\n")
    shown = json.loads(said("conventions", path, "--multilabel", ";", "-f", "json").out)
    values = {each["value"] for each in shown["conventions"]}
    assert macrof1.score([{"x", "y"}, {"x"}, {"y"}], [{"x"}, {"x"}, {"y"}]).averaged_f1 in values
