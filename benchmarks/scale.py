"""How cost grows with rows, classes, groups and partitions, each as a ratio to the engine's bare group-by and count.

python benchmarks/scale.py [--rows 1e9] [--master spark://host:7077 | --standalone | --parquet FILE…] [--workers 2]
    [--rows-only] [--out TABLE.md]

Rows are made in the engine, so that nothing but counting is timed and no disk is needed: Spark makes them where it
counts them. `--parquet` reads columns `gold` and `a` of files instead, with Spark, Dask and Polars. Both queries of a
case run in turns; the ratio is that of the best times. Rows per second of CPU time, of all processes of a cluster, say
what a core does: where they stay the same with more workers, time falls in proportion.
"""

from __future__ import annotations

import argparse
import os
import time
from contextlib import nullcontext
from pathlib import Path

import cluster
from cluster import processor_time
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


def timed(function):
    """Return the time and the CPU time of all processes."""
    start, busy = time.perf_counter(), processor_time()
    function()
    return time.perf_counter() - start, processor_time() - busy


HEADER = ["case", "macrof1", "CPU", "rows per CPU second", "bare groupBy-count", "CPU", "ratio of CPU"]


def line_of(title, rows, ours, bare, turns):
    """Time both queries in turns."""
    times = [(*timed(ours), *timed(bare)) for _ in range(turns)]
    mine, busy, theirs, busy_too = (min(column) for column in zip(*times, strict=True))
    each = f"{rows / busy / 1e6:,.1f} M"
    line = [title, f"{mine:.2f} s", f"{busy:.2f} s", each, f"{theirs:.2f} s", f"{busy_too:.2f} s"]
    line.append(f"{busy / busy_too:.2f}×")
    print(" | ".join(line), flush=True)
    return line


def case(spark, title, rows, classes, partitions, groups, turns):
    data = made(spark, rows, classes, partitions, groups)
    keys = ["gold", "pred"] + ["domain"] * (groups > 1)
    bare = lambda: data.groupBy(*keys).count().collect()  # noqa: E731  # one line per query
    if groups > 1:
        ours = lambda: macrof1.score_groups(data, gold="gold", pred="pred", by="domain")  # noqa: E731
    else:
        ours = lambda: macrof1.score_frame(data, gold="gold", pred="pred")  # noqa: E731
    return line_of(title, rows, ours, bare, turns)


def parquet_files(paths, turns, workers):
    """Count the same files with Polars, Dask and Spark."""
    import dask.dataframe as dd
    import polars as pl

    columns, names = ["gold", "a"], {"gold": "gold", "pred": "a"}
    rows = pl.scan_parquet(paths).select(pl.len()).collect().item()
    bare = lambda: pl.scan_parquet(paths).group_by(columns).len().collect(engine="streaming")  # noqa: E731
    lines = [line_of("Polars", rows, lambda: macrof1.score_file(paths, **names), bare, turns)]
    with cluster.dask(workers):
        frame = dd.read_parquet(paths, columns=columns, split_row_groups=True)
        bare = lambda: frame.groupby(columns, observed=True).size().compute()  # noqa: E731
        lines.append(line_of("Dask", rows, lambda: macrof1.score_frame(frame, **names), bare, turns))
    with cluster.standalone(workers) as master:
        spark = session(master)
        data = spark.read.parquet(*paths)
        data.groupBy(*columns).count().collect()  # the first query starts the executors
        bare = lambda: data.groupBy(*columns).count().collect()  # noqa: E731
        lines.append(line_of("Spark", rows, lambda: macrof1.score_frame(data, **names), bare, turns))
        spark.stop()
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e9)
    parser.add_argument("--master", default=f"local[{len(os.sched_getaffinity(0))}]")
    parser.add_argument("--standalone", action="store_true", help="start a master and two workers on this machine")
    parser.add_argument("--parquet", nargs="+", metavar="FILE", help="count these files with every engine")
    parser.add_argument("--workers", type=int, default=2, help="processes of a cluster on this machine")
    parser.add_argument("--rows-only", action="store_true", help="leave out classes, groups and partitions")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.parquet:
        lines = parquet_files(options.parquet, options.turns, options.workers)
    else:
        own = cluster.standalone(options.workers) if options.standalone else nullcontext(options.master)
        with own as master:
            lines = measured(master, options.rows, options.turns, rows_only=options.rows_only)
    table = table_markdown(Table(HEADER, lines))
    print(f"\n{table}")
    if options.out is not None:
        options.out.write_text(table + "\n", encoding="utf-8")


def session(master):
    return (
        SparkSession.builder.master(master)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )


def measured(master, rows, turns, *, rows_only):
    spark = session(master)
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
