"""The Spark examples of the tutorial, run in Spark."""

import doctest
import re

import pytest

import macrof1

pytestmark = pytest.mark.xdist_group("spark")


def test_the_tutorial_runs_in_spark(spark, root):
    text = (root / "docs" / "tutorials" / "spark.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```py\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(blocks, {"spark": spark}, "spark.md", "spark.md", 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.failures == 0
    assert test.examples


def test_only_the_cells_leave_spark(spark):
    frame = spark.range(100_000).selectExpr("id % 3 as gold", "id % 2 as pred", "id % 5 as w")
    result = macrof1.score_frame(frame, gold="gold", pred="pred", sample_weight="w")
    assert result.n_rows == frame.count()
    assert len(result.cells.records()) == 6
    assert sum(amount for *_, amount in result.cells.records()) == 200_000
