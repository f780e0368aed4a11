"""Count a Parquet file through Spark Connect, in a process of its own, since a process has one Spark."""

import json
import os
import sys
import warnings
from pathlib import Path

from macrof1.counting.engines import count_frame_groups


def main(folder):
    warnings.simplefilter("ignore")  # Spark's own, about the versions of its neighbours
    # A free port: otherwise the server listens on, and the client asks, one fixed port, and two runs on a host collide.
    # (The client finds another port only by this variable. With the value 1 Spark would look for its own build.)
    os.environ["SPARK_TESTING"] = "a free port"
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false")
    for name in ("host", "bindAddress"):
        builder = builder.config(f"spark.driver.{name}", "127.0.0.1")
    session = builder.config("spark.sql.shuffle.partitions", "2").config("spark.log.level", "ERROR").getOrCreate()
    frame = session.read.parquet(str(folder / "rows.parquet"))
    options = {"gold": "gold", "pred": "pred", "missing": "label"}
    grouped = count_frame_groups(frame, **options, weight="half", by=["domain", "fold"])
    data = session.sql("select array('x', 'y') as gold, array('x') as pred")
    lists = count_frame_groups(data, gold="gold", pred="pred", by=()).total
    found = {
        "engine": type(frame).__module__,
        "weighted": count_frame_groups(frame, **options, weight="weight", by=()).total.records(),
        "by": [[key, counts.n_rows, counts.records()] for key, counts in grouped.groups],
        "lists": [lists.labels, list(lists.tp), list(lists.actual)],
    }
    (folder / "found.json").write_text(json.dumps(found))
    session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
