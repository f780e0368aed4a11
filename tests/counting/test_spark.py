"""The Spark examples of the guide, run in Spark."""

from __future__ import annotations

import doctest
import re

import pytest

import macrof1

pytestmark = pytest.mark.xdist_group("spark")


@pytest.mark.parametrize("name", ["docs/data.md", "docs/tutorials/spark.md"])
def test_the_guide_runs_in_spark(spark, root, name):
    text = (root / name).read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```py\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(blocks, {"spark": spark}, name, name, 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.failures == 0
    assert test.examples


def test_the_spark_job_of_the_guide_runs(spark, root, tmp_path, monkeypatch, capsys):
    import json
    import sys

    text = (root / "docs" / "data.md").read_text()
    (script,) = re.findall(r"```\n(import json.*?)```", text, re.DOTALL)
    spark.range(100).selectExpr("id % 3 as gold", "id % 2 as pred").write.parquet(str(tmp_path / "p"))
    monkeypatch.setattr(sys, "argv", ["score_job.py", str(tmp_path / "p")])
    exec(compile(script, "score_job.py", "exec"), {})  # noqa: S102  # the guide's own text
    expected = macrof1.score([i % 3 for i in range(100)], [i % 2 for i in range(100)])
    assert json.loads(capsys.readouterr().out)["averaged_f1"] == expected.averaged_f1


def test_only_the_cells_leave_spark(spark):
    frame = spark.range(100_000).selectExpr("id % 3 as gold", "id % 2 as pred", "id % 5 as w")
    result = macrof1.score_frame(frame, gold="gold", pred="pred", sample_weight="w")
    assert result.n_rows == frame.count()
    assert len(result.cells.records()) == 6
    assert sum(amount for *_, amount in result.cells.records()) == 200_000
