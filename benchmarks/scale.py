"""How cost grows with rows, classes, groups and partitions, each as a ratio to the engine's bare group-by and count.

python benchmarks/scale.py [--rows 1e9] [--master spark://host:7077 | --standalone] [--rows-only] [--out TABLE.md]

Rows are made in the engine, so that nothing but counting is timed and no disk is needed: Spark makes them where it
counts them. Both queries of a case run in turns; the ratio is that of the best times.
"""

from __future__ import annotations

import argparse
import os
import time
from contextlib import nullcontext
from pathlib import Path

from cluster import standalone
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import macrof1
from macrof1.reporting.as_markup import table_markdown
from macrof1.reporting.document import Table


def made(spark, rows, classes, partitions, groups=1):
    """Seven of ten rows are right; the columns are cheap to make, and take every value."""
    row = F.col("id")
    gold = row % classes
    other = (row * 7 + 3) % classes
    return spark.range(0, int(rows), 1, partitions).select(
        gold.alias("gold"), F.when(row % 10 < 7, gold).otherwise(other).alias("pred"), (row % groups).alias("domain")
    )


def best(function, turns):
    times = []
    for _ in range(turns):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def case(spark, title, rows, classes, partitions, groups, turns):
    data = made(spark, rows, classes, partitions, groups)
    keys = ["gold", "pred"] + ["domain"] * (groups > 1)
    bare = lambda: data.groupBy(*keys).count().collect()  # noqa: E731  # one line per query
    if groups > 1:
        ours = lambda: macrof1.score_groups(data, gold="gold", pred="pred", by="domain")  # noqa: E731
    else:
        ours = lambda: macrof1.score_frame(data, gold="gold", pred="pred")  # noqa: E731
    times = [(best(ours, 1), best(bare, 1)) for _ in range(turns)]
    mine, theirs = (min(column) for column in zip(*times, strict=True))
    line = [title, f"{mine:.2f} s", f"{rows / mine / 1e6:,.1f} M", f"{theirs:.2f} s", f"{mine / theirs:.2f}×"]
    print(" | ".join(line), flush=True)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e9)
    parser.add_argument("--master", default=f"local[{len(os.sched_getaffinity(0))}]")
    parser.add_argument("--standalone", action="store_true", help="start a master and two workers on this machine")
    parser.add_argument("--rows-only", action="store_true", help="leave out classes, groups and partitions")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with standalone() if options.standalone else nullcontext(options.master) as master:
        lines = measured(master, options.rows, options.turns, rows_only=options.rows_only)
    table = table_markdown(Table(["case", "macrof1", "rows per second", "bare groupBy-count", "ratio"], lines))
    print(f"\n{table}")
    if options.out is not None:
        options.out.write_text(table + "\n", encoding="utf-8")


def measured(master, rows, turns, *, rows_only):
    spark = (
        SparkSession.builder.master(master)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    case(spark, "warm-up", rows / 100, 10, 8, 1, 1)
    cases = [(f"{rows:.0e} rows", rows, 10, 8, 1)]
    if not rows_only:
        cases = [
            *((f"{size:.0e} rows", size, 10, 8, 1) for size in (rows / 100, rows / 10, rows)),
            *((f"{rows / 10:.0e} rows, {n:,} classes", rows / 10, n, 8, 1) for n in (2, 100, 1_000)),
            *((f"{rows / 10:.0e} rows, {n:,} groups", rows / 10, 10, 8, n) for n in (10, 1_000)),
            *((f"{rows / 10:.0e} rows, {n} partitions", rows / 10, 10, n, 1) for n in (2, 64, 512)),
        ]
    lines = [case(spark, *one, turns) for one in cases]
    spark.stop()
    return lines


if __name__ == "__main__":
    main()
