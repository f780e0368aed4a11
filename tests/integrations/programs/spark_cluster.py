"""Score on a Spark standalone cluster and print the result; started by test_clusters.py.

python spark_cluster.py MASTER PID: the process group PID, a worker with its executors, is killed while a job runs.
"""

import json
import os
import signal
import sys
import threading
import time

import narwhals.stable.v2 as nw
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import macrof1
from macrof1.counting.engines import aggregated, opened
from macrof1.integrations.spark import MacroF1Evaluator

ROWS = 200_000


def made(spark, rows, partitions):
    """Rows that are made where they are counted, the same ones every time."""
    return spark.range(0, rows, 1, partitions).select(
        (F.col("id") % 7).cast("double").alias("label"),
        F.when(F.col("id") % 10 < 7, F.col("id") % 7).otherwise(F.col("id") % 5).cast("double").alias("prediction"),
        F.when(F.col("id") % 11 < 8, F.col("id") % 7).otherwise(F.col("id") % 3).cast("double").alias("other"),
        (F.col("id") % 3).alias("domain"),
    )


def plan(frame):
    return frame._jdf.queryExecution().executedPlan().toString()


def numbers(result):
    return [result.averaged_f1, result.f1_of_averages, result.n_rows]


def with_a_worker_killed(spark, rows, group):
    """Score while a worker dies: as soon as the first tasks are done, and before the last ones are."""
    data = made(spark, rows, 64).where(F.crc32(F.col("label").cast("string")) >= 0)
    found, tracker = [], spark.sparkContext.statusTracker()
    job = threading.Thread(target=lambda: found.append(MacroF1Evaluator().result(data)))
    job.start()
    done = left = 0
    while job.is_alive() and not (done and left):
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        done = sum(stage.numCompletedTasks for stage in stages if stage)
        left = sum(stage.numTasks - stage.numCompletedTasks for stage in stages if stage)
        time.sleep(0.01)
    os.killpg(group, signal.SIGKILL)
    job.join()
    return found[0], left


def main():
    master, group = sys.argv[1], int(sys.argv[2])
    options = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.executor.cores": "1",
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master(master).appName("macrof1")
    for name, value in options.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    data = made(spark, ROWS, 8)
    evaluator = MacroF1Evaluator()
    frame = opened(data)
    columns = {"gold": nw.col("label"), "pred": nw.col("prediction")}
    print(json.dumps({
        "executors": len(spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()) - 1,
        "evaluator": numbers(evaluator.result(data)),
        "frame": numbers(macrof1.score_frame(data, gold="label", pred="prediction")),
        "groups": {
            str(group.key[0]): numbers(group.result)
            for group in macrof1.score_groups(data, gold="label", pred="prediction", by="domain").groups
        },
        "compared": macrof1.compare_frame(
            data, gold="label", systems=["prediction", "other"], n_resamples=100
        ).to_dict(),
        "plans": [plan(aggregated(frame, columns).to_native())],
    }))  # fmt: skip
    result, left = with_a_worker_killed(spark, 20 * ROWS, group)
    print(json.dumps({"tasks_left": left, "after": numbers(result)}))
    spark.stop()


main()
