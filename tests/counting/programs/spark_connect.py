"""Count every Parquet file in a folder through Spark Connect, in a separate process, since a process has one Spark."""

import json
import os
import sys
import warnings
from pathlib import Path

import macrof1
from macrof1.counting.frames import count_frame, count_frame_groups


def counted(frame):
    options = {"gold": "gold", "pred": "pred", "missing": "label"}
    grouped = count_frame_groups(frame, **options, weight="half", by=["domain", "fold"])
    return {
        "engine": type(frame).__module__,
        "total": grouped.total.records(),
        "weighted": count_frame(frame, **options, weight="weight").records(),
        "by": [[key, counts.n_rows, counts.records()] for key, counts in grouped.groups],
    }


def main(folder):
    warnings.simplefilter("ignore")  # Spark's own, about the versions of its neighbours
    # A free port: otherwise the server listens on, and the client asks, one fixed port, and two runs on a host collide.
    # (The client finds another port only by this variable. With the value 1 Spark would look for its own build.)
    os.environ["SPARK_TESTING"] = "a free port"
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.remote("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    found = {path.stem: counted(session.read.parquet(str(path))) for path in sorted(folder.glob("*.parquet"))}
    lists = session.sql("select array('x', 'y') as gold, array('x') as pred")
    counts = count_frame(lists, gold="gold", pred="pred")
    found["lists"] = [counts.labels, list(counts.tp), list(counts.actual)]
    numbers = session.range(1000).selectExpr("id % 3 as gold", "id % 2 as pred", "id % 5 as fold")
    groups = macrof1.score_groups(numbers, gold="gold", pred="pred", by="fold")
    found["groups"] = [groups.total.averaged_f1, len(groups.groups)]
    (folder / "found.json").write_text(json.dumps(found))
    session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
