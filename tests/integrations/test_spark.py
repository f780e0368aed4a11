"""The Spark ML evaluator, on a real local Spark."""

import re

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest

import macrof1
from macrof1.counting.engines import aggregated, opened
from macrof1.errors import ColumnError, CountError, LabelError, MissingLabelError

from ..oracles import without_digests
from .parts import part

part("pyspark")

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::ResourceWarning"),
]


@pytest.fixture
def evaluator():
    from macrof1.integrations.spark import MacroF1Evaluator

    return MacroF1Evaluator


def frame(spark, gold, pred, **more):
    columns = {"label": gold, "prediction": pred, **more}
    rows = list(zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True))
    return spark.createDataFrame(rows, list(columns))


def test_10_000_cases_counted_by_spark_equal_the_library(spark, evaluator, tmp_path):
    rng = np.random.default_rng(9)
    case = np.sort(rng.integers(0, 10_000, 50_000)).astype(np.int32)
    gold = rng.integers(0, 4, case.size)
    pred = np.where(rng.random(case.size) < 0.6, gold, rng.integers(0, 5, case.size))
    file = str(tmp_path / "cases.parquet")
    pl.DataFrame({"case": case, "label": gold, "prediction": pred.astype(float)}).write_parquet(file)
    data = spark.read.parquet(file)
    assert evaluator().evaluate(data) == macrof1.averaged_f1(gold, pred)
    groups = macrof1.score_frame(data, gold="label", pred="prediction", by="case").groups  # in one job
    assert len(groups) > 9_900
    bounds = np.searchsorted(case, np.arange(10_001))
    for (number,), result in ((group.key, group.result) for group in groups):
        part_ = slice(bounds[number], bounds[number + 1])
        expected = macrof1.score(gold[part_], pred[part_])
        assert result.averaged_f1 == expected.averaged_f1
        assert result.f1_of_averages == expected.f1_of_averages
        assert result.n_rows == expected.n_rows


def test_multilabel_metrics_of_mllib_are_means_over_rows(spark):
    from pyspark.ml.evaluation import MultilabelClassificationEvaluator

    rng = np.random.default_rng(4)
    for undefined in (False, False, False, True):
        sizes = rng.integers(0 if undefined else 1, 5, 1000), rng.integers(0, 5, 1000)
        sets = [[rng.choice(6, size, replace=False).tolist() for size in side] for side in sizes]
        data = spark.createDataFrame(
            [tuple([list(map(float, side)) for side in row]) for row in zip(*sets, strict=True)],
            "label array<double>, prediction array<double>",
        )
        found = macrof1.score(*sets, over="rows", convention="spark-mllib-multilabel")
        ours = found.averaged_f1, found.macro_precision, found.macro_recall
        for metric, value in zip(("f1Measure", "precision", "recall"), ours, strict=True):
            theirs = MultilabelClassificationEvaluator(metricName=metric).evaluate(data)
            nan = undefined and metric != "precision"  # some row has nothing gold, and one nothing at all
            assert theirs == pytest.approx(np.nan if nan else value, abs=1e-12, nan_ok=True)


def test_formula_columns_weights_and_strings(spark, evaluator):
    gold, pred, weight = ["a", "b", "b", "c"], ["a", "a", "b", "d"], [1.0, 2.0, 0.5, 1.0]
    data = frame(spark, gold, pred, w=weight).withColumnRenamed("label", "the gold.")
    both = evaluator(
        labelCol="the gold.", formula="f1_of_averages", weightCol="w", beta=2.0, classes="gold", undefined=1
    )
    expected = macrof1.score(gold, pred, sample_weight=weight, beta=2.0, classes="gold", undefined=1)
    assert both.evaluate(data) == expected.f1_of_averages
    assert both.evaluate(data, {both.formula: "averaged_f1"}) == expected.averaged_f1
    result = both.result(data)
    assert [c.precision for c in result.per_class] == [c.precision for c in expected.per_class]
    assert both.isLargerBetter()


def test_it_drives_cross_validation_and_is_saved(spark, evaluator, tmp_path):
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.linalg import Vectors
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder, TrainValidationSplit

    rng = np.random.default_rng(2)
    gold = rng.integers(0, 2, 60)
    pairs = zip(gold.tolist(), rng.random(60).tolist(), strict=True)
    rows = [(float(y), Vectors.dense([1 + y * 3 + x, 2 + x])) for y, x in pairs]
    data = spark.createDataFrame(rows, ["label", "features"]).cache()
    model = NaiveBayes()
    grid = ParamGridBuilder().addGrid(model.smoothing, [0.5]).build()
    options = {"estimator": model, "estimatorParamMaps": grid, "evaluator": evaluator(), "seed": 1}
    fitted = CrossValidator(numFolds=2, **options).fit(data)
    assert 0 <= fitted.avgMetrics[0] <= 1
    split = TrainValidationSplit(**options).fit(data)
    assert 0 <= split.validationMetrics[0] <= 1
    found = evaluator().evaluate(fitted.transform(data))
    predicted = [row["prediction"] for row in fitted.transform(data).select("prediction").collect()]
    assert found == macrof1.score(gold.astype(float), np.array(predicted)).averaged_f1
    path = str(tmp_path / "evaluator")
    evaluator(formula="f1_of_averages", beta=2.0).save(path)
    loaded = evaluator.load(path)
    assert (loaded.getOrDefault("formula"), loaded.getOrDefault("beta")) == ("f1_of_averages", 2.0)


def test_bad_data_is_named(spark, evaluator):
    more = {"w": [1.0, -1.0, 2.0], "text": ["x", "y", "z"], "sure": [False, True, True]}
    data = frame(spark, [0, 1, None], [0.0, 1.0, 1.0], **more)
    with pytest.raises(ColumnError, match="did you mean 'label'"):
        evaluator(labelCol="lable").evaluate(data)
    with pytest.raises(MissingLabelError, match="1 of 3 rows"):
        evaluator().evaluate(data)
    with pytest.raises(LabelError, match="no label could match"):
        evaluator(labelCol="text").evaluate(data)
    some = data.where("label is not null")
    with pytest.raises(CountError, match=r"'w' of the pyspark frame: found -1\.0"):
        evaluator(weightCol="w").evaluate(some)
    assert evaluator(labelCol="sure").evaluate(some) == 1  # a boolean among numbers
    with pytest.warns(UserWarning, match="no row was left"):
        assert evaluator().evaluate(data.limit(0)) == 0
    for options in ({"formula": "macro"}, {"classes": "all"}, {"undefined": 3}, {"beta": -1}):
        with pytest.raises(macrof1.InputError):
            evaluator(**options)


def test_spark_groups_all_systems_or_pair_by_pair(spark, monkeypatch):
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 4, 500)
    columns = {"gold": gold}
    for name, right in (("a", 0.5), ("b", 0.6), ("c", 0.7)):
        columns[name] = np.where(rng.random(500) < right, gold, rng.integers(0, 4, 500))
    rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
    data = spark.createDataFrame(rows, list(columns))
    options = {"gold": "gold", "systems": ["a", "b", "c"], "n_resamples": 100}
    together = macrof1.compare_frame(data, **options)
    known = macrof1.compare(gold, {name: columns[name] for name in "abc"})
    assert without_digests(together.to_dict()["systems"]) == without_digests(known.to_dict()["systems"])
    monkeypatch.setattr("macrof1.comparing.frames._MOST_LABELS", 8)
    pairs = macrof1.compare_frame(data, **options)
    assert pairs.systems == together.systems
    for one, other in zip(pairs.comparisons, together.comparisons, strict=True):
        assert one.averaged_f1.p["delta"] == pytest.approx(other.averaged_f1.p["delta"], abs=1e-12)


def test_spark_shuffles_cells_that_each_partition_has_counted(spark):
    data = spark.range(1000).selectExpr("id % 3 as label", "id % 2 as prediction")
    counted = aggregated(opened(data), {"gold": nw.col("label"), "pred": nw.col("prediction")}).to_native()
    plan = counted._jdf.queryExecution().executedPlan().toString()
    # One shuffle; what is collected comes out of the second count.
    assert plan.count("Exchange hashpartitioning") == plan.count("Exchange") == 1
    assert plan.count("HashAggregate") == 2
    assert re.match(r"AdaptiveSparkPlan[^\n]*\n\+- (\*\(\d\) )?HashAggregate", plan)


def test_spark_joins_systems_by_id(spark):
    gold, preds = ["x", "y", "x", "y"], {"a": ["x", "y", "y", "y"], "b": ["x", "x", "x", "y"]}
    rows = [(key, name, gold[key], pred[key]) for name, pred in preds.items() for key in range(4)]
    long = spark.createDataFrame(rows, ["key", "system", "gold", "pred"])
    options = {"gold": "gold", "id": "key", "pred": "pred", "n_resamples": 100}
    found = macrof1.compare_frame(long, systems="system", **options)
    known = macrof1.compare(gold, preds)
    assert without_digests(found.to_dict()["systems"]) == without_digests(known.to_dict()["systems"])
    parts = {name: long.where(f"system = '{name}'") for name in preds}
    assert macrof1.compare_frame(parts["a"], systems=parts, **options).to_dict() == found.to_dict()
    with pytest.raises(ColumnError, match="system 'a' does not have the ids of gold"):
        macrof1.compare_frame(long.where("key < 3 or system = 'b'"), systems="system", **options)
