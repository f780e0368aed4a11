"""The Spark examples of the tutorial, run in Spark."""

import doctest
import re

import pytest

pytestmark = pytest.mark.xdist_group("spark")


def test_the_tutorial_runs_in_spark(spark, root):
    text = (root / "docs" / "tutorials" / "spark.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```py\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(blocks, {"spark": spark}, "spark.md", "spark.md", 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.failures == 0
    assert test.examples
