"""Benchmark comparisons: resampling against scikit-learn's rows, many systems, and large files.

python benchmarks/compare.py [resampling systems many parquet ids pairs]

Every case but the first prints its peak memory, that of its own process. `parquet` (20 million rows) is compared with
Polars' bare group-by of the same columns, `ids` joins four files of 5 million rows, `pairs` has rows that never repeat.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import macrof1


def seconds(function):
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def data(rows, classes, right, seed):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, classes, rows)
    return gold, [np.where(rng.random(rows) < share, gold, rng.integers(0, classes, rows)) for share in right]


def resampling():
    from sklearn.metrics import f1_score

    n_resamples, timed = 1000, 5
    gold, (pred,) = data(1_000_000, 10, [0.7], 0)
    counting, scored = seconds(lambda: macrof1.score(gold, pred))
    options = {"method": "bootstrap", "n_resamples": n_resamples}
    scored.interval("averaged_f1", **options)
    ours, found = min(
        (seconds(lambda: scored.interval("averaged_f1", **options)) for _ in range(5)), key=lambda x: x[0]
    )
    rng = np.random.default_rng(0)

    def by_rows():
        picked = rng.integers(0, len(gold), len(gold))
        return f1_score(gold[picked], pred[picked], average="macro")

    by_rows()
    theirs = seconds(lambda: [by_rows() for _ in range(timed)])[0] / timed * n_resamples
    print(f"{n_resamples:,} resamples of 1,000,000 rows, 10 classes (interval {found.low:.4f} to {found.high:.4f}):")
    print(f"  macrof1, cells              {ours:10.4f} s")
    print(f"  macrof1, counting included  {ours + counting:10.4f} s")
    print(f"  scikit-learn, rows          {theirs:10.1f} s ({timed} resamples timed)")
    print(f"  ratio                       {theirs / ours:10,.0f} (target: 1,000)")


def systems(number=50, rows=100_000):
    gold, preds = data(rows, 10, np.linspace(0.6, 0.85, number), 1)
    named = {f"system {i}": pred for i, pred in enumerate(preds)}
    busy = time.process_time()
    took, result = seconds(lambda: macrof1.compare(gold, named))
    busy = time.process_time() - busy
    print(f"{number} systems, {rows:,} rows, {result.pairs:,} pairs, three tests each:")
    print(f"  macrof1.compare             {took:10.1f} s, processor {busy:.1f} s on {os.cpu_count()} cores")


def many():
    systems(500, 10_000)


def written(folder, name, columns):
    import polars as pl

    path = str(Path(folder) / f"{name}.parquet")
    pl.DataFrame(columns).write_parquet(path)
    return path


def named_labels(codes):
    import polars as pl

    return pl.Series(codes).cast(pl.Int32).replace_strict(list(range(8)), [f"class {k}" for k in range(8)])


def parquet(folder):
    gold, preds = data(20_000_000, 8, [0.7, 0.75, 0.8], 0)
    columns = {"gold": gold, **dict(zip("abc", preds, strict=True))}
    path = written(folder, "all", {name: named_labels(column) for name, column in columns.items()})
    group = f"polars.scan_parquet({path!r}).group_by('gold', 'a', 'b', 'c').len()"
    ratios = []
    for _ in range(5):
        bare = timed("Polars, bare group-by", f"import polars; {group}.collect(engine='streaming')")
        arguments = ("compare", path, "--gold", "gold", "--systems", "a,b,c")
        ratios.append(timed("mf1 compare, 20M rows, 3 systems", MF1, *arguments) / bare)
    print("  ratios of processor times:", ", ".join(f"{ratio:.2f}" for ratio in sorted(ratios)), "(target: 2)")


def ids(folder):
    gold, preds = data(5_000_000, 8, [0.7, 0.75, 0.8], 0)
    order = np.random.default_rng(2)
    files = [written(folder, "gold", {"id": np.arange(len(gold)), "gold": named_labels(gold)})]
    for name, pred in zip("abc", preds, strict=True):
        rows = order.permutation(len(gold))
        files.append(written(folder, name, {"id": rows, "pred": named_labels(pred[rows])}))
    timed("mf1 compare --id, 4 files of 5M rows", MF1, "compare", *files, "--id", "id")


def pairs(folder):
    gold, preds = data(3_000_000, 8, np.linspace(0.2, 0.4, 6), 0)
    columns = {"gold": gold, **{f"s{k}": pred for k, pred in enumerate(preds)}}
    path = written(folder, "pairs", {name: named_labels(column) for name, column in columns.items()})
    timed("mf1 compare, 3M rows, 6 systems, pair by pair", MF1, "compare", path, "--gold", "gold")


MF1 = "from macrof1.cli import main; main()"
# The peak of this program alone: what a process has used counts as used by the programs that it starts.
PEAK = "import atexit, sys; atexit.register(lambda: sys.stderr.write(open('/proc/self/status').read())); "


def timed(title, program, *arguments):
    """Run a Python program, print its time, processor time and peak memory, and return its processor time."""
    before = os.times()
    command = [sys.executable, "-c", PEAK + program, *arguments]
    took, done = seconds(lambda: subprocess.run(command, check=True, capture_output=True, text=True))
    after = os.times()
    busy = after.children_user + after.children_system - before.children_user - before.children_system
    peak = int(re.findall(r"VmHWM:\s+(\d+)", done.stderr)[0]) // 1024
    lines = len(done.stdout.splitlines())
    print(f"{title}: {took:.1f} s, processor {busy:.2f} s, peak {peak} MB, {lines} lines printed")
    return busy


def main() -> None:
    for name in sys.argv[1:] or ["resampling", "systems"]:
        case = {f.__name__: f for f in (resampling, systems, many, parquet, ids, pairs)}[name]
        if case in (parquet, ids, pairs):
            with tempfile.TemporaryDirectory() as folder:
                case(folder)
        else:
            case()
            print(f"  peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
