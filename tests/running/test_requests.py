"""Weights, counts of lines, and the calls that read files: the same numbers however they are asked for."""

import json
import random

import polars as pl
import pytest

import macrof1
from macrof1.cli import main
from macrof1.request import Request
from tests.oracles import without_digests

from ..counting.engines import written

WEIGHTS = {"whole": lambda rng: rng.randint(0, 4), "real": lambda rng: rng.randint(1, 9) / 4}


def table(kind, rows=90):
    rng = random.Random(7)  # noqa: S311  # test data
    gold = [rng.choice("abc") for _ in range(rows)]
    pred = [label if rng.random() < 0.7 else rng.choice("abc") for label in gold]
    weight = [WEIGHTS[kind](rng) for _ in gold]
    return pl.DataFrame({"gold": gold, "pred": pred, "w": weight, "doc": [n // 3 for n in range(rows)]})


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_weight_is_a_weight_everywhere(kind, clustered, ending, tmp_path):
    frame = table(kind)
    path = written(frame, tmp_path / f"p.{ending}")
    cluster = {"cluster": frame["doc"].to_list()} if clustered else {}
    expected = macrof1.score(frame["gold"], frame["pred"], sample_weight=frame["w"], **cluster)
    named = {"sample_weight": "w", "cluster": "doc" if clustered else None}
    for found in (macrof1.score_file(path, **named), macrof1.score_frame(frame, gold="gold", pred="pred", **named)):
        assert found.averaged_f1 == expected.averaged_f1
        assert found.n_rows == expected.n_rows
        for of in ("averaged_f1", "f1_of_averages"):
            ours, theirs = found.interval(of), expected.interval(of)
            assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)
            assert ours.notes == theirs.notes


@pytest.mark.parametrize("mark", [None, ";"])
def test_a_line_may_stand_for_several_rows(mark, tmp_path):
    frame = table("whole").select("gold", "pred", n="w")
    frame.write_csv(tmp_path / "lines.csv")
    rows = frame.select(pl.exclude("n").repeat_by("n").explode()).drop_nulls()
    rows.write_csv(tmp_path / "rows.csv")
    options = {} if mark is None else {"multilabel": mark}
    found = macrof1.score_file(tmp_path / "lines.csv", count="n", **options)
    expected = macrof1.score_file(tmp_path / "rows.csv", **options)
    assert without_digests(found.to_dict()) == without_digests(expected.to_dict())
    assert found.interval() == expected.interval()
    assert macrof1.count_file(tmp_path / "lines.csv", count="n", **options).n_rows == rows.height
    if mark is None:
        assert macrof1.score(frame["gold"], frame["pred"], count=frame["n"]).to_dict() == found.to_dict()
        assert macrof1.score_frame(frame, gold="gold", pred="pred", count="n").to_dict() == found.to_dict()


def test_a_weight_and_a_number_of_rows_do_not_go_together(tmp_path):
    (tmp_path / "p.csv").write_text("gold,pred,n,w\na,a,2,1\nb,a,1,1\n")
    with pytest.raises(macrof1.InputError, match="cannot be combined"):
        macrof1.score_file(tmp_path / "p.csv", count="n", sample_weight="w")


def test_options_without_effect_are_refused_in_python_too(tmp_path):
    (tmp_path / "dev.conll").write_text("a B-X B-X\nb O O\n")
    with pytest.raises(macrof1.InputError, match="sample_weight= cannot be combined with spans=True"):
        macrof1.score_file(tmp_path / "dev.conll", spans=True, sample_weight="w")


@pytest.fixture
def task(tmp_path, said, monkeypatch):  # noqa: ARG001  # which goes to another folder before
    monkeypatch.chdir(tmp_path)
    table("whole").select(truth="gold", one="pred", two=pl.col("pred").reverse()).write_csv("systems.csv")
    (tmp_path / "task.toml").write_text('gold = "truth"\nexclude = ["a"]\nclasses = "gold"\n')
    return tmp_path


@pytest.mark.parametrize(
    "call", ["compare systems.csv", "plan systems.csv --difference 0.01", "score systems.csv --pred one"]
)
@pytest.mark.usefixtures("task")
def test_a_task_file_is_for_every_job(call, said):
    typed = ["--gold", "truth", "--exclude", "a", "--classes", "gold"]
    fixed, typed = (
        json.loads(said(*call.split(), "-f", "json", *options).out) for options in (["--config", "task.toml"], typed)
    )
    for found in (fixed, typed):
        for each in (found, *(one for one in found.get("systems", []) if isinstance(one, dict))):
            each.pop("signature", None)
    assert fixed == typed


@pytest.mark.parametrize("call", ["count systems.csv --pred one", "identify systems.csv 0.5 --pred one",
                                  "conventions systems.csv --pred one"])  # fmt: skip
@pytest.mark.usefixtures("task")
def test_jobs_take_from_a_task_file_what_they_have_an_option_for(call, said):
    assert said(*call.split(), "--config", "task.toml").out == said(*call.split(), "--gold", "truth").out


@pytest.mark.parametrize("fixed", ['scheme = "iob2"', 'mode = "conll"', 'scheme = "iobes"'])
def test_what_a_task_file_fixes_has_an_effect_even_if_it_is_the_default(fixed, tmp_path, capsys):
    (tmp_path / "p.csv").write_text("gold,pred\na,a\nb,a\n")
    (tmp_path / "task.toml").write_text(fixed)
    assert main(["score", str(tmp_path / "p.csv"), "--config", str(tmp_path / "task.toml")]) == 2
    assert "needs --spans" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["1e-05", "0.00001", "1e+16", "1e3", "50", ".5"])
def test_a_limit_may_be_written_as_any_number(number):
    assert Request(limits=(f"megabytes={number}",)).limit("megabytes") == float(number)
